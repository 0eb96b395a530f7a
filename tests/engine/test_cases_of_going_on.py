"""What went wrong elsewhere when a run went on: after an answer, a restart, an outage, or under
other code than it was begun under."""

import json
import uuid
from typing import Any

import pytest

from engine import actions, api, workflows
from engine.errors import Unavailable
from engine.models import Alert, Effect, Proposal
from engine.workflows import Context, Next, Workflow, finish, go, propose
from tests.cast import AGENT, reviewer
from tests.engine.chain import faults_in
from tests.engine.target import Make, Target, approved, asked_for, known
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import together
from tests.faults.outages import AFTER, BEFORE, Outage
from tests.pages.reading import Page, Reader, address_of
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> Target:
    return known(monkeypatch)


def said(desk: Desk, run_id: uuid.UUID, kind: str) -> list[dict[str, Any]]:
    return [json.loads(e["payload"]) for e in desk.database.log(run_id) if e["kind"] == kind]


def graph(name: str = "made", *, thing: str = "a lamp", version: int = 1) -> str:
    """Draft, then ask for a thing, then go where the decision leads."""
    made = Workflow(name, start="draft", version=version)

    def draft(ctx: Context) -> Next:
        ctx.record("draft", lambda: drafts.append(thing) or len(drafts))
        return propose("thing.make", {"thing": "a draft"}, why="First.", then="ask")

    def ask(ctx: Context) -> Next:
        wanted = {"thing": thing}
        return propose("thing.make", wanted, why="Then.", then="done", otherwise="refused")

    def done(ctx: Context) -> Next:
        return finish(note=ctx.state["note"])

    def refused(ctx: Context) -> Next:
        return propose("thing.make", {"thing": "a no"}, why="So it is.", then="done")

    made.node(to=["ask"])(draft)
    made.node(to=["done", "refused"])(ask)
    made.node(to=["done"])(refused)
    made.node(ends=True)(done)
    made.check()
    return name


drafts: list[str] = []


def begun(desk: Desk, name: str, **state: Any) -> uuid.UUID:
    """A run whose draft is made, and which waits for the decision about the thing."""
    drafts.clear()
    run_id = desk.start_run(name, **{"note": "x", **state})
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    desk.work(run_id)
    assert desk.run(run_id).current_node == "ask"
    return run_id


def test_c02_what_is_done_before_a_question_is_not_done_again_however_often_one_asks(
    desk: Desk, target: Target
) -> None:
    run_id = approved(desk, "a draft")
    desk.work(run_id)
    asked_for(desk, "a lamp", run_id)
    for number in range(3):
        proposal = desk.proposal(run_id)
        desk.decide(proposal, "return")
        desk.work(run_id)
        wanted = {"thing": "a lamp", "size": f"size {number}"}
        api.answer_question(
            run_id,
            proposal.proposal_id,
            version=proposal.version,
            agent=AGENT,
            action="thing.make",
            arguments=wanted,
            why="As you say.",
        )
        desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    desk.work(run_id)

    assert target.made == ["a draft", "a lamp"]
    assert target.things["a lamp"] == "size 2"
    decisions = [one["decision"] for one in said(desk, run_id, "decision_made")]
    assert decisions == ["approve", *["return"] * 3, "approve"]
    versions = Proposal.objects.filter(proposal_id=proposal.proposal_id)
    assert sorted(versions.values_list("version", flat=True)) == [1, 2, 3, 4]
    assert len(said(desk, run_id, "effect_intended")) == 2


def test_c02_a_graph_goes_on_after_its_question_and_not_from_its_start(
    desk: Desk, target: Target
) -> None:
    run_id = begun(desk, graph())
    for _ in range(3):
        desk.work_on_after_waiting(run_id)
    desk.approve(desk.proposal(run_id))
    desk.work(run_id)

    assert (drafts, target.made) == (["a lamp"], ["a draft", "a lamp"])
    assert desk.run(run_id).status == "completed"


@pytest.mark.parametrize("when", [BEFORE, AFTER])
def test_c03_an_answer_that_could_not_be_kept_is_told_alike_everywhere(
    when: str, desk: Desk, target: Target
) -> None:
    """The very write of the result fails: it did not arrive, or its confirmation did not."""
    run_id = approved(desk, "a charge")
    listening = Outage()
    other = approved(desk, "another")
    with listening:
        desk.work(other)
    nth = next(n for n, sql in enumerate(listening.sent, 1) if ".record_effect(" in sql)
    with Outage(nth, when, "loses") as outage, pytest.raises(Unavailable):
        desk.work(run_id)
    assert outage.struck

    for _ in range(3):
        desk.work_on_after_waiting(run_id)

    assert target.made.count("a charge") == 1
    effect = Effect.objects.get(run_id=run_id)
    assert (effect.status, effect.verification) == ("succeeded", "passed")
    newest = desk.database.rows(
        "SELECT state_snapshot FROM engine_checkpoint WHERE run_id = %s"
        " ORDER BY last_event_sequence DESC LIMIT 1",
        run_id,
    )[0]
    assert newest
    assert len(said(desk, run_id, "effect_committed")) == 1
    page = Reader(desk.people.ada).get(f"/runs/{run_id}/")
    assert "Committed" in page.text
    assert "Committed: not reached" not in page.text
    assert faults_in(desk.database, run_id) == []
    assert_tables_match_the_log(desk.database, run_id)


def test_c04_a_refusal_leads_to_its_own_branch_alone_whichever_way_it_was_said(
    desk: Desk, target: Target
) -> None:
    kinds = []
    for on_the_page in (True, False):
        target.__init__()  # type: ignore[misc]
        run_id = begun(desk, graph(f"made_{on_the_page}".lower()))
        if on_the_page:
            answer = Reader(desk.people.rosa).decide(desk.proposal(run_id), "reject")
            assert answer.status == 302
        else:
            desk.decide(desk.proposal(run_id), "reject")
        desk.work(run_id)
        desk.approve(desk.proposal(run_id))
        desk.work(run_id)
        assert target.made == ["a draft", "a no"]
        assert drafts == ["a lamp"]
        assert desk.run(run_id).status == "completed"
        kinds.append(desk.database.kinds(run_id))
    assert kinds[0] == kinds[1]


def test_c21_what_this_worker_cannot_do_is_carried_out_by_one_that_can(
    desk: Desk, target: Target
) -> None:
    run_id = approved(desk, "a lamp")
    del actions._registry["thing.make", 1]
    for _ in range(8):
        desk.work_on_after_waiting(run_id)
    run = desk.run(run_id)
    assert (run.status, run.reason_code) == ("paused", "incompatible_version")
    assert desk.proposal(run_id).status == "approved"

    actions.register(Make)
    otto = reviewer(desk.people.otto)
    api.resume_run(run_id, reviewer=otto, reason="The new version is rolled out.")
    desk.work(run_id)
    assert target.made == ["a lamp"]


class TestOtherCode:
    """The code changed while the run waited for its decision."""

    def replaced(self, name: str, **nodes: Any) -> None:
        """The nodes of the same version have other functions now."""
        found = workflows.get(name).nodes
        for node, function in nodes.items():
            was = found[node]
            found[node] = workflows.Node(name=node, function=function, to=was.to, ends=was.ends)

    def test_c57_a_field_that_is_gone_asks_nobody_the_same_again(
        self, desk: Desk, target: Target
    ) -> None:
        run_id = begun(desk, graph())
        proposal = desk.proposal(run_id)

        def done(ctx: Context) -> Next:
            return finish(note=ctx.state["a field of the new version"])

        self.replaced("made", done=done)
        desk.approve(proposal)
        for _ in range(10):
            desk.work_on_after_waiting(run_id)

        run = desk.run(run_id)
        assert (run.status, run.reason_code) == ("paused", "retries_exhausted")
        assert Alert.objects.filter(run_id=run_id, status="open").exists()
        assert target.made == ["a draft", "a lamp"]
        assert len(said(desk, run_id, "proposal_opened")) == 2
        assert Proposal.objects.get(pk=proposal.pk).status == "approved"

    def test_c58_a_proposal_whose_workflow_is_gone_stays_where_it_was(
        self, desk: Desk, target: Target
    ) -> None:
        run_id = begun(desk, graph("billing"))
        proposal = desk.proposal(run_id)
        del workflows._registry["billing", 1]
        graph("invoicing")

        rosa = Reader(desk.people.rosa)
        assert str(proposal.proposal_id) in rosa.get("/inbox/").html
        assert rosa.get(address_of(proposal)).status == 200
        assert rosa.decide(proposal, "approve").status == 302
        for _ in range(8):
            desk.work_on_after_waiting(run_id)
        run = desk.run(run_id)
        assert (run.workflow, run.status, run.reason_code) == (
            "billing",
            "paused",
            "incompatible_version",
        )
        assert Alert.objects.filter(run_id=run_id, status="open").exists()

        otto = reviewer(desk.people.otto)
        api.cancel_run(run_id, operator=otto, reason="It is billed elsewhere.")
        desk.work(run_id)
        assert desk.run(run_id).status == "cancelled"

    def test_c59_what_was_recorded_for_one_act_is_never_another_s(
        self, desk: Desk, target: Target
    ) -> None:
        """The same step says something else now: what was asked for goes on, nothing else."""
        run_id = begun(desk, graph())

        def ask(ctx: Context) -> Next:
            return propose("thing.take", {"thing": "a draft"}, why="Now.", then="done")

        self.replaced("made", ask=ask, draft=lambda ctx: go("ask"))
        desk.approve(desk.proposal(run_id))
        desk.work(run_id)

        assert (target.made, target.taken) == (["a draft", "a lamp"], [])
        assert desk.run(run_id).status == "completed"
        assert [one["action"] for one in said(desk, run_id, "proposal_opened")] == [
            "thing.make",
            "thing.make",
        ]


@pytest.mark.parametrize("size", [70_000, 2_000_000])
def test_c60_what_is_too_large_to_be_asked_for_is_refused_and_hinders_nobody(
    size: int, desk: Desk, target: Target
) -> None:
    run_id = desk.start_run()
    before = desk.database.kinds(run_id)
    with pytest.raises(Exception, match=r"over|limit|bytes"):
        api.request_effect(
            run_id,
            agent=AGENT,
            action="thing.make",
            arguments={"thing": "x" * size},
            why="It is wanted.",
        )
    assert desk.database.kinds(run_id) == before
    other = approved(desk, "a lamp", run_id)
    desk.work(other)
    assert target.made == ["a lamp"]


@pytest.mark.parametrize("seen_by", ["two reviewers", "one reviewer's two tabs"])
def test_c22_of_many_who_press_at_once_one_decides_and_the_others_are_told_who(
    seen_by: str, desk: Desk, target: Target
) -> None:
    """Twenty requests, approvals and rejections, and two workers that take it up together."""
    run_id = asked_for(desk, "a door opened")
    proposal = desk.proposal(run_id)
    rosa = desk.people.rosa
    ruth = rosa if "tabs" in seen_by else desk.people.somebody("ruth", "reviewer")
    forms = []
    for person, decision in ((rosa, "approve"), (ruth, "reject")):
        reader = Reader(person)
        form = reader.get(address_of(proposal)).form | {"decision": decision, "reason": "Seen."}
        forms.append((reader, form))

    def press(number: int) -> Page:
        reader, form = forms[number % 2]
        browser = Reader()
        browser.client.cookies = reader.client.cookies
        return browser.post(f"{address_of(proposal)}decide/", **form)

    pages = together([lambda n=n: press(n) for n in range(20)])
    together([lambda: desk.work(run_id)] * 2)

    statuses = sorted(page.status for page in pages)
    assert statuses == [302] + [409] * 19
    (decided,) = said(desk, run_id, "decision_made")
    told = {"approve": "approved this", "reject": "rejected this"}[decided["decision"]]
    assert all(told in page.text for page in pages if page.status == 409)
    assert target.calls == len(target.made) == (decided["decision"] == "approve")
