/* envelope -- the one form in which tools of a project answer, and how they find their project. */
#include "mcp/tools_sql.h"

#define MAX_RESULT (128u << 20)

const char ag_mcp_envelope_schema[] =
	"{\"type\":\"object\",\"properties\":{\"success\":{\"type\":\"boolean\"},\"data\":{\"type\":\"object\"},"
	"\"project_id\":{\"type\":\"string\"},\"schema\":{\"type\":\"string\"},"
	"\"warnings\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"timing_ms\":{\"type\":\"integer\"},"
	"\"error\":{\"type\":\"object\",\"properties\":{\"code\":{\"type\":\"string\"},"
	"\"message\":{\"type\":\"string\"}},\"required\":[\"code\",\"message\"]}},\"required\":[\"success\"]}";

void ag_mcp_envelope(ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kbool(w, "success", true);
	ag_jw_kkey(w, "data");
	ag_jw_obj(w);
}

void ag_mcp_envelope_end(ag_jw *w, const ag_project *p, ag_str warning, int64_t began_mono_ms,
                         const ag_clock *clock)
{
	ag_jw_obj_end(w);
	ag_mcp_envelope_tail(w, p, warning, began_mono_ms, clock);
}

void ag_mcp_envelope_tail(ag_jw *w, const ag_project *p, ag_str warning, int64_t began_mono_ms,
                          const ag_clock *clock)
{
	ag_jw_kstr(w, "project_id", p->id);
	ag_jw_kstr(w, "schema",
	           p->settings.schema.len                      ? p->settings.schema
	           : ag_str_starts(p->source, AG_S("sqlite:")) ? AG_S("main")
	                                                       : AG_S("public"));
	if (warning.len) {
		ag_jw_kkey(w, "warnings");
		ag_jw_arr(w);
		ag_jw_str(w, warning);
		ag_jw_arr_end(w);
	}
	ag_jw_kint(w, "timing_ms", ag_clock_mono(clock) - began_mono_ms);
	ag_jw_obj_end(w);
}

static void optional(ag_jw *w, const char *key, ag_str s)
{
	if (s.len)
		ag_jw_kstr(w, key, s);
}

void ag_mcp_envelope_error(ag_mcp_result *ret, const ag_sql_failure *f, ag_str sql)
{
	ag_jw w;

	ag_buf_init(&ret->structured, MAX_RESULT);
	ag_jw_init(&w, &ret->structured, 0);
	ag_jw_obj(&w);
	ag_jw_kbool(&w, "success", false);
	ag_jw_kkey(&w, "error");
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "code", ag_str_c(ag_sql_code_name(f->code)));
	ag_jw_kstr(&w, "message", f->message);
	optional(&w, "detail", f->detail);
	optional(&w, "hint", f->hint);
	if (f->class_name)
		ag_jw_kstr(&w, "class", ag_str_c(f->class_name));
	optional(&w, "sqlstate", ag_str_c(f->sqlstate));
	if (f->position)
		ag_jw_kuint(&w, "position", f->position);
	if (f->retry_after_ms)
		ag_jw_kint(&w, "retry_after_seconds", (f->retry_after_ms + 999) / 1000);
	ag_jw_kbool(&w, "retryable", ag_sql_code_retryable(f->code));
	optional(&w, "sql_executed", sql);
	ag_jw_obj_end(&w);
	ag_jw_obj_end(&w);
	ret->is_error = true;
}

bool ag_mcp_project_call(ag_mcp_call *c, ag_project_hub *hub, const char *tool, const ag_val *input,
                         ag_project_call *ret, ag_sql_failure *ret_failure)
{
	const ag_str id = ag_val_member_str(input, "project_id");
	ag_sql_failure unrecorded;
	ag_err err = { 0 };

	*ret = (ag_project_call){ .who = c->who,
		                  .tool = ag_str_c(tool),
		                  .session = c->session_name,
		                  .watch_fd = c->peer ? c->peer->watch_fd : -1 };
	if (!ag_project_find(hub, c->who, id, &ret->project, &err))
		return true;
	ret->project = NULL;
	ag_sql_failure_of_err(&err, c->arena, ret_failure);
	if (!ag_project_record(hub, ret, id, ag_clock_wall(c->ctx.clock),
	                       ag_sql_code_name(ret_failure->code), 0, c->arena, &unrecorded))
		return false; /* it is refused in any case */
	return false;
}
