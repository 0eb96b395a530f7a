"""The filters of the inbox live in its address, and its pages neither skip nor repeat a row."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from engine import api
from engine.models import Proposal
from oversight.reading import worklist
from tests.cast import reviewer
from tests.pages.inbox.test_to_decide import listed, valid_for
from tests.pages.reading import Reader, address_of
from tests.world import Desk


@pytest.fixture
def two(desk: Desk) -> tuple[Proposal, Proposal]:
    """A refund, and something of high risk that is due within the hour."""
    refund, reversal = desk.propose_refund(), desk.propose_for_good()
    valid_for(desk.database, refund, hours=20)
    valid_for(desk.database, reversal, minutes=30)
    return refund, reversal


@pytest.mark.parametrize(
    "said",
    [
        {"action": "ledger.refund", "risk": "medium"},
        {"action": "ledger.refund"},
        {"target": "ORDER A-1"},
        {"claimed": "me"},
    ],
)
def test_each_filter_leaves_what_matches_it(
    desk: Desk, rosa: Reader, two: tuple[Proposal, Proposal], said: dict[str, str]
) -> None:
    refund, _reversal = two
    api.claim(refund.run_id, refund.pk, reviewer=reviewer(desk.people.rosa))

    assert listed(rosa.get("/inbox/", **said)) == [address_of(refund)]


@pytest.mark.parametrize("said", [{"due": "1h"}, {"action": "reverse"}, {"claimed": "nobody"}])
def test_and_nothing_else(
    desk: Desk, rosa: Reader, two: tuple[Proposal, Proposal], said: dict[str, str]
) -> None:
    refund, reversal = two
    api.claim(refund.run_id, refund.pk, reviewer=reviewer(desk.people.rosa))

    assert listed(rosa.get("/inbox/", **said)) == [address_of(reversal)]


@pytest.mark.parametrize(
    ("name", "mine", "not_there"),
    [
        ("agent", "refund-desk", "another"),
        ("workflow", "agent", "refund"),
        ("group", "reviewer", "finance"),
        ("target", "order", "100%"),
    ],
)
def test_a_filter_that_nothing_matches_says_so(
    rosa: Reader, two: tuple[Proposal, Proposal], name: str, mine: str, not_there: str
) -> None:
    assert len(listed(rosa.get("/inbox/", **{name: mine}))) == len(two)
    assert "Nothing here matches" in rosa.get("/inbox/", **{name: not_there}).text


def test_each_filter_in_use_is_taken_away_by_itself(
    rosa: Reader, two: tuple[Proposal, Proposal]
) -> None:
    page = rosa.get("/inbox/", risk="high", agent="refund")
    away = re.findall(r'class="inbox__chip" href="([^"]+)"', page.html)

    assert away == ["/inbox/?agent=refund", "/inbox/?risk=high"]
    assert "Risk: High" in page.text


@pytest.mark.parametrize("said", [{"risk": "huge"}, {"colour": "red"}, {"due": "soon"}])
def test_a_filter_that_is_not_understood_is_refused_and_lists_nothing(
    rosa: Reader, two: tuple[Proposal, Proposal], said: dict[str, str]
) -> None:
    page = rosa.get("/inbox/", **said)

    assert (page.status, listed(page)) == (400, [])


def test_a_risk_that_nothing_has_leaves_nothing(
    rosa: Reader, two: tuple[Proposal, Proposal]
) -> None:
    assert listed(rosa.get("/inbox/", risk="high")) == []


def test_news_are_only_of_what_matches(desk: Desk, rosa: Reader) -> None:
    desk.propose_refund()
    address = rosa.get("/inbox/", action="reverse").attribute("hx-get")
    desk.propose_refund()
    assert rosa.poll(address.replace("&amp;", "&")).status == 204
    desk.propose_for_good()
    assert "1 new" in rosa.poll(address.replace("&amp;", "&")).text


def test_pages_follow_each_other_while_others_come_and_go(
    desk: Desk, rosa: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worklist, "SIZE", 2)
    proposals = [desk.propose_refund() for _ in range(5)]
    for number, proposal in enumerate(proposals):
        valid_for(desk.database, proposal, hours=number + 1)
    first = rosa.get("/inbox/", risk="medium")
    assert "5 in all" in first.text
    desk.decide(proposals[0], "reject")

    second = rosa.get(following(first, "next"))
    third = rosa.get(following(second, "next"))

    pages = [listed(each) for each in (first, second, third)]
    assert [each for page in pages for each in page] == [address_of(each) for each in proposals]
    assert listed(rosa.get(following(third, "prev"))) == pages[1]


def following(page: Any, which: str) -> str:
    (address,) = re.findall(rf'rel="{which}" href="([^"]+)"', page.html)
    return address.replace("&amp;", "&")


def test_as_many_questions_for_many_rows_as_for_one(desk: Desk, rosa: Reader) -> None:
    for show in ("to-decide", "claimed", "decided", "mine"):
        desk.propose_refund()
        rosa.get("/inbox/", show=show)
        one = asked(rosa, show)
        for _ in range(3):
            proposal = desk.propose_refund()
            api.claim(proposal.run_id, proposal.pk, reviewer=reviewer(desk.people.rosa))
        desk.approved_refund()
        assert asked(rosa, show) <= one + 1, show


def asked(reader: Reader, show: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        reader.get("/inbox/", show=show)
    return len(queries)
