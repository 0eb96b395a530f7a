"""What agents may see: only the runs that they themselves started. Nothing here writes."""

import json
import uuid
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db.models import Func, IntegerField, JSONField, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from engine import models
from engine.errors import NotFound

from . import standing, told
from .standing import Asked, Said


def own_run(actor: str, run_id: uuid.UUID) -> told.RunAccepted:
    """A run that `actor` started. Raises NotFound for any other run alike."""
    row = _own_row(actor, run_id)
    return told.RunAccepted(
        run_id=row.run_id,
        workflow=row.workflow,
        workflow_version=row.workflow_version,
        status=row.status,
        created_at=row.created_at,
    )


def _own_row(actor: str, run_id: uuid.UUID) -> models.Run:
    row = models.Run.objects.filter(run_id=run_id, initiator=actor).first()
    if row is None:
        raise NotFound("There is no such run among yours.")
    return row


def run(actor: str, run_id: uuid.UUID) -> told.Run:
    """Where a run stands, with all its proposals and effects.

    The run is read first and what hangs on it afterwards: a run that is told as ended is never
    told with an effect that is still under way.
    """
    row = _own_row(actor, run_id)
    asked = standing.asked_for(_said_about_proposals(run_id))
    newest = {str(found.proposal_id): found for found in _newest_versions(run_id)}
    return told.Run(
        run_id=row.run_id,
        workflow=row.workflow,
        workflow_version=row.workflow_version,
        status=row.status,
        reason_code=row.reason_code,
        node=row.current_node,
        parent=row.parent_id,
        branch=row.branch,
        branches=_branches(run_id),
        labels=row.labels,
        stands_on=row.stands_on,
        created_at=row.created_at,
        ended_at=row.ended_at,
        last_seq=row.last_seq,
        proposals=[_summary(one, newest.get(key), row.status) for key, one in asked.items()],
        effects=[_effect(found) for found in _effects(run_id)],
    )


def _branches(run_id: uuid.UUID) -> list[told.Branch]:
    found = models.Run.objects.filter(parent_id=run_id).order_by("-created_at", "branch")
    return [
        told.Branch(
            branch=row.branch or "",
            run_id=row.run_id,
            status=row.status,
            reason_code=row.reason_code,
        )
        for row in found
    ]


def newest_events(run_ids: Collection[uuid.UUID]) -> Mapping[uuid.UUID, int]:
    """The newest seq of each of these runs, whosever they are."""
    return dict(models.Run.objects.filter(pk__in=run_ids).values_list("run_id", "last_seq"))


def proposal(actor: str, run_id: uuid.UUID, proposal_id: uuid.UUID) -> told.Proposal:
    """A proposal at its newest version, with its decision and its effect.

    The run is read first: whatever has changed since is an event beyond its `run_last_seq`.
    """
    row = _own_row(actor, run_id)
    asked = _asked_in(run_id, proposal_id)
    shown = _newest_versions(run_id).filter(proposal_id=proposal_id).first()
    if shown is not None and shown.version < asked.version:
        shown = None
    return _proposal(row, asked, shown)


def must_have_proposal(actor: str, run_id: uuid.UUID, proposal_id: uuid.UUID) -> None:
    """Raise NotFound unless this is a proposal in a run that `actor` started."""
    _own_row(actor, run_id)
    _asked_in(run_id, proposal_id)


def events(actor: str, run_id: uuid.UUID, after: int, limit: int) -> told.Events:
    """The events of a run that follow `after`, oldest first, `limit` at most."""
    _own_row(actor, run_id)
    later = models.Event.objects.filter(run_id=run_id, seq__gt=after).order_by("seq")
    found = [_event(row) for row in later[: limit + 1]]
    shown = found[:limit]
    return told.Events(
        events=shown,
        next_after=shown[-1].seq if shown else after,
        more=len(found) > limit,
    )


def _event(row: models.Event) -> told.Event:
    return told.Event(
        seq=row.seq,
        kind=row.kind,
        actor=row.actor,
        at=row.at,
        payload=None if row.payload is None else json.loads(bytes(row.payload)),
        hash=bytes(row.hash).hex(),
    )


def _asked_in(run_id: uuid.UUID, proposal_id: uuid.UUID) -> Asked:
    asked = standing.asked_for(_said_about_proposals(run_id, proposal_id))
    if str(proposal_id) not in asked:
        raise NotFound("There is no such proposal in this run.")
    return asked[str(proposal_id)]


def _said_about_proposals(
    run_id: uuid.UUID, proposal_id: uuid.UUID | None = None
) -> Iterable[Said]:
    """What the log says about which versions were asked for; long arguments stay where they are."""
    log = models.Event.objects.filter(run_id=run_id, kind__in=standing.KINDS, payload__isnull=False)
    log = log.annotate(proposal=_fact("proposal_id")).filter(proposal__isnull=False)
    if proposal_id is not None:
        log = log.filter(proposal=str(proposal_id))
    rows = log.order_by("seq").values_list(
        "kind",
        "proposal",
        Cast(_fact("version"), IntegerField()),
        Cast(_fact("answers_version"), IntegerField()),
        _fact("action"),
        Cast(_fact("action_version"), IntegerField()),
        _fact("tool_call_id"),
        Cast(_fact("goes_on_as"), IntegerField()),
    )
    return (_said(*row) for row in rows)


def _fact(name: str) -> KeyTextTransform:
    """One field of an event's payload, as text; None where it is missing or null."""
    text = Func("payload", Value("UTF8"), function="convert_from", output_field=TextField())
    return KeyTextTransform(name, Cast(text, JSONField()))


def _said(
    kind: str,
    proposal_id: str,
    version: int | None,
    answers_version: int | None,
    action: str | None,
    action_version: int | None,
    tool_call_id: str | None,
    goes_on_as: int | None,
) -> Said:
    return Said(
        kind=kind,
        proposal_id=proposal_id,
        version=version,
        answers_version=answers_version,
        action=action,
        action_version=action_version,
        tool_call_id=tool_call_id,
        goes_on_as=goes_on_as,
    )


def _newest_versions(run_id: uuid.UUID) -> Any:
    """The newest version of each proposal that somebody was shown."""
    shown = models.Proposal.objects.filter(run_id=run_id).defer("arguments", "terms", "evidence")
    return shown.order_by("proposal_id", "-version").distinct("proposal_id")


def _summary(asked: Asked, shown: models.Proposal | None, run_status: str) -> told.ProposalSummary:
    opened, status = (shown.version, shown.status) if shown else (0, None)
    return told.ProposalSummary(
        proposal_id=uuid.UUID(asked.proposal_id),
        version=max(asked.version, opened),
        status=standing.status_of(asked, opened, status, run_status),
        action=asked.action,
        action_version=asked.action_version,
        tool_call_id=asked.tool_call_id,
    )


def _proposal(run: models.Run, asked: Asked, shown: models.Proposal | None) -> told.Proposal:
    summary = _summary(asked, shown, run.status)
    effect = _effect_of(shown) if shown else None
    unmarked = told.Proposal(
        proposal_id=summary.proposal_id,
        run_id=run.run_id,
        version=summary.version,
        status=summary.status,
        final=standing.is_final(summary.status, effect, run.status),
        meaning=standing.meaning(summary.status, effect),
        action=summary.action,
        action_version=summary.action_version,
        tool_call_id=summary.tool_call_id,
        digest=shown.digest if shown else None,
        question=shown.question if shown and shown.status == "returned" else None,
        opened_at=shown.opened_at if shown else None,
        valid_until=shown.valid_until if shown else None,
        decision=_decision_on(shown) if shown and shown.status != "open" else None,
        effect=effect,
        run_status=run.status,
        run_reason_code=run.reason_code,
        run_last_seq=run.last_seq,
        mark="",
    )
    return standing.marked(unmarked)


def _decision_on(shown: models.Proposal) -> told.Decision | None:
    """The word that closed this version; while more people have to be heard there is none."""
    said = shown.decisions.order_by("-decided_at").first()
    if said is None:
        return None
    return told.Decision(
        decision=said.decision,
        reason_code=said.reason_code,
        reason=said.reason,
        decided_at=said.decided_at,
    )


def _effects(run_id: uuid.UUID) -> Any:
    """The effects of a run. It has one in hand at a time, so the last touched is the newest."""
    found = models.Effect.objects.filter(run_id=run_id).defer("arguments")
    return found.order_by("updated_at", "effect_id")


def _effect_of(shown: models.Proposal) -> told.Effect | None:
    of_it = _effects(shown.run_id).filter(
        proposal_id=shown.proposal_id, proposal_version=shown.version
    )
    row = of_it.filter(compensates__isnull=True).first()
    return _effect(row) if row else None


def _effect(row: models.Effect) -> told.Effect:
    return told.Effect(
        effect_id=row.effect_id,
        proposal_id=row.proposal_id,
        action=row.action,
        action_version=row.action_version,
        status=row.status,
        outcome=row.outcome,
        external_resource_id=row.external_resource_id,
        verification=row.verification,
        committed_at=row.committed_at,
        compensates=row.compensates_id,
    )
