"""`manage.py stop --reason "…"`: stop everything, or one `--scope`; `--lift` goes on.

It needs nothing but the database, so it works when the pages cannot be reached. A stop waits until
no call is under way any more, and says how long that took.
"""

import getpass
import time
import uuid
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from engine import api, conf, states
from engine.errors import PlacetError
from oversight.models import Person
from oversight.pages.stop import reads

MAY_STOP = ("operator", "administrator")
POLL_SECONDS = 0.2


class Command(BaseCommand):
    help = "Stop everything, and say when nothing is under way any more; or lift the stop."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reason", required=True, help="why; it is kept with the stop")
        parser.add_argument(
            "--scope",
            default=states.EVERYTHING,
            help="everything, workflow:NAME, action:NAME, agent:NAME or run:ID",
        )
        parser.add_argument("--lift", action="store_true", help="let it go on")
        parser.add_argument(
            "--agree",
            action="store_true",
            help="with --lift: somebody else has asked that everything go on, and you agree",
        )
        parser.add_argument("--rollbacks-run", action="store_true", help="rollbacks still run")
        parser.add_argument("--by", metavar="USERNAME", help="the operator who says so")

    def handle(self, *args: Any, **options: Any) -> None:
        speaker = _speaker(options["by"])
        try:
            if options["lift"]:
                self._lift(speaker, options["reason"], options["scope"], options["agree"])
            else:
                self._stop(speaker, options["reason"], options["scope"], options["rollbacks_run"])
        except PlacetError as problem:
            raise CommandError(problem.why) from problem

    def _lift(self, speaker: api.Speaker, reason: str, scope: str, agrees: bool) -> None:
        if api.go_on(speaker, reason, scope=scope, agrees=agrees):
            self.stdout.write("The stop is lifted. The next sweep finds what it held up.")
            return
        minutes = round(api.TO_AGREE.total_seconds() / 60)
        self.stdout.write(
            "Everything stays stopped: it takes two. Another operator or administrator has to "
            f"agree within {minutes} minutes, on the stop page or with --lift --agree."
        )

    def _stop(self, speaker: api.Speaker, reason: str, scope: str, rollbacks_run: bool) -> None:
        stop = api.stop(speaker, reason, scope=scope, rollbacks_run=rollbacks_run)
        receipt = api.halt_receipt(stop)
        what = "Everything" if scope == states.EVERYTHING else scope
        self.stdout.write(f"{what} is stopped: nothing new begins.")
        self.stdout.write(f"Unfinished runs that it covers: {receipt['runs']}.")
        self._tell(receipt)
        if receipt["seconds_to_safe"] is None:
            self._tell(self._waited_for(stop))

    def _waited_for(self, stop: uuid.UUID) -> Mapping[str, Any]:
        """The receipt once no call is under way, or none can be. Workers record what they did and
        tell nobody here, so the receipt is looked at again and again."""
        bound = reads.seconds_to_last_deadline() + conf.margin_seconds()
        self.stdout.write(f"Waiting for that, {max(bound, 0):.1f} s at most ...")
        self.stdout.flush()
        until = time.monotonic() + bound
        receipt = api.halt_receipt(stop)
        while receipt["seconds_to_safe"] is None and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
            receipt = api.halt_receipt(stop)
        return receipt

    def _tell(self, receipt: Mapping[str, Any]) -> None:
        for effect in receipt["effects"]:
            named = f"{effect['action']}, effect {effect['effect_id']}, run {effect['run_id']}"
            self.stdout.write(f"  {effect['told']:<12} {named}")
        self.stdout.write(_verdict(receipt))


def _verdict(receipt: Mapping[str, Any]) -> str:
    if not receipt["effects"]:
        return "Nothing was in flight: safe from the first moment on."
    seconds = receipt["seconds_to_safe"]
    if seconds is not None:
        return f"Safe {seconds:.1f} s after the stop: no call is under way any more."
    left = sum(effect["told"] == "under way" for effect in receipt["effects"])
    if reads.seconds_to_last_deadline() + conf.margin_seconds() > 0:
        return f"Not safe yet: calls under way: {left}."
    return (
        f"Safe: calls without a recorded outcome: {left}; their deadlines and the margin have "
        "passed, so none can arrive any more. A worker that comes to their runs settles them."
    )


def _speaker(username: str | None) -> api.Speaker:
    """The person named; without a name, whoever has been let onto this machine."""
    if username is None:
        return api.Command(user=getpass.getuser())
    person = Person.objects.filter(
        username=username, is_active=True, groups__name__in=MAY_STOP
    ).first()
    if person is None:
        raise CommandError(f"{username!r} is no active operator or administrator.")
    return api.Reviewer(person_id=person.pk, name=str(person))
