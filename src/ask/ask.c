/* ask -- the project agent's row: its tools, its state, what follows from the end of a run.
 *
 * Ten calls are ten steps of the loop: one call is one step, also one that is refused. When they are used up, or the time,
 * the planner asks the model for its last words. The answer is made from the state, when run_finished has been applied:
 * words, checked citations, the calls with their hashes; it is committed as the run's report. */
#include "ask/ask.h"

#include "agent/planner_chat.h"
#include "ask/cite.h"
#include "ask/tools.h"
#include "base/log.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN           "ask"
#define ANSWER_MAX_BYTES (32u << 20)
#define SUMMARY_BYTES    200
#define MAX_PARALLEL     4u
/* Before the deadline no model is waited for: the answer is cited, kept and printed in that time. */
#define FINISH_MS 500
/* A quarter of a run's time is kept for the model's last words, within these limits. */
#define MIN_ANSWER_MS 2000
#define MAX_ANSWER_MS 10000

typedef struct ask {
	ag_ask_opts asked;
	const ag_ask_opts *o;
	const ag_ctx *ctx;
	ag_arena *arena;
	ag_ask_state state;
	ag_ask_tools tools;
	ag_ask_run_result *ret;
} ask;

static ag_str clean(ag_str text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(ANSWER_MAX_BYTES);
	ag_str ret = AG_S("");

	if (ag_log_clean(text, &out) && !out.failed)
		ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* One JSON line, without keys. errors  AG_LIMIT, AG_INVALID */
static ag_status json_of(const ag_answer *a, ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(ANSWER_MAX_BYTES);
	ag_status st = AG_OK;

	ag_answer_json(a, &out);
	if (out.failed)
		st = ag_fail(err, AG_LIMIT, ORIGIN,
		             "the answer with its calls is larger than %u bytes", ANSWER_MAX_BYTES);
	else
		*ret = clean(ag_buf_view(&out), arena);
	if (!st && !ret->len)
		st = ag_fail(err, AG_INVALID, ORIGIN, "keys cannot be kept out of the answer");
	ag_buf_release(&out);
	return st;
}

/* --- the end --- */

/* A run that was not brought to its end has an answer when only time or budget ran out and the model had taken part. What it
 * said before its server failed ("I will look at ...") is none. */
static bool has_answer(const ask *a, const ag_run_result *r)
{
	if (a->state.has_final)
		return true;
	return a->state.transcript.nturn > 0 &&
	       (r->err.status == AG_TIMEOUT ||
	        (r->err.status == AG_OK && ag_str_eqc(r->status, "partial")));
}

static void name_status(const ask *a, ag_answer *ret)
{
	const ag_ask_state *s = &a->state;
	const unsigned max = a->o->choices.calls ? a->o->choices.calls : AG_ASK_BUDGET;

	ret->status = ag_str_eqc(s->status, "ok") ? AG_S("ok") : AG_S("partial");
	if (ag_str_eqc(s->status, "ok"))
		return;
	ret->why = s->why;
	if (s->ncall >= max)
		ret->why = ag_str_printf(a->arena, "the budget of %u tool calls is used up", max);
}

static ag_status make_answer(ask *a, ag_answer *ret, ag_err *err)
{
	const ag_ask_state *s = &a->state;
	ag_cited cited = { 0 };
	const ag_ctx unhurried = { .clock = a->ctx->clock, .nthread = 1 };
	ag_status st = ag_cite(a->o->root, &unhurried,
	                       &(ag_cite_input){ .text = ag_ask_words(s),
	                                         .question = a->o->question,
	                                         .calls = s->calls,
	                                         .ncall = s->ncall },
	                       a->arena, &cited, err);

	if (st)
		return st;
	*ret = (ag_answer){
		.answer = cited.answer,
		.source = cited.source,
		.calls = s->calls,
		.ncall = s->ncall,
		.citations = cited.citations,
		.ncitation = cited.ncitation,
		.mode = AG_S("model"),
		.question = a->o->question,
		.root = ag_root_path(a->o->root),
		.run = ag_str_dup(a->arena, ag_id_str(&a->ret->run)),
		.input_tokens = s->input_tokens,
		.output_tokens = s->output_tokens,
		.model_calls = s->model_calls,
		.usd = s->usd,
	};
	name_status(a, ret);
	a->ret->notes = cited.notes;
	a->ret->nnote = cited.nnote;
	return AG_OK;
}

/* env of the row's functions is that of the tools. */
static ask *ask_of(void *env)
{
	return (ask *)((char *)env - offsetof(ask, tools));
}

/* ag_agent.derive: what the run leaves. */
static ag_status derive(void *env, ag_arena *arena, const ag_event *ev, ag_run_row *row,
                        ag_store_batch *batch, ag_err *err)
{
	ask *a = ask_of(env);
	ag_status st;

	(void)arena;
	if (ev->type != AG_EV_RUN_FINISHED)
		return AG_OK;
	row->input_tokens = a->state.input_tokens;
	row->output_tokens = a->state.output_tokens;
	row->usd = a->state.usd;
	st = make_answer(a, &a->ret->answer, err);
	if (!st)
		st = json_of(&a->ret->answer, a->arena, &a->ret->json, err);
	if (!st)
		batch->report = a->ret->json;
	return st;
}

static ag_status prompt(void *env, ag_arena *arena, ag_prompt *ret, ag_err *err)
{
	return ag_ask_prompt(ask_of(env)->o, arena, &ret->system, &ret->last_words, err);
}

/* arg: the prompt of the run */
static ag_planner *make_chat(void *env, void *arg)
{
	const ask *a = ask_of(env);
	const ag_prompt *p = arg;
	ag_chat_opts chat = { .llm = a->o->llm,
		              .meter = a->o->meter,
		              .purpose = "ask",
		              .system = p->system,
		              .first = a->o->question,
		              .last_words = p->last_words,
		              .transcript = &a->state.transcript,
		              .unanswered = AG_S("Error: not run, the budget of tool calls is "
		                                 "used up") };

	chat.tools = ag_ask_offered(a->o, a->arena, &chat.ntool);
	return ag_planner_chat_new(&chat, a->arena);
}

static const ag_planner_kind planners[] = { { "chat", make_chat } };

const ag_agent ag_agent_ask = {
	.name = "ask",
	.settings = ag_ask_options,
	.tools = &ag_ask_tool_table,
	.prompt = prompt,
	.planners = planners,
	.nplanner = AG_NELEM(planners),
	.budget = { .iterations = AG_ASK_BUDGET },
	.at_limit = AG_AT_LIMIT_ANSWER,
	.result = AG_RESULT_ANSWER,
	.parallel = MAX_PARALLEL,
	.apply = ag_ask_apply,
	.derive = derive,
	.never_resumed = true,
};

/* --- the begin --- */

/* "api_methods":["GET","HEAD"] */
static void write_methods(ag_jw *w, unsigned methods)
{
	if (!methods)
		methods = AG_API_READING;
	ag_jw_kbool(w, "read_only", !(methods & ~AG_API_READING));
	ag_jw_kkey(w, "api_methods");
	ag_jw_arr(w);
	for (unsigned bit = 1; bit < AG_API_ALL; bit <<= 1) {
		if (methods & bit)
			ag_jw_str(w, ag_api_method_name(bit));
	}
	ag_jw_arr_end(w);
}

/* What run_started says, with a model or (o NULL) without. */
static ag_str started(const ag_ask_opts *o, ag_str question, ag_str root, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "agent", AG_S("ask"));
	ag_jw_kstr(&w, "version", AG_S(AG_VERSION));
	ag_jw_kstr(&w, "question", question);
	ag_jw_kstr(&w, "root", root);
	ag_jw_kstr(&w, "planner", o ? AG_S("chat") : AG_S("offline"));
	if (o) {
		ag_jw_kstr(&w, "model", ag_llm_model_of(o->llm)->model);
		if (o->api)
			ag_jw_kstr(&w, "api", ag_api_shown(o->api));
		else
			ag_jw_knull(&w, "api");
		write_methods(&w, o->api_methods);
		ag_jw_kuint(&w, "calls", o->choices.calls ? o->choices.calls : AG_ASK_BUDGET);
	}
	ag_jw_obj_end(&w);
	ret = clean(ag_buf_view(&out), arena);
	ag_buf_release(&out);
	return ret;
}

/* The folder's own name. */
static ag_str name_of(ag_str path)
{
	size_t begin = path.len;

	while (begin > 0 && path.ptr[begin - 1] != '/')
		begin--;
	return ag_str_make(path.ptr + begin, path.len - begin);
}

/* record NULL = zero. */
static ag_run_row row_of(const ag_ctx *ctx, const ag_ask_record *record, ag_str question,
                         ag_str root, ag_arena *arena)
{
	const ag_str place = clean(root, arena);

	return (ag_run_row){
		.id = record && record->run.text[0] ? record->run : ag_id_new(ctx->clock),
		.agent = AG_S("ask"),
		.source_uri = place,
		.source_key = record && record->key.len
		                      ? record->key
		                      : ag_str_printf(arena, "project:%.*s", AG_FMT(place)),
		.collection = name_of(place),
		/* In this order, so that no half of a key is left. */
		.summary = ag_utf8_prefix(clean(question, arena), SUMMARY_BYTES),
	};
}

/* Seconds in which the model may be asked; the run's own deadline stands behind them. */
static double seconds(const ag_ctx *ctx)
{
	const int64_t left_ms = ag_ctx_left_ms(ctx);

	if (left_ms < 0)
		return 0;
	return (double)(left_ms > 4 * FINISH_MS ? left_ms - FINISH_MS : left_ms * 3 / 4 + 1) / 1000;
}

/* Milliseconds that a tool leaves for the model's answer. */
static int64_t answer_ms(const ag_ctx *ctx)
{
	const int64_t quarter = ag_ctx_left_ms(ctx) / 4;

	if (quarter < MIN_ANSWER_MS)
		return MIN_ANSWER_MS;
	return quarter < MAX_ANSWER_MS ? quarter : MAX_ANSWER_MS;
}

ag_status ag_ask_run(const ag_ctx *ctx, const ag_ask_opts *opts, ag_arena *arena,
                     ag_ask_run_result *ret, ag_err *err)
{
	ask *a = ag_new(arena, ask);
	const ag_tool_set more = { .tools = opts->more_tools, .ntool = opts->nmore_tool };
	ag_run_opts run = { 0 };
	ag_prompt words = { 0 };
	ag_status st;

	*ret = (ag_ask_run_result){ 0 };
	*a = (ask){ .ctx = ctx, .arena = arena, .ret = ret };
	ag_ask_state_init(&a->state, arena);
	/* A key that somebody pasted into the question goes nowhere, to no model either. */
	a->asked = *opts;
	a->asked.question = clean(opts->question, arena);
	/* What the API says of itself is asked without a key, but it knows its own. */
	a->asked.operations = clean(opts->operations, arena);
	a->o = opts = &a->asked;
	if (!a->asked.question.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "keys cannot be kept out of the question");
	a->tools = (ag_ask_tools){ .root = opts->root,
		                   .api = opts->api,
		                   .state = &a->state,
		                   .read_bytes = opts->choices.read_bytes,
		                   .deadline_ms = ctx->deadline_ms,
		                   .answer_ms = answer_ms(ctx) };
	st = ag_agent_ask.prompt(&a->tools, arena, &words, err);
	if (st)
		return st;
	run = (ag_run_opts){
		.agent = &ag_agent_ask,
		.env = &a->tools,
		.more = &more,
		.nmore = 1,
		.state = &a->state,
		.planner = planners[0].make(&a->tools, &words),
		.budget = { .iterations = opts->choices.calls, .seconds = seconds(ctx) },
		.meter = opts->meter,
		.fail_policy = AG_RUN_FAIL_CONTINUE,
		.store = opts->store,
		.started = started(opts, opts->question, ag_root_path(opts->root), arena),
		.row = row_of(ctx, &opts->record, opts->question, ag_root_path(opts->root), arena),
		.on_event = opts->on_event,
		.on_event_arg = opts->on_event_arg,
	};
	ret->run = run.row.id;
	st = ag_loop_run(ctx, &run, arena, &ret->run_result, err);
	ret->has_answer = !st && ret->json.len && has_answer(a, &ret->run_result);
	return st;
}

/* --- without a model --- */

static ag_event event_of(const ag_run_row *row, uint64_t seq, ag_event_type type, int64_t at_ms,
                         ag_str payload)
{
	return (ag_event){ .v = AG_EVENT_VERSION,
		           .run = row->id,
		           .seq = seq,
		           .type = type,
		           .at_ms = at_ms,
		           .payload = payload };
}

static ag_str offline_finished(const ag_answer *a, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "status", a->status);
	ag_jw_kstr(&w, "why", a->why);
	ag_jw_kuint(&w, "iterations", 0);
	ag_jw_kuint(&w, "calls", 0);
	ag_jw_knull(&w, "verdict");
	ag_jw_obj_end(&w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_status ag_ask_keep(const ag_ctx *ctx, ag_store *store, const ag_ask_record *record, ag_answer *a,
                      ag_arena *arena, ag_str *ret_json, ag_err *err)
{
	const int64_t now_ms = ag_clock_wall(ctx->clock);
	ag_run_row row = row_of(ctx, record, a->question, a->root, arena);
	ag_event events[2];
	ag_store_batch batch = {
		.events = events, .nevent = 2, .run = &row, .on_disk = AG_STORE_LAZY
	};
	ag_status st;

	row.status = a->status;
	row.verdict = AG_S("");
	row.started_ms = row.finished_ms = now_ms;
	a->run = ag_str_dup(arena, ag_id_str(&row.id));
	events[0] = event_of(&row, 1, AG_EV_RUN_STARTED, now_ms,
	                     started(NULL, a->question, a->root, arena));
	events[1] = event_of(&row, 2, AG_EV_RUN_FINISHED, now_ms, offline_finished(a, arena));
	st = json_of(a, arena, &batch.report, err);
	if (!st)
		st = ag_store_commit(store, &row.id, &batch, err);
	if (!st)
		*ret_json = batch.report;
	return st;
}
