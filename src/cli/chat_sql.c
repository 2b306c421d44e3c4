/* chat_sql -- see the header. */
#include "cli/chat_sql.h"

#include "analyst/prompt.h"
#include "analyst/tools.h"
#include "query/extjson.h"

#define MAX_SHOWN 100u

static ag_str text_of(const ag_val *v, ag_arena *arena)
{
	return v->type == AG_T_STRING ? ag_val_text(v)
	                              : ag_extjson_str(arena, v, AG_EXTJSON_RELAXED);
}

/* Columns as wide as their widest shown value, cut where the line ends. */
void ag_chat_print_rows(ag_cli *c, const ag_analyst_result *r)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	const uint32_t nrow = r->rows->n < MAX_SHOWN ? r->rows->n : MAX_SHOWN;
	size_t *width = ag_new_n(c->app.arena, size_t, r->columns->n + 1);

	for (uint32_t k = 0; k < r->columns->n; k++) {
		width[k] = ag_paint_width(&p, text_of(&r->columns->u.items[k], c->app.arena));
		for (uint32_t i = 0; i < nrow; i++) {
			const ag_val *row = &r->rows->u.items[i];
			const size_t w = row->type == AG_T_ARRAY && k < row->n
			                         ? ag_paint_width(&p, text_of(&row->u.items[k],
			                                                      c->app.arena))
			                         : 0;

			width[k] = w > width[k] ? w : width[k];
		}
	}
	for (uint32_t i = 0; i <= nrow; i++) {
		const ag_val *row = i ? &r->rows->u.items[i - 1] : r->columns;
		size_t at = 0;

		for (uint32_t k = 0; row->type == AG_T_ARRAY && k < row->n && k < r->columns->n;
		     k++) {
			if (at + 4 >= p.width)
				break;
			ag_paint_to(&p, at);
			ag_paint_cut(&p, i ? AG_INK_PLAIN : AG_INK_BOLD,
			             at + width[k] < p.width ? width[k] : p.width - at - 1,
			             text_of(&row->u.items[k], c->app.arena));
			at += width[k] + 2;
		}
		ag_paint_nl(&p);
	}
	ag_paint_textf(&p, AG_INK_DIM, "%llu row%s%s", (unsigned long long)r->row_count,
	               r->row_count == 1 ? "" : "s", r->is_cut ? ", cut: there are more" : "");
	if (nrow < r->rows->n)
		ag_paint_textf(&p, AG_INK_DIM, "; the first %u are shown", nrow);
	ag_paint_nl(&p);
	AG_IGNORE(ag_cli_finish(c, &out, AG_EXIT_OK), "told once");
}

static void print_failure(ag_cli *c, const ag_analyst_result *r)
{
	ag_err err = { 0 };

	ag_fail(&err, AG_INVALID, "cli.chat", "%.*s", AG_FMT(r->error));
	if (r->hint.len)
		AG_IGNORE(ag_err_hint(&err, "%.*s", AG_FMT(r->hint)), "it is told below");
	ag_cli_fail(c, &err);
}

void ag_chat_sql(ag_cli *c, const ag_app_chat *chat, const ag_thread *thread, ag_str sql)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_tool_set *set = &ag_analyst_agent_tools;
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
			ag_chat_print_rows(c, &r);
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
		          "it is told below");
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
	AG_IGNORE(ag_cli_finish(c, &out, AG_EXIT_OK), "told once");
}
