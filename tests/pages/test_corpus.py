"""Everything hostile that agents, targets and people may write, on every page that repeats it, in a
real browser. A dialog, an error, a report of the content policy or a request to another host fails
each test: see `Screen.heard`."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Group

from engine import api
from engine.models import Checkpoint, Decision
from oversight import inviting
from oversight.models import Person
from tests.cast import People, reviewer
from tests.engine.editing import edit
from tests.pages.alerts.trouble import address_of as alarm
from tests.pages.alerts.trouble import stuck_rollback, taken_on
from tests.pages.hostile import EVERYTHING, HIDDEN, MARKED, MARKUP, is_read, must_be_inert
from tests.pages.reading import Reader, address_of
from tests.pages.screens import Screen
from tests.pages.unknowns.doubt import address_of as doubtful
from tests.pages.unknowns.doubt import in_doubt
from tests.world import Desk

pytestmark = pytest.mark.browser

Sit = Callable[..., Screen]
Place = tuple[str, Sequence[str]]
"""An address, and what has to be read there: some pages only lead to it."""
ALL = (MARKUP[0], MARKED)
CALLED = (NAME := MARKUP[0] + MARKUP[1],)
"""What somebody might be called, and a group of theirs. What hides something is no name here."""

SAYING: dict[str, Any] = {
    "why": EVERYTHING,
    "evidence": [EVERYTHING, {words: words for words in MARKUP}, MARKUP],
    "customer": EVERYTHING,
}


def goes_through(screen: Screen, places: Iterator[Place]) -> None:
    for address, words in places:
        page = screen.open(address)
        must_be_inert(page)
        assert is_read(page, *words), address


def of_a_decision(desk: Desk) -> Iterator[Place]:
    """It was rejected, from its page, for a reason that is no better than what was asked."""
    run_id = desk.start_run(**{"note": EVERYTHING, EVERYTHING: [EVERYTHING]})
    desk.ask_for_refund(run_id, desk.purchase(customer=EVERYTHING), **SAYING)
    desk.work(run_id)
    proposal = desk.proposal(run_id)
    Reader(desk.people.rosa).decide(proposal, "reject", reason=EVERYTHING)
    desk.work(run_id)
    seen = f"{address_of(proposal)}seen/{Decision.objects.get(proposal=proposal).pk}/"
    yield from ((address_of(proposal), ALL), (seen, ALL), ("/inbox/?show=decided", ALL))
    yield from of_the_log(desk, run_id)
    saved = Checkpoint.objects.filter(run_id=run_id).earliest("last_event_sequence")
    last = desk.run(run_id).last_seq
    yield f"/checkpoints/?run={run_id}", ()
    yield f"/checkpoints/{saved.pk}/", ALL
    yield f"/checkpoints/at/?run={run_id}&seq={last}", ALL
    yield f"/checkpoints/compare/?of={run_id}@1&of={run_id}@{last}&all=1", ALL


def of_the_log(desk: Desk, run_id: Any) -> Iterator[Place]:
    """The list of a run's events, and every one of them by itself."""
    yield f"/audit/?run={run_id}", ()
    telling = {"run_accepted", "effect_requested", "proposal_opened", "decision_made"}
    for event in desk.database.log(run_id):
        yield f"/audit/{run_id}/{event['seq']}/", ALL if event["kind"] in telling else ()


def of_trouble(desk: Desk) -> Iterator[Place]:
    """What nobody can tell of, and a target that answers with it."""
    effect = in_doubt(desk, desk.purchase(customer=EVERYTHING), **SAYING)
    alert = stuck_rollback(desk, {"refunded": EVERYTHING})
    taken_on(alert, desk.people.otto, cause=EVERYTHING, next_step=EVERYTHING)
    yield from (("/unknowns/", ()), (doubtful(effect), ALL))
    yield from (("/alerts/", ()), ("/alerts/?show=acknowledged", ALL), (alarm(alert), ALL))


def test_c87_nothing_that_an_agent_or_a_target_wrote_is_more_than_text_anywhere(
    desk: Desk, people: People, at_screen: Sit
) -> None:
    goes_through(at_screen(people.ada), of_a_decision(desk))
    goes_through(at_screen(people.otto), of_trouble(desk))


@pytest.fixture
def mallory(people: People) -> Person:
    return people.somebody("mallory", "reviewer", "operator", "administrator", full_name=NAME)


def of_what_they_said(desk: Desk, mallory: Person) -> Iterator[Place]:
    """Claimed, rejected, edited, acknowledged and stopped by such a person."""
    by = reviewer(mallory)
    claimed, rejected, edited = (desk.propose_refund() for _ in range(3))
    api.claim(claimed.run_id, claimed.pk, reviewer=by)
    desk.decide(rejected, "reject", by=mallory, reason=EVERYTHING)
    edit(desk, edited, by=mallory, amount="20.00", said={"reason": EVERYTHING})
    yield address_of(claimed), CALLED
    yield from ((address_of(each), ALL) for each in (rejected, edited))
    yield from (("/inbox/", CALLED), ("/inbox/?show=claimed", CALLED))
    yield "/inbox/?show=decided", ALL
    alert = stuck_rollback(desk)
    taken_on(alert, mallory, cause=EVERYTHING, next_step=EVERYTHING)
    yield from (("/alerts/?show=acknowledged", ALL), (alarm(alert), ALL))
    stop = api.stop(by, EVERYTHING, scope=f"run:{claimed.run_id}")
    yield from (("/stop/", ALL), (f"/stop/{stop}/", ALL), (address_of(claimed), ALL))


def of_people_and_policy(desk: Desk, mallory: Person) -> Iterator[Place]:
    zoe = desk.people.zoe
    mallory.groups.add(Group.objects.create(name=NAME))
    inviting.invite(NAME, "nina@example.org", ["auditor"], administrator=zoe)
    rules = [{"action": "ledger.*", "groups": [{"name": NAME, "approve": 1}]}]
    otherwise = {"action": "*", "groups": [{"name": "reviewer", "approve": 1}]}
    version = api.propose_policy(
        [*rules, otherwise], administrator=reviewer(mallory), reason=EVERYTHING
    )
    yield from (("/people/", CALLED), (f"/people/{mallory.pk}/", CALLED))
    yield from (("/policy/", ALL), (f"/policy/{version}/", ALL))
    yield f"/policy/{version}/replay/", ()
    api.put_policy_in_force(version, administrator=reviewer(zoe), reason=EVERYTHING)
    yield from (("/policy/", ALL), (address_of(desk.propose_refund()), CALLED))


def test_c87_nothing_that_a_person_is_called_or_wrote_is_more_than_text_anywhere(
    desk: Desk, people: People, mallory: Person, at_screen: Sit
) -> None:
    rosa = at_screen(people.rosa)
    is_overtaken(rosa, desk, mallory)
    goes_through(rosa, of_what_they_said(desk, mallory))
    goes_through(at_screen(people.zoe), of_people_and_policy(desk, mallory))
    must_be_inert(at_screen(mallory).open("/overview/"))


def is_overtaken(rosa: Screen, desk: Desk, mallory: Person) -> None:
    """While her page lies open, and on the page that answers her who decides all the same."""
    proposal = desk.propose_refund()
    page = rosa.open(address_of(proposal))
    desk.decide(proposal, "reject", by=mallory)
    page.locator("#proposal-news").get_by_text("has decided this").wait_for()
    must_be_inert(page)
    assert is_read(page, NAME)
    page.get_by_label("Not needed").check()
    page.get_by_role("button", name="Reject", exact=True).click()
    page.get_by_role("heading", name="has rejected this").wait_for()
    must_be_inert(page)
    assert is_read(page, NAME)


FILTERS = ("action", "target", "agent", "workflow", "group")


def test_nothing_that_is_typed_into_the_filters_of_the_inbox_is_more_than_text(
    desk: Desk, people: People, at_screen: Sit
) -> None:
    """By the address, each piece into one of the fields; and by hand."""
    desk.propose_refund()
    rosa = at_screen(people.rosa)
    typed = [*MARKUP, *(f"to{character}Mara" for character in HIDDEN.values())]
    for at in range(0, len(typed), len(FILTERS)):
        fields = dict(zip(FILTERS, typed[at:], strict=False))
        must_be_inert(rosa.open(f"/inbox/?{urlencode(fields)}"))
    page = rosa.open("/inbox/")
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("Target contains").fill(f"{NAME}\u202e")
    page.get_by_role("button", name="Show what matches").click()
    page.get_by_role("link", name="take this filter away").wait_for()
    must_be_inert(page)
    assert is_read(page, NAME, MARKED)
    assert page.get_by_label("Target contains").input_value() == f"{NAME}\u202e"
