"""What agents can do: each operation is a check, one verb of the engine or one read, an answer."""

import uuid
from typing import Annotated, cast

from django.http import HttpRequest, HttpResponse
from ninja import Router

from engine import actions, api, workflows
from engine.errors import BadInput, Conflict

from . import asked, listing, queries, reads, told
from .bodies import Sent
from .idempotency import answered, once, packed
from .keys import Caller
from .waiting import nothing_new

router = Router()
router.add_decorator(queries.nothing_else)

RUN = "/runs/{uuid:run_id}"
PROPOSAL = RUN + "/proposals/{uuid:proposal_id}"


def _caller(request: HttpRequest) -> Caller:
    return cast(Caller, request.auth)  # type: ignore[attr-defined]


@router.post("/runs", response={201: told.RunAccepted}, summary="Start a run")
def start_run(request: HttpRequest, body: Annotated[asked.StartRun, Sent(...)]) -> HttpResponse:
    """A run holds everything you do for one purpose. The workflow `agent` is open-ended: you
    propose one effect after another and finish the run yourself. Every other workflow knows its
    own steps, and proposes by itself."""
    caller = _caller(request)
    workflows.get(body.workflow)
    caller.must_be_allowed("workflow", body.workflow)

    def verb() -> told.RunAccepted:
        run_id = api.start_run(
            body.workflow,
            body.state,
            initiator=caller.initiator,
            labels=body.labels,
            budget=body.budget.model_dump(exclude_none=True) if body.budget else None,
            stands_on=body.stands_on,
        )
        return reads.own_run(caller.actor, run_id)

    return once(request, caller, body, 201, verb)


@router.get("/runs", response={200: told.Runs}, summary="List your runs")
def list_runs(
    request: HttpRequest,
    cursor: queries.Cursor,
    limit: queries.Limit,
    status: queries.Status,
    workflow: queries.Workflow,
) -> HttpResponse:
    """The runs that you started, newest first. While new ones are started, no page skips a run or
    tells one twice; send the same filters with every cursor."""
    page = listing.runs(
        _caller(request).actor, cursor=cursor, limit=limit, status=status, workflow=workflow
    )
    return answered(packed(page))


@router.get(RUN, response={200: told.Run}, summary="See a run")
def see_run(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Where it stands, with all its proposals and effects."""
    return answered(packed(reads.run(_caller(request).actor, run_id)))


@router.post(RUN + "/proposals", response={202: told.Requested}, summary="Propose an effect")
def propose(
    request: HttpRequest, run_id: uuid.UUID, body: Annotated[asked.Propose, Sent(...)]
) -> HttpResponse:
    """Ask that an action be allowed once, with exactly these arguments. Nothing is done until a
    person has approved it. You may ask for several; they are taken up one after another."""
    caller = _caller(request)
    _must_be_known_and_allowed(caller, body)

    def verb() -> told.Requested:
        _own_driven_run(caller, run_id)
        proposal_id = api.request_effect(
            run_id,
            agent=caller.actor,
            action=body.action,
            action_version=body.action_version,
            arguments=body.arguments,
            why=body.why,
            evidence=body.evidence,
            rollback_reason=body.rollback_reason,
            valid_seconds=body.valid_seconds,
            despite=body.despite,
            what_changed=body.what_changed,
            tool_call_id=body.tool_call_id,
            spent=body.spent.model_dump() if body.spent else None,
        )
        return _requested(run_id, proposal_id, 1)

    return once(request, caller, body, 202, verb)


@router.get(PROPOSAL, response={200: told.Proposal}, summary="See a proposal")
def see_proposal(
    request: HttpRequest,
    run_id: uuid.UUID,
    proposal_id: uuid.UUID,
    wait: queries.Wait,
    after: queries.AfterMark,
) -> HttpResponse:
    """What became of it: what a reviewer decided, and what was really done. Ask until `final` is
    true. With `wait` and `after` you are answered as soon as there is something that you have not
    seen; if there is nothing at the end of that time, with the same as before."""
    found = reads.proposal(_caller(request).actor, run_id, proposal_id)
    if wait and after == found.mark and not found.final:
        nothing_new(request, run_id, beyond=found.run_last_seq, wait=wait)
    response = answered(packed(found))
    response.headers["ETag"] = f'W/"{found.mark}"'
    return response


@router.post(
    PROPOSAL + "/answers", response={202: told.Requested}, summary="Answer a reviewer's question"
)
def answer(
    request: HttpRequest,
    run_id: uuid.UUID,
    proposal_id: uuid.UUID,
    body: Annotated[asked.Answer, Sent(...)],
) -> HttpResponse:
    """A proposal that is `returned` has a question. Send the whole of it again, changed or not,
    with the answer in `why` or in the evidence: it becomes the next version."""
    caller = _caller(request)
    _must_be_known_and_allowed(caller, body)

    def verb() -> told.Requested:
        reads.must_have_proposal(caller.actor, run_id, proposal_id)
        api.answer_question(
            run_id,
            proposal_id,
            version=body.version,
            agent=caller.actor,
            action=body.action,
            action_version=body.action_version,
            arguments=body.arguments,
            why=body.why,
            evidence=body.evidence,
            rollback_reason=body.rollback_reason,
            valid_seconds=body.valid_seconds,
            despite=body.despite,
            what_changed=body.what_changed,
        )
        return _requested(run_id, proposal_id, body.version + 1)

    return once(request, caller, body, 202, verb)


@router.post(PROPOSAL + "/withdraw", response={200: told.Withdrawn}, summary="Withdraw a proposal")
def withdraw(
    request: HttpRequest,
    run_id: uuid.UUID,
    proposal_id: uuid.UUID,
    body: Annotated[asked.Withdraw, Sent(...)],
) -> HttpResponse:
    """Take back what you asked for, once reviewers see it and until it is sent. An approval that
    it has falls with it, and nothing runs."""
    caller = _caller(request)

    def verb() -> told.Withdrawn:
        if reads.proposal(caller.actor, run_id, proposal_id).status == told.PREPARING:
            raise Conflict("It is still being prepared; withdraw it when it is open.")
        api.withdraw_proposal(run_id, proposal_id, agent=caller.actor)
        return told.Withdrawn(proposal_id=proposal_id, run_id=run_id, status="withdrawn")

    return once(request, caller, body, 200, verb)


@router.post(RUN + "/finish", response={202: told.FinishRequested}, summary="Finish a run")
def finish(
    request: HttpRequest, run_id: uuid.UUID, body: Annotated[asked.Finish, Sent(...)]
) -> HttpResponse:
    """You have nothing more to propose: the run completes after what is in hand."""
    caller = _caller(request)

    def verb() -> told.FinishRequested:
        run = _own_driven_run(caller, run_id)
        api.finish_run(run_id, agent=caller.actor)
        return told.FinishRequested(run_id=run_id, status=run.status)

    return once(request, caller, body, 202, verb)


@router.get(RUN + "/events", response={200: told.Events}, summary="Read a run's log")
def see_events(
    request: HttpRequest,
    run_id: uuid.UUID,
    after: queries.AfterSeq,
    limit: queries.Limit,
    wait: queries.Wait,
) -> HttpResponse:
    """Every fact about the run, in order, without gaps. Keep `next_after` and ask on from there:
    no event is skipped and none comes twice. With `wait` you are answered as soon as there is an
    event; if there is none at the end of that time, with none."""
    found = reads.events(_caller(request).actor, run_id, after, limit)
    if wait and not found.events:
        nothing_new(request, run_id, beyond=after, wait=wait)
    return answered(packed(found))


@router.post("/events", response={200: told.Delivery}, summary="Tell that something happened")
def deliver_event(request: HttpRequest, body: Annotated[asked.Deliver, Sent(...)]) -> HttpResponse:
    """An event outside, which runs may wait for: every run that waits for this name and key goes
    on, and one that will is told when it does. Which runs those are is not told to you."""
    caller = _caller(request)
    caller.must_be_allowed("event", body.name)

    def verb() -> told.Delivery:
        done = api.deliver_event(
            body.name, body.key, body.external_id, body.payload, sender=caller.actor
        )
        return told.Delivery(name=body.name, external_id=body.external_id, outcome=done.outcome)

    return once(request, caller, body, 200, verb)


def _must_be_known_and_allowed(caller: Caller, body: asked.Propose | asked.Answer) -> None:
    """Raise BadInput, naming the field, for an action or a version of it that does not exist;
    ScopeMissing for one that is not this agent's."""
    known = [action.version for action in actions.registered() if action.name == body.action]
    if not known:
        raise BadInput(f"There is no action {body.action!r}.", path="$.action")
    if body.action_version is not None and body.action_version not in known:
        raise BadInput(
            f"{body.action!r} has no version {body.action_version}.", path="$.action_version"
        )
    caller.must_be_allowed("action", body.action)


def _requested(run_id: uuid.UUID, proposal_id: uuid.UUID, version: int) -> told.Requested:
    return told.Requested(
        proposal_id=proposal_id, run_id=run_id, version=version, status="preparing"
    )


def _own_driven_run(caller: Caller, run_id: uuid.UUID) -> told.RunAccepted:
    """A run of this agent's that it drives. Raises NotFound; Conflict where the workflow knows
    its own steps."""
    run = reads.own_run(caller.actor, run_id)
    if not workflows.get(run.workflow, run.workflow_version).open_ended:
        raise Conflict(f"The workflow {run.workflow!r} knows its own steps; nobody drives it.")
    return run
