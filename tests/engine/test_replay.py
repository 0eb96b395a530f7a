"""The tables are projections of the log: folding the log gives every column of every row."""

import json
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine import api, folding, sweeper
from engine.branches import branch as branching
from engine.branches import leg
from engine.errors import NotPermitted
from engine.models import Alert, Effect, Run
from engine.waits import Wait, sleep_for, wait_for
from engine.workflows import Context, Next, Workflow, finish
from oversight.demo.placet_actions import Refund
from tests.cast import AGENT, all_go_on, reviewer
from tests.engine import replay
from tests.engine.newer import newer_action, newer_code
from tests.engine.together import just_before
from tests.world import Database, Desk

PATIENCE = timedelta(seconds=20)

Story = Callable[[Desk], uuid.UUID]


def committed(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    api.finish_run(proposal.run_id, agent=AGENT)
    desk.work(proposal.run_id)
    return proposal.run_id


def two_in_a_row(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()
    desk.ask_for_refund(proposal.run_id, desk.purchase(), tool_call_id="call_2")
    desk.work(proposal.run_id)
    desk.approve(desk.proposal(proposal.run_id))
    desk.work(proposal.run_id)
    return proposal.run_id


def rejected(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund(evidence=[{"photo": "broken lamp"}])
    desk.decide(proposal, "reject", reason_code="wrong_amount", reason="")
    desk.work(proposal.run_id)
    return proposal.run_id


def asked_again_despite_a_rejection(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund()
    desk.decide(proposal, "reject")
    desk.work(proposal.run_id)
    api.request_effect(
        proposal.run_id,
        agent=proposal.agent,
        action=proposal.action,
        arguments=json.loads(bytes(proposal.arguments)),
        why="The lamp arrived broken.",
        despite=proposal.proposal_id,
        what_changed="The customer sent a photograph.",
    )
    desk.work(proposal.run_id)
    return proposal.run_id


def returned_answered_and_approved(desk: Desk) -> uuid.UUID:
    order = desk.purchase()
    proposal = desk.propose_refund(order)
    desk.decide(proposal, "return")
    desk.work(proposal.run_id)
    desk.answer(proposal, order, "20.00")
    desk.work(proposal.run_id)
    desk.approve(desk.proposal(proposal.run_id))
    desk.work(proposal.run_id)
    return proposal.run_id


def looked_at_before_it_was_decided(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund()
    api.look_again(proposal.run_id, proposal.pk, reviewer=reviewer(desk.people.rosa))
    desk.work(proposal.run_id)
    desk.approve(proposal)
    desk.work(proposal.run_id)
    return proposal.run_id


def edited_and_approved_by_another(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund()
    api.edit(
        proposal.run_id,
        proposal.pk,
        reviewer=reviewer(desk.people.somebody("mina", "reviewer")),
        version=1,
        digest=proposal.digest,
        arguments={**json.loads(bytes(proposal.arguments)), "amount": "20.00"},
        reason="It cost less.",
    )
    desk.work(proposal.run_id)
    desk.approve(desk.proposal(proposal.run_id))
    desk.work(proposal.run_id)
    return proposal.run_id


def decided_by_who_may_not(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund()
    with pytest.raises(NotPermitted):
        desk.approve(proposal, by=desk.people.tomas)
    return proposal.run_id


def claimed_taken_over_and_let_go(desk: Desk) -> uuid.UUID:
    proposal, rosa = desk.propose_refund(), reviewer(desk.people.rosa)
    mina = reviewer(desk.people.somebody("mina", "reviewer"))
    api.claim(proposal.run_id, proposal.pk, reviewer=rosa)
    api.claim(proposal.run_id, proposal.pk, reviewer=mina, take_over_from=rosa.person_id)
    api.release(proposal.run_id, proposal.pk, reviewer=mina)
    return proposal.run_id


def lapsed_since_the_world_changed(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund(amount="25.00")
    desk.ledger.set_balance("1.00")
    desk.work(proposal.run_id)
    return proposal.run_id


def refused_by_the_target(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund(desk.purchase(paid="20.00"), amount="25.00")
    desk.work(proposal.run_id)
    return proposal.run_id


def rolled_back(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund(desk.purchase(handling_fee="1.50"))
    desk.work(proposal.run_id)
    assert desk.run(proposal.run_id).status == "rolled_back"
    return proposal.run_id


def rolled_back_by_an_operator(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    take_back(desk, proposal.run_id)
    assert desk.run(proposal.run_id).status == "rolled_back"
    return proposal.run_id


def rolled_back_after_its_end(desk: Desk) -> uuid.UUID:
    run_id = committed(desk)
    take_back(desk, run_id)
    assert desk.database.kinds(run_id)[-1] == "effect_compensated"
    return run_id


def the_run_that_rolls_another_back(desk: Desk) -> uuid.UUID:
    run_id = take_back(desk, committed(desk))
    assert desk.run(run_id).status == "rolled_back"
    return run_id


def taken_back_by_hand(desk: Desk) -> uuid.UUID:
    """The rollback was prepared when it turned out that somebody else had been there."""
    order = desk.purchase()
    run_id = desk.approved_refund(order).run_id
    desk.work(run_id)
    desk.ledger.execute("UPDATE purchase SET refunded = 30.00 WHERE order_no = %s", order)
    take_back(desk, run_id)
    effect = Effect.objects.get(compensates=None)
    api.confirm_by_hand(
        run_id,
        effect.pk,
        operator=reviewer(desk.people.otto),
        seen_evidence="The bank's letter.",
        reason="They paid it back.",
    )
    desk.work(run_id)
    assert desk.run(run_id).status == "rolled_back"
    return run_id


def take_back(desk: Desk, run_id: uuid.UUID) -> uuid.UUID:
    otto = reviewer(desk.people.otto)
    by = api.roll_back(run_id, operator=otto, reason="It was sound.")
    desk.work(by)
    return by


def stopped_and_let_go_on(desk: Desk) -> uuid.UUID:
    proposal, otto = desk.approved_refund(), reviewer(desk.people.otto)
    api.stop_everything(otto, "Something is odd.")
    desk.work(proposal.run_id)
    all_go_on(desk.people)
    desk.work(proposal.run_id)
    desk.approve(desk.proposal(proposal.run_id))
    desk.work(proposal.run_id)
    return proposal.run_id


def lapsed_by_the_sweep_under_a_stop(desk: Desk) -> uuid.UUID:
    """Right before the gate: what was prepared is not sent."""
    proposal, otto = desk.approved_refund(), reviewer(desk.people.otto)

    def stop_and_sweep() -> None:
        api.stop_everything(otto, "Something is odd.")
        assert sweeper.run_once().lapsed == 1

    with just_before("intend_effect", stop_and_sweep):
        desk.work(proposal.run_id)
    return proposal.run_id


def paused_and_resumed(desk: Desk) -> uuid.UUID:
    effect, otto = nobody_can_tell(desk), reviewer(desk.people.otto)
    api.resume_run(effect.run_id, reviewer=otto, reason="It answers again.")
    desk.work(effect.run_id)
    return effect.run_id


def closed_without_any_effect(desk: Desk) -> uuid.UUID:
    run_id = desk.start_run("refund", order="none", customer="Mara Vogel", amount="0.00")
    desk.work(run_id)
    return run_id


def unknown_and_found(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()
    with desk.ledger.answers_lost():
        desk.work(proposal.run_id)
    assert "effect_reconciled" in desk.database.kinds(proposal.run_id)
    return proposal.run_id


def withdrawn_while_open(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund()
    api.withdraw_proposal(proposal.run_id, proposal.proposal_id, agent=AGENT)
    desk.work(proposal.run_id)
    return proposal.run_id


def withdrawn_right_before_the_gate(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()

    def withdraw() -> None:
        api.withdraw_proposal(proposal.run_id, proposal.proposal_id, agent=AGENT)

    with just_before("intend_effect", withdraw):
        desk.work(proposal.run_id)
    assert Effect.objects.get().outcome == "not_sent"
    return proposal.run_id


def carried_over_while_it_was_prepared(desk: Desk) -> uuid.UUID:
    run_id = desk.approved_refund().run_id
    with newer_code(), just_before("prepare_effect", lambda: newer_action(Refund)):
        desk.work(run_id)
        desk.approve(desk.proposal(run_id))
        desk.work(run_id)
    return run_id


def cancelled_right_before_the_gate(desk: Desk) -> uuid.UUID:
    run_id, otto = desk.approved_refund().run_id, reviewer(desk.people.otto)

    def cancel() -> None:
        api.cancel_run(run_id, operator=otto, reason="It is not wanted any more.")

    with just_before("intend_effect", cancel):
        desk.work(run_id)
    return run_id


def paused_and_forked(desk: Desk) -> uuid.UUID:
    run_id, otto = desk.propose_refund().run_id, reviewer(desk.people.otto)
    api.pause_run(run_id, operator=otto, reason="Wait.")
    desk.work(run_id)
    new = api.fork_run(run_id, desk.run(run_id).last_seq, operator=otto, reason="Once more.")
    desk.work(new)
    return new


def nobody_can_tell(desk: Desk) -> Effect:
    """An effect whose target stopped answering in the middle of the call, until a person asks."""
    run_id = desk.approved_refund().run_id
    with just_before("intend_effect", desk.ledger.shut):
        desk.work(run_id)
    while desk.run(run_id).status != "paused":
        desk.work_on_after_waiting(run_id)
    desk.ledger.open()
    return Effect.objects.get(run_id=run_id)


def ruled_that_it_happened(desk: Desk) -> uuid.UUID:
    effect = nobody_can_tell(desk)
    rule(desk, effect, "happened", resource_id="A-1")
    return effect.run_id


def ruled_that_it_did_not_happen(desk: Desk) -> uuid.UUID:
    effect = nobody_can_tell(desk)
    desk.database.execute(
        "UPDATE engine_effect SET call_deadline = call_deadline - '1 d'::interval"
    )
    rule(desk, effect, "did_not_happen")
    desk.database.execute(
        "UPDATE engine_effect SET call_deadline = call_deadline + '1 d'::interval"
    )
    return effect.run_id


def ruled_that_it_happened_partly(desk: Desk) -> uuid.UUID:
    effect = nobody_can_tell(desk)
    rule(desk, effect, "partly", resource_id="A-1")
    return effect.run_id


def asked_again(desk: Desk) -> uuid.UUID:
    effect = nobody_can_tell(desk)
    api.probe_again(effect.run_id, effect.pk, operator=reviewer(desk.people.otto))
    desk.work(effect.run_id)
    return effect.run_id


def rule(desk: Desk, effect: Effect, resolution: str, resource_id: str | None = None) -> None:
    api.resolve_effect(
        effect.run_id,
        effect.pk,
        operator=reviewer(desk.people.otto),
        resolution=resolution,
        reason="I asked the bank.",
        seen_evidence="Their letter of today.",
        resource_id=resource_id,
    )
    desk.work(effect.run_id)


def an_alert_taken_on_and_dealt_with(desk: Desk) -> uuid.UUID:
    run_id, otto = rolled_back(desk), reviewer(desk.people.otto)
    alert = Alert.objects.get()
    due = datetime.now(UTC) + timedelta(hours=1)
    api.acknowledge_alert(
        run_id, alert.pk, operator=otto, cause="A fee.", next_step="Ask the bank.", due_at=due
    )
    api.resolve_alert(run_id, alert.pk, operator=otto, resolution="They paid it back.")
    return run_id


def an_alert_that_was_taken_on_and_is_open_again(desk: Desk) -> uuid.UUID:
    run_id, otto = rolled_back(desk), reviewer(desk.people.otto)
    alert = Alert.objects.get()
    due = datetime.now(UTC) + timedelta(milliseconds=100)
    api.acknowledge_alert(
        run_id, alert.pk, operator=otto, cause="A fee.", next_step="Ask the bank.", due_at=due
    )
    while not sweeper.run_once().reopened:
        assert datetime.now(UTC) < due + PATIENCE
    assert desk.database.kinds(run_id)[-1] == "alert_reopened"
    return run_id


def the_log_of_stops(desk: Desk) -> uuid.UUID:
    otto = reviewer(desk.people.otto)
    api.stop_everything(otto, "Something is odd.")
    all_go_on(desk.people)
    run_id = desk.database.value("SELECT run_id FROM engine_run WHERE workflow = 'system.stops'")
    assert desk.database.kinds(run_id) == [
        "stream_begun",
        "stop_placed",
        "stop_lift_asked",
        "stop_lifted",
    ]
    return run_id


def returned(order: str = "A-1") -> None:
    payload = {"b": [1, 2.50, None], "ä": "\u2028 “x”"}
    api.deliver_event("goods_returned", order, order, payload, sender="agent:warehouse")


def waits_for_an_event(desk: Desk) -> uuid.UUID:
    order = desk.purchase()
    run_id = desk.start_run("refund_on_return", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    return run_id


def an_event_that_was_waited_for(desk: Desk) -> uuid.UUID:
    run_id = waits_for_an_event(desk)
    returned()
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    desk.work(run_id)
    assert desk.run(run_id).status == "completed"
    return run_id


def an_event_that_came_early(desk: Desk) -> uuid.UUID:
    returned()
    run_id = waits_for_an_event(desk)
    assert desk.run(run_id).status == "waiting_approval"
    return run_id


def waiting(desk: Desk, wait: Wait) -> uuid.UUID:
    """A run that a worker has brought to this wait, after which it ends."""
    made = Workflow("waiting", start="first")

    def first(ctx: Context) -> Next:
        return wait

    def last(ctx: Context) -> Next:
        return finish()

    made.node(to=["last"])(first)
    made.node(ends=True)(last)
    run_id = desk.start_run("waiting")
    desk.work(run_id)
    return run_id


def an_event_that_came_too_late(desk: Desk) -> uuid.UUID:
    """Its time was over as soon as it had begun."""
    at_once = timedelta(microseconds=1)
    run_id = waiting(desk, wait_for("goods_returned", key="A-1", then="last", expires=at_once))
    returned()
    desk.work(run_id)
    assert "wait_elapsed" in desk.database.kinds(run_id)
    assert desk.run(run_id).reason_code == "expired"
    return run_id


def recalled(desk: Desk) -> uuid.UUID:
    """A recalled article: two customers to be paid back, each by a branch of its own."""
    claims = [
        {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "25.00"} for _ in range(2)
    ]
    run_id = desk.start_run("recall", claims=claims)
    desk.work(run_id)
    for branch in Run.objects.filter(parent_id=run_id):
        desk.work(branch.run_id)
    return run_id


def branched_and_joined(desk: Desk) -> uuid.UUID:
    run_id = recalled(desk)
    for branch in Run.objects.filter(parent_id=run_id):
        desk.approve(desk.proposal(branch.run_id))
        desk.work(branch.run_id)
    desk.work(run_id)
    assert desk.run(run_id).status == "completed"
    return run_id


def a_branch(desk: Desk) -> uuid.UUID:
    run_id = branched_and_joined(desk)
    return Run.objects.filter(parent_id=run_id).latest("created_at").run_id


def branches_whose_time_was_up(desk: Desk) -> uuid.UUID:
    run_id = branching_for_a_moment(desk)
    desk.work(run_id)
    for branch in Run.objects.filter(parent_id=run_id):
        desk.work(branch.run_id)
    desk.work(run_id)
    assert "branches_recalled" in desk.database.kinds(run_id)
    assert desk.run(run_id).reason_code == "expired"
    return run_id


def branching_for_a_moment(desk: Desk) -> uuid.UUID:
    order, made = desk.purchase(), Workflow("waiting", start="first")
    claim = {"order": order, "customer": "Mara Vogel", "amount": "25.00"}

    def first(ctx: Context) -> Next:
        at_once = timedelta(microseconds=1)
        return branching({"only": leg("refund", claim)}, then="last", expires=at_once)

    def last(ctx: Context) -> Next:
        return finish()

    made.node(to=["last"])(first)
    made.node(ends=True)(last)
    run_id = desk.start_run("waiting")
    desk.work(run_id)
    return run_id


def cancelled_while_it_branched(desk: Desk) -> uuid.UUID:
    run_id = recalled(desk)
    api.cancel_run(run_id, operator=reviewer(desk.people.otto), reason="Not wanted any more.")
    for branch in Run.objects.filter(parent_id=run_id):
        desk.work(branch.run_id)
    desk.work(run_id)
    assert desk.run(run_id).status == "cancelled"
    return run_id


def slept(desk: Desk) -> uuid.UUID:
    run_id = waiting(desk, sleep_for(timedelta(), then="last"))
    desk.work(run_id)
    assert desk.run(run_id).status == "completed"
    return run_id


def cancelled_while_it_waited(desk: Desk) -> uuid.UUID:
    run_id = waits_for_an_event(desk)
    api.cancel_run(run_id, operator=reviewer(desk.people.otto), reason="Not wanted any more.")
    desk.work(run_id)
    return run_id


def the_log_of_events_from_outside(desk: Desk) -> uuid.UUID:
    returned()
    run_id = desk.database.value("SELECT run_id FROM engine_run WHERE workflow = 'system.inbound'")
    assert desk.database.kinds(run_id) == ["stream_begun", "event_kept"]
    return run_id


STORIES: list[Story] = [
    committed,
    two_in_a_row,
    rejected,
    asked_again_despite_a_rejection,
    returned_answered_and_approved,
    edited_and_approved_by_another,
    looked_at_before_it_was_decided,
    decided_by_who_may_not,
    claimed_taken_over_and_let_go,
    lapsed_since_the_world_changed,
    refused_by_the_target,
    unknown_and_found,
    rolled_back,
    rolled_back_by_an_operator,
    rolled_back_after_its_end,
    the_run_that_rolls_another_back,
    taken_back_by_hand,
    stopped_and_let_go_on,
    lapsed_by_the_sweep_under_a_stop,
    paused_and_resumed,
    closed_without_any_effect,
    withdrawn_while_open,
    withdrawn_right_before_the_gate,
    carried_over_while_it_was_prepared,
    cancelled_right_before_the_gate,
    paused_and_forked,
    ruled_that_it_happened,
    ruled_that_it_did_not_happen,
    ruled_that_it_happened_partly,
    asked_again,
    an_alert_taken_on_and_dealt_with,
    an_alert_that_was_taken_on_and_is_open_again,
    the_log_of_stops,
    waits_for_an_event,
    an_event_that_was_waited_for,
    an_event_that_came_early,
    an_event_that_came_too_late,
    slept,
    cancelled_while_it_waited,
    branched_and_joined,
    a_branch,
    branches_whose_time_was_up,
    cancelled_while_it_branched,
    the_log_of_events_from_outside,
]


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_the_log_tells_every_column(story: Story, desk: Desk) -> None:
    run_id = story(desk)

    assert_tables_match_the_log(desk.database, run_id)


def assert_tables_match_the_log(database: Database, run_id: uuid.UUID) -> None:
    """Every row of the run's tables is what its log says, in every column."""
    assert differing_from_the_log(database, run_id) == []


def differing_from_the_log(database: Database, run_id: uuid.UUID) -> list[str]:
    """Each row of the run's tables that is not what its log says."""
    told = replay.replayed(database.log(run_id))
    return [
        f"{table} {key}: {found}"
        for table in vars(told)
        for key, found in differing(stored(database, table, run_id), getattr(told, table))
    ]


Rows = dict[str, dict[str, Any]]


def differing(rows: Rows, told: Rows) -> Iterator[tuple[str, object]]:
    """By primary key: column → (what is stored, what the log tells), where they differ."""
    for key in rows.keys() | told.keys():
        row, facts = rows.get(key, {}), told.get(key, {})
        names = [name for name in row | facts if row.get(name, ...) != facts.get(name, ...)]
        if names:
            yield key, {name: (row.get(name, "-"), facts.get(name, "-")) for name in names}


def stored(database: Database, table: str, run_id: uuid.UUID) -> Rows:
    """The run's rows by primary key, as plain values."""
    of_the_run = {
        "engine_decision": "proposal_id IN (SELECT id FROM engine_proposal WHERE run_id = %s)",
        "engine_claim": "proposal_id IN (SELECT id FROM engine_proposal WHERE run_id = %s)",
        "engine_inboundevent": "id IN (SELECT inbound_id FROM engine_taking WHERE run_id = %s)",
    }
    where = of_the_run.get(table, "run_id = %s")
    left_out = replay.NOT_IN_THE_LOG.get(table, set())
    rows = database.rows(f"SELECT * FROM {table} WHERE {where}", run_id)  # noqa: S608
    plain_rows = [{k: plain(v) for k, v in row.items() if k not in left_out} for row in rows]
    return {row.get(KEYS.get(table, ""), next(iter(row.values()))): row for row in plain_rows}


KEYS = {"engine_taking": "inbound_id"}
"""Where the first column is not the primary key, or the part of it that differs within a run."""


def plain(value: object) -> object:
    return str(value) if isinstance(value, uuid.UUID) else value


def test_every_kind_that_the_engine_folds_is_told() -> None:
    """A kind that no replay knows would be a fact that nobody else can fold."""
    assert set(folding._FOLDS) <= set(replay.HANDLERS)


def test_an_expired_proposal_is_told(desk: Desk) -> None:
    """Its time is only moved back in the table; the log still knows what was shown."""
    proposal = desk.propose_refund()
    before = proposal.valid_until
    desk.database.deadline_passes_for(proposal.pk)
    sweeper.run_once()
    desk.work(proposal.run_id)
    desk.database.execute("UPDATE engine_proposal SET valid_until = %s", before)

    assert_tables_match_the_log(desk.database, proposal.run_id)


def test_a_row_that_was_changed_by_hand_is_found(desk: Desk) -> None:
    run_id = committed(desk)
    desk.database.execute("UPDATE engine_effect SET outcome = 'as if' WHERE run_id = %s", run_id)

    with pytest.raises(AssertionError, match="engine_effect"):
        assert_tables_match_the_log(desk.database, run_id)
