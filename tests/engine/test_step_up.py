"""Where a rule asks for a second factor, no way to an approval goes around it."""

import json
import uuid
from functools import partial
from typing import Any

import pytest

from engine import api, conf, rehearsing
from engine.canonical import packed, sha256_hex
from engine.errors import (
    AlreadyDecided,
    ChallengeFailed,
    Conflict,
    DigestMismatch,
    NobodyCouldDecide,
    NotPermitted,
    StepUpNeeded,
    Stopped,
)
from engine.models import Decision, Event, Proposal, StepUp
from engine.store import deciding
from oversight.models import Person
from oversight.second_factor import factors
from tests.cast import reviewer
from tests.engine.test_deciding import an_approval, assert_undecided
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import in_line_for
from tests.phone import given_a_phone
from tests.world import Desk

HERE, ELSEWHERE = sha256_hex(b"Rosa's browser"), sha256_hex(b"another one")


def guarded(demand: str = "second_factor", **more: Any) -> dict[str, Any]:
    groups = [{"name": "reviewer", "approve": 1}]
    return {"action": "ledger.*", "groups": groups, "step_up": demand, **more}


def given_a_passkey(person: Person) -> None:
    """The engine knows that there is one; what a browser says of it is tried out in a browser."""
    factors.add_passkey(person, "Key ring", {})


@pytest.fixture
def rosa(desk: Desk) -> Person:
    """She has an authenticator app, and the policy asks for a second factor."""
    given_a_phone(desk.people.rosa)
    desk.put_in_force(guarded())
    return desk.people.rosa


def show(proposal: Proposal, person: Person, factor: str = "totp", **changed: Any) -> None:
    facts = {"version": proposal.version, "digest": proposal.digest, "session": HERE}
    api.step_up(proposal.pk, reviewer=reviewer(person), factor=factor, **facts | changed)


def status(proposal: Proposal) -> str:
    return Proposal.objects.get(pk=proposal.pk).status


class TestAnApproval:
    def test_is_refused_without_one(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund()

        with pytest.raises(StepUpNeeded):
            desk.decide(proposal, "approve", session=HERE)

        assert_undecided(desk, proposal)

    def test_counts_with_one_and_the_log_says_which_and_when(
        self, rosa: Person, desk: Desk
    ) -> None:
        proposal = desk.propose_refund()
        show(proposal, rosa)
        desk.decide(proposal, "approve", session=HERE)

        (said,) = (e for e in desk.database.log(proposal.run_id) if e["kind"] == "decision_made")
        told = json.loads(bytes(said["payload"]))["step_up"]
        proof = StepUp.objects.get()
        assert status(proposal) == "approved"
        assert (told["id"], told["factor"]) == (str(proof.pk), "totp")
        assert told["at"] == proof.made_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        assert proof.used_at is not None
        assert_tables_match_the_log(desk.database, proposal.run_id)

    def test_goes_on_to_the_end(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        show(proposal, rosa)
        desk.decide(proposal, "approve", session=HERE)
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 1

    def test_is_refused_at_the_door_itself(self, rosa: Person, desk: Desk) -> None:
        """Whatever the payload says of a second factor, it is the row that counts."""
        proposal = desk.propose_refund()
        said = {"id": str(uuid.uuid4()), "factor": "passkey", "at": "2026-01-01T00:00:00.000000Z"}
        for forged in ({}, {"step_up": said}, {"session": HERE}, {"step_up": None}):
            facts = {**an_approval(proposal, rosa.pk), **forged}
            for session in ("", HERE):
                with pytest.raises(StepUpNeeded):
                    deciding.decide(proposal.run_id, f"person:{rosa.pk}", packed(facts), session)
        assert_undecided(desk, proposal)

    @pytest.mark.parametrize("decision", ["reject", "return"])
    def test_alone_needs_it(self, decision: str, rosa: Person, desk: Desk) -> None:
        desk.decide(proposal := desk.propose_refund(), decision)
        assert status(proposal) in ("rejected", "returned")

    def test_needs_none_where_the_rule_asks_for_none(self, desk: Desk) -> None:
        desk.approve(proposal := desk.propose_refund())
        assert status(proposal) == "approved"
        assert Decision.objects.get().step_up is None


class TestTheProof:
    def test_is_good_once(self, rosa: Person, desk: Desk) -> None:
        desk.put_in_force(guarded(reject=2))
        first, second = desk.propose_refund(), desk.propose_refund()
        show(first, rosa)
        desk.decide(first, "approve", session=HERE)

        with pytest.raises(AlreadyDecided):
            desk.decide(first, "approve", session=HERE)
        with pytest.raises(StepUpNeeded):
            desk.decide(second, "approve", session=HERE)

    def test_once_used_is_used_though_its_decision_were_gone(
        self, rosa: Person, desk: Desk
    ) -> None:
        proposal = desk.propose_refund()
        show(proposal, rosa)
        desk.database.execute("UPDATE engine_stepup SET used_at = now()")

        with pytest.raises(StepUpNeeded):
            desk.decide(proposal, "approve", session=HERE)

    def test_is_of_one_digest(self, rosa: Person, desk: Desk) -> None:
        """The agent is asked, and answers with another amount."""
        proposal = desk.propose_refund(order := desk.purchase())
        show(proposal, rosa)
        desk.decide(proposal, "return")
        desk.answer(proposal, order, amount="26.00")
        desk.work(proposal.run_id)

        with pytest.raises(StepUpNeeded):
            desk.decide(desk.proposal(proposal.run_id), "approve", session=HERE)

    def test_is_of_the_digest_that_it_was_shown_for(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund()
        show(proposal, rosa)
        desk.database.execute("UPDATE engine_stepup SET digest = repeat('0', 64)")

        with pytest.raises(StepUpNeeded):
            desk.decide(proposal, "approve", session=HERE)

    def test_is_of_one_person(self, rosa: Person, desk: Desk) -> None:
        given_a_phone(other := desk.people.somebody("mina", "reviewer"))
        proposal = desk.propose_refund()
        show(proposal, rosa)

        with pytest.raises(StepUpNeeded):
            desk.decide(proposal, "approve", by=other, session=HERE)

    def test_is_of_one_session(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund()
        show(proposal, rosa)
        for session in (ELSEWHERE, ""):
            with pytest.raises(StepUpNeeded):
                desk.decide(proposal, "approve", session=session)

    def test_is_of_another_proposal(self, rosa: Person, desk: Desk) -> None:
        show(desk.propose_refund(), rosa)
        with pytest.raises(StepUpNeeded):
            desk.decide(desk.propose_refund(), "approve", session=HERE)

    def test_does_not_last(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund()
        show(proposal, rosa)
        desk.database.execute(
            "UPDATE engine_stepup SET made_at = made_at - interval '4 min',"
            " expires_at = clock_timestamp()"
        )
        with pytest.raises(StepUpNeeded):
            desk.decide(proposal, "approve", session=HERE)

    def test_lasts_no_longer_than_five_minutes_whatever_is_set(
        self, rosa: Person, desk: Desk, settings: Any
    ) -> None:
        settings.PLACET_STEP_UP_SECONDS = 3600
        show(desk.propose_refund(), rosa)
        proof = StepUp.objects.get()
        lasts = (proof.expires_at - proof.made_at).total_seconds()
        assert lasts == conf.LONGEST_STEP_UP == 300

    def test_goes_with_the_factor(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund()
        show(proposal, rosa)
        (phone,) = factors.of(rosa.pk)
        factors.remove(rosa, phone)

        with pytest.raises(StepUpNeeded):
            desk.decide(proposal, "approve", session=HERE)

    def test_is_not_lost_to_a_mistake_in_what_was_typed(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_for_good()
        show(proposal, rosa)
        with pytest.raises(ChallengeFailed):
            desk.decide(proposal, "approve", session=HERE, challenge="1.00")
        desk.decide(proposal, "approve", session=HERE)
        assert status(proposal) == "approved"

    @pytest.mark.parametrize("others", [1, 4])
    def test_used_at_once_is_used_once(self, others: int, rosa: Person, desk: Desk) -> None:
        """Two windows, two connections, one proof: one approval, and one of them is told so."""
        proposal = desk.propose_refund()
        show(proposal, rosa)
        press = partial(desk.decide, proposal, "approve", session=HERE)

        said = in_line_for(desk.database, proposal.run_id, [press] * (others + 1))

        assert said.count(None) == 1
        assert {type(one) for one in said if one is not None} == {AlreadyDecided}
        assert Decision.objects.count() == 1

    def test_is_not_taken_for_two_decisions_by_the_database(self, rosa: Person, desk: Desk) -> None:
        import psycopg

        desk.put_in_force(guarded(groups=[{"name": "reviewer", "approve": 1}], reject=2))
        for proposal in (desk.propose_refund(), desk.propose_refund()):
            show(proposal, rosa)
            desk.decide(proposal, "approve", session=HERE)
        with pytest.raises(psycopg.errors.UniqueViolation):
            desk.database.execute(
                "UPDATE engine_decision SET step_up_id = (SELECT id FROM engine_stepup LIMIT 1)"
            )


class TestShowingIt:
    def test_is_noted_without_a_word_on_which_proposal(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund()
        show(proposal, rosa)

        event = Event.objects.get(kind="stepped_up")
        told = json.loads(bytes(event.payload or b""))
        assert event.actor == f"person:{rosa.pk}"
        assert told["factor"] == "totp"
        assert told["step_up_id"] == str(StepUp.objects.get().pk)
        for secret in (str(proposal.pk), str(proposal.proposal_id), proposal.digest, HERE):
            assert secret not in json.dumps(told)

    def test_is_refused_for_another_digest(self, rosa: Person, desk: Desk) -> None:
        with pytest.raises(DigestMismatch):
            show(desk.propose_refund(), rosa, digest="0" * 64)
        assert not StepUp.objects.exists()

    def test_is_refused_for_another_version(self, rosa: Person, desk: Desk) -> None:
        with pytest.raises(Conflict):
            show(desk.propose_refund(), rosa, version=2)

    @pytest.mark.parametrize("factor", ["passkey", "recovery_codes", "password", ""])
    def test_is_refused_for_a_kind_that_one_does_not_have(
        self, factor: str, rosa: Person, desk: Desk
    ) -> None:
        factors.new_codes(rosa)
        with pytest.raises(NotPermitted):
            show(desk.propose_refund(), rosa, factor=factor)

    def test_is_refused_to_who_may_not_decide(self, rosa: Person, desk: Desk) -> None:
        for person in (desk.people.tomas, desk.people.otto):
            given_a_phone(person)
            with pytest.raises(NotPermitted):
                show(desk.propose_refund(), person)

    def test_is_refused_under_a_stop(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund()
        api.stop_everything(api.Command(user="root"), "A drill.")
        with pytest.raises(Stopped):
            show(proposal, rosa)

    def test_is_refused_when_it_is_decided(self, rosa: Person, desk: Desk) -> None:
        desk.decide(proposal := desk.propose_refund(), "reject")
        with pytest.raises(AlreadyDecided, match="Rosa Lind"):
            show(proposal, rosa)


class TestAPasskey:
    @pytest.fixture
    def rosa(self, desk: Desk) -> Person:
        given_a_phone(desk.people.rosa)
        given_a_passkey(desk.people.rosa)
        desk.put_in_force(guarded("passkey"))
        return desk.people.rosa

    def test_does_where_it_is_asked_for(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund()
        show(proposal, rosa, "passkey")
        desk.decide(proposal, "approve", session=HERE)
        assert status(proposal) == "approved"

    def test_is_not_stood_in_for_by_a_code(self, rosa: Person, desk: Desk) -> None:
        proposal = desk.propose_refund()
        with pytest.raises(NotPermitted):
            show(proposal, rosa, "totp")
        show(proposal, rosa, "passkey")
        desk.database.execute("UPDATE engine_stepup SET factor = 'totp'")
        with pytest.raises(StepUpNeeded):
            desk.decide(proposal, "approve", session=HERE)

    def test_does_where_any_second_factor_is_asked_for(self, rosa: Person, desk: Desk) -> None:
        desk.put_in_force(guarded())
        proposal = desk.propose_refund()
        show(proposal, rosa, "passkey")
        desk.decide(proposal, "approve", session=HERE)
        assert status(proposal) == "approved"


class TestTwoOfThem:
    def test_each_shows_their_own(self, rosa: Person, desk: Desk) -> None:
        given_a_phone(mina := desk.people.somebody("mina", "reviewer"))
        desk.put_in_force(guarded(groups=[{"name": "reviewer", "approve": 2}]))
        proposal = desk.propose_refund()
        show(proposal, rosa)
        desk.decide(proposal, "approve", session=HERE)
        with pytest.raises(StepUpNeeded):
            desk.decide(proposal, "approve", by=mina, session=HERE)
        show(proposal, mina, session=ELSEWHERE)
        desk.decide(proposal, "approve", by=mina, session=ELSEWHERE)
        assert status(proposal) == "approved"


class TestAtTheGate:
    def test_an_approval_that_lost_its_proof_does_not_count(self, rosa: Person, desk: Desk) -> None:
        """By force: as a superuser could put an approval there that nobody gave."""
        proposal = desk.propose_refund(order := desk.purchase())
        show(proposal, rosa)
        desk.decide(proposal, "approve", session=HERE)
        desk.database.execute("UPDATE engine_decision SET step_up_id = NULL")

        desk.work(proposal.run_id)

        assert desk.ledger.movements(order) == 0


class TestARehearsal:
    def asked_by(self, name: str, desk: Desk) -> Proposal:
        run_id = api.start_run("agent", initiator=api.Initiator(actor=name))
        arguments = {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "25.00"}
        api.request_effect(
            run_id, agent=name, action="ledger.refund", arguments=arguments, why="It is broken."
        )
        desk.work(run_id)
        return desk.proposal(run_id)

    def test_is_approved_by_a_command(self, rosa: Person, desk: Desk) -> None:
        desk.approve(proposal := self.asked_by(rehearsing.INITIATOR, desk))
        assert status(proposal) == "approved"

    def test_is_nothing_that_an_agent_can_call_itself(self, rosa: Person, desk: Desk) -> None:
        for name in ("agent:rehearsal", "agent:system-rehearsal"):
            with pytest.raises(StepUpNeeded):
                desk.approve(self.asked_by(name, desk))


class TestARuleThatNobodyCouldMeet:
    def test_is_not_put_in_force(self, desk: Desk) -> None:
        assert desk.people.rosa
        with pytest.raises(NobodyCouldDecide):
            desk.put_in_force(guarded())
        given_a_phone(desk.people.rosa)
        desk.put_in_force(guarded())

    def test_a_code_is_no_passkey(self, desk: Desk) -> None:
        given_a_phone(desk.people.rosa)
        with pytest.raises(NobodyCouldDecide):
            desk.put_in_force(guarded("passkey"))

    def test_of_those_asked_for_together_each_needs_one(self, desk: Desk) -> None:
        first, second = desk.people.reviewers(2)
        given_a_phone(first)
        two = guarded(groups=[{"name": "reviewer", "approve": 2}])
        with pytest.raises(NobodyCouldDecide):
            desk.put_in_force(two)
        given_a_passkey(second)
        desk.put_in_force(two)

    def test_a_factor_of_somebody_else_does_not_help(self, desk: Desk) -> None:
        assert desk.people.rosa
        given_a_phone(desk.people.otto)
        with pytest.raises(NobodyCouldDecide):
            desk.put_in_force(guarded())
