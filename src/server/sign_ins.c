/* Sign-ins in the audit table: each that ended, well or not, with the way and the address it came from. */
#include "server/accounts.h"
#include "server/chat.h"
#include "server/problem.h"
#include "sql/sql_error.h"

ag_status ag_server_record_sign_in(ag_server *h, ag_httpd_request *rq, ag_str user, const char *way,
                                   const char *refusal, ag_err *err)
{
	const ag_str peer = ag_server_peer(h, rq);
	const ag_ledger_row row = {
		.at_ms = ag_clock_wall(h->opts.clock),
		.user = user,
		.project = AG_S(""),
		.token = AG_S(""),
		.session = AG_S(""),
		.tool = AG_S(AG_SERVER_SIGN_IN),
		.sql = AG_S(""),
		.tables = AG_S("[]"),
		.outcome = refusal ? ag_str_c(ag_sql_code_name(AG_SQLCODE_PERMISSION)) : AG_S("ok"),
		.detail = ag_str_printf(rq->arena, "by %s, from %.*s%s%s", way, AG_FMT(peer),
		                        refusal ? ": " : "", refusal ? refusal : "")
	};

	return ag_journal_end(ag_project_journal(h->opts.chat->hub), NULL, &row, err);
}
