"""The checkpoints in a real browser: found, compared, walked through, with scripts and without."""

import json
from collections.abc import Callable

import pytest

from engine import api
from engine.models import Checkpoint
from tests.cast import People
from tests.pages.screens import Screen
from tests.world import Desk

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e"
At = Callable[..., Screen]


@pytest.fixture
def run(desk: Desk) -> str:
    """A refund from its claim on, and one of another amount beside it."""
    ids = []
    for amount in ("80.00", "12.00"):
        state = {"order": desk.purchase(), "customer": HOSTILE, "amount": amount}
        ids.append(api.start_run("refund", state, initiator=desk.people.agent))
        desk.work(ids[-1])
    return str(ids[0])


def test_from_a_search_to_what_one_event_changed(run: str, people: People, at_screen: At) -> None:
    ada = at_screen(people.ada)
    page = ada.open("/checkpoints/")
    assert ada.is_fit_for_everybody()
    page.get_by_label("Field", exact=True).select_option("amount")
    page.get_by_label("Comparison").select_option("gt")
    page.get_by_label("Value").fill("50")
    page.get_by_label("Status").select_option("waiting_approval")
    page.get_by_role("button", name="Search").click()
    page.get_by_text("Checkpoints that match: 1, searched among: 4").wait_for()
    page.get_by_role("link", name="pay", exact=True).click()
    page.get_by_text("Checksum matches, computed anew just now").wait_for()
    assert ada.is_fit_for_everybody()

    with page.expect_download() as coming:
        page.get_by_role("link", name="Download as JSON").click()
    document = json.loads(coming.value.path().read_text())
    assert document["state_snapshot"]["state"]["amount"] == "80.00"

    page.get_by_role("link", name="The state after this event").click()
    page.get_by_text("Checkpoint and chain verified just now").wait_for()
    assert ada.is_fit_for_everybody()
    page.get_by_role("link", name="Earlier").click()
    page.get_by_role("heading", name="State after event 6").wait_for()


def test_two_that_are_ticked_are_compared(run: str, people: People, at_screen: At) -> None:
    ada = at_screen(people.ada)
    page = ada.open(f"/checkpoints/?run={run}")
    for box in page.get_by_role("checkbox").all():
        if box.is_visible():
            box.check()
    page.get_by_role("button", name="Compare the two that are ticked").click()
    page.get_by_role("heading", name="What differs").wait_for()
    assert page.get_by_text("pending.arguments.amount").is_visible()
    assert ada.is_fit_for_everybody()
    page.get_by_role("link", name="that are the same, too").click()
    page.get_by_role("link", name="Only what differs").wait_for()


def test_one_that_was_tampered_with_says_so(
    run: str, desk: Desk, people: People, at_screen: At
) -> None:
    saved = Checkpoint.objects.filter(run_id=run).latest("last_event_sequence")
    desk.database.execute(
        "UPDATE engine_checkpoint SET status = 'running' WHERE checkpoint_id = %s", saved.pk
    )
    ada = at_screen(people.ada)
    page = ada.open(f"/checkpoints/{saved.pk}/")
    assert page.get_by_role("alert").get_by_text("is not what was saved").is_visible()
    assert ada.is_fit_for_everybody()


def test_a_search_that_is_not_understood_is_told_beside_its_field(
    run: str, people: People, at_screen: At
) -> None:
    ada = at_screen(people.ada)
    page = ada.open("/checkpoints/?run=nonsense&field=colour&is=eq&value=red")
    assert page.get_by_text("This is no identifier").is_visible()
    assert page.get_by_text("No workflow declares a field “colour”.").is_visible()
    assert ada.is_fit_for_everybody()
    ada.forgives(400)


def test_without_scripts_all_of_it_works(run: str, people: People, at_screen: At) -> None:
    page = at_screen(people.ada, java_script_enabled=False).open("/checkpoints/at/")
    page.get_by_label("Run", exact=True).fill(run)
    page.get_by_label("Number of the event").fill("3")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("heading", name="State after event 3").wait_for()
    assert page.get_by_text('"claim"').count() == 0
    assert page.get_by_text('"status": "running"').is_visible(), "nothing is folded"


def test_nothing_has_to_be_scrolled_to_from_side_to_side(
    run: str, people: People, at_screen: At
) -> None:
    saved = Checkpoint.objects.filter(run_id=run).latest("last_event_sequence")
    ada = at_screen(people.ada)
    for width in (1280, 390):
        ada.page.set_viewport_size({"width": width, "height": 900})
        for address in (
            "/checkpoints/",
            f"/checkpoints/{saved.pk}/",
            f"/checkpoints/at/?run={run}&seq=7",
            f"/checkpoints/compare/?of={run}@1&of={run}@7",
        ):
            ada.open(address)
            assert ada.fits(), (width, address)
