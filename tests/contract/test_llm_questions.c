/* Questions about projects at the same time. The scripted model holds its answers back until the test releases them, so
 * that calls overlap as far as the server permits. A call that has a place has sent a request to the model; a call that
 * waits has sent none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "assert_ok.h"
#include "llm_fixtures.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/mcp_tools.h"
#include "folder.h"
#include "query/extjson.h"

#define MAX_CALLS 8
#define TIRED_MS  20000

/* Each answer waits for answer(). */
static const char held[] = "answer repeat\n"
			   "  hold \"%s/go\"\n"
			   "  text The wiki says: boil the water first.\n";
static const char quick[] = "answer repeat\n"
			    "  text The wiki says: boil the water first.\n";

typedef struct call {
	pthread_t thread;
	ag_call base;
	ag_val input;
	ag_tool_output out;
	ag_status st;
	ag_err err;
	atomic_bool cancel, is_over;
	bool is_joined;
	ag_caller who;
} call;

typedef struct world {
	llm_env *model;
	char folder[128];
	ag_app app;
	ag_project_hub *hub;
	ag_app_mcp mcp;
	ag_tool_set tools;
	ag_err err;
	call calls[MAX_CALLS];
	size_t ncall;
} world;

static void put(const world *w, const char *name, const char *text)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", w->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void make_root(const world *w, const char *name)
{
	char path[256], readme[64];

	snprintf(path, sizeof(path), "%s/%s", w->folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(readme, sizeof(readme), "%.50s/README.md", name);
	put(w, readme, "# Tea\n\nBoil the water first.\n");
}

static ag_project project(world *w, const char *id)
{
	return (ag_project){ .id = ag_str_c(id),
		             .name = ag_str_c(id),
		             .settings.root = ag_str_printf(w->app.arena, "%s/%s", w->folder, id) };
}

/* A server's parts with the projects "tea", "pot" and "own", which names a model of its own. */
static void open_world(world *w, const char *script, uint64_t at_once)
{
	char base[64], with_folder[256];
	char *env[] = { base, (char[]){ "LLM_API_KEY=" LLM_TEST_KEY },
		        (char[]){ "LLM_API_MODEL=fake-model" }, NULL };
	ag_project projects[3];
	ag_project_hub_opts o = { .clock = &ag_clock_system, .projects = projects, .nproject = 3 };

	w->model = llm_env_new(&llm_fixtures[0]);
	test_folder_make(w->folder, "questions");
	if (script == held)
		snprintf(with_folder, sizeof(with_folder), held, w->folder);
	llm_env_serve(w->model, script == held ? with_folder : script, NULL);
	snprintf(base, sizeof(base), "LLM_API_BASE_URL=http://127.0.0.1:%u", w->model->port);
	ag_app_init(&w->app, NULL);
	assert_ok(w, ag_settings_environ(&w->app.settings, env, w->app.arena, &w->err));
	w->app.settings.questions = at_once;
	w->app.settings.store = ag_str_printf(w->app.arena, "%s/store.db", w->folder);
	assert_ok(w, ag_app_store(&w->app, &o.store, &w->err));
	o.store_uri = w->app.settings.store;
	projects[0] = project(w, "tea");
	projects[1] = project(w, "pot");
	projects[2] = project(w, "own");
	projects[2].settings.model = AG_S("another-model");
	for (size_t i = 0; i < 3; i++)
		make_root(w, projects[i].id.ptr);
	assert_ok(w, ag_project_hub_open(&o, &w->hub, &w->err));
	assert_ok(w, ag_app_mcp_init(&w->mcp, &w->app, w->hub, &w->err));
	w->tools = ag_app_mcp_ask_tools(&w->mcp);
}

static int setup(void **state)
{
	*state = ag_xcalloc(1, sizeof(world));
	return 0;
}

static int teardown(void **state)
{
	world *w = *state;

	for (size_t i = 0; i < w->ncall; i++) {
		atomic_store(&w->calls[i].cancel, true); /* a failed test leaves calls that wait */
		if (!w->calls[i].is_joined)
			pthread_join(w->calls[i].thread, NULL);
		ag_tool_output_release(&w->calls[i].out);
		ag_arena_free(w->calls[i].base.arena);
	}
	ag_app_mcp_release(&w->mcp);
	ag_project_hub_close(w->hub);
	ag_app_release(&w->app);
	llm_env_free(w->model);
	test_folder_remove(w->folder);
	free(w);
	return 0;
}

/* --- calls --- */

static void *run(void *arg)
{
	call *c = arg;

	c->st = ag_tool_call(&c->base, &c->input, &c->out, &c->err);
	atomic_store(&c->is_over, true);
	return NULL;
}

static call *begin(world *w, const char *user, const char *id, bool is_offline)
{
	call *c = &w->calls[w->ncall++];
	ag_arena *arena = ag_arena_new();
	ag_member *m = ag_new_n(arena, ag_member, 3);

	assert_true(w->ncall <= MAX_CALLS);
	c->who = ag_caller_local(NULL, 0, arena);
	c->who.user = ag_str_c(user);
	m[0] = (ag_member){ AG_S("question"),
		            ag_val_str(is_offline ? AG_S("How is tea made?")
		                                  : ag_str_printf(arena, "How is tea made for %s?",
		                                                  user)) };
	m[1] = (ag_member){ AG_S("project_id"), ag_val_str(ag_str_c(id)) };
	m[2] = (ag_member){ AG_S("offline"), ag_val_bool(is_offline) };
	c->input = ag_val_object(m, 3);
	c->base =
		(ag_call){ .tool = &w->tools.tools[0],
		           .who = &c->who,
		           .hub = w->hub,
		           .ctx = { .clock = &ag_clock_system, .nthread = 1, .cancel = &c->cancel },
		           .arena = arena,
		           .env = w->tools.env,
		           .watch_fd = -1 };
	ag_tool_output_init(&c->out, c->base.tool);
	assert_int_equal(pthread_create(&c->thread, NULL, run, c), 0);
	return c;
}

static void finish(call *c)
{
	assert_int_equal(pthread_join(c->thread, NULL), 0);
	c->is_joined = true;
	assert_int_equal(c->st, AG_OK);
}

static ag_str said(call *c)
{
	finish(c);
	if (c->out.is_error)
		fail_msg("%.*s", AG_FMT(ag_buf_view(&c->out.json)));
	return ag_buf_view(&c->out.json);
}

static void assert_answered(call *c)
{
	assert_true(ag_str_contains(said(c), AG_S("boil the water")));
}

/* Whole lines of the server's log. It is read while the server writes. */
static size_t nasked(const world *w)
{
	char path[256], buf[4096];
	size_t n = 0, got;
	FILE *f;

	snprintf(path, sizeof(path), "%s/log", w->model->folder);
	f = fopen(path, "r");
	assert_non_null(f);
	while ((got = fread(buf, 1, sizeof(buf), f)) > 0) {
		for (size_t i = 0; i < got; i++)
			n += buf[i] == '\n';
	}
	fclose(f);
	return n;
}

/* The model may answer its request n, which is counted from 1. */
static void release_answer(const world *w, unsigned n)
{
	char name[32];

	snprintf(name, sizeof(name), "go.%u", n);
	put(w, name, "");
}

static void until_asked(world *w, size_t n)
{
	const int64_t end = ag_time_mono_us() + TIRED_MS * 1000;

	while (nasked(w) < n) {
		assert_true(ag_time_mono_us() < end);
		usleep(5000);
	}
}

/* Request i was that user's question. */
static void assert_asked_for(world *w, size_t i, const char *user)
{
	size_t n;
	const ag_val *lines = llm_env_log(w->model, &n);
	ag_str request;

	assert_true(i < n);
	request = ag_extjson_str(w->model->arena, &lines[i], AG_EXTJSON_RELAXED);
	assert_true(ag_str_contains(request, ag_str_printf(w->model->arena, "made for %s", user)));
}

static ag_service *service_of(world *w, const char *id)
{
	const ag_caller who = ag_caller_local(NULL, 0, w->model->arena);
	const ag_project *p;

	assert_ok(w, ag_project_find(w->hub, &who, ag_str_c(id), &p, &w->err));
	return ag_services_of(w->mcp.services, p);
}

static void until_waiting(world *w, const char *id, unsigned n)
{
	const int64_t end = ag_time_mono_us() + TIRED_MS * 1000;

	while (ag_service_waiting(service_of(w, id)) != n) {
		assert_true(ag_time_mono_us() < end);
		usleep(2000);
	}
}

/* --- the tests --- */

static void two_questions_to_one_project_overlap_and_a_third_waits(void **state)
{
	world *w = *state;
	call *a, *b, *c;

	open_world(w, held, 2);
	a = begin(w, "ann", "tea", false);
	b = begin(w, "bob", "tea", false);
	until_asked(w, 2);
	c = begin(w, "cat", "tea", false);
	until_waiting(w, "tea", 1);
	assert_false(atomic_load(&a->is_over) || atomic_load(&b->is_over));
	assert_int_equal(nasked(w), 2);
	release_answer(w, 1);
	release_answer(w, 2);
	assert_answered(a);
	assert_answered(b);
	until_asked(w, 3);
	release_answer(w, 3);
	assert_answered(c);
	assert_int_equal(nasked(w), 3);
}

static void questions_to_two_projects_overlap_beyond_the_limit_of_one(void **state)
{
	world *w = *state;
	call *a, *b;

	open_world(w, held, 1);
	a = begin(w, "ann", "tea", false);
	b = begin(w, "ann", "pot", false);
	until_asked(w, 2);
	assert_false(atomic_load(&a->is_over) || atomic_load(&b->is_over));
	release_answer(w, 1);
	release_answer(w, 2);
	assert_answered(a);
	assert_answered(b);
}

static void the_queue_serves_users_in_turn(void **state)
{
	world *w = *state;
	call *a, *b, *first, *late;

	open_world(w, held, 2);
	first = begin(w, "bob", "tea", false);
	until_asked(w, 1);
	/* Ann has a place and wants two more before cat comes. */
	a = begin(w, "ann", "tea", false);
	until_asked(w, 2);
	b = begin(w, "ann", "tea", false);
	until_waiting(w, "tea", 1);
	late = begin(w, "cat", "tea", false);
	until_waiting(w, "tea", 2);
	release_answer(w, 1);
	assert_answered(first); /* cat gets bob's place: she holds none, and ann has one */
	until_waiting(w, "tea", 1);
	assert_false(atomic_load(&late->is_over));
	until_asked(w, 3);
	assert_asked_for(w, 2, "cat");
	for (unsigned n = 2; n <= 4; n++)
		release_answer(w, n);
	assert_answered(a);
	assert_answered(b);
	assert_answered(late);
	assert_asked_for(w, 3, "ann");
}

static void a_waiting_question_can_be_cancelled(void **state)
{
	world *w = *state;
	call *a, *b;

	open_world(w, held, 1);
	a = begin(w, "ann", "tea", false);
	until_asked(w, 1);
	b = begin(w, "bob", "tea", false);
	until_waiting(w, "tea", 1);
	atomic_store(&b->cancel, true);
	finish(b);
	assert_true(b->out.is_error);
	assert_true(ag_str_contains(ag_buf_view(&b->out.json), AG_S("it was not asked")));
	assert_true(ag_str_contains(ag_buf_view(&b->out.json), AG_S("CANCELLED")));
	release_answer(w, 1);
	assert_answered(a);
	assert_int_equal(nasked(w), 1);
}

static void a_project_asks_the_model_that_it_names(void **state)
{
	world *w = *state;
	const ag_val *lines;
	size_t n;

	open_world(w, quick, 4);
	assert_answered(begin(w, "ann", "own", false));
	assert_answered(begin(w, "ann", "tea", false));
	lines = llm_env_log(w->model, &n);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		const ag_val *request = ag_val_getc(&lines[i], "request");

		assert_non_null(request);
		assert_true(ag_str_eqc(ag_val_member_str(request, "model"),
		                       i ? "fake-model" : "another-model"));
	}
}

static void questions_without_a_model_share_the_index(void **state)
{
	world *w = *state;
	call *all[6];

	open_world(w, quick, 3);
	for (size_t i = 0; i < AG_NELEM(all); i++)
		all[i] = begin(w, i % 2 ? "ann" : "bob", i < 4 ? "tea" : "pot", true);
	for (size_t i = 0; i < AG_NELEM(all); i++)
		assert_true(ag_str_contains(said(all[i]), AG_S("Boil the water first")));
	assert_int_equal(nasked(w), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(two_questions_to_one_project_overlap_and_a_third_waits),
		T(questions_to_two_projects_overlap_beyond_the_limit_of_one),
		T(the_queue_serves_users_in_turn),
		T(a_waiting_question_can_be_cancelled),
		T(a_project_asks_the_model_that_it_names),
		T(questions_without_a_model_share_the_index),
	};

	return cmocka_run_group_tests_name("llm_questions", tests, NULL, NULL);
}
