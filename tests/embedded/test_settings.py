"""The settings read the environment, fail closed, and tell browsers what they may do."""

import json
import logging
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from oversight.embedded.folders import discard, short_private_folder
from oversight.embedded.processes import PROJECT
from oversight.environment import adopt_running_demo, database
from oversight.localhost import LocalhostOnly
from oversight.log_line import OneLine
from oversight.signing_in import ClosedSignUp

PATIENCE = 30
"""Seconds; left to itself, Celery goes on trying for minutes."""

PRODUCTION = {
    "PLACET_SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "PLACET_ALLOWED_HOSTS": "placet.example",
    "DATABASE_URL": "postgresql://placet@localhost/placet",
    "CELERY_BROKER_URL": "redis://localhost/0",
}


def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the project, with these settings and nothing else of ours."""
    ours = ("PLACET_", "DATABASE_URL", "CELERY_", "DJANGO_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment = {**clean, "DJANGO_SETTINGS_MODULE": "oversight.settings", **settings}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("process", ["web", "worker", "beat"])
def test_nothing_serves_without_a_secret(process: str) -> None:
    refused = run("-c", "import django; django.setup()", PLACET_PROCESS=process)

    assert refused.returncode != 0
    assert "PLACET_SECRET_KEY is not set" in refused.stderr


@pytest.mark.parametrize("command", ["demo", "scenarios", "crashproof"])
def test_what_brings_its_own_servers_needs_nothing_named(command: str) -> None:
    told = run("manage.py", command, "--help")
    assert told.returncode == 0, told.stderr


def test_a_missing_database_is_explained_when_it_is_used() -> None:
    refused = run(
        "-c", "import django; django.setup(); from django.db import connection as c\nc.cursor()"
    )

    assert "No database is named. Set DATABASE_URL" in refused.stderr


def test_production_settings_pass_the_deployment_check() -> None:
    checked = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)

    assert checked.returncode == 0, checked.stderr


def test_production_cookies_belong_to_one_host_over_https() -> None:
    script = """
from django.conf import settings
for name in ("SESSION", "CSRF"):
    for what in ("NAME", "SECURE", "HTTPONLY", "SAMESITE"):
        print(getattr(settings, f"{name}_COOKIE_{what}"), end=" ")
"""
    told = run("-c", script, **PRODUCTION).stdout

    assert told == ("__Host-placet-session True True Lax __Host-placet-csrf True True Lax ")


def test_every_answer_carries_the_security_headers(client: Client) -> None:
    headers = client.get("/there-is-no-such-page/").headers

    assert set(headers["Content-Security-Policy"].split("; ")) == {
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "object-src 'none'",
    }
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


def test_a_web_process_shares_a_pool_and_a_worker_keeps_its_connection() -> None:
    url = "postgresql://me@/placet?host=%2Frun%2Fa%20socket"

    web, worker = database(url, process="web"), database(url, process="worker")

    assert (web["HOST"], web["NAME"], web["USER"]) == ("/run/a socket", "placet", "me")
    assert web["OPTIONS"]["pool"] == {"min_size": 2, "max_size": 8, "timeout": 5}
    assert web["CONN_MAX_AGE"] == 0
    assert "pool" not in worker["OPTIONS"]
    assert worker["CONN_MAX_AGE"] is None
    assert worker["OPTIONS"]["application_name"] == "placet worker"


def test_parameters_of_the_url_reach_the_driver() -> None:
    assert database("postgresql:///p?sslmode=verify-full", process="web")["OPTIONS"]["sslmode"] == (
        "verify-full"
    )


def test_commands_adopt_the_running_demo_unless_a_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "demo.env").write_text("DATABASE_URL=postgresql:///demo?a=b\nPLACET_DEMO=1\n")
    nothing: dict[str, str] = {}
    named = {"DATABASE_URL": "postgresql:///mine"}

    adopt_running_demo(nothing, tmp_path)
    adopt_running_demo(named, tmp_path)

    assert nothing == {"DATABASE_URL": "postgresql:///demo?a=b", "PLACET_DEMO": "1"}
    assert named == {"DATABASE_URL": "postgresql:///mine"}


def test_without_a_running_demo_nothing_is_adopted(tmp_path: Path) -> None:
    nothing: dict[str, str] = {}

    adopt_running_demo(nothing, tmp_path)

    assert nothing == {}


def answered(request: HttpRequest) -> HttpResponse:
    return LocalhostOnly(lambda _: HttpResponse("through"))(request)


@pytest.mark.parametrize("method", ["get", "head"])
def test_readers_at_127_0_0_1_are_sent_to_localhost(method: str) -> None:
    request = getattr(RequestFactory(), method)("/runs/?a=b", HTTP_HOST="127.0.0.1:8123")

    assert answered(request).headers["Location"] == "http://localhost:8123/runs/?a=b"


def test_posts_and_other_hosts_pass() -> None:
    factory = RequestFactory()

    assert answered(factory.post("/", HTTP_HOST="127.0.0.1:8123")).content == b"through"
    assert answered(factory.get("/", HTTP_HOST="localhost:8123")).content == b"through"


def test_sign_up_is_closed() -> None:
    assert not ClosedSignUp().is_open_for_signup(RequestFactory().get("/"))


def test_a_log_record_is_one_line_whatever_it_says() -> None:
    try:
        raise ValueError("first\nsecond")
    except ValueError:
        record = logging.LogRecord(
            "n", logging.ERROR, __file__, 1, "a\r\nINFO b \x1b[2J \u202e", None, sys.exc_info()
        )

    line = OneLine("{message}", style="{").format(record)

    assert line.isprintable()
    assert line.startswith(r"a\r\nINFO b \x1b[2J \u202e\nTraceback")
    assert r"ValueError: first\nsecond" in line


def test_a_log_in_json_is_one_object_a_line_and_says_what_was_worked_on() -> None:
    script = """
import django; django.setup()
import logging
from engine.noting import noted
logging.info("outside")
with noted(run="r-1"), noted(effect="e-1"):
    try:
        raise ValueError("first\\nsecond")
    except ValueError:
        logging.exception('"quoted"\\n\u202e')
"""
    told = run("-c", script, PLACET_DEMO="1", PLACET_LOG="json")

    outside, failed = (json.loads(line) for line in told.stderr.splitlines())
    assert (outside["level"], outside["message"]) == ("INFO", "outside")
    assert "run" not in outside
    assert (failed["run"], failed["effect"]) == ("r-1", "e-1")
    assert failed["message"] == '"quoted"\n\u202e'
    assert "ValueError: first\nsecond" in failed["traceback"]
    assert told.stderr.isascii()


def test_a_log_that_nobody_can_write_is_refused() -> None:
    assert (
        "PLACET_LOG is `lines` or `json`." in run("-m", "django", "check", PLACET_LOG="xml").stderr
    )


class TestPublishing:
    """A hint that the broker does not take is given up within about a second."""

    SCRIPT = """
import time
from oversight.celery import app
began = time.monotonic()
try:
    app.send_task("engine.tasks.sweep")
except Exception as problem:
    print(time.monotonic() - began)
"""

    def seconds_to_give_up(self, broker: str) -> float:
        told = run("-c", self.SCRIPT, CELERY_BROKER_URL=broker)
        assert told.returncode == 0, told.stderr
        return float(told.stdout)

    def test_gives_up_on_a_broker_that_is_not_there(self) -> None:
        assert self.seconds_to_give_up("redis+socket:///nowhere/valkey.sock") < PATIENCE

    def test_gives_up_on_a_broker_that_does_not_answer(self) -> None:
        folder = short_private_folder()
        with socket.socket(socket.AF_UNIX) as mute:
            mute.bind(str(folder / "mute.sock"))
            mute.listen()
            seconds = self.seconds_to_give_up(f"redis+socket://{folder}/mute.sock")
        discard(folder)

        assert seconds < PATIENCE


class TestRehearsingByItself:
    """Only where two people have said that it is done in their names."""

    SCRIPT = "from oversight.celery import app; print(sorted(app.conf.beat_schedule))"

    @pytest.mark.parametrize(
        ("named", "scheduled"), [("", "['sweep']"), ("otto:rosa", "['rehearsals', 'sweep']")]
    )
    def test_it_is_scheduled(self, named: str, scheduled: str) -> None:
        told = run("-c", self.SCRIPT, PLACET_REHEARSE_AS=named)
        assert told.stdout.strip() == scheduled, told.stderr
