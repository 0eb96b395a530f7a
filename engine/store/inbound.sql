-- Events from outside, and runs that wait for them or for a time. The name and key of an event
-- belong to one lock, taken before any run's: an arrival and the beginning of a wait for it never
-- miss each other.

CREATE FUNCTION doors._lock_event(p_name text, p_key text) RETURNS void
LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtextextended('placet.event ' || p_name || ' ' || p_key, 0))
$$;

-- A worker has its run wait. What has arrived already is taken here and now, as the next event of
-- the log, which the worker has not folded: it will be told when it wants to park.
CREATE FUNCTION doors.begin_wait(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    p json := doors._facts(p_payload);
    r engine_run;
    v_told json;
BEGIN
    IF p->>'what' = 'event' THEN
        PERFORM doors._lock_event(p->>'name', p->>'key');
    END IF;
    r := doors._held(p_run, p_token);
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    r := doors._append(r, 'wait_begun', p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    INSERT INTO engine_wait (wait_id, run_id, what, name, key, until, begun_at)
    VALUES ((p->>'wait_id')::uuid, p_run, p->>'what', p->>'name', p->>'key',
            (p->>'until')::timestamptz, r.last_at);
    PERFORM doors._checkpoint(r, p_checkpoint);
    v_told := doors._told(r);
    r := doors._with_early_arrival(r, p->>'name', p->>'key');
    PERFORM doors._save(r);
    RETURN v_told;
END $$;

-- The run, with the oldest event of that name and key that is still to come to it: one that has
-- arrived since the run was accepted and that it has not taken, or one that nobody has.
CREATE FUNCTION doors._with_early_arrival(r engine_run, p_name text, p_key text) RETURNS engine_run
LANGUAGE plpgsql AS $$
DECLARE i engine_inboundevent;
BEGIN
    SELECT * INTO i FROM engine_inboundevent e
    WHERE e.name = p_name AND e.key = p_key
      AND NOT EXISTS (SELECT 1 FROM engine_taking
                      WHERE inbound_id = e.id AND run_id = r.run_id)
      AND (e.received_at >= r.created_at
           OR NOT EXISTS (SELECT 1 FROM engine_taking WHERE inbound_id = e.id))
    ORDER BY e.received_at, e.id LIMIT 1;
    IF NOT FOUND THEN
        RETURN r;
    END IF;
    RETURN doors._with_taken(r, i);
END $$;

-- The run, which has waited for this event and now has it.
CREATE FUNCTION doors._with_taken(r engine_run, i engine_inboundevent) RETURNS engine_run
LANGUAGE plpgsql AS $$
BEGIN
    r := doors._append(r, 'event_received', i.sender, doors._arrival(i));
    INSERT INTO engine_taking (inbound_id, run_id, seq) VALUES (i.id, r.run_id, r.last_seq);
    UPDATE engine_wait SET over_at = r.last_at WHERE run_id = r.run_id AND over_at IS NULL;
    r.wake_at := doors._awake(r);
    RETURN r;
END $$;

-- What a log keeps of an event from outside.
CREATE FUNCTION doors._arrival(i engine_inboundevent) RETURNS bytea
LANGUAGE sql STABLE AS $$
    SELECT convert_to(json_build_object(
        'inbound_id', i.id, 'name', i.name, 'key', i.key, 'external_id', i.external_id,
        'received_at', doors._instant(i.received_at), 'payload', i.payload::json)::text, 'UTF8')
$$;

-- An event arrives: every run that waits for it takes it; if none does, it is kept until one will.
-- The same id again changes nothing, whatever it brings.
CREATE FUNCTION doors.deliver_event(
    p_sender text, p_name text, p_key text, p_external_id text, p_payload text, p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE i engine_inboundevent; v_runs uuid[];
BEGIN
    PERFORM doors._lock_event(p_name, p_key);
    INSERT INTO engine_inboundevent (id, name, key, external_id, payload, sender, received_at)
    VALUES (gen_random_uuid(), p_name, p_key, p_external_id, p_payload, p_sender,
            clock_timestamp())
    ON CONFLICT (name, external_id) DO NOTHING RETURNING * INTO i;
    IF NOT FOUND THEN
        RETURN json_build_object('outcome', 'duplicate_ignored', 'runs', '[]'::json);
    END IF;
    IF p_values IS NOT NULL THEN
        PERFORM doors._keep_values(p_values);
    END IF;
    v_runs := doors._taken_by_all(i);
    IF cardinality(v_runs) = 0 THEN
        PERFORM doors.note('inbound', 'event_kept', p_sender, doors._arrival(i));
        RETURN json_build_object('outcome', 'kept', 'runs', '[]'::json);
    END IF;
    RETURN json_build_object('outcome', 'delivered', 'runs', v_runs);
END $$;

-- Give the event to every run that waits for it, and tell which. Each run's row is locked first;
-- then it is asked whether it still waits, and whether its time was not yet over.
CREATE FUNCTION doors._taken_by_all(i engine_inboundevent) RETURNS uuid[]
LANGUAGE plpgsql AS $$
DECLARE r engine_run; v_run uuid; v_runs uuid[] := '{}';
BEGIN
    FOR v_run IN
        SELECT run_id FROM engine_wait
        WHERE what = 'event' AND name = i.name AND key = i.key AND over_at IS NULL
        ORDER BY run_id
    LOOP
        r := doors._locked(v_run);
        IF doors._waits_for(v_run, i) THEN
            PERFORM doors._save(doors._with_taken(r, i));
            v_runs := v_runs || v_run;
        END IF;
    END LOOP;
    RETURN v_runs;
END $$;

CREATE FUNCTION doors._waits_for(p_run uuid, i engine_inboundevent) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT 1 FROM engine_wait
        WHERE run_id = p_run AND what = 'event' AND name = i.name AND key = i.key
          AND over_at IS NULL AND until > i.received_at)
$$;

-- The run, its wait ended if its time has come or has run out: by the database's clock. Branches
-- that had all ended by then were in time, however late a worker comes by.
CREATE FUNCTION doors._without_elapsed_wait(r engine_run) RETURNS engine_run
LANGUAGE plpgsql AS $$
DECLARE w engine_wait;
BEGIN
    SELECT * INTO w FROM engine_wait
    WHERE run_id = r.run_id AND over_at IS NULL AND until <= clock_timestamp()
      AND (joinable_at IS NULL OR joinable_at > until);
    IF NOT FOUND THEN
        RETURN r;
    END IF;
    r := doors._append(r, 'wait_elapsed', 'system:worker', convert_to(
        json_build_object('wait_id', w.wait_id, 'what', w.what, 'name', w.name, 'key', w.key,
                          'until', doors._instant(w.until))::text, 'UTF8'));
    UPDATE engine_wait SET over_at = r.last_at WHERE wait_id = w.wait_id;
    RETURN r;
END $$;
