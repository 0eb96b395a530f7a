-- Taking back what stands, on an operator's word; and what people have taken back by hand.

-- Authorise the rollback of effects that this run carried out, or that the run did which it names.
-- A worker unwinds them in the order given: each is an effect of its own, through the same gate.
CREATE FUNCTION doors.authorise_rollback(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked_with_its_tree(p_run);
    p json := doors._facts(p_payload);
BEGIN
    PERFORM doors._must_operate((p->>'person')::bigint);
    IF doors._is_terminal(r.status) THEN
        PERFORM doors._refuse('terminal', format('the run has ended: %s', r.status));
    END IF;
    IF doors._is_being_rolled_back(r) THEN
        PERFORM doors._refuse('conflict', 'the run is being rolled back already');
    END IF;
    PERFORM doors._must_be_alone(r);
    PERFORM doors._must_be_settled(r);
    PERFORM doors._must_stand(r, p);
    r := doors._append(r, 'rollback_authorised', p_actor, p_payload);
    IF r.wake_at IS NOT NULL OR NOT (r.status = ANY (doors._working())) THEN
        r.wake_at := clock_timestamp();
    END IF;
    PERFORM doors._end_behind(doors._to_be_taken_back(p), p_actor, 'rolled_back');
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- A run that has ended is rolled back by a new run that names it. One at a time.
CREATE FUNCTION doors.start_rollback(
    p_run uuid, p_actor text, p_accepted bytea, p_checkpoint json, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    p json := doors._facts(p_payload);
    o engine_run := doors._locked_with_its_tree((p->>'origin')::uuid);
    r engine_run;
BEGIN
    PERFORM doors._must_operate((p->>'person')::bigint);
    IF NOT doors._is_terminal(o.status) OR o.workflow = 'rollback' THEN
        PERFORM doors._refuse('conflict', format('the run is %s: nothing new rolls it back', o.status));
    END IF;
    PERFORM doors._must_be_alone(o);
    PERFORM doors.start_run(p_run, p_actor, p_accepted, p_checkpoint);
    r := doors._locked(p_run);
    PERFORM doors._must_stand(r, p);
    r := doors._append(r, 'rollback_authorised', p_actor, p_payload);
    PERFORM doors._end_behind(doors._to_be_taken_back(p), p_actor, 'rolled_back');
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- Whose effects a run takes back: its own, or those of the ended run that it names.
CREATE FUNCTION doors._taken_back_by(r engine_run) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN r.workflow = 'rollback' THEN (r.labels->>'rolls_back')::uuid ELSE r.run_id END
$$;

-- Lock a run whose effects may be taken back, and the top of the tree that they are of: in a tree
-- one rollback is authorised at a time. A run that rolls another back is in no tree itself.
CREATE FUNCTION doors._locked_with_its_tree(p_run uuid) RETURNS engine_run
LANGUAGE plpgsql AS $$
DECLARE r engine_run;
BEGIN
    IF EXISTS (SELECT 1 FROM engine_run WHERE run_id = p_run AND workflow = 'rollback') THEN
        r := doors._locked(p_run);
        PERFORM doors._locked(doors._top(doors._taken_back_by(r)));
        RETURN r;
    END IF;
    PERFORM doors._locked(doors._top(p_run));
    RETURN doors._locked(p_run);
END $$;

CREATE FUNCTION doors._top(p_run uuid) RETURNS uuid
LANGUAGE sql STABLE AS $$
    SELECT run_id FROM doors._line(p_run) WHERE parent_id IS NULL
$$;

-- Another run that takes back what this one did, or what one above or below it did; else NULL.
CREATE FUNCTION doors._other_that_rolls_back(r engine_run) RETURNS uuid
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_origin uuid := doors._taken_back_by(r);
    v_runs uuid[] := ARRAY(SELECT doors._tree(v_origin))
                     || ARRAY(SELECT run_id FROM doors._line(v_origin));
BEGIN
    RETURN (SELECT k.run_id FROM engine_run k
            WHERE k.run_id <> r.run_id AND NOT doors._is_terminal(k.status) AND (
                (k.workflow = 'rollback' AND (k.labels->>'rolls_back')::uuid = ANY (v_runs))
                OR (k.run_id = ANY (v_runs) AND (doors._is_being_rolled_back(k)
                                                 OR k.reason_code = 'rollback_failed')))
            LIMIT 1);
END $$;

CREATE FUNCTION doors._must_be_alone(r engine_run) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_other uuid := doors._other_that_rolls_back(r);
BEGIN
    IF v_other IS NOT NULL THEN
        PERFORM doors._refuse('conflict', format('the run is being rolled back already, by run %s', v_other));
    END IF;
END $$;

-- A rollback was authorised, and neither an end nor a pause has come since.
CREATE FUNCTION doors._is_being_rolled_back(r engine_run) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT r.status = 'rolling_back' OR EXISTS (
        SELECT 1 FROM engine_event
        WHERE run_id = r.run_id AND kind = 'rollback_authorised' AND seq > coalesce((
            SELECT max(seq) FROM engine_event
            WHERE run_id = r.run_id AND kind IN ('run_paused', 'run_ended')), 0))
$$;

-- Refuse while an effect or a branch is under way. An effect that was seen to be wrong, and waits
-- for a person, is not.
CREATE FUNCTION doors._must_be_settled(r engine_run) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF doors._has_live_branches(r.run_id) THEN
        PERFORM doors._refuse('conflict', 'a branch of this run is under way; cancel the run, or wait for its branches');
    END IF;
    IF EXISTS (SELECT 1 FROM engine_effect WHERE run_id = r.run_id
               AND status IN ('executing', 'unknown')) THEN
        PERFORM doors._refuse('conflict', 'nobody can tell yet what an effect of this run did; that is settled first');
    END IF;
    IF EXISTS (SELECT 1 FROM engine_effect WHERE run_id = r.run_id
               AND status = 'succeeded' AND committed_at IS NULL
               AND NOT (r.status = 'paused'
                        AND coalesce(verification, '') IN ('mismatch', 'partial', 'unverifiable'))) THEN
        PERFORM doors._refuse('conflict', 'an effect of this run is being verified; that is finished first');
    END IF;
END $$;

-- The effects that an operator's word is about, by whichever hand they are taken back.
CREATE FUNCTION doors._to_be_taken_back(p json) RETURNS uuid[]
LANGUAGE sql IMMUTABLE AS $$
    SELECT ARRAY(SELECT (c->>'effect_id')::uuid FROM (
        SELECT json_array_elements(p->'covers') UNION ALL
        SELECT json_array_elements(p->'by_hand')) AS x(c))
$$;

-- Everything that is to be taken back stands, and nothing later than it is left out that nobody
-- has accepted yet.
CREATE FUNCTION doors._must_stand(r engine_run, p json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_origin uuid := doors._taken_back_by(r);
    v_covered uuid[] := ARRAY(SELECT (c->>'effect_id')::uuid FROM json_array_elements(p->'covers') c);
    v_by_hand uuid[] := ARRAY(SELECT (c->>'effect_id')::uuid FROM json_array_elements(p->'by_hand') c);
BEGIN
    IF cardinality(v_covered || v_by_hand) = 0 THEN
        PERFORM doors._refuse('conflict', 'nothing of this run stands');
    END IF;
    IF cardinality(v_covered || v_by_hand) <> (
        SELECT count(*) FROM engine_effect
        WHERE effect_id = ANY (v_covered || v_by_hand)
          AND run_id IN (SELECT doors._tree(v_origin))
          AND status = 'succeeded' AND compensates_id IS NULL) THEN
        PERFORM doors._refuse('conflict', 'what is to be taken back does not stand any more');
    END IF;
    IF EXISTS (SELECT 1 FROM engine_effect WHERE compensates_id = ANY (v_covered)
               AND (run_id <> r.run_id OR status = 'failed')) THEN
        PERFORM doors._refuse('conflict', 'a rollback was begun elsewhere, or was refused for good');
    END IF;
    IF EXISTS (SELECT 1 FROM engine_effect WHERE run_id = r.run_id AND status = 'succeeded'
               AND compensates_id IS NULL AND committed_at IS NULL
               AND NOT (effect_id = ANY (v_covered || v_by_hand))) THEN
        PERFORM doors._refuse('conflict', 'the latest effect is not verified; it is taken back first');
    END IF;
END $$;

-- A named person has taken an effect back by hand, and shows evidence of it. Said of the run that
-- is being rolled back and stands still; of a run that has ended; or of the run that rolls it back.
-- A rollback that nobody could verify is settled with it.
CREATE FUNCTION doors.confirm_by_hand(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked_with_its_tree(p_run);
    p json := doors._facts(p_payload);
    e engine_effect;
    v_at timestamptz;
BEGIN
    PERFORM doors._must_operate((p->>'person')::bigint);
    SELECT * INTO e FROM engine_effect
    WHERE effect_id = (p->>'effect_id')::uuid
      AND run_id IN (SELECT doors._tree(doors._taken_back_by(r)));
    IF NOT FOUND THEN
        PERFORM doors._refuse('not_found', 'there is no such effect');
    END IF;
    PERFORM doors._must_be_confirmable(r, e);
    r := doors._append(r, 'effect_compensated', p_actor, p_payload);
    v_at := r.last_at;
    IF e.run_id <> r.run_id THEN
        v_at := doors._note_compensated(e.run_id, p_actor, p_payload);
    END IF;
    UPDATE engine_effect SET status = 'failed', outcome = 'not_sent', updated_at = r.last_at
    WHERE compensates_id = e.effect_id AND run_id = r.run_id AND status = 'prepared';
    UPDATE engine_effect SET status = 'compensated', updated_at = r.last_at
    WHERE compensates_id = e.effect_id AND run_id = r.run_id AND status = 'succeeded'
      AND committed_at IS NULL;
    UPDATE engine_effect SET status = 'compensated', updated_at = v_at
    WHERE effect_id = e.effect_id AND status = 'succeeded';
    IF NOT doors._is_terminal(r.status) THEN
        r.wake_at := clock_timestamp();
    END IF;
    PERFORM doors._end_behind(ARRAY[e.effect_id], p_actor, 'rolled_back');
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

CREATE FUNCTION doors._must_be_confirmable(r engine_run, e engine_effect) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF e.compensates_id IS NOT NULL OR e.status <> 'succeeded' THEN
        PERFORM doors._refuse('conflict', format('the effect is %s', e.status));
    END IF;
    IF EXISTS (SELECT 1 FROM engine_effect WHERE compensates_id = e.effect_id
               AND status IN ('executing', 'unknown')) THEN
        PERFORM doors._refuse('conflict', 'nobody can tell yet what its rollback did; that is settled first');
    END IF;
    IF doors._is_terminal(r.status) THEN
        IF e.run_id <> r.run_id THEN
            PERFORM doors._refuse('conflict', format('it was run %s that did this; say it there', e.run_id));
        END IF;
        IF doors._other_that_rolls_back(r) IS NOT NULL THEN
            PERFORM doors._refuse('conflict', 'another run takes this back; say it there');
        END IF;
    ELSIF r.status <> 'paused' THEN
        PERFORM doors._refuse('conflict', format('the run is %s, not paused', r.status));
    END IF;
END $$;

-- In the log of the run whose effect was taken back by another: also after its end. Gives when.
CREATE FUNCTION doors._note_compensated(p_origin uuid, p_actor text, p_payload bytea)
RETURNS timestamptz
LANGUAGE plpgsql AS $$
DECLARE o engine_run := doors._locked(p_origin);
BEGIN
    o := doors._append(o, 'effect_compensated', p_actor, p_payload);
    PERFORM doors._save(o);
    RETURN o.last_at;
END $$;

-- A person has said that it happened: what is kept of the target is then no answer to the act.
CREATE FUNCTION doors._was_ruled(e engine_effect) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM engine_event WHERE run_id = e.run_id AND kind = 'effect_resolved'
                   AND doors._facts(payload)->>'effect_id' = e.effect_id::text
                   AND doors._facts(payload)->>'resolution' IN ('happened', 'partly'))
$$;

-- Every forward effect of a run and of its branches that was ever carried out, the latest first:
-- what is needed to take it back, how its object was left, and what became of its rollback.
CREATE FUNCTION doors.effects_carried_out(p_run uuid) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(json_build_object(
        'effect_id', e.effect_id, 'run_id', e.run_id, 'step_id', e.step_id, 'action', e.action,
        'action_version', e.action_version, 'arguments', convert_from(e.arguments, 'UTF8'),
        'resource_id', e.external_resource_id, 'status', e.status,
        'result_ref', CASE WHEN doors._was_ruled(e) THEN NULL ELSE e.result_ref END,
        'committed', e.committed_at IS NOT NULL, 'at', doors._instant(e.updated_at),
        'rollback_status', b.status, 'rollback_outcome', b.outcome,
        'left', (SELECT doors._facts(payload)->'left' FROM engine_event
                 WHERE run_id = e.run_id AND kind = 'effect_committed'
                   AND doors._facts(payload)->>'effect_id' = e.effect_id::text)
        ) ORDER BY e.committed_at DESC NULLS FIRST, e.recorded_at DESC), '[]'::json)
    FROM engine_effect e LEFT JOIN engine_effect b ON b.compensates_id = e.effect_id
    WHERE e.run_id IN (SELECT doors._tree(p_run)) AND e.compensates_id IS NULL AND e.status IN ('succeeded', 'compensated')
$$;
