-- Handles were typed by hand until 2.1; since then the API compares them as they stand.
UPDATE learners SET handle = lower(handle) WHERE handle <> lower(handle);
