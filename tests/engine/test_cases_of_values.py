"""What went wrong elsewhere with values on their way: what a target answers, what a state holds,
what is spelled in two ways."""

import enum
import io
import json
import math
import uuid
import zipfile
from collections import deque
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from engine import auditing
from engine.models import Alert, Effect, Evidence
from engine.workflows import Context, Next, Workflow, finish, go
from tests.engine.target import Target, approved, known
from tests.pages.reading import Reader, address_of
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> Target:
    return known(monkeypatch)


def strict(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def kept(run_id: uuid.UUID) -> Any:
    """The evidence of the run's effect, by a parser that takes nothing but JSON."""
    body = Evidence.objects.get(sha256=Effect.objects.get(run_id=run_id).result_ref).body
    return json.loads(bytes(body), parse_constant=strict)


def nested(depth: int) -> Any:
    value: Any = "the bottom"
    for _ in range(depth):
        value = [value]
    return value


def holding_itself() -> Any:
    value: list[Any] = ["round"]
    value.append(value)
    return value


ANSWERS: dict[str, Any] = {
    "no numbers": {"accuracy": 0.5, "consistency": math.nan, "x": math.inf, "y": -math.inf},
    "two keys that are written alike": {1: "a", "1": "b"},
    "a key that is no text": {(1, 2): "x"},
    "a set": {"seen": {1}},
    "bytes": {"raw": b"\x00\xff"},
    "an exact number": {"amount": Decimal("1.10")},
    "deeply nested": nested(10_000),
    "something that holds itself": holding_itself(),
    "two million letters": {"log": "x" * 2_000_000},
}


@pytest.mark.parametrize("what", ANSWERS)
def test_c50_an_odd_answer_is_kept_and_the_act_is_not_done_again(
    what: str, desk: Desk, target: Target
) -> None:
    target.answers = ANSWERS[what]
    run_id = approved(desk, "a lamp")
    desk.work(run_id)
    for _ in range(2):
        desk.work_on_after_waiting(run_id)

    assert (target.made, target.calls) == (["a lamp"], 1)
    assert Effect.objects.get().committed_at is not None
    told = json.dumps(kept(run_id))
    for word in ("nan", "inf") if what == "no numbers" else ():
        assert f'"{word}"' in told
    for word in ("'a'", "'b'") if "alike" in what else ():
        assert word in told
    assert_it_can_be_looked_at_and_taken_away(desk, run_id)


def assert_it_can_be_looked_at_and_taken_away(desk: Desk, run_id: uuid.UUID) -> None:
    ada = Reader(desk.people.ada)
    for address in (f"/runs/{run_id}/", f"/audit/?run={run_id}", "/runs/"):
        assert ada.get(address).status == 200
    response = ada.client.post("/audit/export/", {"what": "export", "run": str(run_id)})
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        for line in archive.read("events.jsonl").splitlines():
            json.loads(json.loads(line)["payload"], parse_constant=strict)
    assert auditing.run_once().intact


class Colour(enum.Enum):
    RED = 1


STATES: dict[str, Any] = {
    "a set of pairs": {(1, 2), (3, 4)},
    "a pair as a key": {(1, 2): "x"},
    "a number and its text as keys": {1: "a", "1": "b"},
    "an exact number": Decimal("1.10"),
    "bytes": b"x",
    "an id": uuid.UUID(int=7),
    "a queue": deque([1], maxlen=3),
    "a fraction": Fraction(1, 3),
    "a constant of a list of them": Colour.RED,
    "no number": math.nan,
    "a pair": {"pair": (1, 2)},
    "something of our own": {"deep": [object()]},
}


@pytest.mark.parametrize("what", STATES)
def test_c51_a_state_that_would_come_back_as_something_else_is_not_saved(
    what: str, desk: Desk
) -> None:
    """It is refused as it is set, by its path; nothing of it is saved, and a person is asked."""

    def first(ctx: Context) -> Next:
        return go("last", thing=STATES[what])

    def last(ctx: Context) -> Next:
        return finish()

    made = Workflow("made", start="first")
    made.node(to=["last"])(first)
    made.node(ends=True)(last)
    run_id = desk.start_run("made", before="as it was")
    for _ in range(8):
        desk.work_on_after_waiting(run_id)

    run = desk.run(run_id)
    assert (run.status, run.current_node) == ("paused", "first")
    assert Alert.objects.get().kind == "retries_exhausted"
    failures = [e for e in desk.database.log(run_id) if e["kind"] == "node_failed"]
    assert b"thing" in failures[0]["payload"]
    states = desk.database.rows("SELECT state_snapshot FROM engine_checkpoint")
    assert all('"thing"' not in row["state_snapshot"] for row in states)
    assert '"before":"as it was"' in states[-1]["state_snapshot"]


TIMES = ["2026-01-01T12:00:00", "2026-01-01T12:00:00Z", "2026-01-01T12:00:00.123456+05:30"]


@pytest.mark.parametrize("when", TIMES)
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_c52_a_time_in_an_argument_is_the_text_that_was_approved_wherever_it_is_read(
    zone: str, when: str, desk: Desk, target: Target, settings: Any
) -> None:
    """JSON has no times: what was sent is shown, approved and executed, letter for letter."""
    run_id = approved(desk, when)
    settings.TIME_ZONE = zone
    page = Reader(desk.people.ada).get(address_of(desk.proposal(run_id)))
    assert when in page.text
    desk.work(run_id)

    assert target.made == [when]
    assert Effect.objects.get().external_resource_id == when


COMPOSED, DECOMPOSED = "caf\u00e9.txt", "cafe\u0301.txt"


def test_c54_two_spellings_are_two_things_and_each_reaches_its_target_as_it_is(
    desk: Desk, target: Target
) -> None:
    one, other = approved(desk, COMPOSED), approved(desk, DECOMPOSED)
    digests = {desk.proposal(run_id).digest for run_id in (one, other)}
    assert len(digests) == 2
    desk.work(one)
    assert target.made == [COMPOSED]
    desk.work(other)
    assert target.made == [COMPOSED, DECOMPOSED]
    stored = [json.loads(bytes(desk.proposal(run_id).arguments)) for run_id in (one, other)]
    assert [each["thing"] for each in stored] == [COMPOSED, DECOMPOSED]


SUMS = ["2500.10", "0.30", "100.00", "1.10"]


@pytest.mark.parametrize("amount", SUMS)
def test_c56_an_amount_keeps_its_digits_from_the_request_to_the_ledger(
    amount: str, desk: Desk
) -> None:
    order = desk.purchase(paid="9000.00")
    proposal = desk.propose_refund(order, amount)
    page = Reader(desk.people.rosa).get(address_of(proposal))
    assert f'"amount": "{amount}"' in page.text
    desk.approve(proposal)
    desk.work(proposal.run_id)

    assert desk.ledger.refunded(order) == amount
    assert f'"amount":"{amount}"'.encode() in bytes(proposal.arguments)


@pytest.mark.parametrize("kept_as", ["a record", "a plan", "the end"])
def test_c51_nor_is_it_kept_in_any_other_way(kept_as: str, desk: Desk) -> None:
    value = {"deep": [{(1, 2)}]}

    def first(ctx: Context) -> Next:
        if kept_as == "a record":
            ctx.record("model", lambda: value)
        if kept_as == "a plan":
            ctx.switch_plan("other", value)
        return finish(thing=value) if kept_as == "the end" else finish()

    made = Workflow("made", start="first")
    made.node(ends=True)(first)
    run_id = desk.start_run("made")
    desk.work(run_id)

    (failure,) = [e for e in desk.database.log(run_id) if e["kind"] == "node_failed"]
    assert b"deep[0]: set is not a JSON type" in failure["payload"]
    assert not {"value_recorded", "plan_switched", "run_ended"} & set(desk.database.kinds(run_id))
