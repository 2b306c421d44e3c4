/* chat_artifact -- see the header. */
#include "cli/chat_artifact.h"

#include "artifact/tools.h"
#include "base/utf8.h"
#include "cli/artifact_out.h"
#include "cli/artifact_show.h"

#define LISTED 20u

static void fail(ag_cli *c, const ag_err *err)
{
	AG_IGNORE(ag_cli_fail(c, err), "a conversation goes on");
}

static void list(ag_cli *c, const ag_know_place *p)
{
	const ag_artifact_list_opts o = { .limit = LISTED };
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint paint = ag_cli_paint(c, &out);
	ag_artifact_listing l;
	ag_err err = { 0 };

	if (ag_artifact_list(p, &o, c->app.arena, &l, &err)) {
		fail(c, &err);
		return;
	}
	for (size_t i = 0; i < l.n; i++)
		ag_artifact_show_line(&l.rows[i], c->app.arena, &paint);
	if (l.total > l.n)
		ag_cli_note(c, "and %zu more: argus artifact list", l.total - l.n);
	if (!l.n)
		ag_cli_note(c, "there is no artifact yet: ask for a chart or a report");
	AG_IGNORE(ag_cli_finish(c, &out, AG_EXIT_OK), "reported once");
}

static void show(ag_cli *c, const ag_know_place *p, const ag_artifact *a)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint paint = ag_cli_paint(c, &out);
	ag_artifact_result *results = NULL;
	size_t n = 0;
	ag_err err = { 0 };

	if (ag_artifact_query(p, a, NULL, arena, &results, &n, &err)) {
		fail(c, &err);
		return;
	}
	ag_artifact_show(a, results, n, arena, &paint);
	AG_IGNORE(ag_cli_finish(c, &out, AG_EXIT_OK), "reported once");
}

void ag_chat_artifact(ag_cli *c, const ag_app_chat *chat, ag_str rest)
{
	const ag_know_place p = { chat->hub, &c->app.ctx, &chat->who, chat->project };
	const ag_str verb = ag_str_split(&rest, ' ');
	ag_str file = ag_str_trim(rest.ptr ? rest : AG_S(""));
	const ag_str id = ag_str_split(&file, ' ');
	ag_artifact a;
	ag_err err = { 0 };

	if (chat->sql.client) {
		ag_cli_note(c, "the project's artifacts are with the MCP server");
		return;
	}
	file = ag_str_trim(file.ptr ? file : AG_S(""));
	if (!verb.len || ag_str_eqc(verb, "list")) {
		list(c, &p);
	} else if (ag_str_eqc(verb, "show") && id.len) {
		if (ag_artifact_get(&p, id, 0, c->app.arena, &a, &err))
			fail(c, &err);
		else
			show(c, &p, &a);
	} else if (ag_str_eqc(verb, "export") && id.len && file.len) {
		if (ag_artifact_get(&p, id, 0, c->app.arena, &a, &err) ||
		    ag_artifact_out(c, &p, &a, file, AG_S(""), &err))
			fail(c, &err);
		else
			ag_cli_note(c, "written to %.*s", AG_FMT(file));
	} else {
		ag_cli_note(c, "/artifact: want list, show ID or export ID FILE");
	}
}

void ag_chat_artifact_cards(ag_cli *c, const ag_analyst_state *last)
{
	for (size_t i = 0; i < last->nquery; i++) {
		const ag_analyst_query *q = &last->queries[i];
		const bool is_new = ag_str_eqc(q->tool, AG_ARTIFACT_TOOL_CREATE);
		const ag_val *d = q->result.data;
		const ag_val *figures = d ? ag_val_getc(d, "figures") : NULL;
		const uint64_t n = figures ? ag_val_member_u64(figures, "unproven_count") : 0;

		if ((!is_new && !ag_str_eqc(q->tool, AG_ARTIFACT_TOOL_UPDATE)) || !q->has_output ||
		    !q->result.ok || !d)
			continue;
		ag_cli_note(c, "%.*s artifact %.*s, version %llu: \"%.*s\"; /artifact show %.*s",
		            AG_FMT(ag_val_member_str(d, "type")),
		            AG_FMT(ag_utf8_prefix(ag_val_member_str(d, "artifact_id"), 18)),
		            (unsigned long long)ag_val_member_u64(d, "version"),
		            AG_FMT(ag_utf8_prefix(ag_val_member_str(d, "title"), 100)),
		            AG_FMT(ag_utf8_prefix(ag_val_member_str(d, "artifact_id"), 18)));
		if (n)
			ag_cli_note(c, "%llu of its figures have no source in the results",
			            (unsigned long long)n);
	}
}
