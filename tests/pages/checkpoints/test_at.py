"""The state after any event of a run, and what that event changed."""

import json
from html import unescape
from typing import Any

import pytest

from engine.models import Checkpoint
from tests.engine.test_append_only import ERASE, declare_erased
from tests.pages.reading import Page, Reader
from tests.world import Desk

AT = "/checkpoints/at/"


@pytest.fixture
def run_id(desk: Desk) -> Any:
    """A run with one refund, committed, and a second one proposed."""
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    desk.ask_for_refund(proposal.run_id, desk.purchase())
    desk.work(proposal.run_id)
    return proposal.run_id


@pytest.fixture
def ada(desk: Desk, reading: Any) -> Reader:
    return reading(desk.people.ada)  # type: ignore[no-any-return]


def state(page: Page) -> dict[str, Any]:
    """The whole state, as the page lays it out."""
    block = page.html.partition('id="state-title"')[2].partition("<pre")[2]
    text = block.partition(">")[2].partition("</pre>")[0]
    plain = text.replace('<bdi class="said" dir="ltr">', "").replace("</bdi>", "")
    return dict(json.loads(unescape(plain)))


def last_seq(desk: Desk, run_id: Any) -> int:
    return int(desk.database.value("SELECT last_seq FROM engine_run WHERE run_id = %s", run_id))


def test_at_every_checkpoint_it_is_what_the_checkpoint_holds(
    ada: Reader, desk: Desk, run_id: Any
) -> None:
    """Folded from the checkpoint before, it must come to the same, part by part."""
    for saved in Checkpoint.objects.filter(run_id=run_id):
        shown = state(ada.get(AT, run=run_id, seq=saved.last_event_sequence))
        pending = json.loads(saved.pending_action)
        if pending:
            pending["arguments"] = json.loads(pending["arguments"])
        assert shown == {
            "status": saved.status,
            "node": saved.current_node,
            "state_version": saved.state_version,
            "pending": pending,
            "completed": json.loads(saved.completed_effects),
            "budget": json.loads(saved.budget_snapshot),
            **json.loads(saved.state_snapshot),
        }


def test_between_checkpoints_it_is_folded(ada: Reader, desk: Desk, run_id: Any) -> None:
    """With all but the first checkpoint out of the way, every state comes to the same."""
    every = range(1, last_seq(desk, run_id) + 1)
    with_all = [state(ada.get(AT, run=run_id, seq=seq)) for seq in every]
    desk.database.execute("DELETE FROM engine_checkpoint WHERE last_event_sequence > 1")
    assert [state(ada.get(AT, run=run_id, seq=seq)) for seq in every] == with_all
    stages = [(each["pending"] or {}).get("stage") for each in with_all]
    assert [stages[0], stages[-1]] == [None, "open"]
    assert {"open", "approved", "prepared", "executing", "succeeded", "passed"} <= set(stages)


def test_what_an_event_changed_is_told_row_by_row(ada: Reader, desk: Desk, run_id: Any) -> None:
    kinds = desk.database.kinds(run_id)
    page = ada.get(AT, run=run_id, seq=kinds.index("proposal_approved") + 1)
    changed = page.text.partition("What this event changed")[2].partition("The whole state")[0]
    assert "pending.stage open text approved text" in changed
    assert "Rosa Lind" in page.text
    decided = ada.get(AT, run=run_id, seq=kinds.index("decision_made") + 1)
    assert "it is a fact that stands in the log alone" in decided.text


def test_one_can_walk_through_the_run(ada: Reader, desk: Desk, run_id: Any) -> None:
    last = last_seq(desk, run_id)
    address, walked = f"{AT}?run={run_id}&seq=1", []
    while address:
        page = ada.get(address)
        walked.append(page.text.partition("State after event ")[2].split()[0])
        following = page.html.partition('rel="next" href="')[2].partition('"')[0]
        address = unescape(following)
    assert walked == [str(seq) for seq in range(1, last + 1)]
    assert 'rel="prev"' not in ada.get(AT, run=run_id, seq=1).html


def test_it_names_the_checkpoint_it_was_folded_from(ada: Reader, run_id: Any) -> None:
    saved = Checkpoint.objects.filter(run_id=run_id).order_by("last_event_sequence")
    between = saved[1].last_event_sequence + 1
    nearest = saved.filter(last_event_sequence__lte=between).last()
    assert nearest is not None
    page = ada.get(AT, run=run_id, seq=between)
    assert f'href="/checkpoints/{nearest.pk}/"' in page.html
    assert "Checkpoint and chain verified just now" in page.text


@pytest.mark.parametrize(
    ("query", "said", "status"),
    [
        ({"run": "x", "seq": "1"}, "This is no identifier", 400),
        ({"seq": "1"}, "Both are needed.", 400),
        ({"run": "{run}"}, "Both are needed.", 400),
        ({"run": "{run}", "seq": "x"}, "An event has a whole number.", 400),
        ({"run": "{run}", "seq": "0"}, "greater than or equal to 1", 400),
        ({"run": "{run}", "seq": "9" * 30}, "less than or equal to", 400),
        ({"run": "{run}", "seq": "1.5"}, "An event has a whole number.", 400),
        ({"run": "{run}", "seq": "1", "x": "1"}, "There is no filter “x”.", 400),
        ({"run": "{run}", "seq": "99"}, "leads to such an event", 404),
        ({"run": "00000000-0000-0000-0000-000000000000", "seq": "1"}, "leads to such", 404),
    ],
)
def test_what_there_is_not_is_told_beside_its_field(
    ada: Reader, run_id: Any, query: dict[str, str], said: str, status: int
) -> None:
    page = ada.get(AT, **{name: text.format(run=run_id) for name, text in query.items()})
    assert page.status == status
    assert said in page.text
    assert "The whole state" not in page.text


def test_without_a_question_it_only_asks(ada: Reader, run_id: Any) -> None:
    page = ada.get(AT)
    assert page.status == 200
    assert "✕" not in page.text
    assert "needed" not in page.text


def test_the_installation_s_own_logs_lead_to_no_state(ada: Reader, desk: Desk, run_id: Any) -> None:
    ada.client.post("/audit/verify/", {"what": "verify"})
    own = desk.database.value("SELECT run_id FROM engine_run WHERE workflow = 'system.access'")
    assert ada.get(AT, run=own, seq=1).status == 404


class TestWhatWasTamperedWith:
    @pytest.mark.parametrize(
        ("damage", "said"),
        [
            ("UPDATE engine_event SET actor = 'person:9' WHERE seq = 3", "does not match its hash"),
            ("UPDATE engine_event SET payload = '{}' WHERE seq = 3", "was altered"),
            ("DELETE FROM engine_event WHERE seq = 3", "is missing"),
            ("UPDATE engine_checkpoint SET status = 'paused'", "does not match its checksum"),
            ("UPDATE engine_checkpoint SET schema_version = 9", "does not match its checksum"),
        ],
    )
    def test_is_told_instead_of_a_state(
        self, ada: Reader, desk: Desk, run_id: Any, damage: str, said: str
    ) -> None:
        desk.database.execute("DELETE FROM engine_checkpoint WHERE last_event_sequence > 1")
        self.force(desk, damage)
        page = ada.get(AT, run=run_id, seq=4)
        assert page.status == 200
        assert "This state cannot be told" in page.text
        assert said in page.text
        assert "verified just now" not in page.text
        assert "The whole state" not in page.text

    def test_at_the_very_event_is_told_too(self, ada: Reader, desk: Desk, run_id: Any) -> None:
        desk.database.execute("DELETE FROM engine_checkpoint WHERE last_event_sequence > 1")
        self.force(desk, "DELETE FROM engine_event WHERE seq = 4")
        page = ada.get(AT, run=run_id, seq=4)
        assert page.status == 200
        assert "This state cannot be told" in page.text

    def test_the_first_event_and_its_checkpoint(self, ada: Reader, desk: Desk, run_id: Any) -> None:
        self.force(desk, "DELETE FROM engine_event WHERE seq = 1")
        for seq in (1, 2):
            page = ada.get(AT, run=run_id, seq=seq)
            assert page.status == 200
            assert "This state cannot be told" in page.text

    def test_what_was_erased_by_design_is_told(self, ada: Reader, desk: Desk) -> None:
        proposal = desk.propose_refund()
        desk.decide(proposal, "reject")
        desk.work(proposal.run_id)
        run_id = proposal.run_id
        from engine import api
        from tests.cast import AGENT

        api.finish_run(run_id, agent=AGENT)
        desk.work(run_id)
        declare_erased(desk, run_id)
        desk.database.execute(f"{ERASE} WHERE seq = 2")
        desk.database.execute("DELETE FROM engine_checkpoint WHERE last_event_sequence > 1")
        page = ada.get(AT, run=run_id, seq=3)
        assert page.status == 200
        assert "was erased" in page.text

    def force(self, desk: Desk, statement: str) -> None:
        with desk.database.connected() as attacker:
            attacker.execute("SET session_replication_role = replica")
            attacker.execute(statement.encode())
