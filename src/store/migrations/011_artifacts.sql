-- 011: artifacts of projects: charts, pages and texts that a conversation leaves, with all their versions.

CREATE TABLE artifacts (
	project TEXT NOT NULL,
	id TEXT NOT NULL,                   -- that of its first version
	title TEXT NOT NULL,                -- as it is called now; a version keeps the title that it was saved with
	kind TEXT NOT NULL,
	thread TEXT NOT NULL,               -- the conversation that made it, '' = none
	author TEXT NOT NULL,
	versions INTEGER NOT NULL,          -- the newest version's number
	created_at INTEGER NOT NULL,        -- wall times, ms since 1970
	changed_at INTEGER NOT NULL,
	deleted_at INTEGER NOT NULL,        -- 0 = it is not deleted
	PRIMARY KEY (project, id)
) STRICT;

CREATE INDEX artifacts_by_change ON artifacts (project, changed_at, id);
CREATE INDEX artifacts_deleted ON artifacts (deleted_at) WHERE deleted_at > 0;

CREATE TABLE artifact_versions (
	project TEXT NOT NULL,
	id TEXT NOT NULL,
	artifact TEXT NOT NULL,
	version INTEGER NOT NULL,           -- 1, then one more with each
	parent TEXT NOT NULL,               -- the version that it was made from, '' = none
	title TEXT NOT NULL,
	description TEXT NOT NULL,
	code TEXT NOT NULL,
	hash TEXT NOT NULL,                 -- SHA-256 of the code
	data TEXT NOT NULL,                 -- JSON, '' = none
	queries TEXT NOT NULL,              -- JSON: list of {"name","sql"}, '' = none
	figures TEXT NOT NULL,              -- JSON: what was found out about its figures, '' = nothing
	author TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (project, id),
	UNIQUE (project, artifact, version),
	FOREIGN KEY (project, artifact) REFERENCES artifacts (project, id) ON DELETE CASCADE
) STRICT;
