"""Rejecting several: shown once more, then each through the same door, each with its own answer."""

import re
import uuid

import pytest

from engine.models import Decision, Proposal
from oversight.models import Person
from tests.cast import People
from tests.pages.reading import Page, Reader, Readers, contents
from tests.world import Desk


@pytest.fixture
def mina(people: People) -> Person:
    return people.somebody("mina", "reviewer", full_name="Mina Roth")


def choose(reader: Reader, *proposals: Proposal) -> Page:
    return reader.post("/inbox/choose/", version=[str(each.pk) for each in proposals])


def token(page: Page) -> str:
    (found,) = re.findall(r'name="chosen" value="([^"]+)"', page.html)
    return str(found)


def statuses(*proposals: Proposal) -> list[str]:
    return [Proposal.objects.get(pk=each.pk).status for each in proposals]


def test_what_was_chosen_is_shown_with_its_digest_and_nothing_is_decided(
    desk: Desk, rosa: Reader
) -> None:
    first, second, other = (desk.propose_refund() for _ in range(3))
    before = contents(desk.database)

    page = choose(rosa, first, second)

    assert page.status == 200
    assert "Reject 2 proposals" in page.text
    assert all(each.digest in page.html for each in (first, second))
    assert other.digest not in page.html
    assert contents(desk.database) == before


def test_each_is_rejected_for_the_one_reason(desk: Desk, rosa: Reader) -> None:
    first, second, other = (desk.propose_refund() for _ in range(3))
    chosen = token(choose(rosa, first, second))

    page = rosa.post("/inbox/reject/", chosen=chosen, reason="One batch too many.")

    assert "2 of 2 rejected" in page.text
    assert statuses(first, second, other) == ["rejected", "rejected", "open"]
    said = Decision.objects.all()
    assert {each.reason for each in said} == {"One batch too many."}
    assert {each.digest for each in said} == {first.digest, second.digest}
    assert all(each.seen["in_bulk"] for each in said)


def test_c14_each_is_meant_by_its_name_however_it_is_sent(desk: Desk, rosa: Reader) -> None:
    """In another order than listed, twice, and beside what there is not."""
    first, second, third = (desk.propose_refund() for _ in range(3))
    sent = [third, first, third, Proposal(id=uuid.uuid4())]
    page = choose(rosa, *sent)
    assert "Reject 2 proposals" in page.text
    assert second.digest not in page.html
    chosen = token(page)
    for spoilt in (chosen[:-1], f"{chosen}, {chosen}", chosen[1:]):
        assert rosa.post("/inbox/reject/", chosen=spoilt, reason="No.").status == 400
    assert statuses(first, second, third) == ["open"] * 3
    assert "2 of 2 rejected" in rosa.post("/inbox/reject/", chosen=chosen, reason="No.").text
    assert statuses(first, second, third) == ["rejected", "open", "rejected"]


def test_c68_each_has_its_own_answer(desk: Desk, rosa: Reader, mina: Person) -> None:
    approved, late, changed, fine = (desk.propose_refund() for _ in range(4))
    chosen = token(choose(rosa, approved, late, changed, fine))
    desk.approve(approved, by=mina)
    desk.database.deadline_passes_for(late.pk)
    desk.database.execute(
        "UPDATE engine_proposal SET terms = terms || ' ' WHERE id = %s", changed.pk
    )

    page = rosa.post("/inbox/reject/", chosen=chosen, reason_code="not_needed")

    assert "1 of 4 rejected" in page.text
    told = ("Already approved by Mina Roth", "Its time has passed", "Changed since: open it")
    assert [words for words in told if words not in page.text] == []
    assert statuses(approved, late, changed, fine) == ["approved", "open", "open", "rejected"]


def test_without_a_reason_nothing_is_rejected(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    page = rosa.post("/inbox/reject/", chosen=token(choose(rosa, proposal)), reason=" ")

    assert page.status == 422
    assert "Choose a reason, or write one." in page.text
    assert statuses(proposal) == ["open"]


def test_what_was_shown_to_another_rejects_nothing(
    desk: Desk, rosa: Reader, mina: Person, reading: Readers
) -> None:
    proposal = desk.propose_refund()
    chosen = token(choose(rosa, proposal))

    for reader, sent in ((reading(mina), chosen), (rosa, chosen + "x"), (rosa, "")):
        assert reader.post("/inbox/reject/", chosen=sent, reason="No.").status == 400
    assert statuses(proposal) == ["open"]


def test_only_what_the_reader_may_decide_can_be_chosen(
    desk: Desk, people: People, reading: Readers
) -> None:
    proposal = desk.propose_refund()

    assert choose(reading(people.tomas), proposal).status == 302
    assert choose(reading(people.otto), proposal).status == 403


def test_what_names_no_proposal_is_refused(rosa: Reader) -> None:
    assert rosa.post("/inbox/choose/", version=["x"]).status == 400
    assert rosa.post("/inbox/reject/", reason="No.").status == 400


def test_nothing_offers_to_approve_several(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    for page in (rosa.get("/inbox/"), choose(rosa, proposal)):
        buttons = re.findall(r"<button[^>]*>(.*?)</button>", page.html, re.DOTALL)
        assert not any("pprove" in words for words in buttons)


def test_a_word_that_nobody_knows_in_the_post_approves_nothing(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    chosen = token(choose(rosa, proposal))
    rosa.post("/inbox/reject/", chosen=chosen, reason="Yes.", decision="approve")

    assert statuses(proposal) == ["rejected"]


def test_what_changed_under_its_digest_is_not_rejected(desk: Desk, rosa: Reader) -> None:
    """Stored whole and consistent, but not what was shown."""
    proposal, other = desk.propose_refund(), desk.propose_refund()
    chosen = token(choose(rosa, proposal))
    desk.database.execute(
        "UPDATE engine_proposal p SET terms = o.terms, arguments = o.arguments, digest = o.digest"
        " FROM engine_proposal o WHERE p.id = %s AND o.id = %s",
        proposal.pk,
        other.pk,
    )

    page = rosa.post("/inbox/reject/", chosen=chosen, reason="No.")

    assert "Changed since: open it" in page.text
    assert statuses(proposal) == ["open"]
