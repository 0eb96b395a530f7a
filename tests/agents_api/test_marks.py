"""The mark of a proposal changes with what is news to an agent, and with nothing else."""

import pytest

from engine import worker
from engine.models import Proposal
from tests.agents_api.caller import PROPOSAL, REFUND, RUNS, Caller, problem
from tests.world import Desk


def test_every_turn_of_a_proposal_is_news(desk: Desk, caller: Caller) -> None:
    run_id = caller.start_run()
    proposal_id = caller.propose(run_id, arguments={**REFUND, "order": desk.purchase()})
    marks = [caller.proposal(run_id, proposal_id)["mark"]]
    for turn in (
        lambda: worker.run_once(run_id),
        lambda: desk.decide(Proposal.objects.get(), "return", question="Which lamp?"),
        lambda: worker.run_once(run_id),
    ):
        turn()
        marks.append(caller.proposal(run_id, proposal_id)["mark"])
    preparing, opened, returned, waiting = marks
    assert len({preparing, opened, returned}) == 3
    assert waiting == returned


def test_an_effect_is_news_when_it_is_committed(desk: Desk, caller: Caller) -> None:
    run_id = caller.start_run()
    proposal_id = caller.propose(run_id, arguments={**REFUND, "order": desk.purchase()})
    worker.run_once(run_id)
    desk.approve(Proposal.objects.get())
    approved = caller.proposal(run_id, proposal_id)
    worker.run_once(run_id)
    committed = caller.proposal(run_id, proposal_id)
    assert committed["final"]
    assert committed["mark"] != approved["mark"]


def test_what_the_run_does_meanwhile_is_none(desk: Desk, caller: Caller) -> None:
    run_id = caller.start_run()
    proposal_id = caller.propose(run_id)
    before = caller.proposal(run_id, proposal_id)
    caller.propose(run_id)
    after = caller.proposal(run_id, proposal_id)
    assert after["run_last_seq"] == before["run_last_seq"] + 1
    assert after["mark"] == before["mark"]


def test_that_the_run_stands_still_is(desk: Desk, caller: Caller) -> None:
    """An agent that waits for a reviewer hears that there is none to wait for just now."""
    run_id = caller.start_run()
    proposal_id = caller.propose(run_id)
    before = caller.proposal(run_id, proposal_id)
    desk.database.execute("UPDATE engine_run SET status = 'paused', reason_code = 'operator'")
    after = caller.proposal(run_id, proposal_id)
    assert after["run_reason_code"] == "operator"
    assert after["mark"] != before["mark"]


def test_the_mark_is_the_weak_tag_of_the_answer(caller: Caller) -> None:
    run_id = caller.start_run()
    proposal_id = caller.propose(run_id)
    answer = caller.get(f"{RUNS}/{run_id}/proposals/{proposal_id}")
    assert answer.headers["ETag"] == f'W/"{answer.json()["mark"]}"'


def test_a_wrong_wait_is_named(caller: Caller, subtests: pytest.Subtests) -> None:
    run = f"{RUNS}/{caller.start_run()}"
    proposal = f"{run}/proposals/{caller.post(f'{run}/proposals', PROPOSAL).json()['proposal_id']}"
    for address in (proposal, f"{run}/events"):
        for wait in ("-1", "31", "1.5", "long", ""):
            with subtests.test(address=address, wait=wait):
                answer = caller.get(f"{address}?wait={wait}")
                problem(answer, 422, "bad_input", "query.wait")
    answer = caller.get(f"{proposal}?after={'x' * 101}")
    problem(answer, 422, "bad_input", "query.after")
