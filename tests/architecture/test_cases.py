"""Every case known from elsewhere is answered: by tests that carry its id, or by a reason."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
IDS = [
    *("C01", "C02", "C03", "C04", "C05", "C06", "C07", "C08", "C10", "C11", "C12", "C13", "C14"),
    *("C15", "C16", "C19", "C20", "C21", "C22", "C23", "C24", "C25", "C26", "C27", "C28", "C29"),
    *("C30", "C32", "C33", "C34", "C35", "C36", "C37", "C38", "C39", "C40", "C41", "C42", "C43"),
    *("C44", "C45", "C46", "C47", "C48", "C49", "C50", "C51", "C52", "C54", "C55", "C56", "C57"),
    *("C58", "C59", "C60", "C61", "C62", "C63", "C64", "C67", "C68"),
    *("C69", "C70", "C72", "C82", "C84", "C86", "C87"),
]
ROW = re.compile(r"^\| \[?(C\d\d)\b.*$", re.MULTILINE)
ROWS = {row[1]: row[0] for row in ROW.finditer((PROJECT / "docs/cases.md").read_text())}


def files_by_case() -> dict[str, set[str]]:
    """The files in which tests carry each case's id."""
    found = defaultdict(set)
    for path in (PROJECT / "tests").rglob("test_*.py"):
        for case in re.findall(r"def test_(c\d\d)_", path.read_text()):
            found[case.upper()].add(path.relative_to(PROJECT).as_posix())
    return found


TESTS = files_by_case()


def test_every_case_has_a_row_and_no_row_is_of_nothing() -> None:
    assert set(IDS) <= set(ROWS)
    assert set(ROWS) <= set(IDS) | set(TESTS)


@pytest.mark.parametrize("case", sorted(ROWS))
def test_a_row_names_every_file_with_tests_of_its_case_and_no_other(case: str) -> None:
    assert set(re.findall(r"`(tests/[\w/]+\.py)`", ROWS[case])) == TESTS.get(case, set())


def test_a_row_without_a_test_says_why() -> None:
    without = [ROWS[case] for case in sorted(set(ROWS) - set(TESTS))]
    assert [row for row in without if not re.search(r"Cannot arise: |Not built yet: ", row)] == []
