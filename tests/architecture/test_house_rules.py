"""Rules of the house that no linter knows, held by reading the source."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import drawing
from tests.architecture.source import PROJECT, calls, imports, modules, name_of, tree

ENGINE = modules("engine")
OWN = modules("engine", "oversight", "tests")
STORE = [path for path in ENGINE if "store" in path.parts]

Finding = list[str]


def found(paths: list[Path], look: Callable[[Path], list[int]]) -> Finding:
    """`file:line` of whatever `look` finds."""
    return [f"{name_of(path)}:{line}" for path in paths for line in look(path)]


WRITING = {
    "save",
    "create",
    "bulk_create",
    "update",
    "bulk_update",
    "delete",
    "get_or_create",
    "update_or_create",
    "acreate",
    "asave",
    "aupdate",
    "adelete",
}
MODELS = {
    "Alert",
    "Checkpoint",
    "Claim",
    "Decision",
    "Effect",
    "Event",
    "Evidence",
    "Exemption",
    "InboundEvent",
    "Policy",
    "Proposal",
    "Qualification",
    "Rehearsal",
    "Run",
    "SearchableField",
    "Secret",
    "StepUp",
    "Stop",
    "Taking",
    "Value",
    "Voice",
    "Wait",
}


def test_the_engine_s_models_are_all_known_here() -> None:
    from engine import models

    assert set(models.__all__) <= MODELS


def writes_a_model(path: Path) -> list[int]:
    """Lines that write through a manager or a query set of one of the engine's models."""
    named = re.compile(rf"^(?:\w+\.)*(?:{'|'.join(sorted(MODELS))})\.objects\b.*\.(\w+)$")
    return [
        line for line, name in calls(path) if (match := named.match(name)) and match[1] in WRITING
    ]


def imports_models(path: Path) -> bool:
    """The engine's; a module of the project around it has models of its own."""
    own = r"^\.+models\b|" if "oversight" not in path.parts else ""
    return any(re.search(rf"{own}^engine\.models\b", name) for _, name in imports(path))


def writes_a_row(path: Path) -> list[int]:
    """Lines that save or delete a row, in a module that knows the engine's models."""
    if not imports_models(path):
        return []
    return [line for line, name in calls(path) if name.rsplit(".", 1)[-1] in ("save", "delete")]


class TestOnlyTheStoreWrites:
    def test_through_managers(self) -> None:
        paths = [path for path in modules("engine", "oversight") if path not in STORE]

        assert found(paths, writes_a_model) == []

    def test_through_rows(self) -> None:
        paths = [path for path in modules("engine", "oversight") if path not in STORE]

        assert found(paths, writes_a_row) == []

    def test_in_sql(self) -> None:
        """INSERT, UPDATE and DELETE on the engine's tables stand in `store/*.sql` alone."""
        statement = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM|TRUNCATE)\s+engine_\w+", re.I)
        files = [*modules("engine", "oversight"), *(PROJECT / "oversight").rglob("*.sql")]

        assert [name_of(path) for path in files if statement.search(path.read_text())] == []

    def test_and_never_an_event_but_by_appending(self) -> None:
        statement = re.compile(r"\b(UPDATE|DELETE FROM|TRUNCATE)\s+engine_event\b", re.I)
        inserting = re.compile(r"\bINSERT INTO engine_event\b", re.I)
        store = {path.name: path.read_text() for path in (PROJECT / "engine/store").glob("*.sql")}

        assert [name for name, text in store.items() if statement.search(text)] == []
        assert [name for name, text in store.items() if inserting.search(text)] == ["ground.sql"]

    @pytest.mark.parametrize(
        "source",
        [
            "from engine.models import Run\nRun.objects.filter(pk=1).update(status='x')",
            "from engine import models\nmodels.Event.objects.create(seq=1)",
            "from engine.models import Effect\nEffect.objects.all().delete()",
            "from engine.models import Run\nrun = Run.objects.get()\nrun.save()",
        ],
    )
    def test_or_this_would_find_it(self, source: str, tmp_path: Path) -> None:
        path = tmp_path / "guilty.py"
        path.write_text(source)

        assert writes_a_model(path) or writes_a_row(path)


class TestTheEngine:
    def test_sleeps_nowhere_but_where_a_lock_on_a_file_tells_nobody(self) -> None:
        polling = {"engine/kit/keeping.py"}

        def sleeps(path: Path) -> list[int]:
            return [line for line, name in calls(path) if name in ("time.sleep", "sleep")]

        assert {where.split(":")[0] for where in found(ENGINE, sleeps)} <= polling

    def test_has_no_floating_point_money(self) -> None:
        """Amounts are text outside and exact decimals where they are added; never floats."""
        money = re.compile(r"amount|balance|price|paid|refund|fee", re.I)

        def floats(path: Path) -> list[int]:
            lines = []
            for node in ast.walk(tree(path)):
                if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "float":
                    lines += [node.lineno] if money.search(ast.unparse(node.target)) else []
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "float":
                    lines += [node.lineno] if money.search(ast.unparse(node)) else []
            return lines

        assert found(modules("engine", "oversight"), floats) == []

    def test_waits_for_no_lock_outside_of_its_doors(self) -> None:
        """No transaction is held open around a door: one statement, one commit."""
        paths = [path for path in ENGINE if path.name not in ("auditing.py", "exports.py")]

        def atomic(path: Path) -> list[int]:
            return [
                line for line, name in calls(path) if name.endswith(("atomic", "select_for_update"))
            ]

        assert found(paths, atomic) == []

    def test_reads_settings_in_one_place(self) -> None:
        def settings(path: Path) -> list[int]:
            return [line for line, name in imports(path) if name == "django.conf.settings"]

        # The models name the project's user model; what seals secrets keeps the key to itself.
        allowed = {"conf.py", "run.py", "approval.py", "exemption.py", "concealing.py"}
        paths = [path for path in ENGINE if path.name not in allowed and "kit" not in path.parts]

        assert found(paths, settings) == []

    def test_loads_nothing_by_a_name_out_of_data(self) -> None:
        dangerous = {
            "eval",
            "exec",
            "pickle.loads",
            "pickle.load",
            "import_string",
            "importlib.import_module",
            "import_module",
            "__import__",
            "yaml.load",
            "marshal.loads",
        }

        def loads(path: Path) -> list[int]:
            return [line for line, name in calls(path) if name in dangerous]

        assert found(modules("engine", "oversight"), loads) == []

    def test_celery_trusts_json_alone(self) -> None:
        from django.conf import settings

        assert settings.CELERY_ACCEPT_CONTENT == ["json"]
        assert settings.CELERY_TASK_SERIALIZER == "json"
        assert settings.CELERY_RESULT_BACKEND is None
        assert settings.CELERY_TASK_ACKS_LATE is False


class TestOurWords:
    NEVER = {
        "job": r"\bjobs?\b",
        "epoch": r"\bepochs?\b(?!\s+FROM)",
        "undo": r"\bundo(es|ne|ing)?\b",
        "lock, for a lease": r"\b(locked|lock) by worker\b",
    }

    @pytest.mark.parametrize("word", NEVER)
    def test_one_word_for_one_thing(self, word: str) -> None:
        wanted = re.compile(self.NEVER[word], re.I)
        files = [*modules("engine"), *(PROJECT / "engine/store").glob("*.sql")]

        def lines(path: Path) -> list[int]:
            text = re.sub(r"extract\(epoch", "", path.read_text(), flags=re.I)
            return [n for n, line in enumerate(text.splitlines(), 1) if wanted.search(line)]

        assert found(files, lines) == []

    def test_no_file_is_called_after_what_it_is_not_about(self) -> None:
        empty = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}

        assert [name_of(path) for path in OWN if path.stem in empty] == []


class TestTests:
    def test_sleep_only_where_they_poll_what_tells_nobody(self) -> None:
        """The one place that looks again and again has a deadline and says why."""
        polling = {"tests/faults/processes.py"}

        def sleeps(path: Path) -> list[int]:
            return [line for line, name in calls(path) if name in ("time.sleep", "sleep")]

        mine = [*modules("tests/engine", "tests/faults"), PROJECT / "tests/world.py"]

        assert {where.split(":")[0] for where in found(mine, sleeps)} <= polling

    def test_have_names_of_their_own(self) -> None:
        """A second function of the same name hides the first, and nobody misses it."""
        hidden = []
        for path in modules("tests"):
            for node in ast.walk(tree(path)):
                if isinstance(node, ast.Module | ast.ClassDef):
                    names = [f.name for f in node.body if isinstance(f, ast.FunctionDef)]
                    hidden += [f"{name_of(path)}: {n}" for n in names if names.count(n) > 1]

        assert hidden == []


def test_the_document_of_the_state_machines_is_made_from_the_code() -> None:
    written = PROJECT / "docs" / "state_machines.md"

    assert written.read_text() == drawing.document()
