-- One row stops everything. Deciding and Intend share a lock that a stop takes alone, so a stop
-- holds from its own commit.

CREATE FUNCTION doors._must_not_be_stopped(p_is_rollback boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_reason text;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('placet.stop'));
    SELECT reason INTO v_reason FROM engine_stop
    WHERE lifted_at IS NULL AND NOT (p_is_rollback AND rollbacks_run);
    IF FOUND THEN
        PERFORM doors._refuse('stopped', v_reason);
    END IF;
END $$;

CREATE FUNCTION doors._is_stopped() RETURNS boolean
LANGUAGE sql STABLE AS $$ SELECT EXISTS (SELECT 1 FROM engine_stop WHERE lifted_at IS NULL) $$;

-- Operators and administrators may stop and let go on; so may a command on the machine itself,
-- which is nobody's account (NULL).
CREATE FUNCTION doors._may_stop(p_person bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_person IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM doors.authority WHERE person_id = p_person AND active
        AND group_name IN ('operator', 'administrator')) THEN
        PERFORM doors._refuse('not_permitted', 'only operators and administrators do this');
    END IF;
END $$;

-- Place the stop for everything. Placing it twice is refused as a conflict.
CREATE FUNCTION doors.place_stop(
    p_actor text, p_person bigint, p_reason text, p_rollbacks_run boolean) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE v_id uuid := gen_random_uuid();
BEGIN
    PERFORM doors._may_stop(p_person);
    PERFORM pg_advisory_xact_lock(hashtext('placet.stop'));
    INSERT INTO engine_stop (stop_id, scope, reason, rollbacks_run, placed_by, placed_at)
    VALUES (v_id, 'everything', p_reason, p_rollbacks_run, p_actor, clock_timestamp())
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        PERFORM doors._refuse('conflict', 'a stop for everything is in force already');
    END IF;
    PERFORM doors.note('stops', 'stop_placed', p_actor, convert_to(json_build_object(
        'stop_id', v_id, 'scope', 'everything', 'reason', p_reason,
        'rollbacks_run', p_rollbacks_run)::text, 'UTF8'));
    RETURN v_id;
END $$;

-- The halt receipt: the stop, and every effect that was under way when it was placed.
CREATE FUNCTION doors.halt_receipt(p_stop uuid) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'stop_id', s.stop_id, 'reason', s.reason, 'placed_by', s.placed_by,
        'placed_at', doors._instant(s.placed_at), 'lifted_at', doors._instant(s.lifted_at),
        'effects', coalesce((
            SELECT json_agg(json_build_object(
                'effect_id', e.effect_id, 'run_id', e.run_id, 'action', e.action,
                'status', e.status, 'outcome', e.outcome,
                'settled_at', doors._instant(e.recorded_at)) ORDER BY e.first_sent_at)
            FROM engine_effect e
            WHERE (e.first_sent_at <= s.placed_at
                   AND (e.recorded_at IS NULL OR e.recorded_at >= s.placed_at))
               OR (e.status = 'prepared' AND s.lifted_at IS NULL)), '[]'::json))
    FROM engine_stop s WHERE s.stop_id = p_stop
$$;

-- Lift it, with a reason. What it has paused is found by the next sweep; the approvals of these
-- runs have lapsed, so reviewers are asked again.
CREATE FUNCTION doors.lift_stop(p_actor text, p_person bigint, p_reason text) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE v_id uuid;
BEGIN
    PERFORM doors._may_stop(p_person);
    PERFORM pg_advisory_xact_lock(hashtext('placet.stop'));
    UPDATE engine_stop SET lifted_by = p_actor, lifted_reason = p_reason,
                           lifted_at = clock_timestamp()
    WHERE lifted_at IS NULL RETURNING stop_id INTO v_id;
    IF NOT FOUND THEN
        PERFORM doors._refuse('conflict', 'no stop is in force');
    END IF;
    PERFORM doors.note('stops', 'stop_lifted', p_actor, convert_to(json_build_object(
        'stop_id', v_id, 'reason', p_reason)::text, 'UTF8'));
    RETURN v_id;
END $$;
