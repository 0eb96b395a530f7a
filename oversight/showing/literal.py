"""Stored JSON, read and laid out without changing one digit.

A number keeps the very characters it was stored with: nothing here passes through a float.
"""

import json
from collections.abc import Iterator
from typing import Any


class Number(str):
    """A JSON number as it was written."""

    __slots__ = ()


def read(stored: bytes | str) -> Any:
    """The value of stored JSON, its numbers as `Number`. Raises ValueError if it is not JSON."""
    return json.loads(stored, parse_float=Number, parse_int=Number, parse_constant=_refuse)


def laid_out(value: object) -> str:
    """`value` as JSON on indented lines, in the order of its keys. A float is refused."""
    return "".join(_lay(value, ""))


def scalar(value: object) -> str:
    """One number, text, truth or nothing as JSON writes it. Raises TypeError for a float."""
    if isinstance(value, float):
        raise TypeError("a float has lost the digits that were stored: pass the stored number")
    if isinstance(value, Number):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _lay(value: object, indent: str) -> Iterator[str]:
    if isinstance(value, dict) and value:
        pairs = [(f"{scalar(str(key))}: ", inner) for key, inner in value.items()]
        yield from _block("{", pairs, "}", indent)
    elif isinstance(value, list | tuple) and value:
        yield from _block("[", [("", inner) for inner in value], "]", indent)
    else:
        yield scalar(value)


def _block(
    opening: str, pairs: list[tuple[str, object]], closing: str, indent: str
) -> Iterator[str]:
    yield opening
    for place, (label, inner) in enumerate(pairs):
        yield f"{',' if place else ''}\n{indent}  {label}"
        yield from _lay(inner, f"{indent}  ")
    yield f"\n{indent}{closing}"


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
