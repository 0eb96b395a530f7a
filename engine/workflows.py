"""Workflows: static graphs of named nodes, written by an integrator, checked at start-up.

Put them into `placet_workflows.py` of an installed app. A node is a function that returns what
should happen next (`go`, `propose`, `finish`, the waits of `engine.waits`, `branch` of
`engine.branches`); it never touches the outside itself. Whatever is not deterministic in it goes
through `ctx.record(name, function)`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from . import pins
from .branches import Branch
from .errors import BadInput, Incompatible
from .pins import Carry, CarryOver
from .types import Facts
from .waits import Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Go:
    """Move to another node."""

    node: str
    changes: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Propose:
    """Ask that one effect be allowed; go on at `then` when it is committed.

    `otherwise` is where the run goes when it was rejected, expired, withdrawn or refused by the
    target; without it the run ends there. `rollback_reason` says why to act although it cannot be
    taken back; an action without a rollback plan needs it.
    """

    action: str
    arguments: Facts
    why: str
    then: str
    otherwise: str | None = None
    evidence: tuple[Any, ...] = ()
    rollback_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The run is completed."""

    changes: Facts = field(default_factory=dict)


Next = Go | Propose | Wait | Branch | Finish


def go(node: str, **changes: Any) -> Go:
    return Go(node=node, changes=changes)


def propose(
    action: str,
    arguments: Facts,
    *,
    why: str,
    then: str,
    otherwise: str | None = None,
    evidence: Iterable[Any] = (),
    rollback_reason: str | None = None,
) -> Propose:
    return Propose(
        action=action,
        arguments=arguments,
        why=why,
        then=then,
        otherwise=otherwise,
        evidence=tuple(evidence),
        rollback_reason=rollback_reason,
    )


def finish(**changes: Any) -> Finish:
    return Finish(changes=changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a node sees: the run's state, the latest committed effect, and `record`."""

    run_id: str
    state: Facts
    latest_effect: Facts | None
    event: Facts | None
    """The event that ended the wait before this node: `name`, `key`, `external_id`, `payload`,
    `received_at`. None in every node that no event led to."""
    branches: Facts | None
    """What the run had branched into before this node: by name, `run_id`, `status`, `reason_code`
    and the `state` it ended with. None in every node that no branches led to."""
    record: Callable[[str, Callable[[], Any]], Any]
    """`record(name, function)`: run `function` once, store its JSON value, read it back when the
    node runs again. It may run twice if a crash falls in between; it must not act outside."""
    switch_plan: Callable[[str, Any], None]
    """`switch_plan(name, plan)`: from here on the run follows another plan (a JSON value, kept in
    the state as `plan`). Saved as a checkpoint; doing it again in the same visit does nothing."""

    spend: Callable[..., None]
    """`spend(name, tokens=…, money="…")`: what the node has used of the run's budget, told once
    for each name however often the node runs."""


NodeFunction = Callable[[Context], Next]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    name: str
    function: NodeFunction
    to: tuple[str, ...]
    ends: bool
    tries: int | None = None


class Workflow:
    """A named, versioned graph. `start` names the first node, `searchable` the fields of the
    state (name → "text" or "number") by which runs and checkpoints can be found, `stands_on` what
    else its runs are pinned to: versions of models and prompts ({"model:triage": "m-2026-05"})."""

    def __init__(
        self,
        name: str,
        *,
        version: int = 1,
        start: str,
        title: str = "",
        searchable: Mapping[str, str] | None = None,
        stands_on: Mapping[str, str] | None = None,
    ) -> None:
        self.name, self.version, self.start = name, version, start
        self.title = title or name
        self.searchable = dict(searchable or {})
        if set(self.searchable.values()) - {"text", "number"}:
            raise ImproperlyConfigured(f"{self.label()}: searchable is `text` or `number`.")
        self.stands_on = dict(stands_on or {})
        if problem := pins.problem_with(self.stands_on):
            raise ImproperlyConfigured(f"{self.label()}: {problem}")
        self.carry_overs: dict[int, CarryOver] = {}
        self.replaced: set[tuple[str, str | None]] = set()
        self.nodes: dict[str, Node] = {}
        self.open_ended = False
        self.internal = False
        _register(self)

    def node(
        self, *, to: Iterable[str] = (), ends: bool = False, tries: int | None = None
    ) -> Callable[[NodeFunction], NodeFunction]:
        """Add a node; `to` names every node it may go to, `ends` that it may finish the run.

        `tries` is how often it may fail in a row, later each time, before a person is asked; the
        installation's number if left out.
        """

        def add(function: NodeFunction) -> NodeFunction:
            name = function.__name__
            if name in self.nodes:
                raise ImproperlyConfigured(f"{self.label()}: the node {name!r} is defined twice.")
            if tries is not None and tries < 1:
                raise ImproperlyConfigured(f"{self.label()}: {name!r} is tried once at least.")
            self.nodes[name] = Node(
                name=name, function=function, to=tuple(to), ends=ends, tries=tries
            )
            return function

        return add

    def carries_over(self, *, from_version: int, to: Iterable[str]) -> Callable[[Carry], Carry]:
        """Register what takes runs of a version that this code no longer has along to this one.

        The function is given the node where such a run stands and its state, and gives the node,
        one of `to`, and the whole state with which it goes on. It is pure.
        """

        def add(function: Carry) -> Carry:
            if from_version in self.carry_overs:
                raise ImproperlyConfigured(
                    f"{self.label()}: version {from_version} is carried over twice."
                )
            self.carry_overs[from_version] = CarryOver(
                from_version=from_version, to=tuple(to), function=function
            )
            return function

        return add

    def replaces(self, what: str, was: str | None) -> None:
        """Runs that stand on this version of `what` may go on with the one that is named here now.

        `was` is None for what they did not stand on at all.
        """
        if (what, was) in self.replaced:
            raise ImproperlyConfigured(f"{self.label()}: {what} {was} is replaced twice.")
        self.replaced.add((what, was))

    def label(self) -> str:
        return f"Workflow {self.name!r} version {self.version}"

    def check(self) -> None:
        """Raise ImproperlyConfigured for a graph that cannot be walked."""
        self._check_carry_overs()
        if self.open_ended:
            return
        self._check_targets()
        unreachable = sorted(set(self.nodes) - self._reachable())
        if unreachable:
            raise ImproperlyConfigured(
                f"{self.label()}: nothing leads to {', '.join(unreachable)}; add it to the `to` of "
                "another node, or take it out."
            )
        self._check_ends()

    def _check_carry_overs(self) -> None:
        """Each leads from a version that is older and gone to nodes that there are."""
        for carried in self.carry_overs.values():
            self._check_older_and_gone(carried.from_version)
            strangers = sorted(set(carried.to) - set(self.nodes))
            if strangers or not carried.to:
                raise ImproperlyConfigured(
                    f"{self.label()}: the carry-over from version {carried.from_version} leads to "
                    f"{', '.join(strangers) or 'nothing'}, which is not a node."
                )
        for what, was in self.replaced:
            if was == self.stands_on.get(what):
                raise ImproperlyConfigured(
                    f"{self.label()}: {what} {was} is replaced by what it is already."
                )

    def _check_older_and_gone(self, version: int) -> None:
        if not 1 <= version < self.version:
            raise ImproperlyConfigured(
                f"{self.label()}: there is no older version {version} to carry over."
            )
        if (self.name, version) in _registry:
            raise ImproperlyConfigured(
                f"{self.label()}: version {version} is still here, and its runs go on under it: "
                "take that out, or the carry-over."
            )

    def _check_ends(self) -> None:
        """From every node some end can be reached."""
        ending = {node.name for node in self.nodes.values() if node.ends}
        while True:
            more = {n.name for n in self.nodes.values() if set(n.to) & ending} - ending
            if not more:
                break
            ending |= more
        endless = sorted(set(self.nodes) - ending)
        if endless:
            raise ImproperlyConfigured(
                f"{self.label()}: from {', '.join(endless)} no end can be reached."
            )

    def _check_targets(self) -> None:
        wanted = {self.start: "start", **{t: n.name for n in self.nodes.values() for t in n.to}}
        for target, source in wanted.items():
            if target not in self.nodes:
                raise ImproperlyConfigured(
                    f"{self.label()}: {source!r} leads to {target!r}, which is not a node."
                )
        dead_ends = [node.name for node in self.nodes.values() if not node.to and not node.ends]
        if dead_ends:
            raise ImproperlyConfigured(
                f"{self.label()}: {', '.join(dead_ends)} leads nowhere; add `to` or `ends=True`."
            )

    def _reachable(self) -> set[str]:
        carried = [node for one in self.carry_overs.values() for node in one.to]
        seen, ahead = set(), [self.start, *carried]
        while ahead:
            name = ahead.pop()
            if name not in seen:
                seen.add(name)
                ahead.extend(self.nodes[name].to)
        return seen


_registry: dict[tuple[str, int], Workflow] = {}


def _register(workflow: Workflow) -> None:
    key = (workflow.name, workflow.version)
    if key in _registry:
        raise ImproperlyConfigured(f"{workflow.label()} is defined twice.")
    _registry[key] = workflow


def check_all() -> None:
    for workflow in _registry.values():
        workflow.check()


def get(name: str, version: int | None = None) -> Workflow:
    """The workflow of that name, in that version or the newest. Raises BadInput, Incompatible."""
    versions = [found for found in _registry if found[0] == name]
    if not versions and version is None:
        raise BadInput(f"There is no workflow {name!r}.", path="$.workflow")
    if version is not None and (name, version) not in _registry:
        raise Incompatible(f"This code has no version {version} of the workflow {name!r}.")
    return _registry[(name, version) if version is not None else max(versions)]


def find(name: str, version: int) -> Workflow | None:
    """The workflow of that name and version; None when this code has none."""
    return _registry.get((name, version))


def versions_of(name: str) -> list[Workflow]:
    """Every version of that workflow in this code, the oldest first."""
    return [_registry[key] for key in sorted(_registry) if key[0] == name]


def registered() -> Mapping[tuple[str, int], Workflow]:
    return dict(sorted(_registry.items()))


AGENT = Workflow("agent", start="open", title="Driven by an agent")
"""Open-ended: an agent proposes one effect after another over the API, then finishes the run."""
AGENT.open_ended = True


ROLLBACK = Workflow("rollback", start="roll_back", title="Rolls back an ended run")
"""The run that takes back what an ended run did. Its node is only visited when an operator lets
it go on although something stands that only a person can take back."""
ROLLBACK.internal = True


@ROLLBACK.node(ends=True)
def roll_back(ctx: Context) -> Next:
    return finish()
