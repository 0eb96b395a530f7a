"""Alerts, brought about as the world does it, and how they are spoken of."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

from engine import api
from engine.models import Alert
from engine.types import Verified
from oversight.demo.placet_actions import ReverseRefund
from oversight.models import Person
from tests.cast import reviewer
from tests.world import Desk


def wrong_refund(desk: Desk, run_id: uuid.UUID | None = None, **wishes: Any) -> Alert:
    """The world shows less than was approved; it was taken back."""
    order = desk.purchase(handling_fee="1.50")
    proposal = refund_in(desk, run_id, order, **wishes)
    desk.work(proposal)
    return Alert.objects.get(run_id=proposal, kind="verification_failed")


def refund_in(desk: Desk, run_id: uuid.UUID | None, order: str, **wishes: Any) -> uuid.UUID:
    """An approved refund in a run that there is already, or in one of its own. Gives the run."""
    if run_id is None:
        return desk.approved_refund(order, **wishes).run_id
    desk.ask_for_refund(run_id, order, **wishes)
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    return run_id


def stuck_rollback(desk: Desk, observed: Any = None) -> Alert:
    """It could not be taken back either: after the rollback the target still differs."""
    seen = Verified(
        verification="mismatch",
        expected={"refunded": "0.00"},
        observed={"refunded": "23.50"} if observed is None else observed,
    )
    run_id = desk.approved_refund(desk.purchase(handling_fee="1.50")).run_id
    with patch.object(ReverseRefund, "verify", lambda *args, **kwargs: seen):
        desk.work(run_id)
    return Alert.objects.get(run_id=run_id, kind="rollback_failed")


def changed_bytes(desk: Desk) -> Alert:
    """Somebody changed what was approved in the database; it was not sent."""
    proposal = desk.approved_refund()
    desk.database.execute(
        "UPDATE engine_proposal SET arguments = %s WHERE id = %s",
        bytes(proposal.arguments).replace(b"25.00", b"75.00"),
        proposal.pk,
    )
    desk.work(proposal.run_id)
    return Alert.objects.get(run_id=proposal.run_id, kind="digest_mismatch")


def address_of(alert: Alert) -> str:
    return f"/alerts/{alert.pk}/"


def taken_on(alert: Alert, by: Person, **changed: Any) -> None:
    facts = {
        "cause": "A fee that nobody knew of.",
        "next_step": "Teach the action about it.",
        "due_at": datetime.now(UTC) + timedelta(hours=2),
    }
    api.acknowledge_alert(alert.run_id, alert.pk, operator=reviewer(by), **{**facts, **changed})


def dealt_with(alert: Alert, by: Person) -> None:
    api.resolve_alert(alert.run_id, alert.pk, operator=reviewer(by), resolution="Told the desk.")


def overdue(desk: Desk, alert: Alert) -> None:
    desk.database.execute(
        "UPDATE engine_alert SET due_at = now() - interval '1 min' WHERE alert_id = %s", alert.pk
    )
