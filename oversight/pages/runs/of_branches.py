"""What a run says of its branches."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from oversight.pages.runs.sentence import Facts, Sentence
from oversight.showing import words


def begun(facts: Facts) -> Sentence:
    branches = facts["branches"]
    said = ngettext("Branched into %(count)s run", "Branched into %(count)s runs", len(branches))
    told = [f"{name}: {one['workflow']}" for name, one in branches.items()]
    return Sentence(words=said % {"count": len(branches)}, glyph="layers", detail=", ".join(told))


def recalled(facts: Facts) -> Sentence:
    words_ = _("Asked the branches that are under way to end")
    return Sentence(words=words_, glyph="hourglass", tone="wait", detail=facts["reason"])


def joined(facts: Facts) -> Sentence:
    """Each with how it ended."""
    told = [f"{name}: {_ended(one)}" for name, one in facts["branches"].items()]
    words_ = _("Every branch has ended")
    return Sentence(words=words_, glyph="layers", tone="info", detail=", ".join(told))


def _ended(one: Facts) -> str:
    return str(words.shown("run", one["status"]).word).lower()
