"""A state of any size: what is large is sent once, read when it is looked at, and never another."""

import itertools
import json
import random
import uuid
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest

from engine import api, auditing, history, references, values
from engine.canonical import packed
from engine.errors import BadInput
from engine.kit.sql import SqlUpdate
from engine.models import Alert, Checkpoint, Value
from engine.types import Verified
from engine.waits import wait_for
from engine.workflows import Context, Next, Workflow, finish, go, propose
from tests.cast import reviewer
from tests.engine.test_one_statement import commits_by, named, overheard
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Database, Desk

pytestmark = pytest.mark.usefixtures("registries", "nothing_remembered")

NOISE = random.Random(1)  # noqa: S311 - the same each time
REPORT = [NOISE.randbytes(20).hex() for _ in range(3_000)]
"""About 130 kB of JSON, which hardly shrinks."""
LIKENESS = {"$value": f"sha256:{'ab' * 32}", "bytes": 7}
SMALL = 4_000
_walks = itertools.count()


@pytest.fixture
def nothing_remembered() -> None:
    values.forget()


def walking(*steps: Any) -> str:
    """A workflow that visits these functions one after another; the last one ends it."""
    name = f"walk{next(_walks)}"
    made = Workflow(name, start="node0")
    for number, step in enumerate(steps):
        made.node(to=[f"node{number + 1}"] if number + 1 < len(steps) else [], ends=True)(
            type(step)(step.__code__, step.__globals__, f"node{number}", None, step.__closure__)
        )
    made.check()
    return name


def walked(desk: Desk, *steps: Any) -> uuid.UUID:
    run_id = desk.start_run(walking(*steps))
    desk.work(run_id)
    assert desk.run(run_id).status == "completed"
    return run_id


def makes_a_report(ctx: Context) -> Next:
    return go("node1", report=REPORT, number=1)


def said_by(desk: Desk, run_id: uuid.UUID, kind: str) -> dict[str, Any]:
    events = [event for event in desk.database.log(run_id) if event["kind"] == kind]
    found: dict[str, Any] = json.loads(events[-1]["payload"])
    return found


def damage(database: Database) -> None:
    """Somebody with all rights puts another value in its place, of the same length."""
    with database.connected() as attacker:
        attacker.execute("SET session_replication_role = replica")
        attacker.execute("UPDATE engine_value SET body = reverse(body)")
    values.forget()


class TestALargeValueOfTheState:
    def test_stands_beside_the_log_which_names_it(self, desk: Desk) -> None:
        run_id = walked(desk, makes_a_report, lambda ctx: finish())

        (kept,) = Value.objects.all()
        named = said_by(desk, run_id, "run_moved")["set"]["report"]
        assert references.is_reference(named)
        assert named["$value"] == f"sha256:{bytes(kept.digest).hex()}"
        assert json.loads(references.text_of(bytes(kept.body))) == REPORT
        assert max(len(event["payload"]) for event in desk.database.log(run_id)) < SMALL
        assert max(len(c.state_snapshot) for c in Checkpoint.objects.all()) < SMALL

    def test_is_what_the_next_node_finds(self, desk: Desk) -> None:
        run_id = walked(desk, makes_a_report, lambda ctx: finish(lines=len(ctx.state["report"])))

        assert said_by(desk, run_id, "run_ended")["set"] == {"lines": len(REPORT)}

    def test_is_found_by_another_worker_too(self, desk: Desk) -> None:
        def looks(ctx: Context) -> Next:
            values.forget()
            return finish(same=ctx.state["report"] == REPORT, all=sorted(ctx.state))

        run_id = walked(desk, makes_a_report, looks)

        ended = said_by(desk, run_id, "run_ended")["set"]
        assert ended == {"same": True, "all": ["number", "report"]}

    def test_is_not_changed_by_a_node_that_changes_what_it_was_given(self, desk: Desk) -> None:
        def spoils(ctx: Context) -> Next:
            ctx.state["report"].clear()
            return go("node2", number=2)

        run_id = walked(
            desk, makes_a_report, spoils, lambda ctx: finish(lines=len(ctx.state["report"]))
        )

        assert said_by(desk, run_id, "run_ended")["set"] == {"lines": len(REPORT)}

    def test_is_handed_on_whole(self, desk: Desk) -> None:
        run_id = walked(desk, makes_a_report, lambda ctx: finish(before=ctx.state))

        before = values.opened(said_by(desk, run_id, "run_ended")["set"]["before"])
        assert before == {"report": REPORT, "number": 1}

    def test_is_read_only_by_a_node_that_looks_at_it(self, desk: Desk) -> None:
        def does_not_look(ctx: Context) -> Next:
            return finish(number=ctx.state["number"], there="report" in ctx.state)

        run_id = desk.start_run(walking(makes_a_report, does_not_look))
        with patch.object(values, "remember", lambda kept: None), overheard() as messages:
            desk.work(run_id)

        assert desk.run(run_id).status == "completed"
        assert not [message for message in messages if "value_body" in message]


class TestWhatIsSent:
    @pytest.fixture
    def prepared(self, desk: Desk) -> None:
        """The connection has seen every statement before."""
        walked(desk, lambda ctx: go("node1", report=["other", *REPORT]), lambda ctx: finish())

    def test_with_a_new_value_is_one_statement_and_one_commit(
        self, prepared: None, desk: Desk
    ) -> None:
        run_id = desk.start_run(walking(makes_a_report, lambda ctx: finish()))
        with overheard() as messages:
            commits = commits_by(desk.database, lambda: desk.work(run_id))

        written = len(desk.database.log(run_id)) - 1
        assert "run_moved" in desk.database.kinds(run_id)
        assert commits == written
        assert len([one for one in named(messages, "Bind") if "value_body" in one]) == 0

    def test_is_nothing_of_a_value_that_has_not_changed(self, prepared: None, desk: Desk) -> None:
        def gives_it_back(ctx: Context) -> Next:
            return go("node2", report=[*ctx.state["report"]], number=2)

        run_id = desk.start_run(walking(makes_a_report, gives_it_back, lambda ctx: finish()))
        with overheard() as messages:
            desk.work(run_id)

        sizes = sorted(int(message.split("\t")[1]) for message in named(messages, "Bind"))
        assert desk.database.kinds(run_id).count("run_moved") == 2
        assert len([size for size in sizes if size > SMALL]) == 1

    def test_does_not_grow_with_a_state_that_has_grown_in_small_pieces(self, desk: Desk) -> None:
        pieces = {f"piece{number}": "x" * 5_000 for number in range(60)}

        run_id = desk.start_run(walking(lambda ctx: finish(size=len(ctx.state))), **pieces)
        with overheard() as messages:
            desk.work(run_id)

        assert said_by(desk, run_id, "run_ended")["set"] == {"size": 60}
        sizes = [int(message.split("\t")[1]) for message in named(messages, "Bind")]
        assert max(sizes) < references.LIMIT * 2
        assert history.replayed(run_id).state.keys() == {*pieces, "size"}

    def test_is_bounded_where_each_event_brings_little(self, desk: Desk) -> None:
        def adds(ctx: Context) -> Next:
            number = len(ctx.state)
            more = {f"piece{number}": f"{number}" * 4_000}
            return finish(**more) if number > 30 else go("node0", **more)

        made = Workflow("adds", start="node0")
        adds.__name__ = "node0"
        made.node(to=["node0"], ends=True)(adds)
        run_id = desk.start_run("adds")

        desk.work(run_id)

        assert desk.run(run_id).status == "completed"
        largest = max(len(one.state_snapshot) for one in Checkpoint.objects.filter(run_id=run_id))
        assert largest < references.LIMIT * 2
        assert auditing.run_once(run_id).intact


class TestWhatElseMayBeLarge:
    def test_a_recorded_value(self, desk: Desk) -> None:
        def asks(ctx: Context) -> Next:
            answer = ctx.record("answer", lambda: REPORT)
            return finish(same=answer == REPORT, again=ctx.record("answer", list) == REPORT)

        run_id = walked(desk, asks)

        assert references.is_reference(said_by(desk, run_id, "value_recorded")["value"])
        assert said_by(desk, run_id, "run_ended")["set"] == {"same": True, "again": True}

    def test_a_plan(self, desk: Desk) -> None:
        def plans(ctx: Context) -> Next:
            ctx.switch_plan("other", REPORT)
            return go("node1")

        run_id = walked(desk, plans, lambda ctx: finish(steps=len(ctx.state["plan"])))

        assert references.is_reference(said_by(desk, run_id, "plan_switched")["plan"])
        assert said_by(desk, run_id, "run_ended")["set"] == {"steps": len(REPORT)}

    @pytest.mark.parametrize("early", [True, False], ids=["that-came-early", "waited-for"])
    def test_an_event_from_outside(self, early: bool, desk: Desk) -> None:
        run_id = desk.start_run(
            walking(waits, lambda ctx: finish(same=ctx.event["payload"] == REPORT))
        )
        if not early:
            desk.work(run_id)
        api.deliver_event("scanned", "A-1", "1", REPORT, sender="agent:scanner")
        desk.work(run_id)

        assert references.is_reference(said_by(desk, run_id, "event_received")["payload"])
        assert said_by(desk, run_id, "run_ended")["set"] == {"same": True}
        assert_tables_match_the_log(desk.database, run_id)

    def test_a_piece_of_an_agent_s_evidence(self, desk: Desk) -> None:
        proposal = desk.propose_refund(evidence=[{"short": 1}, REPORT])

        short, report = proposal.evidence
        assert (short, references.is_reference(report)) == ({"short": 1}, True)
        assert json.loads(bytes(proposal.terms))["evidence"] == proposal.evidence
        assert values.opened(report) == REPORT
        desk.approve(proposal)
        desk.work(proposal.run_id)
        assert_tables_match_the_log(desk.database, proposal.run_id)

    def test_the_state_that_a_run_begins_with_and_that_a_fork_inherits(self, desk: Desk) -> None:
        run_id = desk.start_run(report=REPORT)
        desk.work(run_id)

        fork = api.fork_run(
            run_id, 1, operator=reviewer(desk.people.otto), reason="Again, otherwise."
        )

        assert references.is_reference(said_by(desk, run_id, "run_accepted")["state"]["report"])
        assert history.position_at(fork, 1).state == history.position_at(run_id, 1).state
        assert Value.objects.count() == 1


def waits(ctx: Context) -> Next:
    return wait_for("scanned", key="A-1", then="node1", expires=timedelta(days=1))


class TestADamagedValue:
    def test_stops_the_run_that_looks_at_it(self, desk: Desk) -> None:
        def looks(ctx: Context) -> Next:
            damage(desk.database)
            return finish(lines=len(ctx.state["report"]))

        run_id = desk.start_run(walking(makes_a_report, looks))

        desk.work(run_id)

        run, (alert,) = desk.run(run_id), Alert.objects.all()
        assert (run.status, run.reason_code) == ("paused", "checksum_mismatch")
        assert (alert.kind, "altered" in alert.summary) == ("checksum_mismatch", True)

    def test_is_nothing_to_a_run_that_does_not_look_at_it(self, desk: Desk) -> None:
        def does_not(ctx: Context) -> Next:
            damage(desk.database)
            return finish(number=ctx.state["number"])

        walked(desk, makes_a_report, does_not)


class TestVerifyingTheLog:
    def test_asks_for_each_value_that_it_names(self, desk: Desk) -> None:
        run_id = walked(desk, makes_a_report, lambda ctx: finish())
        assert auditing.run_once(run_id).intact

        damage(desk.database)

        (fault,) = auditing.run_once(run_id).faults
        assert (fault.seq, "was altered" in fault.what) == (4, True)

    def test_tells_of_one_that_is_gone(self, desk: Desk) -> None:
        run_id = desk.start_run(report=REPORT)
        with desk.database.connected() as attacker:
            attacker.execute("SET session_replication_role = replica")
            attacker.execute("DELETE FROM engine_value")

        (fault,) = auditing.run_once(run_id).faults
        assert (fault.seq, "is missing" in fault.what) == (1, True)


class TestALikeness:
    """What looks like a reference and is none is nobody's to bring in."""

    @pytest.mark.parametrize(
        "state", [{"a": LIKENESS}, {"a": [{"b": LIKENESS}]}, {"a": {**LIKENESS, "more": 1}}]
    )
    def test_is_refused_of_whoever_starts_a_run(self, state: Any, desk: Desk) -> None:
        with pytest.raises(BadInput, match=r"\$value"):
            desk.start_run(**state)

    def test_is_refused_of_an_agent_and_of_the_outside(self, desk: Desk) -> None:
        with pytest.raises(BadInput, match=r"\$value"):
            desk.propose_refund(evidence=[LIKENESS])
        with pytest.raises(BadInput, match=r"\$value"):
            api.deliver_event("scanned", "A-1", "1", LIKENESS, sender="agent:scanner")

    @pytest.mark.parametrize("size", [0, 50_000])
    def test_is_refused_of_a_node(self, size: int, desk: Desk) -> None:
        said = {"a": LIKENESS, "b": "x" * size}
        run_id = desk.start_run(walking(lambda ctx: finish(said=said)))

        desk.work(run_id)

        assert "$.said.a" in said_by(desk, run_id, "node_failed")["error"]

    def test_that_a_target_says_is_kept_visibly_as_what_it_is(self, desk: Desk) -> None:
        seen = Verified(verification="mismatch", expected=1, observed=[LIKENESS])
        proposal = desk.approved_refund()
        with patch.object(SqlUpdate, "verify", lambda *args, **facts: seen):
            desk.work(proposal.run_id)

        (observed,) = said_by(desk, proposal.run_id, "effect_verified")["observed"]
        assert observed == {"\u27e8$value\u27e9": LIKENESS["$value"], "bytes": 7}

    def test_in_a_node_s_evidence_is_made_visible(self, desk: Desk) -> None:
        arguments = {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "25.00"}
        made = Workflow("walk", start="asks")

        def asks(ctx: Context) -> Next:
            return propose(
                "ledger.refund", arguments, why="Broken.", then="done", evidence=[LIKENESS, REPORT]
            )

        def done(ctx: Context) -> Next:
            return finish()

        made.node(to=["done"])(asks)
        made.node(ends=True)(done)
        run_id = desk.start_run("walk")
        desk.work(run_id)

        likeness, report = desk.proposal(run_id).evidence
        assert "\u27e8$value\u27e9" in likeness
        assert values.opened(report) == REPORT


def test_a_value_that_does_not_shrink_is_kept_as_it_is() -> None:
    noise = packed(REPORT)
    kept = references.Kept.of(noise)

    assert kept.body == noise
    assert references.text_of(kept.body) == noise
