"""What the outside tells: events that runs wait for."""

import uuid
from dataclasses import dataclass
from typing import Any

from engine import values
from engine.canonical import MAX_BODY, check, packed, packed_text
from engine.errors import BadInput, TooLarge
from engine.hints import hint
from engine.store import inbound
from engine.waits import EVENT_NAME, LONGEST_KEY

LONGEST_ID = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What became of an event: `delivered` to these runs, `kept` or `duplicate_ignored`."""

    outcome: str
    run_ids: tuple[uuid.UUID, ...]


def deliver_event(
    name: str, key: str, external_id: str, payload: Any = None, *, sender: str
) -> Delivery:
    """An event has happened outside. Every run that waits for this name and key takes it, and
    goes on; if none does it is kept until one will.

    `external_id` is the sender's own name for this one event: the same again, under this name,
    changes nothing. `payload` is any JSON of at most 256 KiB. Raises BadInput, TooLarge.
    """
    _check(name, key, external_id, payload)
    size = len(packed(payload))
    if size > MAX_BODY:
        raise TooLarge(f"The payload has {size} bytes; the limit is {MAX_BODY}.")
    light, kept = values.lightened({"payload": payload})
    bodies = [large.body for large in kept]
    carried = packed_text(light["payload"])
    told = inbound.deliver_event(sender, name, key, external_id, carried, bodies)
    runs = tuple(uuid.UUID(run) for run in told["runs"])
    for run in runs:
        hint(run)
    return Delivery(outcome=told["outcome"], run_ids=runs)


def _check(name: object, key: object, external_id: object, payload: Any) -> None:
    if not isinstance(name, str) or not EVENT_NAME.fullmatch(name):
        raise BadInput("Name it by letters, digits, '_', '.' and '-'.", path="$.name")
    for field, value, longest in (
        ("key", key, LONGEST_KEY),
        ("external_id", external_id, LONGEST_ID),
    ):
        if not isinstance(value, str) or not 1 <= len(value) <= longest:
            raise BadInput(f"A text of 1 to {longest} characters.", path=f"$.{field}")
        check(value, f"$.{field}")
    check(payload, "$.payload")
