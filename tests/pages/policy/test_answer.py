"""A second person puts it in force or drops it: once, and after a look at what it would change."""

from typing import Any

import pytest

from engine.models import Policy
from tests.cast import People
from tests.engine.together import together
from tests.pages.policy.written import proposed, words
from tests.pages.reading import Page, Reader, Readers, contents, elements
from tests.world import Database, Desk

REASON = "It is what we agreed on."


@pytest.fixture
def zoe(desk: Desk, people: People, reading: Readers) -> Reader:
    assert people.rosa
    return reading(people.zoe)


@pytest.fixture
def yara(people: People, reading: Readers) -> Reader:
    return reading(people.yara)


@pytest.fixture
def number(zoe: Reader) -> int:
    return proposed(zoe, rule_0_approve0="1")


def answer(reader: Reader, number: int, do: str = "put_in_force", **changed: Any) -> Page:
    """What the page's form sends; a field that is None is left out."""
    inputs = elements(reader.get(f"/policy/{number}/").html, "input")
    compared = next((each["value"] for each in inputs if each.get("name") == "instead_of"), "1")
    said = {"do": do, "instead_of": compared, "reason": REASON, **changed}
    kept = {name: value for name, value in said.items() if value is not None}
    return reader.post(f"/policy/{number}/answer/", **kept)


def in_force() -> int:
    return Policy.objects.get(status="in_force").version


def test_another_administrator_puts_it_in_force(
    number: int, people: People, yara: Reader, rosa: Reader
) -> None:
    page = yara.get(f"/policy/{number}/")
    assert "Put in force" in words(page)
    assert "Drop it" in words(page)
    given = answer(yara, number)
    assert given.response.headers["Location"] == "/policy/"
    assert in_force() == number
    assert f"Version {number} is in force." in words(yara.get("/policy/"))
    told = words(rosa.get(f"/policy/{number}/"))
    assert "Put in force by Yara Sole" in told
    assert f"Their reason {REASON}" in told


def test_who_proposed_it_is_told_that_somebody_else_has_to(
    number: int, zoe: Reader, database: Database
) -> None:
    page = zoe.get(f"/policy/{number}/")
    assert "Somebody else has to put it in force." in words(page)
    assert 'value="put_in_force"' not in page.html
    before = contents(database)
    refused = answer(zoe, number)
    assert refused.status == 403
    assert "Who proposed it never puts it in force." in words(refused)
    assert contents(database) == before


def test_either_of_them_drops_it(zoe: Reader, yara: Reader, number: int) -> None:
    other = proposed(zoe, rule_0_approve0="1", rule_0_action="mail.*")
    assert answer(zoe, number, "drop").status == 302
    assert answer(yara, other, "drop").status == 302
    assert in_force() == 1
    assert set(Policy.objects.filter(version__gt=1).values_list("status", flat=True)) == {"dropped"}


@pytest.mark.parametrize("name", ["rosa", "otto", "ada", "ines"])
def test_nobody_else_answers_and_all_may_read(
    name: str, number: int, people: People, reading: Readers, database: Database
) -> None:
    somebody = reading(getattr(people, name))
    page = somebody.get(f"/policy/{number}/")
    assert "It waits for an administrator" in words(page)
    assert "<form" not in page.html.partition("<main")[2].partition("</main>")[0]
    before = contents(database)
    assert answer(somebody, number).status == 403
    assert contents(database) == before


UNCLEAR: list[tuple[str, dict[str, Any], int]] = [
    ("no reason", {"reason": ""}, 422),
    ("blanks", {"reason": " \r\n "}, 422),
    ("a NUL", {"reason": "a\x00b"}, 422),
    ("no end", {"reason": "a" * 4_001}, 422),
    ("two reasons", {"reason": ["a", "b"]}, 400),
    ("nothing to do", {"do": None}, 422),
    ("something else", {"do": "retire"}, 422),
    ("both", {"do": ["drop", "put_in_force"]}, 400),
    ("instead of nothing", {"instead_of": None}, 422),
]


def test_what_is_not_clear_changes_nothing(number: int, yara: Reader, database: Database) -> None:
    before = contents(database)
    for case, changed, code in UNCLEAR:
        assert answer(yara, number, **changed).status == code, case
        assert contents(database) == before, case


@pytest.mark.parametrize(
    ("first", "then", "said"),
    [
        ("drop", "put_in_force", "is dropped already"),
        ("put_in_force", "put_in_force", "was put in force already"),
        ("put_in_force", "drop", "was put in force already"),
    ],
)
def test_the_second_answer_is_told_of_the_first(
    first: str, then: str, said: str, number: int, yara: Reader, people: People, reading: Readers
) -> None:
    alba = reading(people.somebody("alba", "administrator"))
    answer(yara, number, first)
    late = answer(alba, number, then)
    assert late.status == 409
    assert said in words(late)
    assert "Yara Sole did it on" in words(late)


def test_what_was_compared_with_another_version_is_refused(
    desk: Desk, number: int, yara: Reader
) -> None:
    desk.put_in_force({"action": "mail.*", "groups": [{"name": "reviewer", "approve": 1}]})
    stale = answer(yara, number, instead_of="1")
    assert stale.status == 409
    assert "Version 3 is in force by now" in words(stale)
    assert in_force() == 3
    assert "What differs from version 3" in words(yara.get(f"/policy/{number}/"))
    assert answer(yara, number).status == 302


def test_of_two_at_once_one_counts(
    number: int, yara: Reader, people: People, reading: Readers
) -> None:
    alba = reading(people.somebody("alba", "administrator"))
    yara.get("/policy/"), alba.get("/policy/")
    answers = together([lambda: answer(yara, number), lambda: answer(alba, number, "drop")])
    assert sorted(each.status for each in answers) == [302, 409]


def test_what_nobody_could_meet_is_not_put_in_force(zoe: Reader, yara: Reader) -> None:
    number = proposed(zoe, rule_0_approve0="3")
    page = yara.get(f"/policy/{number}/")
    assert "Only 1 active person is in reviewer." in words(page)
    refused = answer(yara, number)
    assert refused.status == 409
    assert "Nobody could meet one of its rules" in words(refused)
    assert in_force() == 1


def test_a_stranger_answers_nothing(number: int, reading: Readers, database: Database) -> None:
    before = contents(database)
    assert answer(reading(), number).response.headers["Location"].startswith("/sign-in/")
    assert contents(database) == before


def test_asking_for_the_address_of_an_answer_leads_to_its_page(number: int, yara: Reader) -> None:
    page = yara.get(f"/policy/{number}/answer/")
    assert page.response.headers["Location"] == f"/policy/{number}/"
    assert yara.post("/policy/99/answer/", do="drop").status == 404
