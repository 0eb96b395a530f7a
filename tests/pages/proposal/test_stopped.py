"""What a proposal's page says of stops: of one in force, and of that under which it lapsed."""

from engine import api, sweeper
from tests.cast import all_go_on, reviewer
from tests.pages.reading import Reader, address_of
from tests.world import Desk

IN_FORCE = "A stop is in force: nothing is approved until it is lifted"
LAPSED = "It lapsed under a stop. Once that is lifted, reviewers are asked anew."


def stop(desk: Desk, scope: str) -> None:
    api.stop(reviewer(desk.people.otto), "Two refunds look <odd>.", scope=scope)


def test_a_stop_in_force_stands_beside_the_decision_with_its_reason(
    desk: Desk, rosa: Reader
) -> None:
    page = address_of(desk.propose_refund())
    assert IN_FORCE not in rosa.get(page).text
    stop(desk, "action:ledger.refund")

    shown = rosa.get(page)

    assert IN_FORCE in shown.text
    assert "Two refunds look &lt;odd&gt;." in shown.html
    assert 'value="reject"' in shown.html


def test_one_for_something_else_is_not_spoken_of(desk: Desk, rosa: Reader) -> None:
    page = address_of(desk.propose_refund())
    stop(desk, "workflow:refund")
    assert IN_FORCE not in rosa.get(page).text


def test_what_lapsed_under_it_says_so_and_offers_no_decision(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    stop(desk, "everything")
    sweeper.run_once()

    shown = rosa.get(address_of(proposal))

    assert LAPSED in shown.text
    assert "Two refunds look &lt;odd&gt;." in shown.html
    assert 'name="decision"' not in shown.html
    assert "Proposal lapsed: a stop is in force" in rosa.get(f"/runs/{proposal.run_id}/").text


def test_asked_anew_it_is_decided_like_any_other(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    stop(desk, "everything")
    sweeper.run_once()
    desk.work(proposal.run_id)
    all_go_on(desk.people)
    desk.work(proposal.run_id)

    shown = rosa.get(address_of(desk.proposal(proposal.run_id)))

    assert 'name="decision"' in shown.html
    assert LAPSED not in shown.text
