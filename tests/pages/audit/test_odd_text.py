"""Text that databases choke on: refused with its path, or kept and shown; never lost, never a 500.

The rule: what an agent or a person sends is refused at the door when it holds U+0000 or half of a
surrogate pair. What a target answers is evidence: it is kept as escaped JSON and shown visibly.
"""

import io
import json
import uuid
import zipfile
from typing import Any

import pytest

from engine import api, auditing
from engine.errors import BadInput
from engine.models import Effect, Event, Evidence
from oversight.reading import keyset
from tests.cast import AGENT
from tests.pages.audit.conftest import Keeper
from tests.pages.audit.vault import Vault
from tests.pages.reading import Reader, address_of
from tests.world import Desk

NUL, LITERAL, HALF = "a\x00b", "a\\u0000b", "a\ud83db"
ANSWER = {"log": "ok\x00done", "nested": [{"k\x00": 1}], "half": HALF, "literal": LITERAL}


BEHAVIOUR = {
    "answers": ("well", ANSWER),
    "refuses with nul": ("refuses", NUL),
    "refuses with half a pair": ("refuses", HALF),
    "breaks off with nul": ("fails", NUL),
    "breaks off with half a pair": ("fails", HALF),
}


@pytest.fixture(params=BEHAVIOUR)
def run_id(request: pytest.FixtureRequest, keeper: Keeper, vault: Vault) -> uuid.UUID:
    """The target answers, says no, or breaks off, each time with text that cannot be stored."""
    vault.behaves, vault.answer = BEHAVIOUR[request.param]
    return keeper.carry_out("vault.ask", question=LITERAL, more={LITERAL: LITERAL})


def test_c47_it_happens_once_and_the_run_goes_on(
    run_id: uuid.UUID, keeper: Keeper, vault: Vault
) -> None:
    for _ in range(3):
        keeper.desk.work_on_after_waiting(run_id)
    assert len(vault.sent) == 1
    effect = Effect.objects.get(run_id=run_id)
    wanted = {"well": "succeeded", "refuses": "failed", "fails": "unknown"}[vault.behaves]
    assert effect.status == wanted
    assert keeper.desk.run(run_id).status != "running"
    assert auditing.run_once().intact


def test_c49_what_was_answered_is_kept_whole(run_id: uuid.UUID, vault: Vault) -> None:
    if vault.behaves != "well":
        return
    kept = Evidence.objects.get(sha256=Effect.objects.get(run_id=run_id).result_ref)
    assert json.loads(bytes(kept.body)) == ANSWER


def test_c47_the_run_can_be_searched_paged_and_looked_at(
    run_id: uuid.UUID, ada: Reader, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "SIZE", 3)
    last = desk.run(run_id).last_seq
    addresses = [
        f"/audit/?run={run_id}",
        f"/runs/{run_id}/",
        f"/runs/{run_id}/?view=log",
        address_of(desk.proposal(run_id)),
        f"/checkpoints/?run={run_id}",
        f"/checkpoints/compare/?of={run_id}@1&of={run_id}@{last}",
        *(f"/audit/{run_id}/{seq}/" for seq in range(1, last + 1)),
        *(f"/checkpoints/at/?run={run_id}&seq={seq}" for seq in range(1, last + 1)),
    ]
    for address in addresses:
        page = ada.get(address)
        assert page.status == 200, address
        assert "\x00" not in page.html, address


def test_c47_what_is_escaped_stays_escaped(run_id: uuid.UUID, ada: Reader, desk: Desk) -> None:
    """The six characters of a backslash and a code are not the character, and stay as sent."""
    arguments = json.loads(bytes(desk.proposal(run_id).arguments))
    assert arguments == {"question": LITERAL, "more": {LITERAL: LITERAL}}
    assert r'"question": "a\\u0000b"' in ada.get(address_of(desk.proposal(run_id))).text


def test_c49_it_can_be_exported_and_verifies(run_id: uuid.UUID, ada: Reader) -> None:
    response = ada.client.post("/audit/export/", {"what": "export", "run": str(run_id)})
    body = b"".join(response.streaming_content)
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        lines = archive.read("events.jsonl").splitlines()
    assert len(lines) == Event.objects.filter(run_id=run_id).count()
    for line in lines:
        json.loads(json.loads(line)["payload"])


@pytest.mark.parametrize("odd", [NUL, HALF], ids=["nul", "half a pair"])
class TestAtTheDoor:
    @pytest.mark.parametrize("where", ["value", "key", "why", "evidence"])
    def test_c49_an_agent_s_words_are_refused_with_their_path(
        self, keeper: Keeper, desk: Desk, odd: str, where: str
    ) -> None:
        run_id = desk.start_run()
        more: dict[str, Any] = {"value": {"x": odd}, "key": {odd: 1}}.get(where, {})
        with pytest.raises(BadInput) as refused:
            api.request_effect(
                run_id,
                agent=AGENT,
                action="vault.ask",
                arguments={"question": "?", "more": more},
                why=odd if where == "why" else "It is due.",
                evidence=[odd] if where == "evidence" else [],
                rollback_reason="There is no other way.",
            )
        expected = {"value": "$.arguments.more.x", "why": "$.why", "evidence": "$.evidence[0]"}
        assert refused.value.path.startswith(expected.get(where, "$.arguments.more"))
        assert desk.database.kinds(run_id) == ["run_accepted"]

    def test_a_state_is_refused_with_its_path(self, desk: Desk, odd: str) -> None:
        with pytest.raises(BadInput) as refused:
            desk.start_run(note={"deep": [odd]})
        assert refused.value.path == "$.state.note.deep[0]"

    def test_a_reason_is_refused(self, keeper: Keeper, desk: Desk, odd: str) -> None:
        proposal = desk.propose_refund()
        with pytest.raises(BadInput):
            desk.decide(proposal, "reject", reason=odd)
        assert "decision_made" not in desk.database.kinds(proposal.run_id)
