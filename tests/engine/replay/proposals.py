"""What the log tells of proposals, of who had them, and of what was said of them."""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from tests.engine.replay.rows import Fact, Row, Tables
from tests.engine.replay.runs import moved, stepped


def after(at: datetime, seconds: int | None) -> datetime | None:
    return None if seconds is None else at + timedelta(seconds=seconds)


def opened(tables: Tables, fact: Fact) -> None:
    stepped(tables, fact)
    said = fact.said
    rule = json.loads(said["terms"])["rule"]
    tables.engine_proposal[said["id"]] = {
        "id": said["id"],
        "proposal_id": said["proposal_id"],
        "version": said["version"],
        "run_id": fact.run_id,
        "step_id": said["step_id"],
        "tool_call_id": said["tool_call_id"],
        "action": said["action"],
        "action_version": said["action_version"],
        "arguments": said["arguments"].encode(),
        "content": content(said),
        "terms": said["terms"].encode(),
        "digest": said["digest"],
        "idempotency_key": said["idempotency_key"],
        "risk": said["risk"],
        "policy_version": said["policy_version"],
        "groups": [group["name"] for group in rule["groups"]],
        "training": rule["training"],
        "editors": [one["person"] for one in json.loads(said["terms"])["editors"]],
        "status": "open",
        "question": None,
        "agent": said["agent"],
        "why": said["why"],
        "evidence": said["evidence"],
        "valid_until": datetime.fromisoformat(said["valid_until"]),
        "opened_at": fact.at,
        "remind_at": after(fact.at, rule["remind_seconds"]),
        "reminded_at": None,
        "escalate_at": after(fact.at, (rule["escalate"] or {}).get("after_seconds")),
        "escalated_at": None,
        "closed_at": None,
        "exemption_id": None,
        "drawn": False,
    }


def reminded(tables: Tables, fact: Fact) -> None:
    tables.engine_proposal[fact.said["id"]].update(reminded_at=fact.at)


def escalated(tables: Tables, fact: Fact) -> None:
    row = tables.engine_proposal[fact.said["id"]]
    row.update(escalated_at=fact.at, groups=[*row["groups"], fact.said["to"]])


def exempted(tables: Tables, fact: Fact) -> None:
    """Nobody was asked: a standing exemption let it through."""
    closed("approved")(tables, fact)
    tables.engine_proposal[fact.said["id"]]["exemption_id"] = fact.said["exemption"]


def drawn(tables: Tables, fact: Fact) -> None:
    row = tables.engine_proposal[fact.said["id"]]
    row.update(exemption_id=fact.said["exemption"], drawn=True)


def content(said: dict[str, Any]) -> str:
    what = f"{said['action']}@{said['action_version']}\n{said['arguments']}"
    return hashlib.sha256(what.encode()).hexdigest()


def decided(tables: Tables, fact: Fact) -> None:
    said = fact.said
    tables.engine_decision[said["decision_id"]] = {
        "id": said["decision_id"],
        "proposal_id": said["id"],
        "person_id": said["person"],
        "person_name": said["person_name"],
        "decision": said["decision"],
        "reason_code": said["reason_code"],
        "reason": said["reason"],
        "digest": said["digest"],
        "seen": said["seen"],
        "step_up_id": said.get("step_up", {}).get("id"),
        "decided_at": fact.at,
    }


def claimed_by_somebody(tables: Tables, fact: Fact) -> None:
    said = fact.said
    tables.engine_claim[said["id"]] = {
        "proposal_id": said["id"],
        "person_id": said["person"],
        "person_name": said["person_name"],
        "from_person_id": said["from"],
        "from_name": said["from_name"],
        "claimed_at": fact.at,
        "until": fact.at + timedelta(seconds=said["seconds"]),
        "released_at": None,
    }


def let_go(tables: Tables, fact: Fact) -> None:
    tables.engine_claim[fact.said["id"]]["released_at"] = fact.at


def closed(status: str) -> Callable[[Tables, Fact], None]:
    def close(tables: Tables, fact: Fact) -> None:
        row = tables.engine_proposal[fact.said["id"]]
        row.update(status=status, question=fact.said.get("question"), closed_at=fact.at)

    return close


def unsent(status: str) -> Callable[[Tables, Fact], None]:
    """It ends like this, and what was prepared under it was not sent."""

    def close(tables: Tables, fact: Fact) -> None:
        closed(status)(tables, fact)
        nothing_sent(tables, fact)

    return close


def nothing_sent(tables: Tables, fact: Fact) -> None:
    for row in tables.engine_effect.values():
        under_it = (row["proposal_id"], row["proposal_version"], row["status"])
        if under_it == (fact.said["proposal_id"], fact.said["version"], "prepared"):
            row.update(status="failed", outcome="not_sent", updated_at=fact.at)


def edited(tables: Tables, fact: Fact) -> None:
    """It is not the worker's own step: the run's state version stays."""
    closed("superseded")(tables, fact)


def retracted(tables: Tables, fact: Fact) -> None:
    stepped(tables, fact)
    unsent("withdrawn")(tables, fact)


def lapsed(tables: Tables, fact: Fact) -> None:
    stepped(tables, fact)
    row = version(tables, fact.said)
    row.update(status="lapsed", closed_at=fact.at)
    if effect := tables.engine_effect.get(fact.said["effect_id"] or ""):
        effect.update(status="failed", outcome="not_sent", updated_at=fact.at)


def carried_over(tables: Tables, fact: Fact) -> None:
    """The run stands on other versions; what was proposed under the old ones is void."""
    moved(tables, fact)
    said = fact.said
    pinned = {name: said[name] for name in ("workflow_version", "stands_on")}
    tables.engine_run[fact.run_id].update(pinned)
    if row := tables.engine_proposal.get(said["id"] or ""):
        was_open = row["status"] == "open"
        row.update(status="superseded" if was_open else "lapsed", closed_at=fact.at)
        if effect := tables.engine_effect.get(said["effect_id"] or ""):
            effect.update(status="failed", outcome="not_sent", updated_at=fact.at)


def version(tables: Tables, said: dict[str, Any]) -> Row:
    (row,) = (
        row
        for row in tables.engine_proposal.values()
        if (row["proposal_id"], row["version"]) == (said["proposal_id"], said["version"])
    )
    return row
