-- Facts that a person must acknowledge.

-- A worker raises an alert about the run it holds.
CREATE FUNCTION doors.raise_alert(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json)
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    r := doors._append(r, 'alert_raised', p_actor, p_payload);
    r.state_version := r.state_version + 1;
    INSERT INTO engine_alert (alert_id, run_id, effect_id, kind, status, summary, details,
                              raised_at)
    VALUES ((p->>'alert_id')::uuid, p_run, (p->>'effect_id')::uuid, p->>'kind', 'open',
            p->>'summary', (p->'details')::jsonb, r.last_at);
    PERFORM doors._save(r);
    PERFORM doors._checkpoint(r, p_checkpoint);
    RETURN doors._told(r);
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
