"""Before and after, told apart by value and by kind."""

from decimal import Decimal

import pytest

from oversight.showing import diff
from oversight.showing.diff import changed, rows
from oversight.showing.literal import read


def one(before: object, after: object):
    (row,) = rows({"x": before}, {"x": after})
    return row


def test_added_removed_changed_and_same() -> None:
    found = rows({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"})
    assert [(row.path, row.change) for row in found] == [
        ("a", "same"),
        ("b", "changed"),
        ("d", "added"),
        ("c", "removed"),
    ]


def test_a_side_that_is_not_there_is_none() -> None:
    added, removed = rows({"c": "3"}, {"d": "4"})
    assert added.before is None
    assert added.after is not None
    assert removed.after is None


def test_the_text_and_the_number_of_the_same_digits_differ() -> None:
    row = one(100, "100")
    assert row.change == "changed"
    assert row.kind_changed
    assert (str(row.before.kind), str(row.after.kind)) == ("number", "text")


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (True, "truth", "yes"),
        (False, "truth", "no"),
        (None, "nothing", "null"),
        (0, "number", "0"),
        (Decimal("1.10"), "number", "1.10"),
        ("", "text", ""),
        ({}, "empty group", "{}"),
        ([], "empty list", "[]"),
    ],
)
def test_each_kind_of_value_has_a_name(value: object, kind: str, text: str) -> None:
    side = one(value, value).after
    assert (str(side.kind), side.text) == (kind, text)


def test_truth_is_not_the_number_one() -> None:
    assert one(True, 1).change == "changed"


def test_null_is_not_the_text_null() -> None:
    assert one(None, "null").change == "changed"


def test_an_absent_field_is_not_null() -> None:
    (row,) = rows({}, {"x": None})
    assert row.change == "added"


def test_groups_and_lists_open_into_paths() -> None:
    found = rows({"to": {"iban": "A"}, "n": ["x"]}, {"to": {"iban": "B"}, "n": ["x", "y"]})
    assert [(row.path, row.change) for row in found] == [
        ("to.iban", "changed"),
        ("n[0]", "same"),
        ("n[1]", "added"),
    ]


def test_numbers_keep_the_digits_they_were_stored_with() -> None:
    stored = read(b'{"x": 100000000000000000000.10, "y": 1e2}')
    assert [row.after.text for row in rows(stored, stored)] == [
        "100000000000000000000.10",
        "1e2",
    ]


def test_a_float_is_refused() -> None:
    with pytest.raises(TypeError, match="stored number"):
        rows({"x": 0.1}, {"x": 0.1})


def test_one_changed_digit_in_a_long_text_is_marked_alone() -> None:
    row = one("DE89370400440532013000", "DE89370400440532018000")
    assert (row.before.differs, row.after.differs) == ("3", "8")
    assert row.before.text == "DE89370400440532013000"


def test_texts_that_share_little_are_marked_whole() -> None:
    row = one("paid", "refunded")
    assert (row.before.differs, row.after.differs) == ("paid", "refunded")


def test_a_letter_is_never_parted_from_its_marks() -> None:
    row = one("the same long text e\u0301 here", "the same long text e\u0300 here")
    assert row.before.differs == "e\u0301"


def test_only_the_changed_rows_can_be_asked_for() -> None:
    found = rows({"a": "1", "b": "2"}, {"a": "1", "b": "3"})
    assert [row.path for row in changed(found)] == ["b"]


def test_deceptive_characters_are_written_out_in_every_part() -> None:
    row = one("a" * 20 + "\u202e1", "a" * 20 + "\u200b2")
    assert "U+202E" in "".join(text for text, _differs in row.before.parts)
    assert "U+200B" in "".join(text for text, _differs in row.after.parts)


def test_of_texts_with_many_lines_the_lines_that_differ_are_marked() -> None:
    row = one("open = 9\nfree = 60\nclose = 18\n", "open = 9\nfree = 45\nclose = 18\nnew = 1\n")
    assert row.before.differs == "free = 60\n"
    assert row.after.differs == "free = 45\nnew = 1\n"
    assert row.after.text == "open = 9\nfree = 45\nclose = 18\nnew = 1\n"


def test_of_very_many_lines_beginning_and_end_are_compared_and_nothing_is_lost() -> None:
    before = "".join(f"{number}\n" for number in range(diff.MOST_LINES))
    row = one(before, before.replace("\n7\n", "\n8\n", 1))
    assert (row.before.differs, row.after.differs) == ("7", "8")
    assert row.before.text == before
