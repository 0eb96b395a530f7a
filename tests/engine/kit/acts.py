"""Actions built from the kit, as an integrator would write them."""

from typing import Any

from engine.actions import ActionArguments, compensating, no_rollback
from engine.kit.email import EmailSend
from engine.kit.file import FileRestore, FileWrite, restored_by
from engine.kit.http import HttpCall
from engine.types import Change, Facts


class RevokeGrant(HttpCall):
    name = "kit.revoke"
    title = "Revoke a grant"
    service = "access"
    method = "DELETE"
    path = "/grants/{grant}"
    reread = "/grants/{grant}"
    id_field = None
    target_class = "idempotent"
    dedupe_window = 3600.0
    call_seconds = 5.0
    verify_seconds = 5.0
    rollback = no_rollback("It is itself a counter-action.")

    class Arguments(ActionArguments):
        grant: str

    def body(self, args: Any) -> None:
        return None

    def target(self, args: Any) -> str:
        return f"access, grant {args.grant}"

    def precondition(self, args: Any) -> Facts:
        return {"grant": self.read("/grants/{grant}", args)}

    def expected(self, args: Any) -> None:
        return None


class GrantRole(HttpCall):
    name = "kit.grant"
    title = "Grant a role"
    service = "access"
    path = "/grants"
    reread = "/grants/{resource_id}"
    by_key = "/grants/by-key/{key}"
    token_header = "Fencing-Token"
    target_class = "idempotent"
    dedupe_window = 3600.0
    call_seconds = 5.0
    verify_seconds = 5.0
    rollback = compensating(
        RevokeGrant,
        lambda args, grant, answer: {"grant": grant},
        summary="The grant is revoked; the service keeps a record of both.",
    )

    class Arguments(ActionArguments):
        member: str
        role: str

    def target(self, args: Any) -> str:
        return f"access, member {args.member}"

    def precondition(self, args: Any) -> Facts:
        return {"member": self.read("/members/{member}", args)}

    def preview(self, args: Any) -> Change:
        return Change(before={"role": None}, after={"role": args.role})

    def expected(self, args: Any) -> Facts:
        return {"member": args.member, "role": args.role}


class RestoreConfig(FileRestore):
    name = "kit.restore"
    root = "config"
    call_seconds = 5.0


class WriteConfig(FileWrite):
    name = "kit.write"
    title = "Write a configuration file"
    root = "config"
    call_seconds = 5.0
    rollback = restored_by(RestoreConfig)


class TellCustomer(EmailSend):
    name = "kit.tell"
    account = "desk"
    call_seconds = 10.0


class TellUnheard(EmailSend):
    """From an account whose sent mail nobody can look up."""

    name = "kit.tell_unheard"
    account = "silent"
    call_seconds = 10.0


ALL = [RevokeGrant, GrantRole, RestoreConfig, WriteConfig, TellCustomer, TellUnheard]
