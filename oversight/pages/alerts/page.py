"""One alert's page, put together from what was read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from oversight.pages.alerts import standing, story
from oversight.pages.alerts.forms import AcceptForm, AcknowledgeForm, ResolveForm, ResumeForm
from oversight.pages.alerts.reads import Raised
from oversight.pages.alerts.standing import Stands
from oversight.reading import actors, journeys, log
from oversight.reading.typed import SaidForm
from oversight.showing import diff
from oversight.showing.timeline import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """All that keeps itself up to date while somebody looks at it."""

    alert: Raised
    compared: tuple[diff.Row, ...]
    stands: tuple[Stands, ...]
    entries: tuple[Entry, ...]
    live_url: str


def shown(alert: Raised, *, offered: str) -> Shown:
    """`offered`: the state of the alert that the reader's page has a form for."""
    told = story.of_alert(log.of_kinds(alert.run_id, *story.KINDS), alert)
    return Shown(
        alert=alert,
        compared=_compared(alert.details),
        stands=standing.of(journeys.told_by(log.of_effects(alert.run_id))),
        entries=story.entries(told, actors.names([event.actor for event in told])),
        live_url=_live_url(alert, offered),
    )


def _compared(details: Mapping[str, Any]) -> tuple[diff.Row, ...]:
    """Expected beside observed; what differs first. Nothing where nothing was compared."""
    expected, observed = details.get("expected"), details.get("observed")
    if expected is None and observed is None:
        return ()
    found = diff.rows(_group(expected), _group(observed))
    return tuple(sorted(found, key=lambda row: row.change == "same"))


def _group(value: object) -> Mapping[str, object]:
    """A value that is no group of its own gets a name to be shown by."""
    if value is None:
        return {}
    return value if isinstance(value, Mapping) else {"value": value}


def _live_url(alert: Raised, offered: str) -> str:
    if alert.status == "resolved" and alert.run_ended:
        return ""
    query = {"seen": mark(alert), "offered": offered}
    return reverse("alerts:live", args=[alert.alert_id], query=query)


def mark(alert: Raised) -> str:
    """Changes with every event of the run, and when what was promised is overdue."""
    return f"{alert.last_seq}{'o' if alert.overdue else ''}"


def assembled(alert: Raised, form: SaidForm | None, *, may_act: bool) -> dict[str, Any]:
    """Everything the page shows; `form` is one that came back with mistakes."""
    return {
        "shown": shown(alert, offered=alert.status if may_act else ""),
        "may_act": may_act,
        "answer": _answer(alert, form),
        "resume": _resume(alert, form),
        "accept": _accept(alert, form),
    }


def _answer(alert: Raised, form: SaidForm | None) -> SaidForm | None:
    """The form that an alert in this state has."""
    kind = {"open": AcknowledgeForm, "acknowledged": ResolveForm}.get(alert.status)
    if kind is None:
        return None
    return form if isinstance(form, kind) else kind()


def _resume(alert: Raised, form: SaidForm | None) -> SaidForm | None:
    """Only a run that is paused is let go on; one that a stop holds is not an alert's matter."""
    if alert.run_status != "paused" or alert.run_reason == "stop":
        return None
    return form if isinstance(form, ResumeForm) else ResumeForm()


def _accept(alert: Raised, form: SaidForm | None) -> SaidForm | None:
    """Where verification did not show what was approved, and the run waits for somebody's word."""
    if alert.kind != "verification_failed" or alert.run_reason != "verification_failed":
        return None
    return form if isinstance(form, AcceptForm) else AcceptForm()
