"""Policies: one function here, one door in `policies.sql`."""

from collections.abc import Mapping, Sequence
from typing import Any

from .doors import call

Told = Mapping[str, Any]


def rule_in_force(action: str, risk: str) -> Told | None:
    """The rule that holds now: {"version", "rule", "now"}; None when no policy is in force."""
    return call("rule_in_force", action, risk)


def short_of(asked: str) -> Sequence[Sequence[Told]]:
    """For each {"groups", "people", "fallback"}: the choices of groups that lack people,
    {"count", "names"}."""
    return call("short_of", asked)


def propose_policy(actor: str, payload: bytes) -> int:
    """Propose a policy; gives its version. Nothing changes until it is put in force."""
    return call("propose_policy", actor, payload)


def put_policy_in_force(actor: str, payload: bytes) -> None:
    """Put a proposed policy in force, by a second person; the one before it is retired."""
    call("put_policy_in_force", actor, payload)


def beyond_reach(rules: str) -> Sequence[int]:
    """The places of the rules that nobody could meet with the people that there are now."""
    return call("beyond_reach", rules)


def drop_policy(actor: str, payload: bytes) -> None:
    """Drop a proposed policy."""
    call("drop_policy", actor, payload)
