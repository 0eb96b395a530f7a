"""Every line of the standards is answered: by tests that exist, or by what is open."""

import re
from pathlib import Path

import pytest

DOCUMENT = (Path(__file__).parents[2] / "docs/security.md").read_text()
ROWS = [
    [cell.strip() for cell in row.removeprefix("|").removesuffix("|").split("|")]
    for row in re.findall(r"^\| \d.*\|$", DOCUMENT, re.MULTILINE)
]
OF_AISVS = [
    *(f"9.2.{line}" for line in range(1, 11)),
    *(f"9.4.{line}" for line in range(1, 5)),
    *("9.5.3", "9.5.6"),
    *(f"9.6.{line}" for line in range(1, 4)),
]


def test_every_line_on_agents_has_its_row() -> None:
    assert [row[0] for row in ROWS if row[0].startswith("9.")] == OF_AISVS


def test_no_line_is_answered_twice() -> None:
    lines = [row[0] for row in ROWS]
    assert len(lines) == len(set(lines)) > len(OF_AISVS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_a_test_or_says_what_is_open(row: list[str]) -> None:
    _line, asked, held, tests, still_open = row
    assert asked
    assert held
    assert "`tests/" in tests or still_open.startswith("Open")
