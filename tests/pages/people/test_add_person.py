"""`manage.py add_person`: the first administrator, and nobody unseen after them."""

import io
import json
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command

from engine.models import Event
from oversight.models import Person
from tests.cast import People
from tests.engine.together import alone, together
from tests.pages.reading import Reader, Readers
from tests.world import Database

PASSWORD = "lantern over the quiet bay"
NO_INVITATION = "--without-invitation"


def add_person(name: str, *more: str, role: str = "administrator") -> str:
    told = io.StringIO()
    words = (name, "--name", name.title(), "--role", role, *more)
    call_command("add_person", *words, stdout=told, no_color=True)
    return told.getvalue()


@pytest.fixture(autouse=True)
def _typed() -> Any:
    """Every reader of standard input finds the password on it."""
    with patch("sys.stdin") as typed:
        typed.isatty.return_value, typed.readline.return_value = False, f"{PASSWORD}\n"
        yield


def added() -> list[dict[str, Any]]:
    events = Event.objects.filter(kind="person_added").order_by("seq")
    assert all(event.actor.startswith("command:") for event in events)
    return [json.loads(bytes(event.payload or b"")) for event in events]


def test_the_first_administrator_comes_by_it_and_that_is_an_event(
    database: Database, reading: Readers
) -> None:
    assert "may sign in as administrator" in add_person("alma")
    alma = Person.objects.get(username="alma")
    facts = {"subject": alma.pk, "subject_name": "Alma", "groups": ["administrator"]}
    assert added() == [{**facts, "reason": None}]
    reader = reading()
    reader.post("/sign-in/", login="alma", password=PASSWORD)
    assert "Added Alma by a command" in story(reader)


def story(reader: Reader) -> str:
    event = Event.objects.filter(kind="person_added").latest("seq")
    return reader.get(f"/runs/{event.run_id}/").text


@pytest.mark.parametrize("role", ["administrator", "reviewer"])
def test_once_somebody_administers_it_refuses_and_says_what_to_do(
    role: str, people: People
) -> None:
    assert people.zoe
    with pytest.raises(CommandError, match="they invite people"):
        add_person("alma", role=role)
    assert not Person.objects.filter(username="alma").exists()
    assert added() == []


def test_with_a_reason_it_adds_them_and_keeps_it(people: People, reading: Readers) -> None:
    zoe = reading(people.zoe)
    add_person("alma", NO_INVITATION, "Zoe and Yara have left.")
    assert [facts["reason"] for facts in added()] == ["Zoe and Yara have left."]
    assert "Zoe and Yara have left." in story(zoe)


def test_a_reason_says_something(people: People) -> None:
    assert people.zoe
    with pytest.raises(CommandError, match="reason"):
        add_person("alma", NO_INVITATION, " ")
    assert not Person.objects.filter(username="alma").exists()


def test_of_two_at_once_one_is_the_first(database: Database) -> None:
    acts = [lambda name=name: alone(add_person, name) for name in ("alma", "bruno")]
    results = together(acts)
    assert [isinstance(result, CommandError) for result in results].count(True) == 1
    assert Person.objects.count() == len(added()) == 1


def test_a_name_is_one_person_s_however_it_is_written(database: Database) -> None:
    add_person("alma")
    with pytest.raises(CommandError, match="already"):
        add_person("Alma", NO_INVITATION, "Another one.")
