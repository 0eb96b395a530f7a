"""A reviewer edits: another version, of which nobody has said anything, that the editor never
decides."""

import json
import uuid
from typing import Any

import pytest

from engine import api
from engine.errors import (
    AlreadyDecided,
    BadInput,
    ChallengeFailed,
    Conflict,
    DigestMismatch,
    NotFound,
    NotPermitted,
    Stopped,
)
from engine.models import Decision, Effect, Event, Proposal
from oversight.models import Person
from tests.cast import AGENT, reviewer
from tests.engine.editing import edit
from tests.pages.audit import vault
from tests.world import Desk


def edited(desk: Desk, proposal: Proposal, **changed: Any) -> Proposal:
    edit(desk, proposal, **changed)
    desk.work(proposal.run_id)
    return desk.proposal(proposal.run_id)


@pytest.fixture
def mina(desk: Desk) -> Person:
    return desk.people.somebody("mina", "reviewer", full_name="Mina Okafor")


class TestAnEdit:
    def test_makes_a_version_with_a_digest_and_a_key_of_its_own(self, desk: Desk) -> None:
        first = desk.propose_refund()
        second = edited(desk, first, amount="20.00")

        first.refresh_from_db()
        assert (first.status, second.status, second.version) == ("superseded", "open", 2)
        assert json.loads(bytes(second.arguments))["amount"] == "20.00"
        assert second.digest != first.digest
        assert second.idempotency_key != first.idempotency_key

    def test_is_an_event_with_what_was_there_before_and_after(self, desk: Desk) -> None:
        first = desk.propose_refund()
        edit(desk, first, amount="20.00")

        event = Event.objects.get(kind="proposal_edited")
        said = json.loads(bytes(event.payload or b""))
        assert event.actor == f"person:{desk.people.rosa.pk}"
        assert said["before"].encode() == bytes(first.arguments)
        assert json.loads(said["arguments"])["amount"] == "20.00"
        assert said["reason"] == "The lamp cost less."

    def test_shows_the_target_as_it_would_be_now(self, desk: Desk) -> None:
        second = edited(desk, desk.propose_refund(), amount="20.00")

        terms = json.loads(bytes(second.terms))
        assert "20.00" in terms["headline"]
        assert "20.00" in json.dumps(terms["change"]["after"])

    def test_c07_is_asked_with_the_rule_and_the_challenge_of_what_it_now_is(
        self, desk: Desk, mina: Person
    ) -> None:
        """An action that cannot be taken back: what is typed to approve is the new amount."""
        second = edited(desk, desk.propose_for_good(), amount="20.00")

        with pytest.raises(ChallengeFailed):
            desk.decide(second, "approve", by=mina, challenge="25.00")
        desk.decide(second, "approve", by=mina, challenge="20.00")
        second.refresh_from_db()
        assert second.status == "approved"

    def test_c07_is_asked_under_the_policy_that_holds_by_then(self, desk: Desk) -> None:
        first = desk.propose_refund()
        edit(desk, first, amount="20.00")
        needs_two(desk)
        desk.work(first.run_id)

        terms = json.loads(bytes(desk.proposal(first.run_id).terms))
        assert terms["rule"]["groups"] == [{"name": "reviewer", "approve": 2}]

    def test_is_carried_out_as_it_was_edited_once_somebody_else_approved_it(
        self, desk: Desk, mina: Person
    ) -> None:
        order = desk.purchase()
        second = edited(desk, desk.propose_refund(order), amount="20.00")
        desk.approve(second, by=mina)
        desk.work(second.run_id)

        assert (desk.ledger.refunded(order), desk.ledger.movements(order)) == ("20.00", 1)

    def test_may_be_edited_again(self, desk: Desk) -> None:
        second = edited(desk, desk.propose_refund(), amount="20.00")
        third = edited(desk, second, amount="19.00")

        assert (third.version, third.editors) == (3, [desk.people.rosa.pk])


class TestTheEditor:
    def test_decides_none_of_what_follows(self, desk: Desk) -> None:
        second = edited(desk, desk.propose_refund(), amount="20.00")

        for decision in ("approve", "reject"):
            with pytest.raises(NotPermitted, match="Who edited it never decides it"):
                desk.decide(second, decision)
        assert Decision.objects.count() == 0

    def test_not_even_after_the_agent_answered_with_the_same(
        self, desk: Desk, mina: Person
    ) -> None:
        order = desk.purchase()
        second = edited(desk, desk.propose_refund(order), amount="20.00")
        desk.decide(second, "return", by=mina)
        desk.answer(second, order, "20.00")
        desk.work(second.run_id)

        with pytest.raises(NotPermitted, match="Who edited it"):
            desk.approve(desk.proposal(second.run_id))

    def test_not_even_after_the_world_had_changed(self, desk: Desk, mina: Person) -> None:
        second = edited(desk, desk.propose_refund(), amount="20.00")
        desk.approve(second, by=mina)
        desk.ledger.set_balance("1.00")
        desk.work(second.run_id)

        third = desk.proposal(second.run_id)
        assert third.version == 3
        with pytest.raises(NotPermitted, match="Who edited it"):
            desk.approve(third)

    def test_has_no_approval_that_counts_at_the_gate(self, desk: Desk, mina: Person) -> None:
        """Whatever the column says: the gate asks who may decide once more."""
        second = edited(desk, desk.propose_refund(), amount="20.00")
        desk.approve(second, by=mina)
        desk.database.execute(
            "UPDATE engine_proposal SET editors = array_append(editors, %s) WHERE id = %s",
            mina.pk,
            second.pk,
        )
        desk.work(second.run_id)

        assert not Effect.objects.filter(first_sent_at__isnull=False).exists()


class TestWhatWasSaidBefore:
    def test_c11_does_not_count_for_what_was_changed(self, desk: Desk, mina: Person) -> None:
        needs_two(desk)
        first = desk.propose_refund()
        desk.approve(first, by=mina)
        second = edited(desk, first, amount="20.00")
        desk.approve(second, by=mina)

        second.refresh_from_db()
        assert second.status == "open"


def needs_two(desk: Desk) -> None:
    rules = [{"action": "*", "groups": [{"name": "reviewer", "approve": 2}]}]
    people = desk.people
    desk.people.somebody("nora", "reviewer")
    people.rosa  # noqa: B018 - she is made when first spoken of
    version = api.propose_policy(rules, administrator=reviewer(people.zoe), reason="Four eyes.")
    api.put_policy_in_force(version, administrator=reviewer(people.yara), reason="Yes.")


class TestNoEdit:
    def test_c11_is_made_of_identical_content_and_who_approved_stays_heard(
        self, desk: Desk, mina: Person
    ) -> None:
        needs_two(desk)
        first = desk.propose_refund()
        desk.approve(first, by=mina)
        with pytest.raises(BadInput, match="Nothing was changed"):
            edit(desk, first)
        desk.approve(first)
        first.refresh_from_db()
        assert first.status == "approved"

    def test_c11_is_made_by_another_order_or_by_blanks(self, desk: Desk) -> None:
        first = desk.propose_refund()
        written = json.dumps(dict(reversed(json.loads(bytes(first.arguments)).items())), indent=8)
        with pytest.raises(BadInput, match="Nothing was changed"):
            api.edit(
                first.run_id,
                first.pk,
                reviewer=reviewer(desk.people.rosa),
                version=1,
                digest=first.digest,
                arguments=json.loads(written),
                reason="Tidied up.",
            )
        assert desk.proposal(first.run_id) == first

    def test_is_made_of_identical_content(self, desk: Desk) -> None:
        first = desk.propose_refund()

        with pytest.raises(BadInput, match="Nothing was changed"):
            edit(desk, first)
        with pytest.raises(BadInput, match="Nothing was changed"):
            edit(desk, first, refunded_so_far="0.00")
        assert desk.proposal(first.run_id) == first

    @pytest.mark.parametrize(
        ("changed", "path"),
        [({"amount": "all"}, "$.arguments.amount"), ({"else": "x"}, "$.arguments.else")],
    )
    def test_is_of_arguments_that_the_action_would_not_take(
        self, desk: Desk, changed: dict[str, Any], path: str
    ) -> None:
        with pytest.raises(BadInput) as refused:
            edit(desk, desk.propose_refund(), **changed)
        assert refused.value.path == path

    def test_is_of_another_digest(self, desk: Desk) -> None:
        with pytest.raises(DigestMismatch):
            edit(desk, desk.propose_refund(), amount="1.00", said={"digest": "0" * 64})

    def test_is_of_what_was_decided(self, desk: Desk) -> None:
        with pytest.raises(AlreadyDecided):
            edit(desk, desk.approved_refund(), amount="1.00")

    def test_is_of_what_is_not_there(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        proposal.pk = uuid.uuid4()
        with pytest.raises(NotFound):
            edit(desk, proposal, amount="1.00")

    def test_is_by_who_may_not_decide_it(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        for person in (desk.people.tomas, desk.people.otto):
            with pytest.raises(NotPermitted):
                edit(desk, proposal, by=person, amount="1.00")
        assert desk.database.kinds(proposal.run_id).count("decision_refused") == 2

    def test_is_by_who_has_decided(self, desk: Desk) -> None:
        needs_two(desk)
        proposal = desk.propose_refund()
        desk.approve(proposal)
        with pytest.raises(AlreadyDecided):
            edit(desk, proposal, amount="1.00")

    def test_is_made_under_a_stop(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        api.stop_everything(reviewer(desk.people.otto), "Wait.")
        with pytest.raises(Stopped):
            edit(desk, proposal, amount="1.00")

    def test_is_made_of_an_older_version(self, desk: Desk) -> None:
        first = desk.propose_refund()
        edited(desk, first, amount="20.00")
        with pytest.raises(Conflict):
            edit(desk, first, amount="1.00")


class TestASecret:
    """Its editor sees a fingerprint, and what is left of that stays what it was."""

    @pytest.fixture
    def proposal(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Proposal:
        vault.known(monkeypatch)
        secrets = {"api_key": vault.API_KEY, "headers": {"authorization": vault.BEARER}}
        run_id = desk.start_run()
        api.request_effect(
            run_id,
            agent=AGENT,
            action="vault.rotate_key",
            arguments={"owner": "mara", **secrets},
            why="It leaked.",
            rollback_reason="It leaked.",
        )
        desk.work(run_id)
        return desk.proposal(run_id)

    def test_is_kept_where_its_fingerprint_was_left(
        self, desk: Desk, proposal: Proposal, mina: Person
    ) -> None:
        second = edited(desk, proposal, note="Mind the gap.")
        desk.approve(second, by=mina)
        desk.work(second.run_id)

        (sent,) = vault.vault.sent
        assert (sent["api_key"], sent["note"]) == (vault.API_KEY, "Mind the gap.")
        assert vault.API_KEY not in str([bytes(e.payload or b"") for e in Event.objects.all()])

    def test_is_not_lent_to_another_place(self, desk: Desk, proposal: Proposal) -> None:
        fingerprint = json.loads(bytes(proposal.arguments))["api_key"]
        with pytest.raises(BadInput, match="does not begin with"):
            edit(desk, proposal, value=fingerprint)
