/* The catalogue on made data: tests/cases/audit/checks*.cases. Each case is a collection and what must, and must
 * not, be found in it; evidence is counted over the documents and the guards are applied as the planner does.
 *
 *   == name of the case
 *   csv                       the lines are rows of a CSV file, the first one its header
 *   as_of 2026-06-01          what "today" is (the default)
 *   400 {"age":@int(18,90)}   400 documents of this template (audit_case_docs.h)
 *   beside plans 20 {"id":@i}  20 documents of another collection of the folder, called "plans"; @i counts them
 *   + age outlier high 3      this must be found; severity and number of documents when given
 *   - age sentinel_value      this must not
 *   clean                     nothing above low
 *   silent                    nothing at all
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../contract/folder.h"
#include "audit/hypothesis.h"
#include "audit/neighbours.h"
#include "query/extjson.h"
#include "query/pipeline.h"
#include "unit/audit_case_docs.h"
#include "unit/regex_common.h"
#include "unit/regex_js.h"

#define AS_OF     "2026-06-01"
#define MAX_DOCS  20000
#define MAX_BYTES (16u * 1024 * 1024)

typedef struct found {
	const ag_hypothesis *h;
	ag_severity severity;
	uint64_t n;
} found;

typedef struct one_case {
	ag_arena *arena;
	ag_str name;
	bool csv, has_header;
	int64_t as_of_ms;
	case_gen gen;
	ag_buf csv_text;
	ag_str beside; /* name of the other collection; "" = no other one */
	ag_buf beside_text;
	size_t nbeside;
	ag_val *docs;
	size_t ndoc, nexpect;
	bool ran;
	found *found;
	size_t nfound;
	unsigned failed;
} one_case;

static const ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };

static void complain(one_case *c, const char *what, ag_str line)
{
	c->failed++;
	print_error("# %.*s: %s: %.*s\n", AG_FMT(c->name), what, AG_FMT(line));
}

static uint64_t count_pipeline(one_case *c, const ag_table *t, ag_str text)
{
	const ag_pipeline *p;
	const ag_val *docs;
	const ag_val *n;
	size_t ndoc;
	int64_t ret = 0;
	ag_err err;

	if (ag_pipeline_parse(text, c->arena, &p, &err) ||
	    ag_table_aggregate(t, &ctx, p, c->arena, 2, &docs, &ndoc, &err)) {
		complain(c, err.msg, text);
		return 0;
	}
	n = ndoc == 1 ? ag_val_getc(&docs[0], "documents") : NULL;
	return n && ag_val_to_i64(n, &ret) ? (uint64_t)ret : 0;
}

static uint64_t count_evidence(one_case *c, const ag_table *t, ag_str text)
{
	const ag_filter *f;
	uint64_t n = 0;
	ag_err err;

	if (text.ptr[0] == '[')
		return count_pipeline(c, t, text);
	if (ag_filter_parse(text, c->arena, &f, &err) || ag_table_count(t, &ctx, f, &n, &err))
		complain(c, err.msg, text);
	return n;
}

static ag_status load_csv(one_case *c, ag_table **ret, ag_err *err)
{
	char path[] = "/tmp/argus_checks_XXXXXX.csv";
	const char *files[] = { path };
	ag_table_opts opts = { .format = AG_FORMAT_CSV };
	int fd = mkstemps(path, 4);
	ag_status st;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, c->csv_text.ptr, c->csv_text.len), (ssize_t)c->csv_text.len);
	close(fd);
	st = ag_table_load(&ctx, files, 1, &opts, ret, err);
	unlink(path);
	return st;
}

/* Every pattern of a piece of evidence means the same in PCRE2 and in JavaScript. */
static void check_patterns(one_case *c, const ag_val *v)
{
	for (size_t i = 0; i < v->n && (v->type == AG_T_OBJECT || v->type == AG_T_ARRAY); i++) {
		const ag_val *one = v->type == AG_T_OBJECT ? &v->u.members[i].val : &v->u.items[i];

		if (v->type == AG_T_OBJECT && ag_str_eqc(v->u.members[i].key, "$regex") &&
		    one->type == AG_T_STRING) {
			if (!regex_is_common(ag_val_text(one)))
				complain(c, "not a pattern of both PCRE2 and JavaScript",
				         ag_val_text(one));
			regex_js_add(ag_val_text(one), ag_val_member_str(v, "$options"), c->docs,
			             c->csv ? 0 : c->ndoc, ag_buf_view(&c->csv_text));
		}
		check_patterns(c, one);
	}
}

static void check_evidence_patterns(one_case *c, ag_str evidence)
{
	const ag_extjson_opts opts = { 0 };
	ag_val v;
	ag_err err;

	if (ag_extjson_parse(evidence, &opts, c->arena, &v, NULL, NULL, &err))
		complain(c, err.msg, evidence);
	else
		check_patterns(c, &v);
}

/* The other collection as a file of a folder of its own. */
static ag_neighbours *open_beside(one_case *c, char folder[128])
{
	char path[256];
	ag_source_place *places;
	size_t n;
	FILE *f;
	ag_err err;

	test_folder_make(folder, "checks");
	(void)snprintf(path, sizeof(path), "%s/%.*s.ndjson", folder, AG_FMT(c->beside));
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(c->beside_text.ptr, 1, c->beside_text.len, f), c->beside_text.len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(ag_source_list(&ctx, ag_str_c(folder), c->arena, &places, &n, &err),
	                 AG_OK);
	assert_int_equal(n, 1);
	return ag_neighbours_new(places, n);
}

static void run(one_case *c)
{
	ag_catalogue_opts o = { c->as_of_ms, 0.05, 0.20, 0.98 };
	ag_neighbours *neighbours = NULL;
	char folder[128] = "";
	ag_hypotheses hs;
	ag_table *t = NULL;
	ag_profile p;
	ag_frames frames;
	ag_across x;
	ag_err err;

	c->ran = true;
	if ((c->csv ? load_csv(c, &t, &err)
	            : ag_table_from_values(&ctx, c->docs, c->ndoc, &t, &err)) ||
	    ag_table_profile(t, &ctx, c->arena, &p, &err) ||
	    ag_table_frames(t, &ctx, &p, c->arena, &frames, &err)) {
		complain(c, "cannot be profiled", ag_str_c(err.msg));
		return;
	}
	if (c->beside.len)
		neighbours = open_beside(c, folder);
	x = (ag_across){ .p = &p,
		         .frames = &frames,
		         .o = &o,
		         .ctx = &ctx,
		         .neighbours = neighbours,
		         .own = AG_S("") };
	assert_int_equal(ag_catalogue_run(&x, c->arena, &hs, &err), AG_OK);
	if (neighbours) {
		ag_neighbours_free(neighbours);
		test_folder_remove(folder);
	}
	c->found = ag_new_n(c->arena, found, hs.n);
	for (size_t i = 0; i < hs.n; i++) {
		const ag_hypothesis *h = &hs.items[i];
		uint64_t n = count_evidence(c, t, h->evidence);

		check_evidence_patterns(c, h->evidence);
		if (!h->what.len || !h->cause.len || !h->repair.len)
			complain(c, "says too little", ag_str_c(h->category));
		if (ag_hypothesis_holds(h, n, p.ndoc))
			c->found[c->nfound++] = (found){ h, ag_hypothesis_severity(h, n, p.ndoc),
				                         n };
	}
	ag_table_free(t);
}

static void check_none(one_case *c, ag_severity above_low)
{
	for (size_t i = 0; i < c->nfound; i++) {
		const found *f = &c->found[i];

		if (f->severity >= above_low)
			complain(c, "false alarm",
			         ag_str_printf(c->arena, "%s %.*s %s %llu by %.*s",
			                       ag_severity_name(f->severity), AG_FMT(f->h->field),
			                       f->h->category, (unsigned long long)f->n,
			                       AG_FMT(f->h->evidence)));
	}
}

/* "age outlier high 3": field, category, then what else is known of it. */
static void check_finding(one_case *c, ag_str line, bool wanted)
{
	ag_str rest = line, field = ag_str_split(&rest, ' '), category = ag_str_split(&rest, ' ');
	const found *f = NULL;

	assert_non_null(ag_category_find(category));
	for (size_t i = 0; i < c->nfound && !f; i++) {
		if (ag_str_eq(c->found[i].h->field, field) &&
		    ag_str_eqc(category, c->found[i].h->category))
			f = &c->found[i];
	}
	if (!wanted != !f) {
		complain(c, wanted ? "not found" : "found", line);
		return;
	}
	while (wanted && rest.ptr) {
		ag_str word = ag_str_split(&rest, ' ');
		ag_severity severity;
		uint64_t n;

		if (ag_str_to_u64(word, &n)
		            ? n != f->n
		            : !ag_severity_parse(word, &severity) || severity != f->severity)
			complain(c,
			         ag_str_cstr(c->arena, ag_str_printf(c->arena, "%s %llu, but",
			                                             ag_severity_name(f->severity),
			                                             (unsigned long long)f->n)),
			         line);
	}
}

static void add_docs(one_case *c, uint64_t n, ag_str template)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_buf b = AG_BUF_INIT(MAX_BYTES);
	ag_err err;

	for (uint64_t i = 0; i < n; i++) {
		ag_str text;

		ag_buf_clear(&b);
		c->gen.i = c->ndoc;
		if (!case_expand(&c->gen, &b, template))
			complain(c, "bad template", template);
		assert_true(c->ndoc < MAX_DOCS);
		text = ag_buf_dup(c->arena, &b);
		if (c->csv) {
			ag_buf_add(&c->csv_text, text);
			ag_buf_addc(&c->csv_text, '\n');
			c->ndoc++;
		} else if (ag_extjson_parse(text, &opts, c->arena, &c->docs[c->ndoc++], NULL, NULL,
		                            &err)) {
			complain(c, err.msg, text);
			break;
		}
	}
	ag_buf_release(&b);
}

/* rest: "plans 20 {…}" */
static void add_beside(one_case *c, ag_str rest)
{
	uint64_t n;

	c->beside = ag_str_dup(c->arena, ag_str_split(&rest, ' '));
	if (!ag_str_to_u64(ag_str_split(&rest, ' '), &n)) {
		complain(c, "no number of documents", rest);
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		c->gen.i = c->nbeside++;
		if (!case_expand(&c->gen, &c->beside_text, rest))
			complain(c, "bad template", rest);
		ag_buf_addc(&c->beside_text, '\n');
	}
}

static void case_line(one_case *c, ag_str line)
{
	ag_str rest = line, word = ag_str_split(&rest, ' ');
	uint64_t n;

	if (ag_str_eqc(word, "csv")) {
		c->csv = true;
	} else if (ag_str_eqc(word, "as_of")) {
		assert_true(ag_time_parse_iso(rest, &c->as_of_ms));
	} else if (ag_str_eqc(word, "beside")) {
		add_beside(c, rest);
	} else if (ag_str_to_u64(word, &n)) {
		add_docs(c, n, rest);
	} else if (c->csv && !c->has_header) {
		c->has_header = true;
		ag_buf_add(&c->csv_text, line);
		ag_buf_addc(&c->csv_text, '\n');
	} else {
		if (!c->ran)
			run(c);
		c->nexpect++;
		if (ag_str_eqc(word, "+") || ag_str_eqc(word, "-"))
			check_finding(c, rest, ag_str_eqc(word, "+"));
		else if (ag_str_eqc(line, "clean"))
			check_none(c, AG_MEDIUM);
		else if (ag_str_eqc(line, "silent"))
			check_none(c, AG_LOW);
		else
			complain(c, "unknown line", line);
	}
}

static void begin(one_case *c, ag_str name)
{
	memset(c, 0, sizeof(*c));
	c->arena = ag_arena_new();
	c->name = ag_str_dup(c->arena, name);
	c->docs = ag_new_n(c->arena, ag_val, MAX_DOCS);
	ag_buf_init(&c->csv_text, MAX_BYTES);
	ag_buf_init(&c->beside_text, MAX_BYTES);
	assert_true(ag_time_parse_iso(AG_S(AS_OF), &c->as_of_ms));
	for (size_t i = 0; i < name.len; i++)
		c->gen.state = c->gen.state * 131 + (unsigned char)name.ptr[i];
}

static unsigned end(one_case *c)
{
	unsigned failed;

	if (!c->arena)
		return 0;
	if (!c->nexpect)
		complain(c, "expects nothing", AG_S(""));
	failed = c->failed > 0;
	ag_buf_release(&c->csv_text);
	ag_buf_release(&c->beside_text);
	c->arena = ag_arena_free(c->arena);
	return failed;
}

static void run_cases(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0;
	ssize_t len;
	one_case c = { 0 };
	unsigned failed = 0, n = 0;

	if (!in)
		fail_msg("cannot read %s", path);
	while ((len = getline(&text, &cap, in)) >= 0) {
		ag_str line = ag_str_make(text, (size_t)len);

		while (line.len && (line.ptr[line.len - 1] == '\n'))
			line.len--;
		if (!line.len || line.ptr[0] == '#')
			continue;
		if (ag_str_starts(line, AG_S("== "))) {
			failed += end(&c);
			begin(&c, ag_str_make(line.ptr + 3, line.len - 3));
			n++;
			continue;
		}
		assert_non_null(c.arena);
		case_line(&c, line);
	}
	failed += end(&c);
	free(text);
	fclose(in);
	print_message("# %s: %u cases\n", path, n);
	assert_true(n > 0);
	if (failed)
		fail_msg("%u of %u cases failed", failed, n);
}

static void presence(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_presence.cases");
}

static void types_and_dates(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_types.cases");
}

static void numbers(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_numbers.cases");
}

static void text(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_text.cases");
}

static void forms(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_form.cases");
}

static void structure(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_structure.cases");
}

static void codes(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_codes.cases");
}

static void across_fields(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_across.cases");
}

static void slips(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_typo.cases");
}

static void relations(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_relations.cases");
}

static void sums(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_sums.cases");
}

static void honest(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_honest.cases");
}

static void serials(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_serial.cases");
}

static void rules(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_rules.cases");
}

static void swaps(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_swap.cases");
}

static void mirrors(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_mirror.cases");
}

static void shares(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks_shares.cases");
}

static void whole_collections(void **state)
{
	(void)state;
	run_cases("tests/cases/audit/checks.cases");
}

static void patterns_of_one_engine_are_seen(void **state)
{
	static const char *const good[] = { "^a+?(?:b|c)(?=d)[^\\t-\\r ]{2,3}$", "^[\\s\\S]{50}$",
		                            "[\\x00-\\x1f]\\.\\-" };
	static const char *const bad[] = { "a++",     "(?<=a)b", "(?i)a",       "\\x{20ac}",
		                           "\\bword", "\\p{Lu}", "[[:alpha:]]", "\\s+a",
		                           "[]a]",    "\\u00a0" };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(good); i++)
		assert_true(regex_is_common(ag_str_c(good[i])));
	for (size_t i = 0; i < AG_NELEM(bad); i++)
		assert_false(regex_is_common(ag_str_c(bad[i])));
}

static void the_guard_counts_and_weighs(void **state)
{
	ag_hypothesis h = { .severity = AG_MEDIUM, .min_count = 2, .max_share = 0.5 };

	(void)state;
	assert_false(ag_hypothesis_holds(&h, 1, 100));
	assert_true(ag_hypothesis_holds(&h, 2, 100));
	assert_false(ag_hypothesis_holds(&h, 51, 100));
	h.min_share = 0.1;
	assert_false(ag_hypothesis_holds(&h, 9, 100));
	assert_true(ag_hypothesis_holds(&h, 10, 100));
	h.min_count = 0;
	h.min_share = 0;
	assert_false(ag_hypothesis_holds(&h, 0, 100));

	assert_int_equal(ag_hypothesis_severity(&h, 4, 100), AG_MEDIUM);
	assert_int_equal(ag_hypothesis_severity(&h, 5, 100), AG_HIGH);
	assert_int_equal(ag_hypothesis_severity(&h, 2, 1000000), AG_LOW);
	assert_int_equal(ag_hypothesis_severity(&h, 3, 1000000), AG_MEDIUM);
	h.severity = AG_HIGH;
	assert_int_equal(ag_hypothesis_severity(&h, 50, 100), AG_HIGH);
	h.severity = AG_CRITICAL;
	assert_int_equal(ag_hypothesis_severity(&h, 1, 100), AG_CRITICAL);
	assert_int_equal(ag_hypothesis_severity(&h, 1, 1000), AG_HIGH);
	h.severity = AG_LOW;
	h.fixed_severity = true;
	assert_int_equal(ag_hypothesis_severity(&h, 99, 100), AG_LOW);
}

static void the_table_is_in_order(void **state)
{
	size_t n;
	const ag_check *t = ag_check_table(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_true(i == 0 || t[i - 1].row <= t[i].row);
		assert_non_null(t[i].path);
		assert_true(strlen(t[i].why) > 10);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(t[k].name, t[i].name);
	}
}

/* The patterns of all cases above, executed. */
static void patterns_in_javascript(void **state)
{
	(void)state;
	regex_js_compare();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presence),
		cmocka_unit_test(types_and_dates),
		cmocka_unit_test(numbers),
		cmocka_unit_test(text),
		cmocka_unit_test(forms),
		cmocka_unit_test(patterns_of_one_engine_are_seen),
		cmocka_unit_test(structure),
		cmocka_unit_test(codes),
		cmocka_unit_test(across_fields),
		cmocka_unit_test(slips),
		cmocka_unit_test(relations),
		cmocka_unit_test(sums),
		cmocka_unit_test(serials),
		cmocka_unit_test(honest),
		cmocka_unit_test(rules),
		cmocka_unit_test(swaps),
		cmocka_unit_test(mirrors),
		cmocka_unit_test(shares),
		cmocka_unit_test(whole_collections),
		cmocka_unit_test(patterns_in_javascript),
		cmocka_unit_test(the_guard_counts_and_weighs),
		cmocka_unit_test(the_table_is_in_order),
	};

	return cmocka_run_group_tests_name("audit_checks", tests, NULL, NULL);
}
