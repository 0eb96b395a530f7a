"""The event search: over everything, in words that are checked and never guessed."""

import re
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.models import Event
from oversight.agents_api.models import Agent
from oversight.reading import counts, keyset
from tests.cast import AGENT
from tests.pages.hostile import HARM, HIDDEN, MARKUP
from tests.pages.reading import Page, Reader, contents, elements
from tests.world import Desk

PAGE = "/audit/"


@pytest.fixture(scope="module")
def desk(shared_desk: Desk) -> Desk:
    """Refunds in every stage, and what the installation notes of itself."""
    proposal = shared_desk.approved_refund()
    shared_desk.work(proposal.run_id)
    shared_desk.decide(shared_desk.propose_refund(), "reject")
    shared_desk.propose_refund()
    Agent.objects.create(name="refund-desk", owner=shared_desk.people.tomas)
    Reader(shared_desk.people.ada).post(f"{PAGE}verify/", what="verify")
    return shared_desk


@pytest.fixture(scope="module")
def ada(desk: Desk) -> Reader:
    return Reader(desk.people.ada)


Place = tuple[str, int]


def listed(page: Page) -> list[Place]:
    """The events on a page, in its order."""
    found = re.findall(r'table__open" href="/audit/([0-9a-f-]{36})/(\d+)/"', page.html)
    return [(run, int(seq)) for run, seq in found]


def places(**wanted: Any) -> set[Place]:
    found = Event.objects.filter(**wanted).values_list("run_id", "seq")
    return {(str(run), seq) for run, seq in found}


def found(ada: Reader, **query: Any) -> set[Place]:
    page = ada.get(PAGE, **query)
    assert page.status == 200, page.text
    return set(listed(page))


def test_everything_is_listed_the_newest_first(ada: Reader) -> None:
    newest = Event.objects.order_by("-at", "-run_id", "-seq").values_list("run_id", "seq")
    page = ada.get(PAGE)
    assert listed(page) == [(str(run), seq) for run, seq in newest[: keyset.SIZE]]
    assert f"Events in all: {newest.count()}" in page.text


def test_a_row_says_when_where_what_who_and_which(ada: Reader) -> None:
    event = Event.objects.filter(kind="decision_made").earliest("at")
    page = ada.get(PAGE, run=event.run_id, kind="decision_made")
    row = re.sub(r"\s+", " ", page.text.partition("Hash ")[2])
    assert "Decision made" in row
    assert "decision_made" in row
    assert "Rosa Lind" in row
    assert f"{event.at:%Y-%m-%dT%H:%M:%S.%fZ}" in row
    assert bytes(event.hash).hex()[:12] in row
    assert "agent" in row


def test_each_filter_finds_exactly_what_it_says(ada: Reader, desk: Desk) -> None:
    event = Event.objects.filter(kind="effect_committed").earliest("at")
    assert found(ada, run=event.run_id) == places(run_id=event.run_id)
    assert found(ada, kind="run_parked") == places(kind="run_parked")
    assert found(ada, actor=AGENT) == places(actor=AGENT)
    rosa = f"person:{desk.people.rosa.pk}"
    assert found(ada, actor=rosa, kind="decision_made") == places(actor=rosa, kind="decision_made")
    assert found(ada, actor="agent:refund") == set(), "the whole name, no part of it"
    since = event.at.isoformat()
    assert found(ada, run=event.run_id, since=since) == places(
        run_id=event.run_id, at__gte=event.at
    )
    assert found(ada, run=event.run_id, until=since) == places(run_id=event.run_id, at__lt=event.at)


def test_the_installation_s_own_events_are_found_too(ada: Reader) -> None:
    page = ada.get(PAGE, kind="log_verified")
    assert len(listed(page)) == 1
    assert "log of access" in page.text
    assert "Ada Moreau" in page.text


def test_the_kinds_to_choose_from_are_those_that_there_are(ada: Reader) -> None:
    page = ada.get(PAGE)
    chosen = page.html.partition('id="filter-kind"')[2].partition("</select>")[0]
    offered = set(re.findall(r'<option value="([a-z_]+)"', chosen))
    assert offered == set(Event.objects.values_list("kind", flat=True))


def test_people_and_agents_are_offered_by_name(ada: Reader, desk: Desk) -> None:
    page = ada.get(PAGE)
    assert f'<option value="person:{desk.people.rosa.pk}">Rosa Lind</option>' in page.html
    assert '<option value="agent:refund-desk">' in page.html


WRONG = [
    ("run=nonsense", "This is no identifier"),
    ("run=%00", "This is no identifier"),
    ("kind=levitated", "No event is of the kind “levitated”."),
    ("kind=decision_made%27", "No event is of the kind"),
    ("since=yesterday", "“yesterday” is no time"),
    ("until=25:61", "“25:61” is no time"),
    ("since=" + "1" * 500, "is no time"),
    ("actor=a%00b", "Null characters are not allowed"),
    ("actor=" + "x" * 201, "at most 200 characters"),
    ("payload=x", "There is no filter “payload”."),
    ("kind__in=x", "There is no filter “kind__in”."),
    ("actor=a&actor=b", "This is there more than once"),
]


@pytest.mark.parametrize(("query", "said"), WRONG, ids=[query[:30] for query, _ in WRONG])
def test_what_is_not_understood_is_told_and_nothing_is_searched(
    ada: Reader, query: str, said: str
) -> None:
    page = ada.get(f"{PAGE}?{query}")
    assert page.status == 400
    assert said in page.text
    assert listed(page) == []
    assert "No event matches" not in page.text
    assert "Export" not in page.html.partition("audit__search")[2]
    assert ada.poll(f"{PAGE}live/?{query}").status == 204


def test_it_is_told_beside_the_field(ada: Reader) -> None:
    page = ada.get(f"{PAGE}?run=nonsense&since=x")
    wrong = [field for field in elements(page.html, "input") if field.get("aria-invalid")]
    assert [field["name"] for field in wrong] == ["run", "since"]


@pytest.mark.parametrize(
    "place",
    [
        "x",
        "",
        "2026-01-01T00:00:00+00:00~x~1",
        f"2026-01-01T00:00:00~{uuid.UUID(int=1)}~1",
        f"2026-01-01T00:00:00+00:00~{uuid.UUID(int=1)}~0",
        f"2026-01-01T00:00:00+00:00~{uuid.UUID(int=1)}~{2**63}",
        f"2026-01-01T00:00:00+00:00~{uuid.UUID(int=1)}~1~2",
    ],
)
def test_a_place_that_nobody_gave_is_refused(ada: Reader, place: str) -> None:
    assert ada.get(PAGE, older=place).status == 400
    assert ada.get(PAGE, newer=place).status == 400


def test_a_time_is_read_in_any_zone_and_shown_in_utc(ada: Reader) -> None:
    page = ada.get(PAGE, since="2026-03-01T12:00:00+02:00", until="2099-01-01")
    search = page.html.partition("audit__search")[2].partition("</form>")[0]
    fields = {field.get("name"): field.get("value") for field in elements(search, "input")}
    assert fields["since"] == "2026-03-01T10:00:00"
    assert fields["until"] == "2099-01-01T00:00:00"


def test_nothing_found_leads_back(ada: Reader) -> None:
    page = ada.get(PAGE, since="2099-01-01")
    assert "No event matches" in page.text
    assert "Events that match: 0" in page.text
    assert "Export what matches" not in page.text


def test_a_count_that_is_an_estimate_says_so(ada: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "COUNTED", 3)
    assert re.search(r"Events in all: about \d+", ada.get(PAGE).text)
    assert "Events that match: 1 " in ada.get(PAGE, kind="log_verified").text


def test_newcomers_are_announced_and_not_pushed_in(ada: Reader, desk: Desk) -> None:
    address = ada.get(f"{PAGE}?kind=run_accepted").attribute("hx-get")
    assert ada.poll(address).status == 204
    desk.start_run()
    answer = ada.poll(address)
    assert "1 new: show it" in answer.text
    assert f'href="{PAGE}?kind=run_accepted"' in answer.html
    other = ada.get(f"{PAGE}?kind=decision_made").attribute("hx-get")
    assert ada.poll(other).status == 204
    empty = ada.get(f"{PAGE}?kind=run_accepted&since={ahead()}").attribute("hx-get")
    assert ada.poll(empty).status == 204


def ahead() -> str:
    return f"{datetime.now(UTC) + timedelta(hours=1):%Y-%m-%dT%H:%M}"


def test_looking_changes_nothing(ada: Reader, desk: Desk) -> None:
    event = Event.objects.filter(kind="decision_made").earliest("at")
    before = contents(desk.database)
    for address in (
        PAGE,
        f"{PAGE}live/",
        f"{PAGE}?run={event.run_id}&kind=decision_made",
        f"{PAGE}{event.run_id}/{event.seq}/",
        f"{PAGE}exports/",
        f"{PAGE}exports/live/",
    ):
        assert ada.get(address).status in (200, 204), address
        assert ada.client.head(address).status_code in (200, 204), address
        assert ada.client.post(address).status_code == 405, address
    for address in (f"{PAGE}verify/", f"{PAGE}export/"):
        assert ada.get(address, what="verify").status == 302
        assert ada.client.head(address).status_code == 302
    assert contents(desk.database) == before


@pytest.mark.parametrize("words", [*MARKUP, *HIDDEN.values(), "\x00", "\ud800"])
def test_what_is_typed_into_the_search_is_text(ada: Reader, words: str) -> None:
    typed = words.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    for name in ("run", "kind", "actor", "since", typed):
        page = ada.get(PAGE, **{name: typed})
        assert page.status in (200, 400)
        assert [harm for harm in HARM if harm in page.html] == [], name
