"""What the log tells of a run itself: where it stands, what it waits for, what came for it."""

import json
from datetime import datetime

from tests.engine.replay.rows import Fact, Tables

TERMINAL = {"completed", "failed", "rolled_back", "cancelled"}


def accepted(tables: Tables, fact: Fact) -> None:
    said = fact.said
    tables.engine_run[fact.run_id] = {
        "run_id": fact.run_id,
        "workflow": said["workflow"],
        "workflow_version": said["workflow_version"],
        "status": "running",
        "reason_code": None,
        "current_node": said["node"],
        "state_version": 1,
        "budget": said["budget"],
        "labels": said["labels"],
        "stands_on": said.get("stands_on", {}),
        "initiator": said["initiator"],
        "initiator_person_id": said["initiator_person"],
        "parent_id": said.get("parent"),
        "branch": said.get("branch"),
        "forked_from": said.get("forked_from"),
        "created_at": fact.at,
        "ended_at": None,
    }


def begun(tables: Tables, fact: Fact) -> None:
    """A system run: the facts about the installation of one stream and day."""
    beginning = Fact(
        run_id=fact.run_id,
        seq=fact.seq,
        kind=fact.kind,
        actor=fact.actor,
        at=fact.at,
        hash=fact.hash,
        said={**fact.said, "initiator_person": None},
    )
    accepted(tables, beginning)
    tables.engine_run[fact.run_id]["status"] = fact.said["status"]


def claimed(tables: Tables, fact: Fact) -> None:
    tables.engine_run[fact.run_id]["status"] = "reconciling"


def heard(tables: Tables, fact: Fact) -> None:
    """Somebody spoke: nothing but the log grows."""


def with_another_budget(tables: Tables, fact: Fact) -> None:
    tables.engine_run[fact.run_id]["budget"] = fact.said["budget"]


def stepped(tables: Tables, fact: Fact) -> None:
    tables.engine_run[fact.run_id]["state_version"] += 1


def moved(tables: Tables, fact: Fact) -> None:
    stepped(tables, fact)
    run, said = tables.engine_run[fact.run_id], fact.said
    run["status"] = said.get("status") or run["status"]
    run["current_node"] = said.get("node") or run["current_node"]
    run["reason_code"] = said.get("reason_code")
    run["budget"] = said.get("budget") or run["budget"]
    if run["status"] in TERMINAL:
        run["ended_at"] = fact.at
        wait_over(tables, fact)


def wait_begun(tables: Tables, fact: Fact) -> None:
    stepped(tables, fact)
    said = fact.said
    tables.engine_wait[said["wait_id"]] = {
        "wait_id": said["wait_id"],
        "run_id": fact.run_id,
        "what": said["what"],
        "name": said.get("name"),
        "key": said.get("key"),
        "until": datetime.fromisoformat(said["until"]),
        "begun_at": fact.at,
        "over_at": None,
    }


def joined(tables: Tables, fact: Fact) -> None:
    stepped(tables, fact)
    wait_over(tables, fact)


def wait_over(tables: Tables, fact: Fact) -> None:
    for row in tables.engine_wait.values():
        if row["run_id"] == fact.run_id:
            row["over_at"] = row["over_at"] or fact.at


def received(tables: Tables, fact: Fact) -> None:
    """An event from outside, which this run took."""
    wait_over(tables, fact)
    said = fact.said
    tables.engine_taking[said["inbound_id"]] = {
        "inbound_id": said["inbound_id"],
        "run_id": fact.run_id,
        "seq": fact.seq,
    }
    tables.engine_inboundevent[said["inbound_id"]] = {
        "id": said["inbound_id"],
        "name": said["name"],
        "key": said["key"],
        "external_id": said["external_id"],
        "payload": json.dumps(
            said["payload"], ensure_ascii=False, sort_keys=True, separators=(",", ":")
        ),
        "sender": fact.actor,
        "received_at": datetime.fromisoformat(said["received_at"]),
    }
