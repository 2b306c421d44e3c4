-- 017: figures of a run that lists of collections show, so that no report is read for them. Runs that ended before have none.
-- The null values are those of the fields in the report; counted_values 0 = not counted. The last three count when is_compared is 1:
-- there was a run before of the same source.

ALTER TABLE runs ADD COLUMN null_values INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN counted_values INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN is_compared INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN new_findings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN resolved_findings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN regressed_fields INTEGER NOT NULL DEFAULT 0;
