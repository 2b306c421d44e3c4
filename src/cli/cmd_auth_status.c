/* argus auth-status: who Azure takes Argus for, tried once. The token itself is never printed. */
#include "azure/azure.h"
#include "cli/cli.h"
#include "documents/cosmos.h"

static const ag_option options[] = {
	{ .setting = "output_format" },
	{ .setting = "deadline" },
};

typedef struct status {
	bool ok;
	ag_str from, owner;
	ag_azure_accounts seen;
	ag_err err;
} status;

static void look(ag_cli *c, status *s)
{
	const char *instead = ag_cosmos_stand_in();
	ag_azure_token t;

	if (instead) {
		s->ok = true;
		s->from = ag_str_c(instead);
		return;
	}
	if (ag_azure_token_get(&c->app.ctx, c->app.arena, &t, &s->err))
		return;
	s->from = t.from;
	s->owner = t.owner;
	s->ok = !ag_azure_list(&c->app.ctx, c->app.arena, &s->seen, &s->err);
}

static int json(ag_cli *c, const status *s, int code)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	bool ok;
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kbool(&w, "ok", s->ok);
	ag_jw_kstr(&w, "from", s->from);
	ag_jw_kstr(&w, "account", s->owner);
	ag_jw_kuint(&w, "subscriptions", s->seen.nsubscription);
	ag_jw_kuint(&w, "cosmos_accounts", s->seen.n);
	ag_jw_kstr(&w, "message", ag_str_c(s->err.msg));
	ag_jw_kstr(&w, "hint", ag_str_c(s->err.hint));
	ag_jw_obj_end(&w);
	ok = ag_cli_print_json(c, ag_buf_view(&out));
	ag_buf_release(&out);
	return ok ? code : AG_EXIT_FAILED;
}

static int text(ag_cli *c, const status *s, int code)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_paint p = ag_cli_paint(c, &out);

	if (!s->ok) {
		ag_buf_release(&out);
		return ag_cli_fail(c, &s->err);
	}
	ag_paint_sign(&p, AG_INK_GREEN, AG_SIGN_GOOD);
	if (ag_cosmos_stand_in())
		ag_paint_textf(&p, AG_INK_PLAIN, " %.*s is set: Azure is not asked",
		               AG_FMT(s->from));
	else
		ag_paint_textf(
			&p, AG_INK_PLAIN,
			" signed in to Azure by %.*s%s%.*s: %zu account%s of Cosmos DB for MongoDB in "
			"%zu subscription%s",
			AG_FMT(s->from), s->owner.len ? " as " : "", AG_FMT(s->owner), s->seen.n,
			s->seen.n == 1 ? "" : "s", s->seen.nsubscription,
			s->seen.nsubscription == 1 ? "" : "s");
	ag_paint_nl(&p);
	return ag_cli_finish(c, &out, code);
}

static int run(ag_cli *c)
{
	status s = { 0 };
	int code;

	look(c, &s);
	code = s.ok                           ? AG_EXIT_OK
	       : s.err.status == AG_CANCELLED ? AG_EXIT_CANCELLED
	                                      : AG_EXIT_FAILED;
	return ag_cli_is_json(c) ? json(c, &s, code) : text(c, &s, code);
}

const ag_command ag_cmd_auth_status = {
	.name = "auth-status",
	.summary = "Show who Azure takes Argus for",
	.group = AG_GROUP_SET_UP,
	.usage = "[options]",
	.about =
		"Finds a token the way `argus accounts` does, and tries it. Exit code 0: Azure accepts the token, or "
		"QUERYARGUS_EMULATOR or LOCAL_MONGO_URI names a server instead of Azure. Exit code 1: no token, or Azure refuses it.",
	.examples = "argus auth-status # after `az login`",
	.options = options,
	.noption = AG_NELEM(options),
	.run = run,
};
