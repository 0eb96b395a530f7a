"""Rows by table, and the events that they are made from."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Row = dict[str, Any]


@dataclass
class Tables:
    """The rows of each table by primary key."""

    engine_run: dict[str, Row] = field(default_factory=dict)
    engine_effect: dict[str, Row] = field(default_factory=dict)
    engine_proposal: dict[str, Row] = field(default_factory=dict)
    engine_decision: dict[str, Row] = field(default_factory=dict)
    engine_claim: dict[str, Row] = field(default_factory=dict)
    engine_alert: dict[str, Row] = field(default_factory=dict)
    engine_wait: dict[str, Row] = field(default_factory=dict)
    engine_taking: dict[str, Row] = field(default_factory=dict)
    engine_inboundevent: dict[str, Row] = field(default_factory=dict)


@dataclass
class Fact:
    """One event of the export, with its payload read."""

    run_id: str
    seq: int
    kind: str
    actor: str
    at: datetime
    hash: bytes
    said: dict[str, Any]
