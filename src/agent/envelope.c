/* envelope -- see the header. */
#include "agent/envelope.h"

const char ag_envelope_schema[] =
	"{\"type\":\"object\",\"properties\":{\"success\":{\"type\":\"boolean\"},\"data\":{\"type\":\"object\"},"
	"\"project_id\":{\"type\":\"string\"},\"schema\":{\"type\":\"string\"},"
	"\"warnings\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"timing_ms\":{\"type\":\"integer\"},"
	"\"error\":{\"type\":\"object\",\"properties\":{\"code\":{\"type\":\"string\"},"
	"\"message\":{\"type\":\"string\"}},\"required\":[\"code\",\"message\"]}},\"required\":[\"success\"]}";

void ag_envelope(ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kbool(w, "success", true);
	ag_jw_kkey(w, "data");
	ag_jw_obj(w);
}

void ag_envelope_end(ag_jw *w, const ag_call *c, ag_str warning)
{
	ag_jw_obj_end(w);
	ag_envelope_tail(w, c, warning);
}

void ag_envelope_tail(ag_jw *w, const ag_call *c, ag_str warning)
{
	const ag_project *p = c->project;

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
	ag_jw_kint(w, "timing_ms", ag_clock_mono(c->ctx.clock) - c->began_ms);
	ag_jw_obj_end(w);
}

static void optional(ag_jw *w, const char *key, ag_str s)
{
	if (s.len)
		ag_jw_kstr(w, key, s);
}

void ag_envelope_error(ag_tool_output *out, const ag_sql_failure *f, ag_str sql)
{
	ag_jw w;

	ag_buf_clear(&out->json);
	ag_jw_init(&w, &out->json, 0);
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
	out->is_error = true;
}
