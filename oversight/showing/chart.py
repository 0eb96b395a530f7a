"""Small bar charts, drawn on the server: the picture, and beside it the same numbers as a table.

The picture is one image with a sentence for its name; every number can be read in the table. The
drawing is stretched to the width that it is given, so nothing in it is a letter or a round corner.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

HEIGHT = 100
"""Of the drawing, in its own units; the bar of the greatest count is as high."""

STEP, BAR = 12, 9
"""How far two bars are from one another, and how wide one is."""

LEAST = 3
"""The height of a bar that stands for next to nothing: it is still seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One count. It is called by its `words`, or by the moment `at` when its span begins.

    `url` leads to what was counted.
    """

    count: int
    words: str | Promise = ""
    at: datetime | None = None
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """`summary` says in a sentence what the picture shows; `first` and `last` stand at its ends.

    `what` and `unit` head the two columns of the table.
    """

    name: str
    title: str | Promise
    summary: str | Promise
    points: tuple[Point, ...]
    what: str | Promise
    unit: str | Promise
    first: str | Promise
    last: str | Promise

    @property
    def counted(self) -> tuple[Point, ...]:
        """The points that are not nought; the table leaves the others out."""
        return tuple(point for point in self.points if point.count)

    @property
    def picture(self) -> SafeString:
        return bars([point.count for point in self.points], self.summary)


def bars(counts: Sequence[int], summary: str | Promise) -> SafeString:
    """An SVG image of one bar for each count, from left to right. Raises ValueError below 0."""
    if any(count < 0 for count in counts):
        raise ValueError("a bar cannot be drawn for less than nothing")
    most = max(counts, default=0)
    return format_html(
        '<svg class="chart__plot" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img"'
        ' aria-label="{}" focusable="false">{}</svg>',
        max(len(counts), 1) * STEP,
        HEIGHT,
        summary,
        format_html_join(
            "",
            '<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>',
            (_bar(place, count, most) for place, count in enumerate(counts)),
        ),
    )


def _bar(place: int, count: int, most: int) -> tuple[str, int, int, int, int]:
    """Class, x, y, width and height; a count of nought leaves only a trace of its place."""
    height = max(HEIGHT * count // most, LEAST) if count else 1
    kind = "chart__bar" if count else "chart__bar chart__bar--none"
    return kind, place * STEP + (STEP - BAR) // 2, HEIGHT - height, BAR, height
