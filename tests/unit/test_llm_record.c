/* What was recorded is replayed byte for byte, failures included; and what differs is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "llm/recording.h"
#include "llm_script.h"

#define MAX_FILE (1u << 20)

/* --- files --------------------------------------------------------------------------------------- */

static char folder[64], path[128];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/argus-record-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/run.ndjson", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static void write_file(const char *text, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static char *read_file(size_t *ret_n)
{
	char *text = calloc(1, MAX_FILE);
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	*ret_n = fread(text, 1, MAX_FILE - 1, f);
	fclose(f);
	return text;
}

/* --- runs ---------------------------------------------------------------------------------------- */

#define NCALL 6

typedef struct outcome {
	ag_status st[NCALL];
	ag_err err[NCALL];
	ag_llm_reply reply[NCALL];
	ag_status finished;
	ag_err finish_err;
} outcome;

static const llm_step all_steps[] = {
	{ 200, HELLO },
	{ 503, ERROR("busy"), .retry_after = "0" },
	{ 200, SSE_TEXT("cut"), .fail = AG_UNAVAILABLE, .native = 18, .message = "h: it was cut" },
	{ 200, SSE_TEXT("a \\u00fc and \xff\xfe bytes") SSE_STOP("stop") SSE_DONE },
	{ 401, ERROR("no") },
	{ 307, "", .location = "https://other.example.com/" },
	{ 400, ERROR("response_format is unknown") },
	{ 200, "{\"choices\":[{\"message\":{\"content\":\"{}\"},\"finish_reason\":\"stop\"}]}" },
	{ 0, .fail = AG_UNAVAILABLE, .native = 60, .message = "h: certificate" },
};

/* Six calls; their requests differ in a number, the fourth wants JSON. */
static void run_calls(const ag_llm_hub_opts *o, ag_arena *arena, outcome *ret)
{
	ag_llm_model m = llm_model();
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	ag_llm_hub *hub = NULL;
	ag_llm *l = NULL;
	ag_err err = { 0 };

	memset(ret, 0, sizeof(*ret));
	if (ag_llm_hub_open(o, &hub, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(ag_llm_open(hub, &m, &l, &err), AG_OK);
	for (unsigned i = 0; i < NCALL; i++) {
		ag_llm_request r = llm_request();

		r.max_output_tokens = 100 + i;
		if (i == 4) {
			r.format_name = AG_S("act");
			r.format_schema = AG_S("{\"type\":\n\"object\"}");
		}
		ret->st[i] = ag_llm_ask(l, &ctx, &r, arena, &ret->reply[i], &ret->err[i]);
	}
	ret->finished = ag_llm_hub_finish(hub, &ret->finish_err);
	ag_llm_close(l);
	ag_llm_hub_close(hub);
}

static void record(llm_script *script, ag_arena *arena, outcome *ret)
{
	const ag_llm_hub_opts o = { .transport = &script->base,
		                    .record = ag_str_c(path),
		                    .backoff_ms = 1 };

	script_init(script, all_steps, AG_NELEM(all_steps));
	script->piece = 7;
	run_calls(&o, arena, ret);
	assert_int_equal(script->at, AG_NELEM(all_steps));
	script_free_seen(script);
}

static void assert_same(ag_str a, ag_str b)
{
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.ptr, b.ptr, a.len);
}

static void a_replay_gives_the_same(void **state)
{
	const ag_llm_hub_opts o = { .replay = ag_str_c(path) };
	ag_arena *arena = ag_arena_new();
	outcome first, again;
	llm_script script;
	struct stat s;

	(void)state;
	record(&script, arena, &first);
	assert_int_equal(first.finished, AG_OK);
	assert_int_equal(stat(path, &s), 0);
	assert_int_equal(s.st_mode & 0777, 0600);
	run_calls(&o, arena, &again);
	assert_int_equal(first.st[0], AG_OK);
	assert_int_equal(first.st[1], AG_OK);
	assert_int_equal(first.st[2], AG_DENIED);
	assert_int_equal(first.st[3], AG_INVALID);
	assert_int_equal(first.st[4], AG_OK);
	assert_int_equal(first.st[5], AG_UNAVAILABLE);
	for (size_t i = 0; i < NCALL; i++) {
		assert_int_equal(again.st[i], first.st[i]);
		assert_string_equal(again.err[i].msg, first.err[i].msg);
		assert_string_equal(again.err[i].hint, first.err[i].hint);
		assert_int_equal(again.err[i].native, first.err[i].native);
		assert_int_equal(again.reply[i].attempts, first.reply[i].attempts);
		assert_int_equal(again.reply[i].usage.input_tokens,
		                 first.reply[i].usage.input_tokens);
		assert_same(again.reply[i].text, first.reply[i].text);
		assert_same(again.reply[i].json, first.reply[i].json);
	}
	assert_int_equal(first.reply[1].attempts, 3);
	ag_arena_free(arena);
}

static void no_key_is_in_the_file(void **state)
{
	static const llm_step steps[] = { { 200,
		                            SSE_TEXT("your key is " LLM_KEY) SSE_STOP("stop") } };
	ag_arena *arena = ag_arena_new();
	ag_llm_request r = llm_request();
	ag_llm_part part = { .type = AG_LLM_TEXT, .text = AG_S("my key is " LLM_KEY "!") };
	ag_llm_message message = { AG_LLM_USER, &part, 1 };
	ag_llm_model m = llm_model();
	ag_llm_hub *hub = NULL;
	ag_llm_reply reply;
	llm_script script;
	ag_llm *l = NULL;
	ag_err err = { 0 };
	size_t n;
	char *text;

	(void)state;
	script_init(&script, steps, 1);
	r.messages = &message;
	for (int replayed = 0; replayed < 2; replayed++) {
		const ag_llm_hub_opts o = { .transport = replayed ? NULL : &script.base,
			                    .record = replayed ? AG_S("") : ag_str_c(path),
			                    .replay = replayed ? ag_str_c(path) : AG_S("") };

		assert_int_equal(ag_llm_hub_open(&o, &hub, &err), AG_OK);
		assert_int_equal(ag_llm_open(hub, &m, &l, &err), AG_OK);
		/* The replayed request holds the key, the recorded one does not: they are the same. */
		if (ag_llm_ask(l, NULL, &r, arena, &reply, &err))
			fail_msg("%s", err.msg);
		assert_true(ag_str_eqc(reply.text, "your key is [redacted]"));
		ag_llm_close(l);
		ag_llm_hub_close(hub);
	}
	text = read_file(&n);
	assert_null(memmem(text, n, LLM_KEY, sizeof(LLM_KEY) - 1));
	assert_non_null(strstr(text, "my key is [redacted]!"));
	free(text);
	script_free_seen(&script);
	ag_arena_free(arena);
}

/* --- what differs -------------------------------------------------------------------------------- */

static ag_status ask_text(ag_llm *l, const char *text, ag_arena *arena, ag_llm_reply *reply,
                          ag_err *err)
{
	ag_llm_part part = { .type = AG_LLM_TEXT, .text = ag_str_c(text) };
	ag_llm_message message = { AG_LLM_USER, &part, 1 };
	ag_llm_request r = llm_request();

	r.messages = &message;
	return ag_llm_ask(l, NULL, &r, arena, reply, err);
}

static void another_request_is_named(void **state)
{
	static const llm_step steps[] = { { 200, HELLO }, { 200, HELLO }, { 200, HELLO } };
	static const char *const texts[] = { "first", "the second question", "third" };
	const ag_llm_hub_opts replay = { .replay = ag_str_c(path) };
	ag_llm_hub_opts o = { .record = ag_str_c(path) };
	ag_arena *arena = ag_arena_new();
	ag_llm_model m = llm_model();
	ag_llm_hub *hub = NULL;
	ag_llm_reply reply;
	llm_script script;
	ag_llm *l = NULL;
	ag_err err = { 0 };

	(void)state;
	script_init(&script, steps, 3);
	o.transport = &script.base;
	assert_int_equal(ag_llm_hub_open(&o, &hub, &err), AG_OK);
	assert_int_equal(ag_llm_open(hub, &m, &l, &err), AG_OK);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(ask_text(l, texts[i], arena, &reply, &err), AG_OK);
	ag_llm_close(l);
	ag_llm_hub_close(hub);
	script_free_seen(&script);

	assert_int_equal(ag_llm_hub_open(&replay, &hub, &err), AG_OK);
	assert_int_equal(ag_llm_open(hub, &m, &l, &err), AG_OK);
	/* A resumed run begins in the middle. */
	assert_int_equal(ask_text(l, "third", arena, &reply, &err), AG_OK);
	assert_int_equal(ask_text(l, "the second answer", arena, &reply, &err), AG_CONFLICT);
	if (!strstr(err.msg, "exchange 2 at $.messages[0].content: byte 11: recorded \"the second "
	                     "question\", now \"the second answer\""))
		fail_msg("%s", err.msg);
	assert_non_null(strstr(err.msg, "run.ndjson"));
	assert_int_equal(ask_text(l, "the second question", arena, &reply, &err), AG_OK);
	assert_int_equal(ask_text(l, "first", arena, &reply, &err), AG_OK);
	/* Each is used once. */
	assert_int_equal(ask_text(l, "first", arena, &reply, &err), AG_CONFLICT);
	assert_non_null(strstr(err.msg, "all 3 recorded exchanges are used"));
	ag_llm_close(l);
	ag_llm_hub_close(hub);
	ag_arena_free(arena);
}

static void differences(void **state)
{
	static const struct {
		const char *recorded, *now, *want;
	} rows[] = {
		{ "{\"a\":1,\"b\":[1,2]}", "{\"a\": 1, \"b\": [1, 2]}", "" },
		{ "{\"a\":1}", "{\"a\":2}", "$.a: recorded 1, now 2" },
		{ "{\"a\":1}", "{\"a\":\"1\"}", "$.a: recorded 1, now \"1\"" },
		{ "{\"a\":1}", "{\"a\":1.0}", "$.a: recorded 1, now 1.0" },
		{ "{\"a\":{\"x y\":true}}", "{\"a\":{\"x y\":false}}",
		  "$.a[\"x y\"]: recorded true, now false" },
		{ "{\"a\":1,\"b\":2}", "{\"a\":1}", "$.b: recorded 2, now nothing" },
		{ "{\"a\":1}", "{\"a\":1,\"b\":{\"c\":3}}",
		  "$.b: recorded nothing, now {\"c\":3}" },
		{ "{\"a\":[1,2,3]}", "{\"a\":[1,2]}", "$.a: recorded 3 items, now 2" },
		{ "{\"a\":[1,{\"b\":[0]}]}", "{\"a\":[1,{\"b\":[5]}]}",
		  "$.a[1].b[0]: recorded 0, now 5" },
		{ "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}",
		  "$: the members stand in another order" },
		{ "{\"a\":null}", "[]", "$: recorded {\"a\":null}, now []" },
		{ "{\"a\":\"0123456789012345678901234567890123456789x9012345678901234567890123456789\"}",
		  "{\"a\":\"0123456789012345678901234567890123456789y9012345678901234567890123456789\"}",
		  "$.a: byte 40: recorded …\"890123456789x901234567890123456789012345\"…, now "
		  "…\"890123456789y901234567890123456789012345\"…" },
		{ "{\"a\":\"short\"}", "{\"a\":\"short and more\"}",
		  "$.a: byte 5: recorded \"short\", now \"short and more\"" },
		/* No character is cut: the ü before, the ü after. */
		{ "{\"a\":\"üüüüüüüüüü1üüüüüüüüüüüüüüüüüüüü\"}", "{\"a\":\"üüüüüüüüüü2\"}",
		  "$.a: byte 20: recorded …\"üüüüüü1üüüüüüüüüüüüü\"…, now …\"üüüüüü2\"" },
		{ "{\"a\":\"-üüüüüüüüüü1\"}", "{\"a\":\"-üüüüüüüüüü2\"}",
		  "$.a: byte 21: recorded …\"üüüüüü1\", now …\"üüüüüü2\"" },
		{ "{\"a\":\"üüüüüüüüüüx1\"}", "{\"a\":\"üüüüüüüüüüx2\"}",
		  "$.a: byte 21: recorded …\"üüüüüüx1\", now …\"üüüüüüx2\"" },
		{ "", "{}", "$: byte 0: recorded \"\", now \"{}\"" },
		{ "no json", "no json", "" },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		ag_str got = ag_json_difference(ag_str_c(rows[i].recorded), ag_str_c(rows[i].now),
		                                arena);

		if (!ag_str_eqc(got, rows[i].want))
			fail_msg("%s / %s:\n got %.*s\nwant %s", rows[i].recorded, rows[i].now,
			         AG_FMT(got), rows[i].want);
	}
	ag_arena_free(arena);
}

/* --- files that cannot be used ------------------------------------------------------------------- */

#define HEADER "{\"argus_recording\":1,\"argus\":\"0.1.0\"}\n"
#define LINE                                                                                                  \
	"{\"n\":1,\"purpose\":\"planner\",\"provider\":\"openai\",\"url\":\"https://h/v1/x\",\"request\":{}," \
	"\"status\":200,\"content_type\":\"\",\"retry_after\":\"\",\"response\":\"\"}\n"

static void broken_recordings_name_the_line(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "run.ndjson:1: this is no recording" },
		{ "{}\n", "run.ndjson:1: this is no recording" },
		{ "hello\n", "run.ndjson:1: this is no recording" },
		{ "{\"argus_recording\":2}\n", "run.ndjson:1: the recording has version 2" },
		{ HEADER LINE "{\"n\":\n" LINE, "run.ndjson:3: " },
		{ HEADER "[]\n", "run.ndjson:2: a line must be a JSON object" },
		{ HEADER "{\"url\":\"u\",\"response\":\"\"}\n",
		  "run.ndjson:2: \"status\" is missing" },
		{ HEADER "{\"url\":\"u\",\"status\":200}\n",
		  "run.ndjson:2: \"response\" is neither" },
		{ HEADER "{\"status\":200,\"response\":\"\"}\n",
		  "run.ndjson:2: \"url\" is missing" },
		{ HEADER
		  "{\"url\":\"u\",\"status\":200,\"response\":\"\",\"error\":{\"status\":\"x\"}}\n",
		  "run.ndjson:2: \"error.status\" is no status" },
		{ HEADER "{\"url\":\"u\",\"status\":1e9,\"response\":\"\"}\n",
		  "run.ndjson:2: \"status\"" },
	};
	const ag_llm_hub_opts o = { .replay = ag_str_c(path) };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		ag_llm_hub *hub = NULL;
		ag_err err = { 0 };

		write_file(rows[i].text, strlen(rows[i].text));
		if (ag_llm_hub_open(&o, &hub, &err) != AG_INVALID)
			fail_msg("row %zu is taken", i);
		if (!strstr(err.msg, rows[i].want))
			fail_msg("row %zu: %s", i, err.msg);
	}
}

static void a_last_line_that_was_cut_is_left_out(void **state)
{
	static const char text[] = HEADER LINE LINE;
	const ag_llm_hub_opts o = { .replay = ag_str_c(path) };

	(void)state;
	for (size_t n = sizeof(HEADER) - 1; n < sizeof(text); n++) {
		ag_llm_hub *hub = NULL;
		ag_err err = { 0 };

		write_file(text, n);
		if (ag_llm_hub_open(&o, &hub, &err))
			fail_msg("%zu bytes: %s", n, err.msg);
		ag_llm_hub_close(hub);
	}
}

static ag_status open_record(ag_err *err)
{
	llm_script script;
	const ag_llm_hub_opts o = { .transport = &script.base, .record = ag_str_c(path) };
	ag_llm_hub *hub = NULL;
	ag_status st;

	script_init(&script, NULL, 0);
	st = ag_llm_hub_open(&o, &hub, err);
	ag_llm_hub_close(hub);
	return st;
}

static void nothing_is_overwritten(void **state)
{
	ag_llm_hub_opts both = { .record = AG_S("a"), .replay = AG_S("b") };
	ag_llm_hub *hub = NULL;
	ag_err err = { 0 };
	size_t n;
	char *text;

	(void)state;
	write_file("precious", 8);
	assert_int_equal(open_record(&err), AG_CONFLICT);
	assert_non_null(strstr(err.msg, "is not empty"));
	assert_non_null(strstr(err.hint, "another file"));
	text = read_file(&n);
	assert_string_equal(text, "precious");
	free(text);
	write_file("", 0);
	assert_int_equal(open_record(&err), AG_OK); /* an empty one may be there */
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(open_record(&err) == AG_OK, false);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(open_record(&err) == AG_OK, false);
	rmdir(path);
	assert_int_equal(ag_llm_hub_open(&both, &hub, &err), AG_INVALID);
	both = (ag_llm_hub_opts){ .replay = ag_str_c(path) };
	assert_int_equal(ag_llm_hub_open(&both, &hub, &err), AG_NOT_FOUND);
}

/* A disk that is full: the run goes on, the file ends at a whole line, finish tells. */
static void a_full_disk_ends_the_recording_only(void **state)
{
	struct rlimit old, small;
	ag_arena *arena = ag_arena_new();
	llm_script script;
	outcome o;
	size_t n;
	char *text;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 1500;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	record(&script, arena, &o);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(o.st[0], AG_OK);
	assert_int_equal(o.st[4], AG_OK);
	assert_int_equal(o.finished, AG_IO);
	assert_non_null(strstr(o.finish_err.msg, "cannot be written"));
	assert_non_null(strstr(o.finish_err.hint, "first"));
	text = read_file(&n);
	assert_in_range(n, 300, 1500);
	assert_int_equal(text[n - 1], '\n');
	free(text);
	ag_arena_free(arena);
}

/* --- the codec ----------------------------------------------------------------------------------- */

static void an_exchange_comes_back(void **state)
{
	static const char bytes[] = "\0\x01\xff{\"\\\n\xc3";
	ag_exchange x = {
		.n = 7,
		.purpose = AG_S("judge"),
		.provider = AG_S("openai"),
		.url = AG_S("https://h:8/v1/x?y=1"),
		.status = 599,
		.request = AG_S("{\"a\":1.10,\n \"b\":\"\\u00e4\\n\",\"request\":[]}"),
		.content_type = AG_S("text/event-stream"),
		.retry_after = AG_S("5"),
		.location = AG_S("/x"),
		.response = { bytes, sizeof(bytes) - 1 },
		.error = { .status = AG_TIMEOUT,
		           .native = 28,
		           .msg = "it took \"long\"",
		           .hint = "wait" },
	};
	ag_arena *arena = ag_arena_new();
	ag_buf line = AG_BUF_INIT(MAX_FILE);
	ag_exchange got = { 0 };
	ag_err err = { 0 };

	(void)state;
	assert_int_equal(ag_exchange_write(&x, &line, &err), AG_OK);
	assert_null(memchr(line.ptr, '\n', line.len));
	if (ag_exchange_read(ag_buf_view(&line), arena, &got, &err))
		fail_msg("%s: %s", err.msg, line.ptr);
	assert_int_equal(got.n, 7);
	assert_same(got.purpose, x.purpose);
	/* A query may hold a key: it is neither recorded nor compared. */
	assert_same(got.url, AG_S("https://h:8/v1/x"));
	assert_same(ag_exchange_path(x.url), AG_S("/v1/x"));
	assert_same(ag_exchange_path(AG_S("https://h?y=/1")), AG_S(""));
	assert_same(got.request, ag_exchange_request(x.request, arena));
	assert_same(got.request, AG_S("{\"a\":1.10,  \"b\":\"\\u00e4\\n\",\"request\":[]}"));
	assert_int_equal(got.status, 599);
	assert_same(got.content_type, x.content_type);
	assert_same(got.retry_after, x.retry_after);
	assert_same(got.location, x.location);
	assert_same(got.response, x.response);
	assert_int_equal(got.error.status, AG_TIMEOUT);
	assert_int_equal(got.error.native, 28);
	assert_string_equal(got.error.msg, x.error.msg);
	assert_string_equal(got.error.hint, x.error.hint);
	ag_buf_release(&line);
	ag_arena_free(arena);
}

/* A replay compares the recorded body with the one that would be sent now: bodies that are no JSON
 * container keep their line breaks and quotes. */
static void bodies_of_text_come_back(void **state)
{
	static const char *const bodies[] = { "no json\n", "a\r\nb",        "\"x\"",   "12\n",
		                              "null",      "{\"open\": \n", "[1,\n2]", "{}\n" };
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bodies); i++) {
		ag_exchange x = { .n = i,
			          .url = AG_S("http://h/"),
			          .status = 200,
			          .request = ag_str_c(bodies[i]) };
		ag_buf line = AG_BUF_INIT(MAX_FILE);
		ag_exchange got = { 0 };
		ag_err err = { 0 };

		assert_int_equal(ag_exchange_write(&x, &line, &err), AG_OK);
		assert_null(memchr(line.ptr, '\n', line.len));
		assert_int_equal(ag_exchange_read(ag_buf_view(&line), arena, &got, &err), AG_OK);
		assert_same(got.request, ag_exchange_request(x.request, arena));
		if (bodies[i][0] != '{' && bodies[i][0] != '[')
			assert_same(got.request, x.request);
		ag_buf_release(&line);
	}
	ag_arena_free(arena);
}

/* --- threads ------------------------------------------------------------------------------------- */

#define NTHREAD 8
#define NEACH   40

static ag_llm_hub *shared_hub;

static ag_status answer(ag_transport *t, const ag_ctx *ctx, const char *purpose,
                        const char *provider, const ag_http_request *r, ag_arena *arena,
                        ag_http_response *ret, ag_err *err)
{
	(void)t, (void)ctx, (void)purpose, (void)provider, (void)arena;
	memset(ret, 0, sizeof(*ret));
	ret->status = 200;
	return r->on_body(r->arg, AG_S(HELLO), err);
}

static void *ask_many(void *arg)
{
	ag_arena *arena = ag_arena_new();
	ag_llm_model m = llm_model();
	ag_llm_reply reply;
	ag_llm *l = NULL;
	size_t nok = 0;

	if (ag_llm_open(shared_hub, &m, &l, NULL))
		return arg;
	for (size_t i = 0; i < NEACH; i++)
		nok += !ask_text(l, arg, arena, &reply, NULL) && ag_str_eqc(reply.text, "Hello");
	ag_llm_close(l);
	ag_arena_free(arena);
	return nok == NEACH ? NULL : arg;
}

static void run_threads(const ag_llm_hub_opts *o)
{
	static char texts[NTHREAD][2] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	pthread_t threads[NTHREAD];
	ag_err err = { 0 };

	assert_int_equal(ag_llm_hub_open(o, &shared_hub, &err), AG_OK);
	for (int i = 0; i < NTHREAD; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_many, texts[i]), 0);
	for (int i = 0; i < NTHREAD; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(ag_llm_hub_finish(shared_hub, &err), AG_OK);
	ag_llm_hub_close(shared_hub);
}

static void threads_record_and_replay(void **state)
{
	static const ag_transport_type type = {
		.name = "answer", .send = answer, .close = script_close, .waits = true
	};
	ag_transport t = { &type };

	(void)state;
	run_threads(&(ag_llm_hub_opts){ .transport = &t, .record = ag_str_c(path) });
	run_threads(&(ag_llm_hub_opts){ .replay = ag_str_c(path) });
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_replay_gives_the_same),         TEST(another_request_is_named),
		TEST(broken_recordings_name_the_line), TEST(a_last_line_that_was_cut_is_left_out),
		TEST(nothing_is_overwritten),          TEST(a_full_disk_ends_the_recording_only),
		TEST(threads_record_and_replay),       TEST(no_key_is_in_the_file),
		cmocka_unit_test(differences),         cmocka_unit_test(an_exchange_comes_back),
		TEST(bodies_of_text_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
