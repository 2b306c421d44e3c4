-- 009: answers to requests that carry an Idempotency-Key, kept for a day.

CREATE TABLE idempotency (
	key TEXT COLLATE "C" NOT NULL PRIMARY KEY,  -- SHA-256 of the user and the client's key
	request TEXT COLLATE "C" NOT NULL,          -- SHA-256 of what was asked
	claim TEXT COLLATE "C" NOT NULL,            -- id of the request that does it
	status BIGINT NOT NULL,                     -- of the answer; 0 = there is none yet
	media TEXT COLLATE "C" NOT NULL,            -- its type; '' = no body, '-' = it was not kept
	body TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL                  -- wall time, ms since 1970
);

CREATE INDEX idempotency_created_at ON idempotency (created_at);
