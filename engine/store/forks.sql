-- A new run that begins where another one stood.

-- Start a run as a fork of `p_origin`. Refused while the origin has an effect that is not settled:
-- nobody could say whether the new run would repeat it.
CREATE FUNCTION doors.fork_run(
    p_origin uuid, p_run uuid, p_actor text, p_payload bytea, p_checkpoint json, p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_origin); p json := doors._facts(p_payload);
BEGIN
    PERFORM doors._must_operate((p->>'forked_by')::bigint);
    IF r.last_seq <> (p->>'origin_seq')::bigint THEN
        PERFORM doors._refuse('conflict', 'the run has moved on since it was looked at');
    END IF;
    IF EXISTS (SELECT 1 FROM engine_effect WHERE run_id IN (SELECT doors._tree(p_origin))
               AND committed_at IS NULL AND status NOT IN ('failed', 'compensated')) THEN
        PERFORM doors._refuse('conflict', 'an effect of this run is not settled yet');
    END IF;
    RETURN doors.start_run(p_run, p_actor, p_payload, p_checkpoint, p_values);
END $$;

-- The effects of a run and of its branches that were committed after that seq and still stand, the
-- earliest first.
CREATE FUNCTION doors.effects_committed_after(p_run uuid, p_seq bigint) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(json_build_object(
        'effect_id', e.effect_id, 'action', e.action, 'request_hash', e.request_hash,
        'resource_id', e.external_resource_id, 'run', e.run_id,
        'committed_at', doors._instant(e.committed_at)) ORDER BY e.committed_at), '[]'::json)
    FROM engine_effect e
    WHERE e.run_id IN (SELECT doors._tree(p_run)) AND e.status = 'succeeded' AND e.compensates_id IS NULL
      AND e.committed_at > (SELECT at FROM engine_event WHERE run_id = p_run AND seq = p_seq)
$$;
