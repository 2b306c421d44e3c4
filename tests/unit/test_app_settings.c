/* Settings from files, environment and options: the text cases under tests/cases/settings, and what text
 * cannot hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/agents.h"
#include "app/app.h"
#include "app/file.h"
#include "ask/ask.h"

#define FOLDER "tests/cases/settings/"

typedef struct run {
	ag_arena *arena;
	ag_settings s;
	ag_str name, file;
	ag_buf yaml, dotenv;
	char *env[16];
	size_t nenv;
	struct {
		ag_str key, value;
	} flags[16];
	size_t nflag;
	bool started; /* the settings were read */
	ag_err err;
	ag_status st;
	size_t nchecked;
} run;

static ag_status flags(run *r)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < r->nflag; i++) {
		int row = ag_settings_find(r->flags[i].key);

		assert_true(row >= 0);
		st = ag_settings_set(&r->s, row, r->flags[i].value, AG_PLACE_FLAG,
		                     ag_str_printf(r->arena, "--%.*s", AG_FMT(r->flags[i].key)),
		                     r->arena, &r->err);
	}
	return st;
}

/* Read all places, once per case, at the first line that looks at the outcome. */
static void start(run *r)
{
	if (r->started)
		return;
	r->started = true;
	r->err = (ag_err){ 0 };
	ag_settings_init(&r->s);
	r->env[r->nenv] = NULL;
	r->st = ag_settings_yaml(&r->s, AG_S("argus.yaml"), ag_buf_view(&r->yaml), r->arena,
	                         &r->err);
	if (!r->st)
		r->st = ag_settings_dotenv(&r->s, AG_S(".env"), ag_buf_view(&r->dotenv), r->arena,
		                           &r->err);
	if (!r->st)
		r->st = ag_settings_environ(&r->s, r->env, r->arena, &r->err);
	if (!r->st)
		r->st = flags(r);
	if (!r->st)
		r->st = ag_settings_check(&r->s, &r->err);
}

static void wrong(const run *r, const char *what, ag_str want, ag_str got)
{
	print_error("%.*s, \"%.*s\": %s: want %.*s, got %.*s\n", AG_FMT(r->file), AG_FMT(r->name),
	            what, AG_FMT(want), AG_FMT(got));
	fail();
}

static void check_want(run *r, ag_str rest)
{
	ag_str key = ag_str_split(&rest, ' '), value = ag_str_split(&rest, ' ');
	int row = ag_settings_find(key);
	ag_str got;

	start(r);
	if (r->st)
		wrong(r, "no error", value, ag_str_c(r->err.msg));
	assert_true(row >= 0);
	got = ag_settings_text(&r->s, row, r->arena);
	if (!ag_str_eq(got, value))
		wrong(r, key.ptr, value, got);
	got = ag_str_c(ag_place_name(r->s.place[row]));
	if (!ag_str_eq(got, rest))
		wrong(r, key.ptr, rest, got);
}

static void check_text(run *r, const char *what, const char *got, ag_str want)
{
	start(r);
	if (!r->st)
		wrong(r, what, want, AG_S("no error"));
	if (!ag_str_contains(ag_str_c(got), want))
		wrong(r, what, want, ag_str_c(got));
}

static void begin(run *r, ag_str name)
{
	if (r->nchecked && !r->started)
		wrong(r, "the case", AG_S("a line that checks something"), AG_S("none"));
	r->name = name;
	ag_buf_clear(&r->yaml);
	ag_buf_clear(&r->dotenv);
	r->nenv = r->nflag = 0;
	r->started = false;
	r->nchecked++;
}

/* block: the buffer that indented lines go to. */
static void line(run *r, ag_str l, ag_buf **block)
{
	ag_str rest = l, word;

	if (*block && (ag_str_starts(l, AG_S("    ")) || !l.len)) {
		ag_buf_add(*block, l.len ? ag_str_make(l.ptr + 4, l.len - 4) : l);
		ag_buf_addc(*block, '\n');
		return;
	}
	*block = NULL;
	if (!l.len || l.ptr[0] == '#')
		return;
	word = ag_str_split(&rest, ' ');
	if (ag_str_eqc(word, "===")) {
		begin(r, rest);
	} else if (ag_str_eqc(word, "yaml")) {
		*block = &r->yaml;
	} else if (ag_str_eqc(word, "dotenv")) {
		*block = &r->dotenv;
	} else if (ag_str_eqc(word, "env")) {
		assert_true(r->nenv + 1 < AG_NELEM(r->env));
		r->env[r->nenv++] = ag_str_cstr(r->arena, rest);
	} else if (ag_str_eqc(word, "flag")) {
		assert_true(r->nflag < AG_NELEM(r->flags));
		r->flags[r->nflag].key = ag_str_split(&rest, '=');
		r->flags[r->nflag++].value = rest;
	} else if (ag_str_eqc(word, "want")) {
		check_want(r, rest);
	} else if (ag_str_eqc(word, "error")) {
		check_text(r, "error", r->err.msg, rest);
	} else if (ag_str_eqc(word, "hint")) {
		check_text(r, "hint", r->err.hint, rest);
	} else {
		wrong(r, "a line of the case file", AG_S("a known word"), l);
	}
}

static void run_file(const char *name, size_t at_least)
{
	run *r = calloc(1, sizeof(*r));
	ag_buf *block = NULL;
	ag_err err = { 0 };
	ag_str text;

	r->arena = ag_arena_new();
	r->file = ag_str_c(name);
	ag_buf_init(&r->yaml, 1 << 20);
	ag_buf_init(&r->dotenv, 1 << 20);
	if (ag_file_read(ag_str_c(name), 1 << 20, false, NULL, r->arena, &text, &err))
		fail_msg("%s", err.msg);
	while (text.len)
		line(r, ag_str_split(&text, '\n'), &block);
	assert_true(r->nchecked >= at_least);
	ag_buf_release(&r->yaml);
	ag_buf_release(&r->dotenv);
	ag_arena_free(r->arena);
	free(r);
}

static void sources(void **state)
{
	(void)state;
	run_file(FOLDER "sources.cases", 10);
}

static void refused(void **state)
{
	(void)state;
	run_file(FOLDER "refused.cases", 44);
}

static void yaml_limits(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf deep = AG_BUF_INIT(4 << 20);
	ag_settings s;
	ag_err err = { 0 };

	(void)state;
	ag_settings_init(&s);
	for (int i = 0; i < 500000; i++)
		ag_buf_addc(&deep, '[');
	assert_int_equal(ag_settings_yaml(&s, AG_S("x"), ag_buf_view(&deep), arena, &err),
	                 AG_INVALID);
	while (deep.len <= 1 << 20)
		ag_buf_adds(&deep, "# a comment\n");
	assert_int_equal(ag_settings_yaml(&s, AG_S("x"), ag_buf_view(&deep), arena, &err),
	                 AG_LIMIT);
	assert_int_equal(ag_settings_yaml(&s, AG_S("x"), AG_S("threads: \"\\0\"\n"), arena, &err),
	                 AG_INVALID);
	assert_int_equal(ag_settings_yaml(&s, AG_S("x"), AG_S("store: \"a\\0b\"\n"), arena, &err),
	                 AG_INVALID);
	assert_int_equal(ag_settings_yaml(&s, AG_S("x"), AG_S("\0threads: 2"), arena, &err),
	                 AG_INVALID);
	ag_buf_release(&deep);
	ag_arena_free(arena);
}

/* Every row can be written into argus.yaml, under its group. */
static void the_file_takes_every_group(void **state)
{
	ag_arena *arena = ag_arena_new();
	size_t n;
	const ag_setting *t = ag_settings_table(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		ag_str line = ag_str_printf(arena, "%s%s%s%s: %s\n", t[i].group,
		                            t[i].group[0] ? ":\n" : "", t[i].group[0] ? "  " : "",
		                            t[i].key, t[i].fallback);
		ag_err err = { 0 };
		ag_settings s;

		ag_settings_init(&s);
		if (ag_settings_yaml(&s, AG_S("argus.yaml"), line, arena, &err))
			fail_msg("%.*s: %s", AG_FMT(line), err.msg);
		assert_int_equal(s.place[i], AG_PLACE_YAML);
	}
	ag_arena_free(arena);
}

/* What a server takes over while it runs, and what it says. */
static void a_server_renews(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf said = AG_BUF_INIT(4096);
	ag_settings now, read;
	ag_err err = { 0 };
	const int limit = ag_settings_find(AG_S("max_requests_per_minute"));
	const int wait = ag_settings_find(AG_S("login_wait"));

	(void)state;
	ag_settings_init(&now);
	ag_settings_init(&read);
	assert_int_equal(ag_settings_set(&now, wait, AG_S("9"), AG_PLACE_FLAG, AG_S("--set"), arena,
	                                 &err),
	                 AG_OK);
	assert_int_equal(ag_settings_renew(&now, &read, arena, &said), 0);
	assert_true(ag_str_eqc(ag_buf_view(&said), "nothing has changed that can change now"));
	ag_buf_clear(&said);
	assert_int_equal(
		ag_settings_yaml(
			&read, AG_S("argus.yaml"),
			AG_S("threads: 3\nserve:\n  max_requests_per_minute: none\n  "
	                     "login_wait: 7\nsql:\n  database: postgresql://a:hidden@b/c\n"),
			arena, &err),
		AG_OK);
	assert_int_equal(ag_settings_renew(&now, &read, arena, &said), 1);
	assert_true(ag_str_contains(
		ag_buf_view(&said),
		AG_S("max_requests_per_minute 120 -> none; not before a restart: ")));
	assert_true(ag_str_contains(ag_buf_view(&said), AG_S("threads")));
	assert_true(ag_str_contains(ag_buf_view(&said), AG_S("database")));
	assert_false(ag_str_contains(ag_buf_view(&said), AG_S("hidden")));
	assert_int_equal(now.requests_per_minute, 0);
	assert_int_equal(now.place[limit], AG_PLACE_YAML);
	assert_int_equal(now.login_wait, 9); /* a flag stays */
	assert_int_equal(now.database.len, 0);
	ag_buf_release(&said);
	ag_arena_free(arena);
}

/* Every row takes what ag_settings_text() says of it: what doctor shows can be written into a file. */
static void texts_come_back(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_settings s;
	ag_err err = { 0 };
	size_t n;
	const ag_setting *t = ag_settings_table(&n);

	(void)state;
	ag_settings_init(&s);
	assert_true(n > 30);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(ag_str_cstr(arena, ag_settings_text(&s, (int)i, arena)),
		                    t[i].fallback);
		assert_int_equal(ag_settings_find(ag_str_c(t[i].key)), i);
	}
	assert_int_equal(ag_settings_check(&s, &err), AG_OK);
	ag_arena_free(arena);
}

/* A value of this row that is not its default. */
static ag_str another_value(const ag_setting *row, ag_arena *arena)
{
	switch (row->type) {
	case AG_SET_COUNT:
	case AG_SET_NUMBER: return ag_str_printf(arena, "%.0f", row->max > 1 ? row->min + 1 : 1.0);
	case AG_SET_BOOL: return strcmp(row->fallback, "true") ? AG_S("true") : AG_S("false");
	case AG_SET_CHOICE:
		return ag_str_c(row->one_of[strcmp(row->fallback, row->one_of[0]) == 0]);
	case AG_SET_TEXT: return AG_S("GET");
	case AG_SET_DATE: return AG_S("2026-03-01T00:00:00Z");
	}
	return AG_S("");
}

/* From the row of an agent follow the variable, the flag and the field; no two rows share one. */
static void all_names_follow_from_the_row(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };
	size_t n, nflag = 0, ncall = 0;
	const ag_setting *t = ag_settings_table(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		ag_settings s;
		char env[AG_SETTING_ENV_MAX];
		ag_str value = another_value(&t[i], arena);
		char *environment[] = { NULL, NULL };

		ag_setting_env(&t[i], env);
		environment[0] = ag_str_cstr(arena,
		                             ag_str_printf(arena, "%s=%.*s", env, AG_FMT(value)));
		ag_settings_init(&s);
		if (ag_settings_environ(&s, environment, arena, &err))
			fail_msg("%s: %s", env, err.msg);
		for (size_t k = 0; k < n; k++) {
			const ag_str text = ag_settings_text(&s, (int)k, arena);
			const ag_str want = k == i ? value : ag_str_c(t[k].fallback);

			if (!ag_str_starts(text, want))
				fail_msg("%s set %s to %.*s", env, t[k].key, AG_FMT(text));
		}
		assert_true(!t[i].flag == !t[i].flag_help);
		assert_true(!t[i].in_call || (t[i].flag && t[i].type == AG_SET_BOOL));
		nflag += t[i].flag != NULL;
		ncall += t[i].in_call;
	}
	assert_true(nflag > 15 && ncall > 0);
	ag_arena_free(arena);
}

/* A row is all that an argument of a tool needs. */
static void an_argument_follows_from_the_row(void **state)
{
	static const ag_param own[] = { { .name = "question", .type = AG_PARAM_STRING } };
	ag_arena *arena = ag_arena_new();
	ag_member member = { AG_S("offline"), ag_val_bool(true) };
	const ag_val none = ag_val_object(NULL, 0), some = ag_val_object(&member, 1);
	ag_ask_choices choices = { 0 };
	const ag_param *all;
	size_t n;

	(void)state;
	all = ag_app_call_params(&ag_agent_ask, own, 1, arena, &n);
	assert_int_equal(n, 2);
	assert_string_equal(all[0].name, "question");
	assert_string_equal(all[1].name, "offline");
	assert_int_equal(all[1].type, AG_PARAM_BOOL);
	ag_app_call_options(&ag_agent_ask, &none, &choices);
	assert_false(choices.offline);
	ag_app_call_options(&ag_agent_ask, &some, &choices);
	assert_true(choices.offline);
	ag_app_call_options(&ag_agent_ask, &none, &choices);
	assert_true(choices.offline); /* the setting stays where the call says nothing */
	ag_arena_free(arena);
}

/* The defaults here and those of the auditor are the same. */
static void defaults_agree(void **state)
{
	ag_audit_opts own, ours;
	ag_app app;

	(void)state;
	ag_app_init(&app, NULL);
	ag_audit_opts_init(&own);
	ag_app_audit_opts(&app, app.arena, &ours);
	assert_true(ours.sample_size == own.sample_size && ours.seed == own.seed);
	assert_true(ours.budget.iterations == own.budget.iterations);
	assert_true(ours.budget.calls == own.budget.calls);
	assert_true(ours.fail_policy == own.fail_policy);
	assert_true(ours.rejected_policy == own.rejected_policy);
	assert_true(ours.min_severity == own.min_severity && ours.show_values == own.show_values);
	assert_true(ours.rules.field_coverage_min == own.rules.field_coverage_min);
	assert_true(ours.rules.early_termination_min == own.rules.early_termination_min);
	assert_true(ours.rules.clean_collection_docs == own.rules.clean_collection_docs);
	assert_true(ours.rules.critical_min_share == own.rules.critical_min_share);
	assert_true(ours.rules.high_min_share == own.rules.high_min_share);
	assert_true(ours.rules.budget_warning_below == own.rules.budget_warning_below);
	assert_true(ours.rules.description_min_chars == own.rules.description_min_chars);
	assert_true(ours.rules.evidence_tolerance == own.rules.evidence_tolerance);
	assert_true(ours.catalogue.null_rate_warning_threshold ==
	            own.catalogue.null_rate_warning_threshold);
	assert_true(ours.catalogue.null_rate_critical_threshold ==
	            own.catalogue.null_rate_critical_threshold);
	assert_true(ours.catalogue.type_consistency_threshold ==
	            own.catalogue.type_consistency_threshold);
	for (size_t i = 0; i < AG_NGATE; i++) {
		assert_int_equal(ours.evaluators[i], own.evaluators[i]);
		assert_true(ours.pass_threshold[i] == own.pass_threshold[i]);
		assert_int_equal(ours.malformed[i], own.malformed[i]);
	}
	assert_true(ours.escalation_low == own.escalation_low);
	assert_true(ours.escalation_high == own.escalation_high);
	assert_int_equal(ours.escalation_cap, own.escalation_cap);
	assert_true(ours.history == own.history);
	ag_app_release(&app);
}

static void report_settings(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_settings s;
	ag_err err = { 0 };
	ag_str json;

	(void)state;
	ag_settings_init(&s);
	assert_int_equal(ag_settings_set(&s, ag_settings_find(AG_S("sample_size")), AG_S("200"),
	                                 AG_PLACE_FLAG, AG_S("x"), arena, &err),
	                 AG_OK);
	json = ag_settings_json(&s, arena);
	assert_true(ag_str_contains(json, AG_S("\"sample_size\":200,\"max_iterations\":\"auto\"")));
	assert_true(ag_str_contains(json, AG_S("\"strict\":false")));
	assert_true(ag_str_contains(json, AG_S("\"evidence_tolerance\":0.01")));
	/* What does not bear on the result would make equal runs differ. */
	assert_false(ag_str_contains(json, AG_S("threads")));
	assert_false(ag_str_contains(json, AG_S("store")));
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources),
		cmocka_unit_test(refused),
		cmocka_unit_test(yaml_limits),
		cmocka_unit_test(the_file_takes_every_group),
		cmocka_unit_test(a_server_renews),
		cmocka_unit_test(texts_come_back),
		cmocka_unit_test(all_names_follow_from_the_row),
		cmocka_unit_test(an_argument_follows_from_the_row),
		cmocka_unit_test(defaults_agree),
		cmocka_unit_test(report_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
