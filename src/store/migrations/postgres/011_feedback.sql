-- 011: what people say of answers: one row for each user and turn.

CREATE TABLE feedback (
	turn TEXT COLLATE "C" NOT NULL,                 -- id of the turn's run
	"user" TEXT COLLATE "C" NOT NULL,
	project TEXT COLLATE "C" NOT NULL,
	thread TEXT COLLATE "C" NOT NULL,               -- id of the thread
	verdict TEXT COLLATE "C" NOT NULL,              -- 'up' or 'down'
	reason TEXT COLLATE "C" NOT NULL,               -- '' = none
	created_at BIGINT NOT NULL,        -- wall times, ms since 1970
	changed_at BIGINT NOT NULL,
	PRIMARY KEY (turn, "user")
);

CREATE INDEX feedback_of_thread ON feedback (thread, "user");
CREATE INDEX feedback_of_project ON feedback (project, changed_at, turn, "user");
