"""An entrance with a provider beside it: real processes, shared by a module's tests."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from oversight.embedded import Servers
from oversight.models import Person
from tests.cast import People
from tests.faults.processes import Web, environment
from tests.openid.visiting import Provider, Visitor
from tests.world import Desk


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrance:
    desk: Desk
    site: str
    issuer: str

    @property
    def people(self) -> People:
        return self.desk.people

    def visitor(self, address: str = "") -> Visitor:
        return Visitor(self.site, address)

    def signed_in(self, person: Person) -> Visitor:
        visitor = self.visitor()
        visitor.sign_in(person.username)
        return visitor

    def linked(self, name: str, subject: str) -> Person:
        """Somebody new who reviews, and has linked this identity."""
        person = self.people.somebody(name, "reviewer")
        assert self.signed_in(person).links(subject).location == "/security/"
        return person


@pytest.fixture(scope="module")
def entrance(shared_desk: Desk, quiet_servers: Servers) -> Iterator[Entrance]:
    ledger, database = shared_desk.ledger, shared_desk.database
    env = environment(database.url, ledger.desk_url, quiet_servers.broker_url)
    with Provider.running() as provider:
        web = Web({**env, **provider.settings})
        yield Entrance(desk=shared_desk, site=web.url, issuer=provider.issuer)
        web.kill()
