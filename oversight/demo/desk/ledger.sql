-- The desk's ledger: an outside database with its own role, which has no right on the engine's
-- tables. Run as its superuser; safe to run again.

CREATE TABLE IF NOT EXISTS account (
    number text PRIMARY KEY,
    holder text NOT NULL,
    balance numeric(12,2) NOT NULL CONSTRAINT account_is_covered CHECK (balance >= 0)
);

CREATE TABLE IF NOT EXISTS purchase (
    order_no text PRIMARY KEY,
    customer text NOT NULL,
    goods text NOT NULL,
    paid numeric(12,2) NOT NULL CONSTRAINT paid_something CHECK (paid > 0),
    refunded numeric(12,2) NOT NULL DEFAULT 0
        CONSTRAINT refund_within_payment CHECK (refunded BETWEEN 0 AND paid),
    -- The bank that handles this order keeps a fee of every refund, and says nothing about it.
    handling_fee numeric(12,2) NOT NULL DEFAULT 0
);

-- What really happened to orders, written by the ledger itself: effects are counted here.
CREATE TABLE IF NOT EXISTS movement (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_no text NOT NULL REFERENCES purchase,
    amount numeric(12,2) NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS movement_of_order ON movement (order_no);

-- Money that came to the desk (positive) or left it (negative) for other reasons than refunds.
CREATE TABLE IF NOT EXISTS transfer (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    amount numeric(12,2) NOT NULL,
    note text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE OR REPLACE FUNCTION keep_the_fee() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.refunded > OLD.refunded THEN
        NEW.refunded := NEW.refunded - OLD.handling_fee;
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION note_movement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO movement (order_no, amount) VALUES (NEW.order_no, NEW.refunded - OLD.refunded);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER keep_the_fee BEFORE UPDATE OF refunded ON purchase
FOR EACH ROW EXECUTE FUNCTION keep_the_fee();

CREATE OR REPLACE TRIGGER note_movement AFTER UPDATE OF refunded ON purchase
FOR EACH ROW WHEN (NEW.refunded <> OLD.refunded) EXECUTE FUNCTION note_movement();

GRANT SELECT, UPDATE ON account, purchase TO ledger_desk;
GRANT SELECT, INSERT, UPDATE ON placet_key TO ledger_desk;
GRANT SELECT, INSERT ON movement, transfer TO ledger_desk;
