"""What the unknown effects' pages read: one function, one query, frozen values out."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Now

from engine import conf, states
from engine.models import Alert, Effect, Event, Evidence, Proposal
from oversight.reading import keyset, worklist
from oversight.showing import literal

OLDEST = worklist.Order(weight="weight", at="first_sent_at", key="effect_id")
LATEST = keyset.Order(at="updated_at", key="effect_id")

RULED = tuple(
    f": {ruling.replace('_', ' ')}"
    for ruling, status in states.RESOLUTIONS.items()
    if status != "unknown"
)
"""How the outcome of an effect ends that a person has ruled about, after the person's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One effect in the list. `headline`, `target` and `agent` may be anybody's words."""

    effect_id: uuid.UUID
    run_id: uuid.UUID
    run_status: str
    state: str
    verification: str
    action: str
    headline: str
    target: str
    agent: str
    is_rollback: bool
    first_sent_at: datetime
    call_deadline: datetime
    over: bool
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How often the target was asked about one effect, when last, and who has ruled, if any."""

    times: int = 0
    last_at: datetime | None = None
    ruled_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """One effect with all that is known of it. `terms` are what was shown of its proposal; of a
    rollback, of the proposal that it takes back.

    `past` tells by the database's clock that no call of it can arrive any more: `safe_at`, its
    deadline and the margin, has gone by.
    """

    effect_id: uuid.UUID
    run_id: uuid.UUID
    run_status: str
    run_reason: str
    last_seq: int
    wake_at: datetime | None
    status: str
    verification: str
    committed_at: datetime | None
    action: str
    proposal_id: uuid.UUID
    version: int
    compensates: uuid.UUID | None
    idempotency_key: str
    attempt: int
    fencing_token: int
    first_sent_at: datetime
    call_deadline: datetime
    safe_at: datetime
    past: bool
    resource_id: str
    arguments: bytes
    terms: Mapping[str, Any]

    @property
    def unknown(self) -> bool:
        return self.status == "unknown"

    @property
    def state(self) -> str:
        return "committed" if self.status == "succeeded" and self.committed_at else self.status

    @property
    def settled(self) -> bool:
        """Nothing more will happen to it."""
        ended = self.run_status in states.terminal(states.RUN)
        return ended or self.state in ("committed", "failed", "compensated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One piece of raw evidence, its bytes as they were kept."""

    sha256: str
    media_type: str
    body: bytes
    kept_at: datetime


def unknown() -> "QuerySet[Effect]":
    """The effects of which nobody can tell whether they happened."""
    return Effect.objects.filter(status="unknown")


def settled() -> "QuerySet[Effect]":
    """Those that were in doubt once and are not any more: handed to a person, found by key, ruled
    about, or sent again because they had surely not arrived."""
    handed_over = Exists(Alert.objects.filter(effect=OuterRef("pk"), kind="effect_unknown"))
    ruled = Q()
    for ending in RULED:
        ruled |= Q(outcome__endswith=ending)
    ruled &= ~Q(outcome__startswith="refused: ")
    in_doubt = Q(handed_over) | Q(outcome="found by key") | ruled | Q(attempt__gt=1)
    return Effect.objects.exclude(status__in=states.IN_FLIGHT).filter(in_doubt)


def work(cursor: worklist.Cursor) -> worklist.Page[Row]:
    """What is to be settled, the longest in doubt first."""
    query = _with_terms(unknown()).annotate(weight=Value(0, IntegerField()))
    return worklist.page(query, OLDEST, cursor, _row)


def history(cursor: keyset.Cursor) -> keyset.Page[Row]:
    """What was settled, the latest first."""
    return keyset.page(_with_terms(settled()), LATEST, cursor, _row)


def _with_terms(query: Any) -> Any:
    """With the proposal that allowed it; of a rollback, that of what it takes back."""
    found = Proposal.objects.filter(
        proposal_id=OuterRef("allowed_by"), version=OuterRef("allowed_version")
    )
    return query.select_related("run").annotate(
        now=Now(),
        allowed_by=Coalesce(F("proposal_id"), F("compensates__proposal_id")),
        allowed_version=Coalesce(F("proposal_version"), F("compensates__proposal_version")),
        terms=Subquery(found.values("terms")[:1]),
    )


def _row(record: Any) -> Row:
    terms = literal.read(bytes(record.terms))
    return Row(
        effect_id=record.effect_id,
        run_id=record.run_id,
        run_status=record.run.status,
        state=_state(record),
        verification=record.verification or "",
        action=f"{record.action} v{record.action_version}",
        headline=terms["headline"],
        target=terms["target"],
        agent=record.run.initiator,
        is_rollback=record.compensates_id is not None,
        first_sent_at=record.first_sent_at,
        call_deadline=record.call_deadline,
        over=_safe_at(record) <= record.now,
        updated_at=record.updated_at,
    )


def _state(record: Any) -> str:
    done = record.status == "succeeded" and record.committed_at is not None
    return "committed" if done else record.status


def _safe_at(record: Any) -> datetime:
    """From here on no call of it can arrive any more."""
    return record.call_deadline + timedelta(seconds=conf.margin_seconds())


def asked(run_ids: Iterable[uuid.UUID]) -> dict[str, Asked]:
    """What the logs of these runs say of asking and ruling, by the effect's id."""
    kinds = ("effect_reconciled", "effect_resolved")
    events = Event.objects.filter(run_id__in=set(run_ids), kind__in=kinds, payload__isnull=False)
    found: dict[str, Asked] = {}
    for event in events.order_by("at", "seq"):
        facts = literal.read(bytes(event.payload or b""))
        before = found.get(facts["effect_id"], Asked())
        found[facts["effect_id"]] = _once_more(before, event, facts)
    return found


def _once_more(before: Asked, event: Event, facts: Mapping[str, Any]) -> Asked:
    if event.kind == "effect_resolved":
        named = facts["person_name"] if facts["status"] != "unknown" else before.ruled_by
        return Asked(times=before.times, last_at=before.last_at, ruled_by=named)
    return Asked(times=before.times + 1, last_at=event.at, ruled_by=before.ruled_by)


def doubt(effect_id: uuid.UUID) -> Doubt | None:
    """One effect; None for one that was never sent, and so never in doubt."""
    query = Effect.objects.filter(pk=effect_id, call_deadline__isnull=False)
    record = _with_terms(query).first()
    return None if record is None else _doubt(record)


def _doubt(record: Any) -> Doubt:
    run, safe_at = record.run, _safe_at(record)
    return Doubt(
        effect_id=record.effect_id,
        run_id=record.run_id,
        run_status=run.status,
        run_reason=run.reason_code or "",
        last_seq=run.last_seq,
        wake_at=run.wake_at,
        status=record.status,
        verification=record.verification or "",
        committed_at=record.committed_at,
        action=f"{record.action} v{record.action_version}",
        proposal_id=record.allowed_by,
        version=record.allowed_version,
        compensates=record.compensates_id,
        idempotency_key=record.idempotency_key,
        attempt=record.attempt,
        fencing_token=record.fencing_token,
        first_sent_at=record.first_sent_at,
        call_deadline=record.call_deadline,
        safe_at=safe_at,
        past=safe_at <= record.now,
        resource_id=record.external_resource_id or "",
        arguments=bytes(record.arguments),
        terms=literal.read(bytes(record.terms)),
    )


def evidence(addresses: Iterable[str]) -> dict[str, Kept]:
    """Raw evidence by its address, the SHA-256 of its bytes."""
    return {
        record.sha256: Kept(
            sha256=record.sha256,
            media_type=record.media_type,
            body=bytes(record.body),
            kept_at=record.kept_at,
        )
        for record in Evidence.objects.filter(sha256__in=set(addresses))
    }


def alerts(effect_id: uuid.UUID) -> tuple[tuple[uuid.UUID, str, str], ...]:
    """The alerts about an effect, oldest first: id, kind and status."""
    query = Alert.objects.filter(effect_id=effect_id).order_by("raised_at", "alert_id")
    return tuple(query.values_list("alert_id", "kind", "status"))


def last_settled() -> datetime | None:
    """When something was last settled, for an empty list."""
    return settled().order_by("-updated_at").values_list("updated_at", flat=True).first()
