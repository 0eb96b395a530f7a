"""Money is shown with the characters that were approved."""

import re

import pytest

from oversight.showing.money import money


def seen(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html).replace("&nbsp;", " ")


@pytest.mark.parametrize(
    "amount", ["0", "5", "149.90", "-3.00", "1240500.00", "00012.5", "99999999999999999999.999"]
)
def test_what_is_copied_is_what_was_typed(amount: str) -> None:
    assert seen(money(amount, "EUR")) == f"{amount} EUR"


def test_thousands_are_set_apart_by_spacing_alone() -> None:
    groups = re.findall(r'money__group">(\d+)<', money("1240500.00"))
    assert groups == ["1", "240", "500"]


@pytest.mark.parametrize(
    "amount", ["1,000.00", "1e5", "NaN", "", "٣", "1.", ".5", "+1", "1\u200b0"]
)
def test_what_is_no_plain_decimal_is_shown_as_text_and_marked(amount: str) -> None:
    assert "money__odd" in money(amount)


def test_a_strange_currency_is_shown_as_text() -> None:
    assert "U+202E" in money("1.00", "EU\u202e")
    assert "<b>" not in money("1.00", "<b>")


@pytest.mark.parametrize("amount", [149.9, 150])
def test_a_number_is_refused(amount: object) -> None:
    with pytest.raises(TypeError, match="decimal string"):
        money(amount)  # type: ignore[arg-type]
