/* Connecting, sending and receiving.
 *
 * What waits is sent with the beginning of its transaction, or with its end, in one exchange. When the connection breaks
 * in an exchange, it is made again and the exchange repeated where that cannot do anything twice: nothing of the
 * transaction was answered before, no row was handed out, and no COMMIT was in it. In every other case the caller gets an
 * error that ag_postgres_is_lost() knows. */
#include <stdio.h>
#include <time.h>

#include "base/time.h"
#include "store/postgres.h"
#include "store/store.h"

#define ORIGIN "store.postgres"
/* Of one exchange, which is a purge's or a migration's as well. */
#define STATEMENT_MS    INT64_C(600000)
#define MAX_VALUE_BYTES (256u << 20) /* of a row: more than any limit of store.h */
#define MAX_TRIES       3
#define OID_BOOL        16u
#define OID_INT8        20u
#define OID_INT2        21u
#define OID_INT4        23u
#define OID_OID         26u
#define OID_FLOAT4      700u
#define OID_FLOAT8      701u
#define OID_NUMERIC     1700u

static const ag_sql begin_read = { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" },
		    begin_write = { "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE" },
		    lock_scope = { "SELECT pg_advisory_xact_lock($1)" }, commit_all = { "COMMIT" };

static const ag_pg_terms terms = {
	.timeout_ms = STATEMENT_MS,
	.watch_fd = -1,
	.max_row_bytes = MAX_VALUE_BYTES,
};

/* --- rows that nobody wants --- */

static bool ignore_columns(void *arg, const ag_pg_field *field, size_t n)
{
	(void)arg;
	(void)field;
	(void)n;
	return true;
}

static bool ignore_row(void *arg, const ag_str *cell)
{
	(void)arg;
	(void)cell;
	return true;
}

static bool ignore_size(void *arg)
{
	(void)arg;
	return true;
}

static const ag_pg_sink ignore = { ignore_columns, ignore_row, ignore_size, NULL };

/* --- the connection --- */

void ag_postgres_disconnect(ag_postgres *s)
{
	if (!s->conn)
		return;
	ag_pg_spoil(s->conn);
	ag_pg_give(s->pg, s->conn);
	s->conn = NULL;
}

/* One exchange of given steps. true: all of them took place. */
static bool exchange(ag_postgres *s, const ag_pg_step *steps, size_t n, ag_pg_exchange *x)
{
	bool is_clean;

	ag_pg_exchange_begin(x, s->pg, s->conn, &terms, s->arena);
	is_clean = ag_pg_exchange_run(x, steps, n);
	ag_pg_exchange_end(x);
	if (!is_clean && x->result.failure.why == AG_PG_NO_FAILURE) {
		x->result.failure = (ag_pg_failure){ .why = AG_PG_LOST,
			                             .message = AG_S("the connection was lost"),
			                             .sqlstate = "08006" };
	}
	if (!is_clean)
		ag_postgres_disconnect(s);
	return x->result.failure.why == AG_PG_NO_FAILURE;
}

/* What holds for each session: how long it waits for locks; a commit is on disk, also where the server's default is that it
 * soon will be. */
static bool set_up(ag_postgres *s, ag_pg_failure *ret_failure)
{
	const ag_str sql = ag_str_printf(
		s->arena,
		"SELECT set_config('lock_timeout', '%u', false), set_config('synchronous_commit', "
		"CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' "
		"ELSE current_setting('synchronous_commit') END, false)",
		s->patience_ms ? s->patience_ms : 1);
	const ag_pg_step step = {
		.name = "", .sql = sql, .tags = "*", .may_fail = true, .sink = &ignore, .ncolumn = 2
	};
	ag_pg_exchange x;

	if (exchange(s, &step, 1, &x)) {
		s->is_patience_old = false;
		return true;
	}
	*ret_failure = x.result.failure;
	return false;
}

static bool connect_once(ag_postgres *s, ag_pg_failure *ret_failure)
{
	if (!ag_pg_take(s->pg, NULL, -1, true, s->arena, &s->conn, ret_failure)) {
		s->conn = NULL;
		return false;
	}
	s->session++;
	return set_up(s, ret_failure);
}

static void pause_ms(int64_t ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

ag_status ag_postgres_connect(ag_postgres *s, ag_err *err)
{
	const int64_t until_us = ag_time_mono_us() + (int64_t)s->patience_ms * 1000;
	ag_pg_failure failure = { 0 };

	AG_ASSERT(s->state != AG_POSTGRES_OPEN);
	if (s->conn && !ag_pg_is_quiet(s->pg, s->conn))
		ag_postgres_disconnect(s);
	if (s->conn && s->is_patience_old && !set_up(s, &failure))
		ag_postgres_disconnect(s);
	for (int64_t wait_ms = 20; !s->conn; wait_ms = wait_ms < 500 ? 2 * wait_ms : 500) {
		if (connect_once(s, &failure)) {
			s->has_been_connected = true;
			return AG_OK;
		}
		ag_postgres_disconnect(s);
		if (!s->has_been_connected || !ag_postgres_is_away(&failure) ||
		    ag_time_mono_us() >= until_us)
			return ag_postgres_fail(s, &failure, "open", err);
		pause_ms(wait_ms);
	}
	return AG_OK;
}

/* --- rows --- */

typedef struct receiver {
	ag_postgres_stmt *stmt;
	ag_db_out *out;
	ag_err *err;
	ag_status status; /* of the callback */
	bool has_row;
} receiver;

static ag_db_val value_of(ag_str cell, uint32_t oid)
{
	ag_db_val v = { .kind = AG_DB_NULL };
	int64_t i;
	double d;

	if (!cell.ptr)
		return v;
	switch (oid) {
	case OID_BOOL: return ag_db_int(ag_str_eqc(cell, "t"));
	case OID_INT2:
	case OID_INT4:
	case OID_INT8:
	case OID_OID: return ag_str_to_i64(cell, &i) ? ag_db_int(i) : v;
	case OID_NUMERIC: /* sum() of integers is one */
		if (ag_str_to_i64(cell, &i))
			return ag_db_int(i);
		return ag_str_to_double(cell, &d) ? ag_db_real(d) : v;
	case OID_FLOAT4:
	case OID_FLOAT8: return ag_str_to_double(cell, &d) ? ag_db_real(d) : v;
	default: return ag_db_text(cell);
	}
}

static bool take_columns(void *arg, const ag_pg_field *field, size_t n)
{
	const receiver *r = arg;

	AG_ASSERT(n <= AG_DB_MAX_COLUMNS);
	for (size_t i = 0; i < n; i++)
		r->stmt->oids[i] = field[i].oid;
	r->stmt->ncolumn = n;
	return true;
}

static bool take_row(void *arg, const ag_str *cell)
{
	ag_db_val row[AG_DB_MAX_COLUMNS];
	receiver *r = arg;

	for (size_t i = 0; i < r->stmt->ncolumn; i++)
		row[i] = value_of(cell[i], r->stmt->oids[i]);
	r->has_row = true;
	r->status = r->out->on_row(r->out->arg, row, r->err);
	return r->status == AG_OK;
}

static bool too_large(void *arg)
{
	receiver *r = arg;

	r->has_row = true;
	r->status = ag_fail(r->err, AG_LIMIT, ORIGIN, "a row of the store has more than %u MB",
	                    MAX_VALUE_BYTES >> 20);
	return false;
}

/* --- sending --- */

static ag_pg_step step_of(ag_postgres *s, ag_postgres_stmt *k, const ag_str *values, size_t n,
                          uint64_t *nrow)
{
	ag_pg_step step = {
		.name = k->name,
		.sql = AG_S(""),
		.values = values,
		.nvalue = n,
		.types = k->types,
		.tags = "*",
		.may_fail = true,
		.nrow = nrow,
	};

	if (k->session != s->session) {
		/* A name is used once: a sending that failed may have prepared it or not. */
		snprintf(k->name, sizeof(k->name), "a%s_%llx", s->own,
		         (unsigned long long)++s->nname);
		k->session = s->session;
		k->sent = s->nsending;
		step.sql = k->text;
	}
	return step;
}

static size_t build(ag_postgres *s, const ag_postgres_end *end, receiver *r, const ag_pg_sink *sink,
                    ag_pg_step *steps)
{
	ag_postgres_call *calls = (ag_postgres_call *)(void *)s->waiting.ptr;
	size_t n = 0;

	s->nsending++;
	if (s->state == AG_POSTGRES_BEGUN) {
		const ag_sql *begin = s->kind == AG_DB_READ ? &begin_read : &begin_write;
		const ag_db_val key = ag_db_int(s->lock);

		steps[n++] = step_of(s, ag_postgres_statement(s, begin, AG_DB_NO_ARGS), NULL, 0,
		                     NULL);
		if (s->kind != AG_DB_READ) {
			ag_str *value = ag_new(s->arena, ag_str);

			*value = ag_str_printf(s->arena, "%lld", (long long)s->lock);
			steps[n] = step_of(
				s, ag_postgres_statement(s, &lock_scope, (ag_db_args){ &key, 1 }),
				value, 1, NULL);
			steps[n].sink = &ignore;
			steps[n++].ncolumn = 1;
		}
	}
	for (size_t i = 0; i < s->waiting.n; i++)
		steps[n++] = step_of(s, calls[i].stmt, calls[i].values, calls[i].nvalue,
		                     &calls[i].nrow);
	if (end->out && end->out->on_row) {
		r->stmt = calls[s->waiting.n - 1].stmt;
		steps[n - 1].sink = sink;
		steps[n - 1].ncolumn = r->stmt->ncolumn;
	}
	if (end->commits) {
		steps[n] = step_of(s, ag_postgres_statement(s, &commit_all, AG_DB_NO_ARGS), NULL, 0,
		                   NULL);
		steps[n++].tags = "COMMIT";
	}
	return n;
}

/* It is not known what a sending that failed has prepared. */
static void forget_names(ag_postgres *s)
{
	for (size_t i = 0; i < s->cap; i++) {
		if (s->stmts[i] && s->stmts[i]->sent == s->nsending)
			s->stmts[i]->session = 0;
	}
}

/* May all of it be sent again, though it is not known how far the server came? */
static bool may_repeat(const ag_postgres *s, const ag_postgres_end *end, const receiver *r)
{
	const ag_postgres_call *calls = (const ag_postgres_call *)(void *)s->waiting.ptr;

	if (r->has_row || end->commits || s->state == AG_POSTGRES_OPEN)
		return false;
	if (s->state == AG_POSTGRES_BEGUN)
		return true;
	for (size_t i = 0; i < s->waiting.n; i++) {
		if (!calls[i].stmt->is_reading)
			return false;
	}
	return true;
}

static ag_status send_once(ag_postgres *s, const ag_postgres_end *end, ag_err *err, bool *ret_again)
{
	receiver r = { .out = end->out, .err = err };
	const ag_pg_sink sink = { take_columns, take_row, too_large, &r };
	ag_pg_step *steps = ag_new_n(s->arena, ag_pg_step, s->waiting.n + 3);
	const bool is_inside = s->state != AG_POSTGRES_OUTSIDE;
	const size_t n = build(s, end, &r, &sink, steps);
	const ag_pg_failure *f;
	ag_pg_exchange x;
	ag_status st;

	*ret_again = false;
	if (exchange(s, steps, n, &x) && !r.status) {
		if (s->state == AG_POSTGRES_BEGUN)
			s->state = AG_POSTGRES_OPEN;
		return AG_OK;
	}
	f = &x.result.failure;
	forget_names(s);
	if (r.status)
		return r.status;
	if (ag_postgres_is_away(f) || !s->conn) {
		*ret_again = ag_postgres_is_away(f) && may_repeat(s, end, &r);
		ag_postgres_disconnect(s);
	}
	st = ag_postgres_fail(s, f, "use", err);
	if (ag_postgres_is_away(f) && (is_inside || !*ret_again))
		ag_postgres_mark_lost(err);
	return st;
}

ag_status ag_postgres_send(ag_postgres *s, const ag_postgres_end *end, ag_err *err)
{
	bool again = true;
	ag_err why = { 0 };
	ag_status st = AG_OK;

	for (int i = 0; i < MAX_TRIES && again; i++) {
		again = false;
		st = s->state == AG_POSTGRES_OPEN ? AG_OK : ag_postgres_connect(s, &why);
		if (!st)
			st = send_once(s, end, &why, &again);
		if (!st)
			return AG_OK;
	}
	if (err)
		*err = why;
	return st;
}

ag_status ag_postgres_send_text(ag_postgres *s, ag_str text, ag_err *err)
{
	const ag_pg_step step = { .name = "", .sql = text, .tags = "*", .may_fail = true };
	ag_pg_exchange x;
	ag_status st = s->state == AG_POSTGRES_OPEN ? AG_OK : ag_postgres_connect(s, err);

	if (st)
		return st;
	return exchange(s, &step, 1, &x) ? AG_OK
	                                 : ag_postgres_fail(s, &x.result.failure, "use", err);
}

bool ag_postgres_send_rollback(ag_postgres *s)
{
	const ag_pg_step step = { .name = "", .sql = AG_S("ROLLBACK"), .tags = "ROLLBACK" };
	ag_pg_exchange x;
	bool is_clean;

	ag_pg_exchange_begin(&x, s->pg, s->conn, &terms, s->arena);
	is_clean = ag_pg_exchange_finish(&x, &step, 1);
	ag_pg_exchange_end(&x);
	return is_clean && x.result.transaction == 'I';
}
