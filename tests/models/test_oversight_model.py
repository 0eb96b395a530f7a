"""Whatever happens, in whatever order: every state of the model is looked at, nearest first."""

from pathlib import Path

import pytest

from tests.models.exploring import Exploration, explore, goes_on_to
from tests.models.rules import BOUNDS, DEEP, SETTINGS, WINDOWS, Bound, Rules
from tests.models.state import State, ended

PAGE = (Path(__file__).parents[2] / "docs/model.md").read_text()


def told(found: Exploration) -> str:
    """What a failing test shows."""
    return "\n".join([f"{found.broken} is broken:", *found.story])


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_no_order_of_events_breaks_an_invariant(setting: str, bound: str) -> None:
    found = explore(SETTINGS[setting], BOUNDS[bound])

    assert found.broken is None, told(found)
    figures = f"{len(found.states):,} | {found.transitions:,}"
    assert figures in PAGE, f"docs/model.md should say {figures}"


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_nor_does_a_mishap_together_with_an_intervention(setting: str) -> None:
    found = explore(SETTINGS[setting], DEEP)

    assert found.broken is None, told(found)


@pytest.fixture(scope="module")
def states() -> list[State]:
    return explore(SETTINGS["idempotent"], Bound(mishaps=0, turns=1)).states


class TestTheModel:
    """It could be right about nothing: what should happen does happen in it."""

    @pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
    def test_comes_to_every_end(self, states: list[State], status: str) -> None:
        assert any(state.run.status == status for state in states)

    @pytest.mark.parametrize("status", ["rejected", "withdrawn", "expired", "lapsed"])
    def test_knows_every_way_not_to_act(self, states: list[State], status: str) -> None:
        assert any(ended(state) and state.proposal.status == status for state in states)

    def test_sends_again_where_that_is_safe(self, states: list[State]) -> None:
        twice = [state for state in states if state.target.sent > 1 and state.effect.committed]

        assert twice
        assert {state.target.acts for state in twice} == {1}

    def test_prepares_nothing_again_that_has_happened(self, states: list[State]) -> None:
        assert not any(s.target.acts for s in states if s.effect.status == "prepared")

    def test_tells_the_shortest_story(self) -> None:
        rules = Rules(target="opaque", left_out=frozenset({"a decision is final"}))

        assert explore(rules, Bound(mishaps=0, turns=0)).story == (
            "1. worker A: claims the run",
            "2. worker A: resumes the run",
            "3. worker A: opens the proposal",
            "4. the reviewer: rejects",
            "5. the reviewer: approves after all",
        )


class TestTheWindowOfAWorkerFrozenAfterItsLastLook:
    """Named in the README: a target that checks no token cannot refuse a call that comes late."""

    @pytest.mark.parametrize("window", WINDOWS)
    def test_is_there(self, window: str) -> None:
        found = explore(WINDOWS[window], DEEP, stranding=False)

        assert found.broken in ("what_was_refused_never_executes", "what_failed_did_not_happen")
        assert any("freezes worker A (looked)" in line for line in found.story)

    @pytest.mark.parametrize("window", [name for name, rules in WINDOWS.items() if not rules.kept])
    def test_is_told_when_it_was_overtaken(self, window: str) -> None:
        rules = WINDOWS[window]

        late = explore(rules, DEEP, stranding=False).last

        assert late is not None
        assert goes_on_to(rules, late, lambda state: state.run.alerted)
