"""Standing exemptions for tests: one for refunds of Mara Vogel's up to 30.00, given by Rosa."""

import json
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from engine import api
from engine.models import Exemption, Proposal
from oversight.models import Person
from tests.cast import AGENT, all_go_on, reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk

NEVER_DRAWN, DRAWN = 1, 0
"""What a lot has to be for a request to be let through, or to be asked of people."""

CUSTOMER = {"kind": "argument", "argument": "customer", "value": "Mara Vogel"}


def wish(**changed: Any) -> dict[str, Any]:
    return {
        "action": "ledger.refund",
        "agent": AGENT,
        "scope": CUSTOMER,
        "most": {"argument": "amount", "value": "30.00"},
        "uses": 3,
        "until": datetime.now(UTC) + timedelta(days=7),
        **changed,
    }


def proposed(desk: Desk, **changed: Any) -> Exemption:
    """Proposed by Zoe; nobody has approved it."""
    found = api.propose_exemption(
        wish(**changed), administrator=reviewer(desk.people.zoe), reason="The same every day."
    )
    return Exemption.objects.get(pk=found)


def approve(exemption: Exemption, by: Person, **changed: Any) -> None:
    facts = {"digest": exemption.digest, "reason": "They are all alike."}
    api.approve_exemption(exemption.pk, reviewer=reviewer(by), **{**facts, **changed})


def given(desk: Desk, by: Sequence[Person] = (), **changed: Any) -> Exemption:
    """It stands."""
    exemption = proposed(desk, **changed)
    for person in by or [desk.people.rosa]:
        approve(exemption, person)
    exemption.refresh_from_db()
    return exemption


def end(exemption: Exemption, by: Person) -> None:
    api.end_exemption(exemption.pk, person=reviewer(by), reason="Somebody should look.")


def ends(exemption: Exemption) -> tuple[str, str | None]:
    """How it stands, and what ended it."""
    exemption.refresh_from_db()
    return exemption.status, exemption.ended_why


def asked(desk: Desk, **wishes: Any) -> uuid.UUID:
    """A run whose agent has asked for a refund that the exemption is for; no worker has seen it."""
    run_id = desk.start_run()
    desk.ask_for_refund(run_id, desk.purchase(), **wishes)
    return run_id


def rule(**more: Any) -> dict[str, Any]:
    return {"action": "ledger.*", "groups": [{"name": "reviewer", "approve": 1}], **more}


def versions(run_id: uuid.UUID) -> list[str]:
    found = Proposal.objects.filter(run_id=run_id).order_by("version")
    return [version.status for version in found]


def said(desk: Desk, run_id: uuid.UUID, kind: str) -> dict[str, Any]:
    (event,) = (each for each in desk.database.log(run_id) if each["kind"] == kind)
    told: dict[str, Any] = json.loads(bytes(event["payload"]))
    return told


def requested(run_id: uuid.UUID, order: str, **facts: Any) -> None:
    """The agent's request with more to it than its arguments."""
    arguments = {"order": order, "customer": "Mara Vogel", "amount": "25.00"}
    more = {"action": "ledger.refund", "arguments": arguments, "why": "It arrived broken."}
    api.request_effect(run_id, agent=AGENT, **more, **facts)


def is_let_through(desk: Desk, **wishes: Any) -> bool:
    run_id = asked(desk, **wishes)
    desk.work(run_id)
    assert faults_in(desk.database, run_id) == []
    assert_tables_match_the_log(desk.database, run_id)
    return "proposal_exempted" in desk.database.kinds(run_id)


def becomes(desk: Desk, was: str, now: str) -> None:
    """As if it had been given so: `was` is a pattern in what was shown."""
    desk.database.execute(
        "UPDATE engine_exemption SET content = convert_to(regexp_replace("
        "convert_from(content, 'UTF8'), %s, %s), 'UTF8')",
        was,
        now,
    )
    desk.database.execute(
        "UPDATE engine_exemption SET digest = encode(sha256(content), 'hex');"
        "UPDATE engine_voice SET digest = (SELECT digest FROM engine_exemption)"
    )


def its_end_comes(desk: Desk) -> None:
    becomes(desk, '"until":"[^"]+"', '"until":"2020-01-01T00:00:00+00:00"')


def stopped_and_gone_on(desk: Desk) -> None:
    api.stop_everything(reviewer(desk.people.otto), "Something is odd.")
    all_go_on(desk.people)
