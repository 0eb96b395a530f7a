"""What the agent asks for is what the actions accept, and speaks of what there is."""

from decimal import Decimal

import pytest

from engine import actions
from oversight.demo.agent.claims import ACTION, CLAIMS, Claim
from oversight.demo.agent.errands import FREE_PARCELS, Errand
from oversight.demo.agent.mix import MIX, wish_named
from oversight.demo.desk.stock import DESK, PURCHASES
from oversight.demo.management.commands.seed_demo import SCOPES

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


ERRANDS = [wish for wish in MIX if isinstance(wish, Errand)]


def test_everything_is_wished_for_once_and_found_by_its_name() -> None:
    assert len({wish.name for wish in MIX}) == len(MIX) == len(CLAIMS) + len(ERRANDS)
    assert all(wish_named(wish.name) is wish for wish in MIX)
    assert wish_named("nobody's") is None


@pytest.mark.parametrize("errand", ERRANDS, ids=lambda errand: errand.name)
def test_an_errand_is_what_its_action_accepts(errand: Errand) -> None:
    action = actions.get(errand.action)
    assert actions.freeze(action, errand.arguments)
    actions.must_be_justified(action, errand.rollback_reason)
    assert errand.why
    assert errand.evidence
    assert errand.answer


def test_the_agents_key_is_good_for_all_that_it_wishes_and_for_nothing_else() -> None:
    wished = {f"action:{wish.action}" for wish in MIX}
    wished |= {f"workflow:{wish.workflow}" for wish in MIX}
    assert set(SCOPES) == wished


def test_among_the_first_six_is_one_of_every_kind_of_end() -> None:
    first = [wish.action for wish in MIX[:6]]
    assert set(first) == {
        "ledger.refund",
        "ledger.bank_surplus",
        "pager.page",
        "mail.tell_customer",
        "access.grant",
    }
    assert any(wish.valid_seconds for wish in MIX[:6])
    assert any(Decimal(SOLD[w.name].handling_fee) for w in MIX[:6] if isinstance(w, Claim))


def test_some_text_is_not_what_it_seems() -> None:
    for text in (FREE_PARCELS.why, FREE_PARCELS.arguments["content"]):
        assert "\u202e" in text
        assert "\u200b" in text
