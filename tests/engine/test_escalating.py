"""What nobody decides: people are reminded once, then others are asked once, then it expires."""

import json
from functools import partial
from typing import Any

import pytest

from engine import api, sweeper
from engine.errors import NotPermitted
from engine.models import Decision, Proposal
from engine.store import escalating
from engine.store.doors import schema
from oversight.models import Person
from oversight.reading import decidable
from tests.cast import reviewer
from tests.engine.editing import edit
from tests.engine.hastened import forget_hastened_times
from tests.engine.test_qualifications import grant
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import in_line_for
from tests.world import Desk

DAY = 86400


def slow(*groups: tuple[str, int], **more: Any) -> dict[str, Any]:
    """Remind after a day, escalate to the leads after two, expire after seven."""
    asked = groups or (("reviewer", 1),)
    return {
        "action": "ledger.*",
        "groups": [{"name": name, "approve": count} for name, count in asked],
        "remind_seconds": DAY,
        "escalate": {"after_seconds": 2 * DAY, "to": "lead"},
        "time_limit_seconds": 7 * DAY,
        **more,
    }


@pytest.fixture
def lena(desk: Desk) -> Person:
    return desk.people.somebody("lena", "lead")


@pytest.fixture
def asked(desk: Desk, lena: Person) -> Proposal:
    """A refund that Rosa could decide, and does not."""
    assert desk.people.rosa
    desk.put_in_force(slow())
    return desk.propose_refund()


def now(proposal: Proposal) -> Proposal:
    return Proposal.objects.get(pk=proposal.pk)


def escalated(desk: Desk, proposal: Proposal) -> Proposal:
    desk.database.days_pass_for(proposal.pk, 2)
    assert sweeper.run_once().escalated == 1
    return now(proposal)


def called(desk: Desk, proposal: Proposal) -> list[tuple[str, str]]:
    """Who reminded, escalated or ended it, in this order."""
    kinds = ("proposal_reminded", "proposal_escalated", "proposal_expired")
    log = desk.database.log(proposal.run_id)
    return [(each["kind"], each["actor"]) for each in log if each["kind"] in kinds]


def test_c33_once_each_however_often_it_is_swept(desk: Desk, asked: Proposal) -> None:
    """Two days, and seven: each sweep after the first that finds it due finds nothing."""
    found = []
    for days in (0, 1, 1, 4.9, 0.2):
        desk.database.days_pass_for(asked.pk, days)
        swept = [sweeper.run_once() for _ in range(3)]
        found.append([(each.reminded, each.escalated, each.expired) for each in swept])
    nothing = (0, 0, 0)
    firsts = [nothing, (1, 0, 0), (0, 1, 0), nothing, (0, 0, 1)]
    assert found == [[first, nothing, nothing] for first in firsts]
    assert called(desk, asked) == [
        ("proposal_reminded", "system:sweep"),
        ("proposal_escalated", "system:sweep"),
        ("proposal_expired", "system:sweep"),
    ]
    forget_hastened_times(desk.database, asked.run_id)
    assert_tables_match_the_log(desk.database, asked.run_id)


def test_sweeps_at_the_same_instant_call_once(desk: Desk, asked: Proposal) -> None:
    """All have found it due before the first of them comes to the door."""
    desk.database.days_pass_for(asked.pk, 2)
    doors = (escalating.remind_of_proposal_if_due, escalating.escalate_proposal_if_due)
    for door in doors:
        acts = [partial(door, asked.run_id, asked.pk) for _ in range(3)]
        assert in_line_for(desk.database, asked.run_id, acts) == [True, False, False]
    assert len(called(desk, asked)) == 2


def test_a_sweep_that_comes_too_early_is_refused_at_the_door(desk: Desk, asked: Proposal) -> None:
    """It was due as it was found; a new version of the policy gives it more time, say."""
    assert not escalating.escalate_proposal_if_due(asked.run_id, asked.pk)
    assert not escalating.remind_of_proposal_if_due(asked.run_id, asked.pk)
    assert called(desk, asked) == []


def test_what_is_decided_is_neither_reminded_of_nor_escalated(desk: Desk, asked: Proposal) -> None:
    desk.approve(asked)
    desk.database.days_pass_for(asked.pk, 3)
    swept = sweeper.run_once()
    assert (swept.reminded, swept.escalated) == (0, 0)
    assert called(desk, asked) == []


def test_a_rule_that_says_nothing_of_it_calls_nobody(desk: Desk, lena: Person) -> None:
    proposal = desk.propose_refund()
    assert (proposal.remind_at, proposal.escalate_at) == (None, None)
    desk.database.deadline_passes_for(proposal.pk)
    sweeper.run_once()
    assert [kind for kind, _actor in called(desk, proposal)] == ["proposal_expired"]


class TestTheFallbackGroup:
    def test_decides_from_then_on_and_not_before(
        self, desk: Desk, asked: Proposal, lena: Person
    ) -> None:
        with pytest.raises(NotPermitted, match='Only members of "reviewer" decide this'):
            desk.approve(asked, by=lena)
        assert decidable.count(lena.pk) == 0

        escalated(desk, asked)
        assert decidable.count(lena.pk) == 1
        desk.approve(asked, by=lena)
        desk.work(asked.run_id)
        assert now(asked).status == "approved"
        assert desk.ledger.balance() == "4975.00"

    @pytest.mark.parametrize("route", ["decide", "claim", "edit"])
    def test_counts_on_every_route(
        self, route: str, desk: Desk, asked: Proposal, lena: Person
    ) -> None:
        lead = reviewer(lena)

        def why_not() -> str | None:
            if route == "decide":
                return api.why_not_decide(lead, asked.pk)
            if route == "edit":
                return api.why_not_edit(lead, asked.pk)
            try:
                api.claim(asked.run_id, asked.pk, reviewer=lead)
            except NotPermitted as refusal:
                return refusal.why
            return None

        assert "only members of" in (why_not() or "").lower()
        escalated(desk, asked)
        assert why_not() is None

    def test_does_not_take_the_place_of_those_who_are_asked(
        self, desk: Desk, asked: Proposal
    ) -> None:
        escalated(desk, asked)
        desk.approve(asked, by=desk.people.rosa)
        assert now(asked).status == "approved"

    def test_counts_for_each_group_and_nobody_twice(self, desk: Desk, lena: Person) -> None:
        leo = desk.people.somebody("leo", "lead")
        assert desk.people.rosa
        assert desk.people.somebody("tessa", "treasurer")
        desk.put_in_force(slow(("reviewer", 1), ("treasurer", 1)))
        proposal = escalated(desk, desk.propose_refund())
        desk.approve(proposal, by=lena)
        assert now(proposal).status == "open"
        desk.approve(proposal, by=leo)
        assert now(proposal).status == "approved"

    def test_who_is_in_it_besides_counts_for_no_other_before(self, desk: Desk) -> None:
        """Leads who are reviewers, too, are reviewers and nothing more until it escalates."""
        lola, lucy = (desk.people.somebody(name, "reviewer", "lead") for name in ("lola", "lucy"))
        leo = desk.people.somebody("leo", "lead")
        assert desk.people.somebody("tessa", "treasurer")
        desk.put_in_force(slow(("reviewer", 1), ("treasurer", 1)))
        proposal = desk.propose_refund()
        for person in (lola, lucy):
            desk.approve(proposal, by=person)
        assert now(proposal).status == "open"
        escalated(desk, proposal)
        desk.approve(proposal, by=leo)
        assert now(proposal).status == "approved"

    def test_is_asked_again_at_the_gate(self, desk: Desk, asked: Proposal, lena: Person) -> None:
        escalated(desk, asked)
        desk.approve(asked, by=lena)
        lena.groups.clear()
        desk.work(asked.run_id)
        assert now(asked).status == "lapsed"
        assert desk.ledger.balance() == "5000.00"

    def test_never_decides_what_is_its_own(self, desk: Desk, asked: Proposal, lena: Person) -> None:
        """The agent's owner, made a lead, and a lead who has edited it."""
        desk.people.tomas.groups.set(lena.groups.all())
        escalated(desk, asked)
        with pytest.raises(NotPermitted, match="Who started it never decides it"):
            desk.approve(asked, by=desk.people.tomas)
        edit(desk, asked, by=lena, amount="20.00")
        desk.work(asked.run_id)
        second = desk.proposal(asked.run_id)
        escalated(desk, second)
        with pytest.raises(NotPermitted, match="Who edited it never decides it"):
            desk.approve(second, by=lena)
        assert Decision.objects.count() == 0

    def test_is_asked_of_the_next_version_anew(
        self, desk: Desk, asked: Proposal, lena: Person
    ) -> None:
        edit(desk, escalated(desk, asked), by=desk.people.rosa, amount="20.00")
        desk.work(asked.run_id)
        second = desk.proposal(asked.run_id)
        assert (second.version, second.escalated_at, second.groups) == (2, None, ["reviewer"])
        with pytest.raises(NotPermitted):
            desk.approve(second, by=lena)


class TestAtOnce:
    """Too few people are there who could let it be done."""

    def at_once(self, desk: Desk, proposal: Proposal) -> dict[str, Any]:
        swept = [sweeper.run_once().escalated for _ in range(2)]
        assert swept == [1, 0]
        log = desk.database.log(proposal.run_id)
        (event,) = (each for each in log if each["kind"] == "proposal_escalated")
        facts: dict[str, Any] = json.loads(bytes(event["payload"]))
        return facts

    def test_c33_an_empty_group(self, desk: Desk, lena: Person) -> None:
        assert desk.people.rosa
        desk.put_in_force(slow(("treasurer", 1)))
        proposal = desk.propose_refund()
        event = self.at_once(desk, proposal)
        assert (event["from"], event["to"], event["why"]) == (["treasurer"], "lead", "nobody")
        desk.approve(proposal, by=lena)
        assert now(proposal).status == "approved"

    def test_a_group_that_has_only_who_started_it(self, desk: Desk, lena: Person) -> None:
        assert desk.people.tomas
        desk.put_in_force(slow())
        self.at_once(desk, desk.propose_refund())

    def test_a_group_with_fewer_than_are_asked(self, desk: Desk, lena: Person) -> None:
        assert desk.people.rosa
        assert desk.people.somebody("leo", "lead")
        desk.put_in_force(slow(("reviewer", 2)))
        proposal = desk.propose_refund()
        self.at_once(desk, proposal)
        desk.approve(proposal, by=desk.people.rosa)
        desk.approve(proposal, by=lena)
        assert now(proposal).status == "approved"

    def test_nobody_of_them_is_qualified(self, desk: Desk, lena: Person) -> None:
        assert desk.people.rosa
        grant(desk, lena)
        desk.put_in_force(slow(training="refunds-2"))
        self.at_once(desk, desk.propose_refund())

    @pytest.mark.parametrize("left", ["the account is closed", "out of the group"])
    def test_the_last_one_has_left(self, left: str, desk: Desk, asked: Proposal) -> None:
        """Nothing tells the sweep so: other people are there than the last time it looked."""
        rosa = desk.people.rosa
        desk.database.execute("UPDATE engine_proposal SET opened_at = opened_at - interval '1 h'")
        assert [sweeper.run_once().escalated for _ in range(2)] == [0, 0]
        if left == "out of the group":
            rosa.groups.clear()
        else:
            rosa.is_active = False
            rosa.save()
        self.at_once(desk, asked)

    def test_what_is_opened_later_is_looked_at_too(self, desk: Desk, asked: Proposal) -> None:
        """The same people as the last time, and yet too few of them: Rosa has edited it."""
        assert sweeper.run_once().escalated == 0
        edit(desk, asked, by=desk.people.rosa, amount="20.00")
        desk.work(asked.run_id)
        self.at_once(desk, desk.proposal(asked.run_id))

    def test_not_where_somebody_is_there(self, desk: Desk, asked: Proposal) -> None:
        assert sweeper.run_once().escalated == 0
        assert desk.people.reviewers(2)
        assert sweeper.run_once().escalated == 0


def test_many_that_wait_are_not_asked_about_one_by_one(desk: Desk, asked: Proposal) -> None:
    """As long as nobody comes or goes, a sweep does not ask who could decide what waits."""
    sweeper.run_once()
    with desk.database.connected() as by_force:
        by_force.execute("UPDATE engine_proposal SET opened_at = opened_at - interval '1 hour'")
        by_force.execute(f"""
            CREATE OR REPLACE FUNCTION {schema()}._lacks_people(o engine_proposal) RETURNS boolean
            LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'it was asked'; END $$
        """)
    assert sweeper.run_once().escalated == 0
    assert desk.people.reviewers(1)
    with pytest.raises(Exception, match="it was asked"):
        sweeper.run_once()
