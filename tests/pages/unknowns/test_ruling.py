"""What an operator does about an unknown effect: one clear word with its evidence, or nothing."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine import api
from engine.models import Alert, Effect
from tests.cast import People, reviewer
from tests.engine.together import in_line_for
from tests.pages.reading import Page, Reader, Readers, contents, elements
from tests.pages.unknowns.doubt import (
    address_of,
    in_doubt,
    landed_in_doubt,
    no_more_calls,
    rollback_in_doubt,
)
from tests.world import Database, Desk

HAPPENED = {
    "resolution": "happened",
    "seen_evidence": "The journal shows it.",
    "resource_id": "A-1",
    "reason": "I read it there.",
}
DENIED = {
    "resolution": "did_not_happen",
    "seen_evidence": "The journal does not show it.",
    "reason": "I read it there.",
}


def rule(reader: Reader, effect: Effect, **fields: Any) -> Page:
    """Post a ruling on what the page showed; a field that is None is left out."""
    said = {"attempt": str(effect.attempt), **fields}
    sent = {name: value for name, value in said.items() if value is not None}
    return reader.post(f"{address_of(effect)}rule/", **sent)


def status(effect: Effect) -> str:
    effect.refresh_from_db()
    return str(effect.status)


def resolved(desk: Desk, effect: Effect) -> list[Any]:
    return [e for e in desk.database.log(effect.run_id) if e["kind"] == "effect_resolved"]


def test_it_happened_and_the_target_shows_it(desk: Desk, people: People, otto: Reader) -> None:
    effect = landed_in_doubt(desk)
    answer = rule(otto, effect, **HAPPENED)
    assert answer.status == 302
    assert answer.response.headers["Location"] == address_of(effect)
    assert status(effect) == "succeeded"
    assert effect.external_resource_id == "A-1"
    page = otto.get(address_of(effect))
    assert "Your ruling is recorded." in page.text
    assert "Otto Weiss has ruled: it happened." in page.text
    assert "The target is read again." in page.text
    assert "I read it there." in page.text
    assert "The journal shows it." in page.text, "the evidence is kept and shown"
    desk.work(effect.run_id)
    effect.refresh_from_db()
    assert effect.committed_at is not None
    assert "Committed" in otto.get(address_of(effect)).text
    assert resolved(desk, effect)[0]["actor"] == f"person:{people.otto.pk}"


def test_it_happened_and_the_target_shows_something_else(desk: Desk, otto: Reader) -> None:
    """What the answer was is not known, so nothing is taken back by itself."""
    effect = landed_in_doubt(desk, desk.purchase(handling_fee="1.50"))
    rule(otto, effect, **HAPPENED)
    desk.work(effect.run_id)
    assert desk.run(effect.run_id).reason_code == "verification_failed"
    page = otto.get(address_of(effect))
    assert "a person takes it back by hand" in page.text
    assert "Mismatch" in page.text
    assert desk.ledger.movements("A-1") == 1


def test_it_did_not_happen_once_no_call_can_arrive(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    no_more_calls(desk, effect)
    assert rule(otto, effect, **DENIED).status == 302
    assert status(effect) == "failed"
    desk.work(effect.run_id)
    assert desk.run(effect.run_id).status == "waiting_external"
    text = otto.get(address_of(effect)).text
    assert "Otto Weiss has ruled: it did not happen." in text
    assert "It is never sent again under this approval." in text


def test_it_did_not_happen_is_refused_while_a_call_may_arrive(
    desk: Desk, database: Database, otto: Reader
) -> None:
    """The page does not offer it; whoever sends it all the same is told until when."""
    effect = in_doubt(desk)
    database.execute("UPDATE engine_effect SET call_deadline = now() + interval '1 min'")
    effect.refresh_from_db()
    before = contents(database)
    answer = rule(otto, effect, **DENIED)
    assert answer.status == 409
    until = effect.call_deadline + timedelta(seconds=0.5)
    assert f"The call may still arrive until {until:%Y-%m-%dT%H:%M:%S}" in answer.text
    assert contents(database) == {
        **before,
        "engine_evidence": contents(database)["engine_evidence"],
    }
    assert status(effect) == "unknown"


def test_partly_is_never_committed_and_asks_a_person(desk: Desk, otto: Reader) -> None:
    effect = landed_in_doubt(desk)
    assert rule(otto, effect, **{**HAPPENED, "resolution": "partly"}).status == 302
    desk.work(effect.run_id)
    effect.refresh_from_db()
    assert (effect.verification, effect.committed_at) == ("partial", None)
    assert desk.run(effect.run_id).reason_code == "verification_failed"
    assert Alert.objects.filter(kind="verification_failed", status="open").count() == 1
    text = otto.get(address_of(effect)).text
    assert "Otto Weiss has ruled: it happened in part." in text
    assert "It is never committed" in text


def test_keep_waiting_leaves_it_unknown_until_then(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    until = datetime.now(UTC) + timedelta(hours=3)
    fields = {"until": f"{until:%Y-%m-%dT%H:%M}", "reason": "The ledger is under repair."}
    assert rule(otto, effect, resolution="keep_waiting", **fields).status == 302
    assert status(effect) == "unknown"
    wake_at = desk.run(effect.run_id).wake_at
    assert wake_at == until.replace(second=0, microsecond=0)
    text = otto.get(address_of(effect)).text
    assert "Otto Weiss ruled to keep waiting until" in text
    assert "Record this ruling" in text, "it may still be ruled about"


def test_a_time_is_understood_in_the_zone_in_which_it_was_typed(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    year = datetime.now(UTC).year + 1
    fields = {"until": f"{year}-07-01T12:00", "zone": "Asia/Kolkata", "reason": "Repairs."}
    assert rule(otto, effect, resolution="keep_waiting", **fields).status == 302
    assert desk.run(effect.run_id).wake_at == datetime(year, 7, 1, 6, 30, tzinfo=UTC)


UNCLEAR: list[tuple[str, dict[str, Any], int]] = [
    ("nothing chosen", {"resolution": None}, 422),
    ("an empty choice", {"resolution": ""}, 422),
    ("another word", {"resolution": "committed"}, 422),
    ("true", {"resolution": "true"}, 422),
    ("two choices", {"resolution": ["happened", "partly"]}, 400),
    ("the same choice twice", {"resolution": ["happened", "happened"]}, 400),
    ("no evidence", {"seen_evidence": ""}, 422),
    ("blanks as evidence", {"seen_evidence": " \r\n "}, 422),
    ("no resource", {"resource_id": ""}, 422),
    ("partly without a resource", {"resolution": "partly", "resource_id": ""}, 422),
    ("no reason", {"reason": ""}, 422),
    ("two reasons", {"reason": ["a", "b"]}, 400),
    ("a NUL", {"reason": "a\x00b"}, 422),
    ("evidence without end", {"seen_evidence": "a" * 4_001}, 422),
    ("no attempt", {"attempt": None}, 400),
    ("an attempt that is none", {"attempt": "first"}, 422),
    ("to wait without a time", {"resolution": "keep_waiting", "until": ""}, 422),
    ("to wait until the past", {"resolution": "keep_waiting", "until": "2020-01-01T10:00"}, 422),
    ("to wait until whenever", {"resolution": "keep_waiting", "until": "tomorrow"}, 422),
    (
        "a zone that does not exist",
        {"resolution": "keep_waiting", "until": "2099-01-01T10:00", "zone": "Mars/Olympus"},
        400,
    ),
    (
        "a zone that is a path",
        {"resolution": "keep_waiting", "until": "2099-01-01T10:00", "zone": "../../etc/passwd"},
        400,
    ),
    (
        "an hour that there never was",
        {"resolution": "keep_waiting", "until": "2099-03-29T02:30", "zone": "Europe/Vienna"},
        422,
    ),
]


def test_a_ruling_that_is_not_clear_changes_nothing(
    desk: Desk, database: Database, otto: Reader
) -> None:
    effect = landed_in_doubt(desk)
    before = contents(database)
    for case, changed, code in UNCLEAR:
        assert rule(otto, effect, **{**HAPPENED, **changed}).status == code, case
        assert contents(database) == before, case


def test_what_was_typed_is_kept_when_something_is_missing(desk: Desk, otto: Reader) -> None:
    effect = landed_in_doubt(desk)
    page = rule(otto, effect, **{**HAPPENED, "resource_id": ""})
    assert "Name the resource, so that it can be read again." in page.text
    assert "The journal shows it." in page.text
    assert "I read it there." in page.text
    chosen = [each.get("value") for each in elements(page.html, "input") if "checked" in each]
    assert "happened" in chosen


def test_what_was_typed_for_another_choice_is_not_said(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    no_more_calls(desk, effect)
    rule(otto, effect, **{**DENIED, "resource_id": "A-1", "until": "2099-01-01T10:00"})
    effect.refresh_from_db()
    assert (effect.status, effect.external_resource_id) == ("failed", None)


def test_of_two_operators_at_once_one_rules_and_the_other_learns_who(
    desk: Desk, people: People, database: Database, reading: Readers, otto: Reader
) -> None:
    effect = landed_in_doubt(desk)
    no_more_calls(desk, effect)
    nils = reading(people.somebody("nils", "operator", full_name="Nils Berg"))
    first, second = in_line_for(
        database,
        effect.run_id,
        [lambda: rule(otto, effect, **HAPPENED), lambda: rule(nils, effect, **DENIED)],
    )
    assert (first.status, second.status) == (302, 409)
    assert "Otto Weiss has ruled: it happened" in second.text
    assert "One ruling is enough; yours was not recorded." in second.text
    assert f'href="{address_of(effect)}"' in second.html
    assert len(resolved(desk, effect)) == 1


def test_a_second_ruling_is_refused(desk: Desk, database: Database, otto: Reader) -> None:
    effect = landed_in_doubt(desk)
    rule(otto, effect, **HAPPENED)
    desk.work(effect.run_id)
    answer = rule(otto, effect, **HAPPENED)
    assert answer.status == 409
    assert "Otto Weiss has ruled: it happened" in answer.text
    assert len(resolved(desk, effect)) == 1


def test_what_the_target_settled_meanwhile_is_not_ruled_about(
    desk: Desk, people: People, otto: Reader
) -> None:
    effect = landed_in_doubt(desk)
    api.probe_again(effect.run_id, effect.pk, operator=reviewer(people.otto))
    desk.work(effect.run_id)
    answer = rule(otto, effect, **HAPPENED)
    assert answer.status == 409
    assert "This is no longer unknown" in answer.text
    assert "Committed" in answer.text


def test_what_was_found_out_about_one_sending_says_nothing_of_the_next(
    desk: Desk, database: Database, otto: Reader
) -> None:
    effect = in_doubt(desk)
    no_more_calls(desk, effect)
    database.execute("UPDATE engine_effect SET attempt = 2")
    answer = rule(otto, effect, **DENIED)
    assert answer.status == 409
    assert "It was sent again since you looked" in answer.text
    assert resolved(desk, effect) == []


@pytest.mark.parametrize("name", ["rosa", "tomas", "ada", "ines", "zoe"])
def test_nobody_but_an_operator_rules_or_asks(
    desk: Desk, people: People, database: Database, reading: Readers, name: str
) -> None:
    effect = landed_in_doubt(desk)
    reader = reading(getattr(people, name))
    before = contents(database)
    for answer in (rule(reader, effect, **HAPPENED), reader.post(f"{address_of(effect)}ask/")):
        assert answer.status == 403
        assert "Who could: Operator." in answer.text
    assert contents(database) == before


def test_a_stranger_is_sent_to_sign_in(desk: Desk, database: Database, reading: Readers) -> None:
    effect = landed_in_doubt(desk)
    before = contents(database)
    assert rule(reading(), effect, **HAPPENED).status == 302
    assert reading().post(f"{address_of(effect)}ask/").status == 302
    assert contents(database) == before


def test_a_role_taken_away_between_looking_and_clicking_takes_the_ruling_away(
    desk: Desk, people: People, otto: Reader
) -> None:
    effect = landed_in_doubt(desk)
    otto.get(address_of(effect))
    people.otto.groups.clear()
    assert rule(otto, effect, **HAPPENED).status == 403
    assert status(effect) == "unknown"


def test_a_ruling_on_what_is_not_there_is_not_found(desk: Desk, otto: Reader) -> None:
    effect = Effect(pk=desk.start_run(), attempt=1)
    assert rule(otto, effect, **HAPPENED).status == 404
    assert otto.post(f"{address_of(effect)}ask/").status == 404


def test_asking_again_is_answered_by_a_worker(desk: Desk, otto: Reader) -> None:
    effect = landed_in_doubt(desk)
    address = address_of(effect)
    answer = otto.post(f"{address}ask/")
    assert answer.response.headers["Location"] == address
    page = otto.get(address)
    assert "A worker asks the target. What it finds appears here." in page.text
    assert "as soon as a worker is free" in page.text
    assert "Had the target asked again" in page.text
    assert effect.run_id in desk.database.hints
    desk.work(effect.run_id)
    assert status(effect) == "succeeded"
    assert desk.ledger.movements("A-1") == 1


def test_what_is_settled_is_not_asked_about_again(desk: Desk, otto: Reader) -> None:
    effect = landed_in_doubt(desk)
    otto.post(f"{address_of(effect)}ask/")
    desk.work(effect.run_id)
    assert otto.post(f"{address_of(effect)}ask/").status == 409


def test_a_rollback_that_did_not_happen_leaves_its_run_paused(desk: Desk, otto: Reader) -> None:
    rollback = rollback_in_doubt(desk)
    no_more_calls(desk, rollback)
    text = otto.get(address_of(rollback)).text
    assert "What was to be taken back still stands" in text
    assert rule(otto, rollback, **DENIED).status == 302
    desk.work(rollback.run_id)
    assert desk.run(rollback.run_id).reason_code == "rollback_failed"


def test_what_an_operator_wrote_is_text(desk: Desk, otto: Reader) -> None:
    effect = landed_in_doubt(desk)
    trick = "<img src=x onerror=alert(1)> \u202eno"
    rule(
        otto, effect, **{**HAPPENED, "reason": trick, "seen_evidence": trick, "resource_id": trick}
    )
    html = otto.get(address_of(effect)).html
    assert "<img" not in html
    assert "\u202e" not in html
