"""How many people of which groups have to say yes, and what the rule besides asks of them."""

import itertools
import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import api, execution, rehearsing, sweeper
from engine.errors import (
    AlreadyDecided,
    Conflict,
    NotFound,
    NotPermitted,
    NotRehearsed,
    RuleChanged,
)
from engine.models import Decision, Proposal
from engine.rehearsing import Assertion, Played
from engine.store import proposals
from oversight.embedded.waiting import until
from oversight.models import Person
from oversight.reading import decidable
from tests.cast import reviewer
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before, together
from tests.world import Desk


def asking(*groups: tuple[str, int], **more: Any) -> dict[str, Any]:
    quotas = [{"name": name, "approve": count} for name, count in groups]
    return {"action": "ledger.*", "groups": quotas, **more}


def stands(proposal: Proposal) -> str:
    return Proposal.objects.get(pk=proposal.pk).status


@pytest.fixture
def two(desk: Desk) -> list[Person]:
    """Two reviewers besides Tomas, and a policy that asks for both."""
    people = desk.people.reviewers(2)
    desk.put_in_force(asking(("reviewer", 2)))
    return people


class TestTwoOfThem:
    def test_the_second_approval_is_the_one_that_lets_it_be_done(
        self, two: list[Person], desk: Desk
    ) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        desk.approve(proposal, by=two[0])
        assert stands(proposal) == "open"
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 0

        desk.approve(proposal, by=two[1])
        assert stands(proposal) == "approved"
        desk.work(proposal.run_id)

        assert desk.ledger.refunded(order) == "25.00"
        assert set(Decision.objects.values_list("person_name", flat=True)) == {
            str(person) for person in two
        }

    def test_nobody_counts_twice(self, two: list[Person], desk: Desk) -> None:
        proposal = desk.propose_refund()
        desk.approve(proposal, by=two[0])
        for again in ("approve", "reject", "return"):
            with pytest.raises(AlreadyDecided):
                desk.decide(proposal, again, by=two[0])
        assert stands(proposal) == "open"
        assert Decision.objects.count() == 1

    def test_who_has_said_their_word_finds_it_no_more_among_what_is_to_decide(
        self, two: list[Person], desk: Desk
    ) -> None:
        proposal = desk.propose_refund()
        assert [decidable.count(person.pk) for person in two] == [1, 1]
        desk.approve(proposal, by=two[0])
        assert [decidable.count(person.pk) for person in two] == [0, 1]

    @pytest.mark.parametrize("word", ["reject", "return"])
    def test_one_word_against_it_is_enough(self, word: str, two: list[Person], desk: Desk) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        desk.approve(proposal, by=two[0])
        desk.decide(proposal, word, by=two[1])
        desk.work(proposal.run_id)
        assert stands(proposal) == {"reject": "rejected", "return": "returned"}[word]
        assert desk.ledger.movements(order) == 0

    def test_both_at_the_same_instant_are_counted(self, two: list[Person], desk: Desk) -> None:
        """Two doors, two connections: each sees the other's approval or is seen by it."""
        for _ in range(10):
            proposal = desk.propose_refund()
            outcomes = together([partial(desk.approve, proposal, by=person) for person in two])
            assert outcomes == [None, None]
            assert stands(proposal) == "approved"
            kinds = desk.database.kinds(proposal.run_id)
            assert kinds.count("decision_made") == 2
            assert kinds.count("proposal_approved") == 1

    def test_one_who_may_no_longer_is_not_counted_at_the_gate(
        self, two: list[Person], desk: Desk
    ) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        for person in two:
            desk.approve(proposal, by=person)
        two[0].groups.clear()
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 0
        assert stands(proposal) == "lapsed"

    def test_nor_at_the_second_approval(self, two: list[Person], desk: Desk) -> None:
        proposal = desk.propose_refund()
        desk.approve(proposal, by=two[0])
        two[0].is_active = False
        two[0].save()
        desk.approve(proposal, by=two[1])
        assert stands(proposal) == "open"


class TestNamedGroups:
    def test_each_gives_its_own_number(self, desk: Desk) -> None:
        tessa = desk.people.somebody("tessa", "treasurer")
        rosa, ruben = desk.people.rosa, desk.people.somebody("ruben", "reviewer")
        desk.put_in_force(asking(("reviewer", 1), ("treasurer", 1)))
        proposal = desk.propose_refund()

        desk.approve(proposal, by=rosa)
        desk.approve(proposal, by=ruben)
        assert stands(proposal) == "open"
        desk.approve(proposal, by=tessa)
        assert stands(proposal) == "approved"

    def test_who_is_in_two_of_them_counts_where_they_are_missing(self, desk: Desk) -> None:
        """Whoever comes first: both stands for the treasurers once a reviewer is there, too."""
        both = desk.people.somebody("both", "reviewer", "treasurer")
        rosa = desk.people.rosa
        desk.put_in_force(asking(("reviewer", 1), ("treasurer", 1)))
        for first, second in itertools.permutations([both, rosa]):
            proposal = desk.propose_refund()
            desk.approve(proposal, by=first)
            assert stands(proposal) == "open"
            desk.approve(proposal, by=second)
            assert stands(proposal) == "approved"

    def test_nobody_else_decides(self, desk: Desk) -> None:
        desk.people.somebody("tessa", "treasurer")
        rosa = desk.people.rosa
        desk.put_in_force(asking(("treasurer", 1)))
        proposal = desk.propose_refund()
        with pytest.raises(NotPermitted, match=r'(?i)only members of "treasurer"'):
            desk.approve(proposal, by=rosa)
        assert decidable.count(rosa.pk) == 0

    def test_the_agent_s_owner_is_not_counted_whatever_group_they_are_in(self, desk: Desk) -> None:
        tessa, _ = desk.people.somebody("tessa", "treasurer"), desk.people.rosa
        desk.people.tomas.groups.set(tessa.groups.all())
        desk.put_in_force(asking(("treasurer", 1)))
        proposal = desk.propose_refund()
        with pytest.raises(NotPermitted, match="never decides"):
            desk.approve(proposal, by=desk.people.tomas)


class TestTwoRejections:
    def test_the_second_ends_it(self, desk: Desk) -> None:
        first, second, third = desk.people.reviewers(3)
        desk.put_in_force(asking(("reviewer", 2), reject=2))
        proposal = desk.propose_refund()
        desk.decide(proposal, "reject", by=first)
        desk.approve(proposal, by=second)
        assert stands(proposal) == "open"
        desk.decide(proposal, "reject", by=third)
        assert stands(proposal) == "rejected"


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


class TestWaiting:
    def test_an_approved_effect_waits_as_long_as_the_rule_says(self, desk: Desk) -> None:
        assert desk.people.rosa
        desk.put_in_force(asking(("reviewer", 1), wait_seconds=3600))
        proposal = desk.approved_refund(order := desk.purchase())
        desk.work(proposal.run_id)

        run = desk.run(proposal.run_id)
        assert run.status == "waiting_approval"
        assert run.wake_at is not None
        closed = Proposal.objects.get(pk=proposal.pk).closed_at
        assert closed is not None
        assert 3590 < (run.wake_at - closed).total_seconds() < 3610
        assert desk.ledger.movements(order) == 0

    def test_waking_it_early_does_not_help(self, desk: Desk) -> None:
        assert desk.people.rosa
        desk.put_in_force(asking(("reviewer", 1), wait_seconds=3600))
        proposal = desk.approved_refund(order := desk.purchase())
        desk.work(proposal.run_id)
        desk.work_on_after_waiting(proposal.run_id)
        assert desk.run(proposal.run_id).status == "waiting_approval"
        assert desk.ledger.movements(order) == 0

    def test_a_worker_that_does_not_look_is_refused_at_the_door(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(execution, "_held_back", lambda pending: 0)
        assert desk.people.rosa
        desk.put_in_force(asking(("reviewer", 1), wait_seconds=3600))
        proposal = desk.approved_refund(order := desk.purchase())
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 0
        assert stands(proposal) == "approved"
        assert "effect_prepared" not in desk.database.kinds(proposal.run_id)

    def test_then_it_is_done(self, desk: Desk) -> None:
        assert desk.people.rosa
        desk.put_in_force(asking(("reviewer", 1), wait_seconds=1))
        proposal = desk.approved_refund(order := desk.purchase())
        desk.work(proposal.run_id)
        due = "SELECT wake_at <= clock_timestamp() FROM engine_run WHERE run_id = %s"
        until(lambda: desk.database.value(due, proposal.run_id), "the end of its wait", 10)
        desk.work(proposal.run_id)
        assert desk.ledger.refunded(order) == "25.00"


class TestAFreshRehearsal:
    @pytest.fixture
    def demanded(self, desk: Desk) -> None:
        assert desk.people.rosa
        desk.put_in_force(asking(("reviewer", 1), fresh_rehearsal=True))

    def rehearsed(self, desk: Desk, *, passed: bool = True) -> None:
        now = rehearsing.now()
        played = Played(
            action="ledger.refund",
            action_version=1,
            run_id=None,
            started_at=now,
            ended_at=now,
            recovery_seconds=1.0,
            timeline=[],
            assertions=[Assertion(what="The target is as it was before", holds=passed)],
        )
        api.keep_rehearsal(played, operator=reviewer(desk.people.otto))

    @pytest.mark.usefixtures("demanded")
    def test_is_missing(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        with pytest.raises(NotRehearsed):
            desk.approve(proposal)
        desk.decide(proposal, "reject")

    @pytest.mark.usefixtures("demanded")
    def test_is_there(self, desk: Desk) -> None:
        self.rehearsed(desk)
        desk.approve(proposal := desk.propose_refund())
        assert stands(proposal) == "approved"

    @pytest.mark.usefixtures("demanded")
    @pytest.mark.parametrize("name", ["agent:rehearsal", "agent:system-rehearsal"])
    def test_is_not_excused_by_a_name_that_an_agent_may_have(self, name: str, desk: Desk) -> None:
        with pytest.raises(NotRehearsed):
            desk.approve(self.asked_by(name, desk))

    @pytest.mark.usefixtures("demanded")
    def test_is_what_a_rehearsal_itself_does_not_need(self, desk: Desk) -> None:
        desk.approve(proposal := self.asked_by(rehearsing.INITIATOR, desk))
        assert stands(proposal) == "approved"

    def asked_by(self, name: str, desk: Desk) -> Proposal:
        run_id = api.start_run("agent", initiator=api.Initiator(actor=name))
        arguments = {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "25.00"}
        api.request_effect(
            run_id, agent=name, action="ledger.refund", arguments=arguments, why="It is broken."
        )
        desk.work(run_id)
        return desk.proposal(run_id)

    @pytest.mark.usefixtures("demanded")
    def test_has_failed_since(self, desk: Desk) -> None:
        self.rehearsed(desk)
        self.rehearsed(desk, passed=False)
        with pytest.raises(NotRehearsed):
            desk.approve(desk.propose_refund())

    @pytest.mark.usefixtures("demanded")
    def test_has_expired(self, desk: Desk) -> None:
        self.rehearsed(desk)
        desk.database.execute(
            "UPDATE engine_rehearsal SET ended_at = now() - interval '2 d',"
            " expires_at = now() - interval '1 d'"
        )
        with pytest.raises(NotRehearsed):
            desk.approve(desk.propose_refund())


def enough(groups: list[tuple[set[int], int]], people: set[int]) -> bool:
    """Whether the seats can be filled, every one with somebody else: tried out, seat by seat."""
    seats = [members for members, count in groups for _ in range(count)]

    def filled(left: list[set[int]], free: frozenset[int]) -> bool:
        return not left or any(filled(left[1:], free - {one}) for one in left[0] & free)

    return filled(seats, frozenset(people))


def empty_seats(groups: list[tuple[set[int], int]], people: set[int]) -> int:
    """How many seats stay empty at the least, by trying out who sits where."""
    seats = [members for members, count in groups for _ in range(count)]

    def least(left: list[set[int]], free: frozenset[int]) -> int:
        if not left:
            return 0
        taken = (least(left[1:], free - {one}) for one in left[0] & free)
        return min([least(left[1:], free) + 1, *taken])

    return least(seats, frozenset(people))


members = st.lists(
    st.tuples(st.sets(st.integers(0, 4), max_size=5), st.integers(1, 3)), min_size=1, max_size=4
)


class TestTheCount:
    """Against a count of another kind: people are put on seats until it works, or nothing does."""

    @pytest.fixture
    def seated(self, desk: Desk) -> Any:
        """Puts people into groups; gives what is asked of these, and the ids of who approved."""
        from django.contrib.auth.models import Group

        people = desk.people.reviewers(5)
        groups = [Group.objects.create(name=f"g{n}") for n in range(4)]

        def seat(wanted: list[tuple[set[int], int]], approved: set[int]) -> Any:
            for group, (inside, _count) in zip(groups, wanted, strict=False):
                group.user_set.set([people[n] for n in inside])
            quotas = [{"name": f"g{n}", "approve": c} for n, (_in, c) in enumerate(wanted)]
            return quotas, [people[n].pk for n in approved]

        return seat

    @pytest.fixture
    def asked(self, seated: Any) -> Any:
        from engine.store.doors import call

        def suffice(wanted: list[tuple[set[int], int]], approved: set[int]) -> bool:
            quotas, ids = seated(wanted, approved)
            return bool(call("_suffice", json.dumps(quotas), ids))

        return suffice

    def test_says_how_many_more_it_takes_at_the_least(self, seated: Any) -> None:
        @settings(max_examples=60, deadline=None)
        @given(members, st.sets(st.integers(0, 4)))
        def check(wanted: list[tuple[set[int], int]], approved: set[int]) -> None:
            (short,) = api.short_of([seated(wanted, approved)])
            assert (short.count if short else 0) == empty_seats(wanted, approved)
            assert short is None or sum(count for count, _ in short.of) == short.count

        check()

    def test_says_of_which_groups(self, seated: Any) -> None:
        apart = seated([({0, 1}, 2), ({2}, 1)], {0})
        shared = seated([({0}, 1), ({0}, 1)], {0})
        assert [short and short.of for short in api.short_of([shared])] == [((1, ("g0", "g1")),)]
        seated([({0, 1}, 2), ({2}, 1)], {0})
        found = api.short_of([apart, (apart[0], [])])
        assert [short and short.count for short in found] == [2, 3]
        assert found[1] is not None
        assert found[1].of == ((1, ("g1",)), (2, ("g0",)))

    def test_is_right(self, asked: Any) -> None:
        @settings(max_examples=150, deadline=None)
        @given(members, st.sets(st.integers(0, 4)))
        def check(wanted: list[tuple[set[int], int]], approved: set[int]) -> None:
            assert asked(wanted, approved) == enough(wanted, approved)

        check()


def statuses(proposal: Proposal) -> list[str]:
    versions = Proposal.objects.filter(proposal_id=proposal.proposal_id).order_by("version")
    return [version.status for version in versions]


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

    def test_while_others_are_still_to_be_heard(self, two: list[Person], desk: Desk) -> None:
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
