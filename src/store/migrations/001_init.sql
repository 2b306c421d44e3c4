-- 001: the log of events, and what is derived from it.
-- Runs inside one transaction of store/sqlite_open.c, which also sets user_version.

-- The spine. No foreign key to runs: rows of runs are derived and may be rebuilt at any time.
CREATE TABLE events (
	run TEXT NOT NULL,
	seq INTEGER NOT NULL CHECK (seq >= 1),
	v INTEGER NOT NULL,
	type TEXT NOT NULL,
	call_id TEXT NOT NULL DEFAULT '',
	cause INTEGER NOT NULL DEFAULT 0,
	at INTEGER NOT NULL,                -- wall time, ms since 1970
	payload TEXT NOT NULL,              -- one JSON object
	PRIMARY KEY (run, seq)
) STRICT;

CREATE TABLE runs (
	id TEXT NOT NULL PRIMARY KEY,
	agent TEXT NOT NULL,
	source_uri TEXT NOT NULL,
	source_key TEXT NOT NULL,
	collection TEXT NOT NULL,
	status TEXT NOT NULL,
	verdict TEXT NOT NULL,
	summary TEXT NOT NULL,
	started_at INTEGER NOT NULL,
	finished_at INTEGER NOT NULL,       -- 0 = not yet
	documents INTEGER NOT NULL,
	critical INTEGER NOT NULL,
	high INTEGER NOT NULL,
	medium INTEGER NOT NULL,
	low INTEGER NOT NULL
) STRICT;

CREATE INDEX runs_by_start ON runs (started_at, id);
CREATE INDEX runs_by_source ON runs (source_key, started_at, id);
CREATE INDEX runs_by_finish ON runs (finished_at) WHERE finished_at > 0;

CREATE TABLE findings (
	id TEXT NOT NULL PRIMARY KEY,
	run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	key TEXT NOT NULL,
	field TEXT NOT NULL,
	category TEXT NOT NULL,
	severity TEXT NOT NULL,
	status TEXT NOT NULL,
	affected INTEGER NOT NULL,
	share REAL NOT NULL,
	label TEXT NOT NULL,
	body TEXT NOT NULL                  -- the finding as JSON
) STRICT;

CREATE INDEX findings_by_run ON findings (run);
CREATE INDEX findings_by_key ON findings (key);

CREATE TABLE reports (
	run TEXT NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
	body TEXT NOT NULL
) STRICT;

CREATE TABLE leases (
	run TEXT NOT NULL PRIMARY KEY,
	owner TEXT NOT NULL,
	until INTEGER NOT NULL              -- wall time, ms since 1970
) STRICT;
