-- Branches: runs that another run has started and waits for. Where rows of several runs of one
-- tree are locked, the upper one is locked before the lower ones.

-- A run, the one that it is a branch of or that it takes back, and so on to the top.
CREATE FUNCTION doors._line(p_run uuid) RETURNS SETOF engine_run
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE line AS (
        SELECT * FROM engine_run WHERE run_id = p_run
        UNION ALL
        SELECT above.* FROM line JOIN engine_run above ON above.run_id = coalesce(
            line.parent_id,
            CASE WHEN line.workflow = 'rollback' THEN (line.labels->>'rolls_back')::uuid END))
    SELECT * FROM line
$$;

-- A run, its branches, theirs, and so on.
CREATE FUNCTION doors._tree(p_run uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE tree AS (
        SELECT p_run AS run_id
        UNION ALL
        SELECT below.run_id FROM tree JOIN engine_run below ON below.parent_id = tree.run_id)
    SELECT run_id FROM tree
$$;

-- A run goes on and ends only after its branches: those that live are of the wait it is in.
CREATE FUNCTION doors._has_live_branches(p_run uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM engine_run WHERE parent_id = p_run AND ended_at IS NULL)
$$;

-- A worker has its run branch. All branches are accepted and the wait for them begins in this one
-- commit; who started them, and the labels, are the run's own.
CREATE FUNCTION doors.begin_branches(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[], p_branches json) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
    b json;
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    r := doors._append(r, 'branches_begun', p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    INSERT INTO engine_wait (wait_id, run_id, what, until, begun_at)
    VALUES ((p->>'wait_id')::uuid, p_run, 'branches', (p->>'until')::timestamptz, r.last_at);
    FOR b IN SELECT json_array_elements(p_branches) LOOP
        PERFORM doors._must_not_go_in_circles(p_run, b->'accepted'->>'workflow');
        PERFORM doors.start_run((b->>'run_id')::uuid, p_actor, doors._as_branch(r, b), b->'checkpoint');
    END LOOP;
    RETURN doors._finished(r, p_checkpoint);
END $$;

-- A workflow that comes again below itself would branch without an end.
CREATE FUNCTION doors._must_not_go_in_circles(p_run uuid, p_workflow text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM doors._line(p_run) WHERE workflow = p_workflow) THEN
        PERFORM doors._refuse('conflict', format('a run of %s is branching already: below itself '
            'a workflow is not started again', p_workflow));
    END IF;
END $$;

-- The first event of a branch: what the worker made, and what it has from the run above.
CREATE FUNCTION doors._as_branch(r engine_run, b json) RETURNS bytea
LANGUAGE sql STABLE AS $$
    SELECT convert_to(json_build_object(
        'workflow', a->>'workflow', 'workflow_version', a->'workflow_version',
        'node', a->>'node', 'state', a->'state', 'searchable', a->'searchable',
        'stands_on', a->'stands_on', 'budget', a->'budget', 'inherited', a->'inherited',
        'labels', r.labels,
        'initiator', r.initiator, 'initiator_person', r.initiator_person_id,
        'parent', r.run_id, 'branch', b->>'branch')::text, 'UTF8')
    FROM (SELECT b->'accepted' AS a) made
$$;

-- Park a run that waits for its branches. When none lives any more nothing is written: the worker
-- looks again.
CREATE FUNCTION doors.park_for_branches(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._held(p_run, p_token);
BEGIN
    IF NOT doors._has_live_branches(p_run) THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    RETURN doors.move_run(p_run, p_token, p_folded, 'run_parked', p_actor, p_payload, p_checkpoint,
                          p_values);
END $$;

-- A branch ends. The last one to do so makes the wait of the run above joinable, and tells which
-- run that is. Its run's row is not locked from here, only its wait: two that end at once do so
-- one after the other, and the second one sees the first.
CREATE FUNCTION doors._made_joinable(r engine_run) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE w engine_wait;
BEGIN
    SELECT * INTO w FROM engine_wait WHERE run_id = r.parent_id AND what = 'branches'
    ORDER BY begun_at DESC LIMIT 1 FOR UPDATE;
    IF EXISTS (SELECT 1 FROM engine_run WHERE parent_id = r.parent_id AND ended_at IS NULL
               AND run_id <> r.run_id) THEN
        RETURN NULL;
    END IF;
    UPDATE engine_wait SET joinable_at = r.last_at WHERE wait_id = w.wait_id;
    RETURN r.parent_id;
END $$;

-- How these runs have ended: status and reason by run.
CREATE FUNCTION doors.ends_of_branches(p_runs uuid[]) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_object_agg(run_id, json_build_object(
        'status', status, 'reason_code', reason_code, 'ended', ended_at IS NOT NULL)), '{}'::json)
    FROM engine_run WHERE run_id = ANY (p_runs)
$$;

-- Join: the run has what its branches have come to, and may go on.
CREATE FUNCTION doors.join_branches(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    PERFORM doors._must_be_without_branches(r);
    r := doors._append(r, 'branches_joined', p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    UPDATE engine_wait SET over_at = coalesce(over_at, r.last_at), joinable_at = NULL
    WHERE wait_id = (p->>'wait_id')::uuid;
    RETURN doors._finished(r, p_checkpoint);
END $$;

CREATE FUNCTION doors._must_be_without_branches(r engine_run) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF doors._has_live_branches(r.run_id) THEN
        PERFORM doors._refuse('conflict', 'a branch of this run is still under way');
    END IF;
END $$;

-- The time of a run's branches is up: those that live are asked to end.
CREATE FUNCTION doors.recall_branches(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._held(p_run, p_token);
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    r := doors._append(r, 'branches_recalled', p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    RETURN doors._with_hints(doors._finished(r, p_checkpoint), doors._ask_branches(
        p_run, 'cancel_requested', p_actor, doors._asked_through(p_run, doors._facts(p_payload))));
END $$;
