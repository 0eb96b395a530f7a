"""What the events of effects say, of rollbacks too, and of the alerts that they raise."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from oversight.pages.runs.sentence import Facts, Sentence, differences
from oversight.showing import words


def prepared(facts: Facts) -> Sentence:
    if facts.get("compensates"):
        return Sentence(words=_("Rollback prepared"), glyph="back", tone="info")
    return Sentence(words=_("Prepared; nothing has been sent"), glyph="ring-dashed")


def intended(facts: Facts) -> Sentence:
    words_ = _("Passed the gate; the call goes out (attempt %(attempt)s)")
    detail = _("key %(key)s…, fencing token %(token)s") % {
        "key": facts["idempotency_key"][:12],
        "token": facts["fencing_token"],
    }
    return Sentence(
        words=words_ % {"attempt": facts["attempt"]}, glyph="out", tone="info", detail=detail
    )


def recorded(facts: Facts) -> Sentence:
    table = {
        "succeeded": (_("The target said yes; not yet verified"), "check", "info"),
        "failed": (_("The target said no: nothing happened"), "cross-ring", "bad"),
        "unknown": (_("No usable answer: nobody knows whether it happened"), "question", "odd"),
    }
    words_, glyph, tone = table[facts["status"]]
    return Sentence(words=words_, glyph=glyph, tone=tone, detail=_outcome(facts))


def reconciled(facts: Facts) -> Sentence:
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


def probe_requested(facts: Facts) -> Sentence:
    return Sentence(words=_("Had the target asked once more"), glyph="turn", tone="info")


def resolved(facts: Facts) -> Sentence:
    """An operator has ruled what became of an effect that nobody could tell."""
    table = {
        "happened": (_("Ruled: it happened"), "check", "info"),
        "did_not_happen": (_("Ruled: it did not happen"), "cross-ring", "bad"),
        "partly": (_("Ruled: it happened in part"), "ring-half", "bad"),
        "keep_waiting": (_("Ruled: keep waiting"), "clock", "wait"),
    }
    words_, glyph, tone = table[facts["resolution"]]
    return Sentence(words=words_, glyph=glyph, tone=tone, detail=facts["reason"])


def accepted(facts: Facts) -> Sentence:
    """An operator has taken in their own name what could not be verified."""
    words_ = _("Accepted as it is")
    return Sentence(words=words_, glyph="person", tone="wait", detail=facts["reason"])


def verified(facts: Facts) -> Sentence:
    found = facts["verification"]
    shown = words.shown("verification", found)
    table = {
        "passed": _("Read again at the target: as approved"),
        "mismatch": _("Read again at the target: not as approved"),
        "not_yet": _("Read again at the target: not to be seen yet"),
    }
    detail = "" if found == "passed" else differences(facts.get("expected"), facts.get("observed"))
    words_ = table.get(found, str(shown.word))
    return Sentence(words=words_, glyph=shown.glyph, tone=shown.tone, detail=detail)


def committed(facts: Facts) -> Sentence:
    if facts.get("compensates"):
        return Sentence(words=_("Rolled back, and verified"), glyph="back-ring", tone="good")
    return Sentence(words=_("Committed"), glyph="check-twice", tone="good")


def authorised(facts: Facts) -> Sentence:
    if "covers" in facts:
        return _authorised_by_a_person(facts)
    return Sentence(
        words=_("Rollback authorised by the decision that allowed the effect"),
        glyph="back",
        tone="info",
    )


def _authorised_by_a_person(facts: Facts) -> Sentence:
    count = len(facts["covers"])
    words_ = ngettext(
        "Authorised the rollback of %(count)d effect",
        "Authorised the rollback of %(count)d effects",
        count,
    ) % {"count": count}
    by_hand = [f"{one['action']}: {one['why']}" for one in facts["by_hand"]]
    return Sentence(
        words=words_, glyph="back", tone="info", detail="\n".join([facts["reason"], *by_hand])
    )


def rollback_begun(facts: Facts) -> Sentence:
    return Sentence(words=_("Began to roll back, the latest effect first"), glyph="back")


def compensated(facts: Facts) -> Sentence:
    if "by_run" in facts:
        detail = _("run %(run)s") % {"run": facts["by_run"]}
        return Sentence(
            words=_("An effect was taken back by another run, and verified"),
            glyph="back-ring",
            tone="good",
            detail=detail,
        )
    return Sentence(
        words=_("Confirmed, with evidence, that an effect was taken back by hand"),
        glyph="back-ring",
        tone="good",
        detail=facts["reason"],
    )


def alert(facts: Facts) -> Sentence:
    return Sentence(words=_("Alert raised"), glyph="warning", tone="bad", detail=facts["summary"])


def alert_acknowledged(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Took the alert on"),
        glyph="eye",
        tone="wait",
        detail=f"{facts['cause']}\n{facts['next_step']}",
    )


def alert_reopened(facts: Facts) -> Sentence:
    words_ = _("Alert open again: %(person)s had taken it on, and the time for it has run out")
    return Sentence(
        words=words_ % {"person": facts["acknowledged_by"]}, glyph="warning", tone="bad"
    )


def alert_resolved(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Dealt with the alert"), glyph="check-ring", tone="good", detail=facts["resolution"]
    )


def late(facts: Facts) -> Sentence:
    return Sentence(
        words=_("An answer came too late; it is kept and changes nothing"),
        glyph="clock",
        tone="odd",
    )
