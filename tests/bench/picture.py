"""Bars, drawn as an SVG that needs nothing else; readable on light and on dark."""

from html import escape
from typing import Any

_NAMES = {"floor": "floor (pgbench)"}
_TITLES = {"one": "One worker", "many": "Two processes of eight runs"}
_LEFT, _LONG, _HIGH, _GAP = 150, 440, 22, 10
_STYLE = """text { font: 13px system-ui, sans-serif; fill: #57606a }
.title { font-weight: 600 } .bar { fill: #8b949e } .placet { fill: #1f7a6d }
@media (prefers-color-scheme: dark) { text { fill: #c9d1d9 } .placet { fill: #45b8a5 } }"""


def picture(shapes: dict[str, Any]) -> str:
    """Transitions a second of everybody, in both shapes."""
    drawn, top = [], 24
    for shape, of in shapes.items():
        drawn.append(f'<text class="title" x="0" y="{top}">{_TITLES[shape]}: transitions/s</text>')
        most = max(one["rate"] for one in of.values())
        for name, one in of.items():
            top += _HIGH + _GAP
            drawn.append(_bar(name, one["rate"], one["rate"] / most, top))
        top += _HIGH + 3 * _GAP
    size = f'viewBox="0 0 {_LEFT + _LONG + 90} {top - _HIGH}"'
    told = "<title>Durable transitions a second: the floor, Placet, DBOS and LangGraph</title>"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'
    return "\n".join([head, told, f"<style>{_STYLE}</style>", *drawn, "</svg>"]) + "\n"


def _bar(name: str, rate: float, share: float, top: int) -> str:
    kind = "bar placet" if name == "Placet" else "bar"
    width = max(2, round(_LONG * share))
    return (
        f'<text x="{_LEFT - 8}" y="{top}" text-anchor="end">{escape(_NAMES.get(name, name))}</text>'
        f'<rect class="{kind}" x="{_LEFT}" y="{top - 15}" width="{width}" height="{_HIGH}" rx="2"/>'
        f'<text x="{_LEFT + width + 8}" y="{top}">{rate:,.0f}</text>'
    )
