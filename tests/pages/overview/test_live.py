"""The overview while it is looked at, and the list of every open proposal."""

import re

import pytest

from oversight.reading import worklist
from tests.cast import People
from tests.pages.overview.test_needs import made_heavy, tiles
from tests.pages.overview.words import said
from tests.pages.reading import Page, Reader, Readers
from tests.world import Desk

OVERVIEW = "/overview/"


def polled(page: Page) -> tuple[str, str]:
    """Where what is needed, and what was measured, ask for their newer selves."""
    needs, measured = re.findall(r'hx-get="([^"]+)"', page.html)
    return needs, measured


def test_nothing_new_is_answered_with_nothing(desk: Desk, otto: Reader) -> None:
    desk.propose_refund()
    for address in polled(otto.get(OVERVIEW)):
        answer = otto.poll(address)
        assert (answer.status, answer.html) == (204, "")


def test_what_is_new_comes_with_its_words(desk: Desk, otto: Reader) -> None:
    needs, measured = polled(otto.get(OVERVIEW))
    desk.propose_refund()
    answer = otto.poll(needs)
    assert tiles(answer)["Open proposals"] == "1"
    assert 'data-announce="1 open proposal, 0 of unknown outcome, 0 open alerts."' in answer.html
    assert "<main" not in answer.html
    assert otto.poll(measured).status == 204


def test_the_charts_come_anew_when_something_was_committed(desk: Desk, otto: Reader) -> None:
    _, measured = polled(otto.get(OVERVIEW))
    desk.work(desk.approved_refund().run_id)
    answer = otto.poll(measured)
    assert "1 effect was committed in 24 hours." in answer.text
    assert "tile" not in answer.html


def test_one_reader_s_share_does_not_change_another_s(
    desk: Desk, people: People, reading: Readers
) -> None:
    """Tomas owns the agent: of its proposals none is for him."""
    desk.propose_refund()
    needs, _ = polled(reading(people.rosa).get(OVERVIEW))
    assert "for you" not in reading(people.tomas).poll(needs).text


def headlines(page: Page) -> list[str]:
    return re.findall(r'table__open" href="([^"]+)"', page.html)


def test_the_list_has_everything_open_whoever_may_decide(
    desk: Desk, people: People, reading: Readers
) -> None:
    medium, high = made_heavy(desk, "medium"), made_heavy(desk, "high")
    desk.decide(desk.propose_refund(), "reject")
    for person in (people.tomas, people.ada):
        page = reading(person).get("/overview/proposals/")
        assert headlines(page) == [high, medium]
        assert "All 2 High 1 Medium 1 Low 0" in said(page)


def test_the_list_of_one_risk(desk: Desk, otto: Reader) -> None:
    made_heavy(desk, "medium")
    high = made_heavy(desk, "high")
    assert headlines(otto.get("/overview/proposals/", risk="high")) == [high]
    page = otto.get("/overview/proposals/", risk="low")
    assert headlines(page) == []
    assert "No proposal waits here" in page.text


@pytest.mark.parametrize("query", [{"risk": "none"}, {"after": "x"}, {"after": "1~2026-01-01~y"}])
def test_an_address_that_means_nothing_is_refused(otto: Reader, query: dict[str, str]) -> None:
    assert otto.get("/overview/proposals/", **query).status == 400


def test_every_proposal_is_on_one_page_and_none_on_two(
    desk: Desk, otto: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worklist, "SIZE", 2)
    made = [made_heavy(desk, risk) for risk in ("high", "high", "medium", "medium", "low")]
    seen, address = [], "/overview/proposals/"
    while address:
        page = otto.get(address)
        seen += headlines(page)
        onward = re.findall(r'rel="next" href="([^"]+)"', page.html)
        address = onward[0].replace("&amp;", "&") if onward else ""
    assert seen == made
    (back,) = re.findall(r'rel="prev" href="([^"]+)"', page.html)
    assert headlines(otto.get(back.replace("&amp;", "&"))) == made[2:4]


def test_newcomers_are_counted_and_not_pushed_in(desk: Desk, otto: Reader) -> None:
    made_heavy(desk, "high")
    address = otto.get("/overview/proposals/", risk="medium").attribute("hx-get")
    assert otto.poll(address).status == 204
    desk.propose_refund()
    answer = otto.poll(address)
    assert "1 new: show it" in answer.text
    assert 'href="/overview/proposals/?risk=medium"' in answer.html
