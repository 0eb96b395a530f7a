"""What a decided proposal would have come to under another rule, judged without any database."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.api import Short
from engine.policies import Rule
from oversight.pages.policy.replay import Case, Heard, Lacks, Verdict, judge, prefixes

BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ROSA, TOMAS, TESSA = 1, 2, 3
ONE_MORE = Short(count=1, of=((1, ("reviewer",)),))


def rule(approve: int = 1, group: str = "reviewer", **more: Any) -> dict[str, Any]:
    quotas = [{"name": group, "approve": approve}]
    return Rule.model_validate({"action": "*", "groups": quotas, **more}).model_dump(mode="json")


def said(decision: str, person: int = ROSA, minutes: int = 10, **more: Any) -> Heard:
    at = BEGAN + timedelta(minutes=minutes)
    return Heard(person=person, decision=decision, at=at, **more)


def case(
    status: str, *heard: Heard, asked: dict[str, Any] | None = None, seconds: int | None = None
) -> Case:
    """`seconds`: the time that the agent asked for, where it is less than the rule gives."""
    asked = asked or rule()
    over = BEGAN + timedelta(seconds=seconds or asked["time_limit_seconds"])
    return Case(
        proposal_id=uuid.uuid4(),
        version=1,
        headline="Refund 25.00",
        agent="agent:refund-desk",
        action="ledger.refund",
        risk="medium",
        status=status,
        opened_at=BEGAN,
        valid_until=over,
        closed_at=over if status == "expired" else heard[-1].at,
        rule=asked,
        heard=heard,
    )


def lacks(item: Case, under: dict[str, Any], needed: int) -> Lacks:
    """As if everybody were in the one group that is asked."""
    sets = prefixes(item, under)
    return {voices: None if len(voices[0]) >= needed else ONE_MORE for voices in sets}


def judged(item: Case, under: dict[str, Any]) -> Verdict:
    return judge(item, under, lacks(item, under, under["groups"][0]["approve"]))


def test_a_rule_that_asks_the_same_changes_nothing_and_asks_nothing() -> None:
    item = case("approved", said("approve"))
    under = rule() | {"action": "ledger.*", "risk": "medium"}
    assert prefixes(item, under) == ()
    assert judge(item, under, {}).kind == "same"


def test_what_was_approved_by_one_lacks_one_where_two_are_asked() -> None:
    verdict = judged(case("approved", said("approve")), rule(2))
    assert verdict == Verdict(kind="more", why="Lacking: 1 more of reviewer.")


def test_what_two_approved_is_enough_for_one() -> None:
    both = said("approve"), said("approve", TOMAS, 20)
    assert judged(case("approved", *both, asked=rule(2)), rule(1)).kind == "same"


def test_an_approval_without_the_factor_or_the_training_does_not_count() -> None:
    trained = frozenset({"refunds-2"})
    for demand, missing, shown in (
        ({"step_up": "second_factor"}, {}, {"factor": "totp"}),
        ({"step_up": "passkey"}, {"factor": "totp"}, {"factor": "passkey"}),
        ({"training": "refunds-2"}, {"trainings": frozenset({"x"})}, {"trainings": trained}),
    ):
        under = rule(**demand)
        without = judged(case("approved", said("approve", **missing)), under)
        assert without.kind == "more"
        assert "1 approval would not count" in without.why
        assert judged(case("approved", said("approve", **shown)), under).kind == "same"


def test_a_shorter_time_makes_it_too_late() -> None:
    item = case("approved", said("approve", minutes=130))
    verdict = judged(item, rule(time_limit_seconds=3600))
    assert verdict.kind == "late"
    assert verdict.why == "Decided after 2 h 10 min; its time would be 1 h."
    assert judged(item, rule(time_limit_seconds=7800)).kind == "same"


def test_a_time_to_think_can_make_it_wait_or_too_late() -> None:
    item = case("approved", said("approve", minutes=30))
    waits = judged(item, rule(wait_seconds=3600))
    assert waits == Verdict(kind="waits", why="To think: 1 h rather than none.")
    late = judged(item, rule(wait_seconds=3600, time_limit_seconds=4000))
    assert late.kind == "late"
    assert "then 1 h to think" in late.why


def test_what_was_too_late_before_is_no_news() -> None:
    asked = rule(wait_seconds=3600, time_limit_seconds=7200)
    item = case("approved", said("approve", minutes=90), asked=asked)
    assert judged(item, asked | {"blind": False}).kind == "same"


def test_a_shorter_wait_is_the_same() -> None:
    item = case("approved", said("approve"), asked=rule(wait_seconds=3600))
    assert judged(item, rule()).kind == "same"


def test_one_rejection_can_end_what_was_approved_in_spite_of_it() -> None:
    item = case(
        "approved", said("reject", TOMAS, 5), said("approve", minutes=10), asked=rule(reject=2)
    )
    assert judged(item, rule()) == Verdict(kind="ended", why="One rejection would end it.")


def test_an_approval_that_came_before_the_rejection_is_enough_first() -> None:
    item = case("rejected", said("approve"), said("reject", TOMAS, 20), asked=rule(2))
    verdict = judged(item, rule(1))
    assert verdict.kind == "approved"
    assert judged(item, rule(3)).kind == "same"


def test_a_rejection_that_ended_it_may_not_be_enough() -> None:
    item = case("rejected", said("reject"))
    verdict = judged(item, rule(reject=2))
    assert verdict == Verdict(kind="open", why="2 rejections would end it.")


def test_a_rejection_after_the_shorter_time_is_too_late() -> None:
    item = case("rejected", said("reject", minutes=130))
    assert judged(item, rule(time_limit_seconds=3600)).kind == "late"


@pytest.mark.parametrize(
    ("heard", "under", "kind"),
    [
        ((), rule(1, time_limit_seconds=3600), "same"),
        ((), rule(1, time_limit_seconds=2 * 86400), "open"),
        ((said("approve"),), rule(1), "approved"),
        ((said("approve", minutes=130),), rule(1, time_limit_seconds=3600), "same"),
        ((said("approve"),), rule(3), "same"),
        ((said("reject"),), rule(2, reject=1), "ended"),
    ],
)
def test_what_expired(heard: tuple[Heard, ...], under: dict[str, Any], kind: str) -> None:
    assert judged(case("expired", *heard, asked=rule(2, reject=2)), under).kind == kind


def test_an_agent_that_asked_for_less_time_gets_no_more() -> None:
    longer = rule(time_limit_seconds=2 * 86400)
    assert judged(case("expired", seconds=3600), longer).kind == "same"
    late = said("approve", minutes=50), said("approve", TOMAS, 55)
    item = case("approved", *late, asked=rule(2), seconds=3600)
    assert judged(item, rule(2, wait_seconds=600)).kind == "late"
    assert judged(item, rule(1, wait_seconds=300)).kind == "waits"


def test_who_lacks_is_told_by_group() -> None:
    item, under = case("approved", said("approve", TESSA)), rule(2)
    short = Short(count=2, of=((1, ("treasurer",)), (1, ("auditor", "reviewer"))))
    verdict = judge(item, under, dict.fromkeys(prefixes(item, under), short))
    assert verdict.why == "Lacking: 1 more of treasurer, 1 more of auditor or reviewer."


def escalating(after: int, to: str = "lead") -> dict[str, Any]:
    return {"escalate": {"after_seconds": after, "to": to}}


def test_a_fallback_counts_from_its_moment_on() -> None:
    both = said("approve", minutes=30), said("approve", TESSA, minutes=90)
    item, under = case("approved", *both, asked=rule(2)), rule(2, **escalating(3600))
    assert prefixes(item, under) == (
        (frozenset(), None),
        (frozenset({ROSA}), None),
        (frozenset({ROSA, TESSA}), "lead"),
    )
    assert judged(item, under).kind == "escalated"
    assert prefixes(item, rule(2, **escalating(6000)))[-1] == (frozenset({ROSA, TESSA}), None)


@pytest.mark.parametrize(
    ("status", "heard"), [("approved", (said("approve", minutes=90),)), ("expired", ())]
)
def test_what_was_long_undecided_would_have_gone_to_others(
    status: str, heard: tuple[Heard, ...]
) -> None:
    under = rule(**escalating(3600))
    verdict = judged(case(status, *heard), under)
    assert verdict.kind == "escalated"
    assert verdict.why == "Not decided within 1 h: lead would have counted, too."
    assert judged(case(status, *heard, asked=under), under | {"blind": False}).kind == "same"
    assert judged(case("approved", said("approve", minutes=50)), under).kind == "same"
