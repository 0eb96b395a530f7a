"""Who is called where nobody decides: when people are reminded, when others are asked, too, and
what of it has happened."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """Of one proposal version. The moments are None where its rule asks for no such thing, or where
    it has not come to that; `to` is the group that it escalates to."""

    remind_at: datetime | None
    reminded_at: datetime | None
    escalate_at: datetime | None
    escalated_at: datetime | None
    to: str

    @property
    def reminds(self) -> bool:
        """It is still to come."""
        return self.remind_at is not None and self.reminded_at is None

    @property
    def escalates(self) -> bool:
        return self.escalate_at is not None and self.escalated_at is None

    @property
    def done(self) -> str:
        """The furthest that it has come to: escalated, reminded, or nothing yet."""
        if self.escalated_at is not None:
            return "escalated"
        return "reminded" if self.reminded_at is not None else ""

    @property
    def at_once(self) -> bool:
        """It escalated before its time: too few people were there."""
        if self.escalated_at is None or self.escalate_at is None:
            return False
        return self.escalated_at < self.escalate_at


def of(record: Any, rule: Mapping[str, Any]) -> Calling:
    """From a proposal's row, and the rule in its terms."""
    return Calling(
        remind_at=record.remind_at,
        reminded_at=record.reminded_at,
        escalate_at=record.escalate_at,
        escalated_at=record.escalated_at,
        to=(rule.get("escalate") or {}).get("to", ""),
    )
