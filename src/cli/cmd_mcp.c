/* argus mcp: the MCP server, over standard input and output or over HTTP.
 *
 * Over stdio nothing but messages may stand on standard output: what a library writes there goes to standard error. */
#include <poll.h>
#include <unistd.h>

#include "cli/cli.h"
#include "mcp/server.h"

static const char instructions[] =
	"Argus answers questions about databases and documents. Statements are checked before they run, nothing is "
	"ever written, and results say when they are truncated.";

static void add_fixtures(ag_mcp_server_opts *o)
{
	o->tools[o->ntools++] = (ag_mcp_tools){ .tools = ag_mcp_fixture_tools,
		                                .ntool = ag_mcp_fixture_ntool };
	o->providers[o->nprovider++] = ag_mcp_fixture_provider();
}

/* The client's messages come and go over a descriptor of their own; 1 is where errors go from now on. */
static ag_status serve_stdio(ag_cli *c, ag_mcp_server *server, const ag_caller *who, ag_err *err)
{
	const int out = dup(STDOUT_FILENO);
	ag_status st;

	if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return ag_fail(err, AG_IO, "cli.mcp", "standard output cannot be used");
	st = ag_mcp_stdio(server, who, STDIN_FILENO, out, c->app.ctx.cancel, err);
	close(out);
	return st;
}

static int run(ag_cli *c)
{
	ag_mcp_server_opts o = { .clock = c->app.ctx.clock,
		                 .instructions = instructions,
		                 .cancel = c->app.ctx.cancel };
	const ag_caller who = ag_caller_local(NULL, 0, c->app.arena);
	ag_mcp_server *server;
	ag_err err = { 0 };
	ag_status st;

	if (ag_cli_has(c, "conformance"))
		add_fixtures(&o);
	st = ag_mcp_server_new(&o, &server, &err);
	if (st)
		return ag_cli_fail(c, &err);
	st = serve_stdio(c, server, &who, &err);
	ag_mcp_server_free(server);
	return st ? ag_cli_fail(c, &err) : AG_EXIT_OK;
}

static const ag_option options[] = {
	{ .name = "conformance", .help = "also serve what the conformance suite calls by name" },
};

const ag_command ag_cmd_mcp = {
	.name = "mcp",
	.summary = "Serve tools to agents: the MCP server",
	.usage = "[options]",
	.about = "Speaks the Model Context Protocol over standard input and output.",
	.examples = "argus mcp # over standard input and output\n",
	.options = options,
	.noption = AG_NELEM(options),
	.run = run,
};
