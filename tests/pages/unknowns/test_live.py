"""An unknown effect while it is looked at: what is known moves, what is typed never does."""

import pytest

from engine import api
from tests.cast import People, reviewer
from tests.pages.reading import Page, Reader, Readers
from tests.pages.unknowns.doubt import address_of, in_doubt, landed_in_doubt, no_more_calls
from tests.world import Database, Desk


def polled(page: Page) -> str:
    return page.attribute("hx-get")


def test_nothing_new_is_answered_with_nothing(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    no_more_calls(desk, effect)
    answer = otto.poll(polled(otto.get(address_of(effect))))
    assert (answer.status, answer.html) == (204, "")


def test_what_the_target_answers_arrives_by_itself(desk: Desk, otto: Reader) -> None:
    effect = landed_in_doubt(desk)
    address = polled(otto.get(address_of(effect)))
    otto.post(f"{address_of(effect)}ask/")
    answer = otto.poll(address)
    assert "as soon as a worker is free" in answer.text
    desk.work(effect.run_id)
    answer = otto.poll(address)
    assert "Asked by key: it had happened" in answer.text
    assert "Committed" in answer.text
    assert "<form" not in answer.html
    assert 'hx-swap-oob="innerHTML:#effect-news"' in answer.html
    assert "It was settled while you were reading" in answer.text


def test_somebody_elses_ruling_is_announced(desk: Desk, people: People, otto: Reader) -> None:
    effect = landed_in_doubt(desk)
    address = polled(otto.get(address_of(effect)))
    nils = people.somebody("nils", "operator", full_name="Nils Berg")
    api.resolve_effect(
        effect.run_id,
        effect.pk,
        operator=reviewer(nils),
        resolution="happened",
        reason="Seen.",
        seen_evidence="The journal.",
        resource_id="A-1",
    )
    assert "Nils Berg has ruled: it happened" in otto.poll(address).text


def test_who_only_reads_is_not_told_that_a_form_is_gone(
    desk: Desk, people: People, reading: Readers, otto: Reader
) -> None:
    effect = landed_in_doubt(desk)
    ada = reading(people.ada)
    address = polled(ada.get(address_of(effect)))
    otto.post(f"{address_of(effect)}ask/")
    desk.work(effect.run_id)
    assert "effect-news" not in ada.poll(address).html


def test_the_choice_that_came_too_early_is_let_free_in_time(
    desk: Desk, database: Database, otto: Reader
) -> None:
    effect = in_doubt(desk)
    database.execute("UPDATE engine_effect SET call_deadline = now() + interval '1 min'")
    address = polled(otto.get(address_of(effect)))
    assert otto.poll(address).status == 204
    no_more_calls(desk, effect)
    answer = otto.poll(address)
    assert 'hx-swap-oob="innerHTML:#option-did_not_happen"' in answer.html
    option = answer.html.partition("#option-did_not_happen")[2]
    assert "disabled" not in option
    assert otto.poll(polled(answer)).status == 204


@pytest.mark.parametrize("forged", ["", "seen=x", "offered=1", "early=1&offered=1", "early=maybe"])
def test_a_question_that_the_page_never_asks_is_answered_all_the_same(
    desk: Desk, otto: Reader, forged: str
) -> None:
    effect = in_doubt(desk)
    assert otto.poll(f"{address_of(effect)}live/?{forged}").status == 200


def test_live_updates_end_when_all_is_settled(desk: Desk, otto: Reader) -> None:
    effect = landed_in_doubt(desk)
    otto.post(f"{address_of(effect)}ask/")
    desk.work(effect.run_id)
    assert "hx-get" not in otto.get(address_of(effect)).html
