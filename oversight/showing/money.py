"""Amounts of money, shown with exactly the characters that were approved.

An amount travels as a decimal string and is never computed with here. The thousands are set apart
by spacing alone: what is copied from the page is what was typed.
"""

import re

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from oversight.showing.text import revealed

_DECIMAL = re.compile(r"(?P<sign>-?)(?P<whole>[0-9]+)(?P<part>\.[0-9]+)?", re.ASCII)
_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)


def money(amount: str, currency: str = "") -> SafeString:
    """A decimal string and its ISO 4217 code as HTML.

    What is not a plain decimal or a plain code is shown as text, as strangers' text is. Raises
    TypeError for a number: a float has already lost what was typed.
    """
    if not isinstance(amount, str):
        raise TypeError(f"an amount is a decimal string, not {type(amount).__name__}")
    return format_html('<span class="money">{}{}</span>', _amount(amount), _code(currency))


def _amount(amount: str) -> SafeString:
    found = _DECIMAL.fullmatch(amount)
    if found is None:
        return format_html('<span class="money__odd">{}</span>', revealed(amount))
    groups = format_html_join(
        "", '<span class="money__group">{}</span>', _thousands(found["whole"])
    )
    return format_html("{}{}{}", found["sign"], groups, found["part"] or "")


def _thousands(digits: str) -> list[tuple[str]]:
    first = len(digits) % 3 or 3
    groups = [digits[:first], *(digits[at : at + 3] for at in range(first, len(digits), 3))]
    return [(group,) for group in groups]


def _code(currency: str) -> SafeString:
    if not currency:
        return SafeString("")
    shown = currency if _CURRENCY.fullmatch(currency) else revealed(currency)
    return format_html('&nbsp;<span class="money__code">{}</span>', shown)
