"""The facts of a proposal that our own code computed, as pairs of a label and a value."""

from datetime import datetime

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from oversight.pages.proposal.reads import Version
from oversight.reading import twins
from oversight.showing import action, rule, versions, when, words
from oversight.showing.text import hashed, revealed

Fact = tuple[object, ...]

SENT_AGAIN = {
    "idempotent": gettext_lazy(
        "The target knows the key and refuses to do the same thing twice, so a call whose answer "
        "was lost may be sent again."
    ),
    "probe": gettext_lazy(
        "The target can be asked whether it happened, but not kept from doing it twice: nothing "
        "is sent again without a person."
    ),
    "opaque": gettext_lazy(
        "The target can be neither asked nor kept from doing it twice: nothing is sent again "
        "without a person."
    ),
}
"""What a lost answer means, by what the target can do."""


def computed(item: Version, now: object) -> list[Fact]:
    """What the reviewer should know first, in order."""
    terms = item.terms
    return [
        (_("Action"), terms["title"], action.link(terms["action"])),
        (_("Target"), revealed(terms["target"])),
        *(_done_before(done, now) for done in terms.get("repeats", ())),
        *_asked_anew(item),
        *_edited(item),
        *_asked_before(item, now),
        (_("Asked by"), revealed(item.agent.partition(":")[2]), _run(item)),
        *_stands_on(terms.get("stands_on", {})),
        (_("Decide until"), when.when(item.valid_until, now)),  # type: ignore[arg-type]
        (_("Asked"), when.when(item.opened_at, now)),  # type: ignore[arg-type]
        (_("Policy"), _under(item)),
        (_("Key"), hashed(item.idempotency_key), _("The target sees this key with the call.")),
        (_("Digest"), hashed(item.digest), _("A decision is for exactly this.")),
    ]


def _under(item: Version) -> object:
    """The version of the policy, and what its rule asks for."""
    address = reverse("policy:version", args=[item.policy_version])
    version = _("version %(version)d") % {"version": item.policy_version}
    asked = revealed(rule.summary(item.terms["rule"]))
    return format_html('<a href="{}">{}</a>: {}', address, version, asked)


def _stands_on(pinned: dict[str, str]) -> list[Fact]:
    """Which models and prompts were at work, as the workflow or the agent names them."""
    if not pinned:
        return []
    named = [(revealed(f"{what} {version}"),) for what, version in pinned.items()]
    return [(_("Worked with"), format_html_join(", ", "{}", named))]


def _run(item: Version) -> object:
    """With the version of its workflow that this was asked under; it may have another by now."""
    name, _v, version = item.terms["workflow"].rpartition(" v")
    return format_html(
        '<a href="{}">{}</a>',
        reverse("runs:run", args=[item.run_id]),
        _("run of %(workflow)s, version %(version)s") % {"workflow": name, "version": version},
    )


def _done_before(done: dict[str, str], now: object) -> Fact:
    """The run that this one was forked from has done exactly this already."""
    at = datetime.fromisoformat(done["committed_at"])
    seen = format_html(
        '<a href="{}">{}</a>', reverse("runs:run", args=[done["run"]]), _("in the run it came from")
    )
    return (
        _("Done before"),
        when.when(at, now),  # type: ignore[arg-type]
        format_html("{} {}", seen, _("To approve this is to do it once more.")),
    )


def _asked_anew(item: Version) -> list[Fact]:
    """An earlier version was asked under other code, and what was said of it is void."""
    changed = [(revealed(versions.changed(one)),) for one in item.terms.get("carried_over", ())]
    if not changed:
        return []
    note = _("What was decided about the version before does not count for this one.")
    return [(_("Asked anew since"), format_html_join(", ", "{}", changed), note)]


def _edited(item: Version) -> list[Fact]:
    """Somebody other than the agent wrote some of it."""
    names = [(revealed(one["name"]),) for one in item.terms["editors"]]
    if not names:
        return []
    note = _("Who edited it never decides it.")
    return [(_("Edited by"), format_html_join(", ", "{}", names), note)]


def _asked_before(item: Version, now: object) -> list[Fact]:
    """The same agent asked for exactly this a short while ago, in another proposal."""
    twin = twins.before(
        item.opened_at,
        agent=item.agent,
        content=item.content,
        proposal_id=item.proposal_id,
    )
    if twin is None or _is_named(twin, item):
        return []
    address = reverse("proposal:version", args=[twin.proposal_id, twin.version])
    state = words.shown("proposal", twin.status)
    link = format_html('<a href="{}">{}</a>', address, _("the same request"))
    note = format_html("{}: {}. {}", link, state.word, _("This one is likely a duplicate."))
    return [(_("Asked before"), when.when(twin.opened_at, now), note)]  # type: ignore[arg-type]


def _is_named(twin: twins.Twin, item: Version) -> bool:
    """It was rejected, and the agent says itself that it asks for the same once more."""
    named = item.terms.get("despite")
    return named is not None and named["proposal"][0] == str(twin.proposal_id)


def sent_again(item: Version) -> str | Promise:
    return SENT_AGAIN.get(item.terms["target_class"], SENT_AGAIN["opaque"])
