"""Typed settings of the engine, each with a safe default; durations are seconds."""

from typing import Any

from django.conf import settings


def lease_seconds() -> float:
    """How long a worker's right to advance a run lasts without renewal."""
    return float(getattr(settings, "PLACET_LEASE_SECONDS", 30))


def margin_seconds() -> float:
    """Allowance for clocks and networks around every deadline."""
    return float(getattr(settings, "PLACET_MARGIN_SECONDS", 2))


def claim_seconds() -> int:
    """How long a reviewer's claim on a proposal lasts without being renewed."""
    return int(getattr(settings, "PLACET_CLAIM_SECONDS", 900))


def sweep_batch() -> int:
    return int(getattr(settings, "PLACET_SWEEP_BATCH", 500))


def max_failures() -> int:
    """How often a node may fail in a row before its run is paused for a person."""
    return int(getattr(settings, "PLACET_MAX_FAILURES", 6))


def max_branches() -> int:
    """Into how many runs a run may branch at once."""
    return int(getattr(settings, "PLACET_MAX_BRANCHES", 50))


def agent_wait_seconds() -> float:
    """How long a run waits for its agent's next word before it is cancelled."""
    return float(getattr(settings, "PLACET_AGENT_WAIT_SECONDS", 7 * 24 * 3600))


def hold_back_seconds() -> float:
    """For how long what was rejected is not asked again by the same agent as if nothing had been.
    0: it always is."""
    return float(getattr(settings, "PLACET_HOLD_BACK_SECONDS", 7 * 24 * 3600))


def rehearsal_seconds() -> float:
    """How long a rehearsal counts after it has ended."""
    return float(getattr(settings, "PLACET_REHEARSAL_SECONDS", 30 * 24 * 3600))


LONGEST_STEP_UP = 300


def step_up_seconds() -> float:
    """How long a second factor, once shown, is good for one approval. Never over five minutes."""
    return min(float(getattr(settings, "PLACET_STEP_UP_SECONDS", 180)), LONGEST_STEP_UP)


def second_factors() -> dict[str, Any]:
    """Where people's second factors are kept: a `model` with the fields `person` and `kind`, and
    which of its `kinds` are which of `states.FACTORS`. Empty: nobody has one."""
    return dict(getattr(settings, "PLACET_SECOND_FACTORS", {}))


def default_budget() -> dict[str, int]:
    return dict(getattr(settings, "PLACET_BUDGET", {"max_steps": 1_000, "max_effects": 100}))
