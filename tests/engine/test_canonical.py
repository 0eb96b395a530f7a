"""JSON in one form, and what is refused at the door: nothing that could be read two ways.

Vectors: RFC 8785, sections 3.2.2 and 3.2.3 and appendix B.
"""

import json
import math
import random
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.canonical import (
    MAX_BODY,
    MAX_DEPTH,
    MAX_KEYS,
    MAX_SAFE_INTEGER,
    MAX_STRING,
    check,
    digest_of,
    frozen,
    packed,
    parse,
    sha256_hex,
)
from engine.errors import BadInput, Malformed, TooLarge

NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


@pytest.mark.parametrize(("bits", "text"), NUMBERS.items())
def test_c46_a_number_of_the_rfc_is_written_its_way(bits: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))

    assert frozen(number) == text.encode()


def test_the_example_of_the_rfc() -> None:
    given_text = (
        '{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],'
        ' "string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/",'
        ' "literals": [null, true, false]}'
    )

    assert frozen(parse(given_text.encode())).decode() == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_keys_are_sorted_by_utf_16_units() -> None:
    """Where an emoji, beyond the basic plane, comes before a letter of it."""
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]

    found = json.loads(frozen(dict.fromkeys(names, 0)), object_pairs_hook=list)

    assert [key for key, _ in found] == [
        "\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, 2**53, b"bytes", {1, 2}, {1: "number as key"}, "\ud800"]
)
def test_what_json_cannot_carry_is_not_frozen(value: Any) -> None:
    with pytest.raises(BadInput):
        frozen(value)


REFUSED = {
    "a NUL in a value": (b'{"a":{"b":["x","y\\u0000"]}}', "$.a.b[1]"),
    "a NUL in a key": (b'{"a":{"b\\u0000":1}}', "$.a"),
    "half of a surrogate pair": (b'{"a":["\\ud800"]}', "$.a[0]"),
    "the other half": (b'{"a":"x\\udc00"}', "$.a"),
    "half of a pair in a key": (b'{"a":{"\\udfff":1}}', "$.a"),
    "a number too large for a float": (b'{"a":1e400}', "$.a"),
    "the same below zero": (b'{"a":[-1e400]}', "$.a[0]"),
    "an integer that loses digits": (b'{"a":9007199254740992}', "$.a"),
    "the same below zero, nested": (b"[[-9007199254740992]]", "$[0][0]"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_is_named_by_its_path(what: str) -> None:
    body, path = REFUSED[what]

    with pytest.raises(BadInput) as refusal:
        parse(body)

    assert refusal.value.path == path
    assert "\x00" not in refusal.value.path


MALFORMED = {
    "a key twice": b'{"amount":"1.00","amount":"9.00"}',
    "a key twice, spelled in two ways": b'{"a":1,"\\u0061":2}',
    "a key twice, deep inside": b'{"a":[{"b":1,"b":1}]}',
    "NaN": b'{"a":NaN}',
    "Infinity": b"[Infinity]",
    "-Infinity": b"[-Infinity]",
    "not UTF-8": b'{"a":"\xff"}',
    "an overlong encoding": b'{"a":"\xc0\xaf"}',
    "a surrogate in UTF-8": b'{"a":"\xed\xa0\x80"}',
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"a":1}',
    "nothing": b"",
    "a comment": b'{"a":1} // one',
    "a comma too many": b'{"a":1,}',
    "two values": b"{}{}",
    "a bare word": b"{a:1}",
    "single quotes": b"{'a':1}",
    "a control character in a string": b'{"a":"\x01"}',
    "a leading zero": b'{"a":01}',
}


@pytest.mark.parametrize("what", MALFORMED)
def test_what_is_not_json_is_malformed(what: str) -> None:
    with pytest.raises(Malformed):
        parse(MALFORMED[what])


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


class TestLimits:
    def test_of_depth(self) -> None:
        assert parse(nested(MAX_DEPTH + 1))
        with pytest.raises(BadInput, match="deeper than 32"):
            parse(nested(MAX_DEPTH + 2))

    @pytest.mark.parametrize("opening", [b"[", b'{"a":'])
    def test_of_depth_that_would_exhaust_the_stack(self, opening: bytes) -> None:
        with pytest.raises(BadInput):
            parse(opening * 40_000)

    def test_of_size(self) -> None:
        body = b" " * (MAX_BODY - 2) + b"{}"
        assert parse(body) == {}
        with pytest.raises(TooLarge):
            parse(b" " + body)

    def test_of_keys_in_all(self) -> None:
        half = {str(number): 1 for number in range(MAX_KEYS // 2)}
        fits = [half, {**half}]
        assert parse(packed(fits)) == fits
        with pytest.raises(BadInput, match="keys"):
            parse(packed([*fits, {"one": "more"}]))

    @pytest.mark.parametrize("letter", ["x", "é"])
    def test_of_strings_is_in_bytes(self, letter: str) -> None:
        longest = letter * (MAX_STRING // len(letter.encode()))
        assert parse(packed([longest])) == [longest]
        with pytest.raises(BadInput, match="string") as refusal:
            parse(packed(["", longest + letter]))
        assert refusal.value.path == "$[1]"

    def test_of_digits(self) -> None:
        with pytest.raises(BadInput, match="digits"):
            parse(b"[" + b"9" * 10_000 + b"]")

    @pytest.mark.parametrize("number", [MAX_SAFE_INTEGER, -MAX_SAFE_INTEGER])
    def test_of_integers_are_where_they_begin_to_lose_digits(self, number: int) -> None:
        assert parse(str(number).encode()) == number

    def test_a_long_number_passes_as_a_string(self) -> None:
        assert parse(b'{"a":"9007199254740993"}') == {"a": "9007199254740993"}


@pytest.mark.parametrize("value", [b"bytes", object(), {1: 2}, {"a": {3}}, 1j])
def test_c51_a_value_of_our_own_that_is_not_json_is_refused(value: Any) -> None:
    with pytest.raises(BadInput):
        check(value)


characters = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
text = st.text(characters, max_size=20)
numbers = st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER) | st.floats(-1e15, 1e15)
values = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(text, inner, max_size=5),
    max_leaves=25,
)


@settings(deadline=None)
@given(values)
def test_frozen_bytes_read_back_as_the_same_value(value: Any) -> None:
    assert parse(frozen(value)) == value
    assert parse(packed(value)) == value


@settings(deadline=None)
@given(values, st.randoms())
def test_c43_the_order_of_keys_never_matters(value: Any, chance: random.Random) -> None:
    assert frozen(shuffled(value, chance)) == frozen(value)


def shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, list):
        return [shuffled(item, chance) for item in value]
    if not isinstance(value, dict):
        return value
    keys = list(value)
    chance.shuffle(keys)
    return {key: shuffled(value[key], chance) for key in keys}


@settings(deadline=None)
@given(values, values)
def test_different_values_never_freeze_alike(one: Any, other: Any) -> None:
    assert (frozen(one) == frozen(other)) == same_json(one, other)


def same_json(one: Any, other: Any) -> bool:
    """JSON knows one kind of number, and true is none of them."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[k], other[k]) for k in one)
    return bool(one == other)


def test_the_digest_commits_to_both_parts_and_to_which_is_which() -> None:
    digests = {digest_of(b"a", b"b"), digest_of(b"b", b"a"), digest_of(b"", b"ab")}

    assert len(digests) == 3
    assert digest_of(b"a", b"b") == sha256_hex(
        f'{{"arguments":"{sha256_hex(b"a")}","terms":"{sha256_hex(b"b")}"}}'.encode()
    )
