"""A schema in words."""

import re
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, StringConstraints

from engine.actions import ActionArguments, Money, Secret
from oversight.pages.rollbacks import arguments


class Line(BaseModel):
    text: str


class Everything(ActionArguments):
    plain: str
    amount: Money
    count: int = Field(ge=1, le=9, description="How many.")
    sure: bool = False
    word: Literal["a", "b"] = "a"
    maybe: Annotated[str, StringConstraints(max_length=3)] | None = None
    either: Annotated[str, StringConstraints(pattern="^x$")] | Literal["y"] = "y"
    many: list[str] = Field(default=[], min_length=1, max_length=5)
    lines: list[Line] = []
    password: Secret
    anything: dict[str, int] = {}


FOUND = {each.name: each for each in arguments.of(Everything)}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("plain", "text"),
        ("count", "whole number"),
        ("sure", "truth"),
        ("maybe", "text or nothing"),
        ("either", "text"),
        ("many", "list of text"),
        ("lines", "list of Line"),
        ("anything", "object"),
    ],
)
def test_a_kind_is_said_in_words(name: str, kind: str) -> None:
    assert FOUND[name].kind == kind


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("plain", []),
        ("amount", ["matches ^(0|[1-9][0-9]{0,12})\\.[0-9]{2}$"]),
        ("count", ["at least 1", "at most 9"]),
        ("word", ['"a"', '"b"']),
        ("maybe", ["at most 3 characters"]),
        ("either", ['matches ^x$ or "y"']),
        ("many", ["at least 1 entry", "at most 5 entries"]),
        ("anything", []),
    ],
)
def test_what_must_hold_is_said_in_words(name: str, limits: list[str]) -> None:
    shown = [re.sub("<[^>]+>", "", limit).replace("&quot;", '"') for limit in FOUND[name].limits]
    assert shown == limits


def test_what_may_be_left_out_says_what_stands_in_for_it() -> None:
    assert {name: each.default for name, each in FOUND.items() if not each.required} == {
        "sure": "false",
        "word": '"a"',
        "maybe": "null",
        "either": '"y"',
        "many": "[]",
        "lines": "[]",
        "anything": "{}",
    }


def test_a_secret_is_marked_and_nothing_else_is() -> None:
    assert [name for name, each in FOUND.items() if each.secret] == ["password"]


def test_the_integrator_s_own_words_are_kept() -> None:
    assert FOUND["count"].description == "How many."


def test_what_an_integrator_wrote_is_escaped() -> None:
    class Odd(ActionArguments):
        word: Literal["<script>"]

    (found,) = arguments.of(Odd)
    assert found.limits == ("<code>&quot;&lt;script&gt;&quot;</code>",)


def test_an_action_without_arguments_has_none() -> None:
    class Nothing(ActionArguments):
        pass

    assert arguments.of(Nothing) == ()
