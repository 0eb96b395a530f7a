"""What the log tells of alerts, and of who took them on."""

from datetime import datetime

from tests.engine.replay.rows import Fact, Tables
from tests.engine.replay.runs import stepped


def alerted(tables: Tables, fact: Fact) -> None:
    """A new alert, or the same one again."""
    stepped(tables, fact)
    said = fact.said
    told = {"status": "open", "summary": said["summary"], "details": said["details"]}
    for row in tables.engine_alert.values():
        same = (row["run_id"], row["kind"], row["effect_id"])
        if same == (fact.run_id, said["kind"], said["effect_id"]) and row["status"] != "resolved":
            row.update(told, times=row["times"] + 1)
            return
    tables.engine_alert[said["alert_id"]] = {
        **told,
        "alert_id": said["alert_id"],
        "run_id": fact.run_id,
        "effect_id": said["effect_id"],
        "kind": said["kind"],
        "raised_at": fact.at,
        "times": 1,
        "acknowledged_by": None,
        "acknowledged_at": None,
        "cause": None,
        "next_step": None,
        "due_at": None,
        "resolved_by": None,
        "resolved_at": None,
        "resolution": None,
    }


def acknowledged(tables: Tables, fact: Fact) -> None:
    said = fact.said
    tables.engine_alert[said["alert_id"]].update(
        status="acknowledged",
        acknowledged_by=said["person_name"],
        acknowledged_at=fact.at,
        cause=said["cause"],
        next_step=said["next_step"],
        due_at=datetime.fromisoformat(said["due_at"]),
    )


def reopened(tables: Tables, fact: Fact) -> None:
    """What was promised has not come in time."""
    tables.engine_alert[fact.said["alert_id"]].update(status="open")


def dealt_with(tables: Tables, fact: Fact) -> None:
    said = fact.said
    tables.engine_alert[said["alert_id"]].update(
        status="resolved",
        resolved_by=said["person_name"],
        resolved_at=fact.at,
        resolution=said["resolution"],
    )
