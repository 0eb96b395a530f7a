"""Who may do what in the shop: roles at the access service."""

from typing import Any

from engine.actions import ActionArguments, compensating, no_rollback, register
from engine.kit.http import HttpCall
from engine.types import Change, Facts

TEN_YEARS = 10 * 365 * 24 * 3600.0
"""The service keeps keys for good; this is what we count on."""


@register
class RevokeGrant(HttpCall):
    """End a grant. The service's record of it stays."""

    name = "access.revoke"
    title = "Revoke a grant"
    risk = "medium"
    service = "access"
    method = "DELETE"
    path = "/grants/{grant}"
    reread = "/grants/{grant}"
    by_key = "/grants/by-key/{key}"
    target_class = "idempotent"
    dedupe_window = TEN_YEARS
    call_seconds = 3.0
    verify_seconds = 30.0
    rollback = no_rollback("It is itself a counter-action; who needs the role is granted it anew.")

    class Arguments(ActionArguments):
        grant: str

    def describe(self, args: Any) -> str:
        return f"Revoke grant {args.grant}"

    def body(self, args: Any) -> None:
        return None

    def target(self, args: Any) -> str:
        return f"access service, grant {args.grant}"

    def operative_value(self, args: Any) -> str:
        return str(args.grant)

    def precondition(self, args: Any) -> Facts:
        """The grant still stands, for the same role."""
        return {"grant": self.read(self.reread, args)}

    def expected(self, args: Any) -> None:
        return None


@register
class GrantRole(HttpCall):
    """Let a member of the shop do something more."""

    name = "access.grant"
    title = "Grant a role"
    risk = "high"
    service = "access"
    path = "/grants"
    reread = "/grants/{resource_id}"
    by_key = "/grants/by-key/{key}"
    target_class = "idempotent"
    dedupe_window = TEN_YEARS
    call_seconds = 3.0
    verify_seconds = 30.0
    rollback = compensating(
        RevokeGrant,
        lambda args, grant, answer: {"grant": grant},
        summary="The grant is revoked; the service keeps a record of both.",
    )

    class Arguments(ActionArguments):
        member: str
        role: str

    @classmethod
    def rehearsal(cls) -> Facts:
        return {"member": "rehearsal", "role": "rehearsal"}

    def describe(self, args: Any) -> str:
        return f"Grant {args.member} the role {args.role}"

    def target(self, args: Any) -> str:
        return f"access service, member {args.member}"

    def operative_value(self, args: Any) -> str:
        """Who gets what: either of them wrong is wrong."""
        return f"{args.member} {args.role}"

    def precondition(self, args: Any) -> Facts:
        """The member is known, under this name, with the roles of now."""
        return {"member": self._member(args)}

    def preview(self, args: Any) -> Change:
        roles = (self._member(args) or {}).get("roles", [])
        return Change(before={"roles": roles}, after={"roles": sorted({*roles, args.role})})

    def expected(self, args: Any) -> Facts:
        return {"member": args.member, "role": args.role}

    def _member(self, args: Any) -> dict[str, Any] | None:
        return self.read("/members/{member}", args)
