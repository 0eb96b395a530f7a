"""From a person's word to the committed effect, through broker, worker, gate and verification."""

from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

from django.db import connection

from tests.bench.office import Office
from tests.bench.plan import Plan
from tests.bench.seats import quantile

APPROVING = 2
"""Threads that approve, as fast as they can."""


def measure(office: Office, plan: Plan) -> dict[str, Any]:
    with office.workers(concurrency=2):
        _burst(office, plan.effects // 10 or 1)
        rates = []
        for turn in range(plan.rounds):
            rates.append(_burst(office, plan.effects // plan.rounds))
            plan.say(f"{rates[-1]:,.0f} approved effects/s, round {turn + 1}")
        idle = sorted(_alone(office) for _ in range(plan.idle_effects))
    return {
        "rate": median(rates),
        "effects": plan.effects // plan.rounds,
        "p50": 1000 * quantile(idle, 0.5),
        "p95": 1000 * quantile(idle, 0.95),
    }


def _burst(office: Office, count: int) -> float:
    """Committed effects a second, from the first approval to the last commit."""
    runs = office.ask("bench.echo", count)
    with ThreadPoolExecutor(APPROVING, initializer=connection.ensure_connection) as rosas:
        list(rosas.map(office.approve, runs))
        office.committed(runs)
        rosas.map(lambda _: connection.close(), range(APPROVING))
    times = office.times(runs)
    taken = max(at for _, at in times) - min(at for at, _ in times)
    return count / float(taken.total_seconds())


def _alone(office: Office) -> float:
    """Seconds from one approval to its effect, while nothing else is to do."""
    runs = office.ask("bench.echo", 1)
    office.approve(runs[0])
    office.committed(runs)
    ((decided, committed),) = office.times(runs)
    return float((committed - decided).total_seconds())
