"""A run is pinned to what it was begun with: its workflow's version, its models, its prompts."""

import json
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from engine import api
from engine.errors import BadInput
from engine.models import Proposal
from engine.workflows import Context, Next, Workflow, finish, propose
from tests.cast import reviewer
from tests.engine.target import known
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
