-- 007: artifacts of projects: charts, pages and texts that a conversation leaves, with all their versions; migration 011 of SQLite's.

CREATE TABLE artifacts (
	project TEXT COLLATE "C" NOT NULL,
	id TEXT COLLATE "C" NOT NULL,                   -- that of its first version
	title TEXT COLLATE "C" NOT NULL,                -- as it is called now; a version keeps the title that it was saved with
	kind TEXT COLLATE "C" NOT NULL,
	thread TEXT COLLATE "C" NOT NULL,               -- the conversation that made it, '' = none
	author TEXT COLLATE "C" NOT NULL,
	versions BIGINT NOT NULL,          -- the newest version's number
	created_at BIGINT NOT NULL,        -- wall times, ms since 1970
	changed_at BIGINT NOT NULL,
	deleted_at BIGINT NOT NULL,        -- 0 = it is not deleted
	PRIMARY KEY (project, id)
);

CREATE INDEX artifacts_by_change ON artifacts (project, changed_at, id);
CREATE INDEX artifacts_deleted ON artifacts (deleted_at) WHERE deleted_at > 0;

CREATE TABLE artifact_versions (
	project TEXT COLLATE "C" NOT NULL,
	id TEXT COLLATE "C" NOT NULL,
	artifact TEXT COLLATE "C" NOT NULL,
	version BIGINT NOT NULL,           -- 1, then one more with each
	parent TEXT COLLATE "C" NOT NULL,               -- the version that it was made from, '' = none
	title TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C" NOT NULL,
	code TEXT COLLATE "C" NOT NULL,
	hash TEXT COLLATE "C" NOT NULL,                 -- SHA-256 of the code
	data TEXT COLLATE "C" NOT NULL,                 -- JSON, '' = none
	queries TEXT COLLATE "C" NOT NULL,              -- JSON: list of {"name","sql"}, '' = none
	figures TEXT COLLATE "C" NOT NULL,              -- JSON: what was found out about its figures, '' = nothing
	author TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (project, id),
	UNIQUE (project, artifact, version),
	FOREIGN KEY (project, artifact) REFERENCES artifacts (project, id) ON DELETE CASCADE
);
