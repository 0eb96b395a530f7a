"""What the events of the installation's own logs say: stops, exports, and who did them."""

from django.utils.translation import gettext as _

from oversight.pages.runs.sentence import Facts, Sentence


def begun(facts: Facts) -> Sentence:
    return Sentence(words=_("Log of %(day)s begun") % {"day": facts["node"]}, glyph="play")


def stop_placed(facts: Facts) -> Sentence:
    held = _("Stopped everything, rollbacks too")
    words_ = _("Stopped everything but rollbacks") if facts["rollbacks_run"] else held
    return Sentence(words=words_, glyph="stop", tone="bad", detail=facts["reason"])


def stop_lifted(facts: Facts) -> Sentence:
    return Sentence(words=_("Lifted the stop"), glyph="play", tone="good", detail=facts["reason"])


def export_made(facts: Facts) -> Sentence:
    return Sentence(words=_("Made an export"), glyph="out", tone="info")
