/* What models are shown: snapshots in tests/cases/prompts/ (UPDATE_PROMPT_SNAPSHOTS=1 writes them anew), the stable
 * prefix, the limits, the last actions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "prompt_script.h"

#include <stdio.h>
#include <stdlib.h>

#include "audit/prompt_parts.h"
#include "base/utf8.h"
#include "prompt_snapshot.h"
#include "text_checks.h"

#define RUN(s, f, ...)                                              \
	do {                                                        \
		static const char *const lines[] = { __VA_ARGS__ }; \
		ps_run((s), (f), lines, AG_NELEM(lines));           \
	} while (0)

#define SAMPLE        PS_STEP("schema_sample", "{}", "first look")
#define STATS(f, op)  PS_STEP("get_stats", "{\"field\":\"" f "\",\"operation\":\"" op "\"}", "range")
#define QUERY(filter) PS_STEP("run_query", "{\"filter\":" filter "}", "how many")
#define CONCLUDE      PS_STEP("conclude", "{}", "all fields are covered")

/* The folder of the data has another name each time. */
static ag_str without_folder(ag_str text, ag_arena *arena)
{
	static const char mark[] = "database: argus-fix-";
	char *copy = ag_str_cstr(arena, text);

	for (char *p = copy; (p = strstr(p, mark)); p += sizeof(mark))
		memset(p + sizeof(mark) - 1, 'X', 6);
	return ag_str_make(copy, text.len);
}

static void snapshot(const audit_fix *fix, const char *name, ag_str text)
{
	prompt_snapshot(name, without_folder(text, fix->arena));
}

static ag_str user_of(const audit_fix *f, const ag_prompt *p)
{
	return ag_str_printf(f->arena, "%.*s%.*s", AG_FMT(p->prefix), AG_FMT(p->trailer));
}

/* 60 users: every fifth without an address, some ages are texts, one odd status, an optional note. */
static void users(audit_fix *f)
{
	ag_buf docs = AG_BUF_INIT(1 << 20);

	for (int i = 0; i < 60; i++) {
		ag_buf_addf(&docs, "{\"_id\":%d,\"email\":", i);
		ag_buf_adds(&docs, i % 5 ? "\"ann@example.org\"" : "null");
		ag_buf_addf(&docs, i % 20 ? ",\"age\":%d" : ",\"age\":\"%d\"", 20 + i);
		ag_buf_addf(&docs, ",\"status\":\"%s\"",
		            i == 7  ? "actve"
		            : i % 3 ? "active"
		                    : "gone");
		ag_buf_addf(&docs, ",\"plan\":{\"name\":\"p%d\",\"price\":%d.5}", i % 4, i % 4);
		ag_buf_addf(&docs, i % 6 ? "}\n" : ",\"note\":\"note %d\"}\n", i);
	}
	fix_open(f, ag_buf_view(&docs));
	f->opts.show_values = false;
	ag_buf_release(&docs);
}

static const double shares_a[] = { 0.2, 0.21, 0.2 }, shares_b[] = { 0.05 };

static void with_history(prompt_script *s)
{
	static const ag_pattern patterns[] = {
		{ .key = AG_S_INIT("k1"),
		  .field = AG_S_INIT("email"),
		  .category = AG_S_INIT("null_rate"),
		  .runs_seen = 3,
		  .is_persistent = true,
		  .is_stable = true,
		  .shares = shares_a,
		  .nshare = 3,
		  .last_severity = AG_S_INIT("high"),
		  .tp = 1,
		  .net = AG_S_INIT("tp"),
		  .last_label = AG_S_INIT("tp") },
		{ .key = AG_S_INIT("k2"),
		  .field = AG_S_INIT("age"),
		  .category = AG_S_INIT("type_mismatch"),
		  .runs_seen = 1,
		  .shares = shares_b,
		  .nshare = 1,
		  .last_severity = AG_S_INIT("medium") },
		{ .key = AG_S_INIT("k3"),
		  .field = AG_S_INIT("note"),
		  .category = AG_S_INIT("missing_field"),
		  .runs_dismissed = 2,
		  .is_dismissed = true,
		  .dismiss_reason = AG_S_INIT("optional by its nature"),
		  .dismiss_critique = AG_S_INIT("notes are optional") },
	};
	ag_audit_state *st = ag_audit_state_of(s->audit);

	st->has_history = true;
	st->history =
		(ag_history){ .runs = 5, .patterns = patterns, .npattern = AG_NELEM(patterns) };
}

/* ---- snapshots ---- */

static void add_evaluator(prompt_script *s, ag_buf *out, const char *role,
                          const ag_subject *subject)
{
	ag_str system, user;
	ag_err err = { 0 };

	if (ag_prompt_evaluator(s->audit, role, subject, s->fix->arena, &system, &user, &err))
		fail_msg("%s", err.msg);
	ag_buf_addf(out, "===== %s, %s gate: system\n%.*s\n===== user\n%.*s\n", role,
	            ag_gate_name(subject->gate), AG_FMT(system), AG_FMT(user));
}

/* Behind the last step: what judges of each kind and gate read. */
static void show_evaluators(prompt_script *s, size_t step)
{
	const ag_proposal p = { .reasoning = AG_S("the ages look odd"),
		                .action = AG_S("run_query"),
		                .input = AG_S("{\"filter\":{\"age\":{\"$lt\":0}}}"),
		                .confidence = 0.8 };
	ag_audit_state *st = ag_audit_state_of(s->audit);
	ag_buf out = AG_BUF_INIT(1 << 20);
	ag_finding candidate;
	char name[32];

	if (step != s->n)
		return;
	candidate = st->findings.items[0];
	candidate.claimed_count = 11;
	candidate.has_claimed_share = true;
	candidate.claimed_share = 0.183;
	for (ag_gate g = 0; g < AG_NGATE; g++) {
		const ag_subject subject = { .gate = g, .proposal = &p, .state = st };

		st->candidate = g == AG_GATE_OBSERVATION ? &candidate : NULL;
		ag_buf_clear(&out);
		add_evaluator(s, &out, "self", &subject);
		add_evaluator(s, &out, "judge", &subject);
		snprintf(name, sizeof(name), "evaluator_%s", ag_gate_name(g));
		snapshot(s->fix, name, ag_buf_view(&out));
	}
	st->candidate = NULL;
	ag_buf_release(&out);
}

static void snapshots(void **state)
{
	prompt_script s = { .before = with_history, .look = show_evaluators };
	ag_llm_meter meter;
	ag_buf steps = AG_BUF_INIT(1 << 20);
	audit_fix f;

	(void)state;
	users(&f);
	ag_llm_meter_init(&meter, f.arena, 200000, 0.5);
	ag_llm_meter_prime(&meter, 12000, 345, 6, 0.0123);
	f.opts.meter = &meter;
	RUN(&s, &f, SAMPLE, QUERY("{\"email\":null}"),
	    PS_FINDING("email", "null_rate", "high", "{\"email\":null}", "12"),
	    PS_FINDING("age", "type_mismatch", "medium", "{\"age\":{\"$exists\":true}}", "50"),
	    QUERY("{\"email\":{\"$eq\":null}}"), STATS("email", "max"), STATS("age", "median"),
	    PS_STEP("profile_fields", "{\"fields\":[\"age\",\"email\",\"status\",\"plan.price\"]}",
	            "cover the rest"),
	    PS_STEP("aggregate",
	            "{\"pipeline\":[{\"$group\":{\"_id\":\"$email\",\"n\":{\"$sum\":1}}}]}",
	            "doubles"),
	    PS_STEP("drop_collection", "{\"name\":\"users\"}", "clean up"));
	snapshot(&f, "planner_system", s.prompts[0].system);
	snapshot(&f, "planner_first", user_of(&f, &s.prompts[0]));
	snapshot(&f, "planner_sampled", user_of(&f, &s.prompts[1]));
	for (size_t i = 2; i <= s.n; i++)
		ag_buf_addf(&steps, "===== step %zu%.*s", i + 1, AG_FMT(s.prompts[i].trailer));
	snapshot(&f, "planner_trailers", ag_buf_view(&steps));
	ag_buf_release(&steps);
	fix_close(&f);
}

/* What was profiled stays in view: all values when they are few, else the most frequent and the rarest, masked. */
static void profiles_stay_in_view(void **state)
{
	prompt_script s = { 0 };
	ag_buf docs = AG_BUF_INIT(1 << 20);
	audit_fix f;

	(void)state;
	for (int i = 0; i < 200; i++)
		ag_buf_addf(
			&docs,
			"{\"_id\":%d,\"status\":\"%s\",\"email\":\"u%d@mail.de\",\"code\":\"c%d\","
			"\"ssn\":\"%s\"}\n",
			i,
			i == 7  ? "actve"
			: i % 3 ? "active"
				: "gone",
			i % 40, i < 180 ? i % 11 : 11 + (i & 1),
			i == 9 ? "Ganymede-77" : "123-45-6789");
	fix_open(&f, ag_buf_view(&docs));
	f.opts.show_values = false;
	RUN(&s, &f, SAMPLE,
	    PS_STEP("profile_fields", "{\"fields\":[\"status\",\"email\",\"code\",\"ssn\"]}",
	            "look"),
	    QUERY("{\"status\":null}"), QUERY("{\"code\":null}"), CONCLUDE);
	for (size_t i = 2; i < 5; i++) {
		const ag_str p = s.prompts[i].prefix;

		assert_has(p, "| all: distinct 3: \"active\" x132, \"gone\" x67, \"actve\" x1\n");
		assert_has(p, "| all: distinct 13: \"c0\" x17");
		assert_has(p, "; rare ");
		assert_has(p, "\"c11\" x10");
		assert_has(p, "\"a99@aaa.aa\"");
		/* A rare value of a personal field is seen by its shape alone. */
		assert_has(p, "\"999-99-999\" x199, \"Aaaa-99\" x1");
		assert_false(ag_str_contains(p, AG_S("Ganymede")));
		assert_true(ag_str_eq(p, s.prompts[2].prefix));
	}
	ag_buf_release(&docs);
	fix_close(&f);
}

/* The examples of the system prompt are what a planner may really answer. */
static void examples_are_actions(void **state)
{
	prompt_script s = { 0 };
	unsigned n = 0;
	audit_fix f;
	ag_str text;

	(void)state;
	users(&f);
	RUN(&s, &f, CONCLUDE);
	text = s.prompts[0].system;
	assert_has(text, "\n# Examples\n");
	while (text.len) {
		const ag_str line = ag_str_split(&text, '\n');
		const ag_extjson_opts opts = { .typed = true, .query = true };
		const ag_tool *tool;
		ag_proposal p;
		ag_err err = { 0 };
		ag_val input;

		if (!ag_str_starts(line, AG_S("{\"reasoning\"")) ||
		    ag_str_contains(line, AG_S("its parameters")))
			continue;
		if (ag_action_parse(line, ag_audit_tools.tools, ag_audit_tools.ntool, f.arena, &p,
		                    &err))
			fail_msg("%s", err.msg);
		tool = ag_tool_find(ag_audit_tools.tools, ag_audit_tools.ntool, p.action);
		assert_non_null(tool);
		assert_int_equal(
			ag_extjson_parse(p.input, &opts, f.arena, &input, NULL, NULL, &err), AG_OK);
		if (ag_tool_check_input(tool, &input, &err))
			fail_msg("%s", err.msg);
		n++;
	}
	assert_in_range(n, 2, 3);
	fix_close(&f);
}

/* Scenario 22: history is in every prompt of its run, and without one there is no block. */
static void history_in_every_prompt(void **state)
{
	(void)state;
	for (int with = 0; with < 2; with++) {
		prompt_script s = { .before = with ? with_history : NULL };
		audit_fix f;

		users(&f);
		RUN(&s, &f, SAMPLE, QUERY("{\"email\":null}"), STATS("age", "min"), CONCLUDE);
		assert_true(s.nstep >= 4);
		for (size_t i = 0; i < s.nstep && i < PS_MAX_STEPS; i++)
			assert_true(ag_str_contains(s.prompts[i].prefix,
			                            AG_S("name=\"history\"")) == with);
		fix_close(&f);
	}
}

/* Scenario 23. */
static void prefix_is_stable(void **state)
{
	prompt_script s = { .before = with_history };
	ag_llm_meter meter;
	audit_fix f;

	(void)state;
	users(&f);
	ag_llm_meter_init(&meter, f.arena, 0, 0);
	ag_llm_meter_prime(&meter, 700000, 65432, 1, 0);
	f.opts.meter = &meter;
	RUN(&s, &f, SAMPLE, STATS("age", "min"), QUERY("{\"email\":null}"),
	    PS_FINDING("email", "null_rate", "high", "{\"email\":null}", "12"),
	    PS_FINDING("age", "outlier", "low", "{\"age\":99}", "3"), STATS("age", "max"),
	    STATS("status", "distinct"), QUERY("{\"status\":\"actve\"}"),
	    STATS("plan.price", "avg"), STATS("plan.name", "distinct"), STATS("note", "count"),
	    CONCLUDE);
	/* Iterations 3 and 11: byte for byte, so that a server's cache serves it. */
	assert_true(s.nstep >= 12);
	for (size_t i = 2; i < 12; i++) {
		assert_true(ag_str_eq(s.prompts[i].prefix, s.prompts[2].prefix));
		assert_true(ag_str_eq(s.prompts[i].system, s.prompts[0].system));
		assert_has(s.prompts[i].trailer, "TOKENS used 765432.");
	}
	assert_has(s.prompts[6].trailer, "Iteration 7/20.");
	assert_false(ag_str_contains(s.prompts[6].prefix, AG_S("teration")));
	assert_false(ag_str_contains(s.prompts[6].prefix, AG_S("7/20")));
	for (size_t i = 0; i < 12; i++) {
		assert_false(ag_str_contains(s.prompts[i].prefix, AG_S("765432")));
		assert_false(ag_str_contains(s.prompts[i].system, AG_S("765432")));
		/* No mark of progress in a schema line. */
		assert_false(ag_str_contains(s.prompts[i].prefix, AG_S("investigated")));
		assert_false(ag_str_contains(s.prompts[i].prefix, AG_S("concluded")));
	}
	fix_close(&f);
}

static void without_budget_only_n(void **state)
{
	prompt_script s = { 0 };
	audit_fix f;

	(void)state;
	users(&f);
	f.opts.budget.iterations = 0;
	RUN(&s, &f, SAMPLE, STATS("age", "min"), CONCLUDE);
	assert_has(s.prompts[1].trailer, "Iteration 2. ");
	assert_str(s.prompts[0].system, s.prompts[1].system.ptr);
	fix_close(&f);
}

/* ---- sizes ---- */

static void assert_sane(const ag_prompt *p)
{
	assert_true(p->prefix.len <= AG_PROMPT_PREFIX_BYTES);
	assert_true(p->prefix.len + p->trailer.len <= AG_PROMPT_MAX_BYTES);
	assert_true(ag_utf8_valid(p->prefix) && ag_utf8_valid(p->trailer));
	assert_true(ag_str_ends(p->trailer,
	                        AG_S("\nAnswer only with the JSON object of your next action.\n")));
}

static void open_file(audit_fix *f, const char *file)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	ag_source **all;
	ag_err err = { 0 };
	size_t n;

	ag_source_close(f->source);
	if (ag_source_open(&f->ctx, ag_str_printf(f->arena, "%s/%s", root ? root : ".", file), NULL,
	                   f->arena, &all, &n, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(n, 1);
	f->source = all[0];
}

/* An ordinary collection: 500 to 1500 tokens once there is a schema. */
static void size_of_examples(void **state)
{
	static const char *const files[] = { "examples/shop/orders.ndjson",
		                             "examples/shop/customers.json",
		                             "examples/shop/products.csv" };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(files); i++) {
		prompt_script s = { 0 };
		audit_fix f;

		users(&f);
		open_file(&f, files[i]);
		RUN(&s, &f, SAMPLE, QUERY("{\"status\":null}"),
		    QUERY("{\"zip\":{\"$type\":\"int\"}}"),
		    PS_FINDING("status", "null_rate", "low", "{\"status\":null}", "1500"),
		    PS_FINDING("nothing", "null_rate", "low", "{\"nothing\":1}", "1"),
		    STATS("status", "distinct"), QUERY("{\"status\":{\"$in\":[null]}}"),
		    PS_STEP("profile_fields", "{\"fields\":[\"_id\"]}", "the key"), CONCLUDE);
		/* The system prompt has the tool catalogue: 1800 tokens at most. */
		assert_true(s.prompts[0].system.len <= 4 * 1800);
		for (size_t k = 1; k < s.nstep && k < PS_MAX_STEPS; k++) {
			const size_t tokens = (s.prompts[k].prefix.len + s.prompts[k].trailer.len) /
			                      4;

			assert_sane(&s.prompts[k]);
			if (tokens < 500 || tokens > 1500)
				fail_msg("%s: step %zu has %zu tokens", files[i], k + 1, tokens);
		}
		fix_close(&f);
	}
}

/* Of a CSV file a filter means something else: the prompt says so, and of no other. */
static void note_on_csv(void **state)
{
	static const char *const files[] = { "examples/shop/products.csv",
		                             "examples/shop/customers.json" };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(files); i++) {
		prompt_script s = { 0 };
		audit_fix f;

		users(&f);
		open_file(&f, files[i]);
		RUN(&s, &f, SAMPLE, CONCLUDE);
		assert_true(ag_str_contains(s.prompts[1].prefix, AG_S("a cell of this file")) ==
		            !i);
		fix_close(&f);
	}
}

/* nfield fields; every 50th is sometimes a text, so odd. Names and values may be long and of many bytes a character. */
static void wide(audit_fix *f, int nfield, const char *name, const char *value)
{
	ag_buf docs = AG_BUF_INIT(64 << 20);

	for (int d = 0; d < 5; d++) {
		ag_buf_addc(&docs, '{');
		for (int i = 0; i < nfield; i++) {
			ag_buf_addf(&docs, "%s\"%s%04d\":", i ? "," : "", name, i);
			if (i % 50 == 0 && d == 2)
				ag_buf_adds(&docs, "true");
			else
				ag_buf_addf(&docs, "\"%s%d\"", value, d);
		}
		ag_buf_adds(&docs, "}\n");
	}
	assert_false(docs.failed);
	fix_open(f, ag_buf_view(&docs));
	ag_buf_release(&docs);
}

static void size_of_wide_schema(void **state)
{
	prompt_script s = { .before = with_history };
	audit_fix f;

	(void)state;
	wide(&f, 2000, "f", "v");
	RUN(&s, &f, SAMPLE, QUERY("{\"f0000\":null}"), STATS("f0001", "min"),
	    PS_STEP("profile_fields", "{\"fields\":[\"f0100\",\"f0002\"]}", "some"), CONCLUDE);
	for (size_t i = 0; i < s.nstep && i < PS_MAX_STEPS; i++)
		assert_sane(&s.prompts[i]);
	assert_true(s.prompts[1].prefix.len > AG_PROMPT_PREFIX_BYTES * 3 / 4);
	/* The odd ones are there, in order, the others are counted; progress does not change the choice. */
	for (int i = 0; i < 2000; i += 50)
		assert_has(s.prompts[1].prefix,
		           ag_str_printf(f.arena, "\nf%04d | str 4, bool 1", i).ptr);
	assert_has(s.prompts[1].prefix,
	           "more fields are not shown: \"not looked at\" below names some");
	assert_has(s.prompts[1].trailer, "not looked at (2000): f0000, f0001,");
	assert_has(s.prompts[4].trailer, "not looked at (1996): f0003, f0004,");
	assert_true(ag_str_eq(s.prompts[1].prefix, s.prompts[3].prefix));
	/* Only a profile does: it stays in view. */
	assert_has(s.prompts[4].prefix, "\nf0100 | str 4, bool 1");
	assert_has(s.prompts[4].prefix, "| all: distinct ");
	fix_close(&f);
}

/* Names of 300 bytes, values of a kilobyte, many findings: the limits hold, and no character is cut in two. */
static void size_of_the_worst(void **state)
{
	static const char name[] = "äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞"
				   "äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞";
	const char *lines[PS_MAX_STEPS];
	prompt_script s = { .before = with_history };
	char value[1001];
	audit_fix f;

	(void)state;
	memset(value, 'x', 1000);
	value[1000] = '\0';
	wide(&f, 300, name, value);
	f.opts.budget.iterations = PS_MAX_STEPS - 1;
	lines[0] = SAMPLE;
	for (int i = 1; i < PS_MAX_STEPS; i++) {
		const ag_str field = ag_str_printf(f.arena, "%s%04d", name, i);
		const ag_str filter =
			i % 3 ? ag_str_printf(f.arena, "{\"%.*s\":{\"$exists\":true}}",
		                              AG_FMT(field))
			      : ag_str_printf(f.arena, "{\"%.*s\":\"%s\"}", AG_FMT(field), value);

		lines[i] =
			i % 2 ? ag_str_printf(f.arena,
		                              "{\"reasoning\":\"%s\",\"action\":\"write_finding\","
		                              "\"action_input\":{\"field\":\"%.*s\",\"category\":"
		                              "\"%s\",\"severity\":\"low\",\"description\":\"%s\","
		                              "\"hypothesis\":\"%s\",\"evidence_query\":%.*s,"
		                              "\"affected_count\":5}}",
		                              value, AG_FMT(field), "outlier", value, value,
		                              AG_FMT(filter))
					.ptr
			      : ag_str_printf(f.arena,
		                              "{\"reasoning\":\"%s\",\"action\":\"run_query\","
		                              "\"action_input\":{\"filter\":%.*s}}",
		                              value, AG_FMT(filter))
					.ptr;
	}
	ps_run(&s, &f, lines, PS_MAX_STEPS);
	assert_int_equal(s.nstep, PS_MAX_STEPS - 1);
	for (size_t i = 0; i < s.nstep; i++)
		assert_sane(&s.prompts[i]);
	assert_has(s.prompts[s.nstep - 1].trailer, "…");
	assert_has(s.prompts[s.nstep - 1].trailer, " earlier)");
	fix_close(&f);
}

/* Hundreds of patterns with long words: each block keeps its beginning and says what is missing; the schema keeps its
 * place. */
static void large_history(prompt_script *s)
{
	ag_pattern *patterns = ag_new_n(s->fix->arena, ag_pattern, 300);
	ag_audit_state *st = ag_audit_state_of(s->audit);
	char *words = ag_arena_alloc(s->fix->arena, 1001);

	memset(words, 'w', 1000);
	for (int i = 0; i < 300; i++)
		patterns[i] = (ag_pattern){
			.key = AG_S("k"),
			.field = ag_str_printf(s->fix->arena, "field%03d", i),
			.category = AG_S("null_rate"),
			.runs_seen = i % 3,
			.runs_dismissed = 2 - i % 3,
			.is_persistent = i % 3 == 2,
			.is_dismissed = i % 3 == 0,
			.dismiss_reason = ag_str_make(words, 1000),
			.dismiss_critique = ag_str_make(words, 1000),
		};
	st->has_history = true;
	st->history = (ag_history){ .runs = 9, .patterns = patterns, .npattern = 300 };
}

static void size_of_history(void **state)
{
	prompt_script s = { .before = large_history };
	ag_str history;
	audit_fix f;

	(void)state;
	users(&f);
	RUN(&s, &f, SAMPLE, CONCLUDE);
	assert_sane(&s.prompts[1]);
	history = ag_str_c(strstr(s.prompts[1].prefix.ptr, "HISTORY"));
	assert_true(history.len > 1500 && history.len < 3400);
	assert_has(history, "PERSISTENT");
	assert_has(history, "\n- field002 / null_rate");
	assert_has(history, "\n- field001 / null_rate");
	assert_has(history, "\n- field000 / null_rate");
	assert_has(history, " more lines of this block\n");
	assert_has(s.prompts[1].prefix, "status | str 60");
	fix_close(&f);
}

/* ---- actions ---- */

static size_t count_of(ag_str text, const char *part)
{
	const size_t len = strlen(part);
	size_t n = 0;

	for (size_t i = 0; i + len <= text.len; i++)
		n += !memcmp(text.ptr + i, part, len);
	return n;
}

static void last_ten_without_doubles(void **state)
{
	const char *lines[PS_MAX_STEPS];
	prompt_script s = { 0 };
	ag_str actions;
	audit_fix f;
	size_t n = 0;

	(void)state;
	users(&f);
	f.opts.budget.iterations = 30;
	lines[n++] = SAMPLE;
	for (int i = 0; i < 12; i++)
		lines[n++] = ag_str_printf(f.arena, QUERY("{\"age\":%d}"), i).ptr;
	/* The same call in three forms, then a broken one twice. */
	lines[n++] = QUERY("{\"email\":null}");
	lines[n++] = QUERY("{\"email\":{\"$eq\":null}}");
	lines[n++] = QUERY("{\"$and\":[{\"email\":null}]}");
	lines[n++] = STATS("age", "median");
	lines[n++] = STATS("age", "median");
	ps_run(&s, &f, lines, n);
	actions = s.prompts[n].trailer;
	actions = ag_str_make(strstr(actions.ptr, "name=\"actions\""), 0);
	actions.len = (size_t)(strstr(actions.ptr, "</data>") - actions.ptr);
	assert_int_equal(count_of(actions, " -> "), 10);
	/* The newest of each stands for all, in order of time. */
	assert_has(actions,
	           "16. run_query {\"filter\":{\"$and\":[{\"email\":null}]}} x3 -> rejected: ");
	assert_has(actions,
	           "18. get_stats {\"field\":\"age\",\"operation\":\"median\"} x2 -> rejected: ");
	assert_false(ag_str_contains(actions, AG_S("$eq")));
	assert_has(actions, "\n6. run_query {\"filter\":{\"age\":4}} -> ");
	assert_false(ag_str_contains(actions, AG_S("\n5. ")));
	assert_has(actions, "(+5 earlier)");
	assert_true(strstr(actions.ptr, "\n6. ") < strstr(actions.ptr, "\n16. "));
	fix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snapshots),
		cmocka_unit_test(history_in_every_prompt),
		cmocka_unit_test(profiles_stay_in_view),
		cmocka_unit_test(examples_are_actions),
		cmocka_unit_test(prefix_is_stable),
		cmocka_unit_test(without_budget_only_n),
		cmocka_unit_test(size_of_examples),
		cmocka_unit_test(note_on_csv),
		cmocka_unit_test(size_of_wide_schema),
		cmocka_unit_test(size_of_the_worst),
		cmocka_unit_test(size_of_history),
		cmocka_unit_test(last_ten_without_doubles),
	};

	return cmocka_run_group_tests_name("audit_prompts", tests, NULL, NULL);
}
