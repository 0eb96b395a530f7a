"""What differs between two versions of the rules: added, removed, changed, moved.

A rule is known by what it is for: no two rules of one version are for the same action and risk.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from oversight.showing import diff, rule

Rules = Sequence[Mapping[str, Any]]
Name = tuple[str, str]

WORDS: Mapping[str, tuple[Promise, str]] = {
    "added": (gettext_lazy("Added"), "plus"),
    "removed": (gettext_lazy("Removed"), "minus"),
    "changed": (gettext_lazy("Changed"), "changed"),
    "moved": (gettext_lazy("Moved"), "arrow"),
}
"""What can become of a rule: a word and a sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One rule that is not what it was; `rows` are what differs of what it asks for.

    `before` and `after` are its places, from 1; one that is not there is None.
    """

    kind: str
    rule: Mapping[str, Any]
    before: int | None
    after: int | None
    moved: bool
    rows: tuple[diff.Row, ...] = ()

    @property
    def word(self) -> str | Promise:
        return WORDS[self.kind][0]

    @property
    def glyph(self) -> str:
        return WORDS[self.kind][1]

    @property
    def title(self) -> str:
        return rule.title(self.rule)

    @property
    def told(self) -> list[tuple[str, str]]:
        return list(rule.told(self.rule).items())


def between(before: Rules, after: Rules) -> tuple[Change, ...]:
    """In the order of the later version, then what is gone."""
    old, new = _by_name(before), _by_name(after)
    moved = _moved([name for name in old if name in new], [name for name in new if name in old])
    kept = (_of_one(name, old, new, name in moved) for name in new)
    gone = (
        Change(kind="removed", rule=each, before=place, after=None, moved=False)
        for name, (place, each) in old.items()
        if name not in new
    )
    return tuple(change for change in (*kept, *gone) if change is not None)


def in_brief(changes: Sequence[Change]) -> str:
    """How many of each: "1 added, 2 changed"."""
    return ", ".join(_counted(changes)) or _("The rules are the same.")


def _counted(changes: Sequence[Change]) -> Iterator[str]:
    counts = Counter(change.kind for change in changes)
    for kind in WORDS:
        if counts[kind]:
            words = ngettext("%(count)d rule %(done)s", "%(count)d rules %(done)s", counts[kind])
            yield words % {"count": counts[kind], "done": str(WORDS[kind][0]).lower()}


def _by_name(rules: Rules) -> dict[Name, tuple[int, Mapping[str, Any]]]:
    return {(each["action"], each["risk"]): (place, each) for place, each in enumerate(rules, 1)}


def _moved(before: list[Name], after: list[Name]) -> set[Name]:
    """Those that do not keep their order among the ones that are in both."""
    same = SequenceMatcher(a=before, b=after, autojunk=False).get_matching_blocks()
    return set(before) - {name for block in same for name in before[block.a :][: block.size]}


def _of_one(
    name: Name,
    old: Mapping[Name, tuple[int, Mapping[str, Any]]],
    new: Mapping[Name, tuple[int, Mapping[str, Any]]],
    moved: bool,
) -> Change | None:
    """None where nothing of it is different."""
    after, now = new[name]
    if name not in old:
        return Change(kind="added", rule=now, before=None, after=after, moved=False)
    before, was = old[name]
    rows = diff.changed(diff.rows(rule.told(was), rule.told(now)))
    if not rows and not moved:
        return None
    kind = "changed" if rows else "moved"
    return Change(kind=kind, rule=now, before=before, after=after, moved=moved, rows=rows)
