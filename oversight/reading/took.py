"""How long people took to decide: counted by the same lengths wherever it is told, drawn alike."""

from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from typing import Any

from django.db.models import Aggregate, Count, DurationField, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from oversight.showing import when
from oversight.showing.chart import Chart, Point

LENGTHS = (
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=4),
)
"""Up to how long a decision took, for counting; what took longer comes last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """How many decisions took how long: one count for each of LENGTHS, and a last one. Half of them
    took no longer than `median`, nine in ten no longer than `ninth`; None where there are none."""

    counts: tuple[int, ...]
    median: timedelta | None
    ninth: timedelta | None

    @property
    def measured(self) -> int:
        return sum(self.counts)


class Percentile(Aggregate):
    """The length that this share of all did not exceed."""

    template = "percentile_cont(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = DurationField()


def of(timed: QuerySet[Any]) -> Took:
    """Of decisions that have their length as `took`; where that is null, none was measured."""
    spans = [_between(*each) for each in zip((None, *LENGTHS), (*LENGTHS, None), strict=True)]
    found: dict[str, Any] = timed.aggregate(
        median=Percentile("took", share=0.5),
        ninth=Percentile("took", share=0.9),
        **{f"up_to_{place}": Count("pk", filter=each) for place, each in enumerate(spans)},
    )
    counts = tuple(found[f"up_to_{place}"] for place in range(len(spans)))
    return Took(counts=counts, median=found["median"], ninth=found["ninth"])


def _between(start: timedelta | None, end: timedelta | None) -> Q:
    over = Q(took__gte=start) if start else Q()
    return over & Q(took__lt=end) if end else over


def chart(
    took: Took, *, name: str, title: str, summary: str | Promise, what: str, url: str = ""
) -> Chart:
    """One bar for each length; `url` leads to what was counted."""
    spans = [when.span(length) for length in LENGTHS]
    words = [_("under %(span)s") % {"span": span} for span in spans]
    words.append(_("%(span)s and more") % {"span": spans[-1]})
    return Chart(
        name=name,
        title=title,
        summary=summary,
        points=tuple(
            Point(count=count, words=word, url=url)
            for count, word in zip(took.counts, words, strict=True)
        ),
        what=what,
        unit=_("Decisions"),
        first=words[0],
        last=_("over %(span)s") % {"span": spans[-1]},
    )


def within(length: timedelta) -> str:
    """Rounded up: within so long, it was."""
    return when.span(timedelta(seconds=ceil(length.total_seconds()) or 1))
