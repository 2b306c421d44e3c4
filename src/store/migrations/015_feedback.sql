-- 015: what people say of answers: one row for each user and turn.

CREATE TABLE feedback (
	turn TEXT NOT NULL,                 -- id of the turn's run
	"user" TEXT NOT NULL,
	project TEXT NOT NULL,
	thread TEXT NOT NULL,               -- id of the thread
	verdict TEXT NOT NULL,              -- 'up' or 'down'
	reason TEXT NOT NULL,               -- '' = none
	created_at INTEGER NOT NULL,        -- wall times, ms since 1970
	changed_at INTEGER NOT NULL,
	PRIMARY KEY (turn, "user")
) STRICT;

CREATE INDEX feedback_of_thread ON feedback (thread, "user");
CREATE INDEX feedback_of_project ON feedback (project, changed_at, turn, "user");
