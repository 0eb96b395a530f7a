"""`manage.py advance_run RUN`: one worker's pass over one run, in a process of its own."""

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from engine import worker


class Command(BaseCommand):
    help = "Advance one run until it waits, as a worker does, and say where it stands."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=uuid.UUID)
        parser.add_argument(
            "--as", dest="owner", default="", help="what its lease's owner begins with"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        done = worker.run_once(options["run"], f"{options['owner']}{worker.me()}")
        self.stdout.write(done.outcome)
