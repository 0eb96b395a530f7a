"""Which people are asked for, and what an administrator says of one."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import BadRequest, ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from engine import api
from oversight.access import ROLES
from oversight.pages.people import reads
from oversight.reading.filters import FilterForm
from oversight.reading.typed import SaidForm, Words
from oversight.showing.text import must_be_seen

STATES = [("", gettext_lazy("Open and closed")), ("open", gettext_lazy("Open"))]

MEANING = {
    "reviewer": gettext_lazy("decides what agents propose"),
    "operator": gettext_lazy("settles unknown effects, answers alerts, stops and resumes"),
    "auditor": gettext_lazy("reads everything, changes nothing"),
    "integrator": gettext_lazy("writes actions and workflows, owns agents"),
    "administrator": gettext_lazy("lets people in, and changes the policy with another one"),
}
"""What each role is for, in the reader's language."""


class PeopleFilter(FilterForm):
    """Part of a name, one group, and whether the account is open."""

    beside = ("after", "before")

    name = forms.CharField(
        label=gettext_lazy("Name"),
        required=False,
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    group = forms.ChoiceField(label=gettext_lazy("Role or group"), required=False)
    account = forms.ChoiceField(
        label=gettext_lazy("Account"),
        required=False,
        choices=[*STATES, ("closed", gettext_lazy("Closed"))],
    )

    def __init__(self, query: Any) -> None:
        super().__init__(query)
        choices = [("", _("Every one")), *((name, shown(name)) for name in reads.groups())]
        self.fields["group"].choices = choices  # type: ignore[attr-defined]


def shown(group: str) -> str:
    """A group as it is called here: a role in words, any other by its name."""
    return str(ROLES.get(group, group))


class ReasonForm(SaidForm):
    """Why; several of these stand on one page, so that each has names of its own for its fields."""

    here = "id_%s"

    reason = Words(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Kept in the installation's log with your name."),
        rows=2,
    )

    def __init__(self, data: Any = None, **wishes: Any) -> None:
        super().__init__(data, auto_id=self.here, **wishes)


class AccountForm(ReasonForm):
    """The account closed or opened again; and the standing that was shown then."""

    here = "account-%s"

    seen = forms.CharField(widget=forms.HiddenInput)

    def clean_seen(self) -> api.Standing:
        return _standing(self.cleaned_data["seen"])


class _Boxes(SaidForm):
    """A box for each role and group that there is."""

    def __init__(self, data: Any = None, **wishes: Any) -> None:
        super().__init__(data, **wishes)
        self._names = reads.groups()
        for place, name in enumerate(self._names):
            self.fields[f"group{place}"] = forms.BooleanField(
                label=shown(name), help_text=MEANING.get(name, ""), required=False
            )

    @property
    def boxes(self) -> list[forms.BoundField]:
        return [self[f"group{place}"] for place in range(len(self._names))]

    @property
    def ticked(self) -> frozenset[str]:
        said = self.cleaned_data
        return frozenset(name for n, name in enumerate(self._names) if said.get(f"group{n}"))


class GroupsForm(_Boxes, AccountForm):
    """Other roles and groups: a box for each that there is, and the name of one more."""

    here = "groups-%s"

    more = forms.CharField(
        label=gettext_lazy("Another group"),
        help_text=gettext_lazy("For the policy's rules, such as “treasurer”. It opens no page."),
        required=False,
        max_length=150,
        validators=[must_be_seen],
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    field_order = ("seen", "more", "reason")

    @property
    def groups(self) -> frozenset[str]:
        more = self.cleaned_data["more"]
        return self.ticked | {more} if more else self.ticked


class InviteForm(_Boxes):
    """Who is invited, and what they will be here."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("Their decisions will bear it."),
        max_length=200,
        validators=[must_be_seen],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    email = forms.EmailField(
        label=gettext_lazy("Mail address"),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if not self.ticked:
            self.add_error(None, _("Tick at least one role: without any they can open nothing."))
        return found


class JoinForm(SaidForm):
    """How somebody who was invited will sign in."""

    username = forms.CharField(
        label=gettext_lazy("Name to sign in with"),
        max_length=150,
        validators=[UnicodeUsernameValidator(), must_be_seen],
        widget=forms.TextInput(attrs={"autocomplete": "username", "spellcheck": "false"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        help_text=gettext_lazy("At least 12 characters. A few words that nobody would guess do."),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=gettext_lazy("The same again"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, data: Any = None, *, person: Any, **wishes: Any) -> None:
        super().__init__(data, **wishes)
        self._person = person

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        password = found.get("password")
        if password and found.get("again") not in (None, password):
            self.add_error("again", _("These are not the same."))
        if password:
            self._person.username = found.get("username", "")
            try:
                validate_password(password, self._person)
            except ValidationError as problem:
                self.add_error("password", problem)
        return found


class QualifyForm(ReasonForm):
    """What somebody is qualified for, until the end of a day (UTC)."""

    here = "qualify-%s"

    training = forms.CharField(
        label=gettext_lazy("Training"),
        help_text=gettext_lazy("With its version, as the policy names it: refunds-2."),
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    actions = forms.CharField(
        label=gettext_lazy("For the actions"),
        help_text=gettext_lazy("One name; ledger.* for all that begin so; * for every one."),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    until = forms.DateField(
        label=gettext_lazy("Valid through"),
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    most_an_hour = forms.IntegerField(
        label=gettext_lazy("Most decisions in an hour"),
        required=False,
        min_value=1,
        max_value=10_000,
    )
    most_a_day = forms.IntegerField(
        label=gettext_lazy("Most decisions in 24 hours"),
        required=False,
        min_value=1,
        max_value=10_000,
    )
    field_order = ("training", "actions", "until", "most_an_hour", "most_a_day", "reason")

    @property
    def grant(self) -> dict[str, Any]:
        """As `engine.api.grant_qualification` takes it, from now on."""
        said = self.cleaned_data
        end = datetime.combine(said["until"], time.min, UTC) + timedelta(days=1)
        same = ("training", "actions", "most_an_hour", "most_a_day")
        kept = {name: said[name] for name in same}
        return {**kept, "valid_from": timezone.now(), "valid_until": end}

    def complain(self, path: str, words: str) -> None:
        """An error at its field: `path` is "$.training"."""
        name = {"valid_until": "until"}.get(path.removeprefix("$."), path.removeprefix("$."))
        self.add_error(name if name in self.fields else None, words)


class WithdrawForm(ReasonForm):
    """Which of somebody's qualifications is withdrawn."""

    here = "withdraw-%s"

    qualification = forms.UUIDField(
        label=gettext_lazy("Which one"), widget=forms.Select, error_messages={}
    )
    field_order = ("qualification", "reason")

    def offer(self, held: Iterable[reads.Held]) -> "WithdrawForm":
        """With those to choose from that are there to be withdrawn."""
        choices = [(str(each.id), f"{each.training}: {each.actions}") for each in held]
        self.fields["qualification"].widget.choices = choices
        return self


def groups_form(standing: api.Standing) -> GroupsForm:
    """The boxes as they are now."""
    ticked = {f"group{n}": name in standing.groups for n, name in enumerate(reads.groups())}
    return GroupsForm(initial={**ticked, "seen": as_text(standing)})


def as_text(standing: api.Standing) -> str:
    return json.dumps(standing.facts)


def _standing(text: str) -> api.Standing:
    """Raises BadRequest for what no form here posts."""
    try:
        found = json.loads(text)
        return api.Standing(active=bool(found["active"]), groups=frozenset(found["groups"]))
    except (ValueError, TypeError, KeyError, RecursionError) as problem:
        raise BadRequest("This is no standing of a person.") from problem
