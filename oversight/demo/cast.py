"""The people of the demo. Nobody has a password: one click on the sign-in page, and in."""

from dataclasses import dataclass

from django.contrib.auth.models import Group
from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from oversight.access import ROLES
from oversight.models import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One person of the cast: name as in the address, name as shown, group, and what they do."""

    name: str
    shown_name: str
    group: str
    sentence: str | Promise

    @property
    def role(self) -> str | Promise:
        """The group, in words."""
        return ROLES[self.group]


ROSA = Part(
    name="rosa",
    shown_name="Rosa Lind",
    group="reviewer",
    sentence=_("Decides what the refund desk's agent proposes. Begin here."),
)
MINA = Part(
    name="mina",
    shown_name="Mina Okafor",
    group="reviewer",
    sentence=_("Reviews, too: where the policy wants two to approve, she is the second."),
)
TOMAS = Part(
    name="tomas",
    shown_name="Tomas Berg",
    group="reviewer",
    sentence=_("Owns the agent, and so may not decide what it proposes. Step in and try."),
)
OTTO = Part(
    name="otto",
    shown_name="Otto Maurer",
    group="operator",
    sentence=_("Looks after runs that need a hand, and can stop everything."),
)
ADA = Part(
    name="ada",
    shown_name="Ada Ferreira",
    group="auditor",
    sentence=_("Reads every run and its log, and changes nothing."),
)
IVO = Part(
    name="ivo",
    shown_name="Ivo Marin",
    group="integrator",
    sentence=_("Writes the actions and workflows that agents may use."),
)
ALMA = Part(
    name="alma",
    shown_name="Alma Nordin",
    group="administrator",
    sentence=_("Proposes a change of the policy, and never puts her own in force."),
)
BRUNO = Part(
    name="bruno",
    shown_name="Bruno Weil",
    group="administrator",
    sentence=_("The second one: what Alma proposes, he puts in force or drops."),
)

CAST = (ROSA, MINA, TOMAS, OTTO, ADA, IVO, ALMA, BRUNO)


@transaction.atomic
def gather() -> dict[str, Person]:
    """Make the cast people of this installation, each in the group of their role; by name.

    Whoever is there already keeps what they have been given since.
    """
    return {part.name: _gathered(part) for part in CAST}


def _gathered(part: Part) -> Person:
    person, new = Person.objects.get_or_create(
        username=part.name, defaults={"full_name": part.shown_name}
    )
    if new:
        person.set_unusable_password()
        person.save(update_fields=["password"])
        person.groups.add(Group.objects.get_or_create(name=part.group)[0])
    return person
