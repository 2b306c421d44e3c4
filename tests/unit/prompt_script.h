/* prompt_script -- a run whose planner follows a script and keeps, before each step, the prompts that a model would have
 * been shown. Behind the script's end it concludes. */
#ifndef AG_TESTS_PROMPT_SCRIPT_H
#define AG_TESTS_PROMPT_SCRIPT_H

#include "agent/action.h"
#include "audit/prompt.h"
#include "audit/tools.h"
#include "audit_fixtures.h"

#define PS_MAX_STEPS 40

typedef struct prompt_script {
	ag_planner base;
	audit_fix *fix;
	ag_audit *audit;
	const char *const *lines;
	size_t n, nstep;
	ag_prompt prompts[PS_MAX_STEPS];
	void (*before)(struct prompt_script *s); /* before the first prompt; may be NULL */
	void (*look)(struct prompt_script *s, size_t step); /* behind each prompt; may be NULL */
} prompt_script;

static ag_status ps_propose(ag_planner *self, const ag_ctx *ctx, ag_arena *arena, ag_proposal *ret,
                            ag_err *err)
{
	prompt_script *s = (prompt_script *)self;
	const size_t step = s->nstep++;

	(void)ctx;
	if (s->before && step == 0)
		s->before(s);
	if (step < PS_MAX_STEPS &&
	    ag_prompt_planner(s->audit, s->fix->arena, &s->prompts[step], err))
		return err->status;
	if (s->look)
		s->look(s, step);
	if (step < s->n)
		return ag_action_parse(ag_str_c(s->lines[step]), ag_audit_tools.tools,
		                       ag_audit_tools.ntool, arena, ret, err);
	*ret = (ag_proposal){ .reasoning = AG_S("done"),
		              .action = AG_S("conclude"),
		              .confidence = 1 };
	return AG_OK;
}

static const ag_planner_type ps_type = { .name = "script", .propose = ps_propose };

static ag_planner *ps_make(void *env, void *arg)
{
	ag_audit *a = env;
	prompt_script *s = arg;

	s->base.type = &ps_type;
	s->audit = a;
	return &s->base;
}

/* The report is parsed into fix->report. */
static void ps_run(prompt_script *s, audit_fix *f, const char *const *lines, size_t n)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_err err = { 0 };

	s->fix = f;
	s->lines = lines;
	s->n = n;
	if (ag_audit_run(&f->ctx,
	                 &(ag_audit_job){ .source = f->source,
	                                  .store = f->store,
	                                  .opts = &f->opts,
	                                  .make = ps_make,
	                                  .make_arg = s },
	                 f->arena, &f->result, &err))
		fail_msg("%s", err.msg);
	if (ag_extjson_parse(f->result.report, &opts, f->arena, &f->report, NULL, NULL, &err))
		fail_msg("%s", err.msg);
}

/* One AgentAction as a line of a script. */
#define PS_STEP(action, input, why)                                                    \
	"{\"reasoning\":\"" why "\",\"action\":\"" action "\",\"action_input\":" input \
	",\"confidence\":0.9}"
#define PS_FINDING(field, category, severity, query, count)                                       \
	PS_STEP("write_finding",                                                                  \
	        "{\"field\":\"" field "\",\"category\":\"" category "\",\"severity\":\"" severity \
	        "\",\"description\":\"something is wrong here\",\"hypothesis\":\"a cause\","      \
	        "\"evidence_query\":" query ",\"affected_count\":" count "}",                     \
	        "the query proves it")

#endif
