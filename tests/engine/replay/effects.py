"""What the log tells of effects: prepared, sent, seen, settled and taken back."""

from datetime import timedelta

from tests.engine.replay.proposals import version
from tests.engine.replay.rows import Fact, Tables
from tests.engine.replay.runs import moved, stepped


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
