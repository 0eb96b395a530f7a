"""`manage.py stop`: it works without any page, and waits until nothing is under way."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command

from engine import api
from engine.models import Effect, Stop
from oversight.embedded.processes import PROJECT
from tests.cast import People
from tests.faults.processes import Worker, wait_until
from tests.pages.stop.held import Held
from tests.world import Database, Desk


def stop(*words: str, out: io.StringIO | None = None, **options: object) -> str:
    told = out or io.StringIO()
    call_command("stop", *words, stdout=told, **options)
    return told.getvalue()


class Once(io.StringIO):
    """Does something as soon as these words are written to it."""

    def __init__(self, words: str, act: Callable[[], object]) -> None:
        super().__init__()
        self.words, self.due = words, [act]

    def write(self, text: str) -> int:
        written = super().write(text)
        if self.due and self.words in text:
            self.due.pop()()
        return written


@pytest.fixture
def held(desk: Desk, worker_process: Callable[..., Worker]) -> Held:
    return Held(desk, worker_process)


def lines(told: str) -> list[str]:
    """What is told of effects, from the top."""
    return re.findall(r"^  (under way|done|unknown|not started) ", told, re.MULTILINE)


def test_with_nothing_in_flight_it_is_safe_at_once(desk: Desk) -> None:
    desk.work(desk.approved_refund().run_id)
    told = stop(reason="Odd.")
    assert "Everything is stopped: nothing new begins." in told
    assert "Nothing was in flight: safe from the first moment on." in told
    placed = Stop.objects.get()
    assert (placed.reason, placed.rollbacks_run) == ("Odd.", False)
    assert re.fullmatch(r"command:\S+", placed.placed_by)


def test_a_call_that_is_under_way_is_waited_for_and_told_as_done(desk: Desk, held: Held) -> None:
    told = stop(reason="Odd.", out=Once("Waiting for that", held.let_go))
    assert lines(told) == ["under way", "done"]
    assert "Not safe yet: calls under way: 1." in told
    seconds = re.search(r"Safe (\d+\.\d) s after the stop: no call is under way any more\.", told)
    assert seconds is not None
    assert float(seconds[1]) < 20
    assert desk.ledger.movements("A-1") == 1


def test_a_call_whose_answer_never_comes_is_told_as_unknown(desk: Desk, held: Held) -> None:
    def let_go_into_the_void() -> None:
        desk.ledger.shut()
        held.let_go()

    try:
        told = stop(reason="Odd.", out=Once("Waiting for that", let_go_into_the_void))
    finally:
        desk.ledger.open()
    assert lines(told) == ["under way", "unknown"]
    assert "no call is under way any more." in told
    assert Effect.objects.get().status == "unknown"


def test_a_worker_that_died_is_not_waited_for_longer_than_its_call_could_take(
    desk: Desk, held: Held, database: Database
) -> None:
    """Once another worker comes to the run, the receipt says that nothing was ever sent."""
    held.worker.kill()
    told = stop(reason="Odd.")
    assert lines(told) == ["under way", "under way"]
    assert "Safe: calls without a recorded outcome: 1;" in told
    run_id = held.proposal.run_id
    wait_until("the dead worker's lease has lapsed", lambda: desk.work(run_id).outcome == "paused")
    (effect,) = api.halt_receipt(Stop.objects.get().pk)["effects"]
    assert effect["told"] == "not started"
    assert desk.ledger.honoured() == [] or desk.ledger.movements("A-1") == 0


def test_rollbacks_run_meanwhile_where_it_says_so(database: Database) -> None:
    stop("--rollbacks-run", reason="Odd.")
    assert Stop.objects.get().rollbacks_run


def test_it_is_lifted_with_a_reason_by_somebody_named(people: People) -> None:
    stop(reason="Odd.")
    told = stop("--lift", reason="It looks like nothing.")
    assert "Everything stays stopped: it takes two." in told
    told = stop("--lift", "--agree", "--by", people.otto.username, reason="It was explained.")
    assert "The stop is lifted." in told
    lifted = Stop.objects.get()
    assert (lifted.lifted_by, lifted.lifted_reason) == (
        f"person:{people.otto.pk}",
        "It was explained.",
    )


@pytest.mark.parametrize("name", ["rosa", "ada", "ines"])
def test_nobody_is_named_who_may_not_stop(people: People, name: str) -> None:
    with pytest.raises(CommandError, match="no active operator or administrator"):
        stop("--by", getattr(people, name).username, reason="Odd.")
    assert Stop.objects.count() == 0


def test_a_closed_account_is_nobody(people: People) -> None:
    people.otto.is_active = False
    people.otto.save()
    with pytest.raises(CommandError, match="no active operator"):
        stop("--by", people.otto.username, reason="Odd.")


def test_what_cannot_be_done_is_said_and_fails(database: Database) -> None:
    with pytest.raises(CommandError, match="no stop for everything is in force"):
        stop("--lift", reason="Go on.")
    with pytest.raises(CommandError, match="Give a reason"):
        stop(reason=" ")
    with pytest.raises(CommandError, match="--reason"):
        stop()
    stop(reason="Odd.")
    with pytest.raises(CommandError, match="in force already"):
        stop(reason="Odder.")
    assert Stop.objects.count() == 1


def test_it_needs_nothing_but_the_database(
    database: Database, processes_environment: dict[str, str]
) -> None:
    """No web server, no worker, and a broker that is not there."""
    env = {**os.environ, **processes_environment, "CELERY_BROKER_URL": "redis://127.0.0.1:1/0"}
    done = subprocess.run(
        [sys.executable, "manage.py", "stop", "--reason", "The pages are down."],
        cwd=PROJECT,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "safe from the first moment on" in done.stdout
    assert Stop.objects.get().reason == "The pages are down."
