/* chat_sql -- see the header. */
#include "cli/chat_sql.h"

#include "analyst/prompt.h"
#include "analyst/tools.h"
#include "query/extjson.h"
#include "report/grid.h"

void ag_chat_print_rows(ag_cli *c, const ag_analyst_result *r, size_t max_rows)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_grid g = { .columns = r->columns,
		            .rows = r->rows,
		            .row_count = r->row_count,
		            .is_cut = r->is_cut,
		            .max_rows = max_rows };
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);

	ag_grid_paint(&g, &p, arena);
	AG_IGNORE(ag_cli_finish(c, &out, AG_EXIT_OK), "reported once");
}

static void print_failure(ag_cli *c, const ag_analyst_result *r)
{
	ag_err err = { 0 };

	ag_fail(&err, AG_INVALID, "cli.chat", "%.*s", AG_FMT(r->error));
	if (r->hint.len)
		AG_IGNORE(ag_err_hint(&err, "%.*s", AG_FMT(r->hint)), "it is reported below");
	ag_cli_fail(c, &err);
}

void ag_chat_sql(ag_cli *c, const ag_app_chat *chat, const ag_thread *thread, ag_str sql)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	/* Where the model's statements run, a person's run as well. */
	const ag_tool_set *set = chat->opts.server ? chat->opts.server : &ag_analyst_agent_tools;
	const ag_extjson_opts opts = { 0 };
	ag_member member = { AG_S("query"), ag_val_str(sql) };
	const ag_val input = ag_val_object(&member, 1);
	ag_call call = { .tool = ag_tool_find(set->tools, set->ntool, AG_S("execute_sql")),
		         .who = &chat->who,
		         .hub = chat->hub,
		         .project = chat->project,
		         .ctx = c->app.ctx,
		         .arena = arena,
		         .session = ag_id_str(&thread->id),
		         .watch_fd = -1 };
	ag_tool_output out;
	ag_analyst_result r;
	ag_err err = { 0 };
	ag_val v;

	ag_tool_output_init(&out, call.tool);
	if (ag_tool_call(&call, &input, &out, &err) ||
	    ag_extjson_parse(ag_buf_view(&out.json), &opts, arena, &v, NULL, NULL, &err)) {
		ag_cli_fail(c, &err);
	} else {
		ag_analyst_result_read(&v, out.is_error, arena, &r);
		if (ag_analyst_is_table(&r))
			ag_chat_print_rows(c, &r, 0);
		else
			print_failure(c, &r);
	}
	ag_tool_output_release(&out);
}

void ag_chat_tables(ag_cli *c, const ag_app_chat *chat, ag_str name)
{
	const ag_dictionary *d = &chat->dictionary;
	const ag_dict_table *t = name.len && chat->has_dictionary ? ag_dictionary_find(d, name)
	                                                          : NULL;
	ag_buf text = AG_BUF_INIT(AG_LIMIT_OUTPUT), out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_err err = { 0 };

	if (!chat->has_dictionary) {
		ag_fail(&err, AG_UNAVAILABLE, "cli.chat", "the tables cannot be listed: %.*s",
		        AG_FMT(chat->no_dictionary));
		ag_cli_fail(c, &err);
		return;
	}
	if (name.len && !t) {
		ag_fail(&err, AG_NOT_FOUND, "cli.chat", "there is no table \"%.*s\"", AG_FMT(name));
		AG_IGNORE(ag_err_hint(&err, "%.*s",
		                      AG_FMT(ag_dictionary_suggest(d, name, c->app.arena))),
		          "it is reported below");
		ag_cli_fail(c, &err);
		return;
	}
	if (t) {
		ag_analyst_table_text(t, &text);
	} else {
		for (size_t i = 0; i < d->ntable; i++)
			ag_buf_addf(&text, "%.*s (%zu columns)\n", AG_FMT(d->tables[i].name),
			            d->tables[i].ncolumn);
	}
	ag_paint_escape(&out, ag_buf_view(&text), c->term.utf8, true);
	ag_buf_release(&text);
	AG_IGNORE(ag_cli_finish(c, &out, AG_EXIT_OK), "reported once");
}
