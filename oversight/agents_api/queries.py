"""What may stand behind the question mark of an address."""

from typing import Annotated

from ninja import Query

from . import told
from .waiting import LONGEST

Limit = Annotated[int, Query(100, ge=1, le=500, description="At most so many.")]
Wait = Annotated[
    int,
    Query(0, ge=0, le=LONGEST, description="So many seconds you would wait for news."),
]
AfterSeq = Annotated[int, Query(0, ge=0, le=2**53 - 1, description="Only events after this seq.")]
AfterMark = Annotated[
    str | None,
    Query(None, max_length=100, description="The `mark` of what you have seen already."),
]
Cursor = Annotated[
    str | None,
    Query(
        None,
        pattern="^[A-Za-z0-9_-]+$",
        max_length=200,
        description="Only runs behind this place: `next_cursor` of the page before.",
    ),
]
Status = Annotated[told.RunStatus | None, Query(None, description="Only runs of this status.")]
Workflow = Annotated[
    str | None,
    Query(
        None,
        pattern="^[A-Za-z0-9_.-]+$",
        max_length=200,
        description="Only runs of this workflow.",
    ),
]
