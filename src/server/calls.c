/* The audit table over HTTP: what was called in a project, and whether the table is whole. */
#include "project/calls.h"
#include "base/num.h"
#include "server/chat.h"
#include "server/list.h"
#include "server/problem.h"
#include "server/work.h"

static void write_call(const ag_ledger_row *r, int64_t now_ms, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kuint(w, "row", r->seq);
	ag_jw_ktime(w, "at", r->at_ms);
	ag_jw_kstr(w, "user", r->user);
	ag_jw_kstr(w, "tool", r->tool);
	ag_jw_kstr(w, "outcome", ag_call_outcome(r, now_ms));
	ag_jw_kstr(w, "sql", r->sql);
	ag_jw_kstr(w, "verdict", r->verdict);
	ag_jw_kstr(w, "rule", r->rule);
	ag_jw_kuint(w, "rows", r->nrow);
	ag_jw_kint(w, "exec_us", r->exec_us);
	ag_jw_kstr(w, "detail", r->detail);
	ag_jw_kstr(w, "token", r->token);
	ag_jw_obj_end(w);
}

/* Admins see all calls of the project, others their own. */
void ag_server_calls_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_str cursor = ag_server_query(rq, "cursor"), user = ag_server_query(rq, "user");
	ag_ledger_query q = { .tool = ag_server_query(rq, "tool"),
		              .outcome = ag_server_query(rq, "outcome"),
		              .after_seq = UINT64_MAX,
		              .limit = ag_server_page(rq),
		              .calls = true,
		              .of_programs = ag_str_eqc(ag_server_query(rq, "programs"), "true") };
	ag_server_place at;
	ag_ledger_row *rows;
	ag_store *s;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (!ag_server_place_of(h, rq, rp, &at))
		return;
	if (cursor.len && (!ag_str_to_u64(cursor, &q.before_seq) || !q.before_seq)) {
		ag_server_list_refuse(rp);
		return;
	}
	q.project = at.place.project->id;
	q.user = ag_caller_role(at.place.who, q.project) == AG_ROLE_ADMIN ? user
	                                                                  : at.place.who->user;
	s = ag_server_store_of(h, rp);
	if (s && ag_store_ledger_rows(s, &q, rq->arena, &rows, &n, &err)) {
		ag_server_problem_of(rp, &err);
	} else if (s) {
		ag_server_json(rp, &w);
		ag_jw_kkey(&w, "calls");
		ag_jw_arr(&w);
		for (size_t i = 0; i < n; i++)
			write_call(&rows[i], ag_clock_wall(h->opts.clock), &w);
		ag_jw_arr_end(&w);
		ag_server_list_next(&w, n == q.limit
		                                ? ag_str_printf(rq->arena, "%llu",
		                                                (unsigned long long)rows[n - 1].seq)
		                                : AG_S(""));
		ag_jw_obj_end(&w);
	}
	ag_store_close(s);
}

void ag_server_calls_check(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	ag_ledger_check k = { 0 };
	ag_err err = { 0 };
	ag_store *s;
	ag_jw w;

	if (!ag_server_who(h, rq)->is_super) {
		ag_server_problem(rp, 403, "only a superuser checks the audit table", "");
		return;
	}
	s = ag_server_store_of(h, rp);
	if (s && ag_store_ledger_verify(s, rq->arena, &k, &err)) {
		ag_server_problem_of(rp, &err);
	} else if (s) {
		ag_server_json(rp, &w);
		ag_jw_kbool(&w, "is_whole", !k.broken_at);
		ag_jw_kuint(&w, "rows", k.nrow);
		ag_jw_kuint(&w, "first", k.first);
		ag_jw_kuint(&w, "last", k.last);
		ag_jw_kstr(&w, "head", ag_str_c(k.head));
		ag_jw_kstr(&w, "why", k.broken_at ? k.why : AG_S(""));
		ag_jw_obj_end(&w);
	}
	ag_store_close(s);
}
