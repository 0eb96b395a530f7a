"""What the database itself holds about people: a closed account has no session left, ever again,
and somebody always administers."""

from django.db import migrations, models

SESSIONS_END = """
CREATE FUNCTION oversight_end_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.sessions_ended := OLD.sessions_ended + 1;
    RETURN NEW;
END $$;
CREATE TRIGGER sessions_end BEFORE UPDATE ON oversight_person FOR EACH ROW
    WHEN (OLD.is_active AND NOT NEW.is_active) EXECUTE FUNCTION oversight_end_sessions();
"""

SOMEBODY_ADMINISTERS = """
CREATE FUNCTION oversight_somebody_administers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('placet.people'));
    IF NOT EXISTS (
        SELECT 1 FROM oversight_person p
        JOIN oversight_person_groups m ON m.person_id = p.id
        JOIN auth_group g ON g.id = m.group_id
        WHERE p.is_active AND g.name = 'administrator') THEN
        RAISE EXCEPTION USING ERRCODE = 'PLC00', MESSAGE = 'conflict',
            DETAIL = 'somebody has to administer';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION oversight_administered(p_group int) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM auth_group WHERE id = p_group AND name = 'administrator')
$$;
CREATE FUNCTION oversight_was_administrator(p_person bigint) RETURNS boolean LANGUAGE sql STABLE
AS $$
    SELECT EXISTS (SELECT 1 FROM oversight_person_groups m WHERE m.person_id = p_person
                   AND oversight_administered(m.group_id))
$$;
CREATE TRIGGER somebody_administers AFTER UPDATE ON oversight_person FOR EACH ROW
    WHEN (OLD.is_active AND NOT NEW.is_active AND oversight_was_administrator(OLD.id))
    EXECUTE FUNCTION oversight_somebody_administers();
CREATE TRIGGER somebody_administers AFTER DELETE ON oversight_person_groups FOR EACH ROW
    WHEN (oversight_administered(OLD.group_id))
    EXECUTE FUNCTION oversight_somebody_administers();
"""


class Migration(migrations.Migration):
    dependencies = [("oversight", "0003_pace")]

    operations = [
        migrations.AddField(
            model_name="person",
            name="sessions_ended",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.RunSQL(SESSIONS_END, migrations.RunSQL.noop),
        migrations.RunSQL(SOMEBODY_ADMINISTERS, migrations.RunSQL.noop),
    ]
