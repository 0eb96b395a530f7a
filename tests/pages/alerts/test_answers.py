"""Answering for an alert: taken on with cause, step and time; dealt with; the run let go on."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine import sweeper
from engine.models import Alert, Effect
from oversight.demo.placet_actions import Refund
from tests.cast import People
from tests.engine.together import in_line_for, just_before
from tests.pages.alerts.trouble import (
    address_of,
    dealt_with,
    overdue,
    stuck_rollback,
    taken_on,
    wrong_refund,
)
from tests.pages.reading import Page, Reader, Readers, contents
from tests.world import Database, Desk

YEAR = datetime.now(UTC).year + 1
TAKEN_ON = {
    "cause": "A fee.",
    "next_step": "Ask Ines.",
    "due_at": f"{YEAR}-07-01T12:00",
}


def acknowledge(reader: Reader, alert: Alert, **fields: Any) -> Page:
    sent = {name: value for name, value in {**TAKEN_ON, **fields}.items() if value is not None}
    return reader.post(f"{address_of(alert)}acknowledge/", **sent)


def resolve(reader: Reader, alert: Alert, **fields: Any) -> Page:
    sent = {"resolution": "Told the desk.", **fields}
    return reader.post(f"{address_of(alert)}resolve/", **sent)


def resume(reader: Reader, alert: Alert, **fields: Any) -> Page:
    return reader.post(f"{address_of(alert)}resume/", **{"reason": "It is right now.", **fields})


def test_taking_it_on_is_recorded_with_all_three(desk: Desk, people: People, otto: Reader) -> None:
    alert = wrong_refund(desk)
    answer = acknowledge(otto, alert, cause="A fee.\r\nTwo of them.")
    assert answer.status == 302
    assert answer.response.headers["Location"] == address_of(alert)
    alert.refresh_from_db()
    assert (alert.status, alert.acknowledged_by) == ("acknowledged", "Otto Weiss")
    assert (alert.cause, alert.next_step) == ("A fee.\nTwo of them.", "Ask Ines.")
    assert alert.due_at == datetime(YEAR, 7, 1, 12, 0, tzinfo=UTC)
    page = otto.get(address_of(alert))
    assert "You answer for this now." in page.text
    assert "Otto Weiss answers for it until" in page.text
    assert "It is dealt with" in page.text


def test_the_time_is_understood_in_the_zone_in_which_it_was_typed(desk: Desk, otto: Reader) -> None:
    alert = wrong_refund(desk)
    acknowledge(otto, alert, zone="America/New_York")
    alert.refresh_from_db()
    assert alert.due_at == datetime(YEAR, 7, 1, 16, 0, tzinfo=UTC)


def test_dealing_with_it_is_recorded(desk: Desk, people: People, otto: Reader) -> None:
    alert = wrong_refund(desk)
    taken_on(alert, people.otto)
    assert resolve(otto, alert).status == 302
    alert.refresh_from_db()
    assert (alert.status, alert.resolution) == ("resolved", "Told the desk.")
    page = otto.get(address_of(alert))
    assert "It is dealt with, and stays in the history." in page.text
    assert "<form" not in page.html.partition("<main")[2].partition("</main>")[0]


def test_letting_the_run_go_on_wakes_a_worker(desk: Desk, otto: Reader) -> None:
    alert = stuck_rollback(desk)
    assert resume(otto, alert).status == 302
    assert "The run goes on as soon as a worker is free." in otto.get(address_of(alert)).text
    assert alert.run_id in desk.database.hints
    desk.work(alert.run_id)
    assert desk.run(alert.run_id).status == "rolled_back", "the target was right when read again"


UNCLEAR: list[tuple[str, dict[str, Any], int]] = [
    ("no cause", {"cause": ""}, 422),
    ("no step", {"next_step": None}, 422),
    ("no time", {"due_at": ""}, 422),
    ("a time that is none", {"due_at": "soon"}, 422),
    ("the past", {"due_at": "2020-01-01T10:00"}, 422),
    ("blanks", {"cause": " \r\n "}, 422),
    ("a NUL", {"cause": "a\x00b"}, 422),
    ("no end", {"cause": "a" * 4_001}, 422),
    ("two causes", {"cause": ["a", "b"]}, 400),
    ("no such zone", {"zone": "Mars/Olympus"}, 400),
]


def test_what_is_not_clear_changes_nothing(desk: Desk, database: Database, otto: Reader) -> None:
    alert = stuck_rollback(desk)
    before = contents(database)
    for case, fields, code in UNCLEAR:
        assert acknowledge(otto, alert, **fields).status == code, case
    assert resume(otto, alert, reason="").status == 422
    assert resume(otto, alert, reason=["a", "b"]).status == 400
    assert contents(database) == before


def test_what_was_typed_is_kept_when_something_is_missing(desk: Desk, otto: Reader) -> None:
    page = acknowledge(otto, wrong_refund(desk), next_step="")
    assert page.status == 422
    assert "A fee." in page.text
    assert f'value="{YEAR}-07-01T12:00"' in page.html


def test_of_two_operators_at_once_one_takes_it_on_and_the_other_learns_who(
    desk: Desk, people: People, database: Database, reading: Readers, otto: Reader
) -> None:
    alert = wrong_refund(desk)
    nils = reading(people.somebody("nils", "operator", full_name="Nils Berg"))
    acts = [lambda: acknowledge(otto, alert), lambda: acknowledge(nils, alert)]
    first, second = in_line_for(database, alert.run_id, acts)
    assert (first.status, second.status) == (302, 409)
    assert "Otto Weiss has taken this on" in second.text
    assert database.kinds(alert.run_id).count("alert_acknowledged") == 1


def test_what_was_dealt_with_already_says_who_did(desk: Desk, people: People, otto: Reader) -> None:
    alert = wrong_refund(desk)
    taken_on(alert, people.otto)
    dealt_with(alert, people.otto)
    for answer in (resolve(otto, alert), acknowledge(otto, alert)):
        assert answer.status == 409
        assert "Otto Weiss has dealt with this" in answer.text


def test_what_nobody_took_on_is_not_dealt_with(desk: Desk, otto: Reader) -> None:
    alert = wrong_refund(desk)
    answer = resolve(otto, alert)
    assert answer.status == 409
    assert "This alert is open" in answer.text
    alert.refresh_from_db()
    assert alert.status == "open"


def test_a_run_that_is_not_paused_is_not_let_go_on(desk: Desk, otto: Reader) -> None:
    alert = wrong_refund(desk)
    answer = resume(otto, alert)
    assert answer.status == 409
    assert "The run is not paused any more" in answer.text
    assert "Rolled back" in answer.text


@pytest.mark.parametrize("name", ["rosa", "tomas", "ada", "ines", "zoe"])
def test_nobody_but_an_operator_answers(
    desk: Desk, people: People, database: Database, reading: Readers, name: str
) -> None:
    alert = stuck_rollback(desk)
    reader = reading(getattr(people, name))
    before = contents(database)
    for answer in (acknowledge(reader, alert), resolve(reader, alert), resume(reader, alert)):
        assert answer.status == 403
        assert "Who could: Operator." in answer.text
    assert contents(database) == before


def test_a_stranger_is_sent_to_sign_in(desk: Desk, database: Database, reading: Readers) -> None:
    alert = stuck_rollback(desk)
    before = contents(database)
    for answer in (acknowledge(reading(), alert), resolve(reading(), alert)):
        assert answer.response.headers["Location"].startswith("/sign-in/")
    assert contents(database) == before


def test_a_role_taken_away_between_looking_and_clicking_takes_the_answer_away(
    desk: Desk, people: People, otto: Reader
) -> None:
    alert = wrong_refund(desk)
    otto.get(address_of(alert))
    people.otto.groups.clear()
    assert acknowledge(otto, alert).status == 403
    alert.refresh_from_db()
    assert alert.status == "open"


def test_what_an_operator_wrote_is_text(desk: Desk, otto: Reader) -> None:
    alert = wrong_refund(desk)
    trick = "<img src=x onerror=alert(1)> \u202eno"
    acknowledge(otto, alert, cause=trick, next_step=trick)
    for address in (address_of(alert), "/alerts/?show=acknowledged"):
        html = otto.get(address).html
        assert "<img" not in html
        assert "\u202e" not in html
    resolve(otto, alert, resolution=trick)
    for address in (address_of(alert), "/alerts/?show=resolved"):
        html = otto.get(address).html
        assert "<img" not in html
        assert "\u202e" not in html


def test_a_promise_in_the_past_is_refused_by_the_engine_too(
    desk: Desk, people: People, otto: Reader
) -> None:
    alert = wrong_refund(desk)
    with pytest.raises(Exception, match="future"):
        taken_on(alert, people.otto, due_at=datetime.now(UTC) - timedelta(seconds=1))


def test_a_promise_that_ran_out_opens_the_alert_again_and_that_is_said(
    desk: Desk, people: People, reading: Readers
) -> None:
    alert, otto = wrong_refund(desk), reading(people.otto)
    taken_on(alert, people.otto)
    assert sweeper.run_once().reopened == 0, "there is time left"
    overdue(desk, alert)
    assert sweeper.run_once().reopened == 1
    assert sweeper.run_once().reopened == 0
    page = otto.get(address_of(alert))
    assert "Open again: nobody answers for it any more." in page.text
    assert "Otto Weiss had taken it on, until" in page.text
    assert "Open again: the time for it has run out" in page.text
    assert "Otto Weiss had taken it on" in otto.get(f"/runs/{alert.run_id}/").text
    taken_on(alert, people.otto)
    assert "Open again: nobody" not in otto.get(address_of(alert)).text


def test_what_was_dealt_with_in_time_is_not_opened_again(desk: Desk, people: People) -> None:
    alert = wrong_refund(desk)
    taken_on(alert, people.otto)
    overdue(desk, alert)
    dealt_with(alert, people.otto)
    assert sweeper.run_once().reopened == 0
    alert.refresh_from_db()
    assert alert.status == "resolved"


def test_what_could_not_be_verified_is_accepted_with_evidence_in_ones_own_name(
    desk: Desk, otto: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    alert = unverifiable(desk, monkeypatch)
    address = f"/alerts/{alert.pk}/"
    assert "Accept it as it is" in otto.get(address).text
    said = {"reason": "The bank confirms it.", "seen_evidence": "Letter no. 17."}
    for missing in said:
        assert otto.post(f"{address}accept/", **{**said, missing: ""}).status == 422

    assert otto.post(f"{address}accept/", **said).status == 302
    desk.work(alert.run_id)

    effect = Effect.objects.get(pk=alert.effect_id)
    assert (effect.accepted_by, effect.committed_at is not None) == ("Otto Weiss", True)
    assert "Accepted as it is" in otto.get(f"/runs/{alert.run_id}/").text
    assert otto.post(f"{address}accept/", **said).status == 409


def test_where_nothing_waits_for_it_nothing_is_accepted(desk: Desk, otto: Reader) -> None:
    alert = wrong_refund(desk)
    address = f"/alerts/{alert.pk}/"
    assert "Accept it as it is" not in otto.get(address).text
    assert otto.post(f"{address}accept/", reason="x", seen_evidence="y").status == 409


def unverifiable(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Alert:
    """The ledger paid, and nobody got through to look until patience was over."""
    monkeypatch.setattr(Refund, "verify_seconds", 0.0)
    with just_before("record_effect", desk.ledger.shut):
        desk.work(desk.approved_refund().run_id)
    desk.ledger.open()
    return Alert.objects.get()
