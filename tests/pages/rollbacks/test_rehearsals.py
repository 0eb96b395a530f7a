"""How the plans are covered by rehearsals, one rehearsal, and its age where somebody decides."""

import uuid

import pytest

from tests.pages.reading import Reader
from tests.pages.rollbacks.test_plans import PLANS, rows
from tests.pages.rollbacks.tried import rehearsed
from tests.world import Desk


@pytest.mark.parametrize(
    ("wishes", "word"),
    [
        ({}, "Rehearsed"),
        ({"holds": False}, "Rehearsal failed"),
        ({"days_ago": 31}, "Rehearsal too old"),
    ],
)
def test_the_last_rehearsal_of_each_plan_is_shown(
    wishes: dict[str, int], word: str, desk: Desk, otto: Reader
) -> None:
    rehearsed(desk, days_ago=60)
    rehearsed(desk, **wishes)  # type: ignore[arg-type]

    row = rows(otto.get(PLANS))["ledger.refund v1"]

    assert word in row
    assert "recovered in 4.2 s" in row


def test_the_coverage_is_said_in_a_sentence(desk: Desk, otto: Reader) -> None:
    rehearsed(desk)
    assert "Of 3 that can be rehearsed, 1 were" in otto.get(PLANS).text


def test_one_rehearsal_shows_its_timeline_and_what_had_to_hold(desk: Desk, otto: Reader) -> None:
    page = otto.get(f"{PLANS}rehearsals/{rehearsed(desk, holds=False)}/")

    assert page.status == 200
    for words in ("Rehearsal of ledger.refund v1", "Approved", "It did not hold.", "1.00 is not"):
        assert words in page.text
    assert "<b>Rosa</b>" not in page.html
    assert "4.2 s from the kill" in page.text


def test_one_that_there_is_not(desk: Desk, otto: Reader) -> None:
    assert otto.get(f"{PLANS}rehearsals/{uuid.uuid4()}/").status == 404


def test_an_action_lists_its_rehearsals(desk: Desk, otto: Reader) -> None:
    kept = rehearsed(desk)
    assert f"/rollbacks/rehearsals/{kept}/" in otto.get(f"{PLANS}ledger.refund/1/").html


def test_whoever_decides_sees_when_the_plan_was_rehearsed(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    address = f"/proposals/{proposal.proposal_id}/{proposal.version}/"
    assert "Never rehearsed" in rosa.get(address).text

    kept = rehearsed(desk)

    page = rosa.get(address)
    assert "Never rehearsed" not in page.text
    assert f"/rollbacks/rehearsals/{kept}/" in page.html
