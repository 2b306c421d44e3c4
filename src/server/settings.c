/* The settings of the server over HTTP: each with its value, where that comes from, and what it does. For superusers. */
#include "server/chat.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/work.h"

static ag_str setting_key(const void *rows, size_t i, ag_arena *arena)
{
	const ag_server_setting *s = &((const ag_server_setting *)rows)[i];

	return ag_str_printf(arena, "%.*s.%.*s", AG_FMT(s->group), AG_FMT(s->key));
}

void ag_server_settings_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_server_setting *list;
	ag_server_list page;
	size_t n;
	ag_jw w;

	if (!h->chat || !h->opts.settings) {
		ag_server_problem(rp, 404, "there is nothing at this path",
		                  "it is served by argus serve");
		return;
	}
	if (!ag_server_who(h, rq)->is_super) {
		ag_server_problem(rp, 403, "only a superuser sees the settings", "");
		return;
	}
	h->opts.settings(h->opts.settings_arg, rq->arena, &list, &n);
	if (!ag_server_list_of(rq, rp, list, n, setting_key, &page))
		return;
	ag_server_json(rp, &w);
	ag_jw_kkey(&w, "settings");
	ag_jw_arr(&w);
	for (size_t i = page.from; i < page.to; i++) {
		const ag_server_setting *s = &list[i];

		ag_jw_obj(&w);
		ag_jw_kstr(&w, "group", s->group);
		ag_jw_kstr(&w, "key", s->key);
		ag_jw_kstr(&w, "value", s->value);
		ag_jw_kstr(&w, "by_default", s->by_default);
		ag_jw_kstr(&w, "place", s->place);
		ag_jw_kstr(&w, "where", s->where);
		ag_jw_kstr(&w, "help", s->help);
		ag_jw_kstr(&w, "variable", s->variable);
		ag_jw_kbool(&w, "is_live", s->is_live);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_server_list_next(&w, page.next);
	ag_jw_obj_end(&w);
}
