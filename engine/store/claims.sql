-- Claims: who is looking at an open proposal version. A claim is a notice to the others for a while,
-- by the database's clock. It gives no authority and takes none: `doors.decide` never asks for it.

-- The claim that holds on a version now; NULL without one. It ends by itself: with its time, with
-- the version, with its holder's own word, and with their authority to give it.
CREATE FUNCTION doors._claim_on(o engine_proposal) RETURNS engine_claim
LANGUAGE sql STABLE AS $$
    SELECT c FROM engine_claim c
    WHERE c.proposal_id = o.id AND c.released_at IS NULL AND c.until > clock_timestamp()
      AND NOT EXISTS (SELECT 1 FROM engine_decision d
                      WHERE d.proposal_id = o.id AND d.person_id = c.person_id)
      AND doors._why_not_counted(c.person_id, o.id) IS NULL
$$;

-- Claim a version, renew one's own claim, or take over the claim of exactly the person named in
-- `from`. Whoever may not decide it may not claim it.
CREATE FUNCTION doors.claim_proposal(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked(p_run);
    p json := doors._facts(p_payload);
    o engine_proposal := doors._version(p_run, p);
    c engine_claim;
BEGIN
    PERFORM doors._must_be_claimable(o, (p->>'person')::bigint);
    c := doors._claim_on(o);
    IF c.person_id = (p->>'person')::bigint THEN
        c.from_person_id := NULL;
    ELSE
        PERFORM doors._must_be_free_for(c, (p->>'from')::bigint);
        c.from_person_id := c.person_id;
    END IF;
    r := doors._append(r, 'proposal_claimed', p_actor, doors._of_version(o, jsonb_build_object(
        'person', p->'person', 'person_name', p->>'person_name', 'seconds', p->'seconds',
        'from', c.from_person_id,
        'from_name', CASE WHEN c.from_person_id IS NOT NULL THEN c.person_name END)));
    INSERT INTO engine_claim (proposal_id, person_id, person_name, from_person_id, from_name,
                              claimed_at, until)
    VALUES (o.id, (p->>'person')::bigint, p->>'person_name', c.from_person_id,
            CASE WHEN c.from_person_id IS NOT NULL THEN c.person_name END, r.last_at,
            r.last_at + make_interval(secs => (p->>'seconds')::float8))
    ON CONFLICT (proposal_id) DO UPDATE SET
        person_id = excluded.person_id, person_name = excluded.person_name,
        from_person_id = excluded.from_person_id, from_name = excluded.from_name,
        claimed_at = excluded.claimed_at, until = excluded.until, released_at = NULL;
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- Open, in time, and undecided by who may decide it.
CREATE FUNCTION doors._must_be_claimable(o engine_proposal, p_person bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_why_not text := doors.why_not_decide(p_person, o.id);
BEGIN
    IF v_why_not IS NOT NULL THEN
        PERFORM doors._refuse('not_permitted', v_why_not);
    END IF;
    IF o.status <> 'open' THEN
        PERFORM doors._refuse('conflict', format('this version is %s', o.status));
    END IF;
    IF o.valid_until <= clock_timestamp() THEN
        PERFORM doors._refuse('expired', doors._instant(o.valid_until));
    END IF;
    PERFORM doors._must_be_heard_first(o, p_person);
END $$;

-- Nobody holds it, or it is taken over from the one who does: from nobody else, and not unawares.
CREATE FUNCTION doors._must_be_free_for(c engine_claim, p_from bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF c.person_id IS NOT NULL AND c.person_id IS DISTINCT FROM p_from THEN
        PERFORM doors._refuse('claimed', format('%s|%s', c.person_name, doors._instant(c.until)));
    END IF;
END $$;

-- Let go of one's own claim.
CREATE FUNCTION doors.release_claim(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked(p_run);
    p json := doors._facts(p_payload);
    o engine_proposal := doors._version(p_run, p);
BEGIN
    IF o.status IS DISTINCT FROM 'open'
       OR (doors._claim_on(o)).person_id IS DISTINCT FROM (p->>'person')::bigint THEN
        PERFORM doors._refuse('conflict', 'there is no claim of yours');
    END IF;
    r := doors._append(r, 'claim_released', p_actor, doors._of_version(o,
        jsonb_build_object('person', p->'person', 'person_name', p->>'person_name')));
    UPDATE engine_claim SET released_at = r.last_at WHERE proposal_id = o.id;
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;
