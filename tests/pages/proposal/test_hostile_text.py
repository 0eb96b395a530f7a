"""Whatever an agent writes, in whichever field, is text and hides nothing."""

import json

from engine import api
from engine.models import Proposal
from tests.pages.hostile import HARM, HIDDEN, MARKUP
from tests.pages.reading import Reader, address_of
from tests.world import Desk


def proposal_saying(desk: Desk, words: str) -> Proposal:
    """The words in every field that an agent fills: arguments, why, and evidence of all kinds."""
    evidence = [words, {words: words}, [words]]
    return desk.propose_refund(why=words, evidence=evidence, customer=words)


def addresses(proposal: Proposal) -> list[str]:
    """Every page on which something of the proposal is shown."""
    run = f"/runs/{proposal.run_id}/"
    return [address_of(proposal), "/inbox/", "/runs/", run, f"{run}?view=log"]


def test_markup_is_shown_and_never_taken_as_markup(desk: Desk, rosa: Reader) -> None:
    for words in MARKUP:
        proposal = proposal_saying(desk, words)
        for address in addresses(proposal):
            page = rosa.get(address)
            assert page.status == 200
            assert [harm for harm in HARM if harm in page.html] == [], (address, words)
        assert words in rosa.get(address_of(proposal)).text


def test_what_it_says_has_changed_since_a_rejection_is_text_like_the_rest(
    desk: Desk, rosa: Reader
) -> None:
    before = desk.propose_refund()
    desk.decide(before, "reject")
    desk.work(before.run_id)
    said = " ".join([*MARKUP, f"to{HIDDEN['right-to-left override']}Mara"])
    api.request_effect(
        before.run_id,
        agent=before.agent,
        action=before.action,
        arguments=json.loads(bytes(before.arguments)),
        why="It is due.",
        despite=before.proposal_id,
        what_changed=said,
    )
    desk.work(before.run_id)
    page = rosa.get(address_of(desk.proposal(before.run_id)))
    assert [harm for harm in HARM if harm in page.html] == []
    assert MARKUP[0] in page.text
    assert "to⟨U+202E⟩Mara" in page.text


def test_a_character_that_nobody_would_see_is_written_out(desk: Desk, rosa: Reader) -> None:
    for name, character in HIDDEN.items():
        proposal = proposal_saying(desk, f"to{character}Mara")
        written = f"⟨U+{ord(character):04X}⟩"
        page = rosa.get(address_of(proposal))
        assert page.text.count(f"to{written}Mara") >= 3, name
        arguments = page.html.partition('id="arguments"')[2].partition("</pre>")[0]
        assert written in arguments or f"\\u{ord(character):04x}" in arguments, name
        for address in addresses(proposal):
            assert character not in rosa.get(address).html, (name, address)


def test_such_a_character_is_pointed_out_and_makes_another_digest(desk: Desk, rosa: Reader) -> None:
    order = desk.purchase()
    plain, tricked = (desk.propose_refund(order, customer=name) for name in ("Mara", "Ma\u200bra"))
    assert plain.digest != tricked.digest
    assert "would be invisible" not in rosa.get(address_of(plain)).text
    assert "would be invisible" in rosa.get(address_of(tricked)).text


def test_a_word_of_two_alphabets_is_pointed_out(desk: Desk, rosa: Reader) -> None:
    page = rosa.get(address_of(proposal_saying(desk, "p\u0430id")))
    assert "Mixes alphabets in one word" in page.text


def test_padding_cannot_push_anything_out_of_sight(desk: Desk, rosa: Reader) -> None:
    page = rosa.get(address_of(proposal_saying(desk, "Mara" + " " * 500 + "Evil")))
    assert "Mara ⟨500 spaces⟩ Evil" in page.text


def test_a_target_that_answers_with_markup_is_text_too(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund(desk.purchase(customer="<script>alert(1)</script>"))
    page = rosa.get(address_of(proposal))
    assert "<script>alert" not in page.html
    assert "&lt;script&gt;alert(1)" in page.html


def test_what_a_reviewer_wrote_is_text_too(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    desk.decide(proposal, "reject", reason="<img src=x onerror=alert(1)> \u202eno")
    for address in (address_of(proposal), "/inbox/?show=decided", f"/runs/{proposal.run_id}/"):
        html = rosa.get(address).html
        assert "<img" not in html
        assert "\u202e" not in html
