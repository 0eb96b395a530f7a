"""What the people's pages read: one function, one query, frozen values out."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.contrib.postgres.aggregates import ArrayAgg
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now

from engine.models import Decision, Qualification
from oversight.access import ROLES
from oversight.models import Agent, Invitation, Person

SIZE = 50
"""How many rows a page holds."""

SOON = timedelta(days=14)
"""How long before its end a qualification is marked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One person; `decisions` is how often they gave their word."""

    person_id: int
    username: str
    name: str
    email: str
    active: bool
    groups: tuple[str, ...]
    last_seen: datetime | None
    joined_at: datetime
    decisions: int
    trainings: tuple[str, ...]

    @property
    def roles(self) -> tuple[str, ...]:
        return tuple(role for role in ROLES if role in self.groups)

    @property
    def role_words(self) -> tuple[str, ...]:
        return tuple(str(ROLES[role]) for role in self.roles)

    @property
    def other_groups(self) -> tuple[str, ...]:
        return tuple(sorted(set(self.groups) - set(ROLES)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One page of people, and the names behind which its neighbours begin ("" for none)."""

    rows: tuple[Member, ...]
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A qualification; `standing` is valid, soon (it ends within two weeks), over, or withdrawn."""

    id: uuid.UUID
    training: str
    actions: str
    most_an_hour: int | None
    most_a_day: int | None
    granted_by: str
    granted_at: datetime
    valid_until: datetime
    withdrawn_by: str
    withdrawn_at: datetime | None
    standing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """How often somebody decided so, and when last."""

    decision: str
    count: int
    last_at: datetime


def groups() -> tuple[str, ...]:
    """The roles, then every other group that there is."""
    known = Group.objects.exclude(name__in=ROLES).order_by("name").values_list("name", flat=True)
    return (*ROLES, *known)


def people(wish: Mapping[str, Any], *, before: str, after: str) -> Found:
    """By their sign-in names; behind one of them, or before it."""
    query = _wished(wish)
    if before:
        found = list(query.filter(username__lt=before).order_by("-username")[: SIZE + 1])
        rows, more = found[:SIZE][::-1], len(found) > SIZE
        return _page(rows, before=more, after=True)
    found = list(query.filter(username__gt=after).order_by("username")[: SIZE + 1])
    return _page(found[:SIZE], before=bool(after), after=len(found) > SIZE)


def _page(records: list[Any], *, before: bool, after: bool) -> Found:
    if not records:
        return Found(rows=(), before="", after="")
    return Found(
        rows=tuple(_member(record) for record in records),
        before=records[0].username if before else "",
        after=records[-1].username if after else "",
    )


def _wished(wish: Mapping[str, Any]) -> Any:
    query = _known()
    if name := wish.get("name"):
        query = query.filter(Q(full_name__icontains=name) | Q(username__icontains=name))
    if group := wish.get("group"):
        query = query.filter(
            pk__in=Person.groups.through.objects.filter(group__name=group).values("person_id")
        )
    if account := wish.get("account"):
        query = query.filter(is_active=account == "open")
    return query


def _known() -> Any:
    said = Decision.objects.filter(person=OuterRef("pk")).order_by().values("person")
    valid = _valid().filter(person=OuterRef("pk")).order_by("training")
    return Person.objects.annotate(
        in_groups=ArrayAgg("groups__name", filter=Q(groups__isnull=False), default=[]),
        trained=ArraySubquery(valid.values("training")),
        said=Coalesce(Subquery(said.values(count=Count("pk"))), 0),
    )


def _member(record: Any) -> Member:
    return Member(
        person_id=record.pk,
        username=record.username,
        name=str(record),
        email=record.email,
        active=record.is_active,
        groups=tuple(record.in_groups),
        last_seen=record.last_login,
        joined_at=record.date_joined,
        decisions=record.said,
        trainings=tuple(dict.fromkeys(record.trained)),
    )


def person(person_id: int) -> Member | None:
    record = _known().filter(pk=person_id).first()
    return None if record is None else _member(record)


def _valid() -> Any:
    return Qualification.objects.filter(
        withdrawn_at=None, valid_from__lte=Now(), valid_until__gt=Now()
    )


def qualifications(person_id: int, now: datetime) -> tuple[Held, ...]:
    """Every one that somebody was ever granted, those that hold the longest first."""
    found = Qualification.objects.filter(person=person_id)
    return tuple(_held(record, now) for record in found.order_by("-valid_until", "training"))


def _held(record: Qualification, now: datetime) -> Held:
    return Held(
        id=record.id,
        training=record.training,
        actions=record.actions,
        most_an_hour=record.most_an_hour,
        most_a_day=record.most_a_day,
        granted_by=record.granted_by_name,
        granted_at=record.granted_at,
        valid_until=record.valid_until,
        withdrawn_by=record.withdrawn_by_name or "",
        withdrawn_at=record.withdrawn_at,
        standing=_standing(record, now),
    )


def _standing(record: Qualification, now: datetime) -> str:
    if record.withdrawn_at is not None:
        return "withdrawn"
    if record.valid_until <= now:
        return "over"
    return "soon" if record.valid_until <= now + SOON else "valid"


def words(person_id: int) -> tuple[Word, ...]:
    """What somebody has said so far, by what they said."""
    found = (
        Decision.objects.filter(person=person_id)
        .values("decision")
        .annotate(count=Count("pk"), last_at=Max("decided_at"))
        .order_by("decision")
    )
    return tuple(Word(**row) for row in found)


def agents(person_id: int) -> tuple[str, ...]:
    """The agents that somebody owns: what these propose they never decide."""
    owned = Agent.objects.filter(owner=person_id, active=True).order_by("name")
    return tuple(owned.values_list("name", flat=True))


def standing_approvals(person_id: int) -> int:
    """How many open or approved proposals rest on an approval of theirs and are not sent yet."""
    return (
        Decision.objects.filter(
            person=person_id, decision="approve", proposal__status__in=("open", "approved")
        )
        .exclude(proposal__run__ended_at__isnull=False)
        .exclude(
            Q(proposal__run__effects__proposal_id=F("proposal__proposal_id"))
            & ~Q(proposal__run__effects__status="prepared")
        )
        .count()
    )


def administrators() -> int:
    """How many people can administer now."""
    return Person.objects.filter(is_active=True, groups__name="administrator").count()


@dataclass(frozen=True, slots=True, kw_only=True)
class Invited:
    """Somebody who was invited and has not come yet; `over` where the link has run out."""

    id: uuid.UUID
    name: str
    email: str
    groups: tuple[str, ...]
    invited_by: str
    expires_at: datetime
    over: bool


def invitations() -> tuple[Invited, ...]:
    """Everybody who may still come, or might be invited again, the latest first."""
    found = Invitation.objects.filter(accepted_at=None, withdrawn_at=None).annotate(now=Now())
    latest = found.select_related("invited_by").order_by("-invited_at")[:100]
    return tuple(
        Invited(
            id=record.id,
            name=record.full_name,
            email=record.email,
            groups=tuple(str(ROLES.get(name, name)) for name in record.groups),
            invited_by=str(record.invited_by),
            expires_at=record.expires_at,
            over=record.expires_at <= record.now,
        )
        for record in latest
    )
