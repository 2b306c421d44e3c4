/* An allowed statement stays allowed however it is written: 12 ways to write its words, in 6 frames.
 *
 * Each case of the files gets every sixth of the 72, so that every one meets many cases. What is not part of a word (texts,
 * quoted names, comments) stays as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "guard_fixtures.h"

#define MAX_SQL 4000u

/* --- what is outside of texts, quoted names and comments --- */

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static size_t until(ag_str s, size_t from, const char *end)
{
	const char *at = memmem(s.ptr + from, s.len - from, end, strlen(end));

	return at ? (size_t)(at - s.ptr) + strlen(end) : s.len;
}

/* 'it''s' counts as two; E'\'' does not occur twice in a case, see quoted(). */
static size_t quoted(ag_str s, bool has_escapes)
{
	size_t i = 1;

	while (i < s.len && s.ptr[i] != s.ptr[0])
		i += 1 + (has_escapes && s.ptr[i] == '\\');
	return i < s.len ? i + 1 : s.len;
}

/* Bytes of what begins here and is not to be touched; 0 = nothing does. */
static size_t untouchable(ag_str s, char before)
{
	char tag[32];
	size_t n = 1;

	switch (s.ptr[0]) {
	case '\'': return quoted(s, (before | 32) == 'e');
	case '"': return quoted(s, false);
	case '-': return ag_str_starts(s, AG_S("--")) ? until(s, 2, "\n") : 0;
	case '/': return ag_str_starts(s, AG_S("/*")) ? until(s, 2, "*/") : 0;
	case '$':
		while (n < s.len && n + 2 < sizeof(tag) && is_letter(s.ptr[n]))
			n++;
		if (n == s.len || s.ptr[n] != '$' || n + 2 > sizeof(tag))
			return 0;
		memcpy(tag, s.ptr, n + 1);
		tag[n + 1] = '\0';
		return until(s, n + 1, tag);
	default: return 0;
	}
}

typedef enum words { AS_IS, UPPER, MIXED } words;

static ag_str rewritten(ag_str sql, words w, const char *blank, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(MAX_SQL * 20);
	ag_str ret;

	for (size_t i = 0; i < sql.len;) {
		const ag_str rest = ag_str_make(sql.ptr + i, sql.len - i);
		const size_t n = untouchable(rest, i ? sql.ptr[i - 1] : '\0');
		char c = rest.ptr[0];

		if (n) {
			ag_buf_add(&out, ag_str_make(rest.ptr, n));
			i += n;
			continue;
		}
		if (c == ' ' && blank)
			ag_buf_adds(&out, blank);
		else if (is_letter(c) && (w == UPPER || (w == MIXED && i % 2)))
			ag_buf_addc(&out, (char)(c & ~32));
		else
			ag_buf_addc(&out, c);
		i++;
	}
	assert_false(out.failed);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* Can it stand in brackets: no semicolon, and not begun or ended by a comment? */
static bool fits_in_brackets(ag_str sql)
{
	for (size_t i = 0; i < sql.len;) {
		const ag_str rest = ag_str_make(sql.ptr + i, sql.len - i);
		const size_t n = untouchable(rest, i ? sql.ptr[i - 1] : '\0');

		if (rest.ptr[0] == ';')
			return false;
		i += n ? n : 1;
	}
	return true;
}

/* --- the 72 --- */

static const struct {
	words words;
	const char *blank;
} ways[] = {
	{ AS_IS, NULL },
	{ UPPER, NULL },
	{ MIXED, NULL },
	{ AS_IS, "  " },
	{ AS_IS, "\t" },
	{ AS_IS, "\n" },
	{ AS_IS, "\r\n" },
	{ AS_IS, "\f " },
	{ AS_IS, "/**/" },
	{ AS_IS, " /* ; ' */ " },
	{ UPPER, " -- ; $$ \" drop\n" },
	{ MIXED, " /* /* '*/ drop */ " },
};

static const struct {
	const char *before, *after;
	bool has_brackets;
} frames[] = {
	{ "", "", false },
	{ " \t\n-- first\n", "\n;\n; -- last", false },
	{ "/* a /* b */ ; drop */", ";", false },
	{ "((", "\n))", true },
	{ "select * from (", "\n) as argus_case", true },
	{ "with argus_case as (", "\n) table argus_case", true },
};

#define NWAY          (sizeof(ways) / sizeof(ways[0]))
#define NFRAME        (sizeof(frames) / sizeof(frames[0]))
#define FIRST_COMMENT 8u /* of the ways */

typedef struct tally {
	size_t n[NWAY][NFRAME];
} tally;

static bool same_tables(const ag_sql_verdict *a, const ag_sql_verdict *b)
{
	for (size_t i = 0; i < a->ntable && a->ntable == b->ntable; i++)
		if (!ag_str_eq(a->tables[i], b->tables[i]))
			return false;
	return a->ntable == b->ntable;
}

static bool judge(const guard_case *c, const ag_sql_verdict *plain, size_t way, size_t frame,
                  ag_arena *arena)
{
	const ag_str body = rewritten(c->sql, ways[way].words, ways[way].blank, arena);
	const ag_str sql = ag_str_printf(arena, "%s%.*s%s", frames[frame].before, AG_FMT(body),
	                                 frames[frame].after);
	ag_sql_verdict v;
	ag_err err = { 0 };

	if (ag_sql_guard(sql, c->policy, c->catalog, AG_SQL_RUN, arena, &v, &err))
		fail_msg("%s:%d: %s", c->file, c->line, err.msg);
	if (ag_sql_allowed(&v) && same_tables(plain, &v) &&
	    (frames[frame].has_brackets || v.fingerprint == plain->fingerprint))
		return true;
	print_error("%s:%d, way %zu in frame %zu: %s: %.*s\n%.*s\n", c->file, c->line, way, frame,
	            ag_sql_rule_id(v.rule), AG_FMT(v.message), AG_FMT(sql));
	return false;
}

/* The parser looks one word ahead after these and does not see past a comment. */
static bool looks_ahead(ag_str sql)
{
	return ag_str_contains(sql, AG_S(" not ")) || ag_str_contains(sql, AG_S("nulls ")) ||
	       ag_str_contains(sql, AG_S("with "));
}

static bool mutate(const guard_case *c, ag_arena *arena, void *arg)
{
	tally *t = arg;
	ag_sql_verdict plain;
	ag_err err = { 0 };
	bool ok = true;

	if (!c->is_allowed || c->sql.len > MAX_SQL)
		return true;
	if (ag_sql_guard(c->sql, c->policy, c->catalog, AG_SQL_RUN, arena, &plain, &err))
		fail_msg("%s:%d: %s", c->file, c->line, err.msg);
	for (size_t way = 0; way < NWAY; way++) {
		for (size_t frame = 0; frame < NFRAME; frame++) {
			if ((way * NFRAME + frame + way + (size_t)c->line) % 6)
				continue;
			if (frames[frame].has_brackets && !fits_in_brackets(c->sql))
				continue;
			if (way >= FIRST_COMMENT && looks_ahead(c->sql))
				continue;
			ok &= judge(c, &plain, way, frame, arena);
			t->n[way][frame]++;
		}
	}
	return ok;
}

static void mutations(void **state)
{
	static const char *const files[] = { "analytics.cases", "catalog.cases", "limits.cases",
		                             "near_misses.cases", "tables.cases" };
	tally t = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		guard_run_cases(files[i], mutate, &t);
	assert_int_equal(NWAY * NFRAME, 72);
	for (size_t way = 0; way < NWAY; way++)
		for (size_t frame = 0; frame < NFRAME; frame++)
			assert_true(t.n[way][frame] >= 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
