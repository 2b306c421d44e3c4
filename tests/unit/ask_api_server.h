/* ask_api_server -- tests/fake/fake_api.py as a child of the test, and what it saw. */
#ifndef AG_TESTS_ASK_API_SERVER_H
#define AG_TESTS_ASK_API_SERVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask/api.h"
#include "contract/folder.h"
#include "query/extjson.h"

/* Looked for in everything that comes out. */
#define API_KEY "canary-key-0123456789abcdef"

typedef struct api_server {
	pid_t pid;
	unsigned port;
	char folder[128];
} api_server;

static inline void api_server_file(const api_server *s, const char *name, char path[192])
{
	snprintf(path, 192, "%s/%s", s->folder, name);
}

static inline void api_server_exec(const api_server *s, const char *const *options)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	char program[4096], log[192], port_file[192];
	const char *argv[24] = { "python3", program, "--key",       API_KEY,
		                 "--log",   log,     "--port-file", port_file };
	size_t n = 8;
	int quiet = open("/dev/null", O_WRONLY);

	snprintf(program, sizeof(program), "%s/tests/fake/fake_api.py", root ? root : ".");
	api_server_file(s, "log", log);
	api_server_file(s, "port", port_file);
	while (options && *options && n < AG_NELEM(argv) - 1)
		argv[n++] = *options++;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(quiet, STDOUT_FILENO); /* the test writes TAP there */
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* The file appears whole, once the server listens. False when the server ended instead. */
static inline bool api_server_wait(api_server *s)
{
	char path[192];
	int status;

	api_server_file(s, "port", path);
	for (int i = 0; i < 3000; i++) {
		FILE *f = fopen(path, "r");

		if (f) {
			bool ok = fscanf(f, "%u", &s->port) == 1;

			fclose(f);
			return ok && s->port;
		}
		if (waitpid(s->pid, &status, WNOHANG) == s->pid)
			break;
		usleep(10000);
	}
	s->pid = 0;
	return false;
}

static inline bool api_server_try(api_server *s, const char *const *options)
{
	*s = (api_server){ 0 };
	test_folder_make(s->folder, "api");
	s->pid = fork();
	assert_true(s->pid >= 0);
	if (s->pid == 0)
		api_server_exec(s, options);
	return api_server_wait(s);
}

static inline void api_server_start(api_server *s, const char *const *options)
{
	if (!api_server_try(s, options))
		fail_msg("tests/fake/fake_api.py does not start");
}

static inline void api_server_stop(api_server *s)
{
	int status = 0;

	if (s->pid) {
		kill(s->pid, SIGTERM);
		assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	s->pid = 0;
	test_folder_remove(s->folder);
}

/* All lines of its log so far. */
static inline const ag_val *api_server_log(const api_server *s, ag_arena *arena, size_t *ret_n)
{
	const ag_extjson_opts opts = { 0 };
	ag_buf text = AG_BUF_INIT(64u << 20);
	size_t n = 0, cap = 1;
	char path[192], piece[8192];
	ag_err err = { 0 };
	ag_val *lines;
	ag_str rest;
	FILE *f;

	api_server_file(s, "log", path);
	f = fopen(path, "r");
	assert_non_null(f);
	for (size_t got; (got = fread(piece, 1, sizeof(piece), f)) > 0;)
		ag_buf_add(&text, ag_str_make(piece, got));
	fclose(f);
	rest = ag_buf_dup(arena, &text);
	ag_buf_release(&text);
	/* A line that is being written this moment is not one yet. */
	while (rest.len && rest.ptr[rest.len - 1] != '\n')
		rest.len--;
	for (size_t i = 0; i < rest.len; i++)
		cap += rest.ptr[i] == '\n';
	lines = ag_new_n(arena, ag_val, cap);
	while (rest.len)
		assert_int_equal(ag_extjson_parse(ag_str_split(&rest, '\n'), &opts, arena,
		                                  &lines[n++], NULL, NULL, &err),
		                 AG_OK);
	*ret_n = n;
	return lines;
}

/* How many lines of that kind: "connect", "request". */
static inline size_t api_server_count(const api_server *s, const char *event)
{
	ag_arena *arena = ag_arena_new();
	size_t n, count = 0;
	const ag_val *lines = api_server_log(s, arena, &n);

	for (size_t i = 0; i < n; i++)
		count += ag_str_eqc(ag_val_member_str(&lines[i], "event"), event);
	ag_arena_free(arena);
	return count;
}

/* The last line of that kind; NULL = there is none. */
static inline const ag_val *api_server_last(const api_server *s, const char *event, ag_arena *arena)
{
	size_t n;
	const ag_val *lines = api_server_log(s, arena, &n), *last = NULL;

	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(ag_val_member_str(&lines[i], "event"), event))
			last = &lines[i];
	}
	return last;
}

/* Request line and headers of the last request, as they came. */
static inline ag_str api_last_head(const api_server *s, ag_arena *arena)
{
	const ag_val *line = api_server_last(s, "request", arena);

	assert_non_null(line);
	return ag_val_member_str(line, "head");
}

/* --- a handle on it, and one call */

typedef struct api_client {
	ag_api *api;
	ag_arena *arena;
	ag_api_opts opts;
	ag_api_result res;
	ag_val json; /* of res.text */
	ag_err err;
	ag_str note; /* of opening */
} api_client;

static inline void api_client_init(api_client *c, unsigned port)
{
	*c = (api_client){ .arena = ag_arena_new() };
	c->opts = (ag_api_opts){ .key = AG_S(API_KEY),
		                 .methods = AG_API_ALL,
		                 .key_name = "LMS_API_KEY",
		                 .base_name = "AGENT_API_BASE_URL" };
	c->opts.base_url = ag_str_printf(c->arena, "http://127.0.0.1:%u", port);
}

static inline void api_client_open(api_client *c)
{
	if (ag_api_open(&c->opts, c->arena, &c->api, &c->note, &c->err))
		fail_msg("%s (%s)", c->err.msg, c->err.hint);
}

static inline void api_client_start(api_client *c, unsigned port)
{
	api_client_init(c, port);
	api_client_open(c);
}

static inline void api_client_end(api_client *c)
{
	c->api = ag_api_close(c->api);
	c->arena = ag_arena_free(c->arena);
}

static inline void assert_no_key(ag_str text)
{
	if (ag_str_contains(text, AG_S(API_KEY)))
		fail_msg("the key in: %.*s", (int)(text.len < 600 ? text.len : 600), text.ptr);
}

/* What comes is checked for what holds always: one JSON object, our key nowhere in it, and messages that are whole. */
static inline ag_status api_ask_ctx(api_client *c, const ag_ctx *ctx, const ag_api_request *r)
{
	const ag_extjson_opts opts = { 0 };
	ag_status st;

	c->res = (ag_api_result){ 0 };
	c->err = (ag_err){ 0 };
	st = ag_api_call(c->api, ctx, c->arena, r, &c->res, &c->err);
	assert_no_key(ag_str_c(c->err.msg));
	assert_no_key(ag_str_c(c->err.hint));
	if (st) {
		assert_int_equal(c->err.status, st);
		assert_true(c->err.msg[0] != '\0');
		return st;
	}
	if (ag_extjson_parse(c->res.text, &opts, c->arena, &c->json, NULL, NULL, &c->err))
		fail_msg("%s in: %.*s", c->err.msg, AG_FMT(c->res.text));
	assert_int_equal(c->json.type, AG_T_OBJECT);
	assert_no_key(c->res.text);
	assert_no_key(c->res.sent);
	return AG_OK;
}

static inline ag_status api_ask(api_client *c, const char *method, const char *path)
{
	const ag_api_request r = { .method = ag_str_c(method), .path = ag_str_c(path) };

	return api_ask_ctx(c, NULL, &r);
}

static inline void api_get(api_client *c, const char *path)
{
	if (api_ask(c, "GET", path))
		fail_msg("%s: %s (%s)", path, c->err.msg, c->err.hint);
}

static inline ag_str api_str(const api_client *c, const char *name)
{
	return ag_val_member_str(&c->json, name);
}

/* With the port for each "@". */
static inline ag_str api_text(api_client *c, const char *fmt, unsigned port)
{
	ag_buf out = AG_BUF_INIT(10000);
	ag_str ret;

	for (; *fmt; fmt++) {
		if (*fmt == '@')
			ag_buf_addf(&out, "%u", port);
		else
			ag_buf_addc(&out, *fmt);
	}
	ret = ag_buf_dup(c->arena, &out);
	ag_buf_release(&out);
	return ret;
}

static inline uint64_t api_num(const api_client *c, const char *name)
{
	return ag_val_member_u64(&c->json, name);
}

static inline bool api_has(const api_client *c, const char *name)
{
	return ag_val_getc(&c->json, name) != NULL;
}

static inline void assert_says(ag_str text, const char *part)
{
	if (!ag_str_contains(text, ag_str_c(part)))
		fail_msg("\"%.*s\" does not say \"%s\"", (int)(text.len < 600 ? text.len : 600),
		         text.ptr, part);
}

#endif
