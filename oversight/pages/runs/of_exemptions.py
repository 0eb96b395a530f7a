"""What the events of standing exemptions say: in a run's log, and in the installation's own."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from oversight.pages.runs.sentence import Facts, Sentence
from oversight.showing import exemption, literal


def exempted(facts: Facts) -> Sentence:
    words_ = _("Let through by a standing exemption that %(people)s gave")
    return Sentence(
        words=words_ % {"people": exemption.names(name for _id, name in facts["people"])},
        glyph="seal",
        tone="info",
        detail=_left(facts),
    )


def drawn(facts: Facts) -> Sentence:
    words_ = _("Drawn by lot: asked of people, although a standing exemption is for it")
    return Sentence(words=words_, glyph="eye", tone="wait", detail=_left(facts))


def _left(facts: Facts) -> str:
    left = int(facts["uses_left"])
    return ngettext("%(count)d use left", "%(count)d uses left", left) % {"count": left}


def proposed(facts: Facts) -> Sentence:
    shown = literal.read(facts["content"])
    words_ = _("Proposed a standing exemption for %(action)s by %(agent)s")
    return Sentence(
        words=words_ % {"action": shown["action"], "agent": shown["agent"]},
        glyph="seal",
        tone="wait",
        detail=facts["reason"],
    )


def approved(facts: Facts) -> Sentence:
    words_ = _("Approved a standing exemption")
    return Sentence(words=words_, glyph="seal", tone="good", detail=facts["reason"])


def ended(facts: Facts) -> Sentence:
    words_ = _("Ended a standing exemption: %(why)s") % {"why": exemption.end(facts["why"])}
    return Sentence(words=words_, glyph="seal", tone="bad", detail=facts["reason"] or "")
