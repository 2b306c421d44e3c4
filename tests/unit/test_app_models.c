/* Which models there are, and where a key may go: tests/cases/settings/models.cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app/file.h"
#include "app/models.h"

#define FOLDER "tests/cases/settings/"

typedef struct run {
	ag_app app;
	ag_arena *arena; /* of the case file */
	ag_str name;
	ag_buf yaml, dotenv, want;
	char *env[16];
	size_t nenv, ncase, nchecked;
	bool is_named, wants_models, is_read;
	ag_status st;
	ag_err err;
	ag_buf got;
} run;

static void wrong(const run *r, const char *what, ag_str want, ag_str got)
{
	print_error("models.cases, \"%.*s\": %s: want\n%.*s\ngot\n%.*s\n", AG_FMT(r->name), what,
	            AG_FMT(want), AG_FMT(got));
	fail();
}

static void list(run *r)
{
	ag_llm_model *m;
	size_t n;

	r->st = ag_app_models(&r->app, &m, &n, &r->err);
	for (size_t i = 0; !r->st && i < n; i++)
		ag_buf_addf(&r->got, "%.*s %.*s %.*s %.*s %.*s\n", AG_FMT(m[i].name),
		            AG_FMT(m[i].provider), AG_FMT(m[i].base_url), AG_FMT(m[i].model),
		            AG_FMT(ag_app_key_origin(&r->app, &m[i])));
}

static void read_all(run *r)
{
	ag_settings *s = &r->app.settings;

	if (r->is_read)
		return;
	r->is_read = true;
	r->env[r->nenv] = NULL;
	r->app.config_is_named = r->is_named;
	r->st = ag_settings_yaml(s, AG_S("argus.yaml"), ag_buf_view(&r->yaml), r->app.arena,
	                         &r->err);
	if (!r->st)
		r->st = ag_settings_dotenv(s, AG_S(".env"), ag_buf_view(&r->dotenv), r->app.arena,
		                           &r->err);
	if (!r->st)
		r->st = ag_settings_environ(s, r->env, r->app.arena, &r->err);
	if (!r->st)
		list(r);
}

/* The block of models is complete when the next case begins. */
static void end(run *r)
{
	if (r->ncase && r->wants_models) {
		read_all(r);
		if (r->st)
			wrong(r, "no error", AG_S(""), ag_str_c(r->err.msg));
		if (!ag_str_eq(ag_buf_view(&r->want), ag_buf_view(&r->got)))
			wrong(r, "models", ag_buf_view(&r->want), ag_buf_view(&r->got));
	}
	if (r->ncase && !r->is_read)
		wrong(r, "the case", AG_S("a line that checks something"), AG_S("none"));
	if (r->ncase)
		ag_app_release(&r->app);
}

static void begin(run *r, ag_str name)
{
	end(r);
	ag_app_init(&r->app, NULL);
	ag_buf_clear(&r->yaml);
	ag_buf_clear(&r->dotenv);
	ag_buf_clear(&r->want);
	ag_buf_clear(&r->got);
	r->name = name;
	r->nenv = 0;
	r->is_named = r->wants_models = r->is_read = false;
	r->err = (ag_err){ 0 };
	r->ncase++;
}

static void check(run *r, const char *what, const char *got, ag_str want)
{
	if (!r->st)
		wrong(r, what, want, AG_S("no error"));
	if (!ag_str_contains(ag_str_c(got), want))
		wrong(r, what, want, ag_str_c(got));
}

static void line(run *r, ag_str l, ag_buf **block)
{
	ag_str rest = l, word;

	if (ag_str_starts(l, AG_S("    ")) && *block) {
		ag_buf_add(*block, ag_str_make(l.ptr + 4, l.len - 4));
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
	} else if (ag_str_eqc(word, "models")) {
		*block = &r->want;
		r->wants_models = true;
	} else if (ag_str_eqc(word, "named")) {
		r->is_named = true;
	} else if (ag_str_eqc(word, "env")) {
		assert_true(r->nenv + 1 < AG_NELEM(r->env));
		r->env[r->nenv++] = ag_str_cstr(r->arena, rest);
	} else if (ag_str_eqc(word, "error")) {
		read_all(r);
		check(r, "error", r->err.msg, rest);
	} else if (ag_str_eqc(word, "hint")) {
		read_all(r);
		check(r, "hint", r->err.hint, rest);
	} else {
		wrong(r, "a line of the case file", AG_S("a known word"), l);
	}
}

static void cases(void **state)
{
	run *r = calloc(1, sizeof(*r));
	ag_buf *block = NULL;
	ag_err err = { 0 };
	ag_str text;

	(void)state;
	r->arena = ag_arena_new();
	ag_buf_init(&r->yaml, 1 << 20);
	ag_buf_init(&r->dotenv, 1 << 20);
	ag_buf_init(&r->want, 1 << 20);
	ag_buf_init(&r->got, 1 << 20);
	if (ag_file_read(AG_S(FOLDER "models.cases"), 1 << 20, false, NULL, r->arena, &text, &err))
		fail_msg("%s", err.msg);
	while (text.len)
		line(r, ag_str_split(&text, '\n'), &block);
	end(r);
	assert_true(r->ncase >= 15);
	ag_buf_release(&r->yaml);
	ag_buf_release(&r->dotenv);
	ag_buf_release(&r->want);
	ag_buf_release(&r->got);
	ag_arena_free(r->arena);
	free(r);
}

/* --model NAME: a name of the list, else what the default's server calls it. */
static void by_name(void **state)
{
	char *env[] = { (char *)(uintptr_t) "LLM_API_BASE=http://127.0.0.1:1",
		        (char *)(uintptr_t) "LLM_MODEL=small", NULL };
	ag_err err = { 0 };
	ag_llm_model m;
	ag_app app;

	(void)state;
	ag_app_init(&app, NULL);
	assert_int_equal(ag_app_model(&app, AG_S(""), &m, &err), AG_NOT_FOUND);
	assert_non_null(strstr(err.hint, "LLM_API_BASE"));
	assert_int_equal(ag_settings_environ(&app.settings, env, app.arena, &err), AG_OK);
	assert_int_equal(ag_app_model(&app, AG_S(""), &m, &err), AG_OK);
	assert_string_equal(ag_str_cstr(app.arena, m.model), "small");
	assert_int_equal(ag_app_model(&app, AG_S("env"), &m, &err), AG_OK);
	assert_string_equal(ag_str_cstr(app.arena, m.model), "small");
	assert_int_equal(ag_app_model(&app, AG_S("large"), &m, &err), AG_OK);
	assert_string_equal(ag_str_cstr(app.arena, m.model), "large");
	assert_string_equal(ag_str_cstr(app.arena, m.base_url), "http://127.0.0.1:1");
	ag_app_release(&app);
}

/* What is nearly a name of argus.yaml is a slip; a server's own name of a model finds the server that has it. */
static void a_slip_asks_no_other_server(void **state)
{
	static const char yaml[] =
		"models:\n"
		"  default: {base_url: \"http://127.0.0.1:1\", model: small}\n"
		"  careful: {base_url: \"http://127.0.0.1:2\", model: large-8b}\n"
		"  qwen3-8b: {base_url: \"http://127.0.0.1:3\"}\n";
	static const struct {
		const char *name, *model, *url;
	} cases[] = {
		{ "", "small", "http://127.0.0.1:1" },
		{ "careful", "large-8b", "http://127.0.0.1:2" },
		{ "large-8b", "large-8b", "http://127.0.0.1:2" },
		{ "carefull", NULL, NULL },
		{ "Careful", NULL, NULL },
		{ "qwne3-8b", NULL, NULL },
		{ "qwen3-4b", "qwen3-4b", "http://127.0.0.1:1" },
		{ "another", "another", "http://127.0.0.1:1" },
	};
	ag_err err = { 0 };
	ag_llm_model m;
	ag_app app;

	(void)state;
	ag_app_init(&app, NULL);
	assert_int_equal(ag_settings_yaml(&app.settings, AG_S("argus.yaml"), ag_str_c(yaml),
	                                  app.arena, &err),
	                 AG_OK);
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const ag_status st = ag_app_model(&app, ag_str_c(cases[i].name), &m, &err);

		assert_int_equal(st, cases[i].model ? AG_OK : AG_NOT_FOUND);
		if (st) {
			assert_non_null(strstr(err.msg, "did you mean"));
			continue;
		}
		assert_string_equal(ag_str_cstr(app.arena, m.model), cases[i].model);
		assert_string_equal(ag_str_cstr(app.arena, m.base_url), cases[i].url);
	}
	ag_app_release(&app);
}

static void a_budget_of_money_wants_prices(void **state)
{
	static const struct {
		const char *yaml;
		double usd;
		ag_status st;
	} cases[] = {
		{ "models: {m: {base_url: \"http://192.0.2.1\"}}", 1, AG_INVALID },
		{ "models: {m: {base_url: \"http://192.0.2.1\"}}", 0, AG_OK },
		{ "models: {m: {base_url: \"http://192.0.2.1\", input_price: 1}}", 1, AG_INVALID },
		{ "models: {m: {base_url: \"http://192.0.2.1\", input_price: 1, output_price: 0}}",
		  1, AG_OK },
		{ "models: {m: {base_url: \"http://192.0.2.1\", model: gpt-4o}}", 1, AG_OK },
		{ "models: {m: {base_url: \"http://127.0.0.1\"}}", 1, AG_OK },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_err err = { 0 };
		ag_audit_opts o;
		ag_app app;

		ag_app_init(&app, NULL);
		assert_int_equal(ag_settings_yaml(&app.settings, AG_S("argus.yaml"),
		                                  ag_str_c(cases[i].yaml), app.arena, &err),
		                 AG_OK);
		app.settings.audit.planner = 1;
		app.settings.models_of_run.max_cost = cases[i].usd;
		ag_app_audit_opts(&app, app.arena, &o);
		assert_int_equal(ag_app_open_models(&app, AG_S(""), AG_S(""), &o, &err),
		                 cases[i].st);
		if (cases[i].st)
			assert_non_null(strstr(err.msg, "the price of \"m\" is not known"));
		ag_app_release(&app);
	}
}

/* Of a conversation: --model, the project's, the setting, Anthropic's, the default. */
static void which_model_a_conversation_has(void **state)
{
	static const char yaml[] = "models:\n"
				   "  default: {base_url: \"http://127.0.0.1:1\", model: small}\n";
	static const struct {
		bool has_yaml, has_key, has_own_model;
		const char *flag, *setting, *project, *model;
	} cases[] = {
		{ false, true, false, "", "", "", "claude-sonnet-4-5-20250929" },
		{ false, true, true, "", "", "", "mine" },
		{ false, false, false, "", "", "", NULL },
		{ true, true, false, "", "", "", "small" },
		{ true, true, false, "", "", "anthropic", "claude-sonnet-4-5" },
		{ true, false, false, "", "b", "", "b" },
		{ true, false, false, "", "b", "c", "c" },
		{ true, false, false, "a", "", "c", "a" },
	};
	char *key[] = { (char *)(uintptr_t) "ANTHROPIC_API_KEY=a-key-of-a-test", NULL };
	char *own[] = { (char *)(uintptr_t) "ANTHROPIC_MODEL=mine", NULL };
	const int row = ag_settings_find(AG_S("model"));

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		const char *name = cases[i].flag[0] ? cases[i].flag : cases[i].setting;
		ag_err err = { 0 };
		ag_llm *llm = NULL;
		ag_app app;
		ag_status st;

		ag_app_init(&app, NULL);
		if (cases[i].has_yaml)
			assert_int_equal(ag_settings_yaml(&app.settings, AG_S("argus.yaml"),
			                                  ag_str_c(yaml), app.arena, &err),
			                 AG_OK);
		if (cases[i].has_key)
			assert_int_equal(ag_settings_environ(&app.settings, key, app.arena, &err),
			                 AG_OK);
		if (cases[i].has_own_model)
			assert_int_equal(ag_settings_environ(&app.settings, own, app.arena, &err),
			                 AG_OK);
		if (name[0])
			assert_int_equal(ag_settings_set(&app.settings, row, ag_str_c(name),
			                                 cases[i].flag[0] ? AG_PLACE_FLAG
			                                                  : AG_PLACE_ENV,
			                                 AG_S("test"), app.arena, &err),
			                 AG_OK);
		st = ag_app_open_chat_model(&app, ag_str_c(cases[i].project), AG_S(""), AG_S(""),
		                            &llm, &err);
		assert_int_equal(st, cases[i].model ? AG_OK : AG_NOT_FOUND);
		if (!st) {
			assert_string_equal(ag_str_cstr(app.arena, ag_llm_model_of(llm)->model),
			                    cases[i].model);
			assert_int_equal(ag_llm_model_of(llm)->attempts, 2);
		}
		ag_app_release(&app);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
		cmocka_unit_test(by_name),
		cmocka_unit_test(a_slip_asks_no_other_server),
		cmocka_unit_test(a_budget_of_money_wants_prices),
		cmocka_unit_test(which_model_a_conversation_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
