"""A run is pinned to what it was begun with: its workflow's version, its models, its prompts."""

import json
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from engine import actions, api
from engine.errors import BadInput
from engine.models import Proposal
from engine.types import Facts
from engine.workflows import Context, Next, Workflow, finish, propose
from tests.cast import reviewer
from tests.engine.newer import newer_action
from tests.engine.target import Make, known
from tests.pages.reading import Reader, address_of
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")

MODELS = {"model:triage": "m-2026-05", "prompt:triage": "3"}


def graph(stands_on: dict[str, str]) -> str:
    triage = Workflow("triage", start="ask", stands_on=stands_on)

    @triage.node(to=["done"])
    def ask(ctx: Context) -> Next:
        return propose("thing.make", {"thing": "a lamp"}, why="It is wanted.", then="done")

    @triage.node(ends=True)
    def done(ctx: Context) -> Next:
        return finish()

    return triage.name


def terms_of(proposal: Proposal) -> dict[str, Any]:
    terms: dict[str, Any] = json.loads(bytes(proposal.terms))
    return terms


def test_what_a_workflow_stands_on_is_pinned_and_shown(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch)
    run_id = desk.start_run(graph(MODELS))
    desk.work(run_id)

    proposal = desk.proposal(run_id)
    assert desk.run(run_id).stands_on == MODELS
    assert api.position_at(run_id, desk.run(run_id).last_seq).stands_on == MODELS
    assert terms_of(proposal)["stands_on"] == MODELS
    assert terms_of(proposal)["workflow"] == "triage v1"
    page = Reader(desk.people.rosa).get(address_of(proposal)).text
    assert "model:triage m-2026-05" in page
    assert "prompt:triage 3" in page
    assert "m-2026-05" in Reader(desk.people.ada).get(f"/runs/{run_id}/").text


def test_an_agent_names_what_it_works_with_under_the_digest(desk: Desk) -> None:
    """The same request by another model is another proposal."""
    order, digests = desk.purchase(), set()
    for model in ("m-2026-05", "m-2026-09"):
        run_id = api.start_run("agent", initiator=desk.people.agent, stands_on={"model": model})
        desk.ask_for_refund(run_id, order)
        desk.work(run_id)
        proposal = desk.proposal(run_id)
        assert terms_of(proposal)["stands_on"] == {"model": model}
        digests.add(proposal.digest)
    assert len(digests) == 2


def test_a_graph_says_itself_what_it_stands_on(desk: Desk) -> None:
    with pytest.raises(BadInput) as caught:
        api.start_run(graph(MODELS), initiator=desk.people.agent, stands_on={"model": "another"})
    assert caught.value.path == "$.stands_on"


@pytest.mark.parametrize(
    "named", [{"": "1"}, {"model": " "}, {"model": "m\n5"}, {"x" * 201: "1"}, {"model": 5}]
)
def test_names_and_versions_are_plain_texts(named: Any, desk: Desk) -> None:
    with pytest.raises(BadInput):
        api.start_run("agent", initiator=desk.people.agent, stands_on=named)
    with pytest.raises(ImproperlyConfigured):
        graph(named)


def test_a_fork_stands_on_what_its_origin_did(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    known(monkeypatch)
    run_id = desk.start_run(graph(MODELS))
    desk.work(run_id)

    otto = reviewer(desk.people.otto)
    fork = api.fork_run(run_id, 1, operator=otto, reason="Once more.")
    assert desk.run(fork).stands_on == MODELS


def carrying(*, from_version: int = 1, to: tuple[str, ...] = ("done",)) -> Workflow:
    """A next version of the graph that says how it takes runs of an older one along."""
    newer = Workflow("triage", version=2, start="done", stands_on=MODELS)
    newer.node(ends=True)(done)
    newer.carries_over(from_version=from_version, to=to)(as_it_was)
    return newer


def done(ctx: Context) -> Next:
    return finish()


def as_it_was(node: str, state: Facts) -> tuple[str, Facts]:
    return node, state


class TestACarryOverThatMakesNoSense:
    """It is refused when a process starts, not when the first run comes by."""

    def test_is_one_from_a_version_that_is_still_here(self) -> None:
        graph(MODELS)
        newer = carrying()
        with pytest.raises(ImproperlyConfigured, match="still here"):
            newer.check()

    @pytest.mark.parametrize("version", [0, 2, 3])
    def test_is_one_from_no_older_version(self, version: int) -> None:
        with pytest.raises(ImproperlyConfigured, match="no older version"):
            carrying(from_version=version).check()

    @pytest.mark.parametrize("to", [(), ("nowhere",), ("done", "nowhere")])
    def test_is_one_to_no_node(self, to: tuple[str, ...]) -> None:
        with pytest.raises(ImproperlyConfigured, match="which is not a node"):
            carrying(to=to).check()

    def test_is_one_that_is_there_already(self) -> None:
        newer = carrying()
        with pytest.raises(ImproperlyConfigured, match="carried over twice"):
            newer.carries_over(from_version=1, to=["done"])(as_it_was)
        newer.replaces("model:triage", "m-2026-01")
        with pytest.raises(ImproperlyConfigured, match="replaced twice"):
            newer.replaces("model:triage", "m-2026-01")

    @pytest.mark.parametrize(("what", "was"), [("model:triage", "m-2026-05"), ("model:x", None)])
    def test_is_one_that_replaces_what_is_named_now(self, what: str, was: str | None) -> None:
        newer = carrying()
        newer.replaces(what, was)
        with pytest.raises(ImproperlyConfigured, match="what it is already"):
            newer.check()

    def test_is_one_of_an_action_from_no_older_version_or_one_that_is_still_here(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known(monkeypatch)
        for version in (0, 2, 3):
            body = {"version": 2, "carries_over": {version: dict}}
            with pytest.raises(ImproperlyConfigured, match="no older version"):
                actions.register(type("Make", (Make,), body))
        actions.register(type("Make", (Make,), {"version": 2, "carries_over": {1: dict}}))
        with pytest.raises(ImproperlyConfigured, match="still here"):
            actions.check_all()

    def test_and_what_makes_sense_is_taken(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A node that only a carry-over leads to is no node that nothing leads to."""
        newer = carrying(to=("only_here",))
        newer.node(ends=True)(only_here)
        newer.replaces("model:triage", "m-2026-01")
        newer.replaces("prompt:old", "7")
        newer.check()
        known(monkeypatch)
        newer_action(Make)


def only_here(ctx: Context) -> Next:
    return finish()
