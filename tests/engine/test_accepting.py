"""What verification did not show to be as approved is committed only in a named person's name."""

import json
import uuid

import pytest

from engine import api
from engine.errors import BadInput, Conflict, NotPermitted
from engine.models import Effect
from oversight.demo.placet_actions import Refund
from tests.cast import reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.world import Desk


@pytest.fixture
def unverified(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Effect:
    """The ledger paid, and then nobody got through to look until patience was over."""
    monkeypatch.setattr(Refund, "verify_seconds", 0.0)
    run_id = desk.start_run("refund", order=desk.purchase(), customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    with just_before("record_effect", desk.ledger.shut):
        desk.work(run_id)
    desk.ledger.open()
    return Effect.objects.get()


def accept(desk: Desk, effect: Effect, **changed: object) -> None:
    said = {"reason": "The bank confirms it.", "seen_evidence": "Letter of today, no. 17."}
    who = {"operator": reviewer(desk.people.otto)}
    api.accept_effect(effect.run_id, effect.pk, **{**who, **said, **changed})  # type: ignore[arg-type]


def test_it_is_committed_in_the_person_s_name_and_the_run_goes_on(
    desk: Desk, unverified: Effect
) -> None:
    accept(desk, unverified)
    desk.work(unverified.run_id)

    effect = Effect.objects.get()
    assert effect.committed_at is not None
    assert (effect.verification, effect.accepted_by) == ("unverifiable", "Otto Weiss")
    assert desk.run(effect.run_id).status == "completed"
    assert faults_in(desk.database, effect.run_id) == []
    assert_tables_match_the_log(desk.database, effect.run_id)


def test_evidence_and_reason_are_in_the_log(desk: Desk, unverified: Effect) -> None:
    accept(desk, unverified)
    (event,) = [e for e in desk.database.log(unverified.run_id) if e["kind"] == "effect_accepted"]
    said = json.loads(event["payload"])
    assert said["reason"] == "The bank confirms it."
    kept = desk.database.value(
        "SELECT body FROM engine_evidence WHERE sha256 = %s", said["evidence"]
    )
    assert "Letter of today, no. 17." in bytes(kept).decode()


@pytest.mark.parametrize("missing", ["reason", "seen_evidence"])
def test_without_evidence_and_reason_it_is_refused(
    desk: Desk, unverified: Effect, missing: str
) -> None:
    with pytest.raises(BadInput):
        accept(desk, unverified, **{missing: "  "})
    assert Effect.objects.get().accepted_by is None


def test_only_operators_accept(desk: Desk, unverified: Effect) -> None:
    with pytest.raises(NotPermitted):
        accept(desk, unverified, operator=reviewer(desk.people.rosa))


def test_it_is_accepted_once(desk: Desk, unverified: Effect) -> None:
    accept(desk, unverified)
    desk.work(unverified.run_id)
    with pytest.raises(Conflict):
        accept(desk, unverified)


def test_what_is_still_being_verified_is_not_accepted(desk: Desk) -> None:
    run_id = desk.approved_refund().run_id
    with just_before("record_effect", desk.ledger.shut):
        desk.work(run_id)
    assert desk.run(run_id).status == "waiting_external"
    with pytest.raises(Conflict):
        accept(desk, Effect.objects.get())


def test_what_is_taken_back_or_committed_is_not_accepted(desk: Desk) -> None:
    wrong = desk.approved_refund(desk.purchase(handling_fee="1.50")).run_id
    right = desk.approved_refund().run_id
    for run_id in (wrong, right):
        desk.work(run_id)
        with pytest.raises(Conflict):
            accept(desk, Effect.objects.filter(run_id=run_id, compensates=None).get())


def test_an_effect_of_another_run_is_not_accepted(desk: Desk, unverified: Effect) -> None:
    other = desk.start_run()
    otto, said = reviewer(desk.people.otto), {"reason": "x", "seen_evidence": "y"}
    with pytest.raises(Conflict):
        api.accept_effect(other, unverified.pk, operator=otto, **said)
    with pytest.raises(Conflict):
        api.accept_effect(unverified.run_id, uuid.uuid4(), operator=otto, **said)
