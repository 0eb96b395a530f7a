"""What an agent wrote cannot deceive: nothing hides, nothing escapes its frame."""

import re
import unicodedata
from html import unescape

import pytest
from django.utils.safestring import mark_safe

from oversight.showing.text import VISIBLE_INDENT, cautions, inside, is_hidden, revealed
from oversight.showing.text import revealed_code as code

HIDDEN = {
    "NUL": "\x00",
    "bell": "\x07",
    "tab": "\t",
    "carriage return": "\r",
    "escape": "\x1b",
    "delete": "\x7f",
    "next line": "\x85",
    "no-break space": "\xa0",
    "soft hyphen": "\xad",
    "combining grapheme joiner": "\u034f",
    "arabic letter mark": "\u061c",
    "hangul filler": "\u115f",
    "khmer inherent vowel": "\u17b4",
    "mongolian variation selector": "\u180b",
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "left-to-right mark": "\u200e",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "right-to-left override": "\u202e",
    "pop directional formatting": "\u202c",
    "word joiner": "\u2060",
    "invisible times": "\u2062",
    "unassigned default-ignorable": "\u2065",
    "first strong isolate": "\u2068",
    "braille blank": "\u2800",
    "ideographic space": "\u3000",
    "hangul filler letter": "\u3164",
    "private use": "\ue000",
    "variation selector 16": "\ufe0f",
    "byte order mark": "\ufeff",
    "halfwidth hangul filler": "\uffa0",
    "object replacement": "\ufffc",
    "noncharacter": "\uffff",
    "lone surrogate": "\ud800",
    "language tag": "\U000e0001",
    "tag letter": "\U000e0041",
    "variation selector 256": "\U000e01ef",
    "plane 16 private use": "\U00100000",
}
PLAIN = "Überweisung an Zoë: 149,90 € — „gut“ (日本語, עברית, العربية) ✓ 👍"


def seen(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


@pytest.mark.parametrize("character", HIDDEN.values(), ids=HIDDEN)
def test_a_hidden_character_is_written_out_and_never_sent_as_itself(character: str) -> None:
    shown = revealed(f"pay{character}ee")
    assert character not in shown
    assert seen(shown) == f"pay⟨U+{ord(character):04X}⟩ee"
    assert 'class="said__mark"' in shown


@pytest.mark.parametrize("character", HIDDEN.values(), ids=HIDDEN)
def test_what_is_shown_can_always_be_sent(character: str) -> None:
    revealed(character).encode("utf-8")


def test_every_format_and_control_character_of_unicode_is_hidden() -> None:
    missed = [
        hex(number)
        for number in range(0x110000)
        if unicodedata.category(chr(number)) in ("Cc", "Cf", "Zl", "Zp", "Cs", "Co")
        and chr(number) != "\n"
        and not is_hidden(chr(number))
    ]
    assert missed == []


def test_ordinary_text_of_many_scripts_is_shown_as_it_is() -> None:
    assert seen(revealed(PLAIN)) == PLAIN
    assert "said__mark" not in revealed(PLAIN)


def test_text_is_isolated_and_finds_its_own_direction() -> None:
    assert revealed("x") == '<bdi class="said" dir="auto">x</bdi>'


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "</bdi><img src=x onerror=alert(1)>",
        "\"' onmouseover=alert(1) x='",
        "<b>bold</b> & &lt;",
        "{{ settings.SECRET_KEY }}",
    ],
)
def test_markup_is_text(attack: str) -> None:
    shown = revealed(attack)
    assert seen(shown) == attack
    assert "<" not in shown.removeprefix('<bdi class="said" dir="auto">').removesuffix("</bdi>")


def test_a_text_that_claims_to_be_safe_is_escaped_all_the_same() -> None:
    assert "<b>" not in revealed(mark_safe("<b>x</b>"))


def test_newlines_are_kept() -> None:
    assert seen(revealed("one\n\ntwo\n")) == "one\n\ntwo\n"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_few_spaces_are_spaces(count: int) -> None:
    assert seen(revealed("a" + " " * count + "b")) == "a" + " " * count + "b"


@pytest.mark.parametrize("count", [4, 5, 2000])
def test_a_long_run_of_spaces_is_counted_aloud(count: int) -> None:
    assert f"⟨{count} spaces⟩" in seen(revealed("a" + " " * count + "b"))


def test_a_written_bracket_cannot_pass_for_one_of_ours() -> None:
    assert seen(revealed("⟨U+202E⟩")) == "⟨U+27E8⟩U+202E⟩"


def test_marks_stacked_on_one_letter_stop_before_they_reach_other_lines() -> None:
    shown = seen(revealed("Z" + "\u0335" * 20))
    assert shown.count("\u0335") == 3
    assert shown.count("⟨U+0335⟩") == 17


@pytest.mark.parametrize("before", ["", "\n", " ", "\u200b"])
def test_a_mark_with_no_letter_under_it_is_written_out(before: str) -> None:
    assert "⟨U+0301⟩" in seen(revealed(before + "\u0301x"))


def test_one_mark_on_a_letter_is_ordinary() -> None:
    assert seen(revealed("e\u0301")) == "e\u0301"


def test_different_texts_never_look_the_same() -> None:
    texts = ["pay", "pay\u200b", "p\u202eay", "pay ", "pay\u00a0", "⟨U+200B⟩", "\u200b", "pay\n"]
    assert len({seen(revealed(text)) for text in texts}) == len(texts)


def test_code_runs_from_left_to_right_with_each_line_isolated() -> None:
    assert code("a\n\u05d0").count('dir="ltr"') == 2


def test_code_keeps_its_indentation() -> None:
    assert seen(code("{\n        deep")) == "{\n        deep"


def test_spaces_that_push_code_out_of_sight_are_counted_aloud() -> None:
    assert "spaces⟩" in seen(code(" " * (VISIBLE_INDENT + 200) + "x"))


def test_the_inside_has_no_frame_of_its_own() -> None:
    assert inside("a<b") == "a&lt;b"


def test_a_plain_text_needs_no_caution() -> None:
    assert cautions(PLAIN) == ()


def test_hidden_characters_are_counted_in_a_caution() -> None:
    (found,) = cautions("a\u200bb\u202ec")
    assert found.kind == "hidden"
    assert "2 characters" in found.words


@pytest.mark.parametrize("word", ["p\u0430ypal", "\u0391lpha", "\u0410MZN"])
def test_a_word_of_two_alphabets_is_named(word: str) -> None:
    (found,) = cautions(f"to {word} and {word}")
    assert found.kind == "mixed_script"
    assert word in found.words


@pytest.mark.parametrize("text", ["Привет world", "\u03b1-particle", "日本語 ABC"])
def test_words_of_different_alphabets_side_by_side_are_ordinary(text: str) -> None:
    assert cautions(text) == ()
