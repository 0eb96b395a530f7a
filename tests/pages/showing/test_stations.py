"""How far an effect has come."""

import pytest

from oversight.showing.stations import STATIONS, stations


def places(*reached: str, **more: object) -> list[str]:
    return [station.place for station in stations(dict.fromkeys(reached), **more)]


def test_nothing_done_yet_stands_at_the_first_station() -> None:
    assert places() == ["here"] + ["ahead"] * 6


def test_it_stands_at_the_first_station_not_reached() -> None:
    assert places("proposed", "decided") == ["done", "done", "here"] + ["ahead"] * 4


def test_everything_reached_stands_nowhere() -> None:
    assert places(*STATIONS) == ["done"] * 7


def test_a_rejected_proposal_ended_at_the_decision() -> None:
    found = stations({"proposed": None}, halted=True, note="Rejected", tone="bad")
    assert (found[1].place, found[1].note, found[1].tone) == ("halted", "Rejected", "bad")
    assert all(station.note == "" for station in found if station.name != "decided")


def test_every_station_says_in_words_where_it_is() -> None:
    assert all(str(station.place_word) for station in stations({}))


def test_an_unknown_station_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="dispatched"):
        stations({"dispatched": None})
