/* lists -- tools/list, resources/list, resources/templates/list, prompts/list: in pages, always in the same order.
 *
 * A cursor holds the last name of its page in base64url, behind the letter of its list: nothing is kept between two
 * pages, and what was added or removed meanwhile neither repeats nor hides another. */
#include "mcp/parts.h"

#include <stdlib.h>

#include "base/base64.h"

#define TOOLS_TTL_MS (5 * 60 * 1000)
#define ITEMS_TTL_MS (30 * 1000)

static void write_cursor(ag_jw *w, char list, ag_str last)
{
	ag_buf plain = AG_BUF_INIT(AG_MCP_MAX_URI + 1), text = AG_BUF_INIT(2 * AG_MCP_MAX_URI);

	ag_buf_addc(&plain, list);
	ag_buf_add(&plain, last);
	ag_base64url_add(&text, ag_buf_view(&plain), false);
	ag_jw_kstr(w, "nextCursor", ag_buf_view(&text));
	ag_buf_release(&plain);
	ag_buf_release(&text);
}

/* "" without a cursor. False: t has the error. */
static bool read_cursor(ag_mcp_turn *t, char list, ag_str *ret_last)
{
	const ag_val *v = t->params ? ag_val_getc(t->params, "cursor") : NULL;
	ag_buf plain = AG_BUF_INIT(AG_MCP_MAX_URI + 1);
	bool ok;

	*ret_last = AG_S("");
	if (!v || v->type == AG_T_NULL)
		return true;
	ok = v->type == AG_T_STRING && v->n <= 2 * AG_MCP_MAX_URI &&
	     ag_base64url_read(ag_val_text(v), &plain) && plain.len > 1 && plain.ptr[0] == list;
	if (ok)
		*ret_last = ag_str_dup(t->arena, ag_str_make(plain.ptr + 1, plain.len - 1));
	else
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
		             "params.cursor: it is none that this list gave");
	ag_buf_release(&plain);
	return ok;
}

/* --- tools --- */

static void write_annotations(const ag_tool *tool, ag_jw *w)
{
	ag_jw_kkey(w, "annotations");
	ag_jw_obj(w);
	if (tool->title)
		ag_jw_kstr(w, "title", ag_str_c(tool->title));
	ag_jw_kbool(w, "readOnlyHint", (tool->flags & AG_TOOL_READS) != 0);
	ag_jw_kbool(w, "destructiveHint", (tool->flags & AG_TOOL_DESTRUCTIVE) != 0);
	ag_jw_kbool(w, "idempotentHint", (tool->flags & AG_TOOL_IDEMPOTENT) != 0);
	ag_jw_kbool(w, "openWorldHint", (tool->flags & AG_TOOL_OPEN_WORLD) != 0);
	ag_jw_obj_end(w);
}

/* For a client that draws results. No frame calls a tool, so the host may refuse it: what a frame draws is not trusted. The flat
 * name is that of hosts from before the extension's first revision. */
static void write_frame(const ag_tool *tool, ag_jw *w)
{
	ag_jw_kkey(w, "_meta");
	ag_jw_obj(w);
	ag_jw_kkey(w, "ui");
	ag_jw_obj(w);
	if (tool->frame)
		ag_jw_kstr(w, "resourceUri", ag_str_c(tool->frame));
	ag_jw_kraw(w, "visibility", AG_S("[\"model\"]"));
	ag_jw_obj_end(w);
	if (tool->frame)
		ag_jw_kstr(w, "ui/resourceUri", ag_str_c(tool->frame));
	ag_jw_obj_end(w);
}

static void write_tool(const ag_mcp_turn *t, const ag_tool *tool, ag_jw *w)
{
	const ag_mcp_revision r = t->revision;

	ag_jw_obj(w);
	ag_jw_kstr(w, "name", ag_str_c(tool->name));
	if (tool->title && r >= AG_MCP_2025_06_18)
		ag_jw_kstr(w, "title", ag_str_c(tool->title));
	ag_jw_kstr(w, "description", ag_str_c(tool->help));
	ag_jw_kkey(w, "inputSchema");
	ag_tool_schema(tool, w);
	if (tool->output_schema && r >= AG_MCP_2025_06_18)
		ag_jw_kraw(w, "outputSchema", ag_str_c(tool->output_schema));
	if (r >= AG_MCP_2025_03_26)
		write_annotations(tool, w);
	if (t->draws)
		write_frame(tool, w);
	ag_jw_obj_end(w);
}

/* The row behind the last one of the page before; false: there is no tool of that name. */
static bool row_after(const ag_mcp_server *s, ag_str last, size_t *ret)
{
	*ret = 0;
	if (!last.len)
		return true;
	for (size_t i = 0; i < s->nrow; i++)
		if (ag_str_eqc(last, s->rows[i].tool->name)) {
			*ret = i + 1;
			return true;
		}
	return false;
}

void ag_mcp_tools_list(ag_mcp_turn *t)
{
	const ag_mcp_server *s = t->server;
	bool is_public = true;
	ag_str last;
	unsigned n = 0;
	size_t i;
	ag_jw w;

	if (!read_cursor(t, 't', &last))
		return;
	if (!row_after(s, last, &i)) {
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
		             "params.cursor: it is none that this list gave");
		return;
	}
	ag_mcp_result_begin(t, &w);
	ag_jw_kkey(&w, "tools");
	ag_jw_arr(&w);
	for (; i < s->nrow && n < s->o.page; i++) {
		if (!ag_mcp_is_offered(&s->rows[i], t->who))
			continue;
		write_tool(t, s->rows[i].tool, &w);
		last = ag_str_c(s->rows[i].tool->name);
		n++;
	}
	ag_jw_arr_end(&w);
	while (i < s->nrow && !ag_mcp_is_offered(&s->rows[i], t->who))
		i++;
	if (i < s->nrow)
		write_cursor(&w, 't', last);
	for (size_t k = 0; k < s->nrow; k++)
		is_public = is_public && !s->rows[k].tool->scope && !s->rows[k].table->offered;
	ag_mcp_result_cache(t, &w, TOOLS_TTL_MS, is_public);
	ag_mcp_result_end(t, &w);
}

/* --- what providers have --- */

typedef ag_status list_fn(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err);

typedef enum kind { RESOURCES, TEMPLATES, PROMPTS } kind;

static list_fn *fn_of(const ag_mcp_provider *p, kind k)
{
	return k == RESOURCES ? p->resources : k == TEMPLATES ? p->templates : p->prompts;
}

static int by_key(const void *a, const void *b)
{
	return ag_str_cmp(((const ag_mcp_item *)a)->key, ((const ag_mcp_item *)b)->key);
}

/* Of all providers, sorted. In t->arena. */
static ag_status gather(ag_mcp_turn *t, ag_call *c, kind k, ag_mcp_item **ret, size_t *nret,
                        ag_err *err)
{
	ag_mcp_item *all = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->server->o.nprovider; i++) {
		const ag_mcp_provider *p = &t->server->o.providers[i];
		ag_mcp_item *part = NULL, *both;
		size_t npart = 0;
		ag_status st;

		if (!fn_of(p, k))
			continue;
		st = fn_of(p, k)(p->env, c, &part, &npart, err);
		if (st)
			return st;
		if (!npart)
			continue;
		both = ag_new_n(t->arena, ag_mcp_item, n + npart);
		if (n)
			memcpy(both, all, n * sizeof(*both));
		memcpy(both + n, part, npart * sizeof(*both));
		all = both;
		n += npart;
	}
	if (n)
		qsort(all, n, sizeof(*all), by_key);
	*ret = all;
	*nret = n;
	return AG_OK;
}

static void write_items(ag_mcp_turn *t, const char *key, char list, ag_str last,
                        const ag_mcp_item *items, size_t n)
{
	size_t i = 0, end;
	ag_jw w;

	while (i < n && last.len && ag_str_cmp(items[i].key, last) <= 0)
		i++;
	end = n - i > t->server->o.page ? i + t->server->o.page : n;
	ag_mcp_result_begin(t, &w);
	ag_jw_kkey(&w, key);
	ag_jw_arr(&w);
	for (; i < end; i++)
		ag_jw_raw(&w, items[i].json);
	ag_jw_arr_end(&w);
	if (end < n)
		write_cursor(&w, list, items[end - 1].key);
	ag_mcp_result_cache(t, &w, ITEMS_TTL_MS, false);
	ag_mcp_result_end(t, &w);
}

static void list(ag_mcp_turn *t, kind k, const char *key, char letter)
{
	ag_mcp_item *items = NULL;
	ag_mcp_request rq;
	ag_err err = { 0 };
	ag_mcp_call c;
	ag_status st;
	size_t n = 0;
	ag_str last;

	if (!read_cursor(t, letter, &last) || !ag_mcp_request_begin(t, &rq))
		return;
	ag_mcp_call_init(t, &rq, &c);
	st = gather(t, &c.base, k, &items, &n, &err);
	if (!ag_mcp_request_end(t, &rq))
		return;
	if (st)
		ag_mcp_error_of(t, &err);
	else
		write_items(t, key, letter, last, items, n);
}

void ag_mcp_resources_list(ag_mcp_turn *t)
{
	list(t, RESOURCES, "resources", 'r');
}

void ag_mcp_templates_list(ag_mcp_turn *t)
{
	list(t, TEMPLATES, "resourceTemplates", 'm');
}

void ag_mcp_prompts_list(ag_mcp_turn *t)
{
	list(t, PROMPTS, "prompts", 'p');
}
