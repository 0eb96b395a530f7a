"""A grant from proposal to commitment, and every way in which the service lets us down."""

import pytest

from engine import execution
from tests.engine.kit.acts import GrantRole
from tests.engine.kit.office import Office
from tests.engine.kit.services import SECRET, AccessService


def test_an_honest_service_ends_in_a_committed_effect(
    office: Office, access: AccessService
) -> None:
    run_id = office.carry_out("kit.grant", member="mara", role="editor")

    effect = office.effect(run_id)
    assert (effect.status, effect.verification) == ("succeeded", "passed")
    assert effect.committed_at
    assert office.alerts(run_id) == []


def test_a_service_that_grants_something_else_ends_in_an_alert_and_is_rolled_back(
    office: Office, access: AccessService
) -> None:
    proposal = office.propose("kit.grant", member="mara", role="editor")
    access.behave("lie_role")
    run_id = office.approve(proposal)
    office.work(run_id)

    effect = office.effect(run_id)
    assert (effect.status, effect.verification) == ("compensated", "mismatch")
    assert effect.committed_at is None
    assert office.alerts(run_id) == ["verification_failed"]
    assert office.run(run_id).status == "rolled_back"
    assert effect.external_resource_id not in [grant["id"] for grant in access.grants()]


def test_a_service_that_grants_nothing_ends_in_an_alert_and_a_person_is_asked(
    office: Office, access: AccessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = office.propose("kit.grant", member="mara", role="editor")
    access.behave("lie_nothing")
    run_id = office.approve(proposal)
    office.work(run_id)
    assert office.effect(run_id).verification == "not_yet"

    monkeypatch.setattr(execution, "_too_late", lambda pending: True)
    office.work_later(run_id)

    assert office.effect(run_id).committed_at is None
    assert office.alerts(run_id) == ["verification_failed"]
    assert office.run(run_id).reason_code == "verification_failed"


@pytest.mark.parametrize(
    "mode", ["error_after", "drop_after", "hang", "oversize", "slow_head", "garbage", "no_json"]
)
def test_a_grant_whose_answer_was_lost_is_found_by_key_and_not_made_twice(
    mode: str, office: Office, access: AccessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GrantRole, "call_seconds", 2.0)
    before = len(access.grants())
    proposal = office.propose("kit.grant", member="jon", role="reader")
    access.behave(mode)
    run_id = office.approve(proposal)

    office.work(run_id)

    assert office.effect(run_id).committed_at
    assert "effect_reconciled" in office.database.kinds(run_id)
    assert len(access.grants()) == before + 1


def test_a_grant_that_never_arrived_is_sent_again_under_the_same_key(
    office: Office, access: AccessService
) -> None:
    before = len(access.grants())
    proposal = office.propose("kit.grant", member="jon", role="reader")
    access.behave("drop_before")
    run_id = office.approve(proposal)
    office.work(run_id)
    office.work_later(run_id)

    effect = office.effect(run_id)
    assert effect.committed_at
    assert effect.attempt == 2
    assert len(access.grants()) == before + 1
    keys = [one["headers"].get("idempotency-key") for one in access.seen("POST")]
    assert keys.count(effect.idempotency_key) == 2


def test_a_refusal_ends_the_effect_and_nothing_is_granted(
    office: Office, access: AccessService
) -> None:
    before = len(access.grants())
    proposal = office.propose("kit.grant", member="jon", role="reader")
    access.behave("refuse")
    run_id = office.approve(proposal)
    office.work(run_id)

    assert office.effect(run_id).status == "failed"
    assert len(access.grants()) == before


@pytest.mark.parametrize(
    ("mode", "status"), [("echo", 201), ("echo_error", 503), ("echo_error", 422)]
)
def test_no_secret_is_kept_anywhere(
    mode: str,
    status: int,
    office: Office,
    access: AccessService,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    proposal = office.propose("kit.grant", member="jon", role="reader")
    access.behave(mode, status=status)
    run_id = office.approve(proposal)
    office.work(run_id)

    kept = office.everything_kept(run_id)
    assert "[redacted]" in kept
    assert SECRET not in kept
    assert SECRET not in caplog.text
