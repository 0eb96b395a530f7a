"""The problems an agent can meet, and what it should do about each."""

from dataclasses import dataclass

from engine import errors
from engine.errors import PlacetError

from . import refusals


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One kind of problem."""

    code: str
    status: int
    title: str
    advice: str
    retryable: bool


def title_of(kind: type[PlacetError]) -> str:
    """The title of a kind of refusal: its docstring's first line, without the full stop."""
    return (kind.__doc__ or "").strip().splitlines()[0].removesuffix(".")


def known(kind: type[PlacetError]) -> Known:
    return Known(
        code=kind.code,
        status=kind.http_status,
        title=title_of(kind),
        advice=ADVICE[kind],
        retryable=kind.retryable,
    )


ADVICE: dict[type[PlacetError], str] = {
    errors.Malformed: (
        "Send JSON that every parser reads alike: UTF-8, no key twice in an object, no NaN and "
        "no Infinity."
    ),
    refusals.IdempotencyKeyMissing: (
        "Make up a random value for each thing that you want done once, keep it, and send it "
        "again with each try."
    ),
    refusals.IdempotencyKeyInvalid: "Use 1 to 255 printable ASCII characters, a UUID for example.",
    refusals.Unauthenticated: (
        "Send a key that was issued for you and is not revoked. Which part of it is wrong is not "
        "told."
    ),
    refusals.KeyExpired: "Ask the person who owns this agent for a new key.",
    refusals.ScopeMissing: (
        "The key is good, and this workflow, action or event is not among its scopes. Ask the "
        "agent's owner."
    ),
    errors.NotFound: (
        "Check the address. A run that another agent started is not told from one that never was."
    ),
    refusals.MethodNotAllowed: "The header Allow names what is answered here.",
    errors.Conflict: (
        "Read the run and the proposal again: a question was answered already, a newer version "
        "is there, or the workflow knows its own steps."
    ),
    errors.RejectedBefore: (
        "The member rejected names the proposal of yours that people said no to. That is final. "
        "Ask again only if something is different now: send its id as despite, and what is "
        "different as what_changed."
    ),
    errors.Terminal: "The run has ended. Start a new one.",
    errors.Incompatible: (
        "The run was started by another version of the workflow or the action than this "
        "installation has. Tell the integrator."
    ),
    refusals.TooManyRequests: (
        "Wait as long as Retry-After says. Ask with wait=, rather than often: while you wait you "
        "use nothing up."
    ),
    refusals.StillRunning: (
        "Your first try is not finished. Wait as long as Retry-After says and send the same again."
    ),
    errors.TooLarge: (
        "A body has at most 256 KiB. Put large evidence somewhere else and send its hash."
    ),
    refusals.UnsupportedMediaType: "Send Content-Type: application/json.",
    errors.BadInput: (
        "The member path names what is wrong: $.arguments.amount is a field of the body, "
        "query.limit one of the address. Sending the same again will not help."
    ),
    refusals.IdempotencyKeyReused: (
        "One key belongs to one request. Use a new key for a new request, and the old body for a "
        "repeated one."
    ),
    refusals.Internal: (
        "It is in our log under the value of instance. Sending the same again, with the same "
        "Idempotency-Key, is safe."
    ),
    errors.Unavailable: (
        "Wait as long as Retry-After says and send the same again, with the same Idempotency-Key."
    ),
}

ALWAYS = (
    refusals.Unauthenticated,
    refusals.KeyExpired,
    refusals.TooManyRequests,
    errors.BadInput,
    refusals.Internal,
    errors.Unavailable,
)
POSTING = (
    errors.Malformed,
    refusals.IdempotencyKeyMissing,
    refusals.IdempotencyKeyInvalid,
    errors.TooLarge,
    refusals.UnsupportedMediaType,
    refusals.IdempotencyKeyReused,
    refusals.StillRunning,
)
IN_A_RUN = (errors.NotFound,)
CHANGING_A_RUN = (errors.Conflict, errors.Terminal, errors.Incompatible)

ASKING = (*IN_A_RUN, *CHANGING_A_RUN, errors.RejectedBefore, refusals.ScopeMissing)

OF_OPERATION: dict[str, tuple[type[PlacetError], ...]] = {
    "start_run": (*ALWAYS, *POSTING, refusals.ScopeMissing),
    "list_runs": ALWAYS,
    "see_run": (*ALWAYS, *IN_A_RUN),
    "propose": (*ALWAYS, *POSTING, *ASKING),
    "see_proposal": (*ALWAYS, *IN_A_RUN),
    "answer": (*ALWAYS, *POSTING, *ASKING),
    "withdraw": (*ALWAYS, *POSTING, *IN_A_RUN, *CHANGING_A_RUN),
    "finish": (*ALWAYS, *POSTING, *IN_A_RUN, *CHANGING_A_RUN),
    "see_events": (*ALWAYS, *IN_A_RUN),
    "deliver_event": (*ALWAYS, *POSTING, refusals.ScopeMissing),
}
"""Which problems each operation may answer with."""
