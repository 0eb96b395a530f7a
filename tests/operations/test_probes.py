"""Machines ask how Placet is: over HTTP, of a real web server, by address and without a session."""

import http.client
import json
import math
import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from prometheus_client.parser import text_string_to_metric_families

from engine import api
from oversight.embedded import Servers
from oversight.embedded.processes import PROJECT
from tests.cast import reviewer
from tests.faults.processes import Broker, Web, wait_until
from tests.world import Desk

TOKEN = "a-token-for-scraping"
NOBODY_THERE = "redis://127.0.0.1:9/0"
NO_DATABASE = "postgresql://nobody@127.0.0.1:9/nothing"
OUTSIDE = "an.address.that.is.not.the.site"


def asked(web: Web, path: str, **headers: str) -> http.client.HTTPResponse:
    """As an orchestrator asks: by address, under a name that the site does not have."""
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(web.url).port, timeout=60)
    connection.request("GET", path, headers={"Host": OUTSIDE, **headers})
    return connection.getresponse()


def ask(web: Web, path: str, **headers: str) -> tuple[int, str]:
    answer = asked(web, path, **headers)
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers
    return answer.status, answer.read().decode()


def figures(web: Web) -> dict[str, float]:
    status, text = ask(web, "/metrics", Authorization=f"Bearer {TOKEN}")
    assert status == 200
    return {
        sample.name + "".join(f"[{value}]" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_what_waits_for_people_and_workers_is_told(
    desk: Desk, broker: Broker, web_process: Callable[..., Web]
) -> None:
    proposal = desk.propose_refund(desk.purchase())
    desk.people.otto.save()
    web = web_process(PLACET_METRICS_TOKEN=TOKEN)

    assert ask(web, "/healthz") == (200, "alive\n")
    status, parts = ask(web, "/readyz")
    assert (status, json.loads(parts)) == (
        200,
        {"database": "ok", "schema": "ok", "broker": "ok"},
    )
    before = figures(web)
    assert before["placet_proposals_open[low]"] + before["placet_proposals_open[medium]"] == 1
    assert before["placet_proposals_next_expiry_timestamp_seconds"] == pytest.approx(
        proposal.valid_until.timestamp(), abs=1
    )
    assert before["placet_stopped"] == 0
    assert before["placet_broker_messages"] == broker.messages()
    assert "placet_alerts_open_since_timestamp_seconds" not in before

    api.stop_everything(reviewer(desk.people.otto), "Something is odd.")

    wait_until("it is told of", lambda: figures(web)["placet_stopped"] == 1)


def test_every_figure_is_explained_and_no_other(
    desk: Desk, web_process: Callable[..., Web]
) -> None:
    web = web_process(PLACET_METRICS_TOKEN=TOKEN)
    told = ask(web, "/metrics", Authorization=f"Bearer {TOKEN}")[1]
    page = (PROJECT / "docs" / "operations.md").read_text()

    assert {*re.findall(r"`(placet_\w+)", page)} == {*re.findall(r"# TYPE (\w+)", told)}


def test_without_broker_and_cache_people_are_served_and_messages_are_no_number(
    desk: Desk, web_process: Callable[..., Web]
) -> None:
    away = {"CELERY_BROKER_URL": NOBODY_THERE, "PLACET_CACHE_URL": NOBODY_THERE}
    web = web_process(**away, PLACET_METRICS_TOKEN=TOKEN)

    status, parts = ask(web, "/readyz")

    assert status == 200
    needed = {"database": "ok", "schema": "ok"}
    assert json.loads(parts) == {**needed, "broker": "failing", "cache": "failing"}
    assert math.isnan(figures(web)["placet_broker_messages"])


def test_on_a_database_that_was_not_migrated_nobody_is_served(
    quiet_servers: Servers, web_process: Callable[..., Web]
) -> None:
    web = web_process(DATABASE_URL=quiet_servers.database_url("postgres"))

    status, parts = ask(web, "/readyz")

    assert status == 503
    assert json.loads(parts) == {"database": "ok", "schema": "failing", "broker": "ok"}


def test_without_a_database_nobody_is_served_and_the_process_lives(
    web_process: Callable[..., Web],
) -> None:
    web = web_process(DATABASE_URL=NO_DATABASE, PLACET_METRICS_TOKEN=TOKEN)

    assert ask(web, "/healthz") == (200, "alive\n")
    status, parts = ask(web, "/readyz")
    assert status == 503
    assert json.loads(parts) == {"database": "failing", "schema": "failing", "broker": "ok"}
    status, text = ask(web, "/metrics", Authorization=f"Bearer {TOKEN}")
    assert (status, text) == (503, "It cannot be found out now; the log says why.\n")


def test_metrics_are_for_who_has_the_token_and_without_one_for_nobody(
    web_process: Callable[..., Web],
) -> None:
    web = web_process(DATABASE_URL=NO_DATABASE, PLACET_METRICS_TOKEN=TOKEN)
    for shown in ("", "Bearer ", f"Bearer {TOKEN}x", TOKEN, f"Basic {TOKEN}"):
        assert ask(web, "/metrics", Authorization=shown)[0] == 401, shown

    without = web_process(DATABASE_URL=NO_DATABASE)
    answer = asked(without, "/metrics", Authorization="Bearer ")
    assert answer.status >= 400
    assert b"placet_" not in answer.read()
