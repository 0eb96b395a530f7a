"""Qualifications: one function here, one door in `qualifications.sql`."""

from .doors import call


def grant_qualification(actor: str, payload: bytes) -> None:
    """Grant somebody else a qualification."""
    call("grant_qualification", actor, payload)


def withdraw_qualification(actor: str, payload: bytes) -> None:
    """Withdraw one that somebody else holds."""
    call("withdraw_qualification", actor, payload)
