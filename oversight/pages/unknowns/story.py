"""What was asked about an effect, and what came back: the part of the log that a ruling needs."""

import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from oversight.reading.actors import actor
from oversight.reading.log import Logged
from oversight.showing import words
from oversight.showing.timeline import Entry

KINDS = (
    "effect_intended",
    "effect_recorded",
    "effect_reconciled",
    "probe_requested",
    "effect_resolved",
    "effect_verified",
    "effect_committed",
    "approval_lapsed",
    "proposal_lapsed",
    "versions_carried_over",
    "late_answer",
)
"""The kinds of events that tell what is known of one effect."""

Facts = Mapping[str, Any]
Said = tuple[str, str, str, str]
"""Words, sign, tone and detail."""


def of_effect(log: Iterable[Logged], effect_id: uuid.UUID) -> tuple[Logged, ...]:
    """What the log of a run says of one effect of it."""
    return tuple(event for event in log if event.facts.get("effect_id") == str(effect_id))


def entries(log: Iterable[Logged], names: Mapping[int, str]) -> tuple[Entry, ...]:
    """One line for each event, oldest first, with a link to the evidence that it left."""
    return tuple(_entry(event, names) for event in log)


def evidence_of(event: Logged) -> str:
    """The address of the evidence that an event left; nothing when it left none."""
    if event.kind == "effect_resolved":
        waits = event.facts["resolution"] == "keep_waiting"
        return "" if waits else event.facts.get("evidence") or ""
    return event.facts.get("result_ref") or ""


def anchor(address: str) -> str:
    return f"evidence-{address[:12]}"


def _entry(event: Logged, names: Mapping[int, str]) -> Entry:
    said, glyph, tone, detail = _TOLD[event.kind](event.facts)
    who, address = actor(event.actor, names), evidence_of(event)
    return Entry(
        at=event.at,
        words=said,
        actor=who.name,
        actor_kind=who.kind,
        glyph=glyph,
        tone=tone,
        detail=detail,
        url=f"#{anchor(address)}" if address else "",
        seq=event.seq,
        seq_url=event.url,
    )


def _intended(facts: Facts) -> Said:
    said = _("Sent, attempt %(attempt)s") % {"attempt": facts["attempt"]}
    return said, "out", "info", _("fencing token %(token)s") % {"token": facts["fencing_token"]}


def _recorded(facts: Facts) -> Said:
    table = {
        "succeeded": (_("The target said yes"), "check", "info"),
        "failed": (_("The target said no: nothing happened"), "cross-ring", "bad"),
        "unknown": (_("No usable answer"), "question", "odd"),
    }
    detail = facts.get("outcome") or ""
    return *table[facts["status"]], "" if facts["status"] == "succeeded" else detail


def _reconciled(facts: Facts) -> Said:
    table = {
        "found": (_("Asked by key: it had happened"), "check", "info"),
        "absent": (_("Asked by key: not there"), "minus-ring", "wait"),
        "unclear": (_("Asked by key: no clear answer"), "question", "odd"),
    }
    said, glyph, tone = table[facts["finding"]]
    return said, glyph, tone, _then(facts)


def _then(facts: Facts) -> str:
    """What that meant for the effect."""
    return {
        "succeeded": _("resource %(id)s") % {"id": facts.get("resource_id")},
        "prepared": _("Surely not arrived: to be sent again, under the same key"),
        "unknown": _("That proves nothing: it stays unknown"),
    }.get(facts["status"], "")


def _requested(facts: Facts) -> Said:
    return _("Had the target asked again"), "turn", "info", ""


def _resolved(facts: Facts) -> Said:
    said, glyph, tone = ruling(facts["resolution"])
    return _("Ruled: %(ruling)s") % {"ruling": said}, glyph, tone, facts["reason"]


def ruling(resolution: str) -> tuple[str, str, str]:
    """The words of a ruling, its sign and its tone."""
    return {
        "happened": (_("it happened"), "check-ring", "info"),
        "did_not_happen": (_("it did not happen"), "minus-ring", "plain"),
        "partly": (_("it happened in part"), "ring-half", "bad"),
        "keep_waiting": (_("keep waiting"), "clock", "wait"),
    }[resolution]


def _verified(facts: Facts) -> Said:
    shown = words.shown("verification", facts["verification"])
    return _("Read again at the target"), shown.glyph, shown.tone, f"{shown.word}: {shown.meaning}"


def _committed(facts: Facts) -> Said:
    return _("Committed"), "check-twice", "good", ""


def _lapsed(facts: Facts) -> Said:
    return _("Not sent again: the approval no longer held"), "ring-broken", "wait", ""


def _carried_over(facts: Facts) -> Said:
    return _("Not sent again: its run was carried over to other versions"), "layers", "wait", ""


def _late(facts: Facts) -> Said:
    said = _("An answer came late; it changes nothing, and is kept")
    return said, "clock", "odd", facts.get("outcome") or ""


_TOLD: Mapping[str, Callable[[Facts], Said]] = {
    "effect_intended": _intended,
    "effect_recorded": _recorded,
    "effect_reconciled": _reconciled,
    "probe_requested": _requested,
    "effect_resolved": _resolved,
    "effect_verified": _verified,
    "effect_committed": _committed,
    "approval_lapsed": _lapsed,
    "proposal_lapsed": _lapsed,
    "versions_carried_over": _carried_over,
    "late_answer": _late,
}
