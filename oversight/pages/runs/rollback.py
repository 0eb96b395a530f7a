"""Rolling back a run: what would happen to each effect, and an operator's word that it shall."""

import uuid
from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from engine import api, states
from engine.errors import Conflict, NotFound, NotPermitted
from engine.taking_back import Preview, Step
from oversight.access import speaker
from oversight.pages.runs import reads
from oversight.pages.runs.forms import ByHandForm, RollbackForm
from oversight.pages.runs.reads import Whole
from oversight.showing import diff


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One step as shown: whether a branch of the run did it, whether its box is ticked, and the
    form to confirm it by hand with."""

    step: Step
    by_branch: bool
    ticked: bool
    by_hand: ByHandForm | None

    @property
    def rows(self) -> tuple[diff.Row, ...]:
        """What differs now from how the effect left its target."""
        changed = self.step.changed
        return diff.changed(diff.rows(changed.before, changed.after)) if changed else ()


@require_safe
def page(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """What a rollback would do to each effect."""
    run, preview = _found(run_id)
    return _shown(request, run, preview, RollbackForm())


def take_back(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Authorise it, by POST, with a reason."""
    if request.method != "POST":
        return redirect("runs:rollback", run_id)
    run, preview = _found(run_id)
    form = RollbackForm(request.POST)
    if not form.is_valid():
        return _shown(request, run, preview, form, status=422)
    try:
        by = api.roll_back(
            run_id,
            operator=speaker(request),
            reason=form.cleaned_data["reason"],
            effect_ids=_wanted(preview, form),
        )
    except NotPermitted as problem:
        raise PermissionDenied(problem.message) from problem
    except (Conflict, NotFound) as problem:
        return _moved_on(request, run_id, problem.message)
    messages.success(request, _("The rollback is authorised. A worker takes it up at once."))
    return redirect("runs:run", by)


def by_hand(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Confirm, with evidence, that an effect was taken back by hand."""
    if request.method != "POST":
        return redirect("runs:rollback", run_id)
    run, preview = _found(run_id)
    form = ByHandForm(request.POST)
    if not form.is_valid():
        return _shown(request, run, preview, RollbackForm(), form, status=422)
    said = form.cleaned_data
    try:
        api.confirm_by_hand(
            run_id,
            said["effect"],
            operator=speaker(request),
            seen_evidence=said["seen_evidence"],
            reason=said["reason"],
        )
    except NotPermitted as problem:
        raise PermissionDenied(problem.message) from problem
    except (Conflict, NotFound) as problem:
        return _moved_on(request, run_id, problem.message)
    messages.success(request, _("It is noted as taken back by you, with your evidence."))
    return redirect("runs:rollback", run_id)


def _found(run_id: uuid.UUID) -> tuple[Whole, Preview]:
    run = reads.run(run_id)
    if run is None or run.stream:
        raise Http404
    try:
        return run, api.preview_rollback(run_id)
    except (NotFound, Conflict) as problem:
        raise Http404 from problem


def _wanted(preview: Preview, form: RollbackForm) -> frozenset[uuid.UUID] | None:
    """None for everything that stands: then nothing is left out on purpose."""
    standing = {uuid.UUID(step.effect_id) for step in preview.steps if step.how != "taken_back"}
    return None if form.chosen == standing else form.chosen


def _shown(
    request: HttpRequest,
    run: Whole,
    preview: Preview,
    form: RollbackForm,
    said: ByHandForm | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    context = {
        "run": run,
        "preview": preview,
        "form": form,
        "shown": [_one(step, preview, run, form, said) for step in preview.steps],
        "standing": any(step.how != "taken_back" for step in preview.steps),
    }
    return render(request, "runs/rollback.html", context, status=status)


def _one(
    step: Step, preview: Preview, run: Whole, form: RollbackForm, said: ByHandForm | None
) -> Shown:
    effect, by_branch = uuid.UUID(step.effect_id), step.run_id != str(preview.origin)
    elsewhere = step.how == "taken_back" or (by_branch and preview.by_a_new_run)
    return Shown(
        step=step,
        by_branch=by_branch,
        ticked=not form.is_bound or effect in form.chosen,
        by_hand=None if elsewhere else _confirming(step, run, said),
    )


def _confirming(step: Step, run: Whole, said: ByHandForm | None) -> ByHandForm | None:
    """Where it stands still or has ended, what was done by hand can be said."""
    if run.status != "paused" and run.status not in states.terminal(states.RUN):
        return None
    if said is not None and str(said.data.get("effect")) == step.effect_id:
        return said
    prefix = f"hand-{step.effect_id}-%s"
    return ByHandForm(initial={"effect": step.effect_id}, auto_id=prefix)


def _moved_on(request: HttpRequest, run_id: uuid.UUID, problem: str) -> HttpResponse:
    context = {
        "headline": _("The run stands elsewhere now"),
        "detail": problem,
        "next_url": reverse("runs:rollback", args=[run_id]),
        "next_label": _("See what would be taken back now"),
    }
    return render(request, "409.html", context, status=409)
