"""One query, one function, one name: SQL and Python hold the same, and every function plans."""

import ast
import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command

from engine.store import doors
from tests.engine.plpgsql import Function, plannable
from tests.world import Database

STORE = Path(doors.__file__).parent
FUNCTION = re.compile(r"^CREATE FUNCTION doors\.(\w+)\(", re.M)
IN_PYTHON = re.compile(r'(?:\bcall|\bselect|\bworker_door)\(\s*"(\w+)"')
NAMES = sorted(path.stem for path in STORE.glob("*.sql") if path.stem != "append_only")


def sql_functions(name: str) -> list[str]:
    return FUNCTION.findall((STORE / f"{name}.sql").read_text())


def public(names: list[str]) -> list[str]:
    return [name for name in names if not name.startswith("_")]


def python_functions(name: str) -> list[str]:
    """Functions and doors of a store module, in their order."""
    tree = ast.parse((STORE / f"{name}.py").read_text())
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            found += [target.id for target in node.targets if isinstance(target, ast.Name)]
    return public(found)


def test_every_file_of_sql_is_installed() -> None:
    assert sorted(doors.FILES) == NAMES


@pytest.mark.parametrize("name", [name for name in NAMES if name != "ground"])
def test_sql_and_python_hold_the_same_names_in_the_same_order(name: str) -> None:
    assert python_functions(name) == public(sql_functions(name))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "ground"])
def test_a_function_calls_the_door_of_its_own_name(name: str) -> None:
    source = (STORE / f"{name}.py").read_text()

    assert IN_PYTHON.findall(source) == public(sql_functions(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_public_function_says_in_a_sentence_what_it_is_for(name: str) -> None:
    text = (STORE / f"{name}.sql").read_text()
    silent = [
        door
        for door in public(sql_functions(name))
        if not re.search(rf"^-- [^\n]+\nCREATE FUNCTION doors\.{door}\(", text, re.M)
    ]
    assert silent == []


def test_the_ground_is_for_doors_alone() -> None:
    assert public(sql_functions("ground")) == []


@pytest.fixture
def functions(database: Database) -> list[dict[str, object]]:
    return database.rows(
        """
        SELECT p.oid::regprocedure::text AS signature, p.proname AS name, l.lanname AS language,
               p.prorettype::regtype::text AS returns, p.provolatile::text AS volatility,
               p.pronargs AS arguments, p.proretset AS many, p.prosecdef AS as_owner
        FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
        WHERE p.pronamespace = %s::regnamespace ORDER BY 1
        """,
        doors.schema(),
    )


def test_every_function_of_the_files_is_in_the_schema(
    functions: list[dict[str, object]],
) -> None:
    written = {name for file in NAMES for name in sql_functions(file)}

    assert written <= {function["name"] for function in functions}


def test_no_function_has_more_rights_than_its_caller(functions: list[dict[str, object]]) -> None:
    assert [function["name"] for function in functions if function["as_owner"]] == []


@pytest.fixture
def in_plpgsql(database: Database) -> list[Function]:
    """The functions whose statements PostgreSQL did not look at when they were made."""
    rows = database.rows(
        """
        SELECT p.proname AS name, p.prosrc AS body, p.proargnames[:p.pronargs] AS names,
               ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) t) AS types
        FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
        WHERE p.pronamespace = %s::regnamespace AND l.lanname = 'plpgsql'
        """,
        doors.schema(),
    )
    return [
        Function(
            name=row["name"],
            body=row["body"],
            variables=dict(zip(row["names"] or [], row["types"], strict=True)),
        )
        for row in rows
    ]


def test_every_statement_of_every_function_plans(
    database: Database, in_plpgsql: list[Function]
) -> None:
    statements = [(f.name, one) for f in in_plpgsql for one in plannable(f)]
    assert len(statements) > 5 * len(in_plpgsql)

    with database.connected() as connection:
        broken = {
            f"{name}: {statement}": problem
            for name, statement in statements
            if (problem := unplannable(connection, statement))
        }

    assert broken == {}


def unplannable(connection: psycopg.Connection[Any], statement: str) -> str | None:
    """What PostgreSQL has against planning it; None when it does."""
    try:
        connection.execute(f"EXPLAIN {statement}".encode())
    except psycopg.Error as problem:
        return str(problem).splitlines()[0]
    return None


@pytest.mark.parametrize(
    "body",
    [
        "BEGIN SELECT nothing FROM engine_run; END",
        "BEGIN IF true THEN PERFORM doors_that_are_not(); END IF; END",
        "DECLARE r engine_run; BEGIN r.colour := 'red'; RETURN r; END",
        "BEGIN UPDATE engine_run SET colour = 'red' WHERE run_id = p_run; END",
    ],
)
def test_a_statement_that_does_not_plan_is_found(body: str, database: Database) -> None:
    function = Function(name="broken", body=body, variables={"p_run": "uuid"})

    with database.connected() as connection:
        assert any(unplannable(connection, one) for one in plannable(function))


def test_installing_twice_changes_nothing(database: Database) -> None:
    def definitions() -> list[dict[str, object]]:
        return database.rows(
            "SELECT pg_get_functiondef(oid) AS d FROM pg_proc"
            " WHERE pronamespace = %s::regnamespace ORDER BY oid",
            doors.schema(),
        )

    before = definitions()
    doors.install()
    call_command("migrate", verbosity=0)

    assert definitions() == before


def test_another_content_has_another_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """Old and new workers run side by side, each on its own doors."""
    source = doors._source()
    monkeypatch.setattr(doors, "_source", lambda: f"{source}\n-- changed\n")

    assert doors.schema.__wrapped__() != doors.schema()


READS = {"rule_in_force", "why_not_decide", "overdue_proposals", "runs_without_a_worker"}


def test_what_only_reads_says_so(functions: list[dict[str, object]]) -> None:
    stable = {str(f["name"]) for f in functions if f["volatility"] in ("s", "i")}

    assert stable >= READS
