"""Every kind of event has its sentence, and each is told in our words."""

from engine import folding, states
from oversight.pages.runs.of_waits import WAITS
from oversight.pages.runs.sentences import TABLE, sentence
from oversight.showing import glyphs, words


def test_every_kind_that_the_engine_folds_has_a_sentence() -> None:
    assert set(folding._FOLDS) | {"run_accepted"} <= set(TABLE)


def test_a_kind_from_the_future_is_shown_by_its_own_name() -> None:
    said = sentence("moon_landed", {})
    assert (said.words, said.tone) == ("moon_landed", "odd")


def test_an_event_whose_content_was_erased_still_says_what_it_was() -> None:
    for kind in TABLE:
        said = sentence(kind, {})
        assert said.words
        assert said.glyph in glyphs.DRAWINGS
        assert said.tone in words.TONES


def test_every_outcome_of_a_call_has_a_sentence() -> None:
    for status in ("succeeded", "failed", "unknown"):
        assert "erased" not in sentence("effect_recorded", {"status": status}).words
    for status in ("succeeded", "failed", "unknown", "prepared"):
        assert "erased" not in sentence("effect_reconciled", {"status": status}).words


def test_every_verification_has_a_sentence() -> None:
    told = {
        sentence("effect_verified", {"verification": each}).words for each in states.VERIFICATIONS
    }
    assert len(told) == len(states.VERIFICATIONS)


def test_every_decision_and_ruling_has_a_sentence() -> None:
    for decision in states.DECISIONS:
        facts = {"decision": decision, "reason_code": "not_needed", "reason": ""}
        assert "erased" not in sentence("decision_made", facts).words
    for ruling in states.RESOLUTIONS:
        facts = {"resolution": ruling, "reason": "x"}
        assert "erased" not in sentence("effect_resolved", facts).words


def test_every_reason_to_pause_has_a_sentence() -> None:
    for reason in states.PAUSE_REASONS:
        said = sentence("run_paused", {"reason_code": reason, "detail": "why"})
        assert said.words == f"Paused: {str(words.PAUSE[reason].word).lower()}"
        assert said.detail == "why"


def test_what_a_run_waits_for_is_said() -> None:
    for what in WAITS:
        awaiting = {"what": what, "name": "parcel", "key": "A-1", "until": "2031-07-01T07:00:00Z"}
        said = sentence("run_parked", {"awaiting": awaiting})
        assert said.words == WAITS[what](awaiting)
        assert said.words.startswith("Waits ")
    assert sentence("run_parked", {"awaiting": {"what": "spring"}}).words == "Waits"


def test_a_time_is_said_as_the_clocks_of_its_own_zone_show_it() -> None:
    facts = {"what": "time", "until": "2031-07-01T07:00:00+00:00", "zone": "Europe/Berlin"}
    assert sentence("wait_begun", facts).words == "Is to wait until 1 Jul 2031, 09:00 CEST"
    assert sentence("run_parked", {"awaiting": facts}).words == "Waits until 1 Jul 2031, 09:00 CEST"


def test_what_an_event_from_outside_carries_is_its_sender_s_and_never_ours() -> None:
    trick = "<b>\u202e"
    facts = {"what": "event", "name": "parcel", "key": trick, "external_id": trick}
    facts |= {"payload": {trick: trick}, "until": "2031-07-01T07:00:00Z"}
    for kind in ("wait_begun", "event_received", "wait_elapsed", "event_kept"):
        said = sentence(kind, facts)
        assert "“parcel”" in said.words
        assert trick not in said.words
        assert trick in said.detail


def test_what_differed_is_told_value_by_value() -> None:
    facts = {
        "verification": "mismatch",
        "expected": {"refunded": "25.00", "order": "A-1"},
        "observed": {"refunded": "23.50", "order": "A-1"},
    }
    assert sentence("effect_verified", facts).detail == "refunded: 25.00 → 23.50"


def test_what_others_wrote_is_never_part_of_our_words() -> None:
    trick = "<b>\u202e"
    facts = {"why": trick, "action": "ledger.refund"}
    said = sentence("effect_requested", facts)
    assert trick not in said.words
    assert said.detail == trick
