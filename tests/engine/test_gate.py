"""Nothing executes without an approval, valid at that moment, of exactly what is executed."""

import json
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from django.test import override_settings

from engine import api, execution
from engine.errors import NotPermitted
from engine.models import Alert, Decision, Effect, Proposal
from tests.cast import reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.world import Desk

TAMPERING = {
    "arguments": "UPDATE engine_proposal SET arguments ="
    " convert_to(replace(convert_from(arguments, 'UTF8'), '25.00', '75.00'), 'UTF8')",
    "terms": "UPDATE engine_proposal SET terms ="
    " convert_to(replace(convert_from(terms, 'UTF8'), 'Mara', 'Nara'), 'UTF8')",
    "action": "UPDATE engine_proposal SET action = 'ledger.refund_all'",
    "action version": "UPDATE engine_proposal SET action_version = 7",
    "digest": "UPDATE engine_proposal SET digest = repeat('0', 64)",
    "idempotency key": "UPDATE engine_proposal SET idempotency_key = repeat('0', 64)",
    "arguments and a digest to match": """
        UPDATE engine_proposal SET arguments = convert_to('{"order":"X"}', 'UTF8');
        UPDATE engine_proposal SET digest = encode(sha256(convert_to('{"arguments":"'
            || encode(sha256(arguments), 'hex') || '","terms":"'
            || encode(sha256(terms), 'hex') || '"}', 'UTF8')), 'hex');
        UPDATE engine_decision SET digest = (SELECT digest FROM engine_proposal)""",
}
"""What somebody with all rights on the database may do to an approved proposal."""

OF_THE_EFFECT = {
    "arguments": "UPDATE engine_effect SET arguments ="
    " convert_to(replace(convert_from(arguments, 'UTF8'), '25.00', '75.00'), 'UTF8')",
    "idempotency key": "UPDATE engine_effect SET idempotency_key = repeat('0', 64)",
    "action": "UPDATE engine_effect SET action = 'ledger.refund_all'",
    "action version": "UPDATE engine_effect SET action_version = 7",
    "proposal version": "UPDATE engine_effect SET proposal_version = 7",
    "idempotency key, in the proposal too": "UPDATE engine_effect SET idempotency_key ="
    " repeat('0', 64); UPDATE engine_proposal SET idempotency_key = repeat('0', 64)",
}
"""And to an effect that was prepared under it."""

THE_GATE = "effect_intended"


def work_with(desk: Desk, proposal: Proposal, interruption: Callable[[], object]) -> None:
    """The worker has prepared the effect and stands right before the gate when this happens."""
    with just_before("intend_effect", interruption):
        desk.work(proposal.run_id)


def assert_nothing_fired(desk: Desk, proposal: Proposal, order: str) -> None:
    assert desk.ledger.movements(order) == 0
    assert desk.ledger.honoured() == []
    assert THE_GATE not in desk.database.kinds(proposal.run_id)
    assert not Effect.objects.exclude(status="failed", outcome="not_sent").exists()


def assert_paused_with_an_alert(desk: Desk, proposal: Proposal) -> None:
    run = desk.run(proposal.run_id)
    assert (run.status, run.reason_code) == ("paused", "checksum_mismatch")
    (alert,) = Alert.objects.all()
    assert (alert.kind, alert.status, alert.run_id) == ("digest_mismatch", "open", run.run_id)


class TestChangedByHandAfterTheApproval:
    @pytest.mark.parametrize("what", TAMPERING)
    def test_before_a_worker_came_by(self, what: str, desk: Desk) -> None:
        order = desk.purchase()
        proposal = desk.approved_refund(order)
        desk.database.execute(TAMPERING[what])

        desk.work(proposal.run_id)

        assert_nothing_fired(desk, proposal, order)
        assert_paused_with_an_alert(desk, proposal)

    @pytest.mark.parametrize("what", TAMPERING)
    def test_between_prepare_and_intend(self, what: str, desk: Desk) -> None:
        order = desk.purchase()
        proposal = desk.approved_refund(order)

        work_with(desk, proposal, lambda: desk.database.execute(TAMPERING[what]))

        assert_nothing_fired(desk, proposal, order)
        assert_paused_with_an_alert(desk, proposal)

    @pytest.mark.parametrize("what", OF_THE_EFFECT)
    def test_in_the_prepared_effect(self, what: str, desk: Desk) -> None:
        order = desk.purchase()
        proposal = desk.approved_refund(order)

        work_with(desk, proposal, lambda: desk.database.execute(OF_THE_EFFECT[what]))

        assert_nothing_fired(desk, proposal, order)

    def test_a_proposal_declared_approved_by_hand_is_not_even_prepared(self, desk: Desk) -> None:
        """The log is what counts; a decision that is not in it was not made."""
        order = desk.purchase()
        proposal = desk.propose_refund(order)
        desk.database.execute("UPDATE engine_proposal SET status = 'approved'")
        desk.database.execute("UPDATE engine_run SET wake_at = now()")

        desk.work(proposal.run_id)

        assert_nothing_fired(desk, proposal, order)
        assert "effect_prepared" not in desk.database.kinds(proposal.run_id)

    @pytest.mark.parametrize("status", ["withdrawn", "lapsed", "superseded", "rejected"])
    def test_a_proposal_that_is_approved_no_more_is_not_sent(self, status: str, desk: Desk) -> None:
        """Although its decisions and its prepared effect still stand there."""
        proposal = desk.approved_refund(order := desk.purchase())

        def undone() -> None:
            desk.database.execute("UPDATE engine_proposal SET status = %s", status)

        work_with(desk, proposal, undone)

        assert desk.ledger.movements(order) == 0
        assert THE_GATE not in desk.database.kinds(proposal.run_id)

    def test_a_decision_turned_into_an_approval_by_hand_does_not_execute(self, desk: Desk) -> None:
        order = desk.purchase()
        proposal = desk.propose_refund(order)
        desk.decide(proposal, "reject")
        desk.database.execute("UPDATE engine_decision SET decision = 'approve'")
        desk.database.execute("UPDATE engine_proposal SET status = 'approved'")

        desk.work(proposal.run_id)

        assert_nothing_fired(desk, proposal, order)


def is_deactivated(desk: Desk) -> None:
    desk.database.execute("UPDATE oversight_person SET is_active = false WHERE username = 'rosa'")


def has_left_the_group(desk: Desk) -> None:
    desk.database.execute(
        "DELETE FROM oversight_person_groups g USING oversight_person p"
        " WHERE p.id = g.person_id AND p.username = 'rosa'"
    )


def turns_out_to_have_started_it(desk: Desk) -> None:
    desk.database.execute(
        "UPDATE engine_run SET initiator_person_id ="
        " (SELECT id FROM oversight_person WHERE username = 'rosa')"
    )


def another_rule_is_in_force(desk: Desk) -> None:
    two = [{"name": "reviewer", "approve": 2}]
    desk.put_in_force({"action": "ledger.*", "groups": two})


def no_policy_is_in_force(desk: Desk) -> None:
    desk.database.execute("UPDATE engine_policy SET status = 'retired'")


def the_time_is_over(desk: Desk) -> None:
    desk.database.execute("UPDATE engine_proposal SET valid_until = clock_timestamp()")


def everything_is_stopped(desk: Desk) -> None:
    api.stop_everything(reviewer(desk.people.otto), "Something is odd.")


def the_run_stands_on_another_graph(desk: Desk) -> None:
    desk.database.execute("UPDATE engine_run SET workflow_version = 2")


def the_run_stands_on_another_model(desk: Desk) -> None:
    desk.database.execute("""UPDATE engine_run SET stands_on = '{"model": "m-2026-09"}'""")


LOST = [
    is_deactivated,
    has_left_the_group,
    turns_out_to_have_started_it,
    another_rule_is_in_force,
    no_policy_is_in_force,
    the_time_is_over,
    everything_is_stopped,
    the_run_stands_on_another_graph,
    the_run_stands_on_another_model,
]


class TestAuthorityIsAskedAgainAtTheGate:
    @pytest.mark.parametrize("lost", LOST, ids=lambda lost: lost.__name__)
    def test_what_was_lost_before_a_worker_came_by(
        self, lost: Callable[[Desk], None], desk: Desk
    ) -> None:
        order = desk.purchase()
        proposal = desk.approved_refund(order)
        lost(desk)

        desk.work(proposal.run_id)

        assert_nothing_fired(desk, proposal, order)
        assert_lapsed(desk, proposal)

    @pytest.mark.parametrize("lost", LOST, ids=lambda lost: lost.__name__)
    def test_what_was_lost_between_prepare_and_intend(
        self, lost: Callable[[Desk], None], desk: Desk
    ) -> None:
        order = desk.purchase()
        proposal = desk.approved_refund(order)
        desk.people.otto  # noqa: B018 - he steps on stage before the worker does

        work_with(desk, proposal, lambda: lost(desk))

        assert_nothing_fired(desk, proposal, order)
        assert_lapsed(desk, proposal)

    def test_without_such_a_loss_it_executes(self, desk: Desk) -> None:
        order = desk.purchase()
        proposal = desk.approved_refund(order)

        work_with(desk, proposal, lambda: None)

        assert desk.ledger.movements(order) == 1

    @pytest.mark.parametrize("max_effects", [1, 2])
    def test_no_more_effects_than_the_budget_allows(self, max_effects: int, desk: Desk) -> None:
        with override_settings(PLACET_BUDGET={"max_steps": 100, "max_effects": max_effects}):
            first = desk.approved_refund()
        desk.work(first.run_id)
        order = desk.purchase()
        desk.ask_for_refund(first.run_id, order)
        desk.work(first.run_id)
        desk.approve(desk.proposal(first.run_id))

        desk.work(first.run_id)

        assert desk.ledger.movements(order) == max_effects - 1
        run = desk.run(first.run_id)
        if max_effects == 1:
            assert (run.status, run.reason_code) == ("paused", "budget_exhausted")


class TestTheVersionThatIsCalled:
    def test_is_the_one_that_was_prepared(self, desk: Desk) -> None:
        """A worker whose code would call another version does not come through the gate."""
        order = desk.purchase()
        proposal = desk.approved_refund(order)
        with patch.object(execution, "_intent", of_the_next_version):
            desk.work(proposal.run_id)

        assert_nothing_fired(desk, proposal, order)
        assert_paused_with_an_alert(desk, proposal)


def of_the_next_version(*said: Any) -> dict[str, Any]:
    facts = real_intent(*said)
    return {**facts, "action_version": facts["action_version"] + 1}


real_intent = execution._intent


def assert_lapsed(desk: Desk, proposal: Proposal) -> None:
    """The approval is gone for good; what goes on is a new version that somebody must decide."""
    proposal.refresh_from_db()
    assert proposal.status == "lapsed"
    later = Proposal.objects.filter(run_id=proposal.run_id, version__gt=proposal.version)
    assert set(later.values_list("status", flat=True)) <= {"open"}
    assert set(later.values_list("idempotency_key", flat=True)).isdisjoint(
        {proposal.idempotency_key}
    )
    assert faults_in(desk.database, proposal.run_id) == []


class TestWhoMayDecide:
    def test_the_agent_s_owner_may_not_and_the_attempt_is_an_event(self, desk: Desk) -> None:
        proposal = desk.propose_refund()

        with pytest.raises(NotPermitted, match="never decides"):
            desk.approve(proposal, by=desk.people.tomas)

        (refusal,) = [
            event
            for event in desk.database.log(proposal.run_id)
            if event["kind"] == "decision_refused"
        ]
        assert json.loads(refusal["payload"])["person"] == desk.people.tomas.pk
        assert refusal["actor"] == f"person:{desk.people.tomas.pk}"
        assert_still_open(desk, proposal)

    @pytest.mark.parametrize("name", ["otto", "ada", "ines", "zoe"])
    def test_nobody_outside_the_reviewers_may(self, name: str, desk: Desk) -> None:
        proposal = desk.propose_refund()

        with pytest.raises(NotPermitted, match=r'(?i)only members of "reviewer"'):
            desk.approve(proposal, by=getattr(desk.people, name))

        assert_still_open(desk, proposal)

    def test_a_superuser_of_the_project_may_not_for_that_reason(self, desk: Desk) -> None:
        root = desk.people.somebody("root")
        root.is_superuser = root.is_staff = True
        root.save()
        proposal = desk.propose_refund()

        with pytest.raises(NotPermitted):
            desk.approve(proposal, by=root)

        assert_still_open(desk, proposal)

    @pytest.mark.parametrize("lost", [is_deactivated, has_left_the_group])
    def test_a_role_lost_between_view_and_click_counts(
        self, lost: Callable[[Desk], None], desk: Desk
    ) -> None:
        proposal, rosa = desk.propose_refund(), reviewer(desk.people.rosa)
        assert api.why_not_decide(rosa, proposal.pk) is None
        lost(desk)

        with pytest.raises(NotPermitted):
            desk.approve(proposal)

        assert api.why_not_decide(rosa, proposal.pk) is not None
        assert_still_open(desk, proposal)

    def test_nobody_may_where_no_policy_is_in_force(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        no_policy_is_in_force(desk)

        rosa = reviewer(desk.people.rosa)
        assert api.why_not_decide(rosa, proposal.pk) == "no policy is in force"
        with pytest.raises(NotPermitted, match=r"(?i)no policy"):
            desk.approve(proposal)

        assert_still_open(desk, proposal)


class TestWhoMayStopEverything:
    @pytest.mark.parametrize("name", ["rosa", "ada", "ines"])
    def test_others_may_neither_stop_nor_go_on(self, name: str, desk: Desk) -> None:
        other = reviewer(getattr(desk.people, name))

        with pytest.raises(NotPermitted):
            api.stop_everything(other, "Something is odd.")
        api.stop_everything(reviewer(desk.people.otto), "Something is odd.")
        with pytest.raises(NotPermitted):
            api.go_on(other, "It was nothing.")

    @pytest.mark.parametrize("name", ["otto", "zoe"])
    def test_operators_and_administrators_may(self, name: str, desk: Desk) -> None:
        person = reviewer(getattr(desk.people, name))

        api.stop_everything(person, "Something is odd.")
        assert not api.go_on(person, "It was nothing.")

    def test_an_operator_who_was_deactivated_may_not(self, desk: Desk) -> None:
        otto = reviewer(desk.people.otto)
        desk.database.execute("UPDATE oversight_person SET is_active = false")

        with pytest.raises(NotPermitted):
            api.stop_everything(otto, "Something is odd.")

    def test_only_an_operator_lets_a_paused_run_go_on(self, desk: Desk) -> None:
        proposal = desk.approved_refund()
        desk.database.execute(TAMPERING["digest"])
        desk.work(proposal.run_id)
        assert desk.run(proposal.run_id).status == "paused"

        for name in ("rosa", "ada", "zoe"):
            with pytest.raises(NotPermitted):
                api.resume_run(
                    proposal.run_id,
                    reviewer=reviewer(getattr(desk.people, name)),
                    reason="Go on.",
                )


def assert_still_open(desk: Desk, proposal: Proposal) -> None:
    proposal.refresh_from_db()
    assert proposal.status == "open"
    assert not Decision.objects.exists()
    assert_tables_match_the_log(desk.database, proposal.run_id)
