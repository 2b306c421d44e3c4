/* postgres_exchange -- the steps of one statement, sent at once, and the wait for their answers.
 *
 * Read run_steps(): it sends, then takes messages until the server is ready again. Two things may cut in: the sink has
 * enough, or somebody wants the statement stopped (time, cancel flag, client gone). Then the server is asked to stop and
 * its answers are read on until it has, for AG_PG_DRAIN_MS at most.
 *
 * BEGIN and ROLLBACK are prepared once a connection: 15 % more calls a second. Their answers are checked by name, since a
 * statement that the guard should not have let in could have put others in their place.
 *
 * Between BEGIN and the statement the server is asked whether its catalogs are still those that the guard judged by
 * (postgres_fresh.h). When they are not, that query fails, and the server skips everything up to Sync. */
#include "source/postgres_exchange.h"
#include "source/postgres_fresh.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "base/time.h"

#define MAX_STEPS 10
#define GRACE_MS  250 /* the server's own statement_timeout comes first: its words are better */
#define DISCARD_BYTES \
	(1024u * 1024) /* of rows that nobody wants are read before the statement is stopped … */
#define DISCARD_US      100000 /* … or for so long: stopping costs a connection */
#define CANCEL_AGAIN_US INT64_C(250000)

typedef enum step {
	STEP_PREPARE_BEGIN,
	STEP_PREPARE_ROLLBACK,
	STEP_PREPARE_MOMENT,
	STEP_PREPARE_STATE,
	STEP_BEGIN,
	STEP_SETTING,
	STEP_MOMENT,
	STEP_STATE,
	STEP_QUERY,
	STEP_ROLLBACK,
	STEP_PLAIN_ROLLBACK, /* when the prepared one was skipped */
	STEP_DISCARD
} step;

typedef enum stop { STOP_NONE, STOP_TIMEOUT, STOP_CANCELLED, STOP_GONE, STOP_ENOUGH } stop;

typedef struct exchange {
	ag_pg *pg;
	ag_pg_conn *c;
	ag_pg_wire *wire;
	const ag_ctx *ctx;
	const ag_pg_statement *s;
	ag_arena *arena;
	ag_pg_outcome *out;

	step steps[MAX_STEPS];
	size_t nstep, at; /* `at` is being answered */
	bool is_unsent;   /* the socket did not take everything */
	int64_t deadline_us;
	stop stop;
	ag_pg_cancel *cancel;
	int64_t cancelled_us; /* when the server was asked to stop, last */
	bool is_cleaning;     /* the statement has ended: only what it left is being removed */
	const ag_pg_field *field;
	ag_str *cell;
	size_t ncolumn;
	bool has_columns, has_enough, was_answered, was_discarded, is_lost, is_over;
	bool has_parted;    /* the server announced that it ends the session */
	char transaction;   /* 'I' idle, 'T' open, 'E' failed: of the last ReadyForQuery */
	uint64_t nunwanted; /* bytes since has_enough */
	int64_t enough_us;
} exchange;

/* --- sending --- */

static void add_step(exchange *x, step what)
{
	AG_ASSERT(x->nstep < MAX_STEPS);
	x->steps[x->nstep++] = what;
}

static void send_text(exchange *x, const char *sql)
{
	ag_pg_send_parse(x->wire, "", ag_str_c(sql));
	ag_pg_send_bind(x->wire, "", NULL, 0);
	ag_pg_send_execute(x->wire);
}

/* {16385,16390} */
static ag_str relations_of(const ag_sql_verdict *v, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(256u * 1024);
	ag_str ret;

	ag_buf_addc(&b, '{');
	for (size_t i = 0; i < v->nrelation; i++)
		ag_buf_addf(&b, i ? ",%u" : "%u", v->relations[i]);
	ag_buf_addc(&b, '}');
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

static void send_fresh(exchange *x, step what)
{
	const ag_sql_freshness *f = x->s->fresh;
	ag_str values[3] = { f->moment };

	if (what == STEP_MOMENT) {
		ag_pg_send_bind(x->wire, "ag_moment", values, 1);
	} else {
		values[0] = f->catalog->state;
		values[1] = relations_of(f->verdict, x->arena);
		values[2] = ag_str_printf(x->arena, "%lld", (long long)f->verdict->mark);
		ag_pg_send_bind(x->wire, "ag_state", values, 3);
	}
	ag_pg_send_execute(x->wire);
}

static void send_step(exchange *x, step what)
{
	char text[64];

	switch (what) {
	case STEP_PREPARE_BEGIN:
		ag_pg_send_parse(x->wire, "ag_begin", AG_S("BEGIN READ ONLY"));
		break;
	case STEP_PREPARE_ROLLBACK:
		ag_pg_send_parse(x->wire, "ag_rollback", AG_S("ROLLBACK"));
		break;
	case STEP_PREPARE_MOMENT:
		ag_pg_send_parse(x->wire, "ag_moment", AG_S(AG_PG_FRESH_SQL));
		break;
	case STEP_PREPARE_STATE:
		ag_pg_send_parse(x->wire, "ag_state", AG_S(AG_PG_FRESH_STATE_SQL));
		break;
	case STEP_MOMENT:
	case STEP_STATE: send_fresh(x, what); break;
	case STEP_BEGIN:
		ag_pg_send_bind(x->wire, "ag_begin", NULL, 0);
		ag_pg_send_execute(x->wire);
		break;
	case STEP_SETTING:
		snprintf(text, sizeof(text), "SET LOCAL statement_timeout = %lld",
		         (long long)x->s->timeout_ms);
		send_text(x, text);
		break;
	case STEP_QUERY:
		ag_pg_send_parse(x->wire, "", x->s->sql);
		ag_pg_send_bind(x->wire, "", x->s->values, x->s->nvalue);
		ag_pg_send_describe(x->wire);
		ag_pg_send_execute(x->wire);
		break;
	case STEP_ROLLBACK:
		ag_pg_send_bind(x->wire, "ag_rollback", NULL, 0);
		ag_pg_send_execute(x->wire);
		break;
	case STEP_PLAIN_ROLLBACK: send_text(x, "ROLLBACK"); break;
	case STEP_DISCARD: send_text(x, "DISCARD ALL"); break;
	}
}

static bool flush(exchange *x)
{
	ag_pg_io io = ag_pg_flush(x->wire);

	x->is_unsent = io == AG_PG_IO_WAIT;
	x->is_lost = x->is_lost || io == AG_PG_IO_BROKEN;
	return io != AG_PG_IO_BROKEN;
}

static bool send_steps(exchange *x)
{
	for (size_t i = 0; i < x->nstep; i++)
		send_step(x, x->steps[i]);
	ag_pg_send_sync(x->wire);
	return flush(x);
}

/* --- stopping --- */

/* false: the server cannot be asked, so the connection is given up. */
static bool stop_it(exchange *x, stop why)
{
	x->stop = why;
	x->deadline_us = ag_time_mono_us() + AG_PG_DRAIN_MS * 1000;
	x->has_enough = true;
	x->cancelled_us = ag_time_mono_us();
	x->cancel = ag_pg_cancel_start(x->pg, x->c);
	return x->cancel != NULL;
}

/* A request that reaches the server between two messages of ours is passed over there: it is made again until the statement
 * has ended. false as above. */
static bool stop_it_again(exchange *x, int64_t now)
{
	if (!x->cancel || x->is_cleaning || now - x->cancelled_us < CANCEL_AGAIN_US ||
	    !ag_pg_cancel_is_over(x->cancel))
		return true;
	if (!ag_pg_cancel_end(x->cancel, now)) {
		x->cancel = NULL;
		return false;
	}
	x->cancelled_us = now;
	x->cancel = ag_pg_cancel_start(x->pg, x->c);
	return x->cancel != NULL;
}

static bool is_wanted_stop(const exchange *x)
{
	return x->stop == STOP_TIMEOUT || x->stop == STOP_CANCELLED || x->stop == STOP_GONE;
}

static stop why_stop(const exchange *x, int64_t now, bool client_gone)
{
	if (client_gone)
		return STOP_GONE;
	if (ag_ctx_is_cancelled(x->ctx))
		return STOP_CANCELLED;
	if (now >= x->deadline_us)
		return STOP_TIMEOUT;
	if (x->has_enough && (x->nunwanted > DISCARD_BYTES || now - x->enough_us > DISCARD_US))
		return STOP_ENOUGH;
	return STOP_NONE;
}

/* --- waiting --- */

static int wait_ms(const exchange *x, int64_t now)
{
	int64_t left_us = x->deadline_us - now;
	bool must_look = x->stop == STOP_NONE && (ag_ctx_can_be_cancelled(x->ctx) || x->has_enough);

	if (left_us <= 0 || (!x->is_unsent && !ag_pg_must_wait(x->wire)))
		return 0;
	must_look = must_look || (x->cancel && !x->is_cleaning);
	if (must_look && left_us > AG_PG_SLICE_MS * 1000)
		return AG_PG_SLICE_MS;
	return left_us > INT64_C(1000000000) ? 1000000 : (int)((left_us + 999) / 1000);
}

static bool read_some(exchange *x)
{
	size_t had = x->wire->to - x->wire->from;
	uint64_t skipped = x->wire->nskipped;
	ag_pg_io io = ag_pg_read(x->wire);

	if (x->has_enough)
		x->nunwanted += x->wire->to - x->wire->from - had + x->wire->nskipped - skipped;
	x->is_lost = x->is_lost || io == AG_PG_IO_BROKEN;
	return io != AG_PG_IO_BROKEN;
}

/* One round of waiting, sending and reading. false: give the connection up. */
static bool wait_for_server(exchange *x)
{
	struct pollfd fds[2] = {
		{ .fd = x->wire->fd, .events = POLLIN },
		{ .fd = x->stop == STOP_NONE ? x->s->watch_fd : -1, .events = POLLRDHUP },
	};
	bool can_read = !ag_pg_must_wait(x->wire);
	int64_t now = ag_time_mono_us();
	stop why;

	if (x->is_unsent)
		fds[0].events |= POLLOUT;
	if (poll(fds, 2, wait_ms(x, now)) < 0 && errno != EINTR)
		return false;
	now = ag_time_mono_us();
	if (x->stop != STOP_NONE && now >= x->deadline_us)
		return false;
	why = x->stop == STOP_NONE ? why_stop(x, now, fds[1].revents != 0) : STOP_NONE;
	if (why != STOP_NONE && !stop_it(x, why))
		return false;
	if (!stop_it_again(x, now))
		return false;
	if ((fds[0].revents & POLLOUT) && !flush(x))
		return false;
	if (!can_read && !(fds[0].revents & ~POLLOUT))
		return true;
	return read_some(x);
}

/* --- answers --- */

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

static bool is_fresh_step(step s)
{
	return s == STEP_MOMENT || s == STEP_STATE;
}

static void fail(exchange *x, const ag_sql_failure *failure)
{
	step at = step_of(x);
	const bool is_stale = is_fresh_step(at) && strcmp(failure->sqlstate, "22012") == 0;

	if (is_stale)
		x->s->fresh->is_stale = true;
	else if (at != STEP_QUERY || is_unusual(failure))
		x->c->is_spoilt = true;
	/* An error after the rows that were wanted, or caused by our own request to stop, is no failure. */
	if (x->out->has_failed || (at == STEP_QUERY && x->has_enough && !is_wanted_stop(x)))
		return;
	x->out->has_failed = true;
	x->out->failure = *failure;
}

static void fail_with(exchange *x, const char *state, ag_str message)
{
	ag_sql_failure failure;

	ag_sql_failure_of_state(state, &failure);
	failure.message = message;
	fail(x, &failure);
}

static void take_error(exchange *x, const ag_pg_message *m)
{
	ag_sql_failure failure;

	if (m->is_too_large) {
		fail_with(x, "XX000", AG_S("the server gave an error of more than 1 MiB"));
		return;
	}
	ag_pg_failure_of_error(m->body, x->arena, &failure);
	x->has_parted = x->has_parted || ag_str_eqc(ag_pg_error_field(m->body, 'V'), "FATAL") ||
	                ag_str_eqc(ag_pg_error_field(m->body, 'V'), "PANIC");
	fail(x, &failure);
}

/* Not the protocol, or not a part of it that is spoken here. */
static bool give_up(exchange *x, const char *state, ag_str message)
{
	fail_with(x, state, message);
	x->c->is_spoilt = true;
	x->has_parted = true; /* closing it ends what waits for more of it */
	return false;
}

static void enough(exchange *x)
{
	x->has_enough = true;
	x->enough_us = ag_time_mono_us();
}

static bool take_columns(exchange *x, const ag_pg_message *m)
{
	if (step_of(x) != STEP_QUERY || x->has_columns || m->is_too_large ||
	    !ag_pg_read_fields(m->body, x->arena, &x->field, &x->ncolumn))
		return give_up(x, "08P01", AG_S("the columns of the answer cannot be read"));
	x->cell = ag_new_n(x->arena, ag_str, x->ncolumn);
	x->has_columns = true;
	if (!x->has_enough && !x->s->sink.columns(x->s->sink.arg, x->field, x->ncolumn))
		enough(x);
	return true;
}

/* The moment at which the state was found to hold. */
static void take_moment(exchange *x, const ag_pg_message *m)
{
	ag_str cell[2];

	if (step_of(x) == STEP_STATE && !m->is_too_large && ag_pg_read_row(m->body, cell, 2))
		x->s->fresh->now = ag_str_dup(x->arena, cell[0]);
}

static bool take_row(exchange *x, const ag_pg_message *m)
{
	if (is_fresh_step(step_of(x))) {
		take_moment(x, m);
		return true;
	}
	if (step_of(x) != STEP_QUERY || !x->has_columns)
		return give_up(x, "08P01", AG_S("the server sent rows of another statement"));
	if (x->has_enough)
		return true;
	if (m->is_too_large) {
		x->s->sink.too_large(x->s->sink.arg);
		enough(x);
		return true;
	}
	if (!ag_pg_read_row(m->body, x->cell, x->ncolumn))
		return give_up(x, "08P01", AG_S("a row of the answer cannot be read"));
	if (!x->s->sink.row(x->s->sink.arg, x->cell))
		enough(x);
	return true;
}

/* Only queries may have run: after anything else the session is not what it was. */
static bool is_tag(const exchange *x, const char *tag)
{
	switch (step_of(x)) {
	case STEP_BEGIN: return strcmp(tag, "BEGIN") == 0;
	case STEP_ROLLBACK:
	case STEP_PLAIN_ROLLBACK: return strcmp(tag, "ROLLBACK") == 0;
	case STEP_SETTING: return strcmp(tag, "SET") == 0;
	case STEP_DISCARD: return strcmp(tag, "DISCARD ALL") == 0;
	case STEP_MOMENT:
	case STEP_STATE: return strcmp(tag, "SELECT 1") == 0;
	case STEP_QUERY: return strncmp(tag, "SELECT", 6) == 0 || strcmp(tag, "EXPLAIN") == 0;
	default: return false;
	}
}

static void take_command(exchange *x, ag_str body)
{
	step is = step_of(x);

	if (body.len == 0 || body.ptr[body.len - 1] != '\0' || !is_tag(x, body.ptr))
		x->c->is_spoilt = true;
	if (is == STEP_BEGIN)
		x->was_answered = true;
	else if (is == STEP_QUERY)
		x->out->last_row_us = ag_time_mono_us();
	else if (is == STEP_DISCARD)
		x->was_discarded = true;
	x->at++;
}

static void take_parsed(exchange *x)
{
	step is = step_of(x);

	switch (is) {
	case STEP_PREPARE_BEGIN: break;
	case STEP_PREPARE_ROLLBACK: x->c->is_prepared = true; break;
	case STEP_PREPARE_MOMENT: x->c->has_moment = true; break;
	case STEP_PREPARE_STATE: x->c->has_state = true; break;
	default: return;
	}
	x->at++;
}

/* false: given up, the connection is spoilt. */
static bool take(exchange *x, const ag_pg_message *m)
{
	switch (m->type) {
	case 'D': return take_row(x, m);
	case 'T': return take_columns(x, m);
	case 'C': take_command(x, m->body); return true;
	case '1': take_parsed(x); return true;
	case 'I':
		fail_with(x, "42601", AG_S("the statement is empty"));
		x->at++;
		return true;
	case 'E': take_error(x, m); return true;
	case 'Z':
		x->transaction = m->body.len == 1 ? m->body.ptr[0] : '?';
		x->is_over = true;
		return true;
	case '2': /* bound */
	case 'n': /* no columns */
	case 'N': /* a notice */
	case 'S': /* a setting */
	case 'A': /* a notification */ return true;
	case 'G':
	case 'H':
	case 'W': /* the guard lets no COPY through: it could only be left in the middle */
		return give_up(x, "0A000", AG_S("COPY is not possible here"));
	default: return give_up(x, "08P01", AG_S("the server sent what is not its protocol"));
	}
}

/* false: given up, the connection is spoilt. */
static bool run_steps(exchange *x)
{
	x->at = 0;
	x->is_over = false;
	if (!send_steps(x))
		return false;
	while (!x->is_over) {
		ag_pg_message m;

		switch (ag_pg_next(x->wire, x->s->max_row_bytes, &m)) {
		case AG_PG_IO_DONE:
			if (!take(x, &m))
				return false;
			break;
		case AG_PG_IO_WAIT:
			if (!wait_for_server(x))
				return false;
			break;
		case AG_PG_IO_BROKEN:
			return give_up(x, "08P01",
			               AG_S("the server sent what is not its protocol"));
		}
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
	if (x->s->fresh && x->s->fresh->moment.len && !x->c->has_moment)
		add_step(x, STEP_PREPARE_MOMENT);
	if (x->s->fresh && !x->s->fresh->moment.len && !x->c->has_state)
		add_step(x, STEP_PREPARE_STATE);
	add_step(x, STEP_BEGIN);
	if (x->s->timeout_ms != x->pg->statement_timeout_ms)
		add_step(x, STEP_SETTING);
	if (x->s->fresh)
		add_step(x, x->s->fresh->moment.len ? STEP_MOMENT : STEP_STATE);
	add_step(x, STEP_QUERY);
	add_step(x, STEP_ROLLBACK);
	if (x->s->may_leave_state)
		add_step(x, STEP_DISCARD);
}

/* The server skips every step after an error. */
static bool clean_up(exchange *x)
{
	if (x->transaction == 'I' && (x->was_discarded || !x->s->may_leave_state))
		return true;
	x->is_cleaning = true;
	x->nstep = 0;
	add_step(x, STEP_PLAIN_ROLLBACK);
	if (x->s->may_leave_state)
		add_step(x, STEP_DISCARD);
	x->deadline_us = ag_time_mono_us() + AG_PG_DRAIN_MS * 1000;
	if (x->stop == STOP_NONE)
		x->stop = STOP_ENOUGH; /* nobody stops this */
	return run_steps(x) && x->transaction == 'I';
}

static void explain_end(exchange *x, int64_t now)
{
	ag_pg_outcome *out = x->out;

	if (out->last_row_us == out->began_us)
		out->last_row_us = now;
	if (is_wanted_stop(x)) {
		const ag_sql_stop why = x->stop == STOP_TIMEOUT     ? AG_SQL_STOP_TIMEOUT
		                        : x->stop == STOP_CANCELLED ? AG_SQL_STOP_CANCELLED
		                                                    : AG_SQL_STOP_CLIENT_GONE;

		if (x->c->is_unended)
			ag_sql_failure_of_running(why, x->is_lost, x->c->backend.pid,
			                          x->pg->max_connections, x->arena, &out->failure);
		else
			ag_sql_failure_of_stop(why, &out->failure);
		out->has_failed = true;
	} else if (x->is_lost && !out->has_failed && !(x->has_enough && x->has_columns)) {
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

/* The server owes an answer. A closed socket proves its end only where no pooler or proxy is in between. */
static void note_unended(exchange *x)
{
	ag_pg_conn *c = x->c;

	c->is_silent = x->is_lost;
	c->is_unended = !x->is_over && !x->has_parted &&
	                !(x->is_lost && c->backend.is_direct && c->wire.is_closed_by_peer);
	if (!c->is_unended)
		return;
	c->is_spoilt = true;
	c->hold = x->s->hold;
	if (c->hold.keep)
		c->hold.keep(c->hold.arg);
}

void ag_pg_exchange(ag_pg *pg, ag_pg_conn *c, const ag_ctx *ctx, const ag_pg_statement *statement,
                    ag_arena *arena, ag_pg_outcome *ret)
{
	exchange x = { .pg = pg,
		       .c = c,
		       .wire = &c->wire,
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
	if (!is_clean || statement->is_last)
		c->is_spoilt = true;
	note_unended(&x);
	if (x.was_discarded)
		c->is_prepared = c->has_moment = c->has_state = false;
	ag_pg_wire_trim(&c->wire);
	explain_end(&x, ag_time_mono_us());
	c->is_new = false;
}
