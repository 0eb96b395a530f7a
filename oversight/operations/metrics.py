"""The overview, for Prometheus: what waits for a person, what waits for a worker, and since when.

Every figure is read from the database at the moment of asking, so that one answer is the same
whichever of several web processes gives it, and none starts from nought when one is restarted.
Names follow https://prometheus.io/docs/practices/naming/; instants are seconds since 1970.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from http import HTTPStatus

from django.db import connection
from django.utils import timezone
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from oversight import celery
from oversight.pages.overview.reads import health, needs

from .probes import Answer


def metrics() -> Answer:
    """200 with every figure; 503 and none if they cannot be read: half of them would mislead."""
    registry = CollectorRegistry(auto_describe=False)
    try:
        registry.register(_Figures())
        return Answer(
            status=HTTPStatus.OK, body=generate_latest(registry), kind=CONTENT_TYPE_LATEST
        )
    finally:
        connection.close()


Labelled = Mapping[tuple[str, ...], float]
"""Figures by the values of their labels."""


class _Figures(Collector):
    def collect(self) -> Iterator[Metric]:
        yield from _proposals()
        yield from _troubles()
        yield from _runs()
        yield _one("broker_messages", "Messages that no worker has taken.", _messages())


def _proposals() -> Iterator[Metric]:
    found = needs.open_proposals()
    by_risk: Labelled = {("low",): found.low, ("medium",): found.medium, ("high",): found.high}
    yield _gauge("proposals_open", "Proposals that can be decided.", by_risk, "risk")
    yield _at("proposals_next_expiry", "When the first of them expires.", found.next_expiry)
    yield _one("proposals_overdue", "Proposals past their time, not yet swept.", found.overdue)
    yield _at("proposals_overdue_since", "Since when the first of them is.", found.overdue_since)


def _troubles() -> Iterator[Metric]:
    unknown, alerts = needs.unknown_effects(), needs.alerts()
    yield _one("effects_unknown", "Effects whose outcome is unknown.", unknown.count)
    yield _at("effects_unknown_since", "When the oldest of them was sent.", unknown.since)
    yield _one("alerts_open", "Alerts that nobody has acknowledged.", alerts.open)
    yield _at("alerts_open_since", "When the oldest of them was raised.", alerts.since)
    yield _one("alerts_overdue", "Alerts acknowledged until a time that is past.", alerts.overdue)
    yield _one("stopped", "1 while a stop is in force.", needs.stop_in_force() is not None)


def _runs() -> Iterator[Metric]:
    found = health.runnable()
    paused: Labelled = {(one.reason,): one.count for one in needs.paused_runs()}
    yield _one("runs_without_worker", "Runs that could go on and have no worker.", found.count)
    yield _at("runs_without_worker_since", "Since when the longest has none.", found.since)
    yield _one("runs_with_worker", "Runs that a worker holds.", found.held)
    yield _one("runs_due_later", "Runs that wait for a time.", found.due_later)
    yield _gauge("runs_paused", "Runs that stand still until somebody looks.", paused, "reason")
    last = health.last_claim(timezone.now())
    yield _at("worker_last_claim", "When a worker last took up a run, if within a day.", last)


def _messages() -> float:
    """Not a number where the broker does not answer: nobody knows, and nought would be a lie."""
    try:
        with celery.reached() as broker:
            return celery.waiting_at(broker)
    except Exception:
        return float("nan")


def _gauge(name: str, words: str, values: Labelled, *labels: str) -> Metric:
    family = GaugeMetricFamily(f"placet_{name}", words, labels=labels)
    for label, value in values.items():
        family.add_metric(label, float(value))
    return family


def _one(name: str, words: str, value: float) -> Metric:
    values: Labelled = {(): value}
    return _gauge(name, words, values)


def _at(name: str, words: str, at: datetime | None) -> Metric:
    """An instant; no sample where there is none, so that its age is not counted from 1970."""
    values: Labelled = {} if at is None else {(): at.timestamp()}
    return _gauge(f"{name}_timestamp_seconds", words, values)
