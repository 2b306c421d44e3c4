/* Prompts of the MCP server: what a person may want to begin with.
 *
 * lint: table. */
#include "app/mcp_tools.h"

#include "base/json.h"

#define ORIGIN "app.mcp_prompts"

typedef struct prompt {
	const char *name, *title, *description, *argument, *about, *text;
} prompt;

/* One %s: the argument. */
static const prompt prompts[] = {
	{ "explore_database", "Explore a database",
	  "Get to know the tables before the first question.", "focus",
	  "What you are interested in",
	  "Get to know the database: call list_tables, then describe_table for the tables that matter for: %s. "
	  "Say in plain words what each holds, how they are joined, and what to be careful with (units, missing "
	  "values, rows that look like duplicates). Do not guess: every statement about data comes from a query." },
	{ "answer_with_sql", "Answer with SQL", "Answer one question with checked queries.",
	  "question", "The question",
	  "Answer this question with the query tool: %s\nLook at the tables first. Prefer few, exact queries with "
	  "explicit columns; when `truncated` is true, narrow the query instead of guessing. On an error read its "
	  "class and hint, correct the query, and try at most three times. Give the answer, the SQL that gave it, "
	  "and what it does not tell." },
	{ "audit_collection", "Audit a collection", "Find data-quality problems and explain them.",
	  "collection", "Which collection",
	  "Run audit_collection on %s. Then explain its findings to somebody who owns the data: what is wrong, how "
	  "many documents, the most likely cause, the repair. Check one finding yourself with run_query before "
	  "you report it." },
};

ag_status ag_app_mcp_prompts(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err)
{
	ag_mcp_item *items = ag_new_n(c->arena, ag_mcp_item, AG_NELEM(prompts));

	(void)env;
	(void)err;
	for (size_t i = 0; i < AG_NELEM(prompts); i++) {
		const prompt *p = &prompts[i];
		ag_buf out = AG_BUF_INIT(65536);
		ag_jw w;

		ag_jw_init(&w, &out, 0);
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "name", ag_str_c(p->name));
		ag_jw_kstr(&w, "title", ag_str_c(p->title));
		ag_jw_kstr(&w, "description", ag_str_c(p->description));
		ag_jw_kkey(&w, "arguments");
		ag_jw_arr(&w);
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "name", ag_str_c(p->argument));
		ag_jw_kstr(&w, "description", ag_str_c(p->about));
		ag_jw_kbool(&w, "required", true);
		ag_jw_obj_end(&w);
		ag_jw_arr_end(&w);
		ag_jw_obj_end(&w);
		items[i] = (ag_mcp_item){ ag_str_c(p->name), ag_buf_dup(c->arena, &out) };
		ag_buf_release(&out);
	}
	*ret = items;
	*nret = AG_NELEM(prompts);
	return AG_OK;
}

ag_status ag_app_mcp_prompt(void *env, ag_call *c, ag_str name, const ag_val *arguments,
                            ag_buf *ret, ag_err *err)
{
	const prompt *p = NULL;
	const ag_val *v;
	ag_str before, after;
	ag_jw w;

	(void)env;
	for (size_t i = 0; i < AG_NELEM(prompts); i++)
		if (ag_str_eqc(name, prompts[i].name))
			p = &prompts[i];
	if (!p)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no prompt \"%.*s\"",
		               (int)(name.len < 100 ? name.len : 100), name.ptr);
	v = ag_val_getc(arguments, p->argument);
	if (!v || v->type != AG_T_STRING || v->n > 8192)
		return ag_fail(err, AG_INVALID, ORIGIN, "%s: want a text of at most 8192 bytes",
		               p->argument);
	after = ag_str_c(p->text);
	before = ag_str_split(&after, '%');
	after = ag_str_make(after.ptr + 1, after.len - 1);
	ag_jw_init(&w, ret, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "description", ag_str_c(p->description));
	ag_jw_kkey(&w, "messages");
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "role", AG_S("user"));
	ag_jw_kkey(&w, "content");
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "type", AG_S("text"));
	ag_jw_kstr(&w, "text",
	           ag_str_printf(c->arena, "%.*s%.*s%.*s", AG_FMT(before), AG_FMT(ag_val_text(v)),
	                         AG_FMT(after)));
	ag_jw_obj_end(&w);
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return AG_OK;
}
