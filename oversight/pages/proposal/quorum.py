"""Who has been heard of a version, and who is still missing, as one reader may see it."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oversight.pages.proposal.reads import Said, Version
from oversight.reading import blind


@dataclass(frozen=True, slots=True, kw_only=True)
class Quorum:
    """`groups` are (name, how many of it have to approve), `fallback` the one that counts for each
    of them by now; `heard` is everybody's word that the reader may see, `unseen` how many more
    there are; `own` is the reader's."""

    groups: tuple[tuple[str, int], ...]
    fallback: str
    reject: int
    heard: tuple[Said, ...]
    unseen: int
    own: Said | None

    @property
    def needed(self) -> int:
        return sum(count for _name, count in self.groups)

    @property
    def of_several(self) -> bool:
        """More than one person has to be heard, whichever way it goes."""
        return self.needed > 1 or self.reject > 1

    @property
    def approvals(self) -> int:
        return sum(said.decision == "approve" for said in self.heard)


def of(item: Version, said: Sequence[Said], reader: int) -> Quorum:
    rule: Mapping[str, Any] = item.terms["rule"]
    mine = tuple(each for each in said if each.version == item.version)
    hidden = _hides(item, reader)
    return Quorum(
        groups=tuple((str(each["name"]), int(each["approve"])) for each in rule["groups"]),
        fallback=item.calling.to if item.calling.escalated_at else "",
        reject=int(rule["reject"]),
        heard=() if hidden else mine,
        unseen=len(mine) if hidden else 0,
        own=next((each for each in mine if each.person_id == reader), None),
    )


def visible(item: Version, said: Sequence[Said], reader: int) -> tuple[Said, ...]:
    """What may be shown of everything that was said of the proposal."""
    if not _hides(item, reader):
        return tuple(said)
    return tuple(each for each in said if each.version != item.version)


def _hides(item: Version, reader: int) -> bool:
    return item.decidable and _id(item) in blind.hidden_from(reader, item.run_id)


def _id(item: Version) -> str:
    identity: uuid.UUID = item.id
    return str(identity)
