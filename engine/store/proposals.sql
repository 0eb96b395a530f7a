-- Requests, proposals and decisions. People's and agents' doors never depend on what a worker
-- has folded: they lock the run, check, append, and wake the run.

-- An agent speaks: it asks for an effect (or answers a question with a new version of a returned
-- proposal), or asks that the run be finished. A worker takes the request up.
-- Kinds: effect_requested, finish_requested.
CREATE FUNCTION doors.hear_agent(
    p_run uuid, p_kind text, p_actor text, p_payload bytea, p_values bytea[],
    p_hold_back double precision)
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); p json := doors._facts(p_payload);
BEGIN
    IF r.initiator <> p_actor THEN
        PERFORM doors._refuse('not_found', 'there is no such run');
    END IF;
    IF p->>'answers_version' IS NOT NULL THEN
        PERFORM doors._must_be_returned(p_run, p);
    ELSIF r.workflow <> 'agent' THEN
        PERFORM doors._refuse('conflict', 'this run follows a graph and proposes by itself');
    END IF;
    PERFORM doors._must_know_of_rejection(p_actor, p, p_hold_back);
    r := doors._append(r, p_kind, p_actor, p_payload, p_values);
    r.wake_at := doors._awake(r);
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- An answer belongs to the newest version of a proposal, and that version was returned.
CREATE FUNCTION doors._must_be_returned(p_run uuid, p json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_status text; v_version int;
BEGIN
    SELECT status, version INTO v_status, v_version FROM engine_proposal
    WHERE proposal_id = (p->>'proposal_id')::uuid AND run_id = p_run
    ORDER BY version DESC LIMIT 1;
    IF v_version IS DISTINCT FROM (p->>'answers_version')::int THEN
        PERFORM doors._refuse('conflict', 'this is not the newest version of the proposal');
    END IF;
    IF v_status <> 'returned' THEN
        PERFORM doors._refuse('conflict', format('the proposal is %s, nobody asked', v_status));
    END IF;
    IF EXISTS (SELECT 1 FROM engine_event WHERE run_id = p_run
               AND kind = 'effect_requested'
               AND doors._facts(payload)->>'proposal_id' = p->>'proposal_id'
               AND doors._facts(payload)->>'answers_version' = p->>'answers_version') THEN
        PERFORM doors._refuse('conflict', 'this question has been answered already');
    END IF;
END $$;

-- A waiting run that has news wakes now; a working one is told by its own door.
CREATE FUNCTION doors._awake(r engine_run) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN r.status IN ('waiting_approval', 'waiting_external')
                THEN clock_timestamp() ELSE r.wake_at END
$$;

-- A worker opens a proposal version: its frozen bytes, its digest and its key are fixed here. Under
-- a stop nobody is asked what nobody may allow. What a standing exemption lets through is not asked
-- either, and that is told in the same commit: the worker hears of it as of a decision, and so the
-- checkpoint is of the opening alone.
CREATE FUNCTION doors.open_proposal(
    p_run uuid, p_token bigint, p_folded bigint, p_actor text, p_payload bytea, p_checkpoint json,
    p_values bytea[])
RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._held(p_run, p_token);
    p json := doors._facts(p_payload);
    o engine_proposal;
    v_told json;
    v_older uuid[];
BEGIN
    IF r.last_seq > p_folded THEN
        RETURN doors._behind(r, p_folded);
    END IF;
    PERFORM doors._must_not_be_stopped(r, p->>'action', false);
    r := doors._append(r, 'proposal_opened', p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    o := doors._proposal_of(p);
    o.run_id := p_run;
    o.opened_at := r.last_at;
    o := doors._with_its_times(o);
    PERFORM doors._must_match(o, o.digest);
    PERFORM doors._must_be_under_its_rule(o);
    INSERT INTO engine_proposal SELECT (o).*;
    PERFORM doors._checkpoint(r, p_checkpoint);
    v_told := doors._told(r);
    v_older := doors._older_exemptions(o);
    r := doors._exempted(r, o, (p->>'lot')::bigint, p_actor);
    PERFORM doors._end_exemptions(v_older, p_actor, NULL, 'action_changed',
                                  format('version %s of it is there', o.action_version));
    PERFORM doors._save(r);
    RETURN v_told;
END $$;

-- A new open version from the facts of its event.
CREATE FUNCTION doors._proposal_of(p json) RETURNS engine_proposal
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE o engine_proposal;
BEGIN
    o.id := (p->>'id')::uuid;
    o.proposal_id := (p->>'proposal_id')::uuid;
    o.version := (p->>'version')::int;
    o.step_id := p->>'step_id';
    o.tool_call_id := p->>'tool_call_id';
    o.action := p->>'action';
    o.action_version := (p->>'action_version')::int;
    o.arguments := convert_to(p->>'arguments', 'UTF8');
    o.content := doors._content(o.action, o.action_version, o.arguments);
    o.terms := convert_to(p->>'terms', 'UTF8');
    o.digest := p->>'digest';
    o.idempotency_key := p->>'idempotency_key';
    o.risk := p->>'risk';
    o.policy_version := (p->>'policy_version')::int;
    o.groups := ARRAY(SELECT g->>'name' FROM jsonb_array_elements(
        doors._rule_of(o)->'groups') g);
    o.training := doors._rule_of(o)->>'training';
    o.editors := ARRAY(SELECT (e->>'person')::bigint FROM json_array_elements(
        doors._facts(o.terms)->'editors') e);
    o.status := 'open';
    o.drawn := false;
    o.agent := p->>'agent';
    o.why := p->>'why';
    o.evidence := (p->'evidence')::jsonb;
    o.valid_until := (p->>'valid_until')::timestamptz;
    RETURN o;
END $$;

-- With the moments at which its rule has people reminded of it, and others asked, too.
CREATE FUNCTION doors._with_its_times(o engine_proposal) RETURNS engine_proposal
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE v_rule jsonb := doors._rule_of(o);
BEGIN
    o.remind_at := o.opened_at + make_interval(secs => (v_rule->>'remind_seconds')::int);
    o.escalate_at := o.opened_at
        + make_interval(secs => (v_rule->'escalate'->>'after_seconds')::int);
    RETURN o;
END $$;

-- The digest of the bytes that are stored now, as a reviewer approves it.
CREATE FUNCTION doors._digest(o engine_proposal) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT encode(sha256(convert_to(
        '{"arguments":"' || encode(sha256(o.arguments), 'hex')
        || '","terms":"' || encode(sha256(o.terms), 'hex') || '"}', 'UTF8')), 'hex')
$$;

-- Refuse unless stored bytes, stored digest and the digest in hand are all the same.
CREATE FUNCTION doors._must_match(o engine_proposal, p_digest text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_digest IS DISTINCT FROM o.digest OR o.digest IS DISTINCT FROM doors._digest(o) THEN
        PERFORM doors._refuse('digest_mismatch',
            format('in hand %s, stored %s, recomputed %s', p_digest, o.digest, doors._digest(o)));
    END IF;
END $$;

-- The rule under which a version was asked for. It is part of the terms, so the digest covers it.
CREATE FUNCTION doors._rule_of(o engine_proposal) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$ SELECT (doors._facts(o.terms)->'rule')::jsonb $$;

-- The rule that holds for it now. A policy is put in force before this looks, or after whoever asks
-- has committed, never in between.
CREATE FUNCTION doors._rule_now(o engine_proposal) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('placet.policy'));
    RETURN doors.rule_in_force(o.action, o.risk)->'rule';
END $$;

-- Refuse unless the rule in force for it is still the one that was shown.
CREATE FUNCTION doors._must_be_under_its_rule(o engine_proposal) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_now jsonb := doors._rule_now(o);
BEGIN
    IF v_now IS NULL THEN
        PERFORM doors._refuse('not_permitted', 'no policy is in force');
    ELSIF v_now <> doors._rule_of(o) THEN
        PERFORM doors._refuse('rule_changed', format('version %s of the policy', o.policy_version));
    END IF;
END $$;

-- Which version an event is of, and what else it says.
CREATE FUNCTION doors._of_version(o engine_proposal, p_more jsonb) RETURNS bytea
LANGUAGE sql IMMUTABLE AS $$
    SELECT convert_to((jsonb_build_object(
        'id', o.id, 'proposal_id', o.proposal_id, 'version', o.version) || p_more)::text, 'UTF8')
$$;

-- The proposal version reaches `p_status`; the run wakes to act on it.
CREATE FUNCTION doors._close_proposal(
    r engine_run, o engine_proposal, p_status text, p_actor text, p_question text)
RETURNS engine_run
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM doors._must_move('proposal', o.status, p_status);
    r := doors._append(r, 'proposal_' || p_status, p_actor, doors._of_version(o,
        jsonb_build_object('question', p_question)));
    UPDATE engine_proposal SET status = p_status, question = p_question, closed_at = r.last_at
    WHERE id = o.id AND status = o.status;
    IF p_status IN ('expired', 'withdrawn') THEN
        PERFORM doors._end_of_drawn(o, p_actor, p_status);
    END IF;
    r.wake_at := doors._awake(r);
    RETURN r;
END $$;

-- The version of this run that a payload names by its `id`, locked.
CREATE FUNCTION doors._version(p_run uuid, p json) RETURNS engine_proposal
LANGUAGE plpgsql AS $$
DECLARE o engine_proposal;
BEGIN
    SELECT * INTO o FROM engine_proposal WHERE id = (p->>'id')::uuid AND run_id = p_run FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM doors._refuse('not_found', 'there is no such proposal');
    END IF;
    RETURN o;
END $$;

-- An agent takes its own proposal back, as long as nothing has been sent under it.
CREATE FUNCTION doors.withdraw_proposal(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked(p_run);
    p json := doors._facts(p_payload);
    o engine_proposal;
BEGIN
    SELECT * INTO o FROM engine_proposal
    WHERE proposal_id = (p->>'proposal_id')::uuid AND run_id = p_run AND r.initiator = p_actor
    ORDER BY version DESC LIMIT 1;
    IF NOT FOUND THEN
        PERFORM doors._refuse('not_found', 'there is no such proposal of this agent');
    END IF;
    IF doors._was_sent(o) THEN
        PERFORM doors._refuse('conflict', 'it has been sent already');
    END IF;
    r := doors._close_proposal(r, o, 'withdrawn', p_actor, NULL);
    UPDATE engine_effect SET status = 'failed', outcome = 'not_sent', updated_at = r.last_at
    WHERE proposal_id = o.proposal_id AND proposal_version = o.version AND status = 'prepared';
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;

-- Open proposals whose time has passed, the longest overdue first.
CREATE FUNCTION doors.overdue_proposals(p_limit int)
RETURNS TABLE (run_id uuid, id uuid)
LANGUAGE sql STABLE AS $$
    SELECT run_id, id FROM engine_proposal
    WHERE status = 'open' AND valid_until <= clock_timestamp()
    ORDER BY valid_until LIMIT p_limit
$$;

-- Expire an open proposal version if its time has passed; false when it has not, or is decided.
CREATE FUNCTION doors.expire_proposal_if_overdue(p_run uuid, p_id uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); o engine_proposal;
BEGIN
    SELECT * INTO o FROM engine_proposal WHERE id = p_id AND run_id = p_run FOR UPDATE;
    IF NOT FOUND OR o.status <> 'open' OR o.valid_until > clock_timestamp() THEN
        RETURN false;
    END IF;
    r := doors._close_proposal(r, o, 'expired', 'system:sweep', NULL);
    PERFORM doors._save(r);
    RETURN true;
END $$;

-- This version is void, undecided or approved, and nothing was sent under it: its run wakes and asks
-- anew, in a version of which nobody has said anything yet.
CREATE FUNCTION doors._lapse(
    r engine_run, o engine_proposal, p_actor text, p_reason text, p_detail text)
RETURNS engine_run
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM doors._must_move('proposal', o.status, 'lapsed');
    IF doors._was_sent(o) THEN
        PERFORM doors._refuse('conflict', 'it has been sent already');
    END IF;
    r := doors._append(r, 'proposal_lapsed', p_actor, doors._of_version(o, jsonb_build_object(
        'reason', p_reason, 'detail', p_detail, 'effect_id', (
            SELECT effect_id FROM engine_effect WHERE proposal_id = o.proposal_id
            AND proposal_version = o.version))));
    UPDATE engine_proposal SET status = 'lapsed', closed_at = r.last_at
    WHERE id = o.id AND status = o.status;
    UPDATE engine_effect SET status = 'failed', outcome = 'not_sent', updated_at = r.last_at
    WHERE proposal_id = o.proposal_id AND proposal_version = o.version AND status = 'prepared';
    r.wake_at := doors._awake(r);
    PERFORM doors._save(r);
    RETURN r;
END $$;

-- Proposals, undecided or approved, for which another rule holds now than the one they were asked
-- under, and of which nothing was sent. Nothing new is asked under a rule that holds no more: once
-- none is found, the policy in force needs no second look.
CREATE FUNCTION doors.proposals_under_another_rule(p_limit int)
RETURNS TABLE (run_id uuid, id uuid)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT o.run_id, o.id FROM engine_proposal o
    JOIN engine_policy p ON p.status = 'in_force' AND p.looked_through_at IS NULL
    WHERE o.status IN ('open', 'approved') AND o.policy_version <> p.version
      AND (doors.rule_in_force(o.action, o.risk)->'rule')::jsonb <> doors._rule_of(o)
      AND NOT doors._was_sent(o)
    LIMIT p_limit;
    IF NOT FOUND THEN
        UPDATE engine_policy SET looked_through_at = clock_timestamp()
        WHERE status = 'in_force' AND looked_through_at IS NULL;
    END IF;
END $$;

-- Lapse a version if another rule holds for it now; false when it is the same, or it was sent.
CREATE FUNCTION doors.lapse_proposal_if_rule_changed(p_run uuid, p_id uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); o engine_proposal; v_now jsonb;
BEGIN
    SELECT * INTO o FROM engine_proposal WHERE id = p_id AND run_id = p_run FOR UPDATE;
    v_now := doors._rule_now(o);
    IF v_now IS NULL OR v_now = doors._rule_of(o) OR o.status NOT IN ('open', 'approved')
       OR doors._was_sent(o) THEN
        RETURN false;
    END IF;
    PERFORM doors._lapse(r, o, 'system:sweep', 'RuleChanged',
                         format('version %s of the policy', o.policy_version));
    RETURN true;
END $$;

-- The world changed, or the authority for it is gone: the approval no longer holds, and an
-- effect that was prepared under it was surely not sent.
CREATE FUNCTION doors.lapse_approval(
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
    r := doors._append(r, 'approval_lapsed', p_actor, p_payload, p_values);
    r.state_version := r.state_version + 1;
    UPDATE engine_proposal SET status = 'lapsed', closed_at = r.last_at
    WHERE proposal_id = (p->>'proposal_id')::uuid AND version = (p->>'version')::int
      AND status = 'approved';
    IF NOT FOUND THEN
        PERFORM doors._refuse('conflict', 'there is no approval that could lapse');
    END IF;
    UPDATE engine_effect SET status = 'failed', outcome = 'not_sent', updated_at = r.last_at
    WHERE effect_id = (p->>'effect_id')::uuid AND status = 'prepared';
    IF NOT FOUND AND p->>'effect_id' IS NOT NULL THEN
        PERFORM doors._refuse('conflict', 'the effect has left the state "prepared"');
    END IF;
    RETURN doors._finished(r, p_checkpoint);
END $$;
