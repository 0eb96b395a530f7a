"""One table of human sentences: what each kind of event says, in our words.

What others wrote (an agent's headline, a reviewer's reason, a target's refusal) is never part of
a sentence; it is given beside it as a detail, which the page shows as text of theirs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from oversight.reading import reasons
from oversight.showing import literal, words
from oversight.showing.diff import changed, rows

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """What happened, a sign and a tone from the tables of `showing`, and a detail as text."""

    words: str
    glyph: str = "ring"
    tone: str = "plain"
    detail: str = ""


def sentence(kind: str, facts: Facts) -> Sentence:
    """What an event says. One that is not in the table is shown by its own name."""
    said = TABLE.get(kind)
    if said is None:
        return Sentence(words=kind, glyph="question", tone="odd")
    try:
        return said(facts)
    except KeyError:  # its payload was erased by design
        return Sentence(words=_("%(kind)s, its content erased") % {"kind": kind}, glyph="eye-off")


def _accepted(facts: Facts) -> Sentence:
    words_ = _("Run of %(workflow)s, version %(version)s, accepted") % {
        "workflow": facts["workflow"],
        "version": facts["workflow_version"],
    }
    return Sentence(words=words_, glyph="play")


def _claimed(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Claimed by a worker, token %(token)s") % {"token": facts["token"]},
        glyph="engine",
        detail=facts["owner"],
    )


def taken_over(facts: Facts, before: str) -> Sentence:
    """A worker claimed a run that another had left without giving it back."""
    same = before == facts["owner"]
    by = _("Claimed again") if same else _("Taken over by another worker")
    return Sentence(
        words=_("%(by)s, token %(token)s") % {"by": by, "token": facts["token"]},
        glyph="turn",
        tone="wait",
        detail=_("%(owner)s, after the lease of %(before)s had lapsed")
        % {"owner": facts["owner"], "before": before},
    )


def _resumed(facts: Facts) -> Sentence:
    back = facts["status"] == "rolling_back"
    return Sentence(
        words=_("Resumed, to roll back") if back else _("Resumed where it stood"), glyph="play"
    )


def _moved(facts: Facts) -> Sentence:
    if facts.get("node"):
        return Sentence(words=_("Moved to “%(node)s”") % {"node": facts["node"]}, glyph="arrow")
    return Sentence(words=_("Went on without the effect"), glyph="arrow")


def _recorded_value(facts: Facts) -> Sentence:
    return Sentence(words=_("Recorded “%(name)s”") % {"name": facts["name"]}, glyph="seal")


def _node_failed(facts: Facts) -> Sentence:
    words_ = _("Could not be done (failure %(count)s); tried again later")
    return Sentence(
        words=words_ % {"count": facts["failures"]},
        glyph="cross-ring",
        tone="bad",
        detail=facts["error"],
    )


def _requested(facts: Facts) -> Sentence:
    if facts.get("answers_version"):
        words_ = _("Answered the question with a new version")
    else:
        words_ = _("Asked for %(action)s") % {"action": facts["action"]}
    return Sentence(words=words_, glyph="bubble", detail=facts["why"])


def _finish(facts: Facts) -> Sentence:
    return Sentence(words=_("Has nothing more to propose"), glyph="bubble")


def _taken_up(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Began with %(action)s, version %(version)s")
        % {"action": facts["action"], "version": facts["action_version"]},
        glyph="ring-dot",
    )


def _dropped(facts: Facts) -> Sentence:
    return Sentence(words=_("Dropped an answer that nobody waits for any more"), glyph="minus-ring")


def _opened(facts: Facts) -> Sentence:
    first = int(facts["version"]) == 1
    words_ = _("Proposal opened") if first else _("Proposal opened, version %(version)s")
    return Sentence(
        words=words_ % {"version": facts["version"]},
        glyph="ballot",
        tone="wait",
        detail=literal.read(facts["terms"])["headline"],
    )


def _decision(facts: Facts) -> Sentence:
    table = {
        "approve": (_("Decided to approve"), "check-ring", "good"),
        "reject": (_("Decided to reject"), "cross-ring", "bad"),
        "return": (_("Decided to return it, with a question"), "bubble", "info"),
    }
    words_, glyph, tone = table[facts["decision"]]
    reason = facts.get("question") or reasons.in_words(facts["reason_code"], facts["reason"])
    return Sentence(words=words_, glyph=glyph, tone=tone, detail=reason)


def _decision_refused(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Wanted to decide, and was refused"),
        glyph="slash-ring",
        tone="bad",
        detail=facts["why"],
    )


def _proposal(state: str) -> Callable[[Facts], Sentence]:
    def said(facts: Facts) -> Sentence:
        shown = words.shown("proposal", state)
        return Sentence(
            words=_("Proposal %(state)s") % {"state": str(shown.word).lower()},
            glyph=shown.glyph,
            tone=shown.tone,
        )

    return said


def _lapsed(facts: Facts) -> Sentence:
    return Sentence(
        words=_LAPSES.get(facts["reason"], lambda: _("The approval lapsed"))(),
        glyph="ring-broken",
        tone="wait",
        detail=_differences(facts.get("before"), facts.get("after")) or facts.get("detail", ""),
    )


_LAPSES: Mapping[str, Callable[[], str]] = {
    "precondition_failed": lambda: _("The approval lapsed: its premises had changed"),
    "Stopped": lambda: _("The approval lapsed: a stop is in force"),
    "Expired": lambda: _("The approval lapsed: its time was over"),
    "NotPermitted": lambda: _("The approval lapsed: it no longer had the authority"),
    "DigestMismatch": lambda: _("The approval lapsed: what is stored is not what was approved"),
}


def _prepared(facts: Facts) -> Sentence:
    if facts.get("compensates"):
        return Sentence(words=_("Rollback prepared"), glyph="back", tone="info")
    return Sentence(words=_("Prepared; nothing has been sent"), glyph="ring-dashed")


def _intended(facts: Facts) -> Sentence:
    words_ = _("Passed the gate; the call goes out (attempt %(attempt)s)")
    detail = _("key %(key)s…, fencing token %(token)s") % {
        "key": facts["idempotency_key"][:12],
        "token": facts["fencing_token"],
    }
    return Sentence(
        words=words_ % {"attempt": facts["attempt"]}, glyph="out", tone="info", detail=detail
    )


def _recorded(facts: Facts) -> Sentence:
    table = {
        "succeeded": (_("The target said yes; not yet verified"), "check", "info"),
        "failed": (_("The target said no: nothing happened"), "cross-ring", "bad"),
        "unknown": (_("No usable answer: nobody knows whether it happened"), "question", "odd"),
    }
    words_, glyph, tone = table[facts["status"]]
    return Sentence(words=words_, glyph=glyph, tone=tone, detail=_outcome(facts))


def _reconciled(facts: Facts) -> Sentence:
    table = {
        "succeeded": (_("The target was asked by key: it had happened"), "check", "info"),
        "prepared": (_("The target was asked by key: it had never arrived"), "turn", "plain"),
        "unknown": (_("The target was asked by key: nobody can tell"), "question", "odd"),
        "failed": (_("The target was asked by key: it had refused"), "cross-ring", "bad"),
    }
    words_, glyph, tone = table[facts["status"]]
    return Sentence(words=words_, glyph=glyph, tone=tone, detail=_outcome(facts))


def _outcome(facts: Facts) -> str:
    resource = facts.get("resource_id")
    if resource and facts["status"] == "succeeded":
        return _("resource %(id)s") % {"id": resource}
    return facts.get("outcome") or ""


def _verified(facts: Facts) -> Sentence:
    found = facts["verification"]
    shown = words.shown("verification", found)
    table = {
        "passed": _("Read again at the target: as approved"),
        "mismatch": _("Read again at the target: not as approved"),
        "not_yet": _("Read again at the target: not to be seen yet"),
    }
    detail = "" if found == "passed" else _differences(facts.get("expected"), facts.get("observed"))
    words_ = table.get(found, str(shown.word))
    return Sentence(words=words_, glyph=shown.glyph, tone=shown.tone, detail=detail)


def _committed(facts: Facts) -> Sentence:
    if facts.get("compensates"):
        return Sentence(words=_("Rolled back, and verified"), glyph="back-ring", tone="good")
    return Sentence(words=_("Committed"), glyph="check-twice", tone="good")


def _authorised(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Rollback authorised by the decision that allowed the effect"),
        glyph="back",
        tone="info",
    )


def _alert(facts: Facts) -> Sentence:
    return Sentence(words=_("Alert raised"), glyph="warning", tone="bad", detail=facts["summary"])


def _parked(facts: Facts) -> Sentence:
    said = WAITS.get(facts["awaiting"]["what"], lambda: _("Waits"))
    return Sentence(words=said(), glyph="clock", tone="wait")


WAITS: Mapping[str, Callable[[], str]] = {
    "decision": lambda: _("Waits for a decision"),
    "answer": lambda: _("Waits for the agent to answer"),
    "agent": lambda: _("Waits for the agent to speak next"),
    "verification": lambda: _("Waits to look at the target again"),
    "reconciliation": lambda: _("Waits to ask the target again"),
}
"""What a run may wait for."""


def _paused(facts: Facts) -> Sentence:
    shown = words.shown("pause", facts["reason_code"])
    return Sentence(
        words=_("Paused: %(reason)s") % {"reason": str(shown.word).lower()},
        glyph="pause",
        tone=shown.tone,
        detail=facts["detail"],
    )


def _ended(facts: Facts) -> Sentence:
    shown = words.shown("run", facts["status"])
    words_ = _("Run %(status)s") % {"status": str(shown.word).lower()}
    return Sentence(words=words_, glyph=shown.glyph, tone=shown.tone)


def _late(facts: Facts) -> Sentence:
    return Sentence(
        words=_("An answer came too late; it is kept and changes nothing"),
        glyph="clock",
        tone="odd",
    )


def _differences(before: object, after: object) -> str:
    """What differs between two small groups, as one line each; else the second as it is."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return "" if after is None else literal.laid_out(after)
    found = changed(rows(before, after))
    return "\n".join(
        f"{row.path}: {row.before.text if row.before else '—'} → "
        f"{row.after.text if row.after else '—'}"
        for row in found
    )


TABLE: Mapping[str, Callable[[Facts], Sentence]] = {
    "run_accepted": _accepted,
    "run_claimed": _claimed,
    "run_resumed": _resumed,
    "run_moved": _moved,
    "value_recorded": _recorded_value,
    "node_failed": _node_failed,
    "effect_requested": _requested,
    "finish_requested": _finish,
    "request_taken_up": _taken_up,
    "request_dropped": _dropped,
    "proposal_opened": _opened,
    "decision_made": _decision,
    "decision_refused": _decision_refused,
    "proposal_approved": _proposal("approved"),
    "proposal_rejected": _proposal("rejected"),
    "proposal_returned": _proposal("returned"),
    "proposal_expired": _proposal("expired"),
    "proposal_withdrawn": _proposal("withdrawn"),
    "approval_lapsed": _lapsed,
    "effect_prepared": _prepared,
    "effect_intended": _intended,
    "effect_recorded": _recorded,
    "effect_reconciled": _reconciled,
    "effect_verified": _verified,
    "effect_committed": _committed,
    "rollback_authorised": _authorised,
    "alert_raised": _alert,
    "run_parked": _parked,
    "run_paused": _paused,
    "run_ended": _ended,
    "late_answer": _late,
}
