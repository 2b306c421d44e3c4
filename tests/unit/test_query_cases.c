/* The text cases under tests/cases/query: matching, canonical form, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/filter_expr.h"

#define FOLDER "tests/cases/query/"

typedef struct case_line {
	const char *file;
	int number;
	ag_str field[3];
	size_t nfield;
} case_line;

typedef bool (*case_fn)(const case_line *c, ag_arena *arena);

/* Cut at " | ". */
static void cut(case_line *c, ag_str line)
{
	static const char sep[] = " | ";

	for (c->nfield = 0; c->nfield < 3;) {
		const char *p = memmem(line.ptr, line.len, sep, 3);
		size_t len = p ? (size_t)(p - line.ptr) : line.len;

		c->field[c->nfield++] = ag_str_trim(ag_str_make(line.ptr, len));
		if (!p)
			break;
		line = ag_str_make(p + 3, line.len - len - 3);
	}
}

static FILE *open_cases(const char *name)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s%s", root ? root : ".", FOLDER, name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s cannot be opened", path);
	return f;
}

static void run_cases(const char *name, size_t nfield, int at_least, case_fn fn)
{
	FILE *f = open_cases(name);
	char line[16384];
	int number = 0, run = 0, failed = 0;

	while (fgets(line, sizeof(line), f)) {
		ag_str s = ag_str_trim(ag_str_c(line));
		case_line c = { .file = name, .number = ++number };
		ag_arena *arena;

		if (!s.len || s.ptr[0] == '#')
			continue;
		cut(&c, s);
		assert_int_equal(c.nfield, nfield);
		arena = ag_arena_new();
		failed += !fn(&c, arena);
		ag_arena_free(arena);
		run++;
	}
	fclose(f);
	assert_int_equal(failed, 0);
	assert_true(run >= at_least);
}

static unsigned nexpr; /* filters that had an expression */

static bool complain(const case_line *c, const char *what, ag_str got)
{
	print_error("%s:%d: %s: %.*s\n", c->file, c->number, what, AG_FMT(got));
	return false;
}

/* The filter as an expression, where it has one. Patterns meet no symbols there. */
static bool expr_case(const case_line *c, const ag_filter *f, const ag_val *doc, ag_arena *arena)
{
	const ag_expr *e;
	ag_val text, v;
	ag_err err;

	if (!ag_filter_to_expr(f, arena, &text) ||
	    memmem(c->field[0].ptr, c->field[0].len, "$symbol", 7) ||
	    memmem(c->field[0].ptr, c->field[0].len, "$regularExpression", 18) ||
	    memmem(c->field[0].ptr, c->field[0].len, "$regex", 6))
		return true;
	nexpr++;
	if (ag_expr_parse(&text, arena, &e, &err))
		return complain(c, "the expression is refused", ag_str_c(err.msg));
	/* An $expr fails where the filter, which is one, would fail. */
	if (ag_expr_eval(e, doc, arena, &v, &err))
		return memmem(c->field[1].ptr, c->field[1].len, "$expr", 5) ||
		       complain(c, "the expression fails", ag_str_c(err.msg));
	return ag_val_truthy(&v) == ag_filter_match(f, doc) ||
	       complain(c, "the expression differs",
	                ag_extjson_str(arena, &text, AG_EXTJSON_RELAXED));
}

static bool match_case(const case_line *c, ag_arena *arena)
{
	const ag_extjson_opts data = { .typed = true };
	const ag_filter *f, *again;
	bool want = ag_str_eqc(c->field[2], "true");
	ag_buf text = AG_BUF_INIT(1 << 20);
	ag_err err;
	ag_val doc;
	bool ok;

	if (!want && !ag_str_eqc(c->field[2], "false"))
		return complain(c, "want true or false", c->field[2]);
	if (ag_extjson_parse(c->field[0], &data, arena, &doc, NULL, NULL, &err) ||
	    ag_filter_parse(c->field[1], arena, &f, &err))
		return complain(c, "refused", ag_str_c(err.msg));
	if (ag_filter_match(f, &doc) != want)
		return complain(c, "wrong answer for", c->field[1]);
	if (!expr_case(c, f, &doc, arena))
		return false;
	/* The canonical form means the same. */
	ag_filter_canonical(f, &text);
	ok = !ag_filter_parse(ag_buf_view(&text), arena, &again, &err) &&
	     ag_filter_match(again, &doc) == want;
	if (!ok)
		complain(c, "canonical form differs", ag_buf_view(&text));
	ag_buf_release(&text);
	return ok;
}

static bool canon_case(const case_line *c, ag_arena *arena)
{
	const ag_filter *f, *again;
	ag_buf text = AG_BUF_INIT(1 << 20), second = AG_BUF_INIT(1 << 20);
	ag_err err;
	bool ok;

	if (ag_filter_parse(c->field[0], arena, &f, &err))
		return complain(c, "refused", ag_str_c(err.msg));
	ag_filter_canonical(f, &text);
	ok = ag_str_eq(ag_buf_view(&text), c->field[1]);
	if (!ok)
		complain(c, "canonical form is", ag_buf_view(&text));
	if (ag_filter_parse(ag_buf_view(&text), arena, &again, &err)) {
		ok = complain(c, "own output refused", ag_str_c(err.msg));
	} else {
		ag_filter_canonical(again, &second);
		if (!ag_str_eq(ag_buf_view(&text), ag_buf_view(&second)) ||
		    ag_filter_hash(f) != ag_filter_hash(again))
			ok = complain(c, "is not stable", ag_buf_view(&second));
	}
	ag_buf_release(&text);
	ag_buf_release(&second);
	return ok;
}

static bool refuse_case(const case_line *c, ag_arena *arena)
{
	const ag_filter *f;
	ag_err err = { 0 };
	ag_status st = ag_filter_parse(c->field[0], arena, &f, &err);

	if (st != err.status || !ag_str_eqc(c->field[1], ag_status_name(st)))
		return complain(c, "wrong status", ag_str_c(ag_status_name(st)));
	if (!ag_str_contains(ag_str_c(err.msg), c->field[2]) &&
	    !ag_str_contains(ag_str_c(err.hint), c->field[2]))
		return complain(c, "message is", ag_str_c(err.msg));
	return true;
}

static void match_cases(void **state)
{
	(void)state;
	run_cases("match.cases", 3, 150, match_case);
	assert_true(nexpr >= 150);
}

static void canon_cases(void **state)
{
	(void)state;
	run_cases("canon.cases", 2, 50, canon_case);
}

static void refuse_cases(void **state)
{
	(void)state;
	run_cases("refuse.cases", 3, 50, refuse_case);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(match_cases),
		cmocka_unit_test(canon_cases),
		cmocka_unit_test(refuse_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
