"""A name that could be read as another one is marked, and prose in any language is left alone."""

# ruff: noqa: RUF001 - these letters are what it is about

import pytest

from oversight.showing.text import cautions

DECEPTIVE = {
    "cyrillic letters among latin ones": ("pаypаl.com", "paypal.com"),
    "a whole label in cyrillic": ("https://ѕсоре.com/x", "https://scope.com/x"),
    "a mail address": ("оtto@example.org", "otto@example.org"),
    "greek omicron in an identifier": ("acc_ο1", "acc_o1"),
    "fullwidth letters": ("ａdmin.example", "admin.example"),
    "latin without its dot": ("lımit.example", "limit.example"),
    "a slash that is none": ("example.com∕evil.example", "example.com/evil.example"),
}

HONEST = [
    "Überweisung an Zoë: 149,90 € (§ 3), 10–12 Stück …",
    "Он сказал: оса и роса. Вес 3,5 кг.",
    "日本語のテキスト、100円。",
    "почта@пример.рф",
    "naïve.café/résumé",
    "order A-1, acc_01, https://example.com/a?b=c",
    "α-particle",
    "١٠٠ ريال",
    "Αθήνα, 12 Μαΐου",
]


@pytest.mark.parametrize(("name", "plain"), DECEPTIVE.values(), ids=DECEPTIVE.keys())
@pytest.mark.parametrize("around", ["{}", "Pay to {} now.", '{{"to": "{}"}}'])
def test_a_name_that_could_be_read_as_another_is_marked(name: str, plain: str, around: str) -> None:
    (found,) = cautions(around.format(name))
    assert found.kind == "look_alike"
    assert name in found.words
    assert plain in found.words


@pytest.mark.parametrize("text", HONEST)
def test_what_deceives_nobody_is_left_alone(text: str) -> None:
    assert cautions(text) == ()


def test_one_word_alone_is_a_name_and_in_prose_it_is_a_word_like_any_other() -> None:
    (found,) = cautions("сосо")
    assert "coco" in found.words
    assert cautions("и сосо тоже") == ()


def test_what_punycode_stands_for_is_written_out() -> None:
    (found,) = cautions("https://xn--80ak6aa92e.com/login")
    assert found.kind == "disguised"
    assert "аррӏе" in found.words
    assert "to be read as app" in found.words


def test_punycode_that_stands_for_nothing_is_no_reason_to_fail() -> None:
    assert cautions("xn--99999999999.example") == ()


def test_a_name_is_marked_once_and_not_for_its_alphabets_too() -> None:
    text = "pаypаl.com and pаypаl.com"
    assert [found.kind for found in cautions(text)] == ["look_alike"]
