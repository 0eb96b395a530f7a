"""Who speaks."""

from dataclasses import dataclass
from typing import Protocol


class Speaker(Protocol):
    """Whoever may place a stop: a person, or a command on the machine itself."""

    @property
    def actor(self) -> str: ...

    @property
    def person_id(self) -> int | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command, typed by a user of the operating system; it works when the web does not."""

    user: str
    person_id: None = None

    @property
    def actor(self) -> str:
        return f"command:{self.user}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Initiator:
    """Who starts a run: an agent ("agent:refund-desk"), or a person. `person_id` is the person
    behind it, an agent's owner too; that person never decides what the run proposes."""

    actor: str
    person_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """An authenticated person, as the engine knows them."""

    person_id: int
    name: str

    @property
    def actor(self) -> str:
        return f"person:{self.person_id}"
