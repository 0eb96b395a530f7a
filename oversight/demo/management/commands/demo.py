"""`manage.py demo`: run everything on this machine until it is stopped."""

import argparse
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand

from oversight.demo.supervisor.run import run


class Command(BaseCommand):
    """A thin door to the supervisor."""

    help = "Runs the whole of Placet on this machine, with example data, until it is stopped."
    requires_system_checks = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--reset", action="store_true", help="forget all earlier data first")
        parser.add_argument(
            "--data",
            type=Path,
            default=settings.BASE_DIR / ".placet",
            help="the folder in which the demo keeps its data (default: .placet)",
        )

    def handle(self, *, data: Path, reset: bool, **_: object) -> None:
        raise SystemExit(run(data, reset=reset))
