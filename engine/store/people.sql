-- People: who is let work here, and in which groups. The accounts are the project's.

-- What a person may be here: {"active", "groups"}; NULL where there is nobody.
CREATE FUNCTION doors._standing_of(p_person bigint) RETURNS jsonb
LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object('active', active, 'groups', coalesce(
        jsonb_agg(group_name ORDER BY group_name COLLATE "C") FILTER (WHERE group_name IS NOT NULL), '[]'))
    FROM doors.authority WHERE person_id = p_person GROUP BY active
$$;

-- Whoever administers, and never for themselves. One at a time: two who close each other's account
-- are one who does, and one who comes too late.
CREATE FUNCTION doors._must_administer_another(p_person bigint, p_subject bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('placet.people'));
    PERFORM doors._must_administer(p_person);
    IF p_person = p_subject THEN
        PERFORM doors._refuse('not_permitted', 'nobody changes what they may do themselves');
    END IF;
END $$;

-- Change what somebody may be here. `seen` is what was shown: nothing else is overwritten unseen.
-- Nothing of what they have said is touched; whether it still counts is asked where it is used.
CREATE FUNCTION doors.change_person(p_actor text, p_payload bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    p json := doors._facts(p_payload);
    v_subject bigint := (p->>'subject')::bigint;
    v_before jsonb;
BEGIN
    PERFORM doors._must_administer_another((p->>'person')::bigint, v_subject);
    v_before := doors._standing_of(v_subject);
    IF v_before IS NULL THEN
        PERFORM doors._refuse('not_found', 'there is no such person');
    ELSIF v_before <> (p->'seen')::jsonb THEN
        PERFORM doors._refuse('conflict', 'somebody has changed it meanwhile');
    END IF;
    PERFORM doors._set_active(v_subject, (p->>'active')::boolean);
    PERFORM doors._set_groups(v_subject, ARRAY(SELECT json_array_elements_text(p->'groups')));
    IF v_before = doors._standing_of(v_subject) THEN
        PERFORM doors._refuse('conflict', 'nothing would change');
    END IF;
    PERFORM doors._note_person('person_changed', p_actor, p, v_before);
END $$;

-- Who did what to whom: what it was, and what it is now.
CREATE FUNCTION doors._note_person(p_kind text, p_actor text, p json, p_before jsonb) RETURNS void
LANGUAGE sql AS $$
    SELECT doors.note('people', p_kind, p_actor, convert_to(jsonb_build_object(
        'person', p->'person', 'person_name', p->'person_name', 'reason', p->'reason',
        'subject', p->'subject', 'subject_name', p->'subject_name', 'before', p_before,
        'after', doors._standing_of((p->>'subject')::bigint))::text, 'UTF8'))
$$;

-- Somebody was added by a command. Once another administers, people are invited; else a reason is kept.
CREATE FUNCTION doors.note_person_added(p_actor text, p_payload bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE p json := doors._facts(p_payload);
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('placet.people'));
    IF p->>'reason' IS NULL AND EXISTS (SELECT 1 FROM doors.authority
            WHERE active AND group_name = 'administrator'
              AND person_id IS DISTINCT FROM (p->>'subject')::bigint) THEN
        PERFORM doors._refuse('conflict', 'somebody administers already, and can invite them');
    END IF;
    PERFORM doors.note('people', 'person_added', p_actor, p_payload);
END $$;

-- Somebody was invited, the invitation withdrawn, or accepted: what an administrator answers for, now
-- and when it is accepted. Whom it lets in is the project's.
CREATE FUNCTION doors.note_invitation(p_kind text, p_actor text, p_payload bytea) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('placet.people'));
    PERFORM doors._must_administer((doors._facts(p_payload)->>'person')::bigint);
    PERFORM doors.note('people', p_kind, p_actor, p_payload);
END $$;
