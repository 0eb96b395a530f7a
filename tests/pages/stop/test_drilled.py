"""The stop page says when the stop was drilled last, and what did not hold."""

from datetime import UTC, datetime

import pytest

from engine import api
from engine.rehearsing import Assertion, Played
from tests.cast import People, reviewer
from tests.pages.reading import Reader
from tests.world import Database

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def kept(people: People, *held: bool) -> None:
    found = [Assertion(what=f"Thing {n}", holds=each) for n, each in enumerate(held)]
    played = Played(
        action="ledger.refund",
        action_version=1,
        run_id=None,
        started_at=NOW,
        ended_at=NOW,
        recovery_seconds=None,
        timeline=[],
        assertions=found,
    )
    api.keep_drill(played, operator=reviewer(people.otto))


def test_without_a_drill_it_says_so_and_how_it_is_done(database: Database, otto: Reader) -> None:
    page = otto.get("/stop/")
    assert "Nobody has drilled the stop yet." in page.text
    assert "manage.py drill" in page.text


@pytest.mark.parametrize(
    ("held", "said"), [((True, True), "It holds"), ((True, False), "It failed")]
)
def test_the_last_one_is_shown_with_who_and_how_it_went(
    people: People, otto: Reader, held: tuple[bool, ...], said: str
) -> None:
    kept(people, True)
    kept(people, *held)
    page = otto.get("/stop/")
    assert said in page.text
    assert "Otto Weiss" in page.text
    assert ("Thing 1" in page.text) is not all(held)


def test_it_stands_in_the_log_of_stops(people: People, otto: Reader) -> None:
    kept(people, True)
    assert "Drilled the stop: it holds" in _log(otto)


def test_an_empty_inbox_says_when_it_was(people: People, rosa: Reader) -> None:
    assert "never yet" in rosa.get("/inbox/").text.partition("Stop last drilled")[2]
    kept(people, True)
    assert "just now" in rosa.get("/inbox/").text.partition("Stop last drilled")[2]


def _log(otto: Reader) -> str:
    page = otto.get("/runs/?show=installation")
    return otto.get(page.html.partition('table__open" href="')[2].partition('"')[0]).text
