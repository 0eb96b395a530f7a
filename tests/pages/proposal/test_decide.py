"""Deciding: one clear word of somebody entitled, about exactly what they saw, or nothing."""

import json
from typing import Any

import pytest
from django.core import signing
from django.utils import timezone

from engine import api, sweeper
from engine.models import Decision, Proposal
from oversight.pages.proposal import reads, shown
from tests.cast import People, reviewer
from tests.pages.reading import Reader, Readers, address_of, contents, elements
from tests.world import Database, Desk, Ledger


def status(proposal: Proposal) -> str:
    proposal.refresh_from_db()
    return str(proposal.status)


@pytest.mark.parametrize(
    ("decision", "becomes"),
    [("approve", "approved"), ("reject", "rejected"), ("return", "returned")],
)
def test_a_decision_is_recorded_and_the_page_says_so(
    desk: Desk, people: People, rosa: Reader, decision: str, becomes: str
) -> None:
    proposal = desk.propose_refund()
    answer = rosa.decide(proposal, decision, reason="Which lamp?")
    assert answer.status == 302
    assert answer.response.headers["Location"] == address_of(proposal)
    assert status(proposal) == becomes
    decided = Decision.objects.get()
    assert (decided.person, decided.decision) == (people.rosa, decision)
    assert (decided.reason, decided.digest) == ("Which lamp?", proposal.digest)
    page = rosa.get(address_of(proposal))
    assert f"You {becomes} this." in page.text
    assert "You have decided this" in page.text
    assert f"You {becomes} this." not in rosa.get(address_of(proposal)).text


def test_what_was_displayed_is_stored_with_the_decision(
    desk: Desk, people: People, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    rosa.decide(proposal, "approve")
    seen = Decision.objects.get().seen
    assert seen["digest"] == proposal.digest
    assert seen["person"] == people.rosa.pk
    assert seen["template"] == shown.template_version()
    assert (seen["locale"], seen["zone"]) == ("en", "UTC")
    assert seen["at"].startswith("20")


def test_one_click_is_reason_enough(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    rosa.decide(proposal, "approve", reason="", reason_code="within_policy")
    assert status(proposal) == "approved"
    assert Decision.objects.get().reason_code == "within_policy"
    assert "Within policy" in rosa.get(address_of(proposal)).text


def test_a_question_reaches_the_agent(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    rosa.decide(proposal, "return", reason="Which lamp?\r\nThe left one?")
    assert status(proposal) == "returned"
    assert proposal.question == "Which lamp?\nThe left one?"


def test_an_approved_effect_is_then_carried_out(desk: Desk, ledger: Ledger, rosa: Reader) -> None:
    order = desk.purchase()
    proposal = desk.propose_refund(order)
    rosa.decide(proposal, "approve")
    desk.work(proposal.run_id)
    assert (ledger.refunded(order), ledger.movements(order)) == ("25.00", 1)


def test_a_rejected_effect_never_is(desk: Desk, ledger: Ledger, rosa: Reader) -> None:
    order = desk.purchase()
    proposal = desk.propose_refund(order)
    rosa.decide(proposal, "reject")
    desk.work(proposal.run_id)
    assert (ledger.refunded(order), ledger.movements(order)) == ("0.00", 0)


UNCLEAR: list[tuple[str, dict[str, Any], int]] = [
    ("no digest", {"digest": None}, 400),
    ("two digests", {"digest": ["0" * 64, "1" * 64]}, 400),
    ("half a digest", {"digest": "abc"}, 422),
    ("no version", {"version": None}, 400),
    ("a version that is none", {"version": "newest"}, 422),
    ("no proof of what was displayed", {"displayed": None}, 400),
    ("an empty proof", {"displayed": ""}, 422),
    ("no reason", {"reason": ""}, 422),
    ("blanks as a reason", {"reason": " \r\n\t "}, 422),
    ("an unknown reason", {"reason": "", "reason_code": "because"}, 422),
    ("two reasons clicked", {"reason_code": ["not_needed", "wrong_amount"]}, 400),
    ("two texts", {"reason": ["a", "b"]}, 400),
    ("a NUL in the reason", {"reason": "a\x00b"}, 422),
    ("a reason without end", {"reason": "a" * 4_001}, 422),
    ("a question that is none", {"decision": "return", "reason": ""}, 422),
    (
        "a click instead of a question",
        {"decision": "return", "reason": "", "reason_code": "not_needed"},
        422,
    ),
]


def test_a_decision_that_is_not_clear_changes_nothing(
    desk: Desk, database: Database, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    before = contents(database)
    for case, changed, code in UNCLEAR:
        answer = rosa.decide(proposal, **{"decision": "approve", **changed})
        assert answer.status == code, case
        assert contents(database) == before, case


def test_what_was_typed_is_kept_when_something_is_missing(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    answer = rosa.decide(proposal, "return", reason="", reason_code="not_needed")
    assert "Ask your question" in answer.text
    chosen = [each.get("value") for each in elements(answer.html, "input") if "checked" in each]
    assert "not_needed" in chosen
    again = answer.form | {"decision": "return", "reason": "Which?", "reason_code": "not_needed"}
    assert rosa.post(f"{address_of(proposal)}decide/", **again).status == 302
    assert status(proposal) == "returned"


def test_a_second_click_is_told_who_decided(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    fields = rosa.get(address_of(proposal)).form | {"decision": "approve", "reason": "Yes."}
    address = f"{address_of(proposal)}decide/"
    assert rosa.post(address, **fields).status == 302
    answer = rosa.post(address, **fields)
    assert answer.status == 409
    assert "Rosa Lind has approved this" in answer.text
    assert f'href="{address_of(proposal)}"' in answer.html
    assert Decision.objects.count() == 1


def test_c22_who_comes_second_is_told_who_decided_and_when(
    desk: Desk, people: People, reading: Readers, rosa: Reader
) -> None:
    nina = reading(people.somebody("nina", "reviewer", full_name="Nina Roth"))
    proposal = desk.propose_refund()
    fields = nina.get(address_of(proposal)).form | {"decision": "reject", "reason": "No."}
    rosa.decide(proposal, "approve")
    answer = nina.post(f"{address_of(proposal)}decide/", **fields)
    assert answer.status == 409
    assert "Rosa Lind has approved this" in answer.text
    assert "Decided on" in answer.text
    assert status(proposal) == "approved"


def test_c26_a_decision_after_its_time_is_refused(
    desk: Desk, database: Database, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    fields = rosa.get(address_of(proposal)).form | {"decision": "approve", "reason": "Yes."}
    database.deadline_passes_for(proposal.pk)
    answer = rosa.post(f"{address_of(proposal)}decide/", **fields)
    assert answer.status == 409
    assert "The time for this decision has passed" in answer.text
    sweeper.run_once()
    assert rosa.post(f"{address_of(proposal)}decide/", **fields).status == 409
    assert status(proposal) == "expired"


@pytest.fixture
def answered(desk: Desk, people: People) -> tuple[Proposal, Proposal]:
    """A proposal that was returned, and the version with which the agent answered."""
    first = desk.propose_refund(amount="60.00")
    desk.decide(first, "return", by=people.rosa)
    desk.work(first.run_id)
    desk.answer(first, "A-1", "40.00")
    desk.work(first.run_id)
    return first, desk.proposal(first.run_id)


def test_c10_a_stale_version_is_told_what_changed(
    desk: Desk, people: People, reading: Readers, rosa: Reader, ledger: Ledger
) -> None:
    order = desk.purchase()
    proposal = desk.propose_refund(order)
    nina = reading(people.somebody("nina", "reviewer"))
    fields = nina.get(address_of(proposal)).form | {"decision": "approve", "reason": "Yes."}
    desk.approve(proposal)
    ledger.execute("UPDATE purchase SET paid = 90 WHERE order_no = %s", order)
    desk.work(proposal.run_id)
    answer = nina.post(f"{address_of(proposal)}decide/", **fields)
    assert answer.status == 409
    assert "There is a newer version of this proposal" in answer.text
    assert "premises.paid" in answer.text
    assert "80.00" in answer.text
    assert "90.00" in answer.text
    assert f'href="/proposals/{proposal.proposal_id}/2/"' in answer.html


def test_what_was_shown_of_one_version_decides_no_other(
    rosa: Reader, database: Database, answered: tuple[Proposal, Proposal], people: People
) -> None:
    first, second = answered
    old = {
        "digest": first.digest,
        "displayed": forged(first.digest, people.rosa.pk),
        "version": "1",
    }
    before = besides_the_log(database)
    answer = rosa.decide(second, "approve", **old)
    assert answer.status == 409
    assert besides_the_log(database) == before
    assert rosa.decide(second, "approve", version="1").status == 409
    assert besides_the_log(database) == before


def forged(digest: str, person_id: int, **changed: Any) -> str:
    """A proof with our own key, of something that was perhaps never displayed."""
    facts = {"digest": digest, "person": person_id, "template": "x", "locale": "en", "zone": "UTC"}
    return signing.dumps({**facts, "at": "2026-01-01T00:00:00+00:00", **changed}, salt=shown.SALT)


def besides_the_log(database: Database) -> dict[str, str]:
    """That somebody tried is a fact of the run, and the run's row counts its facts."""
    told = contents(database)
    return {name: told[name] for name in told if name not in ("engine_event", "engine_run")}


def test_a_proof_that_is_not_ours_is_refused(
    desk: Desk, database: Database, people: People, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    ours = rosa.get(address_of(proposal)).form["displayed"]
    facts = {"digest": proposal.digest, "person": people.rosa.pk}
    elsewhere = signing.dumps(facts, salt="another")
    other_key = signing.dumps(facts, key="another", salt=shown.SALT)
    before = besides_the_log(database)
    for proof in (elsewhere, other_key, ours[:-1], ours + "x", "x", ours.replace(":", ".")):
        answer = rosa.decide(proposal, "approve", displayed=proof)
        assert answer.status == 409, proof
        assert "This is not what your page showed" in answer.text
    assert besides_the_log(database) == before


def test_c08_that_somebody_tried_without_a_proof_of_their_own_is_told_in_the_log(
    desk: Desk, people: People, reading: Readers, rosa: Reader
) -> None:
    proposal, other = desk.propose_refund(), desk.propose_refund(amount="30.00")
    stolen = rosa.get(address_of(other)).form["displayed"]
    for decision, proof in (("approve", stolen), ("reject", "made up")):
        rosa.decide(proposal, decision, displayed=proof)
    *_, first, second = desk.database.log(proposal.run_id)
    for event, decision in ((first, "approve"), (second, "reject")):
        said = json.loads(bytes(event["payload"]))
        assert (event["kind"], event["actor"]) == ("decision_refused", f"person:{people.rosa.pk}")
        assert (said["decision"], said["version"]) == (decision, 1)
    ada = reading(people.ada)
    assert "Wanted to decide, and was refused" in ada.get(f"/runs/{proposal.run_id}/").text
    event_page = ada.get(f"/audit/{proposal.run_id}/{second['seq']}/")
    assert "The proof of what was displayed is not one of ours." in event_page.text


def test_somebody_elses_proof_is_refused(
    desk: Desk, database: Database, people: People, reading: Readers, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    nina = reading(people.somebody("nina", "reviewer"))
    theirs = nina.get(address_of(proposal)).form["displayed"]
    before = besides_the_log(database)
    assert rosa.decide(proposal, "approve", displayed=theirs).status == 409
    assert besides_the_log(database) == before


def test_the_proof_of_another_proposal_is_refused(
    desk: Desk, database: Database, rosa: Reader
) -> None:
    proposal, other = desk.propose_refund(), desk.propose_refund(amount="30.00")
    theirs = rosa.get(address_of(other)).form
    before = besides_the_log(database)
    assert rosa.decide(proposal, "approve", displayed=theirs["displayed"]).status == 409
    both = {"displayed": theirs["displayed"], "digest": theirs["digest"]}
    assert rosa.decide(proposal, "approve", **both).status == 409
    assert besides_the_log(database) == before


def test_bytes_that_were_changed_under_the_page_are_never_approved(
    desk: Desk, database: Database, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    fields = rosa.get(address_of(proposal)).form | {"decision": "approve", "reason": "Yes."}
    database.execute(
        "UPDATE engine_proposal SET arguments = %s WHERE id = %s",
        bytes(proposal.arguments).replace(b"25.00", b"75.00"),
        proposal.pk,
    )
    answer = rosa.post(f"{address_of(proposal)}decide/", **fields)
    assert answer.status == 409
    assert "This is not what your page showed" in answer.text
    assert status(proposal) == "open"


def test_the_agents_owner_is_refused_with_the_reason(
    desk: Desk, people: People, reading: Readers, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    proof = forged(proposal.digest, people.tomas.pk)
    fields = rosa.get(address_of(proposal)).form | {"displayed": proof}
    fields |= {"decision": "approve", "reason": "Yes."}
    answer = reading(people.tomas).post(f"{address_of(proposal)}decide/", **fields)
    assert answer.status == 403
    assert "Who started it never decides it." in answer.text
    assert status(proposal) == "open"


def test_a_role_taken_away_between_looking_and_clicking_takes_the_decision_away(
    desk: Desk, people: People, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    fields = rosa.get(address_of(proposal)).form | {"decision": "approve", "reason": "Yes."}
    people.rosa.groups.clear()
    assert rosa.post(f"{address_of(proposal)}decide/", **fields).status == 403
    assert status(proposal) == "open"


def test_a_reviewer_by_role_whom_the_policy_does_not_name_is_refused(
    desk: Desk, people: People, rosa: Reader
) -> None:
    people.somebody("bruno", "board")
    desk.put_in_force({"action": "ledger.*", "groups": [{"name": "board", "approve": 1}]})
    proposal = desk.propose_refund()
    page = rosa.get(address_of(proposal))
    assert not page.form
    fields = {"version": "1", "digest": proposal.digest, "decision": "approve", "reason": "Yes."}
    item = reads.version(proposal.proposal_id, 1)
    assert item is not None
    fields["displayed"] = shown.token(item, people.rosa.pk, timezone.now())
    answer = rosa.post(f"{address_of(proposal)}decide/", **fields)
    assert answer.status == 403
    assert 'Only members of "board" decide this.' in answer.text
    assert status(proposal) == "open"


def test_a_stop_lets_nothing_be_approved_but_everything_be_rejected(
    desk: Desk, people: People, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    api.stop_everything(reviewer(people.otto), "A drill.")
    answer = rosa.decide(proposal, "approve")
    assert answer.status == 409
    assert "A stop is in force" in answer.text
    assert rosa.decide(proposal, "reject").status == 302
    assert status(proposal) == "rejected"


def test_looking_at_the_address_of_a_decision_leads_back_to_the_page(
    desk: Desk, database: Database, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    address = f"{address_of(proposal)}decide/?decision=approve&reason=Yes"
    before = contents(database)
    assert rosa.get(address).response.headers["Location"] == address_of(proposal)
    assert contents(database) == before


def test_a_decision_on_what_is_not_there_is_not_found(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    fields = rosa.get(address_of(proposal)).form | {"decision": "approve", "reason": "Yes."}
    for address in (
        f"/proposals/{proposal.proposal_id}/2/decide/",
        f"/proposals/{proposal.pk}/1/decide/",
    ):
        assert rosa.post(address, **fields).status == 404
    assert status(proposal) == "open"
