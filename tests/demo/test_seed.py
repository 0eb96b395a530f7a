"""Seeding puts in what is missing, and nothing twice."""

import stat
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from engine import api
from engine.models import Qualification
from oversight.access import ROLES
from oversight.agents_api.keys import issue_key, recognised
from oversight.agents_api.models import Agent, ApiKey
from oversight.demo.cast import CAST, TOMAS
from oversight.demo.desk.configuration import FILE, FIRST
from oversight.demo.desk.stock import DESK, PURCHASES, REHEARSAL
from oversight.embedded import Servers
from oversight.models import Person
from tests.world import Copy, Database, Desk

Seed = Callable[[], None]


@pytest.fixture
def empty_ledger(quiet_servers: Servers, ledger_template: str) -> Iterator[Copy]:
    """A database without a table; the role, which all databases share, is there already."""
    with Copy.copied(quiet_servers, "template1") as ledger:
        yield ledger


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    return tmp_path / "agent.key"


@pytest.fixture
def shop(tmp_path: Path, settings: Any) -> Path:
    """The folder of the shop's configuration, which nobody has made."""
    settings.PLACET_FILE_ROOTS = {"shop": str(tmp_path / "desk" / "config")}
    return tmp_path / "desk" / "config"


@pytest.fixture
def seed(
    database: Database,
    empty_ledger: Copy,
    key_file: Path,
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Seed:
    monkeypatch.setenv("PLACET_LEDGER_ADMIN_URL", empty_ledger.url)
    monkeypatch.setenv("PLACET_AGENT_KEY_FILE", str(key_file))
    return lambda: call_command("seed_demo", verbosity=0)


def everything(database: Database, ledger: Copy, key_file: Path, shop: Path) -> dict[str, Any]:
    people = "SELECT id, username, password FROM oversight_person ORDER BY id"
    keys = "SELECT key_id, agent_id, secret_hash FROM oversight_apikey"
    return {
        "people": database.rows(people),
        "in groups": database.rows("SELECT * FROM oversight_person_groups ORDER BY id"),
        "keys": database.rows(keys),
        "key": key_file.read_bytes(),
        "accounts": ledger.rows("SELECT * FROM account"),
        "purchases": ledger.rows("SELECT * FROM purchase ORDER BY order_no"),
        "movements": ledger.rows("SELECT * FROM movement"),
        "configuration": {file.name: file.read_text() for file in shop.iterdir()},
    }


def test_seeding_twice_is_seeding_once(
    seed: Seed, database: Database, empty_ledger: Copy, key_file: Path, shop: Path
) -> None:
    seed()
    once = everything(database, empty_ledger, key_file, shop)
    assert len(once["purchases"]) == len((*PURCHASES, REHEARSAL))
    assert len(once["people"]) == len(CAST)
    assert once["configuration"] == {FILE: FIRST}
    seed()
    assert everything(database, empty_ledger, key_file, shop) == once


def test_what_happened_since_is_left_alone(seed: Seed, empty_ledger: Copy, shop: Path) -> None:
    seed()
    (shop / FILE).write_text("[parcels]\n")
    empty_ledger.execute("UPDATE account SET balance = 1 WHERE number = %s", DESK.number)
    seed()
    assert str(empty_ledger.value("SELECT balance FROM account")) == "1.00"
    assert (shop / FILE).read_text() == "[parcels]\n"


def test_every_role_is_played_and_nobody_has_a_password(seed: Seed) -> None:
    seed()
    assert {part.group for part in CAST} == set(ROLES)
    for part in CAST:
        person = Person.objects.get(username=part.name)
        assert [group.name for group in person.groups.all()] == [part.group]
        assert str(person) == part.shown_name
        assert not person.has_usable_password()
        assert authenticate(username=part.name, password="") is None


def test_some_are_qualified_and_nobody_twice(seed: Seed) -> None:
    seed()
    seed()
    found = Qualification.objects.order_by("person__username")
    assert [(str(each.person), each.training) for each in found] == [
        ("Mina Okafor", "refunds-2"),
        ("Rosa Lind", "refunds-2"),
        ("Tomas Berg", "access-1"),
    ]


def test_the_key_is_the_agents_alone_and_opens_what_it_needs(seed: Seed, key_file: Path) -> None:
    seed()
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    caller = recognised(f"Bearer {key_file.read_text().strip()}")
    assert caller.owner_id == Person.objects.get(username=TOMAS.name).pk
    caller.must_be_allowed("workflow", "agent")
    caller.must_be_allowed("action", "ledger.refund")
    with pytest.raises(Exception, match="lacks the scope"):
        caller.must_be_allowed("action", "ledger.reverse_refund")


@pytest.mark.parametrize("spoil", [Path.unlink, lambda file: file.write_text("plc_x_y")])
def test_a_key_that_opens_nothing_is_replaced(
    seed: Seed, key_file: Path, spoil: Callable[[Path], object]
) -> None:
    seed()
    spoil(key_file)
    seed()
    assert recognised(f"Bearer {key_file.read_text().strip()}").name == "refund-desk"
    assert ApiKey.objects.count() == 2
    assert Agent.objects.count() == 1


def test_a_key_that_does_not_open_all_that_is_needed_is_replaced(
    seed: Seed, key_file: Path
) -> None:
    seed()
    narrow = issue_key(Agent.objects.get(), ["workflow:agent"], timedelta(hours=1))
    key_file.write_text(narrow)
    seed()
    caller = recognised(f"Bearer {key_file.read_text().strip()}")
    caller.must_be_allowed("action", "mail.tell_customer")


def test_the_desks_role_may_not_touch_what_it_need_not(seed: Seed, empty_ledger: Copy) -> None:
    seed()
    url = empty_ledger.servers.database_url(empty_ledger.name, "ledger_desk")
    with psycopg.connect(url, autocommit=True) as desk:
        for forbidden in ("DELETE FROM movement", "UPDATE movement SET amount = 0"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                desk.execute(forbidden.encode())


@pytest.mark.parametrize("missing", ["PLACET_LEDGER_ADMIN_URL", "PLACET_AGENT_KEY_FILE"])
def test_without_its_environment_it_says_what_is_missing(
    seed: Seed, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(missing)
    with pytest.raises(CommandError, match=missing):
        seed()


def test_the_agents_owner_may_not_decide_and_the_other_reviewers_may(
    seed: Seed, desk: Desk
) -> None:
    seed()
    run_id = api.start_run("agent", initiator=seeded_agent())
    desk.ask_for_refund(run_id, desk.purchase())
    desk.work(run_id)
    proposal = desk.proposal(run_id)
    why_not = {part.name: api.why_not_decide(who(part.name), proposal.id) for part in CAST}
    assert why_not["rosa"] is why_not["mina"] is None
    assert why_not["tomas"] == "who started it never decides it"
    assert all(why_not[name] for name in ("otto", "ada", "ivo", "alma", "bruno"))


def who(name: str) -> api.Reviewer:
    person = Person.objects.get(username=name)
    return api.Reviewer(person_id=person.pk, name=str(person))


def seeded_agent() -> api.Initiator:
    agent = Agent.objects.get()
    return api.Initiator(actor=f"agent:{agent.name}", person_id=agent.owner_id)
