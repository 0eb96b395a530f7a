"""One's own figures: how one decides, and for nobody else's eyes."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import signing
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from engine import api
from engine.models import Decision, Proposal
from oversight.models import Person
from oversight.pages.proposal import reads, shown
from tests.cast import People, reviewer
from tests.engine.editing import edit
from tests.pages.alerts.trouble import wrong_refund
from tests.pages.reading import Page, Reader, Readers, address_of, contents
from tests.world import Database, Desk

ME = "/people/me/"


def counted(page: Page) -> dict[str, tuple[str, str]]:
    """The rows of the two tables: how many, and their share."""
    rows = re.findall(r'<tr><th scope="row">([^<]+).*?</tr>', page.html, re.DOTALL)
    whole = re.findall(r'<tr><th scope="row">.*?</tr>', page.html, re.DOTALL)
    cells = [re.findall(r'<td class="number[^"]*">([^<]*)</td>', row) for row in whole]
    return {word: (cell[0], cell[1]) for word, cell in zip(rows, cells, strict=True) if cell[1:]}


def after(desk: Desk, rosa: Reader, seconds: int, decision: str = "reject") -> Proposal:
    """Decided so many seconds after its page was shown."""
    proposal = desk.propose_refund()
    item = reads.version(proposal.proposal_id, 1)
    assert item is not None
    form = rosa.get(address_of(proposal)).form
    token: dict[str, Any] = signing.loads(form["displayed"], salt=shown.SALT)
    measured = {"page": token["page"], "words": token["words"]}
    early = timezone.now() - timedelta(seconds=seconds)
    form["displayed"] = shown.token(item, desk.people.rosa.pk, early, **measured)
    assert rosa.decide(proposal, decision, **form).status == 302
    return proposal


def test_nobody_finds_anything_before_they_have_decided(rosa: Reader) -> None:
    page = rosa.get(ME)
    assert page.status == 200
    assert "You have decided nothing in this time" in page.text
    assert "To your inbox" in page.text


def test_it_counts_what_one_said(desk: Desk, rosa: Reader) -> None:
    for decision in ("approve", "approve", "reject", "return"):
        desk.decide(desk.propose_refund(), decision)
    edit(desk, desk.propose_refund(), amount="20.00")
    found = counted(rosa.get(ME))
    assert found["Approved"] == ("2", "40 %")
    assert found["Rejected"] == ("1", "20 %")
    assert found["Returned with a question"] == ("1", "20 %")
    assert found["Edited instead"] == ("1", "20 %")


def test_it_counts_what_turned_out_otherwise(desk: Desk, rosa: Reader) -> None:
    """One approval was carried out as approved; three things came otherwise, one is open."""
    good = desk.approved_refund()
    desk.work(good.run_id)
    wrong_refund(desk)
    taken = desk.approved_refund()
    api.take_back_approval(
        taken.run_id, taken.pk, reviewer=reviewer(desk.people.rosa), reason="The wrong order."
    )
    mina = desk.people.somebody("mina", "reviewer")
    desk.put_in_force(
        {"action": "ledger.*", "groups": [{"name": "reviewer", "approve": 2}], "reject": 1}
    )
    overruled = desk.propose_refund()
    desk.approve(overruled)
    desk.decide(overruled, "reject", by=mina)
    desk.approve(desk.propose_refund())

    page = rosa.get(ME)
    found = counted(page)
    assert found["Others decided the opposite."] == ("1", "25 %")
    assert found["You took your approval back."] == ("1", "25 %")
    bad = "You approved it, and verification did not show what was approved."
    assert found[bad] == ("1", "25 %")
    assert found["You approved it, and it was rolled back."] == ("0", "0 %")
    assert "75 % 3 of 4 whose end is known" in page.text
    assert counted(Reader(mina).get(ME))["Others decided the opposite."] == ("0", "0 %")


def test_it_tells_how_long_one_took_and_how_often_too_short(desk: Desk, rosa: Reader) -> None:
    for seconds in (2, 120, 120, 7200):
        after(desk, rosa, seconds)
    desk.decide(desk.propose_refund(), "reject")
    page = rosa.get(ME)
    told = re.sub(r"\s+", " ", page.text)
    assert "4 decisions: half of them within 2 min, nine in ten within" in told
    assert "1 of 4 came sooner than reading what was shown takes, at 238 words a minute." in told
    assert 'role="img" aria-label="4 decisions: half of them within' in page.html
    assert page.html.count('<rect class="chart__bar"') == 3


def test_it_looks_at_the_last_ninety_days(desk: Desk, database: Database, rosa: Reader) -> None:
    desk.decide(desk.propose_refund(), "reject")
    database.execute("UPDATE engine_decision SET decided_at = now() - interval '91 days'")
    assert "You have decided nothing in this time" in rosa.get(ME).text


@pytest.mark.parametrize("name", ["tomas", "otto", "ada", "zoe"])
def test_nobody_else_is_shown_it(
    name: str, desk: Desk, rosa: Reader, people: People, reading: Readers
) -> None:
    after(desk, rosa, 120)
    somebody: Person = getattr(people, name)
    other = reading(somebody)
    for address in (ME, f"{ME}?person={people.rosa.pk}", f"/people/{people.rosa.pk}/", "/people/"):
        page = other.get(address)
        assert page.status == 200
        assert "within 2 min" not in page.text
        assert "came sooner" not in page.text
    assert "within 2 min" in rosa.get(ME).text
    assert other.get(f"/people/{people.rosa.pk}/me/").status == 404


def test_one_is_led_there_from_ones_decisions_and_ones_own_page(
    desk: Desk, rosa: Reader, people: People
) -> None:
    assert f'href="{ME}"' in rosa.get("/inbox/", show="decided").html
    assert f'href="{ME}"' in rosa.get(f"/people/{people.rosa.pk}/").html
    assert f'href="{ME}"' not in rosa.get(f"/people/{people.tomas.pk}/").html


def test_it_asks_as_often_however_much_was_decided_and_changes_nothing(
    desk: Desk, database: Database, rosa: Reader
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert rosa.get(ME).status == 200
        return len(asked)

    desk.decide(desk.propose_refund(), "reject")
    one = queries()
    for decision in ("approve", "reject", "return"):
        desk.decide(desk.propose_refund(), decision)
    before = contents(database)
    assert queries() == one
    assert contents(database) == before
    assert Decision.objects.count() == 4
