"""A book into which values are written, in memory; and an agent that cannot keep to its word."""

from typing import Any

from engine import actions, workflows
from engine.actions import Action, ActionArguments, out_of_band
from engine.types import Answer, Facts, Finding, Verified
from engine.workflows import Context, Next, Workflow, finish, propose

REVIEWED = {"message": "reviewed-value", "times": 1}
CHANGED = {"message": "changed-value", "times": 1}


class Book:
    """What was really written, line by line, and what the agent has said so far."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.said: list[str] = []


book = Book()


class RecordValue(Action):
    name = "book.record_value"
    title = "Record a value"
    risk = "low"
    target_class = "probe"
    rollback = out_of_band("Strike the line.")

    class Arguments(ActionArguments):
        message: str
        times: float
        margin: str = "none"

    def describe(self, args: Any) -> str:
        return f"Record {args.message}"

    def target(self, args: Any) -> str:
        return "the book"

    def precondition(self, args: Any) -> Facts:
        return {}

    def execute(self, args: Any, *, key: str, fencing_token: int) -> Answer:
        book.lines.append({"by": self.name, **args.model_dump()})
        return Answer(resource_id=f"line {len(book.lines)}", result={})

    def reconcile(self, args: Any, *, key: str) -> Finding:
        return Finding(kind="unclear")

    def verify(self, args: Any, *, resource_id: str | None) -> Verified:
        return Verified(verification="passed")


class StrikeValue(RecordValue):
    name = "book.strike_value"
    title = "Strike a value"


def says_something_else_each_time(ctx: Context) -> Next:
    """A node whose model has another answer whenever it is asked."""
    book.said.append("changed-value" if book.said else "reviewed-value")
    arguments = {**REVIEWED, "message": book.said[-1]}
    return propose("book.record_value", arguments, why="It is due.", then="again", otherwise="over")


def known(monkeypatch: Any) -> Book:
    """The actions and the workflow `diary`, known for one test, and an empty book."""
    monkeypatch.setattr(actions, "_registry", dict(actions._registry))
    monkeypatch.setattr(workflows, "_registry", dict(workflows._registry))
    for action in (RecordValue, StrikeValue):
        actions.register(action)
    _diary().check()
    book.__init__()  # type: ignore[misc]
    return book


def _diary() -> Workflow:
    diary = Workflow("diary", start="first")

    def first(ctx: Context) -> Next:
        return says_something_else_each_time(ctx)

    def again(ctx: Context) -> Next:
        return says_something_else_each_time(ctx)

    def over(ctx: Context) -> Next:
        return finish()

    diary.node(to=["again", "over"])(first)
    diary.node(to=["again", "over"])(again)
    diary.node(ends=True)(over)
    return diary


def call(**changed: Any) -> dict[str, Any]:
    """The body by which the agent asks for the reviewed value, or for something else."""
    usual = {"action": "book.record_value", "arguments": REVIEWED, "why": "It is due."}
    return {**usual, "tool_call_id": "call_1", **changed}
