"""Times that a test has moved back in the tables are put as the log has them."""

import uuid

from tests.world import Database

FACTS = "convert_from(payload, 'UTF8')::json"

CALLS = f"""
    UPDATE engine_effect e SET call_deadline = i.at + make_interval(secs => i.seconds)
    FROM (SELECT DISTINCT ON (facts->>'effect_id') at, (facts->>'effect_id')::uuid AS effect_id,
                 (facts->>'call_seconds')::float AS seconds
          FROM (SELECT at, seq, {FACTS} AS facts FROM engine_event
                WHERE run_id = %s AND kind = 'effect_intended') v
          ORDER BY facts->>'effect_id', seq DESC) i
    WHERE e.effect_id = i.effect_id
"""  # noqa: S608
PROPOSALS = f"""
    UPDATE engine_proposal o SET valid_until = (
        SELECT ({FACTS}->>'valid_until')::timestamptz FROM engine_event e
        WHERE e.run_id = o.run_id AND kind = 'proposal_opened' AND {FACTS}->>'id' = o.id::text)
    WHERE run_id = %s
"""  # noqa: S608
CALLING = """
    UPDATE engine_proposal SET
        remind_at = opened_at + make_interval(secs => (rule->>'remind_seconds')::int),
        escalate_at = opened_at + make_interval(secs => (rule->'escalate'->>'after_seconds')::int)
    FROM (SELECT id AS of, convert_from(terms, 'UTF8')::json->'rule' AS rule
          FROM engine_proposal) told
    WHERE run_id = %s AND of = id
"""
WAITS = f"""
    UPDATE engine_wait w SET until = (
        SELECT ({FACTS}->>'until')::timestamptz FROM engine_event e
        WHERE e.run_id = w.run_id AND kind = 'wait_begun' AND {FACTS}->>'wait_id' = w.wait_id::text)
    WHERE run_id = %s
"""  # noqa: S608


def forget_hastened_times(database: Database, run_id: uuid.UUID) -> None:
    for statement in (CALLS, PROPOSALS, CALLING, WAITS):
        database.execute(statement, run_id)
