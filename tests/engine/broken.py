"""What a run's log must never show, whoever did what at the same time.

Deliberately imports nothing of the engine. `read` goes through the events of one run, oldest first,
with the stops of the installation: it gives what is so after them, and names every rule that they
break on the way.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Row = Mapping[str, Any]

CLOSINGS = {
    "proposal_approved": "approved",
    "proposal_rejected": "rejected",
    "proposal_returned": "returned",
    "proposal_expired": "expired",
    "proposal_withdrawn": "withdrawn",
    "proposal_retracted": "withdrawn",
    "approval_lapsed": "lapsed",
    "proposal_lapsed": "lapsed",
    "proposal_edited": "superseded",
}
ONWARD = {
    "open": {*CLOSINGS.values()},
    "approved": {"withdrawn", "lapsed"},
}
MOVES = {
    "run_resumed",
    "run_moved",
    "run_parked",
    "run_paused",
    "run_ended",
    "node_failed",
    "rollback_begun",
    "effect_committed",
    "request_taken_up",
    "request_dropped",
    "rollback_authorised",
}
AFTER_THE_END = {"late_answer", "effect_compensated", "erased"}


@dataclass
class Version:
    """One proposal version, as the log has told of it so far."""

    digest: str
    action: str
    valid_until: datetime
    status: str = "open"
    needed: int = 1
    """How many have to allow it."""
    voters: dict[int, str] = field(default_factory=dict)


@dataclass
class Effect:
    version: tuple[str, int] | None
    compensates: str | None
    action: str
    status: str = "prepared"
    verified: str | None = None
    committed: int = 0


@dataclass
class Told:
    """Everything that the log has told so far."""

    stops: list[Row]
    run: dict[str, Any] = field(default_factory=dict)
    starters: set[object] = field(default_factory=set)
    editors: set[object] = field(default_factory=set)
    versions: dict[tuple[str, int], Version] = field(default_factory=dict)
    effects: dict[str, Effect] = field(default_factory=dict)
    token: int = 0
    ended: bool = False
    status: str = "running"
    reason: str | None = None
    newest: tuple[str, int] | None = None
    """The version that was opened last."""
    answered: set[tuple[str, int]] = field(default_factory=set)
    wait: dict[str, Any] | None = None
    """What the run waits for, until it has come or is over."""
    taken: set[tuple[str, str]] = field(default_factory=set)
    unwinding: bool = False
    """A rollback was authorised, and the run has neither stood still nor ended since."""

    def sent(self, version: tuple[str, int]) -> bool:
        mine = [each for each in self.effects.values() if each.version == version]
        return any(effect.status not in ("prepared", "failed") for effect in mine)

    @property
    def under_way(self) -> bool:
        """Something may be happening in the world, or may have happened, that nobody has told."""
        return any(each.status in ("executing", "unknown") for each in self.effects.values())

    @property
    def unsettled(self) -> bool:
        return any(is_unsettled(each) for each in self.effects.values())

    @property
    def unspent(self) -> list[tuple[str, int]]:
        """Approvals under which nothing was begun."""
        used = {effect.version for effect in self.effects.values()}
        return [
            one for one, v in self.versions.items() if v.status == "approved" and one not in used
        ]

    @property
    def standing(self) -> list["Effect"]:
        """What it did forwards and nobody took back."""
        done = [each for each in self.effects.values() if each.status == "succeeded"]
        return [effect for effect in done if effect.version is not None]


Rule = Callable[[Told, Row, dict[str, Any]], Iterable[str]]


def broken_in(events: Iterable[Row], stops: Iterable[Row] = ()) -> list[str]:
    """Each rule that is broken, with the seq of the event that breaks it; none is as it must be."""
    return read(events, stops)[1]


def read(events: Iterable[Row], stops: Iterable[Row] = ()) -> tuple[Told, list[str]]:
    told, found = Told(stops=list(stops)), []
    for event in events:
        said = json.loads(bytes(event["payload"]))
        rules = [at_the_end, *RULES.get(event["kind"], [])]
        found += [f"{event['seq']}: {what}" for rule in rules for what in rule(told, event, said)]
        told.status = "reconciling" if event["kind"] == "run_claimed" else told.status
        if event["kind"] in MOVES and "covers" not in said:
            told.status = said.get("status") or told.status
            told.reason = said.get("reason_code")
            told.unwinding &= told.status != "paused" and not told.ended
    return told, found


def at_the_end(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    kind = event["kind"]
    if told.ended and kind not in AFTER_THE_END and not kind.startswith("alert_"):
        yield f"{kind} after the end"


def accepted(told: Told, event: Row, said: dict[str, Any]) -> Iterable[str]:
    told.run = {"run_id": str(event["run_id"]), **said}
    told.starters = {said["initiator_person"], said.get("forked_by")} - {None}
    return ()


def claimed(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    if said["token"] <= told.token:
        yield f"token {said['token']} after {told.token}"
    told.token = said["token"]


def ended(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    told.ended, told.wait = True, None
    unsettled = [each for each in told.effects.values() if is_unsettled(each)]
    if unsettled:
        yield f"it ends while {len(unsettled)} effect is under way"


def is_unsettled(effect: Effect) -> bool:
    recorded = effect.status == "succeeded" and not effect.committed
    return effect.status in ("prepared", "executing", "unknown") or recorded


def is_in_the_way(effect: Effect, compensates: str | None) -> bool:
    """What was recorded and is seen to be wrong is taken back; nothing else is done before that."""
    if compensates is not None:
        return effect.status in ("prepared", "executing", "unknown")
    return is_unsettled(effect)


def opened(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    if any(version.status == "open" for version in told.versions.values()):
        yield "a second version is open"
    told.newest = said["proposal_id"], said["version"]
    groups = json.loads(said["terms"])["rule"]["groups"]
    told.versions[told.newest] = Version(
        needed=sum(group["approve"] for group in groups),
        digest=said["digest"],
        action=said["action"],
        valid_until=datetime.fromisoformat(said["valid_until"]),
    )


def decided(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    version = told.versions[said["proposal_id"], said["version"]]
    if version.status != "open":
        yield f"a version that is {version.status} is decided"
    if event["at"] >= version.valid_until:
        yield "a decision after the time"
    if said["person"] in version.voters:
        yield f"a second vote of {said['person']}"
    if said["person"] in told.starters:
        yield "the initiator decides"
    if said["person"] in told.editors:
        yield "who edited it decides"
    if said["digest"] != version.digest:
        yield "another digest is decided"
    if said["decision"] == "approve":
        yield from stopped(told, event, version.action, rollback=False)
    version.voters[said["person"]] = said["decision"]


def closed(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    version, status = told.versions[said["proposal_id"], said["version"]], CLOSINGS[event["kind"]]
    if status not in ONWARD.get(version.status, ()):
        yield f"a version that is {version.status} becomes {status}"
    allowing = list(version.voters.values()).count("approve")
    if status == "approved" and allowing != version.needed:
        yield f"{allowing} have allowed it, {version.needed} are needed"
    version.status = status
    for effect in told.effects.values():
        if effect.version != (said["proposal_id"], said["version"]):
            continue
        if effect.status not in ("prepared", "failed"):
            yield f"{status}, and its effect is {effect.status}"
        effect.status = "failed"


def edited(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    version = told.versions[said["proposal_id"], said["version"]]
    if event["at"] >= version.valid_until:
        yield "an edit after the time"
    if said["person"] in told.starters:
        yield "the initiator edits"
    yield from stopped(told, event, version.action, rollback=False)
    told.editors.add(said["person"])


def prepared(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    if any(is_in_the_way(effect, said.get("compensates")) for effect in told.effects.values()):
        yield "a second effect is under way"
    version = None if said.get("compensates") else (said["proposal_id"], said["version"])
    told.effects[said["effect_id"]] = Effect(version, said.get("compensates"), said["action"])


def intended(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    effect = told.effects[said["effect_id"]]
    if effect.status != "prepared":
        yield f"an effect that is {effect.status} is sent"
    if said["fencing_token"] != told.token:
        yield f"sent under token {said['fencing_token']}, held is {told.token}"
    yield from stopped(told, event, effect.action, rollback=effect.version is None)
    if effect.version is not None:
        yield from not_allowed(told.versions[effect.version], event, said)
    effect.status = "executing"


def not_allowed(version: Version, event: Row, said: dict[str, Any]) -> Iterator[str]:
    if version.status != "approved":
        yield f"sent while its proposal is {version.status}"
    if version.digest != said["digest"]:
        yield "sent under another digest"
    if event["at"] >= version.valid_until:
        yield "sent after its time"


def stopped(told: Told, event: Row, action: str, *, rollback: bool) -> Iterator[str]:
    """A stop whose scope takes this in was in force at that instant."""
    run = told.run
    scopes = {
        "everything",
        f"run:{run['run_id']}",
        f"workflow:{run['workflow']}",
        f"action:{action}",
        run["initiator"],
    }
    for stop in told.stops:
        over = stop["lifted_at"] is not None and stop["lifted_at"] <= event["at"]
        if stop["scope"] not in scopes or stop["placed_at"] > event["at"] or over:
            continue
        if not (rollback and stop["rollbacks_run"]):
            yield f"{event['kind']} under the stop for {stop['scope']}"


def recorded(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    effect = told.effects[said["effect_id"]]
    if effect.status not in ("executing", "unknown"):
        yield f"an effect that is {effect.status} becomes {said['status']}"
    effect.status = said["status"]


def verified(told: Told, event: Row, said: dict[str, Any]) -> Iterable[str]:
    told.effects[said["effect_id"]].verified = said["verification"]
    return ()


def accepted_by_a_person(told: Told, event: Row, said: dict[str, Any]) -> Iterable[str]:
    told.effects[said["effect_id"]].verified = "passed"
    return ()


def committed(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    effect = told.effects[said["effect_id"]]
    if (effect.status, effect.verified) != ("succeeded", "passed"):
        yield f"committed while {effect.status} and {effect.verified}"
    effect.committed += 1
    if effect.committed > 1:
        yield "committed twice"
    if effect.compensates in told.effects:
        told.effects[effect.compensates].status = "compensated"


def taken_back(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    """By hand or by another run; what was under way here to take it back is settled with it."""
    for name, effect in told.effects.items():
        if name == said["effect_id"]:
            effect.status = "compensated"
        elif effect.compensates == said["effect_id"] and effect.status == "executing":
            yield "taken back while its rollback is under way"
        elif effect.compensates == said["effect_id"]:
            effect.status = "compensated"


def requested(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    version = said["proposal_id"], said.get("answers_version")
    if version[1] is None:
        return
    if version in told.answered or told.versions[version].status != "returned":
        yield "an answer to what nobody asked"
    told.answered.add(version)


def wait_begun(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    if told.wait is not None:
        yield "a second wait"
    told.wait = said


def event_received(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    taken = said["name"], said["external_id"]
    if taken in told.taken:
        yield f"{taken} is taken a second time"
    told.taken.add(taken)
    wait = told.wait or {}
    if (wait.get("name"), wait.get("key")) != (said["name"], said["key"]):
        yield f"{taken} was not waited for"
    told.wait = None


def wait_elapsed(told: Told, event: Row, said: dict[str, Any]) -> Iterator[str]:
    if told.wait is None:
        yield "the end of a wait that there is not"
    told.wait = None


def rollback_authorised(told: Told, event: Row, said: dict[str, Any]) -> Iterable[str]:
    told.unwinding = True
    return ()


RULES: Mapping[str, list[Rule]] = {
    "effect_requested": [requested],
    "wait_begun": [wait_begun],
    "event_received": [event_received],
    "wait_elapsed": [wait_elapsed],
    "rollback_authorised": [rollback_authorised],
    "run_accepted": [accepted],
    "run_claimed": [claimed],
    "run_ended": [ended],
    "proposal_opened": [opened],
    "decision_made": [decided],
    **{kind: [closed] for kind in CLOSINGS},
    "proposal_edited": [edited, closed],
    "effect_prepared": [prepared],
    "effect_intended": [intended],
    "effect_recorded": [recorded],
    "effect_reconciled": [recorded],
    "effect_resolved": [recorded],
    "effect_verified": [verified],
    "effect_accepted": [accepted_by_a_person],
    "effect_committed": [committed],
    "effect_compensated": [taken_back],
}
