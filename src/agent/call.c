/* call -- the dispatcher: admission, the tool, the size of its output, the audit row. Read ag_tool_call(). */
#include "agent/call.h"

#include "agent/envelope.h"
#include "agent/tool.h"
#include "run/span.h"

#define ORIGIN "agent.call"

void ag_tool_output_init(ag_tool_output *out, const ag_tool *t)
{
	const size_t max = t->max_output_bytes ? t->max_output_bytes : AG_TOOL_MAX_OUTPUT;

	*out = (ag_tool_output){ .json = AG_BUF_INIT(max),
		                 .content = AG_BUF_INIT(max),
		                 .frame = AG_BUF_INIT(AG_TOOL_MAX_FRAME) };
}

void ag_tool_output_release(ag_tool_output *out)
{
	ag_buf_release(&out->json);
	ag_buf_release(&out->content);
	ag_buf_release(&out->frame);
}

/* --- the tool --- */

static ag_status check_size(const ag_tool *t, const ag_tool_output *out, ag_err *err)
{
	if (!out->json.failed && !out->content.failed)
		return AG_OK;
	ag_fail(err, AG_LIMIT, ORIGIN, "%s: the result is larger than %zu bytes", t->name,
	        out->json.limit);
	return ag_err_hint(err, "ask for less: a lower limit, fewer fields, a narrower filter");
}

static ag_status run(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const ag_status st = c->tool->run(c, input, out, err);

	return st ? st : check_size(c->tool, out, err);
}

/* --- governed tools --- */

/* The output becomes this refusal, whatever was in it. */
static void refuse(ag_call *c, const ag_sql_failure *f, ag_tool_output *out)
{
	ag_tool_output_release(out);
	ag_tool_output_init(out, c->tool);
	if (c->tool->refuse)
		c->tool->refuse(c, f, out);
	else
		ag_envelope_error(out, f, AG_S(""));
	out->is_error = true;
}

/* Finds the project of the call. On failure it returns false, fills *ret_failure and records the refusal. */
static bool find_project(ag_call *c, const ag_val *input, ag_sql_failure *ret_failure)
{
	const ag_str id = ag_val_member_str(input, "project_id");
	ag_err err = { 0 };
	ag_status st = AG_OK;

	c->governed = (ag_project_call){ .who = c->who,
		                         .tool = ag_str_c(c->tool->name),
		                         .session = c->session,
		                         .watch_fd = c->watch_fd };
	if (!c->hub)
		st = ag_fail(&err, AG_UNAVAILABLE, ORIGIN, "%s: there is no project here",
		             c->tool->name);
	else if (c->project && id.len && !ag_str_eq(id, c->project->id))
		st = ag_fail(&err, AG_DENIED, ORIGIN,
		             "this conversation is about project %.*s only",
		             AG_FMT(c->project->id));
	else if (!c->project)
		st = ag_project_find(c->hub, c->who, id, &c->project, &err);
	c->governed.project = st ? NULL : c->project;
	if (!st)
		return true;
	ag_sql_failure_of_err(&err, c->arena, ret_failure);
	if (c->hub)
		ag_project_record_stray(c->hub, &c->governed, id, ret_failure->code);
	return false;
}

/* The text of the call that its audit row keeps. */
static ag_str recorded_text(const ag_call *c, const ag_val *input)
{
	return c->tool->recorded ? ag_val_member_str(input, c->tool->recorded) : AG_S("");
}

static ag_status run_governed(ag_call *c, const ag_val *input, ag_tool_output *out)
{
	const char *outcome = "ok";
	ag_sql_failure f = { 0 };
	ag_err why = { 0 };
	bool has_refusal = false;

	if (!find_project(c, input, &f) ||
	    !ag_project_begin(c->hub, &c->governed, c->tool->least, c->tool->scope,
	                      recorded_text(c, input), c->arena, &f)) {
		refuse(c, &f, out);
		return AG_OK;
	}
	if (run(c, input, out, &why)) {
		if (c->failure)
			f = *c->failure;
		else
			ag_sql_failure_of_err(&why, c->arena, &f);
		refuse(c, &f, out);
		outcome = ag_sql_code_name(f.code);
		has_refusal = true;
	}
	/* A failed statement holds no data: its own words are better than that they could not be recorded. */
	has_refusal = has_refusal || (out->is_error && c->governed.is_measured);
	if (c->later) {
		ag_project_end_later(c->hub, &c->governed, outcome, has_refusal ? 0 : out->json.len,
		                     has_refusal, c->later);
		return AG_OK;
	}
	if (!ag_project_end(c->hub, &c->governed, outcome, has_refusal ? 0 : out->json.len,
	                    c->arena, &f) &&
	    !has_refusal)
		refuse(c, &f, out);
	return AG_OK;
}

void ag_tool_withhold(ag_call *c, const ag_err *why, ag_tool_output *out)
{
	const ag_sql_failure f = ag_project_withheld(why, c->arena);

	refuse(c, &f, out);
}

ag_status ag_tool_call(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const struct ag_span *outer = c->ctx.span;
	ag_span *span = ag_span_begin(outer, NULL, AG_SPAN_INTERNAL, AG_S("execute_tool"));
	ag_status st;

	ag_span_name(span, AG_S("execute_tool"), ag_str_c(c->tool->name));
	ag_span_text(span, "gen_ai.operation.name", AG_S("execute_tool"));
	ag_span_text(span, "gen_ai.tool.name", ag_str_c(c->tool->name));
	if (span)
		c->ctx.span = span;
	c->began_ms = ag_clock_mono(c->ctx.clock);
	st = c->tool->scope ? run_governed(c, input, out) : run(c, input, out, err);
	c->ctx.span = outer;
	if (st || out->is_error)
		ag_span_fail(span, ag_str_c(st ? ag_status_name(st) : "tool_error"));
	ag_span_end(span);
	return st;
}

/* --- for tools --- */

void ag_call_progress(ag_call *c, double done, double total, ag_str message)
{
	if (c->client && c->client->progress)
		c->client->progress(c, done, total, message);
}

void ag_call_log(ag_call *c, const char *level, const char *logger, ag_str data)
{
	if (c->client && c->client->log)
		c->client->log(c, level, logger, data);
}

ag_status ag_call_ask(ag_call *c, const char *method, ag_str params, ag_val *ret, ag_err *err)
{
	if (c->client && c->client->ask)
		return c->client->ask(c, method, params, ret, err);
	return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%s: nobody here can be asked", method);
}
