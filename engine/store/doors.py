"""The doors' schema: named by the hash of its content, installed by `migrate`.

Code calls the schema that its own SQL files make, so that old and new workers can run side by
side on one database while a new version is rolled out.
"""

import uuid
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from engine import conf, db, states
from engine.canonical import sha256_hex
from engine.errors import Unavailable

FILES = (
    "ground",
    "values",
    "trail",
    "branches",
    "stops",
    "runs",
    "step_ups",
    "qualifications",
    "policies",
    "people",
    "rejections",
    "proposals",
    "deciding",
    "escalating",
    "exemptions",
    "exempting",
    "claims",
    "edits",
    "premises",
    "effects",
    "alerts",
    "resolutions",
    "control",
    "forks",
    "rollbacks",
    "inbound",
    "rehearsals",
    "secrets",
    "versions",
)
_OURS = "^placet_[0-9a-f]{12}$"
_SEEN = "doors of Placet, in use at "
APPEND_ONLY = Path(__file__).with_name("append_only.sql")


@cache
def schema() -> str:
    return "placet_" + sha256_hex(_source().encode())[:12]


def call(door: str, *params: Any) -> Any:
    """Call a door: one statement, one round trip, one commit. Gives what the door tells."""
    marks = ", ".join("%b" if type(param) is Bodies else "%s" for param in params)
    return db.value(f"SELECT {schema()}.{door}({marks})", params)


class WorkerDoor(Protocol):
    """A transition by the worker that holds the run.

    Gives {"seq", "head", "at"}; or {"behind": events} when the log has grown past `folded`, and
    then nothing was written. Raises LeaseLost under a stale token. `values` are the large values
    that the payload or the checkpoint is the first to name.
    """

    def __call__(
        self,
        run: uuid.UUID,
        token: int,
        folded: int,
        actor: str,
        payload: bytes,
        checkpoint: Mapping[str, Any] | None,
        values: Sequence[bytes] = (),
    ) -> Mapping[str, Any]: ...


def worker_door(name: str) -> WorkerDoor:
    def door(
        run: uuid.UUID,
        token: int,
        folded: int,
        actor: str,
        payload: bytes,
        checkpoint: Mapping[str, Any] | None,
        values: Sequence[bytes] = (),
    ) -> Mapping[str, Any]:
        saved = db.as_json(checkpoint)
        return call(name, run, token, folded, actor, payload, saved, new(values))

    return door


class Bodies(list[bytes]):
    """Bytes that go to the server as they are: written out as text they cost fifteen times that."""


def new(values: Sequence[bytes]) -> Bodies | None:
    """The parameter of a door for the large values that its transition is the first to name."""
    return Bodies(values) if values else None


def select(function: str, *params: Any) -> list[tuple[Any, ...]]:
    """The rows of a set-returning read."""
    marks = ", ".join(["%s"] * len(params))
    return db.rows(f"SELECT * FROM {schema()}.{function}({marks})", params)


def must_be_installed() -> None:
    """Raises Unavailable if the database lacks this code's doors, or does not answer."""
    if not is_installed():
        raise Unavailable(db.NOT_INSTALLED)


def is_installed() -> bool:
    """Has the database this code's schema of doors?"""
    return bool(db.value("SELECT to_regnamespace(%s) IS NOT NULL", [schema()]))


def install() -> None:
    """Create this code's schema of doors if the database lacks it."""
    if not is_installed():
        db.script(f"CREATE SCHEMA {schema()};\n" + _source().replace("doors.", f"{schema()}."))
        _note_seen(schema())


def introduced(application_name: str) -> str:
    """The name under which a process of this code connects: it tells which doors it uses."""
    return f"{application_name} {schema()}"


def installed() -> list[str]:
    """Every schema of doors in the database, this code's own among them."""
    found = db.rows("SELECT nspname FROM pg_namespace WHERE nspname ~ %s ORDER BY 1", [_OURS])
    return [row[0] for row in found]


def note_if_in_use(name: str) -> bool:
    """Is a session connected whose code uses this schema? If so, that it was seen is noted."""
    sessions = "pg_stat_activity WHERE datname = current_database() AND application_name LIKE %s"
    if not db.value(f"SELECT EXISTS (SELECT 1 FROM {sessions})", [f"% {name}"]):
        return False
    _note_seen(name)
    return True


def drop_if_unused(name: str, seconds: float) -> bool:
    """Drop a schema that was seen last so many seconds ago. One of which nothing is noted is noted
    as seen now, and stays."""
    when = seen(name)
    if when is None:
        _note_seen(name)
        return False
    passed = "SELECT clock_timestamp() >= %s::timestamptz + make_interval(secs => %s)"
    if not db.value(passed, [when, seconds]):
        return False
    db.script(f"DROP SCHEMA {name} CASCADE")
    return True


def seen(name: str) -> str | None:
    """The instant at which the schema was seen in use last, or installed; None if none is noted."""
    noted = db.value("SELECT obj_description(to_regnamespace(%s), 'pg_namespace')", [name]) or ""
    return noted.removeprefix(_SEEN) if noted.startswith(_SEEN) else None


def _note_seen(name: str) -> None:
    """Written at the schema itself: it needs no table, and goes with it."""
    now = db.value("SELECT clock_timestamp()::text")
    db.script(f"COMMENT ON SCHEMA {name} IS '{_SEEN}{now}'")


@cache
def _source() -> str:
    here = Path(__file__).parent
    files = [(here / f"{name}.sql").read_text() for name in FILES]
    return "\n".join([_authority(), _factors(), _state_tables(), *files])


def _authority() -> str:
    """Who is active and in which group, in whatever user model the project has."""
    person, group = get_user_model(), Group
    through: Any = person._meta.get_field("groups").remote_field.through
    columns = {field.related_model: field.column for field in through._meta.fields[1:]}
    return f"""
-- Who is active, and in which group.
CREATE VIEW doors.authority AS
SELECT p.{person._meta.pk.column} AS person_id, p.is_active AS active, g.name AS group_name
FROM {person._meta.db_table} p
LEFT JOIN {through._meta.db_table} m ON m.{columns[person]} = p.{person._meta.pk.column}
LEFT JOIN {group._meta.db_table} g ON g.id = m.{columns[group]};

CREATE FUNCTION doors._set_active(p_person bigint, p_active boolean) RETURNS void
LANGUAGE sql AS $$
    UPDATE {person._meta.db_table} SET is_active = p_active
    WHERE {person._meta.pk.column} = p_person AND is_active <> p_active
$$;

-- A group that is named for the first time comes to be.
CREATE FUNCTION doors._set_groups(p_person bigint, p_groups text[]) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO {group._meta.db_table} (name) SELECT unnest(p_groups) ON CONFLICT DO NOTHING;
    INSERT INTO {through._meta.db_table} ({columns[person]}, {columns[group]})
    SELECT p_person, id FROM {group._meta.db_table} WHERE name = ANY (p_groups)
    ON CONFLICT DO NOTHING;
    DELETE FROM {through._meta.db_table} m USING {group._meta.db_table} g
    WHERE m.{columns[person]} = p_person AND g.id = m.{columns[group]}
      AND g.name <> ALL (p_groups);
$$;
"""


def _factors() -> str:
    """Which second factors people have, read from wherever the project keeps them."""
    kept = conf.second_factors()
    if not kept:
        rows = "SELECT NULL::bigint AS person_id, NULL::text AS kind WHERE false"
    else:
        model = apps.get_model(kept["model"])
        person, kind = (model._meta.get_field(kept[name]).column for name in ("person", "kind"))
        whens = " ".join(f"WHEN '{stored}' THEN '{ours}'" for stored, ours in kept["kinds"].items())
        rows = f"""SELECT {person} AS person_id, CASE {kind} {whens} END AS kind
FROM {model._meta.db_table} WHERE {kind} IN ({_quoted(kept["kinds"])})"""
    return f"""
-- Who has which kinds of second factor.
CREATE VIEW doors.factors AS
{rows};
"""


def _state_tables() -> str:
    moves = [
        f"{machine}:{old}>{new}"
        for machine, table in states.MACHINES.items()
        for old, onward in table.items()
        for new in onward
    ]
    outcomes = " ".join(f"WHEN '{said}' THEN '{state}'" for said, state in states.DECISIONS.items())
    return "\n".join(
        [
            _constant("_moves", moves),
            _constant("_working", states.WORKING),
            _constant("_live", states.LIVE),
            _constant("_after_the_end", states.AFTER_THE_END),
            _demands(),
            _predicate("_is_terminal", states.terminal(states.RUN)),
            "CREATE FUNCTION doors._outcome(p_decision text) RETURNS text LANGUAGE sql IMMUTABLE "
            f"AS $$ SELECT CASE p_decision {outcomes} END $$;",
        ]
    )


def _demands() -> str:
    whens = " ".join(
        f"WHEN '{demand}' THEN p_factor = ANY (ARRAY[{_quoted(kinds)}]::text[])"
        for demand, kinds in states.STEP_UPS.items()
    )
    return (
        "CREATE FUNCTION doors._meets(p_factor text, p_demand text) RETURNS boolean "
        f"LANGUAGE sql IMMUTABLE AS $$ SELECT CASE p_demand {whens} ELSE false END $$;"
    )


def _constant(name: str, values: Any) -> str:
    return (
        f"CREATE FUNCTION doors.{name}() RETURNS text[] LANGUAGE sql IMMUTABLE "
        f"AS $$ SELECT ARRAY[{_quoted(values)}] $$;"
    )


def _predicate(name: str, values: Any) -> str:
    return (
        f"CREATE FUNCTION doors.{name}(p_state text) RETURNS boolean LANGUAGE sql IMMUTABLE "
        f"AS $$ SELECT p_state IN ({_quoted(values)}) $$;"
    )


def _quoted(values: Any) -> str:
    return ", ".join(f"'{value}'" for value in values)
