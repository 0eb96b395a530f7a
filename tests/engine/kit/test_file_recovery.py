"""After an end in the midst of a change, or one by another hand, the folder says what happened; and
no two writers act at once."""

import threading
from pathlib import Path
from typing import Any

import pytest

from engine.actions import Refused
from engine.kit import changing, keeping
from engine.kit.changing import Unclear
from engine.kit.failures import TimedOut
from engine.kit.keeping import Busy
from engine.types import Answer
from tests.engine.kit.acts import RestoreConfig, WriteConfig
from tests.engine.kit.writing import KEY, OTHER_KEY, PATH, Struck, asked, restored, staged, write


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
