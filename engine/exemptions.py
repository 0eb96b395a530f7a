"""A standing exemption on paper: what is wished for, and the bytes that are shown and approved.

It is for one version of one action and one agent; for a target, for targets that begin alike, or
for one text in one argument; and, where a most is named, for no more than that in one argument.
"""

import uuid
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, ValidationError

from . import actions, approval, clock, concealing, states
from .actions import Action
from .canonical import check, frozen
from .errors import BadInput
from .strict import Strict, refusal
from .types import Facts

DEFAULT_ONE_IN = 10
"""So many uses, one of which is asked of a person all the same."""

ENDS_A_PART = tuple("/#-_ ")
"""What the beginning of a target ends with: `srv` would be that of `srv.example.net`, too."""

Text = Annotated[str, Field(min_length=1, max_length=500)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class Scope(Strict):
    """One target, all that begin alike, or one text in one argument."""

    kind: Literal["target", "beginning", "argument"]
    value: Text
    argument: Name | None = None

    def as_shown(self) -> dict[str, str]:
        if self.kind == "argument":
            return {"argument": self.argument or "", "value": self.value}
        return {self.kind: self.value}


class Most(Strict):
    """The most that a numeric argument may be, as decimal text."""

    argument: Name
    value: Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,14})(\.[0-9]{1,6})?$")]


class Wish(Strict):
    """What an administrator proposes. `agent` is named as runs name it: `agent:refund-desk`."""

    action: Name
    agent: Annotated[str, Field(pattern=r"^agent:.+$", max_length=200)]
    scope: Scope
    most: Most | None = None
    uses: Annotated[int, Field(ge=1, le=states.MOST_USES)]
    one_in: Annotated[int, Field(ge=2, le=states.RAREST_ASKED)] = DEFAULT_ONE_IN
    until: AwareDatetime


def content(
    exemption_id: uuid.UUID, wish: Facts, *, proposed_by: tuple[int, str], reason: str
) -> bytes:
    """The frozen bytes of a new exemption. Raises BadInput with the path of what is wrong with the
    wish, NotPermitted for what is never exempt."""
    wanted = _checked(wish)
    action = actions.get(wanted.action)
    _must_speak_of_its_arguments(action, wanted)
    rule = approval.policy_for(action)["rule"]
    return frozen(
        {
            "id": str(exemption_id),
            "action": action.name,
            "version": action.version,
            "title": action.title,
            "risk": action.risk,
            "rollback": action.rollback.shown(),
            "secrets": concealing.has_secrets(action.Arguments),
            "agent": wanted.agent,
            "scope": wanted.scope.as_shown(),
            "most": wanted.most.model_dump() if wanted.most else None,
            "uses": wanted.uses,
            "one_in": wanted.one_in,
            "until": wanted.until.isoformat(),
            "reason": reason.strip(),
            "proposed_by": list(proposed_by),
            "challenge": _challenge(rule, wanted),
            "rule": rule,
        }
    )


def _checked(wish: Facts) -> Wish:
    check({**wish, "until": None})
    try:
        wanted = Wish.model_validate(wish)
    except ValidationError as problem:
        raise refusal(problem) from problem
    _must_end_in_time(wanted.until)
    if (wanted.scope.argument is not None) != (wanted.scope.kind == "argument"):
        raise BadInput("Say which argument it is about, or none.", path="$.scope.argument")
    if wanted.scope.kind == "beginning" and not wanted.scope.value.endswith(ENDS_A_PART):
        raise BadInput(
            "The beginning of a target ends where a part of it ends: with a slash, a hyphen, an "
            "underscore, a # or a blank.",
            path="$.scope.value",
        )
    return wanted


def _must_end_in_time(until: datetime) -> None:
    if until <= clock.now():
        raise BadInput("It would have ended already.", path="$.until")
    if until > clock.now() + timedelta(days=states.LONGEST_EXEMPTION_DAYS):
        raise BadInput(
            f"It ends within {states.LONGEST_EXEMPTION_DAYS} days at the most.", path="$.until"
        )


def _must_speak_of_its_arguments(action: Action, wanted: Wish) -> None:
    known = action.Arguments.model_fields
    named = [("scope", wanted.scope.argument), ("most", wanted.most and wanted.most.argument)]
    for place, name in named:
        if name is not None and name not in known:
            raise BadInput(
                f"{action.label()} has no argument {name!r}.", path=f"$.{place}.argument"
            )


def _challenge(rule: Facts, wanted: Wish) -> str | None:
    """What stands for the operative value, where the rule has that typed always: the most that may
    be let through in all, or what it is for."""
    if rule["challenge"] != "always":
        return None
    if wanted.most is None:
        return wanted.scope.value
    return str(Decimal(wanted.most.value) * wanted.uses)
