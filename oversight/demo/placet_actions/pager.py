"""The pager line: it takes text, and that is all it can do."""

import socket
from typing import Annotated, Any

from django.conf import settings
from pydantic import Field, StringConstraints

from engine.actions import Action, ActionArguments, Refused, out_of_band, register
from engine.types import Answer, Change, Facts

Name = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,20}$")]


@register
class PageOnCall(Action):
    """Page whoever is on call.

    The line honours no key and answers no question, so the action is `opaque`: without an answer
    nobody can tell, nothing is ever sent twice, and a person looks at the tape.
    """

    name = "pager.page"
    title = "Page whoever is on call"
    risk = "low"
    call_seconds = 3.0
    verify_seconds = 10.0
    verification = "The line cannot be asked: a person looks whether the tape has the message."
    rollback = out_of_band(
        "Call the person who was paged, and say that the message no longer holds. Write down when."
    )

    class Arguments(ActionArguments):
        to: Name
        text: Annotated[str, Field(min_length=1, max_length=160)]

    def describe(self, args: Any) -> str:
        return f"Page {args.to}: {args.text}"

    def target(self, args: Any) -> str:
        return f"pager line, {args.to}"

    def operative_value(self, args: Any) -> str:
        return str(args.to)

    def precondition(self, args: Any) -> Facts:
        """There is nothing that could be read; what is shown has to be enough."""
        return {}

    def preview(self, args: Any) -> Change:
        return Change(before={"on_the_tape": None}, after={"on_the_tape": f"{args.to} {args.text}"})

    def execute(self, args: Any, *, key: str, fencing_token: int) -> Answer:
        line = " ".join(f"{args.to} {args.text}".split())
        with self._connected() as connection:
            connection.sendall(f"{line}\n".encode())
            said = connection.makefile("r", encoding="utf-8").readline().strip()
        if not said:
            raise ConnectionError("the line hung up without a word")
        return Answer(resource_id=None, result={"said": said})

    def _connected(self) -> socket.socket:
        """Raises Refused where the line cannot be reached: then nothing was said on it."""
        host, _, port = str(getattr(settings, "PLACET_PAGER", "")).rpartition(":")
        try:
            return socket.create_connection((host, int(port)), timeout=self.call_seconds)
        except (OSError, ValueError) as problem:
            raise Refused("the pager line cannot be reached") from problem
