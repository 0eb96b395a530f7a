"""An alert while it is looked at: what happens meanwhile is said, what is typed stays."""

from tests.cast import People
from tests.pages.alerts.trouble import (
    address_of,
    dealt_with,
    overdue,
    stuck_rollback,
    taken_on,
    wrong_refund,
)
from tests.pages.reading import Reader, Readers
from tests.world import Desk


def polled(reader: Reader, address: str) -> str:
    return reader.get(address).attribute("hx-get")


def test_nothing_new_is_answered_with_nothing(desk: Desk, otto: Reader) -> None:
    answer = otto.poll(polled(otto, address_of(wrong_refund(desk))))
    assert (answer.status, answer.html) == (204, "")


def test_who_takes_it_on_meanwhile_is_announced_and_the_form_stays(
    desk: Desk, people: People, otto: Reader
) -> None:
    alert = wrong_refund(desk)
    address = polled(otto, address_of(alert))
    taken_on(alert, people.somebody("nils", "operator", full_name="Nils Berg"))
    answer = otto.poll(address)
    assert "Nils Berg has taken this on" in answer.text
    assert "Nils Berg answers for it until" in answer.text
    assert 'hx-swap-oob="innerHTML:#alert-news"' in answer.html
    assert "<form" not in answer.html


def test_who_deals_with_it_meanwhile_is_announced(desk: Desk, people: People, otto: Reader) -> None:
    alert = wrong_refund(desk)
    taken_on(alert, people.otto)
    address = polled(otto, address_of(alert))
    dealt_with(alert, people.otto)
    assert "Otto Weiss has dealt with this" in otto.poll(address).text


def test_a_promise_that_becomes_overdue_is_marked(desk: Desk, people: People, otto: Reader) -> None:
    alert = wrong_refund(desk)
    taken_on(alert, people.otto)
    address = polled(otto, address_of(alert))
    assert otto.poll(address).status == 204
    overdue(desk, alert)
    assert "overdue" in otto.poll(address).text


def test_what_becomes_of_the_run_arrives_by_itself(desk: Desk, otto: Reader) -> None:
    alert = stuck_rollback(desk)
    otto.post(f"{address_of(alert)}resume/", reason="It is right now.")
    address = polled(otto, address_of(alert))
    desk.work(alert.run_id)
    answer = otto.poll(address)
    assert "Taken back, and verified" in answer.text
    assert "alert-news" not in answer.html, "the alert itself is as it was"


def test_who_only_reads_is_not_told_that_a_form_is_gone(
    desk: Desk, people: People, reading: Readers
) -> None:
    alert = wrong_refund(desk)
    ada = reading(people.ada)
    address = polled(ada, address_of(alert))
    taken_on(alert, people.otto)
    assert "alert-news" not in ada.poll(address).html


def test_live_updates_end_when_all_is_over(desk: Desk, people: People, otto: Reader) -> None:
    alert = wrong_refund(desk)
    taken_on(alert, people.otto)
    dealt_with(alert, people.otto)
    assert "hx-get" not in otto.get(address_of(alert)).html
