"""What the events of requests, proposals and decisions say."""

from collections.abc import Callable, Mapping

from django.utils.translation import gettext as _

from oversight.pages.runs.sentence import Facts, Sentence, differences
from oversight.reading import reasons
from oversight.showing import literal, refusals, words


def requested(facts: Facts) -> Sentence:
    if facts.get("answers_version"):
        words_ = _("Answered the question with a new version")
    else:
        words_ = _("Asked for %(action)s") % {"action": facts["action"]}
    return Sentence(words=words_, glyph="bubble", detail=facts["why"])


def finish(facts: Facts) -> Sentence:
    return Sentence(words=_("Has nothing more to propose"), glyph="bubble")


def taken_up(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Began with %(action)s, version %(version)s")
        % {"action": facts["action"], "version": facts["action_version"]},
        glyph="ring-dot",
    )


def dropped(facts: Facts) -> Sentence:
    return Sentence(words=_("Dropped an answer that nobody waits for any more"), glyph="minus-ring")


def opened(facts: Facts) -> Sentence:
    first = int(facts["version"]) == 1
    words_ = _("Proposal opened") if first else _("Proposal opened, version %(version)s")
    return Sentence(
        words=words_ % {"version": facts["version"]},
        glyph="ballot",
        tone="wait",
        detail=literal.read(facts["terms"])["headline"],
    )


def refused(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Asked for what it may not, and was refused"),
        glyph="slash-ring",
        tone="bad",
        detail=f"{facts['path']}: {facts['detail']}" if facts["path"] else facts["detail"],
    )


def decision(facts: Facts) -> Sentence:
    table = {
        "withheld": (_("Has decided; you see what, after your own word"), "eye-off", "plain"),
        "approve": (_("Decided to approve"), "check-ring", "good"),
        "reject": (_("Decided to reject"), "cross-ring", "bad"),
        "return": (_("Decided to return it, with a question"), "bubble", "info"),
    }
    words_, glyph, tone = table[facts["decision"]]
    if facts["decision"] == "withheld":
        return Sentence(words=words_, glyph=glyph, tone=tone)
    reason = facts.get("question") or reasons.in_words(facts["reason_code"], facts["reason"])
    return Sentence(words=words_, glyph=glyph, tone=tone, detail=reason)


def decision_refused(facts: Facts) -> Sentence:
    return Sentence(
        words=_("Wanted to decide, and was refused"),
        glyph="slash-ring",
        tone="bad",
        detail=refusals.in_words(facts["why"]),
    )


def claimed(facts: Facts) -> Sentence:
    if facts["from_name"]:
        words_ = _("Took the claim over from %(person)s") % {"person": facts["from_name"]}
    else:
        words_ = _("Claimed the proposal")
    return Sentence(words=words_, glyph="hourglass")


def released(facts: Facts) -> Sentence:
    return Sentence(words=_("Let go of the claim"), glyph="minus-ring")


def reminded(facts: Facts) -> Sentence:
    return Sentence(words=_("Reminded: nobody has decided yet"), glyph="clock", tone="wait")


def escalated(facts: Facts) -> Sentence:
    if facts["why"] == "time":
        why = _("It was not decided in time.")
    else:
        why = _("Too few people are there who could decide it.")
    words_ = _("Escalated: members of %(group)s count, too") % {"group": facts["to"]}
    return Sentence(words=words_, glyph="person", tone="wait", detail=why)


def closed(state: str) -> Callable[[Facts], Sentence]:
    def said(facts: Facts) -> Sentence:
        shown = words.shown("proposal", state)
        return Sentence(
            words=_("Proposal %(state)s") % {"state": str(shown.word).lower()},
            glyph=shown.glyph,
            tone=shown.tone,
        )

    return said


def retracted(facts: Facts) -> Sentence:
    """It was not decided against; the run that it belonged to is to end, or to be rolled back."""
    return Sentence(
        words=_("Proposal taken off the table: its run goes no further"), glyph="minus-ring"
    )


def lapsed(facts: Facts) -> Sentence:
    return Sentence(
        words=_LAPSES.get(facts["reason"], lambda: _("The approval lapsed"))(),
        glyph="ring-broken",
        tone="wait",
        detail=differences(facts.get("before"), facts.get("after")) or facts.get("detail", ""),
    )


def premises_asked(facts: Facts) -> Sentence:
    return Sentence(words=_("Wanted the premises looked at before deciding"), glyph="eye")


def premises_read(facts: Facts) -> Sentence:
    if facts["problem"]:
        words_ = _("The premises could not be read")
        return Sentence(words=words_, glyph="question", tone="odd", detail=facts["problem"])
    return Sentence(words=_("Looked at the premises"), glyph="eye", tone="info")


def edited(facts: Facts) -> Sentence:
    """Who edits is the event's actor."""
    before, after = literal.read(facts["before"]), literal.read(facts["arguments"])
    return Sentence(
        words=_("Edited the proposal; it is asked anew as version %(version)s")
        % {"version": int(facts["version"]) + 1},
        glyph="changed",
        tone="info",
        detail=f"{differences(before, after)} {facts['reason']}",
    )


def proposal_lapsed(facts: Facts) -> Sentence:
    return Sentence(
        words=_VOID[facts["reason"]](),
        glyph="ring-broken",
        tone="wait",
        detail=facts["detail"],
    )


_VOID: Mapping[str, Callable[[], str]] = {
    "Stopped": lambda: _(
        "Proposal lapsed: a stop is in force. It is asked anew once that is lifted"
    ),
    "RuleChanged": lambda: _("Proposal lapsed: another rule holds for it now. It is asked anew"),
    "ExemptionEnded": lambda: _(
        "Proposal lapsed: the standing exemption behind it has ended. People are asked"
    ),
    "ApprovalTakenBack": lambda: _("Took the approval back. It is asked anew"),
}

_LAPSES: Mapping[str, Callable[[], str]] = {
    "precondition_failed": lambda: _("The approval lapsed: its premises had changed"),
    "Stopped": lambda: _("The approval lapsed: a stop is in force"),
    "Expired": lambda: _("The approval lapsed: its time was over"),
    "RuleChanged": lambda: _("The approval lapsed: another rule holds for it now"),
    "NotPermitted": lambda: _("The approval lapsed: it no longer had the authority"),
    "DigestMismatch": lambda: _("The approval lapsed: what is stored is not what was approved"),
}
