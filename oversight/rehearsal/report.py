"""What a command tells of what was played."""

from collections.abc import Iterator
from typing import Any

from engine.rehearsing import Played


def as_json(played: Played) -> dict[str, Any]:
    """All of it, as JSON takes it; times are RFC 3339."""
    return {
        "action": played.action,
        "version": played.action_version,
        "result": "passed" if played.passed else "failed",
        "run": str(played.run_id) if played.run_id else None,
        "recovery_seconds": played.recovery_seconds,
        "assertions": [
            {"what": one.what, "holds": one.holds, "detail": one.detail}
            for one in played.assertions
        ],
        "timeline": [
            {"at": one.at, "what": one.what, "detail": one.detail} for one in played.timeline
        ],
    }


def not_so(played: Played) -> Iterator[str]:
    """A line for each thing that had to hold and did not."""
    for one in played.assertions:
        if not one.holds:
            yield f"        not so: {one.what}. {one.detail}"
