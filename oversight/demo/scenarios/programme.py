"""Which scenarios there are, and playing them."""

import time
import traceback
from collections.abc import Iterable, Iterator

from . import crash, lesson, plain
from .result import Result, Scenario
from .stage import Stage

PROGRAMME = (
    Scenario(
        name="clean_run",
        shows="Approved, sent once, verified, committed.",
        play=plain.clean_run,
    ),
    Scenario(
        name="precondition_fails",
        shows="The world changed after the approval: nothing fires, the reviewers are asked again.",
        play=plain.precondition_fails,
    ),
    Scenario(
        name="verification_fails",
        shows="The target did something else: it is put back, and somebody is told.",
        play=plain.verification_fails,
    ),
    Scenario(
        name="crash_between_execution_and_record",
        shows="Killed after the act, before it was written down: still exactly once.",
        play=crash.crash_between_execution_and_record,
    ),
    Scenario(
        name="balance_falls_between_crash_and_resume:intended",
        shows="Killed before the act, and the world changed: nothing fires.",
        play=crash.balance_falls_before_sending,
    ),
    Scenario(
        name="balance_falls_between_crash_and_resume:executed",
        shows="Killed after the act, and the world changed: once, and not again.",
        play=crash.balance_falls_after_sending,
    ),
    Scenario(
        name="lesson:mark_done_first",
        shows="A naive program that ticks first loses refunds.",
        play=lesson.mark_done_first,
    ),
    Scenario(
        name="lesson:act_then_write",
        shows="A naive program that ticks afterwards pays twice.",
        play=lesson.act_then_write,
    ),
    Scenario(
        name="lesson:placet",
        shows="Placet, killed at the same places: none lost, none doubled.",
        play=lesson.placet,
    ),
)


def chosen(only: str | None) -> list[Scenario]:
    """All scenarios, or the one of that name, or those whose name begins with it and a colon."""
    if only is None:
        return list(PROGRAMME)
    return [one for one in PROGRAMME if one.name == only or one.name.startswith(f"{only}:")]


def played(scenarios: Iterable[Scenario], stage: Stage) -> Iterator[Result]:
    """Play one after another. One that breaks off has failed, and the others are played still."""
    for scenario in scenarios:
        stage.say(f"{scenario.name}: {scenario.shows}")
        began = time.monotonic()
        yield _played(scenario, stage)
        stage.say(f"{scenario.name}: {time.monotonic() - began:.1f} s")


def _played(scenario: Scenario, stage: Stage) -> Result:
    try:
        return scenario.play(stage)
    except Exception as problem:
        stage.say(traceback.format_exc())
        stage.say("\n".join(stage.last_words()))
        return Result(
            name=scenario.name,
            outcome=f"broke off: {type(problem).__name__}: {problem}",
            target_effects=0,
            expected=0,
            checks={"played to its end": False},
        )
