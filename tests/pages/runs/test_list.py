"""The list of runs."""

import re

import pytest

from engine import api
from oversight.reading import keyset
from tests.cast import AGENT, People, all_go_on, reviewer
from tests.pages.reading import Page, Reader
from tests.pages.unknowns.doubt import in_doubt
from tests.world import Desk


def runs(page: Page) -> list[str]:
    return re.findall(r'class="table__open" href="/runs/([^/]+)/"', page.html)


def test_every_run_is_listed_the_newest_first(desk: Desk, rosa: Reader) -> None:
    started = [str(desk.start_run()) for _ in range(3)]
    page = rosa.get("/runs/")
    assert runs(page) == started[::-1]
    assert "Run of agent" in page.text


def test_a_run_is_named_by_what_its_newest_proposal_asks(desk: Desk, rosa: Reader) -> None:
    desk.propose_refund(amount="25.00")
    text = rosa.get("/runs/").text
    assert "Refund 25.00 to Mara Vogel" in text
    assert "Waiting for a decision" in text
    assert "refund-desk" in text


def test_runs_are_chosen_by_how_they_stand(desk: Desk, people: People, rosa: Reader) -> None:
    waiting = str(desk.propose_refund().run_id)
    ended = desk.start_run()
    api.finish_run(ended, agent=AGENT)
    desk.work(ended)
    stopped = desk.approved_refund().run_id
    api.stop_everything(reviewer(people.otto), "A drill.")
    desk.work(stopped)
    assert runs(rosa.get("/runs/?show=ended")) == [str(ended)]
    assert runs(rosa.get("/runs/?show=paused")) == [str(stopped)]
    assert runs(rosa.get("/runs/?show=under-way")) == [str(stopped), waiting]
    assert "Stop in force" in rosa.get("/runs/?show=paused").text
    assert rosa.get("/runs/?show=lost").status == 400


def test_paused_runs_are_narrowed_down_to_one_reason(
    desk: Desk, people: People, rosa: Reader
) -> None:
    in_doubt(desk)
    stopped = desk.approved_refund()
    api.stop_everything(reviewer(people.otto), "A drill.")
    desk.work(stopped.run_id)
    page = rosa.get("/runs/?show=paused")
    assert "Any reason 2" in page.text
    assert 'href="/runs/?show=paused&amp;reason=stop"' in page.html
    assert runs(rosa.get("/runs/?show=paused&reason=stop")) == [str(stopped.run_id)]
    none = rosa.get("/runs/?show=paused&reason=budget_exhausted")
    assert "Budget exhausted 0" in none.text
    assert runs(none) == []


@pytest.mark.parametrize("query", ["show=paused&reason=spring", "show=ended&reason=stop"])
def test_a_reason_that_does_not_exist_or_fit_is_refused(rosa: Reader, query: str) -> None:
    assert rosa.get(f"/runs/?{query}").status == 400


def test_a_command_is_named_with_its_user(desk: Desk, rosa: Reader) -> None:
    api.stop_everything(api.Command(user="ops"), "The web is down.")
    (own,) = runs(rosa.get("/runs/?show=installation"))
    assert "ops at the command line" in rosa.get(f"/runs/{own}/").text


def test_pages_of_it_skip_and_repeat_nothing(
    desk: Desk, rosa: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "SIZE", 2)
    started = [str(desk.start_run()) for _ in range(5)]
    page, found = rosa.get("/runs/?show=under-way"), []
    while True:
        found += runs(page)
        older = re.findall(r'rel="next" href="([^"]+)"', page.html)
        if not older:
            break
        desk.start_run()
        page = rosa.get(older[0].replace("&amp;", "&"))
    assert found == started[::-1]


def test_no_runs_at_all_is_said(rosa: Reader) -> None:
    assert "No runs here" in rosa.get("/runs/").text
    assert "No run is paused" in rosa.get("/runs/?show=paused").text
    assert "Nothing was noted yet" in rosa.get("/runs/?show=installation").text


def test_the_installations_own_logs_have_a_place_of_their_own(
    desk: Desk, people: People, rosa: Reader
) -> None:
    run_id = str(desk.start_run())
    api.stop_everything(reviewer(people.otto), "A drill.")
    all_go_on(people)
    assert runs(rosa.get("/runs/")) == [run_id]
    page = rosa.get("/runs/?show=installation")
    (own,) = runs(page)
    assert "Log of stops, 20" in page.text
    story = rosa.get(f"/runs/{own}/").text
    assert "Stopped everything, rollbacks too Otto Weiss A drill." in story
    assert "Asked that everything go on Otto Weiss It looks like nothing." in story
    assert "Lifted the stop Yara Sole It was nothing." in story
