"""Money: refunds, and what is taken to the bank; and how both are taken back."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator

from engine.actions import (
    ActionArguments,
    Money,
    compensating,
    in_band,
    no_rollback,
    register,
)
from engine.kit.sql import SqlUpdate
from engine.types import Change, Facts
from oversight.demo.desk.stock import REHEARSAL


def _something(amount: str) -> str:
    if Decimal(amount) == 0:
        raise ValueError("must be more than nothing")
    return amount


Sum = Annotated[Money, AfterValidator(_something)]
"""An amount that is more than 0.00."""

_PURCHASE = """
SELECT p.order_no, p.customer, p.goods, p.paid, p.refunded, a.balance AS desk_balance,
       a.balance >= %(amount)s::numeric AS desk_covers_it
FROM purchase p, account a WHERE p.order_no = %(order)s AND a.number = 'desk'
"""


@register
class ReverseRefund(SqlUpdate):
    """Put an order and the desk back to what they were before a refund."""

    name = "ledger.reverse_refund"
    title = "Reverse a refund"
    risk = "medium"
    call_seconds = 3.0
    verify_seconds = 30.0
    database = "ledger"
    rollback = no_rollback("It is itself a rollback; it is not rolled back in turn.")
    verification = "The order shows again what it showed before the refund."
    update = """
        WITH desk AS (
            UPDATE account SET balance = balance + %(amount)s::numeric
            WHERE number = 'desk' AND EXISTS (
                SELECT 1 FROM purchase
                WHERE order_no = %(order)s AND refunded = %(found)s::numeric)
            RETURNING balance)
        UPDATE purchase SET refunded = %(before)s::numeric FROM desk
        WHERE order_no = %(order)s AND refunded = %(found)s::numeric
        RETURNING order_no AS resource_id, refunded, desk.balance AS desk_balance
    """
    reread = "SELECT refunded FROM purchase WHERE order_no = %(resource_id)s"

    class Arguments(ActionArguments):
        order: str
        amount: Sum
        before: Money
        found: Money

    def describe(self, args: Any) -> str:
        return f"Take back the refund of {args.amount} on order {args.order}"

    def target(self, args: Any) -> str:
        return f"ledger, order {args.order}"

    def operative_value(self, args: Any) -> str:
        return str(args.amount)

    def precondition(self, args: Any) -> Facts:
        """The order still shows what the refund left there."""
        seen = self.read("SELECT refunded FROM purchase WHERE order_no = %(order)s", args)
        return {"refunded": seen["refunded"] if seen else None}

    def expected(self, args: Any) -> Facts:
        return {"refunded": args.before}


@register
class Refund(SqlUpdate):
    """Pay an order back, wholly or in part, from the desk's account."""

    name = "ledger.refund"
    title = "Refund an order"
    risk = "medium"
    call_seconds = 3.0
    verify_seconds = 30.0
    database = "ledger"
    rollback = in_band(
        ReverseRefund,
        lambda args, order, answer: {
            "order": order,
            "amount": args.amount,
            "before": answer["refunded_before"],
            "found": answer["refunded"],
        },
        summary="The order's refunded sum and the desk's balance are put back to what they were.",
    )
    verification = "The order is read again: its refunded sum must have grown by the full amount."
    update = """
        WITH desk AS (
            UPDATE account SET balance = balance - %(amount)s::numeric WHERE number = 'desk'
            RETURNING balance),
        was AS (
            SELECT order_no, refunded FROM purchase
            WHERE order_no = %(order)s AND customer = %(customer)s FOR UPDATE)
        UPDATE purchase p SET refunded = was.refunded + %(amount)s::numeric FROM desk, was
        WHERE p.order_no = was.order_no AND was.refunded = %(refunded_so_far)s::numeric
        RETURNING p.order_no AS resource_id, was.refunded AS refunded_before, p.refunded,
                  desk.balance AS desk_balance
    """
    reread = "SELECT refunded FROM purchase WHERE order_no = %(resource_id)s"

    class Arguments(ActionArguments):
        order: str
        customer: str
        amount: Sum
        refunded_so_far: Money = "0.00"

    @classmethod
    def rehearsal(cls) -> Facts:
        return {"order": REHEARSAL.order, "customer": REHEARSAL.customer, "amount": "1.00"}

    def describe(self, args: Any) -> str:
        return f"Refund {args.amount} to {args.customer} for order {args.order}"

    def target(self, args: Any) -> str:
        return f"ledger, order {args.order}"

    def operative_value(self, args: Any) -> str:
        return str(args.amount)

    def precondition(self, args: Any) -> Facts:
        """Order and customer as they were when this was asked for; and the desk can pay."""
        seen = self.read(_PURCHASE, args) or {}
        named = ("order_no", "customer", "paid", "refunded", "desk_covers_it")
        return {name: seen.get(name) for name in named}

    def preview(self, args: Any) -> Change:
        seen = self.read(_PURCHASE, args) or {}
        before = {name: seen.get(name) for name in ("customer", "goods", "paid", "refunded")}
        return Change(
            before={**before, "desk_balance": seen.get("desk_balance")},
            after={
                **before,
                "refunded": _plus(args.refunded_so_far, args.amount),
                "desk_balance": _plus(seen.get("desk_balance"), f"-{args.amount}"),
            },
        )

    def expected(self, args: Any) -> Facts:
        return {"refunded": _plus(args.refunded_so_far, args.amount)}


_BALANCE = "SELECT balance FROM account WHERE number = 'desk'"


class DeskTransfer(SqlUpdate):
    """Money between the desk and the bank; not an action of its own.

    It is known again by its own line in the ledger: the balance moves on, the line does not.
    """

    call_seconds = 3.0
    verify_seconds = 30.0
    database = "ledger"
    verification = "The transfer's own line is read again in the ledger, with its amount."
    reread = "SELECT amount FROM transfer WHERE id = %(resource_id)s::bigint"

    def target(self, args: Any) -> str:
        return "ledger, account desk"

    def operative_value(self, args: Any) -> str:
        return str(args.amount)

    def balance(self, args: Any) -> str | None:
        seen = self.read(_BALANCE, args)
        return seen["balance"] if seen else None


@register
class BringBack(DeskTransfer):
    """Bring to the desk what was taken to the bank."""

    name = "ledger.bring_back"
    title = "Bring money back from the bank"
    risk = "medium"
    rollback = no_rollback("It is itself a counter-action; it is not rolled back in turn.")
    update = """
        WITH desk AS (
            UPDATE account SET balance = balance + %(amount)s::numeric WHERE number = 'desk'
            RETURNING balance)
        INSERT INTO transfer (amount, note)
        SELECT %(amount)s::numeric, 'brought back from the bank' FROM desk
        RETURNING id::text AS resource_id, amount
    """

    class Arguments(ActionArguments):
        amount: Sum

    def describe(self, args: Any) -> str:
        return f"Bring {args.amount} back to the desk"

    def precondition(self, args: Any) -> Facts:
        """It can always be brought back."""
        return {}

    def expected(self, args: Any) -> Facts:
        return {"amount": args.amount}


@register
class BankSurplus(DeskTransfer):
    """Take what the desk does not need to the bank; right only for the balance that was counted."""

    name = "ledger.bank_surplus"
    title = "Take the desk's surplus to the bank"
    risk = "medium"
    rollback = compensating(
        BringBack,
        lambda args, transfer, answer: {"amount": args.amount},
        summary="The same amount is brought back; both transfers stay in the ledger.",
    )
    not_rehearsable = "It knows the desk's own account alone: there is none to try it on."
    update = """
        WITH desk AS (
            UPDATE account SET balance = balance - %(amount)s::numeric WHERE number = 'desk'
            RETURNING balance)
        INSERT INTO transfer (amount, note)
        SELECT -%(amount)s::numeric, 'taken to the bank' FROM desk
        RETURNING id::text AS resource_id, amount
    """

    class Arguments(ActionArguments):
        amount: Sum

    def describe(self, args: Any) -> str:
        return f"Take {args.amount} from the desk to the bank"

    def precondition(self, args: Any) -> Facts:
        """The desk holds exactly what it held when the surplus was counted."""
        return {"balance": self.balance(args)}

    def preview(self, args: Any) -> Change:
        held = self.balance(args)
        after = _plus(held, f"-{args.amount}")
        return Change(before={"desk_balance": held}, after={"desk_balance": after})

    def expected(self, args: Any) -> Facts:
        return {"amount": f"-{args.amount}"}


def _plus(amount: str | None, other: str) -> str | None:
    """Sum of two decimal texts, exact."""
    return None if amount is None else str(Decimal(amount) + Decimal(other))
