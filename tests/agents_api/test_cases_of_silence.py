"""What went wrong elsewhere when no decision, or something odd, was taken for a yes."""

import io
import json
import zipfile
from typing import Any
from urllib.parse import urlencode

import pytest

from engine import api
from tests.agents_api.caller import RUNS
from tests.agents_api.office import Office, Place
from tests.cast import reviewer
from tests.pages.alerts.trouble import address_of as alarm
from tests.pages.alerts.trouble import changed_bytes
from tests.pages.reading import Reader, address_of, contents
from tests.world import DESK_BALANCE, Desk

MISSING = object()
ODD: list[tuple[str, Any]] = [
    ("missing", MISSING),
    ("empty", ""),
    ("null", "null"),
    ("None", "None"),
    ("yes", "yes"),
    ("one", "1"),
    ("true", "true"),
    ("True", "True"),
    ("on", "on"),
    ("an empty object", "{}"),
    ("an empty list", "[]"),
    ("another form of the word", "approved"),
    ("capitals", "APPROVE"),
    ("a blank behind it", "approve "),
    ("a letter that only looks alike", "\u0430pprove"),
    ("a list of it", '["approve"]'),
    ("two decisions", ["approve", "reject"]),
    ("the same decision twice", ["approve", "approve"]),
]
JSON_BODIES: list[Any] = [
    None,
    True,
    1,
    "yes",
    "true",
    "approve",
    [],
    ["approve"],
    {},
    {"decision": None},
    {"decision": True},
    {"decision": 1},
    {"decision": "yes"},
    {"decision": {}},
    {"decision": []},
    {"decision": "approve"},
]
"""As JSON even a whole decision is none: the page's form is the only way."""


@pytest.fixture
def three(office: Office, desk: Desk) -> list[tuple[Place, str]]:
    """Three calls that wait for a decision, each with the order that it would refund."""
    orders = [desk.purchase() for _ in range(3)]
    places = [office.propose(order) for order in orders]
    office.work(*places)
    return list(zip(places, orders, strict=True))


def form_of(office: Office, place: Place) -> tuple[str, dict[str, str]]:
    """Where the decision is posted, and a form that lacks only the decision."""
    address = address_of(office.shown(place))
    return f"{address}decide/", {**office.rosa.get(address).form, "reason": "Seen."}


def work_on(desk: Desk, places: list[tuple[Place, str]]) -> None:
    for (run_id, _), _order in places:
        desk.work(run_id)
        desk.work_on_after_waiting(run_id)


def test_c16_of_three_only_the_one_that_was_decided_is_carried_out(
    office: Office, desk: Desk, three: list[tuple[Place, str]], subtests: pytest.Subtests
) -> None:
    (c1, _), (c2, _), (c3, _) = three
    assert office.decide(c1).status == 302
    address, form = form_of(office, c2)
    before = contents(desk.database)
    for name, said in ODD:
        with subtests.test(decision=name):
            sent = form if said is MISSING else {**form, "decision": said}
            assert office.rosa.post(address, **sent).status in (400, 422)
            assert contents(desk.database) == before
    work_on(desk, three)

    assert [office.ledger.movements(order) for _, order in three] == [1, 0, 0]
    assert [office.stands(place) for place in (c1, c2, c3)] == ["approved", "open", "open"]
    kinds = exported_kinds(Reader(desk.people.ada))
    assert kinds.count("decision_made") == kinds.count("effect_intended") == 1
    page = Reader(desk.people.ada).get("/audit/", kind="decision_made")
    assert "Events that match: 1" in page.text
    for place in (c2, c3):
        run = Reader(desk.people.ada).get(f"/runs/{place[0]}/")
        assert "Waiting for a decision" in run.text


def exported_kinds(ada: Reader) -> list[str]:
    """The kinds of all events, as an export tells them."""
    response = ada.client.post("/audit/export/", {"what": "export"})
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        return [json.loads(line)["kind"] for line in archive.read("events.jsonl").splitlines()]


def test_c16_a_body_that_is_empty_or_no_form_decides_nothing(
    office: Office, desk: Desk, three: list[tuple[Place, str]], subtests: pytest.Subtests
) -> None:
    address, form = form_of(office, three[0][0])
    whole = {**form, "decision": "approve"}
    as_json = [json.dumps(body) for body in (*JSON_BODIES, whole, {"decisions": {"c1": True}})]
    bodies = [
        ("application/x-www-form-urlencoded", ""),
        ("multipart/form-data; boundary=b", ""),
        ("text/plain", urlencode(whole)),
        *(("application/json", body) for body in as_json),
    ]
    before = contents(desk.database)
    for kind, body in bodies:
        with subtests.test(kind=kind, body=body):
            answer = office.rosa.client.post(address, body, content_type=kind)
            assert answer.status_code == 400
            assert contents(desk.database) == before
    work_on(desk, three)
    assert [office.ledger.movements(order) for _, order in three] == [0, 0, 0]


def test_c16_a_map_of_decisions_is_no_way_in_for_an_agent(
    office: Office, desk: Desk, three: list[tuple[Place, str]], subtests: pytest.Subtests
) -> None:
    (run_id, c1), (_, c2) = (place for place, _ in three[:2])
    decisions = {str(c1): True, str(c2): None}
    bodies = [*JSON_BODIES, decisions, {"decisions": decisions}, {"decisions": []}]
    for what in (
        f"proposals/{c1}/decide",
        f"proposals/{c1}/decision",
        "resume",
        "decisions",
        "continue",
    ):
        for body in bodies:
            with subtests.test(what=what, body=body):
                answer = office.caller.post(f"{RUNS}/{run_id}/{what}", body)
                assert answer.status_code == 404
    for what in (f"proposals/{c1}/answers", f"proposals/{c1}/withdraw", "finish", "proposals"):
        for body in bodies:
            if body != {} or what == f"proposals/{c1}/answers":
                with subtests.test(what=what, body=body):
                    answer = office.caller.post(f"{RUNS}/{run_id}/{what}", body)
                    assert answer.status_code == 422
    work_on(desk, three)
    assert [office.stands(place) for place, _ in three] == ["open"] * 3
    assert [office.ledger.movements(order) for _, order in three] == [0, 0, 0]


def test_c16_going_on_grants_nothing(
    office: Office, desk: Desk, three: list[tuple[Place, str]]
) -> None:
    """Neither lifting a stop, nor resuming a run, nor reading, whatever is sent along."""
    otto, ada = Reader(desk.people.otto), Reader(desk.people.ada)
    yes = {"decision": "approve", "approved": "true", "reason": "Go on."}
    api.stop_everything(reviewer(desk.people.otto), "A drill.")
    work_on(desk, three)
    otto.post("/stop/lift/", **yes)
    for what in ("verify", "export"):
        ada.post(f"/audit/{what}/", what=what, **yes)
    for (run_id, proposal_id), _ in three:
        otto.get(f"/proposals/{proposal_id}/1/decide/", **yes)
        otto.get(f"/runs/{run_id}/", **yes)
    work_on(desk, three)
    assert [office.stands(place) for place, _ in three] == ["open"] * 3
    assert [office.ledger.movements(order) for _, order in three] == [0, 0, 0]


def test_c16_resuming_a_paused_run_approves_nothing_in_it(desk: Desk) -> None:
    """What was approved had been changed by hand: the operator's word is no reviewer's."""
    alert = changed_bytes(desk)
    order = desk.purchase()
    desk.ask_for_refund(alert.run_id, order)
    otto = Reader(desk.people.otto)
    said = {"reason": "Go on.", "decision": "approve", "approved": "true", "digest": "0" * 64}
    for _ in range(2):
        assert otto.post(f"{alarm(alert)}resume/", **said).status in (302, 409)
        desk.work(alert.run_id)
        desk.work_on_after_waiting(alert.run_id)
    kinds = desk.database.kinds(alert.run_id)
    assert kinds.count("decision_made") == 1, "the one before the bytes were changed"
    assert "effect_intended" not in kinds
    assert (desk.ledger.movements(order), desk.ledger.balance()) == (0, DESK_BALANCE)
