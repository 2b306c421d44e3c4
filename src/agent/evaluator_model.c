/* evaluator_model -- ask a model for a verdict: "self" (the planner's own kind) or "judge" (another one).
 *
 * One structured request. An answer that cannot be read is shown to the model once more, with what is wrong; after that
 * it counts as the policy of its gate says, and the verdict quotes it. Failures of the network or of the budget are
 * errors: they say nothing about the subject. Who judged is written here, whatever the answer claims.
 * Read first: agent/verdict_read.c. */
#include "agent/evaluators.h"

#define SAME_AS_BEFORE "Nothing was done since the last verdict on this run, so it is the same: "
#define UNREADABLE     "unparseable answer ("

#define QUOTE_MAX_BYTES 200
#define RAW_MAX_BYTES   8000 /* of the unreadable answer, in the second request */

/* One question with its answers. */
typedef struct asking {
	const ag_model_evaluator *e;
	const ag_ctx *ctx;
	ag_gate gate;
	ag_arena *arena;
	ag_str system, user, schema;
	ag_str raw; /* what came last */
	ag_err why; /* and why it cannot be read */
} asking;

/* A view of at most max bytes that ends with a whole character. */
static ag_str cut(ag_str s, size_t max)
{
	if (s.len <= max)
		return s;
	while (max && ((unsigned char)s.ptr[max] & 0xC0) == 0x80)
		max--;
	return ag_str_make(s.ptr, max);
}

static ag_llm_part text_part(ag_str text)
{
	return (ag_llm_part){ .type = AG_LLM_TEXT, .text = text };
}

/* The verdict's JSON where a tool had to be called, else all the words: among words verdict_read looks itself, and
 * notices when there are two. */
static ag_str answer_of(const ag_llm_reply *r)
{
	for (size_t i = 0; i < r->npart; i++)
		if (r->parts[i].type == AG_LLM_TOOL_CALL)
			return r->json.len ? r->json : r->parts[i].input;
	return r->text;
}

/* *readable: the verdict is in *ret; else a->raw and a->why say what came instead. */
static ag_status ask(asking *a, const ag_llm_message *messages, size_t nmessage, ag_verdict *ret,
                     bool *readable, ag_err *err)
{
	ag_llm_part system = text_part(a->system);
	const ag_llm_request request = {
		.purpose = a->e->base.name,
		.system = &system,
		.nsystem = 1,
		.messages = messages,
		.nmessage = nmessage,
		.format_name = AG_S("verdict"),
		.format_schema = a->schema,
		.meter = a->e->meter,
	};
	ag_llm_reply reply = { 0 };
	ag_status st;

	system.cache_here = true;
	st = ag_llm_ask(a->e->llm, a->ctx, &request, a->arena, &reply, err);
	*readable = false;
	/* An answer that outgrew all limits is no verdict; a call that the budget refused is no answer. */
	if (st == AG_LIMIT && !(a->e->meter && a->e->meter->exhausted)) {
		a->raw = reply.text;
		a->why = *err;
		return AG_OK;
	}
	if (st)
		return st;
	a->raw = answer_of(&reply);
	if (!ag_verdict_parse(a->raw, a->arena, ret, &a->why))
		*readable = true;
	else if (reply.stop == AG_LLM_STOP_LENGTH)
		ag_fail(&a->why, AG_PROTOCOL, "agent.model",
		        "the answer was cut off at its largest length: answer in fewer words");
	else if (reply.stop == AG_LLM_STOP_REFUSAL)
		ag_fail(&a->why, AG_PROTOCOL, "agent.model", "the model refused to answer");
	return AG_OK;
}

/* Once more, with the unreadable answer and what is wrong with it. */
static ag_status ask_again(asking *a, ag_verdict *ret, bool *readable, ag_err *err)
{
	const ag_str raw = cut(a->raw, RAW_MAX_BYTES);
	const ag_str words = ag_str_printf(
		a->arena,
		"Your answer could not be read: %s. Answer again with exactly one JSON object with the "
		"members reason (text), verdict (pass, warn or fail), score (a number from 0 to 1) and "
		"critique (text, may be empty), and nothing else.",
		a->why.msg);
	/* Servers refuse a message without content. */
	const ag_llm_part parts[] = {
		text_part(a->user),
		text_part(ag_str_trim(raw).len ? raw : AG_S("(nothing)")),
		text_part(words),
	};
	const ag_llm_message messages[] = {
		{ AG_LLM_USER, &parts[0], 1 },
		{ AG_LLM_ASSISTANT, &parts[1], 1 },
		{ AG_LLM_USER, &parts[2], 1 },
	};

	return ask(a, messages, AG_NELEM(messages), ret, readable, err);
}

/* The beginning of the answer on one line, for people. */
static ag_str quote(const asking *a)
{
	const ag_str s = cut(ag_str_trim(a->raw), QUOTE_MAX_BYTES);
	char *line = ag_str_cstr(a->arena, s);

	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7F)
			line[i] = ' ';
	return ag_str_make(line, s.len);
}

static ag_verdict unreadable(const asking *a)
{
	static const ag_verdict by_policy[] = {
		[AG_MALFORMED_FAIL] = { .kind = AG_FAIL,
		                        .disposition = AG_DISPOSE_REJECT,
		                        .critique = AG_S_INIT("The evaluator's answer could not be "
		                                              "read; propose it again.") },
		[AG_MALFORMED_WARN] = { .kind = AG_WARN, .score = 0.5 },
		[AG_MALFORMED_PASS] = { .kind = AG_PASS, .score = 0.5 },
	};
	ag_verdict v = by_policy[a->e->malformed[a->gate]];

	v.reason = ag_str_printf(a->arena, UNREADABLE "%s): %.*s", a->why.msg, AG_FMT(quote(a)));
	return v;
}

static void hold_to_threshold(const asking *a, ag_verdict *v)
{
	const double threshold = a->e->pass_threshold[a->gate];

	if (v->kind == AG_PASS && v->score < threshold) {
		v->kind = AG_FAIL;
		v->reason = ag_str_printf(a->arena,
		                          "score %.2f is below the threshold of %.2f: %.*s",
		                          v->score, threshold, AG_FMT(v->reason));
	}
	/* The planner must learn what to mend. */
	if (v->kind == AG_FAIL && !v->critique.len)
		v->critique = v->reason;
}

static bool is_known(const ag_model_evaluator *e, const ag_subject *s)
{
	return s->gate == AG_GATE_RUN && e->last_run && s->stamp && s->stamp == e->last_run->stamp;
}

/* Its critique says why it is the same as before. */
static ag_verdict known_verdict(const ag_model_evaluator *e, ag_arena *arena)
{
	ag_verdict v = e->last_run->verdict;

	if (v.kind != AG_PASS)
		v.critique = ag_str_printf(arena, SAME_AS_BEFORE "%.*s",
		                           AG_FMT(v.critique.len ? v.critique : v.reason));
	return v;
}

static void remember(const ag_model_evaluator *e, uint64_t stamp, const ag_verdict *v)
{
	ag_run_verdict *last = e->last_run;

	last->stamp = stamp;
	last->verdict = *v;
	last->verdict.reason = ag_str_dup(last->arena, v->reason);
	last->verdict.critique = ag_str_dup(last->arena, v->critique);
	last->verdict.evaluated_by = ag_str_dup(last->arena, v->evaluated_by);
}

/* "self:small-1" */
static ag_str full_name(const ag_model_evaluator *e, ag_arena *arena)
{
	return ag_str_printf(arena, "%s:%.*s", e->base.name,
	                     AG_FMT(ag_llm_model_of(e->llm)->model));
}

/* Another model is asked for its own verdict, and one that could not be read once more. */
static void recall(const ag_evaluator *self, uint64_t stamp, const ag_verdict *v)
{
	const ag_model_evaluator *e = (const ag_model_evaluator *)self;
	ag_verdict first = *v;

	if (!e->last_run || !ag_str_eq(v->evaluated_by, full_name(e, e->last_run->arena)) ||
	    ag_str_starts(v->reason, AG_S(UNREADABLE)))
		return;
	if (ag_str_starts(first.critique, AG_S(SAME_AS_BEFORE)))
		first.critique = ag_str_make(first.critique.ptr + sizeof(SAME_AS_BEFORE) - 1,
		                             first.critique.len - (sizeof(SAME_AS_BEFORE) - 1));
	remember(e, stamp, &first);
}

static ag_status evaluate(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                          ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	const ag_model_evaluator *e = (const ag_model_evaluator *)self;
	asking a = { .e = e, .ctx = ctx, .gate = s->gate, .arena = arena };
	ag_buf schema = AG_BUF_INIT(16 * 1024);
	ag_llm_part question;
	ag_llm_message message;
	bool readable;
	ag_verdict v;
	ag_status st;

	if (is_known(e, s)) {
		*ret = known_verdict(e, arena);
		return AG_OK;
	}
	st = e->prompt(e->env, self->name, s, arena, &a.system, &a.user, err);
	if (st)
		return st;
	ag_verdict_schema(&schema);
	a.schema = ag_buf_dup(arena, &schema);
	ag_buf_release(&schema);
	question = text_part(a.user);
	message = (ag_llm_message){ AG_LLM_USER, &question, 1 };
	st = ask(&a, &message, 1, &v, &readable, err);
	if (!st && !readable)
		st = ask_again(&a, &v, &readable, err);
	if (st)
		return st;
	if (readable)
		hold_to_threshold(&a, &v);
	else
		v = unreadable(&a);
	v.evaluated_by = full_name(e, arena);
	if (readable && s->gate == AG_GATE_RUN && e->last_run)
		remember(e, s->stamp, &v);
	*ret = v;
	return AG_OK;
}

void ag_model_evaluator_init(ag_model_evaluator *e, const char *name, ag_llm *llm,
                             ag_llm_meter *meter)
{
	*e = (ag_model_evaluator){
		.base = { .name = name,
		          .evaluate = evaluate,
		          .recall = recall,
		          .asks_model = true },
		.llm = llm,
		.meter = meter,
		/* What lets something through is closed; the end of a run lets nothing through. */
		.malformed = { AG_MALFORMED_FAIL, AG_MALFORMED_FAIL, AG_MALFORMED_WARN },
	};
}
