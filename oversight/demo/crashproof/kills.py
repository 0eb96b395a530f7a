"""A worker is killed at one point of one of three effects, or of their rollback.

Another one finishes.
"""

import time
import uuid
from functools import partial

from engine.models import Run
from oversight.demo.scenarios.result import Result, Scenario
from oversight.demo.scenarios.stage import Stage
from oversight.embedded.hold import Hold, hold

from .claim import EFFECTS, ended, filed
from .judgement import judged
from .kill import FORWARD, KILLS, Crash, Kill
from .violations import Watch

QUICK = ("intended", "executed")
"""The points on both sides of the call."""


def chosen(words: str, *, quick: bool) -> list[Kill]:
    """Those whose name has all of these words; `quick` leaves only the points around the call."""
    wanted = set(words.split())
    named = [kill for kill in KILLS if wanted <= {kill.name, kill.way, kill.point, str(kill.nth)}]
    return [kill for kill in named if not quick or kill.point in QUICK]


def scenario(kill: Kill, watch: Watch) -> Scenario:
    play = _forward if kill.way == FORWARD else _back
    return Scenario(
        name=kill.name,
        shows=f"SIGKILL where number {kill.nth} is {kill.point}; another worker finishes.",
        play=partial(play, watch, kill),
    )


def _forward(watch: Watch, kill: Kill, stage: Stage) -> Result:
    with hold(kill.point, stage.folder, nth=kill.nth) as held:
        stage.held_worker(held, concurrency=1)
        claim = filed(stage.world)
        for number in range(1, kill.nth + 1):
            claim.approve(number)
        crash = _killed(stage, held, kill, claim.run_id)
    _ = stage.worker
    for number in range(kill.nth + 1, EFFECTS + 1):
        claim.approve(number)
    return judged(stage, watch, claim, crash)


def _back(watch: Watch, kill: Kill, stage: Stage) -> Result:
    """All three are done and the run has ended: another run takes them back."""
    _ = stage.worker
    claim = filed(stage.world)
    for number in range(1, EFFECTS + 1):
        claim.approve(number)
    ended(claim.run_id)
    with hold(kill.point, stage.folder, nth=kill.nth) as held:
        stage.held_worker(held, concurrency=1)
        crash = _killed(stage, held, kill, claim.roll_back())
    _ = stage.worker
    return judged(stage, watch, claim, crash)


def _killed(stage: Stage, held: Hold, kill: Kill, run_id: uuid.UUID) -> Crash:
    """Wait until the run's worker stands at the point, and SIGKILL all of it."""
    [pid] = held.pids()
    seq = Run.objects.get(pk=run_id).last_seq
    stage.kill_worker()
    return Crash(kill=kill, run_id=run_id, pid=pid, seq=seq, at=time.monotonic())
