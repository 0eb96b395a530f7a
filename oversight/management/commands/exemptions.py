"""`manage.py exemptions`: the standing exemptions that live, and what is left of each; with `--all`
the latest that are over, too. `exemptions end ID` ends one: by an administrator, or by somebody who
may decide what it is for.
"""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from engine import api
from engine.errors import PlacetError
from oversight.log_line import visible
from oversight.models import Person
from oversight.pages.exemptions import reads
from oversight.pages.exemptions.reads import Standing
from oversight.showing import exemption, words

SHORT = 8
"""Characters of an id that are shown; a longer or a shorter beginning does as well."""


class Command(BaseCommand):
    help = "List the standing exemptions, or end one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--all", action="store_true", help="those that are over, too")
        verbs = parser.add_subparsers(dest="verb", metavar="VERB")
        end = verbs.add_parser("end", help="end one: it lets nothing more through")
        end.add_argument("id", help="its id, or the beginning of it")
        end.add_argument(
            "--as", required=True, dest="speaker", metavar="USERNAME", help="who says so"
        )
        end.add_argument("--reason", required=True, help="why; it is kept")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verb"] == "end":
            return self._end(options)
        found = reads.living() + (reads.over() if options["all"] else ())
        for item in found:
            self._tell(item)
        if not found:
            self.stdout.write("Nothing is exempt.")
        return None

    def _tell(self, item: Standing) -> None:
        for line in _lines(item):
            self.stdout.write(visible(line))

    def _end(self, options: dict[str, Any]) -> None:
        item = _named(options["id"])
        try:
            api.end_exemption(
                item.id, person=_speaker(options["speaker"]), reason=options["reason"]
            )
        except PlacetError as problem:
            raise CommandError(problem.why) from problem
        self.stdout.write(f"{str(item.id)[:SHORT]} lets nothing more through.")


def _lines(item: Standing) -> Iterator[str]:
    state = words.shown("exemption", item.state).word
    gave = ", ".join(each.person for each in item.given) or "nobody yet"
    indent = " " * (SHORT + 2)
    yield f"{str(item.id)[:SHORT]}  {state}: {item.label} by {item.agent}"
    yield indent + "; ".join(filter(None, (item.scope, item.most)))
    yield f"{indent}{item.left} of {item.uses} uses left, until {item.until}"
    yield f"{indent}given by {gave}"
    if item.ended_why:
        yield f"{indent}ended by {item.ended_by}: {exemption.end(item.ended_why)}"


def _named(beginning: str) -> Standing:
    found = [each for each in reads.living() if str(each.id).startswith(beginning)]
    if len(found) != 1:
        raise CommandError(f"{len(found)} that live have an id that begins with {beginning!r}.")
    return found[0]


def _speaker(username: str) -> api.Reviewer:
    person = Person.objects.filter(username=username, is_active=True).first()
    if person is None:
        raise CommandError(f"There is no active account {username!r}.")
    return api.Reviewer(person_id=person.pk, name=str(person))
