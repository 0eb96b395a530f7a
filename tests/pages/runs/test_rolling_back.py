"""An operator looks at what a rollback would do, and has it done, from the run's page."""

import uuid

import pytest

from engine.models import Effect
from tests.cast import People
from tests.pages.reading import Reader, Readers
from tests.world import Desk


@pytest.fixture
def otto(reading: Readers, people: People) -> Reader:
    return reading(people.otto)


@pytest.fixture
def order(desk: Desk) -> str:
    return desk.purchase()


@pytest.fixture
def run_id(desk: Desk, order: str) -> uuid.UUID:
    proposal = desk.approved_refund(order)
    desk.work(proposal.run_id)
    return proposal.run_id


def box() -> str:
    return f"take-{Effect.objects.get(compensates=None).pk}"


def test_the_run_s_page_leads_to_what_would_be_done(otto: Reader, run_id: uuid.UUID) -> None:
    assert f'href="/runs/{run_id}/rollback/"' in otto.get(f"/runs/{run_id}/").html

    page = otto.get(f"/runs/{run_id}/rollback/")

    assert page.status == 200
    assert "Refund an order" in page.text
    assert "ledger.reverse_refund v1" in page.text
    assert f'name="{box()}"' in page.html


def test_it_is_done_with_a_reason(otto: Reader, run_id: uuid.UUID, desk: Desk, order: str) -> None:
    answer = otto.post(f"/runs/{run_id}/take-back/", reason="It was sound.", **{box(): "on"})
    assert answer.response.headers["Location"] == f"/runs/{run_id}/"
    desk.work(run_id)

    assert desk.ledger.refunded(order) == "0.00"
    told = otto.get(f"/runs/{run_id}/").text
    for words in ("Authorised the rollback of 1 effect", "It was sound.", "Began to roll back"):
        assert words in told


def test_an_ended_run_leads_to_the_new_one(otto: Reader, desk: Desk, order: str) -> None:
    old = desk.start_run("refund", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(old)
    desk.approve(desk.proposal(old))
    desk.work(old)
    assert "has ended" in otto.get(f"/runs/{old}/rollback/").text

    answer = otto.post(f"/runs/{old}/take-back/", reason="It was sound.", **{box(): "on"})
    address = answer.response.headers["Location"]
    new = uuid.UUID(address.split("/")[2])
    desk.work(new)

    assert new != old
    assert f"It takes back what run {old} did." in otto.get(address).text
    assert "taken back by another run" in otto.get(f"/runs/{old}/").text
    assert otto.get(f"/runs/{new}/rollback/").status == 404


@pytest.mark.parametrize(
    ("said", "told"),
    [({"reason": ""}, "required"), ({"reason": "So.", "box": ""}, "at least one effect")],
)
def test_what_is_missing_is_said_and_nothing_is_done(
    said: dict[str, str], told: str, otto: Reader, run_id: uuid.UUID, desk: Desk
) -> None:
    boxes = {} if "box" in said else {box(): "on"}
    answer = otto.post(f"/runs/{run_id}/take-back/", reason=said["reason"], **boxes)
    assert answer.status == 422
    assert told in answer.text
    assert "rollback_authorised" not in desk.database.kinds(run_id)


def test_what_changed_since_is_shown(otto: Reader, run_id: uuid.UUID, desk: Desk) -> None:
    desk.ledger.execute("UPDATE purchase SET refunded = 30.00")

    page = otto.get(f"/runs/{run_id}/rollback/")

    assert "Its object has changed since" in page.text
    assert "30.00" in page.text


def test_what_was_done_by_hand_is_confirmed_with_evidence(
    otto: Reader, run_id: uuid.UUID, desk: Desk
) -> None:
    desk.ledger.execute("UPDATE purchase SET refunded = 30.00")
    otto.post(f"/runs/{run_id}/take-back/", reason="It was sound.", **{box(): "on"})
    desk.work(run_id)
    said = {"effect": box().removeprefix("take-"), "reason": "I had it paid back."}

    assert otto.post(f"/runs/{run_id}/by-hand/", **said, seen_evidence="").status == 422
    assert otto.post(f"/runs/{run_id}/by-hand/", **said, seen_evidence="A letter.").status == 302
    desk.work(run_id)

    assert desk.run(run_id).status == "rolled_back"
    assert "Confirmed, with evidence" in otto.get(f"/runs/{run_id}/").text
    assert "It is taken back already." in otto.get(f"/runs/{run_id}/rollback/").text


def test_what_came_too_late_is_told(otto: Reader, run_id: uuid.UUID, desk: Desk) -> None:
    name = box()
    otto.post(f"/runs/{run_id}/take-back/", reason="It was sound.", **{name: "on"})
    answer = otto.post(f"/runs/{run_id}/take-back/", reason="Me too.", **{name: "on"})
    assert answer.status == 409


def test_others_may_not(desk: Desk, people: People, reading: Readers, run_id: uuid.UUID) -> None:
    for person in (people.rosa, people.ada):
        reader = reading(person)
        assert "rollback/" not in reader.get(f"/runs/{run_id}/").html
        assert reader.get(f"/runs/{run_id}/rollback/").status == 403
        assert reader.post(f"/runs/{run_id}/take-back/", reason="I want to.").status == 403
        assert reader.post(f"/runs/{run_id}/by-hand/", reason="I want to.").status == 403


def test_a_run_that_there_is_not(otto: Reader, desk: Desk) -> None:
    assert otto.get(f"/runs/{uuid.uuid4()}/rollback/").status == 404
