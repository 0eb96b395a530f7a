"""What the page of the world may be sent."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class ChangeForm(forms.Form):
    """Somebody pays out of the desk, or into it, past Placet."""

    WAYS = (("out", _("Pay it out elsewhere")), ("in", _("Pay it in")))

    amount = forms.DecimalField(
        label=_("Amount"),
        initial="500.00",
        min_value=Decimal("0.01"),
        max_value=Decimal("9999.99"),
        max_digits=6,
        decimal_places=2,
        help_text=_("In euros."),
    )
    way = forms.ChoiceField(choices=WAYS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)

    @property
    def change(self) -> Decimal:
        """What the desk's balance changes by."""
        amount: Decimal = self.cleaned_data["amount"]
        return amount if self.cleaned_data["way"] == "in" else -amount
