"""Branches live on what the run above them has left; together they never have more."""

import uuid
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import api, budgets
from engine.branches import branch, leg
from engine.errors import BudgetExhausted, Conflict
from engine.models import Effect, Run
from tests.cast import reviewer
from tests.engine.branches import HOUR, Branches, branching, paying, two_refunds
from tests.engine.together import just_before
from tests.world import Desk

WHAT = ("steps", "effects", "tokens", "seconds")

amounts = st.integers(0, 10**6)
money = st.decimals(0, 10**6, places=6).map(lambda amount: f"{amount:f}")
limits = st.fixed_dictionaries(
    {}, optional={**{f"max_{what}": amounts for what in WHAT}, "max_money": money}
)
spendings = st.fixed_dictionaries({}, optional={**dict.fromkeys(WHAT, amounts), "money": money})
legs = st.dictionaries(st.sampled_from("abcdefgh"), limits, min_size=1)


def left(budget: dict[str, Any], limit: str) -> Decimal:
    used = budget.get(limit.removeprefix("max_"), 0)
    return max(Decimal(budget["limits"][limit]) - Decimal(used), Decimal(0))


@given(limits, spendings, legs)
def test_together_branches_get_no_more_than_what_is_left(
    has: dict[str, Any], spent: dict[str, Any], asked: dict[str, Any]
) -> None:
    budget = {"limits": has, **spent}
    try:
        given_limits = budgets.divided(budget, asked)
    except BudgetExhausted:
        return
    assert set(given_limits) == set(asked)
    for limit in has:
        assert sum(Decimal(one[limit]) for one in given_limits.values()) <= left(budget, limit)


@given(limits, spendings, legs)
def test_each_gets_what_it_asks_for_and_those_that_do_not_ask_as_much_as_each_other(
    has: dict[str, Any], spent: dict[str, Any], asked: dict[str, Any]
) -> None:
    try:
        given_limits = budgets.divided({"limits": has, **spent}, asked)
    except BudgetExhausted:
        return
    for name, wanted in asked.items():
        assert wanted.items() <= given_limits[name].items()
        budgets.checked(given_limits[name])
    for limit in has:
        without = {
            str(given_limits[n][limit]) for n, wanted in asked.items() if limit not in wanted
        }
        assert len(without) <= 1
        assert not {Decimal(share) for share in without} & {Decimal(0)}


@given(limits, limits, limits)
def test_a_run_above_is_given_as_much_more_as_the_branch_and_never_less(
    above: dict[str, Any], had: dict[str, Any], has: dict[str, Any]
) -> None:
    raised = budgets.raised_with(above, had, has)
    for limit, before in above.items():
        if limit in had and limit not in has:
            assert limit not in raised
            continue
        more = Decimal(has[limit]) - Decimal(had[limit]) if limit in had else Decimal(0)
        assert Decimal(raised[limit]) - Decimal(before) == max(more, Decimal(0))
    assert set(raised) <= set(above)


@pytest.mark.usefixtures("registries")
class TestARun:
    def start(self, desk: Desk, names: str, budget: dict[str, Any], **each: Any) -> uuid.UUID:
        pays = paying()
        said = {name: leg(pays, {"order": desk.purchase()}, **each) for name in names}
        workflow = branching(branch(said, then="joined", expires=HOUR))
        return api.start_run(workflow, initiator=desk.people.agent, budget=budget)

    def test_shares_what_it_has_among_its_branches(self, desk: Desk) -> None:
        run_id = self.start(desk, "ab", {"max_steps": 30, "max_effects": 5, "max_money": "1.00"})
        desk.work(run_id)

        budgets_ = [run.budget for run in Run.objects.filter(parent_id=run_id)]

        assert budgets_ == [{"max_steps": 10, "max_effects": 2, "max_money": "0.333333"}] * 2

    def test_has_back_after_the_join_what_they_did_not_use(self, desk: Desk) -> None:
        run = two_refunds(desk)
        run.approve("lamp")
        run.reject("vase")
        desk.work(run.run_id)

        log = desk.database.log(run.run_id)
        joined = next(event["seq"] for event in log if event["kind"] == "branches_joined")
        budget = api.position_at(run.run_id, joined).budget
        used = {name: budget[name] for name in ("steps", "effects")}
        assert used == {"steps": 2, "effects": 1}
        assert budget["limits"]["max_effects"] == desk.run(run.run_id).budget["max_effects"]

    @pytest.mark.parametrize("each", [{"max_effects": 2}, {}])
    def test_that_has_not_enough_for_them_stands_still_before_it_branches(
        self, each: dict[str, Any], desk: Desk
    ) -> None:
        run_id = self.start(desk, "abcd", {"max_effects": 3}, **each)
        desk.work(run_id)

        run = desk.run(run_id)
        assert (run.status, run.reason_code) == ("paused", "budget_exhausted")
        assert not Run.objects.filter(parent_id=run_id).exists()

        otto = reviewer(desk.people.otto)
        api.raise_budget(run_id, {"max_effects": 8}, operator=otto, reason="It is worth it.")
        desk.work(run_id)
        assert Run.objects.filter(parent_id=run_id).count() == 4

    def test_counts_the_effects_of_its_branches_at_their_gate(self, desk: Desk) -> None:
        """Whatever a branch's own limit says: the whole of it is held by the run at the top."""
        run_id = self.start(desk, "ab", {"max_effects": 2})
        desk.work(run_id)
        run = Branches(desk, run_id)
        run.work()
        desk.database.execute(
            "UPDATE engine_run SET budget = jsonb_set(budget, '{max_effects}', '1')"
            " WHERE run_id = %s",
            run_id,
        )

        run.approve("a")
        run.approve("b")

        assert Effect.objects.filter(status="succeeded").count() == 1
        assert desk.run(run.legs["b"]).reason_code == "budget_exhausted"

    def test_a_branch_is_given_more_and_the_runs_above_it_are_too(self, desk: Desk) -> None:
        run_id = self.start(desk, "ab", {"max_steps": 30}, max_effects=0)
        desk.work(run_id)
        run = Branches(desk, run_id)
        run.work()
        run.approve("a")
        assert desk.run(run.legs["a"]).reason_code == "budget_exhausted"

        before = desk.run(run_id).budget
        otto = reviewer(desk.people.otto)
        api.raise_budget(run.legs["a"], {"max_effects": 3}, operator=otto, reason="It is due.")
        desk.work(run.legs["a"])

        assert desk.run(run.legs["a"]).budget == {"max_steps": 10, "max_effects": 3}
        assert desk.run(run_id).budget == {**before, "max_effects": before["max_effects"] + 3}
        assert run.statuses()["a"] == "completed"
        run.assert_sound()

    def test_is_not_given_less_while_branches_live_on_it(self, desk: Desk) -> None:
        run, otto = two_refunds(desk), reviewer(desk.people.otto)

        with pytest.raises(Conflict, match="not lowered"):
            api.raise_budget(run.run_id, {"max_steps": 3}, operator=otto, reason="Enough.")

        api.raise_budget(run.run_id, {"max_steps": 3000}, operator=otto, reason="More.")

    def test_whose_budget_has_changed_meanwhile_is_looked_at_again(self, desk: Desk) -> None:
        run, otto = two_refunds(desk), reviewer(desk.people.otto)
        lamp = run.legs["lamp"]

        def somebody_else() -> None:
            api.raise_budget(run.run_id, {"max_steps": 2000}, operator=otto, reason="More.")

        with just_before("raise_budget", somebody_else), pytest.raises(Conflict, match="changed"):
            api.raise_budget(lamp, {"max_effects": 70}, operator=otto, reason="More.")
        assert "budget_raised" not in desk.database.kinds(lamp)
