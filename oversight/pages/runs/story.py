"""The timeline of a run: one entry for each event, workers and their takeovers made visible."""

from collections.abc import Iterable, Mapping

from django.urls import reverse

from oversight.pages.runs.of_runs import taken_over
from oversight.pages.runs.sentence import Sentence
from oversight.pages.runs.sentences import sentence
from oversight.reading.actors import actor
from oversight.reading.log import Logged
from oversight.showing.timeline import Entry

GIVES_BACK = ("run_parked", "run_paused", "run_ended", "node_failed")
"""Events by which a worker gives its lease back; a claim after another event is a takeover."""


def entries(log: Iterable[Logged], names: Mapping[int, str]) -> tuple[Entry, ...]:
    """The entries of a stretch of the log, oldest first. `names` are of the people in it."""
    holder, told = "", []
    for event in log:
        told.append(_entry(event, _said(event, holder), names))
        holder = _holder(event, holder)
    return tuple(told)


def _holder(event: Logged, before: str) -> str:
    if event.kind == "run_claimed":
        return str(event.facts.get("owner", ""))
    return "" if event.kind in GIVES_BACK else before


def _said(event: Logged, holder: str) -> Sentence:
    if event.kind == "run_claimed" and holder:
        return taken_over(event.facts, holder)
    return sentence(event.kind, event.facts)


def _entry(event: Logged, said: Sentence, names: Mapping[int, str]) -> Entry:
    who = actor(event.actor, names)
    return Entry(
        at=event.at,
        words=said.words,
        actor=who.name,
        actor_kind=who.kind,
        glyph=said.glyph,
        tone=said.tone,
        detail=said.detail,
        url=_url(event),
        seq=event.seq,
        seq_url=event.url,
    )


def _url(event: Logged) -> str:
    """Where the proposal is that was opened."""
    if event.kind != "proposal_opened" or "proposal_id" not in event.facts:
        return ""
    place = [event.facts["proposal_id"], int(event.facts["version"])]
    return reverse("proposal:version", args=place)
