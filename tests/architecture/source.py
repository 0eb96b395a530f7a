"""The project's own source, read as text and as syntax trees."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def modules(*folders: str) -> list[Path]:
    """Python files of these folders, migrations left out: those are made, not written."""
    found = [path for folder in folders for path in (PROJECT / folder).rglob("*.py")]
    return sorted(path for path in found if "migrations" not in path.parts)


def name_of(path: Path) -> str:
    return str(path.relative_to(PROJECT))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def calls(path: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of everything that is called; `x(1).y(2)` is called `x().y`."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield node.lineno, dotted(node.func)


def dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    if isinstance(node, ast.Call):
        return f"{dotted(node.func)}()"
    return "()"


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, module or module.name) of every import, also inside functions."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
