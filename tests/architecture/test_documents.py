"""What the documents name is there."""

import ast
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
NAMING = ("docs/invariants.md", "docs/security.md")
NAMED = [
    (document, path, names.split("::")[1:])
    for document in NAMING
    for path, names in re.findall(
        r"`(tests/[\w/]+\.py)((?:::\w+)*)`", (PROJECT / document).read_text()
    )
]
LINKS = [
    (document, target)
    for document in [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text())
]


@pytest.mark.parametrize("document", NAMING)
def test_they_name_tests(document: str) -> None:
    assert len([path for where, path, _ in NAMED if where == document]) > 20


@pytest.mark.parametrize(("document", "path", "names"), NAMED)
def test_a_test_that_is_named_exists(document: str, path: str, names: list[str]) -> None:
    """A file; a test of it, of whichever class; or a class of it and a test of that."""
    within: ast.AST = ast.parse((PROJECT / path).read_text())
    for name in names:
        found = [each for each in ast.walk(within) if getattr(each, "name", None) == name]
        assert len(found) > 0, f"{name} is not in {path}"
        within = found[0]


@pytest.mark.parametrize(
    ("document", "target"), LINKS, ids=lambda value: str(value).rsplit("/", 1)[-1]
)
def test_a_link_between_documents_leads_somewhere(document: Path, target: str) -> None:
    assert (document.parent / target).exists()
