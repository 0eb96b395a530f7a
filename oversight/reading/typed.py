"""What people type: words of their own, and times, in the zone in which they typed them."""

from datetime import tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django import forms
from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils import timezone

MOST = 4000
"""Characters of somebody's words."""


class Words(forms.CharField):
    """Somebody's own words, their line ends as one character, as they are shown everywhere."""

    def __init__(self, *, rows: int = 3, **kwargs: Any) -> None:
        widget = forms.Textarea(attrs={"rows": rows})
        super().__init__(max_length=MOST, widget=widget, **kwargs)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class Moment(forms.DateTimeField):
    """A day and a time, as a browser sends them: without the zone, which comes beside them."""

    input_formats = ("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=forms.DateTimeInput(attrs={"type": "datetime-local"}), **kwargs)


class SaidForm(forms.Form):
    """A form in which every field is there once at most: BadRequest otherwise, for of two values
    nobody could tell which was meant."""

    def __init__(self, data: QueryDict | None = None, **kwargs: Any) -> None:
        if data is not None:
            _refuse_repeated(data)
        super().__init__(data, label_suffix="", **kwargs)

    def is_valid_where_typed(self) -> bool:
        """Whether it is valid, its times read in the zone that it names."""
        with timezone.override(_zone(self.data)):
            return self.is_valid()


def _refuse_repeated(data: QueryDict) -> None:
    for name in data:
        if len(data.getlist(name)) > 1:
            raise BadRequest(f"The field {name!r} is there more than once.")


def _zone(data: Any) -> tzinfo:
    """The zone that the page's script named; without one, the zone that the page speaks of.

    Raises BadRequest for a zone that does not exist: a time in it would be a guess.
    """
    name = data.get("zone", "")
    if not name:
        return timezone.get_current_timezone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as problem:
        raise BadRequest("This is no zone.") from problem
