"""Five minutes of the demo, with a reviewer who takes a quarter of a minute for each,
approves, and asks one question.

Nothing is brought about but by the demo's own processes and the decisions of one person.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import api
from engine.errors import PlacetError
from engine.models import Alert, Effect, Proposal, Run
from oversight.embedded.folders import discard, short_private_folder
from oversight.environment import DEMO_ENVIRONMENT
from oversight.models import Person
from tests.embedded.test_supervisor import Demo, assert_nothing_is_left, running
from tests.world import challenge_of, pointed_at

FIVE_MINUTES = 300.0
LOOK_SECONDS = 0.5
READING_SECONDS = 17.0
MISREAD = "N-20470"

TOUR = {
    "clean commit",
    "lapsed, version 2",
    "rolled back, alert",
    "unknown, alert",
    "irreversible",
    "expired",
    "returned, version 2",
}


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch, django_db_blocker: Any) -> Iterator[Demo]:
    """The agent's pauses are shorter than in a demo that somebody looks at."""
    monkeypatch.setenv("PLACET_AGENT_PAUSE", "3")
    folder = short_private_folder()
    with running(folder) as demo:
        with django_db_blocker.unblock(), pointed_at(_database_of(demo)):
            yield demo
        before = demo.processes()
        demo.press("q\n")
        assert demo.child.wait(60) == 0
    assert_nothing_is_left(demo, before)
    discard(folder)


def _database_of(demo: Demo) -> str:
    lines = (Path(demo.data) / DEMO_ENVIRONMENT).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)["DATABASE_URL"]


def decide_what_has_been_read(rosa: api.Reviewer) -> None:
    for proposal in Proposal.objects.filter(status="open"):
        if time.time() - proposal.opened_at.timestamp() < READING_SECONDS:
            continue
        asks = MISREAD in bytes(proposal.arguments).decode() and proposal.version == 1
        try:
            api.decide(
                proposal.run_id,
                proposal.pk,
                reviewer=rosa,
                proposal_id=proposal.proposal_id,
                version=proposal.version,
                digest=proposal.digest,
                decision="return" if asks else "approve",
                reason="Is it not a tenth?" if asks else "As it should be.",
                question="Is it not a tenth?" if asks else None,
                challenge=challenge_of(proposal),
            )
        except PlacetError:
            continue  # it ended a moment ago: what became of it is seen on the next look


def seen() -> set[str]:
    proposals = list(Proposal.objects.all())
    newer = {one.proposal_id for one in proposals if one.version == 2}
    by_status = {
        status: [one for one in proposals if one.status == status]
        for status in ("lapsed", "returned", "expired")
    }
    committed = Effect.objects.exclude(committed_at=None)
    alerts = set(Alert.objects.values_list("kind", flat=True))
    facts = {
        "clean commit": committed.filter(action="ledger.refund").exists(),
        "irreversible": committed.filter(action="mail.tell_customer").exists(),
        "rolled back, alert": Run.objects.filter(status="rolled_back").exists()
        and "verification_failed" in alerts,
        "unknown, alert": Effect.objects.filter(status="unknown").exists()
        and "effect_unknown" in alerts,
        "lapsed, version 2": any(one.proposal_id in newer for one in by_status["lapsed"]),
        "returned, version 2": any(one.proposal_id in newer for one in by_status["returned"]),
        "expired": bool(by_status["expired"]),
    }
    return {name for name, true in facts.items() if true}


@pytest.mark.slow
def test_within_five_minutes_everything_that_can_become_of_a_proposal_is_seen(demo: Demo) -> None:
    person = Person.objects.get(username="rosa")
    rosa = api.Reviewer(person_id=person.pk, name=str(person))
    deadline = time.monotonic() + FIVE_MINUTES
    while seen() != TOUR and time.monotonic() < deadline:
        decide_what_has_been_read(rosa)
        # What other processes do is told to nobody here, so it has to be looked for.
        time.sleep(LOOK_SECONDS)
    assert seen() == TOUR
