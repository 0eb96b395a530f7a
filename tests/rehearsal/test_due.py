"""Rehearsals are played again by themselves before the last one counts no more."""

from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from engine import actions, api, conf, rehearsing
from engine.rehearsing import Assertion, Played
from oversight.environment import people
from oversight.rehearsal.due import due
from tests.cast import reviewer
from tests.world import Desk

REFUND = ("ledger.refund", 1)
LIFE = timedelta(seconds=conf.rehearsal_seconds())


def rehearsed(desk: Desk, *, ago: timedelta, holds: bool = True) -> None:
    """A refund's plan was rehearsed so long ago."""
    ended = rehearsing.now() - ago
    played = Played(
        action=REFUND[0],
        action_version=REFUND[1],
        run_id=None,
        started_at=ended - timedelta(seconds=20),
        ended_at=ended,
        recovery_seconds=12.0,
        timeline=[],
        assertions=[Assertion(what="The target is as it was before", holds=holds)],
    )
    api.keep_rehearsal(played, operator=reviewer(desk.people.otto))


def owing() -> list[tuple[str, int]]:
    return [(action.name, action.version) for action in due(rehearsing.now())]


def test_all_that_can_be_rehearsed_and_never_were_are_due(desk: Desk) -> None:
    can = {a.label() for a in actions.registered() if not rehearsing.why_not(a)}

    assert {action.label() for action in due(rehearsing.now())} == can
    assert REFUND in owing()


@pytest.mark.parametrize(
    ("ago", "holds", "is_due"),
    [
        (timedelta(hours=1), True, False),
        (LIFE * 0.85, True, False),
        (LIFE * 0.95, True, True),
        (LIFE * 2, True, True),
        (timedelta(hours=23), False, False),
        (timedelta(hours=25), False, True),
    ],
)
def test_it_is_due_when_the_last_one_counts_no_more(
    ago: timedelta, holds: bool, is_due: bool, desk: Desk
) -> None:
    rehearsed(desk, ago=ago, holds=holds)
    assert (REFUND in owing()) is is_due


def test_only_the_last_one_counts(desk: Desk) -> None:
    rehearsed(desk, ago=LIFE * 2)
    rehearsed(desk, ago=timedelta(hours=1))
    assert REFUND not in owing()


def test_those_never_rehearsed_come_first(desk: Desk) -> None:
    rehearsed(desk, ago=LIFE * 2)
    assert owing()[-1] == REFUND


@pytest.mark.parametrize("options", [{}, {"all": True, "due": True}])
def test_the_command_wants_to_know_which(options: dict[str, bool], desk: Desk) -> None:
    with pytest.raises(CommandError, match="Name one action"):
        call_command("rehearse", operator="otto", reviewer=["rosa"], **options)


def test_different_people_are_named_or_nobody() -> None:
    assert people("P", {}) is None
    assert people("P", {"P": "otto:rosa"}) == ("otto", "rosa")
    assert people("P", {"P": "otto:rosa:mina"}) == ("otto", "rosa", "mina")


@pytest.mark.parametrize("said", ["otto", "otto:", ":rosa", "otto:otto", "otto:rosa:rosa"])
def test_anything_else_is_refused_when_it_starts(said: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="P names different people"):
        people("P", {"P": said})
