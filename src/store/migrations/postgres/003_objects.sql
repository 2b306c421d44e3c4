-- 003: what a project keeps beside its runs: knowledge, learnings, metrics, golden questions. The store knows no kind.

CREATE TABLE objects (
	project TEXT COLLATE "C" NOT NULL,
	kind TEXT COLLATE "C" NOT NULL,
	key TEXT COLLATE "C" NOT NULL,      -- SHA-256 of what makes it one object of its kind
	name TEXT COLLATE "C" NOT NULL,
	status TEXT COLLATE "C" NOT NULL,
	confidence DOUBLE PRECISION NOT NULL,
	uses BIGINT NOT NULL,
	version BIGINT NOT NULL,            -- 1, then one more with each change
	author TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,         -- wall times, ms since 1970
	changed_at BIGINT NOT NULL,
	used_at BIGINT NOT NULL,            -- 0 = never
	body TEXT COLLATE "C" NOT NULL,     -- one JSON object
	PRIMARY KEY (project, kind, key)
);

CREATE INDEX objects_by_change ON objects (project, changed_at, version);
