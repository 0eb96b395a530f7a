"""The table of guards speaks of code and tests that there are."""

import ast
from pathlib import Path

import pytest

from tests.guards import PROJECT, Guard, guards

AT_LEAST = 25


def names_in(path: Path) -> set[str]:
    """As pytest names them: functions, and functions of classes."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    inner = {
        f"{node.name}::{each.name}"
        for node in body
        if isinstance(node, ast.ClassDef)
        for each in node.body
        if isinstance(each, ast.FunctionDef)
    }
    return inner | {node.name for node in body if isinstance(node, ast.FunctionDef)}


def test_there_are_enough_and_no_name_is_used_twice() -> None:
    names = [guard.name for guard in guards()]
    assert len(names) >= AT_LEAST
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("guard", guards(), ids=lambda guard: guard.name)
def test_the_guard_stands_where_the_table_says(guard: Guard) -> None:
    text = (PROJECT / guard.file).read_text(encoding="utf-8")
    assert guard.taken_out(text) != text


@pytest.mark.parametrize("guard", guards(), ids=lambda guard: guard.name)
def test_its_test_exists(guard: Guard) -> None:
    path, _colons, name = guard.test.partition("::")
    assert name in names_in(PROJECT / path)
