/* argus prompt: what the model of a conversation reads, and what each part costs. */
#include "analyst/analyst.h"
#include "analyst/prompt.h"
#include "app/chat.h"
#include "cli/past.h"
#include "llm/meter.h"

static const ag_option options[] = {
	{ "question", 'q', "TEXT", NULL, NULL, "as for this question: it ranks what does not fit" },
	{ .setting = "output_format" },
	{ .setting = "store" },
};

static int json(ag_cli *c, const ag_analyst_prompt *p)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "sections");
	ag_jw_arr(&w);
	for (size_t i = 0; i < p->nsection; i++) {
		const ag_analyst_section *s = &p->sections[i];

		ag_jw_obj(&w);
		ag_jw_kstr(&w, "name", ag_str_c(s->name));
		ag_jw_kuint(&w, "bytes", s->text.len);
		ag_jw_kuint(&w, "tokens", ag_llm_estimate_tokens(s->text.len));
		ag_jw_kstr(&w, "text", s->text);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_kuint(&w, "bytes", p->system.len);
	ag_jw_kuint(&w, "tokens", ag_llm_estimate_tokens(p->system.len));
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static int text(ag_cli *c, const ag_analyst_prompt *p)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint paint;

	ag_paint_escape(&out, p->system, c->term.utf8, true);
	ag_buf_adds(&out, "\n\n");
	paint = ag_cli_paint(c, &out);
	for (size_t i = 0; i < p->nsection; i++) {
		ag_paint_textf(&paint, AG_INK_DIM, "%-14s %7zu bytes, about %6llu tokens",
		               p->sections[i].name, p->sections[i].text.len,
		               (unsigned long long)ag_llm_estimate_tokens(p->sections[i].text.len));
		ag_paint_nl(&paint);
	}
	ag_paint_textf(&paint, AG_INK_BOLD, "%-14s %7zu bytes, about %6llu tokens", "all",
	               p->system.len, (unsigned long long)ag_llm_estimate_tokens(p->system.len));
	ag_paint_nl(&paint);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int run(ag_cli *c)
{
	const bool is_source = ag_sql_accepts(c->args[0]);
	const ag_analyst_choices *choices = &c->app.settings.chat;
	ag_analyst_prompt_opts o;
	ag_app_chat chat = { 0 };
	ag_analyst_prompt p;
	ag_store *store;
	ag_err err = { 0 };
	int code;

	if (ag_app_store(&c->app, &store, &err) ||
	    ag_app_chat_open(&c->app, is_source ? c->args[0] : AG_S(""),
	                     is_source ? AG_S("") : c->args[0], AG_S(""), AG_S(""), &chat, &err))
		return ag_cli_fail(c, &err);
	if (ag_know_set_load(store, chat.project->id, &chat.knowledge, &err)) {
		ag_app_chat_close(&chat);
		return ag_cli_fail(c, &err);
	}
	o = (ag_analyst_prompt_opts){ .project = chat.project,
		                      .dictionary = chat.opts.dictionary,
		                      .no_dictionary = chat.no_dictionary,
		                      .question = ag_cli_value(c, "question"),
		                      .dictionary_bytes = choices->dictionary_bytes,
		                      .knowledge = chat.knowledge,
		                      .knowledge_bytes = choices->knowledge_bytes,
		                      .learns = true,
		                      .recipes_of = &chat.who,
		                      .draws = true,
		                      .retries = (unsigned)choices->retries,
		                      .now_ms = ag_clock_wall(c->app.ctx.clock) };
	if (ag_analyst_prompt_make(&o, c->app.arena, &p, &err))
		code = ag_cli_fail(c, &err);
	else
		code = ag_cli_is_json(c) ? json(c, &p) : text(c, &p);
	ag_app_chat_close(&chat);
	return code;
}

const ag_command ag_cmd_prompt = {
	.name = "prompt",
	.summary = "Show what the model of a conversation reads, and what it costs",
	.group = AG_GROUP_ASK,
	.usage = "PROJECT [options]",
	.about =
		"The instructions that `argus chat` gives its model for this project: base rules, the project's "
		"own instructions (system_prompt), the data dictionary, the query configuration; then the size "
		"of each part. PROJECT may also be a database, as for `argus chat`. No model is asked.",
	.examples = "argus prompt shop # all of it\n"
		    "argus prompt sqlite:shop.db --output json # for a program",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
