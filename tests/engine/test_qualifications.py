"""Who is trained for an action: data, demanded by a rule, looked at when deciding and again before
anything is sent."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection

from engine import api
from engine.errors import BadInput, Conflict, NobodyCouldDecide, NotFound, NotPermitted
from engine.models import Decision, Event, Proposal, Qualification
from oversight.models import Person
from oversight.reading import decidable
from tests.cast import reviewer
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import together
from tests.world import Desk

REASON = "They sat the examination."
DEMANDING = {
    "action": "ledger.*",
    "groups": [{"name": "reviewer", "approve": 1}],
    "training": "refunds-2",
}


def grant(desk: Desk, person: Person, *, by: Person | None = None, **changed: Any) -> uuid.UUID:
    now = datetime.now(UTC)
    given = {
        "training": "refunds-2",
        "actions": "ledger.*",
        "valid_from": now - timedelta(minutes=1),
        "valid_until": now + timedelta(days=90),
        **changed,
    }
    administrator = reviewer(by or desk.people.zoe)
    return api.grant_qualification(
        reviewer(person), given, administrator=administrator, reason=REASON
    )


def withdraw(desk: Desk, person: Person, found: uuid.UUID, *, by: Person | None = None) -> None:
    administrator = reviewer(by or desk.people.zoe)
    api.withdraw_qualification(
        reviewer(person), found, administrator=administrator, reason="It was another one."
    )


@pytest.fixture
def rosa(desk: Desk) -> Person:
    """She is qualified, and a rule demands it."""
    person = desk.people.rosa
    grant(desk, person)
    desk.put_in_force(DEMANDING)
    return person


def stands(proposal: Proposal) -> str:
    return Proposal.objects.get(pk=proposal.pk).status


def hers(person: Person) -> uuid.UUID:
    return Qualification.objects.get(person=person, withdrawn_at=None).pk


class TestARuleThatDemandsOne:
    def test_lets_who_holds_it_decide_and_nobody_else(self, rosa: Person, desk: Desk) -> None:
        (other,) = desk.people.reviewers(1)
        proposal = desk.propose_refund(order := desk.purchase())
        with pytest.raises(NotPermitted, match='qualified by "refunds-2"'):
            desk.approve(proposal, by=other)
        assert desk.database.kinds(proposal.run_id)[-1] == "decision_refused"
        assert list(decidable.proposals(other.pk)) == []
        assert list(decidable.proposals(rosa.pk)) == [proposal]
        desk.approve(proposal, by=rosa)
        desk.work(proposal.run_id)
        assert desk.ledger.refunded(order) == "25.00"
        assert_tables_match_the_log(desk.database, proposal.run_id)

    @pytest.mark.parametrize(
        "changed",
        [
            {"training": "refunds-1"},
            {"actions": "mail.*"},
            {"actions": "ledger.refunds"},
            {"valid_until": datetime.now(UTC) - timedelta(seconds=1)},
            {"valid_from": datetime.now(UTC) + timedelta(days=1)},
        ],
    )
    def test_is_not_met_by_another_one(
        self, changed: dict[str, Any], rosa: Person, desk: Desk
    ) -> None:
        (other,) = desk.people.reviewers(1)
        grant(desk, other, **{"valid_from": datetime.now(UTC) - timedelta(days=9), **changed})
        proposal = desk.propose_refund()
        assert list(decidable.proposals(other.pk)) == []
        with pytest.raises(NotPermitted, match="qualified by"):
            desk.approve(proposal, by=other)
        assert stands(proposal) == "open"

    @pytest.mark.parametrize("actions", ["*", "ledger.*", "ledger.refund"])
    def test_is_met_by_one_that_covers_the_action(self, actions: str, desk: Desk) -> None:
        assert grant(desk, desk.people.rosa)
        (other,) = desk.people.reviewers(1)
        grant(desk, other, actions=actions)
        desk.put_in_force(DEMANDING)
        proposal = desk.propose_refund()
        assert list(decidable.proposals(other.pk)) == [proposal]
        desk.approve(proposal, by=other)
        assert stands(proposal) == "approved"

    def test_gives_nobody_a_vote_who_is_in_no_group(self, rosa: Person, desk: Desk) -> None:
        grant(desk, desk.people.ada)
        with pytest.raises(NotPermitted, match="Only members"):
            desk.approve(desk.propose_refund(), by=desk.people.ada)

    def test_is_under_the_digest(self, rosa: Person, desk: Desk) -> None:
        terms = json.loads(bytes(desk.propose_refund().terms))
        assert terms["rule"]["training"] == "refunds-2"

    def test_is_refused_where_nobody_could_meet_it(self, desk: Desk) -> None:
        assert desk.people.rosa
        with pytest.raises(NobodyCouldDecide):
            desk.put_in_force(DEMANDING)
        grant(desk, desk.people.rosa, actions="ledger.refund")
        with pytest.raises(NobodyCouldDecide):
            desk.put_in_force(DEMANDING)
        desk.put_in_force({**DEMANDING, "action": "ledger.refund"})


class TestBetweenTheClickAndTheAct:
    def test_one_that_is_withdrawn_lets_nothing_be_sent(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        desk.approve(proposal, by=rosa)
        withdraw(desk, rosa, hers(rosa))
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 0
        assert stands(proposal) == "lapsed"

    def test_one_that_is_withdrawn_no_longer_counts_with_the_second_approval(
        self, desk: Desk
    ) -> None:
        two = desk.people.reviewers(2)
        first, _ = (grant(desk, person) for person in two)
        desk.put_in_force(DEMANDING | {"groups": [{"name": "reviewer", "approve": 2}]})
        proposal = desk.propose_refund()
        desk.approve(proposal, by=two[0])
        withdraw(desk, two[0], first)

        desk.approve(proposal, by=two[1])

        assert stands(proposal) == "open"

    def test_one_that_runs_out_lets_nothing_be_sent(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        desk.approve(proposal, by=rosa)
        desk.database.execute("UPDATE engine_qualification SET valid_until = clock_timestamp()")
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 0
        assert stands(proposal) == "lapsed"


class TestACap:
    @pytest.fixture
    def busy(self, desk: Desk) -> Person:
        """She may decide two in an hour."""
        grant(desk, desk.people.rosa, most_an_hour=2, most_a_day=20)
        desk.put_in_force(DEMANDING)
        return desk.people.rosa

    def test_is_told_with_the_moment_from_which_one_may_again(
        self, busy: Person, desk: Desk
    ) -> None:
        for decision in ("approve", "reject"):
            desk.decide(desk.propose_refund(), decision, by=busy)
        third = desk.propose_refund()
        with pytest.raises(NotPermitted) as refusal:
            desk.approve(third, by=busy)
        first = Decision.objects.earliest("decided_at").decided_at
        until = str(refusal.value).split("until ")[1].removesuffix(".")
        assert datetime.fromisoformat(until) == first + timedelta(hours=1)
        assert stands(third) == "open"

    def test_is_over_once_the_hour_is(self, busy: Person, desk: Desk) -> None:
        for _ in range(2):
            desk.approve(desk.propose_refund(), by=busy)
        desk.database.execute(
            "UPDATE engine_decision SET decided_at = decided_at - interval '1 hour'"
        )
        desk.approve(third := desk.propose_refund(), by=busy)
        assert stands(third) == "approved"

    def test_leaves_what_was_approved_before_it_was_reached(self, busy: Person, desk: Desk) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        desk.approve(proposal, by=busy)
        desk.decide(desk.propose_refund(), "reject", by=busy)
        desk.work(proposal.run_id)
        assert desk.ledger.refunded(order) == "25.00"

    def test_is_not_passed_by_deciding_many_at_once(self, busy: Person, desk: Desk) -> None:
        waiting = [desk.propose_refund() for _ in range(4)]
        together([lambda one=one: desk.approve(one, by=busy) for one in waiting])
        assert Decision.objects.filter(person=busy).count() == 2

    def test_of_the_most_generous_of_several_holds(self, busy: Person, desk: Desk) -> None:
        grant(desk, busy, most_an_hour=3)
        for _ in range(3):
            desk.approve(desk.propose_refund(), by=busy)
        with pytest.raises(NotPermitted, match="rests until"):
            desk.approve(desk.propose_refund(), by=busy)


class TestGranting:
    def test_and_withdrawing_are_events(self, desk: Desk) -> None:
        rosa = desk.people.rosa
        withdraw(desk, rosa, found := grant(desk, rosa, most_a_day=8))
        given, taken = Event.objects.filter(kind__startswith="qualification").order_by("seq")
        facts = json.loads(bytes(given.payload or b""))
        assert (facts["training"], facts["actions"], facts["most_a_day"]) == (
            "refunds-2",
            "ledger.*",
            8,
        )
        assert facts["id"] == json.loads(bytes(taken.payload or b""))["id"] == str(found)
        assert {given.kind, taken.kind} == {"qualification_granted", "qualification_withdrawn"}
        assert_tables_match_the_log(desk.database, given.run_id)

    def test_is_for_administrators_and_never_for_oneself(self, desk: Desk) -> None:
        zoe = desk.people.zoe
        for person, by in ((zoe, zoe), (desk.people.rosa, desk.people.ada)):
            with pytest.raises(NotPermitted):
                grant(desk, person, by=by)
        assert not Qualification.objects.exists()

    def test_for_oneself_is_refused_by_the_database_too(self, desk: Desk) -> None:
        grant(desk, desk.people.rosa)
        with pytest.raises(IntegrityError, match="qualification_granted_by_another"):
            connection.cursor().execute("UPDATE engine_qualification SET granted_by_id = person_id")

    def test_one_s_own_is_withdrawn_by_somebody_else(self, desk: Desk) -> None:
        zoe, yara = desk.people.zoe, desk.people.yara
        found = grant(desk, zoe, by=yara)
        with pytest.raises(NotPermitted):
            withdraw(desk, zoe, found, by=zoe)
        withdraw(desk, zoe, found, by=yara)
        with pytest.raises(Conflict):
            withdraw(desk, zoe, found, by=yara)
        with pytest.raises(NotFound):
            withdraw(desk, desk.people.rosa, found)

    @pytest.mark.parametrize(
        ("changed", "path"),
        [
            ({"training": ""}, "$.training"),
            ({"training": "Refunds 2"}, "$.training"),
            ({"actions": "ledger*"}, "$.actions"),
            ({"most_a_day": 0}, "$.most_a_day"),
            ({"most_an_hour": "2"}, "$.most_an_hour"),
            ({"valid_until": datetime(2020, 1, 1, tzinfo=UTC)}, "$.valid_until"),
            ({"valid_until": None}, "$.valid_until"),
            ({"colour": "red"}, "$.colour"),
        ],
    )
    def test_what_is_wrong_is_named(self, changed: dict[str, Any], path: str, desk: Desk) -> None:
        with pytest.raises(BadInput) as refusal:
            grant(desk, desk.people.rosa, **changed)
        assert refusal.value.path == path
        assert not Qualification.objects.exists()
