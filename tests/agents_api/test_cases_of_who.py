"""What went wrong elsewhere with who may decide: one's own request by one way or another, and
somebody who no longer may."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from engine.models import Claim
from oversight.models import Person
from oversight.pages.proposal import reads, shown
from tests.agents_api.caller import RUNS
from tests.agents_api.office import Office, Place
from tests.cast import People
from tests.pages.people.test_people import change
from tests.pages.policy.written import proposed
from tests.pages.reading import Page, Reader, address_of
from tests.world import Desk


@pytest.fixture
def place(office: Office, desk: Desk) -> Place:
    place = office.propose(desk.purchase())
    office.work(place)
    return place


def proof(office: Office, place: Place, person: Person) -> dict[str, Any]:
    """The fields of a decision, with a proof that this very person was shown this version."""
    told = office.shown(place)
    item = reads.version(told.proposal_id, told.version)
    assert item is not None
    displayed = shown.token(item, person.pk, timezone.now())
    return {"version": str(item.version), "digest": item.digest, "displayed": displayed}


REFUSED = "Who started it never decides it."
WAYS: dict[str, Callable[[Reader, str, dict[str, Any]], Page]] = {
    "the button": lambda who, at, form: who.post(f"{at}decide/", **form, decision="approve"),
    "a rejection": lambda who, at, form: who.post(f"{at}decide/", **form, decision="reject"),
    "an edit": lambda who, at, form: who.post(
        f"{at}edit/", **{**form, **typed(at), "reason": "Less."}
    ),
    "a claim": lambda who, at, form: who.post(f"{at}claim/", do="claim"),
}


def typed(at: str) -> dict[str, str]:
    """The arguments as the form of an edit has them, one of them changed."""
    item = proof_of(at.split("/")[2])
    arguments = {**json.loads(item.arguments), "amount": "1.00"}
    return {f"argument-{place}": str(value) for place, value in enumerate(arguments.values())}


def proof_of(proposal_id: str) -> Any:
    item = reads.version(uuid.UUID(proposal_id), 1)
    assert item is not None
    return item


@pytest.mark.parametrize("policy", ["as it was delivered", "as two people have put it in force"])
def test_c69_who_answers_for_the_agent_decides_what_it_asks_by_no_way(
    policy: str, office: Office, desk: Desk, people: People, subtests: pytest.Subtests
) -> None:
    """Not even as an operator beside: with the same reason each time, in page and log."""
    if policy.startswith("as two"):
        version = proposed(Reader(people.zoe), rule_0_approve0="1")
        said = {"do": "put_in_force", "reason": "Agreed.", "instead_of": "1"}
        assert Reader(people.yara).post(f"/policy/{version}/answer/", **said).status == 302
    order = desk.purchase()
    place = office.propose(order)
    office.work(place)
    people.tomas.groups.add(Group.objects.get_or_create(name="operator")[0])
    tomas, address = Reader(people.tomas), address_of(office.shown(place))
    page = tomas.get(address)
    assert (REFUSED in page.text, page.form) == (True, {})
    for name, way in WAYS.items():
        with subtests.test(way=name):
            answer = way(tomas, address, {**proof(office, place, people.tomas), "reason": "Yes."})
            assert answer.status == 403
            assert REFUSED in answer.text
    assert REFUSED in tomas.get(tomas.post(f"{address}look/").response.headers["Location"]).text
    chosen = tomas.post("/inbox/choose/", version=[str(proof_of(str(place[1])).id)])
    assert chosen.response.headers["Location"] == "/inbox/"
    for what in ("pause", "resume"):
        tomas.post(f"/runs/{place[0]}/ask/", do=what, reason="Go on.", decision="approve")
        office.work(place)
    for what in ("approve", "decide", "decisions"):
        own = office.caller.post(f"{RUNS}/{place[0]}/proposals/{place[1]}/{what}", {})
        assert own.status_code == 404
    assert (office.stands(place), desk.ledger.movements(order)) == ("open", 0)
    noted = [e for e in desk.database.log(place[0]) if e["kind"] == "decision_refused"]
    assert {event["actor"] for event in noted} == {f"person:{people.tomas.pk}"}
    assert len(noted) == len(("the button", "a rejection", "an edit"))
    assert office.decide(place).status == 302
    office.work(place)
    assert office.is_done(place, order)


LOST = {
    "their role": lambda zoe, vera: change(zoe, vera, "groups", "auditor"),
    "their account": lambda zoe, vera: change(zoe, vera, "close"),
}


@pytest.mark.parametrize("what", LOST)
def test_c70_who_lost_the_right_decides_nothing_and_keeps_nobody_else_from_it(
    what: str, office: Office, desk: Desk, people: People, place: Place
) -> None:
    """What they said before stays in the record; what they had claimed is free again."""
    vera, zoe = people.somebody("vera", "reviewer", full_name="Vera Holm"), Reader(people.zoe)
    assert people.yara
    earlier = office.propose(desk.purchase())
    office.work(earlier)
    assert office.decide(earlier, "reject", by=vera).status == 302
    address = address_of(office.shown(place))
    lying_open = Reader(vera)
    form = {**lying_open.get(address).form, "decision": "approve", "reason": "Seen."}
    assert lying_open.post(f"{address}claim/", do="claim").status == 302
    assert "Vera Holm, runs out" in office.rosa.get("/inbox/").text

    assert LOST[what](zoe, vera).status == 302
    refused = lying_open.post(f"{address}decide/", **form)
    assert refused.status == 403 or refused.response.headers["Location"].startswith("/sign-in/")
    for way in ("claim", "edit", "look"):
        assert lying_open.post(f"{address}{way}/", do="claim").status in (302, 403)
    assert (office.stands(place), Claim.objects.get().person) == ("open", vera)

    inbox = office.rosa.get("/inbox/")
    assert (str(place[1]) in inbox.html, "Vera Holm" in inbox.text) == (True, False)
    assert office.rosa.post(f"{address}claim/", do="claim").status == 302
    assert (Claim.objects.get().person, Claim.objects.get().from_person) == (people.rosa, None)
    assert "Vera Holm" in office.rosa.get(address_of(office.shown(earlier))).text
    assert office.decide(place).status == 302
