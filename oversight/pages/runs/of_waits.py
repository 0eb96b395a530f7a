"""What a run says of its waits, and of the events from outside that end them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.translation import gettext as _

from oversight.pages.runs.sentence import Facts, Sentence
from oversight.showing import literal, when


def parked(facts: Facts) -> Sentence:
    return waits(facts["awaiting"])


def waits(awaiting: Facts) -> Sentence:
    """What a run waits for."""
    said = WAITS.get(awaiting["what"], lambda facts: _("Waits"))
    detail = awaiting.get("key", "")
    return Sentence(words=said(awaiting), glyph="clock", tone="wait", detail=detail)


WAITS: Mapping[str, Callable[[Facts], str]] = {
    "decision": lambda facts: _("Waits for a decision"),
    "answer": lambda facts: _("Waits for the agent to answer"),
    "agent": lambda facts: _("Waits for the agent to speak next"),
    "verification": lambda facts: _("Waits to look at the target again"),
    "reconciliation": lambda facts: _("Waits to ask the target again"),
    "event": lambda facts: _("Waits for the event “%(name)s”") % {"name": facts["name"]},
    "branches": lambda facts: _("Waits for its branches"),
    "time": lambda facts: _("Waits until %(moment)s") % {"moment": _moment(facts)},
}
"""What a run may wait for."""


def begun(facts: Facts) -> Sentence:
    if facts["what"] == "time":
        words_ = _("Is to wait until %(moment)s") % {"moment": _moment(facts)}
        return Sentence(words=words_, glyph="clock", tone="wait")
    words_ = _("Is to wait for the event “%(name)s”, until %(moment)s") % {
        "name": facts["name"],
        "moment": _moment(facts),
    }
    return Sentence(words=words_, glyph="clock", tone="wait", detail=facts["key"])


def received(facts: Facts) -> Sentence:
    words_ = _("Received the event “%(name)s”") % {"name": facts["name"]}
    return Sentence(words=words_, glyph="world", tone="info", detail=_content(facts))


def elapsed(facts: Facts) -> Sentence:
    if facts["what"] == "time":
        return Sentence(words=_("The time has come"), glyph="hourglass")
    if facts["what"] == "branches":
        words_ = _("The time for the branches is up")
        return Sentence(words=words_, glyph="hourglass", tone="wait")
    words_ = _("The event “%(name)s” did not come in time") % {"name": facts["name"]}
    return Sentence(words=words_, glyph="hourglass", tone="wait", detail=facts["key"])


def kept(facts: Facts) -> Sentence:
    words_ = _("Kept the event “%(name)s”: nothing waits for it yet") % {"name": facts["name"]}
    return Sentence(words=words_, glyph="world", detail=_content(facts))


def _content(facts: Facts) -> str:
    """What the sender sent, as theirs."""
    return literal.laid_out({name: facts[name] for name in ("key", "external_id", "payload")})


def _moment(facts: Facts) -> str:
    """When the wait ends, as the clocks of its own zone show it, or else those of the reader."""
    until = datetime.fromisoformat(facts["until"])
    if "zone" not in facts:
        return when.absolute(until)
    with timezone.override(ZoneInfo(facts["zone"])):
        return when.absolute(until)
