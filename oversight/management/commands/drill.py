"""`manage.py drill`: see that the stop holds, on one real run with real workers.

The run is stopped twice: nothing is approved, nothing that was approved is sent, and afterwards it
is asked anew. Only that run stands still. What was seen is kept, and the stop page shows it.
"""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from engine import actions, api, rehearsing
from engine.actions import Action
from engine.errors import PlacetError
from oversight.rehearsal import casting, drilling, report


class Command(BaseCommand):
    help = "Drill the stop: a real run is stopped, and nothing of it is approved or sent."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--action", help="whose rehearsal target it is about; else the first")
        casting.add_arguments(parser)
        parser.add_argument("--json", action="store_true", help="a JSON object on the output")

    def handle(self, *args: Any, **options: Any) -> None:
        action, cast = (
            _action(options["action"]),
            casting.cast(options["operator"], options["reviewer"]),
        )
        played = drilling.drill(action, cast, say=lambda words: self.stderr.write(f"  {words}"))
        api.keep_drill(played, operator=cast.speaks(cast.operator))
        if options["json"]:
            self.stdout.write(json.dumps(report.as_json(played), indent=2))
        else:
            self.stdout.write("The stop holds." if played.passed else "The drill FAILED.")
            for line in report.not_so(played):
                self.stdout.write(line)
        if not played.passed:
            raise SystemExit(1)


def _action(name: str | None) -> type[Action]:
    if name is None:
        if (first := drilling.can_be_drilled()) is None:
            raise CommandError("No action has a target that is there for such things.")
        return first
    try:
        action = type(actions.get(name, None))
    except PlacetError as problem:
        raise CommandError(str(problem)) from problem
    if why := rehearsing.why_not(action):
        raise CommandError(f"{action.label()} cannot be drilled with. {why}")
    return action
