-- The protocol of one effect: each door below is one line of it and one commit.

-- Prepare: the effect exists, nothing has been sent. A rollback is prepared the same way; it
-- carries its own argument bytes and names in `compensates` what it takes back.
CREATE FUNCTION doors.prepare_effect(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
    e engine_effect;
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    e := doors._effect_of(r, p);
    PERFORM doors._must_be_allowed(r, e, p);
    r := doors._append(r, 'effect_prepared', p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    e.updated_at := r.last_at;
    INSERT INTO engine_effect SELECT (e).*;
    IF e.compensates_id IS NOT NULL THEN
        PERFORM doors._end_behind(ARRAY[e.compensates_id], p_actor, 'rolled_back');
    END IF;
    RETURN doors._finished(r, p_checkpoint);
END $$;

-- A prepared effect from the facts of its event; a forward one takes the approved bytes.
CREATE FUNCTION doors._effect_of(r engine_run, p json) RETURNS engine_effect
LANGUAGE plpgsql STABLE AS $$
DECLARE e engine_effect;
BEGIN
    e.effect_id := (p->>'effect_id')::uuid;
    e.run_id := r.run_id;
    e.step_id := p->>'step_id';
    e.tool_call_id := p->>'tool_call_id';
    e.idempotency_key := p->>'idempotency_key';
    e.request_hash := p->>'request_hash';
    e.status := 'prepared';
    e.action := p->>'action';
    e.action_version := (p->>'action_version')::int;
    e.proposal_id := (p->>'proposal_id')::uuid;
    e.proposal_version := (p->>'version')::int;
    e.attempt := 1;
    e.compensates_id := (p->>'compensates')::uuid;
    e.arguments := coalesce(
        convert_to(p->>'arguments', 'UTF8'),
        (SELECT arguments FROM engine_proposal
         WHERE proposal_id = e.proposal_id AND version = e.proposal_version));
    RETURN e;
END $$;

-- What Prepare asks early and Intend asks for good, at that moment and under the run's lock.
CREATE FUNCTION doors._must_be_allowed(r engine_run, e engine_effect, p json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM doors._must_not_be_stopped(r, e.action, e.compensates_id IS NOT NULL);
    IF encode(sha256(e.arguments), 'hex') IS DISTINCT FROM p->>'request_hash' THEN
        PERFORM doors._refuse('digest_mismatch', 'the effect''s argument bytes were changed');
    END IF;
    IF e.idempotency_key IS DISTINCT FROM p->>'idempotency_key' THEN
        PERFORM doors._refuse('digest_mismatch', 'the effect''s key was changed');
    END IF;
    IF e.action_version IS DISTINCT FROM (p->>'action_version')::int THEN
        PERFORM doors._refuse('digest_mismatch', 'the effect is for another version of the action');
    END IF;
    IF e.compensates_id IS NULL THEN
        PERFORM doors._must_have_budget(r, e);
        PERFORM doors._must_be_approved(e, p->>'digest');
        PERFORM doors._must_be_compatible(r, e);
    ELSE
        PERFORM doors._must_be_authorised(r, e);
    END IF;
END $$;

-- One more effect is within the run's budget, and within that of each run above it, whose branches
-- count together. What surely did not happen costs nothing.
CREATE FUNCTION doors._must_have_budget(r engine_run, e engine_effect) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_most text;
BEGIN
    SELECT a.budget->>'max_effects' INTO v_most FROM doors._line(r.run_id) a
    WHERE (SELECT count(*) FROM engine_effect
           WHERE run_id IN (SELECT doors._tree(a.run_id)) AND compensates_id IS NULL
             AND status <> 'failed' AND effect_id <> e.effect_id) >= (a.budget->>'max_effects')::int;
    IF FOUND THEN
        PERFORM doors._refuse('budget_exhausted', format('%s effects', v_most));
    END IF;
END $$;

-- An approval of exactly this digest that is valid now, by somebody who may still give it; or one given
-- beforehand, by a standing exemption that still lets it through.
CREATE FUNCTION doors._must_be_approved(e engine_effect, p_digest text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE o engine_proposal;
BEGIN
    SELECT * INTO o FROM engine_proposal
    WHERE proposal_id = e.proposal_id AND version = e.proposal_version;
    IF NOT FOUND OR o.status <> 'approved' THEN
        PERFORM doors._refuse('not_permitted', format('the proposal is %s, not approved', o.status));
    END IF;
    PERFORM doors._must_match(o, p_digest);
    IF sha256(o.arguments) <> sha256(e.arguments) OR o.idempotency_key <> e.idempotency_key THEN
        PERFORM doors._refuse('digest_mismatch', 'the effect is not the one that was approved');
    END IF;
    IF o.valid_until <= clock_timestamp() THEN
        PERFORM doors._refuse('expired', doors._instant(o.valid_until));
    END IF;
    PERFORM doors._must_be_under_its_rule(o);
    IF o.closed_at + make_interval(secs => (doors._rule_of(o)->>'wait_seconds')::int)
       > clock_timestamp() THEN
        PERFORM doors._refuse('too_early', doors._instant(o.closed_at));
    END IF;
    IF o.exemption_id IS NOT NULL AND NOT o.drawn THEN
        PERFORM doors._must_be_exempt(e, o);
    ELSIF NOT doors._is_approved(o, p_digest) THEN
        PERFORM doors._refuse('not_permitted', 'who approved it may no longer do so');
    END IF;
END $$;

-- What was approved was shown with the versions that the run stands on, and of this action.
CREATE FUNCTION doors._must_be_compatible(r engine_run, e engine_effect) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE o engine_proposal; v_terms json;
BEGIN
    SELECT * INTO o FROM engine_proposal
    WHERE proposal_id = e.proposal_id AND version = e.proposal_version;
    v_terms := doors._facts(o.terms);
    IF (o.action, o.action_version) IS DISTINCT FROM (e.action, e.action_version)
       OR v_terms->>'action' IS DISTINCT FROM e.action || ' v' || e.action_version THEN
        PERFORM doors._refuse('digest_mismatch', 'another version of the action was approved');
    END IF;
    IF v_terms->>'workflow' IS DISTINCT FROM r.workflow || ' v' || r.workflow_version
       OR (v_terms->'stands_on')::jsonb IS DISTINCT FROM r.stands_on THEN
        PERFORM doors._refuse('not_permitted', 'the run stands on other versions than were shown');
    END IF;
END $$;

-- A rollback rests on an event of its own run that authorised it, and takes back an effect
-- that happened and is not itself a rollback.
CREATE FUNCTION doors._must_be_authorised(r engine_run, e engine_effect) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM engine_event WHERE run_id = r.run_id
                   AND kind = 'rollback_authorised'
                   AND doors._covers(doors._facts(payload), e.compensates_id)) THEN
        PERFORM doors._refuse('not_permitted', 'nobody has authorised this rollback');
    END IF;
    IF NOT EXISTS (SELECT 1 FROM engine_effect WHERE effect_id = e.compensates_id
                   AND run_id IN (SELECT doors._tree(doors._taken_back_by(r)))
                   AND status = 'succeeded' AND compensates_id IS NULL) THEN
        PERFORM doors._refuse('conflict', 'there is no such effect to take back');
    END IF;
END $$;

-- A plan's own authorisation names one effect, an operator's all that it covers.
CREATE FUNCTION doors._covers(p json, p_effect uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT p->>'effect_id' = p_effect::text OR EXISTS (
        SELECT 1 FROM json_array_elements(p->'covers') c WHERE c->>'effect_id' = p_effect::text)
$$;

-- Intend: the only gate. From its commit on the act may have happened.
-- Gives the argument bytes that were checked: exactly these are sent.
CREATE FUNCTION doors.intend_effect(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
    e engine_effect;
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    e := doors._effect_in(r, (p->>'effect_id')::uuid, 'prepared');
    PERFORM doors._must_be_allowed(r, e, p);
    r := doors._append(r, 'effect_intended', p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    e.call_deadline := r.last_at + make_interval(secs => (p->>'call_seconds')::double precision);
    r.lease_until := greatest(r.lease_until, e.call_deadline
        + make_interval(secs => (p->>'margin_seconds')::double precision));
    UPDATE engine_effect SET status = 'executing', fencing_token = p_token,
        call_deadline = e.call_deadline, recorded_at = NULL, first_sent_at = coalesce(first_sent_at, r.last_at),
        updated_at = r.last_at
    WHERE effect_id = e.effect_id AND status = 'prepared';
    PERFORM doors._save(r);
    PERFORM doors._checkpoint(r, p_checkpoint);
    RETURN json_build_object('seq', r.last_seq, 'head', encode(r.head, 'hex'),
        'at', doors._instant(r.last_at), 'arguments', convert_from(e.arguments, 'UTF8'));
END $$;

-- The effect of this run, in the state it must be in.
CREATE FUNCTION doors._effect_in(r engine_run, p_effect uuid, VARIADIC p_states text[])
RETURNS engine_effect
LANGUAGE plpgsql AS $$
DECLARE e engine_effect;
BEGIN
    SELECT * INTO e FROM engine_effect WHERE effect_id = p_effect AND run_id = r.run_id;
    IF NOT FOUND OR NOT (e.status = ANY (p_states)) THEN
        PERFORM doors._refuse('conflict', format('the effect is %s', e.status));
    END IF;
    RETURN e;
END $$;

-- Record what the target answered: succeeded, failed (surely nothing happened) or unknown.
CREATE FUNCTION doors.record_effect(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
    e engine_effect;
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    e := doors._effect_in(r, (p->>'effect_id')::uuid, 'executing');
    IF e.fencing_token IS DISTINCT FROM p_token THEN
        PERFORM doors._refuse('lease_lost', 'another worker sent this');
    END IF;
    IF p->>'status' = 'prepared' THEN
        PERFORM doors._refuse('conflict', 'only a probe may prepare it again');
    END IF;
    r := doors._settle(r, e, 'effect_recorded', p_actor, p_payload, p_values);
    RETURN doors._finished(r, p_checkpoint);
END $$;

-- Write the outcome of a call, whether the call or a probe told it.
CREATE FUNCTION doors._settle(
    r engine_run, e engine_effect, p_kind text, p_actor text, p_payload bytea, p_values bytea[])
RETURNS engine_run
LANGUAGE plpgsql AS $$
DECLARE p json := doors._facts(p_payload);
BEGIN
    IF p->>'status' <> e.status THEN
        PERFORM doors._must_move('effect', e.status, p->>'status');
    END IF;
    r := doors._append(r, p_kind, p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    UPDATE engine_effect SET status = p->>'status', outcome = p->>'outcome',
        external_resource_id = coalesce(p->>'resource_id', external_resource_id),
        result_ref = coalesce(p->>'result_ref', result_ref),
        attempt = attempt + CASE WHEN p->>'status' = 'prepared' THEN 1 ELSE 0 END,
        recorded_at = coalesce(recorded_at, r.last_at),
        updated_at = r.last_at
    WHERE effect_id = e.effect_id AND status = e.status;
    RETURN r;
END $$;

-- Reconcile: what a probe by key found out about an effect that may have happened. Back to
-- `prepared` (attempt + 1, same key) only inside the target's window and past the deadline.
CREATE FUNCTION doors.reconcile_effect(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
    e engine_effect;
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    e := doors._effect_in(r, (p->>'effect_id')::uuid, 'executing', 'unknown');
    IF p->>'status' = 'prepared' THEN
        PERFORM doors._must_be_resendable(e, (p->>'window_seconds')::double precision,
                                          (p->>'margin_seconds')::double precision);
    END IF;
    r := doors._settle(r, e, 'effect_reconciled', p_actor, p_payload, p_values);
    RETURN doors._finished(r, p_checkpoint);
END $$;

CREATE FUNCTION doors._must_be_resendable(
    e engine_effect, p_window double precision, p_margin double precision) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_now timestamptz := clock_timestamp();
BEGIN
    IF v_now < e.call_deadline + make_interval(secs => p_margin) THEN
        PERFORM doors._refuse('conflict', 'an earlier call may still be under way');
    END IF;
    IF v_now > e.first_sent_at + make_interval(secs => p_window - p_margin) THEN
        PERFORM doors._refuse('conflict', 'the target may have forgotten the key');
    END IF;
END $$;

-- Seconds by the database's clock: until the last call's deadline, and since the first sending.
CREATE FUNCTION doors.effect_clock(p_effect uuid) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'to_deadline', extract(epoch FROM call_deadline - clock_timestamp()),
        'since_first_sent', extract(epoch FROM clock_timestamp() - first_sent_at))
    FROM engine_effect WHERE effect_id = p_effect
$$;

-- The action of an effect: name and version.
CREATE FUNCTION doors.effect_action(p_effect uuid) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_array(action, action_version)
    FROM engine_effect WHERE effect_id = p_effect
$$;

-- Verify: what re-reading the target showed. `not_yet` may come again; the rest settles it.
CREATE FUNCTION doors.verify_effect(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
    e engine_effect;
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    e := doors._effect_in(r, (p->>'effect_id')::uuid, 'succeeded');
    r := doors._append(r, 'effect_verified', p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    UPDATE engine_effect SET verification = p->>'verification', updated_at = r.last_at
    WHERE effect_id = e.effect_id AND committed_at IS NULL;
    IF p->>'verification' NOT IN ('passed', 'not_yet') THEN
        PERFORM doors._end_behind(ARRAY[e.effect_id], p_actor, 'verification_failed');
    END IF;
    RETURN doors._finished(r, p_checkpoint);
END $$;

-- Commit: verification passed. The run moves on; a rollback marks what it has taken back.
CREATE FUNCTION doors.commit_effect(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
    e engine_effect;
    v_origin uuid;
    v_at timestamptz;
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    e := doors._effect_in(r, (p->>'effect_id')::uuid, 'succeeded');
    IF e.verification IS DISTINCT FROM 'passed' AND e.accepted_by IS NULL THEN
        PERFORM doors._refuse('conflict', format('verification is %s', e.verification));
    END IF;
    r := doors._append(r, 'effect_committed', p_actor, p_payload, p_values);
    UPDATE engine_effect SET committed_at = r.last_at, updated_at = r.last_at
    WHERE effect_id = e.effect_id AND committed_at IS NULL;
    v_at := r.last_at;
    SELECT run_id INTO v_origin FROM engine_effect WHERE effect_id = e.compensates_id;
    IF v_origin <> r.run_id THEN
        v_at := doors._note_compensated(v_origin, p_actor, convert_to(json_build_object(
            'effect_id', e.compensates_id, 'by_run', r.run_id, 'by_effect', e.effect_id)::text, 'UTF8'));
    END IF;
    UPDATE engine_effect SET status = 'compensated', updated_at = v_at
    WHERE effect_id = e.compensates_id AND status = 'succeeded';
    IF NOT FOUND AND e.compensates_id IS NOT NULL THEN
        PERFORM doors._refuse('conflict', 'the effect to take back has changed');
    END IF;
    r := doors._moved(r, p);
    RETURN doors._finished(r, p_checkpoint);
END $$;

-- An answer that came after the lease was lost changes no state; it is kept and helps to settle.
-- When it says that the act happened and the record says that it did not, somebody is told.
CREATE FUNCTION doors.note_late_answer(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked(p_run);
    p json := doors._facts(p_payload);
    v_alert json;
BEGIN
    r := doors._append(r, 'late_answer', p_actor, p_payload);
    IF p->>'status' = 'succeeded' AND EXISTS (
        SELECT 1 FROM engine_effect WHERE effect_id = (p->>'effect_id')::uuid
        AND status IN ('failed', 'prepared')) THEN
        v_alert := json_build_object(
            'alert_id', gen_random_uuid(), 'kind', 'late_answer', 'effect_id', p->>'effect_id',
            'summary', 'The act happened after all: its answer came after it was given up.',
            'details', p);
        r := doors._append(r, 'alert_raised', p_actor, convert_to(v_alert::text, 'UTF8'));
        r.state_version := r.state_version + 1;
        PERFORM doors._raise(r, v_alert);
    END IF;
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;
