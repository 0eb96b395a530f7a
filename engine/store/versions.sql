-- Runs that were begun under other versions than the code has now.

-- Take a run along to other versions of what it stands on: its graph, its models and prompts, the
-- action of the request in hand. What was proposed under the old ones and not sent is void.
CREATE FUNCTION doors.carry_over(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    PERFORM doors._must_have_nothing_under_way(r);
    r := doors._append(r, 'versions_carried_over', p_actor, p_payload, p_values);
    r := doors._moved(r, p);
    r.workflow_version := (p->>'workflow_version')::int;
    r.stands_on := (p->'stands_on')::jsonb;
    IF p->>'id' IS NOT NULL THEN
        PERFORM doors._void(r, p);
    END IF;
    RETURN doors._finished(r, p_checkpoint);
END $$;

-- What may have happened is settled first, with the version that it was sent with.
CREATE FUNCTION doors._must_have_nothing_under_way(r engine_run) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM engine_effect WHERE run_id = r.run_id
               AND (status IN ('executing', 'unknown')
                    OR (status = 'succeeded' AND committed_at IS NULL))) THEN
        PERFORM doors._refuse('conflict', 'an effect of this run is under way; that is settled first');
    END IF;
END $$;

-- A live version of a proposal falls: open, it is superseded; approved, its approval lapses. An
-- effect that was prepared under it was surely not sent.
CREATE FUNCTION doors._void(r engine_run, p json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE o engine_proposal; v_status text;
BEGIN
    SELECT * INTO o FROM engine_proposal WHERE id = (p->>'id')::uuid AND run_id = r.run_id;
    v_status := CASE WHEN o.status = 'open' THEN 'superseded' ELSE 'lapsed' END;
    PERFORM doors._must_move('proposal', o.status, v_status);
    UPDATE engine_proposal SET status = v_status, closed_at = r.last_at
    WHERE id = o.id AND status = o.status;
    UPDATE engine_effect SET status = 'failed', outcome = 'not_sent', updated_at = r.last_at
    WHERE proposal_id = o.proposal_id AND proposal_version = o.version AND status = 'prepared';
END $$;

-- Is this among what the run, or its open proposal, was begun under?
CREATE FUNCTION doors._stands_on(r engine_run, o engine_proposal, f json) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN f->>'action' IS NOT NULL
        THEN (o.action, o.action_version) = (f->>'action', (f->>'version')::int)
        ELSE (r.workflow, r.workflow_version) = (f->>'workflow', (f->>'version')::int)
            AND (f->>'what' IS NULL OR (r.stands_on->>(f->>'what')) IS NOT DISTINCT FROM f->>'was')
    END
$$;

-- Wake runs whose open proposal will fall, so that nobody decides what cannot be carried out any
-- more: `p_from` names what this code takes along, as {workflow, version}, with {what, was} a model
-- or prompt of it, or as {action, version}.
CREATE FUNCTION doors.wake_runs_to_carry_over(p_from json, p_limit int) RETURNS bigint
LANGUAGE sql AS $$
    WITH woken AS (
        UPDATE engine_run SET wake_at = clock_timestamp()
        WHERE status = 'waiting_approval' AND wake_at IS NULL AND run_id IN (
            SELECT r.run_id FROM engine_proposal o JOIN engine_run r USING (run_id)
            WHERE o.status = 'open' AND r.status = 'waiting_approval' AND r.wake_at IS NULL
              AND EXISTS (SELECT 1 FROM json_array_elements(p_from) f
                          WHERE doors._stands_on(r, o, f))
            LIMIT p_limit)
        RETURNING 1)
    SELECT count(*) FROM woken
$$;
