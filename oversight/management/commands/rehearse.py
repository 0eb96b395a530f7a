"""`manage.py rehearse ACTION`: carry a rollback plan out, on a target that is there for that.

The effect is done, its worker killed, recovered by another, taken back, and the target compared.
It works on this installation's database and targets; a running worker is not needed. `--due` plays
those whose last rehearsal counts no more; beat has it done every hour where two people are named.
"""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from engine import actions, api, rehearsing
from engine.actions import Action
from engine.errors import PlacetError
from engine.rehearsing import Played
from oversight.rehearsal import casting, report
from oversight.rehearsal.casting import Cast
from oversight.rehearsal.due import due
from oversight.rehearsal.performing import perform


class Command(BaseCommand):
    help = "Rehearse how an action is rolled back: done, killed, recovered, rolled back, compared."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", nargs="?", help="its name, or NAME@VERSION; else the newest")
        parser.add_argument("--all", action="store_true", help="every action that can be rehearsed")
        parser.add_argument(
            "--due", action="store_true", help="those whose last rehearsal counts no more"
        )
        casting.add_arguments(parser)
        parser.add_argument("--json", action="store_true", help="a JSON array on the output")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = self._chosen(options["action"], every=options["all"], due_only=options["due"])
        cast = casting.cast(options["operator"], options["reviewer"])
        played = [self._played(action, cast) for action in chosen]
        self._report(played, as_json=options["json"])
        if not all(each.passed for each in played):
            raise SystemExit(1)

    def _chosen(self, name: str | None, *, every: bool, due_only: bool) -> list[type[Action]]:
        if [bool(name), every, due_only].count(True) != 1:
            raise CommandError("Name one action, or say --all, or --due.")
        if name:
            return [self._one(name)]
        if due_only:
            return due(rehearsing.now())
        can = [action for action in actions.registered() if not rehearsing.why_not(action)]
        for action in actions.registered():
            if why := rehearsing.why_not(action):
                self.stderr.write(f"{action.label()} is not rehearsed. {why}")
        return can

    def _one(self, name: str) -> type[Action]:
        bare, _at, version = name.partition("@")
        try:
            action = type(actions.get(bare, int(version) if version else None))
        except (PlacetError, ValueError) as problem:
            raise CommandError(str(problem)) from problem
        if why := rehearsing.why_not(action):
            raise CommandError(f"{action.label()} cannot be rehearsed. {why}")
        return action

    def _played(self, action: type[Action], cast: Cast) -> Played:
        self.stderr.write(f"{action.label()}", self.style.NOTICE)
        played = perform(action, cast, say=lambda words: self.stderr.write(f"  {words}"))
        api.keep_rehearsal(played, operator=cast.speaks(cast.operator))
        return played

    def _report(self, played: list[Played], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps([report.as_json(each) for each in played], indent=2))
            return
        for each in played:
            word = "passed" if each.passed else "FAILED"
            took = each.recovery_seconds
            recovered = "never recovered" if took is None else f"recovered in {took:.1f} s"
            self.stdout.write(f"{word}  {each.action} v{each.action_version}  {recovered}")
            for line in report.not_so(each):
                self.stdout.write(line)
