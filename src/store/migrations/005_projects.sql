-- 005: projects with their users and tokens; what all processes share about calls: audit table, rate limits, cached texts.

CREATE TABLE projects (
	id TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL,
	source TEXT NOT NULL,               -- URI without password
	secret TEXT NOT NULL,               -- the password as a Fernet token, '' = none
	settings TEXT NOT NULL,             -- one JSON object
	is_active INTEGER NOT NULL,
	created_at INTEGER NOT NULL,        -- wall times, ms since 1970
	changed_at INTEGER NOT NULL
) STRICT;

-- No foreign key: a project may stand in argus.yaml and have its members here.
CREATE TABLE members (
	project TEXT NOT NULL,
	user TEXT NOT NULL,
	role INTEGER NOT NULL CHECK (role BETWEEN 1 AND 3), -- viewer, analyst, admin
	PRIMARY KEY (project, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX members_by_user ON members (user);

CREATE TABLE tokens (
	id TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL,
	user TEXT NOT NULL,
	hash TEXT NOT NULL UNIQUE,          -- SHA-256 of the token
	ceiling INTEGER NOT NULL,
	projects TEXT NOT NULL,             -- one a line, '' = all of its user
	scopes TEXT NOT NULL,               -- one a line, '' = all
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,        -- 0 = never
	revoked_at INTEGER NOT NULL,
	used_at INTEGER NOT NULL
) STRICT;

CREATE INDEX tokens_by_user ON tokens (user);

-- Append-only: hash = SHA-256(hash of the row before, ag_ledger_canonical() of the row). No further index: a row must
-- stay cheap to write, and who reads it reads along seq.
CREATE TABLE ledger (
	seq INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	user TEXT NOT NULL,
	project TEXT NOT NULL,
	token TEXT NOT NULL,
	session TEXT NOT NULL,
	tool TEXT NOT NULL,
	sql TEXT NOT NULL,
	fingerprint TEXT NOT NULL,
	verdict TEXT NOT NULL,
	rule TEXT NOT NULL,
	tables TEXT NOT NULL,
	nrow INTEGER NOT NULL,
	nbyte INTEGER NOT NULL,
	wait_us INTEGER NOT NULL,
	exec_us INTEGER NOT NULL,
	outcome TEXT NOT NULL,
	detail TEXT NOT NULL,
	hash TEXT NOT NULL
) STRICT;

-- Where the chain begins (behind what was purged) and where it ends: rows that are cut off at the end are missed.
CREATE TABLE ledger_chain (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	base_seq INTEGER NOT NULL,
	base_hash TEXT NOT NULL,
	head_seq INTEGER NOT NULL,
	head_hash TEXT NOT NULL
) STRICT;

INSERT INTO ledger_chain VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000',
	0, '0000000000000000000000000000000000000000000000000000000000000000');

CREATE TABLE rates (
	name TEXT NOT NULL PRIMARY KEY,
	began_at INTEGER NOT NULL,
	ends_at INTEGER NOT NULL,
	used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE texts (
	key TEXT NOT NULL PRIMARY KEY,
	at INTEGER NOT NULL,
	text TEXT NOT NULL
) STRICT;
