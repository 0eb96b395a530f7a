"""Take back what a run has done, the latest effect first, on an operator's word.

Every rollback is an effect of its own and goes the way of every effect; what is here only says
which one comes next, and what it means when none does.
"""

from . import carried_out, rollback
from .eventlog import Log
from .lifecycle import end, is_retractable, pause, raise_alert, retract
from .types import CarriedOut, Facts, Position


def begin(log: Log) -> None:
    """What is merely proposed comes off the table first: nothing new is done from here on."""
    pending = log.position.pending
    if is_retractable(pending):
        return retract(log)
    log.write("rollback_begun", {"status": "rolling_back"}, boundary=True)


def take_back(log: Log) -> None:
    """The next effect that the authorisation covers and that nobody has taken back yet."""
    effect_id = _asked(log.position)["left"][0]
    (effect,) = (one for one in carried_out.of(log.position) if one.effect_id == effect_id)
    rollback.prepare(log, effect, effect.left)


def end_rollback(log: Log) -> None:
    """All that was to be taken back is: the run ends. Otherwise a person says what now."""
    standing = [one for one in carried_out.of(log.position) if one.stands]
    unwound = log.position.unwinding
    if unwound is None:
        return _after_a_mismatch(log, standing)
    wanted = {*unwound["covers"], *unwound["by_hand"]}
    missing = [one for one in standing if one.effect_id in wanted]
    if missing:
        return _left_to_people(log, missing)
    if standing and carried_out.origin(log.position) == log.position.run_id:
        return pause(log, "operator", f"What was asked for is taken back; {_count(standing)}.")
    end(log, "rolled_back")


def _after_a_mismatch(log: Log, standing: list[CarriedOut]) -> None:
    if standing:
        earlier = f"{len(standing)} earlier effect(s) of this run stand"
        detail = f"The last effect was rolled back; {earlier}."
        return pause(log, "verification_failed", detail)
    end(log, "rolled_back")


def _left_to_people(log: Log, missing: list[CarriedOut]) -> None:
    summary = f"Not everything could be taken back; {_count(missing)}. A person has to do it."
    if not _asked(log.position)["told"]:
        raise_alert(log, "rollback_failed", summary, {"effects": carried_out.account(missing)})
    pause(
        log, "rollback_failed", summary, effects=carried_out.account(carried_out.of(log.position))
    )


def _count(standing: list[CarriedOut]) -> str:
    return f"{len(standing)} effect(s) stand"


def _asked(position: Position) -> Facts:
    return position.unwinding or {}
