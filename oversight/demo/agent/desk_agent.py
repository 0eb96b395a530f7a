"""What the agent does: it takes up wishes, proposes, answers questions, sees all of it through.

Every step can be repeated: what is asked for carries a name of its own, kept in the notes before
it is first said. A crash of the agent, or of what it talks to, costs nothing but time.
"""

import logging
import time
import uuid
from collections.abc import Mapping
from typing import Any

from .client import Placet, Problem, Unreachable
from .mix import MIX, Wish, wish_named
from .notes import Matter, Notes

logger = logging.getLogger("refund-desk")

AT_MOST_UNDECIDED = 10
AT_ONCE = 6
_LOOK_SECONDS = 2.0
_LONGEST_WAIT_SECONDS = 30.0
_NOT_NOW = (401, 403, 408, 429)
_ENDED = ("completed", "failed", "rolled_back", "cancelled")


class DeskAgent:
    """The agent at work. `pause` is the time in seconds between two new wishes."""

    def __init__(self, placet: Placet, notes: Notes, *, pause: float) -> None:
        self._placet = placet
        self._notes = notes
        self._pause = pause
        self._due = time.monotonic() + pause
        self._idle = False

    def turn(self) -> None:
        """Look after every wish in hand, and take up another when it is time.

        Raises Unreachable, and Problem where it is none of one wish's.
        """
        for matter in self._notes.open():
            self._follow(matter)
        while self._may_begin():
            self._begin()
        if not self._idle and self._next_wish() is None:
            self._idle = True
            logger.info("nothing is left that has not been taken up")

    def _may_begin(self) -> bool:
        if self._notes.undecided() >= AT_MOST_UNDECIDED or self._next_wish() is None:
            return False
        return len(self._notes) < AT_ONCE or time.monotonic() >= self._due

    def _next_wish(self) -> Wish | None:
        taken = self._notes.names()
        return next((wish for wish in MIX if wish.name not in taken), None)

    def _begin(self) -> None:
        wish = self._next_wish()
        assert wish is not None  # noqa: S101 - `_may_begin` has just seen it
        matter = Matter(name=wish.name, token=str(uuid.uuid4()), workflow=wish.workflow)
        self._notes.add(matter)
        self._due = time.monotonic() + self._pause
        self._follow(matter)

    def _follow(self, matter: Matter) -> None:
        wish = wish_named(matter.name)
        if wish is None:
            return self._close(matter, "no longer wished for")
        try:
            self._bring_on(matter, wish)
        except Problem as problem:
            if problem.retryable or problem.status in _NOT_NOW:
                raise
            self._close(matter, f"refused ({problem})")
        finally:
            self._notes.save()

    def _bring_on(self, matter: Matter, wish: Wish) -> None:
        if not matter.run_id:
            self._start(matter, wish)
        if not matter.proposal_id:
            self._propose(matter, wish)
        if matter.proposal_id:
            self._look(matter, wish)

    def _start(self, matter: Matter, wish: Wish) -> None:
        run = self._placet.start_run(matter.workflow, wish.state, once=f"{matter.token} run")
        matter.run_id = run["run_id"]

    def _propose(self, matter: Matter, wish: Wish) -> None:
        """Ask for it; the workflow `refund` asks by itself, and then it is found there."""
        if matter.workflow == "refund":
            return self._find_proposal(matter)
        asked = {**_said_of(wish), "arguments": wish.arguments, "why": wish.why}
        if wish.valid_seconds is not None:
            asked["valid_seconds"] = wish.valid_seconds
        proposed = self._placet.propose(matter.run_id, asked, once=f"{matter.token} proposal")
        matter.proposal_id = proposed["proposal_id"]
        logger.info("%s: %s", matter.name, wish.headline)

    def _find_proposal(self, matter: Matter) -> None:
        run = self._placet.run(matter.run_id)
        if run["proposals"]:
            matter.proposal_id = run["proposals"][0]["proposal_id"]
            logger.info("%s: its run proposes the refund", matter.name)
        elif run["status"] in _ENDED:
            self._close(matter, f"the run is {run['status']}")

    def _look(self, matter: Matter, wish: Wish) -> None:
        proposal = self._placet.proposal(matter.run_id, matter.proposal_id)
        stands = (proposal["version"], proposal["status"])
        if stands != (matter.version, matter.status):
            matter.version, matter.status = stands
            logger.info("%s: version %s is %s", matter.name, *stands)
        if matter.status == "returned" and matter.answered < matter.version:
            self._answer(matter, wish, proposal)
        elif proposal["final"]:
            self._end(matter, proposal)

    def _answer(self, matter: Matter, wish: Wish, proposal: Mapping[str, Any]) -> None:
        version = matter.version
        reply = wish.answer if not matter.answered else "There is nothing more in the case."
        why = f"{wish.why}\n\nYou asked: {proposal['question']}\n{reply}"
        self._placet.answer(
            matter.run_id,
            matter.proposal_id,
            version,
            {**_said_of(wish), "arguments": wish.arguments_on_reflection, "why": why},
            once=f"{matter.token} answer {version}",
        )
        matter.answered = version
        logger.info("%s: answered the question about version %s", matter.name, version)

    def _end(self, matter: Matter, proposal: Mapping[str, Any]) -> None:
        if matter.workflow == "agent" and proposal["run_status"] not in _ENDED:
            self._placet.finish(matter.run_id, once=f"{matter.token} finish")
        self._close(matter, proposal["meaning"])

    def _close(self, matter: Matter, how: str) -> None:
        matter.closed = how
        self._notes.save()
        logger.info("%s: closed. %s", matter.name, how)


def _said_of(wish: Wish) -> dict[str, Any]:
    """What is the same in a proposal and in an answer."""
    said = {"action": wish.action, "evidence": wish.evidence}
    if wish.rollback_reason is not None:
        said["rollback_reason"] = wish.rollback_reason
    return said


def work(agent: DeskAgent) -> None:
    """Turn after turn, until the process is ended; where there is no answer, ever more slowly."""
    waits = 0
    while True:
        try:
            agent.turn()
            if waits:
                logger.info("the API answers again")
            waits = 0
        except (Unreachable, Problem) as trouble:
            waits += 1
            logger.warning("no luck: %s; trying again in %g s", trouble, _wait(waits))
        time.sleep(_wait(waits) if waits else _LOOK_SECONDS)


def _wait(failures: int) -> float:
    """Seconds to wait after so many failures in a row: 1, 2, 4 … at most 30."""
    return min(2.0 ** (failures - 1), _LONGEST_WAIT_SECONDS)
