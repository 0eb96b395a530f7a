"""What the events of the installation's own logs say: who came in, stops, exports."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from oversight.pages.runs.sentence import Facts, Sentence
from oversight.showing.rule import FACTORS

ROUTES: Mapping[str, Promise] = {
    "openid": gettext_lazy("Signed in at the identity provider"),
    "password": gettext_lazy("Signed in"),
    "demo": gettext_lazy("Stepped in, in the demo"),
}
"""Who came in, by which route."""


def begun(facts: Facts) -> Sentence:
    return Sentence(words=_("Log of %(day)s begun") % {"day": facts["node"]}, glyph="play")


def stop_placed(facts: Facts) -> Sentence:
    held = _("Stopped everything, rollbacks too")
    words_ = _("Stopped everything but rollbacks") if facts["rollbacks_run"] else held
    return Sentence(words=words_, glyph="stop", tone="bad", detail=facts["reason"])


def stop_drilled(facts: Facts) -> Sentence:
    if facts["result"] == "passed":
        return Sentence(words=_("Drilled the stop: it holds"), glyph="check-ring", tone="good")
    return Sentence(words=_("Drilled the stop: it FAILED"), glyph="warning", tone="bad")


def stop_lift_asked(facts: Facts) -> Sentence:
    words_ = _("Asked that everything go on")
    return Sentence(words=words_, glyph="question", tone="info", detail=facts["reason"])


def stop_lifted(facts: Facts) -> Sentence:
    return Sentence(words=_("Lifted the stop"), glyph="play", tone="good", detail=facts["reason"])


def export_made(facts: Facts) -> Sentence:
    return Sentence(words=_("Made an export"), glyph="out", tone="info")


def log_verified(facts: Facts) -> Sentence:
    if facts["intact"]:
        return Sentence(words=_("Verified the log: intact"), glyph="seal", tone="good")
    return Sentence(words=_("Verified the log: not intact"), glyph="warning", tone="bad")


def signed_in(facts: Facts) -> Sentence:
    return Sentence(words=str(ROUTES[facts["route"]]), glyph="person")


def signed_out(facts: Facts) -> Sentence:
    return Sentence(words=_("Signed out"), glyph="leave")


def sign_in_refused(facts: Facts) -> Sentence:
    whose = facts["person_name"]
    if facts["route"] == "openid":
        words_ = _("Was not let in from the identity provider")
    else:
        words_ = _("Was not let in") if whose else _("Was not let in: there is no such account")
    return Sentence(words=words_, glyph="slash-ring", tone="bad", detail=whose or "")


def identity_linked(facts: Facts) -> Sentence:
    words_ = _("Linked an identity, which signs them in from now on")
    return Sentence(words=words_, glyph="key", tone="info", detail=_identity(facts))


def identity_unlinked(facts: Facts) -> Sentence:
    words_ = _("Unlinked an identity: it signs them in no more")
    return Sentence(words=words_, glyph="key", tone="wait", detail=_identity(facts))


def _identity(facts: Facts) -> str:
    return f"{facts['subject']} · {facts['issuer']}"


def factor_added(facts: Facts) -> Sentence:
    return _of_factor(_("Added a second factor"), facts, "info")


def factor_removed(facts: Facts) -> Sentence:
    return _of_factor(_("Removed a second factor"), facts, "wait")


def factor_refused(facts: Facts) -> Sentence:
    words_ = _("Could not show a second factor of %(person)s") % {"person": facts["person_name"]}
    return Sentence(words=words_, glyph="slash-ring", tone="bad")


def stepped_up(facts: Facts) -> Sentence:
    return _of_factor(_("Showed a second factor, for one approval"), facts, "plain")


def _of_factor(words_: str, facts: Facts, tone: str) -> Sentence:
    kind = FACTORS.get(facts["factor"], facts["factor"])
    return Sentence(words=words_, glyph="key", tone=tone, detail=str(kind))


def rehearsed(facts: Facts) -> Sentence:
    passed = facts["result"] == "passed"
    words_ = _("Rehearsed %(action)s: passed") if passed else _("Rehearsed %(action)s: failed")
    label = f"{facts['action']} v{facts['action_version']}"
    glyph, tone = ("back-ring", "good") if passed else ("warning", "bad")
    failed = [each["what"] for each in facts["assertions"] if not each["holds"]]
    return Sentence(
        words=words_ % {"action": label}, glyph=glyph, tone=tone, detail="\n".join(failed)
    )


def policy_proposed(facts: Facts) -> Sentence:
    return _of_policy(_("Proposed version %(version)d of the policy"), facts, "wait")


def policy_put_in_force(facts: Facts) -> Sentence:
    return _of_policy(_("Put version %(version)d of the policy in force"), facts, "good")


def policy_dropped(facts: Facts) -> Sentence:
    return _of_policy(_("Dropped version %(version)d of the policy"), facts, "plain")


def _of_policy(words_: str, facts: Facts, tone: str) -> Sentence:
    words_ = words_ % {"version": int(facts["version"])}
    return Sentence(words=words_, glyph="ballot", tone=tone, detail=facts["reason"])
