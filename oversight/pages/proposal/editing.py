"""The form in which a reviewer puts other arguments, made from what the action takes."""

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from engine import canonical
from engine.actions import ActionArguments
from engine.concealing import PREFIX
from engine.errors import BadInput
from oversight.reading.typed import SaidForm, Words
from oversight.showing import literal
from oversight.showing.text import is_hidden

Schema = Mapping[str, Any]

LONG = 80
"""Characters from which on a text is edited in more than one line."""

AS_TYPED = {"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false", "dir": "auto"}
AS_CODE = {**AS_TYPED, "dir": "ltr", "class": "edit__code"}


class Text(forms.CharField):
    """A text, as it was typed; line ends are one character."""

    def __init__(self, value: str, **kwargs: Any) -> None:
        many = len(value) > LONG or "\n" in value
        rows = min(12, 2 + value.count("\n") + len(value) // LONG)
        widget = forms.Textarea({**AS_TYPED, "rows": rows}) if many else forms.TextInput(AS_TYPED)
        super().__init__(strip=False, required=False, initial=value, widget=widget, **kwargs)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class Choice(forms.ChoiceField):
    """One of few values, each posted as the JSON that it is."""

    def __init__(self, value: object, values: list[Any], **kwargs: Any) -> None:
        choices = [(json.dumps(one), one if isinstance(one, str) else _said(one)) for one in values]
        super().__init__(choices=choices, initial=json.dumps(value), **kwargs)

    def clean(self, value: Any) -> Any:
        return json.loads(super().clean(value))


class AsJson(forms.CharField):
    """Any value, written as JSON: nothing in it is coerced, and nothing of it is invisible."""

    def __init__(self, value: object, **kwargs: Any) -> None:
        written = _written(value)
        rows = min(14, 1 + written.count("\n"))
        many = rows > 1 or len(written) > LONG
        widget = forms.Textarea({**AS_CODE, "rows": rows}) if many else forms.TextInput(AS_CODE)
        super().__init__(strip=True, initial=written, widget=widget, **kwargs)

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        try:
            (value,) = canonical.parse(f"[{text}]".encode())
        except (BadInput, ValueError) as problem:
            raise ValidationError(_("This is not JSON that everybody reads alike.")) from problem
        return value

    def validate(self, value: Any) -> None:
        """`null` is a value, too."""


class EditForm(SaidForm):
    """Every argument in a field of its own kind, and why it is edited.

    `arguments` are those that were shown. What holds a secret is not offered: it stays as it is.
    Left out of what is posted, an argument would be missing, and is refused.
    """

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    digest = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)
    displayed = forms.CharField(max_length=4000, widget=forms.HiddenInput)
    reason = Words(
        label=_("Why you edit it"), help_text=_("Others who decide this will read it."), rows=2
    )

    def __init__(
        self,
        model: type[ActionArguments],
        arguments: Mapping[str, Any],
        data: QueryDict | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data, **kwargs)
        schema = model.model_json_schema()
        self._arguments, self.kept = arguments, list[str]()
        self._places: dict[str, str] = {}
        for number, (name, value) in enumerate(arguments.items()):
            if _holds_a_secret(value):
                self.kept.append(name)
                continue
            self._places[name] = place = f"argument-{number}"
            described = schema.get("properties", {}).get(name, {})
            self.fields[place] = _field(value, _resolved(described, schema), label=name)

    def clean(self) -> dict[str, Any]:
        if any(place not in self.data for place in self._places.values()):
            self.add_error(None, _("An argument was left out."))
        return super().clean() or self.cleaned_data

    @property
    def rows(self) -> list[forms.BoundField]:
        """The fields of the arguments, in the order in which they are stored."""
        return [self[place] for place in self._places.values()]

    @property
    def edited(self) -> dict[str, Any]:
        """All arguments as they were posted, those that were not offered as they were shown."""
        posted = {name: self.cleaned_data[place] for name, place in self._places.items()}
        kept = {name: plain(self._arguments[name]) for name in self.kept}
        return {**kept, **posted}

    def refuse(self, problem: BadInput) -> None:
        """Say what is wrong beside the argument that it is about."""
        name = problem.path.removeprefix("$.arguments.").partition(".")[0].partition("[")[0]
        self.add_error(self._places.get(name), problem.message)


def _field(value: object, schema: Schema, *, label: str) -> forms.Field:
    more = {"label": label, "help_text": schema.get("description", "")}
    if schema.get("type") == "boolean":
        return Choice(value, [True, False], **more)
    if "enum" in schema and value in schema["enum"]:
        return Choice(value, list(schema["enum"]), **more)
    if schema.get("type") == "string" and _is_plain_text(value):
        return Text(str(value), **more)
    return AsJson(value, **{**more, "help_text": more["help_text"] or _("Written as JSON.")})


def _resolved(described: Schema, schema: Schema) -> Schema:
    """Where the type of an argument is described elsewhere in the schema, that."""
    name = str(described.get("$ref", "")).rpartition("/")[2]
    return schema.get("$defs", {}).get(name, described)


def _is_plain_text(value: object) -> bool:
    """A text that comes back from a form as it went there, with nothing in it that is not seen."""
    return isinstance(value, str) and not any(is_hidden(each) for each in value)


def _written(value: object) -> str:
    """As JSON. A text is written in ASCII: so every character of it is seen."""
    if isinstance(value, str) and not isinstance(value, literal.Number):
        return json.dumps(value)
    return literal.laid_out(value)


def _holds_a_secret(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_a_secret(one) for one in value.values())
    if isinstance(value, list):
        return any(_holds_a_secret(one) for one in value)
    return isinstance(value, str) and value.startswith(PREFIX)


def _said(value: object) -> Any:
    return {True: _("yes"), False: _("no")}.get(value, str(value))  # type: ignore[call-overload]


def plain(value: Any) -> Any:
    """A value read by `literal`, its numbers as numbers again."""
    if isinstance(value, literal.Number):
        return json.loads(value)
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value
