"""The pages of standing exemptions, put together from what was read."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from engine import actions, api
from engine.api import Reviewer
from oversight.pages.exemptions import reads
from oversight.pages.exemptions.forms import ApproveForm, EndForm
from oversight.pages.exemptions.reads import Standing, Use
from oversight.second_factor.for_approval import Asked
from oversight.showing import exemption as words
from oversight.showing import refusals, rule
from oversight.showing.text import revealed
from oversight.showing.when import when


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Those that live, and those that are over."""

    living: tuple[Standing, ...]
    over: tuple[Standing, ...]


def listed() -> Listed:
    return Listed(living=reads.living(), over=reads.over())


@dataclass(frozen=True, slots=True, kw_only=True)
class One:
    """One exemption's page. `why_not` is why this reader does not approve what others are asked to;
    `asked` the second factor that its rule asks for."""

    item: Standing
    lets: list[tuple[object, ...]]
    who: list[tuple[object, ...]]
    uses: tuple[Use, ...]
    why_not: str
    approve: ApproveForm | None
    end: EndForm | None
    asked: Asked | None

    @property
    def concerns_reader(self) -> bool:
        """There is something that they can do, or are told why not."""
        return bool(self.approve or self.end or self.why_not)


def one(
    item: Standing,
    now: datetime,
    *,
    reader: Reviewer,
    administers: bool,
    asked: Asked | None,
    approve: ApproveForm | None = None,
    end: EndForm | None = None,
) -> One:
    barred = api.why_not_exempt(reader, item.id)
    is_asked = item.state == "proposed"
    why_not = _why_not(item, reader, barred) if is_asked else ""
    fresh = ApproveForm(initial={"digest": item.digest})
    return One(
        item=item,
        lets=_lets(item, now),
        who=_who(item, now),
        uses=reads.uses(item.id),
        why_not=why_not,
        approve=(approve or fresh) if is_asked and not why_not else None,
        end=(end or EndForm()) if item.lives and (administers or barred is None) else None,
        asked=asked,
    )


def _why_not(item: Standing, reader: Reviewer, barred: str | None) -> str:
    if reader.person_id in {each.person_id for each in item.given}:
        return _("You have approved it; others have to be heard.")
    return refusals.in_words(barred) if barred else ""


def _lets(item: Standing, now: datetime) -> list[tuple[object, ...]]:
    """What its digest commits to, in words."""
    shown = item.shown
    found: list[tuple[object, ...]] = [
        (_("Action"), revealed(shown["title"]), item.label),
        (_("Agent"), revealed(item.agent)),
        (_("Only where"), revealed(item.scope)),
    ]
    if item.most:
        found.append((_("Only while"), revealed(item.most)))
    count = int(shown["uses"])
    found += [
        (_("Uses"), _left(item), _("%(count)d in all") % {"count": count}),
        (_("Its end"), when(item.until, now)),
        (_("Asked of a person all the same"), _one_in(int(shown["one_in"]))),
        (_("Rollback"), revealed(shown["rollback"]["summary"])),
        (_("Who has to approve it"), revealed(rule.summary(item.rule))),
    ]
    return found


def _left(item: Standing) -> str:
    return ngettext("%(count)d left", "%(count)d left", item.left) % {"count": item.left}


def _one_in(number: int) -> str:
    return _("one in %(number)d, by lot") % {"number": number}


def _who(item: Standing, now: datetime) -> list[tuple[object, ...]]:
    """Who, when and why, step by step."""
    found: list[tuple[object, ...]] = [
        (_("Proposed by"), revealed(item.proposed_by), when(item.proposed_at, now)),
        (_("Why"), revealed(item.shown["reason"])),
    ]
    for each in item.given:
        found.append((_("Approved by"), revealed(each.person), when(each.at, now)))
        found.append((_("Their reason"), revealed(each.reason)))
    if item.standing_at:
        found.append((_("Stands since"), when(item.standing_at, now)))
    if item.ended_at:
        found.append((_("Ended"), when(item.ended_at, now), words.end(item.ended_why)))
        found.append((_("Reason"), revealed(item.ended_reason)))
    return found


def choices() -> list[tuple[str, str]]:
    """Actions that an exemption could be for: not at high risk, and with a way back."""
    newest = {each.name: each for each in actions.registered()}
    return [
        (name, f"{each.title} ({each.label()})")
        for name, each in newest.items()
        if each.risk != "high" and each.rollback.kind != "none"
    ]


def writing(form: Any) -> dict[str, Any]:
    return {"form": form, "agents": reads.agents()}
