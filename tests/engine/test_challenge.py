"""What cannot be taken back, or is of high risk, is approved only by typing what it is about."""

import json
import unicodedata
from typing import Any

import pytest

from engine import api
from engine.actions import Action, ActionArguments, RollbackPlan, no_rollback, out_of_band, register
from engine.canonical import packed
from engine.errors import (
    AlreadyDecided,
    BadInput,
    ChallengeFailed,
    DigestMismatch,
    Expired,
    NotPermitted,
    Stopped,
)
from engine.models import Decision, Proposal
from engine.store import deciding
from engine.types import Facts
from oversight.demo.placet_actions import Refund
from tests.cast import AGENT, reviewer
from tests.engine.rows import everything_in
from tests.engine.test_deciding import an_approval, assert_undecided
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk, challenge_of

FOR_GOOD = no_rollback("A letter in the post box stays there.")
BY_HAND = out_of_band("Somebody meets the postman.")


class Letter(Action):
    """Nothing is sent here: it is about what has to be typed before."""

    name = "test.letter"
    title = "Send a letter"
    risk = "low"
    rollback = FOR_GOOD

    class Arguments(ActionArguments):
        to: str

    def target(self, args: Any) -> str:
        return str(args.to)

    def precondition(self, args: Any) -> Facts:
        return {}


@pytest.fixture
def letters(registries: None) -> None:
    register(Letter)


def ask_for_letter(desk: Desk, to: str = "Mara Vogel") -> Proposal:
    run_id = desk.start_run()
    api.request_effect(
        run_id,
        agent=AGENT,
        action="test.letter",
        arguments={"to": to},
        why="She asked for it.",
        rollback_reason="She waits for it.",
    )
    desk.work(run_id)
    return desk.proposal(run_id)


def decision_made(desk: Desk, proposal: Proposal) -> dict[str, Any]:
    log = desk.database.log(proposal.run_id)
    (payload,) = (event["payload"] for event in log if event["kind"] == "decision_made")
    return dict(json.loads(payload))


ODD = [
    "",
    " ",
    " Mara",
    "Mara ",
    "Mara  Vogel",
    "Mara\nVogel",
    "Mara\u2028Vogel",
    "Mara\u00a0Vogel",
    "Mara\u202eVogel",
    "Mara\u200bVogel",
    "M" * 121,
]
"""What nobody could type just as it is."""


class TestIsAskedFor:
    @pytest.mark.parametrize(
        ("plan", "risk", "asked"),
        [
            (FOR_GOOD, "low", "Mara Vogel"),
            (FOR_GOOD, "high", "Mara Vogel"),
            (BY_HAND, "high", "Mara Vogel"),
            (BY_HAND, "medium", None),
            (BY_HAND, "low", None),
        ],
    )
    def test_where_there_is_no_way_back_or_the_risk_is_high(
        self,
        plan: RollbackPlan,
        risk: str,
        asked: str | None,
        desk: Desk,
        letters: None,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(Letter, "rollback", plan)
        monkeypatch.setattr(Letter, "risk", risk)

        assert challenge_of(ask_for_letter(desk)) == asked

    def test_as_the_action_names_it(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        assert challenge_of(desk.propose_for_good(amount="19.90")) == "19.90"
        assert challenge_of(desk.propose_refund(amount="19.90")) is None
        monkeypatch.setattr(Refund, "risk", "high")
        assert challenge_of(desk.propose_refund(amount="19.90")) == "19.90"

    def test_only_if_it_can_be_typed_and_else_the_agent_is_told_at_once(
        self, desk: Desk, letters: None
    ) -> None:
        for odd in ODD:
            with pytest.raises(BadInput, match="to type its operative value") as refusal:
                ask_for_letter(desk, odd)
            assert refusal.value.path == "$.arguments"

        assert not Proposal.objects.exists()

    def test_up_to_a_length_that_somebody_can_be_asked_for(self, desk: Desk, letters: None) -> None:
        desk.approve(ask_for_letter(desk, "M" * 120))

    def test_wherever_else_no_value_is_too_odd(
        self, desk: Desk, letters: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Letter, "rollback", BY_HAND)

        desk.approve(ask_for_letter(desk, "M\n" * 121))


WRONG = {
    "nothing": None,
    "an empty text": "",
    "blanks": "  ",
    "another value": "Tomas Brandt",
    "the beginning of it": "Mara",
    "more than it": "Mara Vogel and others",
    "another case": "mara vogel",
    "capitals": "MARA VOGEL",
    "two blanks within": "Mara  Vogel",
    "no blank within": "MaraVogel",
    "a blank that does not break": "Mara\u00a0Vogel",
    "a letter that looks like one": "M\u0430ra Vogel",
    "wide letters": "\uff2dara Vogel",
    "something invisible": "Mara\u200b Vogel",
    "something invisible behind it": "Mara Vogel\u200b",
    "an accent": "M\u00e1ra Vogel",
    "a pattern": "%",
    "another pattern": ".*",
    "quotes around it": '"Mara Vogel"',
    "the null of JSON": "null",
}


class TestAnApproval:
    def test_with_anything_else_typed_changes_nothing(self, desk: Desk, letters: None) -> None:
        proposal = ask_for_letter(desk)
        before = everything_in(desk.database)

        for what, typed in WRONG.items():
            with pytest.raises(ChallengeFailed) as refusal:
                desk.decide(proposal, "approve", challenge=typed)
            assert everything_in(desk.database) == before, what

        assert (refusal.value.http_status, refusal.value.retryable) == (422, False)
        assert refusal.value.path == "$.challenge"
        assert_undecided(desk, proposal)

    def test_with_what_is_no_text_is_refused_too(self, desk: Desk) -> None:
        proposal = desk.propose_for_good(amount="25.00")
        no_texts: list[Any] = [25.0, 25, True, ["25.00"], {"challenge": "25.00"}]

        for typed in no_texts:
            with pytest.raises(ChallengeFailed):
                desk.decide(proposal, "approve", challenge=typed)

        assert_undecided(desk, proposal)

    def test_is_refused_by_the_door_whoever_calls_it(self, desk: Desk) -> None:
        """A number that is spelt like the text is not the text."""
        proposal, rosa = desk.propose_for_good(amount="25.00"), desk.people.rosa
        facts = packed(an_approval(proposal, rosa.pk))

        for added in (b"", b', "challenge": null', b', "challenge": 25.00'):
            payload = facts[:-1] + added + b"}"
            with pytest.raises(ChallengeFailed):
                deciding.decide(proposal.run_id, f"person:{rosa.pk}", payload)

        assert_undecided(desk, proposal)

    @pytest.mark.parametrize("typed", ["Mara Vogel", "Mara Vogel ", " \tMara Vogel\r\n"], ids=repr)
    def test_with_the_value_counts_and_what_was_typed_is_kept(
        self, typed: str, desk: Desk, letters: None
    ) -> None:
        proposal = ask_for_letter(desk)

        desk.decide(proposal, "approve", challenge=typed)

        proposal.refresh_from_db()
        assert proposal.status == "approved"
        assert decision_made(desk, proposal)["challenge"] == typed
        assert_tables_match_the_log(desk.database, proposal.run_id)

    def test_compares_characters_and_not_how_they_look(self, desk: Desk, letters: None) -> None:
        composed = "Zo\u00eb H\u00e4ll"
        proposal = ask_for_letter(desk, composed)

        with pytest.raises(ChallengeFailed):
            desk.decide(proposal, "approve", challenge=unicodedata.normalize("NFD", composed))
        desk.decide(proposal, "approve", challenge=composed)

    def test_after_a_wrong_one_may_be_tried_again(self, desk: Desk) -> None:
        proposal = desk.propose_for_good()
        with pytest.raises(ChallengeFailed):
            desk.decide(proposal, "approve", challenge="52.00")

        desk.approve(proposal)

        assert Decision.objects.get().decision == "approve"

    def test_of_anything_else_needs_nothing_typed(self, desk: Desk) -> None:
        proposal = desk.propose_refund()

        desk.decide(proposal, "approve", challenge=None)

        assert decision_made(desk, proposal)["challenge"] is None

    def test_with_what_cannot_be_stored_is_bad_input(self, desk: Desk) -> None:
        proposal = desk.propose_for_good()

        for typed in ("25\x00.00", "25.00\ud800", "2" * 70_000):
            with pytest.raises(BadInput) as refusal:
                desk.decide(proposal, "approve", challenge=typed)
            assert refusal.value.path == "$.challenge"

        assert_undecided(desk, proposal)


@pytest.mark.parametrize("decision", ["reject", "return"])
@pytest.mark.parametrize("typed", [None, "", "something else"])
def test_rejecting_and_returning_need_nothing_typed(
    decision: str, typed: str | None, desk: Desk
) -> None:
    proposal = desk.propose_for_good()

    desk.decide(proposal, decision, challenge=typed)

    assert Decision.objects.get().decision == decision


ALTERED = {
    "another value": ('"challenge":"25.00"', '"challenge":"1.00"'),
    "none": ('"challenge":"25.00"', '"challenge":null'),
    "not even its name": ('"challenge":"25.00",', ""),
}


@pytest.mark.parametrize("what", ALTERED)
def test_a_challenge_altered_in_the_database_is_no_way_around(what: str, desk: Desk) -> None:
    proposal = desk.propose_for_good(amount="25.00")
    before = bytes(proposal.terms).decode()
    altered = before.replace(*ALTERED[what])
    assert altered != before
    desk.database.execute("UPDATE engine_proposal SET terms = %s", altered.encode())

    for typed in ("25.00", "1.00", None):
        with pytest.raises(DigestMismatch):
            desk.decide(proposal, "approve", challenge=typed)

    assert_undecided(desk, proposal)


class TestIsAskedLast:
    """Who may not decide, or decides too late, is told that and nothing of what they typed."""

    def test_after_authority(self, desk: Desk) -> None:
        proposal = desk.propose_for_good()

        with pytest.raises(NotPermitted):
            desk.decide(proposal, "approve", by=desk.people.tomas, challenge="wrong")

    def test_after_the_digest(self, desk: Desk) -> None:
        proposal = desk.propose_for_good()

        with pytest.raises(DigestMismatch):
            desk.decide(proposal, "approve", digest="0" * 64, challenge="wrong")

    def test_after_its_time(self, desk: Desk) -> None:
        proposal = desk.propose_for_good()
        desk.database.deadline_passes_for(proposal.pk)

        with pytest.raises(Expired):
            desk.decide(proposal, "approve", challenge="wrong")

    def test_after_who_came_first(self, desk: Desk) -> None:
        proposal = desk.propose_for_good()
        desk.decide(proposal, "reject")

        with pytest.raises(AlreadyDecided):
            desk.decide(proposal, "approve", challenge="wrong")

    def test_after_a_stop(self, desk: Desk) -> None:
        proposal = desk.propose_for_good()
        api.stop_everything(reviewer(desk.people.otto), "Something is odd.")

        with pytest.raises(Stopped):
            desk.decide(proposal, "approve", challenge="wrong")
