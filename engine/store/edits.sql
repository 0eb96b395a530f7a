-- Reviewers edit what is open. The version that was shown is superseded; what the editor wrote is
-- asked anew, in a version of which nobody has said anything yet.

-- Whoever may decide this version may edit it instead, and who edited it before may go on editing.
CREATE FUNCTION doors.why_not_edit(p_person bigint, p_proposal uuid) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT nullif(doors.why_not_decide(p_person, p_proposal), 'who edited it never decides it')
$$;

-- Other arguments for an open version, by somebody who saw exactly its digest. The same arguments
-- are no edit. A refusal for want of authority is an event too, told as {"refused": why}.
CREATE FUNCTION doors.edit_proposal(p_run uuid, p_actor text, p_payload bytea) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    r engine_run := doors._locked(p_run);
    p json := doors._facts(p_payload);
    o engine_proposal := doors._version(p_run, p);
    v_why_not text;
BEGIN
    v_why_not := doors.why_not_edit((p->>'person')::bigint, o.id);
    IF v_why_not IS NOT NULL THEN
        RETURN doors._refused_decision(r, p_actor, p, v_why_not);
    END IF;
    PERFORM doors._must_be_decidable(r, o, p);
    PERFORM doors._must_not_be_stopped(r, o.action, false);
    IF convert_to(p->>'before', 'UTF8') <> o.arguments OR p->>'arguments' = p->>'before' THEN
        PERFORM doors._refuse('conflict', 'nothing was changed');
    END IF;
    PERFORM doors._must_move('proposal', o.status, 'superseded');
    r := doors._append(r, 'proposal_edited', p_actor, p_payload);
    UPDATE engine_proposal SET status = 'superseded', closed_at = r.last_at WHERE id = o.id;
    PERFORM doors._end_of_drawn(o, p_actor, 'edited');
    r.wake_at := doors._awake(r);
    PERFORM doors._save(r);
    RETURN doors._told(r);
END $$;
