-- What people rule about effects whose outcome nobody can tell.

-- Refuse unless this person is active and an operator.
CREATE FUNCTION doors._must_operate(p_person bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM doors.authority
                   WHERE person_id = p_person AND active AND group_name = 'operator') THEN
        PERFORM doors._refuse('not_permitted', 'only operators do this');
    END IF;
END $$;

-- Ask the target again, now: a worker probes by key and says what it found.
CREATE FUNCTION doors.request_probe(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); p json := doors._facts(p_payload);
BEGIN
    PERFORM doors._must_operate((p->>'person')::bigint);
    PERFORM doors._effect_in(r, (p->>'effect_id')::uuid, 'unknown');
    r := doors._append(r, 'probe_requested', p_actor, p_payload);
    r.wake_at := clock_timestamp();
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- A person's ruling, with evidence and a reason: happened, did_not_happen, partly, keep_waiting.
-- "It did not happen" is refused while the last call may still arrive.
CREATE FUNCTION doors.resolve_effect(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked(p_run);
    p json := doors._facts(p_payload);
    e engine_effect;
BEGIN
    PERFORM doors._must_operate((p->>'person')::bigint);
    e := doors._effect_in(r, (p->>'effect_id')::uuid, 'unknown');
    IF p->>'resolution' = 'did_not_happen' THEN
        PERFORM doors._must_be_past(e, (p->>'margin_seconds')::double precision);
    END IF;
    r := doors._append(r, 'effect_resolved', p_actor, p_payload);
    UPDATE engine_effect SET status = p->>'status', outcome = p->>'outcome',
        external_resource_id = coalesce(p->>'resource_id', external_resource_id),
        verification = CASE WHEN p->>'resolution' = 'partly' THEN 'partial' ELSE verification END,
        recorded_at = coalesce(recorded_at, r.last_at), updated_at = r.last_at
    WHERE effect_id = e.effect_id AND status = 'unknown';
    IF p->>'resolution' = 'partly' THEN
        PERFORM doors._end_behind(ARRAY[e.effect_id], p_actor, 'verification_failed');
    END IF;
    r.wake_at := coalesce((p->>'until')::timestamptz, clock_timestamp());
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

CREATE FUNCTION doors._must_be_past(e engine_effect, p_margin double precision) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_until timestamptz := e.call_deadline + make_interval(secs => p_margin);
BEGIN
    IF clock_timestamp() < v_until THEN
        PERFORM doors._refuse('conflict', 'the call may still arrive until '
                              || doors._instant(v_until));
    END IF;
END $$;

-- A named person accepts, with evidence, what verification did not show to be as approved. The run
-- commits it as it is.
CREATE FUNCTION doors.accept_effect(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked(p_run);
    p json := doors._facts(p_payload);
    e engine_effect;
BEGIN
    PERFORM doors._must_operate((p->>'person')::bigint);
    e := doors._effect_in(r, (p->>'effect_id')::uuid, 'succeeded');
    PERFORM doors._must_be_acceptable(r, e);
    r := doors._append(r, 'effect_accepted', p_actor, p_payload);
    UPDATE engine_effect SET accepted_by = p->>'person_name', updated_at = r.last_at
    WHERE effect_id = e.effect_id AND committed_at IS NULL;
    r.wake_at := clock_timestamp();
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- What is being verified, or taken back, is not accepted meanwhile.
CREATE FUNCTION doors._must_be_acceptable(r engine_run, e engine_effect) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF r.status <> 'paused' OR r.reason_code IS DISTINCT FROM 'verification_failed'
       OR e.committed_at IS NOT NULL
       OR coalesce(e.verification, '') NOT IN ('mismatch', 'partial', 'unverifiable') THEN
        PERFORM doors._refuse('conflict', format(
            'the run is %s and verification is %s', r.status, coalesce(e.verification, 'open')));
    END IF;
    IF EXISTS (SELECT 1 FROM engine_effect WHERE compensates_id = e.effect_id
               AND status NOT IN ('failed')) THEN
        PERFORM doors._refuse('conflict', 'it is being taken back');
    END IF;
END $$;
