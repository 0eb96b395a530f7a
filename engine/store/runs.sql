-- Transitions of a run. Worker's doors take (run, token, folded seq, payload, checkpoint, values).

-- Accept a run: its first event and its first checkpoint.
CREATE FUNCTION doors.start_run(
    p_run uuid, p_actor text, p_payload bytea, p_checkpoint json, p_values bytea[] DEFAULT NULL)
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    p json := doors._facts(p_payload);
    r engine_run;
BEGIN
    r.run_id := p_run;
    r.workflow := p->>'workflow';
    r.workflow_version := (p->>'workflow_version')::int;
    r.status := 'running';
    r.current_node := p->>'node';
    r.state_version := 1;
    r.last_seq := 0;
    r.head := decode(repeat('00', 32), 'hex');
    r.last_at := clock_timestamp();
    r.lease_token := 0;
    r.budget := (p->'budget')::jsonb;
    r.labels := (p->'labels')::jsonb;
    r.stands_on := coalesce((p->'stands_on')::jsonb, '{}');
    r.initiator := p->>'initiator';
    r.initiator_person_id := (p->>'initiator_person')::bigint;
    r.parent_id := (p->>'parent')::uuid;
    r.branch := p->>'branch';
    r.forked_from := p->>'forked_from';
    r := doors._append(r, 'run_accepted', p_actor, p_payload, p_values);
    r.created_at := r.last_at;
    INSERT INTO engine_run SELECT (r).*;
    PERFORM doors._checkpoint(r, p_checkpoint);
    RETURN doors._told(r);
END $$;

-- Claim a run if it needs a worker and nobody's lease on it is live. A new token each time.
-- Gives the run, its newest checkpoint and the events after it; NULL when there is nothing to do.
CREATE FUNCTION doors.claim_run_if_free(p_run uuid, p_owner text, p_seconds double precision)
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run; v_whence text;
BEGIN
    SELECT * INTO r FROM engine_run WHERE run_id = p_run FOR UPDATE;
    IF NOT FOUND OR r.lease_until > clock_timestamp() OR NOT doors._needs_a_worker(r)
       OR doors._is_reserved(r, p_owner) THEN
        RETURN NULL;
    END IF;
    v_whence := r.status;
    r.lease_token := r.lease_token + 1;
    r.lease_owner := p_owner;
    r.lease_until := clock_timestamp() + make_interval(secs => p_seconds);
    r.wake_at := NULL;
    r.status := 'reconciling';
    r := doors._append(r, 'run_claimed', 'system:worker', convert_to(json_build_object(
        'owner', p_owner, 'token', r.lease_token, 'whence', v_whence)::text, 'UTF8'));
    r := doors._without_elapsed_wait(r);
    PERFORM doors._save(r);
    RETURN doors._case(r, r.last_seq + 1);
END $$;

-- Does this run need a worker now?
CREATE FUNCTION doors._needs_a_worker(r engine_run) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN r.wake_at IS NULL THEN r.status = ANY (doors._working())
                ELSE r.wake_at <= clock_timestamp() AND NOT doors._is_terminal(r.status) END
        OR (r.status = 'paused' AND r.reason_code = 'stop' AND NOT doors._is_stopped(r))
        OR (r.status = 'waiting_external' AND EXISTS (
            SELECT 1 FROM engine_wait WHERE run_id = r.run_id AND joinable_at IS NOT NULL))
$$;

-- Everything a worker needs to resume: the run, its newest checkpoint before that seq, and the
-- events after it. Without such a checkpoint all events, from the first one on.
CREATE FUNCTION doors._case(r engine_run, p_before bigint) RETURNS json
LANGUAGE plpgsql STABLE AS $$
DECLARE c engine_checkpoint;
BEGIN
    SELECT * INTO c FROM engine_checkpoint
    WHERE run_id = r.run_id AND last_event_sequence < p_before
    ORDER BY last_event_sequence DESC LIMIT 1;
    RETURN json_build_object(
        'token', r.lease_token, 'workflow', r.workflow, 'workflow_version', r.workflow_version,
        'initiator', r.initiator, 'last_seq', r.last_seq, 'head', encode(r.head, 'hex'),
        'checkpoint', CASE WHEN FOUND THEN doors._checkpoint_facts(c) END,
        'events', doors._events_after(r.run_id, coalesce(c.last_event_sequence, 0)));
END $$;

-- The case once more, for a worker whose checkpoint is damaged: from the one before it.
CREATE FUNCTION doors.case_before(p_run uuid, p_before bigint) RETURNS json
LANGUAGE plpgsql STABLE AS $$
DECLARE r engine_run;
BEGIN
    SELECT * INTO r FROM engine_run WHERE run_id = p_run;
    RETURN doors._case(r, p_before);
END $$;

-- One checkpoint, with the text its checksum is over and the hash of the event it has folded.
CREATE FUNCTION doors._checkpoint_facts(c engine_checkpoint) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'checkpoint_id', c.checkpoint_id, 'state_version', c.state_version,
        'current_node', c.current_node, 'status', c.status,
        'state_snapshot', c.state_snapshot, 'last_event_sequence', c.last_event_sequence,
        'pending_action', c.pending_action, 'completed_effects', c.completed_effects,
        'budget_snapshot', c.budget_snapshot, 'schema_version', c.schema_version,
        'created_at', doors._instant(c.created_at), 'checksum', encode(c.checksum, 'hex'),
        'folded_hash', (SELECT encode(hash, 'hex') FROM engine_event
                        WHERE run_id = c.run_id AND seq = c.last_event_sequence))
$$;

-- Renew a live lease. Never bumps the token, never revives a lapsed lease. False: it is lost.
CREATE FUNCTION doors.renew_lease_if_held(p_run uuid, p_token bigint, p_seconds double precision)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE r engine_run;
BEGIN
    SELECT * INTO r FROM engine_run WHERE run_id = p_run FOR UPDATE;
    IF NOT FOUND OR r.lease_token <> p_token OR r.lease_until IS NULL
       OR r.lease_until <= clock_timestamp() THEN
        RETURN false;
    END IF;
    UPDATE engine_run SET lease_until = greatest(
        lease_until, clock_timestamp() + make_interval(secs => p_seconds))
    WHERE run_id = p_run;
    RETURN true;
END $$;

-- Give a lease back without a transition, so that a sweep may find the run at once.
CREATE FUNCTION doors.release_lease_if_held(
    p_run uuid, p_token bigint, p_wake_seconds double precision) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE engine_run SET lease_owner = NULL,
        lease_until = clock_timestamp() + make_interval(secs => p_wake_seconds)
    WHERE run_id = p_run AND lease_token = p_token AND lease_until > clock_timestamp();
    RETURN FOUND;
END $$;

-- The worker's plain transition: one event, and the run's own columns from its payload:
-- `status`, `node`, `reason_code`, `wake_at`, `budget` where present.
-- Kinds: run_resumed, run_moved, value_recorded, plan_switched, run_parked, run_paused,
-- run_ended, node_failed, request_taken_up, request_dropped, rollback_authorised,
-- rollback_begun.
CREATE FUNCTION doors.move_run(
    p_run uuid, p_token bigint, p_folded bigint, p_kind text, p_actor text, p_payload bytea,
    p_checkpoint json, p_values bytea[]) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
    v_above uuid;
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    IF p->>'status' IS DISTINCT FROM r.status AND p->>'status' IS NOT NULL THEN
        PERFORM doors._must_move('run', r.status, p->>'status');
    END IF;
    r := doors._append(r, p_kind, p_actor, p_payload, p_values);
    r := doors._moved(r, p);
    IF doors._is_terminal(r.status) THEN
        PERFORM doors._must_be_without_branches(r);
        UPDATE engine_wait SET over_at = coalesce(over_at, r.last_at), joinable_at = NULL
        WHERE run_id = p_run AND (over_at IS NULL OR joinable_at IS NOT NULL);
        v_above := CASE WHEN r.parent_id IS NOT NULL THEN doors._made_joinable(r) END;
    END IF;
    RETURN CASE WHEN v_above IS NULL THEN doors._finished(r, p_checkpoint)
                ELSE doors._with_hints(doors._finished(r, p_checkpoint), ARRAY[v_above]) END;
END $$;

-- The run's columns after an event with these facts.
CREATE FUNCTION doors._moved(r engine_run, p json) RETURNS engine_run
LANGUAGE plpgsql STABLE AS $$
BEGIN
    r.state_version := r.state_version + 1;
    r.status := coalesce(p->>'status', r.status);
    r.current_node := coalesce(p->>'node', r.current_node);
    r.reason_code := p->>'reason_code';
    r.wake_at := (p->>'wake_at')::timestamptz;
    r.budget := coalesce((p->'budget')::jsonb, r.budget);
    IF doors._is_terminal(r.status) THEN
        r.ended_at := r.last_at;
    END IF;
    IF r.status IN ('waiting_approval', 'waiting_external', 'paused') OR doors._is_terminal(r.status)
       OR r.wake_at IS NOT NULL THEN
        r := doors._released(r);
    END IF;
    RETURN r;
END $$;

-- A person lets a paused run go on: what is pending is looked at again, nothing is repeated. Its
-- branches that stand still since it does go on, too.
CREATE FUNCTION doors.resume_run(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run);
BEGIN
    PERFORM doors._must_operate((doors._facts(p_payload)->>'person')::bigint);
    IF r.status <> 'paused' THEN
        PERFORM doors._must_move('run', r.status, 'reconciling');
        PERFORM doors._refuse('conflict', format('the run is %s, not paused', r.status));
    END IF;
    r := doors._with_request(r, 'resume_requested', p_actor, p_payload);
    PERFORM doors._save(r);
    RETURN doors._with_hints(doors._told(r), doors._ask_branches(
        p_run, 'resume_requested', p_actor, doors._asked_through(p_run, doors._facts(p_payload))));
END $$;

-- What an agent asked of its run and was refused is a fact of the run; said again at once, it is
-- the same fact. Of a run that has ended nothing more is told.
CREATE FUNCTION doors.note_refused_request(p_run uuid, p_actor text, p_payload bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run);
BEGIN
    IF doors._is_terminal(r.status) OR EXISTS (
        SELECT 1 FROM engine_event WHERE run_id = p_run AND seq = r.last_seq
          AND kind = 'request_refused' AND actor = p_actor AND payload = p_payload) THEN
        RETURN;
    END IF;
    r := doors._append(r, 'request_refused', p_actor, p_payload);
    PERFORM doors._save(r);
END $$;

-- Runs that need a worker and have none, the longest waiting first.
CREATE FUNCTION doors.runs_without_a_worker(p_limit int) RETURNS SETOF uuid
LANGUAGE sql STABLE AS $$
    (SELECT run_id FROM engine_run
     WHERE status = ANY (doors._working()) AND wake_at IS NULL
       AND (lease_until IS NULL OR lease_until <= clock_timestamp())
     ORDER BY last_at LIMIT p_limit)
    UNION
    (SELECT run_id FROM engine_run
     WHERE wake_at <= clock_timestamp()
       AND (lease_until IS NULL OR lease_until <= clock_timestamp())
     ORDER BY wake_at LIMIT p_limit)
    UNION
    (SELECT w.run_id FROM engine_wait w JOIN engine_run r USING (run_id)
     WHERE w.joinable_at IS NOT NULL AND r.status = 'waiting_external'
       AND (r.lease_until IS NULL OR r.lease_until <= clock_timestamp())
     ORDER BY w.joinable_at LIMIT p_limit)
    UNION
    (SELECT run_id FROM engine_run r
     WHERE status = 'paused' AND reason_code = 'stop' AND NOT doors._is_stopped(r)
     LIMIT p_limit)
$$;
