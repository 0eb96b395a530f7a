"""One rule as people write it, and what somebody says of a version."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from engine import policies
from oversight.reading.typed import SaidForm, Words
from oversight.showing import rule

UNITS = {"s": 1, "min": 60, "h": 3600, "day": 86400, "days": 86400, "d": 86400}
_SPAN = re.compile(r"(\d{1,9})\s*(days|day|d|h|min|s)\s*", re.ASCII)

OF_THE_RULE = {
    "time_limit_seconds": "time_limit",
    "wait_seconds": "wait",
    "remind_seconds": "remind",
    "escalate.after_seconds": "escalate_after",
    "escalate.to": "escalate_to",
}
"""Fields of a rule that are typed under another name."""


class Span(forms.CharField):
    """A length of time as people write it, "1 h 30 min"; in seconds. None where it may be left out
    and is."""

    def __init__(self, *, least: int, most: int, **wishes: Any) -> None:
        super().__init__(**wishes, widget=forms.TextInput(attrs={"autocomplete": "off", "size": 8}))
        self.least, self.most = least, most

    def to_python(self, value: Any) -> Any:
        text = (super().to_python(value) or "").strip()
        if not text and not self.required:
            return None
        parts = _SPAN.findall(text)
        if not parts or _SPAN.sub("", text):
            raise ValidationError(_("Write a number and a unit: 30 min, 24 h, 7 days."))
        seconds = sum(int(count) * UNITS[unit] for count, unit in parts)
        if not self.least <= seconds <= self.most:
            limits = {"least": rule.length(self.least), "most": rule.length(self.most)}
            raise ValidationError(_("It can be from %(least)s to %(most)s.") % limits)
        return seconds

    def prepare_value(self, value: Any) -> Any:
        return (rule.length(value) if value else "0 min") if isinstance(value, int) else value


class RuleForm(forms.Form):
    """One rule. Of its groups, rows without a name are left out."""

    action = forms.CharField(
        label=gettext_lazy("Action"),
        max_length=200,
        widget=forms.TextInput(
            attrs={"list": "actions", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    risk = forms.ChoiceField(
        label=gettext_lazy("Risk"),
        help_text=gettext_lazy("As the action says."),
        choices=list(rule.RISKS.items()),
    )
    reject = forms.IntegerField(
        label=gettext_lazy("Rejections that end it"),
        help_text=gettext_lazy("Whoever gives them."),
        min_value=1,
        max_value=policies.MOST_PEOPLE,
        initial=1,
    )
    training = forms.CharField(
        label=gettext_lazy("Qualified by"),
        help_text=gettext_lazy("Only who holds this training decides. Empty: nobody has to."),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    time_limit = Span(
        label=rule.LABELS["time_limit_seconds"],
        help_text=gettext_lazy("To decide, and to carry out."),
        least=policies.SHORTEST_LIMIT,
        most=policies.LONGEST_LIMIT,
        initial=policies.DAY,
    )
    wait = Span(
        label=gettext_lazy("Time to think"),
        help_text=gettext_lazy("Between the last approval and the act."),
        least=0,
        most=policies.LONGEST_WAIT,
        initial=0,
    )
    remind = Span(
        label=gettext_lazy("Remind after"),
        help_text=gettext_lazy("Of what nobody has decided. Empty: nobody is reminded."),
        required=False,
        least=policies.SHORTEST_LIMIT,
        most=policies.LONGEST_LIMIT,
    )
    escalate_after = Span(
        label=gettext_lazy("Escalate after"),
        help_text=gettext_lazy("At once where its own groups have too few people. Empty: never."),
        required=False,
        least=policies.SHORTEST_LIMIT,
        most=policies.LONGEST_LIMIT,
    )
    fresh_rehearsal = forms.BooleanField(
        label=gettext_lazy("Only while its rollback has a rehearsal that passed and still counts"),
        required=False,
    )
    blind = forms.BooleanField(
        label=gettext_lazy("Nobody sees what others said before their own word is in"),
        required=False,
        initial=True,
    )
    challenge = forms.BooleanField(
        label=gettext_lazy(
            "To approve, the operative value is always typed (else at high risk, or where nothing "
            "can be taken back)"
        ),
        required=False,
    )

    step_up = forms.ChoiceField(
        label=gettext_lazy("Second factor to approve"),
        help_text=gettext_lazy("Rejecting and returning never need one."),
        choices=list(rule.STEP_UPS.items()),
        initial="none",
    )

    _rows = range(policies.MOST_GROUPS)

    def __init__(self, data: Any = None, *, groups: Iterable[str], **wishes: Any) -> None:
        super().__init__(data, label_suffix="", **wishes)
        named = [(name, name) for name in groups]
        self.fields["escalate_to"] = forms.ChoiceField(
            label=_("Escalate to"),
            help_text=_("Its members then count for each group that is asked."),
            choices=[("", _("nobody")), *named],
            required=False,
        )
        choices = [("", _("nobody more")), *named]
        for row in self._rows:
            self.fields[f"group{row}"] = forms.ChoiceField(
                label=_("Group"), choices=choices, required=False
            )
            self.fields[f"approve{row}"] = forms.IntegerField(
                label=_("How many have to approve"),
                required=False,
                min_value=1,
                max_value=policies.MOST_PEOPLE,
            )

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        for row in self._rows:
            name, count = found.get(f"group{row}"), found.get(f"approve{row}")
            if name and count is None and f"approve{row}" not in self.errors:
                self.add_error(f"approve{row}", _("Say how many of them."))
            if count is not None and not name and f"group{row}" not in self.errors:
                self.add_error(f"group{row}", _("Say who."))
        self._must_say_both(found)
        if not self._named and not any(f"group{n}" in self.errors for n in self._rows):
            self.add_error("group0", _("Somebody has to approve."))
        return found

    def _must_say_both(self, found: Mapping[str, Any]) -> None:
        """To whom it escalates, and after how long."""
        after, to = found.get("escalate_after"), found.get("escalate_to")
        if to and after is None and "escalate_after" not in self.errors:
            self.add_error("escalate_after", _("Say after how long."))
        if after is not None and not to and "escalate_to" not in self.errors:
            self.add_error("escalate_to", _("Say to whom."))

    @property
    def _named(self) -> list[int]:
        """The rows that name a group."""
        return [row for row in self._rows if self[f"group{row}"].value()]

    def quotas(self) -> Iterator[tuple[Any, Any]]:
        """The rows to show: those in use, and one more."""
        used = [n for n in self._rows if self[f"group{n}"].value() or self[f"approve{n}"].value()]
        for row in range(min(max([-1, *used]) + 2, policies.MOST_GROUPS)):
            yield self[f"approve{row}"], self[f"group{row}"]

    def hidden_again(self) -> Iterator[str]:
        """What was typed, to be posted once more."""
        for bound in self:
            if bound.value() not in (None, "", False):
                yield bound.as_hidden()

    @property
    def asked(self) -> dict[str, Any]:
        """The rule, of a form that is valid."""
        said = self.cleaned_data
        return {
            "action": said["action"],
            "risk": said["risk"],
            "groups": [
                {"name": said[f"group{row}"], "approve": said[f"approve{row}"]}
                for row in self._named
            ],
            "reject": said["reject"],
            "time_limit_seconds": said["time_limit"],
            "wait_seconds": said["wait"],
            "fresh_rehearsal": said["fresh_rehearsal"],
            "blind": said["blind"],
            "training": said["training"] or None,
            "challenge": "always" if said["challenge"] else "declared",
            "step_up": said["step_up"],
            "remind_seconds": said["remind"],
            "escalate": {"after_seconds": said["escalate_after"], "to": said["escalate_to"]}
            if said["escalate_to"]
            else None,
        }

    def complain(self, inside: str, words: str) -> None:
        """An error at its place: `inside` is the path within the rule, ".groups[0].approve"."""
        self.add_error(self._field(inside), words)

    def _field(self, inside: str) -> str | None:
        quota = re.match(r"\.groups\[(\d+)\]\.(name|approve)", inside)
        if quota:
            row = self._named[int(quota[1])]
            return f"{'group' if quota[2] == 'name' else 'approve'}{row}"
        path = inside.removeprefix(".")
        name = path.partition("[")[0].partition(".")[0]
        typed = {**OF_THE_RULE, "groups": "group0"}
        field = typed.get(path) or typed.get(name, name)
        return field if field in self.fields else None


def written(each: Mapping[str, Any]) -> dict[str, Any]:
    """A rule as the form shows it."""
    same = ("action", "risk", "reject", "fresh_rehearsal", "blind", "step_up")
    shown = {name: each[name] for name in same}
    shown |= {"time_limit": each["time_limit_seconds"], "wait": each["wait_seconds"]}
    shown["training"] = each["training"] or ""
    shown |= {"remind": each.get("remind_seconds"), **_escalating(each.get("escalate"))}
    shown["challenge"] = each["challenge"] == "always"
    for row, quota in enumerate(each["groups"]):
        shown |= {f"group{row}": quota["name"], f"approve{row}": quota["approve"]}
    return shown


def _escalating(asked: Mapping[str, Any] | None) -> dict[str, Any]:
    if asked is None:
        return {}
    return {"escalate_after": asked["after_seconds"], "escalate_to": asked["to"]}


class ReasonForm(SaidForm):
    """Why a version is proposed."""

    reason = Words(
        label=gettext_lazy("Why"), help_text=gettext_lazy("Everybody reads it, and it is kept.")
    )


class AnswerForm(SaidForm):
    """What is said of a proposed version. `instead_of` is the one that it was compared with."""

    do = forms.ChoiceField(choices=[("put_in_force", ""), ("drop", "")])
    instead_of = forms.IntegerField(widget=forms.HiddenInput)
    reason = Words(
        label=gettext_lazy("Reason"), help_text=gettext_lazy("Everybody reads it, and it is kept.")
    )
