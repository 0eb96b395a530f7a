"""`manage.py drop_unused_doors`: drop what older code has left behind, and never what is in use."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from engine import retiring


class Command(BaseCommand):
    help = (
        "Drop schemas of doors that no process uses, and that were in use at no call of this "
        "command for a while. Call it every day, or some time after each deployment."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        hours = retiring.GRACE.total_seconds() / 3600
        parser.add_argument(
            "--unused-for", type=float, default=hours, metavar="HOURS", help=f"default {hours:g}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for looked in retiring.run_once(timedelta(hours=options["unused_for"])):
            self.stdout.write(f"{looked.schema}: {looked.became}")
