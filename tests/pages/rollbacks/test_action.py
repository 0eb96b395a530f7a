"""One action's page: what it does, what it needs, how it is taken back, and what was."""

import re
from html import unescape

import pytest

from engine import actions
from tests.cast import CAST, People
from tests.pages.alerts.trouble import stuck_rollback, wrong_refund
from tests.pages.hostile import HARM, HIDDEN, MARKUP
from tests.pages.reading import Page, Reader, Readers
from tests.world import Desk

REFUND = "/rollbacks/ledger.refund/1/"


def said(page: Page) -> str:
    main = page.html.partition("<main")[2].partition("</main>")[0]
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]+>", " ", main)))


@pytest.mark.parametrize("action", actions.registered(), ids=lambda action: action.label())
def test_every_action_has_a_page(otto: Reader, action: type[actions.Action]) -> None:
    page = otto.get(f"/rollbacks/{action.name}/{action.version}/")
    assert page.status == 200
    for words in (action.title, action.label(), action.rollback.summary, action.verification):
        assert words in page.text
    for name in action.Arguments.model_fields:
        assert f"<code>{name}</code>" in page.html


@pytest.mark.parametrize("role", CAST)
def test_everybody_may_read_it(people: People, reading: Readers, role: str) -> None:
    assert reading(getattr(people, role)).get(REFUND).status == 200


@pytest.mark.parametrize(
    "address",
    ["/rollbacks/ledger.refund/2/", "/rollbacks/ledger.steal/1/", "/rollbacks/x/99999999999999/"],
)
def test_what_this_code_has_not_is_not_there(otto: Reader, address: str) -> None:
    assert otto.get(address).status == 404


def test_its_target_and_its_times_are_said_in_words(otto: Reader) -> None:
    text = said(otto.get(REFUND))
    assert "Target Knows our keys This target can be asked by key" in text
    assert "Keys are known for 3650 days" in text
    assert "One call 3 s" in text
    assert "Verification 30 s" in text
    assert "Defined in oversight.demo.placet_actions.ledger.Refund" in text


def test_a_target_that_knows_no_keys_has_no_time_for_them(otto: Reader) -> None:
    text = said(otto.get("/rollbacks/mail.tell_customer/1/"))
    assert "Target Cannot be asked" in text
    assert "Keys are known for" not in text


def test_the_plan_leads_to_the_action_that_carries_it_out_and_back(otto: Reader) -> None:
    assert 'href="/rollbacks/ledger.reverse_refund/1/">ledger.reverse_refund v1' in (
        otto.get(REFUND).html
    )
    back = otto.get("/rollbacks/ledger.reverse_refund/1/")
    assert "It is itself the way back from ledger.refund v1 ." in said(back)


def test_what_a_person_has_to_do_is_said_to_be_a_person_s(otto: Reader) -> None:
    by_hand = otto.get("/rollbacks/pager.page/1/").text
    assert "an alert calls a person, who does this" in by_hand
    assert "it runs by itself" not in by_hand


def test_what_was_taken_back_leads_to_its_run(desk: Desk, otto: Reader) -> None:
    alert = wrong_refund(desk)
    page = otto.get(REFUND)
    assert "Committed 0 Rolled back 1 Rollback failed 0" in said(page)
    assert f'href="/runs/{alert.run_id}/">' in page.html
    assert "Lately taken back Refund 25.00 to Mara Vogel" in said(page)
    assert "Rollback failed 0" in said(page)


def test_what_could_not_be_taken_back_leads_to_its_alert(desk: Desk, otto: Reader) -> None:
    alert = stuck_rollback(desk)
    page = otto.get(REFUND)
    assert "Committed 0 Rolled back 0 Rollback failed 1" in said(page)
    assert f'href="/alerts/{alert.pk}/"' in page.html


def test_where_nothing_was_taken_back_there_is_no_list(desk: Desk, otto: Reader) -> None:
    desk.work(desk.approved_refund().run_id)
    page = otto.get(REFUND)
    assert "Committed 1 Rolled back 0 Rollback failed 0" in said(page)
    assert "Lately taken back" not in page.text


@pytest.mark.parametrize("text", [*MARKUP, *HIDDEN.values()])
def test_what_an_agent_wrote_is_text_and_hides_nothing(desk: Desk, otto: Reader, text: str) -> None:
    order = desk.purchase(customer=f"Mara {text}", handling_fee="1.50")
    desk.work(desk.approved_refund(order, customer=f"Mara {text}").run_id)
    page = otto.get(REFUND)
    listed = page.html.partition('id="taken-back"')[2]
    assert "Mara" in listed
    assert [harm for harm in HARM if harm in listed] == []
    if text in HIDDEN.values():
        assert text not in page.html
