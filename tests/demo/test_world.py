"""The page of the world shows what the targets say, and lets anybody change it past Placet."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from engine import actions
from oversight.demo.desk.stock import REHEARSAL
from tests.cast import People
from tests.demo.conftest import Outside
from tests.demo.test_actions import GRANT, MAIL, PAGE
from tests.world import Desk, Ledger

Look = Callable[..., Any]


@pytest.fixture
def client(people: People) -> Client:
    client = Client()
    client.force_login(people.ada)
    return client


@pytest.fixture
def look(client: Client, stocked: Ledger) -> Look:
    return lambda **query: client.get(reverse("demo:world", query=query or None))


def change(client: Client, amount: str, way: str = "out") -> Any:
    return client.post(reverse("demo:world"), {"amount": amount, "way": way})


def mark(answer: Any) -> str:
    return answer.context["world"].mark


def test_a_stranger_is_sent_to_sign_in(stocked: Ledger) -> None:
    for ask in (Client().get, Client().post):
        answer = ask(reverse("demo:world"))
        assert answer.status_code == 302
        assert reverse("account_login") in answer.url
    assert stocked.balance() == "2500.00"


def test_it_shows_the_desk_and_every_order(look: Look) -> None:
    answer = look()
    assert answer.status_code == 200
    assert answer.context["world"].desk == "2500.00"
    orders = [each.order for each in answer.context["world"].bought]
    assert len(orders) == 24 + 1
    assert REHEARSAL.order in orders
    assert "N-20417" in answer.content.decode()
    assert "Nothing has happened yet" in answer.content.decode()


def test_what_really_happened_is_counted_by_order(desk: Desk, look: Look) -> None:
    order = desk.purchase(handling_fee="2.00")
    for proposal in (desk.approved_refund(order), desk.approved_refund()):
        desk.work(proposal.run_id)
    happened = look().context["world"].happened
    assert [(one.kind, one.order, one.nth, one.movements) for one in happened] == [
        ("refunded", happened[0].order, 1, 1),
        ("taken_back", order, 2, 2),
        ("refunded", order, 1, 2),
    ]
    assert [one.amount for one in happened] == ["25.00", "23.00", "23.00"]


def test_it_says_nothing_while_nothing_changes(look: Look, stocked: Ledger) -> None:
    seen = mark(look())
    assert look(seen=seen).status_code == 204
    stocked.execute("UPDATE purchase SET refunded = 1 WHERE order_no = 'N-20417'")
    news = look(seen=seen)
    assert news.status_code == 200
    assert news.templates[0].name == "demo/ledger.html"
    assert "<html" not in news.content.decode()
    assert look(seen=mark(news)).status_code == 204


@pytest.mark.parametrize(("way", "balance"), [("out", "2000.00"), ("in", "3000.00")])
def test_anybody_signed_in_may_change_the_world(
    client: Client, look: Look, stocked: Ledger, way: str, balance: str
) -> None:
    seen = mark(look())
    answer = change(client, "500.00", way)
    assert (answer.status_code, answer.url) == (302, reverse("demo:world"))
    assert stocked.balance() == balance
    happened = look(seen=seen).context["world"].happened
    assert [(one.kind, one.amount) for one in happened] == [(f"paid_{way}", "500.00")]


def test_the_desk_cannot_give_what_it_has_not(client: Client, stocked: Ledger) -> None:
    answer = change(client, "2500.01")
    assert answer.status_code == 422
    assert "does not have so much" in answer.content.decode()
    assert stocked.balance() == "2500.00"
    assert stocked.value("SELECT count(*) FROM transfer") == 0


@pytest.mark.parametrize("amount", ["", "0", "-5", "1.001", "NaN", "much", "99999999"])
def test_an_odd_amount_changes_nothing(client: Client, stocked: Ledger, amount: str) -> None:
    assert change(client, amount).status_code == 422
    assert change(client, "5", way="sideways").status_code == 422
    assert stocked.balance() == "2500.00"


def test_a_strangers_page_cannot_change_the_world(people: People, stocked: Ledger) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.rosa)
    assert change(client, "500.00").status_code == 403
    assert stocked.balance() == "2500.00"


def test_a_changed_world_makes_an_approval_lapse(
    client: Client, desk: Desk, stocked: Ledger
) -> None:
    proposal = desk.approved_refund()
    change(client, "2490.00")
    desk.work(proposal.run_id)
    proposal.refresh_from_db()
    assert proposal.status == "lapsed"


def test_without_a_ledger_it_says_so(client: Client, stocked: Ledger, settings: Any) -> None:
    settings.PLACET_SQL_TARGETS = {"ledger": "postgresql:///ledger?host=/nowhere"}
    answer = client.get(reverse("demo:world"))
    assert answer.status_code == 503
    assert "cannot be reached" in answer.content.decode()
    assert change(client, "5.00").status_code == 503


def test_beside_the_ledger_it_shows_every_other_target(
    client: Client, look: Look, outside: Outside
) -> None:
    outside.start("access", "mail", "pager")
    for name, arguments in (("mail.tell_customer", MAIL), ("access.grant", GRANT)):
        done(name, arguments)
    with contextlib.suppress(TimeoutError):
        done("pager.page", PAGE)
    page = look().content.decode()
    for words in (MAIL["subject"], MAIL["to"][0], "Lena Okoye", GRANT["role"], PAGE["text"]):
        assert words in page
    assert "free_from = 60.00" in page
    assert "It cannot be reached." not in page


def test_what_is_beside_the_ledger_says_nothing_while_nothing_changes(
    client: Client, outside: Outside
) -> None:
    outside.start("access")
    url = reverse("demo:elsewhere")
    seen = client.get(url).context["elsewhere"].mark
    assert client.get(url, {"seen": seen}).status_code == 204
    outside.shop_ini.write_text("[parcels]\n")
    news = client.get(url, {"seen": seen})
    assert (news.status_code, news.templates[0].name) == (200, "demo/elsewhere.html")
    assert client.post(url).status_code == 405


def test_targets_that_are_down_are_said_to_be(client: Client, look: Look, outside: Outside) -> None:
    page = look()
    assert page.status_code == 200
    found = page.context["elsewhere"]
    assert (found.letters, found.grants) == (None, None)
    assert page.content.decode().count("It cannot be reached.") == 2


def test_what_others_wrote_is_shown_for_what_it_is(client: Client, outside: Outside) -> None:
    outside.shop_ini.write_text("a = \u202e1\n<script>alert(1)</script>\n")
    page = client.get(reverse("demo:elsewhere")).content.decode()
    assert "U+202E" in page
    assert "\u202e" not in page
    assert "<script>" not in page


def done(name: str, arguments: dict[str, Any]) -> None:
    action = actions.get(name)
    args = actions.thawed(action, actions.freeze(action, arguments))
    action.execute(args, key="1" * 64, fencing_token=1)
