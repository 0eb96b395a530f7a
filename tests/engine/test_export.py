"""An export verifies by itself, offline; every way of altering one is told for what it is."""

import hashlib
import io
import json
import subprocess
import sys
import uuid
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import api
from engine.canonical import packed
from engine.searching import EventQuery
from engine.standalone import verify
from tests.cast import reviewer
from tests.engine.test_append_only import ERASE, declare_erased
from tests.world import Desk

INTACT, ALTERED, INCOMPLETE = 0, 1, 2
Lines = list[dict[str, Any]]


@pytest.fixture
def run_id(desk: Desk) -> uuid.UUID:
    """A run that is over: one refund, committed."""
    run_id = desk.start_run("refund", order=desk.purchase(), customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    desk.work(run_id)
    return run_id


@pytest.fixture
def exported(desk: Desk, run_id: uuid.UUID) -> bytes:
    return export(desk, run_id=run_id)


def export(desk: Desk, **query: Any) -> bytes:
    out = io.BytesIO()
    api.export_events(EventQuery(**query), out, auditor=reviewer(desk.people.ada))
    return out.getvalue()


def verified(export: bytes, folder: Path) -> int:
    path = folder / "export.zip"
    path.write_bytes(export)
    return verify.main([str(path)])


def parts(export: bytes) -> tuple[dict[str, Any], Lines]:
    with zipfile.ZipFile(io.BytesIO(export)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        lines = archive.read("events.jsonl").decode().splitlines()
    return manifest, [json.loads(line) for line in lines]


def forged(export: bytes, change: Callable[[dict[str, Any], Lines], None]) -> bytes:
    """With other events, and with a manifest that says so: as good as a forger can make it."""
    manifest, lines = parts(export)
    change(manifest, lines)
    text = b"".join(packed(line) + b"\n" for line in lines)
    manifest |= {"sha256": hashlib.sha256(text).hexdigest(), "events": len(lines)}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("events.jsonl", text)
        archive.writestr("manifest.json", json.dumps(manifest))
    return out.getvalue()


def test_a_whole_export_is_intact(exported: bytes, tmp_path: Path) -> None:
    assert verified(exported, tmp_path) == INTACT


def test_its_own_verifier_needs_nothing_but_python(
    exported: bytes, tmp_path: Path, desk: Desk, run_id: uuid.UUID
) -> None:
    """Unpacked somewhere else, without any package that is installed here."""
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        archive.extractall(tmp_path)

    done = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == INTACT, done.stdout + done.stderr
    assert "INTACT" in done.stdout
    assert f"{len(desk.database.log(run_id))} events of 1 runs" in done.stdout
    assert "Not checked:" in done.stdout


def test_it_says_who_made_it_of_what_and_with_which_end(
    exported: bytes, desk: Desk, run_id: uuid.UUID
) -> None:
    manifest, lines = parts(exported)
    run = desk.run(run_id)

    assert manifest["made_by"] == reviewer(desk.people.ada).actor
    assert manifest["query"] == {"run_id": str(run_id)}
    assert manifest["matched"] == manifest["events"] == len(lines) == run.last_seq
    assert manifest["heads"] == {
        str(run_id): {"last_seq": run.last_seq, "head": bytes(run.head).hex()}
    }


def test_that_it_was_made_is_an_event(exported: bytes, desk: Desk) -> None:
    log = desk.database.value("SELECT run_id FROM engine_run WHERE workflow = 'system.access'")
    (made,) = [event for event in desk.database.log(log) if event["kind"] == "export_made"]

    manifest, _ = parts(exported)
    assert made["actor"] == reviewer(desk.people.ada).actor
    assert json.loads(made["payload"])["sha256"] == manifest["sha256"]


def test_of_what_was_not_asked_for_only_hashes_are_given(
    desk: Desk, run_id: uuid.UUID, tmp_path: Path
) -> None:
    export_of_decisions = export(desk, kind="decision_made")
    manifest, lines = parts(export_of_decisions)

    given = [line for line in lines if "payload" in line]
    assert [line["kind"] for line in given] == ["decision_made"]
    assert manifest["matched"] == 1
    assert manifest["events"] == len(lines) == len(desk.database.log(run_id))
    assert verified(export_of_decisions, tmp_path) == INTACT


def test_nothing_is_no_pass(desk: Desk, run_id: uuid.UUID, tmp_path: Path) -> None:
    assert verified(export(desk, kind="nothing_like_it"), tmp_path) == INCOMPLETE


def test_erased_by_design_is_intact_and_told(
    desk: Desk, run_id: uuid.UUID, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    declare_erased(desk, run_id)
    desk.database.execute(f"{ERASE} WHERE seq IN (2, 3)")

    assert verified(export(desk, run_id=run_id), tmp_path) == INTACT
    assert "2 erased" in capsys.readouterr().out


def drop(place: int) -> Callable[[dict[str, Any], Lines], None]:
    def change(manifest: dict[str, Any], lines: Lines) -> None:
        del lines[place]

    return change


def altered(**facts: Any) -> Callable[[dict[str, Any], Lines], None]:
    def change(manifest: dict[str, Any], lines: Lines) -> None:
        lines[5].update(facts)

    return change


def renumbered(manifest: dict[str, Any], lines: Lines) -> None:
    """One is left out, the later ones move up, and the manifest knows of no more."""
    del lines[5]
    for number, line in enumerate(lines, 1):
        line["seq"] = number
    for end in manifest["heads"].values():
        end["last_seq"] = len(lines)


def twice(manifest: dict[str, Any], lines: Lines) -> None:
    lines.insert(6, lines[5])


def swapped(manifest: dict[str, Any], lines: Lines) -> None:
    lines[5], lines[6] = lines[6], lines[5]


def swapped_contents(manifest: dict[str, Any], lines: Lines) -> None:
    lines[5]["payload"], lines[6]["payload"] = lines[6]["payload"], lines[5]["payload"]


def payload_with_a_hash_to_match(manifest: dict[str, Any], lines: Lines) -> None:
    lines[5]["payload"] = "{}"
    salted = bytes.fromhex(lines[5]["salt"]) + b"{}"
    lines[5]["payload_hash"] = hashlib.sha256(salted).hexdigest()


def emptied(manifest: dict[str, Any], lines: Lines) -> None:
    """As if it had been erased, which nothing tells of."""
    del lines[5]["payload"], lines[5]["salt"]
    lines[5]["erased"] = True


def of_another_run(manifest: dict[str, Any], lines: Lines) -> None:
    lines += [{**line, "run": str(uuid.UUID(int=1))} for line in lines]


def another_head(manifest: dict[str, Any], lines: Lines) -> None:
    for end in manifest["heads"].values():
        end["head"] = "0" * 64


def not_an_event(manifest: dict[str, Any], lines: Lines) -> None:
    lines.append({"note": "all is well"})


FORGERIES: dict[str, tuple[Callable[[dict[str, Any], Lines], None], int]] = {
    "the end is missing": (drop(-1), INCOMPLETE),
    "one is missing": (drop(5), ALTERED),
    "the beginning is missing": (drop(0), ALTERED),
    "one is missing and the rest renumbered": (renumbered, ALTERED),
    "one twice": (twice, ALTERED),
    "two changed places": (swapped, ALTERED),
    "two contents changed places": (swapped_contents, ALTERED),
    "another actor": (altered(actor="person:99"), ALTERED),
    "another kind": (altered(kind="decision_made"), ALTERED),
    "another time": (altered(at="2026-01-01T00:00:00.000000Z"), ALTERED),
    "another payload": (altered(payload="{}"), ALTERED),
    "another payload with a hash to match": (payload_with_a_hash_to_match, ALTERED),
    "another salt": (altered(salt="00"), ALTERED),
    "another hash": (altered(hash="0" * 64), ALTERED),
    "another number": (altered(seq=6.0), ALTERED),
    "its content is gone": (emptied, ALTERED),
    "events of a run that the manifest does not know": (of_another_run, ALTERED),
    "another head": (another_head, ALTERED),
    "something that is no event": (not_an_event, ALTERED),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forgery_is_told_for_what_it_is(what: str, exported: bytes, tmp_path: Path) -> None:
    change, code = FORGERIES[what]

    assert verified(forged(exported, change), tmp_path) == code


def test_a_forger_who_changes_nothing_is_told_so(exported: bytes, tmp_path: Path) -> None:
    """The forging itself is not what is found."""
    assert verified(forged(exported, lambda manifest, lines: None), tmp_path) == INTACT


@pytest.mark.parametrize("missing", ["manifest.json", "events.jsonl"])
def test_without_one_of_its_files_it_is_incomplete(
    missing: str, exported: bytes, tmp_path: Path
) -> None:
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        archive.extractall(tmp_path)
    (tmp_path / missing).unlink()

    assert verify.main([str(tmp_path)]) == INCOMPLETE


@pytest.mark.parametrize("junk", [b"", b"PK", b"not a zip at all"])
def test_what_is_no_export_is_incomplete(junk: bytes, tmp_path: Path) -> None:
    assert verified(junk, tmp_path) == INCOMPLETE


def test_cut_short_it_is_incomplete(exported: bytes, tmp_path: Path) -> None:
    assert verified(exported[: len(exported) // 2], tmp_path) == INCOMPLETE


def test_every_byte_of_its_events_counts(exported: bytes) -> None:
    """Flip a bit in each, one after the other, under a manifest made to match: none passes."""
    manifest, _ = parts(exported)
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        lines = archive.read("events.jsonl").splitlines()
    missed = [
        (number, place)
        for number, line in enumerate(lines)
        for place in range(len(line))
        if passes(manifest, lines, number, flipped(line, place))
    ]
    assert missed == []


def flipped(line: bytes, place: int) -> bytes:
    return line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]


def passes(manifest: dict[str, Any], lines: list[bytes], number: int, forged: bytes) -> bool:
    """Whether the verifier takes the forged line between the true ones."""
    check = verify.Check(manifest)
    if number:
        before = json.loads(lines[number - 1])
        check.ends[before["run"]] = (before["seq"], before["hash"], before["at"])
    after = lines[number + 1 : number + 2]
    try:
        for line in [forged, *after]:
            check.event(json.loads(line))
    except (ValueError, KeyError, TypeError):
        return False
    if not after:
        check.runs()
    return not (check.altered or check.missing)


class TestLargeValues:
    """What an event names stands in the export, too, once, and is as it was when it was named."""

    @pytest.fixture
    def run_id(self, desk: Desk) -> uuid.UUID:
        texts = {"shrinks": "lorem ipsum " * 5_000, "again": "lorem ipsum " * 5_000}
        return desk.start_run(**texts, noise=[uuid.uuid4().hex for _ in range(2_000)])

    def test_stand_in_it_once_each(self, exported: bytes, tmp_path: Path) -> None:
        with zipfile.ZipFile(io.BytesIO(exported)) as archive:
            files = {name: archive.read(name) for name in values_in(archive)}

        assert sorted(name.partition(".")[2] for name in files) == ["json", "json.gz"]
        assert all(hashlib.sha256(body).hexdigest() in name for name, body in files.items())
        assert parts(exported)[0]["values"] == 2
        assert verified(exported, tmp_path) == INTACT

    def test_are_left_out_where_no_payload_is_asked_for_that_names_them(
        self, desk: Desk, run_id: uuid.UUID, tmp_path: Path
    ) -> None:
        desk.work(run_id)
        export_of_parking = export(desk, run_id=run_id, kind="run_parked")

        with zipfile.ZipFile(io.BytesIO(export_of_parking)) as archive:
            assert values_in(archive) == []
        assert verified(export_of_parking, tmp_path) == INTACT

    def test_that_were_altered_are_told(self, exported: bytes, tmp_path: Path) -> None:
        altered = repacked(exported, lambda name, body: body[:-1] + b" ")

        assert verified(altered, tmp_path) == ALTERED

    def test_that_are_gone_are_told(self, exported: bytes, tmp_path: Path) -> None:
        assert verified(repacked(exported, lambda name, body: None), tmp_path) == INCOMPLETE

    def test_that_are_somebody_s_own_are_told(self, exported: bytes, tmp_path: Path) -> None:
        added = io.BytesIO(exported)
        with zipfile.ZipFile(added, "a") as archive:
            archive.writestr(f"values/{hashlib.sha256(b'1').hexdigest()}.json", b"1")

        assert verified(added.getvalue(), tmp_path) == ALTERED

    def test_in_a_folder_are_checked_too(self, exported: bytes, tmp_path: Path) -> None:
        with zipfile.ZipFile(io.BytesIO(exported)) as archive:
            archive.extractall(tmp_path)
        assert verify.main([str(tmp_path)]) == INTACT

        next(tmp_path.glob("values/*.json")).write_bytes(b"[]")
        assert verify.main([str(tmp_path)]) == ALTERED


def values_in(archive: zipfile.ZipFile) -> list[str]:
    return [name for name in archive.namelist() if name.startswith("values/")]


def repacked(export: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """With other files of values; without those for which there is nothing."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(export)) as archive, zipfile.ZipFile(out, "w") as forged:
        for name in archive.namelist():
            body: bytes | None = archive.read(name)
            if name.startswith("values/") and body is not None:
                body = change(name, body)
            if body is not None:
                forged.writestr(name, body)
    return out.getvalue()
