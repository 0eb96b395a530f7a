-- A stop is one row with a scope. Deciding and Intend share a lock that a stop takes alone, so a
-- stop holds from its own commit.

-- Apart from the question below, so that PostgreSQL can answer that one without calling anything.
CREATE FUNCTION doors._line_in_scope(p_scope text, p_run uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT 1 FROM doors._line(p_run) o
        WHERE p_scope IN ('run:' || o.run_id, 'workflow:' || o.workflow, o.initiator))
$$;

-- Whether a stop's scope takes in what this run does with this action (NULL: whatever it is). A
-- branch is in every scope that the run above it is in, and a run that rolls an ended one back in
-- those of the ended one.
CREATE FUNCTION doors._in_scope(p_scope text, r engine_run, p_action text) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT p_scope = 'everything' OR p_scope = 'run:' || r.run_id
        OR p_scope = 'workflow:' || r.workflow OR p_scope = r.initiator
        OR p_scope = 'action:' || p_action
        OR ((r.parent_id IS NOT NULL OR r.workflow = 'rollback')
            AND doors._line_in_scope(p_scope, r.run_id))
$$;

-- The stop that covers what this run does with this action, the oldest if there are several. Asked
-- under the lock: one that is just being placed is waited for.
CREATE FUNCTION doors._stop_over(r engine_run, p_action text, p_is_rollback boolean)
RETURNS engine_stop
LANGUAGE plpgsql AS $$
DECLARE s engine_stop;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('placet.stop'));
    SELECT * INTO s FROM engine_stop
    WHERE lifted_at IS NULL AND NOT (p_is_rollback AND rollbacks_run)
      AND doors._in_scope(scope, r, p_action)
    ORDER BY placed_at LIMIT 1;
    RETURN s;
END $$;

CREATE FUNCTION doors._must_not_be_stopped(r engine_run, p_action text, p_is_rollback boolean)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE s engine_stop := doors._stop_over(r, p_action, p_is_rollback);
BEGIN
    IF s.stop_id IS NOT NULL THEN
        PERFORM doors._refuse('stopped', s.reason);
    END IF;
END $$;

-- Whether a stop covers this run now, or the action that it asked for last.
CREATE FUNCTION doors._is_stopped(r engine_run) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM engine_stop WHERE lifted_at IS NULL AND doors._in_scope(
        scope, r, (SELECT doors._facts(payload)->>'action' FROM engine_event
                   WHERE run_id = r.run_id AND kind = 'request_taken_up'
                   ORDER BY seq DESC LIMIT 1)))
$$;

-- Operators and administrators may stop and let go on; so may a command on the machine itself,
-- which is nobody's account (NULL).
CREATE FUNCTION doors._is_stopper(p_person bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT p_person IS NULL OR EXISTS (
        SELECT 1 FROM doors.authority WHERE person_id = p_person AND active
        AND group_name IN ('operator', 'administrator'))
$$;

CREATE FUNCTION doors._may_stop(p_person bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT doors._is_stopper(p_person) THEN
        PERFORM doors._refuse('not_permitted', 'only operators and administrators do this');
    END IF;
END $$;

-- Place a stop. Placing it twice in one scope is refused as a conflict.
CREATE FUNCTION doors.place_stop(
    p_actor text, p_person bigint, p_scope text, p_reason text, p_rollbacks_run boolean)
RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE v_id uuid := gen_random_uuid();
BEGIN
    PERFORM doors._may_stop(p_person);
    PERFORM pg_advisory_xact_lock(hashtext('placet.stop'));
    INSERT INTO engine_stop (stop_id, scope, reason, rollbacks_run, placed_by, placed_at)
    VALUES (v_id, p_scope, p_reason, p_rollbacks_run, p_actor, clock_timestamp())
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        PERFORM doors._refuse('conflict', format('a stop for %s is in force already', p_scope));
    END IF;
    PERFORM doors.note('stops', 'stop_placed', p_actor, convert_to(json_build_object(
        'stop_id', v_id, 'scope', p_scope, 'reason', p_reason,
        'rollbacks_run', p_rollbacks_run)::text, 'UTF8'));
    PERFORM doors._end_of_stopped(p_scope, p_actor, p_reason);
    RETURN v_id;
END $$;

-- Whoever may stop may drill it; what was seen is noted beside the stops.
CREATE FUNCTION doors.keep_drill(p_actor text, p_payload bytea) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM doors._may_stop((doors._facts(p_payload)->>'person')::bigint);
    PERFORM doors.note('stops', 'stop_drilled', p_actor, p_payload);
END $$;

-- Whether there is such a run: a stop for one that there is not would stop nothing.
CREATE FUNCTION doors.is_run(p_run uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$ SELECT EXISTS (SELECT 1 FROM engine_run WHERE run_id = p_run) $$;

-- The halt receipt: the stop, and every effect in its scope that was under way when it was placed.
CREATE FUNCTION doors.halt_receipt(p_stop uuid) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'stop_id', s.stop_id, 'scope', s.scope, 'reason', s.reason, 'placed_by', s.placed_by,
        'placed_at', doors._instant(s.placed_at), 'lifted_at', doors._instant(s.lifted_at),
        'runs', (SELECT count(*) FROM engine_run r WHERE NOT doors._is_terminal(r.status)
                 AND r.workflow NOT LIKE 'system.%' AND doors._in_scope(s.scope, r, (
                    SELECT action FROM engine_proposal WHERE run_id = r.run_id
                    ORDER BY opened_at DESC LIMIT 1))),
        'effects', coalesce((
            SELECT json_agg(json_build_object(
                'effect_id', e.effect_id, 'run_id', e.run_id, 'action', e.action,
                'status', e.status, 'outcome', e.outcome,
                'settled_at', doors._instant(e.recorded_at)) ORDER BY e.first_sent_at)
            FROM engine_effect e JOIN engine_run r USING (run_id)
            WHERE doors._in_scope(s.scope, r, e.action)
              AND ((e.first_sent_at <= s.placed_at
                    AND (e.recorded_at IS NULL OR e.recorded_at >= s.placed_at))
                   OR (e.status = 'prepared' AND s.lifted_at IS NULL))), '[]'::json))
    FROM engine_stop s WHERE s.stop_id = p_stop
$$;

-- Something may have happened under this version; to take the word back changes nothing about it.
CREATE FUNCTION doors._was_sent(o engine_proposal) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM engine_effect WHERE proposal_id = o.proposal_id
                   AND proposal_version = o.version AND status <> 'prepared')
$$;

-- Proposals that are undecided or approved, of which nothing was sent, and that a stop covers.
CREATE FUNCTION doors.proposals_under_a_stop(p_limit int)
RETURNS TABLE (run_id uuid, id uuid)
LANGUAGE sql STABLE AS $$
    SELECT o.run_id, o.id FROM engine_proposal o JOIN engine_run r USING (run_id)
    WHERE EXISTS (SELECT 1 FROM engine_stop WHERE lifted_at IS NULL)
      AND o.status IN ('open', 'approved') AND r.ended_at IS NULL
      AND EXISTS (SELECT 1 FROM engine_stop
                  WHERE lifted_at IS NULL AND doors._in_scope(scope, r, o.action))
      AND NOT EXISTS (SELECT 1 FROM engine_effect e WHERE e.proposal_id = o.proposal_id
                      AND e.proposal_version = o.version AND e.status <> 'prepared')
    LIMIT p_limit
$$;

-- Lapse a proposal version if a stop covers it and nothing was sent under it; false when there is
-- nothing to lapse. Its run wakes, and stands still until the stop is lifted; then it asks anew.
CREATE FUNCTION doors.lapse_proposal_if_stopped(p_run uuid, p_id uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); o engine_proposal; s engine_stop;
BEGIN
    SELECT * INTO o FROM engine_proposal WHERE id = p_id AND run_id = p_run FOR UPDATE;
    s := doors._stop_over(r, o.action, false);
    IF s.stop_id IS NULL OR o.status NOT IN ('open', 'approved') OR doors._was_sent(o) THEN
        RETURN false;
    END IF;
    PERFORM doors._lapse(r, o, 'system:sweep', 'Stopped', s.reason);
    RETURN true;
END $$;

-- The stop in force that covers what this proposal asks for; NULL when there is none.
CREATE FUNCTION doors.stop_over(p_proposal uuid) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object('scope', s.scope, 'reason', s.reason)
    FROM engine_proposal o JOIN engine_run r USING (run_id) JOIN engine_stop s
      ON s.lifted_at IS NULL AND doors._in_scope(s.scope, r, o.action)
    WHERE o.id = p_proposal ORDER BY s.placed_at LIMIT 1
$$;

-- Whether somebody other than this actor has asked that everything go on, not longer ago than this,
-- and might still say so. Whoever sits at the machine is one voice, by whichever name.
CREATE FUNCTION doors._is_asked_by_another(s engine_stop, p_actor text, p_within interval)
RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        s.lift_asked_at > clock_timestamp() - p_within
        AND regexp_replace(s.lift_asked_by, '^command:.*', 'command')
            <> regexp_replace(p_actor, '^command:.*', 'command')
        AND doors._is_stopper(s.lift_asked_person), false)
$$;

-- The first of two words. False: nothing is lifted by it.
CREATE FUNCTION doors._ask_to_lift(s engine_stop, p_actor text, p_person bigint, p_reason text)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE engine_stop SET lift_asked_by = p_actor, lift_asked_person = p_person,
                           lift_asked_reason = p_reason, lift_asked_at = clock_timestamp()
    WHERE stop_id = s.stop_id;
    PERFORM doors.note('stops', 'stop_lift_asked', p_actor, convert_to(json_build_object(
        'stop_id', s.stop_id, 'scope', s.scope, 'reason', p_reason)::text, 'UTF8'));
    RETURN false;
END $$;

-- Lift one, with a reason; true once it is lifted. For everything it takes two: one asks, and
-- another agrees in time. What it has paused is found by the next sweep; what was proposed
-- in these runs has lapsed, so reviewers are asked again.
CREATE FUNCTION doors.lift_stop(
    p_actor text, p_person bigint, p_scope text, p_reason text, p_agrees boolean,
    p_within interval)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE s engine_stop; v_asked boolean;
BEGIN
    PERFORM doors._may_stop(p_person);
    PERFORM pg_advisory_xact_lock(hashtext('placet.stop'));
    SELECT * INTO s FROM engine_stop WHERE scope = p_scope AND lifted_at IS NULL;
    IF NOT FOUND THEN
        PERFORM doors._refuse('conflict', format('no stop for %s is in force', p_scope));
    END IF;
    v_asked := doors._is_asked_by_another(s, p_actor, p_within);
    IF s.scope = 'everything' AND p_agrees <> v_asked THEN
        PERFORM doors._refuse('conflict', CASE WHEN v_asked
            THEN 'somebody else has asked that everything go on; agree with that, or leave it'
            ELSE 'nobody else has asked of late that everything go on' END);
    END IF;
    IF s.scope = 'everything' AND NOT v_asked THEN
        RETURN doors._ask_to_lift(s, p_actor, p_person, p_reason);
    END IF;
    UPDATE engine_stop SET lifted_by = p_actor, lifted_reason = p_reason,
                           lifted_at = clock_timestamp()
    WHERE stop_id = s.stop_id;
    PERFORM doors.note('stops', 'stop_lifted', p_actor, convert_to(json_build_object(
        'stop_id', s.stop_id, 'scope', p_scope, 'reason', p_reason,
        'asked_by', CASE WHEN s.scope = 'everything' THEN s.lift_asked_by END)::text, 'UTF8'));
    RETURN true;
END $$;
