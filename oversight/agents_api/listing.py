"""The runs of one agent, newest first, a page at a time: none is skipped and none told twice."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode

from django.core.exceptions import BadRequest

from engine import models, states
from engine.errors import BadInput
from oversight.reading.keyset import Cursor, Order

from . import told

_NEWEST_FIRST = Order(at="created_at", key="run_id")


def runs(
    actor: str, *, cursor: str | None, limit: int, status: str | None, workflow: str | None
) -> told.Runs:
    """`limit` runs that `actor` started, older than `cursor` says.

    Raises BadInput for a cursor that no page has given, and for a status that no run has.
    """
    if status is not None and status not in states.RUN:
        raise BadInput(f"No run is ever {status!r}.", path="query.status")
    own = models.Run.objects.filter(initiator=actor)
    if status is not None:
        own = own.filter(status=status)
    if workflow is not None:
        own = own.filter(workflow=workflow)
    found = list(_NEWEST_FIRST.apply(own, _place(cursor))[: limit + 1])
    shown = found[:limit]
    return told.Runs(
        runs=[_summary(row) for row in shown],
        next_cursor=_cursor(shown[-1]) if len(found) > limit else None,
    )


def _cursor(row: models.Run) -> str:
    """A place in the list, in letters that need no escaping in an address."""
    return urlsafe_b64encode(_NEWEST_FIRST.place(row).encode()).decode().rstrip("=")


def _place(cursor: str | None) -> Cursor:
    if cursor is None:
        return Cursor()
    try:
        place = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        return Cursor.read({"older": place})
    except (BadRequest, UnicodeError, binascii.Error) as problem:
        raise BadInput("No page has given this cursor.", path="query.cursor") from problem


def _summary(row: models.Run) -> told.RunSummary:
    return told.RunSummary(
        run_id=row.run_id,
        workflow=row.workflow,
        workflow_version=row.workflow_version,
        status=row.status,
        reason_code=row.reason_code,
        labels=row.labels,
        created_at=row.created_at,
        ended_at=row.ended_at,
        last_seq=row.last_seq,
    )
