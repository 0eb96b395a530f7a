-- Standing exemptions: an approval given beforehand, of a class of requests instead of one. Who gives
-- one, and what ends it; what it lets through is in `exempting.sql`. Whoever locks a run and exemptions
-- locks the run first, then the exemptions in the order of their ids, and then the day's log of them.

-- What no exemption is for, whoever would give it; NULL where nothing is against it.
CREATE FUNCTION doors._why_never(p_risk text, p_rollback text, p_rule jsonb, p_secrets boolean)
RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN (p_risk IN ('low', 'medium')) IS NOT TRUE THEN 'its risk is high'
        WHEN coalesce(p_rollback, 'none') = 'none' THEN 'nothing takes it back'
        WHEN (p_rule->>'wait_seconds')::int IS DISTINCT FROM 0 THEN 'its rule gives time to think'
        WHEN (p_rule->>'fresh_rehearsal')::boolean IS DISTINCT FROM false
            THEN 'its rule demands a fresh rehearsal'
        WHEN p_secrets IS DISTINCT FROM false THEN 'its arguments have secrets'
    END
$$;

-- What was shown of an exemption, and approved: whatever it lets is read from these bytes.
CREATE FUNCTION doors._shown(x engine_exemption) RETURNS json
LANGUAGE sql IMMUTABLE AS $$ SELECT doors._facts(x.content) $$;

-- The rule that it was given under; its approvals are counted by that.
CREATE FUNCTION doors._rule_of_exemption(x engine_exemption) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$ SELECT (doors._shown(x)->'rule')::jsonb $$;

-- Refuse unless the stored bytes, the stored digest and the digest in hand are all the same.
CREATE FUNCTION doors._must_be_as_shown(x engine_exemption, p_digest text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_digest IS DISTINCT FROM x.digest OR NOT doors._is_as_shown(x) THEN
        PERFORM doors._refuse('digest_mismatch', 'this is not the exemption that was shown');
    END IF;
END $$;

CREATE FUNCTION doors._is_as_shown(x engine_exemption) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(x.digest = encode(sha256(x.content), 'hex'), false)
$$;

-- Whether those who approved exactly this exemption, with a second factor where its rule takes one,
-- and still may, are enough by its rule; where a proposal is named, whoever may not decide that one
-- does not count.
CREATE FUNCTION doors._is_given(x engine_exemption, p_proposal uuid DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE v_rule jsonb := doors._rule_of_exemption(x);
BEGIN
    RETURN doors._suffice(v_rule->'groups', ARRAY(
        SELECT v.person_id FROM engine_voice v
        WHERE v.exemption_id = x.id AND v.digest = x.digest
          AND (v.step_up_id IS NOT NULL OR v_rule->>'step_up' = 'none')
          AND v.person_id <> x.proposed_by_id AND CASE WHEN p_proposal IS NULL
              THEN doors._why_not_counted_for(v.person_id, x)
              ELSE doors._why_not_counted(v.person_id, p_proposal) END IS NULL));
END $$;

-- Why this person does not approve this exemption now; NULL when they may. The one rule for all
-- routes: their word counts for it, and they are not to rest first.
CREATE FUNCTION doors.why_not_exempt(p_person bigint, p_exemption uuid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE x engine_exemption; s json;
BEGIN
    SELECT * INTO x FROM engine_exemption WHERE id = p_exemption;
    s := doors._shown(x);
    RETURN coalesce(doors._why_not_counted_for(p_person, x),
                    doors._why_to_rest(p_person, s->'rule'->>'training', s->>'action'));
END $$;

-- Why this person's word does not count for this exemption: they could not decide what it is for, they
-- proposed it, or the agent is theirs.
CREATE FUNCTION doors._why_not_counted_for(p_person bigint, x engine_exemption) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE s json := doors._shown(x);
BEGIN
    IF (s->'proposed_by'->>0)::bigint IS NOT DISTINCT FROM p_person OR x.proposed_by_id = p_person THEN
        RETURN 'who proposed it never approves it';
    END IF;
    IF EXISTS (SELECT 1 FROM engine_run WHERE initiator = s->>'agent'
               AND initiator_person_id = p_person) THEN
        RETURN 'whose agent it is never approves it';
    END IF;
    RETURN doors._why_without_authority(p_person, ARRAY(
        SELECT g->>'name' FROM json_array_elements(s->'rule'->'groups') g),
        s->'rule'->>'training', s->>'action');
END $$;

-- An administrator proposes an exemption. It lets nothing through until those approve it who could
-- decide what it is for.
CREATE FUNCTION doors.propose_exemption(p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE p json := doors._facts(p_payload); x engine_exemption; s json; v_never text;
BEGIN
    PERFORM doors._must_administer((p->>'person')::bigint);
    x.content := convert_to(p->>'content', 'UTF8');
    s := doors._shown(x);
    PERFORM doors._must_be_the_rule_now(s);
    v_never := doors._why_never(s->>'risk', s->'rollback'->>'kind', (s->'rule')::jsonb,
                                (s->>'secrets')::boolean);
    IF v_never IS NOT NULL THEN
        PERFORM doors._refuse('not_permitted', v_never);
    END IF;
    INSERT INTO engine_exemption (id, content, digest, action, action_version, agent, risk, uses, used,
                                  one_in, until, status, proposed_by_id, proposed_by_name, proposed_at)
    VALUES ((s->>'id')::uuid, x.content, encode(sha256(x.content), 'hex'), s->>'action',
            (s->>'version')::int, s->>'agent', s->>'risk', (s->>'uses')::int, 0,
            (s->>'one_in')::int, (s->>'until')::timestamptz, 'proposed', (p->>'person')::bigint,
            p->>'person_name', clock_timestamp());
    RETURN doors.note('exemptions', 'exemption_proposed', p_actor, p_payload);
END $$;

-- Refuse unless the rule that was shown is the one in force.
CREATE FUNCTION doors._must_be_the_rule_now(p_shown json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('placet.policy'));
    IF (doors.rule_in_force(p_shown->>'action', p_shown->>'risk')->'rule')::jsonb
       IS DISTINCT FROM (p_shown->'rule')::jsonb THEN
        PERFORM doors._refuse('rule_changed', 'another rule holds for it by now');
    END IF;
END $$;

-- One person's approval of exactly this exemption. With enough of them it stands.
CREATE FUNCTION doors.approve_exemption(p_actor text, p_payload bytea, p_session text) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    p json := doors._facts(p_payload);
    v_person bigint := (p->>'person')::bigint;
    x engine_exemption;
    s engine_stepup;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('placet.stop'));
    x := doors._exemption(p);
    PERFORM doors._must_be_approvable(x, p);
    PERFORM doors._must_have_typed(doors._shown(x)->>'challenge', p);
    s := doors._use_proof(x.id, x.digest, doors._rule_of_exemption(x)->>'step_up', p, p_session);
    INSERT INTO engine_voice (id, exemption_id, person_id, person_name, reason, digest, step_up_id,
                              given_at)
    VALUES ((p->>'voice_id')::uuid, x.id, v_person, p->>'person_name', p->>'reason', p->>'digest',
            s.id, clock_timestamp());
    IF doors._is_given(x) THEN
        PERFORM doors._must_move('exemption', x.status, 'standing');
        UPDATE engine_exemption SET status = 'standing', standing_at = clock_timestamp()
        WHERE id = x.id AND status = x.status;
    END IF;
    RETURN doors.note('exemptions', 'exemption_approved', p_actor, doors._with_step_up(p_payload, s));
END $$;

-- The exemption that a payload names by its `id`, locked.
CREATE FUNCTION doors._exemption(p json) RETURNS engine_exemption
LANGUAGE plpgsql AS $$
DECLARE x engine_exemption;
BEGIN
    SELECT * INTO x FROM engine_exemption WHERE id = (p->>'id')::uuid FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM doors._refuse('not_found', 'there is no such exemption');
    END IF;
    RETURN x;
END $$;

-- Authority, status, digest, end, rule and stop, and that it is this person's first word on it.
CREATE FUNCTION doors._must_be_approvable(x engine_exemption, p json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_why_not text := doors.why_not_exempt((p->>'person')::bigint, x.id);
BEGIN
    IF v_why_not IS NOT NULL THEN
        PERFORM doors._refuse('not_permitted', v_why_not);
    END IF;
    IF x.status <> 'proposed' THEN
        PERFORM doors._refuse('conflict', format('this exemption is %s', x.status));
    END IF;
    PERFORM doors._must_be_as_shown(x, p->>'digest');
    IF (doors._shown(x)->>'until')::timestamptz <= clock_timestamp() THEN
        PERFORM doors._refuse('expired', doors._instant(x.until));
    END IF;
    IF EXISTS (SELECT 1 FROM engine_voice
               WHERE exemption_id = x.id AND person_id = (p->>'person')::bigint) THEN
        PERFORM doors._refuse('conflict', 'you have approved it already');
    END IF;
    IF EXISTS (SELECT 1 FROM engine_stop
               WHERE lifted_at IS NULL AND doors._stops_exemption(scope, x)) THEN
        PERFORM doors._refuse('stopped', 'a stop is in force for what it is for');
    END IF;
    PERFORM doors._must_be_the_rule_now(doors._shown(x));
END $$;

-- Somebody has shown a second factor, to approve exactly this exemption in this session.
CREATE FUNCTION doors.step_up_for_exemption(
    p_actor text, p_payload bytea, p_session text, p_seconds double precision) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    p json := doors._facts(p_payload);
    x engine_exemption := doors._exemption(p);
    s engine_stepup;
BEGIN
    PERFORM doors._must_be_approvable(x, p);
    PERFORM doors._must_have_factor(doors._rule_of_exemption(x)->>'step_up', (p->>'person')::bigint,
                                    p->>'factor');
    s.exemption_id := x.id;
    s.digest := x.digest;
    RETURN doors._keep_proof(s, p_actor, p, p_session, p_seconds);
END $$;

-- One word ends it, with no second person: of an administrator, or of somebody who may decide such a
-- request. What was not approved yet is dropped.
CREATE FUNCTION doors.end_exemption(p_actor text, p_payload bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    p json := doors._facts(p_payload);
    v_person bigint := (p->>'person')::bigint;
    x engine_exemption := doors._exemption(p);
BEGIN
    IF doors._why_not_counted_for(v_person, x) IS NOT NULL THEN
        PERFORM doors._must_administer(v_person);
    END IF;
    IF NOT x.status = ANY (doors._live()) THEN
        PERFORM doors._refuse('conflict', format('this exemption is %s', x.status));
    END IF;
    PERFORM doors._end_exemptions(ARRAY[x.id], p_actor, p->>'person_name', 'revoked', p->>'reason');
END $$;

-- What one that lives comes to when it is ended: what never stood is dropped.
CREATE FUNCTION doors._ended_as(p_status text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE p_status WHEN 'standing' THEN 'ended' ELSE 'dropped' END $$;

-- End those of these that live. All are locked, in one order, before anything is noted.
CREATE FUNCTION doors._end_exemptions(
    p_ids uuid[], p_actor text, p_name text, p_why text, p_reason text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE x engine_exemption; v_status text;
BEGIN
    IF cardinality(p_ids) = 0 THEN
        RETURN;
    END IF;
    PERFORM 1 FROM engine_exemption WHERE id = ANY (p_ids) ORDER BY id FOR UPDATE;
    FOR x IN SELECT * FROM engine_exemption WHERE id = ANY (p_ids) AND status = ANY (doors._live())
             ORDER BY id LOOP
        v_status := doors._ended_as(x.status);
        PERFORM doors._must_move('exemption', x.status, v_status);
        UPDATE engine_exemption SET status = v_status, ended_at = clock_timestamp(),
            ended_by = coalesce(p_name, p_actor), ended_why = p_why, ended_reason = coalesce(p_reason, '')
        WHERE id = x.id AND status = x.status;
        PERFORM doors.note('exemptions', 'exemption_ended', p_actor, convert_to(json_build_object(
            'id', x.id, 'person_name', p_name, 'why', p_why, 'reason', p_reason, 'was', x.status,
            'uses_left', x.uses - x.used)::text, 'UTF8'));
    END LOOP;
END $$;

-- Those that live for this action, by whichever agent.
CREATE FUNCTION doors._exemptions_for(p_action text) RETURNS SETOF engine_exemption
LANGUAGE sql STABLE AS $$
    SELECT * FROM engine_exemption
    WHERE action = p_action AND status = ANY (doors._live())
$$;

-- A stop ends what it covers, and the end of the stop does not bring it back. One for a workflow or a
-- run ends what its agents have there.
CREATE FUNCTION doors._end_of_stopped(p_scope text, p_actor text, p_reason text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM doors._end_exemptions(ARRAY(
        SELECT x.id FROM engine_exemption x
        WHERE status = ANY (doors._live()) AND doors._stops_exemption(p_scope, x)),
        p_actor, NULL, 'stopped', p_reason);
END $$;

CREATE FUNCTION doors._stops_exemption(p_scope text, x engine_exemption) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT p_scope IN ('everything', x.agent, 'action:' || x.action) OR EXISTS (
        SELECT 1 FROM engine_run r WHERE r.initiator = x.agent AND r.ended_at IS NULL
        AND doors._in_scope(p_scope, r, x.action))
$$;

-- Another rule holds for its action now.
CREATE FUNCTION doors._end_under_another_rule(p_actor text, p_name text, p_version int) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM doors._end_exemptions(ARRAY(
        SELECT x.id FROM engine_exemption x WHERE status = ANY (doors._live())
          AND (doors.rule_in_force(x.action, x.risk)->'rule')::jsonb
              IS DISTINCT FROM doors._rule_of_exemption(x)),
        p_actor, p_name, 'rule_changed', format('version %s of the policy', p_version));
END $$;

-- Somebody has rejected what it would have let through.
CREATE FUNCTION doors._end_of_rejected(o engine_proposal, p_actor text, p_name text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM doors._end_exemptions(ARRAY(
        SELECT x.id FROM doors._exemptions_for(o.action) x
        WHERE x.id = o.exemption_id OR doors._takes_in(x, o, o.arguments)),
        p_actor, p_name, 'rejected', 'a request that it is for was rejected');
END $$;

-- What was drawn to be asked of people ends in another way than by their approval.
CREATE FUNCTION doors._end_of_drawn(o engine_proposal, p_actor text, p_how text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF o.drawn THEN
        PERFORM doors._end_exemptions(ARRAY[o.exemption_id], p_actor, NULL, 'not_approved',
            format('what people were asked to look at was %s', p_how));
    END IF;
END $$;

-- One of these effects, which it was for, failed its verification or is taken back.
CREATE FUNCTION doors._end_behind(p_effects uuid[], p_actor text, p_why text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM doors._end_exemptions(ARRAY(
        SELECT DISTINCT o.exemption_id FROM engine_effect e JOIN engine_proposal o
          ON o.proposal_id = e.proposal_id AND o.version = e.proposal_version
        WHERE e.effect_id = ANY (p_effects) AND o.exemption_id IS NOT NULL),
        p_actor, NULL, p_why, 'an effect of a request that it was for');
END $$;
