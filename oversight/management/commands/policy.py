"""`manage.py policy show`: the rules in force; `propose FILE`, `put-in-force N` and `drop N` change
them, by two administrators; `check FILE` says beforehand whether they could be met. With `--replay`
it is said what was decided of late would have come to.

A file holds JSON: an array of rules, or an object with `rules`, as `show --json` writes it.
"""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from engine import api, canonical, policies
from engine.errors import BadInput, PlacetError
from oversight.models import Person
from oversight.pages.policy import decided, meaning, reads, replayed
from oversight.pages.policy.reads import Version
from oversight.showing import rule


class Command(BaseCommand):
    help = "Show the policy, check rules, propose them, put them in force, or drop them."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        show = verbs.add_parser("show", help="the policy in force, in words")
        show.add_argument("--version", type=int, dest="number", help="another version of it")
        show.add_argument("--json", action="store_true", help="as `propose` and `check` read it")
        check = verbs.add_parser("check", help="whether rules are well formed and can be met")
        check.add_argument("file", help="JSON; - for standard input")
        for verb in (show, check):
            verb.add_argument(
                "--replay", action="store_true", help="what was decided of late, under these rules"
            )
        propose = verbs.add_parser("propose", help="propose rules; a second person is needed then")
        propose.add_argument("file", help="JSON; - for standard input")
        for name, does in (("put-in-force", "what somebody else proposed"), ("drop", "a proposal")):
            verb = verbs.add_parser(name, help=does)
            verb.add_argument("number", type=int, metavar="VERSION")
            _says(verb)
        _says(propose)

    def handle(self, *args: Any, **options: Any) -> None:
        act = getattr(self, f"_{options['verb'].replace('-', '_')}")
        try:
            act(options)
        except BadInput as problem:
            raise CommandError(f"{problem.path}: {problem.message}") from problem
        except PlacetError as problem:
            raise CommandError(problem.why) from problem

    def _show(self, options: dict[str, Any]) -> None:
        number = options["number"]
        found = reads.in_force() if number is None else reads.version(number)
        if found is None:
            raise CommandError("No policy is in force." if number is None else "There is no such.")
        if options["json"]:
            told = {"version": found.number, "status": found.status, "rules": found.rules}
            self.stdout.write(json.dumps(told, indent=2, ensure_ascii=False))
            return
        self.stdout.write(_headline(found))
        self._tell(found.rules)
        if options["replay"]:
            self._replay(found.rules)

    def _check(self, options: dict[str, Any]) -> None:
        """Ends with 1 where nobody could meet a rule."""
        rules = _read(options["file"])
        self._tell(rules)
        if options["replay"]:
            self._replay(rules)
        beyond = api.beyond_reach(rules)
        if beyond:
            places = ", ".join(str(place + 1) for place in beyond)
            raise CommandError(f"Well formed; but nobody could meet rule {places} now.")
        self.stdout.write("Well formed, and each rule can be met by the people that there are.")

    def _propose(self, options: dict[str, Any]) -> None:
        number = api.propose_policy(
            _read(options["file"]),
            administrator=_speaker(options["speaker"]),
            reason=options["reason"],
        )
        self.stdout.write(f"Version {number} is proposed. Another administrator puts it in force.")

    def _put_in_force(self, options: dict[str, Any]) -> None:
        number, speaker = options["number"], _speaker(options["speaker"])
        api.put_policy_in_force(number, administrator=speaker, reason=options["reason"])
        self.stdout.write(f"Version {number} is in force.")

    def _drop(self, options: dict[str, Any]) -> None:
        number, speaker = options["number"], _speaker(options["speaker"])
        api.drop_policy(number, administrator=speaker, reason=options["reason"])
        self.stdout.write(f"Version {number} is dropped.")

    def _tell(self, rules: reads.Rules) -> None:
        for each in meaning.held(rules):
            self.stdout.write(f"{each.place:>3}. {rule.title(each.rule)}")
            self.stdout.write(f"     {rule.summary(each.rule)}")
            self.stdout.write(f"     {rule.LABELS['time_limit_seconds']}: {each.time_limit}")
            self.stdout.write(f"     now for: {', '.join(each.actions) or 'no action'}")
            for caution in each.cautions:
                self.stdout.write(self.style.WARNING(f"     ! {caution}"))

    def _replay(self, rules: reads.Rules) -> None:
        """Counts by action, then every one that differs."""
        found = replayed.of(rules, shown=decided.MOST)
        newest = ", only the newest looked at" if found.more else ""
        self.stdout.write(f"Decided in the last {found.days} days: {found.looked}{newest}.")
        for row in found.rows:
            told = ", ".join(f"{part.count} {part.word}" for part in row.parts)
            self.stdout.write(f"     {row.action} at {row.risk} risk, rule {row.place}: {told}")
        for each in found.differing:
            name = f"{each.case.proposal_id} version {each.case.version}, {each.case.status}"
            self.stdout.write(f"   ~ {name}: {each.word}. {each.verdict.why}")


def _says(parser: CommandParser) -> None:
    parser.add_argument(
        "--as", required=True, dest="speaker", metavar="USERNAME", help="who says so"
    )
    parser.add_argument("--reason", required=True, help="why; it is kept, and everybody reads it")


def _headline(found: Version) -> str:
    state = found.status.replace("_", " ")
    return f"Version {found.number}, {state}. Proposed by {found.proposed_by}: {found.reason}"


def _read(name: str) -> Any:
    """The rules of a file, checked. Raises BadInput with the path of what is wrong with them."""
    try:
        body = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as problem:
        raise CommandError(f"{name} cannot be read: {problem.strerror}.") from problem
    try:
        document = canonical.parse(body)
    except BadInput as problem:
        raise CommandError(f"{name}: {problem.message}") from problem
    if isinstance(document, dict) and "rules" in document:
        document = document["rules"]
    return policies.checked(document)


def _speaker(username: str) -> api.Reviewer:
    person = Person.objects.filter(
        username=username, is_active=True, groups__name="administrator"
    ).first()
    if person is None:
        raise CommandError(f"{username!r} is no active administrator.")
    return api.Reviewer(person_id=person.pk, name=str(person))
