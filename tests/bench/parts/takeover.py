"""One of two workers is killed after the target has acted and before anybody knows of it."""

import uuid
from collections import Counter
from datetime import UTC, datetime
from statistics import median
from typing import Any

from oversight.embedded.hold import Hold, hold
from tests.bench.office import LEASE_SECONDS, Office
from tests.bench.plan import Plan

_LOOK_SECONDS = 1.0


def measure(office: Office, plan: Plan) -> dict[str, Any]:
    with office.clock(), office.workers(concurrency=1):
        taken = [_one(office, plan) for _ in range(plan.kills)]
    acted = Counter((office.folder / "counted").read_text().splitlines())
    return {
        "kills": plan.kills,
        "lease": LEASE_SECONDS,
        "p50": median(taken),
        "worst": max(taken),
        "effects": len(acted),
        "repeated": sum(times - 1 for times in acted.values()),
    }


def _one(office: Office, plan: Plan) -> float:
    """Seconds from SIGKILL until the other worker has claimed the run."""
    from engine.models import Event

    with (
        hold("executed", office.folder) as held,
        office.workers(concurrency=1, **held.environment) as doomed,
    ):
        runs = _until_held(office, held)
        killed = datetime.now(UTC)
        doomed.kill()
    office.committed(runs)
    claims = Event.objects.filter(run_id__in=runs, kind="run_claimed", at__gt=killed)
    taken = (claims.order_by("at")[0].at - killed).total_seconds()
    plan.say(f"taken over after {taken:.1f} s")
    return float(taken)


def _until_held(office: Office, held: Hold) -> list[uuid.UUID]:
    """Effects are approved until the doomed worker has one of them."""
    runs: list[uuid.UUID] = []
    while True:
        runs += office.ask("bench.counted", 1)
        office.approve(runs[-1])
        try:
            held.pids(1, _LOOK_SECONDS)
        except TimeoutError:
            continue
        return runs
