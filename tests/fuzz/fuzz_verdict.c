/* Any bytes as an evaluator's answer: malformed with a word why, or a verdict whose every part is within its limits;
 * an answer that is read gives the same verdict when it is written out and read again. */
#include <stdlib.h>

#include "agent/evaluators.h"
#include "base/json.h"
#include "base/utf8.h"
#include "fuzz.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void comes_back(const ag_verdict *v, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1 << 20);
	ag_verdict again;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "verdict", ag_str_c(ag_verdict_name(v->kind)));
	ag_jw_kdouble(&w, "score", v->score);
	ag_jw_kstr(&w, "reason", v->reason);
	ag_jw_kstr(&w, "critique", v->critique);
	ag_jw_obj_end(&w);
	check(!ag_verdict_parse(ag_buf_view(&out), arena, &again, NULL));
	check(again.kind == v->kind && again.score == v->score);
	check(ag_str_eq(again.critique, v->critique));
	ag_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_arena *arena = ag_arena_new();
	ag_verdict v = { 0 };
	ag_err err = { 0 };
	const ag_status st = ag_verdict_parse(ag_str_make((const char *)data, size), arena, &v,
	                                      &err);

	if (st) {
		check(st == AG_PROTOCOL && err.msg[0] && !v.reason.len);
	} else {
		check(v.kind <= AG_FAIL && v.score >= 0 && v.score <= 1);
		check(v.reason.len > 0 && v.reason.len < 4100 && v.critique.len < 4100);
		check(ag_utf8_valid(v.reason) && ag_utf8_valid(v.critique));
		check(!v.evaluated_by.len && v.disposition == AG_DISPOSE_BY_VERDICT);
		comes_back(&v, arena);
	}
	ag_arena_free(arena);
	return 0;
}
