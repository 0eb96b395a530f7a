"""How a proposal stands, from what the log says; no database."""

import uuid
from dataclasses import replace

import pytest

from engine import states
from oversight.agents_api import standing
from oversight.agents_api.standing import Asked, Said
from oversight.agents_api.told import NOT_OPENED, PREPARING, Effect

REQUEST = Said(kind="effect_requested", proposal_id="p", action="ledger.refund", action_version=1)
TAKEN_UP = replace(REQUEST, kind="request_taken_up", version=1)
LAPSED = Said(kind="approval_lapsed", proposal_id="p", version=1)
ANSWER = replace(REQUEST, answers_version=1)
DROPPED = Said(kind="request_dropped", proposal_id="p")
ASKED = Asked(
    proposal_id="p", version=1, action="ledger.refund", action_version=1, tool_call_id=None
)
EFFECT = Effect(
    effect_id=uuid.UUID(int=1),
    proposal_id=uuid.UUID(int=2),
    action="ledger.refund",
    action_version=1,
    status="succeeded",
    outcome="answered",
    external_resource_id="A-1",
    verification=None,
    committed_at=None,
    compensates=None,
)


@pytest.mark.parametrize(
    ("log", "version"),
    [
        ([REQUEST], 1),
        ([REQUEST, TAKEN_UP], 1),
        ([TAKEN_UP], 1),
        ([TAKEN_UP, LAPSED], 2),
        ([TAKEN_UP, replace(LAPSED, kind="proposal_lapsed")], 2),
        ([REQUEST, TAKEN_UP, ANSWER], 2),
        ([REQUEST, TAKEN_UP, ANSWER, replace(TAKEN_UP, version=2)], 2),
        ([REQUEST, TAKEN_UP, ANSWER, DROPPED], 1),
    ],
)
def test_the_newest_version_that_was_asked_for(log: list[Said], version: int) -> None:
    assert standing.asked_for(log)["p"].version == version


def test_proposals_come_in_the_order_in_which_they_were_asked_for() -> None:
    log = [replace(REQUEST, proposal_id=name) for name in ("c", "a", "b")]
    assert list(standing.asked_for([*log, replace(TAKEN_UP, proposal_id="a")])) == ["c", "a", "b"]


def test_a_version_that_nobody_was_shown_is_being_prepared() -> None:
    again = replace(ASKED, version=2)
    assert standing.status_of(ASKED, 0, None, "running") == PREPARING
    assert standing.status_of(again, 1, "returned", "waiting_external") == PREPARING
    assert standing.status_of(again, 2, "open", "waiting_approval") == "open"


@pytest.mark.parametrize("ended", states.terminal(states.RUN))
def test_in_a_run_that_ended_it_never_will_be(ended: str) -> None:
    assert standing.status_of(ASKED, 0, None, ended) == NOT_OPENED
    assert standing.status_of(ASKED, 1, "approved", ended) == "approved"
    assert standing.is_final("approved", None, ended)


def test_what_is_final() -> None:
    for status in ("rejected", "expired", "withdrawn", NOT_OPENED):
        assert standing.is_final(status, None, "running")
        assert "nothing ran" in standing.meaning(status, None)
    for status in (PREPARING, "open", "approved", "returned", "lapsed"):
        assert not standing.is_final(status, None, "running")


@pytest.mark.parametrize(
    ("status", "committed", "final"),
    [
        ("prepared", None, False),
        ("executing", None, False),
        ("unknown", None, False),
        ("succeeded", None, False),
        ("succeeded", "2026-03-02T09:14:41Z", True),
        ("failed", None, True),
        ("compensated", None, True),
    ],
)
def test_an_effect_is_final_once_it_is_settled(
    status: str, committed: str | None, final: bool
) -> None:
    effect = replace(EFFECT, status=status, committed_at=committed)
    assert standing.is_final("approved", effect, "running") is final


def test_every_state_has_its_sentence() -> None:
    for status in (PREPARING, NOT_OPENED, *states.PROPOSAL):
        assert standing.meaning(status, None)
    sentences = {standing.meaning("approved", replace(EFFECT, status=one)) for one in states.EFFECT}
    assert len(sentences) == len(states.EFFECT)


def test_recorded_is_not_committed() -> None:
    assert "verified" not in standing.meaning("approved", EFFECT)
    committed = replace(EFFECT, committed_at="2026-03-02T09:14:41Z")
    assert "verified and committed" in standing.meaning("approved", committed)


def test_an_effect_that_was_not_sent_is_not_told_as_refused() -> None:
    not_sent = replace(EFFECT, status="failed", outcome="not_sent")
    assert "before anything was sent" in standing.meaning("approved", not_sent)
