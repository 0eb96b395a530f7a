-- JSON values too large to stand in events and checkpoints: stored once, under the SHA-256 of
-- their bytes. What names one is a reference: {"$value": "sha256:…", "bytes": n}.

-- Keep values; keeping one twice is keeping it once. In order, so that two who keep the same ones
-- wait for each other in one direction.
CREATE FUNCTION doors._keep_values(p_values bytea[]) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO engine_value (digest, body, kept_at)
    SELECT sha256(v), v, clock_timestamp() FROM unnest(p_values) v ORDER BY 1
    ON CONFLICT DO NOTHING
$$;

-- Refuse unless every value that this JSON names is kept here.
CREATE FUNCTION doors._must_be_kept(p_text text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_missing text;
BEGIN
    SELECT m[1] INTO v_missing
    FROM regexp_matches(p_text, '"\$value":"sha256:([0-9a-f]{64})"', 'g') m
    WHERE NOT EXISTS (SELECT 1 FROM engine_value WHERE digest = decode(m[1], 'hex')) LIMIT 1;
    IF FOUND THEN
        PERFORM doors._refuse('damaged', format('the value sha256:%s is not kept here', v_missing));
    END IF;
END $$;

-- The bytes of a value; NULL when it is not kept here.
CREATE FUNCTION doors.value_body(p_digest bytea) RETURNS bytea
LANGUAGE sql STABLE AS $$ SELECT body FROM engine_value WHERE digest = p_digest $$;
