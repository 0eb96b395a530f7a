"""The contract of an action: a kind of outside change, written by an integrator.

Put actions into `placet_actions.py` of an installed app and decorate them with `@register`.
Every default is the safe one: an action is `opaque` until it says what its target can do.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from django.core.exceptions import ImproperlyConfigured
from pydantic import StringConstraints, ValidationError

from . import concealing, states
from .canonical import frozen, packed
from .concealing import Secret as Secret
from .errors import BadInput, Incompatible, NotPermitted
from .strict import Strict, refusal
from .types import Answer, Change, Facts, Finding, Verified

Money = Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,12})\.[0-9]{2}$")]
"""An amount as decimal text with two places: it travels, is shown and is executed as typed."""


LONGEST_OPERATIVE_VALUE = 120
"""Characters that a reviewer can be asked to type."""


class ActionArguments(Strict):
    """Typed arguments: nothing coerced, nothing unknown let in, nothing changed afterwards."""


class Refused(Exception):
    """The target said no: surely nothing happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackPlan:
    """How an effect is taken back. Use one of the four makers below."""

    kind: str
    summary: str
    inverse: "type[Action] | None" = None
    arguments: "Callable[[Any, str | None, Any], Mapping[str, Any]] | None" = None

    def made_for(
        self, args: Any, resource_id: str | None, result: Any
    ) -> "tuple[Action, Mapping[str, Any]]":
        """The action that takes this effect back, and its arguments."""
        if self.inverse is None or self.arguments is None:
            raise NotPermitted(f"A rollback plan of the kind {self.kind!r} is a person's work.")
        return self.inverse(), self.arguments(args, resource_id, result)

    def shown(self) -> Facts:
        by = f"{self.inverse.name} v{self.inverse.version}" if self.inverse else None
        return {"kind": self.kind, "summary": self.summary, "by": by}


def in_band(
    inverse: "type[Action]",
    arguments: Callable[[Any, str | None, Any], Mapping[str, Any]],
    *,
    summary: str,
) -> RollbackPlan:
    """The inverse change restores what was. `arguments(args, resource_id, result)` → its own."""
    return RollbackPlan(kind="in_band", summary=summary, inverse=inverse, arguments=arguments)


def compensating(
    counter: "type[Action]",
    arguments: Callable[[Any, str | None, Any], Mapping[str, Any]],
    *,
    summary: str,
) -> RollbackPlan:
    """A counter-action makes it good; both stay visible at the target."""
    return RollbackPlan(kind="compensating", summary=summary, inverse=counter, arguments=arguments)


def out_of_band(instructions: str) -> RollbackPlan:
    """A person takes it back by hand, as written here."""
    return RollbackPlan(kind="out_of_band", summary=instructions)


def no_rollback(reason: str) -> RollbackPlan:
    """It cannot be taken back, and this is why; reviewers are told and must answer for it."""
    return RollbackPlan(kind="none", summary=reason)


class Action:
    """One kind of outside change. Subclass, fill in, `@register`.

    `call_seconds` bounds one call; `verify_seconds` is how long "not yet" may last.
    `target_class` says what may be sent again: `idempotent` targets de-duplicate on our key for
    `dedupe_window` seconds; `probe` targets can be asked; `opaque` ones neither.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    title: ClassVar[str]
    Arguments: ClassVar[type[ActionArguments]]
    risk: ClassVar[str] = "high"
    target_class: ClassVar[str] = "opaque"
    dedupe_window: ClassVar[float] = 0.0
    call_seconds: ClassVar[float] = 10.0
    verify_seconds: ClassVar[float] = 60.0
    verification: ClassVar[str] = "The target is read again."
    rollback: ClassVar[RollbackPlan]
    carries_over: ClassVar[Mapping[int, Callable[[Facts], Facts]]] = {}
    """An older version that this code no longer has → what makes of the arguments of a request for
    it, of which nothing was sent, those of this version. Pure."""
    not_rehearsable: ClassVar[str] = "It declares no target to rehearse on."

    @classmethod
    def rehearsal(cls) -> Facts | None:
        """Arguments for a target on which it may really be done and taken back, at any time.

        None where there is no such target; `not_rehearsable` says why.
        """
        return None

    def describe(self, args: Any) -> str:
        """One line: verb, object, magnitude."""
        return self.title

    def target(self, args: Any) -> str:
        """What is changed, in the words of the outside system."""
        raise NotImplementedError

    def operative_value(self, args: Any) -> str:
        """What a reviewer types to approve what is irreversible or of high risk: the amount, the
        recipient. One line of at most 120 characters, from the arguments alone."""
        return self.target(args)

    def precondition(self, args: Any) -> Facts:
        """What must still be so at execution: captured at proposal, compared before the act."""
        raise NotImplementedError

    def preview(self, args: Any) -> Change:
        """The target before and after, read from the world."""
        return Change(before={}, after={})

    def execute(self, args: Any, *, key: str, fencing_token: int) -> Answer:
        """Act once, with the key. Raise Refused when surely nothing happened; any other
        exception means that nobody knows."""
        raise NotImplementedError

    def fence(self, args: Any, *, key: str, fencing_token: int) -> None:
        """Make sure, at a target that can, that no call under an older token lands any more.

        Called before `reconcile`. It changes nothing that the action is about.
        """

    def reconcile(self, args: Any, *, key: str) -> Finding:
        """Ask the target by key whether it happened. Absent is only said when it is certain."""
        return Finding(kind="unclear")

    def verify(self, args: Any, *, resource_id: str | None) -> Verified:
        """Read the target again on a connection of its own and compare."""
        return Verified(verification="unverifiable")

    @classmethod
    def label(cls) -> str:
        return f"{cls.name} v{cls.version}"


_registry: dict[tuple[str, int], type[Action]] = {}


def register(action: type[Action]) -> type[Action]:
    """Make an action known; refused at start-up when it is incomplete or a duplicate."""
    _check(action)
    key = (action.name, action.version)
    if _registry.get(key, action) is not action:
        raise ImproperlyConfigured(f"Action {action.label()} is defined twice.")
    _registry[key] = action
    return action


def _check(action: type[Action]) -> None:
    for needed in ("name", "title", "Arguments", "rollback"):
        if not hasattr(action, needed):
            raise ImproperlyConfigured(f"Action {action.__name__} lacks `{needed}`.")
    if action.risk not in states.RISKS or action.target_class not in states.TARGET_CLASSES:
        raise ImproperlyConfigured(f"Action {action.label()}: unknown risk or target_class.")
    if not action.rollback.summary.strip():
        raise ImproperlyConfigured(
            f"Action {action.label()}: a rollback plan of the kind {action.rollback.kind!r} needs "
            "words: what it does, or why there is none."
        )
    if newer := [version for version in action.carries_over if not 1 <= version < action.version]:
        raise ImproperlyConfigured(
            f"Action {action.label()}: there is no older version {newer[0]} to carry over."
        )
    if action.target_class == "idempotent" and action.dedupe_window <= 0:
        raise ImproperlyConfigured(f"Action {action.label()}: idempotent needs `dedupe_window`.")


def check_all() -> None:
    """Raise ImproperlyConfigured for a carry-over from a version that this code still has."""
    for action in _registry.values():
        for version in action.carries_over:
            if (action.name, version) in _registry:
                raise ImproperlyConfigured(
                    f"Action {action.label()}: version {version} is still here, and requests for "
                    "it go on under it: take that out, or the carry-over."
                )


def versions_of(name: str) -> list[type[Action]]:
    """Every version of that action in this code, the oldest first."""
    return [_registry[key] for key in sorted(_registry) if key[0] == name]


def find(name: str, version: int) -> type[Action] | None:
    """The action of that name and version; None when this code has none."""
    return _registry.get((name, version))


def get(name: str, version: int | None = None) -> Action:
    """The action of that name, in that version or the newest. Raises BadInput, Incompatible."""
    versions = [found for found in _registry if found[0] == name]
    if not versions and version is None:
        raise BadInput(f"There is no action {name!r}.", path="$.action")
    if version is not None and (name, version) not in _registry:
        raise Incompatible(f"This code has no version {version} of the action {name!r}.")
    return _registry[(name, version) if version is not None else max(versions)]()


def registered() -> list[type[Action]]:
    return [_registry[key] for key in sorted(_registry)]


def freeze(action: Action, arguments: Facts) -> bytes:
    """Validate arguments and freeze them as RFC 8785 bytes. Raises BadInput with the path.

    Left-out optional arguments are filled in with their defaults before freezing, so that they
    are shown, approved and executed alike. Secrets are kept sealed, and frozen as fingerprints.
    """
    return frozen(concealing.conceal(validated(action, arguments)))


def validated(action: Action, arguments: Facts) -> Any:
    """Typed arguments, nothing of them sealed or kept yet. Raises BadInput with the path."""
    try:
        return action.Arguments.model_validate_json(packed(arguments))
    except ValidationError as problem:
        raise refusal(problem, "$.arguments") from problem


def must_be_justified(action: Action, rollback_reason: str | None) -> None:
    """Who asks for what cannot be taken back says why it shall be done all the same."""
    if action.rollback.kind == "none" and not (rollback_reason or "").strip():
        raise BadInput(
            f"{action.label()} cannot be taken back: say why it shall be done all the same.",
            path="$.rollback_reason",
        )


def typable(action: Action, args: Any) -> str:
    """The operative value. Raises BadInput where nobody could type it just as it is."""
    value = action.operative_value(args)
    plain = value.isprintable() and value == " ".join(value.split())
    if not plain or not 1 <= len(value) <= LONGEST_OPERATIVE_VALUE:
        raise BadInput(
            f"To approve {action.label()} somebody has to type its operative value, so that must "
            f"be one line of 1 to {LONGEST_OPERATIVE_VALUE} printable characters with single "
            "spaces; with these arguments it is not.",
            path="$.arguments",
        )
    return value


def thawed(action: Action, arguments: str | bytes) -> Any:
    """Frozen argument bytes as the action's typed arguments, secrets revealed."""
    document = concealing.reveal(action.Arguments, json.loads(arguments))
    return action.Arguments.model_validate_json(packed(document))
