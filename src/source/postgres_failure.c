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

void ag_pg_failure_of_error(ag_str body, ag_arena *arena, ag_sql_failure *ret)
{
	ag_str state = ag_pg_error_field(body, 'C');
	ag_str hint = tidy(ag_pg_error_field(body, 'H'), arena);
	uint64_t position = 0;

	ag_sql_failure_of_state(state.len == 5 ? state.ptr : "XX000", ret);
	ret->message = tidy(ag_pg_error_field(body, 'M'), arena);
	if (ret->message.len == 0)
		ret->message = AG_S("the server gave an error without words");
	ret->detail = tidy(ag_pg_error_field(body, 'D'), arena);
	if (hint.len > 0)
		ret->hint = hint;
	if (ag_str_to_u64(ag_pg_error_field(body, 'P'), &position) && position <= UINT32_MAX)
		ret->position = (uint32_t)position;
}

void ag_pg_failure_of_connection(ag_str message, const char *sqlstate, ag_arena *arena,
                                 ag_sql_failure *ret)
{
	ag_sql_failure_of_state(sqlstate, ret);
	ret->message = tidy(message, arena);
	ret->is_connection_lost = true;
}
