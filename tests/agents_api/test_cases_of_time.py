"""What went wrong elsewhere with deadlines, timers and runs that nobody wakes."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from engine import api, sweeper, worker, workflows
from engine.models import Decision, Proposal
from engine.waits import Wall, ends, sleep_for
from engine.workflows import Context, Next, Workflow, finish
from tests.agents_api.caller import RUNS, problem
from tests.agents_api.office import Office, Place
from tests.cast import reviewer
from tests.pages.reading import Reader, address_of
from tests.world import Desk


@pytest.fixture
def place(office: Office, desk: Desk) -> Place:
    place = office.propose(desk.purchase())
    office.work(place)
    return place


def deadline_passes(office: Office, place: Place) -> None:
    version = Proposal.objects.get(proposal_id=place[1])
    office.desk.database.deadline_passes_for(version.pk)


def test_c26_what_has_expired_is_told_so_on_the_page_to_the_agent_and_in_the_log(
    office: Office, desk: Desk, place: Place
) -> None:
    address = address_of(office.shown(place))
    form = {**office.rosa.get(address).form, "decision": "approve", "reason": "Yes."}
    deadline_passes(office, place)
    pressed = office.rosa.post(f"{address}decide/", **form)
    assert (pressed.status, Decision.objects.count()) == (409, 0)
    assert "approved this" not in pressed.text
    assert 'name="decision"' not in office.rosa.get(address).html

    sweeper.run_once()
    office.work(place)
    told = office.caller.proposal(*place)
    assert (told["status"], told["final"], told["effect"]) == ("expired", True, None)
    assert "nothing ran, and nothing of it ever will" in str(told)
    kinds = desk.database.kinds(place[0])
    assert "decision_made" not in kinds
    assert desk.ledger.balance() == "5000.00"


@pytest.mark.parametrize("odd", [0, -1, "5", True, 1.5, {}], ids=repr)
def test_c27_an_odd_time_limit_is_refused_as_it_is_asked_for(
    odd: Any, office: Office, desk: Desk
) -> None:
    run_id = office.caller.start_run()
    body = office.body(desk.purchase(), valid_seconds=odd)
    answer = office.caller.post(f"{RUNS}/{run_id}/proposals", body)
    problem(answer, 422, "bad_input", "$.valid_seconds")


@pytest.mark.parametrize("limit", [{}, {"valid_seconds": None}, {"valid_seconds": 5}], ids=repr)
def test_c27_time_alone_never_approves(limit: dict[str, Any], office: Office, desk: Desk) -> None:
    """Without a limit, with none, with a short one: there is always one, and it ends in no."""
    order = desk.purchase()
    place = office.propose(order, **limit)
    office.work(place)
    assert Proposal.objects.get().valid_until is not None
    deadline_passes(office, place)
    for _ in range(2):
        sweeper.run_once()
        office.work(place)
    assert office.stands(place) == "expired"
    (ended,) = [e for e in desk.database.log(place[0]) if e["kind"] == "proposal_expired"]
    assert not ended["actor"].startswith("person:")
    assert "Nobody decided this" in office.rosa.get(address_of(office.shown(place))).text
    assert (Decision.objects.count(), desk.ledger.movements(order)) == (0, 0)


def test_c28_one_run_that_cannot_be_read_keeps_no_other_asleep(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty wait for a time; what one has saved is damaged; nobody was there as it came."""
    monkeypatch.setattr(workflows, "_registry", dict(workflows._registry))
    made = Workflow("sleepy", start="first")

    def first(ctx: Context) -> Next:
        return sleep_for(timedelta(seconds=5), then="woken")

    def woken(ctx: Context) -> Next:
        return finish()

    made.node(to=["woken"])(first)
    made.node(ends=True)(woken)
    twenty = [desk.start_run("sleepy") for _ in range(20)]
    for run_id in twenty:
        desk.work(run_id)
    poisonous = twenty[0]
    with desk.database.connected() as by_force:
        by_force.execute("SET session_replication_role = replica")
        by_force.execute("UPDATE engine_event SET payload = '{' WHERE run_id = %s", [poisonous])
        by_force.execute("DELETE FROM engine_checkpoint WHERE run_id = %s", [poisonous])
    for run_id in twenty:
        desk.database.time_passes_for(run_id)
    otto = Reader(desk.people.otto)
    assert "20 runs could go on" in otto.get("/overview/").text

    found = sweeper.run_once().runs
    assert set(found) == set(twenty)
    for run_id in found:
        worker.run_once(run_id)

    ends_of = {run_id: desk.run(run_id).status for run_id in twenty}
    assert ends_of.pop(poisonous) == "paused"
    assert set(ends_of.values()) == {"completed"}
    assert desk.run(poisonous).reason_code == "checksum_mismatch"
    assert str(poisonous) in otto.get("/alerts/").html
    assert "Every run that can go on has a worker." in otto.get("/overview/").text


LOS_ANGELES = "America/Los_Angeles"


def local(written: str) -> datetime:
    return datetime.fromisoformat(written)


def test_c30_a_length_of_time_is_time_that_really_passes() -> None:
    """Half past midnight, and the clocks go back an hour at two: two hours later it is half past
    one for the second time."""
    now = local("2026-11-01T00:30").replace(tzinfo=ZoneInfo(LOS_ANGELES)).astimezone(UTC)
    end = ends(timedelta(hours=2), now)
    assert end == datetime(2026, 11, 1, 9, 30, tzinfo=UTC)
    shown = end.astimezone(ZoneInfo(LOS_ANGELES))
    assert (f"{shown:%H:%M}", shown.fold) == ("01:30", 1)


def test_c30_what_the_clocks_leave_out_or_show_twice_is_one_instant() -> None:
    now = datetime(2026, 3, 8, 0, tzinfo=UTC)
    left_out = Wall(zone=LOS_ANGELES, shown=local("2026-03-08T02:30"))
    assert ends(left_out, now) == datetime(2026, 3, 8, 10, 0, tzinfo=UTC)
    twice = Wall(zone=LOS_ANGELES, shown=local("2026-11-01T01:30"))
    assert ends(twice, now) == datetime(2026, 11, 1, 8, 30, tzinfo=UTC)


@pytest.mark.parametrize(("day", "times"), [("2026-03-08", 23), ("2026-11-01", 25)])
def test_c30_every_hour_of_such_a_day_comes_once(day: str, times: int) -> None:
    zone = ZoneInfo(LOS_ANGELES)
    now = datetime.fromisoformat(day).replace(tzinfo=zone).astimezone(UTC)
    hours = []
    while now.astimezone(zone).date().isoformat() == day:
        hours.append(now)
        now = ends(timedelta(hours=1), now)
    assert len(set(hours)) == times


def test_c32_what_ended_otherwise_waits_for_nobody_any_more(
    office: Office, desk: Desk, place: Place
) -> None:
    address = address_of(office.shown(place))
    assert f"{place[1]}" in office.rosa.get("/inbox/").html
    assert "Inbox 1 " in office.rosa.get("/runs/").text
    api.cancel_run(place[0], operator=reviewer(desk.people.otto), reason="The customer called.")
    office.work(place)

    assert office.stands(place) == "withdrawn"
    assert f"{place[1]}" not in office.rosa.get("/inbox/").html
    overview = Reader(desk.people.rosa).get("/overview/").html
    assert f"{place[1]}" not in overview
    assert "Inbox 1 " not in office.rosa.get("/runs/").text
    page = office.rosa.get(address)
    assert (page.status, 'name="decision"' in page.html) == (200, False)
    listed = office.caller.get(RUNS).json()["runs"]
    assert [one["status"] for one in listed] == ["cancelled"]


def test_c33_what_nobody_decided_ends_although_its_only_reviewer_is_away(
    office: Office, desk: Desk, place: Place
) -> None:
    assert "left" in office.rosa.get("/inbox/").text
    desk.database.execute("UPDATE oversight_person SET is_active = false WHERE username = 'rosa'")
    deadline_passes(office, place)
    assert sweeper.run_once().expired == 1
    assert sweeper.run_once().expired == 0
    office.work(place)
    told = office.caller.proposal(*place)
    assert (told["status"], told["final"]) == ("expired", True)
    assert desk.database.kinds(place[0]).count("proposal_expired") == 1


@pytest.mark.parametrize("lost", ["every worker is down", "the message is lost"])
def test_c21_an_approval_is_carried_out_although_nobody_heard_of_it(
    lost: str, office: Office, desk: Desk, place: Place
) -> None:
    order = Proposal.objects.get().arguments
    assert office.decide(place).status == 302
    desk.database.hints.clear()
    overview = Reader(desk.people.otto).get("/overview/").text
    assert "1 run could go on and has no worker" in overview
    (found,) = sweeper.run_once().runs
    assert found == place[0]
    if lost == "every worker is down":
        assert sweeper.run_once().runs == (found,), "it is found as often as it is looked for"
    worker.run_once(found)
    told = office.caller.proposal(*place)
    assert told["effect"]["committed_at"], order


def test_c25_an_event_that_is_told_again_is_answered_at_once_and_counts_once(
    office: Office, desk: Desk
) -> None:
    order = desk.purchase()
    run_id = desk.start_run("refund_on_return", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    event = {"name": "goods_returned", "key": order, "external_id": "p-1", "payload": {"n": 1}}
    answers = [office.caller.post("/api/v1/events", event) for _ in range(3)]
    assert {answer.status_code for answer in answers} == {200}
    assert [answer.json()["outcome"] for answer in answers] == [
        "delivered",
        "duplicate_ignored",
        "duplicate_ignored",
    ]
    desk.work(run_id)
    assert desk.database.kinds(run_id).count("event_received") == 1
    assert Proposal.objects.count() == 1


def test_c62_what_is_told_late_does_not_set_a_run_back(office: Office, desk: Desk) -> None:
    """It waited for one event and had it; an older one, that comes later, is nothing to it."""
    order = desk.purchase()
    run_id = desk.start_run("refund_on_return", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)

    def told(number: int, state: str) -> str:
        body = {"name": "goods_returned", "key": order, "external_id": f"p-{number}"}
        answer = office.caller.post("/api/v1/events", {**body, "payload": {"state": state}})
        assert answer.status_code == 200
        return str(answer.json()["outcome"])

    assert told(2, "succeeded") == "delivered"
    desk.work(run_id)
    before = desk.database.log(run_id)
    assert told(1, "pending") == "kept"
    assert told(2, "succeeded") == "duplicate_ignored"
    assert desk.work(run_id).outcome == "nothing to do"
    assert desk.database.log(run_id) == before
    proposal = desk.proposal(run_id)
    assert proposal.evidence == [{"state": "succeeded"}]
    desk.approve(proposal)
    desk.work(run_id)
    assert told(3, "failed") == "kept"
    assert desk.run(run_id).status == "completed"
    assert uuid.UUID(str(run_id)) not in sweeper.run_once().runs
