"""Two who meet at one exemption, on connections of their own: in one order, and no use too many."""

import uuid
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from engine import api, worker
from engine.models import Exemption, Proposal, Voice
from tests.cast import AGENT, reviewer
from tests.engine.chain import faults_in
from tests.engine.exempting import approve, asked, end, ends, given, proposed
from tests.engine.meeting import Meeting, Party, meeting
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("lots")

SAME_RULE = {"action": "ledger.*", "groups": [{"name": "reviewer", "approve": 1}]}


@pytest.fixture
def met(desk: Desk) -> Iterator[Meeting]:
    with meeting(desk.database) as here:
        yield here


def at_work(met: Meeting, run_id: uuid.UUID, door: str = "open_proposal") -> Party:
    return met.invite(door, partial(worker.run_once, run_id))


def standing_of(desk: Desk, run_id: uuid.UUID) -> list[str]:
    assert faults_in(desk.database, run_id) == []
    assert_tables_match_the_log(desk.database, run_id)
    found = Proposal.objects.filter(run_id=run_id).order_by("version")
    return [version.status for version in found]


class TestTheLastUse:
    @pytest.fixture
    def runs(self, desk: Desk) -> list[uuid.UUID]:
        given(desk, uses=1)
        return [asked(desk), asked(desk)]

    def test_lets_one_of_two_workers_through(
        self, runs: list[uuid.UUID], met: Meeting, desk: Desk
    ) -> None:
        first, second = (at_work(met, run_id) for run_id in runs)
        assert met.one_waits_for_the_other(first, second)
        for party in (first, second):
            party.goes_home()
        assert [standing_of(desk, run_id) for run_id in runs] == [["approved"], ["open"]]
        assert Exemption.objects.get().used == 1

    def test_is_there_for_the_other_when_the_first_has_not_committed(
        self, runs: list[uuid.UUID], met: Meeting, desk: Desk
    ) -> None:
        first, second = (at_work(met, run_id) for run_id in runs)
        assert met.one_waits_for_the_other(first, second, undone=True)
        for party in (first, second):
            party.goes_home()
        assert standing_of(desk, runs[1]) == ["approved"]
        assert Exemption.objects.get().used == 1


class TestItsEnd:
    """At the moment at which it lets something through: before, or after, and nothing between."""

    def ended(self, desk: Desk, exemption: Exemption) -> Callable[[], None]:
        return partial(end, exemption, desk.people.rosa)

    def test_comes_first(self, met: Meeting, desk: Desk) -> None:
        exemption = given(desk)
        run_id = asked(desk)
        revoking = met.invite("end_exemption", self.ended(desk, exemption))
        opening = at_work(met, run_id)
        assert met.one_waits_for_the_other(revoking, opening)
        for party in (revoking, opening):
            party.goes_home()
        assert standing_of(desk, run_id) == ["open"]

    def test_comes_while_it_lets_something_through(self, met: Meeting, desk: Desk) -> None:
        """The gate asks again, and finds it ended."""
        exemption = given(desk)
        run_id = asked(desk)
        opening = at_work(met, run_id)
        revoking = met.invite("end_exemption", self.ended(desk, exemption))
        assert met.one_waits_for_the_other(opening, revoking)
        for party in (revoking, opening):
            party.goes_home()
        assert standing_of(desk, run_id)[0] == "lapsed"
        assert ends(exemption) == ("ended", "revoked")

    def test_comes_first_at_the_gate(self, met: Meeting, desk: Desk) -> None:
        exemption = given(desk)
        run_id = desk.start_run()
        desk.ask_for_refund(run_id, order := desk.purchase())
        gate = at_work(met, run_id, "intend_effect")
        revoking = met.invite("end_exemption", self.ended(desk, exemption))
        assert met.one_waits_for_the_other(revoking, gate)
        for party in (revoking, gate):
            party.goes_home()
        assert desk.ledger.movements(order) == 0
        assert standing_of(desk, run_id) == ["lapsed", "open"]

    def test_comes_after_the_gate(self, met: Meeting, desk: Desk) -> None:
        """It waits until the gate is through; what was sent then goes its way."""
        exemption = given(desk)
        run_id = desk.start_run()
        desk.ask_for_refund(run_id, order := desk.purchase())
        gate = at_work(met, run_id, "intend_effect")
        revoking = met.invite("end_exemption", self.ended(desk, exemption))
        assert met.one_waits_for_the_other(gate, revoking)
        for party in (revoking, gate):
            party.goes_home()
        assert desk.ledger.refunded(order) == "25.00"
        assert ends(exemption) == ("ended", "revoked")


class TestAStop:
    def test_is_waited_for_and_nothing_is_let_through(self, met: Meeting, desk: Desk) -> None:
        exemption = given(desk)
        run_id = asked(desk)
        stopping = met.invite(
            "place_stop", partial(api.stop, reviewer(desk.people.otto), "Odd.", scope=AGENT)
        )
        opening = at_work(met, run_id)
        assert met.one_waits_for_the_other(stopping, opening)
        for party in (stopping, opening):
            party.goes_home()
        assert standing_of(desk, run_id) == []
        assert ends(exemption) == ("ended", "stopped")

    def test_waits_for_what_is_just_let_through_and_the_gate_finds_it(
        self, met: Meeting, desk: Desk
    ) -> None:
        exemption = given(desk)
        run_id = asked(desk)
        opening = at_work(met, run_id)
        stopping = met.invite(
            "place_stop", partial(api.stop, reviewer(desk.people.otto), "Odd.", scope=AGENT)
        )
        assert met.one_waits_for_the_other(opening, stopping)
        for party in (stopping, opening):
            party.goes_home()
        assert standing_of(desk, run_id) == ["lapsed"]
        assert ends(exemption) == ("ended", "stopped")


def test_a_policy_that_is_put_in_force_meanwhile_ends_it(met: Meeting, desk: Desk) -> None:
    exemption = given(desk)
    run_id = asked(desk)
    opening = at_work(met, run_id)
    changing = met.invite(
        "put_policy_in_force", partial(desk.put_in_force, {**SAME_RULE, "reject": 2})
    )
    assert met.one_waits_for_the_other(opening, changing)
    for party in (changing, opening):
        party.goes_home()
    assert standing_of(desk, run_id)[0] == "lapsed"
    assert ends(exemption) == ("ended", "rule_changed")


class TestTwoWhoApprove:
    def test_at_once_are_both_counted(self, met: Meeting, desk: Desk) -> None:
        one, other = desk.people.reviewers(2)
        desk.put_in_force({**SAME_RULE, "groups": [{"name": "reviewer", "approve": 2}]})
        exemption = proposed(desk)
        parties = [
            met.invite("approve_exemption", partial(approve, exemption, person))
            for person in (one, other)
        ]
        assert met.one_waits_for_the_other(*parties)
        for party in parties:
            party.goes_home()
        assert ends(exemption) == ("standing", None)
        assert Voice.objects.count() == 2

    def test_and_one_who_ends_it_have_one_outcome(self, met: Meeting, desk: Desk) -> None:
        exemption = proposed(desk)
        approving = met.invite("approve_exemption", partial(approve, exemption, desk.people.rosa))
        dropping = met.invite("end_exemption", partial(end, exemption, desk.people.yara))
        assert met.one_waits_for_the_other(dropping, approving)
        for party in (approving, dropping):
            party.goes_home()
        assert ends(exemption) == ("dropped", "revoked")
        assert Voice.objects.count() == 0
