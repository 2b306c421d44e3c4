/* Answers without a model: the right section first for at least 80 % of two sets of questions that anybody can add to
 * (tests/cases/ask/offline_*.cases), and nothing cited that is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../contract/assert_ok.h"
#include "ask/index_words.h"
#include "ask/offline.h"
#include "ask/offline_passage.h"
#include "ask/outline.h"
#include "base/log.h"
#include "base/sha256.h"
#include "offline_world.h"
#include "sampled.h"

#define MAX_CASES 400

/* --- what is cited exists --- */

static void check_citation(world *w, const ag_citation *c)
{
	ag_outline o = { 0 };
	ag_root_text file;
	ag_sha256_hex hash;
	unsigned nline = 1;

	assert_ok(w, ag_root_read(w->root, &w->ctx, c->path, AG_ROOT_MAX_FILE, w->arena, &file,
	                          &w->err));
	hash = ag_sha256(file.text);
	assert_true(ag_str_eqc(c->sha256, hash.text));
	for (size_t i = 0; i < file.text.len; i++)
		nline += file.text.ptr[i] == '\n';
	assert_true(c->line >= 1 && c->line <= c->last_line && c->last_line <= nline);
	assert_true(c->quote.len > 0 && c->quote.len <= 300);
	assert_true(ag_str_contains(file.text, c->quote));
	assert_int_equal(c->instead_of.len, 0);
	if (!c->anchor.len)
		return;
	ag_outline_of(c->path, file.text, w->arena, &o);
	assert_non_null(ag_outline_find(&o, c->anchor));
	assert_int_equal(ag_outline_find(&o, c->anchor)->line, c->line);
}

static void check_answer(world *w, const ag_answer *a)
{
	assert_true(ag_str_eqc(a->mode, "offline"));
	assert_int_equal(a->ncall, 0);
	assert_true(a->ncitation <= 5);
	assert_true(a->answer.len > 0);
	assert_true(a->answer.len < AG_PASSAGE_MAX_BYTES + 400);
	for (size_t i = 0; i < a->ncitation; i++)
		check_citation(w, &a->citations[i]);
	if (!a->ncitation) {
		assert_int_equal(a->source.len, 0);
		assert_true(ag_str_eqc(a->status, "partial"));
		assert_true(a->why.len > 0);
		return;
	}
	assert_int_equal(ag_str_eqc(a->status, "ok"), a->why.len == 0);
	assert_true(ag_str_starts(a->source, a->citations[0].path));
	assert_true(ag_str_ends(a->source, a->citations[0].anchor));
}

/* --- the right section first --- */

static char *read_cases(const char *name)
{
	char path[300];
	char *text = ag_xcalloc(1, 256 * 1024);
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/cases/ask/%s", root ? root : ".", name);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("no cases at %s", path);
	assert_true(fread(text, 1, 256 * 1024 - 1, f) > 0);
	fclose(f);
	return text;
}

static bool is_one_of(ag_str got, ag_str expected)
{
	while (expected.ptr) {
		const ag_str one = ag_str_split(&expected, '|');
		const bool any_anchor = ag_str_find(one, '#') < 0;

		if (ag_str_eq(got, one) || (any_anchor && ag_str_starts(got, one) &&
		                            got.len > one.len && got.ptr[one.len] == '#'))
			return true;
	}
	return false;
}

/* min_ok: percent of the questions that get the right section with status "ok". */
static void measure(world *w, const char *name, size_t min_cases, size_t min_ok)
{
	char *text = read_cases(name);
	size_t number = 0, n = 0, nright = 0, namong = 0, nok = 0;

	for (ag_str rest = ag_str_c(text); rest.ptr;) {
		const ag_str line = ag_str_split(&rest, '\n');
		const ptrdiff_t tab = ag_str_find(line, '\t');
		ag_str question, expected;
		ag_answer a;
		bool is_right, is_among = false;

		if (tab < 0 || line.ptr[0] == '#' || !test_is_in_sample(number++))
			continue;
		question = ag_str_make(line.ptr, (size_t)tab);
		expected = ag_str_trim(ag_str_make(line.ptr + tab + 1, line.len - (size_t)tab - 1));
		a = ask(w, ag_str_cstr(w->arena, question));
		check_answer(w, &a);
		is_right = is_one_of(a.source, expected);
		for (size_t i = 0; i < a.ncitation; i++) {
			const ag_citation *c = &a.citations[i];
			const ag_str s = c->anchor.len
			                         ? ag_str_printf(w->arena, "%.*s#%.*s",
			                                         AG_FMT(c->path), AG_FMT(c->anchor))
			                         : c->path;

			is_among |= is_one_of(s, expected);
		}
		n++;
		nright += is_right;
		nok += is_right && ag_str_eqc(a.status, "ok");
		namong += is_among;
		if (!is_right)
			printf("# %s %.*s\n#   want %.*s\n#   got  %.*s\n",
			       is_among ? "second:" : "missed:", AG_FMT(question), AG_FMT(expected),
			       AG_FMT(a.source));
	}
	free(text);
	printf("# %s: right first %zu of %zu (%.0f %%), ok %zu, cited %zu\n", name, nright, n,
	       100.0 * (double)nright / (double)(n ? n : 1), nok, namong);
	assert_true(n >= min_cases / test_sample());
	if (test_sample() > 1) /* shares are of all questions */
		return;
	assert_true(nok * 100 >= n * min_ok);
	assert_true(nright * 100 >= n * 80);
}

static void the_wiki_answers(void **state)
{
	open_folder(*state, "examples/wiki");
	measure(*state, "offline_wiki.cases", 30, 48);
}

static void argus_answers(void **state)
{
	world *w = *state;

	copy_sources(w);
	open_root(w, w->folder);
	measure(w, "offline_argus.cases", 25, 62);
}

/* --- what is not there --- */

typedef struct tally {
	size_t noff, noff_ok;
	size_t nfar, noff_shown; /* of those marked "-"; shown: a section all the same */
	size_t n, nright, nok;   /* nok: right, and status "ok" */
} tally;

static void one_of_set(world *w, ag_str expected, ag_str question, tally *t)
{
	const ag_answer a = ask(w, ag_str_cstr(w->arena, question));
	const bool is_near = ag_str_eqc(expected, "~");
	const bool is_off = is_near || ag_str_eqc(expected, "-");

	check_answer(w, &a);
	if (is_off) {
		t->noff++;
		t->nfar += !is_near;
		t->noff_shown += !is_near && a.source.len > 0;
		t->noff_ok += ag_str_eqc(a.status, "ok");
		if (ag_str_eqc(a.status, "ok"))
			printf("# not there, but ok: %.*s\n#   got  %.*s\n", AG_FMT(question),
			       AG_FMT(a.source));
		return;
	}
	t->n++;
	t->nright += is_one_of(a.source, expected);
	t->nok += is_one_of(a.source, expected) && ag_str_eqc(a.status, "ok");
	if (!is_one_of(a.source, expected))
		printf("# missed: %.*s\n#   want %.*s\n#   got  %.*s\n", AG_FMT(question),
		       AG_FMT(expected), AG_FMT(a.source));
	else if (!ag_str_eqc(a.status, "ok"))
		printf("# not ok: %.*s\n#   %.*s\n", AG_FMT(question), AG_FMT(a.why));
}

/* The questions of a file about one project. */
static tally tally_of(world *w, const char *file, const char *project)
{
	char *text = read_cases(file);
	size_t number = 0;
	tally t = { 0 };

	for (ag_str rest = ag_str_c(text); rest.ptr;) {
		ag_str line = ag_str_split(&rest, '\n');
		const ag_str of = ag_str_split(&line, '\t'), expected = ag_str_split(&line, '\t');

		if (line.ptr && of.ptr[0] != '#' && ag_str_eqc(of, project) &&
		    test_is_in_sample(number++))
			one_of_set(w, expected, line, &t);
	}
	free(text);
	return t;
}

/* Of every question that nothing answers none is ok, and most are answered by nothing at all. */
static void measure_set(world *w, const char *project)
{
	const tally t = tally_of(w, "offline_sets.cases", project);

	printf("# %s: of %zu that are not there %zu are ok; of %zu, %zu show a section; right %zu of "
	       "%zu, ok %zu\n",
	       project, t.noff, t.noff_ok, t.nfar, t.noff_shown, t.nright, t.n, t.nok);
	assert_true(t.noff >= 20 / test_sample() && t.n >= 15 / test_sample());
	assert_int_equal(t.noff_ok, 0);
	if (test_sample() > 1)
		return;
	assert_true(t.noff_shown * 100 <= t.nfar * 60);
	assert_true(t.nright * 100 >= t.n * 80);
	assert_true(t.nok * 100 >= t.n * 85);
}

static void the_wiki_has_not_all(void **state)
{
	open_folder(*state, "examples/wiki");
	measure_set(*state, "wiki");
}

/* Sets that were written before the judge was changed: no question without an answer is ok, and of the others as many are as
 * when the set came in. */
static void measure_blind(world *w, const char *file, const char *project, size_t min_off,
                          size_t min_ok)
{
	const tally t = tally_of(w, file, project);

	printf("# %s of %s: of %zu that are not there %zu are ok; right %zu of %zu, ok %zu\n",
	       project, file, t.noff, t.noff_ok, t.nright, t.n, t.nok);
	assert_true(t.noff >= min_off / test_sample());
	assert_int_equal(t.noff_ok, 0);
	if (test_sample() == 1)
		assert_true(t.nok >= min_ok);
}

static void argus_has_not_all(void **state)
{
	world *w = *state;

	copy_sources(w);
	open_root(w, w->folder);
	measure_set(w, "argus");
	measure_blind(w, "blind_2026-11-26_second.cases", "argus", 40, 0);
}

/* Projects that are folders beside the cases. */
static void small_programs_have_not_all(void **state)
{
	static const char *const names[] = { "parcelo", "relay", "lathe", "ferry" };
	char path[300];

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		snprintf(path, sizeof(path), "tests/cases/ask/%s", names[i]);
		open_folder(*state, path);
		measure_set(*state, names[i]);
	}
}

static void blind_questions(void **state)
{
	open_folder(*state, "examples/wiki");
	measure_blind(*state, "blind_2026-11-26.cases", "wiki", 40, 26);
}

static void manuals_of_libraries_have_not_all(void **state)
{
	static const char *const names[] = { "commander", "cross-spawn", "graceful-fs",  "isbot",
		                             "js-yaml",   "minimatch",   "yargs-parser", NULL };

	open_manuals(*state, names);
	measure_blind(*state, "blind_2026-11-26.cases", "nodelibs", 40, 24);
}

static void manuals_of_tools_have_not_all(void **state)
{
	static const char *const names[] = { "jiti", "magic-string", "picomatch", NULL };

	open_manuals(*state, names);
	measure_blind(*state, "blind_2026-11-26_second.cases", "nodetools", 40, 0);
}

typedef struct said_case {
	const char *question, *status, *source, *why;
} said_case;

static void check_cases(world *w, const said_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const ag_answer a = ask(w, cases[i].question);

		check_answer(w, &a);
		if (!ag_str_eqc(a.status, cases[i].status) ||
		    (cases[i].source && !ag_str_eqc(a.source, cases[i].source)) ||
		    !ag_str_contains(a.why, ag_str_c(cases[i].why)))
			fail_msg("%s: %.*s, %.*s, %.*s", cases[i].question, AG_FMT(a.status),
			         AG_FMT(a.source), AG_FMT(a.why));
	}
}

/* What is missing is named; a unit is no two words; half of a question is half of an answer. */
static void what_is_missing_is_said(void **state)
{
	static const said_case cases[] = {
		{ "How do I open the valve?", "ok", "a.md#open-the-valve", "" },
		{ "How do I open the Frobnitz?", "partial", "", "\"Frobnitz\"" },
		{ "How do I open the valve with a crowbar?", "partial", "a.md#open-the-valve",
		  "no file of the project has \"crowbar\"" },
		{ "How do I paint the valve?", "partial", "", "\"paint\"" },
		{ "How do I log in?", "ok", "a.md#log-in", "" },
		{ "How do I sign in?", "ok", "a.md#log-in", "" },
		{ "How do I log out?", "partial", "", "\"log out\"" },
		{ "How do I turn on the pump?", "ok", "a.md#turn-on-the-pump", "" },
		{ "How do I switch the pump on?", "ok", "a.md#turn-on-the-pump", "" },
		{ "How do I turn off the pump?", "partial", NULL, "\"turn off\"" },
		{ "How do I turn the pump off?", "partial", NULL, "\"turn … off\"" },
		{ "How do I open the valve without gloves?", "partial", "a.md#open-the-valve",
		  "gloves" },
		{ "How do I open the valve and how do I configure Redis?", "partial",
		  "a.md#open-the-valve", "only \"How do I open the valve" },
		{ "What is `pump_rate`?", "ok", "a.md#turn-on-the-pump", "" },
		{ "What is `pump_speed`?", "partial", "", "pump_speed" },
		{ "Which port does the pump use?", "partial", NULL, "" },
		{ "what about it?", "partial", "", "" },
		/* A verb that answers seldom repeat, and a word that the document has elsewhere. */
		{ "What does the old tap permit?", "ok", "a.md#old-tap", "" },
		{ "How do I open the valve of the pump?", "ok", "a.md#open-the-valve", "" },
		{ "How do I close the valve of the pump?", "partial", NULL, "\"close\"" },
		/* It is there, but not of this thing. */
		{ "How do I sell the old tap?", "partial", NULL, "does not say \"sell\"" },
		{ "How many springs does the old tap have?", "partial", NULL, "no such number" },
		{ "Does the old tap need a filter?", "partial", NULL, "filter" },
		{ "How do I fill the old tap without water?", "partial", NULL, "\"without\"" },
		{ "How do I fill the old tap without oil?", "ok", "a.md#old-tap", "" },
	};
	world *w = *state;

	put_file(
		w, "a.md",
		"# Open the valve\n\nTurn the wheel to the left until the valve clicks.\n\n# Log in\n\n"
		"Give your name at the desk.\n\n# Turn on the pump\n\nPress the green button. Then the "
		"pump runs at `pump_rate`.\n\n# Old tap\n\nFill the tap with water, never with "
		"oil. We sell new ones.\n\nIt is 30 years old. See [the manual](filter.md).\n\nIts springs "
		"are strong. Do not hurry.\n");
	put_file(w, "b.md", "# Gardens\n\nRoses like rain. Tulips like sun.\n");
	open_root(w, w->folder);
	check_cases(w, cases, AG_NELEM(cases));
}

/* The words of a section are of something else: another deed, another thing, a condition. */
static void a_deed_is_of_its_thing(void **state)
{
	static const said_case cases[] = {
		/* A title that orders something else, and a verb that is meant for something else. */
		{ "How do I sharpen a pruning saw?", "partial", NULL, "\"sharpen\"" },
		{ "Can a saw be washed?", "partial", NULL, "\"washed\"" },
		{ "How do I make a saw required?", "partial", NULL, "" },
		{ "How do I wash the gloves of a neighbour?", "partial", NULL, "" },
		{ "What is the maximum length of a saw?", "partial", NULL, "" },
		{ "How many saws are there?", "partial", NULL, "" },
		{ "Why does a saw break?", "partial", NULL, "" },
		{ "How often is a saw deleted?", "partial", NULL, "" },
		{ "How do I test a grinder?", "partial", NULL, "" },
		{ "Should I use the lawn?", "partial", NULL, "" },
		{ "How many blunt saws are there?", "partial", NULL, "" },
		{ "How do I change the colour of a label?", "partial", NULL, "" },
		{ "How do I rotate the hedge files?", "partial", NULL, "" },
		{ "Which colour does the emblem have?", "partial", NULL, "" },
		{ "When does the next edition appear?", "partial", NULL, "" },
		{ "Who founded the Lawn Guide project?", "partial", NULL, "" },
		{ "How do I disable the lawn mode?", "ok", "c.md#lawn-mode", "" },
		{ "How do I polish the blade?", "ok", "c.md#keep-it-bright", "" },
		{ "Why do I get \"mower is jammed\"?", "ok", "c.md#mower-is-jammed", "" },
	};
	world *w = *state;

	put_file(
		w, "c.md",
		"# Throw away a pruning saw\n\nPut it into the bin; the sharpening of saws costs more than a new "
		"saw.\n\n# Before work\n\nIf the saw was washed, dry it. When two saws meet, both become blunt. A "
		"required neighbour waves. Saw blades have at most 40 teeth. Delete the list of saws and the "
		"pump at once.\n\nWash the gloves. A saw is a tool.\n\nThe lid breaks because frost is "
		"strong.\n\n# Lawn mode\n\nShould the lawn be low? Of the work 75% blunt saws.\n\n_if disabled:_\n\n    lawn: low\n\n# Keep it "
		"bright\n\n```sh\ngrinder polish --target blade --no-test grinder\n```\n\n# `mower is jammed`\n\nGrass sits in the "
		"wheel. Take it out.\n\n# Update the labels\n\nEach label has the same color as the others.\n\n# Hedge "
		"files\n\nThe file is by default called `hedge.${rotation}.log`.\n\n```sh\nhedge --pattern '${rotation}.files'\n```\n\n"
		"# Emblem\n\n<img\nsrc=\"http://h/emblem-color.png\">\n\n# The next edition\n\nAn edition has updates until the next one, "
		"for six months.\n\n# Lawn Guide\n\nThe Lawn Guide project started: Node starts a project.\n");
	put_file(w, "b.md", "# Gardens\n\nRoses like rain. Tulips like sun.\n");
	open_root(w, w->folder);
	check_cases(w, cases, AG_NELEM(cases));
}

/* Of a file of each kind, the line that has the version. */
static void manifests_say_versions(void **state)
{
	static const struct {
		const char *question, *source, *quote;
	} cases[] = {
		{ "Which version of express is used?", "package.json",
		  "\"express\": \"^4.19.2\"," },
		{ "What version of left-pad do we use?", "package.json",
		  "\"left-pad\": \"1.3.0\"" },
		{ "Which Node version is needed?", "package.json", "\"node\": \">=20\"" },
		{ "What is the exact version of express?", "package-lock.json",
		  "\"version\": \"4.19.4\"" },
		{ "Which version of lodash is there?", "package-lock.json",
		  "\"version\": \"4.17.21\"" },
		{ "Which version of the project is this?", "package.json",
		  "\"version\": \"3.2.1\"," },
		{ "What license does the project have?", "package.json", "\"license\": \"MIT\"," },
		{ "Which version of requests?", "tools/requirements.txt", "requests==2.31.0" },
		{ "Which Go version is required?", "svc/go.mod", "go 1.22" },
		{ "which version of github.com/lib/pq?", "svc/go.mod",
		  "require github.com/lib/pq v1.10.9" },
		{ "Which version of junit do the tests use?", "java/pom.xml",
		  "<version>5.10.2</version>" },
		{ "Which version of Postgres runs in compose?", "compose.yaml",
		  "image: postgres:16.3-alpine" },
		{ "Which version of Python is the base image?", "Dockerfile",
		  "FROM python:3.12-slim" },
		{ "Which Ruby version?", ".ruby-version", "3.3.1" },
		{ "Which version of tokio does the worker need?", "worker/Cargo.toml",
		  "tokio = { version = \"1.37\" }" },
		{ "Which version of rails?", "Gemfile", "gem \"rails\", \"~> 7.1\"" },
		{ "Which version of zlib does meson want?", "meson.build",
		  "zlib = dependency('zlib', version: '>=1.2.11')" },
	};
	static const char *const nowhere[] = { "Which version of Django is used?",
		                               "Which version of React?", "Which MySQL version?",
		                               "What version of expression do we use?" };
	world *w = *state;

	put_file(
		w, "package.json",
		"{\n  \"name\": \"shop\",\n  \"version\": \"3.2.1\",\n  \"license\": \"MIT\",\n  \"engines\": {\n    "
		"\"node\": \">=20\"\n  },\n  \"dependencies\": {\n    \"express\": \"^4.19.2\",\n    "
		"\"left-pad\": \"1.3.0\"\n  }\n}\n");
	put_file(
		w, "package-lock.json",
		"{\n  \"packages\": {\n    \"node_modules/express\": {\n      \"version\": \"4.19.4\"\n    },\n"
		"    \"node_modules/lodash\": {\n      \"version\": \"4.17.21\"\n    }\n  }\n}\n");
	put_file(w, "tools/requirements.txt", "requests==2.31.0\nrich>=13.7\n");
	put_file(w, "svc/go.mod", "module shop\n\ngo 1.22\n\nrequire github.com/lib/pq v1.10.9\n");
	put_file(
		w, "java/pom.xml",
		"<project>\n  <dependency>\n    <groupId>org.junit</groupId>\n    "
		"<artifactId>junit</artifactId>\n    <version>5.10.2</version>\n  </dependency>\n</project>\n");
	put_file(w, "compose.yaml", "services:\n  db:\n    image: postgres:16.3-alpine\n");
	put_file(w, "Dockerfile", "FROM python:3.12-slim\nEXPOSE 8000\n");
	put_file(w, ".ruby-version", "3.3.1\n");
	put_file(w, "worker/Cargo.toml", "[dependencies]\ntokio = { version = \"1.37\" }\n");
	put_file(w, "Gemfile", "gem \"rails\", \"~> 7.1\"\n");
	put_file(
		w, "meson.build",
		"project('x', version: '0.4.0')\nzlib = dependency('zlib', version: '>=1.2.11')\n");
	put_file(w, "README.md", "# Shop\n\nA shop.\n");
	open_root(w, w->folder);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_answer a = ask(w, cases[i].question);

		check_answer(w, &a);
		if (!ag_str_eqc(a.status, "ok") || !ag_str_eqc(a.source, cases[i].source) ||
		    !ag_str_eqc(a.citations[0].quote, cases[i].quote))
			fail_msg("%s: %.*s, %.*s, %.*s", cases[i].question, AG_FMT(a.status),
			         AG_FMT(a.source),
			         AG_FMT(a.ncitation ? a.citations[0].quote : a.why));
	}
	for (size_t i = 0; i < AG_NELEM(nowhere); i++) {
		const ag_answer a = ask(w, nowhere[i]);

		check_answer(w, &a);
		if (ag_str_eqc(a.status, "ok"))
			fail_msg("%s: %.*s", nowhere[i], AG_FMT(a.source));
	}
}

/* --- in which order --- */

typedef struct walked {
	ag_arena *arena;
	ag_str paths;
} walked;

static ag_status add_path(void *arg, const ag_root_stat *file, ag_err *err)
{
	walked *x = arg;

	AG_IGNORE(err, "cannot fail");
	x->paths = ag_str_printf(x->arena, "%.*s%.*s ", AG_FMT(x->paths), AG_FMT(file->path));
	return AG_OK;
}

/* Documentation first, bulky files and folders last; a cap cuts off the last. */
static void docs_come_first_and_bulk_last(void **state)
{
	static const char *const files[] = { "a/app.py",      "a/notes.md",     "build/guide.md",
		                             "build/x/out.c", "data.csv",       "docs/z.md",
		                             "docs/tool.py",  "main.c",         "README.md",
		                             "vendor/lib.c",  "web/app.min.js", "yarn.lock" };
	world *w = *state;
	walked all = { .arena = w->arena, .paths = AG_S("") }, few = all;
	bool is_cut = false;

	for (size_t i = 0; i < AG_NELEM(files); i++)
		put_file(w, files[i], "text\n");
	open_root(w, w->folder);
	assert_ok(w, ag_root_walk_by_worth(w->root, &w->ctx, AG_S(""), 0, add_path, &all, &is_cut,
	                                   &w->err));
	assert_false(is_cut);
	assert_string_equal(
		ag_str_cstr(w->arena, all.paths),
		"README.md docs/z.md docs/tool.py a/notes.md a/app.py main.c web/app.min.js "
		"build/guide.md build/x/out.c data.csv vendor/lib.c yarn.lock ");
	assert_ok(w, ag_root_walk_by_worth(w->root, &w->ctx, AG_S(""), 6, add_path, &few, &is_cut,
	                                   &w->err));
	assert_true(is_cut);
	assert_string_equal(ag_str_cstr(w->arena, few.paths),
	                    "README.md docs/z.md docs/tool.py a/notes.md a/app.py main.c ");
}

/* --- passages --- */

static ag_str passage(world *w, const char *question, const char *text)
{
	ag_question q;

	ag_question_read(ag_str_c(question), w->arena, &q);
	for (size_t i = 0; i < q.nword; i++)
		q.words[i].with = 1;
	return ag_passage_of_section(&q, ag_str_c(text), w->arena);
}

static size_t count(ag_str text, const char *what)
{
	const size_t len = strlen(what);
	size_t n = 0;

	for (size_t i = 0; i + len <= text.len; i++)
		n += memcmp(text.ptr + i, what, len) == 0;
	return n;
}

static const char *filler(world *w, const char *sentence, size_t times)
{
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(1 << 20);

	for (size_t i = 0; i < times; i++)
		ag_buf_adds(&b, sentence);
	return ag_str_cstr(w->arena, ag_buf_view(&b));
}

static void short_sections_are_told_whole(void **state)
{
	world *w = *state;
	const char *text = "Lead.\n\n1. One\n2. Two\n\n```sh\nrun it\n\nagain\n```";

	assert_true(ag_str_eqc(passage(w, "how", text), text));
	assert_true(ag_str_eqc(passage(w, "how", "\n\n  Lead.\n\n"), "Lead."));
	assert_int_equal(passage(w, "how", "").len, 0);
	assert_int_equal(passage(w, "how", "\n \n").len, 0);
}

static void long_sections_give_what_fits(void **state)
{
	world *w = *state;
	const char *noise = filler(w, "Something else is said here at some length. ", 12);
	ag_str p = passage(
		w, "How do I open the valve?",
		ag_str_cstr(w->arena,
	                    ag_str_printf(w->arena,
	                                  "The lead says what it is.\n\n%s\n\n%s\n\n"
	                                  "To open the valve, run:\n\n```sh\n# valve\n\nvalve "
	                                  "open\n```\n\n%s\n",
	                                  noise, noise, noise)));

	assert_true(p.len <= AG_PASSAGE_MAX_BYTES);
	assert_true(ag_str_starts(p, AG_S("The lead says what it is.")));
	assert_true(ag_str_contains(
		p, AG_S("To open the valve, run:\n\n```sh\n# valve\n\nvalve open\n```")));
	assert_true(ag_str_contains(p, AG_S("\xe2\x80\xa6"))); /* something was left out */
	assert_int_equal(count(p, "```"), 2);
}

/* No word is cut, no fence stays open, whatever is too large. */
static void large_blocks_are_cut_with_care(void **state)
{
	world *w = *state;
	const char *const texts[] = {
		ag_str_cstr(w->arena, ag_str_printf(w->arena, "```c\n%s\n```",
		                                    filler(w, "int valve;\n", 400))),
		ag_str_cstr(w->arena,
		            ag_str_printf(w->arena, "~~~\n%s", filler(w, "int valve;\n", 400))),
		filler(w, "- open the valve slowly\n", 300),
		ag_str_cstr(w->arena, ag_str_printf(w->arena, "- item\n\n  ```\n%s  ```\n",
		                                    filler(w, "  valve\n", 400))),
		filler(w, "valve ", 1000),
		filler(w, "| valve | open |\n", 300),
		filler(w, "valve:\n\n", 300),
	};

	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		const ag_str p = passage(w, "Where is the valve?", texts[i]);
		const ag_str before = ag_str_make(p.ptr, p.len);

		assert_true(p.len > 0 && p.len <= AG_PASSAGE_MAX_BYTES + 20);
		assert_int_equal(count(p, "```") % 2, 0);
		assert_int_equal(count(p, "~~~") % 2, 0);
		assert_int_equal(count(p, "valv"), count(p, "valve"));
		assert_true(ag_str_eq(before, p));
	}
}

static void a_quote_is_a_line_of_the_text(void **state)
{
	world *w = *state;
	const ag_str text = AG_S("# Title\n\n```\nvalve open\n```\n   The valve opens.   \nlast");
	ag_question q;
	ag_str quote;

	ag_question_read(AG_S("when does the valve open"), w->arena, &q);
	for (size_t i = 0; i < q.nword; i++)
		q.words[i].with = 1;
	quote = ag_passage_quote(&q, text);
	assert_true(quote.ptr >= text.ptr && quote.ptr + quote.len <= text.ptr + text.len);
	assert_true(ag_str_eqc(quote, "valve open"));
	quote = ag_passage_quote(&q, ag_str_c(filler(w, "valve and more ", 100)));
	assert_true(quote.len <= AG_QUOTE_MAX_BYTES && quote.len > 250);
	assert_true(ag_str_ends(quote, AG_S("more")) || ag_str_ends(quote, AG_S("valve")) ||
	            ag_str_ends(quote, AG_S("and")));
}

/* --- answers --- */

static void nothing_fits_is_said(void **state)
{
	static const char *const questions[] = { "Who won the football world cup in 1998?", "",
		                                 "???", "the", "\xff\xfe\xfd" };
	world *w = *state;

	put_file(w, "README.md", "# Zebra\n\nA zebra has stripes.\n");
	open_root(w, w->folder);
	for (size_t i = 0; i < AG_NELEM(questions); i++) {
		const ag_answer a = ask(w, questions[i]);

		assert_int_equal(a.source.len, 0);
		assert_int_equal(a.ncitation, 0);
		check_answer(w, &a);
	}
}

static void an_empty_project_has_no_answer(void **state)
{
	world *w = *state;
	ag_answer a;

	open_root(w, w->folder);
	a = ask(w, "What is this?");
	check_answer(w, &a);
	assert_int_equal(a.ncitation, 0);
}

static void code_is_cited_with_lines(void **state)
{
	world *w = *state;
	ag_answer a;

	put_file(
		w, "app/main.py",
		"import os\n\n\ndef load_rows(path):\n    \"\"\"Reads all rows.\"\"\"\n    return open(path)\n\n\n"
		"def save_rows(path):\n    pass\n");
	open_root(w, w->folder);
	a = ask(w, "Which function loads rows?");
	check_answer(w, &a);
	assert_true(ag_str_eqc(a.source, "app/main.py"));
	assert_int_equal(a.citations[0].line, 4);
	assert_int_equal(a.citations[0].last_line, 6);
	assert_true(ag_str_contains(a.answer, AG_S("```python\ndef load_rows(path):\n")));
	assert_true(ag_str_contains(a.answer, AG_S("lines 4-6")));
}

static void the_file_of_now_counts(void **state)
{
	world *w = *state;
	ag_answer a;

	put_file(w, "a.md", "# Zebra\n\nStripes, black and white.\n\n# Lion\n\nA mane.\n");
	open_root(w, w->folder);
	a = ask(w, "What colour are the stripes of a zebra?");
	check_answer(w, &a);
	assert_true(ag_str_eqc(a.source, "a.md#zebra"));
	assert_true(ag_str_eqc(a.answer, "Stripes, black and white."));
	put_file(w, "a.md", "# All about a zebra\n\nStripes, brown and white.\n");
	a = ask(w, "What colour are the stripes of a zebra?");
	check_answer(w, &a);
	assert_true(ag_str_eqc(a.source, "a.md#all-about-a-zebra"));
	assert_true(ag_str_eqc(a.answer, "Stripes, brown and white."));
}

static void a_title_without_text_is_answered_by_what_is_below(void **state)
{
	world *w = *state;
	ag_answer a;

	put_file(w, "a.md", "# Install the zebra\n\n## Linux\n\nRun apt.\n\n## Mac\n\nRun brew.\n");
	open_root(w, w->folder);
	a = ask(w, "install the zebra");
	check_answer(w, &a);
	assert_true(ag_str_eqc(a.source, "a.md#install-the-zebra"));
	assert_true(ag_str_contains(a.answer, AG_S("Run apt.")));
}

static void known_secrets_are_not_told(void **state)
{
	world *w = *state;
	ag_answer a;

	ag_log_redact(AG_S("zq91canarykey"));
	put_file(w, "a.md", "# The zebra key\n\nThe zebra key is zq91canarykey for now.\n");
	open_root(w, w->folder);
	a = ask(w, "What is the zebra key?");
	assert_true(ag_str_eqc(a.source, "a.md#the-zebra-key"));
	assert_false(ag_str_contains(a.answer, AG_S("zq91canarykey")));
	for (size_t i = 0; i < a.ncitation; i++)
		assert_false(ag_str_contains(a.citations[i].quote, AG_S("zq91canarykey")));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_wiki_answers),
		T(argus_answers),
		T(the_wiki_has_not_all),
		T(argus_has_not_all),
		T(small_programs_have_not_all),
		T(blind_questions),
		T(manuals_of_libraries_have_not_all),
		T(manuals_of_tools_have_not_all),
		T(what_is_missing_is_said),
		T(a_deed_is_of_its_thing),
		T(manifests_say_versions),
		T(docs_come_first_and_bulk_last),
		T(short_sections_are_told_whole),
		T(long_sections_give_what_fits),
		T(large_blocks_are_cut_with_care),
		T(a_quote_is_a_line_of_the_text),
		T(nothing_fits_is_said),
		T(an_empty_project_has_no_answer),
		T(code_is_cited_with_lines),
		T(the_file_of_now_counts),
		T(a_title_without_text_is_answered_by_what_is_below),
		T(known_secrets_are_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
