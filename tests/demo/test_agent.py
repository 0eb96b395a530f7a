"""The agent at work, against a real web server; the workers are called by the test."""

import ast
import json
import signal
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from engine import actions
from engine.models import Event, Proposal, Run
from oversight.agents_api.keys import issue_key
from oversight.agents_api.models import Agent
from oversight.demo import agent as package
from oversight.demo.agent.claims import CLAIMS, Claim, claim_about
from oversight.demo.agent.client import Placet, Problem, Unreachable
from oversight.demo.agent.desk_agent import AT_MOST_UNDECIDED, AT_ONCE, DeskAgent
from oversight.demo.agent.errands import RECALL
from oversight.demo.agent.notes import Matter, Notes
from oversight.demo.management.commands.seed_demo import SCOPES
from oversight.embedded import processes
from tests.demo.conftest import Outside
from tests.faults.processes import PATIENCE, Web
from tests.world import Desk, Ledger

FIRST, WITH_A_FEE, BY_GRAPH = map(claim_about, ("N-20417", "N-20452", "N-20438"))
NEVER = 3600.0


@pytest.fixture
def key(desk: Desk, stocked: Ledger, outside: Outside) -> str:
    outside.start("access")
    agent = Agent.objects.create(name="refund-desk", owner=desk.people.tomas)
    return issue_key(agent, SCOPES, timedelta(hours=1))


@pytest.fixture
def web(web_process: Callable[..., Web]) -> Web:
    return web_process()


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "notes.json")


@pytest.fixture
def at_work(web: Web, key: str, notes: Notes) -> DeskAgent:
    return DeskAgent(Placet(web.url, key), notes, pause=NEVER)


def work_everywhere(desk: Desk) -> None:
    """Workers come by every run there is."""
    for run in Run.objects.all():
        desk.work(run.run_id)


def proposed(desk: Desk, name: str) -> Proposal:
    """The newest proposal version about an order, or about anything else that names it."""
    versions = Proposal.objects.order_by("opened_at")
    return [one for one in versions if name in bytes(one.arguments).decode()][-1]


def turn(agent: DeskAgent, desk: Desk) -> None:
    """The agent does what it can, workers do what there is to do, and the agent looks again."""
    agent.turn()
    work_everywhere(desk)
    agent.turn()
    work_everywhere(desk)
    agent.turn()


def matter(notes: Notes, name: str) -> Matter:
    return next(one for one in notes._matters if one.name == name)


def test_some_come_at_once_by_two_roads_and_then_there_is_a_pause(
    at_work: DeskAgent, desk: Desk
) -> None:
    turn(at_work, desk)
    assert sorted(Run.objects.values_list("workflow", flat=True)) == ["agent"] * 5 + ["refund"]
    assert Run.objects.count() == AT_ONCE
    for claim in (FIRST, WITH_A_FEE):
        proposal = proposed(desk, claim.order)
        assert proposal.status == "open"
        assert proposal.why == claim.why
        assert proposal.evidence == claim.evidence


def test_it_never_has_more_undecided_than_it_should(web: Web, key: str, desk: Desk) -> None:
    eager = DeskAgent(Placet(web.url, key), Notes(), pause=0)
    for _ in range(4):
        turn(eager, desk)
    assert Proposal.objects.filter(status="open").count() == AT_MOST_UNDECIDED
    desk.decide(proposed(desk, FIRST.order), "reject")
    turn(eager, desk)
    assert Run.objects.count() == AT_MOST_UNDECIDED + 1


def test_it_says_why_what_cannot_be_taken_back_has_to_be_and_how_long_it_is_of_use(
    at_work: DeskAgent, desk: Desk
) -> None:
    turn(at_work, desk)
    recall = json.loads(bytes(proposed(desk, "N-20530").terms))
    assert recall["rollback"] == {
        "kind": "none",
        "summary": actions.get(RECALL.action).rollback.summary,
        "by": None,
        "reason": RECALL.rollback_reason,
    }
    lunch = proposed(desk, "counter")
    assert timedelta(seconds=5) < lunch.valid_until - lunch.opened_at <= timedelta(seconds=15)


@pytest.mark.parametrize("claim", [FIRST, BY_GRAPH], ids=["driven by the agent", "graph"])
def test_an_approved_refund_is_followed_to_its_end(
    web: Web, key: str, desk: Desk, notes: Notes, claim: Claim
) -> None:
    agent = DeskAgent(Placet(web.url, key), notes, pause=0)
    turn(agent, desk)
    proposal = proposed(desk, claim.order)
    desk.approve(proposal)
    work_everywhere(desk)
    turn(agent, desk)
    assert matter(notes, claim.order).closed == "Carried out, verified and committed."
    assert desk.run(proposal.run_id).status == "completed"
    assert desk.ledger.movements(claim.order) == 1


def test_after_a_rejection_it_finishes_the_run(
    at_work: DeskAgent, desk: Desk, notes: Notes
) -> None:
    turn(at_work, desk)
    proposal = proposed(desk, FIRST.order)
    desk.decide(proposal, "reject")
    work_everywhere(desk)
    turn(at_work, desk)
    assert "rejected" in matter(notes, FIRST.order).closed
    assert desk.run(proposal.run_id).status == "completed"
    assert desk.ledger.movements(FIRST.order) == 0


def test_it_answers_a_question_once_and_makes_good_what_it_misread(
    web: Web, key: str, desk: Desk
) -> None:
    slip = next(claim for claim in CLAIMS if claim.amount_on_reflection)
    agent = DeskAgent(Placet(web.url, key), Notes(), pause=0)
    turn(agent, desk)
    first = proposed(desk, slip.order)
    desk.decide(first, "return", question="Is it not a tenth?")
    work_everywhere(desk)
    turn(agent, desk)
    second = proposed(desk, slip.order)
    assert (second.version, second.status) == (2, "open")
    assert json.loads(bytes(second.arguments))["amount"] == slip.amount_on_reflection
    assert "Is it not a tenth?" in second.why
    assert slip.answer in second.why
    turn(agent, desk)
    asked = Event.objects.filter(run_id=first.run_id, kind="effect_requested")
    answered = [json.loads(bytes(event.payload)).get("answers_version") for event in asked]
    assert answered.count(1) == 1


def test_started_again_it_goes_on_where_it_was(
    web: Web, key: str, at_work: DeskAgent, notes: Notes, desk: Desk, tmp_path: Path
) -> None:
    turn(at_work, desk)
    again = DeskAgent(Placet(web.url, key), Notes(tmp_path / "notes.json"), pause=NEVER)
    turn(again, desk)
    assert Run.objects.count() == AT_ONCE
    assert Proposal.objects.count() == AT_ONCE


def test_a_crash_before_it_noted_the_answer_asks_nothing_twice(
    web: Web, key: str, at_work: DeskAgent, notes: Notes, desk: Desk
) -> None:
    turn(at_work, desk)
    for one in notes.open():
        one.run_id = one.proposal_id = ""
    turn(DeskAgent(Placet(web.url, key), notes, pause=NEVER), desk)
    assert Run.objects.count() == AT_ONCE
    assert Proposal.objects.count() == AT_ONCE


def test_a_run_that_nobody_knows_any_more_is_given_up(
    at_work: DeskAgent, notes: Notes, desk: Desk
) -> None:
    notes.add(Matter(name=FIRST.order, token="t", workflow="agent", run_id=str(uuid.uuid4())))
    turn(at_work, desk)
    assert "404" in matter(notes, FIRST.order).closed


def test_silence_and_a_wrong_key_are_told_apart(web: Web, key: str, desk: Desk) -> None:
    with pytest.raises(Problem, match="401") as refusal:
        DeskAgent(Placet(web.url, key[:-1]), Notes(), pause=0).turn()
    assert not refusal.value.retryable
    web.kill()
    with pytest.raises(Unreachable):
        DeskAgent(Placet(web.url, key), Notes(), pause=0).turn()


def test_as_a_process_it_outlives_an_outage_and_ends_when_asked(
    web: Web, key: str, desk: Desk, processes_environment: dict[str, str], tmp_path: Path
) -> None:
    port = int(web.url.rpartition(":")[2])
    web.kill()
    key_file = tmp_path / "agent.key"
    key_file.write_text(key)
    addresses = {"PLACET_API_URL": web.url, "PLACET_AGENT_KEY_FILE": str(key_file)}
    nowhere = {"DATABASE_URL": "", "CELERY_BROKER_URL": "", "PLACET_LEDGER_URL": ""}
    agent = processes.command("demo_agent", {**processes_environment, **nowhere, **addresses})
    agent.wait_for("trying again in 1 s", PATIENCE)
    server = processes.web({**processes_environment, "PLACET_PORT": str(port)}, port)
    try:
        agent.wait_for("the API answers again", PATIENCE)
        agent.wait_for(f"{FIRST.order}: proposed to refund", PATIENCE)
        asked_to_end = time.monotonic()
        agent.signal(signal.SIGTERM)
        assert agent.wait(PATIENCE) == 0
        assert time.monotonic() - asked_to_end < 2
    finally:
        agent.kill()
        server.kill()


def test_the_agent_knows_nothing_of_placet_but_its_api() -> None:
    for file in Path(package.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""] if node.level == 0 else []
                assert node.level <= 1
            strangers = [
                n for n in names if n.partition(".")[0] in ("django", "engine", "oversight")
            ]
            assert not strangers, f"{file.name} imports {strangers}"
