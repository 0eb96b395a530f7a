"""A claim says who is looking at a proposal. It runs out, and nobody's authority hangs on it."""

from functools import partial

import pytest

from engine import api
from engine.errors import AlreadyDecided, Claimed, Conflict, Expired, NotFound, NotPermitted
from engine.models import Claim, Proposal
from oversight.models import Person
from tests.cast import reviewer
from tests.engine.together import in_line_for
from tests.world import Desk


@pytest.fixture
def mina(desk: Desk) -> Person:
    return desk.people.somebody("mina", "reviewer", full_name="Mina Roth")


@pytest.fixture
def proposal(desk: Desk) -> Proposal:
    return desk.propose_refund()


def claim(proposal: Proposal, person: Person, take_over_from: Person | None = None) -> Claim:
    api.claim(
        proposal.run_id,
        proposal.pk,
        reviewer=reviewer(person),
        take_over_from=take_over_from.pk if take_over_from else None,
    )
    return Claim.objects.get()


def runs_out(desk: Desk) -> None:
    desk.database.execute("UPDATE engine_claim SET until = now()")


def test_it_lasts_a_quarter_of_an_hour_by_the_database_s_clock(
    desk: Desk, proposal: Proposal
) -> None:
    made = claim(proposal, desk.people.rosa)

    assert (made.until - made.claimed_at).total_seconds() == 900
    event = desk.database.log(proposal.run_id)[-1]
    assert (event["kind"], event["at"]) == ("proposal_claimed", made.claimed_at)


def test_it_touches_nothing_that_is_decided_about(desk: Desk, proposal: Proposal) -> None:
    claim(proposal, desk.people.rosa)

    assert desk.proposal(proposal.run_id).digest == proposal.digest
    assert desk.proposal(proposal.run_id).status == "open"


def test_somebody_else_is_told_who_has_it_and_until_when(
    desk: Desk, proposal: Proposal, mina: Person
) -> None:
    held = claim(proposal, desk.people.rosa)

    with pytest.raises(Claimed, match="Rosa Lind has claimed this") as refused:
        claim(proposal, mina)

    assert refused.value.facts == {"person": "Rosa Lind", "until": held.until}
    assert Claim.objects.get().person == desk.people.rosa


def test_claimed_again_it_lasts_longer(desk: Desk, proposal: Proposal) -> None:
    first = claim(proposal, desk.people.rosa)
    again = claim(proposal, desk.people.rosa)

    assert again.until > first.until
    assert again.from_person is None


def test_it_runs_out_and_is_free_again(desk: Desk, proposal: Proposal, mina: Person) -> None:
    claim(proposal, desk.people.rosa)
    runs_out(desk)

    made = claim(proposal, mina)

    assert made.person == mina
    assert made.from_person is None, "nothing was taken from anybody"


def test_it_is_taken_over_from_who_has_it_and_says_so(
    desk: Desk, proposal: Proposal, mina: Person
) -> None:
    claim(proposal, desk.people.rosa)

    made = claim(proposal, mina, take_over_from=desk.people.rosa)

    assert (made.person, made.from_person, made.from_name) == (
        mina,
        desk.people.rosa,
        "Rosa Lind",
    )


def test_it_is_not_taken_over_from_somebody_who_no_longer_has_it(
    desk: Desk, proposal: Proposal, mina: Person
) -> None:
    third = desk.people.somebody("nils", "reviewer")
    claim(proposal, desk.people.rosa)
    claim(proposal, mina, take_over_from=desk.people.rosa)

    with pytest.raises(Claimed, match="Mina Roth"):
        claim(proposal, third, take_over_from=desk.people.rosa)


def test_of_two_who_claim_at_once_the_first_has_it(
    desk: Desk, proposal: Proposal, mina: Person
) -> None:
    """Both have come to the run before either may go on."""
    rosa = desk.people.rosa
    acts = [partial(claim, proposal, rosa), partial(claim, proposal, mina)]

    _, refused = in_line_for(desk.database, proposal.run_id, acts)

    assert isinstance(refused, Claimed)
    assert refused.facts["person"] == "Rosa Lind"
    assert Claim.objects.get().person == rosa
    assert desk.database.kinds(proposal.run_id).count("proposal_claimed") == 1


def test_it_is_let_go(desk: Desk, proposal: Proposal, mina: Person) -> None:
    claim(proposal, desk.people.rosa)
    api.release(proposal.run_id, proposal.pk, reviewer=reviewer(desk.people.rosa))

    assert claim(proposal, mina).released_at is None


def test_nobody_lets_go_of_what_another_has(desk: Desk, proposal: Proposal, mina: Person) -> None:
    claim(proposal, desk.people.rosa)

    with pytest.raises(Conflict, match="no claim of yours"):
        api.release(proposal.run_id, proposal.pk, reviewer=reviewer(mina))


def test_it_takes_no_authority_from_anybody(desk: Desk, proposal: Proposal, mina: Person) -> None:
    claim(proposal, desk.people.rosa)
    desk.approve(proposal, by=mina)

    assert desk.proposal(proposal.run_id).status == "approved"


def test_it_gives_no_authority_and_needs_it(desk: Desk, proposal: Proposal) -> None:
    for person in (desk.people.tomas, desk.people.otto):
        with pytest.raises(NotPermitted):
            claim(proposal, person)

    assert not Claim.objects.exists()


def test_it_ends_when_the_proposal_does(desk: Desk, proposal: Proposal, mina: Person) -> None:
    claim(proposal, desk.people.rosa)
    desk.decide(proposal, "reject", by=mina)

    with pytest.raises(Conflict, match="this version is rejected"):
        claim(proposal, desk.people.rosa)
    with pytest.raises(Conflict, match="no claim of yours"):
        api.release(proposal.run_id, proposal.pk, reviewer=reviewer(desk.people.rosa))


def test_it_ends_with_the_holder_s_own_word(desk: Desk, mina: Person) -> None:
    rule = {"action": "ledger.refund", "groups": [{"name": "reviewer", "approve": 2}]}
    desk.people.tomas, desk.people.rosa  # noqa: B018 - three of whom two are enough
    desk.put_in_force(rule)
    proposal = desk.propose_refund()
    claim(proposal, desk.people.rosa)
    desk.approve(proposal)

    assert claim(proposal, mina).from_person is None
    with pytest.raises(AlreadyDecided):
        claim(proposal, desk.people.rosa, take_over_from=mina)


def test_nothing_is_claimed_after_its_time(desk: Desk, proposal: Proposal) -> None:
    desk.database.deadline_passes_for(proposal.pk)

    with pytest.raises(Expired):
        claim(proposal, desk.people.rosa)


def test_what_is_not_there_is_not_claimed(desk: Desk, proposal: Proposal) -> None:
    with pytest.raises(NotFound):
        api.claim(desk.start_run(), proposal.pk, reviewer=reviewer(desk.people.rosa))
