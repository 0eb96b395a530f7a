"""Everything the engine refuses, as one small tree.

PlacetError
├── BadInput            422  what was sent breaks a rule; names the path
│   ├── Malformed       400  not JSON at all, or JSON that two parsers would read differently
│   ├── TooLarge        413
│   └── ChallengeFailed 422  what was typed is not the value that is to be approved
├── NotFound            404
├── NotPermitted        403
├── Conflict            409  true when it was read, no longer true now
│   ├── AlreadyDecided
│   ├── Claimed
│   ├── Expired
│   ├── DigestMismatch
│   ├── RuleChanged
│   ├── NotRehearsed
│   ├── StepUpNeeded
│   ├── TooEarly
│   ├── RejectedBefore
│   ├── NobodyCouldDecide
│   ├── Stopped
│   └── Terminal
├── LeaseLost           409  another worker advances this run; stop at once
├── BudgetExhausted     409
├── Damaged             500  a checksum or a hash does not match; never guess
│   └── DamagedCheckpoint    only a saved position; the log may still tell it
├── Incompatible        409  this code cannot read or run what is stored
└── Unavailable         503  database or broker cannot be reached; retryable

`retryable` tells whether the same call may succeed later without a change.
The docstring of each class is its message when none is given.
"""

from typing import ClassVar


class PlacetError(Exception):
    """Placet refused this."""

    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    code: ClassVar[str] = "error"

    def __init__(self, message: str | None = None, /, **facts: object) -> None:
        self.message = message or (self.__doc__ or "").strip()
        self.facts = facts
        super().__init__(self.message)

    @property
    def why(self) -> str:
        """The door's own sentence, where a door refused; else the message."""
        return str(self.facts.get("detail") or self.message)


class BadInput(PlacetError):
    """The request breaks a rule."""

    http_status = 422
    code = "bad_input"

    def __init__(self, message: str | None = None, /, *, path: str = "", **facts: object) -> None:
        self.path = path
        super().__init__(message, path=path, **facts)


class Malformed(BadInput):
    """The body is not JSON that every parser reads alike."""

    http_status = 400
    code = "malformed"


class TooLarge(BadInput):
    """The body is over the limit."""

    http_status = 413
    code = "too_large"


class ChallengeFailed(BadInput):
    """What was typed is not exactly the value that would be approved."""

    code = "challenge_failed"

    def __init__(
        self, message: str | None = None, /, *, path: str = "$.challenge", **facts: object
    ) -> None:
        super().__init__(message, path=path, **facts)


class NotFound(PlacetError):
    """There is no such thing here."""

    http_status = 404
    code = "not_found"


class NotPermitted(PlacetError):
    """You may not do this."""

    http_status = 403
    code = "not_permitted"


class Conflict(PlacetError):
    """This has changed since you looked."""

    http_status = 409
    code = "conflict"


class AlreadyDecided(Conflict):
    """Somebody has decided this already."""

    code = "already_decided"


class Claimed(Conflict):
    """Somebody else has claimed this for a while."""

    code = "claimed"


class Expired(Conflict):
    """The time for this decision has passed; nothing ran."""

    code = "expired"


class DigestMismatch(Conflict):
    """What would be executed is not what was approved."""

    code = "digest_mismatch"


class RuleChanged(Conflict):
    """Another rule holds for this now than the one it was asked under."""

    code = "rule_changed"


class NotRehearsed(Conflict):
    """Its rollback has no rehearsal that passed and still counts, and the policy demands one."""

    code = "not_rehearsed"


class StepUpNeeded(Conflict):
    """To approve this takes a second factor, shown for it a moment ago; none counts any more."""

    code = "step_up_needed"


class TooEarly(Conflict):
    """It is approved, and the time that the policy has it wait is not over."""

    code = "too_early"


class RejectedBefore(Conflict):
    """Exactly this was asked for before, and rejected."""

    code = "rejected_before"

    def __init__(self, message: str | None = None, /, *, detail: str = "") -> None:
        """`detail` is the door's: the rejected proposal's id, when, and the reason's code."""
        proposal_id, at, reason_code = detail.split("|", 2) if detail else ("", "", "")
        told = f"Proposal {proposal_id} asked for exactly this and was rejected at {at}"
        because = f" ({reason_code})" if reason_code else ""
        words = f"{told}{because}. Nobody was asked again." if detail else message
        self.rejected: dict[str, str | None] = {
            "proposal_id": proposal_id,
            "rejected_at": at,
            "reason_code": reason_code or None,
        }
        super().__init__(words, **self.rejected)


class NobodyCouldDecide(Conflict):
    """Nobody could meet one of its rules: too few people are in the groups that it names."""

    code = "nobody_could_decide"


class Stopped(Conflict):
    """A stop is in force; nothing new begins."""

    code = "stopped"


class Terminal(Conflict):
    """This run has ended; it never changes again."""

    code = "terminal"


class LeaseLost(PlacetError):
    """Another worker holds this run now."""

    http_status = 409
    code = "lease_lost"


class BudgetExhausted(PlacetError):
    """The run has used up its budget."""

    http_status = 409
    code = "budget_exhausted"


class Damaged(PlacetError):
    """A stored checksum or hash does not match its content."""

    code = "damaged"


class DamagedCheckpoint(Damaged):
    """A checkpoint does not match its checksum."""

    code = "damaged_checkpoint"


class Incompatible(PlacetError):
    """This version of the code cannot go on with what is stored."""

    http_status = 409
    code = "incompatible"


class Unavailable(PlacetError):
    """The database or the broker cannot be reached; try again in a moment."""

    http_status = 503
    retryable = True
    code = "unavailable"


def _descendants(kind: type[PlacetError]) -> list[type[PlacetError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in _descendants(child))]


BY_CODE: dict[str, type[PlacetError]] = {kind.code: kind for kind in _descendants(PlacetError)}
