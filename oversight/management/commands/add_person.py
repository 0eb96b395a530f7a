"""`manage.py add_person anna --name "Anna Berg" --role reviewer`: let somebody in."""

import getpass
import sys
from typing import Any

from django.contrib.auth.models import Group
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from oversight.models import Person
from oversight.roles import ROLES


class Command(BaseCommand):
    help = "Let a person in, with one or more roles. Sign-up on the site is closed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--name", required=True, help="the name that decisions will bear")
        parser.add_argument("--role", action="append", required=True, choices=sorted(ROLES))

    def handle(self, *args: Any, **options: Any) -> None:
        if Person.objects.filter(username=options["username"]).exists():
            raise CommandError(f"There is a person {options['username']!r} already.")
        person = Person(username=options["username"], full_name=options["name"])
        try:
            person.must_be_seen()
            validate_password(password := _asked_for(), person)
        except ValidationError as problem:
            raise CommandError(" ".join(problem.messages)) from problem
        self._save(person, password, options["role"])
        self.stdout.write(f"{person} may sign in as {', '.join(options['role'])}.")

    @transaction.atomic
    def _save(self, person: Person, password: str, roles: list[str]) -> None:
        person.set_password(password)
        person.save()
        person.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])


def _asked_for() -> str:
    """The password, from a terminal without showing it, or as one line on standard input."""
    if sys.stdin.isatty():
        return getpass.getpass("Password: ")
    return sys.stdin.readline().rstrip("\n")
