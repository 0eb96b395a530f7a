"""Put in what the demo needs and what is missing: people, their agent and its key, the ledger."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from engine.errors import PlacetError
from oversight.agents_api.keys import issue_key, recognised
from oversight.agents_api.models import Agent
from oversight.demo.cast import TOMAS, gather
from oversight.demo.desk import configuration, ledger, stock
from oversight.demo.qualified import qualify
from oversight.models import Person

AGENT = "refund-desk"
SCOPES = (
    "workflow:agent",
    "workflow:refund",
    "action:ledger.refund",
    "action:ledger.bank_surplus",
    "action:mail.tell_customer",
    "action:shop.write_config",
    "action:access.grant",
    "action:pager.page",
)
_VALID_FOR = timedelta(days=90)


class Command(BaseCommand):
    help = (
        "Puts in what the demo needs and what is missing; may be run again. Reads from the "
        "environment: PLACET_LEDGER_ADMIN_URL, the ledger's address for its superuser, and "
        "PLACET_AGENT_KEY_FILE, where the agent finds its key."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        admin, key_file = _named("PLACET_LEDGER_ADMIN_URL"), Path(_named("PLACET_AGENT_KEY_FILE"))
        people = gather()
        qualify(people)
        _issue_key_if_needed(key_file, people[TOMAS.name])
        with psycopg.connect(admin) as open_ledger:
            ledger.install(open_ledger)
            added = ledger.stock(open_ledger, stock.DESK, stock.PURCHASES)
        for root in settings.PLACET_FILE_ROOTS.values():
            configuration.lay_out(Path(root))
        self.stdout.write(
            f"{len(people)} people, the agent {AGENT}, its key in {key_file}, "
            f"{len(stock.PURCHASES)} purchases in the ledger ({added} of them new)"
        )


def _named(variable: str) -> str:
    value = os.environ.get(variable)
    if not value:
        raise CommandError(f"{variable} is not set; the demo's own command sets it.")
    return value


def _issue_key_if_needed(key_file: Path, owner: Person) -> None:
    agent, _ = Agent.objects.get_or_create(name=AGENT, defaults={"owner": owner})
    if not _opens(key_file):
        _write_privately(key_file, issue_key(agent, SCOPES, _VALID_FOR))


def _opens(key_file: Path) -> bool:
    """Whether the file holds a key that is good for this installation, and for all it should be."""
    try:
        caller = recognised(f"Bearer {key_file.read_text(encoding='ascii').strip()}")
        for scope in SCOPES:
            caller.must_be_allowed(*scope.split(":"))
    except (FileNotFoundError, UnicodeDecodeError, PlacetError):
        return False
    return True


def _write_privately(path: Path, text: str) -> None:
    """Write a file that is whole, and its owner's alone, from the first moment it is there."""
    beside = path.with_name(f"{path.name}.new")
    beside.unlink(missing_ok=True)
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f"{text}\n")
    beside.rename(path)
