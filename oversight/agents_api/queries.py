"""What may stand behind the question mark of an address, and that nothing else may."""

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

from django.http import HttpRequest, HttpResponse
from ninja import Query
from ninja.params.models import Query as Named

from engine.errors import BadInput

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

Operation = Callable[..., HttpResponse]


def nothing_else(operation: Operation) -> Operation:
    """`operation`, which refuses a name that it does not know: a filter that is misspelled would
    otherwise be a filter that is forgotten. Nothing may be said twice."""
    hints = get_type_hints(operation, include_extras=True)
    known = {name for name, hint in hints.items() if _is_query(hint)}

    @wraps(operation)
    def told(request: HttpRequest, **values: Any) -> HttpResponse:
        for name, said in request.GET.lists():
            if name not in known:
                raise BadInput("There is no such parameter here.", path=f"query.{name}")
            if len(said) > 1:
                raise BadInput("This is said more than once.", path=f"query.{name}")
        return operation(request, **values)

    return told


def _is_query(hint: Any) -> bool:
    return any(isinstance(mark, Named) for mark in getattr(hint, "__metadata__", ()))
