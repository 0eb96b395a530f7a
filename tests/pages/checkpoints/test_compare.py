"""Any two places in the history of runs, compared row by row."""

import json
import re
from typing import Any

import pytest

from engine.models import Checkpoint
from tests.pages.reading import Page, Reader
from tests.world import Desk

COMPARE = "/checkpoints/compare/"


@pytest.fixture(scope="module")
def desk(shared_desk: Desk) -> Desk:
    return shared_desk


@pytest.fixture(scope="module")
def run_id(desk: Desk) -> Any:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    return proposal.run_id


@pytest.fixture(scope="module")
def other(desk: Desk) -> Any:
    return desk.propose_refund(amount="11.00").run_id


@pytest.fixture(scope="module")
def ada(desk: Desk) -> Reader:
    return Reader(desk.people.ada)


def saved(run_id: Any) -> list[Checkpoint]:
    return list(Checkpoint.objects.filter(run_id=run_id).order_by("last_event_sequence"))


def rows(page: Page) -> dict[str, str]:
    """What the table says of each path: its change, before and after, as it is read."""
    found = {}
    for row in re.findall(r'<tr role="row" class="diff__row.*?</tr>', page.html, re.S):
        text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).strip()
        change, _, rest = text.partition(": ")
        path, _, sides = rest.partition(" ")
        found[path] = f"{change}: {sides}"
    return found


def test_two_checkpoints_of_a_run(ada: Reader, run_id: Any) -> None:
    first, *_, last = saved(run_id)
    page = ada.get(COMPARE, of=[str(first.pk), str(last.pk)])
    assert page.status == 200
    told = rows(page)
    assert told["status"] == "changed: running text waiting_external text"
    assert told["budget.effects"] == "changed: 0 number 1 number"
    assert told["completed.count"] == "added: not there 1 number"
    assert told["state_version"].startswith(f"changed: {first.state_version} number")
    assert "node" not in told, "the same on both sides"
    assert "checkpoint after event 1" in page.text


def test_what_is_the_same_can_be_had_too(ada: Reader, run_id: Any) -> None:
    first, *_, last = saved(run_id)
    page = ada.get(COMPARE, of=[str(first.pk), str(last.pk)])
    link = re.search(r'href="([^"]+)">Show the \d+ that', page.html)
    assert link is not None
    everything = ada.get(link[1].replace("&amp;", "&"))
    assert rows(everything)["node"] == "unchanged: open text open text"
    assert len(rows(everything)) > len(rows(page))
    assert "Only what differs" in everything.text


def test_a_checkpoint_and_the_state_at_its_own_event_are_the_same(ada: Reader, run_id: Any) -> None:
    for one in saved(run_id):
        page = ada.get(COMPARE, of=[str(one.pk), f"{run_id}@{one.last_event_sequence}"])
        assert "Nothing differs." in page.text, one.last_event_sequence


def test_states_of_two_runs(ada: Reader, run_id: Any, other: Any, desk: Desk) -> None:
    opened = desk.database.kinds(run_id).index("proposal_opened") + 1
    page = ada.get(COMPARE, of=[f"{run_id}@{opened}", f"{other}@{opened}"])
    told = rows(page)
    amount = told["pending.arguments.amount"].replace(" ", "")
    assert amount == "changed:25.00text11.00text"
    assert "pending.stage" not in told
    assert f"state after event {opened}" in page.text
    assert str(run_id)[-12:] in page.text
    assert str(other)[-12:] in page.text


def test_the_kinds_of_values_are_told_apart(ada: Reader, desk: Desk) -> None:
    number, text = (
        desk.start_run(amount=100, nested={"list": [1, None]}),
        desk.start_run(amount="100", nested={"list": [True, {}]}),
    )
    told = rows(ada.get(COMPARE, of=[f"{number}@1", f"{text}@1"]))
    assert told["state.amount"] == "changed: 100 number 100 text"
    assert told["state.nested.list[0]"] == "changed: 1 number yes truth"
    assert told["state.nested.list[1]"] == "changed: null nothing {} empty group"


def test_a_change_of_one_digit_in_a_long_number_is_seen(ada: Reader, desk: Desk) -> None:
    one, two = (desk.start_run(big=9007199254740991 - n, part=0.1 + n) for n in (0, 1))
    told = rows(ada.get(COMPARE, of=[f"{one}@1", f"{two}@1"]))
    plain = {path: sides.replace(" ", "") for path, sides in told.items()}
    assert plain["state.big"] == "changed:9007199254740991number9007199254740990number"
    assert plain["state.part"] == "changed:0.1number1.1number"


def test_the_list_leads_here_with_two_that_are_ticked(ada: Reader, run_id: Any) -> None:
    page = ada.get("/checkpoints/", run=run_id)
    assert f'method="get" action="{COMPARE}"' in page.html
    for one in saved(run_id):
        assert f'type="checkbox" name="of" value="{one.pk}"' in page.html


@pytest.mark.parametrize(
    ("places", "said", "status"),
    [
        (["{one}"], "Two places are compared: name this one, too.", 400),
        (["{one}", ""], "Two places are compared: name this one, too.", 400),
        (["{one}", "{one}", "{one}"], "Two places are compared, no more.", 400),
        (["{one}", "x"], "Write the identifier of a checkpoint", 400),
        (["{one}", "{run}@"], "Write the identifier of a checkpoint", 400),
        (["{one}", "{run}@x"], "Write the identifier of a checkpoint", 400),
        (["{one}", "{run}@\x00"], "Write the identifier of a checkpoint", 400),
        (["{one}", "{run}@0"], "There is no such place.", 404),
        (["{one}", "{run}@999999999999999999"], "There is no such place.", 404),
        (["{one}", "{run}"], "There is no such place.", 404),
    ],
)
def test_what_is_no_place_is_told_beside_its_field(
    ada: Reader, run_id: Any, places: list[str], said: str, status: int
) -> None:
    known = {"one": saved(run_id)[0].pk, "run": run_id}
    page = ada.get(COMPARE, of=[place.format(**known) for place in places])
    assert page.status == status
    assert said in page.text
    assert rows(page) == {}


def test_without_a_question_it_only_asks(ada: Reader) -> None:
    page = ada.get(COMPARE)
    assert page.status == 200
    assert "name this one" not in page.text
    assert ada.get(COMPARE, what="x").status == 400


def test_a_side_that_was_tampered_with_is_shown_and_doubted(ada: Reader, desk: Desk) -> None:
    run_id = desk.start_run(amount="1.00")
    (one,) = saved(run_id)
    desk.database.execute(
        "UPDATE engine_checkpoint SET state_snapshot = replace(state_snapshot, '1.00', '9.00')"
        " WHERE checkpoint_id = %s",
        one.pk,
    )
    page = ada.get(COMPARE, of=[str(one.pk), f"{desk.start_run(amount='1.00')}@1"])
    assert "It does not match its checksum." in page.text
    assert rows(page)["state.amount"].replace(" ", "") == "changed:9.00text1.00text"


def test_a_pending_action_without_arguments_that_can_be_read(ada: Reader, desk: Desk) -> None:
    run_id = desk.propose_refund().run_id
    *_, last = saved(run_id)
    pending = {**json.loads(last.pending_action), "arguments": "{no json"}
    desk.database.execute(
        "UPDATE engine_checkpoint SET pending_action = %s WHERE checkpoint_id = %s",
        json.dumps(pending),
        last.pk,
    )
    page = ada.get(COMPARE, of=[str(last.pk), f"{run_id}@1"])
    assert "{no json" in rows(page)["pending.arguments"]
