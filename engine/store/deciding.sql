-- Decisions: who may decide, what has to be so for a decision to be heard, and what it comes to.

-- Why this person may not decide this proposal now; NULL when they may. The one rule for all
-- routes: it has authority to count, and is not to rest first. What was decided before a rest counts
-- during it.
CREATE FUNCTION doors.why_not_decide(p_person bigint, p_proposal uuid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce(doors._why_not_counted(p_person, p_proposal), (
        SELECT doors._why_to_rest(p_person, training, action)
        FROM engine_proposal WHERE id = p_proposal));
END $$;

-- That somebody has decided as many as they may for now, and until when; NULL where they have not.
CREATE FUNCTION doors._why_to_rest(p_person bigint, p_training text, p_action text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE v_again timestamptz;
BEGIN
    IF p_training IS NOT NULL THEN
        v_again := doors._free_again_at(p_person, p_training, p_action);
    END IF;
    RETURN 'who has decided so many rests until ' || doors._instant(v_again);
END $$;

-- Why this person decides nothing of this action, whatever it is, that these groups decide and that
-- takes this training (or none); NULL when they may.
CREATE FUNCTION doors._why_without_authority(
    p_person bigint, p_groups text[], p_training text, p_action text) RETURNS text
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM engine_policy WHERE status = 'in_force') THEN
        RETURN 'no policy is in force';
    END IF;
    IF NOT EXISTS (SELECT 1 FROM doors.authority WHERE person_id = p_person AND active) THEN
        RETURN 'this person is not active';
    END IF;
    IF doors._found_in(p_groups, ARRAY[p_person]) = 0 THEN
        RETURN format('only members of "%s" decide this', array_to_string(p_groups, '", "'));
    END IF;
    IF NOT doors._is_qualified(p_person, p_training, p_action) THEN
        RETURN format('only who is qualified by "%s" decides this', p_training);
    END IF;
    RETURN NULL;
END $$;

-- Why this person's word does not count for this proposal now; NULL when it does: active, in one of
-- the groups that decide it, qualified where that is demanded, and neither who started the run or one
-- that it is a branch of, nor who wrote some of what is asked.
CREATE FUNCTION doors._why_not_counted(p_person bigint, p_proposal uuid) RETURNS text
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_why_not text;
BEGIN
    SELECT doors._why_without_authority(p_person, groups, training, action) INTO v_why_not
    FROM engine_proposal WHERE id = p_proposal;
    IF v_why_not IS NOT NULL OR NOT FOUND THEN
        RETURN coalesce(v_why_not, 'there is no such proposal');
    END IF;
    IF EXISTS (SELECT 1 FROM engine_proposal o, doors._line(o.run_id) r
               JOIN engine_event e ON e.run_id = r.run_id AND e.seq = 1
               WHERE o.id = p_proposal AND (r.initiator_person_id = p_person
                                            OR e.actor = 'person:' || p_person)) THEN
        RETURN 'who started it never decides it';
    END IF;
    IF EXISTS (SELECT 1 FROM engine_proposal
               WHERE id = p_proposal AND p_person = ANY (editors)) THEN
        RETURN 'who edited it never decides it';
    END IF;
    RETURN NULL;
END $$;

-- Whether those who approved exactly this digest, with a second factor where it takes one, and still
-- may, are enough by its rule; once it has escalated, whoever it escalated to counts for any group.
CREATE FUNCTION doors._is_approved(o engine_proposal, p_digest text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE v_step_up boolean := doors._needs_step_up(o); v_rule jsonb := doors._rule_of(o);
BEGIN
    RETURN doors._suffice(v_rule->'groups', ARRAY(
        SELECT d.person_id FROM engine_decision d
        WHERE d.proposal_id = o.id AND d.decision = 'approve' AND d.digest = p_digest
          AND (d.step_up_id IS NOT NULL OR NOT v_step_up)
          AND doors._why_not_counted(d.person_id, o.id) IS NULL),
        CASE WHEN o.escalated_at IS NOT NULL THEN doors._fallback_of(v_rule) END);
END $$;

-- What a version has come to with one more decision; NULL while more people have to be heard.
CREATE FUNCTION doors._come_to(o engine_proposal, p_decision text) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT doors._outcome(p_decision) WHERE CASE p_decision
        WHEN 'return' THEN true
        WHEN 'approve' THEN doors._is_approved(o, o.digest)
        ELSE (SELECT count(*) FROM engine_decision WHERE proposal_id = o.id
              AND decision = 'reject') >= (doors._rule_of(o)->>'reject')::int END
$$;

-- One reviewer's word on one proposal version: approve, reject or return.
-- A refusal for want of authority is an event too, and is told as {"refused": why}.
CREATE FUNCTION doors.decide(p_run uuid, p_actor text, p_payload bytea, p_session text)
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked(p_run);
    p json := doors._facts(p_payload);
    o engine_proposal := doors._version(p_run, p);
    s engine_stepup;
    v_why_not text;
    v_status text;
BEGIN
    PERFORM doors._count_alone((p->>'person')::bigint, o.training);
    v_why_not := doors.why_not_decide((p->>'person')::bigint, o.id);
    IF v_why_not IS NOT NULL THEN
        RETURN doors._refused_decision(r, p_actor, p, v_why_not);
    END IF;
    PERFORM doors._must_be_decidable(r, o, p);
    IF p->>'decision' = 'approve' THEN
        PERFORM doors._must_have_typed(doors._facts(o.terms)->>'challenge', p);
    END IF;
    s := doors._use_step_up(o, p, p_session);
    r := doors._append(r, 'decision_made', p_actor, doors._with_step_up(p_payload, s));
    INSERT INTO engine_decision (id, proposal_id, person_id, person_name, decision, reason_code,
                                 reason, digest, seen, step_up_id, decided_at)
    VALUES ((p->>'decision_id')::uuid, o.id, (p->>'person')::bigint, p->>'person_name',
            p->>'decision', p->>'reason_code', p->>'reason', p->>'digest', (p->'seen')::jsonb,
            s.id, r.last_at);
    v_status := doors._come_to(o, p->>'decision');
    IF v_status IS NOT NULL THEN
        r := doors._close_proposal(r, o, v_status, p_actor, p->>'question');
    END IF;
    IF p->>'decision' = 'reject' THEN
        PERFORM doors._end_of_rejected(o, p_actor, p->>'person_name');
    END IF;
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- Version, digest, status, expiry and stop, in the order in which a reviewer wants to be told.
CREATE FUNCTION doors._must_be_decidable(r engine_run, o engine_proposal, p json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF o.exemption_id IS NOT NULL AND NOT o.drawn THEN
        PERFORM doors._refuse('conflict', 'a standing exemption let it through');
    END IF;
    IF o.status IN ('approved', 'rejected', 'returned') THEN
        PERFORM doors._refuse('already_decided', doors._who_decided(o));
    END IF;
    IF o.status = 'expired' OR (o.status = 'open' AND o.valid_until <= clock_timestamp()) THEN
        PERFORM doors._refuse('expired', doors._instant(o.valid_until));
    END IF;
    IF o.status <> 'open' THEN
        PERFORM doors._refuse('conflict', format('this version is %s', o.status));
    END IF;
    IF o.version IS DISTINCT FROM (p->>'version')::int THEN
        PERFORM doors._refuse('conflict', format('version %s is open', o.version));
    END IF;
    PERFORM doors._must_match(o, p->>'digest');
    PERFORM doors._must_be_heard_first(o, (p->>'person')::bigint);
    IF p->>'decision' = 'approve' THEN
        PERFORM doors._must_not_be_stopped(r, o.action, false);
        PERFORM doors._must_be_under_its_rule(o);
        PERFORM doors._must_be_rehearsed(r, o);
    END IF;
END $$;

-- One person has one voice on a version, whichever way it comes.
CREATE FUNCTION doors._must_be_heard_first(o engine_proposal, p_person bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE d engine_decision;
BEGIN
    SELECT * INTO d FROM engine_decision WHERE proposal_id = o.id AND person_id = p_person;
    IF FOUND THEN
        PERFORM doors._refuse('already_decided', format('%s|%s|%s',
            doors._outcome(d.decision), d.person_name, doors._instant(d.decided_at)));
    END IF;
END $$;

-- Where the rule demands it, the way back was walked, with success, and not too long ago. What is
-- done in a rehearsal is not itself held up by that.
CREATE FUNCTION doors._must_be_rehearsed(r engine_run, o engine_proposal) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_last engine_rehearsal;
BEGIN
    IF NOT (doors._rule_of(o)->>'fresh_rehearsal')::boolean OR r.initiator = 'system:rehearsal' THEN
        RETURN;
    END IF;
    SELECT * INTO v_last FROM engine_rehearsal
    WHERE action = o.action AND action_version = o.action_version
    ORDER BY ended_at DESC LIMIT 1;
    IF NOT FOUND OR v_last.result <> 'passed' OR v_last.expires_at <= clock_timestamp() THEN
        PERFORM doors._refuse('not_rehearsed', format('%s@%s', o.action, o.action_version));
    END IF;
END $$;

-- An approval carries, as text, the value that what was shown asks to be typed; blanks around it
-- do not count. Read after the digest was recomputed: the bytes are those that were shown.
CREATE FUNCTION doors._must_have_typed(p_asked text, p json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_typed text;
BEGIN
    IF p_asked IS NULL THEN
        RETURN;
    END IF;
    IF json_typeof(p->'challenge') = 'string' THEN
        v_typed := btrim(p->>'challenge', E' \t\r\n');
    END IF;
    IF v_typed IS DISTINCT FROM p_asked THEN
        PERFORM doors._refuse('challenge_failed');
    END IF;
END $$;

CREATE FUNCTION doors._who_decided(o engine_proposal) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT format('%s|%s|%s', o.status, d.person_name, doors._instant(d.decided_at))
    FROM engine_decision d WHERE d.proposal_id = o.id ORDER BY d.decided_at DESC LIMIT 1
$$;

CREATE FUNCTION doors._refused_decision(r engine_run, p_actor text, p json, p_why text)
RETURNS json
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT doors._is_terminal(r.status) THEN
        r := doors._append(r, 'decision_refused', p_actor, convert_to(json_build_object(
            'proposal_id', p->>'proposal_id', 'version', p->'version', 'person', p->'person',
            'person_name', p->>'person_name', 'decision', p->>'decision', 'why', p_why)::text,
            'UTF8'));
        PERFORM doors._save(r);
    END IF;
    RETURN json_build_object('refused', p_why);
END $$;

-- A decision that was refused before it came to a door, for want of a proof of what was shown.
CREATE FUNCTION doors.note_refused_decision(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked(p_run);
    p json := doors._facts(p_payload);
    o engine_proposal := doors._version(p_run, p);
BEGIN
    RETURN doors._refused_decision(r, p_actor, p, p->>'why');
END $$;

-- Somebody takes their approval back, as long as nothing was sent under it. That is news for all who
-- decide: what was approved with them lapses with it.
CREATE FUNCTION doors.take_back_approval(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked(p_run);
    p json := doors._facts(p_payload);
    o engine_proposal := doors._version(p_run, p);
BEGIN
    IF NOT EXISTS (SELECT 1 FROM engine_decision WHERE proposal_id = o.id
                   AND person_id = (p->>'person')::bigint AND decision = 'approve') THEN
        PERFORM doors._refuse('not_found', 'there is no approval of yours');
    END IF;
    RETURN doors._told(doors._lapse(r, o, p_actor, 'ApprovalTakenBack', p->>'reason'));
END $$;
