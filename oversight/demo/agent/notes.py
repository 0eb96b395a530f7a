"""The agent's own memory: what it has taken up, and what it was told of each."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

BEFORE_A_DECISION = ("new", "preparing", "open", "returned")


@dataclass(slots=True, kw_only=True)
class Matter:
    """One wish in hand, by its name.

    `token` names everything that is asked for it, so that nothing is asked twice; `closed` says how
    it ended.
    """

    name: str
    token: str
    workflow: str
    run_id: str = ""
    proposal_id: str = ""
    version: int = 0
    answered: int = 0
    status: str = "new"
    closed: str = ""

    @property
    def undecided(self) -> bool:
        return not self.closed and self.status in BEFORE_A_DECISION


class Notes:
    """All matters, in a file that is whole at any moment; in memory alone without a file."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._saved = ""
        self._matters = _read(path) if path else []

    def open(self) -> Iterator[Matter]:
        return (matter for matter in list(self._matters) if not matter.closed)

    def undecided(self) -> int:
        return sum(matter.undecided for matter in self._matters)

    def names(self) -> set[str]:
        return {matter.name for matter in self._matters}

    def __len__(self) -> int:
        return len(self._matters)

    def add(self, matter: Matter) -> None:
        self._matters.append(matter)
        self.save()

    def save(self) -> None:
        """Write down what has changed since the last time, if anything."""
        text = json.dumps([asdict(matter) for matter in self._matters], indent=1)
        if self._path is None or text == self._saved:
            return
        beside = self._path.with_name(f"{self._path.name}.new")
        beside.touch(mode=0o600)
        beside.write_text(text, encoding="utf-8")
        beside.replace(self._path)
        self._saved = text


def _read(path: Path) -> list[Matter]:
    """What is noted there. Notes of another form, from an earlier version, are left out."""
    if not path.exists():
        return []
    known = {field.name for field in fields(Matter)}
    noted = json.loads(path.read_text(encoding="utf-8"))
    return [Matter(**facts) for facts in noted if facts.keys() == known]
