"""Bars: as high as their counts, and never without words."""

import re

import pytest

from oversight.showing.chart import HEIGHT, LEAST, Chart, Point, bars

Bar = tuple[int, int, int, int]


def drawn(*counts: int) -> list[Bar]:
    """x, y, width and height of each bar."""
    found = re.findall(
        r'x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', bars(counts, "A sentence.")
    )
    return [(int(x), int(y), int(width), int(height)) for x, y, width, height in found]


def test_a_bar_is_as_high_as_its_share_of_the_greatest() -> None:
    assert [height for *_, height in drawn(10, 5, 20)] == [HEIGHT // 2, HEIGHT // 4, HEIGHT]


def test_bars_stand_on_the_same_ground_side_by_side() -> None:
    found = drawn(1, 2, 3)
    assert {y + height for _, y, _, height in found} == {HEIGHT}
    ends = [x + width for x, _, width, _ in found]
    assert all(end < x for end, (x, *_) in zip(ends, found[1:], strict=False))
    assert all(x + width <= 36 for x, _, width, _ in found)


def test_next_to_nothing_is_still_seen_and_nothing_is_a_trace() -> None:
    least, nothing, _ = drawn(1, 0, 10_000)
    assert least[3] == LEAST
    assert nothing[3] == 1
    assert bars([0], "x").count("chart__bar--none") == 1


def test_nought_everywhere_and_nothing_at_all_can_be_drawn() -> None:
    assert len(drawn(0, 0)) == 2
    assert drawn() == []
    assert 'viewBox="0 0 12 100"' in bars([], "x")


def test_less_than_nothing_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match="less than nothing"):
        bars([1, -1], "x")


def test_the_picture_has_a_sentence_for_its_name_and_no_style_of_its_own() -> None:
    picture = bars([1], 'More than "nothing" & <so on>')
    assert 'role="img" aria-label="More than &quot;nothing&quot; &amp; &lt;so on&gt;"' in picture
    assert "style" not in picture


def test_a_chart_leaves_noughts_out_of_its_table() -> None:
    chart = Chart(
        name="a",
        title="A",
        summary="S",
        points=(Point(count=2, words="x"), Point(count=0), Point(count=3, words="y")),
        what="W",
        unit="U",
        first="f",
        last="l",
    )
    assert [point.words for point in chart.counted] == ["x", "y"]
    assert "S" in chart.picture
