/* exchange -- the steps of one exchange, sent at once, and the wait for their answers.
 *
 * Read ag_pg_exchange_run(): it sends, then takes messages until the server is ready again. It asks the server to stop when
 * the sink wants no more rows, or at the deadline, a cancel, or the end of the client. Then it reads the answers until the
 * server has stopped, for AG_PG_DRAIN_MS at most. */
#include "pg/exchange.h"

#include <errno.h>
#include <poll.h>

#include "base/time.h"
#include "pg/parts.h"
#include "run/pause.h"

#define GRACE_MS 250 /* the server's own statement_timeout comes first: its words are better */
/* Unwanted rows are read up to this size and time before the statement is stopped: stopping costs a connection. */
#define DISCARD_BYTES   (1024u * 1024)
#define DISCARD_US      100000
#define CANCEL_AGAIN_US INT64_C(250000)

typedef ag_pg_exchange exchange;

/* --- sending --- */

static void send_step(exchange *x, const ag_pg_step *s)
{
	/* Also an empty text: without a Parse the server would run the unnamed statement of the step before. */
	if (s->sql.len > 0 || !*s->name)
		ag_pg_send_parse(x->wire, s->name, s->sql, s->types, s->types ? s->nvalue : 0);
	if (s->prepares)
		return;
	ag_pg_send_bind(x->wire, s->name, s->values, s->nvalue);
	if (s->sink && s->ncolumn == 0)
		ag_pg_send_describe(x->wire);
	ag_pg_send_execute(x->wire);
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
		send_step(x, &x->steps[i]);
	ag_pg_send_sync(x->wire);
	return flush(x);
}

/* --- stopping --- */

/* false: the server cannot be asked, so the connection is given up. */
static bool stop_it(exchange *x, ag_pg_stop why)
{
	x->stop = why;
	x->deadline_us = ag_time_mono_us() + AG_PG_DRAIN_MS * 1000;
	x->has_enough = true;
	x->cancelled_us = ag_time_mono_us();
	x->cancel = ag_pg_cancel_start(x->pg, x->c);
	return x->cancel != NULL;
}

/* The server ignores a request that arrives between two messages of ours, so it is repeated until the statement has ended.
 * false as above. */
static bool stop_it_again(exchange *x, int64_t now)
{
	if (!x->cancel || x->is_finishing || now - x->cancelled_us < CANCEL_AGAIN_US ||
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
	return x->stop == AG_PG_STOP_TIMEOUT || x->stop == AG_PG_STOP_CANCELLED ||
	       x->stop == AG_PG_STOP_CLIENT_GONE;
}

static ag_pg_stop why_stop(const exchange *x, int64_t now, bool client_gone)
{
	if (client_gone)
		return AG_PG_STOP_CLIENT_GONE;
	if (ag_ctx_is_cancelled(x->terms.ctx))
		return AG_PG_STOP_CANCELLED;
	if (now >= x->deadline_us)
		return AG_PG_STOP_TIMEOUT;
	if (x->has_enough && (x->nunwanted > DISCARD_BYTES || now - x->enough_us > DISCARD_US))
		return AG_PG_STOP_ENOUGH;
	return AG_PG_STOP_NONE;
}

/* --- waiting --- */

static int wait_ms(const exchange *x, int64_t now)
{
	int64_t left_us = x->deadline_us - now;
	bool must_look = x->stop == AG_PG_STOP_NONE &&
	                 (ag_ctx_can_be_cancelled(x->terms.ctx) || x->has_enough);

	if (left_us <= 0 || (!x->is_unsent && !ag_pg_must_wait(x->wire)))
		return 0;
	must_look = must_look || (x->cancel && !x->is_finishing);
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

/* Most answers come in less than a millisecond. True: there is something to read. */
static bool pause_for_server(exchange *x)
{
	ag_pauser *p;

	if (!x->terms.may_pause || x->is_unsent || x->stop != AG_PG_STOP_NONE || x->has_enough ||
	    !ag_pg_must_wait(x->wire))
		return false;
	p = ag_pauser_here();
	x->terms.may_pause = p && p->pause(p, x->wire->fd) == AG_PAUSE_OVER;
	return x->terms.may_pause;
}

/* One round of waiting, sending and reading. false: the connection is given up. */
static bool wait_for_server(exchange *x)
{
	struct pollfd fds[2] = {
		{ .fd = x->wire->fd, .events = POLLIN },
		{ .fd = x->stop == AG_PG_STOP_NONE ? x->terms.watch_fd : -1, .events = POLLRDHUP },
	};
	bool can_read = !ag_pg_must_wait(x->wire);
	int64_t now;
	ag_pg_stop why;

	if (pause_for_server(x))
		return read_some(x);
	now = ag_time_mono_us();
	if (x->is_unsent)
		fds[0].events |= POLLOUT;
	if (poll(fds, 2, wait_ms(x, now)) < 0 && errno != EINTR)
		return false;
	now = ag_time_mono_us();
	if (x->stop != AG_PG_STOP_NONE && now >= x->deadline_us)
		return false;
	why = x->stop == AG_PG_STOP_NONE ? why_stop(x, now, fds[1].revents != 0) : AG_PG_STOP_NONE;
	if (why != AG_PG_STOP_NONE && !stop_it(x, why))
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

static const ag_pg_step *step_of(const exchange *x)
{
	static const ag_pg_step beyond = { .tags = "" };

	return x->at < x->nstep ? &x->steps[x->at] : &beyond;
}

static bool has_failed(const exchange *x)
{
	return x->result.failure.why != AG_PG_NO_FAILURE;
}

static void fail(exchange *x, const ag_pg_failure *failure)
{
	const ag_pg_step *at = step_of(x);

	if (!at->may_fail || ag_pg_spoils(failure->sqlstate))
		x->c->is_spoilt = true;
	/* An error after the rows that were wanted, or caused by our own request to stop, is no failure. The request may come when the
	 * statement has ended by itself: then it stops a later step. */
	if (has_failed(x) || (at->sink && x->has_enough && !is_wanted_stop(x)) ||
	    (x->stop == AG_PG_STOP_ENOUGH && strcmp(failure->sqlstate, "57014") == 0))
		return;
	x->result.failure = *failure;
	x->result.failed = at;
}

static void fail_with(exchange *x, const char *state, ag_str message)
{
	ag_pg_failure failure = { 0 };

	ag_pg_failure_of_state(state, message, &failure);
	fail(x, &failure);
}

static void take_error(exchange *x, const ag_pg_message *m)
{
	ag_pg_failure failure = { 0 };

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
	x->has_parted = true; /* the server ends the session when its socket is closed */
	return false;
}

static void enough(exchange *x)
{
	x->has_enough = true;
	x->enough_us = ag_time_mono_us();
}

static bool take_columns(exchange *x, const ag_pg_message *m)
{
	const ag_pg_sink *sink = step_of(x)->sink;
	const ag_pg_field *field;

	if (!sink || x->has_columns || m->is_too_large ||
	    !ag_pg_read_fields(m->body, x->arena, &field, &x->ncolumn))
		return give_up(x, "08P01", AG_S("the columns of the answer cannot be read"));
	x->cell = ag_new_n(x->arena, ag_str, x->ncolumn);
	x->has_columns = true;
	if (!x->has_enough && !sink->columns(sink->arg, field, x->ncolumn))
		enough(x);
	return true;
}

static bool take_row(exchange *x, const ag_pg_message *m)
{
	const ag_pg_step *s = step_of(x);

	if (s->ncolumn > 0 && !x->has_columns) {
		x->ncolumn = s->ncolumn;
		x->cell = ag_new_n(x->arena, ag_str, x->ncolumn);
		x->has_columns = true;
	}
	if (!s->sink || !x->has_columns)
		return give_up(x, "08P01", AG_S("the server sent rows of another statement"));
	if (x->has_enough)
		return true;
	if (m->is_too_large) {
		if (!s->sink->too_large(s->sink->arg))
			enough(x);
		return true;
	}
	if (!ag_pg_read_row(m->body, x->cell, x->ncolumn))
		return give_up(x, "08P01", AG_S("a row of the answer cannot be read"));
	if (!s->sink->row(s->sink->arg, x->cell))
		enough(x);
	return true;
}

/* Is the tag one of the step's? */
static bool is_tag(const ag_pg_step *s, ag_str tag)
{
	ag_str list = ag_str_c(s->tags);

	while (list.len > 0) {
		ag_str one = ag_str_split(&list, '|');

		if (one.len > 0 && one.ptr[one.len - 1] == '*') {
			one.len--;
			if (ag_str_starts(tag, one))
				return true;
		} else if (ag_str_eq(tag, one)) {
			return true;
		}
	}
	return false;
}

static void next_step(exchange *x)
{
	x->at++;
	x->has_columns = false;
}

/* "INSERT 0 5", "UPDATE 5" and "SELECT 5" have the number last; "BEGIN" has none. */
static void take_count(const ag_pg_step *s, ag_str tag)
{
	ag_str word = AG_S("");

	while (tag.len > 0)
		word = ag_str_split(&tag, ' ');
	if (s->nrow && !ag_str_to_u64(word, s->nrow))
		*s->nrow = 0;
}

static void take_command(exchange *x, ag_str body)
{
	const ag_pg_step *is = step_of(x);

	/* The body ends with NUL. */
	if (body.len == 0 || body.ptr[body.len - 1] != '\0' || is->prepares ||
	    !is_tag(is, ag_str_c(body.ptr)))
		x->c->is_spoilt = true;
	else
		take_count(is, ag_str_c(body.ptr));
	x->result.was_answered = true;
	if (is->sink && is->ncolumn == 0)
		x->result.last_row_us = ag_time_mono_us();
	if (is->forgets) {
		x->result.was_discarded = true;
		x->c->prepared = 0;
	}
	next_step(x);
}

static void take_parsed(exchange *x)
{
	if (!step_of(x)->prepares)
		return;
	x->c->prepared |= step_of(x)->prepares;
	next_step(x);
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
		next_step(x);
		return true;
	case 'E': take_error(x, m); return true;
	case 'Z':
		x->result.transaction = m->body.len == 1 ? m->body.ptr[0] : '?';
		x->is_over = true;
		return true;
	case '2': /* bound */
	case 'n': /* no columns */
	case 'N': /* a notice */
	case 'S': /* a setting */
	case 'A': /* a notification */ return true;
	case 'G':
	case 'H':
	case 'W': /* nobody reads or writes the data of a COPY here */
		return give_up(x, "0A000", AG_S("COPY is not possible here"));
	default: return give_up(x, "08P01", AG_S("the server sent what is not its protocol"));
	}
}

/* --- the whole --- */

static void note_stop(exchange *x)
{
	ag_pg_failure_of_stop(x->stop, &x->result.failure);
	if (x->c->is_unended)
		x->result.failure.why = AG_PG_STILL_RUNNING;
	x->result.failure.pid = x->c->backend.pid;
	x->result.failure.is_lost = x->is_lost;
	x->result.failed = NULL;
}

bool ag_pg_exchange_run(ag_pg_exchange *x, const ag_pg_step *steps, size_t n)
{
	x->steps = steps;
	x->nstep = n;
	x->at = 0;
	x->has_columns = false;
	x->is_over = false;
	if (x->stop == AG_PG_STOP_NONE)
		x->has_enough = false; /* of an earlier run */
	if (!send_steps(x))
		return false;
	while (!x->is_over) {
		ag_pg_message m;

		switch (ag_pg_next(x->wire, x->terms.max_row_bytes, &m)) {
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
	if (is_wanted_stop(x) && !has_failed(x))
		note_stop(x);
	return !x->c->is_spoilt;
}

bool ag_pg_exchange_finish(ag_pg_exchange *x, const ag_pg_step *steps, size_t n)
{
	x->is_finishing = true;
	x->deadline_us = ag_time_mono_us() + AG_PG_DRAIN_MS * 1000;
	if (x->stop == AG_PG_STOP_NONE)
		x->stop = AG_PG_STOP_ENOUGH; /* nobody stops these steps */
	return ag_pg_exchange_run(x, steps, n);
}

void ag_pg_exchange_begin(ag_pg_exchange *x, ag_pg *pg, ag_pg_conn *c, const ag_pg_terms *terms,
                          ag_arena *arena)
{
	int64_t now = ag_time_mono_us(), left_ms = ag_ctx_left_ms(terms->ctx);

	*x = (ag_pg_exchange){
		.result = { .was_new = c->is_new, .began_us = now, .last_row_us = now },
		.pg = pg,
		.c = c,
		.wire = &c->wire,
		.terms = *terms,
		.arena = arena
	};
	x->deadline_us = now + (terms->timeout_ms + GRACE_MS) * 1000;
	if (left_ms >= 0 && now + left_ms * 1000 < x->deadline_us)
		x->deadline_us = now + left_ms * 1000;
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
	c->hold = x->terms.hold;
	if (c->hold.keep)
		c->hold.keep(c->hold.arg);
}

static void explain_end(exchange *x, int64_t now)
{
	if (x->result.last_row_us == x->result.began_us)
		x->result.last_row_us = now;
	if (is_wanted_stop(x))
		note_stop(x);
	else if (x->is_lost && !has_failed(x) && !x->has_enough)
		ag_pg_failure_of_connection(AG_S("the connection to the database was lost"),
		                            "08006", x->arena, &x->result.failure);
}

void ag_pg_exchange_end(ag_pg_exchange *x)
{
	if (x->cancel && !ag_pg_cancel_end(x->cancel, x->deadline_us))
		x->c->is_spoilt = true;
	x->cancel = NULL;
	note_unended(x);
	ag_pg_wire_trim(&x->c->wire);
	explain_end(x, ag_time_mono_us());
	x->c->is_new = false;
}
