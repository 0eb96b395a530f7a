"""What was seen is kept with the decision, to the byte, or it is said why not."""

import re
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.core import signing
from django.utils import timezone

from engine.models import Decision, Proposal
from oversight.models import Shown
from oversight.pages.proposal import reads, shown
from tests.cast import People
from tests.pages.reading import Page, Reader, Readers, address_of
from tests.world import Desk


@pytest.fixture
def ada(desk: Desk, people: People, reading: Readers) -> Reader:
    return reading(people.ada)


def address_seen(proposal: Proposal) -> str:
    return f"{address_of(proposal)}seen/{Decision.objects.get(proposal=proposal).pk}/"


def pieces_of(page: Page) -> list[str]:
    """The cards of a page that a decision rests on, without what stands between them."""
    main = page.html.partition("<main")[2]
    return re.findall(r'<section class="card" aria-labelledby="(\w+)">', main)


def test_an_auditor_sees_again_to_the_byte_what_was_shown(
    desk: Desk, rosa: Reader, ada: Reader
) -> None:
    proposal = desk.propose_refund(why="Broken.\u202e gnp.exe", evidence=[{"photo": "<b>x</b>"}])
    was = rosa.get(address_of(proposal)).html
    rosa.decide(proposal, "approve")

    seen = Decision.objects.get().seen
    again = ada.get(f"{address_seen(proposal)}page/")
    body = again.html.partition('proposal__seen">\n')[2].partition("\n  </main>")[0]
    assert sha256(body.encode()).hexdigest() == seen["page"]
    assert pieces_of(again) == ["facts", "change", "rollback", "premises", "verification", "agent"]
    for piece in body.split("</section>\n")[1:4]:
        assert piece.partition(">")[2].strip() in was
    assert "The page is kept as it was shown" in ada.get(address_seen(proposal)).text


def test_it_is_inert(desk: Desk, rosa: Reader, ada: Reader) -> None:
    proposal = desk.propose_refund()
    rosa.decide(proposal, "reject")
    headers = ada.get(f"{address_seen(proposal)}page/").response.headers
    assert headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")


def test_to_look_at_a_page_keeps_nothing(desk: Desk, rosa: Reader) -> None:
    rosa.get(address_of(desk.propose_refund()))
    assert Shown.objects.count() == 0


def test_a_page_that_cannot_be_drawn_again_is_not_kept_and_that_is_told(
    desk: Desk, rosa: Reader, ada: Reader
) -> None:
    order = desk.purchase()
    earlier = desk.propose_refund(order)
    proposal = desk.propose_refund(order)
    form = rosa.get(address_of(proposal)).form
    desk.decide(earlier, "reject")  # "asked before: open" has become "rejected"
    rosa.decide(proposal, "reject", **form)

    assert Decision.objects.get(proposal=proposal).seen["kept"] is False
    assert "had changed between showing and deciding" in ada.get(address_seen(proposal)).text
    assert ada.get(f"{address_seen(proposal)}page/").status == 404


@pytest.mark.parametrize("body", [b"nonsense", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_a_page_that_was_altered_is_not_shown(
    desk: Desk, rosa: Reader, ada: Reader, body: bytes
) -> None:
    proposal = desk.propose_refund()
    rosa.decide(proposal, "reject")
    Shown.objects.update(body=body)
    assert "it was altered" in ada.get(address_seen(proposal)).text
    assert ada.get(f"{address_seen(proposal)}page/").status == 404


def test_a_decision_by_another_way_says_that_there_was_no_page(desk: Desk, ada: Reader) -> None:
    proposal = desk.propose_refund()
    desk.decide(proposal, "reject")
    assert "did not come from a page" in ada.get(address_seen(proposal)).text


def test_a_decision_is_found_only_under_its_own_version(
    desk: Desk, rosa: Reader, ada: Reader
) -> None:
    one, other = desk.propose_refund(), desk.propose_refund()
    rosa.decide(one, "reject")
    wrong = address_seen(one).replace(address_of(one), address_of(other))
    assert (ada.get(wrong).status, ada.get(f"{wrong}page/").status) == (404, 404)


def test_auditors_are_led_there_and_reviewers_are_not(
    desk: Desk, rosa: Reader, ada: Reader
) -> None:
    proposal = desk.propose_refund()
    rosa.decide(proposal, "reject")
    assert "what was seen" in ada.get(address_of(proposal)).text
    assert "what was seen" not in rosa.get(address_of(proposal)).text
    assert rosa.get(address_seen(proposal)).status == 403


def test_how_long_it_was_shown_is_stored_and_a_quick_decision_is_told_so_afterwards(
    desk: Desk, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    rosa.decide(proposal, "reject")
    seen = Decision.objects.get().seen
    assert 0 <= seen["seconds"] < 60
    assert seen["words"] > 100
    assert "What was shown takes about" in rosa.get(address_of(proposal)).text


def test_who_took_the_time_to_read_is_told_nothing(
    desk: Desk, rosa: Reader, people: People
) -> None:
    proposal = desk.propose_refund()
    item = reads.version(proposal.proposal_id, 1)
    assert item is not None
    form = rosa.get(address_of(proposal)).form
    token: dict[str, Any] = signing.loads(form["displayed"], salt=shown.SALT)
    early = timezone.now() - timedelta(hours=1)
    measured = {"page": token["page"], "words": token["words"]}
    form["displayed"] = shown.token(item, people.rosa.pk, early, **measured)
    rosa.decide(proposal, "reject", **form)
    assert Decision.objects.get().seen["seconds"] > 3_000
    assert "What was shown takes about" not in rosa.get(address_of(proposal)).text


@pytest.mark.parametrize(("opened", "status"), [("2/2", 302), ("", 302), ("all", 422)])
def test_the_folds_that_were_opened_are_stored_as_the_browser_tells(
    desk: Desk, rosa: Reader, opened: str, status: int
) -> None:
    proposal = desk.propose_refund()
    assert rosa.decide(proposal, "reject", opened=opened).status == status
    assert [each.seen["opened"] for each in Decision.objects.all()] == [opened] * (status == 302)
