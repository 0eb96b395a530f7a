"""What the documents name is there."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
NAMED = re.findall(
    r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (PROJECT / "docs/invariants.md").read_text()
)
LINKS = [
    (document, target)
    for document in [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text())
]


def test_the_invariants_name_tests() -> None:
    assert len(NAMED) > 20


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_a_test_that_holds_an_invariant_exists(path: str, name: str) -> None:
    assert f"def {name}" in (PROJECT / path).read_text()


@pytest.mark.parametrize(
    ("document", "target"), LINKS, ids=lambda value: str(value).rsplit("/", 1)[-1]
)
def test_a_link_between_documents_leads_somewhere(document: Path, target: str) -> None:
    assert (document.parent / target).exists()
