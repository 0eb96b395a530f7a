"""A session is somebody's from their signing in to their signing out, and of no use besides."""

from django.conf import settings
from django.test import Client

from tests.cast import PASSWORD, People
from tests.world import Database

SESSION = settings.SESSION_COOKIE_NAME


def sign_in(client: Client, username: str) -> str:
    """The name of the session that signing in by the page gives."""
    client.post("/sign-in/", {"login": username, "password": PASSWORD})
    return client.cookies[SESSION].value


def opens(session: str) -> bool:
    """Whether somebody who brings this cookie, and nothing else, sees the inbox."""
    client = Client(SERVER_NAME="localhost")
    client.cookies[SESSION] = session
    return client.get("/inbox/").status_code == 200


def test_signing_in_gives_another_session_than_the_stranger_had(
    database: Database, people: People
) -> None:
    client = Client(SERVER_NAME="localhost")
    strange = client.session
    strange["planted"] = "by somebody else"
    strange.save()
    client.cookies[SESSION] = strange.session_key

    mine = sign_in(client, people.rosa.username)

    assert mine != strange.session_key
    assert (opens(mine), opens(str(strange.session_key))) == (True, False)


def test_a_session_that_was_signed_out_of_opens_nothing(database: Database, people: People) -> None:
    client = Client(SERVER_NAME="localhost")
    mine = sign_in(client, people.rosa.username)
    assert opens(mine)
    client.post("/sign-out/")
    assert not opens(mine)


def test_signing_in_again_leaves_the_session_before_of_no_use(
    database: Database, people: People
) -> None:
    client = Client(SERVER_NAME="localhost")
    first = sign_in(client, people.rosa.username)
    client.post("/sign-out/")
    second = sign_in(client, people.rosa.username)
    assert (opens(first), opens(second)) == (False, True)
