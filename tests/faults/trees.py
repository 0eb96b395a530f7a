"""Other versions of the project: changed copies of its files that real processes start in."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from oversight.embedded.processes import command
from tests.guards import copied

MINUTE = 60.0

ANOTHER_COLUMN = """
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("engine", "0002_append_only_and_first_policy")]
    operations = [
        migrations.RunSQL("ALTER TABLE engine_run ADD COLUMN of_newer_code text"),
        migrations.RunSQL("ALTER TABLE engine_effect ADD COLUMN of_newer_code text"),
    ]
"""

TAKES_ALONG = """

@refund.carries_over(from_version=1, to=["assess", "pay", "closed"])
def from_1(node, state):
    return node, {**state, "begun_under": 1}
"""


@contextmanager
def with_other_doors(name: str) -> Iterator[Path]:
    """A copy in which the body of a door that every worker goes through is another."""
    with copied() as tree:
        replaced(tree / "engine/store/runs.sql", "v_whence := r.status;", f"{{}} -- in {name} code")
        yield tree


def with_another_column(tree: Path) -> None:
    """Its migrations change tables under the doors of all other code."""
    migrations = tree / "engine/migrations"
    (migrations / "0003_another_column.py").write_text(ANOTHER_COLUMN, encoding="utf-8")


def with_another_workflow(tree: Path) -> None:
    """It has the next version of the refund in place of this one, and takes its runs along."""
    file = tree / "oversight/demo/placet_workflows.py"
    replaced(file, '    "refund",\n    start="assess",\n', "{}    version=2,\n")
    with file.open("a", encoding="utf-8") as workflows:
        workflows.write(TAKES_ALONG)


def replaced(file: Path, old: str, new: str) -> None:
    """`{}` in `new` stands for `old`, which is there once."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, (file, old)
    file.write_text(text.replace(old, new.replace("{}", old)), encoding="utf-8")


def managed(tree: Path, env: Mapping[str, str], *words: str) -> str:
    """`manage.py …` of that tree, to its end; gives what it said."""
    name, *options = words
    child = command(name, env, *options, tree=tree)
    try:
        code = child.wait(MINUTE)
    finally:
        child.kill()
    said = "\n".join(child.tail(200))
    assert code == 0, said
    return said
