-- What operators ask of a whole run: that it stands still, or ends.

-- Ask that a run be paused or cancelled, and with it its branches. Nothing is torn off: a worker
-- heeds it as soon as no effect is under way. Kinds: pause_requested, cancel_requested.
CREATE FUNCTION doors.ask_of_run(p_run uuid, p_kind text, p_actor text, p_payload bytea)
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run);
BEGIN
    PERFORM doors._must_operate((doors._facts(p_payload)->>'person')::bigint);
    PERFORM doors._must_be_askable(r, p_kind);
    r := doors._with_request(r, p_kind, p_actor, p_payload);
    PERFORM doors._save(r);
    RETURN doors._with_hints(doors._told(r), doors._ask_branches(
        p_run, p_kind, p_actor, doors._asked_through(p_run, doors._facts(p_payload))));
END $$;

-- The run, of which this was asked; one that rests wakes to heed it.
CREATE FUNCTION doors._with_request(r engine_run, p_kind text, p_actor text, p_payload bytea)
RETURNS engine_run
LANGUAGE plpgsql AS $$
BEGIN
    r := doors._append(r, p_kind, p_actor, p_payload);
    IF r.wake_at IS NOT NULL OR NOT (r.status = ANY (doors._working())) THEN
        r.wake_at := clock_timestamp();
    END IF;
    RETURN r;
END $$;

CREATE FUNCTION doors._must_be_askable(r engine_run, p_kind text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_why_not text := doors._why_not_ask(r, p_kind);
BEGIN
    PERFORM doors._must_follow_a_workflow(r);
    IF doors._is_terminal(r.status) THEN
        PERFORM doors._refuse('terminal', format('the run has ended: %s', r.status));
    END IF;
    IF v_why_not IS NOT NULL THEN
        PERFORM doors._refuse('conflict', v_why_not);
    END IF;
END $$;

CREATE FUNCTION doors._why_not_ask(r engine_run, p_kind text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF p_kind = 'pause_requested' AND r.status = 'paused' THEN
        RETURN 'the run stands still already';
    END IF;
    IF p_kind = 'cancel_requested'
       AND (doors._is_being_rolled_back(r) OR r.reason_code = 'rollback_failed') THEN
        RETURN 'the run is being rolled back; that is its end';
    END IF;
    RETURN NULL;
END $$;

-- What is asked of a run is asked of its branches that live, and of theirs. Gives those that heard.
CREATE FUNCTION doors._ask_branches(p_run uuid, p_kind text, p_actor text, p_payload bytea)
RETURNS uuid[]
LANGUAGE plpgsql AS $$
DECLARE c engine_run; v_run uuid; v_heard uuid[] := '{}';
BEGIN
    FOR v_run IN SELECT run_id FROM engine_run WHERE parent_id = p_run AND ended_at IS NULL
                 ORDER BY run_id LOOP
        c := doors._locked(v_run);
        IF doors._hears(c, p_kind, doors._facts(p_payload)->>'through') THEN
            PERFORM doors._save(doors._with_request(c, p_kind, p_actor, p_payload));
            v_heard := v_heard || v_run;
        END IF;
        v_heard := v_heard || doors._ask_branches(v_run, p_kind, p_actor, p_payload);
    END LOOP;
    RETURN v_heard;
END $$;

-- What a branch's log keeps of what was asked of the run above: who asked, why, and of which run.
CREATE FUNCTION doors._asked_through(p_run uuid, p json) RETURNS bytea
LANGUAGE sql STABLE AS $$
    SELECT convert_to(json_build_object(
        'person', p->'person', 'person_name', p->'person_name', 'reason', p->>'reason',
        'through', p_run)::text, 'UTF8')
$$;

-- Does it concern this branch? To go on concerns only one that stands still, or is to, because
-- the same run was asked to: one that a person has to look at waits for that person.
CREATE FUNCTION doors._hears(c engine_run, p_kind text, p_through text) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT NOT doors._is_terminal(c.status) AND CASE
        WHEN p_kind = 'resume_requested' THEN
            (c.status <> 'paused' OR c.reason_code = 'operator') AND coalesce((
                SELECT kind = 'pause_requested' AND doors._facts(payload)->>'through' = p_through
                FROM engine_event WHERE run_id = c.run_id
                  AND kind IN ('pause_requested', 'resume_requested')
                ORDER BY seq DESC LIMIT 1), false)
        ELSE doors._why_not_ask(c, p_kind) IS NULL END
$$;

-- The installation's own logs are runs that no worker takes up: nothing is asked of them.
CREATE FUNCTION doors._must_follow_a_workflow(r engine_run) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF r.workflow LIKE 'system.%' THEN
        PERFORM doors._refuse('conflict', 'this is a log of the installation, not a run');
    END IF;
END $$;

-- An operator gives a run another budget; one that stands still for want of it goes on. What a
-- branch gets more, the runs above it get more (`p_above`: run, budget it had, budget it has then,
-- the upmost first): together they never have more than what the upmost has.
CREATE FUNCTION doors.raise_budget(p_run uuid, p_actor text, p_payload bytea, p_above json)
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run; p json := doors._facts(p_payload); a json;
BEGIN
    PERFORM doors._must_operate((p->>'person')::bigint);
    FOR a IN SELECT json_array_elements(p_above) LOOP
        PERFORM doors._raise_above((a->>'run_id')::uuid, p_run, p_actor, p, a);
    END LOOP;
    r := doors._locked(p_run);
    PERFORM doors._must_follow_a_workflow(r);
    PERFORM doors._must_have_had(r, p->'had');
    PERFORM doors._must_not_be_lowered(r, (p->'budget')::jsonb);
    r := doors._append(r, 'budget_raised', p_actor, p_payload);
    r.budget := (p->'budget')::jsonb;
    IF r.status = 'paused' AND r.reason_code = 'budget_exhausted' THEN
        r.wake_at := clock_timestamp();
    END IF;
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- The budget of a run and of those that it is a branch of, the upmost first.
CREATE FUNCTION doors.budgets_above(p_run uuid) RETURNS json
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE above AS (
        SELECT run_id, parent_id, budget, 1 AS height FROM engine_run WHERE run_id = p_run
        UNION ALL
        SELECT u.run_id, u.parent_id, u.budget, height + 1
        FROM above JOIN engine_run u ON u.run_id = above.parent_id)
    SELECT coalesce(json_agg(json_build_object('run_id', run_id, 'budget', budget)
                             ORDER BY height DESC), '[]'::json) FROM above
$$;

CREATE FUNCTION doors._raise_above(p_run uuid, p_branch uuid, p_actor text, p json, a json)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run);
BEGIN
    PERFORM doors._must_have_had(r, a->'had');
    r := doors._append(r, 'budget_raised', p_actor, convert_to(json_build_object(
        'person', p->'person', 'person_name', p->'person_name', 'reason', p->>'reason',
        'had', a->'had', 'budget', a->'budget', 'for_branch', p_branch)::text, 'UTF8'));
    r.budget := (a->'budget')::jsonb;
    PERFORM doors._save(r);
END $$;

-- The new limits were made from those that the run had when it was looked at.
CREATE FUNCTION doors._must_have_had(r engine_run, p_had json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF r.budget IS DISTINCT FROM p_had::jsonb THEN
        PERFORM doors._refuse('conflict', 'the budget has changed since it was looked at');
    END IF;
END $$;

-- What branches live on is not taken away from under them.
CREATE FUNCTION doors._must_not_be_lowered(r engine_run, p_budget jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF doors._has_live_branches(r.run_id) AND EXISTS (
        SELECT 1 FROM jsonb_each_text(p_budget) n
        WHERE n.value::numeric < coalesce((r.budget->>n.key)::numeric, 'infinity')) THEN
        PERFORM doors._refuse('conflict', 'branches of this run live on its budget: it is not lowered under them');
    END IF;
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
    PERFORM doors._end_of_drawn(o, p_actor, 'withdrawn');
    UPDATE engine_effect SET status = 'failed', outcome = 'not_sent', updated_at = r.last_at
    WHERE proposal_id = o.proposal_id AND proposal_version = o.version AND status = 'prepared';
    RETURN doors._finished(r, p_checkpoint);
END $$;
