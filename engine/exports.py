"""An export of events that verifies without us: a zip with everything that is needed for it.

    events.jsonl   one event a line; every run that is touched is there from its first event on
    manifest.json  counts, the query, each run's last seq and head, SHA-256 of events.jsonl
    values/        the large values that its events name: JSON, plain or gzipped, under the
                   SHA-256 of the file
    verify.py      re-computes it all with Python's standard library

Of events outside the query the payload is withheld; their hashes stay, so that chains verify.
"""

import json
import uuid
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from django.db import connection, transaction

from . import references, values
from .canonical import packed
from .models import Event, Run
from .searching import EventQuery, matching
from .store import trail

FORMAT = "placet-export-1"
VERIFIER = Path(__file__).with_name("standalone") / "verify.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What an export holds: events that matched, all events in it, the large values that those
    which matched name, the runs they are of."""

    matched: int
    events: int
    values: int
    runs: int
    sha256: str


def run_once(query: EventQuery, out: IO[bytes], *, actor: str) -> Exported:
    """Write the zip to `out`, and note in the access log that it was made."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        exported, heads = _write_events(query, archive)
        archive.writestr("manifest.json", _manifest(query, exported, heads, actor))
        archive.writestr("verify.py", VERIFIER.read_text())
    trail.note("access", "export_made", actor, packed(_facts(query, exported)))
    return exported


def _facts(query: EventQuery, exported: Exported) -> dict[str, Any]:
    return {
        "query": query.as_facts(),
        "matched": exported.matched,
        "events": exported.events,
        "values": exported.values,
        "runs": exported.runs,
        "sha256": exported.sha256,
    }


def _write_events(
    query: EventQuery, archive: zipfile.ZipFile
) -> tuple[Exported, dict[str, dict[str, Any]]]:
    """Everything as of one moment."""
    digest, matched, events, named = sha256(), 0, 0, set[str]()
    with transaction.atomic():
        connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        heads = _heads(query)
        with archive.open("events.jsonl", "w") as lines:
            for event, included in _events(query, heads):
                line = packed(_line(event, included)) + b"\n"
                digest.update(line)
                lines.write(line)
                matched, events = matched + included, events + 1
                named |= references.named_in(bytes(event.payload or b"")) if included else set()
        written = _write_values(named, archive)
    exported = Exported(
        matched=matched,
        events=events,
        values=written,
        runs=len(heads),
        sha256=digest.hexdigest(),
    )
    return exported, heads


def _write_values(named: set[str], archive: zipfile.ZipFile) -> int:
    """The large values that these events name, as they are kept. Tells how many."""
    written = 0
    for name in sorted(named):
        body = values.body(name)
        if body is not None:
            archive.writestr(_file(name, body), body)
            written += 1
    return written


def _file(name: str, body: bytes) -> str:
    ending = "json.gz" if references.is_gzipped(body) else "json"
    return f"values/{name.removeprefix('sha256:')}.{ending}"


def _heads(query: EventQuery) -> dict[str, dict[str, Any]]:
    touched = matching(query).order_by().values("run_id").distinct()
    rows = Run.objects.filter(run_id__in=touched).order_by("run_id")
    return {
        str(run_id): {"last_seq": last_seq, "head": bytes(head).hex()}
        for run_id, last_seq, head in rows.values_list("run_id", "last_seq", "head")
    }


def _events(query: EventQuery, heads: dict[str, Any]) -> Iterator[tuple[Event, bool]]:
    runs = [uuid.UUID(run_id) for run_id in heads]
    included = set(matching(query).order_by().values_list("run_id", "seq"))
    events = Event.objects.filter(run_id__in=runs).order_by("run_id", "seq")
    for event in events.iterator(chunk_size=2_000):
        yield event, (event.run_id, event.seq) in included


def _line(event: Event, included: bool) -> dict[str, Any]:
    """One event as JSON; `payload` is the stored text, so that its bytes can be hashed again."""
    line: dict[str, Any] = {
        "run": str(event.run_id),
        "seq": event.seq,
        "kind": event.kind,
        "actor": event.actor,
        "at": event.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "payload_hash": bytes(event.payload_hash).hex(),
        "hash": bytes(event.hash).hex(),
    }
    if event.payload is None:
        return {**line, "erased": True}
    if not included:
        return {**line, "withheld": True}
    return {
        **line,
        "payload": bytes(event.payload).decode(),
        "salt": bytes(event.salt or b"").hex(),
    }


def _manifest(
    query: EventQuery, exported: Exported, heads: dict[str, dict[str, Any]], actor: str
) -> str:
    manifest = {
        "format": FORMAT,
        "made_at": datetime.now(UTC).isoformat(),
        "made_by": actor,
        **_facts(query, exported),
        "heads": heads,
    }
    return json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False)
