/* postgres_run -- a statement's rows as JSON, within its caps; again on another connection where that is safe.
 *
 * Statements only read, so one whose connection had died before the server saw it is simply sent once more. The same is
 * done, once, when a column has a type that was made since the pool was opened. */
#include "source/postgres_exchange.h"

#include <strings.h>

#include "base/time.h"

/* Wire bytes of a row that are read although its JSON cannot fit: what libpq holds is max_bytes and this. */
#define ROW_SLACK_BYTES (1024u * 1024)
#define MAX_ATTEMPTS    3

typedef struct json_rows {
	ag_pg *pg;
	const ag_sql_limits *limits;
	ag_arena *arena;
	ag_sql_result *ret;
	ag_pg_type *types;
	uint32_t *unknown; /* types */
	size_t nunknown;
	bool takes_unknown; /* as text */
	ag_buf scratch;
} json_rows;

/* --- what the guard cannot have let in, and what is done about it all the same --- */

static bool has_word(ag_str text, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= text.len; i++) {
		/* Letters and _ : or-ing 0x20 maps no other letter onto them. */
		if ((text.ptr[i] | 0x20) == word[0] && strncasecmp(text.ptr + i, word, n) == 0)
			return true;
	}
	return false;
}

static bool locks(ag_str sql)
{
	return has_word(sql, "advisory");
}

static bool is_last(ag_str sql)
{
	return has_word(sql, "setseed") || has_word(sql, "dblink");
}

/* --- the sink --- */

static bool take_columns(void *arg, const PGresult *r)
{
	json_rows *j = (json_rows *)arg;
	const ag_pq *pq = j->pg->pq;
	size_t n = (size_t)pq->nfields(r);
	ag_sql_column_info *columns = ag_new_n(j->arena, ag_sql_column_info, n);

	j->types = ag_new_n(j->arena, ag_pg_type, n);
	j->unknown = ag_new_n(j->arena, uint32_t, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t oid = pq->ftype(r, (int)i);

		if (!ag_pg_type_of(j->pg, oid, &j->types[i])) {
			j->types[i] = (ag_pg_type){ .oid = oid, .name = "unknown" };
			j->unknown[j->nunknown++] = oid;
		}
		columns[i].name = ag_str_dup(j->arena, ag_str_c(pq->fname(r, (int)i)));
		columns[i].type = ag_pg_type_text(&j->types[i], pq->fmod(r, (int)i), j->arena);
	}
	j->ret->columns = columns;
	j->ret->ncolumn = n;
	if (j->takes_unknown)
		j->nunknown = 0;
	return j->nunknown == 0;
}

static void write_row(json_rows *j, const PGresult *r)
{
	const ag_pq *pq = j->pg->pq;
	ag_buf *out = &j->ret->rows;

	ag_buf_adds(out, j->ret->nrow > 0 ? ",[" : "[");
	for (size_t i = 0; i < j->ret->ncolumn && !out->failed; i++) {
		ag_str text = ag_str_make(pq->getvalue(r, 0, (int)i),
		                          (size_t)pq->getlength(r, 0, (int)i));

		if (i > 0)
			ag_buf_addc(out, ',');
		if (text.len == 0 && pq->getisnull(r, 0, (int)i))
			ag_buf_adds(out, "null");
		else
			ag_pg_value(out, &j->types[i], text, &j->scratch);
	}
	ag_buf_addc(out, ']');
}

static bool take_row(void *arg, const PGresult *r)
{
	json_rows *j = (json_rows *)arg;
	ag_sql_result *ret = j->ret;
	size_t before = ret->rows.len;

	ret->rows_seen++;
	if (ret->nrow == j->limits->max_rows) {
		ret->cut = AG_SQL_CUT_ROWS;
		return false;
	}
	write_row(j, r);
	if (ret->rows.failed) { /* back to the last whole row */
		ret->rows.failed = false;
		ret->rows.len = before;
		ret->rows.ptr[before] = '\0';
		ret->cut = AG_SQL_CUT_BYTES;
		return false;
	}
	ret->nrow++;
	return true;
}

/* --- one attempt --- */

static void begin_rows(json_rows *j)
{
	ag_buf *rows = &j->ret->rows;

	ag_buf_clear(rows);
	rows->limit = j->limits->max_bytes - 1; /* of the last bracket */
	ag_buf_addc(rows, '[');
	j->ret->nrow = j->ret->rows_seen = 0;
	j->ret->cut = AG_SQL_WHOLE;
	j->ret->columns = NULL;
	j->ret->ncolumn = 0;
	j->nunknown = 0;
}

static void end_rows(json_rows *j, const ag_pg_outcome *out)
{
	ag_sql_result *ret = j->ret;

	ret->rows.limit = j->limits->max_bytes;
	if (out->has_failed) {
		ret->failure = out->failure;
		ag_buf_clear(&ret->rows);
		ret->nrow = 0;
		ret->cut = AG_SQL_WHOLE;
		return;
	}
	if (out->is_too_large && ret->cut == AG_SQL_WHOLE) {
		ret->cut = AG_SQL_CUT_BYTES;
		ret->rows_seen++;
	}
	ag_buf_addc(&ret->rows, ']');
	ret->is_ok = true;
}

typedef struct attempt {
	ag_pg *pg;
	const ag_ctx *ctx;
	json_rows *rows;
	ag_pg_statement statement;
	ag_pg_outcome out;
	bool need_new;
} attempt;

/* false: no connection, ret->failure says why. */
static bool try_once(attempt *a)
{
	ag_sql_result *ret = a->rows->ret;
	int64_t from_us = ag_time_mono_us();
	ag_pg_conn *c;
	bool has_conn = ag_pg_take(a->pg, a->ctx, a->statement.watch_fd, a->need_new,
	                           a->rows->arena, &c, &ret->failure);

	ret->wait_us += ag_time_mono_us() - from_us;
	if (!has_conn)
		return false;
	begin_rows(a->rows);
	ag_pg_exchange(a->pg, c, a->ctx, &a->statement, a->rows->arena, &a->out);
	ag_pg_give(a->pg, c);
	ret->exec_us = a->out.last_row_us - a->out.began_us;
	return true;
}

/* The row that was too large came before its columns were shown. false: no connection. */
static bool learn_columns(attempt *a)
{
	ag_pg_outcome first = a->out;

	a->statement.is_describe_only = true;
	a->rows->takes_unknown = true;
	if (!try_once(a))
		return false;
	if (!a->out.has_failed)
		a->out = first;
	return true;
}

static bool run(attempt *a)
{
	json_rows *j = a->rows;

	for (unsigned i = 1;; i++) {
		j->takes_unknown = i == MAX_ATTEMPTS;
		if (!try_once(a))
			return false;
		if (i == MAX_ATTEMPTS)
			return true;
		if (a->out.has_failed) {
			if (!a->out.is_repeatable || a->need_new)
				return true;
			a->need_new = true;
		} else if (j->nunknown > 0) {
			if (!ag_pg_types_fetch(a->pg, a->ctx, j->unknown, j->nunknown, j->arena,
			                       &j->ret->failure))
				return false;
		} else {
			return true;
		}
	}
}

void ag_pg_run_text(ag_pg *pg, const ag_ctx *ctx, ag_str sql, const ag_sql_limits *limits,
                    ag_arena *arena, ag_sql_result *ret)
{
	json_rows rows = { .pg = pg, .limits = limits, .arena = arena, .ret = ret };
	attempt a = { .pg = pg, .ctx = ctx, .rows = &rows };

	ag_buf_init(&rows.scratch, limits->max_bytes + ROW_SLACK_BYTES);
	ag_buf_init(&ret->rows, limits->max_bytes);
	ret->sql_executed = ag_str_dup(arena, sql);
	a.statement = (ag_pg_statement){
		.sql = ret->sql_executed.ptr,
		.timeout_ms = limits->timeout_ms,
		.max_row_bytes = limits->max_bytes + ROW_SLACK_BYTES,
		.watch_fd = limits->watch_fd,
		.may_leave_state = limits->may_leave_state || locks(sql),
		.is_last = is_last(sql),
		.sink = { take_columns, take_row, &rows },
	};
	if (!run(&a)) {
		if (a.out.began_us == 0)
			ret->sql_executed = AG_S("");
	} else if (!a.out.is_too_large || ret->ncolumn > 0 || learn_columns(&a)) {
		end_rows(&rows, &a.out);
	}
	ag_buf_release(&rows.scratch);
}
