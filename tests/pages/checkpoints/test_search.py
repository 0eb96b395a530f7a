"""Checkpoints are found by what they are, in words that are checked and never guessed."""

import re
import uuid
from datetime import timedelta
from urllib.parse import quote

import pytest

from engine import api
from engine.models import Checkpoint, SearchableField
from oversight.reading import counts, keyset
from tests.pages.reading import Page, Reader, contents, elements
from tests.world import Desk

PAGE = "/checkpoints/"


@pytest.fixture(scope="module")
def desk(shared_desk: Desk) -> Desk:
    """Refunds of several amounts, each waiting for a decision, and one that an agent proposed."""
    for customer, amount in [
        ("Mara Vogel", "12.00"),
        ("Mara Kern", "80.00"),
        ("Otis", "1250.50"),
        ("100%_sure", "80.0"),
        ("O'Hara \\ Sons", "0.10"),
    ]:
        state = {"order": shared_desk.purchase(), "customer": customer, "amount": amount}
        run_id = api.start_run("refund", state, initiator=shared_desk.people.agent)
        shared_desk.work(run_id)
    proposal = shared_desk.approved_refund()
    shared_desk.work(proposal.run_id)
    return shared_desk


@pytest.fixture(scope="module")
def ada(desk: Desk) -> Reader:
    return Reader(desk.people.ada)


def listed(page: Page) -> list[str]:
    """The checkpoints on a page, in its order."""
    found = re.findall(r'href="/checkpoints/([0-9a-f-]{36})/"', page.html)
    return list(dict.fromkeys(found))


def found(ada: Reader, **query: object) -> set[str]:
    page = ada.get(PAGE, **query)
    assert page.status == 200, page.text
    return set(listed(page))


def ids(**wanted: object) -> set[str]:
    return {str(pk) for pk in Checkpoint.objects.filter(**wanted).values_list("pk", flat=True)}


def with_amount(*amounts: str) -> set[str]:
    runs = SearchableField.objects.filter(name="amount", text__in=amounts).values("run_id")
    return ids(run_id__in=runs)


def test_all_of_them_are_listed_the_newest_first(ada: Reader) -> None:
    page = ada.get(PAGE)
    newest = Checkpoint.objects.order_by("-created_at", "-checkpoint_id")
    assert listed(page) == [str(saved.pk) for saved in newest]
    assert f"Checkpoints in all: {newest.count()}" in page.text


def test_each_filter_finds_exactly_what_it_says(ada: Reader) -> None:
    saved = Checkpoint.objects.filter(run__workflow="agent").earliest("created_at")
    assert found(ada, run=saved.run_id) == ids(run_id=saved.run_id)
    assert found(ada, workflow="refund") == ids(run__workflow="refund")
    assert found(ada, node="pay") == ids(current_node="pay")
    assert found(ada, status="waiting_approval") == ids(status="waiting_approval")
    assert found(ada, workflow="refund", node="open") == set()


def test_a_span_of_time_begins_with_its_first_instant_and_ends_before_its_last(
    ada: Reader,
) -> None:
    moments = list(Checkpoint.objects.order_by("created_at").values_list("created_at", flat=True))
    since, until = moments[3], moments[9]
    expected = ids(created_at__gte=since, created_at__lt=until)
    assert found(ada, since=since.isoformat(), until=until.isoformat()) == expected
    assert len(expected) >= 6
    elsewhere = since.astimezone().isoformat().replace("+00:00", "Z")
    assert found(ada, since=elsewhere) == ids(created_at__gte=since)
    tomorrow = (moments[-1] + timedelta(days=1)).date().isoformat()
    assert found(ada, since=tomorrow) == set()
    assert found(ada, until=tomorrow) == ids()


@pytest.mark.parametrize(
    ("comparison", "value", "amounts"),
    [
        ("eq", "80", ["80.00", "80.0"]),
        ("eq", "80.000", ["80.00", "80.0"]),
        ("lt", "12.01", ["12.00", "0.10"]),
        ("gt", "80", ["1250.50"]),
        ("le", "12", ["12.00", "0.10"]),
        ("ge", "80", ["80.00", "80.0", "1250.50"]),
        ("gt", "-1", ["12.00", "80.00", "1250.50", "80.0", "0.10"]),
    ],
)
def test_numbers_are_compared_as_numbers(
    ada: Reader, comparison: str, value: str, amounts: list[str]
) -> None:
    query = {"field": "amount", "is": comparison, "value": value}
    assert found(ada, **query) == with_amount(*amounts)


@pytest.mark.parametrize(
    ("comparison", "value", "customers"),
    [
        ("eq", "Otis", ["Otis"]),
        ("eq", "otis", []),
        ("eq", "Mara", []),
        ("starts", "Mara", ["Mara Vogel", "Mara Kern"]),
        ("starts", "100%_", ["100%_sure"]),
        ("starts", "%", []),
        ("starts", "_ara", []),
        ("eq", "O'Hara \\ Sons", ["O'Hara \\ Sons"]),
        ("starts", "O'Hara \\", ["O'Hara \\ Sons"]),
        ("eq", "' OR 1=1 --", []),
    ],
)
def test_text_is_compared_exactly(
    ada: Reader, comparison: str, value: str, customers: list[str]
) -> None:
    runs = SearchableField.objects.filter(name="customer", text__in=customers).values("run_id")
    query = {"field": "customer", "is": comparison, "value": value}
    assert found(ada, **query) == ids(run_id__in=runs)


def test_several_conditions_must_all_hold(ada: Reader) -> None:
    address = f"{PAGE}?field=amount&is=ge&value=12&field=customer&is=starts&value=Mara"
    assert set(listed(ada.get(address))) == with_amount("12.00", "80.00") - with_amount("80.0")
    address += "&field=amount&is=lt&value=80&status=waiting_approval"
    assert set(listed(ada.get(address))) == with_amount("12.00") & ids(status="waiting_approval")


def test_what_was_searched_for_stays_in_the_form_and_in_every_address(
    ada: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "SIZE", 2)
    page = ada.get(f"{PAGE}?workflow=refund&field=amount&is=ge&value=12.00")
    fields = {field.get("name"): field.get("value") for field in elements(page.html, "input")}
    assert fields["workflow"] == "refund"
    values = [f.get("value") for f in elements(page.html, "input") if f.get("name") == "value"]
    assert values == ["12.00", None]
    assert '<option value="ge" selected>' in page.html
    older = [link["href"] for link in elements(page.html, "a") if link.get("rel") == "next"]
    assert "workflow=refund" in older[0]
    assert "field=amount&amp;is=ge&amp;value=12.00" in page.html
    assert "workflow=refund" in page.attribute("hx-get")


WRONG = [
    ("run=nonsense", "This is no identifier"),
    ("run=%00", "This is no identifier"),
    ("status=levitating", "No run has a status “levitating”."),
    ("since=yesterday", "“yesterday” is no time"),
    ("until=2026-13-01", "“2026-13-01” is no time"),
    ("since=0001-01-01T00:00%2B14:00", "is no time"),
    ("node=a%00b", "Null characters are not allowed"),
    ("workflow=" + "x" * 201, "at most 200 characters"),
    ("field=colour&is=eq&value=red", "No workflow declares a field “colour”."),
    ("field=amount__gt&is=eq&value=1", "No workflow declares a field “amount__gt”."),
    ("field=run_id&is=eq&value=1", "No workflow declares a field “run_id”."),
    ("field=amount&is=starts&value=1", "A number is compared by: = < > ≤ ≥"),
    ("field=amount&is=in&value=1", "Select a valid choice"),
    ("field=amount&value=1", "A number is compared by"),
    ("field=customer&is=gt&value=M", "A text is compared by: = starts with"),
    ("field=amount&is=gt&value=1e3", "This is no number"),
    ("field=amount&is=gt&value=NaN", "This is no number"),
    ("field=amount&is=gt&value=", "This is no number"),
    ("field=amount&is=gt&value=" + "9" * 31, "This is no number"),
    ("field=amount&is=gt&value=١٢", "This is no number"),
    ("field=customer&is=eq&value=a%00b", "Null characters are not allowed"),
    ("value=12", "Say which field has this value."),
    ("field=amount&is=gt&value=1&" * 6, "At most 5 conditions"),
    ("label=x", "There is no filter “label”."),
    ("run__status=x", "There is no filter “run__status”."),
    ("node=a&node=b", "This is there more than once"),
]


@pytest.mark.parametrize(("query", "said"), WRONG, ids=[query[:40] for query, _ in WRONG])
def test_what_is_not_understood_is_told_and_nothing_is_searched(
    ada: Reader, query: str, said: str
) -> None:
    page = ada.get(f"{PAGE}?{query}")
    assert page.status == 400
    assert said in page.text
    assert listed(page) == []
    assert "No checkpoint matches" not in page.text
    live = ada.poll(f"{PAGE}live/?{query}")
    assert live.status == 204


def test_it_is_told_beside_the_field(ada: Reader) -> None:
    page = ada.get(f"{PAGE}?run=nonsense&field=amount&is=gt&value=x")
    wrong = [field for field in elements(page.html, "input") if field.get("aria-invalid")]
    assert [field["name"] for field in wrong] == ["run", "value"]
    for field in wrong:
        assert f'id="{field["aria-describedby"]}"' in page.html


def test_a_place_that_nobody_gave_is_refused(ada: Reader) -> None:
    for place in ("x", "2026-01-01~x", "2026-01-01T00:00~" + str(uuid.uuid4())):
        assert ada.get(PAGE, older=place).status == 400


def test_nothing_found_says_how_much_was_searched(ada: Reader) -> None:
    page = ada.get(PAGE, node="nowhere")
    assert "No checkpoint matches" in page.text
    assert f"Searched among: {Checkpoint.objects.count()}" in page.text


def test_a_count_that_is_an_estimate_says_so(ada: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "COUNTED", 3)
    assert re.search(r"Checkpoints in all: about \d+", ada.get(PAGE).text)
    assert "Checkpoints in all: 1" not in ada.get(PAGE, node="nowhere").text


def test_newcomers_are_announced_and_not_pushed_in(ada: Reader, desk: Desk) -> None:
    page = ada.get(f"{PAGE}?workflow=agent")
    address = page.attribute("hx-get")
    assert ada.poll(address).status == 204
    desk.start_run()
    answer = ada.poll(address)
    assert "1 new: show it" in answer.text
    assert f'href="{PAGE}?workflow=agent"' in answer.html
    other = ada.get(f"{PAGE}?workflow=refund").attribute("hx-get")
    assert ada.poll(other).status == 204


def test_looking_changes_nothing(ada: Reader, desk: Desk) -> None:
    saved = Checkpoint.objects.latest("created_at")
    before = contents(desk.database)
    for address in (
        PAGE,
        f"{PAGE}live/",
        f"{PAGE}?field=amount&is=gt&value=1",
        f"{PAGE}{saved.pk}/",
        f"{PAGE}{saved.pk}/download/",
        f"{PAGE}at/?run={saved.run_id}&seq={saved.last_event_sequence}",
        f"{PAGE}compare/?of={saved.pk}&of={quote(f'{saved.run_id}@1')}",
    ):
        assert ada.get(address).status in (200, 204), address
        assert ada.client.head(address).status_code in (200, 204)
        assert ada.client.post(address).status_code == 405, address
    assert contents(desk.database) == before


def test_an_installation_without_any_teaches_what_will_be_here(
    ada: Reader, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "oversight.pages.checkpoints.reads.matching",
        lambda filters, conditions: Checkpoint.objects.none(),
    )
    assert "No checkpoint was saved yet" in ada.get(PAGE).text
