/* The dictionary over HTTP: the tables of a project's database with their columns, and its refresh. Notes on them are knowledge of
 * the kind "table" (knowledge.c). */
#include "analyst/schema.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/work.h"

static ag_str table_key(const void *rows, size_t i, ag_arena *arena)
{
	const ag_dict_table *t = &((const ag_dict_table *)rows)[i];

	return ag_str_printf(arena, "%.*s.%.*s", AG_FMT(t->schema), AG_FMT(t->name));
}

/* False: rp says why not. */
static bool read(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, bool refresh,
                 ag_dictionary *ret)
{
	ag_server_place at;
	ag_err err = { 0 };

	if (!ag_server_place_of(h, rq, rp, &at))
		return false;
	if (!at.place.project->source.len) {
		ag_server_problem(rp, 400, "the project has no database",
		                  "give it one: \"source\" of the project");
		return false;
	}
	if (!ag_analyst_schema(at.place.hub, &at.ctx, at.place.who, at.place.project, refresh,
	                       rq->arena, ret, &err))
		return true;
	ag_server_problem_of(rp, &err);
	return false;
}

void ag_server_dictionary_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_dictionary d;
	ag_server_list page;
	ag_jw w;

	if (!read((ag_server *)env, rq, rp, false, &d) ||
	    !ag_server_list_of(rq, rp, d.tables, d.ntable, table_key, &page))
		return;
	ag_server_json(rp, &w);
	ag_jw_kstr(&w, "schema", d.schema);
	ag_jw_ktime(&w, "generated_at", d.generated_ms);
	ag_jw_kuint(&w, "table_count", d.ntable);
	ag_jw_kbool(&w, "is_cut", d.is_cut);
	ag_jw_kkey(&w, "tables");
	ag_jw_arr(&w);
	for (size_t i = page.from; i < page.to; i++)
		ag_dictionary_table_json(&d, &d.tables[i], &w);
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, page.next);
	ag_jw_obj_end(&w);
}

void ag_server_dictionary_refresh(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_dictionary d;
	ag_jw w;

	if (!read((ag_server *)env, rq, rp, true, &d))
		return;
	ag_server_json(rp, &w);
	ag_jw_ktime(&w, "generated_at", d.generated_ms);
	ag_jw_kuint(&w, "table_count", d.ntable);
	ag_jw_obj_end(&w);
}
