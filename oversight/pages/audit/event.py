"""One event in full, and whether its hashes are what they should be, computed for this page."""

from dataclasses import dataclass

from django.urls import reverse

from oversight.pages.audit.checking import Checked, checked
from oversight.pages.audit.reads import Stored
from oversight.reading import actors, blind
from oversight.reading.actors import Actor
from oversight.showing import literal
from oversight.showing.kinds import kind
from oversight.showing.words import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class InFull:
    """`payload` is laid out; where it is no JSON it is the stored text, and `odd` says so."""

    event: Stored
    said: Shown
    actor: Actor
    payload: str | None
    odd: bool
    checked: Checked
    earlier_url: str
    later_url: str


def assembled(event: Stored) -> InFull:
    payload, odd = _laid_out(event.payload)
    return InFull(
        event=event,
        said=kind(event.kind),
        actor=actors.actor(event.actor, actors.names([event.actor])),
        payload=payload,
        odd=odd,
        checked=checked(event),
        earlier_url=_url(event, event.seq - 1) if event.seq > 1 else "",
        later_url=_url(event, event.seq + 1) if event.seq < event.last_seq else "",
    )


def hidden(event: Stored, reader: int) -> bool:
    """Whether it is a decision on something that this person still has to decide blind."""
    if event.kind != "decision_made" or event.payload is None:
        return False
    return literal.read(event.payload)["id"] in blind.hidden_from(reader, event.run_id)


def _laid_out(payload: bytes | None) -> tuple[str | None, bool]:
    if payload is None:
        return None, False
    try:
        return literal.laid_out(literal.read(payload)), False
    except (ValueError, RecursionError):
        return payload.decode("utf-8", "backslashreplace"), True


def _url(event: Stored, seq: int) -> str:
    return reverse("audit:event", args=[event.run_id, seq])
