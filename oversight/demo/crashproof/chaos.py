"""Many runs on their way while workers are killed, PostgreSQL crashes and the broker forgets.

Every message that is sent from here is sent three times.
"""

import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.db import connections
from kombu import Connection

from engine import auditing, hints, tasks
from oversight.demo.scenarios.result import Result
from oversight.demo.scenarios.stage import Stage
from oversight.embedded import Child

from . import layers, projections
from .crowd import Crowd
from .violations import Watch

WORKERS = 3
KILL_SECONDS = 2.0
CRASH_SECONDS = (5.0, 20.0)
TIMES = 3
_LOOK_SECONDS = 0.2
_TELL_SECONDS = 10.0


class Blows:
    """What strikes, and when next; `done` counts what has struck."""

    def __init__(self, stage: Stage, chance: random.Random) -> None:
        self._stage, self._chance = stage, chance
        self.done: Counter[str] = Counter()
        self._workers = [stage.another_worker() for _ in range(WORKERS)]
        self._seen_up: set[int] = set()
        self._kill_at = time.monotonic() + KILL_SECONDS
        self._crash_at = time.monotonic() + chance.uniform(*CRASH_SECONDS)

    def strike(self, *, halfway: bool) -> None:
        """Whatever is due."""
        if halfway and not self.done["broker emptied"]:
            self._empty_the_broker()
        up = self._up()
        if up and time.monotonic() >= self._kill_at:
            self._kill(self._chance.choice(up))
        if time.monotonic() >= self._crash_at:
            self._crash()

    def end(self) -> None:
        for worker in self._workers:
            worker.kill()

    def _up(self) -> list[Child]:
        """Workers that take messages: to kill one that only starts would be easy."""
        said = (one for one in self._workers if any("ready." in line for line in one.tail(2000)))
        self._seen_up.update(worker.pid for worker in said)
        return [worker for worker in self._workers if worker.pid in self._seen_up]

    def _kill(self, worker: Child) -> None:
        worker.kill()
        self._workers[self._workers.index(worker)] = self._stage.another_worker()
        self.done["workers killed"] += 1
        self._kill_at = time.monotonic() + KILL_SECONDS

    def _crash(self) -> None:
        self._stage.servers.postgres.stop(immediate=True)
        self._stage.servers.postgres.start()
        self.done["database crashes"] += 1
        self._crash_at = time.monotonic() + self._chance.uniform(*CRASH_SECONDS)

    def _empty_the_broker(self) -> None:
        with Connection(self._stage.servers.broker_url) as broker:
            broker.default_channel.client.flushall()
        self.done["broker emptied"] += 1


def play(watch: Watch, count: int, stage: Stage) -> Result:
    """Bring `count` runs home. Gives up when they take longer than a second each, and minutes."""
    began = time.monotonic()
    with _said_three_times():
        crowd = Crowd(stage.world, count)
        stage.say(f"{count} runs filed")
        blows = Blows(stage, random.Random(count))  # noqa: S311 - repeatable
        with ExitStack() as stack:
            stack.callback(blows.end)
            stack.enter_context(_approving(crowd))
            _bring_home(stage, crowd, blows, count, patience=count + 300.0)
    return _judged(watch, crowd, blows, time.monotonic() - began)


@contextmanager
def _said_three_times() -> Iterator[None]:
    def send(run_id: uuid.UUID) -> None:
        for _ in range(TIMES):
            tasks.send(run_id)

    hints.deliver_through(send)
    try:
        yield
    finally:
        hints.deliver_through(tasks.send)


@contextmanager
def _approving(crowd: Crowd) -> Iterator[None]:
    """Rosa goes on approving, whatever happens around her."""
    enough = threading.Event()
    rosa = threading.Thread(target=crowd.approve_until, args=[enough])
    rosa.start()
    try:
        yield
    finally:
        enough.set()
        rosa.join()


def _bring_home(stage: Stage, crowd: Crowd, blows: Blows, count: int, *, patience: float) -> None:
    give_up = time.monotonic() + patience
    tell_at = time.monotonic()
    ended = 0
    while ended < count and time.monotonic() < give_up:
        ended = crowd.ended() or ended
        blows.strike(halfway=ended > count / 2)
        if time.monotonic() >= tell_at:
            stage.say(f"{ended} of {count} have ended; {_spoken(blows.done)}")
            tell_at = time.monotonic() + _TELL_SECONDS
        time.sleep(_LOOK_SECONDS)


def _spoken(counted: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counted.items()) or "nothing yet"


def _judged(watch: Watch, crowd: Crowd, blows: Blows, seconds: float) -> Result:
    connections.close_all()  # the database may have crashed since
    movements, stranded = crowd.movements(), crowd.stranded()
    lost, doubled = movements.count(0), sum(moved > 1 for moved in movements)
    return Result(
        name=f"chaos:{len(movements)}",
        outcome=f"{lost} lost, {doubled} doubled, {stranded.total()} stranded"
        f" ({_spoken(blows.done)})",
        target_effects=sum(movements),
        expected=len(movements),
        lost=lost,
        doubled=doubled,
        seconds=round(seconds, 1),
        checks={
            "nothing is lost": lost == 0,
            "nothing is doubled": doubled == 0,
            f"nobody is stranded {dict(stranded) or ''}".rstrip(): not stranded,
            "every log verifies": auditing.run_once().intact,
            "tables and checkpoints equal the folded logs": not [
                fault
                for run_id in crowd.orders
                for fault in projections.faults(run_id, layers.told(run_id))
            ],
            "no unique violation was logged": watch.new() == 0,
        },
    )
