-- 011: share links: an address by which others see a fixed copy of a conversation, an artifact or a run of a recipe; migration 015 of SQLite's.

CREATE TABLE shares (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY,       -- how people name it: the beginning of the hash
	hash TEXT COLLATE "C" NOT NULL,                 -- SHA-256 of the token, which is nowhere
	kind TEXT COLLATE "C" NOT NULL,                 -- 'thread', 'artifact', 'recipe_run'
	thing TEXT COLLATE "C" NOT NULL,                -- its id
	version BIGINT NOT NULL,           -- of an artifact; 0 = always the newest
	project TEXT COLLATE "C" NOT NULL,
	"user" TEXT COLLATE "C" NOT NULL,               -- who made the link
	audience TEXT COLLATE "C" NOT NULL,             -- 'public', 'project', 'users'
	users TEXT COLLATE "C" NOT NULL,                -- of the audience 'users': JSON list of names, '' = none
	title TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,        -- wall times, ms since 1970
	expires_at BIGINT NOT NULL,        -- 0 = never, as below
	revoked_at BIGINT NOT NULL,
	opened_at BIGINT NOT NULL,         -- the last time
	opens BIGINT NOT NULL              -- how often it was opened
);

CREATE INDEX shares_by_project ON shares (project, created_at, id);
CREATE INDEX shares_by_thing ON shares (kind, thing, created_at, id);

-- What a link shows. A link that was revoked has no copy any more.
CREATE TABLE share_copies (
	share TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	copied_at BIGINT NOT NULL,
	version BIGINT NOT NULL,           -- of an artifact: that was copied; 0 = it has none
	body TEXT COLLATE "C" NOT NULL                  -- JSON
);
