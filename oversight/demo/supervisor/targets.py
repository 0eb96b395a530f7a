"""The systems outside Placet that the demo's agent wants changed, each a process of its own."""

import json
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from oversight.embedded import Child

from .parts import Part
from .ports import free_ports

_SCRIPTS = Path(__file__).parent.parent / "desk"
_ON_THIS_MACHINE = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """Where they listen, what they keep in `folder`, and the secret that they ask for."""

    folder: Path
    access: int
    smtp: int
    imap: int
    pager: int
    secret: str

    def environment(self) -> dict[str, str]:
        """How Placet reaches them, as the settings want it."""
        return {
            "PLACET_HTTP_TARGETS": json.dumps({"access": self._access()}),
            "PLACET_MAIL": json.dumps({"desk": self._mail()}),
            "PLACET_FILE_ROOTS": json.dumps({"shop": str(self.folder / "config")}),
            "PLACET_PAGER": f"{_ON_THIS_MACHINE}:{self.pager}",
            "PLACET_PAGER_TAPE": str(self.folder / "pager.tape"),
        }

    def _access(self) -> dict[str, object]:
        return {
            "base_url": f"http://{_ON_THIS_MACHINE}:{self.access}",
            "headers": {"Authorization": f"Bearer {self.secret}"},
            "allow_private": True,
        }

    def _mail(self) -> dict[str, object]:
        who = f"desk:{self.secret}@{_ON_THIS_MACHINE}"
        return {
            "from": "The shop <desk@shop.example>",
            "smtp": f"smtp://{who}:{self.smtp}",
            "imap": f"imap://{who}:{self.imap}",
            "mailbox": "Sent",
        }

    def parts(self, logs: Path) -> dict[str, Part]:
        """The processes by name; none of them is essential: a target may be down."""
        ports: dict[str, list[str | int]] = {
            "access": ["--port", self.access],
            "mail": ["--smtp", self.smtp, "--imap", self.imap],
            "pager": ["--port", self.pager],
        }
        parts = [
            Part(name, self._script(name, logs, where), "listening on")
            for name, where in ports.items()
        ]
        parts.append(Part("shopkeeper", _shopkeeper(logs), "the shop is open"))
        return {part.name: part for part in parts}

    def _script(
        self, name: str, logs: Path, where: list[str | int]
    ) -> Callable[[Mapping[str, str]], Child]:
        options = ["--folder", str(self.folder), *map(str, where)]
        return lambda env: Child(
            name,
            [sys.executable, str(_SCRIPTS / f"{name}.py"), *options],
            env={"TMPDIR": env.get("TMPDIR", ""), "DESK_SECRET": self.secret},
            log=logs / f"{name}.log",
        )


def _shopkeeper(logs: Path) -> Callable[[Mapping[str, str]], Child]:
    script = _SCRIPTS / "shopkeeper.py"
    return lambda env: Child(
        "shopkeeper", [sys.executable, str(script)], env=env, log=logs / "shopkeeper.log"
    )


def targets(data: Path) -> Targets:
    """Targets on free ports of this machine, with what they keep in the folder `data`/desk."""
    folder = data.resolve() / "desk"
    folder.mkdir(mode=0o700, exist_ok=True)
    access, smtp, imap, pager = free_ports(4)
    return Targets(
        folder=folder,
        access=access,
        smtp=smtp,
        imap=imap,
        pager=pager,
        secret=secrets.token_urlsafe(32),
    )
