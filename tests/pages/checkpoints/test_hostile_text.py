"""What an agent puts into a run's state is text, wherever the state is shown."""

import pytest

from engine import api
from engine.models import Checkpoint
from tests.pages.hostile import HARM, HIDDEN, MARKUP
from tests.pages.reading import Reader
from tests.world import Desk


@pytest.fixture(scope="module")
def desk(shared_desk: Desk) -> Desk:
    return shared_desk


@pytest.fixture(scope="module")
def ada(desk: Desk) -> Reader:
    return Reader(desk.people.ada)


def addresses_of_a_run_saying(desk: Desk, words: str) -> list[str]:
    """Every page that shows its state; the words are keys and values of it, and arguments."""
    state = {"order": desk.purchase(), "customer": words, "amount": "1.00", words: [words]}
    run_id = api.start_run("refund", state, initiator=desk.people.agent)
    desk.work(run_id)
    saved = Checkpoint.objects.filter(run_id=run_id).latest("last_event_sequence")
    other = desk.start_run(**{words: {words: words}})
    seq = saved.last_event_sequence
    return [
        f"/checkpoints/{saved.pk}/",
        f"/checkpoints/at/?run={run_id}&seq={seq}",
        f"/checkpoints/at/?run={run_id}&seq={seq - 1}",
        f"/checkpoints/compare/?of={saved.pk}&of={other}@1&all=1",
        f"/checkpoints/?run={run_id}",
    ]


@pytest.mark.parametrize("words", MARKUP)
def test_markup_is_shown_and_never_taken_as_markup(desk: Desk, ada: Reader, words: str) -> None:
    for address in addresses_of_a_run_saying(desk, words):
        page = ada.get(address)
        assert page.status == 200
        assert [harm for harm in HARM if harm in page.html] == [], address


@pytest.mark.parametrize("name", HIDDEN)
def test_a_character_that_nobody_would_see_is_written_out(
    desk: Desk, ada: Reader, name: str
) -> None:
    character = HIDDEN[name]
    *whole, listed = addresses_of_a_run_saying(desk, f"to{character}Mara")
    for address in whole:
        page = ada.get(address)
        assert character not in page.html, address
        written = (f"to⟨U+{ord(character):04X}⟩Mara", f"\\u{ord(character):04x}Mara")
        assert any(each in page.text for each in written), address
    assert character not in ada.get(listed).html


@pytest.mark.parametrize("words", [*MARKUP, *HIDDEN.values(), "\x00", "\ud800"])
def test_what_is_typed_into_the_search_is_text_too(ada: Reader, words: str) -> None:
    typed = words.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    for query in (
        {"node": typed},
        {"workflow": typed},
        {"run": typed},
        {"since": typed},
        {"status": typed},
        {"field": typed, "is": "eq", "value": typed},
        {typed: typed},
    ):
        page = ada.get("/checkpoints/", **query)
        assert page.status in (200, 400)
        assert [harm for harm in HARM if harm in page.html] == [], query
    for address in ("/checkpoints/at/", "/checkpoints/compare/"):
        page = ada.get(address, run=typed, seq=typed, of=[typed, typed])
        assert page.status == 400
        assert [harm for harm in HARM if harm in page.html] == [], address
