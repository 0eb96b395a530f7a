"""Two agents with keys: Tomas's refund desk, and Ines's stock desk."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from oversight.models import Agent
from tests.agents_api.caller import Caller, Rows, issued
from tests.agents_api.line import Line
from tests.agents_api.office import Office
from tests.cast import People
from tests.faults.processes import Web
from tests.world import Database, Desk


@pytest.fixture
def agent(database: Database, people: People) -> Agent:
    return Agent.objects.create(name="refund-desk", owner=people.tomas)


@pytest.fixture
def other_agent(database: Database, people: People) -> Agent:
    return Agent.objects.create(name="stock-desk", owner=people.ines)


@pytest.fixture
def caller(agent: Agent) -> Caller:
    """The refund desk, whose key allows everything."""
    return issued(agent, "*", valid_for=timedelta(days=1))


@pytest.fixture
def stranger(other_agent: Agent) -> Caller:
    """Another agent, whose key allows everything too."""
    return issued(other_agent, "*", valid_for=timedelta(days=1))


@pytest.fixture
def rows(database: Database) -> Rows:
    """What stands in the database now; compare it with what stood there before."""
    return Rows(database)


@pytest.fixture
def line(web_process: Callable[..., Web], caller: Caller) -> Line:
    """The refund desk at a web server of its own."""
    return Line(web_process(), caller)


@pytest.fixture
def office(desk: Desk, caller: Caller, people: People) -> Office:
    """The refund desk at the API, and Rosa at the pages."""
    return Office(desk, caller, people)
