"""`manage.py verify_log`: re-compute every hash chain and say how much was checked."""

import json
import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from engine import auditing


class Command(BaseCommand):
    help = "Re-compute the hash chain of every run (or of one) and report what does not match."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--run", type=uuid.UUID, help="verify this run only")
        parser.add_argument("--json", action="store_true", help="one JSON object on stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        report = auditing.run_once(options["run"])
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(report)))
        else:
            self._tell(report)
        if not report.events:
            raise CommandError("Nothing was checked, and that is not a pass.", returncode=2)
        if report.faults:
            raise CommandError(f"{len(report.faults)} faults: the log was altered.", returncode=1)

    def _tell(self, report: auditing.Report) -> None:
        for fault in report.faults:
            self.stdout.write(
                self.style.ERROR(f"run {fault.run_id} event {fault.seq}: {fault.what}")
            )
        erased = f", {report.erased} of them erased by design" if report.erased else ""
        self.stdout.write(f"{report.events} events in {report.runs} runs checked{erased}.")
        if report.intact:
            self.stdout.write(self.style.SUCCESS("Every chain is intact."))


def _as_json(report: auditing.Report) -> dict[str, Any]:
    faults = [{"run": str(f.run_id), "seq": f.seq, "what": f.what} for f in report.faults]
    counts = {"events": report.events, "runs": report.runs, "erased": report.erased}
    return {"intact": report.intact, **counts, "faults": faults}
