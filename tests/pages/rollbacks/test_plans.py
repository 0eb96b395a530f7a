"""Every action with its plan, and what was taken back in practice."""

import re

import pytest

from engine import actions, api
from engine.models import Effect
from tests.cast import People, reviewer
from tests.pages.alerts.trouble import stuck_rollback, wrong_refund
from tests.pages.reading import Page, Reader, contents
from tests.world import Database, Desk

PLANS = "/rollbacks/"


def rows(page: Page) -> dict[str, str]:
    """What the table says of each action, by its name and version."""
    found = re.findall(r'<tr role="row" data-row>.*?</tr>', page.html, re.DOTALL)
    texts = [" ".join(re.sub("<[^>]+>", " ", row).split()) for row in found]
    labels = [re.search(r'table__sub">([^<]+)<', row) for row in found]
    return {label[1]: text for label, text in zip(labels, texts, strict=True) if label}


def counts(page: Page, label: str) -> list[str]:
    """Committed, rolled back, rollback failed."""
    return rows(page)[label].split()[-3:]


def test_every_action_that_the_code_knows_is_listed(otto: Reader) -> None:
    page = otto.get(PLANS)
    assert page.status == 200
    assert [*rows(page)] == [action.label() for action in actions.registered()]
    for action in actions.registered():
        assert action.rollback.summary in page.text


def test_a_plan_names_what_carries_it_out_and_what_it_is_the_way_back_from(otto: Reader) -> None:
    found = rows(otto.get(PLANS))
    assert "Inverse ledger.reverse_refund v1" in found["ledger.refund v1"]
    assert "It takes back ledger.refund v1 ." in found["ledger.reverse_refund v1"]
    assert "Counter-action access.revoke v1" in found["access.grant v1"]
    assert "By hand" in found["pager.page v1"]
    assert "None" in found["mail.tell_customer v1"]


@pytest.mark.parametrize("kind", ["in_band", "compensating", "out_of_band", "none"])
def test_the_plans_of_one_kind(otto: Reader, kind: str) -> None:
    page = otto.get(PLANS, kind=kind)
    wanted = [each.label() for each in actions.registered() if each.rollback.kind == kind]
    assert [*rows(page)] == wanted
    assert f'aria-current="page"><span>{_word(kind)}</span><span class="count">{len(wanted)}<' in (
        page.html
    )


def _word(kind: str) -> str:
    words = {"in_band": "Inverse", "compensating": "Counter-action", "out_of_band": "By hand"}
    return words.get(kind, "None")


def test_a_kind_that_there_is_not_is_refused(otto: Reader) -> None:
    assert otto.get(PLANS, kind="hope").status == 400


def test_it_says_plainly_that_nothing_was_ever_rehearsed(otto: Reader) -> None:
    assert "None of these plans was ever rehearsed" in otto.get(PLANS).text
    action = otto.get(f"{PLANS}ledger.refund/1/")
    assert "This plan was never rehearsed" in action.text
    assert "Never rehearsed" in rows(otto.get(PLANS))["ledger.refund v1"]
    assert "A person takes it back" in rows(otto.get(PLANS))["pager.page v1"]


def test_what_was_never_used_is_counted_as_nothing(otto: Reader) -> None:
    assert counts(otto.get(PLANS), "ledger.refund v1") == ["0", "0", "0"]


def test_what_was_committed_is_counted(desk: Desk, otto: Reader) -> None:
    desk.work(desk.approved_refund().run_id)
    desk.propose_refund()
    assert counts(otto.get(PLANS), "ledger.refund v1") == ["1", "0", "0"]


def test_what_was_rolled_back_is_counted_for_both_actions(desk: Desk, otto: Reader) -> None:
    wrong_refund(desk)
    page = otto.get(PLANS)
    assert counts(page, "ledger.refund v1") == ["0", "1", "0"]
    assert counts(page, "ledger.reverse_refund v1") == ["1", "0", "0"]


def test_a_rollback_that_failed_is_counted_until_it_is_done(
    desk: Desk, people: People, otto: Reader
) -> None:
    alert = stuck_rollback(desk)
    assert counts(otto.get(PLANS), "ledger.refund v1") == ["0", "0", "1"]
    api.resume_run(alert.run_id, reviewer=reviewer(people.otto), reason="The order is right now.")
    desk.work(alert.run_id)
    assert counts(otto.get(PLANS), "ledger.refund v1") == ["0", "1", "0"]


def test_a_version_that_was_used_and_is_gone_is_not_forgotten(
    desk: Desk, database: Database, otto: Reader
) -> None:
    desk.work(desk.approved_refund().run_id)
    assert "no longer in this code" not in otto.get(PLANS).text
    database.execute("UPDATE engine_effect SET action_version = 7")
    page = otto.get(PLANS)
    assert "Used, and no longer in this code" in page.text
    assert "ledger.refund v7" in page.text
    assert counts(page, "ledger.refund v1") == ["0", "0", "0"]
    assert "no longer in this code" not in otto.get(PLANS, kind="in_band").text


def test_looking_changes_nothing(desk: Desk, database: Database, otto: Reader) -> None:
    wrong_refund(desk)
    before = contents(database)
    otto.get(PLANS)
    otto.get(f"{PLANS}ledger.refund/1/")
    assert contents(database) == before
    assert Effect.objects.count() == 2
