"""Why somebody may not do a thing: the engine's own sentences, in the reader's language."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from engine.errors import PlacetError
from oversight.showing.when import absolute


def in_words(sentence: str) -> str:
    """What the engine says, as a sentence. One that is not known here is shown as it came."""
    bare = _bare(sentence)
    if bare in _KNOWN:
        return _KNOWN[bare]()
    for pattern, words in _NAMING.items():
        if found := pattern.fullmatch(bare):
            return words(**found.groupdict())
    return sentence


def denied(problem: PlacetError) -> PermissionDenied:
    """The 403 page, with why in the reader's language."""
    return PermissionDenied(in_words(problem.why))


def _bare(sentence: str) -> str:
    """As the database says it: neither a capital nor a full stop."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


_KNOWN: Mapping[str, Callable[[], str]] = {
    "no policy is in force": lambda: _("No policy is in force: nobody may decide anything."),
    "this person is not active": lambda: _("This account is closed."),
    "who started it never decides it": lambda: _("Who started it never decides it."),
    "who edited it never decides it": lambda: _("Who edited it never decides it."),
    "the proof of what was displayed is not one of ours": lambda: _(
        "The proof of what was displayed is not one of ours."
    ),
    "the proof of what was displayed is somebody else's": lambda: _(
        "The proof of what was displayed is somebody else's."
    ),
    "the proof of what was displayed is for something else": lambda: _(
        "The proof of what was displayed is for something else."
    ),
    "this second factor does not count here": lambda: _("This second factor does not count here."),
    "only administrators do this": lambda: _("Only administrators do this."),
    "nobody changes what they may do themselves": lambda: _(
        "Nobody changes what they may do themselves."
    ),
    "somebody has to administer": lambda: _("Somebody has to administer: make another one first."),
    "somebody has changed it meanwhile": lambda: _("Somebody else has changed it meanwhile."),
    "it is withdrawn already": lambda: _("It is withdrawn already."),
    "nothing would change": lambda: _("Nothing would change by it."),
    "who proposed it never puts it in force": lambda: _("Who proposed it never puts it in force."),
    "who proposed it never approves it": lambda: _("Who proposed it never approves it."),
    "whose agent it is never approves it": lambda: _("Whose agent it is never approves it."),
    "you have approved it already": lambda: _("You have approved it already."),
    "its risk is high": lambda: _("Never at high risk: each of these is decided by people."),
    "nothing takes it back": lambda: _("Never for what nothing takes back."),
    "its rule gives time to think": lambda: _("Never under a rule that gives time to think."),
    "its rule demands a fresh rehearsal": lambda: _(
        "Never under a rule that demands a fresh rehearsal."
    ),
    "its arguments have secrets": lambda: _("Never for an action with secret arguments."),
    "another rule holds for it by now": lambda: _("Another rule holds for it by now."),
}


def _rests(until: str) -> str:
    words = _("You have decided as many as your qualification allows: again from %(until)s on.")
    return words % {"until": absolute(datetime.fromisoformat(until))}


_NAMING: Mapping[re.Pattern[str], Callable[..., str]] = {
    re.compile(r'only members of "(?P<group>.+)" decide this'): lambda group: (
        _('Only members of "%(group)s" decide this.') % {"group": group}
    ),
    re.compile(r'only who is qualified by "(?P<training>.+)" decides this'): lambda training: (
        _('Only who holds a valid qualification of "%(training)s" for this action decides it.')
        % {"training": training}
    ),
    re.compile(r"who has decided so many rests until (?P<until>\S+)"): _rests,
}
