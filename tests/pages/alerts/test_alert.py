"""One alert: what is wrong, what stands, its history, and what to do about it."""

import re
import uuid
from unittest.mock import patch

import pytest

from engine import api
from engine.models import Alert
from engine.types import Verified
from oversight.demo.placet_actions import Refund, ReverseRefund
from tests.cast import AGENT, People, reviewer
from tests.pages.alerts.trouble import (
    address_of,
    changed_bytes,
    dealt_with,
    overdue,
    refund_in,
    stuck_rollback,
    taken_on,
    wrong_refund,
)
from tests.pages.hostile import HARM, HIDDEN, MARKUP
from tests.pages.reading import Page, Reader, Readers, contents
from tests.pages.unknowns.doubt import in_doubt
from tests.world import Database, Desk


def compared(page: Page) -> list[str]:
    """The rows of expected beside observed, as text."""
    table = page.html.partition('id="compared"')[2].partition("</table>")[0]
    rows = re.findall(r"<tr[^>]*diff__row.*?</tr>", table, re.DOTALL)
    return [" ".join(re.sub("<[^>]+>", " ", row).split()) for row in rows]


def stands(page: Page) -> list[str]:
    """The rows of what was taken back, as text."""
    table = page.html.partition('id="taken-back"')[2].partition("</table>")[0]
    rows = re.findall(r"<tr role=\"row\" data-row>.*?</tr>", table, re.DOTALL)
    return [" ".join(re.sub("<[^>]+>", " ", row).split()) for row in rows]


def history(page: Page) -> list[str]:
    part = page.html.partition('id="history"')[2]
    found = re.findall(r'<p class="timeline__title">(.*?)</p>', part, re.DOTALL)
    return [" ".join(re.sub("<[^>]+>", " ", each).split()) for each in found]


def test_expected_stands_beside_observed(desk: Desk, otto: Reader) -> None:
    page = otto.get(address_of(wrong_refund(desk)))
    assert page.status == 200
    assert "ledger.refund did not do what was approved." in page.text
    assert "Expected Observed" in page.text
    assert compared(page) == ["not as expected: refunded 25.00 text 23.50 text"]


@pytest.mark.parametrize(
    ("observed", "row"),
    [
        ({"refunded": "0.00", "note": None}, "not as expected: note not there null nothing"),
        ({}, "not as expected: refunded 0.00 text not there"),
        ("ConnectionError: gone", "not as expected: value not there ConnectionError: gone text"),
        (["a", 1], "not as expected: value[1] not there 1 number"),
    ],
)
def test_whatever_was_observed_can_be_shown(
    desk: Desk, otto: Reader, observed: object, row: str
) -> None:
    assert row in compared(otto.get(address_of(stuck_rollback(desk, observed))))


def test_a_number_that_was_observed_loses_no_digit(
    desk: Desk, database: Database, otto: Reader
) -> None:
    alert = wrong_refund(desk)
    database.execute(
        "UPDATE engine_alert SET details = %s::jsonb",
        '{"expected": {"sum": 1}, "observed": {"sum": 0.1234567890123456789012345}}',
    )
    assert "0.1234567890123456789012345" in otto.get(address_of(alert)).text


def test_an_alert_without_a_comparison_shows_none(desk: Desk, otto: Reader) -> None:
    page = otto.get(address_of(changed_bytes(desk)))
    assert 'id="compared"' not in page.html


def test_what_was_taken_back_and_what_was_not(desk: Desk, otto: Reader) -> None:
    """Two effects of one run: the first stands as approved, the second was taken back."""
    run_id = desk.start_run()
    desk.work(refund_in(desk, run_id, desk.purchase()))
    alert = wrong_refund(desk, run_id)
    first, second = stands(otto.get(address_of(alert)))
    assert first.endswith("Committed not begun Stands, as approved")
    assert "Compensated Committed ledger.reverse_refund v1 Taken back, and verified" in second


def test_what_could_not_be_taken_back_is_said_to_stand(desk: Desk, otto: Reader) -> None:
    (row,) = stands(otto.get(address_of(stuck_rollback(desk))))
    assert row.endswith("Stands: its rollback is not done")


def test_what_nobody_can_tell_of_is_said_so(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    (row,) = stands(otto.get(address_of(effect.alerts.get())))
    assert row.endswith("Nobody can tell")


def test_what_was_never_sent_did_nothing(desk: Desk, otto: Reader) -> None:
    page = otto.get(address_of(changed_bytes(desk)))
    assert [row for row in stands(page) if not row.endswith("Nothing happened")] == []


def test_what_is_seen_in_part_stands_uncommitted(desk: Desk, otto: Reader) -> None:
    seen = Verified(verification="unverifiable", expected={"a": "1"}, observed=None)
    run_id = desk.approved_refund().run_id
    with patch.object(Refund, "verify", lambda *args, **kwargs: seen):
        desk.work(run_id)
    (row,) = stands(otto.get(address_of(Alert.objects.get(run_id=run_id))))
    assert row.endswith("Stands, and is not committed")


def test_its_history_is_told_from_the_log(desk: Desk, people: People, otto: Reader) -> None:
    alert = wrong_refund(desk)
    taken_on(alert, people.otto)
    dealt_with(alert, people.otto)
    page = otto.get(address_of(alert))
    told = history(page)
    assert told == ["Raised worker", "Took it on Otto Weiss", "Dealt with it Otto Weiss"]
    assert "Cause: A fee that nobody knew of." in page.text
    assert "Told the desk." in page.text


def test_what_came_up_again_is_one_history_and_after_the_end_another(
    desk: Desk, people: People, otto: Reader
) -> None:
    alert = stuck_rollback(desk)
    again(desk, people, alert)
    alert.refresh_from_db()
    assert (alert.times, alert.status) == (2, "open")
    told = history(otto.get(address_of(alert)))
    assert told == ["Raised worker", "Let the run go on Otto Weiss", "Raised again worker"]
    taken_on(alert, people.otto)
    dealt_with(alert, people.otto)
    again(desk, people, alert)
    other = Alert.objects.exclude(pk=alert.pk).get(kind="rollback_failed")
    assert history(otto.get(address_of(other))) == ["Raised worker"]
    assert history(otto.get(address_of(alert)))[-1] == "Dealt with it Otto Weiss"


def again(desk: Desk, people: People, alert: Alert) -> None:
    """The run is let go on, and nothing is better."""
    api.resume_run(alert.run_id, reviewer=reviewer(people.otto), reason="It should be right now.")
    seen = Verified(verification="mismatch", expected={"a": "1"}, observed={"a": "2"})
    with patch.object(ReverseRefund, "verify", lambda *args, **kwargs: seen):
        desk.work(alert.run_id)


def test_the_alert_of_another_effect_of_the_run_is_not_its_history(
    desk: Desk, people: People, otto: Reader
) -> None:
    alert = stuck_rollback(desk)
    other = Alert.objects.get(run_id=alert.run_id, kind="verification_failed")
    assert history(otto.get(address_of(other))) == ["Raised worker"]


@pytest.mark.parametrize("trouble", [stuck_rollback, changed_bytes])
def test_a_paused_run_can_be_let_go_on_from_here(desk: Desk, otto: Reader, trouble) -> None:
    page = otto.get(address_of(trouble(desk)))
    assert "Let the run go on" in page.text


def test_an_alert_about_an_unknown_effect_leads_there(desk: Desk, otto: Reader) -> None:
    effect = in_doubt(desk)
    page = otto.get(address_of(effect.alerts.get()))
    assert f'href="/unknowns/{effect.pk}/"' in page.html
    assert "Find out what happened, and rule about it." in page.text


def test_every_alert_leads_to_its_run_and_to_what_was_approved(desk: Desk, otto: Reader) -> None:
    alert = wrong_refund(desk)
    html = otto.get(address_of(alert)).html
    assert f'href="/runs/{alert.run_id}/"' in html
    assert f'href="/proposals/{desk.proposal(alert.run_id).proposal_id}/1/"' in html


def test_a_run_that_ended_is_not_let_go_on(desk: Desk, otto: Reader) -> None:
    alert = wrong_refund(desk)
    assert desk.run(alert.run_id).status == "rolled_back"
    assert "Let the run go on" not in otto.get(address_of(alert)).text


def test_a_run_that_a_stop_holds_leads_to_the_stop(
    desk: Desk, people: People, otto: Reader
) -> None:
    alert = stuck_rollback(desk)
    api.stop_everything(reviewer(people.otto), "A drill.")
    desk.database.execute(
        "UPDATE engine_run SET reason_code = 'stop' WHERE run_id = %s", alert.run_id
    )
    page = otto.get(address_of(alert))
    assert "A stop holds the run" in page.text
    assert "Let the run go on" not in page.text


def test_a_promise_that_is_overdue_is_marked(desk: Desk, people: People, otto: Reader) -> None:
    alert = wrong_refund(desk)
    taken_on(alert, people.otto)
    page = otto.get(address_of(alert))
    assert "Otto Weiss answers for it until" in page.text
    assert "alerts__overdue" not in page.html
    overdue(desk, alert)
    assert "overdue" in otto.get(address_of(alert)).text


def test_only_operators_are_offered_something_and_others_learn_why(
    desk: Desk, people: People, reading: Readers
) -> None:
    address = address_of(stuck_rollback(desk))
    for person in (people.rosa, people.tomas, people.ada, people.ines, people.zoe):
        page = reading(person).get(address)
        assert page.status == 200
        assert "You do not answer alerts" in page.text
        assert "<form" not in page.html.partition("<main")[2].partition("</main>")[0]


def test_what_is_not_there_is_not_found(otto: Reader) -> None:
    assert otto.get(f"/alerts/{uuid.uuid4()}/").status == 404
    assert otto.get(f"/alerts/{uuid.uuid4()}/live/").status == 404


def test_whatever_an_agent_or_a_target_wrote_is_text(desk: Desk, otto: Reader) -> None:
    for words in (*MARKUP, *(f"to{character}Mara" for character in HIDDEN.values())):
        effect = in_doubt(desk, customer=words)
        html = otto.get(address_of(effect.alerts.get())).html
        assert [harm for harm in HARM if harm in html] == [], words
        assert [hidden for hidden in HIDDEN.values() if hidden in html] == [], words


def test_what_was_observed_at_a_target_is_text(desk: Desk, otto: Reader) -> None:
    alert = stuck_rollback(desk, {"<b>note": "<img src=x onerror=alert(1)> \u202e"})
    html = otto.get(address_of(alert)).html
    assert "<b>note" not in html
    assert "<img" not in html
    assert "\u202e" not in html


def test_an_erased_log_still_has_a_page(
    desk: Desk, database: Database, people: People, otto: Reader
) -> None:
    alert = wrong_refund(desk)
    database.execute("ALTER TABLE engine_event DISABLE TRIGGER USER")
    database.execute("UPDATE engine_event SET payload = NULL, salt = NULL")
    assert otto.get(address_of(alert)).status == 200


def test_looking_changes_nothing(desk: Desk, database: Database, otto: Reader) -> None:
    address = address_of(stuck_rollback(desk))
    before = contents(database)
    for part in ("", "live/", "acknowledge/", "resolve/", "resume/"):
        assert otto.get(address + part).status in (200, 302)
        assert otto.client.head(address + part).status_code in (200, 302)
    assert contents(database) == before


def test_an_alert_of_a_run_without_a_proposal_has_a_page(
    desk: Desk, database: Database, otto: Reader
) -> None:
    run_id = desk.start_run()
    api.finish_run(run_id, agent=AGENT)
    database.execute("UPDATE engine_run SET workflow_version = 99 WHERE run_id = %s", run_id)
    database.execute(
        "INSERT INTO engine_alert (alert_id, run_id, kind, status, summary, details, raised_at,"
        " times) VALUES (%s, %s, 'checksum_mismatch', 'open', 'Not as saved.', '{}', now(), 1)",
        uuid.uuid4(),
        run_id,
    )
    page = otto.get(address_of(Alert.objects.get()))
    assert page.status == 200
    assert "Checksum mismatch" in page.text
