"""An agent sees its own runs, and uses what its key allows."""

import uuid

import pytest
from django.http import HttpResponse

from oversight.models import Agent
from tests.agents_api.caller import PROPOSAL, RUNS, Caller, Rows, issued, problem
from tests.cast import People
from tests.world import Database, Desk

ANSWER = {
    **{name: value for name, value in PROPOSAL.items() if name != "tool_call_id"},
    "version": 1,
}


def everywhere(caller: Caller, run_id: uuid.UUID, proposal_id: uuid.UUID) -> list[HttpResponse]:
    """What every operation on a run answers."""
    run = f"{RUNS}/{run_id}"
    return [
        caller.get(run),
        caller.get(f"{run}/events"),
        caller.get(f"{run}/proposals/{proposal_id}"),
        caller.post(f"{run}/proposals", PROPOSAL),
        caller.post(f"{run}/proposals/{proposal_id}/answers", ANSWER),
        caller.post(f"{run}/proposals/{proposal_id}/withdraw", {}),
        caller.post(f"{run}/finish", {}),
    ]


def test_a_foreign_run_is_not_told_from_one_that_never_was(
    caller: Caller, stranger: Caller, rows: Rows
) -> None:
    run_id = caller.start_run()
    proposal_id = caller.propose(run_id)
    stranger.get(f"{RUNS}/{run_id}")
    before = rows.count()

    foreign = everywhere(stranger, run_id, proposal_id)
    unknown = everywhere(stranger, uuid.uuid4(), uuid.uuid4())

    for one, other in zip(foreign, unknown, strict=True):
        problem(one, 404, "not_found")
        assert one.content == other.content
    assert rows.count() == before


def test_a_person_s_run_is_foreign_too(desk: Desk, caller: Caller, people: People) -> None:
    """Tomas owns the agent; a run that he starts himself is his, not the agent's."""
    run_id = caller.start_run()
    desk.database.execute("UPDATE engine_run SET initiator = 'person:' || initiator_person_id")
    problem(caller.get(f"{RUNS}/{run_id}"), 404, "not_found")


def test_a_proposal_is_found_in_its_own_run_only(caller: Caller) -> None:
    one, other = caller.start_run(), caller.start_run()
    proposal_id = caller.propose(one)
    problem(caller.get(f"{RUNS}/{other}/proposals/{proposal_id}"), 404, "not_found")


def test_agents_have_keys_of_their_own_for_what_is_done_once(
    caller: Caller, stranger: Caller
) -> None:
    mine = caller.post(RUNS, {"workflow": "agent"}, once="same")
    theirs = stranger.post(RUNS, {"workflow": "agent"}, once="same")
    assert mine.status_code == theirs.status_code == 201
    assert mine.json()["run_id"] != theirs.json()["run_id"]


def test_the_run_belongs_to_the_agent_and_names_its_owner(
    caller: Caller, database: Database, people: People
) -> None:
    caller.start_run()
    (row,) = database.rows("SELECT initiator, initiator_person_id FROM engine_run")
    assert row == {"initiator": "agent:refund-desk", "initiator_person_id": people.tomas.pk}


ALLOWED: list[tuple[tuple[str, ...], int, int]] = [
    (("*",), 201, 202),
    (("workflow:*", "action:*"), 201, 202),
    (("workflow:agent", "action:ledger.refund"), 201, 202),
    (("workflow:agent",), 201, 403),
    (("action:ledger.refund",), 403, 202),
    (("workflow:refund", "action:ledger.reverse_refund"), 403, 403),
]


def test_a_key_allows_what_its_scopes_say(
    agent: Agent, caller: Caller, rows: Rows, subtests: pytest.Subtests
) -> None:
    run_id = caller.start_run()
    for scopes, starting, proposing in ALLOWED:
        with subtests.test(scopes=scopes):
            limited = issued(agent, *scopes)
            started = limited.post(RUNS, {"workflow": "agent"})
            assert started.status_code == starting
            before = rows.count()
            answer = limited.post(f"{RUNS}/{run_id}/proposals", PROPOSAL)
            assert answer.status_code == proposing
            if proposing == 403:
                assert "action:ledger.refund" in problem(answer, 403, "scope_missing")
                assert rows.count() == before


def test_without_the_scope_no_question_is_answered_either(agent: Agent, caller: Caller) -> None:
    run_id = caller.start_run()
    proposal_id = caller.propose(run_id)
    limited = issued(agent, "workflow:*")
    answer = limited.post(f"{RUNS}/{run_id}/proposals/{proposal_id}/answers", ANSWER)
    problem(answer, 403, "scope_missing")


def test_reading_and_finishing_need_no_scope(agent: Agent, caller: Caller) -> None:
    run_id = caller.start_run()
    limited = issued(agent, "action:nothing.at_all")
    assert limited.get(f"{RUNS}/{run_id}").status_code == 200
    assert limited.post(f"{RUNS}/{run_id}/finish", {}).status_code == 202
