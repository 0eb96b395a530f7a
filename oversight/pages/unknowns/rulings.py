"""What an operator may say of an effect in doubt, what each needs, and what follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from oversight.pages.unknowns.reads import Doubt


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """One choice: its words, and what happens next; of a rollback other things follow."""

    words: Promise
    follows: Promise
    follows_for_rollback: Promise

    def next_for(self, doubt: Doubt) -> Promise:
        return self.follows_for_rollback if doubt.compensates else self.follows


_WAITS = _("A worker asks the target again at that time. Until then the run stands still.")
_PARTLY = _(
    "It is never committed, and nothing is rolled back by itself: the run stays paused, and an "
    "alert asks a person to put it right."
)

RULINGS: Mapping[str, Ruling] = {
    "happened": Ruling(
        words=_("It happened"),
        follows=_(
            "The target is read again. Only if it shows what was approved is the effect "
            "committed; if it shows something else, an alert is raised, and a person takes it "
            "back by hand: the plan needs the answer that never came."
        ),
        follows_for_rollback=_(
            "The target is read again. If it shows what was before, the effect counts as taken "
            "back; if not, the run stays paused and an alert is raised."
        ),
    ),
    "did_not_happen": Ruling(
        words=_("It did not happen"),
        follows=_(
            "It is never sent again under this approval. The run goes on without it, or ends."
        ),
        follows_for_rollback=_(
            "What was to be taken back still stands: the run stays paused, and an alert asks a "
            "person."
        ),
    ),
    "partly": Ruling(words=_("It happened in part"), follows=_PARTLY, follows_for_rollback=_PARTLY),
    "keep_waiting": Ruling(words=_("Keep waiting"), follows=_WAITS, follows_for_rollback=_WAITS),
}
"""By the words of `engine.states.RESOLUTIONS`, in the order of the form."""
