"""How many people of which groups have to say yes."""

import itertools
import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import api
from engine.errors import (
    AlreadyDecided,
    NotPermitted,
)
from engine.models import Decision
from oversight.models import Person
from oversight.reading import decidable
from tests.engine.rules import asking, stands
from tests.engine.together import together
from tests.world import Desk


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
            (short,) = api.short_of([(*seated(wanted, approved), None)])
            assert (short.count if short else 0) == empty_seats(wanted, approved)
            assert short is None or sum(count for count, _ in short.of) == short.count

        check()

    def test_says_of_which_groups(self, seated: Any) -> None:
        apart = seated([({0, 1}, 2), ({2}, 1)], {0})
        shared = seated([({0}, 1), ({0}, 1)], {0})
        assert [short and short.of for short in api.short_of([(*shared, None)])] == [
            ((1, ("g0", "g1")),)
        ]
        seated([({0, 1}, 2), ({2}, 1)], {0})
        found = api.short_of([(*apart, None), (apart[0], [], None)])
        assert [short and short.count for short in found] == [2, 3]
        assert found[1] is not None
        assert found[1].of == ((1, ("g1",)), (2, ("g0",)))

    def test_lacks_nothing_that_a_fallback_gives(self, seated: Any) -> None:
        """One of the first group, one of the third: the third stands in for the second."""
        quotas, ids = seated([({0}, 1), ({1}, 1), ({2}, 1)], {0, 2})
        two = quotas[:2]
        found = api.short_of([(two, ids, None), (two, ids, "g2"), (two, ids[:1], "g2")])
        assert [short and short.of for short in found] == [((1, ("g1",)),), None, ((1, ("g1",)),)]

    def test_is_right(self, asked: Any) -> None:
        @settings(max_examples=150, deadline=None)
        @given(members, st.sets(st.integers(0, 4)))
        def check(wanted: list[tuple[set[int], int]], approved: set[int]) -> None:
            assert asked(wanted, approved) == enough(wanted, approved)

        check()
