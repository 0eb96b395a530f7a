"""A large export under attack: two hundred events of many runs, by whoever holds the file."""

import hashlib
import io
import json
import random
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from engine import api
from engine.searching import EventQuery
from engine.standalone import verify
from tests.cast import AGENT, reviewer
from tests.engine.together import together
from tests.world import Desk

INTACT, ALTERED, INCOMPLETE = 0, 1, 2
Lines = list[bytes]

STRANGE = 'quoted " \\u0000 \\\\ \u202e\u2028\u2029 \x7f é 𝄞 </script>'
"""Text that lines, quotes and two writings of one character could trip over."""


@pytest.fixture(scope="module")
def export(shared_desk: Desk) -> bytes:
    """More than 200 events: runs that are over, one that waits, and the installation's own."""
    for _ in range(12):
        run_id = shared_desk.approved_refund(why=STRANGE, evidence=[STRANGE]).run_id
        shared_desk.work(run_id)
    shared_desk.propose_refund()
    return made(shared_desk)


def made(desk: Desk, **query: Any) -> bytes:
    out = io.BytesIO()
    api.export_events(EventQuery(**query), out, auditor=reviewer(desk.people.ada))
    return out.getvalue()


@pytest.fixture(scope="module")
def manifest(export: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(export)) as archive:
        return dict(json.loads(archive.read("manifest.json")))


@pytest.fixture(scope="module")
def lines(export: bytes) -> Lines:
    with zipfile.ZipFile(io.BytesIO(export)) as archive:
        return archive.read("events.jsonl").splitlines(keepends=True)


def judged(manifest: dict[str, Any], events: bytes) -> int:
    """What the verifier would exit with."""
    return told(manifest, events)[0]


def told(manifest: dict[str, Any], events: bytes) -> tuple[int, str]:
    """What the verifier would exit with, and what it says."""
    with redirect_stdout(io.StringIO()) as said:
        code = verify.told(verify.Check(manifest).all(events))
    return code, said.getvalue()


def made_to_match(manifest: dict[str, Any], events: bytes) -> dict[str, Any]:
    """The manifest of a forger who changes the file's hash and its count as well."""
    count = len(events.splitlines())
    return {**manifest, "sha256": hashlib.sha256(events).hexdigest(), "events": count}


def test_there_are_enough_of_them(lines: Lines, manifest: dict[str, Any]) -> None:
    assert len(lines) == manifest["events"] > 200
    assert len(manifest["heads"]) == 13
    assert judged(manifest, b"".join(lines)) == INTACT


class TestOneByte:
    """A bit is turned in one byte of the file."""

    def test_under_the_true_manifest_is_told_as_altered(
        self, manifest: dict[str, Any], lines: Lines
    ) -> None:
        """Bytes from all over the file; those of one run, each of them, are in `test_export.py`."""
        events = b"".join(lines)
        for place in sample(len(events), 500):
            assert judged(manifest, turned(events, place, 1)) == ALTERED, place

    @pytest.mark.parametrize("bit", [0x01, 0x02, 0x20, 0x80])
    def test_is_found_by_the_chain_alone(
        self, manifest: dict[str, Any], lines: Lines, bit: int
    ) -> None:
        """The forger makes the manifest match; every byte of two lines in the middle of a run."""
        run = json.loads(lines[40])["run"]
        own = [line for line in lines if json.loads(line)["run"] == run]
        alone = {**manifest, "heads": {run: manifest["heads"][run]}}
        missed = []
        for number in (6, 7):
            for place in range(len(own[number])):
                forged = [*own]
                forged[number] = turned(own[number], place, bit)
                events = b"".join(forged)
                if judged(made_to_match(alone, events), events) == INTACT:
                    missed.append((number, place, own[number][place : place + 12]))
        assert missed == []


def sample(size: int, count: int) -> list[int]:
    """Places all over, the same ones every time."""
    return random.Random(7).sample(range(size), count)  # noqa: S311 - nothing secret


def turned(events: bytes, place: int, bit: int) -> bytes:
    return events[:place] + bytes([events[place] ^ bit]) + events[place + 1 :]


def dropped(lines: Lines) -> Lines:
    return [*lines[:60], *lines[61:]]


def cut_short(lines: Lines) -> Lines:
    return lines[:-3]


def cut_short_in_a_line(lines: Lines) -> Lines:
    return [*lines[:-1], lines[-1][:40]]


def without_a_run(lines: Lines) -> Lines:
    run = json.loads(lines[-1])["run"]
    return [line for line in lines if json.loads(line)["run"] != run]


def put_in(lines: Lines) -> Lines:
    forged = {**json.loads(lines[60]), "actor": "person:1"}
    return [*lines[:61], packed(forged), *lines[61:]]


def twice(lines: Lines) -> Lines:
    return [*lines[:61], lines[60], *lines[61:]]


def swapped(lines: Lines) -> Lines:
    return [*lines[:60], lines[61], lines[60], *lines[62:]]


def renumbered(lines: Lines) -> Lines:
    """Two events of one run change their numbers, and their places accordingly."""
    one, other = json.loads(lines[60]), json.loads(lines[61])
    one["seq"], other["seq"] = other["seq"], one["seq"]
    return [*lines[:60], packed(other), packed(one), *lines[62:]]


def spliced(lines: Lines) -> Lines:
    """The second half of one run's log goes on where another's first half ends."""
    first, second = (logs(lines)[place] for place in (2, 3))
    name = json.loads(first[0])["run"]
    grafted = [packed({**json.loads(line), "run": name}) for line in second[8:]]
    return [line for line in lines if line not in first[8:]] + grafted


def logs(lines: Lines) -> list[Lines]:
    runs: dict[str, Lines] = {}
    for line in lines:
        runs.setdefault(json.loads(line)["run"], []).append(line)
    return list(runs.values())


def packed(event: dict[str, Any]) -> bytes:
    text = json.dumps(event, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode() + b"\n"


FOUND: dict[Callable[[Lines], Lines], int] = {
    cut_short: INCOMPLETE,
    cut_short_in_a_line: INCOMPLETE,
    without_a_run: INCOMPLETE,
    dropped: ALTERED,
    put_in: ALTERED,
    twice: ALTERED,
    swapped: ALTERED,
    renumbered: ALTERED,
    spliced: ALTERED,
}


@pytest.mark.parametrize("how", FOUND, ids=lambda how: how.__name__)
class TestWhatIsDoneToTheLines:
    def test_is_told_for_what_it_is(
        self, how: Callable[[Lines], Lines], manifest: dict[str, Any], lines: Lines
    ) -> None:
        assert judged(manifest, b"".join(how(lines))) == FOUND[how]

    def test_is_found_under_a_manifest_that_matches_it(
        self, how: Callable[[Lines], Lines], manifest: dict[str, Any], lines: Lines
    ) -> None:
        events = b"".join(how(lines))
        assert judged(made_to_match(manifest, events), events) in (ALTERED, INCOMPLETE)

    def test_names_the_run(
        self, how: Callable[[Lines], Lines], manifest: dict[str, Any], lines: Lines
    ) -> None:
        events = b"".join(how(lines))
        _, said = told(made_to_match(manifest, events), events)
        assert any(run in said for run in manifest["heads"]), said


def test_a_gap_is_told_as_a_gap(manifest: dict[str, Any], lines: Lines) -> None:
    after = json.loads(lines[61])
    _, said = told(manifest, b"".join(dropped(lines)))
    assert f"INCOMPLETE: run {after['run']} event {after['seq']}: the event before it" in said


class TestTheVerifierOfAnExport:
    @pytest.fixture
    def elsewhere(self, export: bytes, tmp_path: Path) -> Path:
        """An empty folder, but for the export and the verifier out of it."""
        (tmp_path / "export.zip").write_bytes(export)
        with zipfile.ZipFile(io.BytesIO(export)) as archive:
            (tmp_path / "verify.py").write_bytes(archive.read("verify.py"))
        return tmp_path

    def pythons(self) -> Iterator[str]:
        yield sys.executable
        yield shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable

    def test_runs_alone_and_reads_the_zip(self, elsewhere: Path, lines: Lines) -> None:
        for python in self.pythons():
            done = run(python, elsewhere)
            assert done.returncode == INTACT, done.stdout + done.stderr
            assert f"{len(lines)} events of 13 runs" in done.stdout
            assert "whether the manifest itself is genuine" in done.stdout

    def test_is_the_file_in_the_source(self, elsewhere: Path) -> None:
        assert (elsewhere / "verify.py").read_bytes() == Path(verify.__file__).read_bytes()

    def test_imports_nothing_but_the_standard_library(self, elsewhere: Path) -> None:
        source = (elsewhere / "verify.py").read_text()
        found = {line.split()[1].split(".")[0] for line in source.splitlines() if is_import(line)}
        assert found <= sys.stdlib_module_names

    def test_finds_a_zip_whose_bytes_were_changed(self, elsewhere: Path, export: bytes) -> None:
        for place in sample(len(export) // 2, 8):
            (elsewhere / "export.zip").write_bytes(turned(export, place, 1))
            assert run(sys.executable, elsewhere).returncode in (ALTERED, INCOMPLETE), place


def is_import(line: str) -> bool:
    return line.startswith(("import ", "from "))


def run(python: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [python, "-I", "verify.py", "export.zip"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


class TestWhileTheLogGrows:
    def test_an_export_is_of_one_moment(self, shared_desk: Desk, tmp_path: Path) -> None:
        """Agents speak in every run while it is written: it verifies all the same."""
        runs = [shared_desk.start_run() for _ in range(4)]
        order = shared_desk.purchase()

        def speak() -> None:
            for run_id in runs * 5:
                shared_desk.ask_for_refund(run_id, order)

        def export() -> bytes:
            return made(shared_desk)

        *_, exported = together([speak, speak, export])
        path = tmp_path / "export.zip"
        path.write_bytes(exported)
        assert verify.main([str(path)]) == INTACT

    def test_what_an_agent_says_cannot_end_a_line(self, shared_desk: Desk, lines: Lines) -> None:
        run_id = shared_desk.start_run()
        shared_desk.ask_for_refund(run_id, "A-1", why="one\r\ntwo\u2028three\x0bfour\x1cfive\x85")
        api.finish_run(run_id, agent=AGENT)
        with zipfile.ZipFile(io.BytesIO(made(shared_desk, run_id=run_id))) as archive:
            events = archive.read("events.jsonl")
        assert events.count(b"\n") == events.count(b"\r") + 3 == 3
        assert [json.loads(line)["seq"] for line in events.splitlines()] == [1, 2, 3]
