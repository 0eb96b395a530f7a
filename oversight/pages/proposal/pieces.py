"""What a decision rests on: the pieces of the page that were shown, drawn so that they can be drawn
again to the byte.

They depend on nothing but the proposal, the moment, the language and the zone: on nobody who reads.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import strip_tags

from oversight.pages.proposal import facts, reads
from oversight.pages.proposal.reads import Past, Said, Version
from oversight.reading import reasons, rehearsals
from oversight.showing import diff, literal, when

Pieces = Mapping[str, str]

ORDER = (
    "despite",
    "facts",
    "change",
    "rollback",
    "premises",
    "verification",
    "arguments",
    "answered",
    "agent",
)
"""As they stand on the page; `proposal/<name>.html` draws each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece of evidence: a text, or a `structured` value laid out."""

    text: str
    structured: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Despite:
    """The rejection that the agent names, asking for the same once more: the terms say it."""

    proposal_id: str
    version: int
    at: datetime
    by: tuple[str, ...]
    reason: str
    what_changed: str


def drawn(item: Version, now: datetime) -> Pieces:
    """Each piece as HTML, as it is at `now` in the language and the zone that are set."""
    context = _context(item, now)
    with when.as_of(now):
        return {name: render_to_string(f"proposal/{name}.html", context) for name in ORDER}


def whole(pieces: Pieces) -> bytes:
    """All of it, in order: what is hashed, and kept."""
    return "\n".join(pieces[name] for name in ORDER).encode()


def measured(pieces: Pieces) -> dict[str, Any]:
    """`page`, the SHA-256 (hex) of what was drawn, and `words`, how many words it has."""
    html = whole(pieces)
    return {"page": sha256(html).hexdigest(), "words": len(strip_tags(html.decode()).split())}


def _context(item: Version, now: datetime) -> dict[str, Any]:
    past = reads.versions(item.proposal_id)
    edited = {each.version: each for each in reads.edits(item)}
    answered = _answered(past, reads.said(item.proposal_id), item)
    return {
        "item": item,
        "edited": edited.get(item.version - 1),
        "despite": _despite(item.terms.get("despite")),
        "asked": answered and answered[0],
        "by": answered and answered[1],
        "facts": facts.computed(item, now),
        "sent_again": facts.sent_again(item),
        "change": _change(item),
        "premises": diff.rows({}, item.terms["precondition"]),
        "evidence": [_piece(piece) for piece in item.terms["evidence"]],
        "since": _since_before(item, past),
        "rehearsed": next(iter(rehearsals.of_action(*item.action, most=1)), None),
    }


def _despite(told: Mapping[str, Any] | None) -> Despite | None:
    if told is None:
        return None
    proposal_id, version = told["proposal"]
    return Despite(
        proposal_id=proposal_id,
        version=int(version),
        at=datetime.fromisoformat(told["at"]),
        by=tuple(told["by"]),
        reason=reasons.in_words(told["reason_code"], told["reason"]),
        what_changed=told["what_changed"],
    )


def _change(item: Version) -> list[diff.Row]:
    """The target before and after, what differs first."""
    found = diff.rows(item.terms["change"]["before"], item.terms["change"]["after"])
    return sorted(found, key=lambda row: row.change == "same")


def _piece(evidence: object) -> Piece:
    if isinstance(evidence, str) and not isinstance(evidence, literal.Number):
        return Piece(text=evidence, structured=False)
    return Piece(text=literal.laid_out(evidence), structured=True)


def _since_before(item: Version, past: tuple[Past, ...]) -> tuple[diff.Row, ...] | None:
    """What differs from the version before; None for a first version."""
    versions = {each.version: each for each in past}
    before = versions.get(item.version - 1)
    return None if before is None else changes(before, versions[item.version])


def _answered(
    past: tuple[Past, ...], said: tuple[Said, ...], item: Version
) -> tuple[Past, Said | None] | None:
    """The question that this version answers, and who asked it."""
    before = next((each for each in past if each.version == item.version - 1), None)
    if before is None or before.status != "returned":
        return None
    asked = (one for one in said if (one.version, one.decision) == (before.version, "return"))
    return before, next(asked, None)


def changes(before: Past, after: Past) -> tuple[diff.Row, ...]:
    """What differs between two versions: their arguments and their premises."""
    return diff.changed(diff.rows(_compared(before), _compared(after)))


def _compared(past: Past) -> Mapping[str, Any]:
    return {"arguments": literal.read(past.arguments), "premises": past.premises}
