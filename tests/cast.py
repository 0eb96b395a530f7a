"""The cast: always the same few people, named by what they are there for.

rosa reviews. tomas reviews too, and the agent `refund-desk` is his: what it proposes he never
decides. otto operates, ada audits, ines integrates; zoe and yara administer.
"""

from django.contrib.auth.models import Group

from engine import api
from engine.api import Initiator, Reviewer
from oversight.models import Person

AGENT = "agent:refund-desk"
PASSWORD = "correct horse battery staple"

CAST = {
    "rosa": ("Rosa Lind", "reviewer"),
    "tomas": ("Tomas Brandt", "reviewer"),
    "otto": ("Otto Weiss", "operator"),
    "ada": ("Ada Moreau", "auditor"),
    "ines": ("Ines Costa", "integrator"),
    "zoe": ("Zoe Hall", "administrator"),
    "yara": ("Yara Sole", "administrator"),
}


class People:
    """Everybody on stage, each made when first spoken of: `people.rosa`."""

    rosa: Person
    tomas: Person
    otto: Person
    ada: Person
    ines: Person
    zoe: Person
    yara: Person

    def __getattr__(self, name: str) -> Person:
        if name not in CAST:
            raise AttributeError(f"nobody in the cast is called {name!r}")
        full_name, role = CAST[name]
        person = self.somebody(name, role, full_name=full_name)
        setattr(self, name, person)
        return person

    def somebody(self, username: str, *roles: str, full_name: str = "") -> Person:
        """One more person, in the groups of these roles, who signs in with PASSWORD."""
        person = Person.objects.create_user(
            username, password=PASSWORD, full_name=full_name or username.title()
        )
        person.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
        return person

    def reviewers(self, count: int) -> list[Person]:
        return [self.somebody(f"reviewer{number}", "reviewer") for number in range(count)]

    @property
    def agent(self) -> Initiator:
        """Tomas's agent, as an initiator."""
        return Initiator(actor=AGENT, person_id=self.tomas.pk)


def all_go_on(people: People, reason: str = "It was nothing.") -> None:
    """otto asks that everything go on, and yara agrees."""
    assert not api.go_on(reviewer(people.otto), "It looks like nothing.")
    assert api.go_on(reviewer(people.yara), reason, agrees=True)


def reviewer(person: Person) -> Reviewer:
    """A person as the engine knows those who decide."""
    return Reviewer(person_id=person.pk, name=str(person))
