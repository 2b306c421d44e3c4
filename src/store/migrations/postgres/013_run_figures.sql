-- 013: figures of a run that lists of collections show, so that no report is read for them. Runs that ended before have none; migration 017 of SQLite's.
-- The null values are those of the fields in the report; counted_values 0 = not counted. The last three count when is_compared is 1:
-- there was a run before of the same source.

ALTER TABLE runs ADD COLUMN null_values BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN counted_values BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN is_compared BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN new_findings BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN resolved_findings BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN regressed_fields BIGINT NOT NULL DEFAULT 0;
