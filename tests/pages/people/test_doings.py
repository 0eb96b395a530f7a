"""What somebody has in hand and did of late, and the forms beside it."""

import re
from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from engine import api
from oversight.models import Person
from tests.cast import People, reviewer
from tests.pages.alerts.trouble import wrong_refund
from tests.pages.reading import Page, Reader, Readers, address_of
from tests.world import Desk


def page_of(person: Person) -> str:
    return f"/people/{person.pk}/"


def listed(page: Page, what: str) -> str:
    """What stands under one of the three headings."""
    _before, heading, section = page.html.partition(f'<section aria-labelledby="{what}">')
    assert heading, f"nothing is headed {what}"
    return section.partition("</section>")[0]


def take_on(desk: Desk, pk: object, run_id: object) -> None:
    otto, until = reviewer(desk.people.otto), timezone.now() + timedelta(hours=1)
    said = {"cause": "The desk is slow.", "next_step": "Ask the bank.", "due_at": until}
    api.acknowledge_alert(run_id, pk, operator=otto, **said)  # type: ignore[arg-type]


def test_claims_are_there_as_long_as_they_hold(desk: Desk, rosa: Reader, people: People) -> None:
    assert "None is claimed." in rosa.get(page_of(people.rosa)).text
    one, other = desk.propose_refund(), desk.propose_refund()
    for each in (one, other):
        api.claim(each.run_id, each.pk, reviewer=reviewer(people.rosa))
    api.release(other.run_id, other.pk, reviewer=reviewer(people.rosa))
    claims = listed(rosa.get(page_of(people.rosa)), "claims")
    assert address_of(one) in claims
    assert address_of(other) not in claims
    assert address_of(one) not in listed(rosa.get(page_of(people.tomas)), "claims")


def test_alerts_say_whether_they_are_theirs_to_deal_with(
    desk: Desk, rosa: Reader, people: People
) -> None:
    alert = wrong_refund(desk)
    take_on(desk, alert.pk, alert.run_id)
    told = listed(rosa.get(page_of(people.otto)), "answered")
    assert f"/alerts/{alert.pk}/" in told
    assert "theirs to deal with" in told
    api.resolve_alert(
        alert.run_id, alert.pk, operator=reviewer(people.otto), resolution="It was put right."
    )
    told = listed(rosa.get(page_of(people.otto)), "answered")
    assert told.count(f"/alerts/{alert.pk}/") == 1
    assert "theirs to deal with" not in told
    assert f"/alerts/{alert.pk}/" not in listed(rosa.get(page_of(people.rosa)), "answered")


def test_runs_say_what_they_did_last_to_it_and_where_it_stands(
    desk: Desk, rosa: Reader, people: People
) -> None:
    run_id = desk.propose_refund().run_id
    otto = reviewer(people.otto)
    api.pause_run(run_id, operator=otto, reason="The customer called.")
    desk.work(run_id)
    api.cancel_run(run_id, operator=otto, reason="They want a new lamp.")
    desk.work(run_id)
    told = listed(rosa.get(page_of(people.otto)), "steered")
    assert told.count(f"/runs/{run_id}/") == 1
    assert "Asked to end" in told
    assert "Cancelled" in told
    assert str(run_id) not in listed(rosa.get(page_of(people.tomas)), "steered")


def test_it_asks_as_often_however_much_there_is(desk: Desk, rosa: Reader, people: People) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert rosa.get(page_of(people.otto)).status == 200
        return len(asked)

    def much() -> None:
        run_id = desk.propose_refund().run_id
        api.pause_run(run_id, operator=reviewer(people.otto), reason="The customer called.")
        alert = wrong_refund(desk)
        take_on(desk, alert.pk, alert.run_id)

    much()
    one = queries()
    for _ in range(3):
        much()
    assert queries() == one


def test_what_somebody_wrote_is_text(desk: Desk, rosa: Reader, people: People) -> None:
    proposal = desk.propose_refund(desk.purchase(), customer="<img src=x> \u202eevil")
    api.claim(proposal.run_id, proposal.pk, reviewer=reviewer(people.rosa))
    claims = listed(rosa.get(page_of(people.rosa)), "claims")
    assert "<img" not in claims
    assert "\u202e" not in claims
    assert "U+202E" in claims


def test_the_forms_are_folded_until_one_is_wanted_or_came_back(
    people: People, reading: Readers
) -> None:
    assert people.rosa
    zoe = reading(people.zoe)
    page = zoe.get(page_of(people.rosa))
    assert re.findall(r'<details class="decision people__change"( open)?>', page.html) == [""] * 3
    assert "Close the account" in page.text
    back = zoe.post(f"{page_of(people.rosa)}qualify/", training="", actions="*")
    assert back.status == 422
    opened = re.findall(r'<details class="decision people__change"( open)?>', back.html)
    assert opened == ["", " open", ""]
