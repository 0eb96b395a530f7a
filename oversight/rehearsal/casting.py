"""Who plays in a rehearsal or a drill."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.core.management.base import CommandError, CommandParser

from engine import api
from oversight.models import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who has it played and takes the effect back, and who approves it: others, as many as the rule
    for it asks for."""

    operator: Person
    reviewers: tuple[Person, ...]

    def speaks(self, person: Person) -> api.Reviewer:
        return api.Reviewer(person_id=person.pk, name=str(person))


def add_arguments(parser: CommandParser) -> None:
    """How a command is told who they are."""
    parser.add_argument("--operator", required=True, help="who has it played, and is named for it")
    parser.add_argument(
        "--reviewer",
        required=True,
        action="append",
        help="who approves what is done; once more for each that the policy asks for",
    )


def cast(operator: str, reviewers: Iterable[str]) -> Cast:
    """Them, by their usernames. Raises CommandError for one who is not what they are to be."""
    return Cast(
        operator=_person(operator, "operator"),
        reviewers=tuple(_person(name, "reviewer") for name in reviewers),
    )


def _person(username: str, role: str) -> Person:
    person = Person.objects.filter(username=username, is_active=True, groups__name=role).first()
    if person is None:
        raise CommandError(f"{username!r} is no active {role}.")
    return person
