"""An exported log folded into the rows it should have left, in plain Python.

Deliberately imports nothing of the engine: if the log and the tables say the same, whoever holds
the log holds everything. Only a run's lease and wake-up time are not in it, nor when its
branches had all ended, which is in theirs.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

Row = dict[str, Any]

TERMINAL = {"completed", "failed", "rolled_back", "cancelled"}
NOT_IN_THE_LOG = {
    "engine_run": {"lease_owner", "lease_token", "lease_until", "wake_at"},
    "engine_wait": {"joinable_at"},
}


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


def replayed(events: Iterable[Row]) -> Tables:
    """The tables that these events, each run's in order, leave in an empty database."""
    tables = Tables()
    for event in events:
        fact = Fact(
            run_id=str(event["run_id"]),
            seq=event["seq"],
            kind=event["kind"],
            actor=event["actor"],
            at=event["at"],
            hash=bytes(event["hash"]),
            said=json.loads(bytes(event["payload"])),
        )
        HANDLERS[fact.kind](tables, fact)
        run = tables.engine_run[fact.run_id]
        run.update(last_seq=fact.seq, head=fact.hash, last_at=fact.at)
    return tables


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


def prepared(tables: Tables, fact: Fact) -> None:
    stepped(tables, fact)
    said = fact.said
    given = said.get("arguments")
    arguments = given.encode() if given is not None else version(tables, said)["arguments"]
    tables.engine_effect[said["effect_id"]] = {
        "effect_id": said["effect_id"],
        "run_id": fact.run_id,
        "step_id": said["step_id"],
        "tool_call_id": said.get("tool_call_id"),
        "idempotency_key": said["idempotency_key"],
        "request_hash": said["request_hash"],
        "status": "prepared",
        "external_resource_id": None,
        "result_ref": None,
        "updated_at": fact.at,
        "action": said["action"],
        "action_version": said["action_version"],
        "arguments": arguments,
        "proposal_id": said.get("proposal_id"),
        "proposal_version": said.get("version"),
        "attempt": 1,
        "fencing_token": None,
        "first_sent_at": None,
        "recorded_at": None,
        "call_deadline": None,
        "outcome": None,
        "verification": None,
        "committed_at": None,
        "accepted_by": None,
        "compensates_id": said.get("compensates"),
    }


def intended(tables: Tables, fact: Fact) -> None:
    stepped(tables, fact)
    row = tables.engine_effect[fact.said["effect_id"]]
    row.update(
        status="executing",
        fencing_token=fact.said["fencing_token"],
        call_deadline=fact.at + timedelta(seconds=fact.said["call_seconds"]),
        first_sent_at=row["first_sent_at"] or fact.at,
        recorded_at=None,
        updated_at=fact.at,
    )


def settled(tables: Tables, fact: Fact) -> None:
    stepped(tables, fact)
    said, row = fact.said, tables.engine_effect[fact.said["effect_id"]]
    row.update(
        status=said["status"],
        outcome=said["outcome"],
        external_resource_id=said.get("resource_id") or row["external_resource_id"],
        result_ref=said.get("result_ref") or row["result_ref"],
        attempt=row["attempt"] + (said["status"] == "prepared"),
        recorded_at=row["recorded_at"] or fact.at,
        updated_at=fact.at,
    )


def verified(tables: Tables, fact: Fact) -> None:
    stepped(tables, fact)
    row = tables.engine_effect[fact.said["effect_id"]]
    row.update(verification=fact.said["verification"], updated_at=fact.at)


def committed(tables: Tables, fact: Fact) -> None:
    moved(tables, fact)
    row = tables.engine_effect[fact.said["effect_id"]]
    row.update(committed_at=fact.at, updated_at=fact.at)
    if taken_back := tables.engine_effect.get(fact.said["compensates"] or ""):
        taken_back.update(status="compensated", updated_at=fact.at)


def authorised(tables: Tables, fact: Fact) -> None:
    """By the plan, a worker's step; by an operator, only said."""
    if "covers" not in fact.said:
        moved(tables, fact)


def taken_back(tables: Tables, fact: Fact) -> None:
    """By hand, or by another run. What was prepared for it here was not sent; what nobody could
    verify is settled with it."""
    effect = fact.said["effect_id"]
    if row := tables.engine_effect.get(effect):
        row.update(status="compensated", updated_at=fact.at)
    for rollback in tables.engine_effect.values():
        if rollback["compensates_id"] != effect:
            continue
        if rollback["status"] == "prepared":
            rollback.update(status="failed", outcome="not_sent", updated_at=fact.at)
        elif rollback["status"] == "succeeded" and rollback["committed_at"] is None:
            rollback.update(status="compensated", updated_at=fact.at)


def ruled(tables: Tables, fact: Fact) -> None:
    """A person said what became of an effect of which nobody could tell."""
    said, row = fact.said, tables.engine_effect[fact.said["effect_id"]]
    row.update(
        status=said["status"],
        outcome=said["outcome"],
        external_resource_id=said["resource_id"] or row["external_resource_id"],
        verification="partial" if said["resolution"] == "partly" else row["verification"],
        recorded_at=row["recorded_at"] or fact.at,
        updated_at=fact.at,
    )


def accepted_as_it_is(tables: Tables, fact: Fact) -> None:
    """A person has accepted what verification did not show to be as approved."""
    row = tables.engine_effect[fact.said["effect_id"]]
    row.update(accepted_by=fact.said["person_name"], updated_at=fact.at)


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


HANDLERS: dict[str, Callable[[Tables, Fact], None]] = {
    "run_accepted": accepted,
    "stream_begun": begun,
    "stop_placed": heard,
    "stop_drilled": heard,
    "stop_lift_asked": heard,
    "stop_lifted": heard,
    "rehearsal_finished": heard,
    "identity_linked": heard,
    "identity_unlinked": heard,
    "factor_added": heard,
    "factor_removed": heard,
    "factor_refused": heard,
    "stepped_up": heard,
    "policy_proposed": heard,
    "policy_put_in_force": heard,
    "policy_dropped": heard,
    "exemption_proposed": heard,
    "exemption_approved": heard,
    "exemption_ended": heard,
    "person_changed": heard,
    "invitation_made": heard,
    "invitation_withdrawn": heard,
    "person_added": heard,
    "person_joined": heard,
    "qualification_granted": heard,
    "qualification_withdrawn": heard,
    "run_claimed": claimed,
    "run_resumed": moved,
    "run_moved": moved,
    "run_parked": moved,
    "run_paused": moved,
    "run_ended": moved,
    "plan_switched": moved,
    "budget_spent": moved,
    "budget_raised": with_another_budget,
    "resume_requested": heard,
    "pause_requested": heard,
    "cancel_requested": heard,
    "wait_begun": wait_begun,
    "branches_begun": wait_begun,
    "branches_recalled": stepped,
    "branches_joined": joined,
    "event_received": received,
    "wait_elapsed": wait_over,
    "event_kept": heard,
    "node_failed": moved,
    "value_recorded": moved,
    "request_taken_up": moved,
    "request_dropped": moved,
    "rollback_authorised": authorised,
    "rollback_begun": moved,
    "effect_compensated": taken_back,
    "effect_requested": heard,
    "finish_requested": heard,
    "request_refused": heard,
    "decision_refused": heard,
    "proposal_claimed": claimed_by_somebody,
    "claim_released": let_go,
    "late_answer": heard,
    "proposal_opened": opened,
    "decision_made": decided,
    "proposal_approved": closed("approved"),
    "proposal_exempted": exempted,
    "proposal_drawn": drawn,
    "proposal_rejected": closed("rejected"),
    "proposal_returned": closed("returned"),
    "proposal_reminded": reminded,
    "proposal_escalated": escalated,
    "proposal_expired": closed("expired"),
    "proposal_withdrawn": unsent("withdrawn"),
    "proposal_lapsed": unsent("lapsed"),
    "proposal_edited": edited,
    "premises_asked": heard,
    "premises_read": stepped,
    "proposal_retracted": retracted,
    "approval_lapsed": lapsed,
    "versions_carried_over": carried_over,
    "effect_prepared": prepared,
    "effect_intended": intended,
    "effect_recorded": settled,
    "effect_reconciled": settled,
    "effect_verified": verified,
    "effect_accepted": accepted_as_it_is,
    "effect_committed": committed,
    "probe_requested": heard,
    "effect_resolved": ruled,
    "alert_raised": alerted,
    "alert_acknowledged": acknowledged,
    "alert_reopened": reopened,
    "alert_resolved": dealt_with,
}
