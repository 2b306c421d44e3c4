-- 008: accounts of people, and tokens that stand for one browser (a session) or for one visit (a link).

CREATE TABLE users (
	name TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- as members and tokens have it
	password TEXT COLLATE "C" NOT NULL,         -- scrypt, "$7$…"; '' = none
	project TEXT COLLATE "C" NOT NULL,          -- that is meant when none is named; '' = none
	is_super BIGINT NOT NULL,                  -- admin of everything
	is_active BIGINT NOT NULL,                 -- 0: neither passwords nor tokens let this user in
	created_at BIGINT NOT NULL,                 -- wall times, ms since 1970
	changed_at BIGINT NOT NULL,
	seen_at BIGINT NOT NULL                     -- of the last login, 0 = never
);

ALTER TABLE tokens ADD COLUMN kind BIGINT NOT NULL DEFAULT 0; -- ag_token_kind
