"""Play the scenarios: crashes, changed worlds and wrong answers, for real and counted."""

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from oversight.demo.scenarios.programme import PROGRAMME, chosen, played
from oversight.demo.scenarios.report import table
from oversight.demo.scenarios.result import Result
from oversight.demo.scenarios.stage import stage


class Command(BaseCommand):
    help = (
        "Plays what a worker's death, a changed world and a wrong answer do to a refund, on "
        "servers of its own, and counts the effects in the ledger. Ends with 0 if all is as it "
        "must be. Scenarios: " + ", ".join(scenario.name for scenario in PROGRAMME)
    )
    # It brings its own databases: what it was started with is not looked at.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="a JSON array on the output")
        parser.add_argument("--only", metavar="NAME", help="one scenario, or those of one group")

    def handle(self, *args: Any, **options: Any) -> None:
        scenarios = chosen(options["only"])
        if not scenarios:
            raise CommandError(f"There is no scenario {options['only']!r}.")
        self._began = time.monotonic()
        self._say("starting PostgreSQL and Valkey")
        try:
            with stage(self._say) as set_up:
                results = list(played(scenarios, set_up))
        except KeyboardInterrupt:
            self._say("broken off; everything that was started is ended")
            raise SystemExit(130) from None
        self._report(results, as_json=options["json"])
        if not all(result.passed for result in results):
            raise SystemExit(1)

    def _say(self, words: str) -> None:
        self.stderr.write(f"{time.monotonic() - self._began:6.1f} s  {words}", self.style.NOTICE)

    def _report(self, results: list[Result], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps([result.as_json() for result in results], indent=2))
        else:
            self.stdout.write("\n".join(["", *table(results)]))
