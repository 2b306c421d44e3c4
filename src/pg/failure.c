/* failure -- errors of the server and of libpq as an ag_pg_failure.
 *
 * The server's words are put on one line, cut to a length, and freed of registered secrets. */
#include "pg/parts.h"

#include <stdio.h>

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

bool ag_pg_spoils(const char *sqlstate)
{
	static const char *const classes[] = {
		"08", "28", "3D", "57P",                   /* the connection and the login */
		"0B", "24", "25", "26",  "2D", "34", "3B", /* states of the session */
		"XX", "58", "F0",                          /* damage */
		"53",                                      /* resources */
		"HV",                                      /* other servers */
	};

	/* A write in a read-only transaction is the statement's own fault. */
	if (strcmp(sqlstate, "25006") == 0)
		return false;
	for (size_t i = 0; i < AG_NELEM(classes); i++) {
		if (strncmp(sqlstate, classes[i], strlen(classes[i])) == 0)
			return true;
	}
	return false;
}

static void start(ag_pg_failure *ret, ag_pg_why why, const char *sqlstate)
{
	*ret = (ag_pg_failure){
		.why = why,
		.message = AG_S(""),
		.detail = AG_S(""),
		.hint = AG_S(""),
	};
	snprintf(ret->sqlstate, sizeof(ret->sqlstate), "%.5s", sqlstate);
}

void ag_pg_failure_of_error(ag_str body, ag_arena *arena, ag_pg_failure *ret)
{
	ag_str state = ag_pg_error_field(body, 'C');
	uint64_t position = 0;

	start(ret, AG_PG_REFUSED, state.len == 5 ? state.ptr : "XX000");
	ret->message = tidy(ag_pg_error_field(body, 'M'), arena);
	if (ret->message.len == 0)
		ret->message = AG_S("the server gave an error without words");
	ret->detail = tidy(ag_pg_error_field(body, 'D'), arena);
	ret->hint = tidy(ag_pg_error_field(body, 'H'), arena);
	if (ag_str_to_u64(ag_pg_error_field(body, 'P'), &position) && position <= UINT32_MAX)
		ret->position = (uint32_t)position;
}

void ag_pg_failure_of_state(const char *sqlstate, ag_str message, ag_pg_failure *ret)
{
	start(ret, AG_PG_REFUSED, sqlstate);
	ret->message = message;
}

void ag_pg_failure_of_connection(ag_str message, const char *sqlstate, ag_arena *arena,
                                 ag_pg_failure *ret)
{
	start(ret, AG_PG_LOST, sqlstate);
	ret->message = tidy(message, arena);
}

void ag_pg_failure_of(ag_pg_why why, ag_str message, ag_pg_failure *ret)
{
	start(ret, why, "");
	ret->message = message;
}

void ag_pg_failure_of_stop(ag_pg_stop stop, ag_pg_failure *ret)
{
	start(ret, AG_PG_STOPPED, "57014");
	ret->stop = stop;
}
