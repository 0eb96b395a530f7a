"""The audit in a real browser: searched, verified, exported, with scripts and without."""

import zipfile
from collections.abc import Callable

import pytest

from engine import api
from engine.models import Event
from tests.cast import AGENT, People
from tests.pages.screens import Screen
from tests.world import Desk

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e"
At = Callable[..., Screen]


@pytest.fixture
def run(desk: Desk) -> str:
    proposal = desk.approved_refund(why=HOSTILE, evidence=[HOSTILE, {HOSTILE: HOSTILE}])
    desk.work(proposal.run_id)
    return str(proposal.run_id)


def test_an_auditor_s_day(run: str, desk: Desk, people: People, at_screen: At) -> None:
    ada = at_screen(people.ada)
    page = ada.open("/audit/")
    page.get_by_role("button", name="Verify now").click()
    page.get_by_text("Intact when last verified").wait_for()
    assert page.get_by_text("Intact. Events checked:").is_visible()
    assert ada.is_fit_for_everybody()

    page.get_by_label("Kind").select_option("decision_made")
    page.get_by_role("button", name="Search").click()
    page.get_by_text("Events that match: 1").wait_for()
    page.get_by_role("link", name="Decision made").click()
    page.get_by_text("As it was written").wait_for()
    assert ada.is_fit_for_everybody()
    page.get_by_role("link", name="Earlier").click()
    page.get_by_role("link", name="The state after it").click()
    page.get_by_role("heading", name="What this event changed").wait_for()


def test_an_export_is_taken_away_and_the_page_stays_ready(
    run: str, people: People, at_screen: At
) -> None:
    page = at_screen(people.ada).open(f"/audit/?run={run}")
    button = page.get_by_role("button", name="Export what matches")
    for _ in range(2):
        with page.expect_download() as coming:
            button.click()
        with zipfile.ZipFile(coming.value.path()) as archive:
            assert sorted(archive.namelist()) == ["events.jsonl", "manifest.json", "verify.py"]
        assert coming.value.suggested_filename.startswith("placet-export-2")
    assert Event.objects.filter(kind="export_made").count() == 2


def test_the_history_shows_by_itself_what_others_take(
    run: str, people: People, at_screen: At
) -> None:
    ada, otto = at_screen(people.ada), at_screen(people.otto)
    page = ada.open("/audit/exports/")
    page.get_by_text("Nothing was exported yet").wait_for()
    assert ada.is_fit_for_everybody()
    other = otto.open("/audit/")
    with other.expect_download():
        other.get_by_role("button", name="Export everything").click()
    page.get_by_role("cell", name="Otto Weiss").wait_for()
    assert ada.is_fit_for_everybody()


def test_new_events_announce_themselves_and_move_nothing(
    run: str, desk: Desk, people: People, at_screen: At
) -> None:
    page = at_screen(people.ada).open("/audit/")
    rows = page.locator("tr[data-row]").count()
    api.finish_run(desk.start_run(), agent=AGENT)
    hint = page.get_by_text("2 new: show them")
    hint.wait_for()
    assert page.locator("tr[data-row]").count() == rows
    hint.click()
    page.get_by_role("link", name="Nothing more to propose").wait_for()


def test_without_scripts_all_of_it_works(run: str, people: People, at_screen: At) -> None:
    page = at_screen(people.ada, java_script_enabled=False).open("/audit/")
    page.get_by_role("button", name="Verify now").click()
    page.get_by_text("Intact when last verified").wait_for()
    page.get_by_label("Run", exact=True).fill(run)
    page.get_by_label("Kind").select_option("proposal_opened")
    page.get_by_role("button", name="Search").click()
    page.get_by_text("Events that match: 1").wait_for()
    with page.expect_download() as coming:
        page.get_by_role("button", name="Export what matches").click()
    assert coming.value.path().stat().st_size > 1000


def test_nothing_has_to_be_scrolled_to_from_side_to_side(
    run: str, people: People, at_screen: At
) -> None:
    ada = at_screen(people.ada)
    for width in (1280, 390):
        ada.page.set_viewport_size({"width": width, "height": 900})
        for address in ("/audit/", f"/audit/{run}/7/", "/audit/exports/"):
            ada.open(address)
            assert ada.fits(), (width, address)
