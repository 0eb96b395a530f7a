"""Placet at work: a database, a reviewer, real workers behind a real broker, and a clock."""

import os
import secrets
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oversight.embedded import Child, processes

from .ground import Ground

LEASE_SECONDS = 5.0
PATIENCE = 120.0
_DONE = ("completed", "failed", "cancelled", "paused")


class Office:
    """This process is the web's side: it starts runs and approves. One for a whole bench."""

    def __init__(self, ground: Ground, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
            "DATABASE_URL": ground.database("office"),
            "CELERY_BROKER_URL": ground.servers.broker_url,
            "PLACET_DEMO": "1",
            "PLACET_SECRET_KEY": secrets.token_urlsafe(48),
            "PLACET_LEASE_SECONDS": str(LEASE_SECONDS),
            "BENCH_COUNTED": str(folder / "counted"),
            # A killed worker leaves its temporary files behind; here they go with the folder.
            "TMPDIR": str(folder),
        }
        (folder / "counted").touch()
        os.environ |= self.environment
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        from tests.cast import People, reviewer

        self._people = People()
        self.rosa = reviewer(self._people.rosa)

    @contextmanager
    def workers(self, *, concurrency: int = 2, **more: str) -> Iterator[Child]:
        """One `celery worker` of so many processes."""
        child = processes.worker({**self.environment, **more}, concurrency=concurrency)
        try:
            child.wait_for(r"ready\.", PATIENCE)
            yield child
        finally:
            child.kill()

    @contextmanager
    def clock(self) -> Iterator[None]:
        """What calls for a sweep now and then."""
        child = processes.beat(self.environment)
        try:
            yield
        finally:
            child.kill()

    def ask(self, action: str, count: int) -> list[uuid.UUID]:
        """So many runs that each ask for one effect; given when workers have opened all of it."""
        from engine import api
        from engine.models import Proposal

        runs = [
            api.start_run(
                "bench.effect",
                {"action": action, "number": number},
                initiator=self._people.agent,
            )
            for number in range(count)
        ]
        opened = Proposal.objects.filter(run_id__in=runs, status="open")
        until(f"{count} proposals are open", lambda: opened.count() == count)
        return runs

    def approve(self, run_id: uuid.UUID) -> None:
        from engine import api
        from engine.models import Proposal

        shown = Proposal.objects.get(run_id=run_id)
        api.decide(
            run_id,
            shown.pk,
            reviewer=self.rosa,
            proposal_id=shown.proposal_id,
            version=shown.version,
            digest=shown.digest,
            decision="approve",
            reason="It is what was asked for.",
        )

    def committed(self, runs: Sequence[uuid.UUID]) -> None:
        """Wait until each of these runs has its effect committed."""
        from engine.models import Effect

        done = Effect.objects.filter(run_id__in=runs, committed_at__isnull=False)
        until(f"{len(runs)} effects are committed", lambda: done.count() == len(runs))

    def times(self, runs: Sequence[uuid.UUID]) -> list[tuple[Any, Any]]:
        """When each was decided and when committed, by the database's clock."""
        from engine.models import Decision, Effect

        decided = dict(
            Decision.objects.filter(proposal__run_id__in=runs).values_list(
                "proposal__run_id", "decided_at"
            )
        )
        effects = Effect.objects.filter(run_id__in=runs).values_list("run_id", "committed_at")
        return [(decided[run_id], at) for run_id, at in effects]


def until(what: str, condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {PATIENCE:g} s still not so: {what}")
        time.sleep(0.02)
