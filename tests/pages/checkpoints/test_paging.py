"""Many checkpoints of one instant: walked through page by page, each is seen once."""

import re
from collections.abc import Iterator

import pytest

from engine.models import Checkpoint
from oversight.reading import keyset
from tests.cast import People
from tests.pages.reading import Page, Reader, Readers, elements
from tests.world import Desk


@pytest.fixture
def ada(desk: Desk, people: People, reading: Readers, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Five runs' checkpoints, all of one instant, on pages of four."""
    for _ in range(5):
        desk.propose_refund()
    desk.database.execute("UPDATE engine_checkpoint SET created_at = '2026-01-01T00:00:00Z'")
    monkeypatch.setattr(keyset, "SIZE", 4)
    return reading(people.ada)


def listed(page: Page) -> list[str]:
    return list(dict.fromkeys(re.findall(r'href="/checkpoints/([0-9a-f-]{36})/"', page.html)))


def linked(page: Page, rel: str) -> str:
    """The address of the next page that way; nothing at the end."""
    return next((a["href"] for a in elements(page.html, "a") if a.get("rel") == rel), "")


def walked(ada: Reader, address: str, rel: str) -> Iterator[Page]:
    while address:
        page = ada.get(address)
        yield page
        address = linked(page, rel)


def test_forwards_and_backwards(ada: Reader) -> None:
    forwards = list(walked(ada, "/checkpoints/", "next"))
    pages = [listed(page) for page in forwards]
    seen = [each for page in pages for each in page]
    assert sorted(seen) == sorted(map(str, Checkpoint.objects.values_list("pk", flat=True)))
    assert len(pages) > 2

    back = [listed(page) for page in walked(ada, linked(forwards[-1], "prev"), "prev")]
    assert back == pages[-2::-1]


def test_while_new_ones_are_saved(ada: Reader, desk: Desk) -> None:
    before = set(map(str, Checkpoint.objects.values_list("pk", flat=True)))
    seen: list[str] = []
    for page in walked(ada, "/checkpoints/", "next"):
        seen += listed(page)
        desk.start_run()
    assert sorted(each for each in seen if each in before) == sorted(before)
    assert len(seen) == len(set(seen))
