"""Any two who act on one run: the second before the row that the first holds, then let through.

Each ordered pair is played at each place of an effect's way. What both must be told follows from
the rules in `told`; and whatever they have done, the run is worked on until it rests, and log,
tables and the world are held against the invariants.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from django.db import connection

from engine import api, leasing, worker
from engine.errors import AlreadyDecided
from engine.models import Policy, Proposal
from engine.store import proposals, stops
from oversight.models import Person
from tests.cast import AGENT, reviewer
from tests.engine.broken import broken_in
from tests.engine.chain import faults_in
from tests.engine.editing import edit
from tests.engine.meeting import Meeting, Party, meeting
from tests.engine.test_replay import differing_from_the_log
from tests.engine.told import BEFORE, DECIDES, told
from tests.world import Desk


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A run at a place of its way; at some a worker stands before its next door."""

    desk: Desk
    run_id: uuid.UUID
    order: str
    proposal: Proposal
    worker: Party | None = None


def asked(desk: Desk, here: Meeting) -> Scene:
    order = desk.purchase()
    proposal = desk.propose_refund(order)
    return Scene(desk=desk, run_id=proposal.run_id, order=order, proposal=proposal)


def two_needed(desk: Desk, here: Meeting) -> Scene:
    """Two people have to allow it, and one who says no is not enough either."""
    if Policy.objects.count() == 1:
        groups = [{"name": "reviewer", "approve": 2}]
        desk.put_in_force({"action": "ledger.refund", "groups": groups, "reject": 2})
    return asked(desk, here)


def one_voice_short(desk: Desk, here: Meeting) -> Scene:
    scene = two_needed(desk, here)
    desk.approve(scene.proposal, by=desk.people.uma)
    return scene


def overdue(desk: Desk, here: Meeting) -> Scene:
    scene = asked(desk, here)
    desk.database.deadline_passes_for(scene.proposal.pk)
    return scene


def returned(desk: Desk, here: Meeting) -> Scene:
    scene = asked(desk, here)
    desk.decide(scene.proposal, "return")
    desk.work(scene.run_id)
    return scene


def parking(desk: Desk, here: Meeting) -> Scene:
    """The proposal is open, and its worker is about to wait for the decision."""
    run_id, order = desk.start_run(), desk.purchase()
    desk.ask_for_refund(run_id, order)
    working = here.invite("run_parked", partial(desk.work, run_id))
    proposal = desk.proposal(run_id)
    return Scene(desk=desk, run_id=run_id, order=order, proposal=proposal, worker=working)


def approved_and_before(door: str) -> Callable[[Desk, Meeting], Scene]:
    def scene(desk: Desk, here: Meeting) -> Scene:
        order = desk.purchase()
        proposal = desk.approved_refund(order)
        working = here.invite(door, partial(desk.work, proposal.run_id))
        return Scene(
            desk=desk, run_id=proposal.run_id, order=order, proposal=proposal, worker=working
        )

    return scene


def stopped(before: Callable[[Desk, Meeting], Scene]) -> Callable[[Desk, Meeting], Scene]:
    """The same under a stop; no sweep has come by."""

    def scene(desk: Desk, here: Meeting) -> Scene:
        scene = before(desk, here)
        stop(scene)
        return scene

    return scene


def stop(scene: Scene) -> None:
    api.stop(reviewer(scene.desk.people.otto), "Odd.", scope=f"run:{scene.run_id}")


def go_on(scene: Scene) -> None:
    api.go_on(reviewer(scene.desk.people.otto), "Well.", scope=f"run:{scene.run_id}")


PLACES: Mapping[str, Callable[[Desk, Meeting], Scene]] = {
    "asked": asked,
    "two needed": two_needed,
    "one voice short": one_voice_short,
    "overdue": overdue,
    "stopped": stopped(asked),
    "returned": returned,
    "parking": parking,
    "gate": approved_and_before("intend_effect"),
    "stopped at the gate": stopped(approved_and_before("intend_effect")),
    "sent": approved_and_before("record_effect"),
    "stopped when sent": stopped(approved_and_before("record_effect")),
    "verified": approved_and_before("commit_effect"),
}
ASIDE = ("edit", "claim", "look")
"""What reviewers do besides deciding."""
ACTORS: Mapping[str, Sequence[str]] = {
    "asked": [*ASIDE, "approve", "reject", "ask", "withdraw", "stop", "cancel", "takeover"],
    "two needed": ["edit", "approve", "reject", "ask", "withdraw", "stop"],
    "one voice short": ["edit", "approve", "reject", "ask", "withdraw", "stop"],
    "overdue": ["edit", "look", "approve", "reject", "withdraw", "expire", "cancel"],
    "stopped": ["edit", "approve", "reject", "withdraw", "cancel", "lapse", "go on"],
    "returned": ["edit", "answer", "withdraw", "stop", "cancel", "takeover"],
    "parking": [*ASIDE, "worker", "approve", "reject", "withdraw", "stop", "cancel", "takeover"],
    "gate": ["worker", "approve", "withdraw", "stop", "cancel", "takeover"],
    "stopped at the gate": ["worker", "withdraw", "lapse", "go on", "takeover"],
    "sent": ["worker", "withdraw", "stop", "cancel", "takeover"],
    "stopped when sent": ["worker", "lapse", "go on"],
    "verified": ["worker", "withdraw", "stop", "cancel", "takeover"],
}
"""Who may come to that place. The worker intends at the gate, and commits what it has verified."""


def invited(here: Meeting, scene: Scene, name: str, person: Person) -> Party:
    """This actor, before its door."""
    if name == "worker":
        assert scene.worker is not None
        return scene.worker
    desk, run_id, otto = scene.desk, scene.run_id, reviewer(scene.desk.people.otto)
    acts = {
        **{
            name: ("decide", partial(desk.decide, scene.proposal, said, by=person))
            for name, said in DECIDES.items()
        },
        "answer": ("hear_agent", partial(desk.answer, scene.proposal, scene.order)),
        "edit": ("edit_proposal", partial(edit, desk, scene.proposal, by=person, amount="20.00")),
        "claim": ("claim_proposal", partial(claim, scene, person)),
        "look": ("ask_premises", partial(look, scene, person)),
        "withdraw": ("withdraw_proposal", partial(withdraw, scene)),
        "expire": ("expire_proposal_if_overdue", partial(expire, scene)),
        "stop": ("place_stop", partial(stop, scene)),
        "go on": ("lift_stop", partial(go_on, scene)),
        "lapse": ("lapse_proposal_if_stopped", partial(lapse, scene)),
        "cancel": ("ask_of_run", partial(api.cancel_run, run_id, operator=otto, reason="No.")),
        "takeover": ("claim_run_if_free", partial(leasing.claim, run_id, f"{person}:1")),
    }
    return here.invite(*acts[name])


def withdraw(scene: Scene) -> None:
    api.withdraw_proposal(scene.run_id, scene.proposal.proposal_id, agent=AGENT)


def claim(scene: Scene, person: Person) -> None:
    api.claim(scene.run_id, scene.proposal.pk, reviewer=reviewer(person))


def look(scene: Scene, person: Person) -> None:
    api.look_again(scene.run_id, scene.proposal.pk, reviewer=reviewer(person))


def expire(scene: Scene) -> bool:
    return proposals.expire_proposal_if_overdue(scene.run_id, scene.proposal.pk)


def lapse(scene: Scene) -> bool:
    return stops.lapse_proposal_if_stopped(scene.run_id, scene.proposal.pk)


def heard(party: Party) -> str:
    """In a word, what its door told, or what its verb made of that."""
    assert party.future is not None
    if isinstance(problem := party.future.exception(), AlreadyDecided):
        return "AlreadyDecided: {status} by {person}".format_map(problem.facts)
    if isinstance(party.said, Exception):
        return type(party.said).__name__
    if not party.said:
        return "nothing to do"
    return "the news" if isinstance(party.said, dict) and "behind" in party.said else "passes"


WAITS, UNDONE, AFTERWARDS = "waits", "undone", "afterwards"
"""The second waits for the first, which commits; for the first, which is rolled back; or comes to
the run's row when the first is through."""

NEARLY_OVER = """
    UPDATE engine_run SET lease_until = clock_timestamp() + interval '10 s'
    WHERE run_id = %s AND lease_until IS NOT NULL
"""
"""A worker has held it for a while: what Intend needs for its call is more than is left."""

LAPSES = """
    UPDATE engine_run SET lease_until = clock_timestamp() WHERE run_id = %s AND lease_until = %s
"""
"""The lease of before is over now; one that was extended meanwhile holds."""


class Play:
    """One ordered pair at one place, in one way of meeting."""

    def __init__(self, desk: Desk, here: Meeting, place: str, first: str, second: str) -> None:
        self.desk, self.here, self.place, self.names = desk, here, place, (first, second)
        self.scene, self.facts = PLACES[place](desk, here), BEFORE[place]
        desk.database.execute(NEARLY_OVER, self.scene.run_id)
        self.lease_until = desk.run(self.scene.run_id).lease_until
        if first == "takeover" and self.facts.lease == "live":
            self.lease_lapses()
            self.facts = replace(self.facts, lease="lapsed")

    def lease_lapses(self) -> None:
        """On this thread's connection, and in its transaction if it has one open."""
        with connection.cursor() as cursor:
            cursor.execute(LAPSES, [self.scene.run_id, self.lease_until])

    def wrong(self, way: str) -> list[str]:
        """What was not as it must be."""
        people = self.desk.people.rosa, self.desk.people.ruth
        first, second = parties = [
            invited(self.here, self.scene, name, person)
            for name, person in zip(self.names, people, strict=True)
        ]
        must_wait = self.meet(way, first, second)
        self.all_go_home(parties)
        said = [heard(party) for party in parties]
        told_so = said == (expected := self.expected(way))
        found = [] if told_so else [f"told {said}, not {expected}"]
        found += [must_wait] if must_wait else []
        name = f"{self.place}, {' | '.join(self.names)}"
        return [f"{name}: {what}" for what in [*found, *self.unsound()]]

    def expected(self, way: str) -> list[str]:
        """What the rules say to both."""
        first, second = self.names
        said, after = told(self.place, self.facts, first)
        if way == UNDONE:
            after = self.facts
        elif self.lapses_between and after.lease == "live" and (said in LET_IN or way != WAITS):
            after = replace(after, lease="lapsed")
        return [said, told(self.place, after, second)[0]]

    @property
    def lapses_between(self) -> bool:
        """The lease runs out while the first writes, for whom who comes to take over."""
        return self.names[1] == "takeover" and self.facts.lease == "live"

    def meet(self, way: str, first: Party, second: Party) -> str:
        """Let them; gives what was wrong with how they met."""
        lapse = self.lease_lapses if self.lapses_between else None
        if way == AFTERWARDS:
            self.here.one_after_the_other(first, second, lapse)
            return ""
        first.meanwhile = lapse
        waited = self.here.one_waits_for_the_other(first, second, undone=way == UNDONE)
        due = self.is_in_the_way()
        return "" if waited is due else f"the second {'waits' if waited else 'does not wait'}"

    def is_in_the_way(self) -> bool:
        """Whether the first, let in, holds what the second needs: the run's row, or the right to
        say whether there is a stop."""
        first, second = self.names
        if told(self.place, self.facts, first)[0] not in LET_IN:
            return False
        of_stops = {first, second} & {"stop", "go on"}
        if len(of_stops) != 1 or first == second or self.lapses_between:
            return True
        (other,) = {first, second} - of_stops
        return self.asks_for_stops(other)

    def asks_for_stops(self, name: str) -> bool:
        """Whoever comes that far: an approval or an edit of what is open, the gate, the sweep."""
        if name == "lapse":
            return True
        at_the_gate = self.place in ("gate", "stopped at the gate")
        asking = ("worker",) if at_the_gate else ("approve", "edit")
        return name in asking and told(self.place, self.facts, name)[0] in (*LET_IN, "Stopped")

    def all_go_home(self, parties: list[Party]) -> None:
        """Everybody ends what they do; then workers come by until the run rests."""
        for party in {*parties, self.scene.worker} - {None}:
            party.goes_home()
        run_id = self.scene.run_id
        for _ in range(8):
            self.lease_until = self.desk.run(run_id).lease_until
            self.lease_lapses()
            if worker.run_once(run_id).outcome == "nothing to do":
                return
        raise AssertionError(f"it never rests: {self.desk.database.kinds(run_id)}")

    def unsound(self) -> Iterator[str]:
        """What the invariants have against the run as it rests."""
        database, scene = self.desk.database, self.scene
        database.execute(
            "UPDATE engine_proposal SET valid_until = %s WHERE id = %s",
            scene.proposal.valid_until,
            scene.proposal.pk,
        )
        log, stops = database.log(scene.run_id), database.rows("SELECT * FROM engine_stop")
        kinds = [event["kind"] for event in log]
        yield from broken_in(log, stops)
        yield from faults_in(database, scene.run_id)
        yield from differing_from_the_log(database, scene.run_id)
        moved, intents = self.desk.ledger.movements(scene.order), kinds.count("effect_intended")
        if moved != intents or moved > 1:
            yield f"money moved {moved} times, meant was {intents}"
        if "cancel_requested" in kinds and kinds[-1] != "run_ended":
            yield "the run was to end"


LET_IN = ("passes", "nothing to do", "the news")
"""What a door tells without refusing; the transaction goes on."""


@pytest.fixture
def here(desk: Desk, settings: Any) -> Iterator[Meeting]:
    settings.PLACET_MARGIN_SECONDS = 20.0
    for name in ("ruth", "uma"):
        setattr(desk.people, name, desk.people.somebody(name, "reviewer"))
    with meeting(desk.database) as here:
        yield here


def slow(*names: str) -> list[ParameterSet]:
    return [pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", [WAITS, *slow(UNDONE, AFTERWARDS)])
def test_any_two_who_meet_are_told_what_is_so_and_break_nothing(
    way: str, place: str, desk: Desk, here: Meeting
) -> None:
    pairs = product(ACTORS[place], repeat=2)
    wrong = [
        what
        for first, second in pairs
        if first != second or first != "worker"
        for what in Play(desk, here, place, first, second).wrong(way)
    ]
    assert wrong == []
