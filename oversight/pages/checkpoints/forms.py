"""What the addresses of the search, of the state at an event and of a comparison may say."""

from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from engine import states
from oversight.pages.checkpoints import places
from oversight.pages.checkpoints.conditions import MOST, PARTS, Condition, Conditions
from oversight.pages.checkpoints.places import Place
from oversight.reading.filters import FilterForm, Identifier, Moment
from oversight.showing import words


class CheckpointFilter(FilterForm):
    """Which checkpoints somebody looks for, but for the conditions on their state."""

    beside: ClassVar[tuple[str, ...]] = (*FilterForm.beside, *PARTS)

    run = Identifier(label=gettext_lazy("Run"))
    workflow = forms.CharField(
        label=gettext_lazy("Workflow"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"list": "known-workflows"}),
    )
    node = forms.CharField(
        label=gettext_lazy("Node"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"list": "known-nodes"}),
    )
    status = forms.ChoiceField(
        label=gettext_lazy("Status"),
        required=False,
        choices=[
            ("", gettext_lazy("every status")),
            *((status, words.shown("run", status).word) for status in states.RUN),
        ],
        error_messages={"invalid_choice": gettext_lazy("No run has a status “%(value)s”.")},
    )
    since = Moment(label=gettext_lazy("From (UTC)"))
    until = Moment(label=gettext_lazy("Before (UTC)"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A whole search: the filters, and the conditions on fields of the state."""

    form: CheckpointFilter
    conditions: Conditions

    @classmethod
    def read(cls, query: QueryDict) -> "Search":
        search = cls(form=CheckpointFilter(query), conditions=Conditions(query))
        if search.conditions.too_many:
            search.form.add_error(
                None, _("At most %(most)d conditions can stand in one search.") % {"most": MOST}
            )
        return search

    @property
    def understood(self) -> bool:
        return all([self.form.is_valid(), self.conditions.is_valid()])

    @property
    def filters(self) -> dict[str, Any]:
        return self.form.cleaned_data

    @property
    def wanted(self) -> tuple[Condition, ...]:
        return self.conditions.all

    @property
    def asked(self) -> list[tuple[str, str]]:
        """The same search, for an address."""
        return [*self.form.asked.items(), *self.conditions.asked]


class AtForm(FilterForm):
    """After which event of which run."""

    beside: ClassVar[tuple[str, ...]] = ()

    run = Identifier(label=gettext_lazy("Run"))
    seq = forms.IntegerField(
        label=gettext_lazy("Number of the event"),
        required=False,
        min_value=1,
        max_value=2**63 - 1,
        error_messages={"invalid": gettext_lazy("An event has a whole number.")},
    )

    def clean(self) -> dict[str, Any]:
        found = super().clean()
        if self.query:
            for name in ("run", "seq"):
                if name in found and found[name] is None:
                    self.add_error(name, _("Both are needed."))
        return found


class PlaceField(forms.Field):
    """A checkpoint, or `run@number`."""

    def __init__(self, **wishes: Any) -> None:
        super().__init__(required=False, **wishes)

    def to_python(self, value: Any) -> Place | None:
        return places.read(value) if value and value.strip() else None


class CompareForm(forms.Form):
    """Two places; both are called `of` in the address."""

    one = PlaceField(label=gettext_lazy("From"))
    other = PlaceField(label=gettext_lazy("To"))

    def __init__(self, query: QueryDict) -> None:
        said = query.getlist("of")
        self.too_many = len(said) > 2
        self.unknown = [name for name in query if name not in ("of", "all")]
        super().__init__(
            dict(zip(("one", "other"), said, strict=False)), auto_id="compare-%s", label_suffix=""
        )
        self.is_asked = bool(said or self.unknown)

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        for name in self.unknown:
            self.add_error(None, _("There is no filter “%(name)s”.") % {"name": name})
        if self.too_many:
            self.add_error(None, _("Two places are compared, no more."))
        for name in ("one", "other") if self.is_asked else ():
            if name in found and found[name] is None:
                self.add_error(name, _("Two places are compared: name this one, too."))
        return found

    @property
    def places(self) -> tuple[Place, Place]:
        return self.cleaned_data["one"], self.cleaned_data["other"]
