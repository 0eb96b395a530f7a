-- Whoever decides may have the premises of an open version read again before they do.

-- Somebody asks that; a worker does it. Refused while it was asked a moment ago: reading is the
-- target's work.
CREATE FUNCTION doors.ask_premises(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked(p_run);
    p json := doors._facts(p_payload);
    o engine_proposal := doors._version(p_run, p);
    v_why_not text := doors._why_not_counted((p->>'person')::bigint, o.id);
    v_last timestamptz;
BEGIN
    IF v_why_not IS NOT NULL THEN
        PERFORM doors._refuse('not_permitted', v_why_not);
    END IF;
    IF o.status <> 'open' OR o.valid_until <= clock_timestamp() THEN
        PERFORM doors._refuse('conflict', 'it is no longer open');
    END IF;
    SELECT max(at) INTO v_last FROM engine_event
    WHERE run_id = p_run AND kind = 'premises_asked' AND at > clock_timestamp() - interval '1 day';
    IF v_last + (p->>'at_most_every')::float * interval '1 s' > clock_timestamp() THEN
        PERFORM doors._refuse('too_early', doors._instant(v_last));
    END IF;
    r := doors._append(r, 'premises_asked', p_actor, p_payload);
    r.wake_at := doors._awake(r);
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;
