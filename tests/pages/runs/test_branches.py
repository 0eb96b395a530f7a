"""A run that has branched, its branches, and what is said of them."""

import uuid

import pytest

from engine import api
from engine.models import Run
from tests.cast import reviewer
from tests.engine.stories_of_waits import branched_and_joined, recalled
from tests.pages.reading import Reader
from tests.world import Desk


@pytest.fixture
def run_id(desk: Desk) -> uuid.UUID:
    """Two customers are to be paid back; each branch waits for a decision."""
    return recalled(desk)


def branches_of(run_id: uuid.UUID) -> list[Run]:
    return list(Run.objects.filter(parent_id=run_id).order_by("branch"))


def test_a_run_names_its_branches_with_where_they_stand(
    run_id: uuid.UUID, desk: Desk, rosa: Reader
) -> None:
    first, second = branches_of(run_id)
    desk.decide(desk.proposal(first.run_id), "reject")
    desk.work(first.run_id)

    page = rosa.get(f"/runs/{run_id}/")

    assert "Waits for its branches" in page.text
    for branch in (first, second):
        assert f'href="/runs/{branch.run_id}/"' in page.html
        assert branch.branch in page.text
    assert "Completed" in page.text
    assert "Branched into 2 runs" in page.text


def test_the_page_learns_that_a_branch_has_moved(
    run_id: uuid.UUID, desk: Desk, rosa: Reader
) -> None:
    live = rosa.get(f"/runs/{run_id}/").html.split('hx-get="')[1].split('"')[0]
    live = live.replace("&amp;", "&")
    assert rosa.get(live).status == 204

    desk.decide(desk.proposal(branches_of(run_id)[0].run_id), "reject")

    assert rosa.get(live).status == 200


def test_a_branch_names_the_run_that_it_is_of(run_id: uuid.UUID, rosa: Reader) -> None:
    branch = branches_of(run_id)[0]

    page = rosa.get(f"/runs/{branch.run_id}/")

    assert f'href="/runs/{run_id}/"' in page.html
    assert f"As the branch “{branch.branch}” of run {run_id}." in page.text


def test_a_proposal_names_the_branch_that_makes_it(
    run_id: uuid.UUID, desk: Desk, rosa: Reader
) -> None:
    branch = branches_of(run_id)[0]
    proposal = desk.proposal(branch.run_id)

    page = rosa.get(f"/proposals/{proposal.proposal_id}/1/")

    assert f'href="/runs/{run_id}/"' in page.html
    assert f"Branch {branch.branch}" in page.text


def test_an_operator_is_told_whom_else_it_concerns(
    run_id: uuid.UUID, desk: Desk, otto: Reader
) -> None:
    assert (
        "It has 2 branches under way, of which the same is asked."
        in otto.get(f"/runs/{run_id}/").text
    )

    otto.post(f"/runs/{run_id}/ask/", verb="cancel", reason="Not wanted any more.")
    for branch in branches_of(run_id):
        desk.work(branch.run_id)

    page = otto.get(f"/runs/{branches_of(run_id)[0].run_id}/")
    assert "Not wanted any more." in page.text
    assert "branches under way" not in otto.get(f"/runs/{run_id}/").text


def test_a_rollback_says_what_a_branch_has_done(desk: Desk, otto: Reader) -> None:
    run_id = branched_and_joined(desk)

    page = otto.get(f"/runs/{run_id}/rollback/")

    for branch in branches_of(run_id):
        assert f'href="/runs/{branch.run_id}/rollback/"' in page.html
    assert page.text.count("done by a branch") == 2
    assert "It was taken back by hand" not in page.text, "that is said of the branch"


def test_joined_branches_are_told_with_how_they_ended(desk: Desk, rosa: Reader) -> None:
    run_id = branched_and_joined(desk)

    page = rosa.get(f"/runs/{run_id}/")

    assert "Every branch has ended" in page.text


def test_that_the_time_was_up_is_told(desk: Desk, rosa: Reader, run_id: uuid.UUID) -> None:
    desk.work_on_after_waiting(run_id)

    page = rosa.get(f"/runs/{run_id}/")

    assert "The time for the branches is up" in page.text
    assert "Asked the branches that are under way to end" in page.text


def test_a_branch_of_a_branched_run_that_was_asked_says_why(
    desk: Desk, rosa: Reader, run_id: uuid.UUID
) -> None:
    otto = reviewer(desk.people.otto)
    api.pause_run(run_id, operator=otto, reason="Wait for the lawyers.")

    page = rosa.get(f"/runs/{branches_of(run_id)[0].run_id}/")

    assert "Wait for the lawyers." in page.text
