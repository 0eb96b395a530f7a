"""Moments are absolute in the reader's zone, with the distance beside them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from oversight.showing.when import absolute, clock, distance, far, in_utc, span, when

NOW = datetime(2026, 3, 3, 13, 5, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("away", "words"),
    [
        (timedelta(), "just now"),
        (timedelta(seconds=-59), "just now"),
        (timedelta(seconds=30), "in less than a minute"),
        (timedelta(seconds=-60), "1 min ago"),
        (timedelta(minutes=59, seconds=59), "in 59 min"),
        (timedelta(hours=2), "in 2 h"),
        (timedelta(hours=-2, minutes=-5), "2 h 5 min ago"),
        (timedelta(hours=47), "in 47 h"),
        (timedelta(days=-2), "2 days ago"),
        (timedelta(days=400), "in 400 days"),
    ],
)
def test_distance_in_words(away: timedelta, words: str) -> None:
    assert far(NOW + away, NOW) == words


def test_a_span_is_never_rounded_up() -> None:
    assert span(timedelta(seconds=59.9)) == "59 s"
    assert span(timedelta(minutes=59, seconds=59)) == "59 min"


def test_the_reader_sees_their_own_zone_and_its_name() -> None:
    with timezone.override(ZoneInfo("Europe/Vienna")):
        assert absolute(NOW) == "3 Mar 2026, 14:05 CET"


def test_utc_stays_in_the_title_and_the_machine_form_in_datetime() -> None:
    with timezone.override(ZoneInfo("Asia/Kolkata")):
        shown = when(NOW, NOW)
    assert 'title="2026-03-03 13:05:09 UTC"' in shown
    assert 'datetime="2026-03-03T13:05:09+00:00"' in shown
    assert "18:35" in shown


def test_a_moment_of_another_zone_is_the_same_moment() -> None:
    elsewhere = NOW.astimezone(ZoneInfo("America/New_York"))
    assert in_utc(elsewhere) == in_utc(NOW)
    assert far(elsewhere, NOW) == "just now"


@pytest.mark.parametrize("show", [lambda m: when(m, NOW), lambda m: distance(m, NOW), clock])
def test_a_moment_without_a_zone_is_refused(show) -> None:
    with pytest.raises(ValueError, match="without a zone"):
        show(NOW.replace(tzinfo=None))


def test_the_clock_shows_seconds() -> None:
    assert ">13:05:09<" in clock(NOW)
