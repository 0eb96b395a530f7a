"""A fork begins where another run stood. It inherits no decision, and repeats nothing unasked."""

import json
import uuid

import pytest

from engine import api
from engine.errors import BadInput, Conflict, NotFound, NotPermitted
from engine.models import Effect, Proposal
from tests.cast import AGENT, reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.world import Desk


def fork(desk: Desk, run_id: uuid.UUID, seq: int) -> uuid.UUID:
    otto = reviewer(desk.people.otto)
    return api.fork_run(run_id, seq, operator=otto, reason="Once more, from here.")


def a_refund_run(desk: Desk, order: str) -> uuid.UUID:
    run_id = desk.start_run("refund", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    return run_id


def seq_of(desk: Desk, run_id: uuid.UUID, kind: str) -> int:
    return next(event["seq"] for event in desk.database.log(run_id) if event["kind"] == kind)


def terms_of(proposal: Proposal) -> dict[str, object]:
    terms: dict[str, object] = json.loads(bytes(proposal.terms))
    return terms


def test_it_names_its_origin_and_starts_with_its_state(desk: Desk) -> None:
    origin = a_refund_run(desk, desk.purchase())
    seq = desk.run(origin).last_seq

    new = fork(desk, origin, seq)

    run = desk.run(new)
    assert run.forked_from == f"{origin}@{seq}"
    assert run.current_node == desk.run(origin).current_node
    assert api.position_at(new, 1).state == api.position_at(origin, seq).state
    assert desk.database.kinds(origin)[-1] == "run_parked", "the origin goes its own way"
    assert faults_in(desk.database, new) == []
    assert_tables_match_the_log(desk.database, new)


def test_an_open_proposal_is_not_inherited_but_made_anew_under_a_key_of_its_own(
    desk: Desk,
) -> None:
    origin = a_refund_run(desk, desk.purchase())
    before = desk.proposal(origin)
    new = fork(desk, origin, desk.run(origin).last_seq)

    desk.work(new)

    again = desk.proposal(new)
    assert again.status == "open"
    assert again.idempotency_key != before.idempotency_key
    assert bytes(again.arguments) == bytes(before.arguments)
    with pytest.raises(Conflict):
        desk.decide(again, "approve", digest=before.digest)


def test_an_approval_is_not_inherited_either(desk: Desk) -> None:
    order = desk.purchase()
    origin = a_refund_run(desk, order)
    desk.approve(desk.proposal(origin))
    new = fork(desk, origin, desk.run(origin).last_seq)

    desk.work(new)

    assert desk.run(new).status == "waiting_approval"
    assert desk.ledger.movements(order) == 0


def test_what_the_origin_did_after_the_fork_point_is_told_and_not_repeated_unasked(
    desk: Desk,
) -> None:
    order = desk.purchase(paid="80.00")
    origin = a_refund_run(desk, order)
    desk.approve(desk.proposal(origin))
    desk.work(origin)
    assert desk.ledger.movements(order) == 1

    new = fork(desk, origin, seq_of(desk, origin, "proposal_opened"))
    desk.work(new)

    proposal = desk.proposal(new)
    (done,) = terms_of(proposal)["repeats"]  # type: ignore[misc]
    assert done["effect_id"] == str(Effect.objects.get(run_id=origin).pk)
    assert done["run"] == str(origin)
    assert desk.ledger.movements(order) == 1

    desk.approve(proposal)
    desk.work(new)
    assert "effect_intended" in desk.database.kinds(new), "somebody has decided to do it again"


def test_what_is_not_the_same_repeats_nothing(desk: Desk) -> None:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    new = fork(desk, proposal.run_id, seq_of(desk, proposal.run_id, "proposal_opened"))
    desk.work(new)
    desk.ask_for_refund(new, desk.purchase(), "30.00")
    desk.work(new)
    assert terms_of(desk.proposal(new))["repeats"] == []


def test_the_same_agent_speaks_in_it(desk: Desk) -> None:
    origin = desk.start_run()
    desk.work(origin)
    new = fork(desk, origin, desk.run(origin).last_seq)
    desk.work(new)
    api.finish_run(new, agent=AGENT)
    desk.work(new)
    assert desk.run(new).status == "completed"


def test_a_run_that_has_ended_may_be_forked(desk: Desk) -> None:
    origin = a_refund_run(desk, desk.purchase())
    desk.decide(desk.proposal(origin), "reject")
    desk.work(origin)
    assert desk.run(origin).ended_at is not None

    new = fork(desk, origin, seq_of(desk, origin, "proposal_opened"))
    desk.work(new)

    assert desk.proposal(new).status == "open"


def test_while_an_effect_of_the_origin_is_unsettled_it_is_refused(desk: Desk) -> None:
    run_id = desk.approved_refund().run_id
    with just_before("intend_effect", desk.ledger.shut):
        desk.work(run_id)

    with pytest.raises(Conflict, match="not settled"):
        fork(desk, run_id, 2)


def test_whoever_forked_it_is_not_who_decides_in_it(desk: Desk) -> None:
    both = desk.people.somebody("both", "operator", "reviewer")
    origin = a_refund_run(desk, desk.purchase())
    new = api.fork_run(origin, 2, operator=reviewer(both), reason="Once more.")
    desk.work(new)

    with pytest.raises(NotPermitted, match="never decides"):
        desk.approve(desk.proposal(new), by=both)
    desk.approve(desk.proposal(new))


def test_only_operators_fork_with_a_reason_a_run_and_an_event_that_exist(desk: Desk) -> None:
    run_id = a_refund_run(desk, desk.purchase())
    otto, rosa = reviewer(desk.people.otto), reviewer(desk.people.rosa)
    with pytest.raises(NotPermitted):
        api.fork_run(run_id, 2, operator=rosa, reason="I would like to.")
    with pytest.raises(BadInput):
        api.fork_run(run_id, 2, operator=otto, reason="")
    for where, seq in ((run_id, 999), (run_id, 0), (uuid.uuid4(), 1)):
        with pytest.raises(NotFound):
            api.fork_run(where, seq, operator=otto, reason="From here.")
