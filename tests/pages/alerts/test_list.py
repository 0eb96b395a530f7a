"""The list of alerts: failed verifications first, then by age; and who answers for which."""

import re

import pytest

from engine.models import Alert
from oversight.reading import keyset, worklist
from tests.cast import People
from tests.pages.alerts.trouble import (
    address_of,
    changed_bytes,
    dealt_with,
    overdue,
    stuck_rollback,
    taken_on,
    wrong_refund,
)
from tests.pages.hostile import HARM, MARKUP
from tests.pages.reading import Page, Reader, Readers, contents
from tests.pages.unknowns.doubt import in_doubt
from tests.world import Database, Desk


def listed(page: Page) -> list[str]:
    """The addresses of the rows, from the top."""
    return re.findall(r'class="table__open" href="([^"]+)"', page.html)


def test_failed_verifications_are_first_then_the_oldest(desk: Desk, otto: Reader) -> None:
    changed = changed_bytes(desk)
    doubt = in_doubt(desk).alerts.get()
    failed = wrong_refund(desk)
    later = wrong_refund(desk)
    page = otto.get("/alerts/")
    assert listed(page) == [address_of(each) for each in (failed, later, changed, doubt)]
    assert "4 alerts that nobody answers for yet." in page.text


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (wrong_refund, ("Verification failed", "ledger.refund did not do what was approved.")),
        (stuck_rollback, ("Rollback failed", "After the rollback the target still differs.")),
        (changed_bytes, ("Digest mismatch", "What would be executed is not what was approved.")),
        (
            lambda desk: in_doubt(desk).alerts.get(),
            ("Effect unknown", "The target cannot say whether it happened."),
        ),
    ],
    ids=["verification", "rollback", "digest", "unknown"],
)
def test_an_alert_is_named_by_its_kind_and_by_what_it_is_about(
    desk: Desk, otto: Reader, trouble, words: tuple[str, ...]
) -> None:
    alert = trouble(desk)
    page = otto.get("/alerts/")
    told = (*words, "Refund 25.00 to Mara Vogel", "Paused", str(alert.run_id)[-8:])
    if trouble is wrong_refund:
        told = (*words, "Refund 25.00 to Mara Vogel", "Rolled back")
    assert [word for word in told if word not in page.text] == []
    assert address_of(alert) in listed(page)


def test_the_three_places_hold_all_of_them_and_their_counts_too(
    desk: Desk, people: People, otto: Reader
) -> None:
    unanswered, taken, done = (wrong_refund(desk) for _ in range(3))
    taken_on(taken, people.otto)
    taken_on(done, people.otto)
    dealt_with(done, people.otto)
    for place, alert in (("open", unanswered), ("acknowledged", taken), ("resolved", done)):
        page = otto.get("/alerts/", show=place)
        assert listed(page) == [address_of(alert)], place
        assert re.search("Open ?1 Acknowledged ?1 Resolved ?1", page.text), place
    assert otto.get("/alerts/", show="lost").status == 400


def test_who_took_it_on_stands_beside_it_and_what_is_overdue_is_marked(
    desk: Desk, people: People, otto: Reader
) -> None:
    late, in_time = wrong_refund(desk), wrong_refund(desk)
    for alert in (late, in_time):
        taken_on(alert, people.otto)
    overdue(desk, late)
    page = otto.get("/alerts/?show=acknowledged")
    assert "Otto Weiss" in page.text
    assert "Teach the action about it." in page.text
    assert "1 of them is overdue." in page.text
    assert page.html.count("alerts__overdue") == 1


def test_who_dealt_with_it_and_how_stays(desk: Desk, people: People, otto: Reader) -> None:
    alert = wrong_refund(desk)
    taken_on(alert, people.otto)
    dealt_with(alert, people.otto)
    page = otto.get("/alerts/?show=resolved")
    assert "Otto Weiss" in page.text
    assert "Told the desk." in page.text


def test_what_comes_up_again_is_counted_and_not_listed_twice(
    desk: Desk, people: People, otto: Reader
) -> None:
    effect = in_doubt(desk)
    otto.post(f"/unknowns/{effect.pk}/rule/", **waiting())
    desk.database.time_passes_for(effect.run_id)
    with desk.ledger.unreachable():
        desk.work_on_after_waiting(effect.run_id)
    page = otto.get("/alerts/")
    assert len(listed(page)) == 1
    assert "2 times" in page.text


def waiting() -> dict[str, str]:
    return {
        "attempt": "1",
        "resolution": "keep_waiting",
        "until": "2099-01-01T10:00",
        "reason": "Repairs.",
    }


def pages(reader: Reader, address: str) -> list[str]:
    """Every row of every page, on and on."""
    found, page = [], reader.get(address)
    while True:
        found += listed(page)
        further = re.findall(r'rel="next" href="([^"]+)"', page.html)
        if not further:
            return found
        page = reader.get(further[0].replace("&amp;", "&"))


def test_pages_of_it_skip_and_repeat_nothing_across_the_weights(
    desk: Desk, people: People, otto: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worklist, "SIZE", 2)
    monkeypatch.setattr(keyset, "SIZE", 2)
    light = [changed_bytes(desk) for _ in range(3)]
    heavy = [wrong_refund(desk) for _ in range(3)]
    expected = [address_of(each) for each in (*heavy, *light)]
    assert pages(otto, "/alerts/") == expected
    last = otto.get(
        f"/alerts/?after=0~{heavy[2].raised_at.isoformat()}~{heavy[2].pk}".replace("+", "%2B")
    )
    assert listed(last) == expected[3:5]
    back = re.findall(r'rel="prev" href="([^"]+)"', last.html)[0].replace("&amp;", "&")
    assert listed(otto.get(back)) == expected[1:3]
    for alert in (*heavy, *light):
        taken_on(alert, people.otto)
        dealt_with(alert, people.otto)
    assert pages(otto, "/alerts/?show=resolved") == [
        address_of(each) for each in (*light[::-1], *heavy[::-1])
    ]


def test_newcomers_are_counted_and_not_pushed_in(desk: Desk, otto: Reader) -> None:
    wrong_refund(desk)
    address = otto.get("/alerts/").attribute("hx-get")
    assert otto.poll(address).status == 204
    wrong_refund(desk)
    answer = otto.poll(address)
    assert "1 new: show it" in answer.text
    assert "<tr" not in answer.html


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("open", "Nobody has to be told anything"),
        ("acknowledged", "Nobody has anything on their hands"),
        ("resolved", "Nothing was dealt with yet"),
    ],
)
def test_an_empty_place_says_what_would_be_there(otto: Reader, place: str, words: str) -> None:
    page = otto.get("/alerts/", show=place)
    assert words in page.text


def test_everybody_sees_in_the_frame_how_many_there_are(
    desk: Desk, people: People, reading: Readers
) -> None:
    taken_on(wrong_refund(desk), people.otto)
    wrong_refund(desk)
    for person in (people.rosa, people.ada, people.ines, people.zoe):
        assert "Alerts 1 " in reading(person).get("/runs/").text


def test_what_an_agent_or_a_target_wrote_is_text(desk: Desk, otto: Reader) -> None:
    for words in MARKUP:
        in_doubt(desk, customer=words)
    page = otto.get("/alerts/")
    assert [harm for harm in HARM if harm in page.html] == []
    assert [words for words in MARKUP if words not in page.text] == []


def test_looking_changes_nothing(desk: Desk, database: Database, otto: Reader) -> None:
    wrong_refund(desk)
    before = contents(database)
    for address in ("/alerts/", "/alerts/?show=resolved", "/alerts/live/"):
        assert otto.get(address).status == 200
        assert otto.client.head(address).status_code == 200
        assert otto.post(address).status == 405
    assert contents(database) == before
    assert Alert.objects.get().status == "open"
