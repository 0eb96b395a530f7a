"""What the people's pages show, put together."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from engine import api
from oversight.access import ROLES
from oversight.pages.people import doings, reads
from oversight.pages.people.forms import (
    MEANING,
    AccountForm,
    GroupsForm,
    QualifyForm,
    ReasonForm,
    WithdrawForm,
    as_text,
    groups_form,
)
from oversight.pages.people.reads import Member
from oversight.showing.text import revealed
from oversight.showing.when import when

DECIDED = {
    "approve": gettext_lazy("approved"),
    "reject": gettext_lazy("rejected"),
    "return": gettext_lazy("returned"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One person's page. The forms are there for administrators, and never for themselves."""

    member: Member
    facts: list[tuple[object, ...]]
    roles: list[tuple[str, str]]
    held: tuple[reads.Held, ...]
    forms: "Forms | None"
    herself: bool
    own: bool
    holds: list[str]
    doings: "Doings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doings:
    """What somebody has in hand, and did of late."""

    claimed: tuple[doings.Claimed, ...]
    answered: tuple[doings.Answered, ...]
    steered: tuple[doings.Steered, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """What an administrator can say of somebody else. Nothing is there to withdraw: None."""

    groups: GroupsForm
    account: AccountForm
    qualify: QualifyForm
    withdraw: WithdrawForm | None


def listing(wish: dict[str, Any], asked: dict[str, str], found: reads.Found) -> dict[str, Any]:
    return {
        "rows": found.rows,
        "asked": asked,
        "back_url": _url(asked, before=found.before) if found.before else "",
        "on_url": _url(asked, after=found.after) if found.after else "",
    }


def _url(asked: dict[str, str], **place: str) -> str:
    return reverse("people:page", query={**asked, **place})


def one(
    member: Member, now: Any, *, reader: int, administers: bool, private: bool, form: Any = None
) -> Shown:
    """`private` is whether the reader may see how to reach them and when they came."""
    herself = member.person_id == reader
    held = reads.qualifications(member.person_id, now)
    return Shown(
        member=member,
        facts=_facts(member, now, private=private or herself),
        roles=[(str(ROLES[role]), str(MEANING[role])) for role in member.roles],
        held=held,
        forms=_forms(member, held, form) if administers and not herself else None,
        herself=herself and administers,
        own=herself,
        holds=_holds(member),
        doings=_doings(member.person_id),
    )


def _doings(person_id: int) -> Doings:
    return Doings(
        claimed=doings.claimed(person_id),
        answered=doings.answered(person_id),
        steered=doings.steered(person_id),
    )


def _forms(member: Member, held: tuple[reads.Held, ...], form: ReasonForm | None) -> Forms:
    """Fresh ones; `form` is the one that came back, with what is wrong in it."""
    standing = standing_of(member)
    there = [each for each in held if each.standing in ("valid", "soon")]
    withdraw = form if isinstance(form, WithdrawForm) else WithdrawForm()
    return Forms(
        groups=form if isinstance(form, GroupsForm) else groups_form(standing),
        account=form
        if type(form) is AccountForm
        else AccountForm(initial={"seen": as_text(standing)}),
        qualify=form if isinstance(form, QualifyForm) else QualifyForm(),
        withdraw=withdraw.offer(there) if there else None,
    )


def standing_of(member: Member) -> api.Standing:
    return api.Standing(active=member.active, groups=frozenset(member.groups))


def _facts(member: Member, now: Any, *, private: bool) -> list[tuple[object, ...]]:
    facts: list[tuple[object, ...]] = [(_("Signs in as"), revealed(member.username))]
    if private:
        facts.append((_("Mail"), revealed(member.email) if member.email else _("none is known")))
        seen = when(member.last_seen, now) if member.last_seen else _("never")
        facts.append((_("Last sign-in"), seen))
    facts.append((_("Here since"), when(member.joined_at, now)))
    facts.append((_("Decisions"), _decisions(member)))
    return facts


def _decisions(member: Member) -> str:
    counted = (f"{DECIDED[each.decision]}: {each.count}" for each in _words(member))
    return ", ".join(counted) or _("none yet")


def _words(member: Member) -> tuple[reads.Word, ...]:
    return reads.words(member.person_id) if member.decisions else ()


def _holds(member: Member) -> list[str]:
    """What rests on this person now, in sentences."""
    found = []
    if count := reads.standing_approvals(member.person_id):
        words = ngettext(
            "%(count)d approval of theirs is not carried out yet.",
            "%(count)d approvals of theirs are not carried out yet.",
            count,
        )
        found.append(words % {"count": count})
    for agent in reads.agents(member.person_id):
        found.append(_("Owns the agent %(agent)s, and decides nothing of it.") % {"agent": agent})
    if "administrator" in member.groups and member.active and reads.administrators() == 1:
        found.append(_("Is the only administrator: nobody could put a policy in force."))
    return found
