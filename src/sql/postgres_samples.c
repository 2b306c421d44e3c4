/* postgres_samples -- up to three values of each column, as cheaply as it goes.
 *
 * Of BATCH tables in one statement, AG_DICTIONARY_SAMPLE_ROWS rows of each, from tables, partitioned tables and materialized
 * views (a view may run anything, a foreign table asks another server). Only of types of the system and enums, written by
 * their output functions, so that nobody's function runs. A batch that fails is tried table by table, and what fails alone
 * (a lock, a policy, dead rows without end) has no samples. pg_stats is not asked: it knows values of rows that are gone.
 *
 * Read ag_postgres_read_samples() first. */
#include "query/extjson.h"
#include "sql/postgres_dictionary.h"

#define BATCH           16u
#define BATCH_COLUMNS   800u /* of all tables of a batch */
#define MAX_STATEMENT   (4u * 1024 * 1024)
#define BATCH_MS        3000   /* for a batch */
#define TABLE_MS        500    /* for one table, when its batch failed */
#define SAMPLING_MS     20000  /* for all of them; at most half of what the caller has left */
#define MAX_VALUE_BYTES "2000" /* as stored: larger ones are not even unpacked */

/* ctx with less time. */
typedef struct short_ctx {
	ag_ctx ctx;
	int64_t end_ms; /* of all sampling */
} short_ctx;

static int64_t now_ms(const short_ctx *s)
{
	return ag_clock_mono(s->ctx.clock);
}

static void begin_sampling(const ag_ctx *ctx, short_ctx *s)
{
	int64_t left = ag_ctx_left_ms(ctx);

	*s = (short_ctx){ 0 };
	if (ctx)
		s->ctx = *ctx;
	if (!s->ctx.clock)
		s->ctx.clock = &ag_clock_system;
	s->end_ms = now_ms(s) + (left >= 0 && left / 2 < SAMPLING_MS ? left / 2 : SAMPLING_MS);
}

static const ag_ctx *for_ms(short_ctx *s, int64_t ms)
{
	int64_t end = now_ms(s) + ms;

	s->ctx.deadline_ms = end < s->end_ms ? end : s->end_ms;
	return &s->ctx;
}

/* (SELECT '3', array_to_json(ARRAY[…])::text FROM "public"."users" LIMIT 50): names of functions with their schema, because
 * a user's format(text, his_type) would fit better than the server's own. */
static void add_select(ag_buf *sql, const ag_dict_sampler *s, size_t nr, ag_arena *arena)
{
	const ag_dict_table *t = s->table;

	ag_buf_addf(sql, "(SELECT '%zu', pg_catalog.array_to_json(ARRAY[", nr);
	for (size_t i = 0; i < s->ncolumn; i++) {
		ag_str column = ag_pg_ident(arena, t->columns[s->columns[i]].name);

		ag_buf_addf(sql,
		            "%sCASE WHEN pg_catalog.pg_column_size(%.*s) <= " MAX_VALUE_BYTES
		            " THEN pg_catalog.left(pg_catalog.format('%%s', %.*s), %u) END",
		            i ? "," : "", AG_FMT(column), AG_FMT(column),
		            AG_DICTIONARY_SAMPLE_CHARS + 1);
	}
	ag_buf_addf(sql, "]::pg_catalog.text[])::pg_catalog.text FROM %.*s.%.*s LIMIT %d)",
	            AG_FMT(ag_pg_ident(arena, t->schema)), AG_FMT(ag_pg_ident(arena, t->name)),
	            AG_DICTIONARY_SAMPLE_ROWS);
}

/* One row of one table: the array of its cells as JSON. */
static void take_values(ag_postgres_reading *b, ag_dict_sampler *s, ag_str json, ag_arena *arena)
{
	static const ag_extjson_opts opts = { .repair_utf8 = true,
		                              .max_depth = 4,
		                              .max_values = 10000 };
	ag_str *cell;
	ag_val v;

	if (s->nfull == s->ncolumn || ag_extjson_parse(json, &opts, arena, &v, NULL, NULL, NULL) ||
	    v.type != AG_T_ARRAY || v.n != s->ncolumn)
		return;
	cell = ag_new_n(arena, ag_str, v.n);
	for (size_t i = 0; i < v.n; i++) {
		if (v.u.items[i].type == AG_T_STRING)
			cell[i] = ag_val_text(&v.u.items[i]);
	}
	ag_dictionary_take_row(s, cell, b->o, b->arena);
}

/* Samples of n tables in one statement. When it failed *b->failure says how. */
static ag_status sample(ag_postgres_reading *b, const ag_ctx *ctx, ag_dict_sampler *s, size_t n)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_buf sql = AG_BUF_INIT(MAX_STATEMENT);
	ag_postgres_table rows;
	ag_status st = AG_OK;

	for (size_t i = 0; i < n; i++) {
		if (i)
			ag_buf_adds(&sql, " UNION ALL ");
		add_select(&sql, &s[i], i, arena);
	}
	if (!sql.failed)
		st = ag_postgres_rows(b->impl, ctx, &(ag_postgres_question){ .sql = sql.ptr },
		                      arena, &rows, b->failure, b->err);
	if (!st && !sql.failed && !b->failure->code) {
		for (size_t i = 0; i < rows.nrow; i++) {
			uint64_t nr = 0;

			if (ag_str_to_u64(ag_postgres_cell(&rows, i, 0), &nr) && nr < n)
				take_values(b, &s[nr], ag_postgres_cell(&rows, i, 1), arena);
		}
	}
	ag_buf_release(&sql);
	return st;
}

/* After a failed statement: is it of no use to go on? */
static bool is_over(ag_postgres_reading *b, const short_ctx *s)
{
	return now_ms(s) >= s->end_ms || b->failure->is_connection_lost ||
	       b->failure->code == AG_SQLCODE_POOL_TIMEOUT ||
	       b->failure->code == AG_SQLCODE_CONNECTION ||
	       b->failure->code == AG_SQLCODE_UNAVAILABLE;
}

/* A batch, or one by one when it fails. *ret_is_over: no further one. */
static ag_status sample_batch(ag_postgres_reading *b, short_ctx *ctx, ag_dict_sampler *s, size_t n,
                              bool *ret_is_over)
{
	ag_status st = sample(b, for_ms(ctx, BATCH_MS), s, n);

	*ret_is_over = false;
	if (st || !b->failure->code)
		return st;
	for (size_t i = 0; i < n && n > 1 && !is_over(b, ctx); i++) {
		*b->failure = (ag_sql_failure){ 0 };
		st = sample(b, for_ms(ctx, TABLE_MS), &s[i], 1);
		if (st)
			return st;
	}
	*ret_is_over = b->failure->code && is_over(b, ctx);
	*b->failure = (ag_sql_failure){ 0 };
	return AG_OK;
}

static bool begin_table(ag_postgres_reading *b, size_t i, ag_dict_sampler *ret)
{
	if (!b->tables[i].type || !b->can_read[i] ||
	    ag_dictionary_is_closed(&b->catalog, b->list[i], b->o, b->scratch))
		return false;
	ag_dictionary_sampler(&b->tables[i], b->may[i], b->scratch, ret);
	return ret->ncolumn > 0;
}

ag_status ag_postgres_read_samples(ag_postgres_reading *b)
{
	ag_dict_sampler batch[BATCH];
	size_t n = 0, ncolumn = 0;
	bool is_over = false;
	short_ctx ctx;
	ag_status st;

	begin_sampling(b->ctx, &ctx);
	for (size_t i = 0; i < b->n && !is_over; i++) {
		if (begin_table(b, i, &batch[n]))
			ncolumn += batch[n++].ncolumn;
		if (n == 0 || (n < BATCH && ncolumn < BATCH_COLUMNS && i + 1 < b->n))
			continue;
		st = sample_batch(b, &ctx, batch, n, &is_over);
		if (st)
			return st;
		st = ag_ctx_check(b->ctx, b->err);
		if (st) {
			ag_sql_failure_of_err(b->err, b->arena, b->failure);
			return AG_OK;
		}
		is_over |= now_ms(&ctx) >= ctx.end_ms;
		n = ncolumn = 0;
	}
	return AG_OK;
}
