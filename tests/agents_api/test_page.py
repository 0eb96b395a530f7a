"""The page that explains the API: for people who are signed in, whole, and true to its links."""

import re

import pytest
from django.test import Client

from oversight.agents_api import catalogue
from tests.cast import PASSWORD, People


@pytest.fixture
def ines(people: People) -> Client:
    """The integrator, signed in."""
    client = Client()
    assert client.login(username=people.ines.username, password=PASSWORD)
    return client


@pytest.fixture
def page(ines: Client) -> str:
    answer = ines.get("/api/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_stranger_is_sent_to_sign_in(people: People) -> None:
    for address in ("/api/", "/api/problems/conflict"):
        answer = Client().get(address)
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/sign-in/?next=")


def test_it_tells_every_operation_and_every_problem(page: str) -> None:
    for name in catalogue.OF_OPERATION:
        assert f'id="{name}"' in page
    for kind in catalogue.ADVICE:
        assert f'id="problem-{kind.code}"' in page
    assert "Idempotency-Key" in page


def test_every_link_on_it_leads_to_a_place_on_it(page: str) -> None:
    names = re.findall(r'\bid="([^"]+)"', page)
    assert len(names) == len(set(names))
    anchors = set(re.findall(r'href="#([^"]+)"', page))
    assert len(anchors) > 20
    assert anchors <= set(names)


def test_it_brings_no_script_and_no_style_of_its_own(page: str) -> None:
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert "<style" not in page
    assert "style=" not in page
    assert not re.search(r'\bon[a-z]+="', page)


def test_the_examples_can_be_pasted_into_a_shell(page: str) -> None:
    assert "$RUN/proposals/$PROPOSAL/answers" in page
    assert "%7B" not in page


def test_it_weighs_little(page: str) -> None:
    assert len(page.encode()) < 150_000


def test_the_type_of_a_problem_leads_to_its_line(ines: Client) -> None:
    answer = ines.get("/api/problems/conflict")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/api/#problem-conflict"


def test_looking_at_it_is_all_one_can_do(ines: Client) -> None:
    assert ines.post("/api/").status_code == 405
    assert ines.post("/api/v1/openapi.json").status_code == 405
