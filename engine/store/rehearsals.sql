-- Rollback plans that were really carried out.

-- Keep a rehearsal, and note it in the day's log of rehearsals.
CREATE FUNCTION doors.keep_rehearsal(p_actor text, p_payload bytea) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE p json := doors._facts(p_payload); v_id uuid := (p->>'rehearsal_id')::uuid;
BEGIN
    PERFORM doors._must_operate((p->>'person')::bigint);
    INSERT INTO engine_rehearsal (
        rehearsal_id, action, action_version, result, started_by, started_at, ended_at, expires_at,
        recovery_seconds, timeline, assertions, run_id)
    VALUES (v_id, p->>'action', (p->>'action_version')::int, p->>'result', p->>'person_name',
            (p->>'started_at')::timestamptz, (p->>'ended_at')::timestamptz,
            (p->>'expires_at')::timestamptz, (p->>'recovery_seconds')::double precision,
            (p->'timeline')::jsonb, (p->'assertions')::jsonb, (p->>'run')::uuid);
    PERFORM doors.note('rehearsals', 'rehearsal_finished', p_actor, p_payload);
    RETURN v_id;
END $$;

-- A rehearsal's run that is reserved is claimed by nobody else for a quarter of an hour: time enough to kill
-- its worker and to have another take it over. Afterwards it is a run like any other.
CREATE FUNCTION doors._is_reserved(r engine_run, p_owner text) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT r.initiator = 'system:rehearsal' AND r.labels->>'reserved_for' IS NOT NULL
       AND NOT starts_with(p_owner, r.labels->>'reserved_for')
       AND r.created_at > clock_timestamp() - interval '15 minutes'
$$;
