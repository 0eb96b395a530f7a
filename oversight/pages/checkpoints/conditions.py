"""Conditions on the fields of the state that workflows declare searchable.

A field is one of those that are declared, a comparison one of those of its kind: nothing that
somebody types ever becomes the name of a column or a part of a statement.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from engine import workflows

MOST = 5
"""So many conditions may stand in one search."""

PARTS = ("field", "is", "value")
"""What the address says of each condition, once for each."""

_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?", re.ASCII)

COMPARISONS: Mapping[str, Promise] = {
    "eq": gettext_lazy("="),
    "lt": gettext_lazy("<"),
    "gt": gettext_lazy(">"),
    "le": gettext_lazy("≤"),
    "ge": gettext_lazy("≥"),
    "starts": gettext_lazy("starts with"),
}

FOR_KIND: Mapping[str, tuple[str, ...]] = {
    "number": ("eq", "lt", "gt", "le", "ge"),
    "text": ("eq", "starts"),
}

KINDS: Mapping[str, Promise] = {"number": gettext_lazy("number"), "text": gettext_lazy("text")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One comparison. `value` is a Decimal for a number, text for a text."""

    field: str
    comparison: str
    value: Decimal | str


def declared() -> dict[str, str]:
    """Every searchable field, and its kind. One that any workflow calls a number is a number."""
    found: dict[str, str] = {}
    for workflow in workflows.registered().values():
        for name, kind in workflow.searchable.items():
            found[name] = "number" if "number" in (kind, found.get(name)) else kind
    return dict(sorted(found.items()))


class ConditionForm(forms.Form):
    """One condition; an empty one restricts nothing."""

    field = forms.CharField(required=False, max_length=200, label=gettext_lazy("Field"))
    comparison = forms.ChoiceField(
        required=False, label=gettext_lazy("Comparison"), choices=list(COMPARISONS.items())
    )
    value = forms.CharField(
        required=False, max_length=400, strip=False, label=gettext_lazy("Value")
    )

    def __init__(self, number: int, said: Mapping[str, str], fields: Mapping[str, str]) -> None:
        super().__init__(said, auto_id=f"condition-{number}-%s", label_suffix="")
        self.kinds = fields
        choices = [("", _("no field"))]
        choices += [(name, f"{name} ({KINDS[kind]})") for name, kind in fields.items()]
        self.fields["field"].widget = forms.Select(choices=choices)

    def add_prefix(self, field_name: str) -> str:
        """All conditions share three names in the address."""
        return "is" if field_name == "comparison" else field_name

    def clean_field(self) -> str:
        name: str = self.cleaned_data["field"]
        if name and name not in self.kinds:
            raise ValidationError(_("No workflow declares a field “%(name)s”.") % {"name": name})
        return name

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        kind = self.kinds.get(found.get("field", ""))
        if kind is None:
            if "field" in found and found.get("value"):
                self.add_error("field", _("Say which field has this value."))
            return found
        if found.get("comparison") not in FOR_KIND[kind] and "comparison" in found:
            self.add_error("comparison", self._wrong_comparison(kind))
        if kind == "number" and not _NUMBER.fullmatch(found.get("value", "").strip()):
            self.add_error("value", _("This is no number: write it like 1000 or -2.50."))
        return found

    def _wrong_comparison(self, kind: str) -> str:
        known = " ".join(str(COMPARISONS[name]) for name in FOR_KIND[kind])
        return _("A %(kind)s is compared by: %(known)s") % {"kind": KINDS[kind], "known": known}

    @property
    def condition(self) -> Condition | None:
        """What a valid form says; nothing when it is empty."""
        said = self.cleaned_data
        if not said["field"]:
            return None
        number = self.kinds[said["field"]] == "number"
        value = Decimal(said["value"].strip()) if number else said["value"]
        return Condition(field=said["field"], comparison=said["comparison"], value=value)


class Conditions:
    """The conditions that the address carries, and one more to fill in."""

    def __init__(self, query: QueryDict) -> None:
        self.said = list(_said(query))
        blank: list[dict[str, str]] = [{}] if len(self.said) < MOST else []
        lines = [*self.said, *blank]
        fields = declared()
        self.forms = [ConditionForm(n, line, fields) for n, line in enumerate(lines, 1)]
        self.too_many = len(self.said) > MOST

    def is_valid(self) -> bool:
        understood = [form.is_valid() for form in self.forms]
        return all(understood) and not self.too_many

    @property
    def all(self) -> tuple[Condition, ...]:
        return tuple(form.condition for form in self.forms if form.condition)

    @property
    def asked(self) -> list[tuple[str, str]]:
        """The same for an address."""
        return [(part, line.get(part, "")) for line in self.said for part in PARTS]


def _said(query: QueryDict) -> Iterator[dict[str, str]]:
    lists = [query.getlist(part) for part in PARTS]
    for place in range(max(map(len, lists))):
        line = {
            part: texts[place] if place < len(texts) else ""
            for part, texts in zip(PARTS, lists, strict=True)
        }
        if line["field"] or line["value"]:
            yield line
