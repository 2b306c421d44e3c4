/* Sessions: whose they are, when they end, how many there may be; and the lists in pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "../conformance/fixtures.h"
#include "mcp_fixtures.h"
#include "text_checks.h"

#define HOUR_MS (60 * 60 * 1000)

static ag_arena *arena;
static ag_caller bob, ann;
static mcp_clock clock_;

static int setup(void **state)
{
	(void)state;
	arena = ag_arena_new();
	bob = mcp_user("bob");
	ann = mcp_user("ann");
	mcp_clock_init(&clock_);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena = ag_arena_free(arena);
	return 0;
}

static ag_mcp_server *server_of(unsigned max_sessions)
{
	ag_mcp_server_opts o = mcp_opts();

	o.clock = &clock_.clock;
	o.max_sessions = max_sessions;
	o.call_timeout_ms =
		24 * HOUR_MS; /* a call that waits must not end by the clock that the tests turn */
	return mcp_server(&o);
}

static bool is_there(ag_mcp_server *s, const ag_mcp_session *one, const ag_caller *who)
{
	ag_mcp_session *found = ag_mcp_session_find(s, ag_mcp_session_id(one), who);

	assert_true(!found || found == one);
	ag_mcp_session_drop(found);
	return found != NULL;
}

static void an_id_is_random_and_belongs_to_its_user(void **state)
{
	ag_mcp_server *s = server_of(100);
	ag_mcp_session *all[50];

	(void)state;
	for (size_t i = 0; i < AG_NELEM(all); i++) {
		const char *id;

		all[i] = mcp_session(s, "2025-11-25", &bob);
		assert_int_equal(ag_mcp_session_id(all[i]).len, 43);
		id = ag_mcp_session_id(all[i]).ptr;
		assert_int_equal(strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		                            "0123456789-_"),
		                 43);
		for (size_t k = 0; k < i; k++)
			assert_false(
				ag_str_eq(ag_mcp_session_id(all[k]), ag_mcp_session_id(all[i])));
	}
	assert_true(is_there(s, all[7], &bob));
	assert_false(is_there(s, all[7], &ann));
	assert_null(ag_mcp_session_find(s, AG_S(""), &bob));
	assert_null(ag_mcp_session_find(s, AG_S("short"), &bob));
	assert_null(
		ag_mcp_session_find(s, AG_S("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), &bob));
	for (size_t i = 0; i < AG_NELEM(all); i++)
		ag_mcp_session_drop(all[i]);
	ag_mcp_server_free(s);
}

static void an_ended_one_is_not_found(void **state)
{
	ag_mcp_server *s = server_of(100);
	ag_mcp_session *one = mcp_session(s, "2025-11-25", &bob);
	mcp_client client;

	(void)state;
	mcp_client_init(&client);
	ag_mcp_session_end(s, one);
	assert_false(is_there(s, one, &bob));
	assert_true(ag_mcp_session_is_ended(one));
	ag_mcp_session_end(s, one); /* once more does nothing */
	assert_false(ag_mcp_session_listen(one, &client.peer));
	ag_mcp_session_drop(one);
	ag_mcp_server_free(s);
	mcp_client_release(&client);
}

static void an_idle_one_ends(void **state)
{
	ag_mcp_server *s = server_of(100);
	ag_mcp_session *used = mcp_session(s, "2025-11-25", &bob);
	ag_mcp_session *idle = mcp_session(s, "2025-11-25", &bob);
	ag_mcp_session *heard = mcp_session(s, "2025-11-25", &bob);
	mcp_client client;

	(void)state;
	mcp_client_init(&client);
	assert_true(ag_mcp_session_listen(heard, &client.peer));
	atomic_fetch_add(&clock_.ms, HOUR_MS - 1);
	assert_true(is_there(s, used, &bob));
	atomic_fetch_add(&clock_.ms, 1);
	assert_false(is_there(s, idle, &bob));
	assert_true(ag_mcp_session_is_ended(idle));
	assert_true(is_there(s, used, &bob));
	assert_true(is_there(s, heard, &bob)); /* somebody listens */
	ag_mcp_session_listen(heard, NULL);
	atomic_fetch_add(&clock_.ms, HOUR_MS);
	assert_false(is_there(s, heard, &bob));
	ag_mcp_session_drop(used);
	ag_mcp_session_drop(idle);
	ag_mcp_session_drop(heard);
	ag_mcp_server_free(s);
	mcp_client_release(&client);
}

static void the_oldest_gives_way(void **state)
{
	ag_mcp_server *s = server_of(3);
	ag_mcp_session *all[4];

	(void)state;
	for (int i = 0; i < 3; i++) {
		all[i] = mcp_session(s, "2025-11-25", &bob);
		atomic_fetch_add(&clock_.ms, 10);
	}
	assert_true(is_there(s, all[0], &bob)); /* used: now the second one is the oldest */
	all[3] = mcp_session(s, "2025-11-25", &bob);
	assert_true(is_there(s, all[0], &bob));
	assert_false(is_there(s, all[1], &bob));
	assert_true(is_there(s, all[2], &bob));
	assert_true(is_there(s, all[3], &bob));
	for (int i = 0; i < 4; i++)
		ag_mcp_session_drop(all[i]);
	ag_mcp_server_free(s);
}

static void a_user_s_many_drive_out_nobody_else_s(void **state)
{
	ag_mcp_server *s = server_of(8);
	ag_mcp_session *of_ann = mcp_session(s, "2025-11-25", &ann);

	(void)state;
	for (int i = 0; i < 50; i++) {
		atomic_fetch_add(&clock_.ms, 1);
		ag_mcp_session_drop(mcp_session(s, "2025-11-25", &bob));
	}
	assert_true(is_there(s, of_ann, &ann));
	ag_mcp_session_drop(of_ann);
	ag_mcp_server_free(s);
}

typedef struct waiter {
	pthread_t thread;
	ag_mcp_server *server;
	ag_mcp_session *session;
} waiter;

static void *wait_in(void *arg)
{
	waiter *w = arg;
	ag_mcp_answer a;

	ag_mcp_handle(w->server, w->session, &bob, NULL,
	              AG_S("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
	                   "\"name\":\"wait\"}}"),
	              &a);
	ag_mcp_answer_release(&a);
	return NULL;
}

static void a_busy_one_does_not_give_way(void **state)
{
	ag_mcp_server *s = server_of(1);
	waiter w = { .server = s, .session = mcp_session(s, "2025-11-25", &bob) };
	ag_val v;

	(void)state;
	assert_int_equal(pthread_create(&w.thread, NULL, wait_in, &w), 0);
	while (!atomic_load(&mcp_waiting))
		;
	atomic_fetch_add(&clock_.ms, 2 * HOUR_MS);
	v = mcp_say(s, NULL, &bob, NULL, arena, MCP_INIT("2025-11-25"));
	assert_int_equal(mcp_int(&v, "error.code"), -32603);
	assert_has(mcp_text(&v, "error.message"), "too many sessions");
	assert_true(is_there(s, w.session, &bob));
	atomic_fetch_add(&clock_.ms, 2 * HOUR_MS);
	atomic_store(&mcp_go, true);
	pthread_join(w.thread, NULL);
	assert_true(is_there(s, w.session, &bob)); /* its time begins with the end of the call */
	ag_mcp_session_drop(w.session);
	ag_mcp_server_free(s);
}

/* --- lists --- */

#define NITEM 25

/* Not in order: the list is. */
static ag_status list_items(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err)
{
	(void)env, (void)err;
	*ret = ag_new_n(c->arena, ag_mcp_item, NITEM);
	for (int i = 0; i < NITEM; i++) {
		const ag_str key = ag_str_printf(c->arena, "x:%02d", (i * 7) % NITEM);

		(*ret)[i] = (ag_mcp_item){ key, ag_str_printf(c->arena, "{\"uri\":\"%.*s\"}",
			                                      AG_FMT(key)) };
	}
	*nret = NITEM;
	return AG_OK;
}

static ag_status one_more(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err)
{
	(void)env, (void)err;
	*ret = ag_new(c->arena, ag_mcp_item);
	**ret = (ag_mcp_item){ AG_S("x:085"), AG_S("{\"uri\":\"x:085\"}") };
	*nret = 1;
	return AG_OK;
}

/* All names of a list, page after page, with blanks between them. */
static ag_str walk(ag_mcp_server *s, ag_mcp_session *session, const char *method, const char *list,
                   const char *name, unsigned *ret_npage)
{
	ag_buf all = AG_BUF_INIT(4096);
	ag_str cursor = AG_S(""), ret;
	char text[400], path[60];

	*ret_npage = 0;
	do {
		ag_val v;

		snprintf(text, sizeof(text),
		         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s%.*s%s}}",
		         method, cursor.len ? "\"cursor\":\"" : "", AG_FMT(cursor),
		         cursor.len ? "\"" : "");
		v = mcp_say(s, session, &bob, NULL, arena, text);
		for (int i = 0;; i++) {
			snprintf(path, sizeof(path), "result.%s.%d.%s", list, i, name);
			if (!mcp_at(&v, path))
				break;
			ag_buf_addf(&all, "%.*s ", AG_FMT(mcp_text(&v, path)));
		}
		cursor = mcp_text(&v, "result.nextCursor");
		++*ret_npage;
	} while (cursor.len && *ret_npage < 100);
	ret = ag_buf_dup(arena, &all);
	ag_buf_release(&all);
	return ret;
}

static void pages_add_up_to_the_list(void **state)
{
	ag_mcp_server_opts o = mcp_opts();
	ag_str whole_tools = AG_S(""), whole_items = AG_S("");

	(void)state;
	o.providers[0] = (ag_mcp_provider){ .resources = list_items };
	o.providers[1] = (ag_mcp_provider){ .resources = one_more };
	o.nprovider = 2;
	for (unsigned page = 100; page; page = page == 100 ? 7 : page - 1) {
		ag_mcp_session *session;
		ag_mcp_server *s;
		unsigned npage;
		ag_str tools, items;

		o.page = page;
		s = mcp_server(&o);
		session = mcp_session(s, "2025-11-25", &bob);
		tools = walk(s, session, "tools/list", "tools", "name", &npage);
		assert_int_equal(npage, (mcp_ntool + page - 1) / page);
		items = walk(s, session, "resources/list", "resources", "uri", &npage);
		assert_int_equal(npage, (NITEM + 1 + page - 1) / page);
		if (page == 100) {
			whole_tools = tools;
			whole_items = items;
			assert_true(ag_str_starts(tools, AG_S("echo wait ")));
			assert_true(ag_str_starts(items, AG_S("x:00 x:01 x:02 ")));
			assert_has(items, "x:08 x:085 x:09 ");
		}
		assert_true(ag_str_eq(tools, whole_tools));
		assert_true(ag_str_eq(items, whole_items));
		ag_mcp_session_drop(session);
		ag_mcp_server_free(s);
	}
}

static void a_cursor_is_of_its_list(void **state)
{
	static const char *const cursors[] = { "\"\"",
		                               "\"xyz\"",
		                               "7",
		                               "\"!!\"",
		                               "\"cng6MDE\"" /* rx:01 */,
		                               "\"dG5vbmU\"" /* tnone */ };
	ag_mcp_server_opts o = mcp_opts();
	ag_mcp_session *session;
	ag_mcp_server *s;
	char text[200];
	ag_val v;

	(void)state;
	o.providers[0] = ag_mcp_fixture_provider();
	o.nprovider = 1;
	s = mcp_server(&o);
	session = mcp_session(s, "2025-11-25", &bob);
	for (size_t i = 0; i < AG_NELEM(cursors); i++) {
		snprintf(text, sizeof(text),
		         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
		         "\"cursor\":%s}}",
		         cursors[i]);
		v = mcp_say(s, session, &bob, NULL, arena, text);
		assert_int_equal(mcp_int(&v, "error.code"), -32602);
		assert_has(mcp_text(&v, "error.message"), "cursor");
	}
	v = mcp_say(s, session, &bob, NULL, arena,
	            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
	            "\"cursor\":null}}");
	assert_int_equal(mcp_at(&v, "result.tools")->n, mcp_ntool);
	v = mcp_say(s, session, &bob, NULL, arena,
	            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
	            "\"cursor\":\"dGVjaG8\"}}"); /* techo: behind the first */
	assert_int_equal(mcp_at(&v, "result.tools")->n, mcp_ntool - 1);
	v = mcp_say(s, session, &bob, NULL, arena,
	            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/list\",\"params\":{"
	            "\"cursor\":\"dGVjaG8\"}}"); /* of another list */
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	ag_mcp_session_drop(session);
	ag_mcp_server_free(s);
}

static void a_resource_that_is_not_there(void **state)
{
	static const char read[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
				   "\"params\":{\"uri\":\"no:\\\"such\"%s}}";
	ag_mcp_server_opts o = mcp_opts();
	ag_mcp_session *session;
	ag_mcp_server *s;
	char text[500];
	ag_val v;

	(void)state;
	o.providers[0] = ag_mcp_fixture_provider();
	o.nprovider = 1;
	s = mcp_server(&o);
	session = mcp_session(s, "2025-11-25", &bob);
	snprintf(text, sizeof(text), read, "");
	v = mcp_say(s, session, &bob, NULL, arena, text);
	assert_int_equal(mcp_int(&v, "error.code"), -32002);
	assert_str(mcp_text(&v, "error.data.uri"), "no:\"such");
	snprintf(text, sizeof(text), read, "," MCP_META);
	v = mcp_say(s, NULL, &bob, NULL, arena, text);
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	assert_str(mcp_text(&v, "error.data.uri"), "no:\"such");
	v = mcp_say(s, NULL, &bob, NULL, arena,
	            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{"
	            "\"uri\":\"test://static-text\"," MCP_META "}}");
	assert_str(mcp_text(&v, "result.contents.0.mimeType"), "text/plain");
	assert_true(mcp_int(&v, "result.ttlMs") >= 0);
	v = mcp_say(s, session, &bob, NULL, arena,
	            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{"
	            "\"name\":\"none\"}}");
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	v = mcp_say(s, session, &bob, NULL, arena,
	            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{"
	            "\"name\":\"test_prompt_with_arguments\",\"arguments\":{\"arg1\":\"x\"}}}");
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	assert_has(mcp_text(&v, "error.message"), "arg2");
	v = mcp_say(s, session, &bob, NULL, arena,
	            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"completion/complete\",\"params\":{"
	            "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"test_prompt_with_arguments\"},"
	            "\"argument\":{\"name\":\"arg1\",\"value\":\"par\"}}}");
	assert_int_equal(mcp_int(&v, "result.completion.total"), 3);
	assert_str(mcp_text(&v, "result.completion.values.0"), "paris");
	ag_mcp_session_drop(session);
	ag_mcp_server_free(s);
}

/* Threads that make, find, end and forget sessions of one small server. */
typedef struct crowd {
	pthread_t thread;
	ag_mcp_server *server;
} crowd;

static void *come_and_go(void *arg)
{
	crowd *c = arg;

	for (int i = 0; i < 300; i++) {
		ag_mcp_session *one = mcp_session(c->server, "2025-11-25", &bob), *again;

		if (!one)
			continue;
		again = ag_mcp_session_find(c->server, ag_mcp_session_id(one), &bob);
		if (i % 3 == 0)
			ag_mcp_session_end(c->server, one);
		ag_mcp_session_drop(again);
		ag_mcp_session_drop(one);
	}
	return NULL;
}

static void a_crowd(void **state)
{
	ag_mcp_server *s = server_of(10);
	crowd c[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		c[i].server = s;
		assert_int_equal(pthread_create(&c[i].thread, NULL, come_and_go, &c[i]), 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(c[i].thread, NULL);
	ag_mcp_server_free(s);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_id_is_random_and_belongs_to_its_user),
		T(an_ended_one_is_not_found),
		T(an_idle_one_ends),
		T(the_oldest_gives_way),
		T(a_user_s_many_drive_out_nobody_else_s),
		T(a_busy_one_does_not_give_way),
		T(pages_add_up_to_the_list),
		T(a_cursor_is_of_its_list),
		T(a_resource_that_is_not_there),
		T(a_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
