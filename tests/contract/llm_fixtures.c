/* Starting the scripted server as a child, asking it, reading its log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "llm_fixtures.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "llm/hub.h"
#include "query/extjson.h"

const llm_fixture llm_fixtures[] = {
	{ .name = "openai, streamed", .provider = "openai" },
	{ .name = "openai, whole", .provider = "openai", .is_whole = true },
	{ .name = "anthropic, streamed", .provider = "anthropic" },
	{ .name = "anthropic, whole", .provider = "anthropic", .is_whole = true },
};
const size_t nllm_fixture = AG_NELEM(llm_fixtures);

llm_env *llm_env_new(const llm_fixture *f)
{
	llm_env *env = ag_xcalloc(1, sizeof(*env));

	env->fixture = f;
	env->arena = ag_arena_new();
	env->ctx = (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
	ag_buf_init(&env->text, 64u << 20);
	ag_buf_init(&env->thinking, 64u << 20);
	test_folder_make(env->folder, "llm");
	ag_llm_model_init(&env->model);
	env->model.name = AG_S("test");
	env->model.provider = ag_str_c(f->provider);
	env->model.model = AG_S("fake-model");
	env->model.key = AG_S(LLM_TEST_KEY);
	env->model.no_stream = f->is_whole;
	return env;
}

llm_env *llm_env_new_once(const llm_fixture *f)
{
	llm_env *env = llm_env_new(f);

	env->model.attempts = 1;
	return env;
}

void llm_assert_no_key(const llm_env *env)
{
	assert_null(strstr(env->err.msg, LLM_TEST_KEY));
	assert_null(strstr(env->err.hint, LLM_TEST_KEY));
	assert_non_null(strstr(env->err.msg, "attempt"));
}

void llm_env_free(llm_env *env)
{
	if (!env)
		return;
	ag_llm_close(env->llm);
	ag_llm_hub_close(env->hub);
	llm_env_stop(env);
	ag_buf_release(&env->text);
	ag_buf_release(&env->thinking);
	ag_arena_free(env->arena);
	test_folder_remove(env->folder);
	free(env);
}

bool llm_env_is_anthropic(const llm_env *env)
{
	return strcmp(env->fixture->provider, "anthropic") == 0;
}

/* ---------------------------------------------------------------- the server */

static void in_folder(const llm_env *env, const char *name, char path[192])
{
	snprintf(path, 192, "%s/%s", env->folder, name);
}

static void write_script(const llm_env *env, const char *path, const char *script)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(script, f) >= 0);
	assert_int_equal(fclose(f), 0);
	(void)env;
}

/* In the child: becomes the server, and ends when the test does. */
static void exec_server(int out, const char *script, const char *log, const char *const *options)
{
	const char *argv[24] = { getenv("FAKE_MODEL"), "--script", script, "--log", log };
	size_t n = 5;

	while (options && *options && n < AG_NELEM(argv) - 1)
		argv[n++] = *options++;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(out, STDOUT_FILENO);
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* "port 12345\n" */
static unsigned read_port(int fd)
{
	char line[32];
	size_t n = 0;
	uint64_t port = 0;

	while (n < sizeof(line)) {
		ssize_t got = read(fd, line + n, 1);

		if (got <= 0 || line[n] == '\n')
			break;
		n++;
	}
	if (n < 6 || !ag_str_to_u64(ag_str_make(line + 5, n - 5), &port))
		return 0;
	return (unsigned)port;
}

void llm_env_serve(llm_env *env, const char *script, const char *const *options)
{
	char path[192], log[192];
	int out[2];

	llm_env_stop(env);
	if (!getenv("FAKE_MODEL"))
		fail_msg("FAKE_MODEL must name the scripted model server");
	in_folder(env, "script", path);
	in_folder(env, "log", log);
	write_script(env, path, script);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	env->server = fork();
	assert_true(env->server >= 0);
	if (env->server == 0)
		exec_server(out[1], path, log, options);
	close(out[1]);
	env->port = read_port(out[0]);
	close(out[0]);
	if (!env->port)
		fail_msg("the scripted model server does not start");
}

void llm_env_stop(llm_env *env)
{
	pid_t pid = env->server;
	int status = 0;

	if (!pid)
		return;
	env->server = 0;
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("the scripted model server ended with status %d", status);
}

void llm_env_open(llm_env *env)
{
	const ag_llm_hub_opts opts = { .clock = &ag_clock_system, .jitter_seed = 1 };

	env->llm = ag_llm_close(env->llm);
	env->hub = ag_llm_hub_close(env->hub);
	llm_assert_ok(env, ag_llm_hub_open(&opts, &env->hub, &env->err));
	env->hub->backoff_ms = 1;
	env->model.base_url = ag_str_printf(env->arena, "http://127.0.0.1:%u", env->port);
	llm_assert_ok(env, ag_llm_open(env->hub, &env->model, &env->llm, &env->err));
}

void llm_env_start(llm_env *env, const char *script)
{
	llm_env_serve(env, script, NULL);
	llm_env_open(env);
}

/* ---------------------------------------------------------------- asking */

static void on_delta(void *arg, const ag_llm_delta *d)
{
	llm_env *env = arg;

	switch (d->type) {
	case AG_LLM_DELTA_TEXT: ag_buf_add(&env->text, d->text); break;
	case AG_LLM_DELTA_THINKING: ag_buf_add(&env->thinking, d->text); break;
	case AG_LLM_DELTA_VOID:
		env->nrestart++;
		ag_buf_clear(&env->text);
		ag_buf_clear(&env->thinking);
		break;
	case AG_LLM_DELTA_CALL:
	case AG_LLM_DELTA_INPUT: break;
	}
}

ag_status llm_env_ask(llm_env *env, ag_llm_request *r)
{
	r->purpose = "test";
	r->on_delta = on_delta;
	r->arg = env;
	ag_buf_clear(&env->text);
	ag_buf_clear(&env->thinking);
	env->nrestart = 0;
	env->err = (ag_err){ 0 };
	return ag_llm_ask(env->llm, &env->ctx, r, env->arena, &env->reply, &env->err);
}

ag_status llm_env_say(llm_env *env, const char *text)
{
	const ag_llm_part part = { .type = AG_LLM_TEXT, .text = ag_str_c(text) };
	const ag_llm_message message = { .role = AG_LLM_USER, .parts = &part, .npart = 1 };
	ag_llm_request r = { .messages = &message, .nmessage = 1 };

	return llm_env_ask(env, &r);
}

const ag_val *llm_env_log(llm_env *env, size_t *ret_n)
{
	ag_buf text = AG_BUF_INIT(256u << 20);
	const ag_extjson_opts opts = { 0 };
	size_t n = 0, cap;
	char path[192];
	ag_str rest;
	ag_val *lines;
	FILE *f;

	in_folder(env, "log", path);
	f = fopen(path, "r");
	assert_non_null(f);
	for (;;) {
		char *to = ag_buf_room(&text, 65536);
		size_t got = fread(to, 1, 65536, f);

		if (!got)
			break;
		text.len += got;
	}
	fclose(f);
	rest = ag_buf_dup(env->arena, &text);
	ag_buf_release(&text);
	for (cap = 1, n = 0; n < rest.len; n++)
		cap += rest.ptr[n] == '\n';
	lines = ag_new_n(env->arena, ag_val, cap);
	for (n = 0; rest.len;)
		assert_int_equal(ag_extjson_parse(ag_str_split(&rest, '\n'), &opts, env->arena,
		                                  &lines[n++], NULL, NULL, &env->err),
		                 AG_OK);
	*ret_n = n;
	return lines;
}

size_t llm_env_nrequest(llm_env *env)
{
	const ag_val *lines;
	size_t n, i, nrequest = 0;

	lines = llm_env_log(env, &n);
	for (i = 0; i < n; i++)
		nrequest += ag_val_getc(&lines[i], "method") != NULL;
	return nrequest;
}
