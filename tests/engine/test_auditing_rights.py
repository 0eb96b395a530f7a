"""Who may have the log verified and take exports of it: the engine asks, whatever the route."""

import io

import pytest

from engine import api
from engine.errors import NotPermitted
from engine.models import Event
from engine.searching import EventQuery
from tests.cast import People, reviewer
from tests.world import Desk

NOTED = ("log_verified", "export_made")


@pytest.mark.parametrize("name", ["ada", "otto", "zoe"])
def test_auditors_operators_and_administrators_may(desk: Desk, people: People, name: str) -> None:
    person = reviewer(getattr(people, name))
    desk.propose_refund()
    assert api.verify_log(auditor=person).intact
    assert api.export_events(EventQuery(), io.BytesIO(), auditor=person).events


@pytest.mark.parametrize("name", ["rosa", "ines"])
def test_nobody_else_may_and_nothing_is_written(desk: Desk, people: People, name: str) -> None:
    person, out = reviewer(getattr(people, name)), io.BytesIO()
    desk.propose_refund()
    with pytest.raises(NotPermitted, match=r"(?i)only auditors"):
        api.verify_log(auditor=person)
    with pytest.raises(NotPermitted, match=r"(?i)only auditors"):
        api.export_events(EventQuery(), out, auditor=person)
    assert out.getvalue() == b""
    assert not Event.objects.filter(kind__in=NOTED).exists()


def test_an_account_that_was_closed_may_not(desk: Desk, people: People) -> None:
    desk.propose_refund()
    people.ada.is_active = False
    people.ada.save()
    with pytest.raises(NotPermitted):
        api.verify_log(auditor=reviewer(people.ada))
