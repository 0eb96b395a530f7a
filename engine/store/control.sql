-- What operators ask of a whole run: that it stands still, or ends.

-- Ask that a run be paused or cancelled. Nothing is torn off: a worker heeds it as soon as no
-- effect is under way. Kinds: pause_requested, cancel_requested.
CREATE FUNCTION doors.ask_of_run(p_run uuid, p_kind text, p_actor text, p_payload bytea)
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run);
BEGIN
    PERFORM doors._must_operate((doors._facts(p_payload)->>'person')::bigint);
    PERFORM doors._must_be_askable(r, p_kind);
    r := doors._append(r, p_kind, p_actor, p_payload);
    IF r.wake_at IS NOT NULL OR NOT (r.status = ANY (doors._working())) THEN
        r.wake_at := clock_timestamp();
    END IF;
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

CREATE FUNCTION doors._must_be_askable(r engine_run, p_kind text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM doors._must_follow_a_workflow(r);
    IF doors._is_terminal(r.status) THEN
        PERFORM doors._refuse('terminal', format('the run has ended: %s', r.status));
    END IF;
    IF p_kind = 'pause_requested' AND r.status = 'paused' THEN
        PERFORM doors._refuse('conflict', 'the run stands still already');
    END IF;
    IF p_kind = 'cancel_requested'
       AND (doors._is_being_rolled_back(r) OR r.reason_code = 'rollback_failed') THEN
        PERFORM doors._refuse('conflict', 'the run is being rolled back; that is its end');
    END IF;
END $$;

-- The installation's own logs are runs that no worker takes up: nothing is asked of them.
CREATE FUNCTION doors._must_follow_a_workflow(r engine_run) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF r.workflow LIKE 'system.%' THEN
        PERFORM doors._refuse('conflict', 'this is a log of the installation, not a run');
    END IF;
END $$;

-- An operator gives a run another budget; one that stands still for want of it goes on.
CREATE FUNCTION doors.raise_budget(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); p json := doors._facts(p_payload);
BEGIN
    PERFORM doors._must_operate((p->>'person')::bigint);
    PERFORM doors._must_follow_a_workflow(r);
    r := doors._append(r, 'budget_raised', p_actor, p_payload);
    r.budget := (p->'budget')::jsonb;
    IF r.status = 'paused' AND r.reason_code = 'budget_exhausted' THEN
        r.wake_at := clock_timestamp();
    END IF;
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- A worker takes an undecided or unspent proposal off the table, since its run is to end. What
-- was prepared under it was surely not sent.
CREATE FUNCTION doors.retract_proposal(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
    o engine_proposal;
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    SELECT * INTO o FROM engine_proposal WHERE id = (p->>'id')::uuid AND run_id = p_run;
    PERFORM doors._must_move('proposal', o.status, 'withdrawn');
    r := doors._append(r, 'proposal_retracted', p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    UPDATE engine_proposal SET status = 'withdrawn', closed_at = r.last_at
    WHERE id = o.id AND status = o.status;
    UPDATE engine_effect SET status = 'failed', outcome = 'not_sent', updated_at = r.last_at
    WHERE proposal_id = o.proposal_id AND proposal_version = o.version AND status = 'prepared';
    RETURN doors._finished(r, p_checkpoint);
END $$;
