-- Facts that a person must acknowledge.

-- A worker raises an alert about the run it holds.
CREATE FUNCTION doors.raise_alert(
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
    r := doors._append(r, 'alert_raised', p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    PERFORM doors._raise(r, p);
    RETURN doors._finished(r, p_checkpoint);
END $$;

-- A new alert; or, when the same is not resolved yet, that one again: open, and counted.
CREATE FUNCTION doors._raise(r engine_run, p json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE engine_alert SET status = 'open', times = times + 1, summary = p->>'summary',
        details = (p->'details')::jsonb
    WHERE run_id = r.run_id AND kind = p->>'kind' AND status <> 'resolved'
      AND effect_id IS NOT DISTINCT FROM (p->>'effect_id')::uuid;
    IF NOT FOUND THEN
        INSERT INTO engine_alert (alert_id, run_id, effect_id, kind, status, summary, details,
                                  raised_at, times)
        VALUES ((p->>'alert_id')::uuid, r.run_id, (p->>'effect_id')::uuid, p->>'kind', 'open',
                p->>'summary', (p->'details')::jsonb, r.last_at, 1);
    END IF;
END $$;

-- A person takes an alert on: the cause, the next step, and until when.
CREATE FUNCTION doors.acknowledge_alert(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); p json := doors._facts(p_payload);
BEGIN
    PERFORM doors._must_operate((p->>'person')::bigint);
    PERFORM doors._alert_moves(p_run, (p->>'alert_id')::uuid, 'acknowledged');
    r := doors._append(r, 'alert_acknowledged', p_actor, p_payload);
    UPDATE engine_alert SET status = 'acknowledged', acknowledged_by = p->>'person_name',
        acknowledged_at = r.last_at, cause = p->>'cause', next_step = p->>'next_step',
        due_at = (p->>'due_at')::timestamptz
    WHERE alert_id = (p->>'alert_id')::uuid AND status = 'open';
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- Acknowledged alerts whose time has passed, the longest overdue first.
CREATE FUNCTION doors.overdue_alerts(p_limit int) RETURNS TABLE (run uuid, alert uuid)
LANGUAGE sql STABLE AS $$
    SELECT run_id, alert_id FROM engine_alert
    WHERE status = 'acknowledged' AND due_at <= clock_timestamp()
    ORDER BY due_at LIMIT p_limit
$$;

-- What was promised has not come in time: the alert is open again, and nobody answers for it.
-- False when there is time left, or when it is acknowledged no longer.
CREATE FUNCTION doors.reopen_alert_if_overdue(p_run uuid, p_alert uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); a engine_alert;
BEGIN
    SELECT * INTO a FROM engine_alert WHERE alert_id = p_alert AND run_id = p_run FOR UPDATE;
    IF NOT FOUND OR a.status <> 'acknowledged' OR a.due_at > clock_timestamp() THEN
        RETURN false;
    END IF;
    PERFORM doors._alert_moves(p_run, p_alert, 'open');
    r := doors._append(r, 'alert_reopened', 'system:sweep', convert_to(json_build_object(
        'alert_id', a.alert_id, 'acknowledged_by', a.acknowledged_by,
        'due_at', doors._instant(a.due_at))::text, 'UTF8'));
    UPDATE engine_alert SET status = 'open' WHERE alert_id = p_alert AND status = 'acknowledged';
    PERFORM doors._save(r);
    RETURN true;
END $$;

-- A person says that an acknowledged alert is dealt with, and how.
CREATE FUNCTION doors.resolve_alert(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); p json := doors._facts(p_payload);
BEGIN
    PERFORM doors._must_operate((p->>'person')::bigint);
    PERFORM doors._alert_moves(p_run, (p->>'alert_id')::uuid, 'resolved');
    r := doors._append(r, 'alert_resolved', p_actor, p_payload);
    UPDATE engine_alert SET status = 'resolved', resolved_by = p->>'person_name',
        resolved_at = r.last_at, resolution = p->>'resolution'
    WHERE alert_id = (p->>'alert_id')::uuid AND status = 'acknowledged';
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

CREATE FUNCTION doors._alert_moves(p_run uuid, p_alert uuid, p_new text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_status text;
BEGIN
    SELECT status INTO v_status FROM engine_alert WHERE alert_id = p_alert AND run_id = p_run;
    IF NOT FOUND THEN
        PERFORM doors._refuse('not_found', 'there is no such alert');
    END IF;
    PERFORM doors._must_move('alert', v_status, p_new);
END $$;

-- Keep raw evidence under the SHA-256 of its bytes; keeping it twice is keeping it once.
CREATE FUNCTION doors.keep_evidence(p_media_type text, p_body bytea) RETURNS text
LANGUAGE sql AS $$
    INSERT INTO engine_evidence (sha256, media_type, body, kept_at)
    VALUES (encode(sha256(p_body), 'hex'), p_media_type, p_body, clock_timestamp())
    ON CONFLICT DO NOTHING;
    SELECT encode(sha256(p_body), 'hex');
$$;

-- Raw evidence by its address; NULL when there is none.
CREATE FUNCTION doors.evidence_body(p_sha256 text) RETURNS bytea
LANGUAGE sql STABLE AS $$ SELECT body FROM engine_evidence WHERE sha256 = p_sha256 $$;
