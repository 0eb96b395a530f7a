"""What a proposal's page shows, in which order, and to whom."""

import re

import pytest

from tests.cast import People
from tests.pages.reading import Page, Reader, Readers, address_of, contents, elements
from tests.world import Database, Desk, Ledger

ORDER = [
    "facts",
    "change",
    "rollback",
    "premises",
    "verification",
    "arguments",
    "history",
    "stands",
    "agent",
]


def sections(page: Page) -> list[str]:
    return re.findall(r'aria-labelledby="(\w+)"', page.html)


def buttons(page: Page) -> list[dict[str, str]]:
    """The buttons that submit the decision, from the top."""
    found = page.html.partition('class="decision"')[2]
    return [each for each in elements(found, "button") if each.get("type") == "submit"]


def test_the_parts_stand_in_the_order_in_which_they_should_be_read(
    desk: Desk, rosa: Reader
) -> None:
    page = rosa.get(address_of(desk.propose_refund()))
    assert [name for name in sections(page) if name in ORDER] == ORDER


def test_the_facts_are_those_that_the_digest_commits_to(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund(amount="25.00")
    page = rosa.get(address_of(proposal))
    told = (
        "Refund 25.00 to Mara Vogel",
        "Refund an order",
        "ledger.refund v1",
        "refund-desk",
        proposal.digest,
        proposal.idempotency_key,
        "version 1",
    )
    assert [words for words in told if words not in page.text] == []
    assert f'href="/runs/{proposal.run_id}/"' in page.html
    assert 'href="/rollbacks/ledger.refund/1/"' in page.html


def test_what_will_change_is_shown_before_and_after(desk: Desk, rosa: Reader) -> None:
    page = rosa.get(address_of(desk.propose_refund(amount="25.00")))
    rows = page.html.partition('id="change"')[2].partition("</table>")[0]
    assert "changed: refunded" in re.sub(r"\s+", " ", re.sub("<[^>]+>", "", rows))
    assert rows.index("diff__row--changed") < rows.index("diff__row--same")
    assert "diff__row--changed" not in rows[rows.index("diff__row--same") :]


def test_the_plan_the_premises_and_the_verification_are_told(desk: Desk, rosa: Reader) -> None:
    text = rosa.get(address_of(desk.propose_refund())).text
    for words in (
        "put back to what they were",
        "ledger.reverse_refund v1",
        "yes truth",
        "its refunded sum must have grown by the full amount",
        "refuses to do the same thing twice",
    ):
        assert words in text


def test_numbers_are_shown_as_they_were_stored(desk: Desk, rosa: Reader) -> None:
    """A float would have made 20 of these 19.999999999999996, and 1.0 of a one."""
    evidence = [{"sum": 9007199254740991, "share": 0.1, "small": 1e-7, "none": None}]
    text = rosa.get(address_of(desk.propose_refund(evidence=evidence))).text
    for number in ("9007199254740991", '"share": 0.1', '"small": 1e-7', '"none": null'):
        assert number in text


def test_arguments_are_complete_even_when_they_are_long(desk: Desk, rosa: Reader) -> None:
    customer = "M" + "a" * 3_000 + "ra"
    page = rosa.get(address_of(desk.propose_refund(customer=customer)))
    shown = page.html.partition('class="code__text"')[2].partition("</pre>")[0]
    assert customer in shown
    assert "data-fold=" in shown


def test_what_the_agent_wrote_is_last_folds_and_counts_as_to_be_shown(
    desk: Desk, rosa: Reader
) -> None:
    page = rosa.get(address_of(desk.propose_refund(why="Because.", evidence=["An invoice."])))
    written = page.html.partition('aria-labelledby="agent"')[2]
    assert re.match(r'>\s*<details class="fold" data-fold open>', written)
    assert "Because." in written
    assert "An invoice." in written
    assert "Because." not in page.html.partition('aria-labelledby="agent"')[0]


def test_reject_is_the_first_button_that_decides_and_approve_waits_for_the_folds(
    desk: Desk, rosa: Reader
) -> None:
    page = rosa.get(address_of(desk.propose_refund()))
    guard, *deciding = buttons(page)
    assert "hidden" in guard
    assert (guard["formmethod"], guard.get("name")) == ("dialog", None)
    assert [button["value"] for button in deciding] == ["reject", "return", "approve"]
    assert ["data-needs-shown" in button for button in deciding] == [False, False, True]
    assert all("disabled" not in button for button in deciding), "without a script all are usable"


def test_nothing_is_chosen_and_nothing_has_the_focus_beforehand(desk: Desk, rosa: Reader) -> None:
    html = rosa.get(address_of(desk.propose_refund())).html
    decision = html.partition('class="decision"')[2].partition("</form>")[0]
    assert " checked" not in decision
    assert "autofocus" not in html


def test_the_form_holds_no_field_in_which_enter_would_submit_but_the_choices(
    desk: Desk, rosa: Reader
) -> None:
    decision = rosa.get(address_of(desk.propose_refund())).html.partition('class="decision"')[2]
    kinds = {each.get("type") for each in elements(decision.partition("</form>")[0], "input")}
    assert kinds == {"hidden", "radio"}


def test_the_agents_owner_may_read_and_is_told_why_not_decide(
    desk: Desk, people: People, reading: Readers
) -> None:
    page = reading(people.tomas).get(address_of(desk.propose_refund()))
    assert page.status == 200
    assert "Who started it never decides it." in page.text
    assert 'class="decision"' not in page.html


def test_other_roles_may_read_and_are_told_who_decides(
    desk: Desk, people: People, reading: Readers
) -> None:
    proposal = desk.propose_refund()
    for person in (people.otto, people.ada, people.ines, people.zoe):
        page = reading(person).get(address_of(proposal))
        assert 'Only members of "reviewer" decide this.' in page.text
        assert 'class="decision"' not in page.html


def test_the_address_without_a_version_leads_to_the_newest(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    answer = rosa.get(f"/proposals/{proposal.proposal_id}/")
    assert answer.response.headers["Location"] == address_of(proposal)


def test_an_older_version_is_history_and_can_only_be_read(desk: Desk, rosa: Reader) -> None:
    first = desk.propose_refund(amount="60.00")
    desk.decide(first, "return")
    desk.work(first.run_id)
    desk.answer(first, "A-1", "40.00")
    desk.work(first.run_id)
    old = rosa.get(address_of(first))
    assert "This is version 1; the newest is version 2" in old.text
    assert 'class="decision"' not in old.html
    new = rosa.get(address_of(desk.proposal(first.run_id)))
    assert 'class="decision"' in new.html
    assert "What is different from the version before" in new.text
    assert "arguments.amount" in new.text
    assert "Which lamp?" in new.text or "It is as the agent says." in new.text


def test_a_lapsed_approval_shows_which_premise_had_changed(
    desk: Desk, ledger: Ledger, rosa: Reader
) -> None:
    order = desk.purchase()
    proposal = desk.approved_refund(order)
    ledger.execute("UPDATE purchase SET paid = 90 WHERE order_no = %s", order)
    desk.work(proposal.run_id)
    page = rosa.get(address_of(desk.proposal(proposal.run_id)))
    assert "premises.paid" in page.text
    assert 'class="decision"' in page.html


def test_a_proposal_whose_time_is_over_offers_no_decision_before_any_sweep(
    desk: Desk, database: Database, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    database.deadline_passes_for(proposal.pk)
    page = rosa.get(address_of(proposal))
    assert "Expired" in page.text
    assert "Nobody decided this" in page.text
    assert 'class="decision"' not in page.html


def test_after_a_decision_the_page_says_what_happened_and_offers_the_next(
    desk: Desk, people: People, reading: Readers, rosa: Reader
) -> None:
    proposal, other = desk.approved_refund(), desk.propose_refund(amount="30.00")
    mine = rosa.get(address_of(proposal))
    assert "You have decided this" in mine.text
    assert "Next for you" in mine.text
    assert f'href="{address_of(other)}"' in mine.html
    assert sections(mine)[0] == "stands"
    theirs = reading(people.tomas).get(address_of(proposal))
    assert "Rosa Lind has decided this" in theirs.text
    assert "Next for you" not in theirs.text


def test_every_station_that_was_passed_is_shown(desk: Desk, rosa: Reader) -> None:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    page = rosa.get(address_of(proposal))
    assert page.html.count("stations__stop--done") == 7


def test_a_rollback_is_shown_beside_what_it_took_back(desk: Desk, rosa: Reader) -> None:
    proposal = desk.approved_refund(desk.purchase(handling_fee="1.50"))
    desk.work(proposal.run_id)
    text = rosa.get(address_of(proposal)).text
    assert "Compensated" in text
    assert "Mismatch" in text
    assert "Rollback: ledger.reverse_refund v1" in text


@pytest.mark.parametrize(
    "address", ["/proposals/01a228ae-b8bf-712d-930f-5da105cccba2/", "/proposals/x/"]
)
def test_what_is_not_there_is_not_found(rosa: Reader, address: str) -> None:
    assert rosa.get(address).status == 404


def test_a_version_that_is_not_there_is_not_found(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    for version in ("0", "2", "99999999999999"):
        assert rosa.get(f"/proposals/{proposal.proposal_id}/{version}/").status == 404


def test_looking_changes_nothing(desk: Desk, database: Database, rosa: Reader) -> None:
    address = address_of(desk.propose_refund())
    before = contents(database)
    for looked_at in (address, f"{address}live/", f"{address}decide/"):
        rosa.get(looked_at)
        rosa.client.head(looked_at)
        rosa.client.options(looked_at)
    assert contents(database) == before


def test_the_page_brings_no_style_and_no_script_of_its_own(desk: Desk, rosa: Reader) -> None:
    page = rosa.get(address_of(desk.propose_refund()))
    assert "<style" not in page.html
    assert " style=" not in page.html
    assert re.findall(r"<script(?![^>]* src=)", page.html) == []
    assert re.findall(r"\son\w+=", page.html) == []
    policy = page.response.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
