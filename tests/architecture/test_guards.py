"""The table of guards speaks of code and tests that there are."""

import ast
from pathlib import Path

import pytest

from tests.guards import PROJECT, Guard, guards

AT_LEAST = 25


def names_in(path: Path) -> set[str]:
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds)}


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
    path, *names = guard.test.split("::")
    assert names
    assert set(names) <= names_in(PROJECT / path)
