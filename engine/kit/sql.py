"""Change a row of an outside database once, and re-read it on a connection of its own.

The target keeps a table of the keys it has honoured (`KEY_TABLE`); the key and the change are
written in one transaction of the target, so the target itself de-duplicates and can be asked.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import psycopg
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Jsonb

from engine.actions import Action, Refused
from engine.canonical import packed, sha256_hex
from engine.types import Answer, Facts, Finding, Verified

KEY_TABLE = """
CREATE TABLE IF NOT EXISTS placet_key (
    idempotency_key text PRIMARY KEY,
    request_hash text NOT NULL,
    resource_id text,
    answer jsonb,
    fencing_token bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
)
"""
"""What the target database needs. The role that Placet uses there may INSERT, UPDATE, SELECT."""

# A key without an answer was fenced by a worker that found nothing; a token as new may take it.
_CLAIM = """
INSERT INTO placet_key (idempotency_key, request_hash, fencing_token) VALUES (%s, %s, %s)
ON CONFLICT (idempotency_key) DO UPDATE SET fencing_token = excluded.fencing_token
WHERE placet_key.answer IS NULL AND placet_key.fencing_token <= excluded.fencing_token
RETURNING idempotency_key
"""

TEN_YEARS = 10 * 365 * 24 * 3600.0

Connection = psycopg.Connection[DictRow]


class SqlUpdate(Action):
    """One `UPDATE … RETURNING` against the database that `PLACET_SQL_TARGETS[database]` names.

    `update` is parametrised by the arguments' names (`%(amount)s`); its RETURNING must give
    `resource_id` and may give more, which is kept as the answer. No row means refused.
    `reread` selects, by arguments and `%(resource_id)s`, the columns that `expected` speaks of.
    """

    database: ClassVar[str]
    update: ClassVar[str]
    reread: ClassVar[str]
    target_class = "idempotent"
    dedupe_window = TEN_YEARS

    def expected(self, args: Any) -> Facts:
        """Column → value (as text) that `reread` must show afterwards."""
        raise NotImplementedError

    def execute(self, args: Any, *, key: str, fencing_token: int) -> Answer:
        with self._connected() as target:
            try:
                with target.transaction():
                    answer = self._once(target, args, key, fencing_token)
            except (psycopg.DataError, psycopg.IntegrityError, psycopg.ProgrammingError) as no:
                raise Refused(str(no).splitlines()[0]) from no
        return answer

    def _once(self, target: Connection, args: Any, key: str, fencing_token: int) -> Answer:
        request_hash = _request_hash(args)
        if target.execute(_CLAIM, [key, request_hash, fencing_token]).fetchone() is None:
            return self._before(target, key, request_hash)
        row = target.execute(self.update, self._parameters(args)).fetchone()
        if row is None:
            raise Refused("no row matched")
        answer = plain(row)
        target.execute(
            "UPDATE placet_key SET resource_id = %s, answer = %s WHERE idempotency_key = %s",
            [answer["resource_id"], Jsonb(answer), key],
        )
        return Answer(resource_id=answer["resource_id"], result=answer)

    def _before(self, target: Connection, key: str, request_hash: str) -> Answer:
        """The key was honoured before: give the answer of then."""
        row = self._honoured(target, key)
        if row is None or row["answer"] is None:
            raise Refused("a newer worker has taken this over")
        if row["request_hash"] != request_hash:
            raise Refused("the key was used for another request")
        return Answer(resource_id=row["resource_id"], result=row["answer"])

    def fence(self, args: Any, *, key: str, fencing_token: int) -> None:
        """Claim the key without an answer: an older call finds it taken and is refused.

        Waits for a call that is under way in the target, so what it does is seen afterwards.
        """
        with self._connected() as target:
            target.execute(_CLAIM, [key, _request_hash(args), fencing_token])

    def reconcile(self, args: Any, *, key: str) -> Finding:
        with self._connected() as target:
            row = self._honoured(target, key)
        if row is None or row["answer"] is None:
            return Finding(kind="absent")
        return Finding(kind="found", resource_id=row["resource_id"], result=row["answer"])

    @staticmethod
    def _honoured(target: Connection, key: str) -> DictRow | None:
        return target.execute(
            "SELECT request_hash, resource_id, answer FROM placet_key WHERE idempotency_key = %s",
            [key],
        ).fetchone()

    def verify(self, args: Any, *, resource_id: str | None) -> Verified:
        expected = dict(self.expected(args))
        observed = self.read(self.reread, args, resource_id=resource_id)
        if observed is None:
            return Verified(verification="not_yet", expected=expected)
        seen = {column: observed.get(column) for column in expected}
        passed = seen == expected
        return Verified(
            verification="passed" if passed else "mismatch", expected=expected, observed=seen
        )

    def read(
        self, query: str, args: Any, *, resource_id: str | None = None
    ) -> dict[str, Any] | None:
        """One row of the target, as plain JSON values, on a connection of its own."""
        with self._connected() as target:
            row = target.execute(query, self._parameters(args, resource_id)).fetchone()
        return None if row is None else plain(row)

    @staticmethod
    def _parameters(args: Any, resource_id: str | None = None) -> dict[str, Any]:
        return {**args.model_dump(mode="json"), "resource_id": resource_id}

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        limit = int(self.call_seconds * 1000)
        timeout = f"-c statement_timeout={limit} -c idle_in_transaction_session_timeout={limit}"
        with psycopg.connect(
            self._address(),
            autocommit=True,
            row_factory=dict_row,
            connect_timeout=5,
            options=timeout,
            application_name="placet-action",
        ) as target:
            yield target

    def _address(self) -> str:
        targets: Mapping[str, str] = getattr(settings, "PLACET_SQL_TARGETS", {})
        if not targets.get(self.database):
            raise ImproperlyConfigured(f"PLACET_SQL_TARGETS has no address for {self.database!r}.")
        return targets[self.database]


def _request_hash(args: Any) -> str:
    return sha256_hex(packed(args.model_dump(mode="json")))


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as JSON values: numbers with decimals and everything else unusual as their text."""
    kept = (str, int, bool, type(None), dict, list)
    return {name: item if isinstance(item, kept) else str(item) for name, item in row.items()}
