"""What the schema holds by itself, whoever writes."""

import psycopg
import pytest

from engine import states
from engine.store import doors
from tests.world import Desk


class TestTheSchemaItself:
    """By force, with every right: what the constraints alone refuse."""

    FORCED = {
        "two effects in flight in one run": (
            "UPDATE engine_effect SET status = 'unknown';"
            " INSERT INTO engine_effect SELECT (e).* FROM (SELECT jsonb_populate_record(e,"
            ' \'{"effect_id": "00000000-0000-0000-0000-000000000001", "idempotency_key": "x"}\')'
            " AS e FROM engine_effect e) s",
            "effect_one_in_flight_per_run",
        ),
        "two effects with one key": (
            "INSERT INTO engine_effect SELECT (e).* FROM (SELECT jsonb_populate_record(e,"
            ' \'{"effect_id": "00000000-0000-0000-0000-000000000001"}\') AS e'
            " FROM engine_effect e) s",
            "idempotency_key",
        ),
        "an effect of nobody's approval": (
            "UPDATE engine_effect SET proposal_id = NULL",
            "effect_approved_or_a_rollback",
        ),
        "an effect in a state that there is not": (
            "UPDATE engine_effect SET status = 'done'",
            "effect_status_known",
        ),
        "a commit without verification": (
            "UPDATE engine_effect SET verification = 'mismatch'",
            "effect_committed_means_verified",
        ),
        "two live versions of one proposal": (
            "INSERT INTO engine_proposal SELECT (o).* FROM (SELECT jsonb_populate_record(o,"
            ' \'{"id": "00000000-0000-0000-0000-000000000001", "version": 2}\') AS o'
            " FROM engine_proposal o) s",
            "proposal_one_live_version",
        ),
        "a proposal in a state that there is not": (
            "UPDATE engine_proposal SET status = 'maybe'",
            "proposal_status_known",
        ),
        "two decisions of one person": (
            "INSERT INTO engine_decision SELECT (d).* FROM (SELECT jsonb_populate_record(d,"
            ' \'{"id": "00000000-0000-0000-0000-000000000001"}\') AS d FROM engine_decision d) s',
            "decision_one_per_person",
        ),
        "a decision that is none": (
            "UPDATE engine_decision SET decision = 'true'",
            "decision_known",
        ),
        "a decision without a reason": (
            "UPDATE engine_decision SET reason = '', reason_code = NULL",
            "decision_has_a_reason",
        ),
        "a run in a state that there is not": (
            "UPDATE engine_run SET status = 'sleeping'",
            "run_status_known",
        ),
        "a run that has ended and not": (
            "UPDATE engine_run SET status = 'completed'",
            "run_ended_at_means_terminal",
        ),
        "two policies in force": (
            "INSERT INTO engine_policy SELECT (p).* FROM (SELECT jsonb_populate_record(p,"
            " '{\"version\": 2}') AS p FROM engine_policy p) s",
            "policy_one_in_force",
        ),
        "a policy that its author put in force": (
            "UPDATE engine_policy SET proposed_by_id = p.id, in_force_by_id = p.id"
            " FROM oversight_person p WHERE p.username = 'rosa'",
            "policy_put_in_force_by_another",
        ),
        "a reviewer who is no more": (
            "DELETE FROM oversight_person_groups; DELETE FROM oversight_person"
            " WHERE username = 'rosa'",
            "engine_decision_person_id",
        ),
        "an event twice": (
            "INSERT INTO engine_event SELECT * FROM engine_event",
            "engine_event_pkey",
        ),
    }

    @pytest.mark.parametrize("what", FORCED)
    def test_refuses(self, what: str, desk: Desk) -> None:
        desk.work(desk.approved_refund().run_id)
        statement, constraint = self.FORCED[what]

        with pytest.raises(psycopg.errors.IntegrityError) as refusal:
            desk.database.execute(statement)

        assert constraint in str(refusal.value)


def test_the_state_table_of_the_doors_is_that_of_the_code(desk: Desk) -> None:
    moves = {
        f"{machine}:{old}>{new}"
        for machine, table in states.MACHINES.items()
        for old, onward in table.items()
        for new in onward
    }
    assert set(desk.database.value(f"SELECT {doors.schema()}._moves()")) == moves
