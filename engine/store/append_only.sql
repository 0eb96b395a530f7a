-- The log is append-only. One UPDATE is allowed: payload and salt to NULL on a terminal run
-- whose log already says `erased`.

CREATE FUNCTION engine_event_append_only() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.payload IS NULL AND NEW.salt IS NULL
       AND (NEW.run_id, NEW.seq, NEW.kind, NEW.actor, NEW.at, NEW.payload_hash, NEW.hash)
         = (OLD.run_id, OLD.seq, OLD.kind, OLD.actor, OLD.at, OLD.payload_hash, OLD.hash)
       AND EXISTS (SELECT 1 FROM engine_run WHERE run_id = OLD.run_id AND ended_at IS NOT NULL)
       AND EXISTS (SELECT 1 FROM engine_event WHERE run_id = OLD.run_id AND kind = 'erased') THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the event log is append-only: % refused', TG_OP USING ERRCODE = 'PLC01';
END $$;

CREATE TRIGGER engine_event_append_only BEFORE UPDATE OR DELETE ON engine_event
FOR EACH ROW EXECUTE FUNCTION engine_event_append_only();

CREATE TRIGGER engine_event_no_truncate BEFORE TRUNCATE ON engine_event
FOR EACH STATEMENT EXECUTE FUNCTION engine_event_append_only();

-- Values are named by what cannot be changed, and never change. They are stored as they are: the
-- built-in compression costs many times what it saves to write.

ALTER TABLE engine_value ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE FUNCTION engine_value_append_only() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'values are append-only: % refused', TG_OP USING ERRCODE = 'PLC01';
END $$;

CREATE TRIGGER engine_value_append_only BEFORE UPDATE OR DELETE ON engine_value
FOR EACH ROW EXECUTE FUNCTION engine_value_append_only();

CREATE TRIGGER engine_value_no_truncate BEFORE TRUNCATE ON engine_value
FOR EACH STATEMENT EXECUTE FUNCTION engine_value_append_only();
