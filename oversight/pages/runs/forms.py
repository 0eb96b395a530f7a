"""What the address of the list or of a run may say."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from engine import states
from oversight.reading.keyset import Cursor
from oversight.reading.typed import SaidForm, Words

ENDED = states.terminal(states.RUN)

PAUSED = "paused"

INSTALLATION = "installation"
"""The choice of the installation's own logs, which are no runs of a workflow."""

PLACES: Mapping[str, tuple[str, ...]] = {
    "all": tuple(states.RUN),
    "under-way": tuple(status for status in states.RUN if status not in ENDED),
    PAUSED: ("paused",),
    "ended": ENDED,
    INSTALLATION: tuple(states.RUN),
}
"""The choices of the list, and the states of the runs in each."""

VIEWS = ("timeline", "log")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWish:
    """Which runs are asked for, and which page of them; `reason` is of paused ones alone."""

    show: str
    reason: str
    cursor: Cursor

    @property
    def statuses(self) -> tuple[str, ...]:
        return PLACES[self.show]

    @property
    def of_installation(self) -> bool:
        return self.show == INSTALLATION


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWish:
    """How one run is looked at, up to which event (None: the newest), and what was seen of it."""

    view: str
    up_to: int | None
    seen: str


def read_list(query: QueryDict) -> ListWish:
    """Raises BadRequest for a choice that the list does not have."""
    show = query.get("show", "all")
    reason = query.get("reason", "")
    if show not in PLACES or not _is_asked_for(reason, show):
        raise BadRequest("The list has no such choice.")
    return ListWish(show=show, reason=reason, cursor=Cursor.read(query))


def _is_asked_for(reason: str, show: str) -> bool:
    return not reason or (show == PAUSED and reason in states.PAUSE_REASONS)


def read_run(query: QueryDict) -> RunWish:
    """Raises BadRequest for a view that a run does not have, or for what is no event number."""
    view, up_to = query.get("view", VIEWS[0]), query.get("up_to")
    if view not in VIEWS or not (up_to is None or _is_number(up_to)):
        raise BadRequest("A run cannot be looked at like this.")
    return RunWish(view=view, up_to=int(up_to) if up_to else None, seen=query.get("seen", ""))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < len(text) < 18


class ControlForm(SaidForm):
    """Why a run is to stand still, go on or end. The buttons carry which."""

    reason = Words(label=_("Reason"), help_text=_("Kept in the run's log with your name."), rows=2)


class ForkForm(SaidForm):
    """Where a new run is to begin, and why."""

    seq = forms.IntegerField(
        label=_("After event"), help_text=_("The number that it has in the log."), min_value=1
    )
    reason = Words(label=_("Reason"), help_text=_("Kept in the new run's log."), rows=2)


class RollbackForm(SaidForm):
    """Why effects are taken back. Which ones is said by boxes, one for each effect."""

    reason = Words(label=_("Reason"), help_text=_("Kept in the run's log with your name."), rows=2)

    def __init__(self, data: QueryDict | None = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.chosen = frozenset(_chosen(data or QueryDict()))

    def clean(self) -> None:
        if not self.chosen:
            self.add_error(None, _("Choose at least one effect."))


def _chosen(data: QueryDict) -> Iterator[uuid.UUID]:
    """The effects whose boxes are ticked. Raises BadRequest for what is no effect's name."""
    for name in data:
        prefix, _dash, effect = name.partition("-")
        if prefix == "take":
            try:
                yield uuid.UUID(effect)
            except ValueError as problem:
                raise BadRequest("This is no effect.") from problem


class ByHandForm(SaidForm):
    """What shows that an effect was taken back by hand, and why it was."""

    effect = forms.UUIDField(widget=forms.HiddenInput)
    seen_evidence = Words(
        label=_("Evidence"), help_text=_("What shows that it is done, and where."), rows=2
    )
    reason = Words(label=_("Reason"), help_text=_("Kept in the run's log with your name."), rows=2)


class BudgetForm(SaidForm):
    """Other limits for a run; what is left empty is as the installation has it."""

    max_steps = forms.IntegerField(label=_("Steps"), required=False, min_value=0)
    max_effects = forms.IntegerField(label=_("Effects"), required=False, min_value=0)
    max_tokens = forms.IntegerField(label=_("Tokens"), required=False, min_value=0)
    max_money = forms.CharField(label=_("Money"), required=False, max_length=20)
    max_seconds = forms.IntegerField(label=_("Working seconds"), required=False, min_value=0)
    reason = Words(label=_("Reason"), help_text=_("Kept in the run's log with your name."), rows=2)

    @property
    def limits(self) -> dict[str, int | str]:
        said = self.cleaned_data.items()
        return {name: value for name, value in said if name != "reason" and value not in (None, "")}
