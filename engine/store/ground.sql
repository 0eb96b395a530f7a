-- What every door stands on: refusing, appending, saving, checkpointing.

-- Refuse a transition: nothing is written. The message is a code of engine/errors.py.
CREATE FUNCTION doors._refuse(p_code text, p_detail text DEFAULT '') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'PLC00', MESSAGE = p_code, DETAIL = p_detail;
END $$;

-- Refuse unless the state table lets `p_machine` move from `p_old` to `p_new`.
CREATE FUNCTION doors._must_move(p_machine text, p_old text, p_new text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    -- IS NOT TRUE: a state that is not there at all leads nowhere either.
    IF (p_machine || ':' || p_old || '>' || p_new = ANY (doors._moves())) IS NOT TRUE THEN
        PERFORM doors._refuse(
            CASE WHEN p_machine = 'run' AND doors._is_terminal(p_old)
                 THEN 'terminal' ELSE 'conflict' END,
            format('%s is %s and cannot become %s', p_machine, p_old, p_new));
    END IF;
END $$;

-- The payload of an event, to read facts from. `json`, not `jsonb`: it keeps what it is given.
CREATE FUNCTION doors._facts(p_payload bytea) RETURNS json
LANGUAGE sql IMMUTABLE AS $$ SELECT convert_from(p_payload, 'UTF8')::json $$;

-- RFC 3339 in UTC with microseconds: the one spelling of an instant that is hashed.
CREATE FUNCTION doors._instant(p_at timestamptz) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- The canonical envelope of an event; its hash is chain link and RFC 6962 leaf hash at once.
CREATE FUNCTION doors._envelope(
    p_run uuid, p_seq bigint, p_kind text, p_actor text, p_at timestamptz,
    p_payload_hash bytea, p_prev bytea) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT '{"actor":' || to_json(p_actor)
        || ',"at":"' || doors._instant(p_at)
        || '","kind":' || to_json(p_kind)
        || ',"payload":"' || encode(p_payload_hash, 'hex')
        || '","prev":"' || encode(p_prev, 'hex')
        || '","run":"' || p_run
        || '","seq":' || p_seq || '}'
$$;

-- Append one event to the log of `r` and give `r` back with its new head. The caller saves `r`.
-- `p_values` are the large values that this event or its checkpoint is the first to name.
CREATE FUNCTION doors._append(
    r engine_run, p_kind text, p_actor text, p_payload bytea, p_values bytea[] DEFAULT NULL)
RETURNS engine_run
LANGUAGE plpgsql AS $$
DECLARE
    v_salt bytea := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
    v_payload_hash bytea := sha256(v_salt || p_payload);
    v_prev bytea := r.head;
BEGIN
    IF doors._is_terminal(r.status) AND NOT (p_kind = ANY (doors._after_the_end())) THEN
        PERFORM doors._refuse('terminal', format('the run has ended: %s', r.status));
    END IF;
    IF p_values IS NOT NULL THEN
        PERFORM doors._keep_values(p_values);
    END IF;
    IF position('"$value":'::bytea IN p_payload) > 0 THEN
        PERFORM doors._must_be_kept(convert_from(p_payload, 'UTF8'));
    END IF;
    r.last_seq := r.last_seq + 1;
    r.last_at := greatest(clock_timestamp(), r.last_at);
    r.head := sha256('\x00'::bytea || convert_to(doors._envelope(
        r.run_id, r.last_seq, p_kind, p_actor, r.last_at, v_payload_hash, v_prev), 'UTF8'));
    INSERT INTO engine_event (run_id, seq, kind, actor, at, payload, salt, payload_hash, hash)
    VALUES (r.run_id, r.last_seq, p_kind, p_actor, r.last_at, p_payload, v_salt,
            v_payload_hash, r.head);
    RETURN r;
END $$;

-- Lock the run of a person's or an agent's door.
CREATE FUNCTION doors._locked(p_run uuid) RETURNS engine_run
LANGUAGE plpgsql AS $$
DECLARE r engine_run;
BEGIN
    SELECT * INTO r FROM engine_run WHERE run_id = p_run FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM doors._refuse('not_found', 'there is no such run');
    END IF;
    RETURN r;
END $$;

-- Lock the run of a worker's door; *then* ask the clock whether the lease still holds.
CREATE FUNCTION doors._held(p_run uuid, p_token bigint) RETURNS engine_run
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run);
BEGIN
    IF r.lease_token <> p_token OR r.lease_until IS NULL OR r.lease_until <= clock_timestamp() THEN
        PERFORM doors._refuse('lease_lost', format('token %s is stale', p_token));
    END IF;
    RETURN r;
END $$;

-- Events after `p_seq`, oldest first, with what is needed to verify and to fold them.
CREATE FUNCTION doors._events_after(p_run uuid, p_seq bigint) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(json_build_object(
        'seq', seq, 'kind', kind, 'actor', actor, 'at', doors._instant(at),
        'payload', convert_from(payload, 'UTF8'), 'salt', encode(salt, 'hex'),
        'payload_hash', encode(payload_hash, 'hex'), 'hash', encode(hash, 'hex')
    ) ORDER BY seq), '[]'::json)
    FROM engine_event WHERE run_id = p_run AND seq > p_seq
$$;

-- Tell a worker what it has not folded yet; nothing was written.
CREATE FUNCTION doors._behind(r engine_run, p_folded bigint) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object('behind', doors._events_after(r.run_id, p_folded))
$$;

-- Tell what was written: the run's new seq, its head and the instant.
CREATE FUNCTION doors._told(r engine_run) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object('seq', r.last_seq, 'head', encode(r.head, 'hex'),
                             'at', doors._instant(r.last_at))
$$;

-- What a door tells, and which runs besides need a hint.
CREATE FUNCTION doors._with_hints(p_told json, p_runs uuid[]) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT (p_told::jsonb || jsonb_build_object('hints', p_runs))::json
$$;

-- Save every column of the run that a transition may change, in one UPDATE.
CREATE FUNCTION doors._save(r engine_run) RETURNS void
LANGUAGE sql AS $$
    UPDATE engine_run SET
        status = r.status, reason_code = r.reason_code, current_node = r.current_node,
        state_version = r.state_version, last_seq = r.last_seq, head = r.head,
        workflow_version = r.workflow_version, stands_on = r.stands_on,
        last_at = r.last_at, lease_owner = r.lease_owner, lease_token = r.lease_token,
        lease_until = r.lease_until, wake_at = r.wake_at, budget = r.budget,
        ended_at = r.ended_at
    WHERE run_id = r.run_id
$$;

-- Give the lease back: the run waits, or has ended.
CREATE FUNCTION doors._released(r engine_run) RETURNS engine_run
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    r.lease_owner := NULL;
    r.lease_until := NULL;
    RETURN r;
END $$;

-- The text that a checkpoint's checksum (SHA-256) is over: its columns as one JSON array.
CREATE FUNCTION doors._checkpoint_text(c engine_checkpoint) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT '["' || c.checkpoint_id || '","' || c.run_id || '",' || c.state_version
        || ',' || to_json(c.current_node) || ',' || to_json(c.status)
        || ',' || c.state_snapshot || ',' || c.last_event_sequence
        || ',' || c.pending_action || ',' || c.completed_effects || ',' || c.budget_snapshot
        || ',"' || doors._instant(c.created_at) || '",' || c.schema_version || ']'
$$;

-- Save a checkpoint of what has been folded up to the event just appended, and the searchable
-- fields of its state; NULL saves none.
CREATE FUNCTION doors._checkpoint(r engine_run, p_checkpoint json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    c engine_checkpoint := json_populate_record(NULL::engine_checkpoint, p_checkpoint);
BEGIN
    IF p_checkpoint IS NULL THEN
        RETURN;
    END IF;
    c.checkpoint_id := gen_random_uuid();
    c.run_id := r.run_id;
    c.state_version := r.state_version;
    c.current_node := r.current_node;
    c.status := r.status;
    c.last_event_sequence := r.last_seq;
    c.created_at := r.last_at;
    c.checksum := sha256(convert_to(doors._checkpoint_text(c), 'UTF8'));
    IF strpos(c.state_snapshot, '"$value":') > 0 THEN
        PERFORM doors._must_be_kept(c.state_snapshot);
    END IF;
    INSERT INTO engine_checkpoint SELECT (c).*;
    IF json_array_length(p_checkpoint->'searchable') > 0 THEN
        INSERT INTO engine_searchablefield (run_id, name, text, number)
        SELECT r.run_id, f->>'name', f->>'text', (f->>'number')::numeric
        FROM json_array_elements(p_checkpoint->'searchable') f
        ON CONFLICT (run_id, name) DO UPDATE SET text = excluded.text, number = excluded.number;
    END IF;
END $$;

-- How a worker's transition ends: the run is saved, and where it is a boundary a checkpoint.
CREATE FUNCTION doors._finished(r engine_run, p_checkpoint json) RETURNS json
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM doors._save(r);
    IF p_checkpoint IS NOT NULL THEN
        PERFORM doors._checkpoint(r, p_checkpoint);
    END IF;
    RETURN doors._told(r);
END $$;
