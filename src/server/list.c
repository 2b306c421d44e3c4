/* list -- see the header. */
#include "server/list.h"

#include "server/problem.h"

void ag_server_list_refuse(ag_httpd_reply *rp)
{
	ag_server_problem(rp, 400, "the cursor does not belong to this list",
	                  "take \"next\" of the page before, or begin again");
}

bool ag_server_list_of(ag_httpd_request *rq, ag_httpd_reply *rp, const void *rows, size_t n,
                       ag_str (*key)(const void *rows, size_t i, ag_arena *arena),
                       ag_server_list *ret)
{
	const ag_str cursor = ag_server_query(rq, "cursor");
	const size_t limit = ag_server_page(rq);
	size_t from = 0;

	if (cursor.len) {
		while (from < n && !ag_str_eq(key(rows, from, rq->arena), cursor))
			from++;
		if (from == n) {
			ag_server_list_refuse(rp);
			return false;
		}
		from++;
	}
	*ret = (ag_server_list){ .from = from,
		                 .to = n - from > limit ? from + limit : n,
		                 .next = AG_S("") };
	if (ret->to < n)
		ret->next = key(rows, ret->to - 1, rq->arena);
	return true;
}

void ag_server_list_next(ag_jw *w, ag_str next)
{
	if (next.len)
		ag_jw_kstr(w, "next", next);
	else
		ag_jw_knull(w, "next");
}
