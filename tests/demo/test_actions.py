"""Each action of the demo against its real target: once, verified, found by key, taken back."""

from collections.abc import Callable
from typing import Any

import pytest

from engine import actions, approval
from engine.actions import Action, Refused
from engine.errors import NotPermitted
from engine.models import Run
from oversight.demo.elsewhere import elsewhere
from tests.demo.conftest import Outside
from tests.engine.kit.office import Office
from tests.world import Ledger

World = Callable[[], Any]

KEY, OTHER_KEY, THIRD_KEY = "1" * 64, "2" * 64, "3" * 64

REFUND = {"order": "N-20417", "customer": "Ingrid Sandvik", "amount": "39.00"}
SURPLUS = {"amount": "300.00"}
CONFIG = {"path": "shop.ini", "content": "[parcels]\nfree_from = 45.00\n"}
NEW_FILE = {"path": "holidays.ini", "content": "[closed]\ndays = 12-25\n"}
GRANT = {"member": "lena", "role": "suppliers"}
AS_DECLARED = {"challenge": "declared"}
MAIL = {"to": ["mara@post.example"], "subject": "Your order", "body": "It is on its way.\n"}
MAIL_TO_THREE = {**MAIL, "to": ["mara@post.example", "jon@post.example"], "cc": ["a@post.example"]}
PAGE = {"to": "lena", "text": "Cold store at 9 degrees."}

CAN_BE_TAKEN_BACK = [
    pytest.param("ledger.refund", REFUND, id="refund"),
    pytest.param("ledger.bank_surplus", SURPLUS, id="surplus"),
    pytest.param("shop.write_config", CONFIG, id="config"),
    pytest.param("shop.write_config", NEW_FILE, id="new file"),
    pytest.param("access.grant", GRANT, id="grant"),
]
CAN_BE_VERIFIED = [*CAN_BE_TAKEN_BACK, pytest.param("mail.tell_customer", MAIL, id="mail")]
CANNOT = [
    pytest.param("mail.tell_customer", MAIL, "none", id="mail"),
    pytest.param("pager.page", PAGE, "out_of_band", id="page"),
]


def the(name: str, arguments: dict[str, Any]) -> tuple[Action, Any]:
    """The action and its arguments, frozen and thawed as the engine does."""
    action = actions.get(name)
    return action, actions.thawed(action, actions.freeze(action, arguments))


@pytest.fixture
def world(outside: Outside, stocked: Ledger) -> World:
    """What can be seen of the world outside, the traces of what was taken back left out."""

    def look() -> Any:
        seen = elsewhere()
        standing = [grant.role for grant in seen.grants or () if grant.until is None]
        orders = stocked.rows("SELECT order_no, refunded FROM purchase ORDER BY order_no")
        return seen.letters, standing, seen.files, seen.tape, stocked.balance(), orders

    return look


@pytest.mark.parametrize(("name", "arguments"), CAN_BE_VERIFIED)
def test_it_is_proposed_approved_carried_out_verified_and_committed(
    office: Office, outside: Outside, world: World, name: str, arguments: dict[str, Any]
) -> None:
    outside.start(name)
    before = world()
    run_id = office.carry_out(name, **arguments)
    effect = office.effect(run_id)
    assert (effect.status, effect.verification) == ("succeeded", "passed")
    assert effect.committed_at
    assert office.alerts(run_id) == []
    assert world() != before


@pytest.mark.parametrize(("name", "arguments"), CAN_BE_TAKEN_BACK)
def test_a_second_call_under_the_same_key_changes_nothing_and_answers_the_same(
    outside: Outside, world: World, name: str, arguments: dict[str, Any]
) -> None:
    outside.start(name)
    action, args = the(name, arguments)
    first = action.execute(args, key=KEY, fencing_token=1)
    after = world()
    assert action.execute(args, key=KEY, fencing_token=2) == first
    assert world() == after
    assert action.verify(args, resource_id=first.resource_id).verification == "passed"


@pytest.mark.parametrize(("name", "arguments"), CAN_BE_VERIFIED)
def test_the_target_tells_by_key_whether_it_happened(
    outside: Outside, stocked: Ledger, name: str, arguments: dict[str, Any]
) -> None:
    outside.start(name)
    action, args = the(name, arguments)
    done = action.execute(args, key=KEY, fencing_token=1)
    found = action.reconcile(args, key=KEY)
    assert (found.kind, found.resource_id) == ("found", done.resource_id)
    not_found = "absent" if action.target_class == "idempotent" else "unclear"
    assert action.reconcile(args, key=OTHER_KEY).kind == not_found


@pytest.mark.parametrize(("name", "arguments"), CAN_BE_TAKEN_BACK)
def test_its_rollback_leaves_the_world_as_it_was(
    outside: Outside, world: World, name: str, arguments: dict[str, Any]
) -> None:
    outside.start(name)
    before = world()
    action, args = the(name, arguments)
    done = action.execute(args, key=KEY, fencing_token=1)
    inverse, wanted = action.rollback.made_for(args, done.resource_id, done.result)
    back = actions.thawed(inverse, actions.freeze(inverse, dict(wanted)))
    undone = inverse.execute(back, key=OTHER_KEY, fencing_token=1)
    assert inverse.verify(back, resource_id=undone.resource_id).verification == "passed"
    assert inverse.reconcile(back, key=OTHER_KEY).kind == "found"
    assert world() == before


@pytest.mark.parametrize(("name", "arguments", "kind"), CANNOT)
def test_what_no_program_can_take_back_says_so(
    name: str, arguments: dict[str, Any], kind: str
) -> None:
    action, args = the(name, arguments)
    assert action.rollback.kind == kind
    with pytest.raises(NotPermitted):
        action.rollback.made_for(args, None, None)


@pytest.mark.parametrize(
    ("name", "arguments", "asked"),
    [
        pytest.param("mail.tell_customer", MAIL, "mara@post.example", id="mail"),
        pytest.param("mail.tell_customer", MAIL_TO_THREE, "mara@post.example +2", id="mails"),
        pytest.param("access.grant", GRANT, "lena suppliers", id="grant"),
        pytest.param("access.revoke", {"grant": "7"}, "7", id="revoke"),
        pytest.param("ledger.bring_back", SURPLUS, "300.00", id="bring back"),
        pytest.param("ledger.refund", REFUND, None, id="refund"),
        pytest.param("ledger.bank_surplus", SURPLUS, None, id="surplus"),
        pytest.param("shop.write_config", CONFIG, None, id="config"),
        pytest.param("pager.page", PAGE, None, id="page"),
    ],
)
def test_what_has_to_be_typed_to_approve_it(
    name: str, arguments: dict[str, Any], asked: str | None
) -> None:
    action = actions.get(name)
    typed = approval.challenge(action, actions.validated(action, arguments), AS_DECLARED)
    assert typed == asked


@pytest.mark.parametrize("arguments", [{**GRANT, "member": "nobody"}, {**GRANT, "member": "x/y"}])
def test_the_service_refuses_a_member_that_it_does_not_know(
    outside: Outside, arguments: dict[str, Any]
) -> None:
    outside.start("access")
    action, args = the("access.grant", arguments)
    with pytest.raises(Refused):
        action.execute(args, key=KEY, fencing_token=1)


def test_a_role_is_granted_once_and_anew_after_it_was_revoked(outside: Outside) -> None:
    outside.start("access")
    action, args = the("access.grant", GRANT)
    grant = action.execute(args, key=KEY, fencing_token=1).resource_id
    with pytest.raises(Refused, match="already"):
        action.execute(args, key=OTHER_KEY, fencing_token=1)
    revoke, back = the("access.revoke", {"grant": grant})
    revoke.execute(back, key=THIRD_KEY, fencing_token=1)
    assert action.verify(args, resource_id=grant).verification == "not_yet"
    assert action.execute(args, key=OTHER_KEY, fencing_token=1).resource_id != grant


def test_the_surplus_is_right_for_the_balance_that_was_counted_alone(
    office: Office, stocked: Ledger
) -> None:
    proposal = office.propose("ledger.bank_surplus", **SURPLUS)
    office.approve(proposal)
    stocked.execute("UPDATE account SET balance = balance + 64")
    office.work(proposal.run_id)
    proposal.refresh_from_db()
    assert proposal.status == "lapsed"
    again = office.propose("ledger.bank_surplus", **SURPLUS)
    assert office.terms(again)["precondition"] == {"balance": "2564.00"}


def test_a_page_that_nobody_acknowledges_is_unknown_and_goes_to_a_person(
    office: Office, outside: Outside
) -> None:
    outside.start("pager")
    run_id = office.carry_out("pager.page", **PAGE)
    effect = office.effect(run_id)
    assert (effect.status, effect.committed_at) == ("unknown", None)
    assert office.alerts(run_id) == ["effect_unknown"]
    run = Run.objects.get(pk=run_id)
    assert (run.status, run.reason_code) == ("paused", "effect_unknown")
    office.work_later(run_id)
    assert outside.tape == ["lena Cold store at 9 degrees."]


def test_of_four_pages_one_is_silent_one_well_one_lost_and_one_late(outside: Outside) -> None:
    outside.start("pager")
    action, args = the("pager.page", PAGE)
    heard = [_heard(action, args, number) for number in range(4)]
    assert heard == [None, "OK 2", None, "OK 4"]
    assert len(outside.tape) == 3


def _heard(action: Action, args: Any, number: int) -> str | None:
    try:
        answer = action.execute(args, key=f"{number:064}", fencing_token=1)
    except TimeoutError:
        return None
    return str(answer.result["said"])


def test_a_line_that_is_dead_surely_carried_nothing(outside: Outside) -> None:
    action, args = the("pager.page", PAGE)
    with pytest.raises(Refused, match="cannot be reached"):
        action.execute(args, key=KEY, fencing_token=1)
