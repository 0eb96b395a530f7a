"""What happened lately: the pictures, their sentences, and the numbers beside them."""

import re

from engine.models import Effect
from tests.pages.alerts.trouble import wrong_refund
from tests.pages.reading import Page, Reader
from tests.world import Database, Desk

OVERVIEW = "/overview/"


def figures(page: Page) -> list[str]:
    return re.findall(r'<figure class="card chart">.*?</figure>', page.html, re.DOTALL)


def numbers(figure: str) -> list[tuple[str, str]]:
    """The rows of a chart's table: what, and how many."""
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td class="number">(.*?)</td>', figure)
    return [tuple(re.sub("<[^>]+>", "", cell) for cell in row) for row in rows]  # type: ignore[misc]


def links(figure: str) -> list[str]:
    return [found.replace("&amp;", "&") for found in re.findall(r'href="([^"]+)"', figure)]


def test_without_anything_the_pictures_say_so(otto: Reader) -> None:
    page = otto.get(OVERVIEW)
    for words in (
        "No effect was committed in 24 hours.",
        "Nobody decided anything in 24 hours.",
        "No verification failed in 14 days.",
    ):
        assert words in page.text
        assert f'role="img" aria-label="{words}"' in page.html
    assert "The numbers" not in page.text


def test_committed_effects_are_counted_by_the_hour(
    desk: Desk, database: Database, otto: Reader
) -> None:
    desk.work(desk.approved_refund().run_id)
    desk.work(desk.approved_refund().run_id)
    committed, _, _ = figures(otto.get(OVERVIEW))
    assert "2 effects were committed in 24 hours, at most 2 in one." in committed
    ((_, count),) = numbers(committed)
    assert count == "2"
    database.execute("ALTER TABLE engine_event DISABLE TRIGGER USER")
    database.execute(
        "UPDATE engine_event SET at = at - interval '30 h' WHERE run_id = %s",
        Effect.objects.all()[0].run_id,
    )
    assert "1 effect was committed in 24 hours." in otto.get(OVERVIEW).text


def test_a_number_leads_to_just_those_events(desk: Desk, otto: Reader) -> None:
    desk.work(desk.approved_refund().run_id)
    desk.propose_refund()
    (address,) = links(figures(otto.get(OVERVIEW))[0])
    found = otto.get(address)
    assert found.status == 200
    assert found.html.count("<code>effect_committed</code>") == 1
    assert "proposal_opened" not in found.html.partition("<tbody")[2].partition("</tbody>")[0]


def test_decisions_are_counted_by_how_long_they_took(
    desk: Desk, database: Database, otto: Reader
) -> None:
    for minutes in (0, 3, 40):
        proposal = desk.propose_refund()
        database.execute(
            "UPDATE engine_proposal SET opened_at = opened_at - make_interval(mins => %s)"
            " WHERE id = %s",
            minutes,
            proposal.pk,
        )
        desk.decide(proposal, "reject" if minutes else "approve")
    _, decided, _ = figures(otto.get(OVERVIEW))
    assert "3 decisions, half of them within 3 min." in decided
    assert numbers(decided) == [("under 10 s", "1"), ("under 5 min", "1"), ("under 4 h", "1")]


def test_one_decision_is_no_half(desk: Desk, otto: Reader) -> None:
    desk.decide(desk.propose_refund(), "reject")
    assert "1 decision, within 1 s." in otto.get(OVERVIEW).text


def test_failed_verifications_are_counted_by_the_day(
    desk: Desk, database: Database, otto: Reader
) -> None:
    yesterday = wrong_refund(desk)
    wrong_refund(desk)
    database.execute(
        "UPDATE engine_alert SET raised_at = raised_at - interval '1 day' WHERE alert_id = %s",
        yesterday.pk,
    )
    _, _, failed = figures(otto.get(OVERVIEW))
    assert "2 verifications failed in 14 days, at most 1 in one." in failed
    assert [count for _, count in numbers(failed)] == ["1", "1"]
    database.execute("UPDATE engine_alert SET raised_at = raised_at - interval '20 days'")
    assert "No verification failed in 14 days." in otto.get(OVERVIEW).text
