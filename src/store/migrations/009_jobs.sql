-- 009: jobs that workers take, and schedules that queue them.

CREATE TABLE jobs (
	id TEXT NOT NULL PRIMARY KEY,
	once TEXT NOT NULL UNIQUE,          -- two jobs never have the same: "schedule/due time", "parent/collection", or the id
	queue TEXT NOT NULL,
	kind TEXT NOT NULL,
	target TEXT NOT NULL,               -- which server is asked, '' = none: so many jobs of one at a time
	payload TEXT NOT NULL,              -- one JSON object, without secrets
	state TEXT NOT NULL,
	ready_at INTEGER NOT NULL,          -- queued: not before; running: end of the lease. Wall time, ms since 1970, like all times
	created_at INTEGER NOT NULL,
	started_at INTEGER NOT NULL,        -- 0 = never
	ended_at INTEGER NOT NULL,          -- 0 = not yet
	attempts INTEGER NOT NULL,
	max_attempts INTEGER NOT NULL,
	owner TEXT NOT NULL,                -- the worker that took it last
	run TEXT NOT NULL,                  -- what it does is logged under this id
	wants_stop INTEGER NOT NULL,
	result TEXT NOT NULL,               -- one JSON object, '' = none yet
	error TEXT NOT NULL                 -- of the last attempt that failed
) STRICT;

CREATE INDEX jobs_to_do ON jobs (queue, ready_at, id) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_running ON jobs (target) WHERE state = 'running';
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at > 0;

-- A row is written by whoever takes a job of the target, so that two of them take turns.
CREATE TABLE job_targets (
	target TEXT NOT NULL PRIMARY KEY
) STRICT;

CREATE TABLE schedules (
	name TEXT NOT NULL PRIMARY KEY,
	cron TEXT NOT NULL,
	zone TEXT NOT NULL,                 -- of the system's time zones: "Europe/Berlin"
	queue TEXT NOT NULL,
	kind TEXT NOT NULL,
	payload TEXT NOT NULL,
	is_paused INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	next_at INTEGER NOT NULL,           -- when its next job is due
	last_at INTEGER NOT NULL            -- when the last one was due that it has queued, 0 = none yet
) STRICT;
