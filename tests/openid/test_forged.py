"""What comes back and does not show who somebody is: nobody comes in by it. Over HTTP, between real
processes; the provider does one thing wrong at a time."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from engine.models import Event
from oversight.openid.discovery import doors
from oversight.openid.problems import OutOfReach
from oversight.openid.provider import named
from tests.openid.conftest import Entrance
from tests.openid.visiting import BACK, START, Visitor

NOT_BELIEVED = "does not show who you are"
NOT_BEGUN = "was not begun here, or too long ago"

WRONG = (
    *("nonce", "issuer", "audience", "party", "expired", "early", "nobody"),
    *("unsigned", "signature dropped", "our secret", "public key as a secret"),
    *("another key", "unknown key", "its own key"),
    *("no token", "no such code", "answers for another"),
)


def came_in() -> int:
    return Event.objects.filter(kind="signed_in").count()


def parts(url: str) -> dict[str, str]:
    return {name: each[0] for name, each in parse_qs(urlsplit(url).query).items()}


@pytest.fixture(scope="module", autouse=True)
def _mira(entrance: Entrance) -> None:
    entrance.linked("mira", "mira-1")


def is_shown_out(visitor: Visitor, url: str, words: str) -> None:
    before = came_in()
    assert visitor.get(url).location == "/sign-in/"
    assert words in visitor.get("/sign-in/").text
    assert not visitor.is_in()
    assert came_in() == before


def test_without_mischief_it_lets_her_in(entrance: Entrance) -> None:
    visitor = entrance.visitor()
    assert visitor.comes_with("mira-1").location == "/"
    assert visitor.is_in()


@pytest.mark.parametrize("mischief", WRONG)
def test_nobody_comes_in_by(mischief: str, entrance: Entrance) -> None:
    visitor = entrance.visitor()
    refused = Event.objects.filter(kind="sign_in_refused").count()
    way = visitor.post(START).location
    is_shown_out(visitor, visitor.at_the_provider(way, "mira-1", mischief), NOT_BELIEVED)
    assert Event.objects.filter(kind="sign_in_refused").count() == refused + 1


def test_who_gives_up_there_is_back_where_they_were(entrance: Entrance) -> None:
    visitor = entrance.visitor()
    way = visitor.post(START).location
    is_shown_out(visitor, visitor.at_the_provider(way, "", "denied"), "or you gave up there")


def test_an_answer_of_no_use_is_told_as_what_it_is(entrance: Entrance) -> None:
    visitor = entrance.visitor()
    way = visitor.post(START).location
    is_shown_out(
        visitor, visitor.at_the_provider(way, "mira-1", "no answer"), "cannot be reached now"
    )


@pytest.mark.parametrize("state", ["", "guessed", "\udcff"])
def test_an_answer_with_another_state_is_not_heard(state: str, entrance: Entrance) -> None:
    visitor = entrance.visitor()
    answer = parts(visitor.at_the_provider(visitor.post(START).location, "mira-1"))
    forged = urlencode({**answer, "state": state}, errors="surrogateescape")
    is_shown_out(visitor, f"{BACK}?{forged}", NOT_BEGUN)


def test_an_answer_is_heard_in_the_browser_alone_that_asked(entrance: Entrance) -> None:
    """Nobody is made to sign in as somebody else by following a link."""
    visitor, victim = entrance.visitor(), entrance.visitor()
    answer = visitor.at_the_provider(visitor.post(START).location, "mira-1")
    is_shown_out(victim, answer, NOT_BEGUN)
    victim.post(START)
    is_shown_out(victim, answer, NOT_BEGUN)


def test_an_answer_is_heard_once(entrance: Entrance) -> None:
    visitor = entrance.visitor()
    answer = visitor.at_the_provider(visitor.post(START).location, "mira-1")
    assert visitor.get(answer).location == "/"
    visitor.post("/sign-out/", "/sign-out/")
    is_shown_out(visitor, answer, NOT_BEGUN)


def test_a_code_that_was_used_is_of_no_use_in_another_attempt(entrance: Entrance) -> None:
    visitor = entrance.visitor()
    used = visitor.at_the_provider(visitor.post(START).location, "mira-1")
    visitor.get(used)
    visitor.post("/sign-out/", "/sign-out/")
    state = parts(visitor.post(START).location)["state"]
    again = urlencode({"code": parts(used)["code"], "state": state})
    is_shown_out(visitor, f"{BACK}?{again}", NOT_BELIEVED)


def test_a_stolen_code_is_of_no_use_to_the_thief(entrance: Entrance) -> None:
    """It was asked for with the challenge of another browser's secret."""
    victim, thief = entrance.visitor(), entrance.visitor()
    stolen = parts(victim.at_the_provider(victim.post(START).location, "mira-1"))["code"]
    state = parts(thief.post(START).location)["state"]
    is_shown_out(thief, f"{BACK}?{urlencode({'code': stolen, 'state': state})}", NOT_BELIEVED)


def test_an_attempt_is_over_when_somebody_has_signed_in_meanwhile(entrance: Entrance) -> None:
    rosa, visitor = entrance.people.rosa, entrance.visitor()
    answer = visitor.at_the_provider(visitor.post(START).location, "mira-1")
    visitor.sign_in(rosa.username)
    before = came_in()
    visitor.get(answer)
    assert came_in() == before
    assert "Rosa Lind" in visitor.get("/inbox/").text


def test_the_document_of_another_issuer_is_not_taken(entrance: Entrance) -> None:
    issuer = f"{entrance.issuer}/another"
    other = named(issuer=issuer, client_id="placet", secret="s", name="", origins="")
    with pytest.raises(OutOfReach, match="another issuer"):
        doors(other)
