"""A model that no mistake can break says nothing. Here are the mistakes, and what tells them."""

from pathlib import Path

import pytest

from tests.models.exploring import explore
from tests.models.invariants import NAMES, STRANDED
from tests.models.mistakes import Mutant
from tests.models.mutants import HELD_TWICE, MUTANTS
from tests.models.rules import BOUNDS

MODEL = sorted(Path(__file__).parent.glob("*.py"))
PAGE = (Path(__file__).parents[2] / "docs/model.md").read_text()


def by_name(mutant: Mutant) -> str:
    return mutant.name


@pytest.mark.parametrize("mutant", MUTANTS, ids=by_name)
def test_a_mistake_breaks_the_invariant_that_is_there_for_it(mutant: Mutant) -> None:
    found = explore(mutant.rules, mutant.bound, stranding=mutant.caught_by == STRANDED)

    assert found.broken == mutant.caught_by, "\n".join(found.story)


@pytest.mark.parametrize("mutant", HELD_TWICE, ids=by_name)
def test_what_is_held_twice_holds_without_one_of_the_two(mutant: Mutant) -> None:
    found = explore(mutant.rules, mutant.bound)

    assert found.broken is None, "\n".join(found.story)


def test_every_mistake_is_made_where_nothing_is_broken_without_it() -> None:
    """No story of a mutant is longer than those that the sound rules were tried with."""
    assert [
        mutant.name
        for mutant in MUTANTS
        if not any(mutant.bound.within(bound) for bound in BOUNDS.values())
    ] == []


def test_every_rule_that_a_mistake_leaves_out_is_a_rule_of_the_model() -> None:
    model = "".join(path.read_text() for path in MODEL if "mutants" not in path.name)
    left_out = {rule for mistake in (*MUTANTS, *HELD_TWICE) for rule in mistake.left_out}

    assert {rule for rule in left_out if f'"{rule}"' not in model} == set()


def test_every_invariant_is_broken_by_some_mistake() -> None:
    assert {mutant.caught_by for mutant in MUTANTS} == set(NAMES)


def test_the_page_tells_every_mistake_and_its_invariant() -> None:
    rows = [f"| {mutant.name} | `{mutant.caught_by}` |" for mutant in MUTANTS]

    assert [row for row in rows if row not in PAGE] == []
    assert [m.name for m in HELD_TWICE if f"- {m.name}" not in PAGE] == []
