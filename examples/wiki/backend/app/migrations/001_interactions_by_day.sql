-- The board of mentors asks for the last days all the time.
CREATE INDEX IF NOT EXISTS interactions_by_day ON interactions(at);
