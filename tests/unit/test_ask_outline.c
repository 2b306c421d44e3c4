/* Outlines: the text cases of headings and definitions, the example wiki, and what no text case can say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
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
	path = ag_str_trim(ag_str_make(path.ptr + colon + 1, path.len - (size_t)colon - 1));
	ag_outline_of(path, c->text, arena, &o);
	check(&o, c->text.len);
	for (size_t i = 0; i < o.n; i++) {
		const ag_outline_item *it = &o.items[i];

		ag_buf_addf(&got, "%u-%u %u %u %.*s | %.*s\n", it->line, it->last_line,
		            it->section_last_line, it->level, AG_FMT(it->name), AG_FMT(it->title));
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

/* --- slugs --- */

/* An anchor of an anchor is the same: nothing in it is left to lower or to delete, of all characters there are. */
static void a_slug_stays(void **state)
{
	(void)state;
	for (uint32_t first = 1; first < 0x110000; first += 4096) {
		ag_arena *arena = ag_arena_new();
		ag_buf b = AG_BUF_INIT(1u << 20);
		ag_str once;
		char utf8[4];

		for (uint32_t cp = first; cp < first + 4096 && cp < 0x110000; cp++)
			ag_buf_add(&b, ag_str_make(utf8, ag_utf8_put(utf8, cp)));
		once = ag_outline_slug(ag_buf_view(&b), arena);
		assert_true(ag_utf8_valid(once));
		assert_str(ag_outline_slug(once, arena), once);
		ag_buf_release(&b);
		ag_arena_free(arena);
	}
}

static void slugs_of_odd_bytes(void **state)
{
	ag_arena *arena = ag_arena_new();

	(void)state;
	assert_str(ag_outline_slug(AG_S(""), arena), AG_S(""));
	assert_str(ag_outline_slug(AG_S("a\0b"), arena), AG_S("ab"));
	assert_str(ag_outline_slug(AG_S("a\xff\xfe B\xc3"), arena), AG_S("a-b"));
	assert_str(ag_outline_slug(AG_S("\xed\xa0\x80 x"), arena), AG_S("-x"));
	assert_str(ag_outline_slug(AG_S("\xf0\x9f\x98"), arena), AG_S(""));
	ag_arena_free(arena);
}

/* --- positions --- */

static const char page[] = "# One\n"        /* 1 */
			   "\n"             /* 2 */
			   "text\n"         /* 3 */
			   "## Two\n"       /* 4 */
			   "text\n"         /* 5 */
			   "\n\n"           /* 6, 7 */
			   "#### Four\n"    /* 8 */
			   "text\n"         /* 9 */
			   "\n"             /* 10 */
			   "## Two again\n" /* 11 */
			   "# Last\n"       /* 12 */
			   "end\n\n";       /* 13, 14 */

static void positions(void **state)
{
	static const struct {
		unsigned level, line, last, section;
		int parent;
		const char *own;
	} want[] = {
		{ 1, 1, 3, 11, -1, "# One\n\ntext\n" }, { 2, 4, 5, 9, 0, "## Two\ntext\n" },
		{ 4, 8, 9, 9, 1, "#### Four\ntext\n" }, { 2, 11, 11, 11, 0, "## Two again\n" },
		{ 1, 12, 13, 13, -1, "# Last\nend\n" },
	};
	ag_arena *arena = ag_arena_new();
	ag_outline o;

	(void)state;
	ag_outline_of(AG_S("README"), ag_str_c(page), arena, &o);
	assert_true(o.is_markdown);
	assert_string_equal(o.language, "markdown");
	assert_int_equal(o.n, AG_NELEM(want));
	for (size_t i = 0; i < o.n; i++) {
		const ag_outline_item *it = &o.items[i];

		assert_int_equal(it->level, want[i].level);
		assert_int_equal(it->line, want[i].line);
		assert_int_equal(it->last_line, want[i].last);
		assert_int_equal(it->section_last_line, want[i].section);
		assert_int_equal(it->parent, want[i].parent);
		assert_str(ag_str_make(page + it->begin, it->end - it->begin),
		           ag_str_c(want[i].own));
	}
	ag_arena_free(arena);
}

/* The same page with other line ends and a byte order mark has the same lines. */
static void line_ends_shift_nothing(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf crlf = AG_BUF_INIT(1u << 20);
	ag_outline a, b;

	(void)state;
	ag_buf_adds(&crlf, "\xef\xbb\xbf");
	for (const char *c = page; *c; c++) {
		if (*c == '\n')
			ag_buf_addc(&crlf, '\r');
		ag_buf_addc(&crlf, *c);
	}
	ag_outline_of(AG_S("a.md"), ag_str_c(page), arena, &a);
	ag_outline_of(AG_S("a.md"), ag_buf_view(&crlf), arena, &b);
	assert_int_equal(a.n, b.n);
	for (size_t i = 0; i < a.n; i++) {
		assert_int_equal(a.items[i].line, b.items[i].line);
		assert_int_equal(a.items[i].last_line, b.items[i].last_line);
		assert_int_equal(a.items[i].section_last_line, b.items[i].section_last_line);
		assert_str(b.items[i].anchor, a.items[i].anchor);
		assert_int_equal(crlf.ptr[b.items[i].begin], '#');
		assert_int_equal(crlf.ptr[b.items[i].end - 1], '\n');
	}
	/* Lines are counted by \n, as everywhere else. */
	ag_outline_of(AG_S("a.md"), AG_S("x\r\r# a\r# b\n# c\r"), arena, &a);
	assert_int_equal(a.n, 3);
	assert_int_equal(a.items[0].line, 1);
	assert_int_equal(a.items[1].line, 1);
	assert_int_equal(a.items[1].begin, 7);
	assert_int_equal(a.items[2].line, 2);
	ag_buf_release(&crlf);
	ag_arena_free(arena);
}

static void by_name(void **state)
{
	static const struct {
		const char *path, *language;
	} names[] = {
		{ "a.md", "markdown" },
		{ "A/B.MD", "markdown" },
		{ "doc.mdx", "markdown" },
		{ "README", "markdown" },
		{ "x/README", "markdown" },
		{ "README.txt", "" },
		{ "readme.py", "python" },
		{ "md", "" },
		{ ".md", "" },
		{ "a.py/b", "" },
		{ "Dockerfile", "dockerfile" },
		{ "x/Dockerfile.dev", "dockerfile" },
		{ "Makefile", "makefile" },
		{ "a.tsx", "typescript" },
		{ "a.h", "c" },
		{ "a.hpp", "c++" },
		{ "a.yml", "yaml" },
		{ ".env", "" },
		{ "", "" },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(names); i++) {
		ag_outline o;

		ag_outline_of(ag_str_c(names[i].path), AG_S("x"), arena, &o);
		assert_string_equal(o.language, names[i].language);
		assert_int_equal(o.is_markdown, strcmp(names[i].language, "markdown") == 0);
		assert_int_equal(ag_outline_is_markdown(ag_str_c(names[i].path)), o.is_markdown);
	}
	ag_arena_free(arena);
}

/* --- find, nearest, at, text --- */

static void finds(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_outline o;

	(void)state;
	ag_outline_of(AG_S("a.md"),
	              AG_S("# Установка 100%\n# !!!\n<a name=\"old-name\"></a>\n"
	                   "text <a id='b c'>x</a> `<a name=\"code\">`\n\n<div id=box>\n"),
	              arena, &o);
	assert_ptr_equal(ag_outline_find(&o, AG_S("установка-100")), &o.items[0]);
	assert_ptr_equal(ag_outline_find(&o, AG_S("%D1%83%D1%81%D1%82%D0%B0%D0%BD%D0%BE%D0%B2%D0%"
	                                          "BA%D0%B0-100")),
	                 &o.items[0]);
	assert_null(ag_outline_find(&o, AG_S("")));
	assert_null(ag_outline_find(&o, AG_S("установка-100-1")));
	assert_null(ag_outline_find(&o, AG_S("%zz")));
	assert_null(ag_outline_find(&o, AG_S("old-name")));
	assert_true(ag_outline_has_anchor(&o, AG_S("old-name")));
	assert_true(ag_outline_has_anchor(&o, AG_S("b%20c")));
	assert_true(ag_outline_has_anchor(&o, AG_S("box")));
	assert_true(ag_outline_has_anchor(&o, AG_S("установка-100")));
	assert_false(ag_outline_has_anchor(&o, AG_S("code")));
	assert_false(ag_outline_has_anchor(&o, AG_S("")));
	assert_int_equal(o.nanchor, 3);
	ag_arena_free(arena);
}

static void nearest(void **state)
{
	static const char text[] = "# Git\n# Resolve a merge conflict\n# Merge\n"
				   "# Protect a branch\n# Delete a branch\n# Step 1\n"
				   "# Install Docker\n# Set up `docker.compose`\n# Usage\n"
				   "# !!!\n# Установка\n# Conflicts of interest\n";
	static const char *const cases[][2] = {
		{ "resolving-merge-conflicts", "resolve-a-merge-conflict" },
		{ "resolve-merge-conflict", "resolve-a-merge-conflict" },
		{ "Resolve a merge conflict", "resolve-a-merge-conflict" },
		{ "protect-branch", "protect-a-branch" },
		{ "protecting-the-branch", "protect-a-branch" },
		{ "protect-a-brnach", "protect-a-branch" },
		{ "usage-1", "usage" },
		{ "usages", "usage" },
		{ "set-up-docker.compose", "set-up-dockercompose" },
		{ "setup-dockercompose", "set-up-dockercompose" },
		{ "install_docker", "install-docker" },
		{ "git", "git" },
		{ "step-2", NULL },
		{ "install-git", NULL },
		{ "zzz-nothing-like-it-at-all", NULL },
		{ "", NULL },
		{ "-", NULL },
		{ "the-a-of", NULL },
	};
	ag_arena *arena = ag_arena_new();
	ag_outline o;

	(void)state;
	ag_outline_of(AG_S("a.md"), ag_str_c(text), arena, &o);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_outline_item *it = ag_outline_nearest(&o, ag_str_c(cases[i][0]));

		if (!it != !cases[i][1] || (it && !ag_str_eqc(it->anchor, cases[i][1])))
			fail_msg("%s: %s", cases[i][0],
			         it ? ag_str_cstr(arena, it->anchor) : "none");
	}
	ag_arena_free(arena);
}

static unsigned line_at(const ag_outline *o, unsigned line)
{
	const ag_outline_item *it = ag_outline_at(o, line);

	return it ? it->line : 0;
}

static void at_a_line(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_outline o;

	(void)state;
	ag_outline_of(AG_S("a.md"), ag_str_c(page), arena, &o);
	assert_int_equal(line_at(&o, 0), 0);
	assert_int_equal(line_at(&o, 1), 1);
	assert_int_equal(line_at(&o, 3), 1);
	assert_int_equal(line_at(&o, 5), 4);
	assert_int_equal(line_at(&o, 7), 4);
	assert_int_equal(line_at(&o, 11), 11);
	assert_int_equal(line_at(&o, 13), 12);
	assert_int_equal(line_at(&o, 99), 0);
	ag_outline_of(AG_S("a.py"), AG_S("import x\n\nclass A:\n  def f():\n    1\n  x = 1\n\ny\n"),
	              arena, &o);
	assert_int_equal(line_at(&o, 1), 0);
	assert_int_equal(line_at(&o, 5), 4);
	assert_int_equal(line_at(&o, 6), 3);
	assert_int_equal(line_at(&o, 8), 0);
	ag_arena_free(arena);
}

static void as_text(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_outline o;

	(void)state;
	ag_outline_of(AG_S("a.md"), ag_str_c(page), arena, &o);
	assert_str(ag_outline_text(&o, 4096, arena), AG_S("   1  # One  #one\n"
	                                                  "   4  ## Two  #two\n"
	                                                  "   8  #### Four  #four\n"
	                                                  "  11  ## Two again  #two-again\n"
	                                                  "  12  # Last  #last\n"));
	/* Deeper levels go first, then the end. */
	assert_str(ag_outline_text(&o, 105, arena), AG_S("   1  # One  #one\n"
	                                                 "   4  ## Two  #two\n"
	                                                 "  11  ## Two again  #two-again\n"
	                                                 "  12  # Last  #last\n"
	                                                 "… 1 more\n"));
	assert_str(ag_outline_text(&o, 60, arena), AG_S("   1  # One  #one\n"
	                                                "  12  # Last  #last\n"
	                                                "… 3 more\n"));
	assert_str(ag_outline_text(&o, 40, arena), AG_S("   1  # One  #one\n… 4 more\n"));
	for (size_t max = 0; max < 200; max++)
		assert_true(ag_outline_text(&o, max, arena).len <= max);
	ag_outline_of(AG_S("a.py"), AG_S("class A:\n  def f(x):\n    1\n"), arena, &o);
	assert_str(ag_outline_text(&o, 4096, arena), AG_S("   1  class A\n   2    def f(x)\n"));
	o.n = 0;
	assert_str(ag_outline_text(&o, 4096, arena), AG_S(""));
	ag_arena_free(arena);
}

/* --- hostile --- */

static void repeat(ag_buf *b, const char *what, size_t nbyte)
{
	size_t n = strlen(what), from = b->len;

	while (b->len + n <= from + nbyte)
		ag_buf_add(b, ag_str_make(what, n));
}

/* Each would take a plain parser minutes or gigabytes. Half a minute of CPU is what they get under sanitizers: they take
 * less than one second each without. */
static void hostile(void **state)
{
	static const struct {
		const char *path, *first, *again;
		size_t nbyte;
	} texts[] = {
		{ "a.md", "", "[", 8u << 20 },
		{ "a.md", "", "*", 8u << 20 },
		{ "a.md", "", ">", 8u << 20 },
		{ "a.md", "", "> ", 300u << 10 },
		{ "a.md", "", "- ", 300u << 10 },
		{ "a.md", "", "a<?", 1u << 20 },
		{ "a.md", "", "a<!A ", 1u << 20 },
		{ "a.md", "", "[[](", 1u << 20 },
		{ "a.md", "", "# a\n", 8u << 20 },
		{ "a.md", "", "<h2>", 2u << 20 },
		{ "a.md", "", "<div id=\"", 2u << 20 },
		{ "a.md", "", "<div><!--\n\n", 2u << 20 },
		{ "a.md", "", "\xff\r", 4u << 20 },
		{ "a.md", "---\n", "a: b\n", 8u << 20 },
		{ "a.py", "", "def f(\n", 4u << 20 },
		{ "a.py", "", "\"\"\"a\n", 4u << 20 },
		{ "a.c", "", "int f(int a)\n{", 4u << 20 },
		{ "a.c", "", "{", 8u << 20 },
		{ "a.c", "", "#define A \\\n", 4u << 20 },
		{ "a.js", "", "class A {", 4u << 20 },
		{ "a.js", "", "class A {\n", 4u << 20 },
		{ "a.js", "", "/", 4u << 20 },
		{ "a.js", "", "`\n", 4u << 20 },
		{ "a.sql", "", "create ", 4u << 20 },
		{ "a.sql", "", "create table a(\n", 4u << 20 },
		{ "a.yaml", "", "a:\n b:\n", 4u << 20 },
		{ "a.json", "", "{\"a\":", 4u << 20 },
		{ "a.json", "{", "\"\\", 4u << 20 },
		{ "a.rb", "", "def a\n ", 4u << 20 },
		{ "Makefile", "", "a:\n", 4u << 20 },
		{ "a.rs", "", "impl<", 4u << 20 },
		{ "a.ts", "", "type A<", 4u << 20 },
		{ "a.java", "", "@A(", 4u << 20 },
		{ "a.kt", "", "fun a.", 4u << 20 },
		{ "a.toml", "", "a = [\n", 4u << 20 },
		{ "Dockerfile", "", "FROM a ", 4u << 20 },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		ag_arena *arena = ag_arena_new();
		ag_buf b = AG_BUF_INIT(16u << 20);
		clock_t from = clock();
		ag_outline o;

		ag_buf_adds(&b, texts[i].first);
		repeat(&b, texts[i].again, texts[i].nbyte);
		ag_outline_of(ag_str_c(texts[i].path), ag_buf_view(&b), arena, &o);
		check(&o, b.len);
		assert_true(o.n <= AG_OUTLINE_MAX_ITEMS);
		ag_outline_text(&o, 4096, arena);
		ag_outline_nearest(&o, AG_S("resolve-a-merge-conflict"));
		if (clock() - from > 30 * CLOCKS_PER_SEC)
			fail_msg("%s of \"%s\": too slow", texts[i].path, texts[i].again);
		ag_buf_release(&b);
		ag_arena_free(arena);
	}
}

/* Containers that stay open over many lines; a definition of a link that is long and used often. */
static void hostile_lines(void **state)
{
	static const char *const heads[] = { "> ", "- ", "1. ", "[^a]: " };
	ag_arena *arena = ag_arena_new();
	ag_buf b = AG_BUF_INIT(16u << 20);
	clock_t from = clock();
	struct rusage used;
	ag_outline o;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(heads); i++) {
		ag_buf_clear(&b);
		repeat(&b, heads[i], 200u << 10);
		ag_buf_adds(&b, "a\n");
		repeat(&b, i % 2 ? "\n" : "a\n", 1u << 20);
		ag_buf_adds(&b, "\n\n# Heading\n");
		ag_outline_of(AG_S("a.md"), ag_buf_view(&b), arena, &o);
		assert_int_equal(o.n, 1);
		assert_str(o.items[0].anchor, AG_S("heading"));
	}
	ag_buf_clear(&b);
	ag_buf_adds(&b, "[a]: ");
	repeat(&b, "u", 2u << 20);
	ag_buf_adds(&b, "\n\n");
	repeat(&b, "[a] ", 1u << 20);
	ag_buf_adds(&b, "\n\n# Heading `x`\n\nTwo\n===\n");
	ag_outline_of(AG_S("a.md"), ag_buf_view(&b), arena, &o);
	assert_int_equal(o.n, 2);
	assert_str(o.items[0].anchor, AG_S("heading-x"));
	assert_str(o.items[1].anchor, AG_S("two"));
	assert_true(clock() - from < 60 * CLOCKS_PER_SEC);
	assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
	assert_true(used.ru_maxrss < 900 << 10); /* KiB; half of it is the sanitizer's */
	ag_buf_release(&b);
	ag_arena_free(arena);
}

/* What a text gives that is read by lines, not by the parser. */
static void plain(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf b = AG_BUF_INIT(16u << 20);
	ag_outline o;

	(void)state;
	ag_buf_adds(&b,
	            "---\ntitle: x\n---\n# One `a` [b](c)\n```\n# code\n```\n<!--\n# hidden\n-->\n"
	            "> ## Quoted\nTwo\nlines\n---\n    # code\n# One a b\n### Last\n\n");
	repeat(&b, "[", 1u << 20);
	ag_outline_of(AG_S("a.md"), ag_buf_view(&b), arena, &o);
	check(&o, b.len);
	assert_str(joined(&o, false, arena), AG_S("one-a-b quoted lines one-a-b-1 last"));
	assert_str(joined(&o, true, arena), AG_S("4-10 11-12 13-15 16-16 17-19"));
	ag_buf_release(&b);
	ag_arena_free(arena);
}

static void limits(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf b = AG_BUF_INIT(32u << 20);
	ag_outline o;

	(void)state;
	ag_buf_adds(&b, "# ");
	repeat(&b, "Long ", 1u << 20);
	ag_outline_of(AG_S("a.md"), ag_buf_view(&b), arena, &o);
	assert_int_equal(o.n, 1);
	assert_true(o.items[0].title.len <= 400);
	assert_int_equal(o.items[0].anchor.len, (1u << 20) / 5 * 5 - 1);
	assert_true(ag_outline_text(&o, 4096, arena).len < 300);
	/* Beyond the limit nothing is looked at. */
	ag_buf_clear(&b);
	ag_buf_adds(&b, "# One\n");
	repeat(&b, "text text text text text text text text text text text text text text\n",
	       AG_OUTLINE_MAX_TEXT + 1000);
	ag_buf_adds(&b, "\n# Two\n");
	ag_outline_of(AG_S("a.md"), ag_buf_view(&b), arena, &o);
	assert_int_equal(o.n, 1);
	assert_true(o.items[0].end <= AG_OUTLINE_MAX_TEXT);
	ag_buf_clear(&b);
	repeat(&b, "def f(): pass\n", 1u << 20);
	ag_outline_of(AG_S("a.py"), ag_buf_view(&b), arena, &o);
	assert_int_equal(o.n, AG_OUTLINE_MAX_ITEMS);
	ag_buf_release(&b);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headings),
		cmocka_unit_test(the_example_wiki),
		cmocka_unit_test(definitions),
		cmocka_unit_test(a_slug_stays),
		cmocka_unit_test(slugs_of_odd_bytes),
		cmocka_unit_test(positions),
		cmocka_unit_test(line_ends_shift_nothing),
		cmocka_unit_test(by_name),
		cmocka_unit_test(finds),
		cmocka_unit_test(nearest),
		cmocka_unit_test(at_a_line),
		cmocka_unit_test(as_text),
		cmocka_unit_test(hostile),
		cmocka_unit_test(hostile_lines),
		cmocka_unit_test(plain),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
