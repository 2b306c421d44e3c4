/* What the server's errors mean to the store, and what to do about them.
 *
 * An ag_err keeps the SQLSTATE in `native`, so that damage and a lost connection are known again. Messages name the database
 * without user and password; the server's words were freed of registered secrets in pg/failure.c. */
#include <stdio.h>

#include "store/postgres.h"

#define ORIGIN "store.postgres"
#define POOLER                                                                                       \
	"connect to PostgreSQL itself, or to a pooler in session mode that passes start-up options " \
	"on (not PgBouncer in transaction mode)"
#define LOST (1 << 30) /* beside a SQLSTATE in base 36, which is below 36^5 = 60466176 */

typedef struct meaning {
	const char *state; /* a SQLSTATE, or its first two characters */
	ag_status status;
	const char *hint;
} meaning;

/* The first that fits. */
static const meaning meanings[] = {
	{ "23505", AG_CONFLICT, "" },
	{ "23502", AG_CONFLICT, "" },
	{ "23503", AG_NOT_FOUND, "" },
	{ "23", AG_INVALID, "" },
	{ "28P01", AG_DENIED,
	  "check user and password of the store's address; a password may be in PGPASSWORD or ~/.pgpass "
	  "instead" },
	{ "28", AG_DENIED,
	  "the server refuses this user, database or address: see its pg_hba.conf, and sslmode in the "
	  "store's address" },
	{ "3D000", AG_NOT_FOUND,
	  "make the database (createdb), or name another one in the store's address" },
	{ "42501", AG_DENIED,
	  "grant the role what docs/guide/store.md lists, or let its owner open the store once" },
	{ "25006", AG_DENIED,
	  "the server or the role is read-only: name the primary server, or another role" },
	{ "53100", AG_IO,
	  "the server's disk is full: free some space, or \"argus purge\" old runs" },
	{ "53200", AG_UNAVAILABLE, "the server has no memory left" },
	{ "53300", AG_UNAVAILABLE,
	  "the server has no connection left: raise max_connections, or close other programs" },
	{ "53", AG_UNAVAILABLE, "" },
	{ "54", AG_LIMIT, "" },
	{ "55P03", AG_UNAVAILABLE, "another process keeps the store locked; try again" },
	{ "57014", AG_UNAVAILABLE, "the server needed too long; try again" },
	{ "40", AG_UNAVAILABLE, "another process changed the same rows; try again" },
	{ "0A000", AG_INVALID, POOLER "; the database must be UTF8" },
	{ "26000", AG_INVALID, POOLER },
	{ "42P05", AG_INVALID, POOLER },
	{ "08P01", AG_INVALID, POOLER },
	{ "08", AG_UNAVAILABLE,
	  "see that PostgreSQL runs there, and that host, port and sslmode of the store's address are "
	  "right" },
	{ "57P", AG_UNAVAILABLE, "the server restarts or stops; try again" },
	{ "XX001", AG_IO, "the database is damaged: restore a backup" },
	{ "XX002", AG_IO, "an index of the database is damaged: REINDEX it" },
	{ "58", AG_IO, "the server's disk may be full or failing" },
};

static const meaning *meaning_of(const char *state)
{
	static const meaning other = { "", AG_IO, "" };

	for (size_t i = 0; i < AG_NELEM(meanings); i++) {
		if (*state && strncmp(state, meanings[i].state, strlen(meanings[i].state)) == 0)
			return &meanings[i];
	}
	return &other;
}

/* Before the server speaks there is no SQLSTATE. NULL = nothing to add. */
static const char *hint_of_words(ag_str why)
{
	static const char *const signs[] = { "SSL", "certificate", "sslmode", "sslkey",
		                             "private key" };

	if (ag_str_contains(why, AG_S("did not answer in time")))
		return "see that PostgreSQL runs there and can be reached; a pooler needs three "
		       "connections for each worker";
	for (size_t i = 0; i < AG_NELEM(signs); i++) {
		if (ag_str_contains(why, ag_str_c(signs[i])))
			return "sslmode, sslrootcert, sslcert and sslkey of the store's address must fit "
			       "the server; the server's name must be that of its certificate";
	}
	return NULL;
}

static int native_of(const char *state)
{
	int n = 0;

	for (size_t i = 0; i < 5 && state[i]; i++)
		n = n * 36 + (state[i] <= '9' ? state[i] - '0' : state[i] - 'A' + 10);
	return n;
}

/* "connection to server at "x", port 5: the database is away" of libpq may be long: the message takes what there is room for. */
ag_status ag_postgres_fail(const ag_postgres *s, const ag_pg_failure *f, const char *doing,
                           ag_err *err)
{
	/* A standby refuses to write as it refuses what it does not know. */
	const bool is_read_only = s->is_standby && strcmp(f->sqlstate, "0A000") == 0;
	const meaning *m = meaning_of(is_read_only ? "25006" : f->sqlstate);
	ag_status st = m->status;
	const char *hint = m->hint;
	ag_str why = f->message;

	if (f->why == AG_PG_LOST && strncmp(f->sqlstate, "08", 2) == 0 && hint_of_words(why))
		hint = hint_of_words(why);
	if (f->why == AG_PG_LOST && st != AG_DENIED && st != AG_NOT_FOUND && st != AG_INVALID)
		st = AG_UNAVAILABLE;
	if (f->why == AG_PG_NO_CONNECTION || f->why == AG_PG_NO_THREAD || f->why == AG_PG_STOPPED ||
	    f->why == AG_PG_STILL_RUNNING)
		st = AG_UNAVAILABLE;
	if (!why.len)
		why = AG_S("the server did not answer in time");
	ag_fail(err, st, ORIGIN, "cannot %s the store \"%.*s\": %.*s", doing,
	        AG_FMT(ag_pg_shown(s->pg)), AG_FMT(why));
	if (err)
		err->native = native_of(f->sqlstate);
	if (!*hint && f->why == AG_PG_LOST)
		hint = "see the log of the server: its disk may be full, or it may be starting";
	if (*hint)
		ag_err_hint(err, "%s", hint);
	return st;
}

ag_status ag_postgres_hint_pooler(ag_err *err)
{
	return ag_err_hint(err, "%s", POOLER);
}

bool ag_postgres_is_away(const ag_pg_failure *f)
{
	const bool is_of_server = f->why == AG_PG_REFUSED && strncmp(f->sqlstate, "57P", 3) == 0;
	const bool is_lost = f->why == AG_PG_LOST &&
	                     (strncmp(f->sqlstate, "08", 2) == 0 ||
	                      strncmp(f->sqlstate, "57P", 3) == 0 || !f->sqlstate[0]);

	return (is_of_server || is_lost) && strcmp(f->sqlstate, "08P01") != 0;
}

bool ag_postgres_is_damage(const ag_err *err)
{
	const int native = err->native & ~LOST;

	return strcmp(err->origin, ORIGIN) == 0 &&
	       (native == native_of("XX001") || native == native_of("XX002"));
}

void ag_postgres_mark_lost(ag_err *err)
{
	if (err)
		err->native |= LOST;
}

bool ag_postgres_is_lost(const ag_err *err)
{
	return strcmp(err->origin, ORIGIN) == 0 && (err->native & LOST) != 0;
}
