"""A value too large to stand in a checkpoint: named there, with its size, and to be had whole."""

import json
import uuid

import pytest

from engine import references
from engine.models import Checkpoint, Value
from tests.engine.test_large_state import damage
from tests.pages.reading import Reader
from tests.world import Desk

REPORT = ["a line of a long report"] * 4_000


@pytest.fixture
def ada(desk: Desk) -> Reader:
    return Reader(desk.people.ada)


@pytest.fixture
def run_id(desk: Desk) -> uuid.UUID:
    return desk.start_run(report=REPORT, number=1)


@pytest.fixture
def address(run_id: uuid.UUID) -> str:
    return f"/checkpoints/values/{bytes(Value.objects.get().digest).hex()}/"


def test_a_checkpoint_names_it_and_leads_to_it(ada: Reader, address: str) -> None:
    page = ada.get(f"/checkpoints/{Checkpoint.objects.get().pk}/")

    assert address in page.html
    assert "a line of a long report" not in page.text
    assert len(page.html) < 60_000


def test_so_does_the_state_at_an_event_and_the_event_itself(
    ada: Reader, address: str, run_id: uuid.UUID
) -> None:
    for page in (
        ada.get("/checkpoints/at/", run=str(run_id), seq="1"),
        ada.get(f"/audit/{run_id}/1/"),
    ):
        assert (page.status, address in page.html) == (200, True)


def test_it_is_had_as_a_file(ada: Reader, address: str) -> None:
    page = ada.get(address)

    assert json.loads(page.html) == REPORT
    assert page.response["Content-Type"] == "application/json"
    assert "attachment" in page.response["Content-Disposition"]


def test_one_that_is_not_kept_is_not_found(ada: Reader, run_id: uuid.UUID) -> None:
    assert ada.get(f"/checkpoints/values/{'ab' * 32}/").status == 404


def test_an_altered_one_is_not_given_out(ada: Reader, desk: Desk, address: str) -> None:
    damage(desk.database)

    page = ada.get(address)

    assert (page.status, "was altered" in page.html) == (500, True)


def test_what_has_come_to_stand_beside_the_state_has_not_changed(ada: Reader, desk: Desk) -> None:
    pieces = {f"piece{number}": f"{number}" * 4_000 for number in range(7)}
    before = desk.start_run(**pieces)
    after = desk.start_run(**pieces, then="x" * 4_000, they="y" * 4_000)
    light = json.loads(Checkpoint.objects.get(run_id=after).state_snapshot)["state"]
    assert references.is_reference(light["piece0"])

    page = ada.get("/checkpoints/compare/", of=[f"{before}@1", f"{after}@1"])

    assert page.status == 200
    assert "state.piece" not in page.text
    assert {"state.then", "state.they"} <= set(page.text.split())
