"""Single changes of the rules, each with the invariant that tells it, and where it does harm."""

from .mistakes import mutant

STALE = "a_stale_token_changes_nothing"
UNAPPROVED = "no_effect_without_an_approval_at_intend"
REFUSED = "what_was_refused_never_executes"
FAILED = "what_failed_did_not_happen"
TWICE = "one_outside_effect_per_key"
BLIND = "no_blind_resend"
VERIFIED = "committed_means_verified"
HAPPENED = "committed_means_it_happened"
STOP = "a_stop_holds_from_its_commit"
STRANDED = "no_run_is_stranded"
TERMINAL = "terminal_is_terminal"

MUTANTS = (
    mutant(
        "an answer is recorded without asking for the token",
        "record asks for the token",
        mishaps=1,
        by=STALE,
    ),
    mutant("a claim does not grow the token", "a claim grows the token", mishaps=1, by=STALE),
    mutant("renewing revives a lapsed lease", "renewing revives nothing", mishaps=1, by=STALE),
    mutant(
        "doors ask whether a lease is live, not whose it is",
        "doors ask for the token",
        mishaps=1,
        by=STALE,
    ),
    mutant(
        "doors ask for the token, not whether the lease is live",
        "doors ask whether the lease is live",
        mishaps=1,
        by=STALE,
    ),
    mutant(
        "the sweep does not look for runs whose worker was lost",
        "the sweep finds who was lost",
        at="opaque",
        mishaps=1,
        by=STRANDED,
    ),
    mutant(
        "a call is sent again without asking the target first",
        "a call is sent again after asking only",
        by=REFUSED,
    ),
    mutant(
        "a call is sent again although the target may have forgotten the key",
        "a call is sent again in the window only",
        lasting=True,
        by=TWICE,
    ),
    mutant(
        "no margin is kept after the call's deadline", "a margin after the deadline", by=REFUSED
    ),
    mutant(
        "the clock is read after the target was asked, not before",
        "the clock is read before asking",
        by=REFUSED,
    ),
    mutant(
        "the deadline is not looked at before sending",
        "the deadline is looked at last",
        mishaps=1,
        by=REFUSED,
    ),
    mutant(
        "who asks does not fence",
        "who asks fences first",
        at="idempotent and fenced",
        mishaps=1,
        by=REFUSED,
    ),
    mutant(
        "not found at a target that does not honour keys is taken as proof",
        "not found is no proof",
        at="probe",
        lasting=True,
        by=BLIND,
    ),
    mutant(
        "silence of an opaque target is taken as proof",
        "an opaque target proves nothing",
        at="opaque",
        lasting=True,
        by=BLIND,
    ),
    mutant(
        "an approval lapses although the target could not be asked",
        "what cannot be asked never lapses",
        at="opaque",
        by=REFUSED,
    ),
    mutant("no answer is taken as failure", "no answer is unknown", at="opaque", by=FAILED),
    mutant(
        "an operator's ruling does not wait for the margin",
        "a ruling waits for the margin",
        at="opaque",
        turns=1,
        by=FAILED,
    ),
    mutant(
        "everything is asked at Prepare only",
        "the gate asks for stops",
        "the gate asks for the decision",
        "the gate asks for the time",
        "the gate asks for authority",
        "the gate asks for the effect",
        "the gate asks what was folded",
        by=UNAPPROVED,
    ),
    mutant(
        "Intend does not ask for the authority of who approved",
        "the gate asks for authority",
        turns=1,
        by=UNAPPROVED,
    ),
    mutant(
        "Intend does not ask for the approval's time", "the gate asks for the time", by=UNAPPROVED
    ),
    mutant(
        "Intend reads the time before it waits for the row",
        "the time is read under the lock",
        by=UNAPPROVED,
    ),
    mutant(
        "a stop is asked for when deciding and preparing only",
        "the gate asks for stops",
        turns=1,
        by=STOP,
    ),
    mutant(
        "what was withdrawn after Prepare still fires",
        "the gate asks what was folded",
        "the gate asks for the decision",
        "the gate asks for the effect",
        turns=1,
        by=UNAPPROVED,
    ),
    mutant(
        "what was sent can still be withdrawn",
        "what was sent cannot be withdrawn",
        turns=1,
        by=REFUSED,
    ),
    mutant("a rejection can be overturned", "a decision is final", by=TERMINAL),
    mutant(
        "a decision is lost when the worker parks",
        "park asks what was folded",
        at="opaque",
        by=STRANDED,
    ),
    mutant(
        "a decision does not wake the run", "a decision wakes the run", at="opaque", by=STRANDED
    ),
    mutant("nobody expires what is overdue", "the sweep expires", at="opaque", by=STRANDED),
    mutant("a wait has no timer", "a wait has a timer", at="probe", by=STRANDED),
    mutant("a claim skips reconciling", "a claim leads to reconciling", by="the_state_tables_hold"),
    mutant(
        "a run ends before its effect is committed",
        "a run ends after the commit",
        by="completed_means_committed",
    ),
    mutant("verification is skipped", "what was recorded is verified", by=VERIFIED),
    mutant("the target's yes counts as verification", "an answer is no verification", by=HAPPENED),
)

HELD_TWICE = (
    mutant(
        "the gate does not ask for the decision", "the gate asks for the decision", turns=1, by=""
    ),
    mutant(
        "the gate does not ask what was folded", "the gate asks what was folded", turns=1, by=""
    ),
    mutant(
        "the gate does not ask for the effect's state",
        "the gate asks for the effect",
        turns=1,
        by="",
    ),
    mutant("withdrawing leaves the prepared effect", "withdrawing ends the effect", turns=1, by=""),
    mutant(
        "Intend does not extend the lease",
        "intend extends the lease",
        at="opaque",
        mishaps=1,
        by="",
    ),
)
"""Single changes that do no harm, because the design holds the same thing a second time."""
