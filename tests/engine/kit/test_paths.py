"""No path leads out of its root: not by its letters, and not by a link on the way."""

import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from engine import actions
from engine.errors import BadInput
from engine.kit.failures import Misconfigured
from engine.kit.folders import PathRefused
from tests.engine.kit.acts import RestoreConfig, WriteConfig

KEY = "a" * 64


def write(path: str, content: str = "max = 20\n") -> None:
    args = WriteConfig.Arguments(path=path, content=content)
    WriteConfig().execute(args, key=KEY, fencing_token=1)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "..",
        "../outside/secret.ini",
        "app/../../outside/secret.ini",
        "app/..",
        "./app/limits.ini",
        "app/./limits.ini",
        "app//limits.ini",
        "app/",
        "app\\limits.ini",
        "app/limits.ini\n",
        "app/lim\u202eits.ini",
        "app/\x07bell",
        ".placet-kept/journal/x.json",
        "app/.PLACET-kept/x",
        ".placet-staged-1",
        "x" * 300,
        "/".join(["deep"] * 300),
    ],
)
def test_a_path_that_is_not_plain_is_refused_at_the_entrance(path: str) -> None:
    with pytest.raises(BadInput, match=r"must") as caught:
        actions.freeze(WriteConfig(), {"path": path, "content": ""})

    assert caught.value.path == "$.arguments.path"
    with pytest.raises(ValidationError):
        RestoreConfig.Arguments(path=path, found=None, kept=None, mode=None)


@pytest.mark.parametrize("path", ["app/limits.ini", "ä/ö.ini", "a b.ini", "..hidden", "app/.env"])
def test_a_plain_path_is_taken_as_it_is(path: str) -> None:
    assert WriteConfig.Arguments(path=path, content="").path == path


def test_a_link_in_place_of_the_file_is_not_followed(root: Path) -> None:
    outside = root.parent / "outside" / "secret.ini"
    (root / "link.ini").symlink_to(outside)

    with pytest.raises(PathRefused, match="symbolic link"):
        write("link.ini")
    with pytest.raises(PathRefused, match="symbolic link"):
        WriteConfig().precondition(WriteConfig.Arguments(path="link.ini", content=""))

    assert outside.read_text() == "outside\n"
    assert (root / "link.ini").is_symlink()


@pytest.mark.parametrize("target", ["../outside", "/etc", "app"])
def test_a_link_in_place_of_a_folder_is_not_followed(target: str, root: Path) -> None:
    (root / "way").symlink_to(target)

    with pytest.raises(PathRefused, match="symbolic link"):
        write("way/secret.ini")

    assert (root.parent / "outside" / "secret.ini").read_text() == "outside\n"
    assert not (root / "app" / "secret.ini").exists()


def test_a_link_deeper_on_the_way_is_not_followed(root: Path) -> None:
    (root / "app" / "way").symlink_to(root.parent / "outside")

    with pytest.raises(PathRefused, match="symbolic link"):
        write("app/way/secret.ini")


def test_a_folder_swapped_for_a_link_in_the_midst_leads_nowhere_else(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is open already: the change lands in it, wherever it is called now."""
    outside = root.parent / "outside"

    def swap(point: str) -> None:
        if point == "file_intended":
            (root / "app").rename(root / "moved")
            (root / "app").symlink_to(outside)

    monkeypatch.setattr("engine.kit.changing.reach", swap)
    write("app/limits.ini")

    assert not (outside / "limits.ini").exists()
    assert (root / "moved" / "limits.ini").read_text() == "max = 20\n"
    with pytest.raises(PathRefused, match="symbolic link"):
        WriteConfig().verify(
            WriteConfig.Arguments(path="app/limits.ini", content="max = 20\n"), resource_id=None
        )


def test_our_own_folder_is_not_followed_when_it_is_a_link(root: Path) -> None:
    (root / ".placet-kept").symlink_to(root.parent / "outside")

    with pytest.raises(PathRefused, match="symbolic link"):
        write("app/limits.ini")

    assert [path.name for path in (root.parent / "outside").iterdir()] == ["secret.ini"]
    assert (root / "app" / "limits.ini").read_text() == "max = 10\n"


@pytest.mark.parametrize("kind", ["fifo", "folder", "hard link"])
def test_what_is_no_plain_file_is_left_alone(kind: str, root: Path) -> None:
    path = root / "odd"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.hardlink_to(root / "app" / "limits.ini")

    with pytest.raises(PathRefused):
        write("odd")

    assert (root / "app" / "limits.ini").read_text() == "max = 10\n"


def test_no_folder_is_made(root: Path) -> None:
    with pytest.raises(PathRefused, match="'new' does not exist"):
        write("new/limits.ini")


@pytest.mark.parametrize("roots", [{}, {"config": ""}, {"config": "/no/such/folder"}])
def test_a_root_that_is_not_there_is_named(roots: dict[str, str], settings: Any) -> None:
    settings.PLACET_FILE_ROOTS = roots

    with pytest.raises(Misconfigured, match="'config'"):
        write("app/limits.ini")
