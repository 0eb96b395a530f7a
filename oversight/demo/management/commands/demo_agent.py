"""The example agent as a process of its own; it is told where the API is, and its key."""

import os
import signal
from pathlib import Path
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from oversight.demo.agent.client import Placet
from oversight.demo.agent.desk_agent import DeskAgent, logger, work
from oversight.demo.agent.notes import Notes


class Command(BaseCommand):
    help = (
        "Runs the example agent until SIGTERM. Reads from the environment: PLACET_API_URL, "
        "PLACET_AGENT_KEY_FILE (its notes are kept beside that file) and PLACET_AGENT_PAUSE, "
        "the time in seconds between two new proposals (20)."
    )
    # An outside program: it never touches the database of Placet.
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, _end)
        signal.signal(signal.SIGINT, _end)
        url, key_file = _named("PLACET_API_URL"), Path(_named("PLACET_AGENT_KEY_FILE"))
        placet = Placet(url, key_file.read_text(encoding="ascii").strip())
        notes = Notes(key_file.with_name("agent.notes.json"))
        logger.info("working at %s", url)
        work(DeskAgent(placet, notes, pause=float(os.environ.get("PLACET_AGENT_PAUSE", "20"))))


def _named(variable: str) -> str:
    value = os.environ.get(variable)
    if not value:
        raise CommandError(f"{variable} is not set; the demo's own command sets it.")
    return value


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)
