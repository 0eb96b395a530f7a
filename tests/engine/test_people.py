"""Who is let work here: changed by another, kept in the log, and never to the end of everybody."""

import json
from functools import partial

import pytest
from django.db import DatabaseError

from engine import api
from engine.api import Standing
from engine.errors import BadInput, Conflict, NotFound, NotPermitted
from engine.models import Event
from oversight.models import Person
from tests.cast import reviewer
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import together
from tests.world import Desk

REASON = "They work elsewhere now."


def standing(person: Person) -> Standing:
    now = Person.objects.get(pk=person.pk)
    names = now.groups.values_list("name", flat=True)
    return Standing(active=now.is_active, groups=frozenset(names))


def change(person: Person, wanted: Standing, *, by: Person, reason: str = REASON) -> None:
    api.change_person(
        reviewer(person),
        wanted,
        seen=standing(person),
        administrator=reviewer(by),
        reason=reason,
    )


def closed(person: Person) -> Standing:
    return Standing(active=False, groups=standing(person).groups)


def test_a_change_is_an_event_of_the_installation_s_log(desk: Desk) -> None:
    people = desk.people
    change(people.rosa, Standing(active=True, groups=frozenset({"Zz", "auditor"})), by=people.zoe)
    change(people.rosa, closed(people.rosa), by=people.zoe)
    events = Event.objects.filter(kind="person_changed").order_by("seq")
    first, second = (json.loads(bytes(event.payload or b"")) for event in events)
    assert first["before"] == {"active": True, "groups": ["reviewer"]}
    assert first["after"] == second["before"] == {"active": True, "groups": ["Zz", "auditor"]}
    assert second["after"] == {"active": False, "groups": ["Zz", "auditor"]}
    assert {event.actor for event in events} == {f"person:{people.zoe.pk}"}
    assert_tables_match_the_log(desk.database, events[0].run_id)


@pytest.mark.parametrize("name", ["rosa", "otto", "ada", "ines"])
def test_nobody_does_it_without_administering(name: str, desk: Desk) -> None:
    with pytest.raises(NotPermitted):
        change(desk.people.tomas, closed(desk.people.tomas), by=getattr(desk.people, name))
    assert standing(desk.people.tomas).active


def test_nobody_does_it_to_themselves(desk: Desk) -> None:
    zoe = desk.people.zoe
    with pytest.raises(NotPermitted, match="themselves"):
        change(zoe, Standing(active=True, groups=frozenset({"administrator", "reviewer"})), by=zoe)
    assert standing(zoe).groups == {"administrator"}


def test_an_administrator_whose_account_is_closed_changes_nothing(desk: Desk) -> None:
    zoe, yara = desk.people.zoe, desk.people.yara
    change(yara, closed(yara), by=zoe)
    with pytest.raises(NotPermitted):
        change(desk.people.rosa, closed(desk.people.rosa), by=yara)


def test_it_needs_a_reason_somebody_and_what_was_seen(desk: Desk) -> None:
    rosa, zoe = desk.people.rosa, desk.people.zoe
    with pytest.raises(BadInput):
        change(rosa, closed(rosa), by=zoe, reason=" ")
    with pytest.raises(Conflict):
        change(rosa, standing(rosa), by=zoe)
    nobody = api.Reviewer(person_id=10**9, name="Nobody")
    with pytest.raises(NotFound):
        api.change_person(
            nobody, closed(rosa), seen=standing(rosa), administrator=reviewer(zoe), reason=REASON
        )
    with pytest.raises(Conflict):
        api.change_person(
            reviewer(rosa), closed(rosa), seen=closed(rosa), administrator=reviewer(zoe), reason="x"
        )
    assert standing(rosa).active


def test_two_who_close_each_other_s_account_leave_one(desk: Desk) -> None:
    zoe, yara = desk.people.zoe, desk.people.yara
    both = ((zoe, yara), (yara, zoe))
    acts = [partial(change, other, closed(other), by=one) for one, other in both]
    answers = together(acts)
    assert sum(isinstance(answer, NotPermitted) for answer in answers) == 1
    assert Person.objects.filter(is_active=True, groups__name="administrator").count() == 1


class TestTheDatabaseItself:
    def test_keeps_an_administrator_by_whatever_way_the_last_one_would_go(self, desk: Desk) -> None:
        zoe = desk.people.zoe
        ways = (
            lambda: Person.objects.filter(pk=zoe.pk).update(is_active=False),
            lambda: zoe.groups.clear(),
        )
        for way in ways:
            with pytest.raises(DatabaseError, match="conflict"):
                way()
        assert standing(zoe) == Standing(active=True, groups=frozenset({"administrator"}))

    def test_lets_an_administrator_go_while_there_is_another(self, desk: Desk) -> None:
        assert desk.people.yara
        desk.people.zoe.groups.clear()
        assert standing(desk.people.zoe).groups == frozenset()

    def test_ends_the_sessions_of_an_account_that_is_closed_however_it_is(self, desk: Desk) -> None:
        rosa = desk.people.rosa
        before = rosa.get_session_auth_hash()
        rosa.is_active = False
        rosa.save()
        Person.objects.filter(pk=rosa.pk).update(is_active=True)
        assert Person.objects.get(pk=rosa.pk).get_session_auth_hash() != before
