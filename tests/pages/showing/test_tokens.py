"""The design tokens: enough contrast in both schemes, and no colour written anywhere else."""

import re
from pathlib import Path

import pytest

CSS = Path("static/css")
TOKENS = (CSS / "tokens.css").read_text()
BASE = TOKENS.split("@media", 1)[0]
PAIRS = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", BASE
    )
}
SHEETS = sorted(
    str(path.relative_to(CSS)) for path in CSS.rglob("*.css") if path.name != "tokens.css"
)
GROUNDS = ("paper", "surface", "sunk", "raised", "hover")
TONES = ("plain", "info", "wait", "good", "bad", "odd")

TEXT = [
    *((ink, ground) for ink in ("ink", "ink-soft", "ink-faint") for ground in GROUNDS),
    *(("accent", ground) for ground in (*GROUNDS, "accent-wash")),
    ("on-accent", "accent-fill"),
    ("on-accent", "accent-fill-hover"),
    ("on-danger", "danger-fill"),
    ("on-danger", "danger-fill-hover"),
    *((f"{tone}-ink", f"{tone}-wash") for tone in TONES),
    *((f"{tone}-ink", ground) for tone in TONES for ground in GROUNDS),
    *(("ink", f"{tone}-wash") for tone in TONES),
    *(("ink-soft", f"{tone}-wash") for tone in TONES),
    *(("ink-faint", wash) for wash in ("good-wash", "bad-wash")),
    ("wait-ink", "good-wash"),
    ("wait-ink", "bad-wash"),
    ("ink", "good-edge"),
    ("ink", "bad-edge"),
    ("ink", "accent-wash"),
    ("ink-soft", "accent-wash"),
]
SHAPES = [
    *(("edge", ground) for ground in ("paper", "surface", "raised")),
    *(("focus", ground) for ground in GROUNDS),
    ("accent-fill", "paper"),
    ("accent", "paper"),
]


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour. Source: WCAG 2.2, definition of relative luminance."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio, 1 to 21. Source: WCAG 2.2, definition of contrast ratio."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_itself() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), TEXT)
def test_text_reaches_4_5(ink: str, ground: str, scheme: int) -> None:
    assert contrast(PAIRS[ink][scheme], PAIRS[ground][scheme]) >= 4.5


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("shape", "ground"), SHAPES)
def test_shapes_that_carry_meaning_reach_3(shape: str, ground: str, scheme: int) -> None:
    assert contrast(PAIRS[shape][scheme], PAIRS[ground][scheme]) >= 3


@pytest.mark.parametrize("sheet", SHEETS)
def test_no_colour_is_written_outside_the_tokens(sheet: str) -> None:
    rules = re.sub(r"/\*.*?\*/", "", (CSS / sheet).read_text(), flags=re.DOTALL)
    rules = rules.replace("linear-gradient(#000 60%, transparent)", "")  # a mask has no colour
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(", rules) == []


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_token_that_is_used_exists(sheet: str) -> None:
    used = set(re.findall(r"var\(--([\w-]+)", (CSS / sheet).read_text()))
    assert used <= set(re.findall(r"--([\w-]+):", TOKENS))


def test_every_token_is_used() -> None:
    sheets = "".join(path.read_text() for path in CSS.rglob("*.css"))
    unused = {name for name in re.findall(r"--([\w-]+):", TOKENS) if f"var(--{name})" not in sheets}
    assert unused == set()
