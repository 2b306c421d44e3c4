/* Calls of one reply of a question: those that only read run at the same time, on one root. Threads read what the root learns
 * of the folder on the way (.gitignore, hard links of secrets) while it learns it; the results are those of calls in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <time.h>

#include "ask/ask.h"
#include "ask/search.h"
#include "ask_root_tree.h"
#include "mcp/client.h"
#include "scripted_model.h"

#define NTHREAD 4
#define CALL(id, name, args)                                                                    \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"argume" \
	"nts\":\"{" args "}\"}}"
#define PATH(path) "\\\"path\\\":\\\"" path "\\\""

/* --- one root, several threads --- */

typedef struct reader {
	ag_root *root;
	pthread_barrier_t *begin; /* NULL = alone */
	ag_arena *arena;
	ag_str seen;
	pthread_t thread;
} reader;

static void see(reader *r, const char *what, ag_str text)
{
	r->seen = ag_str_printf(r->arena, "%.*s\n%s: %.*s", AG_FMT(r->seen), what, AG_FMT(text));
}

static void look(reader *r, const char *path)
{
	ag_root_text text = { 0 };
	ag_err err = { 0 };

	if (ag_root_read(r->root, NULL, ag_str_c(path), 1u << 16, r->arena, &text, &err))
		see(r, path, ag_str_c(err.msg));
	else
		see(r, path, text.text);
}

static ag_status see_file(void *arg, const ag_root_stat *file, ag_err *err)
{
	(void)err;
	see(arg, "walk", ag_str_dup(((reader *)arg)->arena, file->path));
	return AG_OK;
}

static void *read_all(void *arg)
{
	static const char *const paths[] = { "hard-unregistered", "hard",
		                             "sub/private.txt",   "sub/kept.log",
		                             "local.txt",         "build/out.txt",
		                             "wiki/a.md",         "pub",
		                             "wiki/gitub.md",     "deep/one/two/three.md" };
	const ag_search_query q = { .text = AG_S("inside"), .max_hits = 20 };
	reader *r = arg;
	ag_search_result found;
	ag_root_list list;
	bool is_cut;
	ag_err err;

	if (r->begin)
		pthread_barrier_wait(r->begin);
	for (size_t i = 0; i < AG_NELEM(paths); i++)
		look(r, paths[i]);
	if (ag_root_walk(r->root, NULL, AG_S(""), 0, see_file, r, &is_cut, &err))
		see(r, "walk", AG_S("failed"));
	if (ag_root_list_dir(r->root, NULL, AG_S("."), r->arena, &list, &err))
		list.n = 0;
	for (size_t i = 0; i < list.n; i++)
		see(r, "entry", list.entries[i].name);
	if (ag_search_files(r->root, NULL, &q, r->arena, &found, &err))
		found.n = 0;
	for (size_t i = 0; i < found.n; i++)
		see(r, "found", found.hits[i].path);
	return NULL;
}

static void threads_of_one_root_see_what_one_sees(void **state)
{
	reader alone = { .root = open_root(state), .arena = ag_arena_new(), .seen = AG_S("") };
	reader many[NTHREAD];

	read_all(&alone);
	ag_root_close(alone.root);
	holds_no_canary(alone.seen, "one thread");
	assert_true(ag_str_contains(alone.seen, AG_S("found: wiki/a.md")));
	assert_true(ag_str_contains(alone.seen, AG_S("entry: README.md")));
	assert_true(ag_str_contains(alone.seen, AG_S("walk: sub/kept.log")));
	for (int round = 0; round < 4; round++) {
		ag_root *shared = open_root(state); /* it knows nothing yet */
		pthread_barrier_t begin;

		pthread_barrier_init(&begin, NULL, NTHREAD);
		for (int i = 0; i < NTHREAD; i++) {
			many[i] = (reader){ .root = shared,
				            .begin = &begin,
				            .arena = ag_arena_new(),
				            .seen = AG_S("") };
			assert_int_equal(pthread_create(&many[i].thread, NULL, read_all, &many[i]),
			                 0);
		}
		for (int i = 0; i < NTHREAD; i++) {
			pthread_join(many[i].thread, NULL);
			if (!ag_str_eq(many[i].seen, alone.seen))
				fail_msg("thread %d saw:%.*s\nand not:%.*s", i,
				         AG_FMT(many[i].seen), AG_FMT(alone.seen));
			ag_arena_free(many[i].arena);
		}
		pthread_barrier_destroy(&begin);
		ag_root_close(shared);
	}
	ag_arena_free(alone.arena);
}

/* --- a question --- */

/* A tool of another server that meets a second call of it, or ends the program. */
typedef struct meeting {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned inside;
} meeting;

static ag_status meet(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	meeting *m = (meeting *)(uintptr_t)c->tool->of;
	struct timespec at;

	(void)input, (void)err;
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += 20;
	pthread_mutex_lock(&m->lock);
	m->inside++;
	pthread_cond_broadcast(&m->changed);
	while (m->inside < 2) {
		if (pthread_cond_timedwait(&m->changed, &m->lock, &at))
			abort(); /* they run in turn */
	}
	pthread_mutex_unlock(&m->lock);
	ag_buf_adds(&out->json, "{\"text\":\"met\",\"ok\":true}");
	return AG_OK;
}

typedef struct asked {
	ag_arena *arena;
	ag_store *store;
	scripted_model model;
	ag_ask_run_result result;
} asked;

static void ask(asked *a, const sm_line *lines, size_t nline, const ag_tool *more, size_t nmore)
{
	const ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	ag_ask_opts o = { .question = AG_S("What is inside?"),
		          .root = open_root(&(void *){ NULL }),
		          .more_tools = more,
		          .nmore_tool = nmore };
	ag_llm_meter meter;
	ag_err err = { 0 };

	*a = (asked){ .arena = ag_arena_new() };
	sm_open(&a->model, "tested", lines, nline);
	ag_llm_meter_init(&meter, a->arena, 0, 0);
	o.llm = a->model.llm;
	o.meter = &meter;
	if (ag_store_open(AG_S("memory:"), &a->store, &err))
		fail_msg("%s", err.msg);
	o.store = a->store;
	if (ag_ask_run(&ctx, &o, a->arena, &a->result, &err))
		fail_msg("%s", err.msg);
	ag_root_close((ag_root *)(uintptr_t)o.root);
	assert_true(a->result.has_answer);
}

static void end(asked *a)
{
	ag_store_close(a->store);
	sm_close(&a->model);
	ag_arena_free(a->arena);
}

/* "PIPIOO": proposals, intents, outputs. */
static const char *story(asked *a)
{
	char *ret = ag_arena_alloc(a->arena, 200);
	ag_event *events;
	size_t n, len = 0;
	ag_err err = { 0 };

	assert_int_equal(ag_store_events(a->store, &a->result.run, 0, a->arena, &events, &n, &err),
	                 AG_OK);
	for (size_t i = 0; i < n && len < 199; i++) {
		const ag_event_type t = events[i].type;

		if (t == AG_EV_PROPOSAL || t == AG_EV_TOOL_INPUT || t == AG_EV_TOOL_OUTPUT)
			ret[len++] = t == AG_EV_PROPOSAL ? 'P' : t == AG_EV_TOOL_INPUT ? 'I' : 'O';
	}
	ret[len] = 0;
	return ret;
}

static void assert_call(const asked *a, size_t i, const char *tool, const char *result)
{
	const ag_answer_call *c = &a->result.answer.calls[i];

	assert_true(i < a->result.answer.ncall);
	assert_true(ag_str_eqc(c->tool, tool));
	if (!ag_str_contains(c->result, ag_str_c(result)))
		fail_msg("call %zu gave: %.*s", i, AG_FMT(c->result));
}

static void calls_of_one_reply_read_at_the_same_time(void **state)
{
	const sm_line lines[] = {
		{ .calls = "[" CALL("1", "list_files", PATH("wiki")) "," CALL(
			  "2", "search_files",
			  "\\\"query\\\":\\\"umlaut\\\"") "," CALL("3", "read_file",
		                                                   PATH("wiki/a.md")) "," CALL("4",
		                                                                               "outline",
		                                                                               PATH("hard-unregistered")) "]" },
		{ .text = AG_S_INIT("See wiki/a.md.") },
	};
	asked a;

	(void)state;
	ask(&a, lines, AG_NELEM(lines), NULL, 0);
	assert_string_equal(story(&a), "PIPIPIPIOOOOP");
	assert_call(&a, 0, "list_files", "github.md");
	assert_call(&a, 1, "search_files", "\xc3\xbc.md:1: inside umlaut");
	assert_call(&a, 2, "read_file", "inside a");
	assert_call(&a, 3, "outline", "secrets are not read");
	end(&a);
}

static void equal_calls_of_one_reply_have_a_result_each(void **state)
{
	const sm_line lines[] = {
		{ .calls = "[" CALL("1", "read_file", PATH("wiki/a.md")) "," CALL(
			  "2", "read_file", PATH("wiki/a.md")) "]" },
		{ .calls = "[" CALL("3", "read_file", PATH("wiki/a.md")) "]" },
		{ .text = AG_S_INIT("See wiki/a.md.") },
	};
	asked a;

	(void)state;
	ask(&a, lines, AG_NELEM(lines), NULL, 0);
	assert_string_equal(story(&a), "PIPIOOPIOP");
	assert_call(&a, 0, "read_file", "inside a");
	assert_call(&a, 1, "read_file", "inside a");
	assert_call(&a, 2, "read_file", "You already have this: call 1 was the same");
	end(&a);
}

static void tools_of_other_servers_run_beside_each_other(void **state)
{
	meeting m = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
	const ag_tool more[] = {
		{ .name = "x__meet",
		  .help = "h",
		  .input_schema = "{\"type\":\"object\"}",
		  .flags = AG_TOOL_READS,
		  .max_output_bytes = 1000,
		  .run = meet,
		  .of = &m },
	};
	const sm_line lines[] = {
		{ .calls = "[" CALL("1", "x__meet", "") "," CALL("2", "x__meet", "") "]" },
		{ .text = AG_S_INIT("They met.") },
	};
	asked a;

	(void)state;
	ask(&a, lines, AG_NELEM(lines), more, 1);
	assert_call(&a, 0, "x__meet", "met");
	assert_call(&a, 1, "x__meet", "met");
	end(&a);
}

/* --- one client, several threads --- */

static const char server[] =
	"import json, sys\n"
	"for line in sys.stdin:\n"
	"    m = json.loads(line)\n"
	"    if 'id' not in m: continue\n"
	"    if m['method'] == 'initialize':\n"
	"        r = {'protocolVersion': '2025-11-25', 'capabilities': {'tools': {}},\n"
	"             'serverInfo': {'name': 's', 'version': '1'}}\n"
	"    else:\n"
	"        r = {'content': [{'type': 'text', 'text': m['params']['arguments']['n']}]}\n"
	"    print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': r}), flush=True)\n";

typedef struct caller {
	ag_mcp_client *client;
	unsigned number, wrong;
	pthread_t thread;
} caller;

static void *call_often(void *arg)
{
	const ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	caller *c = arg;

	for (unsigned i = 0; i < 25; i++) {
		ag_arena *arena = ag_arena_new();
		const ag_str n = ag_str_printf(arena, "%u of %u", i, c->number);
		ag_str text = AG_S("");
		bool is_error = false;
		ag_err err = { 0 };

		if (ag_mcp_client_call(c->client, &ctx, AG_S("echo"),
		                       ag_str_printf(arena, "{\"n\":\"%.*s\"}", AG_FMT(n)), arena,
		                       &text, &is_error, &err) ||
		    !ag_str_eq(text, n))
			c->wrong++;
		ag_arena_free(arena);
	}
	return NULL;
}

static void each_thread_of_a_client_gets_its_own_answer(void **state)
{
	char python[] = "python3", option[] = "-c";
	char *argv[] = { python, option, (char *)(uintptr_t)server, NULL };
	const ag_mcp_client_opts o = { .name = AG_S("s"), .argv = argv };
	caller callers[NTHREAD];
	ag_mcp_client *client = NULL;
	ag_err err = { 0 };

	(void)state;
	if (ag_mcp_client_open(NULL, &o, &client, &err))
		fail_msg("%s", err.msg);
	for (unsigned i = 0; i < NTHREAD; i++) {
		callers[i] = (caller){ .client = client, .number = i };
		assert_int_equal(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]),
		                 0);
	}
	for (unsigned i = 0; i < NTHREAD; i++) {
		pthread_join(callers[i].thread, NULL);
		assert_int_equal(callers[i].wrong, 0);
	}
	ag_mcp_client_close(client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TWICE(threads_of_one_root_see_what_one_sees),
		cmocka_unit_test(calls_of_one_reply_read_at_the_same_time),
		cmocka_unit_test(equal_calls_of_one_reply_have_a_result_each),
		cmocka_unit_test(tools_of_other_servers_run_beside_each_other),
		cmocka_unit_test(each_thread_of_a_client_gets_its_own_answer),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
