/* prompt_trailer -- the volatile half of the user prompt: where the run stands, what was done, what came of it.
 *
 * Iteration and token tally stand here and nowhere else. Lists show their newest items; what is left out is counted.
 * The whole trailer is written with generous limits first and, when it does not fit into AG_PROMPT_TRAILER_BYTES, once
 * more with the next row of `levels`: all lists become shorter at once, so that no single one pushes out the others. The last
 * row always fits. Reading order: ag_prompt_trailer, write_all, then the sections in their order. */
#include "audit/prompt_parts.h"
#include "base/num.h"
#include "query/extjson.h"

#define ACTIONS   10 /* of the seed: the last ten, without doubles */
#define LOOK_BACK 60 /* steps that are searched for doubles */

typedef struct level {
	size_t path;  /* bytes of one name */
	size_t names; /* bytes of each list of fields */
	size_t queries, query_bytes;
	size_t input_bytes, reason_bytes, outcome_bytes; /* of an action */
	size_t findings, finding_bytes;
	size_t dismissed, dismissed_bytes; /* bytes of each of description, reason, critique */
	size_t observation, critique;
} level;

static const level levels[] = {
	{ 120, 700, 15, 140, 120, 140, 120, 25, 100, 8, 160, 3600, 1200 },
	{ 100, 400, 10, 100, 80, 80, 100, 15, 70, 6, 120, 2400, 900 },
	{ 60, 250, 6, 80, 60, 40, 70, 10, 50, 4, 80, 1600, 700 },
	{ 40, 150, 4, 60, 40, 0, 50, 6, 30, 3, 60, 700, 450 },
};

typedef struct trailer {
	ag_audit *audit;
	const ag_audit_state *s;
	const ag_audit_opts *o;
	bool for_planner; /* else for a judge: no critique, no budget, no call for an action */
	const level *level;
	ag_arena *arena;
	ag_buf *out;
} trailer;

static void add_count(ag_buf *out, uint64_t n)
{
	char text[AG_NUM_MAX];

	ag_buf_add(out, ag_str_make(text, ag_num_u64(text, n)));
}

/* ---- where the run stands ---- */

typedef enum standing { NOT_LOOKED_AT, INVESTIGATED, CONCLUDED } standing;

static standing standing_of(const ag_schema_path *p)
{
	return p->concluded ? CONCLUDED : p->investigated ? INVESTIGATED : NOT_LOOKED_AT;
}

static void add_names(const trailer *t, const char *title, standing which)
{
	const size_t start = t->out->len;
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < t->s->schema.n; i++)
		n += t->s->schema.items[i].is_data && standing_of(&t->s->schema.items[i]) == which;
	if (!n)
		return;
	ag_buf_addf(t->out, "%s (%zu): ", title, n);
	for (size_t i = 0; i < t->s->schema.n && t->out->len - start < t->level->names; i++) {
		const ag_schema_path *p = &t->s->schema.items[i];

		if (!p->is_data || standing_of(p) != which)
			continue;
		ag_buf_adds(t->out, shown++ ? ", " : "");
		ag_prompt_data(t->out, p->path, t->level->path);
	}
	if (shown < n)
		ag_buf_addf(t->out, ", +%zu", n - shown);
	ag_buf_addc(t->out, '\n');
}

static void write_status(const trailer *t)
{
	const ag_rule_opts *r = &t->s->rules;
	const unsigned budget = t->s->budget ? t->s->budget : ag_planner_both_budget(t->audit);
	size_t covered, paths;

	ag_buf_addf(t->out, "\nSTATUS\nIteration %u", t->s->iteration + (t->for_planner ? 1 : 0));
	if (budget)
		ag_buf_addf(t->out, "/%u", budget);
	ag_buf_addf(t->out, ". Sampled %llu of %llu documents.",
	            (unsigned long long)t->s->documents_sampled,
	            (unsigned long long)t->s->collection_size);
	if (!t->s->has_schema) {
		ag_buf_addc(t->out, '\n');
		return;
	}
	ag_audit_coverage(t->s, &covered, &paths);
	ag_buf_addf(t->out, " Fields covered: %zu of %zu; conclude wants %.*s.\n", covered, paths,
	            AG_FMT(ag_prompt_percent(r->field_coverage_min, t->arena)));
	ag_prompt_fence(t->out, "fields");
	add_names(t, "not looked at", NOT_LOOKED_AT);
	add_names(t, "investigated", INVESTIGATED);
	add_names(t, "concluded", CONCLUDED);
	ag_prompt_fence_end(t->out);
}

/* ---- queries ---- */

static bool is_query(const ag_call_record *c)
{
	return ag_str_eqc(c->tool, "run_query") || ag_str_eqc(c->tool, "aggregate");
}

static void write_queries(const trailer *t)
{
	size_t n = 0, skip;

	for (size_t i = 0; i < t->s->calls.n; i++)
		n += is_query(&t->s->calls.items[i]);
	if (!n)
		return;
	skip = n > t->level->queries ? n - t->level->queries : 0;
	ag_buf_adds(t->out, "\nQUERIES run: affected documents, query\n");
	ag_prompt_fence(t->out, "queries");
	if (skip)
		ag_buf_addf(t->out, "(+%zu earlier)\n", skip);
	for (size_t i = 0; i < t->s->calls.n; i++) {
		const ag_call_record *c = &t->s->calls.items[i];
		ag_str text = c->key;

		if (!is_query(c))
			continue;
		if (skip) {
			skip--;
			continue;
		}
		if (c->has_matched)
			add_count(t->out, c->matched);
		else
			ag_buf_addc(t->out, '-');
		ag_buf_addc(t->out, ' ');
		/* The key is "tool\ncanonical query". */
		ag_str_split(&text, '\n');
		ag_prompt_data(t->out, text, t->level->query_bytes);
		ag_buf_addc(t->out, '\n');
	}
	ag_prompt_fence_end(t->out);
}

/* ---- actions ---- */

typedef struct action {
	const ag_trace_entry *t;
	ag_str key;
	unsigned times;
} action;

static ag_str key_of(const ag_trace_entry *t, ag_arena *arena)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	const ag_str input = t->input.len ? t->input : AG_S("{}");
	ag_str key = AG_S("");
	ag_err ignored;
	ag_val v;

	if (!t->input_text.len && !ag_extjson_parse(input, &opts, arena, &v, NULL, NULL, &ignored))
		key = ag_audit_call_key(t->action, &v, arena);
	/* What has no key is the same call when it has the same words. */
	return key.len ? key
	               : ag_str_printf(arena, "%.*s\n%.*s%.*s", AG_FMT(t->action), AG_FMT(t->input),
	                               AG_FMT(t->input_text));
}

/* The last different calls, newest first. */
static size_t last_actions(const trailer *t, action list[ACTIONS], size_t *ret_looked_at)
{
	const size_t total = t->s->trace.n;
	size_t n = 0, back = 0;

	for (; back < total && back < LOOK_BACK; back++) {
		const ag_trace_entry *e = &t->s->trace.items[total - 1 - back];
		const ag_str key = key_of(e, t->arena);
		size_t k = 0;

		while (k < n && !ag_str_eq(list[k].key, key))
			k++;
		if (k == ACTIONS)
			break;
		if (k == n)
			list[n++] = (action){ e, key, 0 };
		list[k].times++;
	}
	*ret_looked_at = back;
	return n;
}

static void write_action(const trailer *t, const action *a)
{
	const ag_trace_entry *e = a->t;

	ag_buf_addf(t->out, "%u. ", e->iteration);
	if (e->action.len)
		ag_prompt_data(t->out, e->action, t->level->path);
	else
		ag_buf_adds(t->out, "(no action)");
	if (e->input.len > 2 || e->input_text.len) {
		ag_buf_addc(t->out, ' ');
		ag_prompt_data(t->out, e->input_text.len ? e->input_text : e->input,
		               t->level->input_bytes);
	}
	if (a->times > 1)
		ag_buf_addf(t->out, " x%u", a->times);
	ag_buf_adds(t->out, " -> ");
	ag_prompt_outcome(t->out, t->s, e, t->o->show_values, t->level->outcome_bytes, t->arena);
	ag_buf_addf(t->out, " | confidence %.2f", e->confidence);
	if (t->level->reason_bytes && e->reasoning.len) {
		ag_buf_adds(t->out, " | ");
		ag_prompt_data(t->out, e->reasoning, t->level->reason_bytes);
	}
	ag_buf_addc(t->out, '\n');
}

static void write_actions(const trailer *t)
{
	action list[ACTIONS];
	size_t looked_at;
	const size_t n = last_actions(t, list, &looked_at);

	if (!n)
		return;
	ag_buf_adds(t->out, "\nACTIONS, newest last: iteration, call, outcome, reasoning\n");
	ag_prompt_fence(t->out, "actions");
	if (looked_at < t->s->trace.n)
		ag_buf_addf(t->out, "(+%zu earlier)\n", t->s->trace.n - looked_at);
	for (size_t i = n; i-- > 0;)
		write_action(t, &list[i]);
	ag_prompt_fence_end(t->out);
}

/* ---- findings ---- */

static void write_finding(const trailer *t, const ag_finding *f)
{
	const bool waits = ag_str_eqc(f->status, "pending_review");

	ag_buf_addf(t->out, "%s ", ag_severity_name(f->severity));
	ag_prompt_data(t->out, f->field, t->level->path);
	ag_buf_addc(t->out, ' ');
	ag_prompt_data(t->out, f->category, t->level->path);
	ag_buf_addf(t->out, ": %llu documents, %.*s%s | ", (unsigned long long)f->affected,
	            AG_FMT(ag_prompt_percent(f->share, t->arena)), waits ? ", pending_review" : "");
	ag_prompt_data(t->out, f->description, t->level->finding_bytes);
	ag_buf_addc(t->out, '\n');
}

static void write_findings(const trailer *t)
{
	const size_t n = t->s->findings.n;
	const size_t skip = n > t->level->findings ? n - t->level->findings : 0;

	ag_buf_addf(t->out, "\nFINDINGS so far: %zu\n", n);
	if (!n)
		return;
	ag_prompt_fence(t->out, "findings");
	if (skip)
		ag_buf_addf(t->out, "(+%zu earlier)\n", skip);
	for (size_t i = skip; i < n; i++)
		write_finding(t, &t->s->findings.items[i]);
	ag_prompt_fence_end(t->out);
}

static void write_dismissed(const trailer *t)
{
	const size_t n = t->s->dismissed.n, max = t->level->dismissed_bytes;
	const size_t skip = n > t->level->dismissed ? n - t->level->dismissed : 0;

	if (!n)
		return;
	ag_buf_addf(t->out, "\nDISMISSED: %zu. What was rejected, why, and the critique\n", n);
	ag_prompt_fence(t->out, "dismissed");
	if (skip)
		ag_buf_addf(t->out, "(+%zu earlier)\n", skip);
	for (size_t i = skip; i < n; i++) {
		const ag_finding *f = &t->s->dismissed.items[i];

		write_finding(t, f);
		ag_buf_adds(t->out, "  why: ");
		ag_prompt_data(t->out, f->evaluation_reason, max);
		if (f->evaluation_critique.len) {
			ag_buf_adds(t->out, " | critique: ");
			ag_prompt_data(t->out, f->evaluation_critique, max);
		}
		ag_buf_addc(t->out, '\n');
	}
	ag_prompt_fence_end(t->out);
}

/* ---- what came last ---- */

static const ag_trace_entry *last_executed(const ag_audit_state *s)
{
	for (size_t i = s->trace.n; i-- > 0;)
		if (s->trace.items[i].executed)
			return &s->trace.items[i];
	return NULL;
}

static void write_observation(const trailer *t)
{
	const ag_trace_entry *e = last_executed(t->s);

	if (!e)
		return;
	ag_buf_addf(t->out, "\nLAST OBSERVATION, of iteration %u\n", e->iteration);
	ag_prompt_fence(t->out, "observation");
	ag_prompt_data(t->out, e->action, t->level->path);
	ag_buf_adds(t->out, ": ");
	ag_prompt_outcome(t->out, t->s, e, t->o->show_values, t->level->observation / 4, t->arena);
	ag_buf_addc(t->out, '\n');
	ag_prompt_result(t->out, e, t->o->show_values, t->level->observation, t->arena);
	ag_prompt_fence_end(t->out);
}

/* An answer that was no action has no tool that could explain it: the planner kept the reason in its place. */
static void write_critique(const trailer *t)
{
	const ag_trace_entry *e = t->s->trace.n ? &t->s->trace.items[t->s->trace.n - 1] : NULL;
	const bool was_no_action = e && !e->action.len;

	if (!t->s->last_critique.len && !was_no_action)
		return;
	ag_buf_adds(t->out, "\nCRITIQUE of your last step. Act on it now.\n");
	ag_prompt_fence(t->out, "critique");
	ag_prompt_data(t->out, was_no_action ? e->reasoning : t->s->last_critique,
	               t->level->critique);
	ag_buf_addc(t->out, '\n');
	ag_prompt_fence_end(t->out);
}

static void write_budget(const trailer *t)
{
	const ag_llm_meter *m = t->o->meter;
	/* Beside a budget stands what the budget counts. */
	const uint64_t used = m && m->max_tokens ? ag_llm_meter_tokens(m)
	                      : m                ? m->input_tokens + m->output_tokens
	                                         : t->s->input_tokens + t->s->output_tokens;

	ag_buf_addf(t->out, "\nTOKENS used %llu", (unsigned long long)used);
	if (m && m->max_tokens)
		ag_buf_addf(t->out, " of %llu", (unsigned long long)m->max_tokens);
	/* Without a money budget the price table has no say in what is asked. */
	if (m && m->max_usd > 0)
		ag_buf_addf(t->out, "; %.4f of %.4f USD", ag_llm_meter_usd(m), m->max_usd);
	ag_buf_adds(t->out, ". When they run out the run ends: prefer what matters.\n");
}

static void write_all(const trailer *t)
{
	write_status(t);
	write_queries(t);
	write_actions(t);
	write_findings(t);
	write_dismissed(t);
	write_observation(t);
	if (!t->for_planner)
		return;
	write_critique(t);
	write_budget(t);
	ag_buf_adds(t->out, "\nAnswer only with the JSON object of your next action.\n");
}

ag_str ag_prompt_trailer(ag_audit *a, bool for_planner, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(AG_PROMPT_TRAILER_BYTES);
	trailer t = {
		a, ag_audit_state_of(a), ag_audit_opts_of(a), for_planner, NULL, arena, &out
	};
	ag_str ret;

	for (size_t i = 0; i < AG_NELEM(levels) && (!i || out.failed); i++) {
		ag_buf_clear(&out);
		t.level = &levels[i];
		write_all(&t);
	}
	AG_ASSERT(!out.failed);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}
