"""Stored JSON is laid out without changing a digit."""

import json

import pytest

from oversight.showing.literal import Number, laid_out, read, scalar

STORED = (
    b'{"amount":"149.90","big":12345678901234567890.10,"e":1E400,"list":[1,{"a":null}],"none":[]}'
)


def test_numbers_keep_their_characters() -> None:
    assert "12345678901234567890.10" in laid_out(read(STORED))
    assert "1E400" in laid_out(read(STORED))


def test_what_is_laid_out_means_the_same() -> None:
    value = {"b": [1, 2, {"c": 'quote " and \\ and \n'}], "a": True, "z": None, "e": {}}
    assert json.loads(laid_out(value)) == value


def test_keys_keep_their_order() -> None:
    assert laid_out({"b": 1, "a": 2}) == '{\n  "b": 1,\n  "a": 2\n}'


def test_a_written_number_in_text_stays_text() -> None:
    assert laid_out({"x": "10"}) == '{\n  "x": "10"\n}'
    assert laid_out({"x": Number("10")}) == '{\n  "x": 10\n}'


@pytest.mark.parametrize("stored", [b'{"x": NaN}', b"[Infinity]", b"{"])
def test_what_is_not_json_is_refused(stored: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read(stored)


def test_a_float_is_refused() -> None:
    with pytest.raises(TypeError):
        scalar(0.1)
