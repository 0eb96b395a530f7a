"""Who approved may take it back, as long as nothing was sent."""

import pytest

from engine import api
from engine.errors import (
    Conflict,
    NotFound,
)
from engine.models import Proposal
from oversight.models import Person
from tests.cast import reviewer
from tests.engine.rules import asking, stands, statuses
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.world import Desk


class TestTakingAnApprovalBack:
    def test_before_it_is_done_it_is_asked_anew(self, desk: Desk) -> None:
        proposal = desk.approved_refund(order := desk.purchase())
        self.taken_back(desk, proposal, by=desk.people.rosa)
        assert stands(proposal) == "lapsed"
        desk.work(proposal.run_id)
        assert statuses(proposal) == ["lapsed", "open"]
        assert desk.ledger.movements(order) == 0
        assert_tables_match_the_log(desk.database, proposal.run_id)

    def test_between_prepare_and_intend_nothing_fires(self, desk: Desk) -> None:
        proposal = desk.approved_refund(order := desk.purchase())
        rosa = desk.people.rosa
        with just_before("intend_effect", lambda: self.taken_back(desk, proposal, by=rosa)):
            desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 0
        assert statuses(proposal) == ["lapsed", "open"]
        assert_tables_match_the_log(desk.database, proposal.run_id)

    def test_while_others_are_still_to_be_heard(self, desk: Desk) -> None:
        two = desk.people.reviewers(2)
        desk.put_in_force(asking(("reviewer", 2)))
        proposal = desk.propose_refund()
        desk.approve(proposal, by=two[0])
        self.taken_back(desk, proposal, by=two[0])
        desk.work(proposal.run_id)
        assert statuses(proposal) == ["lapsed", "open"]

    def test_not_once_it_was_sent(self, desk: Desk) -> None:
        proposal = desk.approved_refund(order := desk.purchase())
        desk.work(proposal.run_id)
        with pytest.raises(Conflict, match="sent already"):
            self.taken_back(desk, proposal, by=desk.people.rosa)
        assert desk.ledger.refunded(order) == "25.00"

    @pytest.mark.parametrize("word", ["reject", "return"])
    def test_nothing_but_an_approval_is_taken_back(self, word: str, desk: Desk) -> None:
        proposal = desk.propose_refund()
        desk.decide(proposal, word)
        with pytest.raises(NotFound, match="no approval of yours"):
            self.taken_back(desk, proposal, by=desk.people.rosa)

    def test_nobody_takes_back_another_s(self, desk: Desk) -> None:
        proposal = desk.approved_refund()
        with pytest.raises(NotFound, match="no approval of yours"):
            self.taken_back(desk, proposal, by=desk.people.otto)
        assert stands(proposal) == "approved"

    def taken_back(self, desk: Desk, proposal: Proposal, *, by: Person) -> None:
        api.take_back_approval(
            proposal.run_id, proposal.pk, reviewer=reviewer(by), reason="I misread it."
        )
