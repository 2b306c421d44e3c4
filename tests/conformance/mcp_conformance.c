/* mcp_conformance -- an MCP server of the conformance fixtures, over standard input and output or, with --http, on a free
 * port of 127.0.0.1, whose address it writes to standard error. The protocol code is that of `argus mcp`. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixtures.h"
#include "server/server.h"

#define WAKE_MS 1000
#define CALLS   256u /* of one session over HTTP, as in argus mcp */

static atomic_bool cancelled;

static void on_signal(int sig)
{
	(void)sig;
	atomic_store(&cancelled, true);
}

static void handle_signals(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, stop = { .sa_handler = on_signal };

	sigemptyset(&stop.sa_mask);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
}

static ag_status serve_http(ag_mcp_server *s, const ag_caller *who, ag_err *err)
{
	const ag_server_opts o = { .mcp = s,
		                   .clock = &ag_clock_system,
		                   .anonymous = who,
		                   .listen = { .cancel = &cancelled } };
	ag_server *http;
	const ag_status st = ag_server_start(&o, &http, err);

	if (st)
		return st;
	fprintf(stderr, "listening on http://127.0.0.1:%u/mcp\n", ag_server_port(http));
	while (!atomic_load(&cancelled))
		poll(NULL, 0, WAKE_MS);
	ag_server_stop(http);
	return AG_OK;
}

int main(int argc, char **argv)
{
	const bool is_http = argc == 2 && strcmp(argv[1], "--http") == 0;
	ag_arena *arena = ag_arena_new();
	const ag_caller who = ag_caller_local(NULL, 0, arena);
	ag_mcp_server_opts o = { .max_calls = is_http ? CALLS : 0, .cancel = &cancelled };
	ag_mcp_server *s = NULL;
	ag_err err = { 0 };
	ag_status st;

	if (argc > 1 && !is_http) {
		fprintf(stderr, "usage: mcp_conformance [--http]\n");
		return 2;
	}
	handle_signals();
	o.tools[o.ntools++] = (ag_tool_set){ .tools = ag_mcp_fixture_tools,
		                             .ntool = ag_mcp_fixture_ntool };
	o.providers[o.nprovider++] = ag_mcp_fixture_provider();
	st = ag_mcp_server_new(&o, &s, &err);
	if (!st)
		st = is_http ? serve_http(s, &who, &err)
		             : ag_mcp_stdio(s, &who, STDIN_FILENO, STDOUT_FILENO, &cancelled, &err);
	if (st)
		fprintf(stderr, "%s\n", err.msg);
	ag_mcp_server_free(s);
	ag_arena_free(arena);
	return st ? 1 : 0;
}
