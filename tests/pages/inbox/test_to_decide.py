"""The inbox: what waits for this person, and for nobody else."""

import re
from datetime import timedelta

from django.utils import timezone

from engine import api
from engine.models import Proposal
from tests.cast import People, reviewer
from tests.pages.reading import Page, Readers, address_of, contents
from tests.world import Database, Desk


def listed(page: Page) -> list[str]:
    """The addresses of the rows, from the top."""
    return re.findall(r'class="table__open" href="([^"]+)"', page.html)


def valid_for(database: Database, proposal: Proposal, **length: int) -> None:
    until = timezone.now() + timedelta(**length)
    database.execute(
        "UPDATE engine_proposal SET valid_until = %s WHERE id = %s", until, proposal.pk
    )


def test_a_proposal_waits_for_a_reviewer(desk: Desk, people: People, reading: Readers) -> None:
    proposal = desk.propose_refund(amount="25.00")
    page = reading(people.rosa).get("/inbox/")
    assert page.status == 200
    assert listed(page) == [address_of(proposal)]
    assert "1 proposal waits for you." in page.text
    told = ("Medium", "Refund 25.00 to Mara Vogel", "ledger, order", "refund-desk", "Inverse")
    assert [words for words in told if words not in page.text] == []


def test_what_has_the_least_time_left_is_first(
    desk: Desk, people: People, database: Database, reading: Readers
) -> None:
    relaxed, pressing, soon = (desk.propose_refund() for _ in range(3))
    valid_for(database, relaxed, hours=20)
    valid_for(database, pressing, minutes=40)
    valid_for(database, soon, hours=3)
    page = reading(people.rosa).get("/inbox/")
    assert listed(page) == [address_of(each) for each in (pressing, soon, relaxed)]
    assert page.html.count("inbox__pressing") == 1


def test_nobody_finds_their_own_agents_proposals(
    desk: Desk, people: People, reading: Readers
) -> None:
    desk.propose_refund()
    page = reading(people.tomas).get("/inbox/")
    assert listed(page) == []
    assert "Nothing to decide" in page.text
    assert "You never see what your own agents propose" in page.text


def test_who_may_not_decide_finds_nothing_and_learns_why(
    desk: Desk, people: People, reading: Readers
) -> None:
    desk.propose_refund()
    for person in (people.otto, people.ada, people.ines, people.zoe):
        page = reading(person).get("/inbox/")
        assert listed(page) == []
        assert "You do not decide" in page.text


def test_what_is_decided_or_over_waits_no_more(
    desk: Desk, people: People, database: Database, reading: Readers
) -> None:
    desk.approved_refund()
    late = desk.propose_refund()
    database.deadline_passes_for(late.pk)
    assert listed(reading(people.rosa).get("/inbox/")) == []


def test_a_proposal_that_is_being_prepared_does_not_wait_yet(
    desk: Desk, people: People, reading: Readers
) -> None:
    desk.ask_for_refund(desk.start_run(), desk.purchase())
    assert listed(reading(people.rosa).get("/inbox/")) == []


def test_the_list_agrees_with_the_engines_own_rule(
    desk: Desk, people: People, reading: Readers
) -> None:
    proposal = desk.propose_refund()
    for person in (people.rosa, people.tomas, people.otto, people.ada, people.ines, people.zoe):
        lets = api.why_not_decide(reviewer(person), proposal.pk) is None
        assert bool(listed(reading(person).get("/inbox/"))) is lets, person


def test_an_empty_inbox_says_what_was_last_and_what_is_next(
    desk: Desk, people: People, reading: Readers
) -> None:
    desk.approved_refund()
    desk.propose_refund()
    page = reading(people.tomas).get("/inbox/")
    assert "Last decision" in page.text
    assert "none yet" not in page.text
    assert "nothing is open" not in page.text


def test_an_inbox_where_nothing_ever_was_says_so(people: People, reading: Readers) -> None:
    page = reading(people.rosa).get("/inbox/")
    assert "none yet" in page.text
    assert "nothing is open" in page.text


def test_what_an_agent_named_its_customer_is_text(
    desk: Desk, people: People, reading: Readers
) -> None:
    trick = "<img src=x onerror=alert(1)> \u202edrowssap"
    desk.propose_refund(desk.purchase(), customer=trick)
    page = reading(people.rosa).get("/inbox/")
    assert "<img" not in page.html
    assert "\u202e" not in page.html
    assert "⟨U+202E⟩" in page.text


def test_looking_changes_nothing(
    desk: Desk, people: People, database: Database, reading: Readers
) -> None:
    desk.propose_refund()
    before = contents(database)
    reader = reading(people.rosa)
    for address in ("/inbox/", "/inbox/?show=decided", "/inbox/live/"):
        assert reader.get(address).status == 200
        assert reader.client.head(address).status_code == 200
    assert contents(database) == before


def test_a_place_that_the_inbox_does_not_have_is_refused(people: People, reading: Readers) -> None:
    assert reading(people.rosa).get("/inbox/", show="everything").status == 400


def test_only_looking_is_possible(people: People, reading: Readers) -> None:
    assert reading(people.rosa).post("/inbox/").status == 405
    assert reading(people.rosa).post("/inbox/live/").status == 405
