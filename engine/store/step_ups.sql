-- Second factors: who has one that meets a demand, and the proof that one was shown for an approval.

-- Active people who can meet this demand of a rule; everybody where it demands nothing.
CREATE FUNCTION doors._able_to(p_demand text) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
    SELECT ARRAY(SELECT DISTINCT a.person_id FROM doors.authority a
        WHERE a.active AND (p_demand IS NOT DISTINCT FROM 'none' OR EXISTS (
            SELECT 1 FROM doors.factors f
            WHERE f.person_id = a.person_id AND doors._meets(f.kind, p_demand))))
$$;

-- Whether an approval takes a second factor, by the rule that was shown. One in which it is not said
-- takes it. A rehearsal is of something that is there for it, and its people speak by a command.
CREATE FUNCTION doors._needs_step_up(o engine_proposal) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN doors._rule_of(o)->>'step_up' IS DISTINCT FROM 'none' AND NOT EXISTS (
        SELECT 1 FROM engine_run WHERE run_id = o.run_id AND initiator = 'system:rehearsal');
END $$;

-- Somebody has shown a second factor, to approve exactly what this digest commits to, in this
-- session. That is good for one approval and for so many seconds. The event does not say of which
-- proposal: who decides it blind would know what is coming.
CREATE FUNCTION doors.step_up(
    p_actor text, p_payload bytea, p_session text, p_seconds double precision) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    p json := doors._facts(p_payload);
    v_person bigint := (p->>'person')::bigint;
    r engine_run;
    o engine_proposal;
    s engine_stepup;
    v_why_not text;
BEGIN
    SELECT * INTO o FROM engine_proposal WHERE id = (p->>'id')::uuid;
    IF NOT FOUND THEN
        PERFORM doors._refuse('not_found', 'there is no such proposal');
    END IF;
    SELECT * INTO r FROM engine_run WHERE run_id = o.run_id;
    v_why_not := doors.why_not_decide(v_person, o.id);
    IF v_why_not IS NOT NULL THEN
        PERFORM doors._refuse('not_permitted', v_why_not);
    END IF;
    PERFORM doors._must_be_decidable(r, o, p);
    PERFORM doors._must_have_factor(doors._rule_of(o)->>'step_up', v_person, p->>'factor');
    s.proposal_id := o.id;
    s.digest := o.digest;
    RETURN doors._keep_proof(s, p_actor, p, p_session, p_seconds);
END $$;

-- Keep the proof, of what `s` names already.
CREATE FUNCTION doors._keep_proof(
    s engine_stepup, p_actor text, p json, p_session text, p_seconds double precision) RETURNS json
LANGUAGE plpgsql AS $$
BEGIN
    s.id := (p->>'step_up_id')::uuid;
    s.person_id := (p->>'person')::bigint;
    s.factor := p->>'factor';
    s.session := p_session;
    s.made_at := clock_timestamp();
    s.expires_at := s.made_at + make_interval(secs => p_seconds);
    INSERT INTO engine_stepup SELECT (s).*;
    RETURN doors.note('access', 'stepped_up', p_actor, convert_to(json_build_object(
        'step_up_id', s.id, 'person', s.person_id, 'person_name', p->>'person_name',
        'factor', s.factor, 'until', doors._instant(s.expires_at))::text, 'UTF8'));
END $$;

-- This person has such a factor, and it is one that meets the rule's demand.
CREATE FUNCTION doors._must_have_factor(p_demand text, p_person bigint, p_factor text)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM doors.factors WHERE person_id = p_person AND kind = p_factor)
       OR NOT doors._meets(p_factor, p_demand) THEN
        PERFORM doors._refuse('not_permitted', 'this second factor does not count here');
    END IF;
END $$;

-- The proof that a decision needs, used up. NULL where none is needed.
CREATE FUNCTION doors._use_step_up(o engine_proposal, p json, p_session text)
RETURNS engine_stepup
LANGUAGE plpgsql AS $$
BEGIN
    IF p->>'decision' <> 'approve' OR NOT doors._needs_step_up(o) THEN
        RETURN NULL;
    END IF;
    RETURN doors._use_proof(o.id, o.digest, doors._rule_of(o)->>'step_up', p, p_session);
END $$;

-- The proof that an approval of this needs, used up: of this digest, by this person in this session,
-- not used before and not too old, by a factor that they still have. NULL where nothing is demanded.
CREATE FUNCTION doors._use_proof(
    p_what uuid, p_digest text, p_demand text, p json, p_session text) RETURNS engine_stepup
LANGUAGE plpgsql AS $$
DECLARE s engine_stepup;
BEGIN
    IF p_demand IS NOT DISTINCT FROM 'none' THEN
        RETURN NULL;
    END IF;
    UPDATE engine_stepup SET used_at = clock_timestamp() WHERE id = (
        SELECT x.id FROM engine_stepup x
        JOIN doors.factors f ON f.person_id = x.person_id AND f.kind = x.factor
        WHERE p_what IN (x.proposal_id, x.exemption_id)
          AND x.digest = p_digest AND x.session = p_session
          AND x.person_id = (p->>'person')::bigint AND doors._meets(x.factor, p_demand)
          AND x.used_at IS NULL AND x.expires_at > clock_timestamp()
        ORDER BY x.made_at DESC LIMIT 1)
    RETURNING * INTO s;
    IF NOT FOUND THEN
        PERFORM doors._refuse('step_up_needed', p_demand);
    END IF;
    RETURN s;
END $$;

-- What was said, with the kind and time of the second factor where one was shown for it.
CREATE FUNCTION doors._with_step_up(p_payload bytea, s engine_stepup) RETURNS bytea
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN s.id IS NULL THEN p_payload ELSE convert_to((
        doors._facts(p_payload)::jsonb || jsonb_build_object('step_up', jsonb_build_object(
            'id', s.id, 'factor', s.factor, 'at', doors._instant(s.made_at))))::text, 'UTF8') END
$$;
