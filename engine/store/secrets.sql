-- Values that are used and never shown: encrypted, under their fingerprint.

-- Keep a sealed value; keeping it twice is keeping it once.
CREATE FUNCTION doors.keep_secret(p_fingerprint text, p_sealed bytea) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO engine_secret (fingerprint, sealed, kept_at)
    VALUES (p_fingerprint, p_sealed, clock_timestamp())
    ON CONFLICT DO NOTHING
$$;

-- A sealed value by its fingerprint; NULL when there is none.
CREATE FUNCTION doors.sealed_secret(p_fingerprint text) RETURNS bytea
LANGUAGE sql STABLE AS $$ SELECT sealed FROM engine_secret WHERE fingerprint = p_fingerprint $$;
