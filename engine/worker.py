"""Advance one run until it waits. Resume is always the same road, after a crash or a decision."""

import logging
import os
import socket
import uuid
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from . import (
    approval,
    concealing,
    conf,
    draining,
    eventlog,
    execution,
    hints,
    joining,
    leasing,
    lifecycle,
    reconciliation,
    rollback,
    unwinding,
    versions,
    visiting,
    waiting,
)
from .errors import Damaged, Incompatible, LeaseLost, NotPermitted, Unavailable
from .eventlog import Behind, Log
from .leasing import Lease
from .lifecycle import OutsideFailed
from .noting import noted
from .store import runs
from .types import Advanced, Facts, Position

logger = logging.getLogger(__name__)

MOVES: Mapping[str, Callable[[Log], None]] = {
    "heed": lifecycle.heed,
    "carry_over": versions.carry_over,
    "visit": visiting.visit,
    "wait_on": waiting.wait_on,
    "wait_on_branches": joining.wait_on_branches,
    "take_request": lifecycle.take_request,
    "open_proposal": approval.open_proposal,
    "look_at_premises": approval.look_at_premises,
    "wait_for_decision": approval.wait_for_decision,
    "wait_for_answer": approval.wait_for_answer,
    "settle_refusal": approval.settle_refusal,
    "prepare": execution.prepare,
    "fire": execution.fire,
    "reconcile": reconciliation.reconcile,
    "verify": execution.verify,
    "commit": execution.commit,
    "settle_failure": execution.settle_failure,
    "settle_unverified": execution.settle_unverified,
    "settle_mismatch": rollback.settle_mismatch,
    "begin_rollback": unwinding.begin,
    "take_back": unwinding.take_back,
    "end_rollback": unwinding.end_rollback,
}
"""What `next_move` may name."""


def me() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def run_once(run_id: uuid.UUID, owner: str | None = None) -> Advanced:
    """Claim the run, resume it, and advance it until it waits or ends.

    A message is only a hint: without something to do, or while another holds the run, this does
    nothing. Losing the lease ends the work at once; the run is somebody else's. A worker that was
    asked to end takes up none, and leaves the one it has as soon as nothing of it is under way.
    """
    if draining.begun():
        return _left_to_others(run_id)
    claimed = leasing.claim(run_id, owner or me())
    if claimed is None:
        return Advanced(run_id=run_id, outcome="nothing to do")
    lease, case = claimed
    concealing.forget()
    with leasing.kept(lease):
        try:
            return _advance(eventlog.opened(lease, case))
        except LeaseLost:
            return Advanced(run_id=run_id, outcome="lease lost")
        except Damaged as problem:
            lifecycle.pause_unread(lease, "checksum_mismatch", problem)
            return Advanced(run_id=run_id, outcome="damaged")
        except Incompatible as problem:
            _leave_unread(lease, case, problem)
            return Advanced(run_id=run_id, outcome="incompatible")


def _leave_unread(lease: Lease, case: Facts, problem: Incompatible) -> None:
    """Newer code has written what this cannot read. While it is rolled out, the next worker may
    be one of its own: the run is left to that, longer each time, and then a person is asked."""
    claims = _claims_in_vain(case["events"])
    if claims >= conf.max_failures():
        return lifecycle.pause_unread(lease, "incompatible_version", problem)
    runs.release_lease_if_held(lease.run_id, lease.token, lifecycle.back_off(claims))


def _claims_in_vain(events: Sequence[Facts]) -> int:
    """How many workers in a row, this one too, have claimed the run and written nothing."""
    kinds = [event["kind"] for event in reversed(events)]
    return len(list(takewhile(lambda kind: kind == "run_claimed", kinds)))


def _advance(log: Log) -> Advanced:
    if log.damaged:
        lifecycle.tell_of_damage(log)
    _resume(log)
    while not log.parked:
        if draining.begun() and lifecycle.may_be_left(log.position):
            return _handed_over(log)
        _move(log)
    position = log.position
    return Advanced(run_id=position.run_id, outcome=position.status, seq=position.seq)


def _handed_over(log: Log) -> Advanced:
    """Another worker may take the run up at once, rather than when the lease has run out."""
    run = log.position.run_id
    runs.release_lease_if_held(run, log.lease.token, 0)
    return _left_to_others(run)


def _left_to_others(run_id: uuid.UUID) -> Advanced:
    hints.hint(run_id)
    return Advanced(run_id=run_id, outcome="left to another worker")


def _resume(log: Log) -> None:
    """From `reconciling`: settle what is pending, then go on."""
    while lifecycle.next_move(log.position) == "reconcile" and not log.parked:
        _move(log)
    while log.position.status == "reconciling" and not log.parked:
        back = _is_to_go_back(log.position)
        try:
            log.write("run_resumed", {"status": "rolling_back" if back else "running"})
        except Behind:
            continue


def _is_to_go_back(position: Position) -> bool:
    """A rollback was under way: it is gone on with."""
    pending, unwound = position.pending, position.unwinding
    in_hand = pending is not None and pending.is_rollback
    begun = unwound is not None and unwound["begun"]
    return position.whence == "rolling_back" or in_hand or begun


def next_move(position: Position) -> str:
    """The one move that brings this run further: first of all along to this code's versions."""
    move = lifecycle.next_move(position)
    return "carry_over" if versions.is_outdated(position, move) else move


def _move(log: Log) -> None:
    log.begin()
    pending = log.position.pending
    with noted(run=log.position.run_id, effect=pending and pending.effect_id):
        _make_move(log)


def _make_move(log: Log) -> None:
    try:
        MOVES[next_move(log.position)](log)
    except Behind:
        return  # the news is folded: the next move is chosen afresh
    except OutsideFailed as problem:
        lifecycle.failed(log, str(problem))
    except (LeaseLost, Damaged, Unavailable):
        raise
    except NotPermitted as problem:
        lifecycle.failed(log, problem.message, reason="authority_lapsed")
    except Incompatible as problem:
        # While a new version is rolled out, the next worker may know what this one does not.
        lifecycle.failed(log, problem.message, reason="incompatible_version")
    except Exception as problem:
        # Whatever else goes wrong must not make one run come back for ever: it waits longer each
        # time, then a person is asked.
        logger.exception("run %s: a move failed", log.position.run_id)
        lifecycle.failed(log, f"{type(problem).__name__}: {problem}")
