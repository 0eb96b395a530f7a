"""One unknown effect: everything that is known of it, and who may do something about it."""

import re
import uuid

import pytest

from engine import actions, api, evidence
from engine.models import Effect
from oversight.demo.placet_actions import Refund
from tests.cast import People, reviewer
from tests.pages.hostile import HARM, HIDDEN, MARKUP
from tests.pages.reading import Reader, Readers, contents
from tests.pages.unknowns.doubt import (
    address_of,
    deaf,
    in_doubt,
    landed_in_doubt,
    no_more_calls,
    rollback_in_doubt,
    work_until_paused,
)
from tests.world import Database, Desk


def test_it_shows_what_was_sent(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    page = otto.get(address_of(effect))
    assert page.status == 200
    assert "Nobody can tell yet whether this happened." in page.text
    told = (
        "Refund 25.00 to Mara Vogel for order A-1",
        "ledger.refund v1",
        "ledger, order A-1",
        "refund-desk",
        effect.idempotency_key,
        f"fencing token {effect.fencing_token}",
        '"amount": "25.00"',
        "Paused",
        "Effect unknown",
    )
    assert [words for words in told if words not in page.text] == []
    assert f'href="/runs/{effect.run_id}/"' in page.html
    assert f'href="/proposals/{effect.proposal_id}/1/"' in page.html


def test_the_call_deadline_is_said_to_be_ahead_or_past_with_its_margin(
    desk: Desk, otto: Reader
) -> None:
    effect = in_doubt(desk)
    address = address_of(effect)
    assert "A call of it may arrive until then, and 0.5 s longer." in otto.get(address).text
    no_more_calls(desk, effect)
    text = otto.get(address).text
    assert "It has passed, and 0.5 s of margin too: no call of it can arrive any more." in text


def test_every_probe_is_told_with_its_finding(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    page = otto.get(address_of(effect))
    probes = desk.database.kinds(effect.run_id).count("effect_reconciled")
    assert probes >= 4
    assert page.text.count("Asked by key: no clear answer") == probes
    assert f"{probes} times" in page.text
    assert "Sent, attempt 1" in page.text
    assert "No usable answer" in page.text


def test_raw_evidence_is_complete_and_its_numbers_are_as_they_were_kept(
    desk: Desk, otto: Reader
) -> None:
    run_id = desk.approved_refund().run_id
    with desk.ledger.answers_lost(), deaf("line\n" * 60 + "the end"):
        desk.work(run_id)
        work_until_paused(desk, run_id)
    effect = Effect.objects.get(run_id=run_id)
    page = otto.get(address_of(effect))
    assert "the end" in page.text
    assert str(effect.result_ref)[:12] in page.text
    assert f'id="evidence-{str(effect.result_ref)[:12]}"' in page.html
    assert f'href="#evidence-{str(effect.result_ref)[:12]}"' in page.html
    assert "ConnectionResetError" in page.text


def test_evidence_with_long_numbers_loses_no_digit(
    desk: Desk, database: Database, otto: Reader
) -> None:
    effect = in_doubt(desk)
    kept = evidence.keep({"balance": "x"})
    database.execute(
        "UPDATE engine_evidence SET body = convert_to(%s, 'UTF8') WHERE sha256 = %s",
        '{"balance": 12345678901234567890.10, "rate": 1e-400}',
        effect.result_ref,
    )
    assert kept != effect.result_ref
    text = otto.get(address_of(effect)).text
    assert "12345678901234567890.10" in text
    assert "1e-400" in text


def test_evidence_that_is_no_json_is_shown_as_it_is(
    desk: Desk, database: Database, otto: Reader
) -> None:
    effect = in_doubt(desk)
    database.execute(
        "UPDATE engine_evidence SET body = %s WHERE sha256 = %s", b"\xff<b>", effect.result_ref
    )
    page = otto.get(address_of(effect))
    assert "\\xff<b>" in page.text
    assert "<b>" not in page.html.partition('id="evidence"')[2]


@pytest.mark.parametrize(
    ("target_class", "words"),
    [
        ("idempotent", "never does the same thing twice under one key"),
        ("probe", "can be asked by key, but would do it again"),
        ("opaque", "This target cannot be asked"),
    ],
)
def test_what_the_target_can_do_is_said_in_words(
    desk: Desk,
    otto: Reader,
    monkeypatch: pytest.MonkeyPatch,
    target_class: str,
    words: str,
) -> None:
    kind = type("Careful", (Refund,), {"target_class": target_class})
    monkeypatch.setitem(actions._registry, (Refund.name, Refund.version), kind)
    page = otto.get(address_of(in_doubt(desk)))
    assert words in page.text
    asks = f"{address_of(Effect.objects.get())}ask/" in page.html
    assert asks is (target_class != "opaque")


def test_the_rollback_plan_is_the_one_that_was_approved(desk: Desk, otto: Reader) -> None:
    text = otto.get(address_of(in_doubt(desk))).text
    assert Refund.rollback.summary in text
    assert "Carried out by ledger.reverse_refund v1" in text


def test_a_rollback_in_doubt_is_told_as_one(desk: Desk, otto: Reader) -> None:
    page = otto.get(address_of(rollback_in_doubt(desk)))
    assert "Rollback of: Refund 25.00 to Mara Vogel" in page.text
    assert "This is itself a rollback" in page.text
    assert "ledger.reverse_refund v1" in page.text
    assert "Rollback failed" in page.text


def test_its_alert_is_one_click_away(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    alert = effect.alerts.get()
    assert f'href="/alerts/{alert.pk}/"' in otto.get(address_of(effect)).html


def test_only_operators_are_offered_something_and_others_learn_why(
    desk: Desk, people: People, reading: Readers
) -> None:
    address = address_of(in_doubt(desk))
    assert "Record this ruling" in reading(people.otto).get(address).text
    for person in (people.rosa, people.tomas, people.ada, people.ines, people.zoe):
        page = reading(person).get(address)
        assert page.status == 200
        assert "You do not settle this" in page.text
        assert "Record this ruling" not in page.text
        assert f"{address}ask/" not in page.html


def test_nothing_is_chosen_beforehand(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    no_more_calls(desk, effect)
    page = otto.get(address_of(effect))
    form = page.html.partition('class="decision ruling"')[2].partition("</form>")[0]
    assert form.count('name="resolution"') == 4
    assert "checked" not in form
    assert "disabled" not in form


def test_that_it_did_not_happen_cannot_be_said_while_a_call_may_arrive(
    desk: Desk, otto: Reader
) -> None:
    page = otto.get(address_of(in_doubt(desk)))
    (option,) = re.findall(r"<input[^>]+value=\"did_not_happen\"[^>]*>", page.html)
    assert "disabled" in option
    assert "Possible from" in page.text


def test_what_is_not_there_is_not_found(desk: Desk, otto: Reader) -> None:
    assert otto.get(f"/unknowns/{uuid.uuid4()}/").status == 404
    assert otto.get(f"/unknowns/{uuid.uuid4()}/live/").status == 404


def test_a_settled_effect_says_what_became_of_it_and_offers_nothing(
    desk: Desk, people: People, otto: Reader
) -> None:
    effect = landed_in_doubt(desk)
    api.probe_again(effect.run_id, effect.pk, operator=reviewer(people.otto))
    desk.work(effect.run_id)
    page = otto.get(address_of(effect))
    assert "It happened, and was read again at the target." in page.text
    assert "Asked by key: it had happened" in page.text
    assert "There is nothing left to rule" in page.text
    assert "<form" not in page.html.partition("<main")[2].partition("</main>")[0]
    assert "hx-get" not in page.html


def test_markup_is_shown_and_never_taken_as_markup(desk: Desk, otto: Reader) -> None:
    for words in MARKUP:
        effect = in_doubt(desk, handed_over=False, why=words, customer=words)
        for address in (address_of(effect), "/unknowns/"):
            page = otto.get(address)
            assert page.status == 200
            assert [harm for harm in HARM if harm in page.html] == [], (address, words)
            assert words in page.text


def test_a_character_that_nobody_would_see_is_written_out(desk: Desk, otto: Reader) -> None:
    for name, character in HIDDEN.items():
        effect = in_doubt(desk, handed_over=False, customer=f"to{character}Mara")
        for address in (address_of(effect), "/unknowns/"):
            page = otto.get(address)
            assert character not in page.html, (name, address)
            assert f"to⟨U+{ord(character):04X}⟩Mara" in page.text, (name, address)


def test_what_a_target_answers_is_text_too(desk: Desk, otto: Reader) -> None:
    run_id = desk.approved_refund().run_id
    with desk.ledger.answers_lost(), deaf("<script>alert(1)</script> \u202edab"):
        desk.work(run_id)
    page = otto.get(address_of(Effect.objects.get()))
    assert "<script>alert" not in page.html
    assert "\u202e" not in page.html
    assert "<script>alert(1)</script>" in page.text


def test_looking_changes_nothing(desk: Desk, database: Database, otto: Reader) -> None:
    address = address_of(in_doubt(desk))
    before = contents(database)
    for place in (address, f"{address}live/", f"{address}ask/", f"{address}rule/"):
        assert otto.get(place).status in (200, 302)
        assert otto.client.head(place).status_code in (200, 302)
    assert contents(database) == before
