/* Telling others of a commit and waiting for them: NOTIFY and LISTEN; and the server's time.
 *
 * A commit with NOTIFY takes a lock of the whole server until it is on disk, so only commits that somebody waits for have one: of
 * jobs, and of the row of a run, not of each event. */
#include <time.h>

#include "store/postgres.h"
#include "store/store.h"

#define CHANNEL "argus_store"
/* Without a connection: how long a wait is, and how long a connection is tried for. */
#define AWAY_MS 1000

ag_status ag_postgres_tell(ag_db *base, ag_err *err)
{
	static const ag_sql notify = { "NOTIFY " CHANNEL };

	return ag_postgres_run(base, &notify, AG_DB_NO_ARGS, NULL, err);
}

static void pause_ms(int64_t ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	if (ms > 0)
		nanosleep(&t, NULL); /* a signal ends it, which is meant */
}

/* What was told before counts as well: the caller looks. */
static bool begin_listening(ag_postgres *s)
{
	const unsigned patience_ms = s->patience_ms;
	bool is_ok;

	s->patience_ms = AWAY_MS;
	is_ok = !ag_postgres_connect(s, NULL) &&
	        !ag_postgres_send_text(s, AG_S("LISTEN " CHANNEL), NULL);
	s->patience_ms = patience_ms;
	if (is_ok)
		s->listening = s->session;
	return is_ok;
}

/* A server that is away, and one that does not let us listen, is looked at by the caller after a while. */
ag_status ag_postgres_wait(ag_db *base, int64_t ms, const atomic_bool *cancel, bool *ret_told,
                           ag_err *err)
{
	ag_postgres *s = (ag_postgres *)base;

	(void)err;
	*ret_told = true;
	if (!s->conn || s->listening != s->session) {
		if (!begin_listening(s))
			pause_ms(ms < AWAY_MS ? ms : AWAY_MS);
		return AG_OK;
	}
	if (!ag_pg_listen(s->conn, ms, cancel, ret_told)) {
		ag_postgres_disconnect(s);
		*ret_told = true;
	}
	return AG_OK;
}

static ag_status take_now(void *arg, const ag_db_val *row, ag_err *err)
{
	(void)err;
	*(int64_t *)arg = ag_db_get_int(&row[0]);
	return AG_OK;
}

ag_status ag_postgres_now(ag_db *base, int64_t *ret, ag_err *err)
{
	static const ag_sql now = {
		"SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)"
	};
	ag_db_out out = { .on_row = take_now, .arg = ret };

	return ag_postgres_run(base, &now, AG_DB_NO_ARGS, &out, err);
}
