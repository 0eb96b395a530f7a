"""The drawn signs that stand beside words, as inline SVG.

A sign never carries a meaning alone: it is hidden from assistive technology and a word follows.
`glyphs.json` holds the path data, on a 16 by 16 grid: what is a `line`, what is a `fill`, what is
a paler fill (`ghost`), and whether the line is `dashed`. They take the colour of the text around
them.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TypedDict

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe


class Drawing(TypedDict, total=False):
    """SVG path data of one sign."""

    line: str
    fill: str
    ghost: str
    dashed: bool


DRAWINGS: Mapping[str, Drawing] = json.loads(Path(__file__).with_name("glyphs.json").read_text())


@cache
def glyph(name: str) -> SafeString:
    """The inline SVG of one sign. Raises KeyError for a name that was never drawn."""
    drawing = DRAWINGS[name]
    dashes = mark_safe(' stroke-dasharray="2.4 2.3"') if drawing.get("dashed") else ""
    return format_html(
        '<svg class="glyph" viewBox="0 0 16 16" aria-hidden="true" focusable="false">{}{}{}</svg>',
        _path("ghost", drawing.get("ghost")),
        _path("line", drawing.get("line"), dashes),
        _path("fill", drawing.get("fill")),
    )


def _path(part: str, data: str | None, more: str = "") -> SafeString:
    if data is None:
        return mark_safe("")
    return format_html('<path class="glyph__{}" d="{}"{}/>', part, data, more)
