"""To approve what cannot be taken back, the page wants to be told what it is about, in typing."""

from typing import Any

import pytest

from engine.models import Decision
from oversight.demo.placet_actions import Refund
from tests.cast import People
from tests.pages.reading import Page, Reader, Readers, address_of, contents, elements
from tests.world import Database, Desk

REFUSED = "This is not the value above. Nothing was approved."


def field(page: Page) -> dict[str, str] | None:
    """The input in which the value is typed."""
    named = [each for each in elements(page.html, "input") if each.get("name") == "challenge"]
    assert len(named) <= 1
    return named[0] if named else None


def test_is_shown_with_the_value_and_why_it_is_asked_for(desk: Desk, rosa: Reader) -> None:
    page = rosa.get(address_of(desk.propose_for_good(amount="25.00")))
    assert page.asked_for == "25.00"
    assert "To approve, type 25.00" in page.text
    assert "You are asked because it cannot be taken back." in page.text
    assert "Rejecting and returning need nothing typed." in page.text
    typed = field(page)
    assert typed is not None
    assert (typed["type"], typed["autocomplete"], typed["dir"]) == ("text", "off", "auto")
    assert "value" not in typed
    assert "required" not in typed, "it would stand in the way of rejecting"
    assert f'<label class="field__label" for="{typed["id"]}"' in page.html
    assert f'id="{typed["aria-describedby"]}"' in page.html


def test_is_shown_for_high_risk_too(
    desk: Desk, rosa: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Refund, "risk", "high")
    page = rosa.get(address_of(desk.propose_refund(amount="25.00")))
    assert page.asked_for == "25.00"
    assert "You are asked because the risk is high." in page.text


def test_is_not_there_where_nothing_is_asked_for(desk: Desk, rosa: Reader) -> None:
    page = rosa.get(address_of(desk.propose_refund()))
    assert page.asked_for is None
    assert field(page) is None
    assert "To approve, type" not in page.text


def test_enter_in_it_presses_the_button_that_does_nothing(desk: Desk, rosa: Reader) -> None:
    html = rosa.get(address_of(desk.propose_for_good())).html
    form = html.partition('class="decision"')[2].partition("</form>")[0]
    assert form.index("data-nothing") < form.index('name="challenge"')
    assert form.index("data-nothing") < form.index('type="submit" name="decision"')


def test_the_value_shows_what_it_holds_and_is_never_markup(
    desk: Desk, rosa: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Refund, "risk", "high")
    monkeypatch.setattr(Refund, "operative_value", lambda self, args: str(args.customer))
    for customer, shown in (
        ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
        ("Mara\u3164Vogel", "Mara\u27e8U+3164\u27e9Vogel"),
        ("\u27e8U+202E\u27e9", "\u27e8U+27E8\u27e9U+202E\u27e9"),
    ):
        page = rosa.get(address_of(desk.propose_refund(customer=customer)))
        assert page.asked_for == shown
        assert "<img src=x" not in page.html


@pytest.mark.parametrize(
    ("how", "sent"),
    [
        ("something else", {"challenge": "52.00"}),
        ("nothing", {"challenge": ""}),
        ("a form without it", {"challenge": None}),
        ("a sign nobody sees", {"challenge": "25.00\u200b"}),
        ("the value in another field", {"challenge": "", "reason": "25.00"}),
        ("a value for the form to compare", {"challenge": "1.00", "asked": "1.00"}),
    ],
)
def test_a_wrong_value_is_told_at_the_field_and_nothing_is_lost(
    desk: Desk, database: Database, rosa: Reader, how: str, sent: dict[str, Any]
) -> None:
    proposal = desk.propose_for_good(amount="25.00")
    before = contents(database)
    words = {"reason": "I have\nseen it.", "reason_code": "within_policy", **sent}
    answer = rosa.decide(proposal, "approve", **words)
    assert (answer.status, contents(database)) == (422, before), how
    typed = field(answer)
    assert typed is not None
    assert typed["aria-invalid"] == "true"
    assert REFUSED in answer.text.partition("To approve, type")[2]
    assert typed.get("value", "") == (sent["challenge"] or "")
    assert words["reason"] in answer.html
    chosen = [each.get("value") for each in elements(answer.html, "input") if "checked" in each]
    assert "within_policy" in chosen


def test_what_is_wrong_elsewhere_keeps_what_was_typed(desk: Desk, rosa: Reader) -> None:
    answer = rosa.decide(desk.propose_for_good(), "approve", reason="", challenge=" 25.00")
    assert answer.status == 422
    assert "Choose a reason" in answer.text
    assert REFUSED not in answer.text
    assert (field(answer) or {})["value"] == " 25.00"


def test_it_is_taken_once_or_not_at_all(desk: Desk, database: Database, rosa: Reader) -> None:
    proposal = desk.propose_for_good(amount="25.00")
    before = contents(database)
    assert rosa.decide(proposal, "approve", challenge=["25.00", "25.00"]).status == 400
    assert rosa.decide(proposal, "approve", challenge="25.00\x00").status == 422
    assert rosa.decide(proposal, "approve", challenge="25.00" * 100).status == 422
    assert contents(database) == before


def test_the_value_approves_with_blanks_around_it_or_without(desk: Desk, rosa: Reader) -> None:
    for typed in ("25.00", " 25.00 "):
        proposal = desk.propose_for_good(amount="25.00")
        assert rosa.decide(proposal, "approve", challenge=typed).status == 302
        proposal.refresh_from_db()
        assert proposal.status == "approved"


@pytest.mark.parametrize("decision", ["reject", "return"])
def test_the_other_two_need_nothing_typed(desk: Desk, rosa: Reader, decision: str) -> None:
    for typed in ("", "something else"):
        answer = rosa.decide(desk.propose_for_good(), decision, challenge=typed)
        assert answer.status == 302
    assert {each.decision for each in Decision.objects.all()} == {decision}


def test_who_may_not_decide_is_not_asked(desk: Desk, people: People, reading: Readers) -> None:
    page = reading(people.tomas).get(address_of(desk.propose_for_good()))
    assert page.status == 200
    assert field(page) is None
