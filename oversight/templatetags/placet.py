"""The template tags and filters of every page: `{% load placet %}`."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from oversight.showing import action as names_of_actions
from oversight.showing import diff as differences
from oversight.showing import glyphs, literal, text, words
from oversight.showing import initials as names
from oversight.showing import money as amounts
from oversight.showing import when as moments

register = template.Library()

_REFERENCE = re.compile(r'"\$value": "sha256:([0-9a-f]{64})",\s+"bytes": ([0-9]{1,15})')


@register.simple_tag
def state(kind: str, value: str, look: str = "pill") -> SafeString:
    """A state with its sign, word and tone. `look` is `pill`, or `plain` for dense tables."""
    shown = words.shown(kind, value)
    return format_html(
        '<span class="state state--{} tone-{}" title="{}">{}<span>{}</span></span>',
        look,
        shown.tone,
        shown.meaning,
        glyphs.glyph(shown.glyph),
        shown.word,
    )


@register.filter
def as_json(value: object) -> str:
    """For a script to read from an attribute; escaped as any text is."""
    return json.dumps(value)


@register.simple_tag
def glyph(name: str) -> SafeString:
    """One drawn sign, hidden from assistive technology."""
    return glyphs.glyph(name)


@register.simple_tag
def when(moment: datetime) -> SafeString:
    """A moment in the reader's zone, and how far it is from now."""
    return moments.when(moment, moments.now())


@register.simple_tag
def far(moment: datetime) -> SafeString:
    """Only the distance from now, for dense tables; the whole moment is in its title."""
    return moments.distance(moment, moments.now())


@register.simple_tag
def clock(moment: datetime) -> SafeString:
    """Only the time of day, for tight places; the whole moment is in its title."""
    return moments.clock(moment)


@register.simple_tag
def ident(value: object, length: int = 8) -> SafeString:
    """The last characters of an identifier, the whole of it in the title and for copying."""
    whole = str(value)
    return format_html('<code class="ident" title="{}">{}</code>', whole, whole[-length:])


@register.simple_tag
def money(amount: str, currency: str = "") -> SafeString:
    """A decimal string exactly as typed, with its currency."""
    return amounts.money(amount, currency)


@register.simple_tag
def live(url: str, seconds: int = 3) -> SafeString:
    """The attributes of a region that asks `url` for its newer self every few seconds.

    The answer is 204 while nothing has changed, and the whole region otherwise; a region that
    will not change again is sent without this tag. The region needs an id.
    """
    return format_html(
        'data-live hx-get="{}" hx-trigger="every {}s" hx-swap="outerHTML" hx-target="this"',
        url,
        seconds,
    )


@register.inclusion_tag("parts/diff.html")
def diff(
    before: Mapping[str, object], after: Mapping[str, object], label: str = ""
) -> dict[str, Any]:
    """The typed before → after table of two values."""
    return {"rows": differences.rows(before, after), "label": label}


@register.filter
def revealed(value: object, direction: str = "auto") -> SafeString:
    """Text that somebody else wrote, escaped, isolated, nothing hidden; `"ltr"` for code."""
    return text.revealed_code(value) if direction == "ltr" else text.revealed(value)


@register.filter
def action(label: str) -> SafeString:
    """The name of an action, leading to its page."""
    return names_of_actions.link(label)


@register.filter
def cautions(value: object) -> tuple[text.Caution, ...]:
    """What a text hides, for `parts/said.html`."""
    return text.cautions(str(value))


@register.filter
def laid_out(value: object) -> str:
    """A JSON value on indented lines; bytes are read as stored JSON first."""
    return literal.laid_out(literal.read(value) if isinstance(value, bytes) else value)


@register.filter
def large_values(laid_out: str) -> list[tuple[str, int]]:
    """(digest, bytes) of each value that JSON on indented lines refers to."""
    return [(digest, int(size)) for digest, size in dict.fromkeys(_REFERENCE.findall(laid_out))]


@register.filter
def line_count(value: str) -> int:
    """How many lines a text has."""
    return value.count("\n") + 1


@register.filter
def initials(name: str) -> str:
    """The two letters that stand for a person."""
    return names.initials(str(name))


@register.filter
def sides(side: differences.Side | None) -> SafeString:
    """One side of a difference, isolated, with the part that differs marked."""
    if side is None:
        return mark_safe("")
    marked = [
        format_html("<mark>{}</mark>", text) if differs else text for text, differs in side.parts
    ]
    return format_html(
        '<bdi class="said" dir="auto">{}</bdi>', format_html_join("", "{}", ((t,) for t in marked))
    )
