/* Outlines: the text cases of headings and definitions, the example wiki, and what no text case can say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "ask/outline.h"
#include "ask_cases.h"
#include "base/utf8.h"

static void assert_str(ag_str got, ag_str want)
{
	if (!ag_str_eq(got, want))
		fail_msg("want \"%.*s\", got \"%.*s\"", AG_FMT(want), AG_FMT(got));
}

/* --- what holds for any outline --- */

static void check_item(const ag_outline *o, size_t i, size_t nbyte)
{
	const ag_outline_item *it = &o->items[i];

	assert_true(it->level >= 1 && it->line >= 1);
	assert_true(it->last_line >= it->line && it->section_last_line >= it->last_line);
	assert_true(it->begin <= it->end && it->end <= nbyte);
	assert_true(it->parent < (int)i);
	if (i)
		assert_true(it->line >= it[-1].line);
	if (it->parent < 0)
		return;
	assert_true(o->items[it->parent].level < it->level);
	assert_true(o->items[it->parent].section_last_line >= it->last_line);
}

static void check(const ag_outline *o, size_t nbyte)
{
	for (size_t i = 0; i < o->n; i++)
		check_item(o, i, nbyte);
}

/* --- headings.cases --- */

/* Escapes of a source or an anchor. */
static ag_str unescape(ag_str s, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(1u << 20);
	ag_str ret;

	for (size_t i = 0; i < s.len;) {
		ag_str rest = ag_str_make(s.ptr + i, s.len - i);

		if (ag_str_starts(rest, AG_S("⏎"))) {
			ag_buf_addc(&b, '\n');
			i += strlen("⏎");
		} else if (ag_str_starts(rest, AG_S("{U+"))) {
			char *end, utf8[4];
			unsigned long cp = strtoul(rest.ptr + 3, &end, 16);

			assert_int_equal(*end, '}');
			ag_buf_add(&b, ag_str_make(utf8, ag_utf8_put(utf8, (uint32_t)cp)));
			i = (size_t)(end + 1 - s.ptr);
		} else {
			ag_buf_addc(&b, s.ptr[i++]);
		}
	}
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

static ag_str next_field(ag_str *rest)
{
	const char *p = memmem(rest->ptr, rest->len, " | ", 3);
	ag_str field = ag_str_make(rest->ptr, p ? (size_t)(p - rest->ptr) : rest->len);

	*rest = p ? ag_str_make(p + 3, rest->len - field.len - 3) : ag_str_make(NULL, 0);
	return field;
}

/* "1-2 4-4" or the anchors, as the file writes them. */
static ag_str joined(const ag_outline *o, bool lines, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(1u << 20);
	ag_str ret;

	for (size_t i = 0; i < o->n; i++) {
		const ag_outline_item *it = &o->items[i];

		if (i)
			ag_buf_addc(&b, ' ');
		if (lines)
			ag_buf_addf(&b, "%u-%u", it->line, it->last_line);
		else
			ag_buf_add(&b, it->anchor.len ? it->anchor : AG_S("(empty)"));
	}
	if (!o->n)
		ag_buf_adds(&b, "(none)");
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

static bool differs(int number, const char *what, ag_str want, ag_str got)
{
	if (ag_str_eq(want, got))
		return false;
	print_error("headings.cases:%d: %s: want %.*s, got %.*s\n", number, what, AG_FMT(want),
	            AG_FMT(got));
	return true;
}

static bool is_given(ag_str field)
{
	return field.len && !ag_str_eqc(field, "-");
}

static size_t heading_case(ag_str line, int number, ag_arena *arena, int *failed)
{
	ag_str source = unescape(next_field(&line), arena);
	ag_str anchors = unescape(next_field(&line), arena);
	ag_str lines = line.ptr ? next_field(&line) : line;
	ag_outline o;
	ag_str got;

	ag_outline_of(AG_S("doc/a.md"), source, arena, &o);
	check(&o, source.len);
	got = joined(&o, false, arena);
	*failed += differs(number, "anchors", anchors, got);
	if (is_given(lines))
		*failed += differs(number, "lines", lines, joined(&o, true, arena));
	if (is_given(line) && o.n)
		*failed += differs(number, "title", line, o.items[0].title);
	for (size_t i = 0; i < o.n; i++) {
		const ag_outline_item *found = ag_outline_find(&o, o.items[i].anchor);

		*failed += o.items[i].anchor.len ? found != &o.items[i] : found != NULL;
	}
	return o.n;
}

static void headings(void **state)
{
	ag_arena *texts = ag_arena_new();
	ag_str rest = ask_case_file(ask_case_path("headings.cases", texts), texts);
	int number = 0, failed = 0;
	size_t n = 0;

	(void)state;
	while (rest.len) {
		ag_str line = ag_str_split(&rest, '\n');
		ag_arena *arena = ag_arena_new();

		number++;
		if (line.len && !ag_str_starts(line, AG_S("//")))
			n += heading_case(line, number, arena, &failed);
		ag_arena_free(arena);
	}
	assert_int_equal(failed, 0);
	assert_true(n >= 200);
	ag_arena_free(texts);
}

/* --- the example wiki, whose list was made by another reader --- */

static ag_str in_example(ag_str path, ag_arena *arena)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");

	return ask_case_file(ag_str_printf(arena, "%s/examples/wiki/%.*s", root ? root : ".",
	                                   AG_FMT(path)),
	                     arena);
}

/* A title is as a page shows it: runs of blanks are one. */
static ag_str one_blank(ag_str s, ag_arena *arena)
{
	char *out = ag_arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != ' ' || (n && out[n - 1] != ' '))
			out[n++] = s.ptr[i];
	return ag_str_make(out, n);
}

static void the_example_wiki(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_str rest = ask_case_file(ask_case_path("wiki_headings.cases", arena), arena);
	ag_str path = AG_S("");
	size_t i = 0, n = 0;
	ag_outline o = { .n = 0 };

	(void)state;
	while (rest.len) {
		ag_str row = ag_str_split(&rest, '\n'), name;
		uint64_t line;

		if (!row.len || row.ptr[0] == '#')
			continue;
		name = ag_str_split(&row, '\t');
		if (!ag_str_eq(name, path)) {
			ag_str text = in_example(name, arena);

			assert_int_equal(i, o.n);
			ag_outline_of(name, text, arena, &o);
			check(&o, text.len);
			path = name;
			i = 0;
		}
		if (i >= o.n)
			fail_msg("%.*s: %zu headings, want more", AG_FMT(path), o.n);
		assert_true(ag_str_to_u64(ag_str_split(&row, '\t'), &line));
		assert_int_equal(o.items[i].line, line);
		assert_str(o.items[i].anchor, ag_str_split(&row, '\t'));
		assert_str(o.items[i++].title, one_blank(row, arena));
		n++;
	}
	assert_int_equal(i, o.n);
	assert_true(n > 100);
	ag_arena_free(arena);
}

/* --- definitions.cases --- */

static bool definitions_case(const ask_case *c, ag_arena *arena)
{
	ag_str path = c->name;
	ptrdiff_t colon = ag_str_find(path, ':');
	ag_buf got = AG_BUF_INIT(1u << 20);
	ag_outline o;
	bool ok;

	assert_true(colon > 0);
	path = ag_str_trim(
		ag_str_make(path.ptr + colon + 1, path.len - (size_t)colon - 1));
	ag_outline_of(path, c->text, arena, &o);
	check(&o, c->text.len);
	for (size_t i = 0; i < o.n; i++) {
		const ag_outline_item *it = &o.items[i];

		ag_buf_addf(&got, "%u-%u %u %u %.*s | %.*s\n", it->line, it->last_line,
		            it->section_last_line, it->level, AG_FMT(it->name),
		            AG_FMT(it->title));
		assert_int_equal(it->anchor.len, 0);
	}
	ok = case_is(c, "items", ag_buf_view(&got));
	ag_buf_release(&got);
	return ok;
}

static void definitions(void **state)
{
	(void)state;
	assert_true(ask_run_cases("definitions.cases", definitions_case) >= 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headings),
		cmocka_unit_test(the_example_wiki),
		cmocka_unit_test(definitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
