"""Actions on a vault in memory: one takes secrets, one answers with whatever it is told to."""

from typing import Any

from engine import actions
from engine.actions import Action, ActionArguments, Refused, Secret, no_rollback
from engine.types import Answer, Change, Facts, Finding, Verified

API_KEY = 'sk-test-123-äß"quoted\\'
BEARER = "Bearer abc-def-ghi"
VALUE = "hunter2-hunter2"
SECRETS = (API_KEY, BEARER, VALUE)
NO_RETURN = no_rollback("A key that was handed out cannot be called back.")


class Vault:
    """What is kept, what was sent, and how it behaves: `well`, `refuses`, `fails` or `lies`."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.sent: list[dict[str, Any]] = []
        self.behaves = "well"
        self.answer: Any = "done"


vault = Vault()


class Headers(ActionArguments):
    authorization: Secret


class RotateKey(Action):
    """An action whose author repeats its secrets wherever an author could."""

    name = "vault.rotate_key"
    title = "Rotate a key"
    risk = "low"
    target_class = "probe"
    rollback = NO_RETURN
    verify_seconds = 5.0

    class Arguments(ActionArguments):
        owner: str
        api_key: Secret
        headers: Headers
        value: Secret | None = None
        note: str = ""

    def describe(self, args: Any) -> str:
        return f"Rotate the key of {args.owner}"

    def target(self, args: Any) -> str:
        return f"vault, key of {args.owner}, now {args.api_key}"

    def precondition(self, args: Any) -> Facts:
        return {"key": vault.kept.get(args.owner), "asked with": args.headers.authorization}

    def preview(self, args: Any) -> Change:
        return Change(
            before={"key": vault.kept.get(args.owner)}, after={"key": args.api_key, args.value: 1}
        )

    def execute(self, args: Any, *, key: str, fencing_token: int) -> Answer:
        vault.sent.append(args.model_dump(mode="json"))
        said = f"{args.api_key} with {args.headers.authorization} and {args.value}"
        if vault.behaves == "refuses":
            raise Refused(f"no key like {said}")
        if vault.behaves == "fails":
            raise ConnectionError(f"lost while sending {said}")
        vault.kept[args.owner] = args.api_key
        return Answer(resource_id=f"key {args.api_key}", result={"echo": said, args.value: [said]})

    def reconcile(self, args: Any, *, key: str) -> Finding:
        return Finding(kind="unclear", result=f"cannot tell about {args.api_key}")

    def verify(self, args: Any, *, resource_id: str | None) -> Verified:
        wanted, found = {"key": args.api_key}, {"key": vault.kept.get(args.owner)}
        if vault.behaves == "lies":
            return Verified(
                verification="mismatch", expected=wanted, observed={"key": args.value, "was": found}
            )
        return Verified(verification="passed", expected=wanted, observed=found)


class Ask(Action):
    """Answers with `vault.answer`, whatever that is."""

    name = "vault.ask"
    title = "Ask the vault"
    risk = "low"
    target_class = "probe"
    rollback = NO_RETURN

    class Arguments(ActionArguments):
        question: str
        more: dict[str, Any] = {}

    def target(self, args: Any) -> str:
        return f"vault, {args.question}"

    def precondition(self, args: Any) -> Facts:
        return {}

    def execute(self, args: Any, *, key: str, fencing_token: int) -> Answer:
        vault.sent.append(args.model_dump(mode="json"))
        if vault.behaves == "refuses":
            raise Refused(str(vault.answer))
        if vault.behaves == "fails":
            raise ConnectionError(str(vault.answer))
        return Answer(resource_id=None, result=vault.answer)

    def verify(self, args: Any, *, resource_id: str | None) -> Verified:
        return Verified(verification="passed", observed=vault.answer)


def known(monkeypatch: Any) -> Vault:
    """The two actions, known for one test, and an empty vault for them."""
    monkeypatch.setattr(actions, "_registry", dict(actions._registry))
    for action in (RotateKey, Ask):
        actions.register(action)
    vault.__init__()  # type: ignore[misc]
    return vault
