"""What the agent asks for and what the ledger holds speak of the same orders."""

from decimal import Decimal

import pytest

from engine import actions
from oversight.demo.agent.claims import ACTION, CLAIMS, Claim
from oversight.demo.desk.stock import DESK, PURCHASES

SOLD = {purchase.order: purchase for purchase in PURCHASES}


@pytest.fixture(params=CLAIMS, ids=lambda claim: claim.order)
def claim(request: pytest.FixtureRequest) -> Claim:
    return request.param


def test_a_claim_is_about_something_that_this_customer_bought(claim: Claim) -> None:
    assert SOLD[claim.order].customer == claim.customer


def test_a_claim_asks_for_no_more_than_was_paid(claim: Claim) -> None:
    for arguments in (claim.arguments, claim.arguments_on_reflection):
        assert Decimal("0") < Decimal(arguments["amount"]) <= Decimal(SOLD[claim.order].paid)


def test_a_claim_is_what_the_action_accepts(claim: Claim) -> None:
    action = actions.get(ACTION)
    for arguments in (claim.arguments, claim.arguments_on_reflection):
        assert actions.freeze(action, arguments)


def test_a_claim_brings_a_reason_evidence_and_an_answer(claim: Claim) -> None:
    [evidence] = claim.evidence
    assert claim.why
    assert claim.answer
    assert evidence["mail"]["text"]


def test_there_is_one_claim_for_every_purchase() -> None:
    assert sorted(claim.order for claim in CLAIMS) == sorted(SOLD)


def test_the_first_claims_asked_for_can_be_paid_from_the_desk() -> None:
    first = sum(Decimal(claim.amount) for claim in CLAIMS[:6])
    assert first <= Decimal(DESK.balance)


def test_some_orders_bring_a_fee_and_most_do_not() -> None:
    with_fee = [purchase for purchase in PURCHASES if Decimal(purchase.handling_fee)]
    assert 0 < len(with_fee) < len(PURCHASES) / 4
