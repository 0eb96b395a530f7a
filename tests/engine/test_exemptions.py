"""Who gives an exemption, and of what there is never one."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from engine import actions, api
from engine.actions import Secret
from engine.canonical import sha256_hex
from engine.errors import (
    BadInput,
    ChallengeFailed,
    Conflict,
    DigestMismatch,
    NotFound,
    NotPermitted,
    RuleChanged,
    StepUpNeeded,
    Stopped,
)
from engine.models import Exemption, Voice
from oversight.demo.placet_actions import Refund
from oversight.models import Person
from tests.cast import reviewer
from tests.engine.exempting import (
    approve,
    ends,
    given,
    is_let_through,
    proposed,
    requested,
    rule,
    versions,
    wish,
)
from tests.phone import given_a_phone
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("lots")


HERE = sha256_hex(b"Rosa's browser")


class TestNever:
    @pytest.mark.parametrize(
        ("name", "more"),
        [("wait_seconds", 60), ("fresh_rehearsal", True)],
    )
    def test_under_a_rule_that_takes_time_or_a_rehearsal(
        self, name: str, more: Any, desk: Desk
    ) -> None:
        assert desk.people.rosa
        desk.put_in_force(rule(**{name: more}))
        with pytest.raises(NotPermitted) as refusal:
            proposed(desk)
        assert "its rule" in refusal.value.why
        assert not Exemption.objects.exists()

    def test_at_high_risk(self, desk: Desk) -> None:
        with patch.object(Refund, "risk", "high"), pytest.raises(NotPermitted) as refusal:
            proposed(desk)
        assert "its risk is high" in refusal.value.why

    def test_without_a_way_back(self, desk: Desk) -> None:
        with pytest.raises(NotPermitted) as refusal:
            proposed(
                desk, action="ledger.reverse_refund", scope={**wish()["scope"], "argument": "order"}
            )
        assert "nothing takes it back" in refusal.value.why

    def test_with_secrets(self, desk: Desk) -> None:
        with patch.object(Refund, "Arguments", WithASecret), pytest.raises(NotPermitted) as no:
            proposed(desk)
        assert "secrets" in no.value.why

    def test_once_its_risk_is_another(self, desk: Desk) -> None:
        given(desk)
        with patch.object(Refund, "risk", "low"):
            assert not is_let_through(desk)

    def test_once_nothing_takes_it_back(self, desk: Desk) -> None:
        given(desk)
        with patch.object(Refund, "rollback", actions.no_rollback("It is gone.")):
            requested(run_id := desk.start_run(), desk.purchase(), rollback_reason="It must be.")
            desk.work(run_id)
        assert versions(run_id) == ["open"]

    def test_once_it_has_secrets(self, desk: Desk) -> None:
        given(desk)
        with patch.object(Refund, "Arguments", WithASecret):
            assert not is_let_through(desk, pin="0123456789")

    @pytest.mark.parametrize(
        ("changed", "path"),
        [
            ({"uses": 0}, "$.uses"),
            ({"uses": 1_001}, "$.uses"),
            ({"one_in": 1}, "$.one_in"),
            ({"one_in": 21}, "$.one_in"),
            ({"until": datetime.now(UTC) + timedelta(days=31)}, "$.until"),
            ({"until": datetime.now(UTC) - timedelta(days=1)}, "$.until"),
            ({"agent": "person:1"}, "$.agent"),
            ({"scope": {"kind": "beginning", "value": "ledger"}}, "$.scope.value"),
            ({"scope": {"kind": "target", "value": ""}}, "$.scope.value"),
            ({"scope": {"kind": "argument", "value": "x"}}, "$.scope.argument"),
            ({"scope": {"kind": "argument", "value": "x", "argument": "y"}}, "$.scope.argument"),
            ({"most": {"argument": "amount", "value": "-1"}}, "$.most.value"),
            ({"most": {"argument": "sum", "value": "1"}}, "$.most.argument"),
        ],
    )
    def test_without_bounds(self, changed: dict[str, Any], path: str, desk: Desk) -> None:
        with pytest.raises(BadInput) as refusal:
            proposed(desk, **changed)
        assert refusal.value.path == path


class WithASecret(Refund.Arguments):
    pin: Secret | None = None


class TestWhoGivesIt:
    def test_as_many_as_the_rule_asks_for(self, desk: Desk) -> None:
        one, other = desk.people.reviewers(2)
        desk.put_in_force(rule(groups=[{"name": "reviewer", "approve": 2}]))
        exemption = given(desk, [one])
        assert exemption.status == "proposed"
        assert not is_let_through(desk)
        approve(exemption, other)
        assert ends(exemption) == ("standing", None)
        assert is_let_through(desk)

    def test_one_of_two_who_may_no_more_is_one_too_few(self, desk: Desk) -> None:
        both = desk.people.reviewers(2)
        desk.put_in_force(rule(groups=[{"name": "reviewer", "approve": 2}]))
        given(desk, both)
        both[0].groups.clear()
        assert not is_let_through(desk)

    def test_nobody_twice(self, desk: Desk) -> None:
        desk.people.reviewers(2)
        desk.put_in_force(rule(groups=[{"name": "reviewer", "approve": 2}]))
        exemption = given(desk)
        with pytest.raises(Conflict, match="already"):
            approve(exemption, desk.people.rosa)
        assert Voice.objects.count() == 1

    @pytest.mark.parametrize("name", ["otto", "ada", "yara"])
    def test_not_who_could_not_decide_such_a_request(self, name: str, desk: Desk) -> None:
        with pytest.raises(NotPermitted, match="reviewer"):
            given(desk, [getattr(desk.people, name)])

    def test_not_who_proposed_it(self, desk: Desk) -> None:
        both = desk.people.somebody("mina", "reviewer", "administrator")
        found = api.propose_exemption(wish(), administrator=reviewer(both), reason="Daily.")
        with pytest.raises(NotPermitted, match="who proposed it"):
            approve(Exemption.objects.get(pk=found), both)

    def test_not_the_agent_s_owner(self, desk: Desk) -> None:
        desk.start_run()
        with pytest.raises(NotPermitted, match="whose agent"):
            given(desk, [desk.people.tomas])

    def test_nor_when_that_was_not_known_yet(self, desk: Desk) -> None:
        """Nothing had been started for him when he gave it: it is seen when it is used."""
        given(desk, [desk.people.tomas])
        assert not is_let_through(desk)

    def test_only_administrators_propose_it(self, desk: Desk) -> None:
        with pytest.raises(NotPermitted):
            api.propose_exemption(wish(), administrator=reviewer(desk.people.rosa), reason="So.")

    def test_not_another_than_was_shown(self, desk: Desk) -> None:
        exemption = proposed(desk)
        with pytest.raises(DigestMismatch):
            approve(exemption, desk.people.rosa, digest="0" * 64)

    def test_not_one_that_was_changed_by_hand(self, desk: Desk) -> None:
        exemption = proposed(desk)
        desk.database.execute(
            "UPDATE engine_exemption SET content ="
            " convert_to(replace(convert_from(content, 'UTF8'), '30.00', '90.00'), 'UTF8')"
        )
        with pytest.raises(DigestMismatch):
            approve(exemption, desk.people.rosa)

    def test_not_one_that_there_is_not(self, desk: Desk) -> None:
        with pytest.raises(NotFound):
            api.approve_exemption(
                uuid.uuid4(), reviewer=reviewer(desk.people.rosa), digest="", reason="So."
            )

    def test_not_under_a_stop(self, desk: Desk) -> None:
        api.stop_everything(reviewer(desk.people.otto), "Something is odd.")
        exemption = proposed(desk)
        with pytest.raises(Stopped):
            approve(exemption, desk.people.rosa)

    def test_not_after_the_rule_has_changed(self, desk: Desk) -> None:
        assert desk.people.rosa
        exemption = proposed(desk)
        desk.put_in_force(rule(reject=2))
        assert ends(exemption) == ("dropped", "rule_changed")
        desk.database.execute("UPDATE engine_exemption SET status = 'proposed'")
        with pytest.raises(RuleChanged):
            approve(exemption, desk.people.rosa)

    def test_not_without_the_training(self, desk: Desk) -> None:
        desk.people.somebody("mina", "reviewer")
        api.grant_qualification(
            reviewer(desk.people.rosa),
            {
                "training": "refunds-2",
                "actions": "ledger.*",
                "valid_from": datetime.now(UTC) - timedelta(days=1),
                "valid_until": datetime.now(UTC) + timedelta(days=1),
            },
            administrator=reviewer(desk.people.zoe),
            reason="Trained.",
        )
        desk.put_in_force(rule(training="refunds-2"))
        exemption = proposed(desk)
        with pytest.raises(NotPermitted, match="qualified"):
            approve(exemption, Person.objects.get(username="mina"))
        approve(exemption, desk.people.rosa)
        assert ends(exemption) == ("standing", None)

    def test_not_without_the_typed_value(self, desk: Desk) -> None:
        assert desk.people.rosa
        desk.put_in_force(rule(challenge="always"))
        exemption = proposed(desk)
        with pytest.raises(ChallengeFailed):
            approve(exemption, desk.people.rosa, challenge="30.00")
        approve(exemption, desk.people.rosa, challenge="90.00")
        assert ends(exemption) == ("standing", None)
        assert is_let_through(desk)


class TestASecondFactor:
    @pytest.fixture
    def exemption(self, desk: Desk) -> Exemption:
        given_a_phone(desk.people.rosa)
        desk.put_in_force(rule(step_up="second_factor"))
        return proposed(desk)

    def shown(self, exemption: Exemption, person: Person) -> None:
        api.step_up_for_exemption(
            exemption.pk,
            reviewer=reviewer(person),
            digest=exemption.digest,
            factor="totp",
            session=HERE,
        )

    def test_is_asked_for(self, exemption: Exemption, desk: Desk) -> None:
        with pytest.raises(StepUpNeeded):
            approve(exemption, desk.people.rosa, session=HERE)
        assert ends(exemption) == ("proposed", None)

    def test_counts_once_it_is_shown_and_is_used_up(self, exemption: Exemption, desk: Desk) -> None:
        self.shown(exemption, desk.people.rosa)
        approve(exemption, desk.people.rosa, session=HERE)
        assert ends(exemption) == ("standing", None)
        assert Voice.objects.get().step_up is not None
        assert is_let_through(desk)

    def test_that_is_lost_lets_nothing_through(self, exemption: Exemption, desk: Desk) -> None:
        self.shown(exemption, desk.people.rosa)
        approve(exemption, desk.people.rosa, session=HERE)
        desk.database.execute("UPDATE engine_voice SET step_up_id = NULL")
        assert not is_let_through(desk)

    def test_for_another_exemption_does_not_count(self, exemption: Exemption, desk: Desk) -> None:
        self.shown(proposed(desk), desk.people.rosa)
        with pytest.raises(StepUpNeeded):
            approve(exemption, desk.people.rosa, session=HERE)

    def test_that_somebody_has_not_does_not_count(self, exemption: Exemption, desk: Desk) -> None:
        with pytest.raises(NotPermitted):
            self.shown(exemption, desk.people.somebody("mina", "reviewer"))
