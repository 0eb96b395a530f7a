"""A mail from proposal to commitment, and what becomes of one that the provider mistreats."""

import pytest

from engine import execution
from tests.engine.kit.acts import TellCustomer
from tests.engine.kit.mail import PASSWORD, Provider
from tests.engine.kit.office import Office

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")

LETTER = {
    "to": ["mara@home.example"],
    "subject": "Your refund",
    "body": "Dear Mara, we have paid back 25.00 for the lamp.",
}


def test_a_mail_is_sent_found_and_committed(office: Office, mail: Provider) -> None:
    proposal = office.propose("kit.tell", **LETTER)
    shown = office.terms(proposal)
    assert shown["target_class"] == "probe"
    assert "Message-ID" in shown["verification"]
    assert shown["rollback"]["kind"] == "none"
    assert shown["change"]["after"]["from"] == "Refund desk <desk@shop.example>"

    run_id = office.approve(proposal)
    office.work(run_id)

    effect = office.effect(run_id)
    assert (effect.verification, len(mail.taken(effect.idempotency_key))) == ("passed", 1)
    assert effect.committed_at
    assert office.alerts(run_id) == []


@pytest.mark.parametrize("mode", ["other_text", "other_recipient", "footer", "twice"])
def test_a_provider_that_sends_something_else_ends_in_an_alert(
    mode: str, office: Office, mail: Provider
) -> None:
    mail.behave(mode)
    run_id = office.carry_out("kit.tell", **LETTER)

    assert office.effect(run_id).verification == "mismatch"
    assert office.effect(run_id).committed_at is None
    assert office.alerts(run_id) == ["verification_failed"]
    assert office.run(run_id).reason_code == "verification_failed"


def test_a_provider_that_says_yes_and_sends_nothing_ends_in_an_alert(
    office: Office, mail: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail.behave("swallow")
    run_id = office.carry_out("kit.tell", **LETTER)
    assert office.effect(run_id).verification == "not_yet"

    monkeypatch.setattr(execution, "_too_late", lambda pending: True)
    office.work_later(run_id)

    assert office.effect(run_id).committed_at is None
    assert office.alerts(run_id) == ["verification_failed"]


@pytest.mark.parametrize("mode", ["drop_after", "hang_after"])
def test_a_mail_whose_answer_was_lost_is_found_and_not_sent_twice(
    mode: str, office: Office, mail: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TellCustomer, "call_seconds", 3.0)
    mail.behave(mode)
    run_id = office.carry_out("kit.tell", **LETTER)

    effect = office.effect(run_id)
    assert effect.committed_at
    assert "effect_reconciled" in office.database.kinds(run_id)
    assert len(mail.taken(effect.idempotency_key)) == 1


def test_a_mail_that_is_nowhere_is_not_sent_again_but_given_to_a_person(
    office: Office, mail: Provider
) -> None:
    mail.behave("drop_unsent")
    run_id = office.carry_out("kit.tell", **LETTER)
    mail.behave("honest")
    for _ in range(6):
        office.work_later(run_id)

    effect = office.effect(run_id)
    assert effect.status == "unknown"
    assert len(mail.taken(effect.idempotency_key)) == 1
    assert office.alerts(run_id) == ["effect_unknown"]
    assert office.run(run_id).reason_code == "effect_unknown"


def test_a_refusal_ends_the_effect(office: Office, mail: Provider) -> None:
    mail.behave("refuse_text")
    run_id = office.carry_out("kit.tell", **LETTER)

    assert office.effect(run_id).status == "failed"
    assert office.alerts(run_id) == []


def test_where_nothing_can_be_verified_the_proposal_says_so_and_a_person_is_asked(
    office: Office, mail: Provider
) -> None:
    proposal = office.propose("kit.tell_unheard", **LETTER)
    shown = office.terms(proposal)
    assert shown["target_class"] == "opaque"
    assert "Nothing can be verified" in shown["verification"]

    run_id = office.approve(proposal)
    office.work(run_id)

    assert office.effect(run_id).verification == "unverifiable"
    assert office.effect(run_id).committed_at is None
    assert office.alerts(run_id) == ["verification_failed"]


def test_where_nobody_can_be_asked_a_lost_answer_goes_to_a_person_at_once(
    office: Office, mail: Provider
) -> None:
    mail.behave("drop_after")
    run_id = office.carry_out("kit.tell_unheard", **LETTER)

    effect = office.effect(run_id)
    assert effect.status == "unknown"
    assert office.alerts(run_id) == ["effect_unknown"]
    assert len(mail.taken(effect.idempotency_key)) == 1


@pytest.mark.parametrize("mode", ["honest", "echo", "drop_early", "drop_unsent"])
def test_no_password_is_kept_anywhere(
    mode: str, office: Office, mail: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    mail.behave(mode)
    run_id = office.carry_out("kit.tell", **LETTER)

    assert PASSWORD not in office.everything_kept(run_id)
    ours = [record for record in caplog.records if record.name != "mail.log"]
    assert not any(PASSWORD in record.getMessage() for record in ours)
