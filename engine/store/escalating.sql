-- What nobody decides: people are reminded of it, then a fallback group is asked, too. Each once a
-- version, and by the sweep; who may decide then is still for the one rule in `deciding.sql`.

-- Open proposals of which it is time to remind, the longest overdue first.
CREATE FUNCTION doors.proposals_to_remind_of(p_limit int) RETURNS TABLE (run_id uuid, id uuid)
LANGUAGE sql STABLE AS $$
    SELECT run_id, id FROM engine_proposal
    WHERE status = 'open' AND reminded_at IS NULL AND remind_at <= clock_timestamp()
      AND valid_until > clock_timestamp()
    ORDER BY remind_at LIMIT p_limit
$$;

-- Remind of an open version, once; false when it is not time, was done, or somebody has decided.
CREATE FUNCTION doors.remind_of_proposal_if_due(p_run uuid, p_id uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); o engine_proposal;
BEGIN
    SELECT * INTO o FROM engine_proposal WHERE id = p_id AND run_id = p_run FOR UPDATE;
    IF (o.status = 'open' AND o.reminded_at IS NULL AND o.remind_at <= clock_timestamp()
        AND o.valid_until > clock_timestamp()) IS NOT TRUE THEN
        RETURN false;
    END IF;
    r := doors._append(r, 'proposal_reminded', 'system:sweep', doors._of_version(o, '{}'));
    UPDATE engine_proposal SET reminded_at = r.last_at WHERE id = o.id AND reminded_at IS NULL;
    PERFORM doors._save(r);
    RETURN true;
END $$;

-- Open proposals that escalate now: their time has come, or nobody is there who could let them be
-- done. The latter is looked for among all when other people are there than the last time, else among
-- those opened since; a minute is looked at twice, for who was just opening one.
CREATE FUNCTION doors.proposals_to_escalate(p_limit int) RETURNS TABLE (run_id uuid, id uuid)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_people text; v_since timestamptz; v_now timestamptz := clock_timestamp();
BEGIN
    IF NOT EXISTS (SELECT 1 FROM engine_proposal WHERE status = 'open' AND escalated_at IS NULL
                   AND escalate_at IS NOT NULL) THEN
        RETURN;
    END IF;
    v_people := doors._people_now();
    SELECT CASE WHEN people = v_people THEN people_looked_at END INTO v_since
    FROM engine_policy WHERE status = 'in_force';
    RETURN QUERY
    SELECT run_id, id FROM engine_proposal o
    WHERE status = 'open' AND escalated_at IS NULL AND escalate_at IS NOT NULL
      AND valid_until > v_now
      AND (escalate_at <= v_now
           OR ((v_since IS NULL OR opened_at > v_since - interval '1 min')
               AND doors._lacks_people(o)))
    ORDER BY escalate_at LIMIT p_limit;
    IF NOT FOUND THEN
        UPDATE engine_policy SET people = v_people, people_looked_at = v_now
        WHERE status = 'in_force' AND (people IS DISTINCT FROM v_people
                                       OR people_looked_at < v_now - interval '1 min');
    END IF;
END $$;

-- Names the people that there are now, by all that makes one able to decide (SHA-256, hex).
CREATE FUNCTION doors._people_now() RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(concat_ws(E'\n',
        (SELECT string_agg(format('%s in %s', person_id, group_name), ',' ORDER BY person_id, group_name)
         FROM doors.authority WHERE active),
        (SELECT string_agg(format('%s has %s', person_id, kind), ',' ORDER BY person_id, kind)
         FROM doors.factors),
        (SELECT string_agg(id::text, ',' ORDER BY id) FROM engine_qualification
         WHERE withdrawn_at IS NULL AND valid_from <= clock_timestamp()
           AND valid_until > clock_timestamp())), 'UTF8')), 'hex')
$$;

-- Whether all who could approve this now are too few by its rule. Of a group no more are asked about
-- than the rule asks for in all: where there are as many, it has enough in any choice.
CREATE FUNCTION doors._lacks_people(o engine_proposal) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE v_rule jsonb := doors._rule_of(o); v_able bigint[]; v_most bigint;
BEGIN
    v_able := doors._able_to(CASE WHEN doors._needs_step_up(o) THEN v_rule->>'step_up'
                                  ELSE 'none' END);
    SELECT sum((g->>'approve')::int) INTO v_most FROM jsonb_array_elements(v_rule->'groups') g;
    RETURN NOT doors._suffice(v_rule->'groups', ARRAY(
        SELECT m.person_id FROM unnest(o.groups) AS name, LATERAL (
            SELECT a.person_id FROM doors.authority a
            WHERE a.group_name = name AND a.person_id = ANY (v_able)
              AND doors._why_not_counted(a.person_id, o.id) IS NULL
            LIMIT v_most) m));
END $$;

-- Ask the fallback group, too, from now on; once. False when it is not time and somebody is there, when
-- it was done, or somebody has decided.
CREATE FUNCTION doors.escalate_proposal_if_due(p_run uuid, p_id uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE r engine_run := doors._locked(p_run); o engine_proposal; v_why text; v_to text;
BEGIN
    SELECT * INTO o FROM engine_proposal WHERE id = p_id AND run_id = p_run FOR UPDATE;
    IF (o.status = 'open' AND o.escalated_at IS NULL AND o.escalate_at IS NOT NULL
        AND o.valid_until > clock_timestamp()) IS NOT TRUE THEN
        RETURN false;
    END IF;
    v_why := CASE WHEN o.escalate_at <= clock_timestamp() THEN 'time'
                  WHEN doors._lacks_people(o) THEN 'nobody' END;
    IF v_why IS NULL THEN
        RETURN false;
    END IF;
    v_to := doors._fallback_of(doors._rule_of(o));
    r := doors._append(r, 'proposal_escalated', 'system:sweep', doors._of_version(o,
        jsonb_build_object('from', o.groups, 'to', v_to, 'why', v_why)));
    UPDATE engine_proposal SET escalated_at = r.last_at, groups = o.groups || v_to
    WHERE id = o.id AND escalated_at IS NULL;
    PERFORM doors._save(r);
    RETURN true;
END $$;
