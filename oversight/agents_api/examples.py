"""One story, told as requests and answers: a refund is proposed, asked about, and carried out."""

from typing import Any

RUN_ID = "01981f3e-7a10-7c44-9d2b-5b0c7f3a1e01"
PROPOSAL_ID = "01981f3e-9c72-7e0f-8a51-c2f4d6b8e902"
EFFECT_ID = "5d0f6b1e-2c39-4a7d-9f10-6e8b2a4c0d03"
DIGEST = "9b74c9897bac770ffc029102a200c5de2f1f6f0a5d4b1f0b8f3a5e9c7d2e4a61"

_REFUND = {"order": "A-1042", "customer": "Mara Vogel", "amount": "25.00"}

ASKED: dict[str, dict[str, Any]] = {
    "start_run": {
        "workflow": "agent",
        "labels": {"case": "CS-311"},
        "stands_on": {"model": "m-2026-05"},
    },
    "propose": {
        "action": "ledger.refund",
        "arguments": _REFUND,
        "why": "The lamp arrived broken; the customer sent two photographs.",
        "evidence": [{"photographs": 2, "received": "2026-03-02"}],
        "tool_call_id": "call_7",
    },
    "answer": {
        "version": 1,
        "action": "ledger.refund",
        "arguments": _REFUND,
        "why": "You asked which lamp: the one in the hall, position 2 of the order.",
        "evidence": [{"position": 2}],
    },
    "withdraw": {},
    "finish": {},
    "deliver_event": {
        "name": "goods_returned",
        "key": "A-1042",
        "external_id": "parcel-88213",
        "payload": {"parcels": 1, "condition": "unopened"},
    },
}

EFFECT: dict[str, Any] = {
    "effect_id": EFFECT_ID,
    "proposal_id": PROPOSAL_ID,
    "action": "ledger.refund",
    "action_version": 1,
    "status": "succeeded",
    "outcome": "answered",
    "external_resource_id": "A-1042",
    "verification": "passed",
    "committed_at": "2026-03-02T09:14:41.530118Z",
    "compensates": None,
}

TOLD: dict[str, dict[str, Any]] = {
    "start_run": {
        "run_id": RUN_ID,
        "workflow": "agent",
        "workflow_version": 1,
        "status": "running",
        "created_at": "2026-03-02T09:12:03.184220Z",
    },
    "list_runs": {
        "runs": [
            {
                "run_id": RUN_ID,
                "workflow": "agent",
                "workflow_version": 1,
                "status": "waiting_external",
                "reason_code": None,
                "labels": {"case": "CS-311"},
                "created_at": "2026-03-02T09:12:03.184220Z",
                "ended_at": None,
                "last_seq": 19,
            }
        ],
        "next_cursor": "MjAyNi0wMy0wMlQwOToxMjowMy4xODQyMjArMDA6MDB-MDE5ODFmM2UtN2ExMC03YzQ0",
    },
    "see_run": {
        "run_id": RUN_ID,
        "workflow": "agent",
        "workflow_version": 1,
        "status": "waiting_external",
        "reason_code": None,
        "node": "open",
        "parent": None,
        "branch": None,
        "branches": [],
        "labels": {"case": "CS-311"},
        "stands_on": {"model": "m-2026-05"},
        "created_at": "2026-03-02T09:12:03.184220Z",
        "ended_at": None,
        "last_seq": 19,
        "proposals": [
            {
                "proposal_id": PROPOSAL_ID,
                "version": 1,
                "status": "approved",
                "action": "ledger.refund",
                "action_version": 1,
                "tool_call_id": "call_7",
            }
        ],
        "effects": [EFFECT],
    },
    "propose": {
        "proposal_id": PROPOSAL_ID,
        "run_id": RUN_ID,
        "version": 1,
        "status": "preparing",
    },
    "see_proposal": {
        "proposal_id": PROPOSAL_ID,
        "run_id": RUN_ID,
        "version": 1,
        "status": "approved",
        "final": True,
        "meaning": "Carried out, verified and committed.",
        "action": "ledger.refund",
        "action_version": 1,
        "tool_call_id": "call_7",
        "digest": DIGEST,
        "question": None,
        "opened_at": "2026-03-02T09:12:04.020911Z",
        "valid_until": "2026-03-03T09:12:03.991004Z",
        "decision": {
            "decision": "approve",
            "reason_code": None,
            "reason": "Seen the photographs.",
            "decided_at": "2026-03-02T09:14:38.702655Z",
        },
        "effect": EFFECT,
        "run_status": "waiting_external",
        "run_reason_code": None,
        "run_last_seq": 19,
        "mark": "6f1c0b9a4e2d7783",
    },
    "answer": {
        "proposal_id": PROPOSAL_ID,
        "run_id": RUN_ID,
        "version": 2,
        "status": "preparing",
    },
    "withdraw": {"proposal_id": PROPOSAL_ID, "run_id": RUN_ID, "status": "withdrawn"},
    "finish": {"run_id": RUN_ID, "status": "waiting_external"},
    "deliver_event": {
        "name": "goods_returned",
        "external_id": "parcel-88213",
        "outcome": "delivered",
    },
    "see_events": {
        "events": [
            {
                "seq": 7,
                "kind": "proposal_approved",
                "actor": "person:3",
                "at": "2026-03-02T09:14:38.702655Z",
                "payload": {"proposal_id": PROPOSAL_ID, "version": 1, "question": None},
                "hash": "1f0c6d0b7d6a4d5e8f3b2c1a9e8d7f6051423344556677889900aabbccddeeff",
            }
        ],
        "next_after": 7,
        "more": True,
    },
}
