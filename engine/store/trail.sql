-- Facts about the installation rather than about one run: they stand in the logs of system runs,
-- one for each stream and day (UTC).

-- The day's run of a stream, locked; begun if this is its first event.
CREATE FUNCTION doors._stream(p_stream text) RETURNS engine_run
LANGUAGE plpgsql AS $$
DECLARE
    v_day text := to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD');
    v_id uuid;
    r engine_run;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('placet.stream.' || p_stream));
    SELECT run_id INTO v_id FROM engine_run
    WHERE workflow = 'system.' || p_stream AND workflow LIKE 'system.%' AND labels->>'day' = v_day;
    IF FOUND THEN
        RETURN doors._locked(v_id);
    END IF;
    r.run_id := gen_random_uuid();
    r.workflow := 'system.' || p_stream;
    r.workflow_version := 1;
    r.status := 'waiting_external';
    r.current_node := v_day;
    r.state_version := 1;
    r.last_seq := 0;
    r.head := decode(repeat('00', 32), 'hex');
    r.last_at := clock_timestamp();
    r.lease_token := 0;
    r.budget := '{}';
    r.labels := jsonb_build_object('day', v_day);
    r.stands_on := '{}';
    r.initiator := 'system:placet';
    r := doors._append(r, 'stream_begun', r.initiator, convert_to(json_build_object(
        'workflow', r.workflow, 'workflow_version', 1, 'node', v_day, 'budget', '{}'::json,
        'labels', r.labels, 'initiator', r.initiator, 'status', r.status)::text, 'UTF8'));
    r.created_at := r.last_at;
    INSERT INTO engine_run SELECT (r).*;
    RETURN r;
END $$;

-- Note a fact in a stream: who signed in, what was exported, which stop was placed.
CREATE FUNCTION doors.note(p_stream text, p_kind text, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._stream(p_stream);
BEGIN
    r := doors._append(r, p_kind, p_actor, p_payload);
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- Auditors, operators and administrators have the log verified and take exports of it away.
CREATE FUNCTION doors.must_audit(p_person bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM doors.authority WHERE person_id = p_person AND active
        AND group_name IN ('auditor', 'operator', 'administrator')) THEN
        PERFORM doors._refuse(
            'not_permitted', 'only auditors, operators and administrators do this');
    END IF;
END $$;
