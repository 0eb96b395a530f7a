"""What was rejected is not asked again by the same agent as if nothing had been."""

import json
import uuid
from typing import Any

import pytest

from engine import api
from engine.api import Initiator
from engine.errors import BadInput, Conflict, RejectedBefore
from engine.models import Event, Proposal
from tests.cast import AGENT, reviewer
from tests.world import Desk

CHANGED = "The customer sent the photographs."


def rejected(desk: Desk, **wishes: Any) -> Proposal:
    proposal = desk.propose_refund(**wishes)
    desk.decide(proposal, "reject", reason_code="wrong_amount", reason="Too much.")
    desk.work(proposal.run_id)
    proposal.refresh_from_db()
    return proposal


def again(desk: Desk, before: Proposal, run_id: uuid.UUID | None = None, **other: Any) -> uuid.UUID:
    """The agent asks for the same, in the run it was rejected in if no other is given."""
    said: dict[str, Any] = {
        "action": "ledger.refund",
        "arguments": json.loads(bytes(before.arguments)),
        "why": "The lamp arrived broken.",
        "agent": AGENT,
        **other,
    }
    return api.request_effect(run_id or before.run_id, **said)


def despite(desk: Desk, before: Proposal, named: Proposal | None = None) -> Proposal:
    """The same, asked with the rejection named; and opened."""
    proposal_id = again(desk, before, despite=(named or before).proposal_id, what_changed=CHANGED)
    desk.work(before.run_id)
    return Proposal.objects.get(proposal_id=proposal_id)


class TestTheSameAgain:
    def test_is_refused_and_told_which_when_and_for_which_reason(self, desk: Desk) -> None:
        before = rejected(desk)
        seq = desk.run(before.run_id).last_seq
        with pytest.raises(RejectedBefore) as refusal:
            again(desk, before)

        told = refusal.value.rejected
        assert told["proposal_id"] == str(before.proposal_id)
        assert told["reason_code"] == "wrong_amount"
        closed = Event.objects.get(run_id=before.run_id, kind="proposal_rejected")
        assert str(told["rejected_at"])[:26] == closed.at.isoformat()[:26]
        assert desk.people.rosa.full_name not in str(refusal.value)
        assert desk.run(before.run_id).last_seq == seq

    def test_in_another_run_is_the_same(self, desk: Desk) -> None:
        before, other = rejected(desk), desk.start_run()
        with pytest.raises(RejectedBefore):
            again(desk, before, other)

    @pytest.mark.parametrize("what", ["why", "evidence", "tool_call_id", "order of keys"])
    def test_with_other_words_is_the_same(self, what: str, desk: Desk) -> None:
        before = rejected(desk)
        arguments = json.loads(bytes(before.arguments))
        other: dict[str, Any] = {
            "why": {"why": "It really is due."},
            "evidence": {"evidence": ["A photograph."]},
            "tool_call_id": {"tool_call_id": "call_8"},
            "order of keys": {"arguments": dict(reversed(arguments.items()))},
        }[what]
        with pytest.raises(RejectedBefore):
            again(desk, before, **other)

    def test_with_another_argument_is_another(self, desk: Desk) -> None:
        before = rejected(desk)
        arguments = {**json.loads(bytes(before.arguments)), "amount": "24.99"}
        again(desk, before, arguments=arguments)
        desk.work(before.run_id)
        assert desk.proposal(before.run_id).status == "open"

    def test_from_another_agent_is_heard(self, desk: Desk) -> None:
        before = rejected(desk)
        stranger = Initiator(actor="agent:stock-desk", person_id=desk.people.ines.pk)
        other = api.start_run("agent", {}, initiator=stranger)
        again(desk, before, other, agent=stranger.actor)
        desk.work(other)
        assert desk.proposal(other).status == "open"

    def test_as_the_answer_to_a_question_is_the_same(self, desk: Desk) -> None:
        before = rejected(desk)
        other = desk.propose_refund(desk.purchase())
        desk.decide(other, "return")
        desk.work(other.run_id)
        asked = json.loads(bytes(before.arguments))
        with pytest.raises(RejectedBefore):
            desk.answer(other, asked["order"], asked["amount"])

    @pytest.mark.parametrize("ending", ["withdrawn", "returned", "approved"])
    def test_is_heard_where_nobody_has_rejected_it(self, ending: str, desk: Desk) -> None:
        before = desk.propose_refund()
        if ending == "withdrawn":
            api.withdraw_proposal(before.run_id, before.proposal_id, agent=AGENT)
        else:
            desk.decide(before, "return" if ending == "returned" else "approve")
        again(desk, before, desk.start_run())

    @pytest.mark.parametrize("seconds", [0, 1e-6])
    def test_is_heard_after_the_period_and_where_there_is_none(
        self, seconds: float, desk: Desk, settings: Any
    ) -> None:
        before = rejected(desk)
        settings.PLACET_HOLD_BACK_SECONDS = seconds
        again(desk, before)
        desk.work(before.run_id)
        assert desk.proposal(before.run_id).status == "open"


class TestDespiteARejection:
    def test_it_is_opened_and_the_terms_say_what_was_rejected_and_what_changed(
        self, desk: Desk
    ) -> None:
        before = rejected(desk)
        opened = despite(desk, before)
        terms = json.loads(bytes(opened.terms))
        assert terms["despite"] == {
            "proposal": [str(before.proposal_id), 1],
            "at": terms["despite"]["at"],
            "by": [desk.people.rosa.full_name],
            "reason_code": "wrong_amount",
            "reason": "Too much.",
            "what_changed": CHANGED,
        }
        assert opened.content == before.content

    def test_the_next_version_says_it_too(self, desk: Desk) -> None:
        before = rejected(desk)
        opened = despite(desk, before)
        desk.approve(opened)
        api.take_back_approval(
            opened.run_id, opened.pk, reviewer=reviewer(desk.people.rosa), reason="Wait."
        )
        desk.work(opened.run_id)
        newest = desk.proposal(opened.run_id)
        assert newest.version == 2
        assert json.loads(bytes(newest.terms))["despite"]["what_changed"] == CHANGED

    def test_the_newest_rejection_has_to_be_named(self, desk: Desk) -> None:
        first = rejected(desk)
        second = despite(desk, first)
        desk.decide(second, "reject", reason_code=None, reason="Still no.")
        desk.work(second.run_id)
        with pytest.raises(RejectedBefore) as refusal:
            despite(desk, first)
        assert refusal.value.rejected["proposal_id"] == str(second.proposal_id)
        assert refusal.value.rejected["reason_code"] is None
        despite(desk, first, second)

    def test_it_has_to_name_what_was_rejected_with_exactly_this(self, desk: Desk) -> None:
        before, open_one = rejected(desk), desk.propose_refund(desk.purchase())
        for named, content in ((open_one, open_one), (before, open_one)):
            with pytest.raises(Conflict) as refusal:
                despite(desk, content, named)
            assert type(refusal.value) is Conflict

    def test_it_says_what_has_changed_and_about_which(self, desk: Desk) -> None:
        before = rejected(desk)
        for changed in (None, "", "  \n"):
            with pytest.raises(BadInput) as refusal:
                again(desk, before, despite=before.proposal_id, what_changed=changed)
            assert refusal.value.path == "$.what_changed"
        with pytest.raises(BadInput) as refusal:
            again(desk, before, what_changed=CHANGED)
        assert refusal.value.path == "$.despite"
