"""One file is written once under a key, and can be put back as long as nobody else touched it."""

import hashlib
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.actions import Action, Refused
from engine.kit import changing, folders, keeping
from engine.kit.changing import Unclear
from engine.kit.failures import TimedOut
from engine.kit.folders import PathRefused
from engine.kit.keeping import Busy
from engine.types import Answer
from tests.engine.kit.acts import RestoreConfig, WriteConfig

KEY, OTHER_KEY = "a" * 64, "b" * 64
PATH = "app/limits.ini"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def asked(path: str = PATH, content: str = "max = 20\n", **more: Any) -> Any:
    return WriteConfig.Arguments(path=path, content=content, **more)


def write(args: Any = None, key: str = KEY) -> Answer:
    return WriteConfig().execute(args or asked(), key=key, fencing_token=1)


def restored(answer: Answer, key: str = OTHER_KEY) -> tuple[Action, Any]:
    """The rollback of a change, carried out."""
    inverse, facts = WriteConfig.rollback.made_for(None, answer.resource_id, answer.result)
    args = RestoreConfig.Arguments(**facts)
    inverse.execute(args, key=key, fencing_token=2)
    return inverse, args


def staged(root: Path) -> list[Path]:
    return list(root.rglob(".placet-staged-*"))


class Struck(Exception):
    """The process ended here, as far as this test is concerned."""


@pytest.fixture
def ended_at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`ended_at(point)`: the next change goes no further than that."""

    def end(point: str) -> None:
        def reach(reached: str) -> None:
            if reached == point:
                monkeypatch.undo()
                raise Struck(point)

        monkeypatch.setattr(changing, "reach", reach)

    return end


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


def test_processes_that_begin_at_once_share_what_is_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both see that there is none; one of them is slower, and takes what the other made."""
    write()
    monkeypatch.setattr(keeping, "_is_there", lambda root: False)

    write(asked("other.ini"), key=OTHER_KEY)

    assert (root / ".placet-kept" / "journal" / f"{KEY}.json").exists()
    assert (root / ".placet-kept" / "journal" / f"{OTHER_KEY}.json").exists()
    assert staged(root) == []


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


@pytest.mark.parametrize(
    ("point", "kind", "content"),
    [
        ("file_intended", "absent", "max = 10\n"),
        ("file_changed", "found", "max = 20\n"),
        ("file_journalled", "found", "max = 20\n"),
    ],
)
def test_after_an_end_at_any_point_the_folder_can_say_what_happened(
    point: str, kind: str, content: str, root: Path, ended_at: Any
) -> None:
    ended_at(point)
    with pytest.raises(Struck):
        write()

    finding = WriteConfig().reconcile(asked(), key=KEY)

    assert (finding.kind, (root / PATH).read_text()) == (kind, content)
    again = write()
    assert (root / PATH).read_text() == "max = 20\n"
    assert staged(root) == []
    if kind == "found":
        assert finding.result == again.result
    restored(again)
    assert (root / PATH).read_text() == "max = 10\n"


@pytest.mark.parametrize(
    ("point", "kind"),
    [("file_intended", "absent"), ("file_changed", "found"), ("file_journalled", "found")],
)
def test_after_an_end_while_taking_a_file_away_too(
    point: str, kind: str, root: Path, ended_at: Any
) -> None:
    answer = write(asked("new.ini"))
    inverse, facts = WriteConfig.rollback.made_for(None, None, answer.result)
    args = RestoreConfig.Arguments(**facts)
    ended_at(point)
    with pytest.raises(Struck):
        restored(answer)

    assert inverse.reconcile(args, key=OTHER_KEY).kind == kind
    assert (root / "new.ini").exists() == (kind == "absent")
    restored(answer)
    assert not (root / "new.ini").exists()


def test_the_same_content_by_another_hand_is_no_proof_that_it_was_us(
    root: Path, ended_at: Any
) -> None:
    """A hash would say: done. The staged file, still where it was put, says: not done."""
    ended_at("file_intended")
    with pytest.raises(Struck):
        write()
    (root / PATH).write_text("max = 20\n")

    assert WriteConfig().reconcile(asked(), key=KEY).kind == "absent"


def test_where_the_traces_are_gone_nobody_claims_to_know(root: Path, ended_at: Any) -> None:
    ended_at("file_intended")
    with pytest.raises(Struck):
        write()
    for trace in staged(root):
        trace.unlink()

    with pytest.raises(Unclear, match="nobody can tell"):
        WriteConfig().reconcile(asked(), key=KEY)
    with pytest.raises(Unclear):
        write()


def test_a_changed_file_replaced_by_another_hand_after_a_crash_is_unclear(
    root: Path, ended_at: Any
) -> None:
    ended_at("file_changed")
    with pytest.raises(Struck):
        write()
    (root / "other").write_text("by hand\n")
    (root / "other").rename(root / PATH)

    with pytest.raises(Unclear):
        WriteConfig().reconcile(asked(), key=KEY)


def test_a_root_without_a_journal_may_be_the_wrong_one(root: Path) -> None:
    """An unmounted volume looks just like this."""
    with pytest.raises(Unclear, match="mounted"):
        WriteConfig().reconcile(asked(), key=KEY)

    write(key=OTHER_KEY)
    assert WriteConfig().reconcile(asked(), key=KEY).kind == "absent"


def test_after_the_change_no_trouble_is_called_a_refusal(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meddle(point: str) -> None:
        if point == "file_changed":
            (root / PATH).unlink()
            (root / PATH).symlink_to("elsewhere")

    monkeypatch.setattr(changing, "reach", meddle)
    with pytest.raises(Unclear, match="After the change"):
        write()


def test_one_change_of_a_file_at_a_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow writer in the midst of its change: nobody else acts, and nobody says `absent`."""
    begun, go_on = threading.Event(), threading.Event()

    def stand_still(point: str) -> None:
        if point == "file_intended" and threading.current_thread() is slow:
            begun.set()
            go_on.wait(30)

    monkeypatch.setattr(changing, "reach", stand_still)
    answers: list[Answer] = []
    slow = threading.Thread(target=lambda: answers.append(write()))
    slow.start()
    begun.wait(30)
    with monkeypatch.context() as hurried:
        hurried.setattr(WriteConfig, "call_seconds", 0.1)
        for impatient in (write, lambda: WriteConfig().reconcile(asked(), key=KEY)):
            with pytest.raises(Busy):
                impatient()
        write(asked("other.ini"), key=OTHER_KEY)
    go_on.set()
    slow.join(30)

    assert answers == [write()]


def test_a_writer_that_slept_past_its_deadline_changes_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 100.0])
    monkeypatch.setattr(changing.time, "monotonic", lambda: next(clock, 100.0))

    with pytest.raises(TimedOut):
        write()

    monkeypatch.undo()
    assert (root / PATH).read_text() == "max = 10\n"


def test_a_worker_that_was_overtaken_is_refused_by_the_folder(root: Path, ended_at: Any) -> None:
    """Whoever asks with a newer token and hears `absent` can rely on it."""
    write(key=OTHER_KEY)
    action = WriteConfig()
    action.fence(asked(), key=KEY, fencing_token=5)
    assert action.reconcile(asked(), key=KEY).kind == "absent"

    with pytest.raises(Refused, match="newer worker"):
        action.execute(asked(), key=KEY, fencing_token=4)

    assert action.execute(asked(), key=KEY, fencing_token=5).resource_id == PATH


def test_an_intent_that_was_left_is_fenced_too(root: Path, ended_at: Any) -> None:
    ended_at("file_intended")
    with pytest.raises(Struck):
        write()
    action = WriteConfig()
    action.fence(asked(), key=KEY, fencing_token=5)
    assert action.reconcile(asked(), key=KEY).kind == "absent"

    with pytest.raises(Refused, match="newer worker"):
        action.execute(asked(), key=KEY, fencing_token=4)
    assert (root / PATH).read_text() == "max = 10\n"

    action.execute(asked(), key=KEY, fencing_token=6)
    assert (root / PATH).read_text() == "max = 20\n"


def test_a_fence_changes_nothing_of_what_is_done_or_of_a_root_without_a_journal(
    root: Path,
) -> None:
    action = WriteConfig()
    action.fence(asked(), key=KEY, fencing_token=5)
    assert not (root / ".placet-kept").exists()

    first = write()
    action.fence(asked(), key=KEY, fencing_token=9)
    assert write() == first


def test_twenty_calls_at_once_under_one_key_are_one_change(root: Path) -> None:
    before = (root / PATH).stat().st_ino
    answers: list[Answer] = []
    threads = [threading.Thread(target=lambda: answers.append(write())) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert len(answers) == 20
    assert all(answer == answers[0] for answer in answers)
    assert (root / PATH).stat().st_ino != before
    assert len(list((root / ".placet-kept" / "originals").iterdir())) == 1


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
