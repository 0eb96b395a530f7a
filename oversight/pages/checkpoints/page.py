"""The list of checkpoints, one checkpoint, the state at an event, and a comparison."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.urls import reverse

from engine import api, workflows
from oversight.pages.checkpoints import reads, sides
from oversight.pages.checkpoints.forms import Search
from oversight.pages.checkpoints.places import After
from oversight.pages.checkpoints.reads import Happened, Row, Stored
from oversight.pages.checkpoints.sides import Side
from oversight.pages.checkpoints.whole import alike
from oversight.reading import actors
from oversight.reading.actors import Actor
from oversight.reading.counts import Count
from oversight.reading.keyset import Cursor
from oversight.showing import diff, literal
from oversight.showing.kinds import kind
from oversight.showing.words import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One page of what was found, how much was searched, and the addresses around it."""

    rows: tuple[Row, ...]
    count: Count
    searched: Count
    newer_url: str
    older_url: str
    live_url: str


def listed(search: Search, cursor: Cursor) -> Listed:
    """What a search that was understood finds."""
    query = reads.matching(search.filters, search.wanted)
    found = reads.checkpoints(query, cursor)
    asked = search.asked
    return Listed(
        rows=found.rows,
        count=reads.count(query),
        searched=reads.in_all(),
        newer_url=url("page", asked, newer=found.newer) if found.newer else "",
        older_url=url("page", asked, older=found.older) if found.older else "",
        live_url="" if cursor.at else url("live", asked, **_seen(found.rows)),
    )


def _seen(rows: tuple[Row, ...]) -> dict[str, str]:
    if not rows:
        return {}
    return {"seen": f"{rows[0].created_at.isoformat()}~{rows[0].checkpoint_id}"}


def url(name: str, asked: list[tuple[str, str]], **more: str) -> str:
    """An address of these pages; a name may be there more than once."""
    query = QueryDict(mutable=True)
    for part, value in [*asked, *more.items()]:
        query.appendlist(part, value)
    return reverse(f"checkpoints:{name}", query=query)


def known() -> Mapping[str, Any]:
    """What may be typed: the names of the workflows and of their nodes."""
    graphs = workflows.registered().values()
    return {
        "workflows": sorted({graph.name for graph in graphs}),
        "nodes": sorted({node for graph in graphs for node in (*graph.nodes, graph.start)}),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One JSON column, laid out; where it is no JSON it is the stored text, and `odd` says so."""

    name: str
    text: str
    odd: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """One checkpoint with everything that it is, and whether it is what was saved."""

    stored: Stored
    matches: bool
    columns: tuple[Column, ...]
    earlier_url: str
    later_url: str
    compare_url: str


def whole(stored: Stored) -> Whole:
    around = reads.neighbours(stored.run_id, stored.last_event_sequence)
    return Whole(
        stored=stored,
        matches=api.matches_checksum(stored.record),
        columns=tuple(_column(name, getattr(stored, name)) for name in reads.JSON_FIELDS),
        earlier_url=_checkpoint_url(around.earlier),
        later_url=_checkpoint_url(around.later),
        compare_url=_compare_url(around.earlier, stored.checkpoint_id) if around.earlier else "",
    )


def _column(name: str, stored: str) -> Column:
    try:
        return Column(name=name, text=literal.laid_out(literal.read(stored)), odd=False)
    except (ValueError, RecursionError):
        return Column(name=name, text=stored, odd=True)


def _checkpoint_url(checkpoint_id: uuid.UUID | None) -> str:
    return reverse("checkpoints:checkpoint", args=[checkpoint_id]) if checkpoint_id else ""


def _compare_url(one: object, other: object) -> str:
    return url("compare", [("of", str(one)), ("of", str(other))])


@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """Where a run stood after one event, what that event was, and what it changed."""

    side: Side
    last_seq: int
    nearest: Row | None
    event: Happened | None
    said: Shown | None
    actor: Actor | None
    changes: tuple[diff.Row, ...] | None
    earlier_url: str
    later_url: str
    compare_url: str


def at(run_id: uuid.UUID, seq: int) -> At | None:
    """None where the run's log has no such event."""
    last = reads.last_seq(run_id)
    here = sides.after(After(run_id=run_id, seq=seq))
    if last is None or here is None:
        return None
    event = reads.event(run_id, seq)
    return At(
        side=here,
        last_seq=last,
        nearest=reads.nearest(run_id, seq),
        event=event,
        said=kind(event.kind) if event else None,
        actor=actors.actor(event.actor, actors.names([event.actor])) if event else None,
        changes=_changes(here),
        earlier_url=_at_url(run_id, seq - 1) if seq > 1 else "",
        later_url=_at_url(run_id, seq + 1) if seq < last else "",
        compare_url=_compare_url(here.place, After(run_id=run_id, seq=last)) if seq < last else "",
    )


def _changes(here: Side) -> tuple[diff.Row, ...] | None:
    """What the event changed; None where the state before it is not known."""
    before = sides.after(After(run_id=here.run_id, seq=here.seq - 1)) if here.seq > 1 else None
    if here.whole is None or before is None or before.whole is None:
        return None
    return diff.changed(_rows(before.whole, here.whole))


def _rows(before: sides.Whole, after: sides.Whole) -> tuple[diff.Row, ...]:
    """What is null as a whole (nothing in hand, nothing awaited) is not there."""
    sides = alike(before, after)
    one, other = ({k: v for k, v in each.items() if v is not None} for each in sides)
    return diff.rows(one, other)


def _at_url(run_id: uuid.UUID, seq: int) -> str:
    return reverse("checkpoints:at", query={"run": str(run_id), "seq": seq})


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two sides, and the rows in which they differ; `same` counts the others."""

    one: Side
    other: Side
    rows: tuple[diff.Row, ...]
    same: int
    everything: bool
    all_url: str


def compared(one: Side, other: Side, *, everything: bool) -> Compared:
    rows = _rows(one.whole or {}, other.whole or {})
    differing = diff.changed(rows)
    return Compared(
        one=one,
        other=other,
        rows=rows if everything else differing,
        same=len(rows) - len(differing),
        everything=everything,
        all_url=_compare_url(one.place, other.place) + ("" if everything else "&all=1"),
    )
