-- 013: answers to requests that carry an Idempotency-Key, kept for a day.

CREATE TABLE idempotency (
	key TEXT NOT NULL PRIMARY KEY,      -- SHA-256 of the user and the client's key
	request TEXT NOT NULL,              -- SHA-256 of what was asked
	claim TEXT NOT NULL,                -- id of the request that does it
	status INTEGER NOT NULL,            -- of the answer; 0 = there is none yet
	media TEXT NOT NULL,                -- its type; '' = no body, '-' = it was not kept
	body TEXT NOT NULL,
	created_at INTEGER NOT NULL         -- wall time, ms since 1970
) STRICT;

CREATE INDEX idempotency_created_at ON idempotency (created_at);
