"""What was let through beforehand is asked again before anything is sent."""

from collections.abc import Callable

import pytest

from engine import actions, api
from engine.models import Exemption, Proposal
from oversight.demo.placet_actions import Refund
from oversight.models import Person
from tests.cast import reviewer
from tests.engine.exempting import (
    asked,
    becomes,
    end,
    ends,
    given,
    is_let_through,
    its_end_comes,
    rule,
    stopped_and_gone_on,
    versions,
)
from tests.engine.newer import newer_code
from tests.engine.test_gate import assert_nothing_fired
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("lots")


AT_THE_GATE: dict[str, Callable[[Desk, Exemption], object]] = {
    "it is revoked": lambda desk, exemption: end(exemption, desk.people.zoe),
    "its end comes": lambda desk, exemption: its_end_comes(desk),
    "who gave it may no more": lambda desk, exemption: desk.people.rosa.groups.clear(),
    "who gave it is shown out": lambda desk, exemption: Person.objects.filter(
        pk=desk.people.rosa.pk
    ).update(is_active=False),
    "its approvals are of another": lambda desk, exemption: desk.database.execute(
        "UPDATE engine_voice SET digest = repeat('0', 64)"
    ),
    "the log does not say so": lambda desk, exemption: desk.database.execute(
        "SET session_replication_role = replica;"
        "UPDATE engine_event SET kind = 'proposal_drawn' WHERE kind = 'proposal_exempted'"
    ),
    "it is somebody else's": lambda desk, exemption: desk.database.execute(
        "UPDATE engine_proposal SET exemption_id = NULL"
    ),
    "the arguments are others": lambda desk, exemption: desk.database.execute(
        "UPDATE engine_effect SET arguments ="
        " convert_to(replace(convert_from(arguments, 'UTF8'), '25.00', '75.00'), 'UTF8')"
    ),
    "everything is stopped": lambda desk, exemption: api.stop_everything(
        reviewer(desk.people.otto), "Something is odd."
    ),
    "everything was stopped and goes on": lambda desk, exemption: stopped_and_gone_on(desk),
    "another rule is in force": lambda desk, exemption: desk.put_in_force(rule(reject=2)),
    "another rule was in force": lambda desk, exemption: back_and_forth(desk),
}


def back_and_forth(desk: Desk) -> None:
    desk.put_in_force(rule(reject=2))
    desk.put_in_force(rule())


class TestTheGateAsksAgain:
    @pytest.mark.parametrize("happens", AT_THE_GATE)
    def test_and_nothing_fires_when(self, happens: str, desk: Desk) -> None:
        assert desk.people.rosa
        desk.put_in_force(rule())
        exemption = given(desk)
        run_id = desk.start_run()
        desk.ask_for_refund(run_id, order := desk.purchase())

        with just_before("intend_effect", lambda: AT_THE_GATE[happens](desk, exemption)):
            desk.work(run_id)

        assert_nothing_fired(desk, Proposal.objects.get(run_id=run_id, version=1), order)
        assert versions(run_id)[0] == "lapsed"

    def test_and_people_are_asked_then(self, desk: Desk) -> None:
        exemption = given(desk)
        run_id = asked(desk)
        with just_before("intend_effect", lambda: end(exemption, desk.people.rosa)):
            desk.work(run_id)
        assert versions(run_id) == ["lapsed", "open"]
        assert_tables_match_the_log(desk.database, run_id)

    def test_what_it_is_not_for_any_more_is_seen_there_too(self, desk: Desk) -> None:
        """As if those who gave it had given it for somebody else."""
        given(desk)
        run_id = desk.start_run()
        desk.ask_for_refund(run_id, order := desk.purchase())
        with just_before("intend_effect", lambda: becomes(desk, "Mara Vogel", "Nara Vogel")):
            desk.work(run_id)
        assert_nothing_fired(desk, Proposal.objects.get(run_id=run_id, version=1), order)

    def test_an_older_version_of_the_action_is_let_through_no_more(self, desk: Desk) -> None:
        exemption = given(desk)
        run_id = asked(desk)
        with newer_code():

            def another_is_asked_for() -> None:
                actions.register(type("Newer", (Refund,), {"version": 2}))
                desk.work(asked(desk))

            with just_before("intend_effect", another_is_asked_for):
                desk.work(run_id)
        assert versions(run_id) == ["lapsed", "open"]
        assert ends(exemption) == ("ended", "action_changed")

    def test_one_declared_by_hand_lets_nothing_through(self, desk: Desk) -> None:
        exemption = given(desk, uses=1)
        assert is_let_through(desk)
        proposal = desk.propose_refund(order := desk.purchase())
        desk.database.execute(
            "UPDATE engine_proposal SET status = 'approved', exemption_id = %s WHERE id = %s",
            exemption.pk,
            proposal.pk,
        )
        desk.database.execute("UPDATE engine_run SET wake_at = now()")
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 0
