"""Filters as the address of a list carries them: nothing is guessed and nothing is passed over."""

import re
import uuid
from datetime import UTC, datetime
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

_ISO = re.compile(
    r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII
)
"""A day, or an instant of it; Python would take much else for one."""


class Moment(forms.Field):
    """An instant in ISO 8601. Without a zone it is in UTC, and in UTC it is shown."""

    widget = forms.TextInput(attrs={"step": "any"})

    def __init__(self, **wishes: Any) -> None:
        super().__init__(required=False, **wishes)
        self.widget.input_type = "datetime-local"

    def to_python(self, value: Any) -> datetime | None:
        return _instant(value) if value and value.strip() else None

    def prepare_value(self, value: Any) -> Any:
        """As the browser's own control wants it; what is no instant stays as it is."""
        try:
            return _in_the_control(_instant(value)) if value else value
        except ValidationError:
            return value


def _in_the_control(moment: datetime) -> str:
    precision = "milliseconds" if moment.microsecond else "seconds"
    return moment.replace(tzinfo=None).isoformat(timespec=precision)


def _instant(text: str) -> datetime:
    try:
        if not _ISO.fullmatch(text.strip()):
            raise ValueError("not written as an instant is")
        read = datetime.fromisoformat(text.strip())
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as problem:
        words = _("“%(text)s” is no time. Write it like 2026-11-29T18:05, in UTC.")
        raise ValidationError(words % {"text": text[:60]}) from problem


class Identifier(forms.UUIDField):
    """The UUID of something."""

    def __init__(self, **wishes: Any) -> None:
        super().__init__(required=False, **wishes)
        self.error_messages["invalid"] = gettext_lazy("This is no identifier: write all of it.")

    def prepare_value(self, value: Any) -> Any:
        return str(value) if isinstance(value, uuid.UUID) else value


class FilterForm(forms.Form):
    """Filters by GET. An empty field does not restrict; what is not understood is told beside it.

    `beside` names what else the address of the list may say.
    """

    beside: ClassVar[tuple[str, ...]] = ("older", "newer", "seen")

    def __init__(self, query: QueryDict) -> None:
        self.query = query
        super().__init__(query, auto_id="filter-%s", label_suffix="")

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        for name in self.query:
            if name not in self.fields and name not in self.beside:
                self.add_error(None, _("There is no filter “%(name)s”.") % {"name": name})
            elif name in self.fields and len(self.query.getlist(name)) > 1:
                self.add_error(name, _("This is there more than once; it can be there once."))
        return found

    @property
    def asked(self) -> dict[str, str]:
        """What was filled in, as the address says it."""
        said = {name: str(self.query.get(name, "")) for name in self.fields}
        return {name: text for name, text in said.items() if text}
