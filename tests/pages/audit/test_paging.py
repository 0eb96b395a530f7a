"""Events of one instant, walked through while others are written: none is skipped or repeated."""

import re
from collections.abc import Iterator

import pytest

from engine import api
from engine.models import Event
from oversight.reading import keyset
from tests.cast import AGENT, People
from tests.pages.reading import Page, Reader, Readers, elements
from tests.world import Desk

Place = tuple[str, int]


@pytest.fixture
def ada(desk: Desk, people: People, reading: Readers, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Sixty events: thirty of one instant, thirty of the same millisecond; pages of seven."""
    order = desk.purchase()
    for _ in range(6):
        run_id = desk.start_run()
        for _ in range(9):
            desk.ask_for_refund(run_id, order)
    with desk.database.connected() as forced:
        forced.execute("SET session_replication_role = replica")
        forced.execute(
            "UPDATE engine_event SET at = '2026-01-01T00:00:00.123Z'::timestamptz"
            " + CASE WHEN seq > 5 THEN interval '1 us' * (seq % 3) ELSE interval '0' END"
        )
    monkeypatch.setattr(keyset, "SIZE", 7)
    return reading(people.ada)


def listed(page: Page) -> list[Place]:
    found = re.findall(r'table__open" href="/audit/([0-9a-f-]{36})/(\d+)/"', page.html)
    return [(run, int(seq)) for run, seq in found]


def everything() -> list[Place]:
    found = Event.objects.order_by("-at", "-run_id", "-seq").values_list("run_id", "seq")
    return [(str(run), seq) for run, seq in found]


def linked(page: Page, rel: str) -> str:
    """The address of the next page that way; nothing at the end."""
    return next((a["href"] for a in elements(page.html, "a") if a.get("rel") == rel), "")


def walked(ada: Reader, address: str, rel: str) -> Iterator[Page]:
    while address:
        page = ada.get(address)
        assert page.status == 200
        yield page
        address = linked(page, rel)


def test_forwards_while_new_ones_arrive(ada: Reader, desk: Desk) -> None:
    before, seen = everything(), []
    assert len(before) == 60
    run_id = desk.start_run()
    for page in walked(ada, "/audit/", "next"):
        seen += listed(page)
        api.finish_run(run_id, agent=AGENT)
        desk.start_run()
    assert [place for place in seen if place in set(before)] == before
    assert len(seen) == len(set(seen))


def test_backwards_while_new_ones_arrive(ada: Reader, desk: Desk) -> None:
    *_, last = walked(ada, "/audit/", "next")
    before, seen = everything(), listed(last)
    for page in walked(ada, linked(last, "prev"), "prev"):
        seen = listed(page) + seen
        if len(seen) < len(before):
            desk.start_run()
    assert [place for place in seen if place in set(before)] == before
    assert len(seen) == len(set(seen))


def test_a_search_is_walked_alike(ada: Reader) -> None:
    address = "/audit/?kind=effect_requested&actor=agent:refund-desk"
    seen = [place for page in walked(ada, address, "next") for place in listed(page)]
    assert len(seen) == len(set(seen)) == 54


def test_one_written_late_with_an_older_time_is_on_its_page(ada: Reader, desk: Desk) -> None:
    """Two transactions may commit in another order than their clocks say."""
    before, seen = everything(), []
    for number, page in enumerate(walked(ada, "/audit/", "next")):
        seen += listed(page)
        if number == 2:
            desk.start_run()
            with desk.database.connected() as forced:
                forced.execute("SET session_replication_role = replica")
                forced.execute("UPDATE engine_event SET at = '2025-12-31' WHERE at > '2026-01-02'")
    assert seen[:-1] == before
    assert seen[-1] == everything()[-1]
