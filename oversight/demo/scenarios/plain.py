"""Nobody dies here: a refund that goes well, a world that changed, a world that did otherwise."""

from .case import AMOUNT, asked, started
from .result import Result
from .stage import Stage


def clean_run(stage: Stage) -> Result:
    purchase = stage.world.new_order()
    worker = stage.worker
    case = asked(purchase).approved()
    stage.say(f"worker {worker.pid}: approved; waiting for the refund to be committed")
    case.reached("waiting_external")
    case.finished().reached("completed")
    standing = stage.world.standing(purchase.order)
    return Result(
        name="clean_run",
        outcome="committed" if case.effect().committed_at else case.effect().status,
        target_effects=stage.world.movements(purchase.order),
        expected=1,
        run_id=case.run_id,
        checks={
            "the effect is committed": case.effect().committed_at is not None,
            "the order shows the refund": standing.refunded == AMOUNT,
            "the desk paid it once": standing.desk == "2380.00",
            "the log verifies": case.log_verifies(),
        },
    )


def precondition_fails(stage: Stage) -> Result:
    """The desk is emptied between the approval and the moment a worker gets to it."""
    purchase = stage.world.new_order()
    _ = stage.worker
    case = started(purchase)
    case.opened()
    with stage.worker_at_rest():
        case.approved()
        stage.world.set_desk("10.00")
        stage.say("approved; then, before any worker ran, the desk fell to 10.00")
    case.opened(version=2)
    lapsed = case.facts("approval_lapsed")
    before, after = (lapsed[-1][side]["desk_covers_it"] for side in ("before", "after"))
    return Result(
        name="precondition_fails",
        outcome=case.proposal(1).status,
        target_effects=stage.world.movements(purchase.order),
        expected=0,
        run_id=case.run_id,
        checks={
            "the approval lapsed": case.proposal(1).status == "lapsed",
            "the log says what changed": (before, after) == (True, False),
            "a new version is open": case.proposal(2).status == "open",
            "the effect was never sent": case.effect().outcome == "not_sent",
            "the log verifies": case.log_verifies(),
        },
    )


def verification_fails(stage: Stage) -> Result:
    """The order's bank keeps a fee: what happened is not what was approved."""
    purchase = stage.world.new_order(fee="7.50")
    before = stage.world.standing(purchase.order)
    _ = stage.worker
    case = started(purchase).approved()
    stage.say("approved; the bank keeps 7.50 and says nothing")
    case.reached("rolled_back")
    return Result(
        name="verification_fails",
        outcome=case.run().status,
        target_effects=stage.world.movements(purchase.order),
        expected=2,
        run_id=case.run_id,
        checks={
            "there and back again": stage.world.standing(purchase.order) == before,
            "the refund is marked as taken back": case.effect().status == "compensated",
            "it was never committed": case.effect().committed_at is None,
            "an alert is open": case.open_alerts() == 1,
            "the log verifies": case.log_verifies(),
        },
    )
