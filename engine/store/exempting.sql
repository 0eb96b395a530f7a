-- What a standing exemption lets through: asked when a proposal is opened, and again at the gate.

-- Whether a request has the target, or the text in the argument, that an exemption names. What begins
-- like its targets and leads up from there is none of them.
CREATE FUNCTION doors._is_aimed_at(p_scope json, p_target text, p_arguments json) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(CASE
        WHEN p_scope->>'target' IS NOT NULL THEN p_target = p_scope->>'target'
        WHEN p_scope->>'beginning' IS NOT NULL
            THEN starts_with(p_target, p_scope->>'beginning') AND strpos(p_target, '..') = 0
        ELSE json_typeof(p_arguments->(p_scope->>'argument')) = 'string'
            AND p_arguments->>(p_scope->>'argument') = p_scope->>'value' END, false)
$$;

-- Whether the argument that has a most is a plain number, and not more. NULL: none has.
CREATE FUNCTION doors._is_at_most(p_most json, p_arguments json) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(json_typeof(p_most) = 'null' OR CASE
        WHEN p_arguments->>(p_most->>'argument') ~ '^(0|[1-9][0-9]{0,14})([.][0-9]{1,6})?$'
        THEN (p_arguments->>(p_most->>'argument'))::numeric <= (p_most->>'value')::numeric END, false)
$$;

-- Whether these arguments, for what a proposal is about, are in an exemption's scope: of exactly its
-- version of its action, by its agent.
CREATE FUNCTION doors._takes_in(x engine_exemption, o engine_proposal, p_arguments bytea)
RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        (s->>'action', (s->>'version')::int, s->>'agent') = (o.action, o.action_version, o.agent)
        AND doors._is_aimed_at(s->'scope', doors._facts(o.terms)->>'target', a)
        AND doors._is_at_most(s->'most', a), false)
    FROM doors._shown(x) s, doors._facts(p_arguments) a
$$;

-- Asked for the first time, by nobody's hand but the agent's, and of nothing that was rejected or done
-- before. Whatever else comes has a story, and people hear it.
CREATE FUNCTION doors._has_no_story(o engine_proposal) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT coalesce(o.version = 1 AND t->>'despite' IS NULL
        AND json_array_length(t->'repeats') = 0 AND json_array_length(t->'editors') = 0
        AND json_array_length(t->'carried_over') = 0, false)
    FROM doors._facts(o.terms) t
$$;

-- Why an exemption does not let these arguments be executed now, under this proposal version; NULL
-- when it does. Asked when the version is opened, and again at the gate.
CREATE FUNCTION doors._why_not_exempt(x engine_exemption, o engine_proposal, p_arguments bytea)
RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE s json := doors._shown(x); t json := doors._facts(o.terms); v_never text;
BEGIN
    IF x.status IS DISTINCT FROM 'standing' OR NOT doors._is_as_shown(x) THEN
        RETURN 'it does not stand any more';
    END IF;
    IF (s->>'until')::timestamptz <= clock_timestamp() THEN
        RETURN 'its end has come';
    END IF;
    IF NOT doors._takes_in(x, o, p_arguments) OR NOT doors._has_no_story(o) THEN
        RETURN 'this is not what it is for';
    END IF;
    IF t->>'risk' IS DISTINCT FROM s->>'risk'
       OR doors._rule_of(o) IS DISTINCT FROM doors._rule_of_exemption(x) THEN
        RETURN 'it was given under another rule, or for another risk';
    END IF;
    v_never := doors._why_never(t->>'risk', t->'rollback'->>'kind', doors._rule_of(o),
                                strpos(convert_from(p_arguments, 'UTF8'), '"secret:') > 0);
    IF v_never IS NOT NULL THEN
        RETURN v_never;
    END IF;
    IF NOT doors._is_given(x, o.id) THEN
        RETURN 'who gave it may no longer do so';
    END IF;
    RETURN NULL;
END $$;

-- A version that was just opened and that an exemption takes in: one use is counted, and it is let
-- through; or, drawn by lot, it is asked of people all the same. A version without a lot is drawn.
CREATE FUNCTION doors._exempted(r engine_run, o engine_proposal, p_lot bigint, p_actor text)
RETURNS engine_run
LANGUAGE plpgsql AS $$
DECLARE x engine_exemption := doors._exemption_for(o); v_drawn boolean;
BEGIN
    IF x.id IS NULL THEN
        RETURN r;
    END IF;
    v_drawn := coalesce(p_lot % (doors._shown(x)->>'one_in')::int, 0) = 0;
    UPDATE engine_exemption SET used = used + 1 WHERE id = x.id AND used < uses;
    r := doors._append(r, CASE WHEN v_drawn THEN 'proposal_drawn' ELSE 'proposal_exempted' END,
                       p_actor, doors._told_of_use(x, o));
    UPDATE engine_proposal SET exemption_id = x.id, drawn = v_drawn,
        status = CASE WHEN v_drawn THEN status ELSE 'approved' END,
        closed_at = CASE WHEN v_drawn THEN closed_at ELSE r.last_at END
    WHERE id = o.id AND status = 'open';
    RETURN r;
END $$;

-- The exemption that lets this be done now, locked, with a use left; NULL where there is none. Of
-- what a person is being asked this moment, nothing is let through beside them.
CREATE FUNCTION doors._exemption_for(o engine_proposal) RETURNS engine_exemption
LANGUAGE plpgsql AS $$
DECLARE x engine_exemption;
BEGIN
    FOR x IN SELECT * FROM doors._exemptions_for(o.action) ORDER BY id LOOP
        IF doors._why_not_exempt(x, o, o.arguments) IS NULL AND NOT EXISTS (
            SELECT 1 FROM engine_proposal WHERE agent = o.agent AND content = o.content
            AND status = 'open' AND id <> o.id) THEN
            SELECT * INTO x FROM engine_exemption WHERE id = x.id FOR UPDATE;
            -- Whoever was before us has used it up, or ended it.
            IF x.used < (doors._shown(x)->>'uses')::int
               AND doors._why_not_exempt(x, o, o.arguments) IS NULL THEN
                RETURN x;
            END IF;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

-- Those for an older version of the action than is asked for. Where there are any, all that live for
-- this action are locked, so that they can be ended after another of them was used.
CREATE FUNCTION doors._older_exemptions(o engine_proposal) RETURNS uuid[]
LANGUAGE plpgsql AS $$
DECLARE v_older uuid[];
BEGIN
    v_older := ARRAY(SELECT id FROM doors._exemptions_for(o.action)
                     WHERE action_version < o.action_version);
    IF cardinality(v_older) > 0 THEN
        PERFORM 1 FROM engine_exemption WHERE id IN (
            SELECT id FROM doors._exemptions_for(o.action)) ORDER BY id FOR UPDATE;
    END IF;
    RETURN v_older;
END $$;

-- What the log says of a use: of which exemption, how many are left, and who gave it.
CREATE FUNCTION doors._told_of_use(x engine_exemption, o engine_proposal) RETURNS bytea
LANGUAGE sql STABLE AS $$
    SELECT doors._of_version(o, jsonb_build_object(
        'exemption', x.id, 'exemption_digest', x.digest, 'uses_left', x.uses - x.used - 1,
        'people', (SELECT jsonb_agg(jsonb_build_array(person_id, person_name) ORDER BY given_at)
                   FROM engine_voice WHERE exemption_id = x.id)))
$$;

-- The gate's question of what was let through: the log says that it was, and it still is. Whoever would
-- end the exemption waits until this is through.
CREATE FUNCTION doors._must_be_exempt(e engine_effect, o engine_proposal) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE x engine_exemption; v_why_not text;
BEGIN
    SELECT * INTO x FROM engine_exemption WHERE id = o.exemption_id FOR SHARE;
    v_why_not := doors._why_not_exempt(x, o, e.arguments);
    IF NOT EXISTS (SELECT 1 FROM engine_event WHERE run_id = o.run_id AND kind = 'proposal_exempted'
                   AND doors._facts(payload)->>'id' = o.id::text
                   AND doors._facts(payload)->>'exemption' = x.id::text) THEN
        v_why_not := 'the log does not say that it was let through';
    END IF;
    IF v_why_not IS NOT NULL THEN
        PERFORM doors._refuse('not_permitted', 'no standing exemption lets it through: ' || v_why_not);
    END IF;
END $$;

-- What was let through by an exemption that does not stand any more, and was not sent.
CREATE FUNCTION doors.proposals_no_longer_exempt(p_limit int) RETURNS TABLE (run_id uuid, id uuid)
LANGUAGE sql STABLE AS $$
    SELECT o.run_id, o.id FROM engine_proposal o JOIN engine_exemption x ON x.id = o.exemption_id
    WHERE o.status = 'approved' AND NOT o.drawn
      AND (x.status <> 'standing' OR x.until <= clock_timestamp()) AND NOT doors._was_sent(o)
    LIMIT p_limit
$$;

-- Lapse such a version, and ask people; false when the exemption stands, or it was sent.
CREATE FUNCTION doors.lapse_proposal_if_no_longer_exempt(p_run uuid, p_id uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); o engine_proposal; x engine_exemption;
BEGIN
    SELECT * INTO o FROM engine_proposal WHERE id = p_id AND run_id = p_run FOR UPDATE;
    SELECT * INTO x FROM engine_exemption WHERE id = o.exemption_id FOR SHARE;
    IF o.status IS DISTINCT FROM 'approved' OR o.drawn OR doors._was_sent(o)
       OR (x.status = 'standing' AND x.until > clock_timestamp()) IS NOT FALSE THEN
        RETURN false;
    END IF;
    PERFORM doors._lapse(r, o, 'system:sweep', 'ExemptionEnded',
                         coalesce(x.ended_reason, 'its time is over'));
    RETURN true;
END $$;
