-- Qualifications: who was trained for which actions, until when, and how much of it in an hour or a
-- day. They give nobody a vote; a rule of the policy can demand one of those who vote.

-- Whether all that the narrow name stands for, the wide one does: each is a name, a beginning of
-- names, or every one.
CREATE FUNCTION doors._covers(p_wide text, p_narrow text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT p_wide IN ('*', p_narrow)
        OR (p_wide LIKE '%.*' AND starts_with(p_narrow, left(p_wide, -1)))
$$;

-- What of somebody's qualifications counts now for this action.
CREATE FUNCTION doors._qualifications(p_person bigint, p_training text, p_action text)
RETURNS SETOF engine_qualification
LANGUAGE sql STABLE AS $$
    SELECT * FROM engine_qualification
    WHERE person_id = p_person AND training = p_training AND withdrawn_at IS NULL
      AND valid_from <= clock_timestamp() AND valid_until > clock_timestamp()
      AND doors._covers(actions, p_action)
$$;

-- Whether somebody has what a rule demands; it may demand nothing.
CREATE FUNCTION doors._is_qualified(p_person bigint, p_training text, p_action text)
RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT p_training IS NULL
        OR EXISTS (SELECT 1 FROM doors._qualifications(p_person, p_training, p_action))
$$;

-- From when on somebody may decide such a thing again; NULL when they may now. A cap counts what they
-- have decided of all that its qualification covers; of several, the most generous holds.
CREATE FUNCTION doors._free_again_at(p_person bigint, p_training text, p_action text)
RETURNS timestamptz
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN bool_and(full_until IS NOT NULL) THEN min(full_until) END
    FROM doors._qualifications(p_person, p_training, p_action) q,
    LATERAL (
        SELECT max(past.decided_at + c.span) AS full_until
        FROM (VALUES (q.most_an_hour, interval '1 hour'),
                     (q.most_a_day, interval '1 day')) AS c(most, span),
        LATERAL (
            SELECT d.decided_at FROM engine_decision d
            JOIN engine_proposal o ON o.id = d.proposal_id
            WHERE d.person_id = p_person AND d.decided_at > clock_timestamp() - c.span
              AND doors._covers(q.actions, o.action)
            ORDER BY d.decided_at DESC OFFSET c.most - 1 LIMIT 1) past
        WHERE c.most IS NOT NULL) full_cap
$$;

-- Somebody's decisions are counted one after the other where a cap may hold.
CREATE FUNCTION doors._count_alone(p_person bigint, p_training text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_training IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock(hashtext('placet.decides'), p_person::int);
    END IF;
END $$;

-- Grant somebody else a qualification.
CREATE FUNCTION doors.grant_qualification(p_actor text, p_payload bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    p json := doors._facts(p_payload);
    v_subject bigint := (p->>'subject')::bigint;
BEGIN
    PERFORM doors._must_administer_another((p->>'person')::bigint, v_subject);
    IF doors._standing_of(v_subject) IS NULL THEN
        PERFORM doors._refuse('not_found', 'there is no such person');
    END IF;
    INSERT INTO engine_qualification (id, person_id, training, actions, most_an_hour, most_a_day,
                                      granted_by_id, granted_by_name, granted_at, valid_from,
                                      valid_until)
    VALUES ((p->>'id')::uuid, v_subject, p->>'training', p->>'actions',
            (p->>'most_an_hour')::int, (p->>'most_a_day')::int, (p->>'person')::bigint,
            p->>'person_name', clock_timestamp(), (p->>'valid_from')::timestamptz,
            (p->>'valid_until')::timestamptz);
    PERFORM doors.note('people', 'qualification_granted', p_actor, p_payload);
END $$;

-- Withdraw somebody else's. What they decided stays; what is not carried out yet is asked anew at
-- the gate.
CREATE FUNCTION doors.withdraw_qualification(p_actor text, p_payload bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE p json := doors._facts(p_payload); q engine_qualification;
BEGIN
    SELECT * INTO q FROM engine_qualification WHERE id = (p->>'id')::uuid FOR UPDATE;
    IF NOT FOUND OR q.person_id <> (p->>'subject')::bigint THEN
        PERFORM doors._refuse('not_found', 'there is no such qualification');
    END IF;
    PERFORM doors._must_administer_another((p->>'person')::bigint, q.person_id);
    IF q.withdrawn_at IS NOT NULL THEN
        PERFORM doors._refuse('conflict', 'it is withdrawn already');
    END IF;
    UPDATE engine_qualification SET withdrawn_at = clock_timestamp(),
        withdrawn_by_name = p->>'person_name' WHERE id = q.id AND withdrawn_at IS NULL;
    PERFORM doors.note('people', 'qualification_withdrawn', p_actor, p_payload);
END $$;
