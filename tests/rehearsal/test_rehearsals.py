"""A rollback plan is really carried out: done, worker killed, recovered, taken back, compared."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from engine import actions, api, rehearsing, worker
from engine.errors import NotPermitted
from engine.models import Effect, Event, Rehearsal
from oversight.demo.desk.stock import REHEARSAL
from oversight.rehearsal.casting import Cast
from oversight.rehearsal.performing import perform
from tests.cast import reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk

REHEARSAL_S = api.Initiator(actor=rehearsing.INITIATOR)


@pytest.fixture
def cast(desk: Desk) -> Cast:
    return Cast(operator=desk.people.otto, reviewers=(desk.people.rosa,))


def test_a_refund_is_rehearsed(
    desk: Desk, cast: Cast, processes_environment: dict[str, str]
) -> None:
    """With real processes: one really killed between the act and its record."""
    refund = type(actions.get("ledger.refund"))
    played = perform(refund, cast, environment=processes_environment, say=print)

    assert [each for each in played.assertions if not each.holds] == []
    assert played.passed
    assert played.run_id
    assert len(played.assertions) == 9
    assert played.recovery_seconds is not None
    assert 0 < played.recovery_seconds < 30
    assert desk.ledger.refunded(REHEARSAL.order) == "0.00"
    assert desk.ledger.movements(REHEARSAL.order) == 2
    assert desk.database.kinds(played.run_id).count("run_claimed") >= 4
    assert faults_in(desk.database, played.run_id) == []
    assert_tables_match_the_log(desk.database, played.run_id)

    api.keep_rehearsal(played, operator=reviewer(desk.people.otto))
    kept = Rehearsal.objects.get()
    assert (kept.action, kept.action_version, kept.result) == ("ledger.refund", 1, "passed")
    assert kept.expires_at - kept.ended_at == timedelta(days=30)
    assert kept.run_id == played.run_id
    said = Event.objects.get(kind="rehearsal_finished")
    assert json.loads(bytes(said.payload or b""))["result"] == "passed"
    assert_tables_match_the_log(desk.database, said.run_id)


@pytest.mark.slow
def test_one_that_did_something_else_has_failed(
    desk: Desk, cast: Cast, processes_environment: dict[str, str]
) -> None:
    """The bank keeps a fee: what was done is not what was approved, and says so."""
    desk.ledger.execute(
        "UPDATE purchase SET handling_fee = 0.20 WHERE order_no = %s", REHEARSAL.order
    )
    refund = type(actions.get("ledger.refund"))
    played = perform(refund, cast, environment=processes_environment, say=print)

    failed = {each.what: each.detail for each in played.assertions if not each.holds}
    assert failed == {"Another worker committed it": "mismatch; the run is rolled_back"}
    assert desk.ledger.refunded(REHEARSAL.order) == "0.00"


@pytest.mark.slow
@pytest.mark.parametrize("enough", [True, False])
def test_where_the_policy_asks_for_two_two_approve(
    enough: bool, desk: Desk, processes_environment: dict[str, str]
) -> None:
    rosa, ruben = desk.people.rosa, desk.people.somebody("ruben", "reviewer")
    two = [{"name": "reviewer", "approve": 2}]
    desk.put_in_force({"action": "ledger.refund", "groups": two, "fresh_rehearsal": True})
    cast = Cast(operator=desk.people.otto, reviewers=(rosa, ruben) if enough else (rosa,))
    refund = type(actions.get("ledger.refund"))

    played = perform(refund, cast, environment=processes_environment, say=print)

    assert played.passed is enough
    assert desk.ledger.refunded(REHEARSAL.order) == "0.00"
    if not enough:
        assert "too few" in played.assertions[-1].detail


def test_only_operators_keep_one(desk: Desk) -> None:
    played = rehearsing.Played(
        action="ledger.refund",
        action_version=1,
        run_id=None,
        started_at=rehearsing.now(),
        ended_at=rehearsing.now(),
        recovery_seconds=None,
        timeline=[],
        assertions=[],
    )
    assert not played.passed
    with pytest.raises(NotPermitted, match="only operators"):
        api.keep_rehearsal(played, operator=reviewer(desk.people.rosa))
    assert Rehearsal.objects.count() == 0


def test_a_reserved_run_is_not_taken_from_its_rehearsal(desk: Desk) -> None:
    reserved = {"reserved_for": rehearsing.OWNER}
    run_id = api.start_run("agent", initiator=REHEARSAL_S, labels=reserved)

    assert worker.run_once(run_id).outcome == "nothing to do"
    assert worker.run_once(run_id, f"{rehearsing.OWNER}me").outcome == "waiting_external"


def test_but_only_for_a_quarter_of_an_hour(desk: Desk) -> None:
    reserved = {"reserved_for": rehearsing.OWNER}
    run_id = api.start_run("agent", initiator=REHEARSAL_S, labels=reserved)
    desk.database.execute("UPDATE engine_run SET created_at = now() - interval '16 minutes'")

    assert worker.run_once(run_id).outcome == "waiting_external"


def test_an_agent_reserves_nothing_by_a_label(desk: Desk) -> None:
    reserved = {"reserved_for": rehearsing.OWNER}
    run_id = api.start_run("agent", initiator=desk.people.agent, labels=reserved)

    assert worker.run_once(run_id).outcome == "waiting_external"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("mail.tell_customer", "no rollback plan"),
        ("pager.page", "A person takes it back"),
        ("ledger.bank_surplus", "none to try it on"),
        ("ledger.refund@7", "no version 7"),
        ("nothing", "no action"),
    ],
)
def test_what_cannot_be_rehearsed_says_why(name: str, why: str, desk: Desk) -> None:
    with pytest.raises(CommandError, match=why):
        call_command("rehearse", name, operator="otto", reviewer=["rosa"])
    assert Effect.objects.count() == 0


@pytest.mark.parametrize(("operator", "who"), [("rosa", "rosa"), ("otto", "otto")])
def test_it_takes_an_operator_and_a_reviewer(operator: str, who: str, desk: Desk) -> None:
    with pytest.raises(CommandError, match="no active"):
        call_command("rehearse", "ledger.refund", operator=operator, reviewer=[who])


@pytest.mark.slow
def test_the_command_keeps_what_was_played(
    desk: Desk, processes_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in processes_environment.items():
        monkeypatch.setenv(name, value)
    out = StringIO()
    assert desk.people.otto
    assert desk.people.rosa

    call_command(
        "rehearse",
        "ledger.refund@1",
        operator="otto",
        reviewer=["rosa"],
        json=True,
        stdout=out,
        stderr=StringIO(),
    )

    [told] = json.loads(out.getvalue())
    assert told["result"] == "passed"
    assert str(Rehearsal.objects.get().run_id) == told["run"]
