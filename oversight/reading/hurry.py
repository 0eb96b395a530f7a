"""How fast people read, and who decided sooner than that."""

from collections.abc import Mapping
from typing import Any

WORDS_A_MINUTE = 238
"""How fast adults read non-fiction in English silently, on average: M. Brysbaert, "How many words
do we read per minute?", Journal of Memory and Language 109 (2019), a review of 190 studies."""


def too_fast(seen: Mapping[str, Any]) -> float | None:
    """How many seconds reading what was shown takes, where the decision came sooner than that."""
    needs = 60 * seen.get("words", 0) / WORDS_A_MINUTE
    return needs if seen.get("seconds", needs) < needs else None
