"""One event in full: as it is stored, and whether it is what was written."""

import json
import re
import uuid

import pytest

from tests.cast import People
from tests.engine.chain import envelope
from tests.engine.test_append_only import ERASE, declare_erased
from tests.pages.hostile import HARM, HIDDEN, MARKUP
from tests.pages.reading import Page, Reader, Readers
from tests.world import Desk


@pytest.fixture
def run_id(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    return proposal.run_id


@pytest.fixture
def ada(desk: Desk, people: People, reading: Readers) -> Reader:
    return reading(people.ada)


def address(run_id: uuid.UUID, seq: int) -> str:
    return f"/audit/{run_id}/{seq}/"


def force(desk: Desk, statement: str) -> None:
    with desk.database.connected() as attacker:
        attacker.execute("SET session_replication_role = replica")
        attacker.execute(statement.encode())


def test_every_event_of_a_run_can_be_seen_whole(ada: Reader, desk: Desk, run_id: uuid.UUID) -> None:
    prev = "00" * 32
    for event in desk.database.log(run_id):
        page = ada.get(address(run_id, event["seq"]))
        assert page.status == 200
        for value in (event["hash"], event["payload_hash"], event["salt"]):
            assert bytes(value).hex() in page.text
        assert envelope(event, prev).decode() in page.text
        assert f"{event['at']:%Y-%m-%dT%H:%M:%S.%fZ}" in page.text
        assert event["kind"] in page.text
        assert event["actor"] in page.text
        assert "As it was written" in page.text
        assert shown(page) == json.loads(event["payload"])
        prev = bytes(event["hash"]).hex()


def shown(page: Page) -> object:
    """The payload, as the page lays it out."""
    text = page.text.partition("Payload {")[2] or page.text.rpartition("Payload {")[2]
    return json.JSONDecoder().raw_decode("{" + text)[0]


def test_one_goes_on_to_its_neighbours_its_run_and_its_state(
    ada: Reader, run_id: uuid.UUID
) -> None:
    page = ada.get(address(run_id, 3))
    for link in (
        f'rel="prev" href="{address(run_id, 2)}"',
        f'rel="next" href="{address(run_id, 4)}"',
        f'href="/runs/{run_id}/?view=log&amp;up_to=3#event-3"',
        f'href="/checkpoints/at/?run={run_id}&amp;seq=3"',
        f'href="/audit/?run={run_id}"',
    ):
        assert link in page.html, link
    assert 'rel="prev"' not in ada.get(address(run_id, 1)).html


TAMPERED = {
    "payload": ("payload = convert_to('{}', 'UTF8')", "does not match its hash"),
    "salt": ("salt = '\\x00'", "does not match its hash"),
    "payload and its hash": (
        "payload = '{}', payload_hash = sha256(salt || '{}')",
        "does not match its hash",
    ),
    "actor": ("actor = 'person:99'", "does not match its hash"),
    "kind": ("kind = 'run_moved'", "does not match its hash"),
    "time": ("at = at + interval '1 us'", "does not match its hash"),
    "hash": ("hash = sha256('x')", "does not match its hash"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_one_that_was_changed_says_so_loudly(
    ada: Reader, desk: Desk, run_id: uuid.UUID, what: str
) -> None:
    change, said = TAMPERED[what]
    force(desk, f"UPDATE engine_event SET {change} WHERE seq = 5")  # noqa: S608
    page = ada.get(address(run_id, 5))
    assert page.status == 200
    assert "This event is not what was written" in page.text
    assert "Not as it was written" in page.text
    assert said in page.text
    assert "As it was written" in ada.get(address(run_id, 4)).text


def test_one_whose_predecessor_is_gone_says_so(ada: Reader, desk: Desk, run_id: uuid.UUID) -> None:
    force(desk, "DELETE FROM engine_event WHERE seq = 4")
    assert ada.get(address(run_id, 4)).status == 404
    page = ada.get(address(run_id, 5))
    assert "the event before is missing" in page.text
    assert "This event is not what was written" in page.text


@pytest.mark.parametrize("junk", [r"\x00ff80", r"\x7b", r"\x" + "5b" * 5000])
def test_a_payload_that_is_no_json_is_shown_all_the_same(
    ada: Reader, desk: Desk, run_id: uuid.UUID, junk: str
) -> None:
    force(desk, f"UPDATE engine_event SET payload = '{junk}' WHERE seq = 5")  # noqa: S608
    page = ada.get(address(run_id, 5))
    assert page.status == 200
    assert "This is not JSON" in page.text
    assert "This event is not what was written" in page.text


def test_what_was_erased_by_design_is_told_apart(ada: Reader, desk: Desk) -> None:
    """There is no eraser yet: this is what the log would let one do."""
    state = {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "0.00"}
    run_id = desk.start_run("refund", **state)
    desk.work(run_id)
    declare_erased(desk, run_id)
    desk.database.execute(f"{ERASE} WHERE seq = 2")
    page = ada.get(address(run_id, 2))
    assert page.text.count("erased by design") >= 2
    assert "As it was written" in page.text
    assert "content erased by design" in ada.get("/audit/", run=run_id).text


def test_what_is_not_there_is_not_found(ada: Reader, run_id: uuid.UUID) -> None:
    for missing in (
        address(run_id, 0),
        address(run_id, 999),
        address(uuid.UUID(int=1), 1),
        f"/audit/{run_id}/{2**63}/",
        f"/audit/{run_id}/-1/",
        "/audit/x/1/",
    ):
        assert ada.get(missing).status == 404, missing


class TestWhatAnAgentWrote:
    def test_is_text(self, ada: Reader, desk: Desk) -> None:
        for words in MARKUP:
            proposal = desk.propose_refund(why=words, evidence=[words, {words: words}])
            last = desk.run(proposal.run_id).last_seq
            for seq in range(1, last + 1):
                page = ada.get(address(proposal.run_id, seq))
                assert page.status == 200
                assert [harm for harm in HARM if harm in page.html] == [], (words, seq)

    def test_hides_nothing(self, ada: Reader, desk: Desk) -> None:
        for name, character in HIDDEN.items():
            proposal = desk.propose_refund(why=f"to{character}Mara")
            page = ada.get(address(proposal.run_id, 2))
            assert character not in page.html, name
            written = (f"to⟨U+{ord(character):04X}⟩Mara", f"\\u{ord(character):04x}Mara")
            assert any(each in page.text for each in written), name

    def test_is_shown_whole(self, ada: Reader, desk: Desk) -> None:
        """Numbers as written, and the text of a backslash and a zero as that text."""
        run_id = desk.start_run(exact=0.1, big=9007199254740991, text="\\u0000", deep=[[[1]]])
        page = ada.get(address(run_id, 1))
        for written in ('"exact": 0.1', '"big": 9007199254740991', '"text": "\\\\u0000"'):
            assert written in page.text
        assert not re.search(r"⟨U\+0000⟩", page.text)
