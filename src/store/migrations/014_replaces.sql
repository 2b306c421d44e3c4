-- 014: a question that was edited or asked again: its run names the run that it replaces, '' = none, of the same source_key.
--
-- That run, and those of the conversation between the two, are no longer shown. They stay in the store.

ALTER TABLE runs ADD COLUMN replaces TEXT NOT NULL DEFAULT '';

CREATE INDEX runs_that_replace ON runs (source_key, id) WHERE replaces <> '';
