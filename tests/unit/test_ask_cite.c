/* Citations: what a model's last words name (tests/cases/ask/sources.cases), and what of it is proven
 * (tests/cases/ask/citations.cases, on the files of tests/cases/ask/project). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ask/cite_parts.h"
#include "ask/tools.h"
#include "base/sha256.h"
#include "unit/ask_cases.h"
#include "unit/text_checks.h"

/* --- what is named --- */

static void show_mention(const ag_mention *m, ag_buf *out)
{
	if (m->route.len) {
		ag_buf_adds(out, m->path.len ? "either " : "api ");
		if (m->method.len)
			ag_buf_addf(out, "%.*s ", AG_FMT(m->method));
		ag_buf_add(out, m->route);
	} else {
		ag_buf_add(out, m->path);
		if (m->line)
			ag_buf_addf(out, ":%u", m->line);
		if (m->last_line > m->line)
			ag_buf_addf(out, "-%u", m->last_line);
		if (m->has_anchor && !m->line)
			ag_buf_addf(out, "#%.*s", AG_FMT(m->anchor));
	}
	ag_buf_addc(out, '\n');
}

static ag_str names_of(ag_str text, bool is_source, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1u << 20);
	size_t pos = 0, n, last = 0;
	ag_mention *m;
	ag_str ret;

	while (pos < text.len) {
		n = ag_cite_mentions(text, &pos, NULL, 0, is_source, arena, &m);
		for (size_t i = 0; i < n; i++) {
			assert_true(m[i].begin >= last && m[i].end >= m[i].begin &&
			            m[i].end <= text.len);
			last = m[i].end;
			show_mention(&m[i], &out);
		}
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ag_str_trim(ret);
}

static bool source_case(const ask_case *c, ag_arena *arena)
{
	ag_final_words words = ag_cite_split(c->text, arena);
	bool ok = true;

	ok &= case_is(c, "answer", words.answer);
	ok &= case_is(c, "sources", names_of(words.sources, true, arena));
	ok &= case_is(c, "names", names_of(words.answer, false, arena));
	return ok;
}

static void names_what_is_named(void **state)
{
	(void)state;
	assert_true(ask_run_cases("sources.cases", source_case) >= 40);
}

/* --- what is proven --- */

#define MAX_CALLS 16

typedef struct project {
	ag_root *root;
	ag_str path;
	ag_answer_call calls[MAX_CALLS];
	size_t ncall;
} project;

static ag_str hash_of(ag_str text, ag_arena *arena)
{
	ag_sha256_hex hash = ag_sha256(text);

	return ag_str_dup(arena, ag_str_c(hash.text));
}

static unsigned lines_of(ag_str text)
{
	unsigned n = 0;

	for (size_t i = 0; i < text.len; i++)
		n += text.ptr[i] == '\n';
	return n;
}

static unsigned number(ag_str word)
{
	uint64_t n = 0;

	AG_IGNORE(ag_str_to_u64(word, &n), "0 then");
	return (unsigned)n;
}

/* A call of read_file as the tools make it, of the file as it is now. */
static ag_answer_call read_call(const project *p, ag_str path, unsigned first, unsigned last,
                                ag_arena *arena)
{
	ag_str text = ask_case_file(
		ag_str_printf(arena, "%.*s/%.*s", AG_FMT(p->path), AG_FMT(path)), arena);
	ag_answer_call c = { .tool = AG_S("read_file"), .ok = true };

	c.file = (ag_seen_file){ .path = path,
		                 .sha256 = hash_of(text, arena),
		                 .first_line = first ? first : 1,
		                 .last_line = last ? last : lines_of(text),
		                 .nline = lines_of(text) };
	c.args = ag_str_printf(arena, "{\"path\":\"%.*s\"}", AG_FMT(path));
	c.result = ag_cite_lines(text, c.file.first_line, c.file.last_line);
	c.sha256 = hash_of(c.result, arena);
	return c;
}

/* "read wiki/a.md 3 9", "failed a.md", "outline a.md", "search a.md:3: text", "api GET /items/ [1,2]", "api-failed GET /x" */
static ag_answer_call call_of(const project *p, ag_str line, ag_arena *arena)
{
	ag_str word = ag_str_split(&line, ' '), path = line;
	ag_answer_call c = { .args = AG_S("{}"), .ok = true };

	if (ag_str_eqc(word, "read")) {
		ag_str rest = line;

		/* Blanks in a name: the numbers are the last two words. */
		path = ag_str_contains(line, AG_S("old plan")) ? line : ag_str_split(&rest, ' ');
		if (path.len == line.len)
			return read_call(p, path, 0, 0, arena);
		word = ag_str_split(&rest, ' ');
		return read_call(p, path, number(word), number(rest), arena);
	}
	if (ag_str_eqc(word, "failed")) {
		c.tool = AG_S("read_file");
		c.ok = false;
		c.result = AG_S("Error: there is no such file");
	} else if (ag_str_eqc(word, "outline")) {
		c = read_call(p, path, 1, 1, arena);
		c.tool = AG_S("outline");
		c.file.first_line = c.file.last_line = 0;
	} else if (ag_str_eqc(word, "list")) {
		ag_root_list list;

		assert_int_equal(ag_root_list_dir(p->root, &(ag_ctx){ .clock = &ag_clock_system },
		                                  path, arena, &list, NULL),
		                 AG_OK);
		c.tool = AG_S("list_files");
		c.folder = path;
		c.args = ag_str_printf(arena, "{\"path\":\"%.*s\"}", AG_FMT(path));
		c.result = ag_ask_list_text(&list, arena);
	} else if (ag_str_eqc(word, "search")) {
		c.tool = AG_S("search_files");
		c.result = line;
	} else if (ag_str_eqc(word, "api") || ag_str_eqc(word, "api-failed")) {
		ag_str method = ag_str_split(&line, ' '), route = ag_str_split(&line, ' ');

		c.ok = ag_str_eqc(word, "api");
		c.tool = AG_S("query_api");
		c.request = ag_str_printf(arena, "%.*s %.*s", AG_FMT(method), AG_FMT(route));
		c.status = c.ok ? 200 : 0;
		c.result = ag_str_printf(arena, "{\"status_code\":200,\"body\":\"%.*s\"}",
		                         AG_FMT(line));
	} else {
		fail_msg("no such call: %.*s", AG_FMT(word));
	}
	c.sha256 = hash_of(c.result, arena);
	return c;
}

static void add_calls(project *p, ag_str text, ag_arena *arena)
{
	while (text.len) {
		ag_str line = ag_str_trim(ag_str_split(&text, '\n'));

		assert_true(p->ncall < MAX_CALLS);
		if (line.len)
			p->calls[p->ncall++] = call_of(p, line, arena);
	}
}

static project open_project(ag_str path)
{
	ag_root_opts o = { .path = path };
	project p = { .path = path };
	ag_err err = { 0 };

	if (ag_root_open(&o, &p.root, &err))
		fail_msg("%.*s: %s", AG_FMT(path), err.msg);
	return p;
}

static ag_str cited_lines(const ag_cited *c, bool quotes, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_str ret;

	for (size_t i = 0; i < c->ncitation; i++) {
		const ag_citation *one = &c->citations[i];

		if (quotes) {
			ag_buf_addf(&out, "%.*s\n", AG_FMT(one->quote));
			continue;
		}
		ag_buf_add(&out, one->path);
		if (one->anchor.len)
			ag_buf_addf(&out, "#%.*s", AG_FMT(one->anchor));
		if (one->line)
			ag_buf_addf(&out, ":%u-%u", one->line, one->last_line);
		if (one->instead_of.len)
			ag_buf_addf(&out, " instead of %.*s", AG_FMT(one->instead_of));
		ag_buf_addc(&out, '\n');
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* Each line must be in a note; without lines there must be none. */
static bool notes_are(const ask_case *c, const ag_cited *cited)
{
	bool has, ok = true;
	ag_str want = case_section(c, "notes", &has);

	if (has && !want.len && cited->nnote)
		ok = false;
	while (want.len) {
		ag_str line = ag_str_split(&want, '\n');
		bool found = false;

		for (size_t i = 0; i < cited->nnote; i++)
			found |= ag_str_contains(cited->notes[i], line);
		if (!found)
			print_error("--- no note with: %.*s\n", AG_FMT(line));
		ok &= found;
	}
	for (size_t i = 0; i < cited->nnote && !ok; i++)
		print_error("--- note: %.*s\n", AG_FMT(cited->notes[i]));
	return ok;
}

/* What holds whatever was said: quotes stand in their files, hashes are theirs, no anchor that is none. */
static bool is_proven(const project *p, const ag_cited *cited, ag_arena *arena)
{
	ag_answer a = { .answer = cited->answer,
		        .source = cited->source,
		        .calls = p->calls,
		        .ncall = p->ncall,
		        .citations = cited->citations,
		        .ncitation = cited->ncitation,
		        .mode = AG_S("model") };
	ag_ask_verification v;
	ag_err err = { 0 };

	assert_int_equal(ag_ask_verify(p->root, NULL, &a, arena, &v, &err), AG_OK);
	for (size_t i = p->ncall; i < v.n; i++) {
		if (v.items[i].result != AG_ASK_CONFIRMED &&
		    v.items[i].result != AG_ASK_UNCHECKED) {
			print_error("--- %.*s is %s: %.*s\n", AG_FMT(v.items[i].what),
			            ag_ask_check_name(v.items[i].result), AG_FMT(v.items[i].why));
			return false;
		}
	}
	return true;
}

static bool citation_case(const ask_case *c, ag_arena *arena)
{
	project p = open_project(ask_case_path("project", arena));
	ag_cited cited;
	ag_err err = { 0 };
	bool ok = true;

	add_calls(&p, case_section(c, "calls", NULL), arena);
	if (ag_cite(p.root, NULL,
	            &(ag_cite_input){ .text = c->text,
	                              .question = case_section(c, "question", NULL),
	                              .calls = p.calls,
	                              .ncall = p.ncall },
	            arena, &cited, &err))
		fail_msg("%s", err.msg);
	ok &= case_is(c, "answer", cited.answer);
	ok &= case_is(c, "source", cited.source);
	ok &= case_is(c, "cited", cited_lines(&cited, false, arena));
	ok &= case_is(c, "quotes", cited_lines(&cited, true, arena));
	ok &= notes_are(c, &cited);
	ok &= is_proven(&p, &cited, arena);
	ag_root_close(p.root);
	return ok;
}

static void cites_what_is_proven(void **state)
{
	(void)state;
	assert_true(ask_run_cases("citations.cases", citation_case) >= 40);
}

/* --- what no text file should hold --- */

static void write_file(ag_str folder, const char *name, const char *text, ag_arena *arena)
{
	ag_str path = ag_str_printf(arena, "%.*s/%s", AG_FMT(folder), name);
	FILE *f = fopen(path.ptr, "wb");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static ag_str new_folder(ag_arena *arena)
{
	char name[] = "/tmp/argus-cite-XXXXXX";

	assert_non_null(mkdtemp(name));
	return ag_str_dup(arena, ag_str_c(name));
}

static void remove_folder(ag_str folder, const char *const *names, size_t n, ag_arena *arena)
{
	for (size_t i = 0; i < n; i++)
		unlink(ag_str_printf(arena, "%.*s/%s", AG_FMT(folder), names[i]).ptr);
	assert_int_equal(rmdir(folder.ptr), 0);
}

static ag_cited cite(const project *p, const char *text, ag_arena *arena)
{
	ag_cited ret;
	ag_err err = { 0 };

	if (ag_cite(p->root, NULL,
	            &(ag_cite_input){ .text = ag_str_c(text),
	                              .question = AG_S("q"),
	                              .calls = p->calls,
	                              .ncall = p->ncall },
	            arena, &ret, &err))
		fail_msg("%s", err.msg);
	return ret;
}

static void a_file_that_changed_is_no_source(void **state)
{
	static const char *const names[] = { "a.md", ".env.docker.example" };
	ag_arena *arena = ag_arena_new();
	ag_str folder = new_folder(arena);
	ag_cited cited;
	project p;

	(void)state;
	write_file(folder, "a.md", "# One\n\nThe port is 42.\n", arena);
	write_file(folder, ".env.docker.example", "LMS_API_KEY=<your-key>\n", arena);
	p = open_project(folder);
	p.calls[p.ncall++] = read_call(&p, AG_S("a.md"), 0, 0, arena);
	p.calls[p.ncall++] = read_call(&p, AG_S(".env.docker.example"), 0, 0, arena);
	assert_str(cite(&p, "Port 42. Source: a.md#one", arena).source, "a.md#one");
	assert_str(cite(&p, "It is LMS_API_KEY.\nSource: `.env.docker.example`", arena).source,
	           ".env.docker.example");
	write_file(folder, "a.md", "# One\n\nThe port is 43.\n", arena);
	cited = cite(&p, "Port 42. See a.md. Source: a.md#one", arena);
	assert_true(!ag_str_contains(cited.source, AG_S("a.md")));
	assert_has(cited.notes[0], "changed after it had been read");
	for (size_t i = 0; i < cited.ncitation; i++)
		assert_true(!ag_str_eqc(cited.citations[i].path, "a.md"));
	assert_int_equal(unlink(ag_str_printf(arena, "%.*s/a.md", AG_FMT(folder)).ptr), 0);
	cited = cite(&p, "Port 42. Source: a.md#one", arena);
	assert_true(!ag_str_contains(cited.source, AG_S("a.md")));
	assert_has(cited.notes[0], "cannot be read any more");
	ag_root_close(p.root);
	remove_folder(folder, names, AG_NELEM(names), arena);
	ag_arena_free(arena);
}

static void names_with_odd_bytes(void **state)
{
	static const char *const names[] = { "a (b) #c.md", "x\ny.md", "\xC3\xA4 \xE2\x80\x94.md" };
	ag_arena *arena = ag_arena_new();
	ag_str folder = new_folder(arena);
	project p;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(names); i++)
		write_file(folder, names[i], "# One\n\nThe port is 42.\n", arena);
	p = open_project(folder);
	for (size_t i = 0; i < AG_NELEM(names); i++) {
		ag_str text = ag_str_printf(arena, "Port 42.\n\nSource: `%s#one`", names[i]);

		p.ncall = 0;
		p.calls[p.ncall++] = read_call(&p, ag_str_c(names[i]), 0, 0, arena);
		/* A line break ends a line of sources; the file that was read is the source all the same. */
		assert_true(ag_str_starts(cite(&p, text.ptr, arena).source, ag_str_c(names[i])));
	}
	ag_root_close(p.root);
	remove_folder(folder, names, AG_NELEM(names), arena);
	ag_arena_free(arena);
}

/* Every text made of pieces that are hard to tell apart: nothing is cited that is not proven, and no anchor stays that does
 * not exist. A generator with a fixed seed. */
static void nothing_is_cited_unproven(void **state)
{
	static const char *const pieces[] = {
		"wiki/github.md",
		"github.md",
		"#protect-a-branch",
		"#protect",
		"#",
		"`",
		"wiki/index.md",
		"docs/x.md",
		"\n",
		" ",
		"Source: ",
		"**",
		"(",
		")",
		"](",
		"[",
		"GET ",
		"/items/",
		"README.md",
		"main.py",
		":12",
		"\"",
		"_",
		".",
		"{\"answer\":\"",
		"\",\"source\":\"",
		"\"}",
		"```",
		"\xFF",
		"\xD0\xB8",
		"../",
		"/",
		"%2e",
		"~",
		"#L3",
		"wiki/",
	};
	ag_arena *shared = ag_arena_new();
	project p = open_project(ask_case_path("project", shared));
	uint64_t seed = 42;

	(void)state;
	add_calls(&p,
	          AG_S("read wiki/github.md\nread backend/app/main.py 1 5\napi GET /items/ []\n"
	               "search README.md:3: A learning"),
	          shared);
	for (int round = 0; round < 3000; round++) {
		ag_arena *arena = ag_arena_new();
		ag_buf text = AG_BUF_INIT(4096);
		ag_cited cited, again;
		ag_err err = { 0 };

		for (int i = 0; i < 24; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			ag_buf_adds(&text, pieces[(seed >> 33) % AG_NELEM(pieces)]);
		}
		assert_int_equal(ag_cite(p.root, NULL,
		                         &(ag_cite_input){ .text = ag_buf_view(&text),
		                                           .question = AG_S("q"),
		                                           .calls = p.calls,
		                                           .ncall = p.ncall },
		                         arena, &cited, &err),
		                 AG_OK);
		if (!is_proven(&p, &cited, arena))
			fail_msg("of \"%.*s\"", AG_FMT(ag_buf_view(&text)));
		/* Once more over the answer: no anchor is left to be mended. */
		assert_int_equal(ag_cite(p.root, NULL,
		                         &(ag_cite_input){ .text = cited.answer,
		                                           .question = AG_S("q"),
		                                           .calls = p.calls,
		                                           .ncall = p.ncall },
		                         arena, &again, &err),
		                 AG_OK);
		for (size_t i = 0; i < again.nnote; i++) {
			if (ag_str_contains(again.notes[i], AG_S("in the answer")))
				fail_msg("of \"%.*s\" stays \"%.*s\"", AG_FMT(ag_buf_view(&text)),
				         AG_FMT(cited.answer));
		}
		ag_buf_release(&text);
		ag_arena_free(arena);
	}
	ag_root_close(p.root);
	ag_arena_free(shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_is_named),
		cmocka_unit_test(cites_what_is_proven),
		cmocka_unit_test(a_file_that_changed_is_no_source),
		cmocka_unit_test(names_with_odd_bytes),
		cmocka_unit_test(nothing_is_cited_unproven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
