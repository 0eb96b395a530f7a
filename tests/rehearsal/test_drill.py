"""The stop is drilled on a real run: nothing is approved, nothing is sent, and it is asked anew."""

import json

import pytest

from engine import actions, api
from engine.errors import NotPermitted
from engine.models import Effect, Event, Stop
from oversight.demo.desk.stock import REHEARSAL
from oversight.rehearsal.casting import Cast
from oversight.rehearsal.drilling import drill
from tests.cast import reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk

REFUND = type(actions.get("ledger.refund"))


@pytest.fixture
def cast(desk: Desk) -> Cast:
    return Cast(operator=desk.people.otto, reviewers=(desk.people.rosa,))


def test_a_drill_shows_that_the_stop_holds_and_is_kept(
    desk: Desk, cast: Cast, processes_environment: dict[str, str]
) -> None:
    played = drill(REFUND, cast, environment=processes_environment, say=print)

    assert [each for each in played.assertions if not each.holds] == []
    assert len(played.assertions) == 11
    assert Stop.objects.filter(lifted_at=None).count() == 0
    assert Effect.objects.exclude(outcome="not_sent").count() == 0
    assert desk.ledger.movements(REHEARSAL.order) == 0
    assert played.run_id
    assert faults_in(desk.database, played.run_id) == []

    api.keep_drill(played, operator=reviewer(desk.people.otto))
    said = Event.objects.get(kind="stop_drilled")
    assert json.loads(bytes(said.payload or b""))["result"] == "passed"
    assert_tables_match_the_log(desk.database, said.run_id)


def test_one_whose_people_may_not_decide_has_failed_and_leaves_no_stop(
    desk: Desk, processes_environment: dict[str, str]
) -> None:
    cast = Cast(operator=desk.people.otto, reviewers=(desk.people.ada,))
    played = drill(REFUND, cast, environment=processes_environment, say=print)
    assert not played.passed
    assert "NotPermitted: Only members of" in played.timeline[-1].detail
    assert Stop.objects.filter(lifted_at=None).count() == 0


def test_only_who_may_stop_keeps_a_drill(
    desk: Desk, cast: Cast, processes_environment: dict[str, str]
) -> None:
    nobody = Cast(operator=desk.people.ada, reviewers=(desk.people.rosa,))
    played = drill(REFUND, nobody, environment=processes_environment, say=print)
    assert not played.passed
    assert "only operators and administrators" in played.timeline[-1].detail.lower()
    with pytest.raises(NotPermitted):
        api.keep_drill(played, operator=reviewer(desk.people.ada))
