"""One file to be changed, as several tests change it."""

import hashlib
from pathlib import Path
from typing import Any

from engine.actions import Action
from engine.types import Answer
from tests.engine.kit.acts import RestoreConfig, WriteConfig

KEY, OTHER_KEY = "a" * 64, "b" * 64
PATH = "app/limits.ini"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def asked(path: str = PATH, content: str = "max = 20\n", **more: Any) -> Any:
    return WriteConfig.Arguments(path=path, content=content, **more)


def write(args: Any = None, key: str = KEY) -> Answer:
    return WriteConfig().execute(args or asked(), key=key, fencing_token=1)


def restored(answer: Answer, key: str = OTHER_KEY) -> tuple[Action, Any]:
    """The rollback of a change, carried out."""
    inverse, facts = WriteConfig.rollback.made_for(None, answer.resource_id, answer.result)
    args = RestoreConfig.Arguments(**facts)
    inverse.execute(args, key=key, fencing_token=2)
    return inverse, args


def staged(root: Path) -> list[Path]:
    return list(root.rglob(".placet-staged-*"))


class Struck(Exception):
    """The process ended here, as far as this test is concerned."""
