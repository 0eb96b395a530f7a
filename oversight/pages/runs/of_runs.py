"""What the events of a run itself say: its workers, its moves, its waits, its end."""

from django.utils.translation import gettext as _

from oversight.pages.runs.sentence import Facts, Sentence
from oversight.showing import literal, versions, words


def accepted(facts: Facts) -> Sentence:
    words_ = _("Run of %(workflow)s, version %(version)s, accepted") % {
        "workflow": facts["workflow"],
        "version": facts["workflow_version"],
    }
    if facts.get("parent"):
        branch = _("As the branch “%(branch)s” of run %(run)s.")
        told = {"branch": facts["branch"], "run": facts["parent"]}
        return Sentence(words=words_, glyph="layers", detail=branch % told)
    origin, _at, seq = facts.get("forked_from", "").partition("@")
    if not origin:
        return Sentence(words=words_, glyph="play")
    if facts.get("labels", {}).get("rolls_back"):
        rolls_back = _("It takes back what run %(run)s did.") % {"run": origin}
        return Sentence(words=words_, glyph="back", detail=rolls_back)
    forked = _("It began where run %(run)s stood after event %(seq)s. %(reason)s")
    told = {"run": origin, "seq": seq, "reason": facts.get("reason", "")}
    return Sentence(words=words_, glyph="turn", detail=forked % told)


def claimed(facts: Facts) -> Sentence:
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


def resumed(facts: Facts) -> Sentence:
    back = facts["status"] == "rolling_back"
    return Sentence(
        words=_("Resumed, to roll back") if back else _("Resumed where it stood"), glyph="play"
    )


def resume_requested(facts: Facts) -> Sentence:
    return Sentence(words=_("Told to go on"), glyph="play", tone="info", detail=facts["reason"])


def pause_requested(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Asked to stand still"), glyph="pause", tone="info", detail=facts["reason"]
    )


def cancel_requested(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Asked to end"), glyph="cross-ring", tone="info", detail=facts["reason"]
    )


def moved(facts: Facts) -> Sentence:
    if facts.get("node"):
        return Sentence(words=_("Moved to “%(node)s”") % {"node": facts["node"]}, glyph="arrow")
    return Sentence(words=_("Went on without the effect"), glyph="arrow")


def recorded_value(facts: Facts) -> Sentence:
    return Sentence(words=_("Recorded “%(name)s”") % {"name": facts["name"]}, glyph="seal")


def plan_switched(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Switched its plan"), glyph="turn", detail=literal.laid_out(facts["plan"])
    )


def budget_spent(facts: Facts) -> Sentence:
    said = ", ".join(f"{amount} {what}" for what, amount in facts["spent"].items())
    return Sentence(words=_("Told what it has used"), glyph="seal", detail=said)


def budget_raised(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Given another budget"), glyph="play", tone="info", detail=facts["reason"]
    )


def carried_over(facts: Facts) -> Sentence:
    """The code it was begun under is gone; what it asked for is asked anew."""
    return Sentence(
        words=_("Carried over to other versions"),
        glyph="layers",
        tone="wait",
        detail=", ".join(versions.changed(one) for one in facts["changed"]),
    )


def node_failed(facts: Facts) -> Sentence:
    words_ = _("Could not be done (failure %(count)s); tried again later")
    return Sentence(
        words=words_ % {"count": facts["failures"]},
        glyph="cross-ring",
        tone="bad",
        detail=facts["error"],
    )


def paused(facts: Facts) -> Sentence:
    shown = words.shown("pause", facts["reason_code"])
    return Sentence(
        words=_("Paused: %(reason)s") % {"reason": str(shown.word).lower()},
        glyph="pause",
        tone=shown.tone,
        detail=facts["detail"],
    )


def ended(facts: Facts) -> Sentence:
    shown = words.shown("run", facts["status"])
    words_ = _("Run %(status)s") % {"status": str(shown.word).lower()}
    return Sentence(words=words_, glyph=shown.glyph, tone=shown.tone)
