"""What is no decision leaves none: not in the log, not in an export, not at the target."""

import io
import json
import zipfile
from typing import Any

import pytest

from engine.models import Event
from tests.pages.reading import Reader, Readers, address_of
from tests.world import Desk

NONE_OF_THEM = [
    {},
    {"decision": ""},
    {"decision": "null"},
    {"decision": "true"},
    {"decision": "yes"},
    {"decision": "1"},
    {"decision": "{}"},
    {"decision": "[]"},
    {"decision": "Approve"},
    {"decision": ["approve", "reject"]},
]


def exported_kinds(ada: Reader) -> list[str]:
    response = ada.client.post("/audit/export/", {"what": "export"})
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        return [json.loads(line)["kind"] for line in archive.read("events.jsonl").splitlines()]


def test_of_three_that_wait_only_the_one_that_was_approved_is_carried_out(
    desk: Desk, ada: Reader, reading: Readers
) -> None:
    orders = [desk.purchase() for _ in range(3)]
    approved, left, unsaid = (desk.propose_refund(order) for order in orders)
    rosa = reading(desk.people.rosa)
    rosa.decide(approved, "approve")
    for fields in NONE_OF_THEM:
        sent: dict[str, Any] = {"reason": "Seen.", **fields}
        form = rosa.get(address_of(left)).form
        answer = rosa.post(f"{address_of(left)}decide/", **{**form, **sent})
        assert answer.status in (400, 422), fields
    for proposal in (approved, left, unsaid):
        desk.work(proposal.run_id)
        desk.work_on_after_waiting(proposal.run_id)

    assert [desk.ledger.movements(order) for order in orders] == [1, 0, 0]
    assert Event.objects.filter(kind="decision_made").count() == 1
    page = ada.get("/audit/", kind="decision_made")
    assert "Events that match: 1" in page.text
    kinds = exported_kinds(ada)
    assert kinds.count("decision_made") == kinds.count("effect_intended") == 1
    for proposal in (left, unsaid):
        assert "Waiting for a decision" in ada.get(f"/runs/{proposal.run_id}/").text


@pytest.mark.parametrize("what", ["verify", "export"])
def test_reading_and_exporting_decide_nothing(desk: Desk, ada: Reader, what: str) -> None:
    proposal = desk.propose_refund()
    ada.client.post(f"/audit/{what}/", {"what": what, "decision": "approve"})
    desk.work(proposal.run_id)
    proposal.refresh_from_db()
    assert proposal.status == "open"
