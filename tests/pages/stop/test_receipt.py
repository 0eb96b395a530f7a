"""The halt receipt: what became of every effect that was in flight, while it becomes so."""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine import api, db
from engine.models import Effect, Stop
from tests.cast import People, all_go_on, reviewer
from tests.engine.together import elsewhere
from tests.pages.reading import Page, Reader
from tests.pages.unknowns.doubt import deaf, in_doubt
from tests.world import Desk


def stopped(people: People, reason: str = "Odd.") -> uuid.UUID:
    return api.stop_everything(reviewer(people.otto), reason)


def counted(page: Page) -> tuple[int, ...]:
    """How many are told as under way, unknown, done and not started."""
    numbers = re.findall(r'class="stop__number">(\d+)<', page.html)
    return tuple(int(number) for number in numbers)


@contextmanager
def after_intending(act) -> Iterator[None]:
    """As soon as this thread has passed the gate, before it calls, something else happens."""
    real, due = db.value, [act]

    def value(sql: str, params=()):
        told = real(sql, params)
        if due and "intend_effect" in sql:
            elsewhere(due.pop())
        return told

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(db, "value", value)
        yield
    assert not due


def test_where_nothing_was_in_flight_it_is_safe_at_once(
    desk: Desk, people: People, otto: Reader
) -> None:
    desk.work(desk.approved_refund().run_id)
    stopped(people)
    assert "Nothing was in flight: safe from the first moment on." in otto.get("/stop/").text


def test_a_call_that_is_under_way_is_said_to_be_and_then_done(
    desk: Desk, people: People, otto: Reader
) -> None:
    run_id = desk.approved_refund().run_id
    seen: list[Page] = []

    def stop_and_look() -> None:
        stopped(people)
        seen.append(otto.get("/stop/"))

    with after_intending(stop_and_look):
        desk.work(run_id)
    (page,) = seen
    assert "A call is still under way: not safe yet." in page.text
    assert counted(page) == (1, 0, 0, 0)
    assert "Refund 25.00 to Mara Vogel for order A-1" in page.text
    assert "at the latest" in page.text
    answer = otto.poll(page.attribute("hx-get"))
    assert counted(answer) == (0, 0, 1, 0)
    assert "s after the stop: no call is under way any more." in answer.text
    assert "<form" not in answer.html
    assert desk.ledger.movements("A-1") == 1, "what was under way was not torn off"


def test_a_call_whose_answer_got_lost_is_told_as_unknown(
    desk: Desk, people: People, otto: Reader
) -> None:
    run_id = desk.approved_refund().run_id
    with desk.ledger.answers_lost(), deaf(), after_intending(lambda: stopped(people)):
        desk.work(run_id)
    page = otto.get("/stop/")
    assert counted(page) == (0, 1, 0, 0)
    assert f'href="/runs/{run_id}/"' in page.html


def test_what_was_unknown_before_was_not_in_flight_and_is_one_click_away(
    desk: Desk, people: People, otto: Reader
) -> None:
    in_doubt(desk)
    stopped(people)
    page = otto.get("/stop/")
    assert "Nothing was in flight: safe from the first moment on." in page.text
    assert "Of 1 effect nobody can tell whether it happened." in page.text
    assert 'href="/unknowns/"' in page.html.partition("<main")[2]


def test_what_begins_after_it_is_over_is_not_on_it(
    desk: Desk, people: People, otto: Reader
) -> None:
    stop_id = stopped(people)
    all_go_on(people, "Enough.")
    in_doubt(desk)
    assert "Nothing was in flight" in otto.get(f"/stop/{stop_id}/").text


def test_a_stop_that_is_over_keeps_its_receipt(desk: Desk, people: People, otto: Reader) -> None:
    run_id = desk.approved_refund().run_id
    with after_intending(lambda: stopped(people)):
        desk.work(run_id)
    all_go_on(people, "It was explained.")
    page = otto.get(f"/stop/{Stop.objects.get().pk}/")
    assert page.status == 200
    assert counted(page) == (0, 0, 1, 0)
    assert "It was explained." in page.text
    assert Effect.objects.get().status == "succeeded"


def test_a_stop_that_there_never_was_has_none(otto: Reader) -> None:
    assert otto.get(f"/stop/{uuid.uuid4()}/").status == 404


def test_a_page_that_lets_one_be_placed_is_told_when_somebody_did(
    desk: Desk, people: People, otto: Reader
) -> None:
    address = otto.get("/stop/").attribute("hx-get")
    assert otto.poll(address).status == 204
    stopped(people)
    answer = otto.poll(address)
    assert "Otto Weiss has stopped everything" in answer.text
    assert "Everything is stopped" in answer.text
    assert otto.poll(otto.get("/stop/").attribute("hx-get")).status == 204


def test_a_page_that_lets_it_be_lifted_is_told_when_somebody_did(
    people: People, otto: Reader
) -> None:
    stopped(people)
    address = otto.get("/stop/").attribute("hx-get")
    all_go_on(people, "Enough.")
    answer = otto.poll(address)
    assert "The stop was lifted" in answer.text
    assert "Nothing is stopped" in answer.text
