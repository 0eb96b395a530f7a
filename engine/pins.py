"""What a run stands on besides its workflow: the versions of models and prompts it is pinned to."""

from collections.abc import Mapping

LONGEST = 200
"""Characters of a name or a version."""
MOST = 50
"""How many a run may stand on."""


def problem_with(stands_on: Mapping[str, str]) -> str | None:
    """Why these are no names and versions; None where they are."""
    if len(stands_on) > MOST:
        return f"A run stands on {MOST} things at most."
    for name, version in stands_on.items():
        if not _is_plain(name) or not _is_plain(version):
            return f"{name!r} and its version are one line of 1 to {LONGEST} characters."
    return None


def _is_plain(text: object) -> bool:
    return isinstance(text, str) and text.isprintable() and 1 <= len(text.strip()) <= LONGEST
