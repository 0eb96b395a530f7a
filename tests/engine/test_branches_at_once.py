"""Whatever workers and people do at once to runs that branch: they wait for each other in an order,
and every run and every table is as its log says."""

import random
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from engine import api, sweeper
from engine.errors import Conflict, PlacetError, Unavailable
from engine.models import Proposal, Run
from tests.cast import reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import PATIENCE, together
from tests.world import Desk

HANDS = 6
MOST_RUNS = 30
Deed = Callable[[uuid.UUID], object]


def started(desk: Desk) -> uuid.UUID:
    claims = [
        {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "25.00"} for _ in range(3)
    ]
    return desk.start_run("recall", claims=claims)


def deeds(desk: Desk) -> list[Deed]:
    """What may be done to a run; what is done more often stands there more often."""
    otto, _ = reviewer(desk.people.otto), desk.people.rosa

    def approve(run_id: uuid.UUID) -> None:
        if proposal := Proposal.objects.filter(run_id=run_id, status="open").first():
            desk.approve(proposal)

    def sweep(run_id: uuid.UUID) -> None:
        for found in sweeper.run_once().runs:
            desk.work(found)

    def begin(run_id: uuid.UUID) -> None:
        if Run.objects.filter(workflow="recall").count() < MOST_RUNS:
            started(desk)

    return [
        *[desk.work] * 8,
        *[approve] * 4,
        *[sweep] * 2,
        begin,
        partial(api.cancel_run, operator=otto, reason="Not wanted."),
        partial(api.pause_run, operator=otto, reason="Wait."),
        partial(api.resume_run, reviewer=otto, reason="Go on."),
        partial(api.roll_back, operator=otto, reason="A mistake."),
        lambda run_id: api.raise_budget(
            run_id, {"max_effects": 90}, operator=otto, reason="It is due."
        ),
    ]


def newest(count: int) -> list[uuid.UUID]:
    found = Run.objects.exclude(workflow__startswith="system.").order_by("-created_at")
    return list(found.values_list("run_id", flat=True)[:count])


def do_anything(choices: list[Deed], dice: random.Random, until: float) -> None:
    """What the engine refuses is refused; that the database gives up on somebody is not."""
    while time.monotonic() < until:
        try:
            dice.choice(choices)(dice.choice(newest(24)))
        except Unavailable:
            raise
        except PlacetError:
            continue


def bring_home(desk: Desk) -> None:
    """Whatever is left is told to end, and does."""
    otto = reviewer(desk.people.otto)
    for run_id in newest(1000):
        with suppress(Conflict):
            api.cancel_run(run_id, operator=otto, reason="It is late.")
    deadline = time.monotonic() + PATIENCE
    while found := sweeper.run_once().runs:
        assert time.monotonic() < deadline, f"{len(found)} runs do not end"
        for run_id in found:
            desk.work(run_id)


@pytest.mark.parametrize(
    "seconds", [3, pytest.param(40, marks=[pytest.mark.slow, pytest.mark.timeout(300)])]
)
def test_nobody_is_given_up_on_and_all_comes_to_an_end(seconds: int, desk: Desk) -> None:
    started(desk)
    choices, until = deeds(desk), time.monotonic() + seconds
    seed = random.randrange(10**6)  # noqa: S311
    dice = [random.Random(seed + hand) for hand in range(HANDS)]  # noqa: S311
    acts = [partial(do_anything, choices, one, until) for one in dice]

    said = together(acts, patience=seconds + PATIENCE)
    bring_home(desk)

    assert said == [None] * HANDS, f"seed {seed}"
    assert not Run.objects.filter(ended_at=None).exclude(workflow__startswith="system.").exists()
    late = [
        run
        for run in Run.objects.exclude(parent=None).select_related("parent")
        if run.ended_at > run.parent.ended_at
    ]
    assert late == []
    for run_id in newest(1000):
        assert faults_in(desk.database, run_id) == []
        assert_tables_match_the_log(desk.database, run_id)
