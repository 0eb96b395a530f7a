"""`manage.py add_person anna --name "Anna Berg" --role administrator`: let the first one in.

Once somebody administers, people are invited. Where nobody of them can be reached, the option
`--without-invitation "why"` adds one nevertheless. Either way it is an event of the log.
"""

import getpass
import sys
from typing import Any

from django.contrib.auth.models import Group
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from engine import api
from engine.errors import BadInput, Conflict
from oversight.models import Person
from oversight.roles import ROLES
from oversight.signing_in import known


class Command(BaseCommand):
    help = "Let the first administrator in. Whoever comes later is invited on the site."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--name", required=True, help="the name that decisions will bear")
        parser.add_argument("--role", action="append", required=True, choices=sorted(ROLES))
        parser.add_argument(
            "--without-invitation",
            metavar="WHY",
            help="add them although somebody administers who could invite them; why is kept",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if Person.objects.filter(username__iexact=options["username"]).exists():
            raise CommandError(f"There is a person {options['username']!r} already.")
        person = Person(username=options["username"], full_name=options["name"])
        try:
            person.must_be_seen()
            validate_password(password := _asked_for(), person)
        except ValidationError as problem:
            raise CommandError(" ".join(problem.messages)) from problem
        try:
            self._save(person, password, options["role"], options["without_invitation"])
        except Conflict as problem:
            raise CommandError(
                "Somebody administers already: they invite people on the page People. If none of "
                'them can be reached, say so with --without-invitation "why"; it is kept.'
            ) from problem
        except BadInput as problem:
            raise CommandError(problem.message) from problem
        self.stdout.write(f"{person} may sign in as {', '.join(options['role'])}.")

    @transaction.atomic
    def _save(self, person: Person, password: str, roles: list[str], reason: str | None) -> None:
        person.set_password(password)
        person.save()
        person.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
        by = api.Command(user=getpass.getuser())
        api.note_person_added(known(person), roles, by=by, reason=reason)


def _asked_for() -> str:
    """The password, from a terminal without showing it, or as one line on standard input."""
    if sys.stdin.isatty():
        return getpass.getpass("Password: ")
    return sys.stdin.readline().rstrip("\n")
