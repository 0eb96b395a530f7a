"""The demo's own processes, as a person starts them, and the people who use it."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from oversight.embedded.folders import discard, short_private_folder
from tests.browser.reviewers import PACE, Person
from tests.embedded.test_supervisor import PATIENCE, Demo, assert_nothing_is_left, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def demo(chromium: "Browser") -> Iterator[Demo]:
    """A demo that a module's tests share, at a pace for tests.

    In the end somebody presses `q`: it stops, and no process and no passing file stays behind.
    """
    folder = short_private_folder()
    with pytest.MonkeyPatch.context() as patched:
        for name, value in PACE.items():
            patched.setenv(name, value)
        with running(folder) as demo:
            yield demo
            before = demo.processes()
            demo.press("q\n")
            assert demo.child.wait(PATIENCE) == 0
    assert_nothing_is_left(demo, before)
    discard(folder)


@pytest.fixture
def sign_in(demo: Demo, chromium: "Browser") -> Iterator[Callable[[str], Person]]:
    """`sign_in("Rosa Lind")` is Rosa at her screen. What her pages complain of fails the test."""
    people: list[Person] = []

    def enter(name: str) -> Person:
        people.append(Person(chromium, f"http://localhost:{demo.port}", name))
        return people[-1]

    yield enter
    for person in people:
        person.leave()
    assert [person.heard for person in people if person.heard] == []


@pytest.fixture
def rosa(sign_in: Callable[[str], Person]) -> Person:
    return sign_in("Rosa Lind")
