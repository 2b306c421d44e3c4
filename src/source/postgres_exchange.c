/* postgres_exchange -- the steps of one statement in libpq's pipeline, and the wait for their answers.
 *
 * Read run_steps(): it sends, then takes answers until the pipeline's end. Three things may cut in: the sink has enough,
 * somebody wants the statement stopped (time, cancel flag, client gone), or a single row grows beyond what may be held.
 * The first two ask the server to stop and read on until it has, for AG_PG_DRAIN_MS at most; the third closes the
 * connection, because libpq keeps a whole row in memory before it shows it.
 *
 * BEGIN and ROLLBACK are prepared once a connection: 15 % more calls a second. Their answers are checked by name, since a
 * statement that the guard should not have let in could have put others in their place. */
#include "source/postgres_exchange.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "base/time.h"

#define MAX_STEPS 8
#define GRACE_MS  250 /* the server's own statement_timeout comes first: its words are better */
#define KEEP_BYTES \
	(1024u *   \
	 1024) /* libpq never gives a buffer back: a connection with a larger one is closed */
#define DISCARD_BYTES \
	(1024u * 1024) /* of rows that nobody wants are read before the statement is stopped … */
#define DISCARD_US 100000 /* … or for so long: stopping costs a connection */

typedef enum step {
	STEP_PREPARE_BEGIN,
	STEP_PREPARE_ROLLBACK,
	STEP_BEGIN,
	STEP_SETTING,
	STEP_QUERY,
	STEP_PARSE, /* without running it: for the columns alone */
	STEP_DESCRIBE,
	STEP_ROLLBACK,
	STEP_PLAIN_ROLLBACK, /* when the prepared one was skipped */
	STEP_DISCARD
} step;

typedef enum stop { STOP_NONE, STOP_TIMEOUT, STOP_CANCELLED, STOP_GONE, STOP_ENOUGH } stop;

typedef struct exchange {
	ag_pg *pg;
	const ag_pq *pq;
	ag_pg_conn *c;
	const ag_ctx *ctx;
	const ag_pg_statement *s;
	ag_arena *arena;
	ag_pg_outcome *out;

	step steps[MAX_STEPS];
	size_t nstep, at; /* `at` is being answered */
	bool is_unsent;   /* libpq holds bytes that the socket did not take */
	int64_t deadline_us;
	stop stop;
	ag_pg_cancel *cancel;
	bool has_rows, has_enough, was_answered, was_discarded, is_lost, is_over;
	unsigned nread;
	size_t row_bytes, largest_row,
		unwanted_bytes; /* since the last whole row; since has_enough */
	int64_t enough_us;
} exchange;

/* --- sending --- */

static bool send_step(exchange *x, step what)
{
	const ag_pq *pq = x->pq;
	PGconn *db = x->c->db;
	char text[64];

	switch (what) {
	case STEP_PREPARE_BEGIN: return pq->sendPrepare(db, "ag_begin", "BEGIN READ ONLY", 0, NULL);
	case STEP_PREPARE_ROLLBACK: return pq->sendPrepare(db, "ag_rollback", "ROLLBACK", 0, NULL);
	case STEP_BEGIN: return pq->sendQueryPrepared(db, "ag_begin", 0, NULL, NULL, NULL, 0);
	case STEP_SETTING:
		snprintf(text, sizeof(text), "SET LOCAL statement_timeout = %lld",
		         (long long)x->s->timeout_ms);
		return pq->sendQueryParams(db, text, 0, NULL, NULL, NULL, NULL, 0);
	case STEP_QUERY:
		return pq->sendQueryParams(db, x->s->sql, x->s->nvalue, NULL, x->s->values, NULL,
		                           NULL, 0);
	case STEP_PARSE: return pq->sendPrepare(db, "", x->s->sql, x->s->nvalue, NULL);
	case STEP_DESCRIBE: return pq->sendDescribePrepared(db, "");
	case STEP_ROLLBACK: return pq->sendQueryPrepared(db, "ag_rollback", 0, NULL, NULL, NULL, 0);
	case STEP_PLAIN_ROLLBACK:
		return pq->sendQueryParams(db, "ROLLBACK", 0, NULL, NULL, NULL, NULL, 0);
	case STEP_DISCARD:
		return pq->sendQueryParams(db, "DISCARD ALL", 0, NULL, NULL, NULL, NULL, 0);
	}
	return false;
}

static void add_step(exchange *x, step what)
{
	AG_ASSERT(x->nstep < MAX_STEPS);
	x->steps[x->nstep++] = what;
}

static bool flush(exchange *x)
{
	int rc = x->pq->flush(x->c->db);

	x->is_unsent = rc > 0;
	return rc >= 0;
}

static bool send_steps(exchange *x)
{
	for (size_t i = 0; i < x->nstep; i++) {
		if (!send_step(x, x->steps[i]))
			return false;
	}
	return x->pq->pipelineSync(x->c->db) && flush(x);
}

/* --- stopping --- */

/* false: the server cannot be asked, so the connection is given up. */
static bool stop_it(exchange *x, stop why)
{
	x->stop = why;
	x->deadline_us = ag_time_mono_us() + AG_PG_DRAIN_MS * 1000;
	x->has_enough = true;
	x->cancel = ag_pg_cancel_start(x->pg, x->c);
	return x->cancel != NULL;
}

static stop why_stop(const exchange *x, int64_t now, bool client_gone)
{
	if (client_gone)
		return STOP_GONE;
	if (x->ctx && x->ctx->cancel && atomic_load_explicit(x->ctx->cancel, memory_order_relaxed))
		return STOP_CANCELLED;
	if (now >= x->deadline_us)
		return STOP_TIMEOUT;
	if (x->has_enough && (x->unwanted_bytes > DISCARD_BYTES || now - x->enough_us > DISCARD_US))
		return STOP_ENOUGH;
	return STOP_NONE;
}

/* --- waiting --- */

static int wait_ms(const exchange *x, int64_t now)
{
	int64_t left_us = x->deadline_us - now;
	bool must_look = x->stop == STOP_NONE && ((x->ctx && x->ctx->cancel) || x->has_enough);

	if (left_us <= 0)
		return 0;
	if (must_look && left_us > AG_PG_SLICE_MS * 1000)
		return AG_PG_SLICE_MS;
	return left_us > INT64_C(1000000000) ? 1000000 : (int)((left_us + 999) / 1000);
}

/* How much is about to be read. The first read of a call is not asked about: it fits the buffer that is there. */
static void count(exchange *x, int fd)
{
	int n = 0;

	if (x->nread++ == 0 || ioctl(fd, FIONREAD, &n) != 0 || n <= 0)
		return;
	x->row_bytes += (size_t)n;
	if (x->row_bytes > x->largest_row)
		x->largest_row = x->row_bytes;
	if (x->has_enough)
		x->unwanted_bytes += (size_t)n;
}

/* One round of waiting and reading. false: give the connection up. */
static bool wait_for_server(exchange *x)
{
	struct pollfd fds[2] = {
		{ .fd = x->pq->socket(x->c->db), .events = POLLIN },
		{ .fd = x->stop == STOP_NONE ? x->s->watch_fd : -1, .events = POLLRDHUP },
	};
	int64_t now;
	stop why;

	if (x->is_unsent)
		fds[0].events |= POLLOUT;
	if (poll(fds, 2, wait_ms(x, ag_time_mono_us())) < 0 && errno != EINTR)
		return false;
	now = ag_time_mono_us();
	if (x->stop != STOP_NONE && now >= x->deadline_us)
		return false;
	why = x->stop == STOP_NONE ? why_stop(x, now, fds[1].revents != 0) : STOP_NONE;
	if (why != STOP_NONE && !stop_it(x, why))
		return false;
	if (x->is_unsent && (fds[0].revents & POLLOUT) && !flush(x)) {
		x->is_lost = true;
		return false;
	}
	if (fds[0].revents & ~POLLOUT) {
		count(x, fds[0].fd);
		if (!x->pq->consumeInput(x->c->db)) {
			x->is_lost = true;
			return false;
		}
	}
	return true;
}

/* --- answers --- */

static bool is_wanted_stop(const exchange *x)
{
	return x->stop == STOP_TIMEOUT || x->stop == STOP_CANCELLED || x->stop == STOP_GONE;
}

static step step_of(const exchange *x)
{
	return x->at < x->nstep ? x->steps[x->at] : STEP_ROLLBACK;
}

/* After these the session is not trusted: damage, resources, other servers. */
static bool is_unusual(const ag_sql_failure *f)
{
	static const char *const states[] = { "XX", "58", "F0", "53", "HV" };

	for (size_t i = 0; i < AG_NELEM(states); i++) {
		if (strncmp(f->sqlstate, states[i], 2) == 0)
			return true;
	}
	return f->is_connection_lost;
}

static void fail(exchange *x, const ag_sql_failure *failure)
{
	step at = step_of(x);

	if ((at != STEP_QUERY && at != STEP_PARSE && at != STEP_DESCRIBE) || is_unusual(failure))
		x->c->is_spoilt = true;
	/* What comes behind the rows that were wanted, or because of our own request to stop, is no failure. */
	if (x->out->has_failed || (at == STEP_QUERY && x->has_enough && !is_wanted_stop(x)))
		return;
	x->out->has_failed = true;
	x->out->failure = *failure;
}

static void fail_as_told(exchange *x, const PGresult *r)
{
	ag_sql_failure failure;

	ag_pg_failure_of_result(x->pg, r, x->arena, &failure);
	fail(x, &failure);
}

static void fail_with(exchange *x, const char *state, ag_str message)
{
	ag_sql_failure failure;

	ag_sql_failure_of_state(state, &failure);
	failure.message = message;
	fail(x, &failure);
}

static void enough(exchange *x)
{
	x->has_enough = true;
	x->enough_us = ag_time_mono_us();
}

static void take_columns(exchange *x, const PGresult *r)
{
	if (x->has_rows)
		return;
	x->has_rows = true;
	x->out->is_rows = true;
	if (!x->has_enough && !x->s->sink.columns(x->s->sink.arg, r))
		enough(x);
}

/* Only queries may have run: after anything else the session is not what it was. */
static bool is_tag(const exchange *x, PGresult *r)
{
	const char *tag = x->pq->cmdStatus(r);

	switch (step_of(x)) {
	case STEP_BEGIN: return strcmp(tag, "BEGIN") == 0;
	case STEP_ROLLBACK:
	case STEP_PLAIN_ROLLBACK: return strcmp(tag, "ROLLBACK") == 0;
	case STEP_SETTING: return strcmp(tag, "SET") == 0;
	case STEP_DISCARD: return strcmp(tag, "DISCARD ALL") == 0;
	case STEP_QUERY: return strncmp(tag, "SELECT", 6) == 0 || strcmp(tag, "EXPLAIN") == 0;
	default: return true;
	}
}

static void take_command(exchange *x, PGresult *r)
{
	if (!is_tag(x, r))
		x->c->is_spoilt = true;
	else if (step_of(x) == STEP_PREPARE_ROLLBACK)
		x->c->is_prepared = true;
	else if (step_of(x) == STEP_DISCARD)
		x->c->is_prepared = !(x->was_discarded = true);
	else if (step_of(x) == STEP_BEGIN)
		x->was_answered = true;
	else if (step_of(x) == STEP_DESCRIBE)
		take_columns(x, r);
}

static void take(exchange *x, PGresult *r)
{
	switch (x->pq->resultStatus(r)) {
	case PGRES_PIPELINE_SYNC: x->is_over = true; break;
	case PGRES_SINGLE_TUPLE:
		take_columns(x, r);
		x->row_bytes = 0;
		if (!x->has_enough && !x->s->sink.row(x->s->sink.arg, r))
			enough(x);
		break;
	case PGRES_TUPLES_OK:
		take_columns(x, r);
		x->out->last_row_us = ag_time_mono_us();
		take_command(x, r);
		break;
	case PGRES_COMMAND_OK: take_command(x, r); break;
	case PGRES_PIPELINE_ABORTED: /* the failure before it says why */ break;
	case PGRES_FATAL_ERROR: fail_as_told(x, r); break;
	case PGRES_EMPTY_QUERY: fail_with(x, "42601", AG_S("the statement is empty")); break;
	default: /* the guard lets no COPY through, and libpq can only leave it in the middle */
		fail_with(x, "0A000", AG_S("COPY is not possible here"));
		x->c->is_spoilt = true;
		x->is_over = true;
		break;
	}
	x->pq->clear(r);
}

/* false: given up, the connection is spoilt. */
static bool run_steps(exchange *x)
{
	x->at = 0;
	x->is_over = false;
	if (!send_steps(x)) {
		x->is_lost = true;
		return false;
	}
	while (!x->is_over) {
		PGresult *r;

		if (x->pq->isBusy(x->c->db)) {
			if (x->row_bytes > x->s->max_row_bytes) {
				x->out->is_too_large = true;
				return false;
			}
			if (!wait_for_server(x))
				return false;
			continue;
		}
		r = x->pq->getResult(x->c->db);
		if (r) {
			take(x, r);
			continue;
		}
		/* The next step's answers; libpq takes the wish for single rows only now. */
		x->at++;
		if (x->at > x->nstep) {
			x->is_lost = true;
			return false;
		}
		if (x->at < x->nstep && x->steps[x->at] == STEP_QUERY)
			x->pq->setSingleRowMode(x->c->db);
	}
	return !x->c->is_spoilt;
}

/* --- the whole --- */

static void plan(exchange *x)
{
	if (!x->c->is_prepared) {
		add_step(x, STEP_PREPARE_BEGIN);
		add_step(x, STEP_PREPARE_ROLLBACK);
	}
	add_step(x, STEP_BEGIN);
	if (x->s->timeout_ms != x->pg->statement_timeout_ms)
		add_step(x, STEP_SETTING);
	if (x->s->is_describe_only) {
		add_step(x, STEP_PARSE);
		add_step(x, STEP_DESCRIBE);
	} else {
		add_step(x, STEP_QUERY);
	}
	add_step(x, STEP_ROLLBACK);
	if (x->s->may_leave_state)
		add_step(x, STEP_DISCARD);
}

/* After an error everything behind it was skipped. */
static bool clean_up(exchange *x)
{
	if (x->pq->transactionStatus(x->c->db) == PQTRANS_IDLE &&
	    (x->was_discarded || !x->s->may_leave_state))
		return true;
	x->nstep = 0;
	add_step(x, STEP_PLAIN_ROLLBACK);
	if (x->s->may_leave_state)
		add_step(x, STEP_DISCARD);
	x->deadline_us = ag_time_mono_us() + AG_PG_DRAIN_MS * 1000;
	if (x->stop == STOP_NONE)
		x->stop = STOP_ENOUGH; /* nobody stops this */
	return run_steps(x) && x->pq->transactionStatus(x->c->db) == PQTRANS_IDLE;
}

static void explain_end(exchange *x, int64_t now)
{
	ag_pg_outcome *out = x->out;

	if (out->last_row_us == out->began_us)
		out->last_row_us = now;
	if (is_wanted_stop(x)) {
		ag_sql_failure_of_stop(x->stop == STOP_TIMEOUT     ? AG_SQL_STOP_TIMEOUT
		                       : x->stop == STOP_CANCELLED ? AG_SQL_STOP_CANCELLED
		                                                   : AG_SQL_STOP_CLIENT_GONE,
		                       &out->failure);
		out->has_failed = true;
	} else if (x->is_lost && !out->has_failed && !(x->has_enough && x->has_rows)) {
		ag_pg_failure_of_connection(AG_S("the connection to the database was lost"),
		                            "08006", x->arena, &out->failure);
		out->has_failed = true;
	} else if (out->has_failed && strcmp(out->failure.sqlstate, "57014") == 0 &&
	           now - out->began_us < x->s->timeout_ms * 900) {
		/* Not the time-out: somebody at the server. */
		out->failure.code = AG_SQLCODE_CANCELLED;
		out->failure.class_name = "cancelled";
	}
	out->is_repeatable = out->has_failed && !x->was_answered && !x->c->is_new &&
	                     x->stop == STOP_NONE &&
	                     (out->failure.is_connection_lost ||
	                      strcmp(out->failure.sqlstate, "26000") == 0);
}

void ag_pg_exchange(ag_pg *pg, ag_pg_conn *c, const ag_ctx *ctx, const ag_pg_statement *statement,
                    ag_arena *arena, ag_pg_outcome *ret)
{
	exchange x = { .pg = pg,
		       .pq = pg->pq,
		       .c = c,
		       .ctx = ctx,
		       .s = statement,
		       .arena = arena,
		       .out = ret };
	int64_t left_ms = ag_ctx_left_ms(ctx);
	bool is_clean;

	*ret = (ag_pg_outcome){ .began_us = ag_time_mono_us() };
	ret->last_row_us = ret->began_us;
	x.deadline_us = ret->began_us + (statement->timeout_ms + GRACE_MS) * 1000;
	if (left_ms >= 0 && ret->began_us + left_ms * 1000 < x.deadline_us)
		x.deadline_us = ret->began_us + left_ms * 1000;
	plan(&x);
	is_clean = run_steps(&x) && clean_up(&x);
	if (x.cancel && !ag_pg_cancel_end(x.cancel, x.deadline_us))
		is_clean = false;
	if (!is_clean || statement->is_last || x.largest_row > KEEP_BYTES)
		c->is_spoilt = true;
	explain_end(&x, ag_time_mono_us());
	c->is_new = false;
}
