#!/usr/bin/env python3
"""Verify a Placet export. Needs Python 3.9 or newer and nothing else; works offline.

    python3 verify.py export.zip          (or the folder it was unpacked into)

Exit status: 0 intact, 1 altered, 2 incomplete or unreadable. Says what was checked and what not.

An event's hash is SHA-256(0x00 || envelope); the envelope is the JSON object {actor, at, kind,
payload, prev, run, seq} without spaces, `payload` being SHA-256(salt || payload) and `prev` the
hash of the event before, both in hex; the first event of a run names 64 zeros.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

GENESIS = "0" * 64


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__)
        return 2
    try:
        manifest, lines = opened(Path(arguments[0]))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as problem:
        print(f"INCOMPLETE: cannot read the export: {problem}")
        return 2
    altered, missing, counts = verified(manifest, lines)
    return told(altered, missing, counts, manifest)


def opened(path: Path) -> tuple[dict[str, Any], bytes]:
    """The manifest and the bytes of events.jsonl, from a zip or a folder."""
    if path.is_dir():
        files = {name: (path / name).read_bytes() for name in ("manifest.json", "events.jsonl")}
    else:
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in ("manifest.json", "events.jsonl")}
    return json.loads(files["manifest.json"]), files["events.jsonl"]


def verified(manifest: dict[str, Any], lines: bytes) -> tuple[list[str], list[str], dict[str, int]]:
    """What was altered, what is missing, and how much was checked."""
    altered: list[str] = []
    missing: list[str] = []
    counts = {"events": 0, "payloads": 0, "withheld": 0, "erased": 0}
    chains: dict[str, tuple[int, str, str]] = {}
    if hashlib.sha256(lines).hexdigest() != manifest["sha256"]:
        altered.append("events.jsonl is not the file that the manifest speaks of")
    for number, line in enumerate(lines.splitlines(), 1):
        try:
            check(json.loads(line), chains, counts, altered, missing)
        except (ValueError, KeyError, TypeError) as problem:
            altered.append(f"line {number} is not an event: {problem!r}")
    ends(manifest, chains, altered, missing)
    if counts["events"] != manifest["events"]:
        missing.append(f"{manifest['events']} events were exported, {counts['events']} are here")
    return altered, missing, counts


def check(
    event: dict[str, Any],
    chains: dict[str, tuple[int, str, str]],
    counts: dict[str, int],
    altered: list[str],
    missing: list[str],
) -> None:
    where = f"run {event['run']} event {event['seq']}"
    seq, prev, at = chains.get(event["run"], (0, GENESIS, ""))
    if event["seq"] != seq + 1:
        missing.append(f"{where}: the event before it is not number {event['seq'] - 1}")
    if event["at"] < at:
        altered.append(f"{where}: time runs backwards")
    if envelope_hash(event, prev) != event["hash"]:
        altered.append(f"{where}: the hash does not match")
    check_payload(event, where, counts, altered)
    counts["events"] += 1
    chains[event["run"]] = (event["seq"], event["hash"], event["at"])


def check_payload(
    event: dict[str, Any], where: str, counts: dict[str, int], altered: list[str]
) -> None:
    if event.get("erased"):
        counts["erased"] += 1
    elif event.get("withheld"):
        counts["withheld"] += 1
    else:
        counts["payloads"] += 1
        salted = bytes.fromhex(event["salt"]) + event["payload"].encode()
        if hashlib.sha256(salted).hexdigest() != event["payload_hash"]:
            altered.append(f"{where}: the payload was altered")


def envelope_hash(event: dict[str, Any], prev: str) -> str:
    quoted = {name: json.dumps(event[name], ensure_ascii=False) for name in ("actor", "kind")}
    envelope = (
        f'{{"actor":{quoted["actor"]},"at":"{event["at"]}","kind":{quoted["kind"]},'
        f'"payload":"{event["payload_hash"]}","prev":"{prev}","run":"{event["run"]}",'
        f'"seq":{event["seq"]}}}'
    )
    return hashlib.sha256(b"\x00" + envelope.encode()).hexdigest()


def ends(
    manifest: dict[str, Any],
    chains: dict[str, tuple[int, str, str]],
    altered: list[str],
    missing: list[str],
) -> None:
    for run, end in manifest["heads"].items():
        seq, head, _ = chains.pop(run, (0, GENESIS, ""))
        if seq < end["last_seq"]:
            missing.append(f"run {run}: events {seq + 1} to {end['last_seq']} are missing")
        elif head != end["head"]:
            altered.append(f"run {run}: the log ends in another hash than the manifest says")
    altered.extend(f"run {run}: the manifest does not know it" for run in chains)


def told(
    altered: list[str], missing: list[str], counts: dict[str, int], manifest: dict[str, Any]
) -> int:
    for what in altered:
        print(f"ALTERED: {what}")
    for what in missing:
        print(f"INCOMPLETE: {what}")
    print(
        f"{counts['events']} events of {len(manifest['heads'])} runs: every link of every chain, "
        f"{counts['payloads']} payloads."
    )
    print(
        f"Not checked: {counts['withheld']} payloads outside the query, {counts['erased']} erased; "
        "whether the manifest itself is genuine (compare its heads with the installation's)."
    )
    if altered:
        return 1
    if missing or not counts["events"]:
        print("Nothing was checked." if not counts["events"] else "Something is missing.")
        return 2
    print("INTACT")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
