"""What went wrong elsewhere when the same proposal was filed twice."""

from typing import Any

from tests.agents_api.caller import RUNS, problem
from tests.agents_api.office import Office, at_once
from tests.world import Desk


def test_c24_the_same_request_filed_ten_times_is_one_card(office: Office, desk: Desk) -> None:
    order = desk.purchase()
    run_id = office.caller.start_run()
    address, body = f"{RUNS}/{run_id}/proposals", office.body(order)

    def file() -> Any:
        answer = office.caller.post(address, body, once="retry-me")
        while answer.status_code == 409:
            problem(answer, 409, "still_running")
            answer = office.caller.post(address, body, once="retry-me")
        return answer

    answers = at_once(*[file] * 10)
    (proposal_id,) = {answer.json()["proposal_id"] for answer in answers}
    office.work((run_id, proposal_id))
    assert [one["proposal_id"] for one in office.caller.run(run_id)["proposals"]] == [proposal_id]
    assert office.rosa.get("/inbox/").html.count("data-row") == 1


def test_c24_another_key_is_another_card(office: Office, desk: Desk) -> None:
    """The agent wants it twice, or lost its key: a person sees both, one after the other."""
    order = desk.purchase()
    first = office.propose(order)
    second = office.propose(order, first[0])
    assert first[1] != second[1]
    office.work(first)
    assert office.decide(first).status == 302
    office.work(first)
    assert office.is_done(first, order)
    assert office.stands(second) == "open"
    assert office.decide(second, "reject").status == 302
    office.work(second)
    assert office.ledger.movements(order) == 1


def test_c24_the_second_card_is_marked_as_a_likely_duplicate(office: Office, desk: Desk) -> None:
    """In the list, and on its page, which leads to the first; another request is not."""
    order = desk.purchase()
    first, second = office.propose(order), office.propose(order)
    other = office.propose(desk.purchase())
    for each in (first, second, other):
        office.work(each)

    assert office.rosa.get("/inbox/").text.count("likely a duplicate") == 1
    page = office.rosa.get(f"/proposals/{second[1]}/1/")
    assert "This one is likely a duplicate." in page.text
    assert f'href="/proposals/{first[1]}/1/"' in page.html
    for each in (first, other):
        assert "likely a duplicate" not in office.rosa.get(f"/proposals/{each[1]}/1/").text


def test_c24_the_same_key_with_another_body_is_refused(office: Office, desk: Desk) -> None:
    run_id = office.caller.start_run()
    address, body = f"{RUNS}/{run_id}/proposals", office.body(desk.purchase())
    first = office.caller.post(address, body, once="k").json()
    other = {**body, "arguments": {**body["arguments"], "amount": "26.00"}}
    answer = office.caller.post(address, other, once="k")
    problem(answer, 422, "idempotency_key_reused", "header.Idempotency-Key")
    assert [one["proposal_id"] for one in office.caller.run(run_id)["proposals"]] == [
        first["proposal_id"]
    ]
