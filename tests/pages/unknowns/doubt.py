"""Effects of which nobody can tell whether they happened, brought about as the world does it."""

import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import psycopg
import pytest

from engine.kit.sql import SqlUpdate
from engine.models import Effect
from oversight.demo.placet_actions import ReverseRefund
from tests.engine.together import just_before
from tests.world import Desk


def in_doubt(
    desk: Desk, order: str | None = None, *, handed_over: bool = True, **wishes: Any
) -> Effect:
    """A refund that was sent to a ledger that could not be reached from then on; nothing landed.

    The ledger is there again afterwards. `handed_over`: it was asked in vain until the run was
    paused; otherwise it was asked once, and will be again.
    """
    run_id = desk.approved_refund(order, **wishes).run_id
    try:
        with just_before("intend_effect", desk.ledger.shut):
            desk.work(run_id)
        if handed_over:
            work_until_paused(desk, run_id)
    finally:
        desk.ledger.open()
    return Effect.objects.get(run_id=run_id)


def landed_in_doubt(desk: Desk, order: str | None = None, **wishes: Any) -> Effect:
    """The same, but the ledger did it: only its answer was lost, and it could not be asked."""
    run_id = desk.approved_refund(order, **wishes).run_id
    with desk.ledger.answers_lost(), deaf():
        desk.work(run_id)
        work_until_paused(desk, run_id)
    return Effect.objects.get(run_id=run_id)


def work_until_paused(desk: Desk, run_id: uuid.UUID) -> None:
    """A person has been asked for."""
    for _ in range(10):
        if desk.run(run_id).status == "paused":
            return
        desk.work_on_after_waiting(run_id)
    pytest.fail(f"it never paused: {desk.database.kinds(run_id)}")


def rollback_in_doubt(desk: Desk) -> Effect:
    """A refund went wrong; what takes it back was sent, and no answer came, nor does any."""

    def lost(*args: Any, **kwargs: Any) -> Any:
        raise ConnectionResetError("the answer was lost")

    proposal = desk.approved_refund(desk.purchase(handling_fee="1.50"))
    with patch.object(ReverseRefund, "execute", lost), deaf():
        desk.work(proposal.run_id)
        work_until_paused(desk, proposal.run_id)
    return Effect.objects.get(compensates__isnull=False)


@contextmanager
def deaf(words: str = "timeout expired") -> Iterator[None]:
    """Whoever asks the ledger by key gets no answer."""

    def silent(*args: Any, **kwargs: Any) -> Any:
        raise psycopg.OperationalError(words)

    with ExitStack() as stack:
        for name in ("fence", "reconcile"):
            stack.enter_context(patch.object(SqlUpdate, name, silent))
        yield


def address_of(effect: Effect) -> str:
    return f"/unknowns/{effect.pk}/"


def no_more_calls(desk: Desk, effect: Effect) -> None:
    """Its deadline and the margin have passed."""
    desk.database.call_is_over_for(effect.run_id)
