-- 005: jobs that workers take, and schedules that queue them; migration 009 of SQLite's.

CREATE TABLE jobs (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	once TEXT COLLATE "C" NOT NULL UNIQUE,          -- two jobs never have the same: "schedule/due time", "parent/collection", or the id
	queue TEXT COLLATE "C" NOT NULL,
	kind TEXT COLLATE "C" NOT NULL,
	target TEXT COLLATE "C" NOT NULL,               -- which server is asked, '' = none: so many jobs of one at a time
	payload TEXT COLLATE "C" NOT NULL,              -- one JSON object, without secrets
	state TEXT COLLATE "C" NOT NULL,
	ready_at BIGINT NOT NULL,          -- queued: not before; running: end of the lease. Wall time, ms since 1970, like all times
	created_at BIGINT NOT NULL,
	started_at BIGINT NOT NULL,        -- 0 = never
	ended_at BIGINT NOT NULL,          -- 0 = not yet
	attempts BIGINT NOT NULL,
	max_attempts BIGINT NOT NULL,
	owner TEXT COLLATE "C" NOT NULL,                -- the worker that took it last
	run TEXT COLLATE "C" NOT NULL,                  -- what it does is logged under this id
	wants_stop BIGINT NOT NULL,
	result TEXT COLLATE "C" NOT NULL,               -- one JSON object, '' = none yet
	error TEXT COLLATE "C" NOT NULL                 -- of the last attempt that failed
);

CREATE INDEX jobs_to_do ON jobs (queue, ready_at, id) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_running ON jobs (target) WHERE state = 'running';
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at > 0;

-- A row is written by whoever takes a job of the target, so that two of them take turns.
CREATE TABLE job_targets (
	target TEXT COLLATE "C" NOT NULL PRIMARY KEY
);

CREATE TABLE schedules (
	name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	cron TEXT COLLATE "C" NOT NULL,
	zone TEXT COLLATE "C" NOT NULL,                 -- of the system's time zones: "Europe/Berlin"
	queue TEXT COLLATE "C" NOT NULL,
	kind TEXT COLLATE "C" NOT NULL,
	payload TEXT COLLATE "C" NOT NULL,
	is_paused BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	next_at BIGINT NOT NULL,           -- when its next job is due
	last_at BIGINT NOT NULL            -- when the last one was due that it has queued, 0 = none yet
);
