/* postgres_run -- a statement's rows as JSON, within its caps; again on another connection where that is safe.
 *
 * Statements only read, so one whose connection had died before the server saw it is simply sent once more. The same is
 * done when a column has a type that was made since the pool was opened. */
#include "sql/postgres_statement.h"

#include <strings.h>

#include "base/time.h"
#include "sql/postgres_values.h"

/* A row is stored up to this: its JSON may be half as long (an array of json loses its backslashes) … */
#define ROW_FACTOR 2
/* … and lacks the lengths of its cells. */
#define ROW_SLACK_BYTES (16u * 1024)
#define MAX_LEARNT      2 /* then a type that cannot be learnt is text */

typedef struct json_rows {
	ag_postgres *e;
	const ag_ctx *ctx;
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

static bool take_columns(void *arg, const ag_pg_field *field, size_t n)
{
	json_rows *j = (json_rows *)arg;
	ag_sql_column_info *columns = ag_new_n(j->arena, ag_sql_column_info, n);

	j->types = ag_new_n(j->arena, ag_pg_type, n);
	j->unknown = ag_new_n(j->arena, uint32_t, n);
	for (size_t i = 0; i < n; i++) {
		if (!ag_pg_type_of(j->e->pg, field[i].oid, &j->types[i])) {
			j->types[i] = (ag_pg_type){ .oid = field[i].oid, .name = "unknown" };
			j->unknown[j->nunknown++] = field[i].oid;
		}
		columns[i].name = field[i].name;
		columns[i].type = ag_pg_type_text(&j->types[i], field[i].modifier, j->arena);
	}
	j->ret->columns = columns;
	j->ret->ncolumn = n;
	if (j->takes_unknown)
		j->nunknown = 0;
	return j->nunknown == 0;
}

static void write_row(json_rows *j, const ag_str *cell)
{
	ag_buf *out = &j->ret->rows;

	ag_buf_add(out, j->ret->nrow > 0 ? AG_S(",[") : AG_S("["));
	for (size_t i = 0; i < j->ret->ncolumn && !out->failed; i++) {
		if (i > 0)
			ag_buf_addc(out, ',');
		if (!cell[i].ptr)
			ag_buf_add(out, AG_S("null"));
		else
			ag_postgres_value(out, &j->types[i], cell[i], &j->scratch);
	}
	ag_buf_addc(out, ']');
}

static bool take_row(void *arg, const ag_str *cell)
{
	json_rows *j = (json_rows *)arg;
	ag_sql_result *ret = j->ret;
	size_t before = ret->rows.len;

	ret->rows_seen++;
	ag_ctx_advance(j->ctx, 1, 0);
	if (ret->nrow == j->limits->max_rows) {
		ret->cut = AG_SQL_CUT_ROWS;
		return false;
	}
	write_row(j, cell);
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

static bool row_too_large(void *arg)
{
	ag_sql_result *ret = ((json_rows *)arg)->ret;

	ret->rows_seen++;
	ret->cut = ret->nrow == ((json_rows *)arg)->limits->max_rows ? AG_SQL_CUT_ROWS
	                                                             : AG_SQL_CUT_BYTES;
	return false;
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

static void end_rows(json_rows *j, const ag_postgres_outcome *out)
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
	ag_buf_addc(&ret->rows, ']');
	ret->is_ok = true;
}

typedef struct attempt {
	ag_postgres *e;
	const ag_ctx *ctx;
	json_rows *rows;
	ag_postgres_statement statement;
	ag_postgres_outcome out;
	bool need_new;
} attempt;

/* false: no connection, ret->failure says why. */
static bool try_once(attempt *a)
{
	ag_sql_result *ret = a->rows->ret;
	int64_t from_us = ag_time_mono_us();
	ag_pg_failure failure = { 0 };
	ag_pg_conn *c;
	bool has_conn = ag_pg_take(a->e->pg, a->ctx, a->statement.watch_fd, a->need_new,
	                           a->rows->arena, &c, &failure);

	ret->wait_us += ag_time_mono_us() - from_us;
	if (!has_conn) {
		ag_postgres_failure(a->e, &failure, a->rows->arena, &ret->failure);
		return false;
	}
	begin_rows(a->rows);
	ag_postgres_run_statement(a->e, c, a->ctx, &a->statement, a->rows->arena, &a->out);
	ret->exec_us = a->out.last_row_us - a->out.began_us;
	return true;
}

/* Asks the server for the types that are unknown. Those that are gone meanwhile become text. */
static bool learn_types(json_rows *j)
{
	AG_AUTO(ag_buf_release) ag_buf list = AG_BUF_INIT(64u * 1024);
	ag_postgres_table table;
	ag_str param;
	ag_err err;

	for (size_t i = 0; i < j->nunknown; i++)
		ag_buf_addf(&list, "%c%u", i ? ',' : '{', j->unknown[i]);
	ag_buf_addc(&list, '}');
	param = ag_buf_view(&list);
	if (ag_postgres_rows((ag_sql_impl *)(void *)j->e, j->ctx,
	                     &(ag_postgres_question){
				     .sql = ag_pg_types_some, .params = &param, .nparam = 1 },
	                     j->arena, &table, &j->ret->failure, &err)) {
		ag_sql_failure_of_err(&err, j->arena, &j->ret->failure);
		return false;
	}
	if (j->ret->failure.code)
		return false;
	for (size_t row = 0; row < table.nrow; row++)
		ag_pg_types_add(j->e->pg, &table.cell[row * table.ncolumn]);
	for (size_t i = 0; i < j->nunknown; i++)
		ag_pg_types_add_unknown(j->e->pg, j->unknown[i]);
	return true;
}

static bool run(attempt *a)
{
	json_rows *j = a->rows;

	for (unsigned nlearnt = 0;;) {
		j->takes_unknown = nlearnt == MAX_LEARNT;
		if (!try_once(a))
			return false;
		if (a->out.has_failed) {
			/* Ends: each time one old connection is gone, and a new one is never repeated. */
			if (!a->out.is_repeatable)
				return true;
			a->need_new = true;
		} else if (j->nunknown > 0) {
			if (!learn_types(j))
				return false;
			nlearnt++;
		} else {
			return true;
		}
	}
}

void ag_postgres_run_text(ag_postgres *e, const ag_ctx *ctx, ag_str sql,
                          const ag_sql_limits *limits, ag_arena *arena, ag_sql_result *ret)
{
	json_rows rows = { .e = e, .ctx = ctx, .limits = limits, .arena = arena, .ret = ret };
	attempt a = { .e = e, .ctx = ctx, .rows = &rows };

	ag_buf_init(&rows.scratch, ROW_FACTOR * limits->max_bytes + ROW_SLACK_BYTES);
	ag_buf_init(&ret->rows, limits->max_bytes);
	ret->sql_executed = ag_str_dup(arena, sql);
	a.statement = (ag_postgres_statement){
		.sql = ret->sql_executed,
		.timeout_ms = limits->timeout_ms,
		.max_row_bytes = ROW_FACTOR * limits->max_bytes + ROW_SLACK_BYTES,
		.watch_fd = limits->watch_fd,
		.may_leave_state = limits->may_leave_state || locks(sql),
		.fresh = limits->fresh,
		.is_last = is_last(sql),
		.hold = limits->hold,
		.may_pause = true,
		.sink = { take_columns, take_row, row_too_large, &rows },
	};
	if (run(&a)) {
		end_rows(&rows, &a.out);
	} else {
		/* The attempt before, whose connection went away, had begun a row. */
		ag_buf_clear(&ret->rows);
		ret->nrow = 0;
		ret->cut = AG_SQL_WHOLE;
		if (a.out.began_us == 0)
			ret->sql_executed = AG_S("");
	}
	ag_buf_release(&rows.scratch);
}
