"""A file from proposal to commitment: meddled with, killed in the midst, put back."""

import json
import os
import select
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import execution
from engine.kit import changing
from oversight.embedded import Child
from tests.engine.kit.office import Office

PATH = "app/limits.ini"
PATIENCE = 60.0


def another_program_appends(path: Path) -> None:
    """A real other process changes the file, as configuration management does."""
    command = 'echo "# managed, do not edit" >> "$0"'
    subprocess.run(["/bin/sh", "-c", command, str(path)], check=True)


def at(point: str, act: Callable[[], None]) -> Callable[[str], None]:
    """Acts when the point is first come to."""
    points = [point]

    def reach(reached: str) -> None:
        if reached in points:
            points.remove(reached)
            act()

    return reach


def test_a_file_is_written_and_committed(office: Office, root: Path) -> None:
    proposal = office.propose("kit.write", path=PATH, content="max = 20\n")
    shown = office.terms(proposal)
    assert shown["change"] == {
        "before": {"content": "max = 10\n"},
        "after": {"content": "max = 20\n"},
    }
    assert shown["rollback"]["kind"] == "in_band"

    run_id = office.approve(proposal)
    office.work(run_id)

    assert (root / PATH).read_text() == "max = 20\n"
    assert office.effect(run_id).committed_at
    assert office.alerts(run_id) == []


def test_a_file_that_changed_since_it_was_shown_is_shown_again(office: Office, root: Path) -> None:
    proposal = office.propose("kit.write", path=PATH, content="max = 20\n")
    another_program_appends(root / PATH)
    run_id = office.approve(proposal)
    office.work(run_id)

    assert "approval_lapsed" in office.database.kinds(run_id)
    assert "effect_intended" not in office.database.kinds(run_id)
    assert "managed" in (root / PATH).read_text()


def test_a_change_after_ours_ends_in_an_alert_and_is_not_overwritten(
    office: Office, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        execution, "reach", at("recorded", lambda: another_program_appends(root / PATH))
    )

    run_id = office.carry_out("kit.write", path=PATH, content="max = 20\n")

    assert office.effect(run_id).verification == "mismatch"
    assert office.effect(run_id).committed_at is None
    assert office.alerts(run_id) == ["rollback_failed", "verification_failed"]
    assert office.run(run_id).reason_code == "rollback_failed"
    assert (root / PATH).read_text() == "max = 20\n# managed, do not edit\n"


def test_a_folder_that_alters_what_is_written_ends_in_an_alert_and_is_put_back(
    office: Office, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Altered at once, as by a share that converts: what was left there is what may be replaced."""
    monkeypatch.setattr(
        changing, "reach", at("file_changed", lambda: another_program_appends(root / PATH))
    )

    run_id = office.carry_out("kit.write", path=PATH, content="max = 20\n")

    assert office.effect(run_id).verification == "mismatch"
    assert office.alerts(run_id) == ["verification_failed"]
    assert office.run(run_id).status == "rolled_back"
    assert (root / PATH).read_text() == "max = 10\n"


def test_a_file_that_vanishes_again_ends_in_an_alert(
    office: Office, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "reach", at("recorded", (root / PATH).unlink))

    run_id = office.carry_out("kit.write", path=PATH, content="max = 20\n")

    assert office.effect(run_id).committed_at is None
    assert "verification_failed" in office.alerts(run_id)


def killed_at(point: str, office: Office, run_id: uuid.UUID, root: Path, folder: Path) -> None:
    """A worker of its own takes the run up, gets as far as the point, and is killed there."""
    fifo = folder / "reports"
    os.mkfifo(fifo)
    reports = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    env = {
        "DATABASE_URL": office.database.url,
        "PLACET_FILE_ROOTS": json.dumps({"config": str(root)}),
        "PLACET_HOLD": point,
        "PLACET_HOLD_FIFO": str(fifo),
    }
    command = [sys.executable, "-m", "tests.engine.kit.one_worker", str(run_id)]
    child = Child("one worker", command, env=env)
    try:
        ready, _, _ = select.select([reports], [], [], PATIENCE)
        assert ready, f"nobody came to {point}: {child.tail(20)}"
        assert os.read(reports, 200).decode().startswith(f"{point} ")
    finally:
        child.kill()
        os.close(reports)


@pytest.mark.parametrize(
    ("point", "content", "attempt"),
    [
        ("file_intended", "max = 10\n", 2),
        ("file_changed", "max = 20\n", 1),
        ("file_journalled", "max = 20\n", 1),
    ],
)
def test_a_worker_killed_in_the_midst_is_followed_by_one_that_asks_the_folder(
    point: str, content: str, attempt: int, office: Office, root: Path, tmp_path: Path
) -> None:
    run_id = office.approve(office.propose("kit.write", path=PATH, content="max = 20\n"))

    killed_at(point, office, run_id, root, tmp_path)

    assert (root / PATH).read_text() == content
    assert office.effect(run_id).status == "executing"
    inode = (root / PATH).stat().st_ino
    office.work_later(run_id)
    effect = office.effect(run_id)
    assert effect.committed_at
    assert effect.attempt == attempt
    assert (root / PATH).read_text() == "max = 20\n"
    assert attempt == 2 or (root / PATH).stat().st_ino == inode
    assert "effect_reconciled" in office.database.kinds(run_id)
    assert office.alerts(run_id) == []
    assert list(root.rglob(".placet-staged-*")) == []


def test_a_killed_worker_whose_traces_were_cleared_away_is_a_matter_for_a_person(
    office: Office, root: Path, tmp_path: Path
) -> None:
    run_id = office.approve(office.propose("kit.write", path=PATH, content="max = 20\n"))
    killed_at("file_intended", office, run_id, root, tmp_path)
    for trace in root.rglob(".placet-staged-*"):
        trace.unlink()

    for _ in range(6):
        office.work_later(run_id)

    assert office.effect(run_id).status == "unknown"
    assert office.alerts(run_id) == ["effect_unknown"]
    assert (root / PATH).read_text() == "max = 10\n"
