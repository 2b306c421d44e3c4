-- 015: who an account is at an OpenID Connect issuer; migration 019 of SQLite's.

CREATE TABLE subjects (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY,       -- SHA-256 of issuer, line feed, subject
	issuer TEXT COLLATE "C" NOT NULL,
	subject TEXT COLLATE "C" NOT NULL,              -- the claim "sub": unique at the issuer, never given to anybody else
	"user" TEXT COLLATE "C" NOT NULL,               -- the account
	created_at BIGINT NOT NULL                      -- wall time, ms since 1970
);

-- An account is one person at an issuer.
CREATE UNIQUE INDEX subjects_by_user ON subjects ("user", issuer);
