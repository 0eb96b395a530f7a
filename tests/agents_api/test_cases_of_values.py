"""What went wrong elsewhere with values on their way: NUL, and integers that a browser rounds."""

import json

import pytest

from tests.agents_api.caller import RUNS, problem
from tests.agents_api.office import Office
from tests.pages.reading import address_of, contents
from tests.world import Desk

NUL = "\x00"
WITH_NUL = [
    ({"order": f"A{NUL}1", "customer": "Mara Vogel", "amount": "25.00"}, "$.arguments.order"),
    ({"order": "A-1", "customer": "Mara Vogel", f"amo{NUL}unt": "25.00"}, "$.arguments"),
    ({"order": [{"deep": {f"k{NUL}": 1}}]}, "$.arguments.order[0].deep"),
]


def test_c47_a_nul_is_refused_where_it_stands(
    office: Office, desk: Desk, subtests: pytest.Subtests
) -> None:
    run_id = office.caller.start_run()
    before = contents(desk.database)
    for arguments, path in WITH_NUL:
        with subtests.test(arguments=arguments):
            body = office.body("A-1", arguments=arguments)
            answer = office.caller.post(f"{RUNS}/{run_id}/proposals", body)
            problem(answer, 422, "bad_input", path)
    for changed, path in (
        ({"why": f"broken{NUL}"}, "$.why"),
        ({"evidence": ["fine", {"log": f"ok{NUL}done"}]}, "$.evidence[1].log"),
        ({"tool_call_id": NUL}, "$.tool_call_id"),
    ):
        with subtests.test(changed=changed):
            body = office.body("A-1", **changed)
            answer = office.caller.post(f"{RUNS}/{run_id}/proposals", body)
            problem(answer, 422, "bad_input", path)
    assert contents(desk.database) == before
    assert office.caller.run(run_id)["status"] == "running"


def test_c47_the_text_backslash_u0000_passes_as_it_is(office: Office, desk: Desk) -> None:
    """Six harmless letters: to the API, on the pages, in the ledger and back."""
    text = r"Mara \u0000 Vogel"
    order = desk.purchase(customer=text)
    arguments = {"order": order, "customer": text, "amount": "25.00"}
    place = office.propose(order, arguments=arguments, evidence=[{text: text}])
    office.work(place)
    page = office.rosa.get(address_of(office.shown(place)))
    assert page.status == 200
    assert page.text.count(text) >= 3
    assert office.decide(place).status == 302
    office.work(place)
    assert office.is_done(place, order)

    log = office.caller.get(f"{RUNS}/{place[0]}/events?limit=500").json()["events"]
    asked = next(event for event in log if event["kind"] == "effect_requested")
    assert asked["payload"]["evidence"] == [{text: text}]
    assert office.rosa.get(f"/runs/{place[0]}/").status == 200
    assert office.rosa.get("/audit/", run=str(place[0])).status == 200


BIG = (3544790567247868102, 2512292042121000001, 7615917337495251231)
LARGEST = 2**53 - 1


def test_c48_an_integer_that_a_browser_would_round_is_refused_by_name(
    office: Office, desk: Desk
) -> None:
    run_id = office.caller.start_run()
    address, before = f"{RUNS}/{run_id}/proposals", contents(desk.database)
    for number in (*BIG, LARGEST + 1, -LARGEST - 1):
        arguments = {"order": number, "customer": "Mara Vogel", "amount": "25.00"}
        answer = office.caller.post(address, office.body("A-1", arguments=arguments))
        problem(answer, 422, "bad_input", "$.arguments.order")
        answer = office.caller.post(address, office.body("A-1", evidence=[{"ref": number}]))
        problem(answer, 422, "bad_input", "$.evidence[0].ref")
    assert contents(desk.database) == before


def test_c48_as_text_every_digit_stays(office: Office, desk: Desk) -> None:
    account, ref, p_id = map(str, BIG)
    order = desk.ledger.add_purchase(account)
    evidence = [{"ref": ref, "p_id": p_id, "largest": LARGEST}]
    place = office.propose(order, evidence=evidence)
    office.work(place)

    page = office.rosa.get(address_of(office.shown(place)))
    for digits in (account, ref, p_id, str(LARGEST)):
        assert digits in page.text
    assert office.decide(place).status == 302
    office.work(place)
    assert office.is_done(place, account)

    log = office.caller.get(f"{RUNS}/{place[0]}/events?limit=500")
    asked = next(e for e in log.json()["events"] if e["kind"] == "effect_requested")
    assert json.loads(asked["payload"]["arguments"])["order"] == account
    assert asked["payload"]["evidence"] == evidence
    assert str(LARGEST).encode() in log.content
