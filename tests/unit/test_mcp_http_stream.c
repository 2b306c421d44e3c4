/* MCP over HTTP: calls that are answered as streams, connections that break, and what is found again after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mcp_http_rig.h"

#define NOW "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"

static bool wait_for(atomic_uint *n, unsigned want)
{
	for (unsigned i = 0; i < 500 && atomic_load(n) != want; i++)
		usleep(10000);
	return atomic_load(n) == want;
}

/* "12-3" of the last event that has an id. */
static void last_id(const raw_conn *c, char ret[64])
{
	const char *at = NULL;

	for (const char *p = c->buf; (p = strstr(p, "id: ")) != NULL; p += 4)
		at = p;
	assert_non_null(at);
	snprintf(ret, 64, "%.*s", (int)strcspn(at + 4, "\r\n"), at + 4);
}

static void open_get(raw_conn *c, rig *g, const char *last)
{
	char headers[400];

	assert_true(raw_open(c, g->port));
	snprintf(headers, sizeof(headers), "%s%s%s%s", rig_in(g->session),
	         last ? "Last-Event-ID: " : "", last ? last : "", last ? "\r\n" : "");
	assert_true(rig_send(c, "GET", headers, NULL));
}

static void progress(void **state)
{
	rig g;

	(void)state;
	rig_start(&g);
	assert_true(rig_open(&g, ""));
	assert_int_equal(rig_say(&g, "POST", rig_in(g.session),
	                         RIG_CALL("1", "test_tool_with_progress", RIG_TOKEN)),
	                 200);
	assert_string_equal(raw_header(&g.r, "Content-Type"), "text/event-stream");
	/* First an id, so that a cut at any time can be mended; then what happened, in order. */
	assert_memory_equal(g.r.body, "id: 1-0\ndata: \n\nevent: message\nid: 1-1\ndata: {", 46);
	assert_non_null(strstr(g.r.body, "\"progress\":100"));
	assert_non_null(
		strstr(g.r.body, "id: 1-4\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\""));
	/* Nothing comes before the answer: plain JSON, also when something might have. */
	assert_int_equal(rig_say(&g, "POST", rig_in(g.session),
	                         RIG_CALL("2", "echo",
	                                  ",\"arguments\":{\"text\":\"x\"}" RIG_TOKEN)),
	                 200);
	assert_string_equal(raw_header(&g.r, "Content-Type"), "application/json");
	rig_stop(&g);
}

/* However soon an answer follows the message that makes it a stream, and however large it is. */
static void a_large_answer_is_not_lost(void **state)
{
	rig g;

	(void)state;
	rig_start(&g);
	assert_true(rig_open(&g, ""));
	for (int i = 0; i < 30; i++) {
		assert_int_equal(rig_say(&g, "POST", rig_in(g.session),
		                         RIG_CALL("1", "flood", RIG_TOKEN)),
		                 200);
		if (g.r.nbody <= 2u << 20)
			fail_msg("%d: %zu bytes: %.600s", i, g.r.nbody, g.r.body);
		assert_non_null(strstr(g.r.body, "\"id\":1,\"result\""));
	}
	rig_stop(&g);
}

static void let_go(void **state)
{
	char id[64];
	raw_conn c;
	rig g;

	(void)state;
	rig_start(&g);
	assert_true(rig_open(&g, ""));
	assert_true(
		rig_send(&g.c, "POST", rig_in(g.session), RIG_CALL("5", "test_reconnection", "")));
	assert_true(raw_wait(&g.c, "retry: 500\n\n", 5000));
	last_id(&g.c, id);
	assert_true(raw_read(&g.c, &g.r, 5000));
	assert_null(strstr(g.r.body, "\"result\""));
	open_get(&c, &g, id);
	assert_true(raw_wait(&c, "\"id\":5,\"result\"", 5000));
	assert_true(raw_wait(&c, "\r\n0\r\n\r\n", 5000));
	raw_close(&c);
	usleep(50000);
	/* All was delivered: it is not kept. Ids of nobody, and of other sessions, are refused. */
	open_get(&c, &g, id);
	assert_true(raw_wait(&c, "HTTP/1.1 400", 5000));
	raw_close(&c);
	open_get(&c, &g, "x-y");
	assert_true(raw_wait(&c, "HTTP/1.1 400", 5000));
	raw_close(&c);
	rig_stop(&g);
}

/* A connection that breaks is no cancel in a session: the answer is there when the client comes back. */
static void cut_off(void **state)
{
	char id[64], mine[64];
	raw_conn c;
	rig g;

	(void)state;
	rig_start(&g);
	assert_true(rig_open(&g, ""));
	assert_true(raw_open(&c, g.port));
	assert_true(rig_send(&c, "POST", rig_in(g.session), RIG_CALL("9", "wait", RIG_TOKEN)));
	assert_true(raw_wait(&c, "data: \n\n", 5000));
	last_id(&c, id);
	raw_abort(&c);
	usleep(100000);
	assert_int_equal(atomic_load(&mcp_waiting), 1);
	/* Another session cannot have it. */
	snprintf(mine, sizeof(mine), "%s", g.session);
	assert_true(rig_open(&g, ""));
	open_get(&c, &g, id);
	assert_true(raw_wait(&c, "HTTP/1.1 400", 5000));
	raw_close(&c);
	snprintf(g.session, sizeof(g.session), "%s", mine);
	/* Back while it still runs, cut off again, back when it is done. */
	open_get(&c, &g, id);
	assert_true(raw_wait(&c, "data: \n\n", 5000));
	raw_close(&c);
	atomic_store(&mcp_go, true);
	assert_true(wait_for(&mcp_waiting, 0));
	usleep(50000);
	open_get(&c, &g, id);
	assert_true(raw_wait(&c, "\"id\":9,\"result\"", 5000));
	raw_close(&c);
	assert_int_equal(atomic_load(&mcp_cancels), 0);
	rig_stop(&g);
}

/* Without a session, closing the stream is the cancel. */
static void stateless_reader_leaves(void **state)
{
	raw_conn c;
	rig g;

	(void)state;
	rig_start(&g);
	assert_true(raw_open(&c, g.port));
	assert_true(rig_send(&c, "POST", NOW "Mcp-Name: wait\r\n",
	                     RIG_CALL("9", "wait",
	                              ",\"_meta\":{\"progressToken\":7,"
	                              "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
	                              "\"io.modelcontextprotocol/clientCapabilities\":{}}")));
	assert_true(raw_wait(&c, "text/event-stream", 5000));
	assert_true(wait_for(&mcp_waiting, 1));
	assert_null(strstr(c.buf, "id: "));
	raw_close(&c);
	assert_true(wait_for(&mcp_cancels, 1));
	rig_stop(&g);
}

static void the_session_s_own(void **state)
{
	char id[64];
	raw_conn c, second;
	rig g;

	(void)state;
	rig_start(&g);
	assert_true(rig_open(&g, ""));
	assert_int_equal(
		rig_say(&g, "POST", rig_in(g.session),
	                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
	                "\"uri\":\"test://watched-resource\"}}"),
		200);
	open_get(&c, &g, NULL);
	assert_true(raw_wait(&c, "data: \n\n", 5000));
	open_get(&second, &g, NULL);
	assert_true(raw_wait(&second, "HTTP/1.1 409", 5000));
	raw_close(&second);
	ag_mcp_resource_updated(g.server, AG_S("test://watched-resource"));
	assert_true(raw_wait(&c, "notifications/resources/updated", 5000));
	last_id(&c, id);
	raw_close(&c);
	usleep(100000);
	/* What came while nobody read is not lost, and comes once. */
	ag_mcp_resource_updated(g.server, AG_S("test://watched-resource"));
	open_get(&c, &g, NULL);
	assert_true(raw_wait(&c, "notifications/resources/updated", 5000));
	raw_close(&c);
	usleep(100000);
	open_get(&c, &g, NULL);
	assert_true(raw_wait(&c, "data: \n\n", 5000));
	assert_false(raw_wait(&c, "notifications", 200));
	/* Whoever asks by its id takes it over. */
	open_get(&second, &g, id);
	assert_true(raw_wait(&second, "notifications/resources/updated", 5000));
	assert_true(raw_wait(&c, "\r\n0\r\n\r\n", 5000));
	raw_close(&c);
	/* It ends with its session. */
	assert_int_equal(rig_say(&g, "DELETE", rig_in(g.session), NULL), 204);
	assert_true(raw_wait(&second, "\r\n0\r\n\r\n", 5000));
	raw_close(&second);
	rig_stop(&g);
}

static void questions(void **state)
{
	raw_conn c;
	rig g;

	(void)state;
	rig_start(&g);
	assert_true(rig_open(&g, ""));
	assert_true(raw_open(&c, g.port));
	assert_true(rig_send(&c, "POST", rig_in(g.session),
	                     RIG_CALL("1", "test_sampling", ",\"arguments\":{\"prompt\":\"?\"}")));
	assert_true(raw_wait(&c, "sampling/createMessage", 5000));
	assert_non_null(strstr(c.buf, "\"id\":\"argus-1\""));
	assert_int_equal(
		rig_say(&g, "POST", rig_in(g.session),
	                "{\"jsonrpc\":\"2.0\",\"id\":\"argus-1\",\"result\":{\"role\":\"assistant\","
	                "\"content\":{\"type\":\"text\",\"text\":\"forty-two\"},\"model\":\"m\"}}"),
		202);
	assert_true(raw_wait(&c, "forty-two", 5000));
	raw_close(&c);
	rig_stop(&g);
}

static void limits(void **state)
{
	raw_conn c;
	rig g;

	(void)state;
	rig_start_with(&g, (ag_server_opts){ .max_streams = 1 });
	assert_true(rig_open(&g, ""));
	assert_true(raw_open(&c, g.port));
	assert_true(rig_send(&c, "POST", rig_in(g.session), RIG_CALL("1", "wait", RIG_TOKEN)));
	assert_true(wait_for(&mcp_waiting, 1));
	assert_int_equal(rig_say(&g, "POST", rig_in(g.session), RIG_CALL("2", "wait", RIG_TOKEN)),
	                 503);
	assert_string_equal(raw_header(&g.r, "Retry-After"), "1");
	atomic_store(&mcp_go, true);
	assert_true(raw_wait(&c, "\"waited\":true", 5000));
	usleep(50000);
	assert_int_equal(rig_say(&g, "POST", rig_in(g.session), RIG_CALL("3", "wait", RIG_TOKEN)),
	                 200);
	raw_close(&c);
	rig_stop(&g);
}

/* A stop ends what is under way, of every kind, and says so to who still listens. */
static void stop_with_calls(void **state)
{
	raw_conn plain, stream, get;
	int64_t began;
	rig g;

	(void)state;
	rig_start(&g);
	assert_true(rig_open(&g, ""));
	assert_true(raw_open(&plain, g.port));
	assert_true(raw_open(&stream, g.port));
	assert_true(rig_send(&plain, "POST", rig_in(g.session), RIG_CALL("1", "wait", "")));
	assert_true(rig_send(&stream, "POST", rig_in(g.session), RIG_CALL("2", "wait", RIG_TOKEN)));
	open_get(&get, &g, NULL);
	assert_true(raw_wait(&get, "data: \n\n", 5000));
	assert_true(raw_wait(&stream, "data: \n\n", 5000));
	assert_true(wait_for(&mcp_waiting, 2));
	began = raw_now_ms();
	rig_stop(&g);
	assert_true(raw_now_ms() - began < 3000);
	assert_int_equal(atomic_load(&mcp_cancels), 2);
	assert_true(raw_wait(&plain, "\"error\"", 1000));
	assert_true(raw_wait(&stream, "\"error\"", 1000));
	assert_true(raw_wait_end(&get, 1000));
	raw_close(&plain);
	raw_close(&stream);
	raw_close(&get);
}

typedef struct client {
	pthread_t thread;
	rig *g;
	unsigned seed;
	atomic_bool *is_over;
	unsigned nwrong;
} client;

/* Calls of every kind that are cut off anywhere, and half of them looked for again. */
static void *rage(void *arg)
{
	static const char *const calls[] = {
		RIG_CALL("1", "test_tool_with_progress", RIG_TOKEN),
		RIG_CALL("1", "test_reconnection", ""),
		RIG_CALL("1", "echo", ",\"arguments\":{\"text\":\"hi\"}"),
		RIG_CALL("1", "echo", ",\"arguments\":{\"text\":\"hi\"}" RIG_TOKEN),
	};
	client *cl = (client *)arg;
	char session[64] = "", headers[256];
	raw_reply r = { 0 };
	raw_conn c;

	while (!atomic_load(cl->is_over)) {
		unsigned roll = (unsigned)rand_r(&cl->seed);

		if (!raw_open(&c, cl->g->port)) {
			raw_close(&c);
			break;
		}
		if (!session[0] || roll % 16 == 0) {
			if (rig_send(&c, "POST", "", RIG_HANDSHAKE) && raw_read(&c, &r, 3000) &&
			    raw_header(&r, "Mcp-Session-Id"))
				snprintf(session, sizeof(session), "%s",
				         raw_header(&r, "Mcp-Session-Id"));
			raw_close(&c);
			continue;
		}
		snprintf(headers, sizeof(headers),
		         "Mcp-Session-Id: %s\r\nMCP-Protocol-Version: 2025-11-25\r\n%s", session,
		         roll % 5 == 0 ? "Last-Event-ID: 1-0\r\n" : "");
		if (roll % 7 == 0)
			rig_send(&c, "DELETE", headers, NULL);
		else if (roll % 3 == 0)
			rig_send(&c, "GET", headers, NULL);
		else
			rig_send(&c, "POST", headers, calls[roll / 64 % 4]);
		raw_more(&c, raw_now_ms() + (int64_t)(roll >> 9) % 60);
		if (c.n > 12 && strncmp(c.buf, "HTTP/1.1 500", 12) == 0)
			cl->nwrong++;
		if (roll % 2)
			raw_abort(&c);
		else
			raw_close(&c);
	}
	free(r.body);
	return NULL;
}

static void many_that_break(void **state)
{
	client clients[12];
	atomic_bool is_over = false;
	rig g;

	(void)state;
	rig_start(&g);
	for (unsigned i = 0; i < AG_NELEM(clients); i++) {
		clients[i] = (client){ .g = &g, .seed = i + 1, .is_over = &is_over };
		assert_int_equal(pthread_create(&clients[i].thread, NULL, rage, &clients[i]), 0);
	}
	usleep(2000000);
	g.http = ag_server_stop(g.http);
	atomic_store(&is_over, true);
	for (unsigned i = 0; i < AG_NELEM(clients); i++) {
		pthread_join(clients[i].thread, NULL);
		assert_int_equal(clients[i].nwrong, 0);
	}
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(progress),
		cmocka_unit_test(a_large_answer_is_not_lost),
		cmocka_unit_test(let_go),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(stateless_reader_leaves),
		cmocka_unit_test(the_session_s_own),
		cmocka_unit_test(questions),
		cmocka_unit_test(limits),
		cmocka_unit_test(stop_with_calls),
		cmocka_unit_test(many_that_break),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
