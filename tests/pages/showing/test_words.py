"""Every state has a word, a sign and a tone, and no two states of a kind look alike."""

from pathlib import Path

import pytest

from engine import states
from oversight.showing.glyphs import DRAWINGS, glyph
from oversight.showing.words import TABLES, TONES, shown

KNOWN_TO_THE_ENGINE = {
    "run": states.RUN,
    "effect": states.EFFECT,
    "proposal": states.PROPOSAL,
    "alert": states.ALERT,
    "verification": states.VERIFICATIONS,
    "risk": states.RISKS,
    "pause": states.PAUSE_REASONS,
    "rollback": states.ROLLBACK_KINDS,
    "exemption": states.EXEMPTION,
}
EVERY = [(kind, state) for kind, table in TABLES.items() for state in table]


@pytest.mark.parametrize("kind", KNOWN_TO_THE_ENGINE)
def test_every_state_of_the_engine_has_words(kind: str) -> None:
    assert set(KNOWN_TO_THE_ENGINE[kind]) <= set(TABLES[kind])


@pytest.mark.parametrize(("kind", "state"), EVERY)
def test_every_state_is_fully_described(kind: str, state: str) -> None:
    found = shown(kind, state)
    assert str(found.word)
    assert str(found.meaning).endswith(".")
    assert found.glyph in DRAWINGS
    assert found.tone in TONES


@pytest.mark.parametrize("kind", TABLES)
def test_no_two_states_of_a_kind_share_a_word(kind: str) -> None:
    words = [str(found.word) for found in TABLES[kind].values()]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("kind", ["run", "effect", "proposal", "verification", "alert", "risk"])
def test_no_two_states_of_a_kind_share_a_sign(kind: str) -> None:
    signs = [found.glyph for found in TABLES[kind].values()]
    assert len(set(signs)) == len(signs)


def test_the_six_ends_of_a_proposal_have_six_words() -> None:
    ends = ("approved", "rejected", "expired", "withdrawn", "superseded", "lapsed")
    assert len({str(shown("proposal", end).word) for end in ends}) == 6


def test_an_unheard_of_state_shows_its_own_name() -> None:
    found = shown("run", "levitating")
    assert (found.word, found.tone) == ("levitating", "odd")


def test_a_kind_without_a_table_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        shown("mood", "good")


def test_recorded_is_not_committed() -> None:
    assert str(shown("effect", "succeeded").word) == "Recorded"
    assert shown("effect", "succeeded").tone != shown("effect", "committed").tone


@pytest.mark.parametrize("name", DRAWINGS)
def test_every_sign_is_hidden_from_assistive_technology(name: str) -> None:
    assert 'aria-hidden="true"' in glyph(name)
    assert "<path" in glyph(name)


def test_every_tone_has_its_colours() -> None:
    tokens = Path("static/css/tokens.css").read_text()
    for tone in TONES:
        assert all(f"--{tone}-{part}:" in tokens for part in ("ink", "wash", "edge"))
