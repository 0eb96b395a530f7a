"""Whatever anybody does, in whatever order, with workers that die in between: money moves for what
was approved, once, and for nothing else; and everybody is told what is so.

Hypothesis makes up the stories and tells the shortest one that breaks a rule.
"""

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.engine.any_order import AnyOrder, refund_when_the_goods_are_back
from tests.world import Desk

BRIEFLY: dict[str, Any] = {"max_examples": 4, "stateful_step_count": 25, "derandomize": True}
AT_LENGTH: dict[str, Any] = {"max_examples": 60, "stateful_step_count": 40}
LONG = pytest.param(AT_LENGTH, marks=[pytest.mark.slow, pytest.mark.timeout(1200)])


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("how", [BRIEFLY, LONG], ids=["briefly", "at-length"])
def test_in_any_order_all_are_told_what_is_so_and_no_rule_is_broken(
    how: dict[str, Any], desk: Desk
) -> None:
    refund_when_the_goods_are_back()
    checks = settings(
        deadline=None, suppress_health_check=list(HealthCheck), print_blob=True, **how
    )
    run_state_machine_as_test(lambda: AnyOrder(desk), settings=checks)
