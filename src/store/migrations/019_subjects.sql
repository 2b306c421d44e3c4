-- 019: who an account is at an OpenID Connect issuer.

CREATE TABLE subjects (
	id TEXT NOT NULL PRIMARY KEY,       -- SHA-256 of issuer, line feed, subject
	issuer TEXT NOT NULL,
	subject TEXT NOT NULL,              -- the claim "sub": unique at the issuer, never given to anybody else
	"user" TEXT NOT NULL,               -- the account
	created_at INTEGER NOT NULL         -- wall time, ms since 1970
) STRICT;

-- An account is one person at an issuer.
CREATE UNIQUE INDEX subjects_by_user ON subjects ("user", issuer);
