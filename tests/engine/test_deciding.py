"""What counts as a decision, and that everything else fails closed."""

import contextlib
import json
import uuid
from typing import Any

import psycopg
import pytest

from engine import api, sweeper
from engine.canonical import packed
from engine.errors import (
    AlreadyDecided,
    BadInput,
    Conflict,
    DigestMismatch,
    Expired,
    NotFound,
    PlacetError,
)
from engine.models import Decision, Effect, Proposal
from engine.store import deciding, proposals, stops
from tests.cast import AGENT, reviewer
from tests.engine.editing import edit
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk


def assert_undecided(desk: Desk, proposal: Proposal) -> None:
    proposal.refresh_from_db()
    assert proposal.status == "open"
    assert not Decision.objects.exists()
    assert "decision_made" not in desk.database.kinds(proposal.run_id)


def an_approval(proposal: Proposal, person: int) -> dict[str, Any]:
    """What the door is told when somebody approves."""
    return {
        "decision_id": str(uuid.uuid4()),
        "id": str(proposal.pk),
        "proposal_id": str(proposal.proposal_id),
        "version": 1,
        "digest": proposal.digest,
        "decision": "approve",
        "reason": "It is as the agent says.",
        "person": person,
        "person_name": "Rosa Lind",
        "seen": {},
    }


def test_the_door_takes_a_whole_approval(desk: Desk) -> None:
    proposal, rosa = desk.propose_refund(), desk.people.rosa
    facts = an_approval(proposal, rosa.pk)

    deciding.decide(proposal.run_id, f"person:{rosa.pk}", packed(facts))

    assert Decision.objects.count() == 1


NO_DECISIONS = [
    None,
    "",
    True,
    False,
    "true",
    "yes",
    1,
    "approved",
    "APPROVE",
    " approve",
    "approve\n",
    "reject;approve",
    "\u0430pprove",  # with a letter that only looks like one
    ["approve"],
    {"approve": True},
    b"approve",
]


@pytest.mark.parametrize("said", NO_DECISIONS, ids=repr)
def test_anything_but_a_named_decision_is_refused(said: Any, desk: Desk) -> None:
    proposal = desk.propose_refund()

    with pytest.raises(BadInput) as refusal:
        desk.decide(proposal, said)

    assert refusal.value.path == "$.decision"
    assert_undecided(desk, proposal)


@pytest.mark.parametrize(
    "said", [None, True, "true", "approved", "withdraw", "expire", ""], ids=repr
)
def test_the_door_refuses_it_too(said: Any, desk: Desk) -> None:
    """A caller that goes past every check of ours writes nothing."""
    proposal, rosa = desk.propose_refund(), desk.people.rosa
    facts = {**an_approval(proposal, rosa.pk), "decision": said}

    with pytest.raises((PlacetError, psycopg.Error)):
        deciding.decide(proposal.run_id, f"person:{rosa.pk}", packed(facts))

    assert_undecided(desk, proposal)


@pytest.mark.parametrize("missing", ["digest", "version", "decision", "person", "id", "reason"])
def test_the_door_refuses_a_decision_that_lacks_a_part(missing: str, desk: Desk) -> None:
    proposal, rosa = desk.propose_refund(), desk.people.rosa
    facts = an_approval(proposal, rosa.pk)
    del facts[missing]

    with contextlib.suppress(PlacetError, psycopg.Error):
        assert "refused" in deciding.decide(proposal.run_id, f"person:{rosa.pk}", packed(facts))

    assert_undecided(desk, proposal)


FORGED = {
    "digest": ({"digest": "0" * 64}, DigestMismatch),
    "digest of nothing": ({"digest": ""}, DigestMismatch),
    "no digest": ({"digest": None}, DigestMismatch),
    "version": ({"version": 2}, Conflict),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_decision_about_something_else_is_refused(what: str, desk: Desk) -> None:
    changed, problem = FORGED[what]
    proposal = desk.propose_refund()

    with pytest.raises(problem) as refusal:
        desk.decide(proposal, "approve", **changed)

    assert refusal.value.http_status == 409
    assert_undecided(desk, proposal)


def test_the_digest_of_another_proposal_is_refused(desk: Desk) -> None:
    proposal, other = desk.propose_refund(), desk.propose_refund()

    with pytest.raises(DigestMismatch):
        desk.decide(proposal, "approve", digest=other.digest)

    assert_undecided(desk, proposal)


def test_an_unknown_proposal_is_refused(desk: Desk) -> None:
    proposal = desk.propose_refund()
    proposal.pk = uuid.uuid4()

    with pytest.raises(NotFound):
        desk.approve(proposal)


def test_a_proposal_of_another_run_is_refused(desk: Desk) -> None:
    proposal, other = desk.propose_refund(), desk.propose_refund()
    proposal.run_id = other.run_id

    with pytest.raises(NotFound):
        desk.approve(proposal)


@pytest.mark.parametrize("decision", ["approve", "reject"])
@pytest.mark.parametrize("reason", ["", "   ", "\n\t"])
def test_without_a_reason_it_is_refused(decision: str, reason: str, desk: Desk) -> None:
    proposal = desk.propose_refund()

    with pytest.raises(BadInput) as refusal:
        desk.decide(proposal, decision, reason=reason)

    assert refusal.value.path == "$.reason"
    assert_undecided(desk, proposal)


def test_a_reason_code_alone_will_do(desk: Desk) -> None:
    proposal = desk.propose_refund()

    desk.decide(proposal, "reject", reason="", reason_code="wrong_amount")

    assert Decision.objects.get().reason_code == "wrong_amount"


@pytest.mark.parametrize("question", [None, "", "  "])
def test_a_return_without_a_question_is_refused(question: str | None, desk: Desk) -> None:
    proposal = desk.propose_refund()

    with pytest.raises(BadInput) as refusal:
        desk.decide(proposal, "return", question=question)

    assert refusal.value.path == "$.question"
    assert_undecided(desk, proposal)


class TestAStalePage:
    """The agent has answered a question with a new version; somebody still looks at the old."""

    @pytest.fixture
    def old(self, desk: Desk) -> Proposal:
        order = desk.purchase()
        proposal = desk.propose_refund(order, "25.00")
        desk.decide(proposal, "return")
        desk.work(proposal.run_id)
        desk.answer(proposal, order, "20.00")
        desk.work(proposal.run_id)
        return proposal

    def test_decides_nothing(self, desk: Desk, old: Proposal) -> None:
        with pytest.raises(AlreadyDecided):
            desk.approve(old)

        new = desk.proposal(old.run_id)
        assert (new.version, new.status) == (2, "open")

    def test_does_not_decide_the_new_version_by_its_digest(self, desk: Desk, old: Proposal) -> None:
        new = desk.proposal(old.run_id)

        with pytest.raises(DigestMismatch):
            desk.decide(new, "approve", digest=old.digest)
        with pytest.raises(Conflict):
            desk.decide(new, "approve", version=old.version)

        assert desk.proposal(old.run_id).status == "open"

    def test_has_another_digest_and_another_key(self, desk: Desk, old: Proposal) -> None:
        new = desk.proposal(old.run_id)

        assert new.digest != old.digest
        assert new.idempotency_key != old.idempotency_key

    def test_is_not_answered_twice(self, desk: Desk, old: Proposal) -> None:
        with pytest.raises(Conflict):
            desk.answer(old, "A-1", "10.00")


def test_a_question_is_answered_once_even_before_a_worker_has_come_by(desk: Desk) -> None:
    proposal = desk.propose_refund(order := desk.purchase(), "25.00")
    desk.decide(proposal, "return")
    desk.answer(proposal, order, "20.00")

    with pytest.raises(Conflict, match="answered already"):
        desk.answer(proposal, order, "10.00")


class TestWhoAlreadyDecided:
    def test_is_told_to_who_comes_later(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        desk.decide(proposal, "reject")

        with pytest.raises(AlreadyDecided, match="Rosa Lind rejected this already") as refusal:
            desk.approve(proposal, by=desk.people.somebody("nina", "reviewer"))

        assert refusal.value.facts["status"] == "rejected"


def expire(desk: Desk, proposal: Proposal) -> None:
    desk.database.deadline_passes_for(proposal.pk)
    assert proposals.expire_proposal_if_overdue(proposal.run_id, proposal.pk)


def withdraw(desk: Desk, proposal: Proposal) -> None:
    api.withdraw_proposal(proposal.run_id, proposal.proposal_id, agent=AGENT)


def lapse(desk: Desk, proposal: Proposal) -> None:
    scope, otto = f"run:{proposal.run_id}", reviewer(desk.people.otto)
    api.stop(otto, "Odd.", scope=scope)
    assert stops.lapse_proposal_if_stopped(proposal.run_id, proposal.pk)
    api.go_on(otto, "Well.", scope=scope)


ENDS: dict[str, Any] = {
    "rejected": lambda desk, proposal: desk.decide(proposal, "reject"),
    "returned": lambda desk, proposal: desk.decide(proposal, "return"),
    "expired": expire,
    "withdrawn": withdraw,
    "superseded": lambda desk, proposal: edit(desk, proposal, amount="1.00"),
    "lapsed": lapse,
}


class TestTheOtherEnds:
    """A proposal that was not approved never executes, whichever way somebody tries."""

    @pytest.mark.parametrize("end", ENDS)
    def test_never_execute(self, end: str, desk: Desk) -> None:
        """Neither by a worker, a sweep, a second word, nor by an operator who stops and resumes."""
        order = desk.purchase()
        proposal = desk.propose_refund(order)
        ENDS[end](desk, proposal)

        for _ in range(3):
            sweeper.run_once()
            desk.work_on_after_waiting(proposal.run_id)
            with pytest.raises(Conflict):
                desk.approve(proposal)
            otto = reviewer(desk.people.otto)
            api.pause_run(proposal.run_id, operator=otto, reason="A moment.")
            desk.work(proposal.run_id)
            api.resume_run(proposal.run_id, reviewer=otto, reason="Go on.")
        api.finish_run(proposal.run_id, agent=AGENT)
        desk.work_on_after_waiting(proposal.run_id)

        proposal.refresh_from_db()
        assert proposal.status == end
        assert desk.ledger.movements(order) == 0
        assert not Effect.objects.exists()

    def test_an_expired_one_is_told_apart(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        desk.database.deadline_passes_for(proposal.pk)

        with pytest.raises(Expired):
            desk.approve(proposal)

        assert_undecided(desk, proposal)


class TestWithdrawing:
    def test_an_approved_proposal_takes_the_approval_with_it(self, desk: Desk) -> None:
        order = desk.purchase()
        proposal = desk.approved_refund(order)

        withdraw(desk, proposal)
        desk.work(proposal.run_id)

        assert desk.ledger.movements(order) == 0
        assert_tables_match_the_log(desk.database, proposal.run_id)

    def test_what_was_sent_is_refused(self, desk: Desk) -> None:
        proposal = desk.approved_refund()
        desk.work(proposal.run_id)

        with pytest.raises(Conflict):
            withdraw(desk, proposal)

    def test_somebody_else_s_proposal_is_refused(self, desk: Desk) -> None:
        proposal = desk.propose_refund()

        with pytest.raises(NotFound):
            api.withdraw_proposal(proposal.run_id, proposal.proposal_id, agent="agent:other")


def test_what_was_seen_approved_and_executed_has_one_digest(desk: Desk) -> None:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)

    said = {
        event["kind"]: json.loads(event["payload"]) for event in desk.database.log(proposal.run_id)
    }
    digests = {said[kind]["digest"] for kind in ("proposal_opened", "decision_made")}
    digests |= {said[kind]["digest"] for kind in ("effect_prepared", "effect_intended")}
    assert digests == {proposal.digest, Decision.objects.get().digest}
    (honoured,) = desk.ledger.honoured()
    assert honoured["request_hash"] == Effect.objects.get().request_hash


def test_the_reviewer_s_view_is_kept(desk: Desk) -> None:
    proposal = desk.propose_refund()

    desk.decide(proposal, "approve", seen={"sections": ["arguments", "rollback"]})

    assert Decision.objects.get().seen == {"sections": ["arguments", "rollback"]}
    assert reviewer(desk.people.rosa).name == Decision.objects.get().person_name
