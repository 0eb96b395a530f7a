"""Kill real workers at every point of three effects and of their rollback, and count."""

import json
import time
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from oversight.demo.crashproof import kills
from oversight.demo.crashproof.chaos import play
from oversight.demo.crashproof.report import table
from oversight.demo.crashproof.violations import Watch
from oversight.demo.scenarios.programme import played
from oversight.demo.scenarios.result import Result, Scenario
from oversight.demo.scenarios.stage import stage

Programme = Callable[[Watch], list[Scenario]]


def _chosen(*, chaos: int | None, only: str, quick: bool, **_: Any) -> Programme:
    if chaos:
        shows = f"{chaos} runs, while workers and servers die."
        return lambda watch: [
            Scenario(name=f"chaos:{chaos}", shows=shows, play=partial(play, watch, chaos))
        ]
    chosen = kills.chosen(only, quick=quick)
    if not chosen:
        raise CommandError(f"Nothing is called {only!r}.")
    return lambda watch: [kills.scenario(kill, watch) for kill in chosen]


class Command(BaseCommand):
    help = (
        "Kills a real worker (SIGKILL) at each crash point of each of three effects, and of their "
        "rollback, on servers of its own; lets another finish; and checks the world, the log, the "
        "tables and which layer held. Ends with 0 if all is as it must be."
    )
    # It brings its own databases: what it was started with is not looked at.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="a JSON array on the output")
        parser.add_argument(
            "--only",
            metavar="WORDS",
            default="",
            help='as in "back executed" or "forward:intended:2"',
        )
        parser.add_argument(
            "--quick", action="store_true", help="only the points right before and after the call"
        )

        parser.add_argument(
            "--chaos",
            metavar="N",
            type=int,
            help="instead: N runs while workers die every 2 s and PostgreSQL every 5 to 20 s",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self._began = time.monotonic()
        results = self._results(_chosen(**options))
        self._report(results, as_json=options["json"])
        if not all(result.passed for result in results):
            raise SystemExit(1)

    def _results(self, chosen: Programme) -> list[Result]:
        self._say("starting PostgreSQL and Valkey")
        try:
            with stage(self._say) as set_up:
                return list(played(chosen(Watch(set_up)), set_up))
        except KeyboardInterrupt:
            self._say("broken off; everything that was started is ended")
            raise SystemExit(130) from None

    def _say(self, words: str) -> None:
        self.stderr.write(f"{time.monotonic() - self._began:6.1f} s  {words}", self.style.NOTICE)

    def _report(self, results: list[Result], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps([result.as_json() for result in results], indent=2))
        else:
            self.stdout.write("\n".join(["", *table(results)]))
