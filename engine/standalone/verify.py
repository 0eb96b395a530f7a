#!/usr/bin/env python3
"""Verify a Placet export. Needs Python 3.9 or newer and nothing else; works offline.

    python3 verify.py export.zip          (or the folder it was unpacked into)

Exit status: 0 intact, 1 altered, 2 incomplete or unreadable. Says what was checked and what not.

An event's hash is SHA-256(0x00 || envelope); the envelope is the JSON object {actor, at, kind,
payload, prev, run, seq} without spaces, `payload` being SHA-256(salt || payload) and `prev` the
hash of the event before, both in hex; the first event of a run names 64 zeros.

Where a payload has {"$value":"sha256:<hex>","bytes":n} there stands a large value: the file of that
SHA-256 in the folder values, JSON of n bytes, plain or gzipped. So the chain commits to it, too.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

GENESIS = "0" * 64
NAMED = re.compile(r'"\$value":"sha256:([0-9a-f]{64})"')


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__)
        return 2
    try:
        manifest, lines, values = opened(Path(arguments[0]))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as problem:
        print(f"INCOMPLETE: cannot read the export: {problem}")
        return 2
    return told(Check(manifest, values).all(lines))


def opened(path: Path) -> tuple[dict[str, Any], bytes, dict[str, str]]:
    """The manifest, the bytes of events.jsonl, and the SHA-256 of each file of a value by its
    name, from a zip or a folder."""
    if path.is_dir():
        files = {name: (path / name).read_bytes() for name in ("manifest.json", "events.jsonl")}
        values = {one.name: hashed(one.read_bytes()) for one in (path / "values").glob("*.json*")}
    else:
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in ("manifest.json", "events.jsonl")}
            found = [name for name in archive.namelist() if name.startswith("values/")]
            values = {Path(name).name: hashed(archive.read(name)) for name in found}
    return json.loads(files["manifest.json"]), files["events.jsonl"], values


def hashed(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Check:
    """What was altered, what is missing, and how much was checked."""

    def __init__(self, manifest: dict[str, Any], values: dict[str, str] | None = None) -> None:
        self.manifest = manifest
        self.values = values or {}
        self.named: set[str] = set()
        self.altered: list[str] = []
        self.missing: list[str] = []
        self.events = self.payloads = self.withheld = self.erased = 0
        self.ends: dict[str, tuple[int, str, str]] = {}
        self.emptied: list[tuple[str, int]] = []
        self.erasure_told: set[str] = set()

    def all(self, lines: bytes) -> Check:
        *whole, rest = lines.split(b"\n")
        if rest:
            self.missing.append("events.jsonl ends in the middle of a line")
        for number, line in enumerate(whole, 1):
            try:
                self.event(as_exported(line))
            except (ValueError, KeyError, TypeError) as problem:
                self.altered.append(f"line {number} is not an event: {problem!r}")
        self.runs()
        self.large_values()
        if self.events != self.manifest["events"]:
            exported = self.manifest["events"]
            self.missing.append(f"{exported} events were exported, {self.events} are here")
        if hashlib.sha256(lines).hexdigest() != self.manifest["sha256"] and not self.missing:
            self.altered.append("events.jsonl is not the file that the manifest speaks of")
        return self

    def event(self, event: dict[str, Any]) -> None:
        where = f"run {event['run']} event {event['seq']}"
        seq, prev, at = self.ends.get(event["run"], (0, GENESIS, ""))
        if event["seq"] != seq + 1:
            self.missing.append(f"{where}: the event before it is not number {event['seq'] - 1}")
        if event["at"] < at:
            self.altered.append(f"{where}: time runs backwards")
        if envelope_hash(event, prev) != event["hash"]:
            self.altered.append(f"{where}: the hash does not match")
        self.payload(event, where)
        self.events += 1
        self.ends[event["run"]] = (event["seq"], event["hash"], event["at"])

    def payload(self, event: dict[str, Any], where: str) -> None:
        if event["kind"] == "erased":
            self.erasure_told.add(event["run"])
        if event.get("erased"):
            self.erased += 1
            self.emptied.append((event["run"], event["seq"]))
        elif event.get("withheld"):
            self.withheld += 1
        else:
            self.payloads += 1
            salted = bytes.fromhex(event["salt"]) + event["payload"].encode()
            if hashlib.sha256(salted).hexdigest() != event["payload_hash"]:
                self.altered.append(f"{where}: the payload was altered")
            self.named |= set(NAMED.findall(event["payload"]))

    def large_values(self) -> None:
        """Each value that an event names is here, under the hash of its file; and no other is."""
        for file, digest in self.values.items():
            if file.partition(".")[0] != digest:
                self.altered.append(f"value {file}: it was altered")
        here = {file.partition(".")[0] for file in self.values}
        self.missing += [f"the value sha256:{name} is missing" for name in self.named - here]
        self.altered += [f"value {name}: no event names it" for name in here - self.named]

    def runs(self) -> None:
        """Each log ends where the manifest says; what is empty is told to have been erased."""
        for run, end in self.manifest["heads"].items():
            seq, head, _ = self.ends.get(run, (0, GENESIS, ""))
            if seq < end["last_seq"]:
                self.missing.append(f"run {run}: events {seq + 1} to {end['last_seq']} are missing")
            elif head != end["head"]:
                self.altered.append(
                    f"run {run}: the log ends in another hash than the manifest says"
                )
        for run in set(self.ends) - set(self.manifest["heads"]):
            self.altered.append(f"run {run}: the manifest does not know it")
        for run, seq in self.emptied:
            if run not in self.erasure_told:
                self.altered.append(
                    f"run {run} event {seq}: its payload is gone, no erasure is told"
                )


def as_exported(line: bytes) -> dict[str, Any]:
    """The event in a line; the same said in other bytes is not what was exported."""
    event: dict[str, Any] = json.loads(line)
    spelled = json.dumps(event, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if spelled.encode() != line or event.get("salt", "") != event.get("salt", "").lower():
        raise ValueError("spelled in another way than it was exported")
    return event


def envelope_hash(event: dict[str, Any], prev: str) -> str:
    quoted = {name: json.dumps(event[name], ensure_ascii=False) for name in ("actor", "kind")}
    envelope = (
        f'{{"actor":{quoted["actor"]},"at":"{event["at"]}","kind":{quoted["kind"]},'
        f'"payload":"{event["payload_hash"]}","prev":"{prev}","run":"{event["run"]}",'
        f'"seq":{event["seq"]}}}'
    )
    return hashlib.sha256(b"\x00" + envelope.encode()).hexdigest()


def told(check: Check) -> int:
    for what in check.altered:
        print(f"ALTERED: {what}")
    for what in check.missing:
        print(f"INCOMPLETE: {what}")
    print(
        f"{check.events} events of {len(check.manifest['heads'])} runs: every link of every "
        f"chain, {check.payloads} payloads, {len(check.values)} large values."
    )
    print(
        f"Not checked: {check.withheld} payloads outside the query, {check.erased} erased; "
        "whether the manifest itself is genuine (compare its heads with the installation's)."
    )
    if check.altered:
        return 1
    if check.missing or not check.events:
        print("Something is missing." if check.events else "Nothing was checked.")
        return 2
    print("INTACT")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
