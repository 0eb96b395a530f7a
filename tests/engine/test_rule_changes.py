"""What was asked under a rule that holds no more is asked anew, under the one that does."""

import json
from typing import Any

import pytest

from engine import sweeper
from engine.errors import RuleChanged
from engine.models import Proposal
from engine.store import proposals
from tests.engine.rules import asking, stands, statuses
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.world import Desk


class TestAnotherRule:
    def test_is_not_approved_under(self, desk: Desk) -> None:
        proposal, _ = desk.propose_refund(), desk.people.reviewers(2)
        desk.put_in_force(asking(("reviewer", 2)))
        with pytest.raises(RuleChanged):
            desk.approve(proposal)
        assert stands(proposal) == "open"

    def test_a_new_version_with_the_same_rule_changes_nothing(self, desk: Desk) -> None:
        """What was approved stays approved: the rule is looked at, not its number."""
        proposal = desk.approved_refund(order := desk.purchase())
        desk.put_in_force({"action": "mail.*", "groups": [{"name": "reviewer", "approve": 1}]})
        desk.work(proposal.run_id)
        assert desk.ledger.refunded(order) == "25.00"

    def test_is_part_of_what_is_approved(self, desk: Desk) -> None:
        rule = json.loads(bytes(desk.propose_refund().terms))["rule"]
        assert rule["groups"] == [{"name": "reviewer", "approve": 1}]


class TestAfterAChange:
    """What was asked under a rule that holds no more is asked anew, under the one that does."""

    def test_the_sweep_lapses_what_is_open_and_what_is_approved(self, desk: Desk) -> None:
        undecided, approved = desk.propose_refund(), desk.approved_refund()
        desk.people.reviewers(2)
        desk.put_in_force(asking(("reviewer", 2)))

        swept = sweeper.run_once()

        assert swept.lapsed == 2
        for proposal in (undecided, approved):
            assert proposal.run_id in swept.runs
            desk.work(proposal.run_id)
            assert statuses(proposal) == ["lapsed", "open"]
            assert_tables_match_the_log(desk.database, proposal.run_id)
            newest = desk.proposal(proposal.run_id)
            assert json.loads(bytes(newest.terms))["rule"]["groups"][0]["approve"] == 2
        assert sweeper.run_once().lapsed == 0

    def test_it_leaves_alone_what_the_change_is_not_about(self, desk: Desk) -> None:
        proposal, _ = desk.propose_refund(), desk.people.reviewers(2)
        desk.put_in_force({**asking(("reviewer", 2)), "action": "mail.*"})
        assert sweeper.run_once().lapsed == 0
        assert statuses(proposal) == ["open"]

    def test_batch_after_batch(self, desk: Desk, settings: Any) -> None:
        settings.PLACET_SWEEP_BATCH = 2
        for _ in range(5):
            desk.propose_refund()
        desk.people.reviewers(2)
        desk.put_in_force(asking(("reviewer", 2)))
        assert [sweeper.run_once().lapsed for _ in range(4)] == [2, 2, 1, 0]

    def test_what_is_being_opened_at_that_moment_is_opened_under_the_new_rule(
        self, desk: Desk
    ) -> None:
        run_id = desk.start_run()
        desk.ask_for_refund(run_id, desk.purchase())
        desk.people.reviewers(2)
        with just_before("open_proposal", lambda: desk.put_in_force(asking(("reviewer", 2)))):
            desk.work(run_id)
        [only] = Proposal.objects.all()
        assert json.loads(bytes(only.terms))["rule"]["groups"][0]["approve"] == 2

    def test_it_does_not_touch_what_was_sent(self, desk: Desk) -> None:
        proposal = desk.approved_refund(order := desk.purchase())
        desk.people.reviewers(2)
        lapsed: list[int] = []

        def change_and_sweep() -> None:
            desk.put_in_force(asking(("reviewer", 2)))
            lapsed.append(sweeper.run_once().lapsed)
            lapsed.append(proposals.lapse_proposal_if_rule_changed(proposal.run_id, proposal.pk))

        with just_before("record_effect", change_and_sweep):
            desk.work(proposal.run_id)
        assert lapsed == [0, False]
        assert desk.ledger.refunded(order) == "25.00"
