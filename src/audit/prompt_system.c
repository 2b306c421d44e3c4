/* prompt_system -- the planner's system prompt: prompts/audit/planner.md with its places filled.
 *
 * The tool catalogue is written from the tool table and the figures from the run's rules, so that the prompt cannot
 * promise what the gates refuse. The text depends on the options alone: it is the same for all steps of a run. */
#include "audit/prompt_parts.h"
#include "audit/tools.h"
#include "base/num.h"

static const char *const type_word[] = {
	[AG_PARAM_STRING] = "text",
	[AG_PARAM_INT] = "integer",
	[AG_PARAM_NUMBER] = "number",
	[AG_PARAM_BOOL] = "true or false",
	[AG_PARAM_OBJECT] = "object",
	[AG_PARAM_ARRAY] = "array",
	[AG_PARAM_STRINGS] = "array of texts",
	[AG_PARAM_QUERY] = "filter {…} or pipeline […]",
};

static void add_number(ag_buf *out, double x)
{
	char text[AG_NUM_MAX];

	ag_buf_add(out, ag_str_make(text, ag_num_double(text, x, false)));
}

/* " ≥1", " 0 to 1", " of 1 to 50 items"; "" without limits. */
static void add_limits(ag_buf *out, const ag_param *p)
{
	const bool is_number = p->type == AG_PARAM_INT || p->type == AG_PARAM_NUMBER;

	/* Nobody comes near the limits of texts: they are checked, and not worth their bytes here. */
	if ((p->min == 0 && p->max == 0) || p->type == AG_PARAM_STRING)
		return;
	if (!is_number)
		ag_buf_adds(out, " of");
	if (p->max == 0 || p->min == 0) {
		ag_buf_adds(out, p->max == 0 ? " ≥" : " ≤");
		add_number(out, p->max == 0 ? p->min : p->max);
	} else {
		ag_buf_addc(out, ' ');
		add_number(out, p->min);
		ag_buf_adds(out, " to ");
		add_number(out, p->max);
	}
	if (!is_number)
		ag_buf_adds(out, " items");
}

static void add_param(ag_buf *out, const ag_param *p)
{
	ag_buf_addf(out, "  %s%s: ", p->name, p->required ? "" : "?");
	if (p->one_of) {
		for (size_t i = 0; p->one_of[i]; i++)
			ag_buf_addf(out, "%s%s", i ? " | " : "", p->one_of[i]);
		ag_buf_addc(out, '\n');
		return;
	}
	ag_buf_adds(out, type_word[p->type]);
	add_limits(out, p);
	ag_buf_addf(out, "; %s\n", p->help);
}

static const char *effect_of(const ag_tool *t)
{
	if (t->flags & AG_TOOL_CONCLUDES)
		return "ends the run";
	return t->flags & AG_TOOL_PROPOSES ? "proposes a finding" : "reads";
}

static ag_str tools_text(const ag_tool *tools, size_t ntool, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(32UL * 1024);
	ag_str ret;

	ag_buf_adds(&out, "A parameter with ? is optional.\n");
	for (size_t i = 0; i < ntool; i++) {
		const ag_tool *t = &tools[i];

		ag_buf_addf(&out, "%s (%s): %s%s\n", t->name, effect_of(t), t->help,
		            t->nparam ? "" : " No parameters.");
		for (size_t k = 0; k < t->nparam; k++)
			add_param(&out, &t->params[k]);
	}
	ret = ag_str_trim(ag_buf_dup(arena, &out));
	ag_buf_release(&out);
	return ret;
}

static ag_str categories_text(ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(8UL * 1024);
	const ag_category *all;
	ag_str ret;
	size_t n;

	all = ag_category_table(&n);
	for (size_t i = 0; i < n; i++) {
		ag_buf_addf(&out, "%s%s", i ? ", " : "", all[i].id);
		if (all[i].meaning)
			ag_buf_addf(&out, " (%s)", all[i].meaning);
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_status ag_prompt_system(const ag_audit_opts *o, const ag_tool *tools, size_t ntool,
                           ag_arena *arena, ag_str *ret, ag_err *err)
{
	const ag_rule_opts *r = &o->rules;
	const ag_prompt_value values[] = {
		{ "tools", tools_text(tools, ntool, arena) },
		{ "categories", categories_text(arena) },
		{ "profile_max", ag_str_printf(arena, "%d", AG_PROFILE_FIELDS_MAX) },
		{ "coverage", ag_prompt_percent(r->field_coverage_min, arena) },
		{ "min_iteration", ag_str_printf(arena, "%u", r->early_termination_min) },
		{ "budget_low", ag_str_printf(arena, "%u", r->budget_warning_below) },
		{ "tolerance", ag_prompt_percent(r->evidence_tolerance, arena) },
		{ "critical_share", ag_prompt_percent(r->critical_min_share, arena) },
		{ "high_share", ag_prompt_percent(r->high_min_share, arena) },
		{ "min_description", ag_str_printf(arena, "%u", r->description_min_chars) },
		{ "null_share",
		  ag_prompt_percent(o->catalogue.null_rate_warning_threshold, arena) },
	};

	return ag_prompt_file("prompts/audit/planner.md", values, AG_NELEM(values), arena, ret,
	                      err);
}
