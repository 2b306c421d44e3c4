/* Calls under way: cancelled from every side, counted, asked within, told about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <time.h>

#include "../conformance/fixtures.h"
#include "mcp_fixtures.h"
#include "text_checks.h"

static ag_arena *arena;
static ag_mcp_server *server;
static ag_mcp_session *session;
static ag_caller bob;
static mcp_client client;

static int setup(void **state)
{
	ag_mcp_server_opts o = mcp_opts();

	(void)state;
	o.max_calls = 4;
	o.providers[0] = ag_mcp_fixture_provider();
	o.nprovider = 1;
	arena = ag_arena_new();
	server = mcp_server(&o);
	bob = mcp_user("bob");
	session = mcp_session(server, "2025-11-25", &bob);
	mcp_client_init(&client);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ag_mcp_session_drop(session);
	server = ag_mcp_server_free(server);
	mcp_client_release(&client);
	arena = ag_arena_free(arena);
	return 0;
}

/* --- a call on a thread of its own --- */

typedef struct caller {
	pthread_t thread;
	ag_mcp_session *session;
	const ag_mcp_peer *peer;
	char message[1000];
	ag_mcp_answer answer;
} caller;

static void *run(void *arg)
{
	caller *c = arg;

	ag_mcp_handle(server, c->session, &bob, c->peer, ag_str_c(c->message), &c->answer);
	return NULL;
}

static void start(caller *c, ag_mcp_session *s, const ag_mcp_peer *peer, const char *id,
                  const char *tool, const char *more)
{
	c->session = s;
	c->peer = peer;
	snprintf(c->message, sizeof(c->message),
	         "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{"
	         "\"name\":\"%s\"%s}}",
	         id, tool, more);
	assert_int_equal(pthread_create(&c->thread, NULL, run, c), 0);
}

static void nap_ms(long ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
}

static void until_waiting(unsigned n)
{
	for (int i = 0; i < 10000 && atomic_load(&mcp_waiting) != n; i++)
		nap_ms(1);
	assert_int_equal(atomic_load(&mcp_waiting), n);
}

/* The answer's text; "" = none. */
static ag_str finish(caller *c)
{
	ag_str text;

	pthread_join(c->thread, NULL);
	text = ag_buf_dup(arena, &c->answer.text);
	ag_mcp_answer_release(&c->answer);
	return text;
}

static void notify(ag_mcp_session *s, const ag_mcp_peer *peer, const char *id)
{
	char text[200];
	ag_val v;

	snprintf(text, sizeof(text),
	         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
	         "\"requestId\":%s,\"reason\":\"changed my mind\"}}",
	         id);
	v = mcp_say(server, s, &bob, peer, arena, text);
	assert_int_equal(v.type, AG_T_MISSING);
}

static void a_cancelled_call_is_not_answered(void **state)
{
	static const char *const ids[] = { "7", "\"a \\\" b\"", "\"7\"" };
	caller c[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		start(&c[i], session, NULL, ids[i], "wait", "");
	until_waiting(3);
	notify(session, NULL, "8"); /* of nobody */
	notify(session, NULL, "\"7\"");
	until_waiting(2);
	assert_str(finish(&c[2]), "");
	notify(session, NULL, "7");
	notify(session, NULL, "\"a \\u0022 b\""); /* the same text, written in another way */
	assert_str(finish(&c[0]), "");
	assert_str(finish(&c[1]), "");
	assert_int_equal(atomic_load(&mcp_cancels), 3);
	notify(session, NULL, "7"); /* too late, and no matter */
	notify(session, NULL, "null");
	notify(session, NULL, "{}");
}

static void another_session_cancels_nothing(void **state)
{
	ag_mcp_session *other = mcp_session(server, "2025-11-25", &bob);
	caller c;

	(void)state;
	start(&c, session, NULL, "7", "wait", "");
	until_waiting(1);
	notify(other, NULL, "7");
	nap_ms(30);
	atomic_store(&mcp_go, true);
	assert_has(finish(&c), "{\"waited\":true}");
	assert_int_equal(atomic_load(&mcp_cancels), 0);
	ag_mcp_session_drop(other);
}

static void a_stateless_call_is_cancelled_by_its_own_peer(void **state)
{
	mcp_client other;
	caller c;

	(void)state;
	mcp_client_init(&other);
	start(&c, NULL, &client.peer, "7", "wait", "," MCP_META);
	until_waiting(1);
	notify(NULL, &other.peer, "7");
	notify(session, &client.peer, "7");
	nap_ms(30); /* a cancel would be seen by now */
	assert_int_equal(atomic_load(&mcp_waiting), 1);
	notify(NULL, &client.peer, "7");
	assert_str(finish(&c), "");
	mcp_client_release(&other);
}

static void who_leaves_cancels(void **state)
{
	caller a, b;

	(void)state;
	start(&a, NULL, &client.peer, "1", "wait", "," MCP_META);
	start(&b, session, &client.peer, "2", "wait", "");
	until_waiting(2);
	atomic_store(&client.is_gone, true);
	ag_mcp_gone(server, &client.peer);
	assert_str(finish(&a), "");
	assert_str(finish(&b), "");
	assert_int_equal(atomic_load(&mcp_cancels), 2);
}

static void the_end_of_a_session_ends_its_calls(void **state)
{
	ag_mcp_session *other = mcp_session(server, "2025-11-25", &bob);
	caller a, b;

	(void)state;
	start(&a, session, NULL, "1", "wait", "");
	start(&b, other, NULL, "1", "wait", "");
	until_waiting(2);
	ag_mcp_session_end(server, session);
	assert_has(finish(&a), "cancelled: the session ends");
	assert_int_equal(atomic_load(&mcp_waiting), 1);
	start(&a, session, NULL, "2", "echo", "");
	assert_has(finish(&a), "the session ends");
	ag_mcp_server_stop(server);
	assert_has(finish(&b), "cancelled: the server ends");
	start(&a, NULL, NULL, "2", "echo", ",\"arguments\":{\"text\":\"x\"}," MCP_META);
	assert_has(finish(&a), "the server ends");
	ag_mcp_session_drop(other);
}

static void so_many_at_once(void **state)
{
	caller c[4];
	ag_val v;

	(void)state;
	for (int i = 0; i < 4; i++) {
		char id[12];

		snprintf(id, sizeof(id), "%d", i);
		start(&c[i], i < 3 ? session : NULL, NULL, id, "wait", i < 3 ? "" : "," MCP_META);
	}
	until_waiting(4);
	/* A fourth and, of the caller without a session, three more. */
	v = mcp_say(
		server, session, &bob, NULL, arena,
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}");
	assert_int_equal(mcp_int(&v, "error.code"), -32600);
	assert_has(mcp_text(&v, "error.message"), "with this id");
	v = mcp_say(server, session, &bob, NULL, arena,
	            "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{"
	            "\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}}}");
	assert_str(mcp_text(&v, "result.structuredContent.text"), "x");
	{
		caller last;

		start(&last, session, NULL, "10", "wait", "");
		until_waiting(5);
		v = mcp_say(server, session, &bob, NULL, arena,
		            "{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"tools/call\",\"params\":{"
		            "\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}}}");
		assert_true(ag_val_member_bool(mcp_at(&v, "result"), "isError"));
		assert_has(mcp_text(&v, "result.content.0.text"), "4 calls are under way");
		v = mcp_say(server, session, &bob, NULL, arena,
		            "{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"resources/list\"}");
		assert_int_equal(mcp_int(&v, "error.code"), -32603);
		v = mcp_say(server, session, &bob, NULL, arena,
		            "{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"ping\"}");
		assert_non_null(mcp_at(&v, "result"));
		atomic_store(&mcp_go, true);
		finish(&last);
	}
	for (int i = 0; i < 4; i++)
		assert_has(finish(&c[i]), "waited");
}

static void a_call_has_a_deadline(void **state)
{
	ag_mcp_server_opts o = mcp_opts();
	ag_mcp_server *s;
	ag_val v;

	(void)state;
	o.call_timeout_ms = 30;
	s = mcp_server(&o);
	v = mcp_say(s, NULL, &bob, NULL, arena,
	            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
	            "\"name\":\"wait\"," MCP_META "}}");
	assert_true(ag_val_member_bool(mcp_at(&v, "result"), "isError"));
	assert_has(mcp_text(&v, "result.content.0.text"), "deadline");
	ag_mcp_server_free(s);
}

/* --- what a client is told --- */

static void progress_only_goes_up(void **state)
{
	static const char call[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
		"\"name\":\"report\"%s}}";
	ag_mcp_session *old = mcp_session(server, "2024-11-05", &bob);
	char text[500];

	(void)state;
	snprintf(text, sizeof(text), call, "");
	mcp_say(server, session, &bob, &client.peer, arena, text);
	assert_int_equal(client.nsent, 0); /* no token, no progress */
	snprintf(text, sizeof(text), call, ",\"_meta\":{\"progressToken\":\"p\\\"\"}");
	mcp_say(server, session, &bob, NULL, arena, text);
	mcp_say(server, session, &bob, &client.peer, arena, text);
	assert_int_equal(client.nsent, 3);
	assert_str(
		client.sent[0],
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
		"\"progressToken\":\"p\\\"\",\"progress\":0,\"total\":10,\"message\":\"begun\"}}");
	assert_has(client.sent[1], "\"progress\":10,\"total\":10}");
	assert_has(client.sent[2], "\"progress\":12.5,\"message\":\"\\\"more\\\"\"}");
	snprintf(text, sizeof(text), call, ",\"_meta\":{\"progressToken\":5}");
	mcp_say(server, old, &bob, &client.peer, arena, text);
	assert_str(client.sent[3],
	           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
	           "\"progressToken\":5,\"progress\":0,\"total\":10}}"); /* it knows no message */
	ag_mcp_session_drop(old);
}

static ag_val set_level(const char *level)
{
	char text[200];

	snprintf(text, sizeof(text),
	         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{"
	         "\"level\":\"%s\"}}",
	         level);
	return mcp_say(server, session, &bob, NULL, arena, text);
}

static void the_log_has_a_level(void **state)
{
	static const char call[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
		"\"name\":\"logs\"}}";
	ag_val v;

	(void)state;
	mcp_say(server, session, &bob, &client.peer, arena, call);
	assert_int_equal(client.nsent, 2);
	assert_str(client.sent[0],
	           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
	           "\"level\":\"debug\",\"logger\":\"test\",\"data\":\"small\"}}");
	assert_str(client.sent[1],
	           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
	           "\"level\":\"warning\",\"data\":{\"what\":1}}}");
	v = set_level("warning");
	assert_int_equal(mcp_at(&v, "result")->n, 0);
	mcp_say(server, session, &bob, &client.peer, arena, call);
	assert_int_equal(client.nsent, 3);
	v = set_level("error");
	mcp_say(server, session, &bob, &client.peer, arena, call);
	assert_int_equal(client.nsent, 3);
	v = set_level("loud");
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	/* Where the answer is no stream, the session's own takes it. */
	set_level("warning");
	assert_true(ag_mcp_session_listen(session, &client.peer));
	mcp_say(server, session, &bob, NULL, arena, call);
	assert_int_equal(client.nsent, 4);
	ag_mcp_session_listen(session, NULL);
	mcp_say(server, session, &bob, NULL, arena, call);
	assert_int_equal(client.nsent, 4);
}

static void a_stateless_log_is_asked_for(void **state)
{
	static const char call[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
		"\"name\":\"logs\",\"_meta\":{"
		"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",%s"
		"\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
	char text[500];

	(void)state;
	snprintf(text, sizeof(text), call, "");
	mcp_say(server, NULL, &bob, &client.peer, arena, text);
	assert_int_equal(client.nsent, 0);
	snprintf(text, sizeof(text), call, "\"io.modelcontextprotocol/logLevel\":\"info\",");
	mcp_say(server, NULL, &bob, &client.peer, arena, text);
	assert_int_equal(client.nsent, 1);
}

/* --- questions in a session --- */

static void respond(size_t i, const char *what)
{
	const ag_str question = mcp_client_wait(&client, i);
	const char *id = memmem(question.ptr, question.len, "\"id\":", 5);
	char text[500];

	assert_non_null(id);
	id += 5;
	snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%.*s,%s}", (int)strcspn(id, ","),
	         id, what);
	mcp_say(server, session, &bob, NULL, arena, text);
}

static void a_client_is_asked(void **state)
{
	ag_str text;
	caller c;

	(void)state;
	start(&c, session, &client.peer, "1", "ask", "");
	text = mcp_client_wait(&client, 0);
	assert_has(text, "\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\"}");
	respond(0, "\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}");
	assert_has(finish(&c), "{\"who\":\"Ann\"}");

	start(&c, session, &client.peer, "1", "ask", "");
	respond(1, "\"error\":{\"code\":-1,\"message\":\"nobody is there\"}");
	text = finish(&c);
	assert_has(text, "nobody is there");
	assert_has(text, "\"isError\":true");

	start(&c, session, &client.peer, "1", "ask_twice", "");
	assert_has(mcp_client_wait(&client, 2), "\"method\":\"roots/list\"}");
	respond(2, "\"result\":{\"roots\":[{},{}]}");
	mcp_client_wait(&client, 3);
	respond(2, "\"result\":{\"roots\":[]}"); /* a second answer to the first question */
	respond(3, "\"result\":{\"model\":\"m\"}");
	assert_has(finish(&c), "{\"roots\":2,\"model\":\"m\"}");
}

static void nobody_to_ask(void **state)
{
	ag_val v;

	(void)state;
	v = mcp_say(server, session, &bob, NULL, arena,
	            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
	            "\"name\":\"ask\"}}");
	assert_has(mcp_text(&v, "result.content.0.text"), "cannot be asked");
	mcp_say(server, session, &bob, NULL, arena,
	        "{\"jsonrpc\":\"2.0\",\"id\":\"argus-1\",\"result\":{}}");
	mcp_say(server, session, &bob, NULL, arena,
	        "{\"jsonrpc\":\"2.0\",\"id\":\"argus-99999999999999999999\",\"result\":{}}");
	mcp_say(server, session, &bob, NULL, arena, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
}

static void a_question_ends_with_its_call(void **state)
{
	caller c;

	(void)state;
	start(&c, session, &client.peer, "1", "ask", "");
	mcp_client_wait(&client, 0);
	notify(session, NULL, "1");
	assert_str(finish(&c), "");
	assert_has(mcp_client_wait(&client, 1),
	           "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"argus-1\"}");
	start(&c, session, &client.peer, "2", "ask", "");
	mcp_client_wait(&client, 2);
	atomic_store(&client.is_gone, true); /* without ag_mcp_gone(): seen a little later */
	assert_str(finish(&c), "");
}

/* --- questions by the result --- */

static ag_val ask_stateless(const char *tool, const char *more)
{
	char text[4000];

	snprintf(text, sizeof(text),
	         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
	         "\"name\":\"%s\"%s," MCP_META "}}",
	         tool, more);
	return mcp_say(server, NULL, &bob, NULL, arena, text);
}

static void asked_by_the_result(void **state)
{
	char more[3000];
	ag_val v;

	(void)state;
	v = ask_stateless("ask_twice", "");
	assert_str(mcp_text(&v, "result.resultType"), "input_required");
	assert_str(mcp_text(&v, "result.inputRequests.question-1.method"), "roots/list");
	snprintf(
		more, sizeof(more),
		",\"inputResponses\":{\"question-1\":{\"roots\":[1,2,3]}},\"requestState\":\"%.*s\"",
		AG_FMT(mcp_text(&v, "result.requestState")));
	v = ask_stateless("ask_twice", more);
	assert_str(mcp_text(&v, "result.inputRequests.question-2.method"),
	           "sampling/createMessage");
	assert_null(mcp_at(&v, "result.inputRequests.question-1"));
	/* The first answer travels in the state. */
	snprintf(more, sizeof(more),
	         ",\"inputResponses\":{\"question-2\":{\"model\":\"m\"}},\"requestState\":\"%.*s\"",
	         AG_FMT(mcp_text(&v, "result.requestState")));
	v = ask_stateless("ask_twice", more);
	assert_str(mcp_text(&v, "result.resultType"), "complete");
	assert_int_equal(mcp_int(&v, "result.structuredContent.roots"), 3);
	assert_str(mcp_text(&v, "result.structuredContent.model"), "m");
}

static void a_state_is_good_for_one_call(void **state)
{
	ag_caller ann = mcp_user("ann");
	char more[3000], text[4000];
	ag_str token;
	ag_val v;

	(void)state;
	v = ask_stateless("ask_twice", "");
	token = ag_str_dup(arena, mcp_text(&v, "result.requestState"));
	assert_true(token.len > 50);
	snprintf(more, sizeof(more), ",\"requestState\":\"%.*sA\"", AG_FMT(token));
	v = ask_stateless("ask_twice", more);
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	snprintf(more, sizeof(more), ",\"requestState\":\"%.*s\"", AG_FMT(token));
	v = ask_stateless("ask", more); /* another tool */
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	snprintf(more, sizeof(more), ",\"arguments\":{\"a\":1},\"requestState\":\"%.*s\"",
	         AG_FMT(token));
	v = ask_stateless("ask_twice", more); /* other arguments */
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	snprintf(text, sizeof(text),
	         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
	         "\"name\":\"ask_twice\",\"requestState\":\"%.*s\"," MCP_META "}}",
	         AG_FMT(token));
	v = mcp_say(server, NULL, &ann, NULL, arena, text); /* another caller */
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	v = mcp_say(server, NULL, &bob, NULL, arena, text);
	assert_str(mcp_text(&v, "result.resultType"), "input_required");
	v = ask_stateless("ask_twice", ",\"requestState\":7");
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	v = ask_stateless("ask_twice", ",\"inputResponses\":null");
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
}

static void a_state_grows_old(void **state)
{
	ag_mcp_server_opts o = mcp_opts();
	ag_mcp_server *s;
	mcp_clock clock;
	char text[4000];
	ag_val v;

	(void)state;
	mcp_clock_init(&clock);
	o.clock = &clock.clock;
	s = mcp_server(&o);
	v = mcp_say(s, NULL, &bob, NULL, arena,
	            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
	            "\"name\":\"ask\"," MCP_META "}}");
	snprintf(text, sizeof(text),
	         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
	         "\"name\":\"ask\",\"requestState\":\"%.*s\"," MCP_META "}}",
	         AG_FMT(mcp_text(&v, "result.requestState")));
	atomic_fetch_add(&clock.ms, 10 * 60 * 1000);
	v = mcp_say(s, NULL, &bob, NULL, arena, text);
	assert_str(mcp_text(&v, "result.resultType"), "input_required");
	atomic_fetch_add(&clock.ms, 1);
	v = mcp_say(s, NULL, &bob, NULL, arena, text);
	assert_int_equal(mcp_int(&v, "error.code"), -32602);
	ag_mcp_server_free(s);
}

static void what_the_client_lacks_is_named(void **state)
{
	ag_mcp_answer a;

	(void)state;
	ag_mcp_handle(server, NULL, &bob, NULL,
	              AG_S("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
	                   "\"name\":\"ask\",\"_meta\":{"
	                   "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
	                   "\"io.modelcontextprotocol/clientCapabilities\":{\"sampling\":{}}}}}"),
	              &a);
	assert_int_equal(a.rpc_error, -32021);
	assert_int_equal(a.outcome, AG_MCP_BAD_REQUEST);
	assert_has(ag_buf_view(&a.text),
	           "\"data\":{\"requiredCapabilities\":{\"elicitation\":{}}}");
	ag_mcp_answer_release(&a);
}

/* --- resources that change --- */

static void *listen_to(void *arg)
{
	caller *c = arg;

	ag_mcp_handle(server, NULL, &bob, &client.peer, ag_str_c(c->message), &c->answer);
	return NULL;
}

static void a_stream_of_changes(void **state)
{
	caller c;

	(void)state;
	snprintf(
		c.message, sizeof(c.message),
		"{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"subscriptions/listen\",\"params\":{"
		"\"notifications\":{\"resourceSubscriptions\":[\"a:1\",\"a:2\"],"
		"\"toolsListChanged\":true}," MCP_META "}}");
	assert_int_equal(pthread_create(&c.thread, NULL, listen_to, &c), 0);
	assert_str(mcp_client_wait(&client, 0),
	           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
	           "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"s\"},"
	           "\"notifications\":{\"resourceSubscriptions\":[\"a:1\",\"a:2\"]}}}");
	ag_mcp_resource_updated(server, AG_S("a:3"));
	ag_mcp_resource_updated(server, AG_S("a:2"));
	assert_has(mcp_client_wait(&client, 1),
	           "\"params\":{\"uri\":\"a:2\",\"_meta\":{"
	           "\"io.modelcontextprotocol/subscriptionId\":\"s\"}}");
	ag_mcp_server_stop(server);
	pthread_join(c.thread, NULL);
	assert_has(ag_buf_view(&c.answer.text), "\"resultType\":\"complete\"");
	assert_int_equal(c.answer.rpc_error, 0);
	ag_mcp_answer_release(&c.answer);
	ag_mcp_resource_updated(server, AG_S("a:2"));
	assert_int_equal(client.nsent, 2);
}

static void a_session_subscribes(void **state)
{
	static const char *const methods[] = { "subscribe", "unsubscribe" };
	char text[300];

	(void)state;
	assert_true(ag_mcp_session_listen(session, &client.peer));
	assert_false(ag_mcp_session_listen(session, &client.peer)); /* one at a time */
	for (int i = 0; i < 4; i++) {
		ag_val v;

		snprintf(text, sizeof(text),
		         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/%s\",\"params\":{"
		         "\"uri\":\"a:1\"}}",
		         methods[i / 2]);
		v = mcp_say(server, session, &bob, NULL, arena, text);
		assert_non_null(mcp_at(&v, "result"));
		ag_mcp_resource_updated(server, AG_S("a:1"));
		ag_mcp_resource_updated(server, AG_S("a:2"));
	}
	/* Twice subscribed is once told; not told any more after unsubscribe. */
	assert_int_equal(client.nsent, 2);
	assert_str(client.sent[0],
	           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
	           "\"params\":{\"uri\":\"a:1\"}}");
	ag_mcp_session_listen(session, NULL);
}

/* Many threads, one session: calls, cancels, questions of other threads. */
typedef struct busy {
	pthread_t thread;
	int number;
	unsigned nanswer;
} busy;

static void *be_busy(void *arg)
{
	busy *b = arg;
	char text[400];

	for (int i = 0; i < 200; i++) {
		ag_mcp_answer a;

		snprintf(
			text, sizeof(text),
			"{\"jsonrpc\":\"2.0\",\"id\":\"%d-%d\",\"method\":\"tools/call\",\"params\":{"
			"\"name\":\"echo\",\"arguments\":{\"text\":\"%d\"}}}",
			b->number, i, i);
		ag_mcp_handle(server, session, &bob, &client.peer, ag_str_c(text), &a);
		b->nanswer += a.text.len > 0;
		ag_mcp_answer_release(&a);
		snprintf(text, sizeof(text),
		         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
		         "\"requestId\":\"%d-%d\"}}",
		         (b->number + 1) % 4, i);
		ag_mcp_handle(server, session, &bob, &client.peer, ag_str_c(text), &a);
		ag_mcp_answer_release(&a);
		ag_mcp_resource_updated(server, AG_S("a:1"));
	}
	return NULL;
}

static void many_at_once(void **state)
{
	busy b[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		b[i] = (busy){ .number = i };
		assert_int_equal(pthread_create(&b[i].thread, NULL, be_busy, &b[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(b[i].thread, NULL);
		assert_true(b[i].nanswer > 0);
	}
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_cancelled_call_is_not_answered),
		T(another_session_cancels_nothing),
		T(a_stateless_call_is_cancelled_by_its_own_peer),
		T(who_leaves_cancels),
		T(the_end_of_a_session_ends_its_calls),
		T(so_many_at_once),
		T(a_call_has_a_deadline),
		T(progress_only_goes_up),
		T(the_log_has_a_level),
		T(a_stateless_log_is_asked_for),
		T(a_client_is_asked),
		T(nobody_to_ask),
		T(a_question_ends_with_its_call),
		T(asked_by_the_result),
		T(a_state_is_good_for_one_call),
		T(a_state_grows_old),
		T(what_the_client_lacks_is_named),
		T(a_stream_of_changes),
		T(a_session_subscribes),
		T(many_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
