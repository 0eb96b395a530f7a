"""Change one file under a key, so that a successor can tell what became of it.

Read `execute` as the linear story it is: what is durable at each line is what a successor finds
there. Nothing in this module knows whether a file is written or put back.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, ClassVar

from engine.actions import Action, Refused
from engine.canonical import packed, sha256_hex
from engine.crashpoints import reach
from engine.types import Answer, Facts, Finding, Verified

from .failures import CallFailed, TimedOut
from .folders import (
    STAGED,
    PathRefused,
    Seen,
    facts,
    identity_at,
    opened_parent,
    opened_root,
    remove,
    replace,
    see,
    write_new,
)
from .keeping import Entry, Kept, kept_in

TEN_YEARS = 10 * 365 * 24 * 3600.0


class Unclear(CallFailed):
    """The journal tells of an intent; what lies there now proves neither that nor the contrary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An open folder, the name of a file in it, and what the root keeps."""

    folder: int
    name: str
    kept: Kept | None

    @property
    def keeping(self) -> Kept:
        """What the root keeps. Raises Unclear where it keeps nothing: it may be another root."""
        if self.kept is None:
            raise Unclear("This root has no journal; is it the right one, and is it mounted?")
        return self.kept


class FileChange(Action):
    """What writing and restoring have in common; not an action of its own.

    The target is `idempotent`, and that is a claim about the folder, not about the file system:
    under one key the journal lets one change through, a second call gets the answer of then, and
    the entry is written before the change. An intent without its end is decided by which file the
    staged one has become: a rename moves the file itself, so either our staged file still lies
    where it was put, or it is the one at the path. A hash could not tell that it was us.
    Entries are never deleted by the kit, hence the ten years of `dedupe_window`.
    """

    root: ClassVar[str]
    target_class = "idempotent"
    dedupe_window = TEN_YEARS
    verification = "The file is opened anew, read as a whole, and its hash is compared."

    def planned(self, args: Any, kept: Kept, now: Seen | None) -> tuple[bytes | None, int]:
        """What the file will hold (None: it will be gone) and its mode. Raises Refused."""
        raise NotImplementedError

    def target(self, args: Any) -> str:
        return f"{self.root}: {args.path}"

    def operative_value(self, args: Any) -> str:
        return str(args.path)

    def precondition(self, args: Any) -> Facts:
        return facts(self.seen(args.path))

    def seen(self, path: str) -> Seen | None:
        """The file as it is now, on a fresh open; None when there is none."""
        with opened_root(self.root) as root, opened_parent(root, path) as (folder, name):
            return see(folder, name)

    def execute(self, args: Any, *, key: str, fencing_token: int) -> Answer:
        deadline = time.monotonic() + self.call_seconds
        with self._at(args.path, create=True) as place, place.keeping.turn(args.path, deadline):
            entry = place.keeping.entry(key)
            if entry is not None and entry.request_hash != _request_hash(args):
                raise Refused("the key was used for another request")
            if entry is not None and entry.stage == "done":
                return Answer(resource_id=entry.path, result=entry.answer)
            if entry is not None and entry.fencing_token > fencing_token:
                raise Refused("a newer worker has taken this over")
            if entry is None or entry.stage != "intent":
                entry = self._intend(place, args, key, fencing_token)
            return self._carry_out(place, entry, deadline)

    def fence(self, args: Any, *, key: str, fencing_token: int) -> None:
        """Write the token into the journal: an older call that comes now is refused there.

        A call that is under way has the turn, and is waited for. A root without a journal gets
        none from here: whether anything happened in it is told by `reconcile`.
        """
        deadline = time.monotonic() + self.call_seconds
        with self._at(args.path, create=False) as place:
            if place.kept is None:
                return
            with place.kept.turn(args.path, deadline):
                entry = place.kept.entry(key) or _fenced(args, key)
                if entry.stage != "done" and entry.fencing_token < fencing_token:
                    place.kept.write(entry.under(fencing_token))

    def _intend(self, place: Place, args: Any, key: str, fencing_token: int) -> Entry:
        """Everything but the change itself: whatever fails in here, the file is as it was."""
        try:
            entry = self._prepared(place, args, key, fencing_token)
            # Commit point: the intent is durable, and with it the original and the new content.
            place.keeping.write(entry)
        except OSError as problem:
            raise PathRefused(f"{args.path} cannot be changed: {problem.strerror}.") from problem
        reach("file_intended")
        return entry

    def _prepared(self, place: Place, args: Any, key: str, fencing_token: int) -> Entry:
        now = see(place.folder, place.name)
        content, mode = self.planned(args, place.keeping, now)
        if now is not None and now.links > 1:
            raise PathRefused(f"{args.path} has {now.links} names; the others would keep the old.")
        kept = None if now is None else place.keeping.keep(now.content)
        if content is None:
            aside = f"{STAGED}{token_hex(16)}"
            moved = now.identity if now is not None else None
        else:
            owner = now.owner if now is not None else None
            aside = write_new(place.folder, content, mode=mode, owner=owner)
            moved = identity_at(place.folder, aside)
        if moved is None:
            raise PathRefused(f"{args.path} is not there.")
        return Entry(
            key=key,
            request_hash=_request_hash(args),
            stage="intent",
            path=args.path,
            aside=aside,
            moved=moved,
            removes=content is None,
            answer={"path": args.path, "before": facts(now), "kept": kept},
            fencing_token=fencing_token,
        )

    def _carry_out(self, place: Place, entry: Entry, deadline: float) -> Answer:
        if not _was_made(place, entry):
            self._check_unchanged(place, entry)
            if time.monotonic() > deadline:
                raise TimedOut(f"The time for changing {entry.path} was over before it was.")
            # Commit point: the change itself, by one rename.
            old, new = (place.name, entry.aside) if entry.removes else (entry.aside, place.name)
            replace(place.folder, old, new)
            reach("file_changed")
        # Commit point: the journal says that it was us.
        done = entry.now("done", found=_left_behind(place))
        place.keeping.write(done)
        reach("file_journalled")
        if entry.removes:
            remove(place.folder, entry.aside)
        return Answer(resource_id=entry.path, result=done.answer)

    def _check_unchanged(self, place: Place, entry: Entry) -> None:
        """Only what was kept is replaced. Otherwise it is left alone, and the journal says so."""
        if facts(see(place.folder, place.name)) == entry.answer["before"]:
            return
        place.keeping.write(entry.now("refused"))
        if not entry.removes:
            remove(place.folder, entry.aside)
        raise Refused(f"{entry.path} was changed by somebody else in the meantime")

    def reconcile(self, args: Any, *, key: str) -> Finding:
        deadline = time.monotonic() + self.call_seconds
        with self._at(args.path, create=False) as place, place.keeping.turn(args.path, deadline):
            entry = place.keeping.entry(key)
            # Whoever has the turn knows that nobody is in the midst of a change.
            if entry is None or entry.stage in ("refused", "fenced"):
                return Finding(kind="absent", result={"journal": entry and entry.stage})
            if entry.stage == "done":
                return Finding(kind="found", resource_id=entry.path, result=entry.answer)
            if not _was_made(place, entry):
                return Finding(kind="absent", result={"journal": "intent", "staged": entry.aside})
            answer = {**entry.answer, "found": _left_behind(place)}
            return Finding(kind="found", resource_id=entry.path, result=answer)

    def expected(self, args: Any) -> Facts:
        """What `facts` must say of the file afterwards; other members are not compared."""
        raise NotImplementedError

    def verify(self, args: Any, *, resource_id: str | None) -> Verified:
        expected, now = dict(self.expected(args)), facts(self.seen(args.path))
        observed = {name: now[name] for name in expected}
        passed = observed == expected
        return Verified(
            verification="passed" if passed else "mismatch", expected=expected, observed=observed
        )

    @contextmanager
    def _at(self, path: str, *, create: bool) -> Iterator[Place]:
        with (
            opened_root(self.root) as root,
            opened_parent(root, path) as (folder, name),
            kept_in(root, create=create) as kept,
        ):
            yield Place(folder=folder, name=name, kept=kept)


def _was_made(place: Place, entry: Entry) -> bool:
    """Did the rename of this intent happen? Raises Unclear when nothing proves either."""
    at_path, aside = identity_at(place.folder, place.name), identity_at(place.folder, entry.aside)
    before, after = (at_path, aside) if entry.removes else (aside, at_path)
    if after == entry.moved:
        return True
    if before == entry.moved:
        return False
    raise Unclear(f"{entry.path} was touched by somebody else; nobody can tell what came first.")


def _left_behind(place: Place) -> Facts:
    """What lies there after the change. From here on nothing may be called a refusal any more."""
    try:
        return facts(see(place.folder, place.name))
    except PathRefused as problem:
        raise Unclear(f"After the change: {problem}") from problem


def _fenced(args: Any, key: str) -> Entry:
    """What the journal says of a key under which nothing was begun."""
    return Entry(
        key=key,
        request_hash=_request_hash(args),
        stage="fenced",
        path=args.path,
        aside="",
        moved=(0, 0, 0),
        removes=False,
        answer={},
        fencing_token=0,
    )


def _request_hash(args: Any) -> str:
    return sha256_hex(packed(args.model_dump(mode="json")))
