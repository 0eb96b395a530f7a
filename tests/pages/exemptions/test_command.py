"""On the machine itself the exemptions are listed, and ended in somebody's name."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.engine.exempting import ends, given, proposed
from tests.world import Desk


def told(*words: str, **options: Any) -> str:
    out = StringIO()
    call_command("exemptions", *words, stdout=out, **options)
    return out.getvalue()


def test_lists_what_lives_and_what_is_left_of_it(desk: Desk) -> None:
    assert told() == "Nothing is exempt.\n"
    exemption = given(desk)
    found = told()
    for words in (str(exemption.pk)[:8], "Stands", "Mara Vogel", "3 of 3 uses left", "Rosa Lind"):
        assert words in found


def test_writes_plain_lines_and_out_what_would_be_invisible(desk: Desk) -> None:
    odd = {"kind": "argument", "argument": "customer", "value": "Mara\u202eVogel"}
    proposed(desk, scope=odd)
    assert r"customer is “Mara\u202eVogel”" in told()
    assert "<" not in told()


def test_ends_one_in_the_name_of_who_may(desk: Desk) -> None:
    exemption = given(desk)
    begins = str(exemption.pk)[:8]
    with pytest.raises(CommandError, match="only administrators"):
        told("end", begins, "--as", desk.people.otto.username, "--reason", "Odd.")
    told("end", begins, "--as", desk.people.yara.username, "--reason", "Somebody should look.")
    assert ends(exemption) == ("ended", "revoked")
    assert "somebody ended it" in told("--all")
    assert told() == "Nothing is exempt.\n"


def test_ends_none_that_is_not_meant_alone(desk: Desk) -> None:
    exemption = proposed(desk)
    proposed(desk)
    with pytest.raises(CommandError, match="2 that live"):
        told("end", "", "--as", desk.people.zoe.username, "--reason", "Both.")
    assert ends(exemption) == ("proposed", None)
