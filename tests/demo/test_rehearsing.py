"""Every action of the demo that can be rehearsed is, against its real target."""

import pytest

from engine import actions, rehearsing
from oversight.rehearsal.casting import Cast
from oversight.rehearsal.performing import perform
from tests.cast import People
from tests.demo.conftest import Outside
from tests.world import Ledger

CAN = [action for action in actions.registered() if not rehearsing.why_not(action)]


def test_what_can_be_rehearsed() -> None:
    assert [action.name for action in CAN] == ["access.grant", "ledger.refund", "shop.write_config"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [action.name for action in CAN])
def test_it_is_done_and_taken_back_and_leaves_its_target_as_it_was(
    name: str,
    outside: Outside,
    stocked: Ledger,
    people: People,
    processes_environment: dict[str, str],
) -> None:
    outside.start(name)
    cast = Cast(operator=people.otto, reviewers=(people.rosa,))
    environment = {**processes_environment, **outside.targets.environment()}

    for _ in range(2):
        played = perform(type(actions.get(name)), cast, environment=environment, say=print)
        assert [each for each in played.assertions if not each.holds] == []
