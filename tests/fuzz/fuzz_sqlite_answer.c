/* Any bytes as the answer of a child that may have been taken over: refused, or a result within its limits whose rows are
 * JSON of the right shape. The first byte says what was asked for, the second how the stream is cut. */
#include <stdlib.h>

#include "fuzz.h"
#include "query/extjson.h"
#include "sql/sqlite_wire.h"

#define MAX_ROWS  20
#define MAX_BYTES 2000

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_rows(const ag_sql_result *r, bool is_plan, ag_arena *arena)
{
	static const ag_extjson_opts opts = { 0 };
	const ag_val *rows;
	ag_val v;
	size_t end;
	ag_err err;

	check(r->nrow <= MAX_ROWS && r->rows.len <= MAX_BYTES && r->columns && r->ncolumn);
	check(memchr(r->rows.ptr, '\n', r->rows.len) == NULL);
	check(ag_extjson_parse(ag_buf_view(&r->rows), &opts, arena, &v, &end, NULL, &err) == AG_OK);
	rows = &v;
	check(rows->type == AG_T_ARRAY && rows->n == r->nrow);
	for (uint32_t i = 0; i < rows->n; i++) {
		check(rows->u.items[i].type == AG_T_ARRAY);
		check(rows->u.items[i].n == (is_plan ? 1 : r->ncolumn));
	}
}

static void check_result(const ag_sqlite_answer *a, ag_arena *arena)
{
	const ag_sql_result *r = a->ret;

	check(!r->is_ok || !r->failure.code);
	check(r->verdict.rule < AG_SQLRULE_COUNT);
	check(ag_str_contains(a->asked, r->verdict.sql));
	if (r->failure.code)
		check(r->failure.message.len && r->failure.class_name &&
		      r->failure.code < AG_SQLCODE_COUNT);
	if (r->is_ok)
		check_rows(r, a->verb == AG_SQLITE_ASK_EXPLAIN, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_sqlite_request rq = { .verb = AG_SQLITE_ASK_RUN,
		                 .sql = AG_S("SELECT 1"),
		                 .limits = { .max_rows = MAX_ROWS, .max_bytes = MAX_BYTES } };
	ag_arena *arena = ag_arena_new();
	ag_sql_result r = { 0 };
	ag_sqlite_answer a;
	bool is_good = true;
	size_t step = 1;

	if (size >= 2) {
		rq.verb = AG_SQLITE_ASK_OPEN + data[0] % AG_SQLITE_ASK_DICTIONARY;
		step = data[1] + 1u;
		data += 2;
		size -= 2;
	}
	ag_sqlite_answer_init(&a, &rq, arena, &r);
	for (size_t at = 0; is_good && at < size; at += step)
		is_good = ag_sqlite_answer_feed(&a, (const char *)data + at,
		                                size - at < step ? size - at : step);
	if (is_good && a.is_ended)
		check_result(&a, arena);
	ag_sqlite_answer_release(&a);
	ag_sql_result_release(&r);
	ag_arena_free(arena);
	return 0;
}
