-- 002: when a person gave a finding its label; quick ways to labelled and to waiting findings.

ALTER TABLE findings ADD COLUMN labelled_at INTEGER NOT NULL DEFAULT 0; -- wall time, ms since 1970; 0 = never

-- Few findings have a label or wait for a person: the partial indexes stay small.
CREATE INDEX findings_labelled ON findings (run) WHERE label <> '';
CREATE INDEX findings_pending ON findings (run) WHERE status = 'pending_review';
