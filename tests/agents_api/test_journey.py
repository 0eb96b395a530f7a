"""One proposal after another, from the agent's side: what it is told at each turn."""

import uuid
from datetime import datetime
from typing import Any

from engine import worker
from engine.models import Proposal
from oversight.demo.placet_actions import Refund
from tests.agents_api.caller import PROPOSAL, REFUND, RUNS, Caller, problem
from tests.engine.newer import newer_action, newer_code
from tests.engine.stories_of_waits import recalled
from tests.engine.together import just_before
from tests.world import DESK_BALANCE, Desk


def shown(proposal_id: uuid.UUID) -> Proposal:
    return Proposal.objects.filter(proposal_id=proposal_id).latest("version")


def proposed(desk: Desk, caller: Caller, **changed: Any) -> tuple[uuid.UUID, uuid.UUID]:
    """A run, and a refund in it that a worker has opened for the reviewers."""
    arguments = {**REFUND, "order": desk.purchase()}
    run_id = caller.start_run()
    proposal_id = caller.propose(run_id, **{"arguments": arguments, **changed})
    worker.run_once(run_id)
    return run_id, proposal_id


def test_a_refund_from_request_to_commit(desk: Desk, caller: Caller) -> None:
    arguments = {**REFUND, "order": desk.purchase()}
    run_id = caller.start_run(labels={"case": "CS-311"})
    assert desk.database.hints == [run_id]
    proposal_id = caller.propose(run_id, arguments=arguments)

    told = caller.proposal(run_id, proposal_id)
    assert (told["status"], told["version"], told["final"]) == ("preparing", 1, False)
    assert told["digest"] is None
    assert told["tool_call_id"] == "call_7"

    worker.run_once(run_id)
    told = caller.proposal(run_id, proposal_id)
    assert (told["status"], told["final"]) == ("open", False)
    assert told["digest"] == shown(proposal_id).digest
    assert told["valid_until"]
    assert told["run_status"] == "waiting_approval"

    desk.approve(shown(proposal_id))
    told = caller.proposal(run_id, proposal_id)
    assert (told["status"], told["effect"], told["final"]) == ("approved", None, False)
    assert told["decision"]["decision"] == "approve"
    assert told["decision"]["reason"] == "It is as the agent says."

    worker.run_once(run_id)
    told = caller.proposal(run_id, proposal_id)
    assert (told["status"], told["final"]) == ("approved", True)
    assert told["meaning"] == "Carried out, verified and committed."
    effect = told["effect"]
    assert (effect["status"], effect["verification"]) == ("succeeded", "passed")
    assert effect["committed_at"]
    assert effect["external_resource_id"] == arguments["order"]
    assert desk.ledger.refunded(arguments["order"]) == "25.00"

    run = caller.run(run_id)
    assert run["labels"] == {"case": "CS-311"}
    assert [one["status"] for one in run["proposals"]] == ["approved"]
    assert run["effects"] == [effect]

    assert caller.post(f"{RUNS}/{run_id}/finish", {}).status_code == 202
    worker.run_once(run_id)
    assert caller.run(run_id)["status"] == "completed"
    assert caller.run(run_id)["ended_at"]


def test_finish_takes_no_body_at_all(caller: Caller) -> None:
    run_id = caller.start_run()
    answer = caller.post(f"{RUNS}/{run_id}/finish", b"")
    assert answer.status_code == 202
    assert answer.json() == {"run_id": str(run_id), "status": "running"}


def test_a_rejected_proposal_is_final_and_nothing_ran(desk: Desk, caller: Caller) -> None:
    run_id, proposal_id = proposed(desk, caller)
    desk.decide(shown(proposal_id), "reject", reason="The lamp is not ours.")
    worker.run_once(run_id)

    told = caller.proposal(run_id, proposal_id)
    assert (told["status"], told["final"], told["effect"]) == ("rejected", True, None)
    assert "nothing ran" in told["meaning"]
    assert told["decision"]["reason"] == "The lamp is not ours."
    assert caller.run(run_id)["effects"] == []


def test_a_question_is_shown_and_its_answer_is_the_next_version(desk: Desk, caller: Caller) -> None:
    run_id, proposal_id = proposed(desk, caller)
    first = shown(proposal_id)
    desk.decide(first, "return", question="Which lamp?")
    worker.run_once(run_id)
    told = caller.proposal(run_id, proposal_id)
    assert (told["status"], told["question"], told["final"]) == ("returned", "Which lamp?", False)

    address = f"{RUNS}/{run_id}/proposals/{proposal_id}/answers"
    body = {
        "version": 1,
        "action": "ledger.refund",
        "arguments": {**REFUND, "order": "A-1"},
        "why": "The one in the hall.",
    }
    answer = caller.post(address, body)
    assert answer.status_code == 202
    assert answer.json()["version"] == 2
    told = caller.proposal(run_id, proposal_id)
    assert (told["status"], told["version"], told["question"]) == ("preparing", 2, None)
    assert told["digest"] is None

    problem(caller.post(address, body), 409, "conflict")
    worker.run_once(run_id)
    told = caller.proposal(run_id, proposal_id)
    assert (told["status"], told["version"]) == ("open", 2)
    assert told["digest"] != first.digest
    assert told["decision"] is None


def test_what_was_withdrawn_is_final_and_never_runs(desk: Desk, caller: Caller) -> None:
    run_id, proposal_id = proposed(desk, caller)
    desk.approve(shown(proposal_id))
    address = f"{RUNS}/{run_id}/proposals/{proposal_id}/withdraw"
    answer = caller.post(address, {}, once="k")
    assert (answer.status_code, answer.json()["status"]) == (200, "withdrawn")
    told = caller.proposal(run_id, proposal_id)
    assert (told["status"], told["final"]) == ("withdrawn", True)

    worker.run_once(run_id)
    assert desk.ledger.balance() == DESK_BALANCE
    assert caller.run(run_id)["effects"] == []
    assert caller.post(address, {}, once="k").content == answer.content
    problem(caller.post(address, {}), 409, "conflict")


def test_what_was_sent_is_not_withdrawn_any_more(desk: Desk, caller: Caller) -> None:
    run_id, proposal_id = proposed(desk, caller)
    desk.approve(shown(proposal_id))
    worker.run_once(run_id)
    problem(caller.post(f"{RUNS}/{run_id}/proposals/{proposal_id}/withdraw", {}), 409, "conflict")
    assert caller.proposal(run_id, proposal_id)["effect"]["committed_at"]


def test_what_nobody_has_seen_yet_is_not_withdrawn(caller: Caller) -> None:
    run_id = caller.start_run()
    proposal_id = caller.propose(run_id)
    answer = caller.post(f"{RUNS}/{run_id}/proposals/{proposal_id}/withdraw", {})
    assert "prepared" in problem(answer, 409, "conflict")


def test_less_time_may_be_asked_for_than_the_policy_gives(desk: Desk, caller: Caller) -> None:
    run_id, proposal_id = proposed(desk, caller, valid_seconds=60)
    told = caller.proposal(run_id, proposal_id)
    opened, until = (datetime.fromisoformat(told[name]) for name in ("opened_at", "valid_until"))
    assert 50 < (until - opened).total_seconds() <= 60


def test_nobody_asked_so_there_is_nothing_to_answer(desk: Desk, caller: Caller) -> None:
    run_id, proposal_id = proposed(desk, caller)
    before = desk.database.kinds(run_id)
    body = {**PROPOSAL, "version": 1}
    del body["tool_call_id"]
    answer = caller.post(f"{RUNS}/{run_id}/proposals/{proposal_id}/answers", body)
    assert "open" in problem(answer, 409, "conflict")
    problem(
        caller.post(f"{RUNS}/{run_id}/proposals/{uuid.uuid4()}/answers", body), 404, "not_found"
    )
    assert desk.database.kinds(run_id) == [*before, "request_refused"]


def test_what_was_asked_for_in_a_run_that_ended_is_never_opened(desk: Desk, caller: Caller) -> None:
    run_id = caller.start_run()
    late = caller.propose(run_id)
    desk.database.execute("UPDATE engine_run SET status = 'rolled_back', ended_at = now()")

    told = caller.proposal(run_id, late)
    assert (told["status"], told["final"]) == ("not_opened", True)
    assert caller.run(run_id)["proposals"][0]["status"] == "not_opened"


def test_an_ended_run_takes_nothing_more(desk: Desk, caller: Caller) -> None:
    run_id = caller.start_run()
    caller.post(f"{RUNS}/{run_id}/finish", {})
    worker.run_once(run_id)
    problem(caller.post(f"{RUNS}/{run_id}/proposals", PROPOSAL), 409, "terminal")
    problem(caller.post(f"{RUNS}/{run_id}/finish", {}), 409, "terminal")


def test_a_workflow_that_knows_its_own_steps_is_not_driven(desk: Desk, caller: Caller) -> None:
    state = {**REFUND, "order": desk.purchase()}
    run_id = caller.start_run("refund", state=state)
    before = desk.database.kinds(run_id)
    problem(caller.post(f"{RUNS}/{run_id}/proposals", PROPOSAL), 409, "conflict")
    for _ in ("once", "and the same again"):
        problem(caller.post(f"{RUNS}/{run_id}/finish", {}), 409, "conflict")
    told = ["request_refused", "request_refused"]
    assert desk.database.kinds(run_id) == [*before, *told], "each attempt, and the same one once"

    worker.run_once(run_id)
    (told,) = caller.run(run_id)["proposals"]
    assert told["status"] == "open"
    assert caller.proposal(run_id, uuid.UUID(told["proposal_id"]))["final"] is False


def test_a_lapsed_approval_is_prepared_anew(desk: Desk, caller: Caller) -> None:
    run_id, proposal_id = proposed(desk, caller)
    desk.approve(shown(proposal_id))
    desk.ledger.execute("UPDATE purchase SET refunded = 1.00")
    worker.run_once(run_id)
    told = caller.proposal(run_id, proposal_id)
    assert (told["status"], told["version"], told["final"]) == ("open", 2, False)
    assert [one["status"] for one in caller.run(run_id)["effects"]] == ["failed"]


def test_looking_changes_nothing(desk: Desk, caller: Caller) -> None:
    run_id, proposal_id = proposed(desk, caller)
    tables = ("engine_run", "engine_event", "engine_proposal", "oversight_idempotentrequest")

    def everything() -> list[Any]:
        return [desk.database.rows(f"SELECT * FROM {table} t ORDER BY t") for table in tables]  # noqa: S608

    before, hints = everything(), list(desk.database.hints)
    caller.run(run_id)
    caller.proposal(run_id, proposal_id)
    caller.get(f"{RUNS}/{run_id}/events")
    assert everything() == before
    assert desk.database.hints == hints


def test_it_says_which_model_it_works_with(caller: Caller) -> None:
    run_id = caller.start_run(stands_on={"model": "m-2026-05"})
    assert caller.run(run_id)["stands_on"] == {"model": "m-2026-05"}
    for wrong in ({"model": 5}, {"model": ""}, ["m-2026-05"], {"model": {"name": "m"}}):
        answer = caller.post(RUNS, {"workflow": "agent", "stands_on": wrong})
        assert answer.status_code == 422, answer.content


def test_what_other_code_made_void_is_asked_anew_as_the_next_version(
    desk: Desk, caller: Caller
) -> None:
    run_id, proposal_id = proposed(desk, caller)
    desk.approve(shown(proposal_id))
    told: list[dict[str, Any]] = []

    def look() -> None:
        told.append(caller.proposal(run_id, proposal_id))

    with newer_code():
        newer_action(Refund)
        with just_before("open_proposal", look):
            worker.run_once(run_id)
        look()

    assert [(one["status"], one["version"], one["action_version"]) for one in told] == [
        ("preparing", 2, 2),
        ("open", 2, 2),
    ]
    assert not any(one["final"] for one in told)


def test_a_run_that_has_branched_tells_of_its_branches_and_they_of_it(
    desk: Desk, caller: Caller
) -> None:
    run_id = recalled(desk)

    told = caller.run(run_id)

    assert (told["parent"], told["branch"]) == (None, None)
    branches = {one["branch"]: one for one in told["branches"]}
    assert {one["status"] for one in branches.values()} == {"waiting_approval"}
    for name, one in branches.items():
        below = caller.run(uuid.UUID(one["run_id"]))
        assert (below["parent"], below["branch"], below["branches"]) == (str(run_id), name, [])
