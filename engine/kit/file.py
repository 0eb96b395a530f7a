"""Write the whole content of one file, keep what was there, and put it back.

    PLACET_FILE_ROOTS = {"config": "/srv/config"}

The root keeps a journal beside the originals (see `engine.kit.keeping`), so it can be asked by
key; how a change is made is told in `engine.kit.changing`.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, StringConstraints

from engine.actions import ActionArguments, Refused, RollbackPlan, in_band, no_rollback
from engine.canonical import MAX_STRING
from engine.types import Change, Facts

from .changing import FileChange
from .folders import Seen, normal, see
from .keeping import Kept

RelativePath = Annotated[str, AfterValidator(normal)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Mode = Annotated[str, StringConstraints(pattern=r"^[0-7]{4}$")]


class FileRestore(FileChange):
    """Put a kept original back, or take a file away that was not there before.

    It refuses when the file is no longer what `found` says: somebody has changed it since.
    """

    title = "Put a file back"
    risk = "medium"
    rollback = no_rollback("It is itself a rollback; it is not rolled back in turn.")

    class Arguments(ActionArguments):
        path: RelativePath
        found: Sha256 | None
        kept: Sha256 | None
        mode: Mode | None

    def describe(self, args: Any) -> str:
        verb = "Put back what was in" if args.kept else "Take away again"
        return f"{verb} {args.path}"

    def preview(self, args: Any) -> Change:
        with self._at(args.path, create=False) as place:
            now = see(place.folder, place.name)
            kept = place.keeping.original(args.kept) if args.kept else None
        return Change(before=_shown(now.content if now else None), after=_shown(kept))

    def planned(self, args: Any, kept: Kept, now: Seen | None) -> tuple[bytes | None, int]:
        if (now.sha256 if now else None) != args.found:
            raise Refused(f"{args.path} was changed since; it is left as it is")
        if args.kept is None:
            return None, 0
        original = kept.original(args.kept)
        if original is None or args.mode is None:
            raise Refused(f"the kept original of {args.path} is gone or damaged")
        return original, int(args.mode, 8)

    def expected(self, args: Any) -> Facts:
        return {"sha256": args.kept, "mode": args.mode}


class FileWrite(FileChange):
    """Write the whole content of one file below `PLACET_FILE_ROOTS[root]`, as UTF-8 text.

    The folder must exist; mode and owner of an existing file stay, a new one gets `mode_of_new`.
    With `replaces` the agent says which content it has read (or `absent`): any other is refused.
    `rehearsed_on` is the path of a file that nothing else uses: rollbacks are rehearsed on it.
    """

    mode_of_new: ClassVar[int] = 0o640
    rehearsed_on: ClassVar[str | None] = None

    class Arguments(ActionArguments):
        path: RelativePath
        content: str
        replaces: Sha256 | Literal["absent"] | None = None

    @classmethod
    def rehearsal(cls) -> Facts | None:
        if cls.rehearsed_on is None:
            return None
        return {"path": cls.rehearsed_on, "content": "Written by a rehearsal.\n"}

    def describe(self, args: Any) -> str:
        return f"Write {len(args.content.encode())} bytes to {args.path}"

    def preview(self, args: Any) -> Change:
        now = self.seen(args.path)
        before = _shown(now.content if now else None)
        return Change(before=before, after=_shown(args.content.encode()))

    def planned(self, args: Any, kept: Kept, now: Seen | None) -> tuple[bytes | None, int]:
        if args.replaces not in (None, now.sha256 if now else "absent"):
            raise Refused(f"{args.path} does not hold what was read there")
        return args.content.encode(), now.mode if now else self.mode_of_new

    def expected(self, args: Any) -> Facts:
        content = args.content.encode()
        return {"sha256": sha256(content).hexdigest(), "size": len(content)}


def restored_by(inverse: type[FileRestore]) -> RollbackPlan:
    """The rollback plan of a FileWrite: `inverse` is the FileRestore of the same root."""
    return in_band(
        inverse,
        _what_to_restore,
        summary="The file gets its kept original back; one that was not there is taken away. "
        "Refused when somebody changed it since.",
    )


def _what_to_restore(args: Any, path: str | None, written: Any) -> Mapping[str, Any]:
    return {
        "path": written["path"],
        "found": written["found"]["sha256"],
        "kept": written["kept"],
        "mode": written["before"]["mode"],
    }


def _shown(content: bytes | None) -> Facts:
    """Content for a reviewer's eyes: whole, or said to be left out."""
    if content is None:
        return {"content": None}
    try:
        text = content.decode() if len(content) <= MAX_STRING else None
    except UnicodeDecodeError:
        text = None
    if text is None or "\x00" in text:
        digest = sha256(content).hexdigest()
        return {"not_shown": f"{len(content)} bytes that are no short text; SHA-256 {digest}"}
    return {"content": text}
