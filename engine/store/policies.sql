-- Policies: who decides what, how many of them, and when. Data with a version; one is in force.

-- Whether a rule fits an action of this risk: its name, a beginning of it, or whatever it is.
CREATE FUNCTION doors._fits(p_rule jsonb, p_action text, p_risk text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT p_rule->>'risk' IN ('any', p_risk) AND doors._covers(p_rule->>'action', p_action)
$$;

-- The rule that holds now: the first one that fits, of the policy in force; NULL when there is none
-- (nothing runs).
CREATE FUNCTION doors.rule_in_force(p_action text, p_risk text) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object('version', p.version, 'rule', x.rule,
                             'now', doors._instant(clock_timestamp()))
    FROM engine_policy p, jsonb_array_elements(p.rules) WITH ORDINALITY AS x(rule, place)
    WHERE p.status = 'in_force' AND doors._fits(x.rule, p_action, p_risk)
    ORDER BY x.place LIMIT 1
$$;

-- The group that a rule turns to when its own leave something lying; NULL where it names none.
CREATE FUNCTION doors._fallback_of(p_rule jsonb) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT p_rule->'escalate'->>'to' $$;

-- How many of these people are active members of one of these groups. One plan for all lists: to
-- make one for each takes ten times longer than to look.
CREATE FUNCTION doors._found_in(p_groups text[], p_people bigint[]) RETURNS bigint
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (SELECT count(DISTINCT person_id) FROM doors.authority
            WHERE active AND person_id = ANY (p_people) AND group_name = ANY (p_groups));
END $$;

-- Every choice among these groups, and how many approvals they ask for together.
CREATE FUNCTION doors._choices(p_groups jsonb) RETURNS TABLE (names text[], asked bigint)
LANGUAGE sql IMMUTABLE AS $$
    SELECT array_agg(g->>'name'), sum((g->>'approve')::int)
    FROM generate_series(1, (1 << jsonb_array_length(p_groups)) - 1) AS choice,
         jsonb_array_elements(p_groups) WITH ORDINALITY AS x(g, place)
    WHERE choice & (1 << (x.place::int - 1)) > 0
    GROUP BY choice
$$;

-- Whether these people can give what these groups ask for, nobody counted twice. That is so just
-- when every choice of groups has as many different people among them as it asks for (Hall 1935,
-- "On representatives of subsets"). Who is in the fallback group stands in for any of them.
CREATE FUNCTION doors._suffice(p_groups jsonb, p_people bigint[], p_fallback text DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (SELECT coalesce(bool_and(doors._found_in(array_append(c.names, p_fallback), p_people)
                                     >= c.asked), false)
            FROM doors._choices(p_groups) c);
END $$;

-- For each {"groups", "people", "fallback"}: every choice of the groups in which these people are too
-- few, and how many more it takes, the greatest want first. None is there just where they suffice; so
-- many as the greatest want are needed (Ore 1955, "Graphs and matching theorems").
CREATE FUNCTION doors.short_of(p_asked jsonb) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg((
        SELECT coalesce(json_agg(json_build_object('count', c.asked - found, 'names', c.names)
                                 ORDER BY c.asked - found DESC, cardinality(c.names)), '[]')
        FROM doors._choices(x.asked->'groups') c,
             doors._found_in(array_append(c.names, x.asked->>'fallback'), ARRAY(
                SELECT e::bigint FROM jsonb_array_elements_text(x.asked->'people') e)) AS found
        WHERE found < c.asked) ORDER BY x.place), '[]')
    FROM jsonb_array_elements(p_asked) WITH ORDINALITY AS x(asked, place)
$$;

CREATE FUNCTION doors._must_administer(p_person bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM doors.authority WHERE person_id = p_person AND active
                   AND group_name = 'administrator') THEN
        PERFORM doors._refuse('not_permitted', 'only administrators do this');
    END IF;
END $$;

-- One policy change at a time, and none between a look at the rules and what follows from it.
CREATE FUNCTION doors._policy(p_version int) RETURNS engine_policy
LANGUAGE plpgsql AS $$
DECLARE o engine_policy;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('placet.policy'));
    SELECT * INTO o FROM engine_policy WHERE version = p_version FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM doors._refuse('not_found', 'there is no such policy');
    END IF;
    RETURN o;
END $$;

-- Propose a policy. It changes nothing until a second person puts it in force.
CREATE FUNCTION doors.propose_policy(p_actor text, p_payload bytea) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE p json := doors._facts(p_payload); v_version int; v_person bigint := (p->>'person')::bigint;
BEGIN
    PERFORM doors._must_administer(v_person);
    PERFORM pg_advisory_xact_lock(hashtext('placet.policy'));
    SELECT coalesce(max(version), 0) + 1 INTO v_version FROM engine_policy;
    INSERT INTO engine_policy (version, rules, status, reason, proposed_by_id, proposed_by_name,
                               proposed_at)
    VALUES (v_version, (p->'rules')::jsonb, 'proposed', p->>'reason', v_person, p->>'person_name',
            clock_timestamp());
    PERFORM doors._note_policy('policy_proposed', p_actor, v_version, p);
    RETURN v_version;
END $$;

CREATE FUNCTION doors._note_policy(p_kind text, p_actor text, p_version int, p json) RETURNS void
LANGUAGE sql AS $$
    SELECT doors.note('policies', p_kind, p_actor, convert_to((
        jsonb_build_object('version', p_version) || p::jsonb)::text, 'UTF8'))
$$;

-- Put a proposed policy in force: a second person's word, and each of its rules can be met by the
-- people that there are. The one before it is retired in the same moment; where it is named, it is
-- the one that was compared, and no other is retired unseen.
CREATE FUNCTION doors.put_policy_in_force(p_actor text, p_payload bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    p json := doors._facts(p_payload);
    v_person bigint := (p->>'person')::bigint;
    o engine_policy := doors._policy((p->>'version')::int);
BEGIN
    PERFORM doors._must_administer(v_person);
    PERFORM doors._must_move('policy', o.status, 'in_force');
    IF o.proposed_by_id = v_person THEN
        PERFORM doors._refuse('not_permitted', 'who proposed it never puts it in force');
    END IF;
    PERFORM doors._must_take_the_place_of((p->>'instead_of')::int);
    PERFORM doors._must_be_possible(o);
    UPDATE engine_policy SET status = 'retired', ended_by_name = p->>'person_name',
        ended_at = clock_timestamp() WHERE status = 'in_force';
    UPDATE engine_policy SET status = 'in_force', in_force_by_id = v_person,
        in_force_by_name = p->>'person_name', in_force_at = clock_timestamp()
    WHERE version = o.version AND status = 'proposed';
    PERFORM doors._note_policy('policy_put_in_force', p_actor, o.version, p);
    PERFORM doors._end_under_another_rule(p_actor, p->>'person_name', o.version);
END $$;

CREATE FUNCTION doors._must_take_the_place_of(p_version int) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_now int := (SELECT version FROM engine_policy WHERE status = 'in_force');
BEGIN
    IF p_version <> v_now THEN
        PERFORM doors._refuse('conflict', format('version %s is in force by now', v_now));
    END IF;
END $$;

-- The places of the rules, from 0, that nobody could meet with the people that there are now, and
-- the second factors that they have. A qualification helps where it covers all that its rule is for;
-- whoever it escalates to, too, and of these there has to be somebody.
CREATE FUNCTION doors.beyond_reach(p_rules jsonb) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(x.place - 1 ORDER BY x.place), '[]')
    FROM jsonb_array_elements(p_rules) WITH ORDINALITY AS x(rule, place),
    LATERAL (SELECT doors._fallback_of(x.rule) AS fallback, ARRAY(
        SELECT able FROM unnest(doors._able_to(x.rule->>'step_up')) able
        WHERE doors._is_qualified(able, x.rule->>'training', x.rule->>'action')) AS able) p
    WHERE NOT doors._suffice(x.rule->'groups', p.able, p.fallback)
       OR (p.fallback IS NOT NULL AND doors._found_in(ARRAY[p.fallback], p.able) = 0)
$$;

-- A rule that nobody could meet would stop what it is about for ever.
CREATE FUNCTION doors._must_be_possible(o engine_policy) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_place int := (doors.beyond_reach(o.rules)->>0)::int;
BEGIN
    IF v_place IS NOT NULL THEN
        PERFORM doors._refuse('nobody_could_decide', format('rule %s, for %s at risk %s',
            v_place + 1, o.rules->v_place->>'action', o.rules->v_place->>'risk'));
    END IF;
END $$;

-- Drop a proposed policy: whoever proposed it, or another administrator.
CREATE FUNCTION doors.drop_policy(p_actor text, p_payload bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE p json := doors._facts(p_payload); o engine_policy := doors._policy((p->>'version')::int);
BEGIN
    PERFORM doors._must_administer((p->>'person')::bigint);
    PERFORM doors._must_move('policy', o.status, 'dropped');
    UPDATE engine_policy SET status = 'dropped', ended_by_name = p->>'person_name',
        ended_at = clock_timestamp() WHERE version = o.version AND status = 'proposed';
    PERFORM doors._note_policy('policy_dropped', p_actor, o.version, p);
END $$;
