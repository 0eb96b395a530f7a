"""One table of human words, signs and tones for every state the engine knows.

Tones are the names of the colour pairs in `static/css/tokens.css`; a tone never stands without
its sign and its word.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

TONES = ("plain", "info", "wait", "good", "bad", "odd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How one state is shown: a word, a sentence that explains it, a sign and a tone."""

    word: str | Promise
    meaning: str | Promise
    glyph: str
    tone: str


def _shown(word: Promise, meaning: Promise, glyph: str, tone: str) -> Shown:
    return Shown(word=word, meaning=meaning, glyph=glyph, tone=tone)


RUN: Mapping[str, Shown] = {
    "running": _shown(_("Running"), _("A worker is advancing this run."), "play", "info"),
    "waiting_approval": _shown(
        _("Waiting for a decision"), _("A proposal of this run waits for people."), "ballot", "wait"
    ),
    "waiting_external": _shown(
        _("Waiting for the outside"), _("It waits for an answer or a time."), "clock", "wait"
    ),
    "paused": _shown(_("Paused"), _("It goes on when a person says so."), "pause", "wait"),
    "reconciling": _shown(
        _("Reconciling"),
        _("Recorded intent and the observed world are being made to agree."),
        "turn",
        "info",
    ),
    "rolling_back": _shown(
        _("Rolling back"), _("Committed effects are being reversed."), "back", "info"
    ),
    "rolled_back": _shown(_("Rolled back"), _("Its effects were reversed."), "back-ring", "plain"),
    "completed": _shown(_("Completed"), _("It reached its end."), "check-ring", "good"),
    "failed": _shown(_("Failed"), _("It ended without reaching its goal."), "cross-ring", "bad"),
    "cancelled": _shown(_("Cancelled"), _("A person ended it."), "slash-ring", "plain"),
}

EFFECT: Mapping[str, Shown] = {
    "prepared": _shown(
        _("Prepared"), _("Everything is ready; nothing has been sent."), "ring-dashed", "plain"
    ),
    "executing": _shown(_("Executing"), _("The call is under way."), "play", "info"),
    "succeeded": _shown(
        _("Recorded"),
        _("The target said yes. It is committed once the result has been re-read."),
        "check",
        "info",
    ),
    "committed": _shown(
        _("Committed"), _("Re-read at the target and found to be true."), "check-twice", "good"
    ),
    "failed": _shown(_("Failed"), _("The target said no: nothing happened."), "cross-ring", "bad"),
    "unknown": _shown(
        _("Unknown"), _("Nobody can tell yet whether it happened."), "question", "odd"
    ),
    "compensated": _shown(
        _("Compensated"), _("A counter-action reversed it."), "back-ring", "plain"
    ),
}

PROPOSAL: Mapping[str, Shown] = {
    "preparing": _shown(
        _("Preparing"), _("Its premises are still being captured."), "ring-dashed", "plain"
    ),
    "open": _shown(_("Open"), _("It waits for a decision."), "ballot", "wait"),
    "approved": _shown(_("Approved"), _("People allowed exactly this."), "check-ring", "good"),
    "exempted": _shown(
        _("Exempt"), _("Nobody was asked: a standing exemption let it through."), "seal", "info"
    ),
    "rejected": _shown(_("Rejected"), _("A person said no."), "cross-ring", "bad"),
    "returned": _shown(
        _("Returned"), _("Sent back to the agent with a question."), "bubble", "info"
    ),
    "expired": _shown(_("Expired"), _("Nobody decided in time."), "hourglass", "plain"),
    "withdrawn": _shown(_("Withdrawn"), _("Its author took it back."), "minus-ring", "plain"),
    "superseded": _shown(
        _("Superseded"), _("A newer version has taken its place."), "layers", "plain"
    ),
    "lapsed": _shown(
        _("Lapsed"), _("It no longer holds; nothing was sent under it."), "ring-broken", "wait"
    ),
}

VERIFICATION: Mapping[str, Shown] = {
    "passed": _shown(
        _("Verified"), _("The target was re-read and is as approved."), "check-twice", "good"
    ),
    "mismatch": _shown(
        _("Mismatch"), _("The target was re-read and is not as approved."), "unequal", "bad"
    ),
    "not_yet": _shown(
        _("Not yet"), _("The change cannot be seen yet; it is looked for again."), "clock", "wait"
    ),
    "partial": _shown(_("Partly"), _("Only a part of it happened."), "ring-half", "bad"),
    "unverifiable": _shown(
        _("Cannot be verified"), _("The target could not be re-read."), "eye-off", "odd"
    ),
}

ALERT: Mapping[str, Shown] = {
    "open": _shown(_("Open"), _("Nobody has answered for it yet."), "warning", "bad"),
    "acknowledged": _shown(_("Acknowledged"), _("Somebody answers for it."), "eye", "wait"),
    "resolved": _shown(_("Resolved"), _("It is over."), "check-ring", "good"),
}

RISK: Mapping[str, Shown] = {
    "low": _shown(_("Low"), _("Low risk, by policy."), "bars-low", "plain"),
    "medium": _shown(_("Medium"), _("Medium risk, by policy."), "bars-medium", "wait"),
    "high": _shown(_("High"), _("High risk, by policy."), "bars-high", "bad"),
}

PAUSE: Mapping[str, Shown] = {
    "operator": _shown(_("By an operator"), _("A person paused it."), "person", "plain"),
    "stop": _shown(_("Stop in force"), _("A stop covers this run."), "stop", "bad"),
    "effect_unknown": _shown(
        _("Effect unknown"), _("An effect's outcome must be settled first."), "question", "odd"
    ),
    "precondition_failed": _shown(
        _("Precondition failed"), _("The world changed since the approval."), "unequal", "wait"
    ),
    "verification_failed": _shown(
        _("Verification failed"), _("The result could not be confirmed."), "eye-off", "bad"
    ),
    "rollback_failed": _shown(
        _("Rollback failed"), _("A step back did not succeed."), "back-ring", "bad"
    ),
    "budget_exhausted": _shown(
        _("Budget exhausted"), _("It used all that it was given."), "bars-high", "wait"
    ),
    "incompatible_version": _shown(
        _("Incompatible version"), _("The code no longer knows its version."), "layers", "wait"
    ),
    "checksum_mismatch": _shown(
        _("Checksum mismatch"), _("A checkpoint is not what was saved."), "unequal", "bad"
    ),
    "authority_lapsed": _shown(
        _("Authority lapsed"), _("An approval no longer counts."), "ring-broken", "wait"
    ),
    "retries_exhausted": _shown(
        _("Retries exhausted"), _("It was tried as often as allowed."), "turn", "wait"
    ),
}

ROLLBACK: Mapping[str, Shown] = {
    "in_band": _shown(
        _("Inverse"), _("The same action, backwards, puts it right."), "back", "good"
    ),
    "compensating": _shown(
        _("Counter-action"), _("Another action makes up for it."), "turn", "good"
    ),
    "out_of_band": _shown(_("By hand"), _("A person puts it right outside."), "person", "wait"),
    "none": _shown(_("None"), _("It cannot be put right."), "slash-ring", "bad"),
}

REHEARSAL: Mapping[str, Shown] = {
    "passed": _shown(
        _("Rehearsed"), _("It was carried out, recovered and taken back."), "check-ring", "good"
    ),
    "failed": _shown(
        _("Rehearsal failed"), _("Something did not hold when it was rehearsed."), "warning", "bad"
    ),
    "expired": _shown(
        _("Rehearsal too old"), _("It passed, and that counts no more."), "hourglass", "wait"
    ),
    "never": _shown(_("Never rehearsed"), _("Nobody has tried it out."), "ring-dashed", "wait"),
    "cannot": _shown(
        _("Cannot be rehearsed"),
        _("There is nothing to rehearse, or no target for it."),
        "slash-ring",
        "plain",
    ),
}

ALARM: Mapping[str, Shown] = {
    "verification_failed": _shown(
        _("Verification failed"), _("The world does not show what was approved."), "unequal", "bad"
    ),
    "rollback_failed": _shown(
        _("Rollback failed"), _("What was wrong could not be taken back."), "back-ring", "bad"
    ),
    "effect_unknown": _shown(
        _("Effect unknown"), _("Nobody can tell whether it happened."), "question", "odd"
    ),
    "digest_mismatch": _shown(
        _("Digest mismatch"),
        _("What would have been sent is not what was approved; it was not sent."),
        "seal",
        "bad",
    ),
    "late_answer": _shown(
        _("Late answer"), _("The target says yes to what was recorded as not done."), "clock", "odd"
    ),
    "retries_exhausted": _shown(
        _("Retries exhausted"), _("It was tried as often as allowed."), "turn", "wait"
    ),
    "checksum_mismatch": _shown(
        _("Checksum mismatch"), _("A checkpoint is not what was saved."), "layers", "bad"
    ),
    "checkpoint_damaged": _shown(
        _("Checkpoint damaged"),
        _("A checkpoint is not what was saved; the run went on from its log."),
        "layers",
        "bad",
    ),
    "incompatible_version": _shown(
        _("Incompatible version"), _("The code does not know what is stored."), "code", "wait"
    ),
    "authority_lapsed": _shown(
        _("Authority lapsed"), _("Nobody may allow what the run needs."), "ring-broken", "wait"
    ),
}
"""What an alert may be about."""

TARGET: Mapping[str, Shown] = {
    "idempotent": _shown(
        _("Knows our keys"),
        _("This target can be asked by key, and never does the same thing twice under one key."),
        "check-ring",
        "good",
    ),
    "probe": _shown(
        _("Can be asked"),
        _("This target can be asked by key, but would do it again if it were sent again."),
        "eye",
        "wait",
    ),
    "opaque": _shown(
        _("Cannot be asked"),
        _("This target cannot be asked, and would do it again if it were sent again."),
        "eye-off",
        "odd",
    ),
}

HALT: Mapping[str, Shown] = {
    "done": _shown(_("Done"), _("It was carried out, and that is recorded."), "check-ring", "info"),
    "not started": _shown(
        _("Not started"), _("Nothing happened at the target."), "ring-dashed", "plain"
    ),
    "unknown": _shown(_("Unknown"), _("Nobody can tell whether it happened."), "question", "odd"),
    "under way": _shown(_("Under way"), _("The call may still be going on."), "play", "wait"),
}
"""What a halt receipt says of an effect."""

POLICY: Mapping[str, Shown] = {
    "proposed": _shown(
        _("Proposed"),
        _("It changes nothing until a second person puts it in force."),
        "ballot",
        "wait",
    ),
    "in_force": _shown(_("In force"), _("These rules hold now."), "check-ring", "good"),
    "retired": _shown(_("Retired"), _("Another version has taken its place."), "layers", "plain"),
    "dropped": _shown(_("Dropped"), _("It never came into force."), "minus-ring", "plain"),
}

CALLING: Mapping[str, Shown] = {
    "reminded": _shown(_("Reminded"), _("Nobody had decided it in good time."), "clock", "wait"),
    "escalated": _shown(
        _("Escalated"), _("Others than those first asked may decide it, too."), "person", "wait"
    ),
}
"""What has been done because nobody decided."""

EXEMPTION: Mapping[str, Shown] = {
    "proposed": _shown(
        _("Proposed"),
        _("Those who decide what it is for have yet to approve it."),
        "ballot",
        "wait",
    ),
    "standing": _shown(_("Stands"), _("It lets through what it is for."), "seal", "good"),
    "used_up": _shown(_("Used up"), _("Its last use is gone."), "check-twice", "plain"),
    "over": _shown(_("Over"), _("Its time is over."), "hourglass", "plain"),
    "ended": _shown(_("Ended"), _("It lets nothing through any more."), "ring-broken", "bad"),
    "dropped": _shown(_("Dropped"), _("It never stood."), "minus-ring", "plain"),
}

TABLES: Mapping[str, Mapping[str, Shown]] = {
    "run": RUN,
    "effect": EFFECT,
    "proposal": PROPOSAL,
    "verification": VERIFICATION,
    "alert": ALERT,
    "risk": RISK,
    "pause": PAUSE,
    "rollback": ROLLBACK,
    "rehearsal": REHEARSAL,
    "alarm": ALARM,
    "target": TARGET,
    "halt": HALT,
    "policy": POLICY,
    "calling": CALLING,
    "exemption": EXEMPTION,
}


def shown(kind: str, state: str) -> Shown:
    """The words for `state` of `kind`.

    A state that has no words yet is shown by its own name, oddly, rather than hidden. A kind
    that has no table is a mistake of the caller: KeyError.
    """
    known = TABLES[kind].get(state)
    if known is not None:
        return known
    return Shown(
        word=state, meaning=_("This state has no words yet."), glyph="question", tone="odd"
    )
