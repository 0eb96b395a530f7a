"""Why somebody may not do a thing: the engine's own sentences, in the reader's language."""

import re
from collections.abc import Callable, Mapping

from django.utils.translation import gettext as _

_MEMBERS = re.compile(r'only members of "(?P<group>.+)" decide this')


def in_words(sentence: str) -> str:
    """What the engine says, as a sentence. One that is not known here is shown as it came."""
    bare = _bare(sentence)
    if bare in _KNOWN:
        return _KNOWN[bare]()
    only = _MEMBERS.fullmatch(bare)
    return _('Only members of "%(group)s" decide this.') % only.groupdict() if only else sentence


def _bare(sentence: str) -> str:
    """As the database says it: neither a capital nor a full stop."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


_KNOWN: Mapping[str, Callable[[], str]] = {
    "no policy is in force": lambda: _("No policy is in force: nobody may decide anything."),
    "this person is not active": lambda: _("This account is closed."),
    "who started it never decides it": lambda: _("Who started it never decides it."),
    "who edited it never decides it": lambda: _("Who edited it never decides it."),
    "this second factor does not count here": lambda: _("This second factor does not count here."),
    "only administrators do this": lambda: _("Only administrators do this."),
    "nobody changes what they may do themselves": lambda: _(
        "Nobody changes what they may do themselves."
    ),
    "somebody has to administer": lambda: _("Somebody has to administer: make another one first."),
    "somebody has changed it meanwhile": lambda: _("Somebody else has changed it meanwhile."),
    "nothing would change": lambda: _("Nothing would change by it."),
    "who proposed it never puts it in force": lambda: _("Who proposed it never puts it in force."),
}
