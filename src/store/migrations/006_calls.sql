-- 006: calls that take long have two rows in the audit table, one when they begin and one when they end.

ALTER TABLE ledger ADD COLUMN began INTEGER NOT NULL DEFAULT 0; -- in the row of the end: seq of the row of the beginning; 0 = none
ALTER TABLE ledger ADD COLUMN owner TEXT NOT NULL DEFAULT '';   -- in the row of the beginning: the process (run/owner.h)

-- Finds the end of a call. Most rows have no beginning, so the index stays small.
CREATE INDEX ledger_ends ON ledger (began) WHERE began > 0;
