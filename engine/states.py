"""The state machines, one table each.

Pages, documents, database CHECKs and the doors' guards are all made from these tables.
A key is a state; its value names the states it may move to; an empty value is terminal.
"""

from collections.abc import Mapping

WORKER = "system:worker"
"""The actor of what workers write."""

Machine = Mapping[str, tuple[str, ...]]

RUN: Machine = {
    "running": (
        "waiting_approval",
        "waiting_external",
        "paused",
        "reconciling",
        "rolling_back",
        "completed",
        "failed",
        "cancelled",
    ),
    "waiting_approval": ("reconciling", "paused", "cancelled"),
    "waiting_external": ("reconciling", "paused", "cancelled"),
    "paused": ("reconciling", "rolling_back", "cancelled"),
    "reconciling": ("running", "waiting_approval", "waiting_external", "paused", "rolling_back"),
    "rolling_back": ("reconciling", "paused", "rolled_back"),
    "completed": (),
    "failed": (),
    "rolled_back": (),
    "cancelled": (),
}

EFFECT: Machine = {
    "prepared": ("executing", "failed"),
    "executing": ("succeeded", "failed", "unknown", "prepared"),
    "unknown": ("succeeded", "failed", "prepared"),
    "succeeded": ("compensated",),
    "failed": (),
    "compensated": (),
}

PROPOSAL: Machine = {
    "open": ("approved", "rejected", "returned", "expired", "withdrawn", "superseded", "lapsed"),
    "approved": ("withdrawn", "lapsed"),
    "rejected": (),
    "returned": (),
    "expired": (),
    "withdrawn": (),
    "superseded": (),
    "lapsed": (),
}

ALERT: Machine = {
    "open": ("acknowledged",),
    "acknowledged": ("open", "resolved"),
    "resolved": (),
}

POLICY: Machine = {
    "proposed": ("in_force", "dropped"),
    "in_force": ("retired",),
    "retired": (),
    "dropped": (),
}

EXEMPTION: Machine = {
    "proposed": ("standing", "dropped"),
    "standing": ("ended",),
    "ended": (),
    "dropped": (),
}

EXEMPTION_ENDS = (
    "revoked",
    "stopped",
    "rule_changed",
    "action_changed",
    "rejected",
    "not_approved",
    "verification_failed",
    "rolled_back",
)
"""What ends an exemption before its time and its last use."""
MOST_USES = 1_000
LONGEST_EXEMPTION_DAYS = 30
RAREST_ASKED = 20
"""At least one in so many of an exemption's uses is asked of a person all the same."""

MACHINES: Mapping[str, Machine] = {
    "run": RUN,
    "effect": EFFECT,
    "proposal": PROPOSAL,
    "alert": ALERT,
    "policy": POLICY,
    "exemption": EXEMPTION,
}

PAUSE_REASONS = (
    "operator",
    "stop",
    "effect_unknown",
    "precondition_failed",
    "verification_failed",
    "rollback_failed",
    "budget_exhausted",
    "incompatible_version",
    "checksum_mismatch",
    "authority_lapsed",
    "retries_exhausted",
)

DECISIONS = {"approve": "approved", "reject": "rejected", "return": "returned"}
"""What a reviewer may say → the state it puts the proposal version in."""

VERIFICATIONS = ("passed", "mismatch", "not_yet", "partial", "unverifiable")
RISKS = ("low", "medium", "high")
FACTORS = ("totp", "passkey")
"""Kinds of a second factor: an authenticator app that shows codes, or a passkey."""
STEP_UPS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "second_factor": ("totp", "passkey"),
    "passkey": ("passkey",),
}
"""What a rule may demand of who approves → the kinds of factor that meet it."""
TARGET_CLASSES = ("idempotent", "probe", "opaque")
REHEARSAL_RESULTS = ("passed", "failed")
ROLLBACK_KINDS = ("in_band", "compensating", "out_of_band", "none")

EVERYTHING = "everything"
STOP_KINDS = ("workflow", "action", "agent", "run")
"""What a stop may be for: everything, or one of these kinds by name (`workflow:refund`)."""

DELIVERIES = ("delivered", "kept", "duplicate_ignored")
"""What becomes of an event from outside."""

WAITS = ("event", "time", "branches")
"""What a node may have its run wait for."""

WORKING = ("running", "reconciling", "rolling_back")
"""A run in one of these needs a worker now."""

IN_FLIGHT = ("prepared", "executing", "unknown")
"""An effect in one of these is unsettled; a run holds at most one."""

LIVE = ("proposed", "standing")
"""An exemption in one of these lets something through, or may come to it."""

RESOLUTIONS = {
    "happened": "succeeded",
    "did_not_happen": "failed",
    "partly": "succeeded",
    "keep_waiting": "unknown",
}
"""What an operator may rule about an unknown effect → the state it puts the effect in."""

AFTER_THE_END = (
    "late_answer",
    "effect_compensated",
    "alert_raised",
    "alert_acknowledged",
    "alert_reopened",
    "alert_resolved",
    "erased",
)
"""The only events that a terminal run's log still accepts."""


def terminal(machine: Machine) -> tuple[str, ...]:
    """The states of `machine` that nothing leaves."""
    return tuple(state for state, onward in machine.items() if not onward)


def may_move(machine: Machine, old: str, new: str) -> bool:
    return new in machine.get(old, ())
