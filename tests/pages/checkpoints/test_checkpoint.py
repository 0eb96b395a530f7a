"""One checkpoint: everything that it is, and whether it is still what was saved."""

import hashlib
import json
import re
from typing import Any

import pytest

from engine import api
from engine.models import Checkpoint
from tests.cast import People
from tests.pages.reading import Page, Reader, Readers
from tests.world import Desk

FIELDS = [
    "checkpoint_id",
    "run_id",
    "state_version",
    "current_node",
    "status",
    "state_snapshot",
    "last_event_sequence",
    "pending_action",
    "completed_effects",
    "budget_snapshot",
    "created_at",
    "schema_version",
    "checksum",
]


@pytest.fixture
def saved(desk: Desk) -> Checkpoint:
    """The checkpoint before a wait for a decision, with numbers that a float would spoil."""
    state = {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "80.00"}
    exact = {**state, "weight": 0.1, "big": 9007199254740991, "long": "1.10"}
    run_id = api.start_run("refund", exact, initiator=desk.people.agent)
    desk.work(run_id)
    return Checkpoint.objects.filter(run_id=run_id).latest("last_event_sequence")


@pytest.fixture
def ada(desk: Desk, people: People, reading: Readers) -> Reader:
    return reading(people.ada)


def address(saved: Checkpoint) -> str:
    return f"/checkpoints/{saved.pk}/"


def downloaded(ada: Reader, saved: Checkpoint) -> Page:
    return ada.get(f"{address(saved)}download/")


def checksum_of(document: dict[str, Any]) -> str:
    """As the documentation says: SHA-256 over all other fields as one JSON array."""
    order = [name for name in FIELDS if name != "checksum"]
    texts = [
        json.dumps(document[name], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        for name in order
    ]
    return hashlib.sha256(f"[{','.join(texts)}]".encode()).hexdigest()


def test_all_thirteen_fields_are_shown(ada: Reader, saved: Checkpoint) -> None:
    page = ada.get(address(saved))
    assert page.status == 200
    for name in FIELDS:
        assert name in page.text
    for value in (saved.pk, saved.run_id, bytes(saved.checksum).hex()):
        assert str(value) in page.text
    assert f"{saved.created_at:%Y-%m-%dT%H:%M:%S.%fZ}" in page.text
    assert "Checksum matches, computed anew just now" in page.text
    assert 'role="alert"' not in page.html.partition("<main")[2].partition("</main>")[0]


def test_numbers_are_shown_as_they_are_stored(ada: Reader, saved: Checkpoint) -> None:
    page = ada.get(address(saved))
    for line in ('"weight": 0.1', '"big": 9007199254740991', '"long": "1.10"'):
        assert line in page.text


def test_it_can_be_taken_away_as_json(ada: Reader, saved: Checkpoint) -> None:
    page = downloaded(ada, saved)
    assert page.response.headers["Content-Type"] == "application/json"
    assert (
        page.response.headers["Content-Disposition"]
        == f'attachment; filename="checkpoint-{saved.pk}.json"'
    )
    document = json.loads(page.html)
    assert list(document) == FIELDS
    assert document["state_snapshot"]["state"]["long"] == "1.10"
    assert saved.state_snapshot in page.html, "the very text that was hashed"
    assert checksum_of(document) == document["checksum"] == bytes(saved.checksum).hex()


TAMPERED = {
    "state_snapshot": "replace(state_snapshot, '80.00', '90.00')",
    "pending_action": "replace(pending_action, '80.00', '90.00')",
    "completed_effects": """'{"count":1}'""",
    "budget_snapshot": """'{}'""",
    "current_node": "'closed'",
    "status": "'running'",
    "state_version": "state_version + 1",
    "schema_version": "2",
    "created_at": "created_at + interval '1 us'",
    "checksum": "sha256('x')",
}


@pytest.mark.parametrize("column", TAMPERED)
def test_one_that_was_changed_says_so_loudly(
    ada: Reader, desk: Desk, saved: Checkpoint, column: str
) -> None:
    statement = f"UPDATE engine_checkpoint SET {column} = {TAMPERED[column]}"  # noqa: S608
    assert desk.database.execute(f"{statement} WHERE checkpoint_id = %s", saved.pk) == 1
    page = ada.get(address(saved))
    assert page.status == 200
    assert "This checkpoint is not what was saved" in page.text
    assert "Checksum does not match" in page.text
    assert "Checksum matches" not in page.text
    assert json.loads(downloaded(ada, saved).html)["checkpoint_id"] == str(saved.pk)


@pytest.mark.parametrize("junk", ["", "{", "[1, 2]", "NaN", "[" * 100_000, "[" * 700 + "]" * 700])
def test_a_column_that_is_no_json_is_shown_all_the_same(
    ada: Reader, desk: Desk, saved: Checkpoint, junk: str
) -> None:
    desk.database.execute(
        "UPDATE engine_checkpoint SET state_snapshot = %s WHERE checkpoint_id = %s", junk, saved.pk
    )
    page = ada.get(address(saved))
    assert page.status == 200
    assert "This checkpoint is not what was saved" in page.text
    document = json.loads(downloaded(ada, saved).html)
    assert json.dumps(document["state_snapshot"]) in (json.dumps(junk), junk)
    compared = ada.get("/checkpoints/compare/", of=[str(saved.pk), f"{saved.run_id}@1"])
    assert compared.status == 200
    assert "It is not the JSON that was saved." in compared.text


def test_the_event_it_folded_may_be_gone(ada: Reader, desk: Desk, saved: Checkpoint) -> None:
    with desk.database.connected() as forced:
        forced.execute("SET session_replication_role = replica")
        forced.execute(
            "DELETE FROM engine_event WHERE run_id = %s AND seq = %s",
            [saved.run_id, saved.last_event_sequence],
        )
    page = ada.get(address(saved))
    assert page.status == 200
    assert "Checksum matches" in page.text


def test_its_neighbours_and_its_states_are_one_click_away(
    ada: Reader, desk: Desk, saved: Checkpoint
) -> None:
    page = ada.get(address(saved))
    before = (
        Checkpoint.objects.filter(
            run_id=saved.run_id, last_event_sequence__lt=saved.last_event_sequence
        )
        .order_by("last_event_sequence")
        .last()
    )
    assert before is not None
    assert re.search(rf'rel="prev" href="{address(before)}"', page.html)
    assert 'rel="next"' not in page.html
    for link in (
        f"/checkpoints/compare/?of={before.pk}&amp;of={saved.pk}",
        f"/checkpoints/at/?run={saved.run_id}&amp;seq={saved.last_event_sequence}",
        f"/audit/{saved.run_id}/{saved.last_event_sequence}/",
        f"/runs/{saved.run_id}/",
    ):
        assert f'href="{link}"' in page.html
    assert f'rel="next" href="{address(saved)}"' in ada.get(address(before)).html


def test_one_that_is_not_there_is_not_found(ada: Reader, saved: Checkpoint) -> None:
    for missing in (f"/checkpoints/{saved.run_id}/", f"/checkpoints/{saved.run_id}/download/"):
        assert ada.get(missing).status == 404
    assert ada.get("/checkpoints/1/").status == 404
