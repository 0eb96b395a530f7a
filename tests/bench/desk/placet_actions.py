"""Two targets that answer at once: one that only echoes, and one that counts what it did."""

import os
from pathlib import Path

from engine.actions import Action, ActionArguments, out_of_band, register
from engine.types import Answer, Facts, Finding, Verified


class What(ActionArguments):
    """`number` only tells one from another."""

    number: int


@register
class Echo(Action):
    """Nothing outside is changed: what remains is what Placet costs."""

    name = "bench.echo"
    title = "Say it back"
    Arguments = What
    risk = "low"
    target_class = "idempotent"
    dedupe_window = 3600.0
    call_seconds = 2.0
    rollback = out_of_band("Nothing has to be taken back.")

    def target(self, args: What) -> str:
        return f"echo {args.number}"

    def precondition(self, args: What) -> Facts:
        return {}

    def execute(self, args: What, *, key: str, fencing_token: int) -> Answer:
        return Answer(resource_id=key[:16], result={"said": args.number})

    def verify(self, args: What, *, resource_id: str | None) -> Verified:
        return Verified(verification="passed")


@register
class Counted(Echo):
    """Each time that it is done, a line with the key is added to a file."""

    name = "bench.counted"
    title = "Count it"
    target_class = "probe"
    dedupe_window = 0.0

    def execute(self, args: What, *, key: str, fencing_token: int) -> Answer:
        with _done().open("a") as done:
            done.write(f"{key}\n")
        return Answer(resource_id=key[:16])

    def reconcile(self, args: What, *, key: str) -> Finding:
        found = key in _done().read_text().splitlines()
        return Finding(kind="found" if found else "absent", resource_id=key[:16])


def _done() -> Path:
    return Path(os.environ["BENCH_COUNTED"])
