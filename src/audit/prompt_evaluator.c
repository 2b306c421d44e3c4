/* prompt_evaluator -- what a model reads that judges: self (a model like the planner) or judge (another one).
 *
 * System: prompts/audit/evaluator_<role>.md around gate_<gate>.md and verdict.md. User:
 *   action   state summary, the proposal                               a judge also reads the trace
 *   finding  state summary, the candidate and what Argus measured      a judge also reads the trace
 *   run      the report without its trace, then the trace: self the last 30 steps, a judge all of them
 * Limits are told in the prompt: a trace that is too long gets shorter lines first, then loses its middle. */
#include <stdlib.h>

#include "audit/prompt_parts.h"
#include "audit/report.h"
#include "query/extjson.h"

#define SELF_STEPS        30
#define SELF_TRACE_BYTES  8000UL
#define JUDGE_TRACE_BYTES 32000UL
#define REPORT_BYTES      12000UL
#define CANDIDATE_BYTES   6000
#define REPORTED_BYTES    1000 /* of one finding of the report */
#define PROPOSAL_BYTES    4000
#define USER_BYTES        (AG_PROMPT_MAX_BYTES + JUDGE_TRACE_BYTES + REPORT_BYTES + 16000UL)
#define FINDING_MAX_BYTES (1024UL * 1024)

typedef struct evaluation {
	ag_audit *audit;
	const ag_audit_state *s;
	const ag_audit_opts *o;
	const ag_subject *subject;
	bool is_judge;
	ag_arena *arena;
	ag_buf *out;
} evaluation;

/* ---- system ---- */

/* What a score is worth: the threshold holds whatever the verdict says. */
static ag_str threshold_text(const evaluation *e)
{
	const double t = e->o->pass_threshold[e->subject->gate];

	if (t <= 0)
		return AG_S("");
	return ag_str_printf(
		e->arena,
		" A pass with a score below %.2f counts as fail: give a pass only with "
		"a score of %.2f or more.",
		t, t);
}

static ag_status system_prompt(const evaluation *e, const char *role, ag_str *ret, ag_err *err)
{
	const ag_rule_opts *r = &e->o->rules;
	const ag_prompt_value figures[] = {
		{ "critical_share", ag_prompt_percent(r->critical_min_share, e->arena) },
		{ "high_share", ag_prompt_percent(r->high_min_share, e->arena) },
		{ "coverage", ag_prompt_percent(r->field_coverage_min, e->arena) },
	};
	const ag_str gate_path = ag_str_printf(e->arena, "prompts/audit/gate_%s.md",
	                                       ag_gate_name(e->subject->gate));
	const ag_str role_path = ag_str_printf(e->arena, "prompts/audit/evaluator_%s.md", role);
	const ag_prompt_value threshold = { "threshold", threshold_text(e) };
	ag_prompt_value parts[] = { { "gate", AG_S("") }, { "verdict", AG_S("") } };
	ag_status st = ag_prompt_file(gate_path.ptr, figures, AG_NELEM(figures), e->arena,
	                              &parts[0].text, err);

	if (!st)
		st = ag_prompt_file("prompts/audit/verdict.md", &threshold, 1, e->arena,
		                    &parts[1].text, err);
	if (!st)
		st = ag_prompt_file(role_path.ptr, parts, AG_NELEM(parts), e->arena, ret, err);
	return st;
}

/* ---- trace ---- */

typedef struct step_level {
	size_t input, outcome, reasoning;
} step_level;

static void add_step(const evaluation *e, ag_buf *out, const ag_trace_entry *t, const step_level *l)
{
	ag_buf_addf(out, "%u. ", t->iteration);
	ag_prompt_data(out, t->action.len ? t->action : AG_S("(no action)"), 60);
	ag_buf_addc(out, ' ');
	ag_prompt_data(out, t->input_text.len ? t->input_text : t->input, l->input);
	ag_buf_adds(out, " -> ");
	ag_prompt_outcome(out, e->s, t, e->o->show_values, l->outcome, e->arena);
	ag_buf_addf(out, " | confidence %.2f", t->confidence);
	if (l->reasoning && t->reasoning.len) {
		ag_buf_adds(out, " | ");
		ag_prompt_data(out, t->reasoning, l->reasoning);
	}
	ag_buf_addc(out, '\n');
}

/* Shorter and shorter lines; false when not even the shortest fit. */
static bool whole_trace(const evaluation *e, ag_buf *out, size_t first)
{
	static const step_level levels[] = { { 300, 160, 200 }, { 120, 80, 80 }, { 60, 60, 0 } };

	for (size_t k = 0; k < AG_NELEM(levels); k++) {
		ag_buf_clear(out);
		for (size_t i = first; i < e->s->trace.n && !out->failed; i++)
			add_step(e, out, &e->s->trace.items[i], &levels[k]);
		if (!out->failed)
			return true;
	}
	return false;
}

/* A third of the room for the beginning, the rest for the end. */
static void trace_without_middle(const evaluation *e, ag_buf *out, size_t max, size_t first)
{
	static const step_level level = { 60, 60, 0 };
	const size_t n = e->s->trace.n;
	ag_buf line = AG_BUF_INIT(1024);
	size_t head = first, tail = n, used = 0;

	ag_buf_clear(out);
	for (; head < n; head++) {
		ag_buf_clear(&line);
		add_step(e, &line, &e->s->trace.items[head], &level);
		if (out->len + line.len > max / 3)
			break;
		ag_buf_add(out, ag_buf_view(&line));
	}
	for (; tail > head; tail--) {
		ag_buf_clear(&line);
		add_step(e, &line, &e->s->trace.items[tail - 1], &level);
		used += line.len;
		if (out->len + used + 60 > max)
			break;
	}
	ag_buf_addf(out, "… %zu steps between are not shown\n", tail - head);
	for (; tail < n; tail++)
		add_step(e, out, &e->s->trace.items[tail], &level);
	ag_buf_release(&line);
}

static void add_trace(const evaluation *e)
{
	const size_t n = e->s->trace.n, max = e->is_judge ? JUDGE_TRACE_BYTES : SELF_TRACE_BYTES;
	const size_t first = !e->is_judge && n > SELF_STEPS ? n - SELF_STEPS : 0;
	ag_buf text = AG_BUF_INIT(max);

	if (!whole_trace(e, &text, first))
		trace_without_middle(e, &text, max, first);
	ag_buf_addf(e->out,
	            "\nTRACE, %s of %zu steps: iteration, call, outcome, confidence, reasoning\n",
	            first ? "the last 30" : "all", n);
	ag_prompt_fence(e->out, "trace");
	ag_buf_add(e->out, ag_buf_view(&text));
	ag_prompt_fence_end(e->out);
	ag_buf_release(&text);
}

/* ---- subjects ---- */

static ag_status add_summary(const evaluation *e, ag_err *err)
{
	ag_str prefix;
	const ag_status st = ag_prompt_prefix(e->audit, e->arena, &prefix, err);

	if (st)
		return st;
	ag_buf_add(e->out, prefix);
	ag_buf_add(e->out, ag_prompt_trailer(e->audit, false, e->arena));
	if (e->is_judge)
		add_trace(e);
	return AG_OK;
}

static void add_proposal(const evaluation *e)
{
	const ag_proposal *p = e->subject->proposal;

	ag_buf_adds(e->out, "\nPROPOSAL to judge\n");
	ag_prompt_fence(e->out, "proposal");
	ag_buf_adds(e->out, "action: ");
	ag_prompt_data(e->out, p->action, 100);
	ag_buf_adds(e->out, "\naction_input: ");
	ag_prompt_data(e->out, ag_str_trim(p->input), PROPOSAL_BYTES);
	ag_buf_adds(e->out, "\nreasoning: ");
	ag_prompt_data(e->out, p->reasoning, PROPOSAL_BYTES / 4);
	ag_buf_addf(e->out, "\nconfidence: %.2f\n", p->confidence);
	ag_prompt_fence_end(e->out);
}

/* Of a finding's JSON, as a report has it and masked as there, what bears on a verdict. */
static void finding_line(const evaluation *e, ag_buf *out, const ag_finding *f, size_t max)
{
	static const char *const told[] = { "field",          "category",       "severity",
		                            "description",    "hypothesis",     "detail",
		                            "evidence_query", "affected_count", "affected_pct",
		                            "total_count",    "examples",       "parts",
		                            "confidence",     "dismissal" };
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_buf json = AG_BUF_INIT(FINDING_MAX_BYTES);
	ag_member *m = ag_new_n(e->arena, ag_member, AG_NELEM(told));
	ag_err ignored;
	size_t n = 0;
	ag_val all;
	ag_jw w;

	ag_jw_init(&w, &json, 0);
	ag_finding_write(f, e->o->show_values, &w);
	if (!json.failed && !ag_extjson_parse(ag_buf_dup(e->arena, &json), &opts, e->arena, &all,
	                                      NULL, NULL, &ignored)) {
		for (size_t i = 0; i < AG_NELEM(told); i++) {
			const ag_val *v = ag_val_getc(&all, told[i]);

			if (v && !(v->type == AG_T_STRING && !v->n))
				m[n++] = (ag_member){ ag_str_c(told[i]), *v };
		}
		all = ag_val_object(m, n);
		ag_prompt_data(out, ag_extjson_str(e->arena, &all, AG_EXTJSON_RELAXED), max);
	}
	ag_buf_addc(out, '\n');
	ag_buf_release(&json);
}

static void add_candidate(const evaluation *e, const ag_finding *f)
{
	ag_buf_adds(
		e->out,
		"\nCANDIDATE to judge: the finding; then what was claimed, and what Argus measured\n");
	ag_prompt_fence(e->out, "candidate");
	finding_line(e, e->out, f, CANDIDATE_BYTES);
	if (f->has_claimed_count)
		ag_buf_addf(e->out, "claimed: %lld documents", (long long)f->claimed_count);
	else
		ag_buf_adds(e->out, "claimed: no count");
	if (f->has_claimed_share)
		ag_buf_addf(e->out, ", share %.6g", f->claimed_share);
	ag_buf_addf(e->out, "\nmeasured: %llu of %llu documents, share %.6g\n",
	            (unsigned long long)f->affected, (unsigned long long)f->total, f->share);
	ag_prompt_fence_end(e->out);
}

/* Findings in the rank order of a report, as many as fit. */
static void add_findings(const evaluation *e, const char *name, const ag_finding *items, size_t n,
                         size_t max)
{
	const ag_finding **list = ag_new_n(e->arena, const ag_finding *, n ? n : 1);
	const size_t start = e->out->len;
	size_t i = 0;

	for (size_t k = 0; k < n; k++)
		list[k] = &items[k];
	qsort(list, n, sizeof(*list), ag_finding_rank);
	ag_buf_addf(e->out, "%s: %zu\n", name, n);
	for (; i < n && e->out->len - start + REPORTED_BYTES < max; i++)
		finding_line(e, e->out, list[i], REPORTED_BYTES);
	if (i < n)
		ag_buf_addf(e->out, "… +%zu more\n", n - i);
}

static void add_report(const evaluation *e)
{
	const ag_source_info *info = ag_source_info_of(ag_audit_source(e->audit));
	size_t covered, paths;

	ag_audit_coverage(e->s, &covered, &paths);
	ag_buf_adds(e->out, "REPORT to judge, without its trace\n");
	ag_prompt_fence(e->out, "report");
	ag_buf_adds(e->out, "collection: ");
	ag_prompt_data(e->out, info->collection, 200);
	ag_buf_addf(e->out, "\nsummary: %.*s\ncoverage: %zu of %zu data fields\n",
	            AG_FMT(ag_report_summary(e->s, e->arena)), covered, paths);
	add_findings(e, "findings", e->s->findings.items, e->s->findings.n, REPORT_BYTES * 2 / 3);
	add_findings(e, "dismissed_findings", e->s->dismissed.items, e->s->dismissed.n,
	             REPORT_BYTES / 3);
	ag_prompt_fence_end(e->out);
}

static ag_status user_prompt(const evaluation *e, ag_err *err)
{
	ag_status st = AG_OK;

	switch (e->subject->gate) {
	case AG_GATE_ACTION:
		if (!e->subject->proposal)
			return ag_fail(err, AG_INTERNAL, "audit.prompt", "there is no proposal");
		st = add_summary(e, err);
		if (!st)
			add_proposal(e);
		return st;
	case AG_GATE_OBSERVATION:
		if (!e->s->candidate)
			return ag_fail(err, AG_INTERNAL, "audit.prompt", "there is no candidate");
		st = add_summary(e, err);
		if (!st)
			add_candidate(e, e->s->candidate);
		return st;
	default:
		add_report(e);
		add_trace(e);
		return st;
	}
}

ag_status ag_prompt_evaluator(void *env, const char *role, const ag_subject *s, ag_arena *arena,
                              ag_str *ret_system, ag_str *ret_user, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(USER_BYTES);
	const evaluation e = {
		.audit = env,
		.s = ag_audit_state_of(env),
		.o = ag_audit_opts_of(env),
		.subject = s,
		.is_judge = ag_str_eqc(AG_S("judge"), role),
		.arena = arena,
		.out = &out,
	};
	ag_str system;
	ag_status st = system_prompt(&e, role, &system, err);

	if (!st)
		st = user_prompt(&e, err);
	if (!st && out.failed)
		st = ag_fail(err, AG_LIMIT, "audit.prompt", "the prompt is larger than %lu bytes",
		             USER_BYTES);
	if (!st) {
		ag_buf_adds(&out, "\nAnswer only with the JSON object of your verdict.\n");
		*ret_system = system;
		*ret_user = ag_buf_dup(arena, &out);
	}
	ag_buf_release(&out);
	return st;
}
