"""Placet: a run of a workflow, started by the API's verb, advanced by what Celery's task calls."""

import os
import time
from typing import Any

from tests.bench.load import Load


def _set_up(url: str) -> None:
    os.environ |= {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "tests.bench.settings"}
    os.environ["PLACET_PROCESS"] = "command"
    import django

    django.setup()


class Contestant:
    """One process of workers."""

    def __init__(self, url: str, number: int) -> None:
        _set_up(url)
        from engine import api, hints, worker
        from tests.bench.desk import placet_workflows

        # Runs are started and worked on here, as the others' are: nobody has to be told of them.
        hints.deliver_through(lambda run_id: None)
        self._api: Any = api
        self._worker: Any = worker
        self._here = placet_workflows.here
        self._initiator = api.Initiator(actor="agent:bench")

    @staticmethod
    def install(url: str) -> None:
        _set_up(url)
        from django.core.management import call_command

        call_command("migrate", verbosity=0)

    def run(self, load: Load) -> list[float]:
        """Make one run from its start to its end; when each node began, and when it was over."""
        self._here.load = load
        self._here.began = began = []
        run_id = self._api.start_run("bench.steps", {}, initiator=self._initiator)
        done = self._worker.run_once(run_id)
        if done.outcome != "completed":
            raise RuntimeError(f"The run is {done.outcome}.")
        return [*began, time.perf_counter()]
