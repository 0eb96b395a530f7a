"""What went wrong elsewhere between what was shown, what was approved and what was executed."""

import json
import uuid
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

from engine import actions
from engine.actions import ActionArguments
from engine.models import Effect, Proposal
from tests.agents_api.book import REVIEWED, Book, RecordValue, call, known
from tests.agents_api.caller import RUNS, problem
from tests.agents_api.office import Office, Place
from tests.pages.reading import Reader, address_of
from tests.world import Desk


@pytest.fixture
def book(monkeypatch: pytest.MonkeyPatch) -> Book:
    return known(monkeypatch)


def at_most_fifty(amount: int) -> int:
    return min(amount, 50)


class Clamped(RecordValue):
    """Its arguments are put right as they are read."""

    name = "book.clamped"

    class Arguments(ActionArguments):
        amount: Annotated[int, AfterValidator(at_most_fifty)]

    def describe(self, args: Any) -> str:
        return f"Record {args.amount}"


class Grave(RecordValue):
    """The same, of high risk: its value has to be typed."""

    name = "book.grave"
    risk = "high"


def propose(office: Office, run_id: uuid.UUID | None = None, **changed: Any) -> Place:
    run_id = run_id or office.caller.start_run()
    place = run_id, office.caller.propose(run_id, **{"evidence": [], **call(**changed)})
    office.work(place)
    return place


def events(office: Office, run_id: uuid.UUID, kind: str) -> list[dict[str, Any]]:
    log = office.caller.get(f"{RUNS}/{run_id}/events?limit=500").json()["events"]
    return [event["payload"] for event in log if event["kind"] == kind]


def test_c06_what_was_put_right_is_put_right_before_anybody_sees_it(
    office: Office, desk: Desk, book: Book
) -> None:
    actions.register(Clamped)
    place = propose(office, action="book.clamped", arguments={"amount": 100})
    page = office.rosa.get(address_of(office.shown(place)))
    assert '"amount": 50' in page.text
    assert "Record 50" in page.text
    assert "100" not in page.text.partition("Arguments")[2].partition("Decide")[0]
    assert office.decide(place).status == 302
    office.work(place)

    assert [line["amount"] for line in book.lines] == [50]
    (opened,) = events(office, place[0], "proposal_opened")
    assert json.loads(opened["arguments"]) == {"amount": 50}
    (prepared,) = events(office, place[0], "effect_intended")
    assert prepared["digest"] == opened["digest"] == office.shown(place).digest


def answer(office: Office, place: Place, **changed: Any) -> Any:
    body = {name: what for name, what in call(**changed).items() if name != "tool_call_id"}
    version = office.shown(place).version
    address = f"{RUNS}/{place[0]}/proposals/{place[1]}/answers"
    return office.caller.post(address, {**body, "version": version})


def test_c07_an_answer_that_names_another_action_is_judged_as_that_action(
    office: Office, book: Book
) -> None:
    """Reviewers ask, and the agent answers with a version that is new in all."""
    actions.register(Grave)
    place = propose(office)
    was = office.shown(place)
    office.decide(place, "return")
    office.work(place)
    assert answer(office, place, action="book.grave").status_code == 202
    office.work(place)

    now = office.shown(place)
    assert (now.version, now.digest != was.digest) == (2, True)
    address = address_of(now)
    page = office.rosa.get(address)
    assert page.asked_for == "the book"
    untyped = {**page.form, "decision": "approve", "reason": "Seen."}
    assert office.rosa.post(f"{address}decide/", **untyped).status != 302
    assert book.lines == []
    assert office.decide(place).status == 302
    office.work(place)

    assert [line["by"] for line in book.lines] == ["book.grave"]
    told = [one["action"] for one in events(office, place[0], "proposal_opened")]
    assert told == ["book.record_value", "book.grave"]


def test_c07_an_answer_that_breaks_the_schema_is_refused_and_nothing_runs(
    office: Office, book: Book
) -> None:
    place = propose(office)
    office.decide(place, "return")
    office.work(place)
    broken = answer(office, place, arguments={"message": 7, "times": 1})
    problem(broken, 422, "bad_input", "$.arguments.message")
    office.work(place)
    assert (office.stands(place), book.lines) == ("returned", [])


Used = tuple[Place, Place, dict[str, Any]]


@pytest.fixture
def two(office: Office, book: Book) -> Used:
    """In one run: the first is approved and not yet executed, the second was asked for since; and
    the form by which the first was approved."""
    first = propose(office)
    form = {**office.rosa.get(address_of(office.shown(first))).form, "decision": "approve"}
    assert office.decide(first).status == 302
    other = {**REVIEWED, "message": "another value"}
    second = (
        first[0],
        office.caller.propose(
            first[0], **{"evidence": [], **call(arguments=other, tool_call_id="call_2")}
        ),
    )
    return first, second, {**form, "reason": "Seen."}


def test_c08_an_approval_is_of_no_use_for_another_proposal_of_the_same_run(
    office: Office, desk: Desk, two: Used, book: Book
) -> None:
    first, second, form = two
    office.work(first)
    assert [line["message"] for line in book.lines] == ["reviewed-value"]
    assert office.stands(second) == "open"

    address = address_of(office.shown(second))
    stolen = office.rosa.post(f"{address}decide/", **form)
    assert stolen.status == 409
    office.work(second)
    assert (office.stands(second), len(book.lines)) == ("open", 1)
    assert len(events(office, first[0], "decision_made")) == 1
    (tried,) = events(office, first[0], "decision_refused")
    assert (tried["proposal_id"], tried["decision"]) == (str(second[1]), "approve")
    assert office.decide(second, "reject").status == 302
    office.work(second)
    assert len(book.lines) == 1


def test_c20_the_first_gate_s_button_opens_no_second_gate(
    office: Office, two: Used, book: Book
) -> None:
    """Pressed again and again, before and after the second one is there."""
    first, second, form = two
    address = f"{address_of(office.shown(first))}decide/"
    pressed = [office.rosa.post(address, **form) for _ in range(2)]
    office.work(first)
    pressed += [office.rosa.post(address, **form) for _ in range(3)]
    assert {answer.status for answer in pressed} == {409}
    assert all("approved this" in answer.text for answer in pressed)
    office.work(second)
    assert (office.stands(second), len(book.lines)) == ("open", 1)
    assert len(events(office, first[0], "decision_made")) == 1


def test_c14_each_decision_names_its_own_proposal_in_whatever_order_they_are_shown(
    office: Office, desk: Desk, book: Book
) -> None:
    """The page lists by time left, the agent asked in another order; one is refused."""
    places = [
        propose(office, arguments={**REVIEWED, "message": message}, valid_seconds=seconds)
        for message, seconds in (("delete", 3000), ("send", 600), ("keep", 1200))
    ]
    deleting, sending, _keeping = places
    listed = office.rosa.get("/inbox/").html
    where = {place: listed.index(str(place[1])) for place in places}
    assert sorted(places, key=where.__getitem__) != places
    for place, decision in ((sending, "reject"), (deleting, "approve")):
        assert office.decide(place, decision).status == 302
    office.work(*places)
    assert [line["message"] for line in book.lines] == ["delete"]
    assert [office.stands(place) for place in places] == ["approved", "rejected", "open"]


@pytest.mark.parametrize("wrong", ["another one's proof", "two at once", "unknown"])
def test_c14_a_decision_that_does_not_name_exactly_one_decides_nothing(
    wrong: str, office: Office, book: Book
) -> None:
    one = propose(office)
    other = propose(office, arguments={**REVIEWED, "message": "another"})
    address = address_of(office.shown(one))
    form = {**office.rosa.get(address).form, "decision": "approve", "reason": "Yes."}
    others = office.rosa.get(address_of(office.shown(other))).form
    if wrong == "another one's proof":
        form["displayed"] = others["displayed"]
    elif wrong == "two at once":
        form["digest"] = [form["digest"], others["digest"]]  # type: ignore[assignment]
    else:
        address = f"/proposals/{uuid.uuid4()}/1/"
    assert 400 <= office.rosa.post(f"{address}decide/", **form).status < 500
    office.work(one, other)
    assert [office.stands(place) for place in (one, other)] == ["open", "open"]
    assert book.lines == []


def rejected(office: Office) -> Place:
    place = propose(office)
    assert office.decide(place, "reject").status == 302
    office.work(place)
    told = office.caller.proposal(*place)
    assert (told["status"], told["final"]) == ("rejected", True)
    return place


@pytest.mark.parametrize("changed", ["nothing", "order of keys", "the reason given", "the run"])
def test_c19_what_was_rejected_is_not_asked_again_as_if_nothing_had_been(
    changed: str, office: Office, desk: Desk, book: Book
) -> None:
    first = rejected(office)
    run_id = office.caller.start_run() if changed == "the run" else first[0]
    again = {
        "order of keys": {"arguments": dict(reversed(REVIEWED.items()))},
        "the reason given": {"why": "It is really due."},
    }.get(changed, {})
    refused = office.caller.post(f"{RUNS}/{run_id}/proposals", call(**again))

    problem(refused, 409, "rejected_before")
    assert refused.json()["rejected"]["proposal_id"] == str(first[1])
    assert refused.json()["retryable"] is False
    assert desk.people.rosa.full_name not in refused.content.decode()
    office.work((run_id, first[1]))
    assert Proposal.objects.count() == 1
    assert "Record reviewed-value" not in office.rosa.get("/inbox/").text
    (noted,) = events(office, run_id, "request_refused")
    assert (noted["code"], noted["proposal_id"]) == ("rejected_before", str(first[1]))


def test_c19_it_is_asked_again_with_the_rejection_named_and_what_has_changed(
    office: Office, book: Book
) -> None:
    first = rejected(office)
    said = {"despite": str(first[1]), "what_changed": "The <b>owner</b> agreed by telephone."}
    second = propose(office, first[0], **said)

    page = office.rosa.get(address_of(office.shown(second)))
    assert "Rejected before" in page.text
    assert "The <b>owner</b> agreed by telephone." in page.text
    assert "rejected before" in office.rosa.get("/inbox/").text
    assert office.decide(second).status == 302
    office.work(second)
    assert [line["message"] for line in book.lines] == [REVIEWED["message"]]


def test_c19_what_differs_is_asked_as_anything_else(office: Office, book: Book) -> None:
    first = rejected(office)
    second = propose(office, first[0], arguments={**REVIEWED, "message": "another"})
    assert office.stands(second) == "open"
    before = office.rosa.get(address_of(office.shown(second))).text.partition("Decided before")[2]
    assert "Record reviewed-value" in before
    assert "Rosa Lind Rejected" in before


def test_c42_a_key_is_made_of_nothing_that_an_agent_can_set_or_change(
    office: Office, desk: Desk, book: Book
) -> None:
    """It is the proposal's own, from before the first sending to the last; the audit shows it."""
    run_id = office.caller.start_run()
    own = {**REVIEWED, "idempotency_key": "mine"}
    refused = office.caller.post(f"{RUNS}/{run_id}/proposals", call(arguments=own))
    problem(refused, 422, "bad_input", "$.arguments.idempotency_key")

    place = propose(office, run_id)
    key = desk.proposal(run_id).idempotency_key
    assert office.decide(place).status == 302
    office.work(place)
    assert Effect.objects.get().idempotency_key == key
    seen = {one["idempotency_key"] for one in events(office, run_id, "effect_intended")}
    assert seen == {key}
    assert key in Reader(desk.people.ada).get(f"/runs/{run_id}/", view="log").text


def test_c42_an_agent_that_starts_again_and_makes_its_fields_anew_does_nothing_twice(
    office: Office, book: Book
) -> None:
    """Its own key names the step: with other content the API refuses, and money stays put."""
    run_id = office.caller.start_run()
    address = f"{RUNS}/{run_id}/proposals"
    stamped = [call(evidence=[{"created_at": at, "trace": at * 3}]) for at in ("10:00", "10:05")]
    first = office.caller.post(address, stamped[0], once="step-1")
    again = office.caller.post(address, stamped[0], once="step-1")
    made_anew = office.caller.post(address, stamped[1], once="step-1")
    assert first.json()["proposal_id"] == again.json()["proposal_id"]
    problem(made_anew, 422, "idempotency_key_reused", "header.Idempotency-Key")
    place = run_id, uuid.UUID(first.json()["proposal_id"])
    office.work(place)
    assert office.decide(place).status == 302
    office.work(place, place)
    assert len(book.lines) == 1
    assert len(office.caller.run(run_id)["proposals"]) == 1
