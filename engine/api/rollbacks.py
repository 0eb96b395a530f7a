"""Operators take back what a run did: looked at, authorised with a reason, or confirmed by hand."""

import uuid
from collections.abc import Collection
from typing import Any

from engine import checkpointing, conf, taking_back, workflows
from engine.canonical import packed
from engine.hints import hint
from engine.identity import uuid7
from engine.store import rollbacks
from engine.taking_back import Preview, Step
from engine.types import Facts

from .reasons import kept_evidence, must_have_a_reason, must_have_evidence
from .who import Reviewer


def preview_rollback(run_id: uuid.UUID, effect_ids: Collection[uuid.UUID] | None = None) -> Preview:
    """What would be taken back, in which order and by what; reads the targets, changes nothing."""
    return taking_back.run_once(run_id, effect_ids)


def roll_back(
    run_id: uuid.UUID,
    *,
    operator: Reviewer,
    reason: str,
    effect_ids: Collection[uuid.UUID] | None = None,
) -> uuid.UUID:
    """Have these effects of a run taken back, or all that stand; the latest first.

    A run that has ended is rolled back by a new one. Gives the run that does it. What only a person
    can take back is named and left standing. Raises Conflict while an effect is under way, when a
    rollback is under way already, and when nothing stands.
    """
    must_have_a_reason(reason)
    preview = taking_back.run_once(run_id, effect_ids, look=False)
    facts = {**_said(operator, reason), **_covered(preview)}
    if not preview.by_a_new_run:
        rollbacks.authorise_rollback(run_id, operator.actor, packed(facts))
        hint(run_id)
        return run_id
    return _by_a_new_run(preview, operator, facts)


def confirm_by_hand(
    run_id: uuid.UUID, effect_id: uuid.UUID, *, operator: Reviewer, seen_evidence: str, reason: str
) -> None:
    """A named person has taken the effect back by hand, and shows evidence of it.

    Raises Conflict unless the effect stands, and its run stands still or has ended.
    """
    must_have_a_reason(reason)
    must_have_evidence(seen_evidence)
    kept = kept_evidence(operator, seen_evidence)
    facts = {**_said(operator, reason), "effect_id": str(effect_id), "evidence": kept}
    rollbacks.confirm_by_hand(run_id, operator.actor, packed(facts))
    hint(run_id)


def _said(operator: Reviewer, reason: str) -> dict[str, Any]:
    return {"person": operator.person_id, "person_name": operator.name, "reason": reason}


def _covered(preview: Preview) -> dict[str, Any]:
    return {
        "origin": str(preview.origin),
        "covers": [_named(step) for step in preview.which("machine")],
        "by_hand": [{**_named(step), "why": step.why} for step in preview.which("by_hand")],
    }


def _named(step: Step) -> dict[str, Any]:
    return {"effect_id": step.effect_id, "action": step.action, "kind": step.kind}


def _by_a_new_run(preview: Preview, operator: Reviewer, facts: Facts) -> uuid.UUID:
    run_id, graph = uuid7(), workflows.ROLLBACK
    accepted = {
        "workflow": graph.name,
        "workflow_version": graph.version,
        "node": graph.start,
        "state": {},
        "searchable": {},
        "labels": {"rolls_back": str(preview.origin)},
        "budget": conf.default_budget(),
        "initiator": operator.actor,
        "initiator_person": operator.person_id,
        "forked_from": f"{preview.origin}@{preview.last_seq}",
    }
    checkpoint = checkpointing.first(run_id, operator.actor, accepted)
    rollbacks.start_rollback(run_id, operator.actor, packed(accepted), checkpoint, packed(facts))
    hint(run_id)
    return run_id
