"""What an agent tried in a run of its own and must not becomes an event of that run.

Noted are a key that was used again for something else, a field that no request has (an approval
that the agent brings, say), what the proposal's state does not allow, and what was rejected and is
asked for again as if nothing had been. Mistakes in a request's own fields are the agent's business
alone.
"""

import uuid
from typing import Any

from django.http import HttpRequest
from ninja.errors import ValidationError

from engine import api
from engine.errors import BadInput, Conflict, NotFound, PlacetError, RejectedBefore

from . import reads
from .keys import Caller
from .problems import named
from .refusals import IdempotencyKeyReused

_AT_MOST = 200
"""Characters of a path; a field's name is the agent's to choose."""


def note(request: HttpRequest, fault: Exception) -> None:
    """Keep in the run's log that this was refused, if it is one of those attempts."""
    caller, place, attempt = getattr(request, "auth", None), request.resolver_match, _attempt(fault)
    if attempt is None or place is None or not isinstance(caller, Caller):
        return
    run_id = place.kwargs.get("run_id")
    if request.method == "POST" and run_id and _is_own(caller, run_id):
        facts = {"operation": place.url_name, **_facts(attempt)}
        api.note_refused_request(run_id, facts, agent=caller.actor)


def _attempt(fault: Exception) -> PlacetError | None:
    if type(fault) in (IdempotencyKeyReused, Conflict, RejectedBefore):
        return fault  # type: ignore[return-value]
    if isinstance(fault, ValidationError):
        return next(
            (named(wrong) for wrong in fault.errors if wrong["type"] == "extra_forbidden"), None
        )
    return None


def _is_own(caller: Caller, run_id: uuid.UUID) -> bool:
    try:
        reads.own_run(caller.actor, run_id)
    except NotFound:
        return False
    return True


def _facts(refusal: PlacetError) -> dict[str, Any]:
    path = refusal.path if isinstance(refusal, BadInput) else ""
    said = {"code": refusal.code, "path": path[:_AT_MOST], "detail": refusal.message}
    return {**refusal.facts, **said}
