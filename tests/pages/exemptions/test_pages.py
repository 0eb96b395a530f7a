"""Proposed on a form, given and ended on a page of its own; and what it let through says so
everywhere, and is nowhere called approved."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine import approval
from engine.models import Exemption, Proposal, StepUp, Voice
from tests.cast import People
from tests.engine.exempting import NEVER_DRAWN, asked, end, ends, given, proposed
from tests.pages.reading import Page, Reader, Readers, address_of
from tests.phone import given_a_phone
from tests.world import Desk

WRITTEN = {
    "action": "ledger.refund",
    "agent": "refund-desk",
    "kind": "argument",
    "argument": "customer",
    "value": "Mara Vogel",
    "most_argument": "amount",
    "most_value": "30.00",
    "uses": "3",
    "one_in": "10",
    "reason": "The same every day.",
}


@pytest.fixture(autouse=True)
def no_lot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approval, "lot", lambda: NEVER_DRAWN)


@pytest.fixture
def zoe(desk: Desk, people: People, reading: Readers) -> Reader:
    assert people.rosa
    return reading(people.zoe)


def written(reader: Reader, **changed: str) -> Page:
    soon = (datetime.now(UTC) + timedelta(days=7)).strftime("%Y-%m-%dT%H:%M")
    return reader.post("/policy/exemptions/propose/", **{**WRITTEN, "until": soon, **changed})


def page_of(exemption: Exemption) -> str:
    return f"/policy/exemptions/{exemption.pk}/"


def say(reader: Reader, exemption: Exemption, do: str = "approve", **changed: Any) -> Page:
    said = {"digest": exemption.digest, "reason": "They are all alike.", **changed}
    return reader.post(f"{page_of(exemption)}{do}/", **said)


class TestProposing:
    def test_leads_to_its_page_and_lets_nothing_through_yet(self, zoe: Reader) -> None:
        assert written(zoe).status == 302
        exemption = Exemption.objects.get()
        page = zoe.get(page_of(exemption))
        assert exemption.status == "proposed"
        for words in ("Mara Vogel", "amount up to 30.00", "3 left", "one in 10", "Zoe Hall"):
            assert words in page.text
        assert "Who proposed it never approves it" in page.text

    @pytest.mark.parametrize(
        ("changed", "told"),
        [
            ({"uses": "0"}, "greater than or equal to 1"),
            ({"until": "2000-01-01T00:00"}, "It would have ended already"),
            ({"kind": "beginning", "value": "ledger", "argument": ""}, "where a part of it ends"),
            ({"argument": "colour"}, "has no argument"),
            ({"most_value": "a lot"}, "Write a plain number"),
            ({"most_value": ""}, "or neither"),
            ({"reason": ""}, "This field is required"),
        ],
    )
    def test_says_at_its_field_what_is_wrong(
        self, changed: dict[str, str], told: str, zoe: Reader
    ) -> None:
        page = written(zoe, **changed)
        assert page.status == 422
        assert told in page.text
        assert not Exemption.objects.exists()

    def test_says_what_is_never_exempt(self, zoe: Reader, desk: Desk) -> None:
        rule = {"action": "*", "groups": [{"name": "reviewer", "approve": 1}]}
        desk.put_in_force({**rule, "action": "ledger.*", "wait_seconds": 60})
        page = written(zoe)
        assert page.status == 422
        assert "Never under a rule that gives time to think." in page.text

    def test_is_offered_to_nobody_else(self, zoe: Reader, rosa: Reader) -> None:
        assert "Propose one" in zoe.get("/policy/exemptions/").text
        assert "Propose one" not in rosa.get("/policy/exemptions/").text


class TestItsPage:
    def test_takes_the_approval_of_who_decides_such_a_request(
        self, desk: Desk, rosa: Reader
    ) -> None:
        exemption = proposed(desk)
        assert "Your approval, beforehand" in rosa.get(page_of(exemption)).text
        assert say(rosa, exemption).status == 302
        page = rosa.get(page_of(exemption))
        assert ends(exemption) == ("standing", None)
        for words in ("Approved by", "Rosa Lind", "They are all alike.", "Stands since"):
            assert words in page.text

    def test_tells_the_agent_s_owner_why_not(
        self, desk: Desk, people: People, reading: Readers
    ) -> None:
        desk.start_run()
        exemption, tomas = proposed(desk), reading(people.tomas)
        assert "Whose agent it is never approves it." in tomas.get(page_of(exemption)).text
        assert say(tomas, exemption).status == 403
        assert Voice.objects.count() == 0

    def test_refuses_another_digest(self, desk: Desk, rosa: Reader) -> None:
        exemption = proposed(desk)
        page = say(rosa, exemption, digest="0" * 64)
        assert page.status == 409
        assert "This is not what was shown" in page.text
        assert Voice.objects.count() == 0

    def test_asks_for_the_typed_value(self, desk: Desk, rosa: Reader) -> None:
        rule = {"action": "ledger.*", "groups": [{"name": "reviewer", "approve": 1}]}
        desk.put_in_force({**rule, "challenge": "always"})
        exemption = proposed(desk)
        assert "To approve, type 90.00" in rosa.get(page_of(exemption)).text
        assert say(rosa, exemption, challenge="9.00").status == 422
        assert say(rosa, exemption, challenge="90.00").status == 302
        assert ends(exemption) == ("standing", None)

    def test_asks_for_the_second_factor(self, desk: Desk, people: People, rosa: Reader) -> None:
        phone = given_a_phone(people.rosa)
        rule = {"action": "ledger.*", "groups": [{"name": "reviewer", "approve": 1}]}
        desk.put_in_force({**rule, "step_up": "second_factor"})
        exemption = proposed(desk)
        assert "show a second factor first" in rosa.get(page_of(exemption)).text
        page = say(rosa, exemption)
        assert page.status == 409
        assert "A second factor is needed first" in page.text

        form = {"digest": exemption.digest, "credential": ""}
        wrong = rosa.post(f"{page_of(exemption)}step-up/", code="000000", **form)
        assert wrong.status == 422
        assert not StepUp.objects.exists()
        shown = rosa.post(f"{page_of(exemption)}step-up/", code=phone.code(), **form)
        assert shown.status == 302
        assert say(rosa, exemption).status == 302
        assert ends(exemption) == ("standing", None)

    def test_is_ended_by_one_word(self, desk: Desk, rosa: Reader) -> None:
        exemption = given(desk)
        assert "End it now" in rosa.get(page_of(exemption)).text
        assert say(rosa, exemption, "end").status == 302
        page = rosa.get(page_of(exemption))
        assert "somebody ended it" in page.text
        assert "End it now" not in page.text
        assert say(rosa, exemption, "end").status == 409

    def test_offers_others_no_end(self, desk: Desk, people: People, reading: Readers) -> None:
        exemption = given(desk)
        page = reading(people.ada).get(page_of(exemption))
        assert "End it now" not in page.text
        assert "What you can do" not in page.html, "no column stands empty"
        assert say(reading(people.ada), exemption, "end").status == 403
        assert ends(exemption) == ("standing", None)

    def test_shows_what_an_agent_s_words_hide(self, desk: Desk, rosa: Reader) -> None:
        odd = {"kind": "argument", "argument": "customer", "value": "Mara\u202eVogel<b>"}
        exemption = proposed(desk, scope=odd)
        html = rosa.get(page_of(exemption)).html
        assert "U+202E" in html
        assert "Vogel<b>" not in html

    def test_of_one_that_there_is_not(self, rosa: Reader) -> None:
        nobody_s = "00000000-0000-4000-8000-000000000000"
        assert rosa.get(f"/policy/exemptions/{nobody_s}/").status == 404


class TestTheInbox:
    def test_says_that_one_waits_for_who_may_approve_it(
        self, desk: Desk, people: People, rosa: Reader, reading: Readers
    ) -> None:
        exemption = proposed(desk)
        waits = "A standing exemption waits for your approval"
        assert waits in rosa.get("/inbox/").text
        assert waits not in reading(people.otto).get("/inbox/").text
        say(rosa, exemption)
        assert waits not in rosa.get("/inbox/").text


class TestTheList:
    def test_teaches_while_it_is_empty(self, rosa: Reader) -> None:
        assert "Nothing is exempt" in rosa.get("/policy/exemptions/").text
        assert "standing exemptions" in rosa.get("/policy/").text

    def test_tells_what_is_left_and_who_gave_it(self, desk: Desk, rosa: Reader) -> None:
        given(desk)
        desk.work(asked(desk))
        text = rosa.get("/policy/exemptions/").text
        for words in ("Refund an order", "Mara Vogel", "2 of 3", "Rosa Lind", "Stands"):
            assert words in text

    def test_keeps_what_is_over_apart(self, desk: Desk, rosa: Reader) -> None:
        used_up = given(desk, uses=1)
        desk.work(asked(desk))
        end(ended := given(desk), desk.people.rosa)
        text = rosa.get("/policy/exemptions/").text
        living, _heading, over = text.partition("waiting for people")[2].partition(" Over ")
        assert "Used up" in living
        assert "Ended" in over
        assert (ends(used_up)[0], ends(ended)[0]) == ("standing", "ended")


class TestWhatItLetThrough:
    @pytest.fixture
    def proposal(self, desk: Desk) -> Proposal:
        given(desk)
        desk.work(run_id := asked(desk))
        return desk.proposal(run_id)

    def test_stands_among_what_was_decided(self, proposal: Proposal, rosa: Reader) -> None:
        html = rosa.get("/inbox/?show=decided").html
        (row,) = re.findall(r"<tr role=\"row\" data-row>.*?</tr>", html, re.DOTALL)
        told = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", row))
        assert "Exempt" in told
        assert "by standing exemption" in told
        assert "that Rosa Lind gave" in told
        assert "Committed" in told
        assert "Approved" not in told

    def test_says_so_on_its_page(self, proposal: Proposal, rosa: Reader) -> None:
        text = rosa.get(address_of(proposal)).text
        assert "By standing exemption" in text
        assert "The exemption that Rosa Lind gave" in text
        assert "Approved" not in text
        assert "has decided this" not in text
        assert "it stands here" not in text

    def test_says_so_in_the_run_s_story(self, proposal: Proposal, rosa: Reader) -> None:
        text = rosa.get(f"/runs/{proposal.run_id}/?view=timeline").text
        assert "Let through by a standing exemption that Rosa Lind gave" in text
        assert "2 uses left" in text

    def test_says_there_how_many_uses_are_left(self, desk: Desk, rosa: Reader) -> None:
        given(desk, uses=2)
        desk.work(run_id := asked(desk))
        assert "1 use left" in rosa.get(f"/runs/{run_id}/?view=timeline").text

    def test_says_so_to_who_audits(
        self, proposal: Proposal, people: People, reading: Readers
    ) -> None:
        text = reading(people.ada).get("/audit/").text
        assert "Let through by a standing exemption" in text
        assert "Standing exemption approved" in text

    def test_is_listed_with_it(self, proposal: Proposal, rosa: Reader) -> None:
        text = rosa.get(page_of(Exemption.objects.get())).text
        assert "let through" in text
        assert "Committed" in text

    def test_is_not_decided_afterwards(self, proposal: Proposal, rosa: Reader) -> None:
        page = rosa.decide(proposal, "reject", digest=proposal.digest)
        assert page.status in (400, 409)
        proposal.refresh_from_db()
        assert proposal.decisions.count() == 0

    def test_is_not_replayed_as_if_somebody_had_decided_it(
        self, proposal: Proposal, zoe: Reader, desk: Desk
    ) -> None:
        from oversight.pages.policy import decided

        assert decided.found(()).cases == ()
