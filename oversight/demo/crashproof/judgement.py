"""What must be so after a kill: in the world, in the log, in the tables."""

import time
import uuid
from collections.abc import Sequence

from engine import auditing
from engine.models import Effect
from oversight.demo.scenarios.result import Result
from oversight.demo.scenarios.stage import Stage
from oversight.embedded.guardian import is_alive

from . import layers, projections
from .claim import EFFECTS, Claim, ended
from .kill import BACK, Crash
from .violations import Watch


def judged(stage: Stage, watch: Watch, claim: Claim, crash: Crash) -> Result:
    """Wait for the run's end, and look at everything that is left of it."""
    run, back = ended(crash.run_id), crash.kill.way == BACK
    seconds = time.monotonic() - crash.at
    log = layers.told(crash.run_id)
    layer, successor = layers.held(log, crash.seq), _last_owner(log)
    return Result(
        name=crash.kill.name,
        outcome=layer,
        target_effects=sum(stage.world.movements(order) for order in _orders(claim)),
        expected=EFFECTS * (2 if back else 1),
        run_id=crash.run_id,
        pids={"killed": crash.pid, "successor": successor},
        seconds=round(seconds, 1),
        checks={
            "the killed process is gone": not is_alive(crash.pid),
            "another process finished": successor != crash.pid,
            "the run has ended": run.status == ("rolled_back" if back else "completed"),
            "this layer held": layer == layers.EXPECTED[crash.kill.point],
            **_in_the_world(stage, claim, crash),
            **_in_the_log(crash, log),
            "no unique violation was logged": watch.new() == 0,
        },
    )


def _last_owner(log: Sequence[layers.Fact]) -> int:
    """The process that held the run last."""
    claims = [fact for fact in log if fact.kind == "run_claimed"]
    return int(claims[-1].said["owner"].rpartition(":")[2])


def _orders(claim: Claim) -> set[str]:
    return {refund.order for refund in claim.wanted}


def _in_the_world(stage: Stage, claim: Claim, crash: Crash) -> dict[str, bool]:
    signs = ("", "-") if crash.kill.way == BACK else ("",)
    moved = [
        stage.world.moved(refund.order, f"{sign}{refund.amount}")
        for refund in claim.wanted
        for sign in signs
    ]
    keys = _keys(crash.run_id)
    return {
        "every effect happened exactly once": moved == [1] * EFFECTS * len(signs),
        "the ledger has honoured each key": stage.world.honoured(keys) == len(keys) == EFFECTS,
    }


def _keys(run_id: uuid.UUID) -> list[str]:
    effects = Effect.objects.filter(run_id=run_id)
    return sorted(set(effects.values_list("idempotency_key", flat=True)))


def _in_the_log(crash: Crash, log: Sequence[layers.Fact]) -> dict[str, bool]:
    again = {effect: count for effect, count in layers.sent(log).items() if count > 1}
    not_found = crash.kill.point == "intended"
    allowed = {layers.interrupted(log, crash.seq): 2} if not_found else {}
    return {
        "sent again only after its key was not found": again == allowed,
        "the log verifies": auditing.run_once(crash.run_id).intact,
        "tables and checkpoints equal the folded log": not projections.faults(crash.run_id, log),
    }
