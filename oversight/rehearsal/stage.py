"""The run of one rehearsal, and the workers that serve it: real processes, not Celery's."""

import signal
import uuid
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from django.db.models.functions import Now

from engine import conf, rehearsing
from engine.actions import Action
from engine.models import Effect, Event, Proposal, Run
from oversight.embedded import processes
from oversight.embedded.hold import hold
from oversight.embedded.waiting import until

STEP_SECONDS = 60.0
"""How long one pass of a worker may take."""


class Stage:
    """One run on this installation's own database, advanced by processes that this one starts.

    `environment` is added to this process's own; `folder` takes what the processes write.
    """

    def __init__(self, run_id: uuid.UUID, folder: Path, environment: Mapping[str, str]) -> None:
        self.run_id, self.folder, self._environment = run_id, folder, environment

    def advance(self) -> None:
        """One worker's pass over the run, in a process of its own, to its end."""
        child = self._worker({})
        try:
            code = child.wait(STEP_SECONDS)
        finally:
            child.kill()
        if code != 0:
            raise RuntimeError("A worker broke off: " + " / ".join(child.tail(3)))

    def killed_at(self, point: str) -> int:
        """A worker comes to this point and is killed there, really; gives its process id."""
        with hold(point, self.folder) as held:
            child = self._worker(held.environment)
            try:
                [pid] = held.pids(seconds=STEP_SECONDS)
            finally:
                child.signal(signal.SIGKILL)
                child.kill()
        return pid

    def settled(self, action: Action) -> Effect:
        """One worker after the other takes the run over, each as soon as it may, until its effect
        is committed; or until the run stands still or has ended. Raises TimeoutError."""
        until(lambda: self._has_settled() or self._taken_over(), "an effect settled", _most(action))
        return self.effect()

    def rolled_back(self, action: Action) -> Run:
        """The same, until the run has ended or stands still."""
        until(lambda: self._has_halted() or self._taken_over(), "a rollback's end", _most(action))
        return self.run()

    def _has_settled(self) -> bool:
        run = self.run()
        return (self.effect().committed_at is not None and not run.lease_owner) or _halted(run)

    def _has_halted(self) -> bool:
        return _halted(self.run())

    def _taken_over(self) -> bool:
        """A worker comes by if one may; whether that was enough is looked at anew."""
        if self._may_be_claimed():
            self.advance()
        return False

    def _may_be_claimed(self) -> bool:
        """By the database's clock: no lease is live, and it is not due later."""
        here = Run.objects.filter(pk=self.run_id).exclude(lease_until__gt=Now())
        return here.exclude(wake_at__gt=Now()).exists()

    def _worker(self, more: Mapping[str, str]) -> processes.Child:
        environment = {**self._environment, **more}
        options = (str(self.run_id), "--as", rehearsing.OWNER)
        return processes.command(
            "advance_run", environment, *options, log=self.folder / "worker.log"
        )

    def run(self) -> Run:
        return Run.objects.get(pk=self.run_id)

    def proposal(self) -> Proposal:
        return Proposal.objects.filter(run_id=self.run_id).latest("opened_at")

    def effect(self) -> Effect:
        return Effect.objects.get(run_id=self.run_id, compensates=None)

    def rollback(self) -> Effect | None:
        return Effect.objects.filter(run_id=self.run_id, compensates__isnull=False).first()

    def count(self, kind: str) -> int:
        return Event.objects.filter(run_id=self.run_id, kind=kind).count()

    def clock(self) -> datetime:
        """The database's."""
        row = Run.objects.filter(pk=self.run_id).annotate(now=Now()).values_list("now", flat=True)
        return row.get()


def _halted(run: Run) -> bool:
    return run.ended_at is not None or (run.status == "paused" and run.wake_at is None)


def _most(action: Action) -> float:
    """Seconds after which even the slowest target and a lost lease are no excuse any more."""
    return 2 * (conf.lease_seconds() + action.call_seconds + action.verify_seconds)
