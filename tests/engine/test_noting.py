"""What the log says was worked on, when a worker has something to say."""

import logging

from engine import noting
from engine.models import Effect
from tests.engine.together import just_before
from tests.world import Desk


class Listener(logging.Handler):
    """Keeps what was worked on at every record."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[dict[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(dict(noting.here()))


def test_a_call_without_an_answer_is_told_with_its_run_and_its_effect(desk: Desk) -> None:
    proposal = desk.approved_refund(desk.purchase())
    listener = Listener()
    logging.getLogger("engine.execution").addHandler(listener)
    try:
        with just_before("intend_effect", desk.ledger.shut):
            desk.work(proposal.run_id)
    finally:
        logging.getLogger("engine.execution").removeHandler(listener)

    effect = Effect.objects.get()
    assert listener.heard == [{"run": str(proposal.run_id), "effect": str(effect.effect_id)}]
    assert noting.here() == {}
