"""What a run may use up, and what it has used: steps, effects, tokens, money and working time.

A budget is part of the run. It is asked before each node and at the gate. Money is decimal text in
whatever currency the installation counts; working seconds are those in which a worker held the
run: the time in which it waits for a person does not count.
"""

import re
from collections.abc import Mapping
from decimal import ROUND_DOWN, Decimal
from typing import Any

from .errors import BadInput, BudgetExhausted
from .types import Facts

NOTHING_SPENT: Facts = {"steps": 0, "effects": 0, "tokens": 0, "money": "0", "seconds": 0}

_LIMITS: Mapping[str, str] = {
    "max_steps": "steps",
    "max_effects": "effects",
    "max_tokens": "tokens",
    "max_money": "money",
    "max_seconds": "seconds",
}
"""A limit → what it is a limit of. A limit that is not set is none."""

_MONEY = re.compile(r"(0|[1-9][0-9]{0,12})(\.[0-9]{1,6})?")


def checked(limits: Facts, path: str = "$.budget") -> dict[str, Any]:
    """The limits as they are stored. Raises BadInput for one that there is not, or no number."""
    for name, limit in limits.items():
        if name not in _LIMITS:
            raise BadInput(f"A budget has: {', '.join(_LIMITS)}.", path=f"{path}.{name}")
        _must_be_an_amount(name.removeprefix("max_"), limit, f"{path}.{name}")
    return dict(limits)


def narrowed(default: Facts, limits: Facts, path: str = "$.budget") -> dict[str, Any]:
    """The installation's limits with those of whoever starts the run, who may only ask for less.

    Raises BadInput for a limit above the installation's, or as `checked` does.
    """
    for name, limit in checked(limits, path).items():
        most = default.get(name)
        if most is not None and Decimal(limit) > Decimal(most):
            raise BadInput(f"At most {most}, as the installation has it.", path=f"{path}.{name}")
    return {**default, **limits}


def checked_spending(spent: Facts, path: str = "$.spent") -> dict[str, Any]:
    """What somebody says to have used of tokens and money. Raises BadInput."""
    for name, amount in spent.items():
        if name not in ("tokens", "money"):
            raise BadInput("Tokens and money are told as spent.", path=f"{path}.{name}")
        _must_be_an_amount(name, amount, f"{path}.{name}")
    return dict(spent)


def _must_be_an_amount(what: str, amount: Any, path: str) -> None:
    if what == "money":
        if not isinstance(amount, str) or not _MONEY.fullmatch(amount):
            raise BadInput('An amount as decimal text, such as "12.50".', path=path)
    elif not isinstance(amount, int) or isinstance(amount, bool) or not 0 <= amount < 2**53:
        raise BadInput("A whole number, not below zero.", path=path)


def spent(budget: Facts, amounts: Facts) -> dict[str, Any]:
    """The budget after these amounts were used up, too."""
    used = {
        name: _sum(budget.get(name, NOTHING_SPENT[name]), more) for name, more in amounts.items()
    }
    return {**budget, **used}


def _sum(before: Any, more: Any) -> Any:
    if isinstance(more, str):
        return str(Decimal(before) + Decimal(more))
    return before + more


def divided(budget: Facts, asked: Mapping[str, Facts]) -> dict[str, dict[str, Any]]:
    """Limits for each branch: those it asks for, and of the rest an equal share of what is left.

    Together they are never more than what is left of `budget`; but for effects one more share stays
    with the run that branches. Raises BudgetExhausted where that is not enough.
    """
    given: dict[str, dict[str, Any]] = {name: dict(limits) for name, limits in asked.items()}
    for limit in _LIMITS:
        if budget["limits"].get(limit) is None:
            continue
        without = [name for name, limits in asked.items() if limit not in limits]
        wanted = sum(
            (Decimal(limits[limit]) for limits in asked.values() if limit in limits), _NONE
        )
        rest = _left(budget, limit) - wanted
        if rest < 0:
            left = f"{_left(budget, limit)} of {_LIMITS[limit]} is left"
            raise BudgetExhausted(f"The branches ask for {wanted}; {left}.")
        for name in without:
            given[name][limit] = _share(rest, limit, len(without))
    return given


def _left(budget: Facts, limit: str) -> Decimal:
    what = _LIMITS[limit]
    used = budget.get(what, NOTHING_SPENT[what])
    return max(Decimal(budget["limits"][limit]) - Decimal(used), _NONE)


_NONE = Decimal(0)
_SMALLEST_MONEY = Decimal("0.000001")


def _share(rest: Decimal, limit: str, branches: int) -> Any:
    """One of equal shares, rounded down. A branch that could not even begin is none."""
    is_money, kept = limit == "max_money", 0 if limit == "max_effects" else 1
    exact = rest / (branches + kept)
    share = exact.quantize(_SMALLEST_MONEY if is_money else Decimal(1), rounding=ROUND_DOWN)
    if not share:
        left = f"{rest} of {_LIMITS[limit]} is left"
        raise BudgetExhausted(f"{branches} branches cannot share what the run has: {left}.")
    return _amount(limit, share)


def raised_with(above: Facts, had: Facts, has: Facts) -> dict[str, Any]:
    """The limits of a run above one that had these and has those now: as much more, never less."""
    raised = dict(above)
    for limit in _LIMITS:
        if above.get(limit) is None or had.get(limit) is None:
            continue
        if has.get(limit) is None:
            raised.pop(limit)
            continue
        more = max(Decimal(has[limit]) - Decimal(had[limit]), _NONE)
        if more:
            raised[limit] = _amount(limit, Decimal(above[limit]) + more)
    return raised


def _amount(limit: str, amount: Decimal) -> Any:
    return f"{amount:f}" if limit == "max_money" else int(amount)


def used_up(budget: Facts) -> str | None:
    """Say which limit is reached; None while there is something left of each."""
    for name, what in _LIMITS.items():
        limit, used = budget["limits"].get(name), budget.get(what, NOTHING_SPENT[what])
        if limit is not None and name != "max_effects" and Decimal(used) >= Decimal(limit):
            return f"The run has used {used} of {limit} {what}."
    return None
