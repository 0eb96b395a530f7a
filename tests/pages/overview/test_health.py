"""Workers and sweep, in sentences that say no more than the tables know."""

from datetime import UTC, datetime

import pytest

from engine import api, leasing, sweeper
from oversight.pages.overview.reads import health
from tests.cast import People, all_go_on, reviewer
from tests.pages.alerts.trouble import stuck_rollback
from tests.pages.reading import Page, Reader
from tests.pages.unknowns.doubt import in_doubt
from tests.world import Database, Desk

OVERVIEW = "/overview/"


def health_of(page: Page) -> str:
    return page.text.partition("Workers and sweep")[2].partition("Effects committed")[0]


def tone_of(page: Page, words: str) -> str:
    """The tone of the line that says so."""
    before = page.html.partition(words)[0]
    return before.rpartition("lines__line tone-")[2].partition('"')[0]


def test_a_quiet_installation(otto: Reader) -> None:
    said = health_of(otto.get(OVERVIEW))
    assert "Every run that can go on has a worker." in said
    assert "No worker has taken up a run for a day." in said
    assert "No open proposal is past its time." in said
    assert "when it finds none it writes nothing" in said
    assert "No run is with a worker, and none waits for a time." in said


def test_a_run_that_nobody_takes_up_is_told_of_and_then_warned_of(
    desk: Desk, database: Database, otto: Reader
) -> None:
    desk.work(desk.start_run())
    run_id = desk.start_run()
    page = otto.get(OVERVIEW)
    assert "1 run could go on and has no worker, since just now" in health_of(page)
    assert tone_of(page, "1 run could go on") == "plain"
    database.execute(
        "UPDATE engine_run SET last_at = now() - interval '3 min' WHERE run_id = %s", run_id
    )
    page = otto.get(OVERVIEW)
    assert "1 run could go on and has no worker, since 3 min ago" in health_of(page)
    assert tone_of(page, "1 run could go on") == "bad"
    desk.work(run_id)
    assert "Every run that can go on has a worker." in health_of(otto.get(OVERVIEW))


def test_the_newest_claim_is_the_sign_of_life_of_a_worker(desk: Desk, otto: Reader) -> None:
    desk.propose_refund()
    assert "A worker last took up a run just now" in health_of(otto.get(OVERVIEW))


def test_a_run_with_a_worker_is_said_to_have_one(desk: Desk, otto: Reader) -> None:
    run_id = desk.start_run()
    desk.ask_for_refund(run_id, desk.purchase())
    leasing.claim(run_id, "a worker")
    said = health_of(otto.get(OVERVIEW))
    assert "1 run is with a worker now; 0 wait for a time." in said
    assert "Every run that can go on has a worker." in said


def test_what_is_past_its_time_is_a_matter_of_the_sweep(desk: Desk, otto: Reader) -> None:
    proposal = desk.propose_refund()
    desk.database.deadline_passes_for(proposal.pk)
    page = otto.get(OVERVIEW)
    assert "1 proposal is past its time and no sweep has expired it" in health_of(page)
    assert tone_of(page, "1 proposal is past its time") == "plain"
    desk.database.execute("UPDATE engine_proposal SET valid_until = now() - interval '2 min'")
    assert tone_of(otto.get(OVERVIEW), "1 proposal is past its time") == "bad"
    sweeper.run_once()
    said = health_of(otto.get(OVERVIEW))
    assert "No open proposal is past its time." in said
    assert "A sweep last expired a proposal just now" in said


@pytest.mark.parametrize("stopped", [False, True])
def test_it_counts_what_the_next_sweep_would_find(
    desk: Desk, database: Database, people: People, stopped: bool
) -> None:
    """Runs in every state that matters, by the engine's own rule and by the page's."""
    in_doubt(desk, handed_over=False)
    stuck_rollback(desk)
    held, left, due, _parked = [desk.start_run() for _ in range(4)]
    for run_id in (held, left, due):
        desk.ask_for_refund(run_id, desk.purchase())
    leasing.claim(held, "a worker")
    leasing.claim(left, "a worker")
    database.time_passes_for(left)
    database.time_passes_for(due)
    approved = desk.approved_refund()
    api.stop_everything(reviewer(people.otto), "A drill.")
    desk.work(approved.run_id)
    if not stopped:
        all_go_on(people)
    found = sweeper.run_once().runs
    runnable = health.runnable()
    assert runnable.count == len(found) > 1
    assert (approved.run_id in found) is not stopped
    assert runnable.held == 1
    assert runnable.since is not None
    assert runnable.since < datetime.now(UTC)
