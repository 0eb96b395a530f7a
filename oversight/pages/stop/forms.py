"""What somebody who stops everything, or lets it go on, has to say."""

from django import forms
from django.utils.translation import gettext_lazy as _

from oversight.reading.typed import SaidForm, Words


class PlaceForm(SaidForm):
    """Nothing is chosen beforehand: whether rollbacks run is a decision of its own."""

    reason = Words(label=_("Reason"), help_text=_("Everybody reads it, and it is kept."))
    rollbacks = forms.ChoiceField(
        label=_("Rollbacks"),
        help_text=_("What the world shows to be wrong: is it taken back meanwhile?"),
        choices=[("run", _("They run")), ("wait", _("They wait, too"))],
        widget=forms.RadioSelect,
    )


class LiftForm(SaidForm):
    """`stop_id` is the stop that was shown: nobody lifts another one by a page that is old."""

    stop_id = forms.UUIDField(widget=forms.HiddenInput)
    reason = Words(label=_("Reason"), help_text=_("Why it is safe to go on."))
