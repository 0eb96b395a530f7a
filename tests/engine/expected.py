"""Whether a word must be taken or refused: told from the log and the stops in force alone."""

from dataclasses import dataclass

from tests.engine.broken import Told


@dataclass(frozen=True, slots=True)
class Expected:
    """What the log has told so far, and the scopes of the stops that are in force."""

    told: Told
    stops: set[str]

    @property
    def _newest(self) -> str:
        return self.told.versions[self.told.newest].status if self.told.newest else ""

    def decision(self, decision: str) -> bool:
        run = self.told.run
        scopes = {
            *("everything", "action:ledger.refund", run["initiator"]),
            *(f"run:{run['run_id']}", f"workflow:{run['workflow']}"),
        }
        stopped = decision == "approve" and bool(scopes & self.stops)
        return self._newest == "open" and not stopped

    def answer(self) -> bool:
        return self._newest == "returned" and self.told.newest not in self.told.answered

    def withdrawal(self) -> bool:
        """An agent may take its own back, until it was sent."""
        mine = self.told.newest is not None and not self.told.sent(self.told.newest)
        return mine and self._newest in ("open", "approved") and not self.told.ended

    def cancelling(self) -> bool:
        on_its_way_back = self.told.unwinding or self.told.status == "rolling_back"
        failed = self.told.reason == "rollback_failed"
        return not (self.told.ended or on_its_way_back or failed)
