"""Who is qualified for which actions: administrators say it of others, never of themselves."""

import uuid
from typing import Annotated, Any

from pydantic import AwareDatetime, Field, ValidationError

from engine.canonical import packed
from engine.errors import BadInput
from engine.policies import ActionPattern, Training
from engine.store import qualifications as doors
from engine.strict import Strict, refusal

from .people import said
from .who import Reviewer

Most = Annotated[int, Field(ge=1, le=10_000)]


class Grant(Strict):
    """What is granted: a training, with its version in its name ("refunds-2"), for the actions that
    a pattern stands for ("ledger.*"), from one instant until another; at most so many decisions
    in any hour, and in any 24 hours. None: as many as one likes."""

    training: Training
    actions: ActionPattern
    valid_from: AwareDatetime
    valid_until: AwareDatetime
    most_an_hour: Most | None = None
    most_a_day: Most | None = None


def grant_qualification(
    subject: Reviewer, grant: dict[str, Any], *, administrator: Reviewer, reason: str
) -> uuid.UUID:
    """Grant somebody else a qualification (see Grant); gives its id.

    Raises BadInput with the field at fault, NotFound, NotPermitted.
    """
    given = _checked(grant)
    found = uuid.uuid4()
    facts = {
        "id": str(found),
        **given.model_dump(),
        "valid_from": given.valid_from.isoformat(),
        "valid_until": given.valid_until.isoformat(),
        **said(subject, administrator, reason),
    }
    doors.grant_qualification(administrator.actor, packed(facts))
    return found


def withdraw_qualification(
    subject: Reviewer, qualification: uuid.UUID, *, administrator: Reviewer, reason: str
) -> None:
    """Withdraw one that somebody else holds: at once, also for what they approved and is not
    carried out yet. Raises BadInput, NotFound, NotPermitted, Conflict."""
    facts = {"id": str(qualification), **said(subject, administrator, reason)}
    doors.withdraw_qualification(administrator.actor, packed(facts))


def _checked(grant: dict[str, Any]) -> Grant:
    try:
        found = Grant.model_validate(grant)
    except ValidationError as problem:
        raise refusal(problem) from problem
    if found.valid_until <= found.valid_from:
        raise BadInput("It ends before it begins.", path="$.valid_until")
    return found
