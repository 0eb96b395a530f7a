"""What differs between two versions: each rule added, removed, changed or moved."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine import policies
from oversight.pages.policy import changes

ONE = [{"name": "reviewer", "approve": 1}]
LAST = {"action": "*", "groups": ONE}


def rules(*names: str, **reject: int) -> list[dict[str, Any]]:
    """A rule for each name, then the last; `b=2`: so many rejections end what b asks for."""
    own = [{"action": name, "groups": ONE, "reject": reject.get(name, 1)} for name in names]
    return policies.checked([*own, LAST])


def told(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    found = changes.between(before, after)
    return [(each.kind, each.rule["action"], each.before, each.after) for each in found]


def test_a_rule_that_comes_and_one_that_goes() -> None:
    assert told(rules("a", "b"), rules("b", "c")) == [
        ("added", "c", None, 2),
        ("removed", "a", 1, None),
    ]


def test_a_rule_that_others_push_down_has_not_moved() -> None:
    assert told(rules("a", "b"), rules("new", "a", "b")) == [("added", "new", None, 1)]


def test_one_rule_in_another_place_is_one_move() -> None:
    assert told(rules("a", "b", "c"), rules("c", "a", "b")) == [("moved", "c", 3, 1)]


def test_a_change_names_what_differs_in_words() -> None:
    [change] = changes.between(rules("a"), rules("a", a=2))
    assert (change.kind, change.moved) == ("changed", False)
    [row] = change.rows
    assert row.before is not None
    assert row.after is not None
    assert (row.path, row.before.text, row.after.text) == (
        "What ends it",
        "one rejection",
        "2 rejections",
    )


def test_what_changed_may_have_moved_besides() -> None:
    [change] = changes.between(rules("a", "b", "c"), rules("c", "a", "b", c=3))
    assert (change.kind, change.moved, change.before, change.after) == ("changed", True, 3, 1)


def test_the_same_action_at_another_risk_is_another_rule() -> None:
    high = policies.checked([{"action": "a", "risk": "high", "groups": ONE}, LAST])
    assert told(rules("a"), high) == [("added", "a", None, 1), ("removed", "a", 1, None)]


names = st.lists(st.sampled_from("abcdef"), unique=True, max_size=6)


@given(names, names, st.sampled_from("abcdef"))
def test_nothing_is_told_just_when_nothing_differs(
    before: list[str], after: list[str], other: str
) -> None:
    old, new = rules(*before), rules(*after, **{other: 2})
    found = changes.between(old, new)
    assert (found == ()) is (old == new)
    assert {c.rule["action"] for c in found if c.kind == "added"} == set(after) - set(before)
    assert {c.rule["action"] for c in found if c.kind == "removed"} == set(before) - set(after)
