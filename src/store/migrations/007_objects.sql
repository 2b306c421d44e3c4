-- 007: what a project keeps beside its runs: knowledge, learnings, metrics, golden questions. The store knows no kind.

CREATE TABLE objects (
	project TEXT NOT NULL,
	kind TEXT NOT NULL,
	key TEXT NOT NULL,                  -- SHA-256 of what makes it one object of its kind
	name TEXT NOT NULL,
	status TEXT NOT NULL,
	confidence REAL NOT NULL,
	uses INTEGER NOT NULL,
	version INTEGER NOT NULL,           -- 1, then one more with each change
	author TEXT NOT NULL,
	created_at INTEGER NOT NULL,        -- wall times, ms since 1970
	changed_at INTEGER NOT NULL,
	used_at INTEGER NOT NULL,           -- 0 = never
	body TEXT NOT NULL,                 -- one JSON object
	PRIMARY KEY (project, kind, key)
) STRICT;

-- Answers "has anything changed?" without a look at the rows.
CREATE INDEX objects_by_change ON objects (project, changed_at, version);
