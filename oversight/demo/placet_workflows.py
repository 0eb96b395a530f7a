"""A refund as a graph: look at the claim, ask for the refund, close the case."""

from decimal import Decimal

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
