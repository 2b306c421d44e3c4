/* postgres_rows -- statements of ours: what catalog and dictionary ask, with the rows as plain texts. */
#include "sql/postgres_statement.h"

#define FIRST_ROWS 64

typedef struct collecting {
	ag_arena *arena;
	ag_str *cell;
	size_t ncolumn, nrow, capacity; /* in rows */
	size_t nbyte;
} collecting;

static bool take_columns(void *arg, const ag_pg_field *field, size_t n)
{
	(void)field;
	((collecting *)arg)->ncolumn = n;
	return true;
}

static void grow(collecting *to)
{
	size_t capacity = to->capacity ? to->capacity * 2 : FIRST_ROWS;
	ag_str *cell = ag_new_n(to->arena, ag_str, capacity * to->ncolumn);

	if (to->nrow > 0)
		memcpy(cell, to->cell, to->nrow * to->ncolumn * sizeof(*cell));
	to->cell = cell;
	to->capacity = capacity;
}

static bool take_row(void *arg, const ag_str *cell)
{
	collecting *to = (collecting *)arg;

	if (to->nrow == to->capacity)
		grow(to);
	for (size_t i = 0; i < to->ncolumn; i++) {
		if (cell[i].ptr)
			to->cell[to->nrow * to->ncolumn + i] = ag_str_dup(to->arena, cell[i]);
		to->nbyte += cell[i].len + sizeof(ag_str);
	}
	to->nrow++;
	return to->nbyte <= AG_POSTGRES_MAX_ROWS_BYTES;
}

static bool row_too_large(void *arg)
{
	((collecting *)arg)->nbyte = AG_POSTGRES_MAX_ROWS_BYTES + (size_t)1;
	return false;
}

/* false: no connection. */
static bool try_once(ag_postgres *e, const ag_ctx *ctx, const ag_postgres_statement *statement,
                     bool need_new, collecting *to, ag_postgres_outcome *out,
                     ag_sql_failure *ret_failure)
{
	ag_pg_failure failure = { 0 };
	ag_pg_conn *c;

	if (!ag_pg_take(e->pg, ctx, statement->watch_fd, need_new, to->arena, &c, &failure)) {
		ag_postgres_failure(e, &failure, to->arena, ret_failure);
		return false;
	}
	*to = (collecting){ .arena = to->arena };
	ag_postgres_run_statement(e, c, ctx, statement, to->arena, out);
	if (out->has_failed)
		*ret_failure = out->failure;
	return true;
}

ag_status ag_postgres_rows(ag_sql_impl *impl, const ag_ctx *ctx, const ag_postgres_question *q,
                           ag_arena *arena, ag_postgres_table *ret, ag_sql_failure *ret_failure,
                           ag_err *err)
{
	ag_postgres *e = ag_postgres_of(impl);
	collecting to = { .arena = arena };
	ag_postgres_statement statement = {
		.sql = ag_str_c(q->sql),
		.values = q->params,
		.nvalue = q->nparam,
		.timeout_ms = e->opts->statement_timeout_ms,
		.max_row_bytes = AG_POSTGRES_MAX_ROWS_BYTES,
		.watch_fd = -1,
		.sink = { take_columns, take_row, row_too_large, &to },
	};
	ag_postgres_outcome out = { 0 };

	(void)err;
	/* As in postgres_run.c: one old connection less each time. */
	for (bool again = false; !again || (out.has_failed && out.is_repeatable); again = true) {
		*ret_failure = (ag_sql_failure){ .code = AG_SQLCODE_NONE };
		if (!try_once(e, ctx, &statement, again, &to, &out, ret_failure))
			return AG_OK;
	}
	if (out.has_failed)
		return AG_OK;
	if (to.nbyte > AG_POSTGRES_MAX_ROWS_BYTES) {
		*ret_failure = (ag_sql_failure){
			.code = AG_SQLCODE_SCHEMA,
			.class_name = "resource",
			.message = AG_S("the database describes itself in more than 64 MiB"),
			.detail = AG_S(""),
			.hint = AG_S(""),
		};
		return AG_OK;
	}
	*ret = (ag_postgres_table){ .ncolumn = to.ncolumn, .nrow = to.nrow, .cell = to.cell };
	return AG_OK;
}
