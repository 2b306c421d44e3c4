-- 014: which run others of the same source are compared with, when a person chose one; migration 018 of SQLite's.

CREATE TABLE baselines (
	source_key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	run TEXT COLLATE "C" NOT NULL,      -- id of a run of that source
	"user" TEXT COLLATE "C" NOT NULL,   -- who chose it
	set_at BIGINT NOT NULL              -- wall time, ms since 1970
);

CREATE INDEX baselines_by_run ON baselines (run);
