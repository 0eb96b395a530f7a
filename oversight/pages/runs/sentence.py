"""One sentence about an event."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oversight.showing import literal
from oversight.showing.diff import changed, rows

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """What happened, a sign and a tone from the tables of `showing`, and a detail.

    `words` are ours alone. What others wrote (an agent's headline, a reviewer's reason, a target's
    refusal) is the detail, which the page shows as text of theirs.
    """

    words: str
    glyph: str = "ring"
    tone: str = "plain"
    detail: str = ""


def differences(before: object, after: object) -> str:
    """What differs between two small groups, as one line each; else the second as it is."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return "" if after is None else literal.laid_out(after)
    found = changed(rows(before, after))
    return "\n".join(
        f"{row.path}: {row.before.text if row.before else '—'} → "
        f"{row.after.text if row.after else '—'}"
        for row in found
    )
