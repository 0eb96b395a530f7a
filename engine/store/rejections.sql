-- What was rejected, and is asked for again.

-- What makes two proposals the same: the action, its version and the arguments, from which the target
-- follows. Neither who asks, nor in which run, nor why.
CREATE FUNCTION doors._content(p_action text, p_version int, p_arguments bytea) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT encode(sha256(convert_to(p_action || '@' || p_version || E'\n', 'UTF8') || p_arguments),
                  'hex')
$$;

-- What was rejected for this agent not longer ago than `p_hold_back` seconds is asked again only by
-- one who names that rejection, the newest, and so has something to say about it.
CREATE FUNCTION doors._must_know_of_rejection(p_agent text, p json, p_hold_back double precision)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_content text := doors._content(
        p->>'action', (p->>'action_version')::int, convert_to(p->>'arguments', 'UTF8'));
    v_despite uuid := (p->>'despite')::uuid;
    o engine_proposal;
BEGIN
    SELECT * INTO o FROM engine_proposal
    WHERE agent = p_agent AND content = v_content AND status = 'rejected'
    ORDER BY closed_at DESC LIMIT 1;
    IF o.proposal_id = v_despite THEN
        RETURN;
    END IF;
    IF o.closed_at > clock_timestamp() - make_interval(secs => p_hold_back)
       OR (v_despite IS NOT NULL AND o.id IS NOT NULL) THEN
        PERFORM doors._refuse('rejected_before', format('%s|%s|%s', o.proposal_id,
            doors._instant(o.closed_at), doors._rejection(o)->>'reason_code'));
    END IF;
    IF v_despite IS NOT NULL THEN
        PERFORM doors._refuse('conflict', 'nothing that asked for exactly this was rejected');
    END IF;
END $$;

-- When, by whom and for which reason a version was rejected; the reason is the last one's.
CREATE FUNCTION doors._rejection(o engine_proposal) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'proposal', json_build_array(o.proposal_id, o.version), 'at', doors._instant(o.closed_at),
        'by', json_agg(person_name ORDER BY decided_at),
        'reason_code', (array_agg(reason_code ORDER BY decided_at DESC))[1],
        'reason', (array_agg(reason ORDER BY decided_at DESC))[1])
    FROM engine_decision WHERE proposal_id = o.id AND decision = 'reject'
$$;

-- The same, of the rejected version of a proposal; NULL where none was.
CREATE FUNCTION doors.rejection(p_proposal uuid) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT doors._rejection(o) FROM engine_proposal o
    WHERE o.proposal_id = p_proposal AND o.status = 'rejected'
$$;
