"""What an operator asks of a whole run: to stand still, to go on, to end."""

import uuid
from collections.abc import Callable, Mapping
from typing import NamedTuple

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from engine import api
from engine.errors import BadInput, Conflict, Damaged, Incompatible, NotFound, NotPermitted
from oversight.access import person_id, roles_of, speaker
from oversight.pages.runs import page as pages
from oversight.pages.runs import reads
from oversight.pages.runs.forms import VIEWS, BudgetForm, ControlForm, ForkForm, RunWish
from oversight.pages.runs.reads import Whole
from oversight.reading.typed import SaidForm
from oversight.showing import words


class Verb(NamedTuple):
    """What may be asked: how it is said to the engine, and what is told afterwards."""

    say: Callable[[uuid.UUID, api.Reviewer, str], None]
    told: Promise


VERBS: Mapping[str, Verb] = {
    "pause": Verb(
        lambda run, who, why: api.pause_run(run, operator=who, reason=why),
        gettext_lazy("It stands still as soon as nothing is under way."),
    ),
    "resume": Verb(
        lambda run, who, why: api.resume_run(run, reviewer=who, reason=why),
        gettext_lazy("The run goes on as soon as a worker is free."),
    ),
    "cancel": Verb(
        lambda run, who, why: api.cancel_run(run, operator=who, reason=why),
        gettext_lazy(
            "It ends as soon as nothing is under way. What is merely proposed is withdrawn."
        ),
    ),
}


def offered(request: HttpRequest, run: Whole) -> tuple[str, ...]:
    """Which verbs this reader may say of this run now."""
    if "operator" not in roles_of(request) or run.ended or run.stream:
        return ()
    if run.status == "rolling_back":
        return ("pause",)
    return ("resume", "cancel") if run.status == "paused" else ("pause", "cancel")


class Act(NamedTuple):
    """What an operator has typed, its verb, and what is told afterwards. The verb gives the run
    that is shown then."""

    form: SaidForm
    say: Callable[[], uuid.UUID]
    told: str | Promise


def ask(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Ask it of the run, by POST, with a reason."""
    form, verb = ControlForm(request.POST), VERBS.get(request.POST.get("verb", ""))
    if verb is None:
        return _without_a_verb(request, run_id)

    def say() -> uuid.UUID:
        verb.say(run_id, speaker(request), form.cleaned_data["reason"])
        return run_id

    return _done(request, run_id, Act(form, say, verb.told))


def _without_a_verb(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Nothing is chosen for somebody who has chosen nothing."""
    if request.method == "POST" and _found(run_id):
        raise BadRequest("A run is paused, resumed or cancelled.")
    return redirect("runs:run", run_id)


def fork(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Start a new run where this one stood after an event, by POST, with a reason."""
    form = ForkForm(request.POST)

    def say() -> uuid.UUID:
        said = form.cleaned_data
        who = speaker(request)
        return api.fork_run(run_id, said["seq"], operator=who, reason=said["reason"])

    told = _("This is the new run. What it proposes is decided anew.")
    return _done(request, run_id, Act(form, say, told))


def raise_budget(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Give the run other limits, by POST, with a reason."""
    form = BudgetForm(request.POST)

    def say() -> uuid.UUID:
        why = form.cleaned_data["reason"]
        api.raise_budget(run_id, form.limits, operator=speaker(request), reason=why)
        return run_id

    told = _("It has these limits now, and goes on if it waited for them.")
    return _done(request, run_id, Act(form, say, told))


def _done(request: HttpRequest, run_id: uuid.UUID, act: Act) -> HttpResponse:
    if request.method != "POST":
        return redirect("runs:run", run_id)
    run = _found(run_id)
    if not act.form.is_valid():
        return _once_more(request, run, act.form)
    try:
        shown_next = act.say()
    except (BadInput, NotFound, Damaged, Incompatible) as problem:
        act.form.add_error(None, problem.message)
        return _once_more(request, run, act.form)
    except NotPermitted as problem:
        raise PermissionDenied(problem.message) from problem
    except Conflict as problem:
        return _moved_on(request, _found(run_id), problem)
    messages.success(request, str(act.told))
    return redirect("runs:run", shown_next)


def _budget(run: Whole, form: SaidForm | None) -> SaidForm | None:
    """Where the run stands still for want of it."""
    if run.ended or run.reason_code != "budget_exhausted":
        return None
    return form if isinstance(form, BudgetForm) else BudgetForm(initial=run.budget)


def shown(
    request: HttpRequest, run: Whole, wish: RunWish, form: SaidForm | None = None
) -> dict[str, object]:
    """The page of a run; `form` is one that came back with what is wrong."""
    may_fork = "operator" in roles_of(request) and not run.stream
    seq = wish.up_to or run.last_seq
    return {
        "shown": pages.assembled(run, wish, person_id(request)),
        "tabs": pages.tabs(run.run_id, wish.view),
        "verbs": offered(request, run),
        "may_roll_back": may_fork and not _is_over(run),
        "form": form if isinstance(form, ControlForm) else ControlForm(),
        "fork": _forking(form, seq) if may_fork else None,
        "budget": _budget(run, form) if may_fork else None,
    }


def _is_over(run: Whole) -> bool:
    """A rollback that has ended: it is not rolled back in turn."""
    return run.ended and run.workflow == "rollback"


def _forking(form: SaidForm | None, seq: int) -> SaidForm:
    return form if isinstance(form, ForkForm) else ForkForm(initial={"seq": seq})


def _once_more(request: HttpRequest, run: Whole, form: SaidForm) -> HttpResponse:
    """The page again, with what is wrong; nothing was asked of the run."""
    wish = RunWish(view=VIEWS[0], up_to=None, seen="")
    return render(request, "runs/run.html", shown(request, run, wish, form), status=422)


def _moved_on(request: HttpRequest, run: Whole, problem: Conflict) -> HttpResponse:
    state = words.shown("run", run.status)
    context = {
        "headline": _("The run stands elsewhere now"),
        "detail": f"{state.word}: {state.meaning} {problem.message}",
        "next_url": reverse("runs:run", args=[run.run_id]),
        "next_label": _("See where it stands now"),
    }
    return render(request, "409.html", context, status=409)


def _found(run_id: uuid.UUID) -> Whole:
    found = reads.run(run_id)
    if found is None:
        raise Http404
    return found
