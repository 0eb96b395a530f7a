"""What ends an exemption: at once, for good, and not what has nothing to do with it."""

import pytest

from engine import api, sweeper
from engine.errors import (
    Conflict,
    NotPermitted,
)
from engine.models import Effect
from oversight.demo.placet_actions import Refund
from tests.cast import AGENT, reviewer
from tests.engine.chain import faults_in
from tests.engine.exempting import (
    approve,
    asked,
    end,
    ends,
    given,
    is_let_through,
    proposed,
    rule,
    stopped_and_gone_on,
    versions,
)
from tests.engine.newer import newer_action, newer_code
from tests.engine.taking_back import confirm, roll_back
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.pages.unknowns.doubt import deaf, work_until_paused
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("lots")


class TestWhatEndsIt:
    @pytest.mark.parametrize("name", ["rosa", "zoe", "yara"])
    def test_one_word_of_who_decides_such_or_of_an_administrator(
        self, name: str, desk: Desk
    ) -> None:
        exemption = given(desk)
        end(exemption, getattr(desk.people, name))
        assert ends(exemption) == ("ended", "revoked")
        assert not is_let_through(desk)

    @pytest.mark.parametrize("name", ["otto", "ada", "ines"])
    def test_nobody_else_s_word(self, name: str, desk: Desk) -> None:
        exemption = given(desk)
        with pytest.raises(NotPermitted):
            end(exemption, getattr(desk.people, name))
        assert ends(exemption) == ("standing", None)

    def test_not_twice(self, desk: Desk) -> None:
        exemption = given(desk)
        end(exemption, desk.people.rosa)
        with pytest.raises(Conflict, match="ended"):
            end(exemption, desk.people.rosa)

    def test_one_that_nobody_has_given_is_dropped(self, desk: Desk) -> None:
        exemption = proposed(desk)
        end(exemption, desk.people.rosa)
        assert ends(exemption) == ("dropped", "revoked")
        with pytest.raises(Conflict, match="dropped"):
            approve(exemption, desk.people.rosa)

    @pytest.mark.parametrize(
        "scope", ["everything", "action:ledger.refund", AGENT, "workflow:agent"]
    )
    def test_a_stop_that_it_is_in_the_scope_of(self, scope: str, desk: Desk) -> None:
        exemption = given(desk)
        desk.start_run()
        api.stop(reviewer(desk.people.otto), "Something is odd.", scope=scope)
        assert ends(exemption) == ("ended", "stopped")

    def test_a_stop_for_one_of_its_agent_s_runs(self, desk: Desk) -> None:
        exemption = given(desk)
        api.stop(reviewer(desk.people.otto), "Odd.", scope=f"run:{desk.start_run()}")
        assert ends(exemption) == ("ended", "stopped")

    def test_the_end_of_the_stop_does_not_bring_it_back(self, desk: Desk) -> None:
        given(desk)
        stopped_and_gone_on(desk)
        assert not is_let_through(desk)

    def test_not_a_stop_for_something_else(self, desk: Desk) -> None:
        exemption = given(desk)
        api.stop(reviewer(desk.people.otto), "Odd.", scope="action:ledger.reverse_refund")
        assert ends(exemption) == ("standing", None)

    def test_a_policy_with_another_rule_for_its_action(self, desk: Desk) -> None:
        exemption = given(desk)
        desk.put_in_force(rule(reject=2))
        assert ends(exemption) == ("ended", "rule_changed")

    def test_not_a_policy_with_the_same_rule_for_it(self, desk: Desk) -> None:
        assert desk.people.rosa
        desk.put_in_force(rule())
        exemption = given(desk)
        desk.put_in_force({**rule(), "action": "mail.*"}, rule())
        assert ends(exemption) == ("standing", None)
        assert is_let_through(desk)

    def test_another_version_of_the_action(self, desk: Desk) -> None:
        exemption = given(desk)
        with newer_code():
            newer_action(Refund)
            assert not is_let_through(desk)
        assert ends(exemption) == ("ended", "action_changed")

    def test_its_first_failed_verification(self, desk: Desk) -> None:
        exemption = given(desk)
        run_id = desk.start_run()
        desk.ask_for_refund(run_id, desk.purchase(handling_fee="1.50"))
        desk.work(run_id)
        assert Effect.objects.filter(verification="mismatch").exists()
        assert ends(exemption) == ("ended", "verification_failed")
        assert faults_in(desk.database, run_id) == []

    def test_the_rollback_of_what_it_let_through(self, desk: Desk) -> None:
        exemption = given(desk)
        desk.work(run_id := asked(desk))
        roll_back(desk, run_id)
        assert ends(exemption) == ("ended", "rolled_back")

    def test_the_rollback_of_a_run_that_has_ended(self, desk: Desk) -> None:
        exemption = given(desk)
        desk.work(run_id := asked(desk))
        api.finish_run(run_id, agent=AGENT)
        desk.work(run_id)
        roll_back(desk, run_id)
        assert ends(exemption) == ("ended", "rolled_back")

    def test_what_somebody_has_taken_back_by_hand(self, desk: Desk) -> None:
        exemption = given(desk)
        desk.work(run_id := asked(desk))
        api.finish_run(run_id, agent=AGENT)
        desk.work(run_id)
        confirm(desk, run_id, Effect.objects.get().pk)
        assert ends(exemption) == ("ended", "rolled_back")

    def test_a_ruling_that_it_happened_in_part(self, desk: Desk) -> None:
        exemption = given(desk)
        run_id = asked(desk)
        with desk.ledger.answers_lost(), deaf():
            desk.work(run_id)
            work_until_paused(desk, run_id)
        api.resolve_effect(
            run_id,
            Effect.objects.get().pk,
            operator=reviewer(desk.people.otto),
            resolution="partly",
            resource_id="A-1",
            seen_evidence="The ledger shows half of it.",
            reason="Half of it arrived.",
        )
        assert ends(exemption) == ("ended", "verification_failed")

    def test_a_rejection_of_what_it_is_for(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        exemption = given(desk)
        desk.decide(proposal, "reject")
        assert ends(exemption) == ("ended", "rejected")

    def test_not_a_rejection_of_something_else(self, desk: Desk) -> None:
        proposal = desk.propose_refund(amount="70.00")
        exemption = given(desk)
        desk.decide(proposal, "reject")
        assert ends(exemption) == ("standing", None)

    def test_what_is_not_sent_yet_is_asked_of_people(self, desk: Desk) -> None:
        exemption = given(desk)
        run_id = asked(desk)
        lapsed: list[int] = []

        def ended_and_swept() -> None:
            end(exemption, desk.people.rosa)
            lapsed.append(sweeper.run_once().lapsed)

        with just_before("prepare_effect", ended_and_swept):
            desk.work(run_id)
        assert lapsed == [1]
        assert versions(run_id) == ["lapsed", "open"]
        assert_tables_match_the_log(desk.database, run_id)
        assert sweeper.run_once().lapsed == 0

    def test_what_was_sent_goes_its_way(self, desk: Desk) -> None:
        exemption = given(desk)
        run_id = desk.start_run()
        desk.ask_for_refund(run_id, order := desk.purchase())

        def ended_and_swept() -> None:
            end(exemption, desk.people.rosa)
            assert sweeper.run_once().lapsed == 0

        with just_before("record_effect", ended_and_swept):
            desk.work(run_id)
        assert desk.ledger.refunded(order) == "25.00"
