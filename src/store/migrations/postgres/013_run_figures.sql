-- 013: figures of a run that lists of collections show, so that no report is read for them. Runs that ended before have none; migration 017 of SQLite's.

ALTER TABLE runs ADD COLUMN null_values BIGINT NOT NULL DEFAULT 0;       -- of the fields in the report
ALTER TABLE runs ADD COLUMN counted_values BIGINT NOT NULL DEFAULT 0;    -- null ones and others; 0 = not counted
ALTER TABLE runs ADD COLUMN is_compared BIGINT NOT NULL DEFAULT 0;       -- 1: with the run before; then the next three count
ALTER TABLE runs ADD COLUMN new_findings BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN resolved_findings BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN regressed_fields BIGINT NOT NULL DEFAULT 0;
