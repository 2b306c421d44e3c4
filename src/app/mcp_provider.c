/* Resources of the MCP server, and completion of their names.
 *
 *   argus://PROJECT/tables/SCHEMA.TABLE   a table as documentation (Markdown)
 *   argus://reports/RUN                   the report of an audit (JSON)
 *
 * Reports are told only to the local user: a run does not know to which project it belonged. */
#include "app/mcp_tools.h"

#include "base/json.h"

#define ORIGIN      "app.mcp_provider"
#define MAX_ITEMS   5000u
#define MAX_REPORTS 50u
#define MAX_TEXT    (16u << 20)
#define SCHEME      "argus://"

/* --- listing --- */

typedef struct listing {
	ag_mcp_item *items;
	size_t n;
	ag_arena *arena;
} listing;

static void add(listing *l, ag_str key, const char *key_name, ag_str name, ag_str title,
                ag_str description, const char *mime)
{
	ag_buf out = AG_BUF_INIT(65536);
	ag_jw w;

	if (l->n == MAX_ITEMS)
		return;
	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, key_name, key);
	ag_jw_kstr(&w, "name", name);
	if (title.len)
		ag_jw_kstr(&w, "title", title);
	if (description.len)
		ag_jw_kstr(&w, "description", description);
	ag_jw_kstr(&w, "mimeType", ag_str_c(mime));
	ag_jw_obj_end(&w);
	l->items[l->n++] = (ag_mcp_item){ .key = key, .json = ag_buf_dup(l->arena, &out) };
	ag_buf_release(&out);
}

static ag_status dictionary(ag_app_mcp *m, ag_call *c, const ag_project *p, ag_dictionary *d,
                            ag_sql_failure *f, ag_err *err)
{
	ag_project_call call = { .who = c->who,
		                 .project = p,
		                 .tool = AG_S("resources"),
		                 .session = c->session,
		                 .watch_fd = -1 };
	ag_sql_failure unrecorded;
	ag_status st;

	*d = (ag_dictionary){ 0 };
	if (!ag_project_begin(m->hub, &call, AG_ROLE_VIEWER, "sql", AG_S(""), c->arena, f))
		return AG_OK;
	st = ag_project_dictionary(m->hub, &c->ctx, &call, false, c->arena, d, f, err);
	if (!ag_project_end(m->hub, &call, "ok", 0, c->arena, &unrecorded) && !st && !f->code)
		*f = unrecorded;
	return st;
}

static ag_str table_uri(const ag_project *p, const ag_dict_table *t, ag_arena *arena)
{
	ag_buf uri = AG_BUF_INIT(4096);
	const ag_str parts[] = { t->schema, t->name };
	ag_str ret;

	ag_buf_addf(&uri, SCHEME "%.*s/tables/", AG_FMT(p->id));
	for (size_t i = 0; i < AG_NELEM(parts); i++) {
		if (i)
			ag_buf_addc(&uri, '.');
		for (size_t k = 0; k < parts[i].len; k++) {
			const unsigned char ch = (unsigned char)parts[i].ptr[k];

			if ((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
			    (ch >= '0' && ch <= '9') || ch == '_' || ch == '-')
				ag_buf_addc(&uri, (char)ch);
			else
				ag_buf_addf(&uri, "%%%02X", ch);
		}
	}
	ret = ag_buf_dup(arena, &uri);
	ag_buf_release(&uri);
	return ret;
}

static void add_tables(ag_app_mcp *m, ag_call *c, const ag_project *p, listing *l)
{
	ag_sql_failure f;
	ag_dictionary d;

	/* A database that cannot be reached has no resources now; the tools say why. */
	if (!p->source.len || dictionary(m, c, p, &d, &f, NULL) || f.code)
		return;
	for (size_t i = 0; i < d.ntable; i++)
		add(l, table_uri(p, &d.tables[i], l->arena), "uri",
		    ag_str_printf(l->arena, "%.*s.%.*s", AG_FMT(d.tables[i].schema),
		                  AG_FMT(d.tables[i].name)),
		    AG_S(""), d.tables[i].comment, "text/markdown");
}

static void add_reports(ag_app_mcp *m, ag_call *c, listing *l)
{
	ag_store *store = NULL;
	ag_run_row *rows;
	size_t n = 0;

	if (!c->who->is_local || ag_store_open(m->store_uri, &store, NULL))
		return;
	if (!ag_store_runs(store, AG_S(""), MAX_REPORTS, 0, c->arena, &rows, &n, NULL)) {
		for (size_t i = 0; i < n; i++) {
			if (!ag_str_eqc(rows[i].agent, "audit"))
				continue;
			add(l, ag_str_printf(l->arena, SCHEME "reports/%s", rows[i].id.text), "uri",
			    ag_str_printf(l->arena, "audit of %.*s", AG_FMT(rows[i].collection)),
			    AG_S(""), rows[i].summary, "application/json");
		}
	}
	ag_store_close(store);
}

static ag_status resources(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err)
{
	ag_app_mcp *m = env;
	listing l = { .items = ag_new_n(c->arena, ag_mcp_item, MAX_ITEMS), .arena = c->arena };
	const ag_project **list;
	size_t n;
	ag_status st = ag_project_list(m->hub, c->who, c->arena, &list, &n, err);

	if (st)
		return st;
	for (size_t i = 0; i < n && ag_caller_has_scope(c->who, "sql"); i++)
		add_tables(m, c, list[i], &l);
	add_reports(m, c, &l);
	*ret = l.items;
	*nret = l.n;
	return AG_OK;
}

static ag_status templates(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err)
{
	listing l = { .items = ag_new_n(c->arena, ag_mcp_item, 4), .arena = c->arena };

	(void)env;
	(void)err;
	add(&l, AG_S(SCHEME "{project}/tables/{table}"), "uriTemplate", AG_S("table"),
	    AG_S("Documentation of a table"), AG_S("Columns, keys, indexes and sample values."),
	    "text/markdown");
	if (c->who->is_local)
		add(&l, AG_S(SCHEME "reports/{run}"), "uriTemplate", AG_S("report"),
		    AG_S("Report of an audit"), AG_S("Every finding with its evidence."),
		    "application/json");
	*ret = l.items;
	*nret = l.n;
	return AG_OK;
}

/* --- reading --- */

static void contents(ag_buf *out, ag_str uri, const char *mime, ag_str text)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "uri", uri);
	ag_jw_kstr(&w, "mimeType", ag_str_c(mime));
	ag_jw_kstr(&w, "text", text);
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
}

/* A cell of a Markdown table. */
static void cell(ag_buf *out, ag_str s)
{
	ag_buf_adds(out, " ");
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '|')
			ag_buf_adds(out, "\\|");
		else
			ag_buf_addc(out, s.ptr[i] == '\n' || s.ptr[i] == '\r' ? ' ' : s.ptr[i]);
	}
	ag_buf_adds(out, " |");
}

static void samples(ag_buf *out, const ag_dict_column *col, ag_arena *arena)
{
	ag_str all = AG_S("");

	for (size_t i = 0; i < col->nsample; i++)
		all = ag_str_printf(arena, "%.*s%s%.*s", AG_FMT(all), i ? ", " : "",
		                    AG_FMT(col->samples[i]));
	cell(out, all);
}

static void table_markdown(const ag_dict_table *t, ag_arena *arena, ag_buf *out)
{
	ag_buf_addf(out, "# %.*s.%.*s\n\n", AG_FMT(t->schema), AG_FMT(t->name));
	if (t->comment.len)
		ag_buf_addf(out, "%.*s\n\n", AG_FMT(t->comment));
	if (t->row_count >= 0)
		ag_buf_addf(out, "%s of %s%lld rows.\n\n", t->type,
		            t->is_row_count_exact ? "" : "about ", (long long)t->row_count);
	ag_buf_adds(out, "| Column | Type | Nullable | Key | Description | Samples |\n"
	                 "|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < t->ncolumn; i++) {
		const ag_dict_column *col = &t->columns[i];

		ag_buf_adds(out, "|");
		cell(out, col->name);
		cell(out, col->type);
		cell(out, col->is_nullable ? AG_S("yes") : AG_S("no"));
		cell(out, col->is_primary_key ? AG_S("primary") : AG_S(""));
		cell(out, col->comment);
		samples(out, col, arena);
		ag_buf_adds(out, "\n");
	}
	if (t->nforeign_key)
		ag_buf_adds(out, "\nForeign keys:\n\n");
	for (size_t i = 0; i < t->nforeign_key; i++)
		ag_buf_addf(out, "- %.*s -> %.*s.%.*s\n", AG_FMT(t->foreign_keys[i].column),
		            AG_FMT(t->foreign_keys[i].references_table),
		            AG_FMT(t->foreign_keys[i].references_column));
}

static ag_status no_resource(ag_str uri, ag_err *err)
{
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no resource %.*s",
	        (int)(uri.len < 200 ? uri.len : 200), uri.ptr);
	return ag_err_hint(err, "resources/list names all of them");
}

static ag_status read_table(ag_app_mcp *m, ag_call *c, ag_str project, ag_str uri, ag_buf *ret,
                            ag_err *err)
{
	ag_buf text = AG_BUF_INIT(MAX_TEXT);
	const ag_project *p;
	ag_sql_failure f;
	ag_dictionary d;
	ag_status st;

	if (!ag_caller_has_scope(c->who, "sql") ||
	    ag_project_find(m->hub, c->who, project, &p, NULL))
		return no_resource(uri, err);
	st = dictionary(m, c, p, &d, &f, err);
	if (st)
		return st;
	if (f.code)
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%.*s", AG_FMT(f.message));
	for (size_t i = 0; i < d.ntable; i++) {
		if (!ag_str_eq(table_uri(p, &d.tables[i], c->arena), uri))
			continue;
		table_markdown(&d.tables[i], c->arena, &text);
		contents(ret, uri, "text/markdown", ag_buf_view(&text));
		ag_buf_release(&text);
		return AG_OK;
	}
	return no_resource(uri, err);
}

static ag_status read_report(ag_app_mcp *m, ag_call *c, ag_str run, ag_str uri, ag_buf *ret,
                             ag_err *err)
{
	ag_store *store = NULL;
	ag_run_row row;
	ag_str report;
	ag_status st;

	if (!c->who->is_local)
		return no_resource(uri, err);
	st = ag_store_open(m->store_uri, &store, err);
	if (!st)
		st = ag_store_find_run(store, run, c->arena, &row, err);
	if (!st)
		st = ag_store_report(store, &row.id, c->arena, &report, err);
	ag_store_close(store);
	if (st == AG_NOT_FOUND || st == AG_INVALID)
		return no_resource(uri, err);
	if (!st)
		contents(ret, uri, "application/json", report);
	return st;
}

static ag_status read_resource(void *env, ag_call *c, ag_str uri, ag_buf *ret, ag_err *err)
{
	ag_str rest = uri, host;

	if (!ag_str_starts(uri, AG_S(SCHEME)))
		return no_resource(uri, err);
	rest = ag_str_make(uri.ptr + strlen(SCHEME), uri.len - strlen(SCHEME));
	host = ag_str_split(&rest, '/');
	if (ag_str_eqc(host, "reports"))
		return read_report(env, c, rest, uri, ret, err);
	if (ag_str_starts(rest, AG_S("tables/")))
		return read_table(env, c, host, uri, ret, err);
	return no_resource(uri, err);
}

/* --- completion --- */

static ag_status complete(void *env, ag_call *c, const ag_mcp_completion *what, ag_str **ret,
                          size_t *nret, ag_err *err)
{
	ag_app_mcp *m = env;
	ag_str *out = ag_new_n(c->arena, ag_str, 101);
	const ag_project **list;
	size_t n, k = 0;
	ag_status st = ag_project_list(m->hub, c->who, c->arena, &list, &n, err);

	if (st)
		return st;
	for (size_t i = 0;
	     i < n && !what->is_prompt && ag_str_eqc(what->argument, "project") && k < 100; i++)
		if (ag_str_starts(list[i]->id, what->prefix))
			out[k++] = list[i]->id;
	if (!what->is_prompt && ag_str_eqc(what->argument, "table") &&
	    ag_caller_has_scope(c->who, "sql")) {
		const ag_project *p;
		ag_sql_failure f;
		ag_dictionary d;

		if (!ag_project_find(m->hub, c->who, ag_val_member_str(what->others, "project"), &p,
		                     NULL) &&
		    !dictionary(m, c, p, &d, &f, NULL) && !f.code) {
			for (size_t i = 0; i < d.ntable && k < 100; i++) {
				const ag_str name = ag_str_printf(c->arena, "%.*s.%.*s",
				                                  AG_FMT(d.tables[i].schema),
				                                  AG_FMT(d.tables[i].name));

				if (ag_str_starts(name, what->prefix) ||
				    ag_str_starts(d.tables[i].name, what->prefix))
					out[k++] = name;
			}
		}
	}
	*ret = out;
	*nret = k;
	return AG_OK;
}

ag_mcp_provider ag_app_mcp_provider(ag_app_mcp *m)
{
	return (ag_mcp_provider){ .env = m,
		                  .resources = resources,
		                  .templates = templates,
		                  .read = read_resource,
		                  .prompts = ag_app_mcp_prompts,
		                  .prompt = ag_app_mcp_prompt,
		                  .complete = complete };
}
