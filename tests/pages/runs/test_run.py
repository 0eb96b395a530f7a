"""One run: where it stands, its effects, its timeline, its raw log."""

import re
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from engine import api, leasing, workflows
from engine.models import Alert
from engine.waits import sleep_until
from oversight.reading import log
from tests.cast import AGENT, People, reviewer
from tests.engine.stories_of_waits import waiting, waits_for_an_event
from tests.pages.reading import Page, Reader, Readers, contents, elements
from tests.pages.unknowns.doubt import in_doubt
from tests.world import Database, Desk, Ledger


def address_of(run_id: uuid.UUID) -> str:
    return f"/runs/{run_id}/"


def titles(page: Page) -> list[str]:
    """What the timeline says, event by event."""
    found = re.findall(r'<p class="timeline__title">(.*?)</p>', page.html, re.DOTALL)
    return [" ".join(re.sub("<[^>]+>", " ", each).split()) for each in found]


def test_a_whole_refund_is_told_from_the_first_event_to_the_last(desk: Desk, rosa: Reader) -> None:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    api.finish_run(proposal.run_id, agent=AGENT)
    desk.work(proposal.run_id)
    page = rosa.get(address_of(proposal.run_id))
    told = titles(page)
    assert len(told) == desk.run(proposal.run_id).last_seq
    for sentence in (
        "Run of agent, version 1, accepted refund-desk",
        "Asked for ledger.refund refund-desk",
        "Proposal opened worker",
        "Decided to approve Rosa Lind",
        "Passed the gate; the call goes out (attempt 1) worker",
        "Read again at the target: as approved worker",
        "Committed worker",
        "Run completed worker",
    ):
        assert sentence in told
    assert "Completed" in page.text
    assert page.html.count("stations__stop--done") == 7


def test_every_entry_has_its_number_and_its_time(desk: Desk, rosa: Reader) -> None:
    run_id = desk.propose_refund().run_id
    html = rosa.get(address_of(run_id)).html
    last = desk.run(run_id).last_seq
    assert [int(n) for n in re.findall(r'id="event-(\d+)"', html)] == list(range(1, last + 1))
    assert len(re.findall(r'class="timeline__at"><span class="when"><time', html)) == last


def test_it_says_what_it_waits_for_and_leads_there(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    page = rosa.get(address_of(proposal.run_id))
    assert "Waits for a decision" in page.text
    assert f'href="/proposals/{proposal.proposal_id}/"' in page.html
    assert "no worker" in page.text


def test_it_leads_to_whatever_is_looked_at_next(desk: Desk, rosa: Reader) -> None:
    run_id = desk.propose_refund().run_id
    links = links_of(rosa.get(address_of(run_id)))
    assert {
        f"/checkpoints/?run={run_id}",
        f"/audit/?run={run_id}",
        f"/audit/{run_id}/3/",
        "/rollbacks/ledger.refund/1/",
    } <= links
    raw = links_of(rosa.get(address_of(run_id), view="log"))
    assert {f"/audit/{run_id}/3/", f"/checkpoints/at/?run={run_id}&seq=3"} <= raw
    assert {link for link in raw if rosa.get(link).status not in (200, 302)} == set()


def test_an_alert_and_an_effect_in_doubt_lead_to_where_they_are_dealt_with(
    desk: Desk, rosa: Reader
) -> None:
    effect = in_doubt(desk)
    alert = Alert.objects.get(run_id=effect.run_id)
    links = links_of(rosa.get(address_of(effect.run_id)))
    assert {f"/alerts/{alert.pk}/", f"/unknowns/{effect.pk}/"} <= links


def links_of(page: Page) -> set[str]:
    """Where the page's own content leads, outside the frame of every page."""
    found = elements(page.html.partition("<main")[2], "a")
    return {each["href"] for each in found if each["href"].startswith("/")}


def test_it_says_until_when_it_waits_for_its_agent(desk: Desk, rosa: Reader) -> None:
    run_id = desk.start_run()
    desk.work(run_id)
    text = rosa.get(address_of(run_id)).text
    assert "Waits for the agent to speak next until" in text


def test_it_says_for_which_event_it_waits_and_then_what_came(desk: Desk, rosa: Reader) -> None:
    run_id = waits_for_an_event(desk)
    text = rosa.get(address_of(run_id)).text
    assert "Waits for the event “goods_returned” until" in text
    assert "A-1" in text

    trick = {"note": "<b>bold\u202e</b>"}
    api.deliver_event("goods_returned", "A-1", "1", trick, sender="agent:warehouse")
    page = rosa.get(address_of(run_id))
    assert "Received the event “goods_returned”" in page.text
    assert "warehouse" in page.text
    assert "<b>bold" not in page.html
    assert "\u202e" not in page.html


def test_it_says_until_when_it_sleeps(
    desk: Desk, rosa: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workflows, "_registry", dict(workflows._registry))
    moment = datetime(2031, 7, 1, 7, tzinfo=UTC)
    run_id = waiting(desk, sleep_until(moment, then="last"))
    text = rosa.get(address_of(run_id)).text
    assert re.search(r"Waits until\s+1 Jul 2031, 07:00 UTC", text)


def test_a_worker_that_holds_it_is_named_with_its_token(
    desk: Desk, database: Database, rosa: Reader
) -> None:
    run_id = desk.start_run()
    held(run_id, "desk-7:4711")
    text = rosa.get(address_of(run_id)).text
    assert "desk-7:4711" in text
    assert "token 1, lease until" in text
    assert "Claimed by a worker, token 1" in text


def held(run_id: uuid.UUID, owner: str) -> None:
    """A worker claims the run and is never heard of again."""
    assert leasing.claim(run_id, owner) is not None


def test_a_takeover_is_told_with_both_workers(desk: Desk, database: Database, rosa: Reader) -> None:
    run_id = desk.start_run()
    held(run_id, "desk-7:4711")
    database.time_passes_for(run_id)
    held(run_id, "desk-8:12")
    page = rosa.get(address_of(run_id))
    assert "Taken over by another worker, token 2" in page.text
    assert "desk-8:12, after the lease of desk-7:4711 had lapsed" in page.text


def test_a_claim_after_the_run_was_given_back_is_no_takeover(desk: Desk, rosa: Reader) -> None:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    text = rosa.get(address_of(proposal.run_id)).text
    assert "Claimed by a worker, token 2" in text
    assert "Taken over" not in text
    assert "Claimed again" not in text


def test_an_alert_stands_above_the_effects(desk: Desk, people: People, rosa: Reader) -> None:
    proposal = desk.approved_refund(desk.purchase(handling_fee="1.50"))
    desk.work(proposal.run_id)
    page = rosa.get(address_of(proposal.run_id))
    assert "ledger.refund did not do what was approved." in page.text
    assert page.html.index("banner--danger") < page.html.index("stations__stop")
    assert "refunded: 25.00 → 23.50" in page.text
    assert "Rolled back, and verified" in page.text


def test_a_paused_run_says_why(desk: Desk, people: People, rosa: Reader) -> None:
    proposal = desk.approved_refund()
    api.stop_everything(reviewer(people.otto), "A drill.")
    desk.work(proposal.run_id)
    page = rosa.get(address_of(proposal.run_id))
    assert "Paused: stop in force" in page.text


def test_who_started_it_by_hand_is_named(desk: Desk, people: People, rosa: Reader) -> None:
    ines = api.Initiator(actor=f"person:{people.ines.pk}", person_id=people.ines.pk)
    state = {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "25.00"}
    run_id = api.start_run("refund", state, initiator=ines)
    desk.work(run_id)
    text = rosa.get(address_of(run_id)).text
    assert re.search("Started by ?Ines Costa", text)
    assert "Moved to “pay”" in text


def test_a_refused_decision_is_part_of_the_story(desk: Desk, people: People, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    with pytest.raises(Exception, match="never decides"):
        desk.approve(proposal, by=people.tomas)
    text = rosa.get(address_of(proposal.run_id)).text
    assert "Wanted to decide, and was refused Tomas Brandt" in text


def test_the_raw_log_shows_every_event_as_it_is_stored(
    desk: Desk, database: Database, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    page = rosa.get(address_of(proposal.run_id), view="log")
    stored = database.log(proposal.run_id)
    numbers = [int(n) for n in re.findall(r'id="event-(\d+)"', page.html)]
    assert numbers == [event["seq"] for event in stored]
    for event in stored:
        assert event["kind"] in page.text
        assert bytes(event["hash"]).hex()[:12] in page.text
        assert bytes(event["hash"]).hex() in page.html
    assert '"workflow": "agent"' in page.text
    assert proposal.digest in page.text


def test_a_payload_that_was_erased_says_so_and_keeps_its_hash(
    desk: Desk, database: Database, rosa: Reader
) -> None:
    run_id = desk.propose_refund().run_id
    database.execute("ALTER TABLE engine_event DISABLE TRIGGER USER")
    database.execute("UPDATE engine_event SET payload = NULL, salt = NULL")
    page = rosa.get(address_of(run_id), view="log")
    assert page.text.count("Erased by design") == desk.run(run_id).last_seq
    assert bytes(database.log(run_id)[0]["hash"]).hex()[:12] in page.text
    assert rosa.get(address_of(run_id)).text.count("its content erased") >= 5


def test_a_long_log_is_shown_a_stretch_at_a_time(
    desk: Desk, rosa: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "PAGE", 3)
    run_id = desk.propose_refund().run_id
    last, seen = desk.run(run_id).last_seq, []
    page = rosa.get(address_of(run_id))
    while True:
        numbers = [int(n) for n in re.findall(r'id="event-(\d+)"', page.html)]
        assert len(numbers) <= 3
        seen = [*numbers, *seen]
        older = re.findall(r'rel="next" href="([^"]+)"', page.html)
        if not older:
            break
        page = rosa.get(older[0].replace("&amp;", "&"))
    assert seen == list(range(1, last + 1))


@pytest.mark.parametrize("query", [{"view": "graph"}, {"up_to": "x"}, {"up_to": "-1"}])
def test_a_view_that_a_run_does_not_have_is_refused(
    desk: Desk, rosa: Reader, query: dict[str, str]
) -> None:
    assert rosa.get(address_of(desk.start_run()), **query).status == 400


def test_a_run_that_is_not_there_is_not_found(rosa: Reader) -> None:
    assert rosa.get("/runs/01a228ae-b8bf-712d-930f-5da105cccba2/").status == 404
    assert rosa.get("/runs/01a228ae-b8bf-712d-930f-5da105cccba2/live/").status == 404


def test_everybody_with_a_role_may_read_it(desk: Desk, people: People, reading: Readers) -> None:
    run_id = desk.propose_refund().run_id
    for person in (people.tomas, people.otto, people.ada, people.ines, people.zoe):
        assert reading(person).get(address_of(run_id)).status == 200


def test_looking_changes_nothing(desk: Desk, database: Database, rosa: Reader) -> None:
    run_id = desk.propose_refund().run_id
    before = contents(database)
    for address in ("", "?view=log", "live/"):
        rosa.get(f"{address_of(run_id)}{address}")
        rosa.client.head(f"{address_of(run_id)}{address}")
    assert rosa.post(address_of(run_id)).status == 405
    assert contents(database) == before


class TestWhileItIsLookedAt:
    def test_nothing_new_is_answered_with_nothing(self, desk: Desk, rosa: Reader) -> None:
        address = rosa.get(address_of(desk.propose_refund().run_id)).attribute("hx-get")
        answer = rosa.poll(address)
        assert (answer.status, answer.html) == (204, "")

    def test_the_same_part_of_the_page_comes_anew(self, desk: Desk, rosa: Reader) -> None:
        proposal = desk.propose_refund()
        address = rosa.get(address_of(proposal.run_id)).attribute("hx-get")
        desk.approve(proposal)
        desk.work(proposal.run_id)
        answer = rosa.poll(address)
        whole = rosa.get(address_of(proposal.run_id))
        assert titles(answer) == titles(whole)
        assert "<h1" not in answer.html
        assert re.match(r'\s*<div class="stack stack--loose" id="run" data-live', answer.html)

    def test_the_raw_log_stays_the_raw_log(self, desk: Desk, rosa: Reader) -> None:
        proposal = desk.propose_refund()
        page = rosa.get(address_of(proposal.run_id), view="log")
        desk.approve(proposal)
        assert "runs__log" in rosa.poll(page.attribute("hx-get")).html

    def test_it_ends_with_the_run(self, desk: Desk, rosa: Reader) -> None:
        proposal = desk.propose_refund()
        address = rosa.get(address_of(proposal.run_id)).attribute("hx-get")
        desk.decide(proposal, "reject")
        api.finish_run(proposal.run_id, agent=AGENT)
        desk.work(proposal.run_id)
        assert "hx-get" not in rosa.poll(address).html
        assert "hx-get" not in rosa.get(address_of(proposal.run_id)).html


def test_an_alert_that_somebody_took_on_names_them_and_the_next_step(
    desk: Desk, people: People, ledger: Ledger, rosa: Reader
) -> None:
    proposal = desk.approved_refund(desk.purchase(handling_fee="1.50"))
    desk.work(proposal.run_id)
    api.acknowledge_alert(
        proposal.run_id,
        Alert.objects.get().alert_id,
        operator=reviewer(people.otto),
        cause="The bank kept a fee.",
        next_step="Ask the bank.",
        due_at=datetime.now(UTC) + timedelta(hours=1),
    )
    page = rosa.get(address_of(proposal.run_id))
    assert "Otto Weiss" in page.text
    assert "Ask the bank." in page.text
    assert "banner--danger" not in page.html
