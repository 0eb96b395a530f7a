"""Raw tool evidence, content-addressed: kept once, referred to by its SHA-256 (hex)."""

import json
from typing import Any

from .concealing import struck
from .store import alerts


def keep(value: Any) -> str:
    """Keep what a target said, as JSON; whatever JSON cannot carry is kept as visible text."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, default=repr)
    return alerts.keep_evidence("application/json", struck(text).encode())


def keep_failure(problem: BaseException) -> str:
    """Keep an exception as evidence: its type and its words."""
    return keep({"error": type(problem).__name__, "message": str(problem)})
