"""What needs a person now: each number is right, and leads to what it counts."""

import re

import pytest

from engine import api
from tests.cast import People, all_go_on, reviewer
from tests.pages.alerts.trouble import overdue, stuck_rollback, taken_on, wrong_refund
from tests.pages.hostile import HARM, HIDDEN, MARKUP
from tests.pages.overview.words import said
from tests.pages.reading import Page, Reader, Readers, address_of, contents
from tests.pages.unknowns.doubt import in_doubt
from tests.world import Database, Desk

OVERVIEW = "/overview/"


def tiles(page: Page) -> dict[str, str]:
    """The number of each tile, by its word."""
    found = re.findall(
        r'class="tile__count">(\d+)</span><span class="tile__word">.*?</svg>([^<]+)<', page.html
    )
    return {word: count for count, word in found}


def made_heavy(desk: Desk, risk: str, **wishes: str) -> str:
    """A proposal of that risk; gives its headline."""
    proposal = desk.propose_refund(**wishes)  # type: ignore[arg-type]
    desk.database.execute("UPDATE engine_proposal SET risk = %s WHERE id = %s", risk, proposal.pk)
    return address_of(proposal)


def test_where_there_is_nothing_to_do_it_says_so(otto: Reader) -> None:
    page = otto.get(OVERVIEW)
    assert set(tiles(page).values()) == {"0"}
    for words in (
        "Nothing waits for a decision.",
        "Of every effect it is known whether it happened.",
        "No alert is without somebody.",
        "No run waits for a person to let it go on.",
    ):
        assert words in page.text
    assert "Why runs are paused" not in page.text


def test_open_proposals_are_counted_by_risk(desk: Desk, otto: Reader) -> None:
    made_heavy(desk, "high")
    desk.propose_refund()
    desk.propose_refund()
    desk.decide(desk.propose_refund(), "reject")
    page = otto.get(OVERVIEW)
    assert tiles(page)["Open proposals"] == "3"
    assert "1 High 2 Medium The first expires in 23 h" in said(page)
    assert "Low" not in page.text


def test_the_heaviest_risk_is_first_then_the_least_time_left(desk: Desk, otto: Reader) -> None:
    late = made_heavy(desk, "medium")
    low, high = made_heavy(desk, "low"), made_heavy(desk, "high")
    soon = made_heavy(desk, "medium")
    desk.database.execute(
        "UPDATE engine_proposal SET valid_until = now() + interval '5 min'"
        " WHERE proposal_id = %s::uuid",
        soon.split("/")[2],
    )
    page = otto.get(OVERVIEW)
    assert re.findall(r'table__open" href="([^"]+)"', page.html) == [high, soon, late, low]
    assert page.html.count("overview__pressing") == 1


def test_only_the_most_urgent_are_listed_and_the_rest_is_led_to(desk: Desk, otto: Reader) -> None:
    for _ in range(6):
        desk.propose_refund()
    page = otto.get(OVERVIEW)
    assert page.html.count('class="table__open"') == 5
    assert "All 6 open proposals" in page.text


def test_a_reviewer_is_told_how_many_are_for_them(
    desk: Desk, people: People, reading: Readers
) -> None:
    desk.propose_refund()
    assert "1 is for you" in reading(people.rosa).get(OVERVIEW).text
    assert "for you" not in reading(people.tomas).get(OVERVIEW).text


def test_an_unknown_effect_is_counted_and_its_run_is_paused(desk: Desk, otto: Reader) -> None:
    in_doubt(desk)
    page = otto.get(OVERVIEW)
    assert tiles(page)["Unknown effects"] == "1"
    assert tiles(page)["Paused runs"] == "1"
    assert "Why runs are paused 1 Effect unknown since just now" in said(page)


def test_alerts_are_counted_until_somebody_answers_for_them(
    desk: Desk, people: People, otto: Reader
) -> None:
    alert = wrong_refund(desk)
    assert tiles(otto.get(OVERVIEW))["Open alerts"] == "1"
    taken_on(alert, people.otto)
    page = otto.get(OVERVIEW)
    assert tiles(page)["Open alerts"] == "0"
    assert "overdue" not in page.text
    overdue(desk, alert)
    assert "1 that was taken on is overdue" in otto.get(OVERVIEW).text


def test_paused_runs_are_counted_by_reason(desk: Desk, otto: Reader) -> None:
    stuck_rollback(desk)
    stuck_rollback(desk)
    in_doubt(desk)
    page = otto.get(OVERVIEW)
    assert tiles(page)["Paused runs"] == "3"
    assert "2 Rollback failed since just now 1 Effect unknown since just now" in said(page)


def test_a_stop_in_force_stands_above_all(desk: Desk, people: People, otto: Reader) -> None:
    assert "Everything is stopped" not in otto.get(OVERVIEW).text
    api.stop_everything(reviewer(people.otto), "The bank <b>has called</b>.")
    page = otto.get(OVERVIEW)
    assert "Everything is stopped The bank <b>has called</b>. Otto Weiss · " in said(page)
    assert page.text.index("Everything is stopped") < page.text.index("Open proposals")
    all_go_on(people)
    assert "Everything is stopped" not in otto.get(OVERVIEW).text


def test_every_number_leads_to_a_page_that_answers(
    desk: Desk, people: People, otto: Reader
) -> None:
    made_heavy(desk, "high")
    overdue_alert = wrong_refund(desk)
    taken_on(overdue_alert, people.otto)
    overdue(desk, overdue_alert)
    in_doubt(desk)
    page = otto.get(OVERVIEW)
    main = page.html.partition("<main")[2]
    addresses = {*re.findall(r'href="(/[^"]+)"', main)}
    assert len(addresses) > 10
    for address in addresses:
        assert otto.get(address.replace("&amp;", "&")).status == 200, address


@pytest.mark.parametrize("text", [*MARKUP, *HIDDEN.values()])
def test_what_an_agent_wrote_is_text_and_hides_nothing(desk: Desk, otto: Reader, text: str) -> None:
    desk.propose_refund(desk.purchase(customer=f"Mara {text}"), customer=f"Mara {text}")
    for address in (OVERVIEW, "/overview/proposals/"):
        page = otto.get(address)
        table = page.html.partition("<tbody")[2].partition("</tbody>")[0]
        assert "Mara" in table
        assert [harm for harm in HARM if harm in table] == []
        if text in HIDDEN.values():
            assert text not in page.html
            assert f"⟨U+{ord(text):04X}⟩" in page.text


def test_looking_changes_nothing(desk: Desk, database: Database, otto: Reader) -> None:
    wrong_refund(desk)
    before = contents(database)
    for address in ("", "live/", "measured/", "proposals/", "proposals/live/"):
        otto.get(f"{OVERVIEW}{address}")
    assert contents(database) == before
