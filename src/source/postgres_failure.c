/* postgres_failure -- errors of the server and of libpq as an ag_sql_failure.
 *
 * The SQLSTATE decides (sql_error.c); words of the server are shown on one line, cut to a length, and without registered
 * secrets. */
#include "source/postgres_parts.h"

#include "base/log.h"
#include "base/utf8.h"

#define MAX_TEXT_BYTES 1000 /* of a message: it may quote a whole value */

/* One line, in arena. */
static ag_str tidy(ag_str s, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf clean = AG_BUF_INIT(64u * 1024);
	ag_str cut = ag_str_make(s.ptr, s.len < MAX_TEXT_BYTES ? s.len : MAX_TEXT_BYTES), out;
	char *text;

	if (s.len == 0)
		return AG_S("");
	if (cut.len < s.len) {
		while (cut.len > 0 && ((unsigned char)cut.ptr[cut.len] & 0xC0) == 0x80)
			cut.len--;
		cut.len = ag_log_whole(cut);
	}
	if (!ag_log_clean(cut, &clean))
		return AG_S("(the message cannot be shown: too many secrets are registered)");
	out = ag_str_printf(arena, "%.*s%s", AG_FMT(ag_buf_view(&clean)),
	                    cut.len < s.len ? "…" : "");
	text = ag_str_cstr(arena, out);
	for (size_t i = 0; i < out.len; i++) {
		if ((unsigned char)text[i] < ' ')
			text[i] = ' ';
	}
	return ag_str_trim(ag_str_make(text, out.len));
}

static ag_str field(const ag_pg *pg, const PGresult *r, int code, ag_arena *arena)
{
	return tidy(ag_str_c(pg->pq->resultErrorField(r, code)), arena);
}

void ag_pg_failure(ag_sql_failure *ret, ag_sql_code code, const char *class_name, ag_str message)
{
	*ret = (ag_sql_failure){
		.code = code,
		.class_name = class_name,
		.message = message,
		.detail = AG_S(""),
		.hint = AG_S(""),
	};
}

void ag_pg_failure_of_result(const ag_pg *pg, const PGresult *r, ag_arena *arena,
                             ag_sql_failure *ret)
{
	const char *state = pg->pq->resultErrorField(r, PG_DIAG_SQLSTATE);
	ag_str hint = field(pg, r, PG_DIAG_MESSAGE_HINT, arena);
	uint64_t position = 0;

	if (!state) { /* libpq itself: the connection broke */
		ag_pg_failure_of_connection(AG_S("the connection to the database was lost"),
		                            "08006", arena, ret);
		return;
	}
	ag_sql_failure_of_state(state, ret);
	ret->message = field(pg, r, PG_DIAG_MESSAGE_PRIMARY, arena);
	ret->detail = field(pg, r, PG_DIAG_MESSAGE_DETAIL, arena);
	if (hint.len > 0)
		ret->hint = hint;
	if (ag_str_to_u64(ag_str_c(pg->pq->resultErrorField(r, PG_DIAG_STATEMENT_POSITION)),
	                  &position) &&
	    position <= UINT32_MAX)
		ret->position = (uint32_t)position;
}

void ag_pg_failure_of_connection(ag_str message, const char *sqlstate, ag_arena *arena,
                                 ag_sql_failure *ret)
{
	ag_sql_failure_of_state(sqlstate, ret);
	ret->message = tidy(message, arena);
	ret->is_connection_lost = true;
}
