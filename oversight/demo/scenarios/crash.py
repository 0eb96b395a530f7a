"""A worker is killed in the middle of a refund, and another one takes over."""

from oversight.embedded.guardian import is_alive
from oversight.embedded.hold import hold

from .case import AMOUNT, Case, started
from .result import Result
from .stage import Stage


def crash_between_execution_and_record(stage: Stage) -> Result:
    """The refund has happened; the worker dies before it could write that down."""
    purchase = stage.world.new_order()
    case, pids = _killed(stage, "executed", started(purchase))
    stage.say(f"the ledger shows {stage.world.movements(purchase.order)} movement; a new worker")
    successor = stage.worker.pid
    case.reached("completed")
    standing = stage.world.standing(purchase.order)
    return Result(
        name="crash_between_execution_and_record",
        outcome="committed" if case.effect().committed_at else case.effect().status,
        target_effects=stage.world.movements(purchase.order),
        expected=1,
        run_id=case.run_id,
        pids={**pids, "successor": case.last_worker(), "successor_worker": successor},
        checks={
            "the killed process is gone": not is_alive(pids["killed"]),
            "the successor asked the target first": _findings(case) == ["found"],
            "sent once": case.effect().attempt == 1,
            "the effect is committed": case.effect().committed_at is not None,
            "the order shows the refund once": standing.refunded == AMOUNT,
            "the desk paid it once": standing.desk == "2380.00",
            "the log verifies": case.log_verifies(),
        },
    )


def balance_falls_before_sending(stage: Stage) -> Result:
    """Killed with the intent written down and nothing sent; meanwhile the desk is emptied."""
    purchase = stage.world.new_order()
    case, pids = _killed(stage, "intended", started(purchase))
    stage.world.set_desk("10.00")
    stage.say("nothing was sent; the desk fell to 10.00; a new worker")
    _ = stage.worker
    case.opened(version=2)
    return Result(
        name="balance_falls_between_crash_and_resume:intended",
        outcome=case.proposal(1).status,
        target_effects=stage.world.movements(purchase.order),
        expected=0,
        run_id=case.run_id,
        pids={**pids, "successor": case.last_worker()},
        checks={
            "the log says: not found at the target": _findings(case) == ["absent"],
            "the approval lapsed": case.proposal(1).status == "lapsed",
            "the log says what changed": _covered(case) == [(True, False)],
            "a new version is open": case.proposal(2).status == "open",
            "the desk paid nothing": stage.world.standing(purchase.order).desk == "10.00",
            "the log verifies": case.log_verifies(),
        },
    )


def balance_falls_after_sending(stage: Stage) -> Result:
    """Killed after the refund happened; the desk is emptied before anybody could write it down."""
    purchase = stage.world.new_order()
    case, pids = _killed(stage, "executed", started(purchase))
    stage.world.set_desk("10.00")
    stage.say("the refund was sent; the desk fell to 10.00; a new worker")
    _ = stage.worker
    case.reached("completed")
    return Result(
        name="balance_falls_between_crash_and_resume:executed",
        outcome="committed" if case.effect().committed_at else case.effect().status,
        target_effects=stage.world.movements(purchase.order),
        expected=1,
        run_id=case.run_id,
        pids={**pids, "successor": case.last_worker()},
        checks={
            "the log says: found at the target": _findings(case) == ["found"],
            "no approval lapsed": case.facts("approval_lapsed") == [],
            "the effect is committed": case.effect().committed_at is not None,
            "the desk paid no second time": stage.world.standing(purchase.order).desk == "10.00",
            "the log verifies": case.log_verifies(),
        },
    )


def _killed(stage: Stage, point: str, case: Case) -> tuple[Case, dict[str, int]]:
    """Have the case approved, and its worker killed as soon as it stands at `point`."""
    with hold(point, stage.folder) as held:
        worker = stage.held_worker(held)
        case.approved()
        [pid] = held.pids()
        stage.say(
            f"process {pid} stands at {point!r}; SIGKILL to it and all of worker {worker.pid}"
        )
        stage.kill_worker()
    return case, {"killed": pid, "killed_worker": worker.pid}


def _findings(case: Case) -> list[str]:
    """What every successor found when it asked the target by key."""
    return [facts["finding"] for facts in case.facts("effect_reconciled")]


def _covered(case: Case) -> list[tuple[bool, bool]]:
    return [
        (facts["before"]["desk_covers_it"], facts["after"]["desk_covers_it"])
        for facts in case.facts("approval_lapsed")
    ]
