"""Guessing passwords over HTTP, from several of this machine's addresses: few guesses, the same
answer to all of them, and an owner who is kept out no further than is said."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.cache import cache

from engine.models import Event
from oversight.embedded import Servers
from oversight.models import Person
from tests.cast import People
from tests.faults.processes import Web, environment, free_port
from tests.openid.visiting import START, Answer, Visitor
from tests.pages.reading import Reader
from tests.world import Desk

WRONG, TOO_MANY = "are not correct", "Too many failed login attempts"


@pytest.fixture(scope="module")
def people(shared_desk: Desk) -> People:
    return shared_desk.people


@pytest.fixture(scope="module")
def settings_of_a_site(shared_desk: Desk, quiet_servers: Servers) -> dict[str, str]:
    ledger, database = shared_desk.ledger, shared_desk.database
    return environment(database.url, ledger.desk_url, quiet_servers.broker_url)


@contextmanager
def web(env: dict[str, str], cache_url: str) -> Iterator[str]:
    """A web server that counts there; gives its address."""
    running = Web({**env, "PLACET_CACHE_URL": cache_url})
    try:
        yield running.url
    finally:
        running.kill()


@pytest.fixture(scope="module")
def sites(settings_of_a_site: dict[str, str], quiet_servers: Servers) -> Iterator[list[str]]:
    """Two web servers that count together, in a database of its own of the real cache."""
    url = quiet_servers.broker_url
    shared = (
        f"unix://{urlsplit(url).path}?db=1" if "socket" in url else f"{url.rsplit('/', 1)[0]}/1"
    )
    with web(settings_of_a_site, shared) as first, web(settings_of_a_site, shared) as second:
        yield [first, second]


@pytest.fixture(scope="module")
def uncounted(settings_of_a_site: dict[str, str]) -> Iterator[str]:
    """A web server whose cache is not there."""
    with web(settings_of_a_site, f"redis://127.0.0.1:{free_port()}/1") as url:
        yield url


class TestGuesses:
    def test_of_a_password_are_few_at_one_address_and_its_owner_comes_in_elsewhere(
        self, people: People, sites: list[str]
    ) -> None:
        rosa, guesser = people.rosa, Visitor(sites[0])
        before = refused()
        said = [guesser.sign_in(rosa.username, f"guess {n}").text for n in range(5)]
        assert all(WRONG in text for text in said)
        assert TOO_MANY in guesser.sign_in(rosa.username).text
        assert TOO_MANY in guesser.sign_in("ROSA").text, "it is the same name"
        assert not guesser.is_in()
        owner = Visitor(sites[0])
        owner.sign_in(rosa.username)
        assert owner.is_in()
        assert refused() == before + 5

    def test_at_one_address_are_few_whatever_the_names(
        self, people: People, sites: list[str]
    ) -> None:
        ada, guesser = people.ada, Visitor(sites[0])
        for number in range(10):
            assert WRONG in guesser.sign_in(f"name{number}", "password").text
        assert TOO_MANY in guesser.sign_in(ada.username).text
        assert not guesser.is_in()

    def test_are_counted_together_by_all_web_processes(
        self, people: People, sites: list[str]
    ) -> None:
        both = [Visitor(site, "127.0.9.6") for site in sites]
        for number in range(5):
            both[number % 2].sign_in(people.ines.username, "a guess")
        assert TOO_MANY in both[1].sign_in(people.ines.username).text

    def test_from_everywhere_are_limited_together(self, people: People, sites: list[str]) -> None:
        tomas, otto = people.tomas, people.otto
        for _ in range(12):
            guesser = Visitor(sites[0])
            said = [guesser.sign_in(tomas.username, f"guess {n}").text for n in range(5)]
            assert all(WRONG in text for text in said)
        owner, other = Visitor(sites[0]), Visitor(sites[0])
        assert TOO_MANY in owner.sign_in(tomas.username).text
        assert not owner.is_in()
        other.sign_in(otto.username)
        assert other.is_in(), "nobody else is kept out"


def refused() -> int:
    return Event.objects.filter(kind="sign_in_refused").count()


def plain(answer: Answer, name: str) -> str:
    """What differs for every visitor left out."""
    without = re.sub(r'(csrfmiddlewaretoken" value=")\w+', r"\1", answer.html)
    return without.replace(f'value="{name}"', "")


@pytest.fixture(scope="module")
def names(people: People) -> tuple[str, ...]:
    """Of somebody, of nobody, and of somebody whose account is closed."""
    zoe, closed = people.zoe, people.somebody("closed", "reviewer")
    Person.objects.filter(pk=closed.pk).update(is_active=False)
    return (zoe.username, "nobody-at-all", closed.username)


def test_no_answer_tells_whether_a_name_exists(names: tuple[str, ...], sites: list[str]) -> None:
    told = []
    for name in names:
        visitor = Visitor(sites[0])
        answers = [visitor.sign_in(name, "a guess") for _ in range(6)]
        told.append([(answer.status, plain(answer, name)) for answer in answers])
    assert told[0] == told[1] == told[2]
    assert WRONG in told[0][4][1]
    assert TOO_MANY in told[0][5][1]


def test_a_password_is_hashed_once_whether_or_not_somebody_has_the_name(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []
    encode = MD5PasswordHasher.encode

    def counting(self: MD5PasswordHasher, password: str, salt: str) -> str:
        hashed.append(password)
        return str(encode(self, password, salt))

    monkeypatch.setattr(MD5PasswordHasher, "encode", counting)
    cache.clear()
    for name in names:
        Reader().post("/sign-in/", login=name, password=f"a guess of {name}")
    assert hashed == [f"a guess of {name}" for name in names]


class TestACacheThatIsDown:
    def test_lets_nobody_try_and_says_what_is_wrong(self, people: People, uncounted: str) -> None:
        visitor = Visitor(uncounted)
        assert visitor.get("/sign-in/").status == 200
        for answer in (visitor.sign_in(people.rosa.username), visitor.post(START)):
            assert answer.status == 503
            assert "Nobody can sign in just now" in answer.text
            assert "The server that counts attempts does not answer" in answer.text
            assert answer.headers["retry-after"] == "30"
        assert not visitor.is_in()

    def test_shows_nobody_out(self, people: People, sites: list[str], uncounted: str) -> None:
        visitor = Visitor(sites[0])
        visitor.sign_in(people.yara.username)
        visitor.site = uncounted
        assert visitor.is_in()

    def test_and_one_that_is_mute_keeps_nobody_waiting(
        self, people: People, settings_of_a_site: dict[str, str]
    ) -> None:
        with socket.create_server(("127.0.0.1", 0)) as mute:
            nowhere = f"redis://127.0.0.1:{mute.getsockname()[1]}/1"
            with web(settings_of_a_site, nowhere) as site:
                assert Visitor(site).sign_in(people.rosa.username).status == 503
