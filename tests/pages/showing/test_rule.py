"""A rule of the policy in words."""

from typing import Any

import pytest

from engine import policies
from oversight.showing import rule


def asking(**more: Any) -> dict[str, Any]:
    groups = [{"name": "reviewer", "approve": 2}, {"name": "treasurer", "approve": 1}]
    [stored] = policies.checked([{"action": "*", "groups": groups, **more}])
    return stored


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "none"),
        (60, "1 min"),
        (90, "1 min 30 s"),
        (5400, "1 h 30 min"),
        (86400, "24 h"),
        (90000, "25 h"),
        (172800, "2 days"),
        (7776000, "90 days"),
        ("3600", "1 h"),
    ],
)
def test_a_length_of_time_is_exact(seconds: object, words: str) -> None:
    assert rule.length(seconds) == words


def test_the_summary_says_who_and_what_is_out_of_the_ordinary() -> None:
    assert rule.summary(asking()) == "2 of reviewer, 1 of treasurer"
    odd = asking(reject=2, wait_seconds=3600, fresh_rehearsal=True, challenge="always", blind=False)
    assert rule.summary(odd) == (
        "2 of reviewer, 1 of treasurer; 2 rejections end it; 1 h to think after that; "
        "a rehearsal that still counts; its value typed by hand; everybody sees what others said"
    )


@pytest.mark.parametrize(
    ("action", "risk", "words"),
    [
        ("*", "any", "every action"),
        ("ledger.*", "any", "ledger.*"),
        ("*", "high", "every action, at high risk"),
    ],
)
def test_its_title_says_what_it_is_for(action: str, risk: str, words: str) -> None:
    assert rule.title({"action": action, "risk": risk}) == words


def test_every_field_has_words() -> None:
    asked = set(policies.Rule.model_fields) - {"action", "risk"}
    assert set(rule.LABELS) == asked
    assert len(rule.told(asking())) == len(asked)
