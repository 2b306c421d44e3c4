-- 012: accounts of people, and tokens that stand for one browser (a session) or for one visit (a link).

CREATE TABLE users (
	name TEXT NOT NULL PRIMARY KEY,     -- as members and tokens have it
	password TEXT NOT NULL,             -- scrypt, "$7$…"; '' = none
	project TEXT NOT NULL,              -- that is meant when none is named; '' = none
	is_super INTEGER NOT NULL,          -- admin of everything
	is_active INTEGER NOT NULL,         -- 0: neither passwords nor tokens let this user in
	created_at INTEGER NOT NULL,        -- wall times, ms since 1970
	changed_at INTEGER NOT NULL,
	seen_at INTEGER NOT NULL            -- of the last login, 0 = never
) STRICT;

ALTER TABLE tokens ADD COLUMN kind INTEGER NOT NULL DEFAULT 0; -- ag_token_kind
