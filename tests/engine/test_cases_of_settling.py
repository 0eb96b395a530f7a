"""What went wrong elsewhere after the act: a crash before its result was kept, a look at the
target that came too early, and a way back that stopped halfway."""

import json
import uuid
from typing import Any

import pytest

from engine import api
from engine.models import Alert, Effect
from tests.cast import reviewer
from tests.engine.chain import faults_in
from tests.engine.target import (
    Target,
    approved,
    dies_after,
    dies_before,
    known,
    lost,
    never_arrives,
    refuses,
    well,
)
from tests.engine.test_replay import assert_tables_match_the_log
from tests.faults.outages import Died
from tests.pages.reading import Reader
from tests.world import Desk


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> Target:
    return known(monkeypatch)


def kinds(desk: Desk, run_id: uuid.UUID) -> list[str]:
    return [kind for kind in desk.database.kinds(run_id) if kind.startswith("effect_")]


def said(desk: Desk, run_id: uuid.UUID, kind: str) -> list[dict[str, Any]]:
    return [json.loads(e["payload"]) for e in desk.database.log(run_id) if e["kind"] == kind]


def others_come_by(desk: Desk, run_id: uuid.UUID, times: int = 3) -> None:
    for _ in range(times):
        desk.database.call_is_over_for(run_id)
        desk.work_on_after_waiting(run_id)


class TestAWorkerThatDies:
    """Nothing was written about what became of its call."""

    def test_c01_after_the_act_is_followed_by_one_that_asks_the_target(
        self, desk: Desk, target: Target
    ) -> None:
        run_id = approved(desk, "a lamp")
        target.behaves.append(dies_after)
        with pytest.raises(Died):
            desk.work(run_id)
        assert Effect.objects.get().status == "executing"

        others_come_by(desk, run_id)

        assert (target.made, target.calls, target.asked) == (["a lamp"], 1, 1)
        assert kinds(desk, run_id) == [
            "effect_requested",
            "effect_prepared",
            "effect_intended",
            "effect_reconciled",
            "effect_verified",
            "effect_committed",
        ]
        assert Effect.objects.get().outcome == "found by key"

    def test_c01_before_the_act_is_followed_by_one_that_sends_the_same_key_once(
        self, desk: Desk, target: Target
    ) -> None:
        run_id = approved(desk, "a lamp")
        target.behaves.append(dies_before)
        with pytest.raises(Died):
            desk.work(run_id)

        others_come_by(desk, run_id)

        assert (target.made, target.calls, len(target.keys)) == (["a lamp"], 2, 1)
        (one, other) = said(desk, run_id, "effect_intended")
        assert one["idempotency_key"] == other["idempotency_key"]
        assert [said["finding"] for said in said(desk, run_id, "effect_reconciled")] == ["absent"]

    def test_c01_is_never_taken_for_one_that_did_nothing_while_its_call_may_arrive(
        self, desk: Desk, target: Target
    ) -> None:
        run_id = approved(desk, "a lamp")
        target.behaves.append(dies_before)
        with pytest.raises(Died):
            desk.work(run_id)

        for _ in range(3):
            desk.work_on_after_waiting(run_id)

        assert (target.made, target.calls) == ([], 1)
        assert desk.run(run_id).status == "waiting_external"
        assert Effect.objects.get().status == "executing"
        assert "lapsed" not in desk.proposal(run_id).status


class TestALookThatComesTooEarly:
    """The target has done it, and does not show it yet."""

    SHOWS: dict[str, list[Any]] = {
        "nothing for a while": [None, None, None],
        "now nothing and now the thing": [None, "large"],
        "nothing and no answer": [None, TimeoutError("no answer"), None],
    }

    @pytest.mark.parametrize("shows", SHOWS)
    def test_c61_is_repeated_and_nothing_is_made_again(
        self, shows: str, desk: Desk, target: Target
    ) -> None:
        run_id = approved(desk, "a lamp")
        target.shows.extend(self.SHOWS[shows])
        desk.work(run_id)
        effect = Effect.objects.get()
        assert (effect.status, effect.verification) == ("succeeded", "not_yet")
        assert effect.committed_at is None
        page = Reader(desk.people.otto).get(f"/runs/{run_id}/")
        assert "Committed: not reached" in page.text

        others_come_by(desk, run_id, 4)

        assert Effect.objects.get().committed_at is not None
        assert (target.made, target.taken, target.calls) == (["a lamp"], [], 1)
        seen = said(desk, run_id, "effect_verified")
        assert [one["verification"] for one in seen] == [
            *["not_yet"] * (len(seen) - 1),
            "passed",
        ]
        assert all("observed" in one for one in seen)
        assert not Alert.objects.exists()

    def test_c61_to_the_end_of_its_time_is_a_matter_for_a_person(
        self, desk: Desk, target: Target, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from tests.engine.target import Make

        run_id = approved(desk, "a lamp")
        target.shows.extend([None] * 20)
        desk.work(run_id)
        desk.work_on_after_waiting(run_id)
        assert said(desk, run_id, "effect_verified")[-1]["verification"] == "not_yet"
        monkeypatch.setattr(Make, "verify_seconds", 0.0)
        run_id = approved(desk, "a chair")
        desk.work(run_id)

        run, (alert,) = desk.run(run_id), Alert.objects.all()
        assert (run.status, run.reason_code) == ("paused", "verification_failed")
        assert (alert.kind, alert.status) == ("verification_failed", "open")
        assert (target.made, target.taken) == (["a lamp", "a chair"], [])
        assert Effect.objects.get(run_id=run_id).status == "succeeded"

    def test_c61_after_a_create_without_an_answer_is_no_reason_for_a_second_one(
        self, desk: Desk, target: Target
    ) -> None:
        """The call was given up, the thing is being made, and is not shown for a while."""
        run_id = approved(desk, "a lamp")
        target.behaves.append(lost)
        target.shows.extend([None, None])

        desk.work(run_id)
        others_come_by(desk, run_id, 4)

        assert (target.made, target.calls) == (["a lamp"], 1)
        assert Effect.objects.get().committed_at is not None


class TestAWayBackThatStopsHalfway:
    """Three things are made, one after the other, and then all of it is taken back."""

    @pytest.fixture
    def run_id(self, desk: Desk, target: Target) -> uuid.UUID:
        run_id = desk.start_run()
        for thing in ("one", "two", "three"):
            approved(desk, thing, run_id)
            desk.work(run_id)
        assert target.made == ["one", "two", "three"]
        return run_id

    def roll_back(self, desk: Desk, run_id: uuid.UUID) -> None:
        api.roll_back(run_id, operator=reviewer(desk.people.otto), reason="All of it was wrong.")

    def test_c64_goes_in_the_order_that_was_shown_before(
        self, desk: Desk, target: Target, run_id: uuid.UUID
    ) -> None:
        made = {str(one.pk): one.external_resource_id for one in Effect.objects.all()}
        shown = [made[step.effect_id] for step in api.preview_rollback(run_id).steps]
        self.roll_back(desk, run_id)
        desk.work(run_id)

        assert target.taken == ["three", "two", "one"] == shown

    @pytest.mark.parametrize("trouble", [refuses, never_arrives, lost])
    def test_c63_is_never_told_as_rolled_back(
        self, trouble: Any, desk: Desk, target: Target, run_id: uuid.UUID
    ) -> None:
        """The second of three: refused, or nobody knows; the answer alone being lost is no
        trouble, for the target can be asked."""
        target.behaves.extend([well, *[trouble] * 3])
        self.roll_back(desk, run_id)
        desk.work(run_id)
        for _ in range(3):
            desk.work_on_after_waiting(run_id)

        run = desk.run(run_id)
        if trouble is lost:
            others_come_by(desk, run_id, 6)
            assert desk.run(run_id).status == "rolled_back"
            assert target.taken == ["three", "two", "one"]
            return
        assert target.taken == ["three"]
        assert run.status != "rolled_back"
        if trouble is refuses:
            assert (run.status, run.reason_code) == ("paused", "rollback_failed")
            assert Alert.objects.get().kind == "rollback_failed"
        else:
            assert Effect.objects.filter(status="unknown").count() == 1
        assert faults_in(desk.database, run_id) == []
        assert_tables_match_the_log(desk.database, run_id)

    def test_c63_by_a_worker_s_death_takes_nothing_back_twice(
        self, desk: Desk, target: Target, run_id: uuid.UUID
    ) -> None:
        target.behaves.append(dies_after)
        self.roll_back(desk, run_id)
        with pytest.raises(Died):
            desk.work(run_id)

        others_come_by(desk, run_id)

        assert target.taken == ["three", "two", "one"]
        assert desk.run(run_id).status == "rolled_back"
        assert len({effect.idempotency_key for effect in Effect.objects.all()}) == 6

    def test_c63_is_gone_on_with_once_a_person_has_done_the_stuck_one(
        self, desk: Desk, target: Target, run_id: uuid.UUID
    ) -> None:
        target.behaves.extend([well, refuses])
        self.roll_back(desk, run_id)
        desk.work(run_id)
        stuck = Effect.objects.get(external_resource_id="two", compensates=None)
        page = Reader(desk.people.otto).get(f"/runs/{run_id}/rollback/")
        assert page.status == 200

        api.confirm_by_hand(
            run_id,
            stuck.pk,
            operator=reviewer(desk.people.otto),
            seen_evidence="A photograph of the shelf.",
            reason="I took it away myself.",
        )
        desk.work(run_id)

        assert target.taken == ["three", "one"]
        assert desk.run(run_id).status == "rolled_back"
        assert_tables_match_the_log(desk.database, run_id)


def test_c63_what_cannot_be_taken_back_says_so_before_it_is_approved(desk: Desk) -> None:
    proposal = desk.propose_for_good()

    page = Reader(desk.people.rosa).get(f"/proposals/{proposal.proposal_id}/1/")

    assert "It is itself a rollback; it is not rolled back in turn." in page.text
    assert page.asked_for == "25.00"
