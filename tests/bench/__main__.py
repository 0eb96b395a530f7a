"""`make bench`, or `python -m tests.bench` with --quick, --only PART or --large."""

import argparse
import faulthandler
import json
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from oversight.embedded import servers

from .ground import Ground, flush_seconds
from .office import Office
from .picture import picture
from .plan import LARGE, QUICK, WHOLE, Plan
from .report import page

PARTS = ("transitions", "sizes", "stored", "effects", "takeover")
_MOST_SECONDS = 3600
_IN_OFFICE = ("effects", "takeover")
_PACKAGES = {
    "DBOS": "dbos",
    "LangGraph": "langgraph",
    "langgraph-checkpoint-postgres": "langgraph-checkpoint-postgres",
    "psycopg": "psycopg",
    "Celery": "celery",
}
DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


def main() -> None:
    asked = _asked()
    plan = QUICK if asked.quick else WHOLE
    if asked.large:
        plan = replace(plan, stored=(*plan.stored, LARGE))
    # Whatever hangs ends, and what it has started ends with it.
    faulthandler.dump_traceback_later(_MOST_SECONDS, exit=True)
    with tempfile.TemporaryDirectory(prefix="placet-bench-") as place:
        Path(place).chmod(0o755)
        results = _measured(Path(place), plan, asked.only or PARTS)
    _write(results, asked.into)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="see that all of it works")
    parser.add_argument("--only", action="append", choices=PARTS, help="measure this part")
    parser.add_argument("--large", action="store_true", help=f"with {LARGE:,} stored events, too")
    parser.add_argument("--into", type=Path, help="folder to write to, docs/ for a whole run")
    asked = parser.parse_args()
    whole = not (asked.quick or asked.only)
    asked.into = asked.into or (DOCS if whole else None)
    return asked


def _measured(place: Path, plan: Plan, parts: tuple[str, ...]) -> dict[str, Any]:
    with servers(place / "data", say=plan.say) as running:
        ground = Ground(running, place / "data")
        results: dict[str, Any] = {"about": _about(ground, place)}
        for name in [part for part in PARTS if part in parts]:
            measure: Callable[..., Any] = import_module(f"tests.bench.parts.{name}").measure
            plan.say(f"-- {name}")
            results[name] = measure(_office(ground, place) if name in _IN_OFFICE else ground, plan)
        return results


_offices: list[Office] = []


def _office(ground: Ground, place: Path) -> Office:
    """The one office, opened when it is first needed."""
    if not _offices:
        folder = place / "office"
        folder.mkdir()
        _offices.append(Office(ground, folder))
    return _offices[0]


def _about(ground: Ground, place: Path) -> dict[str, Any]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "when": datetime.now(UTC).date().isoformat(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "memory": round(memory / 2**30),
        "postgres": ground.version(),
        "flush": flush_seconds(place),
        "versions": {"Python": sys.version.split()[0]}
        | {name: version(package) for name, package in _PACKAGES.items()},
    }


def _write(results: dict[str, Any], into: Path | None) -> None:
    if into is None:
        print(page(results))  # noqa: T201 - what was asked for
        return
    (into / "img").mkdir(parents=True, exist_ok=True)
    (into / "benchmarks.md").write_text(page(results))
    if "transitions" in results:
        (into / "img" / "benchmarks.svg").write_text(picture(results["transitions"]["shapes"]))
    with suppress(BrokenPipeError):
        print(json.dumps(results, indent=1))  # noqa: T201 - every figure


if __name__ == "__main__":
    main()
