"""A target in memory: it counts what is really done, and does what a test tells it to.

It makes things and takes them away; it knows the keys it has honoured until it forgets them.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

from engine import actions, api
from engine.actions import Action, ActionArguments, Refused, in_band
from engine.types import Answer, Change, Facts, Finding, Verified
from tests.cast import AGENT
from tests.faults.outages import Died
from tests.world import Desk

Behaviour = Callable[[Callable[[], object]], object]


def well(do: Callable[[], object]) -> object:
    return do()


def lost(do: Callable[[], object]) -> object:
    """It is done, and the answer never arrives."""
    do()
    raise ConnectionResetError("the answer was lost")


def never_arrives(do: Callable[[], object]) -> object:
    raise ConnectionResetError("nothing arrived, and the caller cannot know that")


def dies_after(do: Callable[[], object]) -> object:
    """It is done, and then the worker that asked for it is gone."""
    do()
    raise Died


def dies_before(do: Callable[[], object]) -> object:
    raise Died


def refuses(do: Callable[[], object]) -> object:
    raise Refused("not now")


class Target:
    """`things` are there; `made` and `taken` tell every change in its order; `calls` count."""

    def __init__(self) -> None:
        self.things: dict[str, str] = {}
        self.made: list[str] = []
        self.taken: list[str] = []
        self.calls = 0
        self.keys: dict[str, str] = {}
        self.asked = 0
        self.behaves: deque[Behaviour] = deque()
        self.shows: deque[Any] = deque()
        self.answers: Any = {"done": True}

    def act(self, key: str, name: str, do: Callable[[], object]) -> Answer:
        self.calls += 1
        behaves = self.behaves.popleft() if self.behaves else well
        behaves(lambda: self._once(key, name, do))
        return Answer(resource_id=name, result=self.answers)

    def _once(self, key: str, name: str, do: Callable[[], object]) -> None:
        if key not in self.keys:
            do()
            self.keys[key] = name

    def make(self, name: str, size: str) -> None:
        self.made.append(name)
        self.things[name] = size

    def take(self, name: str) -> None:
        self.taken.append(name)
        del self.things[name]

    def look(self, name: str) -> Any:
        """What a reader is shown: the truth, or what the test has put before it."""
        shown = self.shows.popleft() if self.shows else self.things.get(name)
        if isinstance(shown, Exception):
            raise shown
        return shown


target = Target()


class Take(Action):
    """Take a thing away again."""

    name = "thing.take"
    title = "Take a thing away"
    risk = "low"
    target_class = "idempotent"
    dedupe_window = 24 * 3600.0
    rollback = actions.out_of_band("Make it anew.")

    class Arguments(ActionArguments):
        thing: str

    def target(self, args: Any) -> str:
        return f"the shelf, {args.thing}"

    def precondition(self, args: Any) -> Facts:
        return {"is there": args.thing in target.things}

    def execute(self, args: Any, *, key: str, fencing_token: int) -> Answer:
        return target.act(key, args.thing, lambda: target.take(args.thing))

    def reconcile(self, args: Any, *, key: str) -> Finding:
        return found(key)

    def verify(self, args: Any, *, resource_id: str | None) -> Verified:
        gone = args.thing not in target.things
        return Verified(verification="passed" if gone else "mismatch", observed={"is there": gone})


class Make(Action):
    """Make a thing of some size."""

    name = "thing.make"
    title = "Make a thing"
    risk = "low"
    target_class = "idempotent"
    dedupe_window = 24 * 3600.0
    rollback = in_band(Take, lambda args, *_: {"thing": args.thing}, summary="It is taken away.")

    class Arguments(ActionArguments):
        thing: str
        size: str = "large"

    def describe(self, args: Any) -> str:
        return f"Make {args.thing}"

    def target(self, args: Any) -> str:
        return f"the shelf, {args.thing}"

    def precondition(self, args: Any) -> Facts:
        return {}

    def preview(self, args: Any) -> Change:
        return Change(before={"is there": False}, after={"is there": True})

    def execute(self, args: Any, *, key: str, fencing_token: int) -> Answer:
        return target.act(key, args.thing, lambda: target.make(args.thing, args.size))

    def reconcile(self, args: Any, *, key: str) -> Finding:
        return found(key)

    def verify(self, args: Any, *, resource_id: str | None) -> Verified:
        wanted, seen = {"size": args.size}, target.look(args.thing)
        if seen is None:
            return Verified(verification="not_yet", expected=wanted, observed={"size": None})
        passed = "passed" if seen == args.size else "mismatch"
        return Verified(verification=passed, expected=wanted, observed={"size": seen})


def found(key: str) -> Finding:
    target.asked += 1
    if key in target.keys:
        return Finding(kind="found", resource_id=target.keys[key], result=target.answers)
    return Finding(kind="absent")


def known(monkeypatch: Any) -> Target:
    """The two actions, known for one test, and an empty shelf."""
    monkeypatch.setattr(actions, "_registry", dict(actions._registry))
    for action in (Take, Make):
        actions.register(action)
    target.__init__()  # type: ignore[misc]
    return target


def asked_for(desk: Desk, thing: str, run_id: Any = None, **more: Any) -> Any:
    """A run whose agent asked for this thing; a worker has opened the proposal."""
    run_id = run_id or desk.start_run()
    api.request_effect(
        run_id,
        agent=AGENT,
        action="thing.make",
        arguments={"thing": thing, **more},
        why="It is wanted.",
    )
    desk.work(run_id)
    return run_id


def approved(desk: Desk, thing: str, run_id: Any = None, **more: Any) -> Any:
    """The same, approved by Rosa; nobody has taken it up."""
    run_id = asked_for(desk, thing, run_id, **more)
    desk.approve(desk.proposal(run_id))
    return run_id
