"""The list of unknown effects: the longest in doubt first, and what became of the others."""

import re

import pytest

from engine import api
from engine.models import Effect
from oversight.reading import keyset, worklist
from tests.cast import People, reviewer
from tests.pages.reading import Page, Reader, Readers, contents
from tests.pages.unknowns.doubt import (
    address_of,
    in_doubt,
    landed_in_doubt,
    no_more_calls,
    rollback_in_doubt,
)
from tests.world import Database, Desk


def listed(page: Page) -> list[str]:
    """The addresses of the rows, from the top."""
    return re.findall(r'class="table__open" href="([^"]+)"', page.html)


def sent_ago(database: Database, effect: Effect, minutes: int) -> None:
    database.execute(
        "UPDATE engine_effect SET first_sent_at = now() - make_interval(mins => %s)"
        " WHERE effect_id = %s",
        minutes,
        effect.pk,
    )


def test_an_effect_that_nobody_can_tell_of_is_listed_with_what_is_known(
    desk: Desk, otto: Reader
) -> None:
    effect = in_doubt(desk)
    page = otto.get("/unknowns/")
    assert page.status == 200
    assert listed(page) == [address_of(effect)]
    assert "Of 1 effect nobody can tell whether it happened." in page.text
    told = ("Refund 25.00 to Mara Vogel", "ledger.refund v1", "ledger, order A-1", "refund-desk")
    assert [words for words in told if words not in page.text] == []
    assert str(effect.run_id)[-8:] in page.text
    assert f'href="/runs/{effect.run_id}/"' in page.html


def test_the_longest_in_doubt_is_first(desk: Desk, database: Database, otto: Reader) -> None:
    young, old, middle = (in_doubt(desk, handed_over=False) for _ in range(3))
    for effect, minutes in ((young, 1), (old, 300), (middle, 20)):
        sent_ago(database, effect, minutes)
    page = otto.get("/unknowns/")
    assert listed(page) == [address_of(each) for each in (old, middle, young)]
    assert "5 h ago" in page.text


def test_it_says_how_often_the_target_was_asked(desk: Desk, otto: Reader) -> None:
    once = in_doubt(desk, handed_over=False)
    assert "1 time" in otto.get("/unknowns/").text
    with desk.ledger.unreachable():
        desk.work_on_after_waiting(once.run_id)
    assert "2 times" in otto.get("/unknowns/").text


def test_it_says_until_when_a_call_may_still_arrive(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    assert "unknowns__early" in otto.get("/unknowns/").html
    no_more_calls(desk, effect)
    page = otto.get("/unknowns/")
    assert "no more" in page.text
    assert "unknowns__early" not in page.html


def test_what_was_settled_is_gone_from_it_and_stays_in_the_history(
    desk: Desk, people: People, otto: Reader
) -> None:
    found, ruled, still = in_doubt(desk), in_doubt(desk), in_doubt(desk)
    api.probe_again(found.run_id, found.pk, operator=reviewer(people.otto))
    desk.database.call_is_over_for(found.run_id)
    desk.work(found.run_id)
    no_more_calls(desk, ruled)
    api.resolve_effect(
        ruled.run_id,
        ruled.pk,
        operator=reviewer(people.otto),
        resolution="did_not_happen",
        reason="I looked.",
        seen_evidence="The journal.",
    )
    desk.work(ruled.run_id)
    assert listed(otto.get("/unknowns/")) == [address_of(still)]
    page = otto.get("/unknowns/?show=settled")
    assert set(listed(page)) == {address_of(found), address_of(ruled)}
    first, second = re.findall(r"<tr role=\"row\" data-row>.*?</tr>", page.html, re.DOTALL)
    by_person, by_target = (first, second) if str(ruled.pk) in first else (second, first)
    assert "Otto Weiss" in by_person
    assert "Failed" in by_person
    assert "asked by key" in by_target
    assert "Committed" in by_target


def test_what_was_found_by_key_at_once_is_history_too(desk: Desk, otto: Reader) -> None:
    run_id = desk.approved_refund().run_id
    with desk.ledger.answers_lost():
        desk.work(run_id)
    assert len(listed(otto.get("/unknowns/?show=settled"))) == 1


def test_an_effect_that_was_never_in_doubt_is_in_neither(desk: Desk, otto: Reader) -> None:
    desk.work(desk.approved_refund().run_id)
    desk.work(desk.approved_refund(amount="90.00").run_id)
    for address in ("/unknowns/", "/unknowns/?show=settled"):
        assert listed(otto.get(address)) == []


def test_a_refusal_that_sounds_like_a_ruling_is_none(
    desk: Desk, database: Database, otto: Reader
) -> None:
    desk.work(desk.approved_refund(amount="90.00").run_id)
    database.execute("UPDATE engine_effect SET outcome = 'refused: no row: did not happen'")
    assert listed(otto.get("/unknowns/?show=settled")) == []


def test_a_rollback_in_doubt_says_of_what(desk: Desk, otto: Reader) -> None:
    rollback = rollback_in_doubt(desk)
    page = otto.get("/unknowns/")
    assert listed(page) == [address_of(rollback)]
    assert "Rollback of: Refund 25.00 to Mara Vogel" in page.text


def pages(reader: Reader, address: str) -> list[str]:
    """Every row of every page, on and on."""
    found, page = [], reader.get(address)
    while True:
        found += listed(page)
        further = re.findall(r'rel="next" href="([^"]+)"', page.html)
        if not further:
            return found
        page = reader.get(further[0].replace("&amp;", "&"))


def test_pages_of_it_skip_and_repeat_nothing(
    desk: Desk, otto: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worklist, "SIZE", 2)
    effects = [in_doubt(desk, handed_over=False) for _ in range(5)]
    page = otto.get("/unknowns/")
    assert "Of 5 effects" in page.text
    assert pages(otto, "/unknowns/") == [address_of(each) for each in effects]
    second = otto.get(re.findall(r'rel="next" href="([^"]+)"', page.html)[0].replace("&amp;", "&"))
    back = re.findall(r'rel="prev" href="([^"]+)"', second.html)[0].replace("&amp;", "&")
    assert listed(otto.get(back)) == listed(page)


def test_pages_of_the_history_skip_and_repeat_nothing(
    desk: Desk, otto: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "SIZE", 2)
    with desk.ledger.answers_lost():
        for _ in range(5):
            desk.work(desk.approved_refund().run_id)
    found = pages(otto, "/unknowns/?show=settled")
    assert len(found) == len(set(found)) == 5


def test_newcomers_are_counted_and_not_pushed_in(desk: Desk, otto: Reader) -> None:
    in_doubt(desk, handed_over=False)
    address = otto.get("/unknowns/").attribute("hx-get")
    assert otto.poll(address).status == 204
    in_doubt(desk, handed_over=False)
    answer = otto.poll(address)
    assert "1 new: show it" in answer.text
    assert "<tr" not in answer.html


def test_what_is_settled_meanwhile_is_no_newcomer(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk, handed_over=False)
    address = otto.get("/unknowns/").attribute("hx-get")
    no_more_calls(desk, effect)
    desk.work_on_after_waiting(effect.run_id)
    assert otto.poll(address).status == 204


def test_an_empty_list_says_what_would_be_here(desk: Desk, otto: Reader) -> None:
    page = otto.get("/unknowns/")
    assert "Nothing is in doubt" in page.text
    assert "there never was one" in page.text
    assert "Nothing was ever in doubt" in otto.get("/unknowns/?show=settled").text


def test_everybody_sees_in_the_frame_how_many_there_are(
    desk: Desk, people: People, reading: Readers
) -> None:
    in_doubt(desk)
    for person in (people.rosa, people.ada, people.ines, people.zoe):
        assert "Unknown effects 1 Alerts 1" in reading(person).get("/runs/").text


@pytest.mark.parametrize(
    "query",
    [
        "show=everything",
        "after=x",
        "after=0~2026-01-01T00:00:00~00000000-0000-0000-0000-000000000000",
        "before=0~~",
        "after=12345~2026-01-01T00:00:00%2B00:00~00000000-0000-0000-0000-000000000000",
    ],
)
def test_an_address_that_says_nothing_is_refused(otto: Reader, query: str) -> None:
    assert otto.get(f"/unknowns/?{query}").status == 400


def test_looking_changes_nothing(desk: Desk, database: Database, otto: Reader) -> None:
    landed_in_doubt(desk)
    before = contents(database)
    for address in ("/unknowns/", "/unknowns/?show=settled", "/unknowns/live/"):
        assert otto.get(address).status == 200
        assert otto.client.head(address).status_code == 200
        assert otto.post(address).status == 405
    assert contents(database) == before
