-- 018: which run others of the same source are compared with, when a person chose one.

CREATE TABLE baselines (
	source_key TEXT NOT NULL PRIMARY KEY,
	run TEXT NOT NULL,                  -- id of a run of that source
	"user" TEXT NOT NULL,               -- who chose it
	set_at INTEGER NOT NULL             -- wall time, ms since 1970
) STRICT;

CREATE INDEX baselines_by_run ON baselines (run);
