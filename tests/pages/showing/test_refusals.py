"""Why somebody may not do a thing, in the reader's language."""

import uuid
from collections.abc import Iterator
from gettext import NullTranslations
from unittest.mock import patch

import pytest

from engine import api
from oversight.showing.refusals import in_words
from tests.cast import People, reviewer
from tests.world import Database, Desk


class Backwards(NullTranslations):
    """A language in which every sentence that can be translated begins with ¡."""

    def gettext(self, message: str) -> str:
        return f"¡{message}"


@pytest.fixture
def translated() -> Iterator[None]:
    with patch("oversight.showing.refusals._", Backwards().gettext):
        yield


def test_every_sentence_of_the_engine_is_known(
    desk: Desk, people: People, database: Database, translated: None
) -> None:
    proposal = desk.propose_refund()
    gone = people.somebody("gone", "reviewer")
    gone.is_active = False
    gone.save()
    for person in (people.tomas, people.otto, gone):
        assert told(reviewer(person), proposal.id).startswith("¡")
    database.execute("UPDATE engine_policy SET status = 'retired'")
    assert told(reviewer(people.rosa), proposal.id).startswith("¡")


def told(person: api.Reviewer, version: uuid.UUID) -> str:
    why_not = api.why_not_decide(person, version)
    assert why_not is not None
    return in_words(why_not)


def test_it_is_the_same_said_as_an_error(translated: None) -> None:
    assert in_words('Only members of "board" decide this.') == (
        '¡Only members of "board" decide this.'
    )


def test_a_sentence_that_is_not_known_is_shown_as_it_came() -> None:
    assert in_words("the moon is full") == "the moon is full"
