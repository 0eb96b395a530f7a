"""One file is written once under a key, and can be put back as long as nobody else touched it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from engine.actions import Refused
from engine.kit import changing, folders, keeping
from engine.kit.folders import PathRefused
from tests.engine.kit.acts import WriteConfig
from tests.engine.kit.writing import (
    KEY,
    OTHER_KEY,
    PATH,
    Struck,
    asked,
    restored,
    sha256,
    staged,
    write,
)


def test_the_content_is_replaced_and_mode_and_original_are_kept(root: Path) -> None:
    (root / PATH).chmod(0o604)

    answer = write()

    assert (root / PATH).read_text() == "max = 20\n"
    assert (root / PATH).stat().st_mode & 0o7777 == 0o604
    before = {"sha256": sha256("max = 10\n"), "size": 9, "mode": "0604"}
    assert answer.resource_id == PATH
    assert answer.result["before"] == before
    assert answer.result["found"]["sha256"] == sha256("max = 20\n")
    kept = root / ".placet-kept" / "originals" / before["sha256"]
    assert kept.read_text() == "max = 10\n"
    assert (root / ".placet-kept").stat().st_mode & 0o7777 == 0o700
    assert staged(root) == []


@pytest.fixture
def strangers_file(root: Path) -> Path:
    try:
        os.chown(root / PATH, 1234, 4321)
    except PermissionError:
        pytest.skip("only root may give a file away")
    return root / PATH


def test_the_owner_stays(root: Path, strangers_file: Path) -> None:
    write()

    found = strangers_file.stat()
    assert (found.st_uid, found.st_gid) == (1234, 4321)


def test_an_owner_that_cannot_be_kept_is_a_refusal(
    root: Path, strangers_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_permitted(file: int, *owner: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(folders.os, "fchown", not_permitted)

    with pytest.raises(PathRefused, match="not permitted"):
        write()

    assert (root / PATH).read_text() == "max = 10\n"
    assert staged(root) == []


def test_the_original_is_kept_and_the_intent_written_before_the_change(
    root: Path, ended_at: Any
) -> None:
    ended_at("file_intended")
    with pytest.raises(Struck):
        write()

    assert (root / PATH).read_text() == "max = 10\n"
    assert (root / ".placet-kept" / "originals" / sha256("max = 10\n")).exists()
    entry = json.loads((root / ".placet-kept" / "journal" / f"{KEY}.json").read_text())
    assert (entry["stage"], entry["path"]) == ("intent", PATH)


@pytest.mark.parametrize("call", ["mkdir", "rename", "fsync"])
def test_a_root_that_cannot_keep_anything_is_not_changed(
    call: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(*given: Any, **more: Any) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(keeping.os, call, read_only)

    with pytest.raises(PathRefused, match="Read-only"):
        write()

    monkeypatch.undo()
    assert (root / PATH).read_text() == "max = 10\n"


def test_everything_is_on_the_disk_before_it_is_built_upon(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Content before its name, names before the next step: what a power cut must not reorder."""
    calls: list[str] = []
    fsync, rename = os.fsync, os.rename

    def name_of(fd: int) -> str:
        return Path(f"/proc/self/fd/{fd}").readlink().name.split("-")[0]

    def noted_fsync(fd: int) -> None:
        calls.append(f"fsync {name_of(fd)}")
        fsync(fd)

    def noted_rename(old: str, new: str, **where: int) -> None:
        calls.append(f"rename to {new[:12]}")
        rename(old, new, **where)

    write(asked(content="first\n"), key=OTHER_KEY)
    monkeypatch.setattr(folders.os, "fsync", noted_fsync)
    monkeypatch.setattr(folders.os, "rename", noted_rename)
    write()

    expected = [
        "fsync config",
        *["fsync .placet", "fsync originals", f"rename to {sha256('first' + chr(10))[:12]}"],
        *["fsync originals", "fsync .placet", "fsync app"],
        *["fsync .placet", "fsync journal", f"rename to {KEY[:12]}", "fsync journal"],
        *["rename to limits.ini", "fsync app"],
        *["fsync .placet", "fsync journal", f"rename to {KEY[:12]}", "fsync journal"],
    ]
    assert calls == expected


def test_verification_reads_the_file_anew(root: Path) -> None:
    write()
    assert WriteConfig().verify(asked(), resource_id=PATH).verification == "passed"

    (root / PATH).write_text("max = 99\n")
    seen = WriteConfig().verify(asked(), resource_id=PATH)
    assert seen.verification == "mismatch"
    assert seen.observed == {"sha256": sha256("max = 99\n"), "size": 9}

    (root / PATH).unlink()
    assert WriteConfig().verify(asked(), resource_id=PATH).verification == "mismatch"


def test_the_same_key_twice_is_one_change(root: Path) -> None:
    first = write()
    (root / PATH).write_text("changed since\n")

    assert write() == first
    assert (root / PATH).read_text() == "changed since\n"


def test_a_key_is_not_lent_to_another_request(root: Path) -> None:
    write()

    with pytest.raises(Refused, match="another request"):
        write(asked(content="max = 30\n"))


@pytest.mark.parametrize("key", ["", "../" + "a" * 61, "A" * 64, "a" * 63])
def test_a_key_that_is_no_hash_names_no_file(key: str, root: Path) -> None:
    with pytest.raises(Refused, match="SHA-256"):
        write(key=key)


@pytest.mark.parametrize("replaces", ["absent", sha256("something else\n")])
def test_what_was_not_read_there_is_not_replaced(replaces: str, root: Path) -> None:
    with pytest.raises(Refused, match="what was read"):
        write(asked(replaces=replaces))

    assert (root / PATH).read_text() == "max = 10\n"


def test_what_was_read_there_is_replaced(root: Path) -> None:
    write(asked(replaces=sha256("max = 10\n")))
    write(asked("new.ini", replaces="absent"), key=OTHER_KEY)

    assert (root / PATH).read_text() == (root / "new.ini").read_text() == "max = 20\n"


def test_a_change_by_another_hand_just_before_ours_is_not_overwritten(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meddle(point: str) -> None:
        if point == "file_intended":
            (root / PATH).write_text("by hand\n")

    monkeypatch.setattr(changing, "reach", meddle)
    with pytest.raises(Refused, match="somebody else"):
        write()

    assert (root / PATH).read_text() == "by hand\n"
    assert WriteConfig().reconcile(asked(), key=KEY).kind == "absent"
    assert staged(root) == []


def test_a_written_file_is_put_back(root: Path) -> None:
    (root / PATH).chmod(0o604)
    inverse, args = restored(write())

    assert (root / PATH).read_text() == "max = 10\n"
    assert (root / PATH).stat().st_mode & 0o7777 == 0o604
    assert inverse.verify(args, resource_id=PATH).verification == "passed"


def test_a_file_that_was_not_there_is_taken_away_again(root: Path) -> None:
    inverse, args = restored(write(asked("new.ini")))

    assert not (root / "new.ini").exists()
    assert inverse.verify(args, resource_id="new.ini").verification == "passed"
    assert staged(root) == []


@pytest.mark.parametrize("path", [PATH, "new.ini"])
def test_nothing_is_put_back_over_somebody_elses_change(path: str, root: Path) -> None:
    answer = write(asked(path))
    (root / path).write_text("by hand\n")

    with pytest.raises(Refused, match="changed since"):
        restored(answer)

    assert (root / path).read_text() == "by hand\n"


@pytest.mark.parametrize("harm", ["gone", "damaged"])
def test_a_lost_original_is_not_made_up(harm: str, root: Path) -> None:
    answer = write()
    kept = root / ".placet-kept" / "originals" / answer.result["kept"]
    kept.write_text("not what it was\n") if harm == "damaged" else kept.unlink()

    with pytest.raises(Refused, match="gone or damaged"):
        restored(answer)

    assert (root / PATH).read_text() == "max = 20\n"


def test_a_folder_that_cannot_be_written_is_a_refusal(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: Any, **more: Any) -> int:
        raise OSError(28, "No space left on device")

    write(key=OTHER_KEY)
    monkeypatch.setattr(folders.os, "fsync", full)

    with pytest.raises(PathRefused, match="No space left"):
        write()

    assert staged(root) == []


def test_what_reviewers_are_shown(root: Path) -> None:
    (root / "raw.bin").write_bytes(b"\xff\x00\x01")
    (root / "long.txt").write_text("x" * 70_000)

    change = WriteConfig().preview(asked())
    assert (change.before, change.after) == ({"content": "max = 10\n"}, {"content": "max = 20\n"})
    assert WriteConfig().preview(asked("new.ini")).before == {"content": None}
    assert "3 bytes" in WriteConfig().preview(asked("raw.bin")).before["not_shown"]
    assert "70000 bytes" in WriteConfig().preview(asked("long.txt")).before["not_shown"]


def test_a_file_too_large_to_keep_is_left_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "LARGEST_FILE", 8)

    with pytest.raises(PathRefused, match="more than 8 bytes"):
        write(asked(content=""))
