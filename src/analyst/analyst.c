/* analyst -- the SQL analyst's row, and a turn from its question to its answer. Read ag_analyst_turn().
 *
 * The thread's lease is taken before anything is read, so what is read is what the next turn follows. Earlier turns are shown
 * to the model as they were, with less of their results. */
#include "analyst/analyst.h"

#include "agent/planner_chat.h"
#include "analyst/artifact_proof.h"
#include "analyst/correct.h"
#include "analyst/fixed.h"
#include "analyst/prompt.h"
#include "analyst/proof.h"
#include "analyst/recipe_tool.h"
#include "analyst/tools.h"
#include "artifact/tools.h"
#include "base/log.h"
#include "base/utf8.h"
#include "knowledge/learning.h"
#include "knowledge/tools.h"
#include "query/extjson.h"
#include "run/owner.h"

#define ORIGIN          "analyst"
#define REPORT_BYTES    (32u << 20)
#define SUMMARY_CHARS   200u
#define ERROR_BYTES     200u
#define EARLIER_SHARE   4 /* of a result, an earlier turn shows this part */
#define MAX_PARALLEL    4u
#define OWN_SETS        5u /* tables of tools beside those of the options */
#define LEASE_MARGIN_MS 60000
/* Before the deadline no model is waited for: the answer is kept and printed in that time. */
#define FINISH_MS 1000

typedef struct analyst {
	const ag_analyst_opts *o;
	const ag_ctx *ctx;
	ag_arena *arena;
	ag_agent row; /* ag_agent_analyst, with the tools of this turn */
	ag_analyst_state state;
	ag_analyst_gates gates;
	ag_analyst_proof proof;
	ag_artifact_prover prover;       /* of artifacts, by the same results */
	const ag_analyst_state **states; /* of the turns before, for their results */
	ag_analyst_turn_result *ret;
	ag_str question;
	ag_earlier *earlier;
	size_t nearlier;
	ag_know_prompt known; /* what the prompt of this turn has */
	const ag_llm_tool *offered;
	size_t noffered;
	ag_str owner; /* of the thread's lease */
} analyst;

static ag_str clean(ag_str text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(REPORT_BYTES);
	ag_str ret = AG_S("");

	if (ag_log_clean(text, &out) && !out.failed)
		ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* --- choices --- */

static unsigned retries_of(const ag_analyst_choices *c)
{
	return (unsigned)(c->retries < 1000 ? c->retries : AG_ANALYST_RETRIES);
}

static int64_t deadline_ms(const ag_analyst_choices *c)
{
	return (int64_t)((c->deadline > 0 ? c->deadline : AG_ANALYST_DEADLINE_S) * 1000);
}

int64_t ag_analyst_lease_ms(const ag_analyst_choices *c)
{
	return deadline_ms(c) + LEASE_MARGIN_MS;
}

static void init_state(const analyst *a, unsigned share, ag_arena *arena, ag_analyst_state *s)
{
	const ag_analyst_choices *c = &a->o->choices;

	ag_analyst_state_init(s, arena);
	if (c->result_bytes)
		s->result_bytes = c->result_bytes;
	s->result_bytes /= share;
	s->retries = retries_of(c);
}

/* --- the turns before --- */

static ag_status apply_log(ag_store *store, const ag_id *turn, ag_analyst_state *s, ag_err *err)
{
	ag_event *events;
	size_t n;
	ag_status st = ag_store_events(store, turn, 0, s->arena, &events, &n, err);

	for (size_t i = 0; i < n && !st; i++)
		st = ag_analyst_apply(s, &events[i], err);
	return st;
}

ag_status ag_analyst_read_turn(ag_store *s, const ag_id *turn, ag_arena *arena,
                               ag_analyst_state *ret, ag_err *err)
{
	ag_analyst_state_init(ret, arena);
	return apply_log(s, turn, ret, err);
}

/* The turns before `end` of rows, as the model is shown them. */
static ag_status read_earlier(analyst *a, const ag_run_row *rows, size_t end, ag_err *err)
{
	ag_status st = AG_OK;

	a->earlier = ag_new_n(a->arena, ag_earlier, end + 1);
	a->states = ag_new_n(a->arena, const ag_analyst_state *, end + 1);
	for (size_t i = 0; i < end && !st; i++) {
		ag_analyst_state *s = ag_new(a->arena, ag_analyst_state);

		init_state(a, EARLIER_SHARE, a->arena, s);
		s->ntable = a->state.ntable;
		st = apply_log(a->o->store, &rows[i].id, s, err);
		a->state.ntable = s->ntable;
		a->states[a->nearlier] = s;
		a->earlier[a->nearlier++] = (ag_earlier){ .question = s->question,
			                                  .turns = s->transcript,
			                                  .answer = s->final };
	}
	return st;
}

/* --- the row --- */

/* env of the row's functions. */
static ag_status derive(void *env, ag_arena *arena, const ag_event *ev, ag_run_row *row,
                        ag_store_batch *batch, ag_err *err)
{
	analyst *a = env;
	ag_buf out = AG_BUF_INIT(REPORT_BYTES);
	ag_analyst_answer answer = { .state = &a->state,
		                     .proof = &a->proof,
		                     .thread = ag_id_str(&a->o->thread->id),
		                     .turn = ag_id_str(&row->id),
		                     .status = a->state.status,
		                     .why = a->state.why };

	(void)arena;
	if (ev->type != AG_EV_RUN_FINISHED)
		return AG_OK;
	row->input_tokens = a->state.input_tokens;
	row->output_tokens = a->state.output_tokens;
	row->usd = a->state.usd;
	ag_analyst_answer_json(&answer, false, a->arena, &out);
	if (!out.failed)
		a->ret->json = clean(ag_buf_view(&out), a->arena);
	ag_buf_release(&out);
	if (!a->ret->json.len)
		return ag_fail(err, AG_LIMIT, ORIGIN, "the answer is larger than %u bytes",
		               REPORT_BYTES);
	batch->report = a->ret->json;
	return AG_OK;
}

static bool may_learn(const analyst *a)
{
	return a->o->knowledge && !a->o->is_trial &&
	       ag_caller_role(a->o->who, a->o->project->id) >= AG_ROLE_ANALYST;
}

static bool has_recipes(const analyst *a)
{
	return a->o->knowledge && !a->o->is_trial && !a->o->is_step;
}

static ag_status prompt(void *env, ag_arena *arena, ag_prompt *ret, ag_err *err)
{
	analyst *a = env;
	const ag_analyst_prompt_opts o = {
		.project = a->o->project,
		.dictionary = a->o->dictionary,
		.no_dictionary = a->o->no_dictionary,
		.question = a->question,
		.dictionary_bytes = a->o->choices.dictionary_bytes,
		.knowledge = a->o->knowledge ? *a->o->knowledge : NULL,
		.knowledge_bytes = a->o->choices.knowledge_bytes,
		.learns = may_learn(a),
		.recipes_of = has_recipes(a) ? a->o->who : NULL,
		.is_step = a->o->is_step,
		.draws = may_learn(a),
		.retries = retries_of(&a->o->choices),
		.now_ms = ag_clock_wall(a->ctx->clock),
	};
	ag_analyst_prompt p;
	const ag_status st = ag_analyst_prompt_make(&o, arena, &p, err);

	if (st)
		return st;
	a->known = p.known;
	*ret = (ag_prompt){ .system = p.system, .last_words = p.last_words };
	return AG_OK;
}

/* What the last call that failed says. */
static ag_str last_error(const ag_analyst_state *s)
{
	for (size_t i = s->nquery; i-- > 0;) {
		const ag_analyst_query *q = &s->queries[i];

		if ((q->has_output || q->is_refused) && !q->result.ok)
			return ag_utf8_prefix(q->result.error, ERROR_BYTES);
	}
	return AG_S("");
}

static ag_str must_end(void *env)
{
	const analyst *a = env;

	if (!ag_analyst_gave_up(&a->state))
		return AG_S("");
	return ag_str_printf(a->arena, "%u calls of this question failed, the last one with: %.*s",
	                     a->state.nfailed, AG_FMT(last_error(&a->state)));
}

/* arg: the prompt of the turn */
static ag_planner *make_chat(void *env, void *arg)
{
	analyst *a = env;
	const ag_prompt *p = arg;
	const ag_chat_opts chat = {
		.llm = a->o->llm,
		.meter = a->o->meter,
		.purpose = "chat",
		.system = p->system,
		.earlier = a->earlier,
		.nearlier = a->nearlier,
		.first = a->question,
		.last_words = p->last_words,
		.transcript = &a->state.transcript,
		.unanswered = AG_S("Error: it was interrupted, there is no result."),
		.tools = a->offered,
		.ntool = a->noffered,
		.watch = a->o->watch,
		.max_messages = a->o->choices.messages ? a->o->choices.messages
		                                       : AG_ANALYST_MESSAGES,
		.must_end = must_end,
		.must_end_arg = a,
	};

	return ag_planner_chat_new(&chat, a->arena);
}

static ag_planner *make_fixed(void *env, void *arg)
{
	const analyst *a = env;

	(void)arg;
	return ag_analyst_fixed_new(&a->state, a->o->sql, a->arena);
}

enum { PLANNER_CHAT, PLANNER_STATEMENT };

static const ag_planner_kind planners[] = {
	[PLANNER_CHAT] = { "chat", make_chat },
	[PLANNER_STATEMENT] = { "statement", make_fixed },
};

static const ag_planner_kind *planner_of(const analyst *a)
{
	return &planners[a->o->sql.len ? PLANNER_STATEMENT : PLANNER_CHAT];
}

static ag_status gates(void *env, const ag_evaluator *ret[AG_NGATE], ag_err *err)
{
	analyst *a = env;

	(void)err;
	ret[AG_GATE_ACTION] = &a->gates.action;
	ret[AG_GATE_OBSERVATION] = &a->gates.output;
	/* What a statement gave is shown as it is. */
	ret[AG_GATE_RUN] = a->o->sql.len ? NULL : &a->proof.gate;
	return AG_OK;
}

const ag_agent ag_agent_analyst = {
	.name = AG_THREAD_AGENT,
	.settings = ag_analyst_options,
	.tools = &ag_analyst_agent_tools,
	.prompt = prompt,
	.planners = planners,
	.nplanner = AG_NELEM(planners),
	.gates = gates,
	.budget = { .iterations = AG_ANALYST_STEPS },
	.at_limit = AG_AT_LIMIT_ANSWER,
	.result = AG_RESULT_TURN,
	.parallel = MAX_PARALLEL,
	.apply = ag_analyst_apply,
	.derive = derive,
	.keeps_text = true,
	.is_quiet = true,
};

/* --- tools --- */

static ag_str schema_of(const ag_tool *t, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64u * 1024);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_tool_schema(t, &w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static void offer(analyst *a, const ag_tool *tools, size_t n, ag_llm_tool *list)
{
	for (size_t i = 0; i < n; i++)
		list[a->noffered++] = (ag_llm_tool){ .name = ag_str_c(tools[i].name),
			                             .help = ag_str_c(tools[i].help),
			                             .schema = schema_of(&tools[i], a->arena),
			                             .has_effect = !(tools[i].flags &
			                                             AG_TOOL_READS) };
}

/* Tools of other servers are judged like ours. */
static const ag_tool *judged(const ag_tool *tools, size_t n, ag_arena *arena)
{
	ag_tool *ret = ag_new_n(arena, ag_tool, n + 1);

	for (size_t i = 0; i < n; i++) {
		ret[i] = tools[i];
		ret[i].flags |= AG_TOOL_PROPOSES;
	}
	return ret;
}

/* The tables of this project's knowledge: who may not save is not tempted. Returns how many, at most OWN_SETS. */
static size_t own_sets(analyst *a, ag_tool_set *ret)
{
	const ag_role role = ag_caller_role(a->o->who, a->o->project->id);
	size_t n = 0;

	ret[n++] = (ag_tool_set){ .tools = &ag_analyst_compute, .ntool = 1, .env = &a->proof };
	if (a->o->knowledge) {
		ret[n] = ag_know_agent_tools; /* save_learning is the last of them */
		ret[n++].ntool -= !may_learn(a);
	}
	/* Who may not save may still list what there is; an evaluation leaves nothing. */
	if (a->o->knowledge && !a->o->is_trial) {
		ag_analyst_artifact_prover_init(&a->prover, &a->proof);
		ret[n] = ag_artifact_agent_tools;
		ret[n].ntool = may_learn(a) ? ret[n].ntool : 1;
		ret[n++].env = &a->prover;
	}
	if (has_recipes(a)) {
		ret[n] = ag_recipe_run_agent_tools;
		ret[n++].env = (void *)(uintptr_t)a->o;
	}
	if (has_recipes(a) && role >= AG_ROLE_ANALYST)
		ret[n++] = ag_recipe_save_agent_tools;
	return n;
}

/* more: room for AG_ANALYST_MAX_SETS + OWN_SETS. Returns how many are in it. */
static size_t choose_tools(analyst *a, ag_tool_set *more)
{
	const ag_analyst_opts *o = a->o;
	size_t n = 0, nset;
	ag_llm_tool *list;

	AG_ASSERT(o->nmore <= AG_ANALYST_MAX_SETS);
	a->row = ag_agent_analyst;
	if (o->server) {
		ag_tool_set *set = ag_new(a->arena, ag_tool_set);

		*set = *o->server;
		set->tools = judged(set->tools, set->ntool, a->arena);
		a->row.tools = set;
	}
	for (size_t i = 0; i < o->nmore; i++) {
		more[i] = o->more[i];
		more[i].tools = judged(more[i].tools, more[i].ntool, a->arena);
	}
	nset = o->nmore + own_sets(a, more + o->nmore);
	for (size_t i = 0; i < nset; i++)
		n += more[i].ntool;
	list = ag_new_n(a->arena, ag_llm_tool, a->row.tools->ntool + n + 1);
	offer(a, a->row.tools->tools, a->row.tools->ntool, list);
	for (size_t i = 0; i < nset; i++)
		offer(a, more[i].tools, more[i].ntool, list);
	a->offered = list;
	return nset;
}

/* --- a turn --- */

static ag_str started(const analyst *a)
{
	const ag_analyst_opts *o = a->o;
	ag_buf out = AG_BUF_INIT(AG_STORE_MAX_PAYLOAD_BYTES);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "agent", AG_S(AG_THREAD_AGENT));
	ag_jw_kstr(&w, "version", AG_S(AG_VERSION));
	ag_jw_kstr(&w, "question", a->question);
	if (o->message.len)
		ag_jw_kstr(&w, "message", o->message);
	if (o->replaces.len)
		ag_jw_kstr(&w, "replaces", o->replaces);
	ag_jw_kstr(&w, "thread", ag_id_str(&o->thread->id));
	ag_jw_kstr(&w, "project", o->project->id);
	ag_jw_kstr(&w, "user", o->who->user);
	ag_jw_kstr(&w, "role", ag_str_c(ag_role_name(ag_caller_role(o->who, o->project->id))));
	ag_jw_kstr(&w, "planner", ag_str_c(planner_of(a)->name));
	if (!o->sql.len)
		ag_jw_kstr(&w, "model", ag_llm_model_of(o->llm)->model);
	ag_analyst_known_write(&a->known, &w);
	ag_jw_obj_end(&w);
	ret = clean(ag_buf_view(&out), a->arena);
	ag_buf_release(&out);
	return ret;
}

static ag_run_row new_row(const analyst *a)
{
	const ag_analyst_opts *o = a->o;

	return (ag_run_row){
		.id = ag_id_new(a->ctx->clock),
		.agent = AG_S(AG_THREAD_AGENT),
		.source_uri = o->thread->place,
		.source_key = o->thread->key,
		.collection = o->project->id,
		.summary = ag_utf8_prefix(a->question, SUMMARY_CHARS),
		.replaces = o->replaces,
	};
}

/* Everything but the row and run_started. The planner needs the prompt, which needs the question. */
static ag_status prepare(analyst *a, ag_run_opts *run, ag_err *err)
{
	const ag_analyst_opts *o = a->o;
	const int64_t left_ms = ag_ctx_left_ms(a->ctx);
	ag_tool_set *more = ag_new_n(a->arena, ag_tool_set, AG_ANALYST_MAX_SETS + OWN_SETS);
	ag_prompt *words = ag_new(a->arena, ag_prompt);
	size_t nmore;
	ag_status st;

	st = o->knowledge ? ag_know_set_load(o->store, o->project->id, o->knowledge, err) : AG_OK;
	if (st)
		return st;
	ag_analyst_gates_init(&a->gates, o->dictionary);
	ag_analyst_proof_init(&a->proof, &a->state, a->states, a->nearlier);
	nmore = choose_tools(a, more);
	*run = (ag_run_opts){
		.agent = &a->row,
		.env = a,
		.more = more,
		.nmore = nmore,
		.from = { .who = o->who,
		          .hub = o->hub,
		          .project = o->project,
		          .session = ag_id_str(&o->thread->id),
		          .watch_fd = -1 },
		.state = &a->state,
		.budget = { .iterations = (unsigned)o->choices.steps,
		            .seconds = left_ms > 2 * FINISH_MS
		                               ? (double)(left_ms - FINISH_MS) / 1000
		                               : 0 },
		.meter = o->meter,
		.fail_policy = AG_RUN_FAIL_CONTINUE,
		.store = o->store,
		.held = { .run = o->thread->id, .owner = a->owner },
		.live = o->live,
		.on_event = o->on_event,
		.on_commit = o->on_commit,
		.on_event_arg = o->on_event_arg,
	};
	st = a->row.gates(a, run->gates, err);
	if (!st)
		st = a->row.prompt(a, a->arena, words, err);
	if (!st)
		run->planner = planner_of(a)->make(a, words);
	return st;
}

/* Counts the learnings that the answer used, and sets those aside whose own SQL failed. What cannot be noted is no failure of
 * the question. */
static void note_learnings(analyst *a)
{
	const ag_analyst_opts *o = a->o;
	const int64_t now = ag_clock_wall(a->ctx->clock);
	const ag_known_learning **used;
	ag_str wrong[AG_KNOWN_MAX_WRONG], *keys;
	ag_know was;
	size_t n;

	if (!o->knowledge || o->is_trial)
		return;
	n = ag_analyst_learnings_used(&a->state, a->arena, &used);
	keys = ag_new_n(a->arena, ag_str, n + 1);
	for (size_t i = 0; i < n; i++)
		keys[i] = used[i]->key;
	AG_IGNORE(ag_store_use_objects(o->store, o->project->id, AG_S("learning"), keys, n, now,
	                               NULL),
	          "a use that is not counted does no harm");
	n = ag_analyst_learnings_wrong(&a->state, *o->knowledge, a->arena, wrong);
	for (size_t i = 0; i < n; i++)
		AG_IGNORE(ag_know_contradict(o->store, o->project->id, wrong[i],
		                             AG_S("the SQL that it says works failed"), now,
		                             a->arena, &was, NULL),
		          "the next failure sets it aside");
}

static void finish(analyst *a)
{
	note_learnings(a);
	a->ret->state = &a->state;
	a->ret->answer = ag_analyst_answer_text(&a->state);
	a->ret->proof = &a->proof;
}

static ag_status check_question(analyst *a, ag_err *err)
{
	const ag_str text = ag_str_trim(a->o->question);

	if (!text.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "the question is empty");
	if (!ag_utf8_is_text(text))
		return ag_fail(err, AG_INVALID, ORIGIN, "the question is no UTF-8 text");
	if (ag_utf8_count(text) > AG_ANALYST_MAX_QUESTION) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "the question has %zu characters, at most %u are taken",
		        ag_utf8_count(text), AG_ANALYST_MAX_QUESTION);
		return ag_err_hint(err, "ask shorter; data belongs into the database");
	}
	a->question = clean(text, a->arena);
	return a->question.len ? AG_OK
	                       : ag_fail(err, AG_INVALID, ORIGIN,
	                                 "keys cannot be kept out of the question");
}

/* The thread is ours from here to the end of the turn. */
static ag_status open_turn(analyst *a, const ag_ctx *ctx, ag_ctx *ret_ctx, const ag_analyst_opts *o,
                           ag_arena *arena, ag_analyst_turn_result *ret, ag_err *err)
{
	const int64_t limit_ms = deadline_ms(&o->choices);
	const int64_t until = ag_clock_mono(ctx->clock) + limit_ms;

	*ret = (ag_analyst_turn_result){ 0 };
	*ret_ctx = *ctx;
	if (!ctx->deadline_ms || until < ctx->deadline_ms)
		ret_ctx->deadline_ms = until;
	*a = (analyst){ .o = o, .ctx = ret_ctx, .arena = arena, .ret = ret };
	init_state(a, 1, arena, &a->state);
	a->owner = o->owner.len ? o->owner : ag_owner_new(ctx->clock, arena);
	return o->owner.len ? AG_OK
	                    : ag_thread_take(o->store, o->thread, a->owner, ctx->clock,
	                                     ag_analyst_lease_ms(&o->choices), err);
}

/* The end of the run gave it back, if there was one. */
static void give_thread(const analyst *a)
{
	if (!a->ret->run_result.has_given)
		ag_thread_give(a->o->store, a->o->thread, a->owner, a->ctx->clock);
}

static ag_status ask(analyst *a, ag_err *err)
{
	const ag_analyst_opts *o = a->o;
	ag_run_opts run;
	ag_run_row *rows;
	ag_str replaced = AG_S("");
	size_t n;
	ag_status st = AG_OK;

	/* Nobody else changes the thread from here on. */
	if (o->replaces.len)
		st = ag_thread_replaceable(o->store, o->thread, o->replaces, a->arena, &replaced,
		                           err);
	if (!st)
		st = ag_thread_turns_before(o->store, o->thread, replaced, AG_ANALYST_MAX_EARLIER,
		                            a->arena, &rows, &n, err);
	if (!st)
		st = read_earlier(a, rows, n, err);
	if (!st)
		st = prepare(a, &run, err);
	if (st)
		return st;
	run.started = started(a);
	run.row = new_row(a);
	a->ret->turn = run.row.id;
	st = ag_loop_run(a->ctx, &run, a->arena, &a->ret->run_result, err);
	finish(a);
	return st;
}

ag_status ag_analyst_turn(const ag_ctx *ctx, const ag_analyst_opts *o, ag_arena *arena,
                          ag_analyst_turn_result *ret, ag_err *err)
{
	analyst *a = ag_new(arena, analyst);
	ag_ctx *own = ag_new(arena, ag_ctx);
	ag_status st;

	*a = (analyst){ .o = o, .arena = arena };
	st = check_question(a, err);
	if (!st) {
		const ag_str question = a->question;

		st = open_turn(a, ctx, own, o, arena, ret, err);
		a->question = question;
	} else {
		ag_thread_give(o->store, o->thread, o->owner, ctx->clock);
	}
	if (st)
		return st;
	st = ask(a, err);
	give_thread(a);
	return st;
}

/* --- a turn that stood still --- */

ag_status ag_analyst_is_open(ag_store *s, const ag_run_row *turn, bool *ret, ag_err *err)
{
	ag_owner_state writer = AG_OWNER_UNKNOWN;
	ag_status st = AG_OK;

	*ret = false;
	if (!ag_str_eqc(turn->status, "running"))
		return AG_OK;
	st = ag_store_writer(s, &turn->id, &writer, err);
	*ret = !st && writer != AG_OWNER_ALIVE;
	return st;
}

static ag_status last_open(analyst *a, ag_run_row **ret_rows, size_t *ret_n, ag_err *err)
{
	bool is_open = false;
	ag_status st = ag_thread_turns(a->o->store, a->o->thread, AG_ANALYST_MAX_EARLIER, a->arena,
	                               ret_rows, ret_n, err);

	if (!st && *ret_n)
		st = ag_analyst_is_open(a->o->store, &(*ret_rows)[*ret_n - 1], &is_open, err);
	/* A step of a recipe goes on as well after a failure or a stop. */
	if (!st && *ret_n && a->o->is_step && !is_open)
		is_open = !ag_str_eqc((*ret_rows)[*ret_n - 1].status, "running") &&
		          !ag_str_eqc((*ret_rows)[*ret_n - 1].status, "ok");
	if (!st && !is_open)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "no turn of thread %.13s was interrupted",
		             a->o->thread->id.text);
	return st;
}

static ag_str resumed(const analyst *a)
{
	return ag_str_printf(a->arena, "{\"version\":\"%s\",\"sitting\":%u}", AG_VERSION,
	                     a->state.sittings + 1);
}

static ag_status go_on(analyst *a, ag_err *err)
{
	ag_run_opts run;
	ag_run_row *rows;
	ag_event *events;
	size_t n, nevent;
	ag_status st = last_open(a, &rows, &n, err);

	if (!st)
		st = read_earlier(a, rows, n - 1, err);
	if (!st)
		st = ag_store_events(a->o->store, &rows[n - 1].id, 0, a->arena, &events, &nevent,
		                     err);
	for (size_t i = 0; !st && i < nevent; i++)
		st = ag_analyst_apply(&a->state, &events[i], err);
	a->question = a->state.question;
	if (!st && a->o->meter)
		ag_llm_meter_prime(a->o->meter, a->state.input_tokens, a->state.output_tokens,
		                   a->state.model_calls, a->state.usd);
	if (!st)
		st = prepare(a, &run, err);
	if (st)
		return st;
	run.row = rows[n - 1];
	a->ret->turn = run.row.id;
	st = ag_loop_resume(a->ctx, &run, events, nevent, resumed(a), a->arena, &a->ret->run_result,
	                    err);
	finish(a);
	return st;
}

ag_status ag_analyst_resume(const ag_ctx *ctx, const ag_analyst_opts *o, ag_arena *arena,
                            ag_analyst_turn_result *ret, ag_err *err)
{
	analyst *a = ag_new(arena, analyst);
	ag_ctx *own = ag_new(arena, ag_ctx);
	ag_status st = open_turn(a, ctx, own, o, arena, ret, err);

	if (st)
		return st;
	st = go_on(a, err);
	give_thread(a);
	return st;
}
