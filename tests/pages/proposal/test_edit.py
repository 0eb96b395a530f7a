"""Editing on the page: typed fields, another version, and what differs between the two."""

import json
from typing import Any

import pytest
from django.http import QueryDict

from engine import actions, api
from engine.models import Event, Proposal
from oversight.pages.proposal import editing
from oversight.showing import literal
from tests.cast import AGENT, People
from tests.pages.audit import vault
from tests.pages.reading import Page, Reader, Readers, address_of, elements
from tests.world import Desk


def form_of(page: Page) -> dict[str, str]:
    """What the page would post as it stands."""
    typed = {
        field["name"]: field.get("value", "")
        for field in elements(page.html, "input")
        if field.get("type") in ("text", "hidden") and field.get("name") != "csrfmiddlewaretoken"
    }
    return {name: value for name, value in typed.items() if name}


def edit(reader: Reader, proposal: Proposal, **changed: Any) -> Page:
    """Open the form, put other values by the names of arguments, and post it with a reason."""
    address = f"{address_of(proposal)}edit/"
    fields = form_of(reader.get(address)) | {"reason": "It cost less."}
    places = {
        name: f"argument-{at}" for at, name in enumerate(json.loads(bytes(proposal.arguments)))
    }
    fields |= {places.get(name, name): value for name, value in changed.items()}
    return reader.post(
        address, **{name: value for name, value in fields.items() if value is not None}
    )


@pytest.fixture
def mina(desk: Desk, reading: Readers) -> Reader:
    return reading(desk.people.somebody("mina", "reviewer", full_name="Mina Okafor"))


def test_an_edit_is_asked_anew_and_says_who_edited_what(
    desk: Desk, rosa: Reader, mina: Reader
) -> None:
    first = desk.propose_refund()
    answer = edit(rosa, first, amount="20.00")
    assert answer.status == 302
    shown = rosa.get(address_of(first))
    assert "You edited this." in shown.text
    assert "Rosa Lind edited this" in shown.text

    desk.work(first.run_id)
    second = desk.proposal(first.run_id)
    page = mina.get(address_of(second))
    assert "What Rosa Lind edited" in page.text
    assert "It cost less." in page.text
    assert "proposed → edited" in page.text
    assert {"25.00", "20.00"} <= set(page.text.split())
    assert "Who edited it never decides it." in page.text


def test_the_editor_is_offered_no_decision_and_another_reviewer_is(
    desk: Desk, rosa: Reader, mina: Reader
) -> None:
    first = desk.propose_refund()
    edit(rosa, first, amount="20.00")
    desk.work(first.run_id)
    second = desk.proposal(first.run_id)

    assert "You may not decide this" in rosa.get(address_of(second)).text
    assert mina.decide(second, "approve").status == 302
    second.refresh_from_db()
    assert second.status == "approved"


def test_c07_an_edit_names_no_other_action(desk: Desk, rosa: Reader, mina: Reader) -> None:
    """Whatever else is posted: the form knows arguments, and the action is the stored one."""
    order = desk.purchase()
    first = desk.propose_refund(order)
    other = {"action": "ledger.reverse_refund", "action_version": "1", "risk": "low"}
    assert edit(rosa, first, amount="20.00", **other).status == 302
    desk.work(first.run_id)
    second = desk.proposal(first.run_id)
    assert (second.action, second.risk, second.version) == (first.action, first.risk, 2)
    assert mina.decide(second, "approve").status == 302
    desk.work(first.run_id)
    assert (desk.ledger.refunded(order), desk.ledger.movements(order)) == ("20.00", 1)


def test_what_was_displayed_is_kept_with_the_edit(desk: Desk, people: People, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    edit(rosa, proposal, amount="20.00")
    said = json.loads(bytes(Event.objects.get(kind="proposal_edited").payload or b""))
    assert said["seen"]["digest"] == proposal.digest
    assert said["seen"]["person"] == people.rosa.pk


UNCLEAR: list[tuple[str, dict[str, Any], int, str]] = [
    ("nothing changed", {}, 422, "Nothing was changed."),
    ("an amount that is none", {"amount": "all of it"}, 422, "should match pattern"),
    ("an argument left out", {"customer": None, "amount": "20.00"}, 422, "was left out"),
    ("no reason", {"reason": " ", "amount": "20.00"}, 422, "required"),
    ("two of one", {"amount": ["1.00", "2.00"]}, 400, "nothing was done"),
    ("a forged proof", {"displayed": "forged", "amount": "20.00"}, 409, "not one of ours"),
    ("another digest", {"digest": "0" * 64, "amount": "20.00"}, 409, "for something else"),
]


@pytest.mark.parametrize(("case", "changed", "status", "words"), UNCLEAR)
def test_an_edit_that_is_not_clear_changes_nothing(
    desk: Desk, rosa: Reader, case: str, changed: dict[str, Any], status: int, words: str
) -> None:
    proposal = desk.propose_refund()
    before = desk.database.kinds(proposal.run_id)
    answer = edit(rosa, proposal, **changed)
    assert (answer.status, words in answer.text) == (status, True), answer.text
    noted = ["decision_refused"] if status == 409 else []
    assert desk.database.kinds(proposal.run_id) == [*before, *noted]
    assert desk.proposal(proposal.run_id).status == "open"


def test_a_page_of_the_version_before_decides_nothing_and_says_what_was_edited(
    desk: Desk, rosa: Reader, mina: Reader
) -> None:
    first = desk.propose_refund()
    stale = mina.get(address_of(first)).form
    edit(rosa, first, amount="20.00")
    desk.work(first.run_id)

    answer = mina.decide(first, "approve", **stale)
    assert answer.status == 409
    assert "There is a newer version of this proposal" in answer.text
    assert {"25.00", "20.00"} <= set(answer.text.split())


def test_who_may_not_decide_is_offered_no_edit(
    desk: Desk, reading: Readers, people: People, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    tomas = reading(people.tomas)
    assert tomas.get(f"{address_of(proposal)}edit/").status == 302
    assert f"{address_of(proposal)}edit/" not in tomas.get(address_of(proposal)).html
    assert f"{address_of(proposal)}edit/" in rosa.get(address_of(proposal)).html
    form = form_of(rosa.get(f"{address_of(proposal)}edit/"))
    refused = tomas.post(f"{address_of(proposal)}edit/", **form, reason="x")
    assert refused.status == 409, "the proof of what was displayed is somebody else's"


def test_a_text_with_what_nobody_sees_is_edited_as_its_escapes(desk: Desk, rosa: Reader) -> None:
    run_id = desk.start_run()
    desk.ask_for_refund(run_id, desk.purchase(), customer="Ma\u202era")
    desk.work(run_id)
    proposal = desk.proposal(run_id)
    page = rosa.get(f"{address_of(proposal)}edit/")
    assert "\u202e" not in page.html
    assert '"Ma\\u202era"' in [field.get("value") for field in elements(page.html, "input")]
    assert edit(rosa, proposal, customer='"Ma\\u202era V"').status == 302
    desk.work(run_id)
    assert json.loads(bytes(desk.proposal(run_id).arguments))["customer"] == "Ma\u202era V"


def test_a_secret_is_not_offered_and_stays(
    desk: Desk, rosa: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.known(monkeypatch)
    secrets = {"api_key": vault.API_KEY, "headers": {"authorization": vault.BEARER}}
    run_id = desk.start_run()
    api.request_effect(
        run_id,
        agent=AGENT,
        action="vault.rotate_key",
        arguments={"owner": "mara", **secrets},
        why="It leaked.",
        rollback_reason="It leaked.",
    )
    desk.work(run_id)
    first = desk.proposal(run_id)
    page = rosa.get(f"{address_of(first)}edit/")
    assert "api_key holds a secret. It stays as it is." in page.text
    assert "secret:" not in page.html
    assert edit(rosa, first, owner="otto").status == 302
    desk.work(run_id)
    before, after = (json.loads(bytes(each.arguments)) for each in (first, desk.proposal(run_id)))
    assert (after["owner"], after["api_key"]) == ("otto", before["api_key"])


class Everything(actions.ActionArguments):
    name: str
    count: int
    rate: float
    sure: bool
    lines: list[dict[str, int]]
    note: str | None


GIVEN = b'{"count":3,"lines":[{"a":1}],"name":"x","note":null,"rate":0.5,"sure":true}'


@pytest.mark.parametrize(
    ("name", "posted", "value"),
    [
        ("name", " y \r\nz", " y \nz"),
        ("count", "4", 4),
        ("rate", "0.25", 0.25),
        ("sure", "false", False),
        ("lines", '[{"a": 2}]', [{"a": 2}]),
        ("note", '"seen"', "seen"),
        ("note", "null", None),
    ],
)
def test_each_kind_of_argument_comes_back_as_what_it_is(
    name: str, posted: str, value: object
) -> None:
    form = filled(**{name: posted})
    assert form.is_valid(), form.errors
    assert form.edited == {**json.loads(GIVEN), name: value}
    assert type(form.edited[name]) is type(value)


@pytest.mark.parametrize(
    ("name", "posted"),
    [
        ("count", ""),
        ("count", "3,4"),
        ("sure", "perhaps"),
        ("sure", ""),
        ("lines", '[{"a":1,"a":2}]'),
        ("rate", "NaN"),
        ("count", "9007199254740993"),
    ],
)
def test_what_nobody_could_read_alike_is_refused(name: str, posted: str) -> None:
    assert not filled(**{name: posted}).is_valid()


def filled(**posted: str) -> editing.EditForm:
    """A form of everything, posted as it was shown but for these."""
    blank = editing.EditForm(Everything, literal.read(GIVEN))
    data = QueryDict(mutable=True)
    data.update({"version": "1", "digest": "0" * 64, "displayed": "x", "reason": "y"})
    for row in blank.rows:
        data[row.html_name] = posted.get(str(row.label), str(row.value()))
    return editing.EditForm(Everything, literal.read(GIVEN), data)


def test_a_question_and_its_answer_stand_above_what_the_agent_wrote(
    desk: Desk, rosa: Reader
) -> None:
    order = desk.purchase()
    first = desk.propose_refund(order)
    rosa.decide(first, "return", reason="Which lamp was it?")
    desk.work(first.run_id)
    desk.answer(first, order)
    desk.work(first.run_id)

    text = rosa.get(address_of(desk.proposal(first.run_id))).text
    question = text.index("Question and answer")
    assert text.index("Which lamp was it?", question) < text.index(
        "The invoice shows it.", question
    )
    assert question < text.index("Written by the agent")
