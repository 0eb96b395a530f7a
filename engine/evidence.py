"""Raw tool evidence, content-addressed: kept once, referred to by its SHA-256 (hex)."""

import json
from typing import Any

from .canonical import storable
from .concealing import struck
from .store import alerts


def keep(value: Any) -> str:
    """Keep what a target said, as JSON that every parser reads.

    What JSON cannot carry is kept as visible text: the act is done, and must be recorded.
    """
    return alerts.keep_evidence("application/json", struck(_written(value)).encode())


def _written(value: Any) -> str:
    try:
        return _strict(value)
    except (TypeError, RecursionError):
        return _as_text(value)
    except ValueError:  # NaN, an infinity, or something that holds itself
        return _or_as_text(value)


def _or_as_text(value: Any) -> str:
    try:
        return _strict(storable(value))
    except (TypeError, ValueError, RecursionError):
        return _as_text(value)


def _as_text(value: Any) -> str:
    """No value of two keys that JSON would write alike is dropped: all of it becomes one text."""
    try:
        return _strict({"not JSON": repr(value)})
    except RecursionError:
        return _strict({"not JSON": f"a {type(value).__name__} nested too deeply"})


def _strict(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, default=repr, allow_nan=False)


def keep_failure(problem: BaseException) -> str:
    """Keep an exception as evidence: its type and its words."""
    return keep({"error": type(problem).__name__, "message": str(problem)})
