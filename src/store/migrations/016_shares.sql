-- 015: share links: an address by which others see a fixed copy of a conversation, an artifact or a run of a recipe.

CREATE TABLE shares (
	id TEXT NOT NULL PRIMARY KEY,       -- how people name it: the beginning of the hash
	hash TEXT NOT NULL,                 -- SHA-256 of the token, which is nowhere
	kind TEXT NOT NULL,                 -- 'thread', 'artifact', 'recipe_run'
	thing TEXT NOT NULL,                -- its id
	version INTEGER NOT NULL,           -- of an artifact; 0 = always the newest
	project TEXT NOT NULL,
	"user" TEXT NOT NULL,               -- who made the link
	audience TEXT NOT NULL,             -- 'public', 'project', 'users'
	users TEXT NOT NULL,                -- of the audience 'users': JSON list of names, '' = none
	title TEXT NOT NULL,
	created_at INTEGER NOT NULL,        -- wall times, ms since 1970
	expires_at INTEGER NOT NULL,        -- 0 = never, as below
	revoked_at INTEGER NOT NULL,
	opened_at INTEGER NOT NULL,         -- the last time
	opens INTEGER NOT NULL              -- how often it was opened
) STRICT;

CREATE INDEX shares_by_project ON shares (project, created_at, id);
CREATE INDEX shares_by_thing ON shares (kind, thing, created_at, id);

-- What a link shows. A link that was revoked has no copy any more.
CREATE TABLE share_copies (
	share TEXT NOT NULL PRIMARY KEY,
	copied_at INTEGER NOT NULL,
	version INTEGER NOT NULL,           -- of an artifact: that was copied; 0 = it has none
	body TEXT NOT NULL                  -- JSON
) STRICT;
