-- 006: conversations that are served over HTTP: who owns one, and what it is called. What was said is in its runs.

CREATE TABLE threads (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- the UUID in the key of its runs, "thread:<id>"
	name TEXT COLLATE "C" NOT NULL,           -- as the client that began it calls it
	"user" TEXT COLLATE "C" NOT NULL,
	project TEXT COLLATE "C" NOT NULL,
	title TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,               -- wall times, ms since 1970
	changed_at BIGINT NOT NULL,               -- of the last question
	viewed_at BIGINT NOT NULL,                -- 0 = never
	deleted_at BIGINT NOT NULL,               -- 0 = not
	stop_at BIGINT NOT NULL                   -- the turn under way shall end: since when, 0 = it shall not
);

CREATE INDEX threads_of_user ON threads ("user", changed_at);
CREATE INDEX threads_to_stop ON threads (id) WHERE stop_at > 0;
