"""Refunds as graphs: look at the claim, ask for the refund, close the case. One waits for the goods
to come back first, and one refunds many customers side by side."""

from datetime import timedelta
from decimal import Decimal

from engine.branches import branch, leg
from engine.waits import wait_for
from engine.workflows import Context, Next, Workflow, finish, go, propose

refund = Workflow(
    "refund",
    start="assess",
    title="Refund a customer",
    searchable={"order": "text", "customer": "text", "amount": "number"},
)


@refund.node(to=["pay", "closed"])
def assess(ctx: Context) -> Next:
    """A claim that asks for nothing is closed at once."""
    if Decimal(ctx.state["amount"]) <= 0:
        return go("closed", closed_because="nothing to refund")
    return go("pay")


@refund.node(to=["closed"])
def pay(ctx: Context) -> Next:
    wanted = ("order", "customer", "amount")
    return propose(
        "ledger.refund",
        {name: ctx.state[name] for name in wanted},
        why=ctx.state.get("claim", "The customer asked for the money back."),
        evidence=ctx.state.get("evidence", ()),
        then="closed",
        otherwise="closed",
    )


@refund.node(ends=True)
def closed(ctx: Context) -> Next:
    return finish(refunded=ctx.latest_effect is not None)


refund_on_return = Workflow(
    "refund_on_return",
    start="await_goods",
    title="Refund a customer once the goods are back",
    searchable={"order": "text", "customer": "text", "amount": "number"},
)


@refund_on_return.node(to=["pay_back", "kept_goods"])
def await_goods(ctx: Context) -> Next:
    """The warehouse tells of every parcel that comes back; a customer has four weeks for it."""
    return wait_for(
        "goods_returned",
        key=ctx.state["order"],
        then="pay_back",
        expires=timedelta(weeks=4),
        otherwise="kept_goods",
    )


@refund_on_return.node(to=["kept_goods", "paid_back"])
def pay_back(ctx: Context) -> Next:
    """What the warehouse saw is shown to whoever decides."""
    return propose(
        "ledger.refund",
        {name: ctx.state[name] for name in ("order", "customer", "amount")},
        why="The goods have come back.",
        evidence=[ctx.event and ctx.event["payload"]],
        then="paid_back",
        otherwise="kept_goods",
    )


@refund_on_return.node(ends=True)
def paid_back(ctx: Context) -> Next:
    return finish(refunded=True)


@refund_on_return.node(ends=True)
def kept_goods(ctx: Context) -> Next:
    """They did not come back in time, or nobody would pay for them."""
    return finish(refunded=False)


recall = Workflow("recall", start="refund_all", title="Refund all who bought a recalled article")


@recall.node(to=["told"])
def refund_all(ctx: Context) -> Next:
    """Each customer's refund is a run of its own, and decided by itself."""
    return branch(
        {claim["order"]: leg("refund", claim) for claim in ctx.state["claims"]},
        then="told",
        expires=timedelta(weeks=4),
        otherwise="told",
    )


@recall.node(ends=True)
def told(ctx: Context) -> Next:
    branches = ctx.branches or {}
    return finish(
        refunded=[order for order, one in branches.items() if one["state"].get("refunded")]
    )
