"""`manage.py issue_agent_key refund-desk --owner tomas --scope workflow:agent --days 90`.

Makes the agent if there is none of that name, and prints a key: this once and never again.
`--list` shows what keys there are, without their secrets; `--revoke KEYID` ends one.
"""

from argparse import ArgumentTypeError
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from engine.errors import PlacetError
from oversight.agents_api import keys
from oversight.models import Agent, ApiKey, Person

LONGEST_DAYS = 366


class Command(BaseCommand):
    help = "Issue an agent's API key, list the keys there are, or revoke one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", help="the agent: small letters, digits and hyphens")
        parser.add_argument("--owner", metavar="USERNAME", help="who answers for the agent")
        parser.add_argument(
            "--scope",
            action="append",
            default=[],
            help="'*', 'workflow:<name>', 'action:<name>' or 'event:<name>'; as many as you like",
        )
        parser.add_argument("--days", type=_days, help=f"how long it is good, 1 to {LONGEST_DAYS}")
        parser.add_argument("--revoke", metavar="KEYID", help="end this key at once")
        parser.add_argument(
            "--list", action="store_true", help="the keys, of NAME or of all agents"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["revoke"]:
                self._revoke(options["revoke"])
            elif options["list"]:
                self._list(options["name"])
            else:
                self._issue(options)
        except PlacetError as refusal:
            raise CommandError(refusal.message) from refusal

    def _issue(self, options: dict[str, Any]) -> None:
        missing = [name for name in ("name", "owner", "scope", "days") if not options[name]]
        if missing:
            raise CommandError(f"A key needs a name, an owner, a scope and days; no {missing[0]}.")
        with transaction.atomic():
            agent = _agent(options["name"], _owner(options["owner"]))
            key = keys.issue_key(agent, options["scope"], timedelta(days=options["days"]))
        # The key alone goes to standard output, so that it can be sent to where it is kept.
        words = f"The key of {agent}, told only now; good for {options['days']} days:"
        self.stderr.write(words, style_func=str)
        self.stdout.write(key)

    def _revoke(self, key_id: str) -> None:
        key = keys.revoke_key(key_id.removeprefix("plc_").partition("_")[0])
        self.stdout.write(f"{key} of {key.agent} is revoked, since {_moment(key.revoked_at)}.")

    def _list(self, name: str | None) -> None:
        known = ApiKey.objects.select_related("agent__owner").order_by("agent__name", "-created_at")
        if name:
            known = known.filter(agent__name=name)
        for key in known:
            self.stdout.write(_line(key))
        if not known:
            self.stdout.write("There are no keys.")


def _days(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= LONGEST_DAYS:
        raise ArgumentTypeError(f"{text!r} is not a number from 1 to {LONGEST_DAYS}")
    return int(text)


def _owner(username: str) -> Person:
    person = Person.objects.filter(username=username, is_active=True).first()
    if person is None:
        raise CommandError(f"There is no active person {username!r} to answer for it.")
    return person


def _agent(name: str, owner: Person) -> Agent:
    """The agent of that name, made if there is none. An owner is not changed in passing: whoever
    owns an agent decides nothing that it proposes."""
    agent = Agent.objects.filter(name=name).first() or _new_agent(name, owner)
    if agent.owner != owner:
        raise CommandError(f"{name} belongs to {agent.owner.username}.")
    if not agent.active:
        raise CommandError(f"{name} is out of service.")
    return agent


def _new_agent(name: str, owner: Person) -> Agent:
    agent = Agent(name=name, owner=owner)
    try:
        agent.full_clean()
    except ValidationError as problem:
        words = "is no name for an agent: small letters, digits and hyphens, 63 at most"
        raise CommandError(f"{name!r} {words}.") from problem
    agent.save()
    return agent


def _line(key: ApiKey) -> str:
    """One key, as far as anybody may know it."""
    facts = (
        f"{key.agent} ({key.agent.owner.username})",
        _standing(key),
        f"used {_moment(key.last_used_at)}",
        " ".join(key.scopes),
    )
    return f"{key}  " + "; ".join(facts)


def _standing(key: ApiKey) -> str:
    if key.revoked_at is not None:
        return f"revoked {_moment(key.revoked_at)}"
    if not keys.in_force(key):
        return "out of service with its agent or owner"
    past = "expired" if key.expires_at <= timezone.now() else "good until"
    return f"{past} {_moment(key.expires_at)}"


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC" if at else "never"
