-- 017: figures of a run that lists of collections show, so that no report is read for them. Runs that ended before have none.

ALTER TABLE runs ADD COLUMN null_values INTEGER NOT NULL DEFAULT 0;       -- of the fields in the report
ALTER TABLE runs ADD COLUMN counted_values INTEGER NOT NULL DEFAULT 0;    -- null ones and others; 0 = not counted
ALTER TABLE runs ADD COLUMN is_compared INTEGER NOT NULL DEFAULT 0;       -- 1: with the run before; then the next three count
ALTER TABLE runs ADD COLUMN new_findings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN resolved_findings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN regressed_fields INTEGER NOT NULL DEFAULT 0;
