/* The loop with a toy agent whose planner and gates all ask models: what is committed before whom, what a resume does
 * again and what it does not, and what becomes of a run when a model is out or its budget used up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sys/syscall.h>
#include <unistd.h>

#include "agent/loop.h"

#include "../contract/folder.h"
#include "base/log.h"
#include "query/extjson.h"

static const ag_extjson_opts parse_opts = { .typed = true, .query = true };

/* --- the toy --- */

typedef struct toy {
	ag_arena *arena;
	ag_ctx ctx;
	ag_store *store;
	ag_run_opts run;
	ag_run_result result;
	ag_llm_meter meter;
	/* the state: by apply() only */
	unsigned iteration, noutput;
	ag_str critique;
	/* what was really done */
	unsigned asked, judged, looks, sends, claims;
	const char *const *script;
	size_t nscript;
	const char *rejects; /* an action that the action gate rejects; NULL = none */
	bool rejects_end;    /* the run gate always rejects */
	unsigned fails_at;   /* the judgement (from 1) that its model is out for; 0 = never */
	ag_status failure;
	uint64_t tokens; /* of one call */
	ag_planner planner;
	ag_evaluator judge;
} toy;

static const char *const script[] = {
	"look", "send", "claim", "broken", "nothing", "claim", "end"
};

static ag_status tool_run(const ag_call *c, unsigned *count, const char *target,
                          ag_tool_output *ret)
{
	const toy *t = c->env;

	++*count;
	ag_buf_addf(&ret->json, "{\"n\":%u}", t->noutput);
	ret->summary = AG_S("done");
	ret->target_id = ag_str_c(target);
	return AG_OK;
}

static ag_status look(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)input, (void)err;
	return tool_run(c, &((toy *)c->env)->looks, "", ret);
}

static ag_status send(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)input, (void)err;
	return tool_run(c, &((toy *)c->env)->sends, "", ret);
}

static ag_status claim(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)input, (void)err;
	return tool_run(c, &((toy *)c->env)->claims, "the claim", ret);
}

static ag_status broken(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)c, (void)input, (void)ret;
	ag_fail(err, AG_INVALID, "test.tool", "it cannot be done");
	return ag_err_hint(err, "try another way");
}

static const ag_tool tools[] = {
	{ .name = "look", .flags = AG_TOOL_READS, .run = look },
	{ .name = "send", .run = send },
	{ .name = "claim", .flags = AG_TOOL_READS | AG_TOOL_PROPOSES, .run = claim },
	{ .name = "broken", .flags = AG_TOOL_READS, .run = broken },
	{ .name = "end", .flags = AG_TOOL_CONCLUDES },
};

static const ag_tool_set tool_set = { .tools = tools, .ntool = AG_NELEM(tools) };

static ag_status apply(void *state, const ag_event *ev, ag_err *err)
{
	toy *t = state;
	ag_val p;

	if (ag_extjson_parse(ev->payload, &parse_opts, t->arena, &p, NULL, NULL, err))
		return err->status;
	if (ev->type == AG_EV_PROPOSAL) {
		t->iteration = (unsigned)ag_val_member_u64(&p, "iteration");
		t->critique = AG_S("");
	} else if (ev->type == AG_EV_TOOL_OUTPUT) {
		t->noutput++;
	} else if (ev->type == AG_EV_CRITIQUE) {
		t->critique = ag_str_dup(t->arena, ag_val_member_str(&p, "text"));
	}
	return AG_OK;
}

static ag_status settle(void *env, ag_arena *arena, const ag_observation *obs, const ag_verdict *v,
                        ag_str *ret_payload, ag_err *err)
{
	(void)env, (void)err;
	*ret_payload =
		ag_str_printf(arena,
	                      "{\"target\":\"%.*s\",\"verdict\":\"%s\",\"disposition\":\"%s\","
	                      "\"score\":%g,\"output\":%.*s}",
	                      AG_FMT(obs->target_id), ag_verdict_name(v->kind),
	                      ag_disposition_name(v->disposition), v->score, AG_FMT(obs->json));
	return AG_OK;
}

static const ag_agent agent = {
	.name = "toy", .tools = &tool_set, .apply = apply, .settle = settle
};

/* One call of a model: asked for at the meter, then charged. */
static ag_status spend(toy *t, const char *purpose, ag_err *err)
{
	const ag_llm_charge c = {
		.purpose = ag_str_c(purpose),
		.name = AG_S("toy"),
		.model = AG_S("toy-1"),
		.usage = { .input_tokens = t->tokens },
		.attempts = 1,
		.ok = true,
	};
	unsigned output = 0;

	if (ag_llm_meter_admit(&t->meter, t->tokens, &output, -1, -1, err))
		return err->status;
	ag_llm_meter_charge(&t->meter, &c);
	return AG_OK;
}

static toy *toy_of_planner(ag_planner *self)
{
	return (toy *)((char *)self - offsetof(toy, planner));
}

static ag_status propose(ag_planner *self, const ag_ctx *ctx, ag_arena *arena, ag_proposal *ret,
                         ag_err *err)
{
	toy *t = toy_of_planner(self);

	(void)ctx, (void)arena;
	if (spend(t, "planner", err))
		return err->status;
	t->asked++;
	*ret = (ag_proposal){
		.reasoning = AG_S("because"),
		.action = ag_str_c(t->iteration < t->nscript ? t->script[t->iteration] : "end"),
		.confidence = 0.5,
	};
	return AG_OK;
}

static const ag_planner_type planner_type = { .name = "toy",
	                                      .propose = propose,
	                                      .asks_model = true };

/* What is judged is in the store already, and nothing is queued behind it. */
static void assert_committed(const toy *t, ag_gate gate)
{
	static const ag_event_type last[] = {
		[AG_GATE_ACTION] = AG_EV_PROPOSAL, [AG_GATE_OBSERVATION] = AG_EV_TOOL_OUTPUT
	};
	ag_event *events;
	ag_err err = { 0 };
	size_t n;

	assert_int_equal(ag_store_events(t->store, &t->run.row.id, 0, t->arena, &events, &n, &err),
	                 AG_OK);
	while (n && (events[n - 1].type == AG_EV_USAGE || events[n - 1].type == AG_EV_RUN_RESUMED ||
	             events[n - 1].type == AG_EV_RUN_FINISHED))
		n--;
	assert_true(n > 0);
	if (gate != AG_GATE_RUN && events[n - 1].type != AG_EV_VERDICT)
		assert_int_equal(events[n - 1].type, last[gate]);
}

static ag_status evaluate(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                          ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	toy *t = (toy *)(uintptr_t)((const char *)self - offsetof(toy, judge));

	(void)ctx, (void)arena;
	assert_committed(t, s->gate);
	assert_int_equal(s->proposal != NULL, s->gate != AG_GATE_RUN);
	AG_ASSERT(s->proposal || s->gate == AG_GATE_RUN);
	if (spend(t, "judge", err))
		return err->status;
	if (++t->judged == t->fails_at)
		return ag_fail(err, t->failure, "test.judge", "the judge is out");
	*ret = (ag_verdict){
		.kind = AG_PASS, .score = 0.75, .reason = AG_S("fine"), .evaluated_by = AG_S("toy")
	};
	if (s->gate == AG_GATE_ACTION && ag_str_eqc(s->proposal->action, "look"))
		ret->kind = AG_WARN;
	if ((s->gate == AG_GATE_ACTION && t->rejects &&
	     ag_str_eqc(s->proposal->action, t->rejects)) ||
	    (s->gate == AG_GATE_RUN && t->rejects_end))
		ret->kind = AG_FAIL;
	if (s->gate == AG_GATE_OBSERVATION && s->iteration == 3)
		ret->kind = AG_FAIL;
	else if (s->gate == AG_GATE_OBSERVATION)
		ret->disposition = AG_DISPOSE_REVIEW;
	return AG_OK;
}

/* A toy that has done nothing yet; its store is empty. */
static void toy_open(toy *t)
{
	ag_err err = { 0 };

	*t = (toy){
		.arena = ag_arena_new(), .tokens = 10, .script = script, .nscript = AG_NELEM(script)
	};
	t->ctx = (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
	assert_int_equal(ag_store_open(AG_S("memory:"), &t->store, &err), AG_OK);
	ag_llm_meter_init(&t->meter, t->arena, 0, 0);
	t->planner.type = &planner_type;
	t->judge = (ag_evaluator){ .name = "judge", .evaluate = evaluate, .asks_model = true };
	t->run = (ag_run_opts){
		.agent = &agent,
		.env = t,
		.state = t,
		.planner = &t->planner,
		.gates = { &t->judge, &t->judge, &t->judge },
		.meter = &t->meter,
		.store = t->store,
		.started = AG_S("{}"),
		.row = { .id = ag_id_new(&ag_clock_system), .agent = AG_S("toy") },
	};
}

static void toy_close(toy *t)
{
	ag_store_close(t->store);
	ag_arena_free(t->arena);
}

static void run_toy(toy *t)
{
	ag_err err = { 0 };

	if (ag_loop_run(&t->ctx, &t->run, t->arena, &t->result, &err))
		fail_msg("%s", err.msg);
}

static void events_of(const toy *t, ag_event **ret, size_t *n)
{
	ag_err err = { 0 };

	assert_int_equal(ag_store_events(t->store, &t->run.row.id, 0, t->arena, ret, n, &err),
	                 AG_OK);
}

/* What another process does: a new state from the log, a new meter with what was used. */
static ag_status resume_toy(toy *t, uint64_t max_tokens, ag_err *err)
{
	ag_event *events;
	uint64_t used = 0;
	size_t n;

	events_of(t, &events, &n);
	t->iteration = t->noutput = 0;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(apply(t, &events[i], err), AG_OK);
		used += events[i].type == AG_EV_USAGE ? t->tokens : 0;
	}
	ag_llm_meter_init(&t->meter, t->arena, max_tokens, 0);
	ag_llm_meter_prime(&t->meter, used, 0, used / t->tokens, 0);
	return ag_loop_resume(&t->ctx, &t->run, events, n, AG_S("{\"sitting\":2}"), t->arena,
	                      &t->result, err);
}

static void assert_status(const toy *t, const char *want)
{
	if (!ag_str_eqc(t->result.status, want))
		fail_msg("want %s, got %.*s: %.*s", want, AG_FMT(t->result.status),
		         AG_FMT(t->result.why));
}

static size_t count(const ag_event *events, size_t n, ag_event_type type)
{
	size_t ret = 0;

	for (size_t i = 0; i < n; i++)
		ret += events[i].type == type;
	return ret;
}

/* Without what a sitting adds by itself. */
static const ag_event *next_step(const ag_event *events, size_t n, size_t *at)
{
	while (*at < n &&
	       (events[*at].type == AG_EV_RUN_RESUMED || events[*at].type == AG_EV_USAGE ||
	        (events[*at].type == AG_EV_RUN_FINISHED && *at + 1 < n)))
		++*at;
	return *at < n ? &events[(*at)++] : NULL;
}

/* Each event of a step says which proposal led to it. */
static void assert_causes(const ag_event *events, size_t n)
{
	uint64_t proposal = 0;

	for (size_t i = 0; i < n; i++) {
		if (events[i].type == AG_EV_PROPOSAL)
			proposal = events[i].seq;
		else if (events[i].type == AG_EV_TOOL_INPUT ||
		         events[i].type == AG_EV_TOOL_OUTPUT || events[i].type == AG_EV_FINDING ||
		         events[i].type == AG_EV_VERDICT || events[i].type == AG_EV_CRITIQUE)
			assert_int_equal(events[i].cause, proposal);
	}
}

static void assert_same_log(const ag_event *want, size_t nwant, const ag_event *got, size_t n,
                            size_t k)
{
	assert_causes(got, n);
	for (size_t i = 0, j = 0;;) {
		const ag_event *a = next_step(want, nwant, &i), *b = next_step(got, n, &j);

		if (!a && !b)
			return;
		if (!a || !b || a->type != b->type)
			fail_msg("cut at %zu: want %s, got %s as event %zu", k,
			         a ? ag_event_type_text(a->type) : "the end",
			         b ? ag_event_type_text(b->type) : "the end", j);
		if (a->type == AG_EV_FINDING || a->type == AG_EV_CRITIQUE)
			assert_true(ag_str_eq(a->payload, b->payload));
	}
}

/* --- tests --- */

static void a_whole_run(void **state)
{
	ag_event *events;
	size_t n;
	toy t;

	(void)state;
	toy_open(&t);
	run_toy(&t);
	assert_status(&t, "ok");
	events_of(&t, &events, &n);
	assert_int_equal(t.asked, AG_NELEM(script));
	assert_int_equal(t.judged, AG_NELEM(script) + 2 + 1);
	assert_int_equal(count(events, n, AG_EV_VERDICT), t.judged);
	assert_int_equal(count(events, n, AG_EV_USAGE), t.asked + t.judged);
	assert_int_equal(t.result.calls, 5);
	/* What a call cost stands behind what it gave. */
	assert_int_equal(events[1].type, AG_EV_PROPOSAL);
	assert_int_equal(events[2].type, AG_EV_USAGE);
	assert_int_equal(events[3].type, AG_EV_VERDICT);
	assert_int_equal(events[4].type, AG_EV_USAGE);
	assert_int_equal(events[5].type, AG_EV_CRITIQUE);
	toy_close(&t);
}

/* --- the disk --- */

static unsigned nsync; /* counted by the two functions below, which come before the C library's */

int fsync(int fd)
{
	nsync++;
	return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	nsync++;
	return (int)syscall(SYS_fdatasync, fd);
}

/* The waits for the disk of each step, counted when it has been committed what came of it. */
typedef struct waits {
	unsigned before[20], intents[20], outputs[20];
	size_t nstep;
} waits;

static void count_waits(void *arg, const ag_event *ev)
{
	waits *w = arg;

	if (ev->type == AG_EV_PROPOSAL)
		w->before[w->nstep++] = nsync;
	else if (ev->type == AG_EV_TOOL_INPUT)
		w->intents[w->nstep - 1] = nsync;
	else if (ev->type == AG_EV_TOOL_OUTPUT)
		w->outputs[w->nstep - 1] = nsync;
}

/* Everything is judged by a model here: what is judged, the verdict and what follows from it are commits of their own. */
static void a_step_waits_for_the_disk_before_its_tool_and_at_its_end(void **state)
{
	char folder[128], uri[160];
	waits w = { .nstep = 0 };
	ag_store *memory;
	ag_err err = { 0 };
	toy t;

	(void)state;
	toy_open(&t);
	memory = t.store;
	test_folder_make(folder, "loop");
	snprintf(uri, sizeof(uri), "%s/argus.db", folder);
	assert_int_equal(ag_store_open(ag_str_c(uri), &t.store, &err), AG_OK);
	t.run.store = t.store;
	t.run.on_event = count_waits;
	t.run.on_event_arg = &w;
	run_toy(&t);
	assert_status(&t, "ok");
	assert_int_equal(w.nstep, AG_NELEM(script));
	for (size_t i = 0; i + 1 < w.nstep; i++) {
		const bool has_tool = w.intents[i] > 0;
		const unsigned n = w.before[i + 1] - w.before[i];

		if (n != (has_tool ? 2 : 1))
			fail_msg("step %zu (%s) waits %u times", i, script[i], n);
		if (has_tool)
			assert_int_equal(w.intents[i] - w.before[i], 1);
	}
	ag_store_close(t.store);
	t.store = memory;
	test_folder_remove(folder);
	toy_close(&t);
}

/* A toy whose log is the first k events. */
static void toy_cut(const ag_event *events, size_t k, toy *t)
{
	ag_store_batch b = { .events = events, .nevent = k };
	ag_err err = { 0 };

	toy_open(t);
	t->run.row.id = events[0].run;
	t->run.row.status = AG_S("running");
	b.run = &t->run.row;
	assert_int_equal(ag_store_commit(t->store, &t->run.row.id, &b, &err), AG_OK);
}

/* Cut behind event k; a new process goes on. */
static void cut(const ag_event *events, size_t n, size_t k, toy *t)
{
	ag_err err = { 0 };
	ag_event *got;
	size_t ngot;

	toy_cut(events, k, t);
	if (resume_toy(t, 0, &err))
		fail_msg("cut at %zu: %s", k, err.msg);
	assert_status(t, "ok");
	assert_int_equal(t->result.iterations, AG_NELEM(script));
	assert_int_equal(t->result.calls, 5);
	/* What the log holds was not asked for again. */
	assert_int_equal(t->asked, AG_NELEM(script) - count(events, k, AG_EV_PROPOSAL));
	assert_int_equal(t->judged,
	                 count(events, n, AG_EV_VERDICT) - count(events, k, AG_EV_VERDICT));
	events_of(t, &got, &ngot);
	assert_int_equal(count(got, ngot, AG_EV_TOOL_INPUT), 5);
	assert_int_equal(count(got, ngot, AG_EV_TOOL_OUTPUT), 5);
}

static void cut_behind_every_event(void **state)
{
	ag_event *events, *got;
	size_t n, ngot, nlone = 0;
	toy whole;

	(void)state;
	toy_open(&whole);
	run_toy(&whole);
	events_of(&whole, &events, &n);
	for (size_t k = 1; k < n; k++) {
		const bool lone_send = events[k - 1].type == AG_EV_TOOL_INPUT &&
		                       ag_str_contains(events[k - 1].payload, AG_S("send"));
		toy t;

		cut(events, n, k, &t);
		events_of(&t, &got, &ngot);
		if (!lone_send) {
			assert_same_log(events, n, got, ngot, k);
			assert_int_equal(t.looks + t.sends + t.claims,
			                 4 - (count(events, k, AG_EV_TOOL_OUTPUT) -
			                      (count(events, k, AG_EV_TOOL_OUTPUT) > 3)));
		} else {
			/* It may have been sent: nobody sends it again, and the planner is told. */
			nlone++;
			assert_int_equal(t.sends, 0);
			assert_int_equal(got[k].type, AG_EV_RUN_RESUMED);
			assert_int_equal(got[k + 1].type, AG_EV_TOOL_OUTPUT);
			assert_true(ag_str_contains(got[k + 1].payload,
			                            AG_S("its outcome is unknown")));
			assert_int_equal(got[k + 2].type, AG_EV_CRITIQUE);
		}
		toy_close(&t);
	}
	assert_int_equal(nlone, 1);
	toy_close(&whole);
}

static void a_judge_that_is_out_dismisses_nothing(void **state)
{
	ag_event *want, *got;
	size_t nwant, n;
	toy whole;

	(void)state;
	toy_open(&whole);
	run_toy(&whole);
	events_of(&whole, &want, &nwant);
	for (unsigned at = 1; at <= whole.judged; at++) {
		ag_err err = { 0 };
		toy t;

		toy_open(&t);
		t.fails_at = at;
		t.failure = at % 2 ? AG_UNAVAILABLE : AG_TIMEOUT;
		run_toy(&t);
		assert_status(&t, "partial");
		assert_int_equal(t.result.err.status, t.failure);
		assert_true(ag_str_contains(t.result.why, AG_S("the judge is out")));
		assert_int_equal(t.judged, at); /* nobody was asked behind it */
		events_of(&t, &got, &n);
		assert_int_equal(count(got, n, AG_EV_USAGE), t.asked + t.judged);
		t.fails_at = 0;
		assert_int_equal(resume_toy(&t, 0, &err), AG_OK);
		assert_status(&t, "ok");
		events_of(&t, &got, &n);
		assert_same_log(want, nwant, got, n, at);
		toy_close(&t);
	}
	toy_close(&whole);
}

/* Refused by the meter at the planner, at each gate: the run stops there, and goes on from there. */
static void tokens_may_run_out_anywhere(void **state)
{
	const ag_evaluator free_judge = { .name = "rules", .evaluate = ag_rules_evaluate };
	ag_event *events;
	size_t n;
	toy whole;

	(void)state;
	toy_open(&whole);
	run_toy(&whole);
	for (uint64_t max = 1; max < (whole.asked + whole.judged) * 10; max += 10) {
		ag_err err = { 0 };
		uint64_t refused;
		toy t;

		toy_open(&t);
		ag_llm_meter_init(&t.meter, t.arena, max, 0);
		if (max % 20 == 1)
			t.run.gates[AG_GATE_RUN] = &free_judge;
		run_toy(&t);
		if (ag_str_eqc(t.result.status, "ok") && t.run.gates[AG_GATE_RUN] == &free_judge) {
			toy_close(&t); /* it had to pay one call less */
			continue;
		}
		assert_status(&t, "partial");
		assert_int_equal(t.result.err.status, AG_OK);
		assert_true(ag_str_contains(t.result.why, AG_S("tokens is used up")));
		/* A run gate that needs no model has judged once, one that does not at all. */
		assert_int_equal(t.result.has_verdict, t.run.gates[AG_GATE_RUN] == &free_judge);
		assert_true(t.meter.input_tokens <= max);
		refused = t.meter.input_tokens;
		events_of(&t, &events, &n);
		assert_int_equal(count(events, n, AG_EV_USAGE) * 10, refused);
		/* Goes on with the very step, and pays for nothing twice. */
		assert_int_equal(resume_toy(&t, 100000, &err), AG_OK);
		assert_status(&t, "ok");
		assert_int_equal(t.result.iterations, AG_NELEM(script));
		assert_int_equal(t.asked, whole.asked);
		assert_int_equal(t.judged,
		                 whole.judged - (t.run.gates[AG_GATE_RUN] == &free_judge));
		assert_int_equal(t.sends, 1);
		toy_close(&t);
	}
	toy_close(&whole);
}

/* A planner that answers each rejection with the same conclusion is stopped, also when it is stopped in between. */
static void circles_are_seen_across_sittings(void **state)
{
	static const char *const ends[] = { "look", "end", "end" };
	ag_event *events, *got;
	size_t n, ngot;
	toy whole;

	(void)state;
	toy_open(&whole);
	whole.script = ends;
	whole.nscript = AG_NELEM(ends);
	whole.rejects_end = true;
	run_toy(&whole);
	assert_status(&whole, "partial");
	assert_int_equal(whole.asked, 3);
	events_of(&whole, &events, &n);
	for (size_t k = 1; k < n; k++) {
		ag_err err = { 0 };
		toy t;

		toy_cut(events, k, &t);
		t.script = ends;
		t.nscript = AG_NELEM(ends);
		t.rejects_end = true;
		assert_int_equal(resume_toy(&t, 0, &err), AG_OK);
		assert_status(&t, "partial");
		events_of(&t, &got, &ngot);
		assert_same_log(events, n, got, ngot, k);
		toy_close(&t);
	}
	toy_close(&whole);
}

/* What is there when the budget is used up is judged once, whoever stops when; when more was done, once more. */
static void the_end_of_a_budget_is_judged_once(void **state)
{
	static const char *const ends[] = { "look", "end", "look" };
	ag_event *events, *got;
	size_t n, ngot;
	toy whole;

	(void)state;
	toy_open(&whole);
	whole.script = ends;
	whole.nscript = AG_NELEM(ends);
	whole.rejects = "end"; /* by the action gate: the run gate is not asked because of it */
	whole.run.budget.iterations = 2;
	run_toy(&whole);
	assert_status(&whole, "partial");
	assert_int_equal(whole.judged, 3);
	events_of(&whole, &events, &n);
	for (size_t k = 1; k <= n; k++) {
		ag_err err = { 0 };
		toy t;

		toy_cut(events, k, &t);
		t.script = ends;
		t.nscript = AG_NELEM(ends);
		t.rejects = "end";
		t.run.budget.iterations = 2;
		assert_int_equal(resume_toy(&t, 0, &err), AG_OK);
		assert_status(&t, "partial");
		assert_true(t.result.has_verdict);
		assert_int_equal(t.judged, 3 - count(events, k, AG_EV_VERDICT));
		t.run.budget.iterations = 3;
		assert_int_equal(resume_toy(&t, 0, &err), AG_OK);
		assert_int_equal(t.judged, 5 - count(events, k, AG_EV_VERDICT));
		events_of(&t, &got, &ngot);
		assert_causes(got, ngot);
		toy_close(&t);
	}
	toy_close(&whole);
}

static void money_is_looked_at_before_a_step(void **state)
{
	toy t;

	(void)state;
	toy_open(&t);
	ag_llm_meter_init(&t.meter, t.arena, 0, 0.5);
	ag_llm_meter_prime(&t.meter, 0, 0, 0, 0.5);
	run_toy(&t);
	assert_status(&t, "partial");
	assert_true(ag_str_contains(t.result.why, AG_S("0.5 USD")));
	assert_int_equal(t.asked, 0);
	toy_close(&t);
}

static ag_status cancelled(ag_planner *self, const ag_ctx *ctx, ag_arena *arena, ag_proposal *ret,
                           ag_err *err)
{
	(void)self, (void)ctx, (void)arena, (void)ret;
	return ag_fail(err, AG_CANCELLED, "test.planner", "stopped");
}

static void a_cancel_is_no_failure_of_a_model(void **state)
{
	const ag_planner_type type = { .name = "toy", .propose = cancelled, .asks_model = true };
	ag_err err = { 0 };
	toy t;

	(void)state;
	toy_open(&t);
	t.planner.type = &type;
	run_toy(&t);
	assert_status(&t, "cancelled");
	t.planner.type = &planner_type;
	assert_int_equal(resume_toy(&t, 0, &err), AG_OK);
	assert_status(&t, "ok");
	assert_int_equal(resume_toy(&t, 0, &err), AG_INVALID);
	toy_close(&t);
}

static void defaults_and_openings(void **state)
{
	const ag_planner_type type = {
		.name = "toy", .propose = propose, .asks_model = true, .default_iterations = 3
	};
	const ag_opening opening = { AG_EV_HISTORY, AG_S("{\"runs\":1}") };
	ag_event *events;
	ag_err err = { 0 };
	size_t n;
	toy t;

	(void)state;
	toy_open(&t);
	t.planner.type = &type;
	t.run.opening = &opening;
	t.run.nopening = 1;
	run_toy(&t);
	assert_status(&t, "partial");
	assert_int_equal(t.result.iterations, 3);
	events_of(&t, &events, &n);
	assert_int_equal(events[1].type, AG_EV_HISTORY);
	assert_int_equal(events[1].cause, 0);
	assert_true(ag_str_eqc(events[1].payload, "{\"runs\":1}"));
	/* A planner that needs no model has failed when it fails. */
	{
		const ag_planner_type plain = { .name = "toy", .propose = propose };

		t.planner.type = &plain;
		t.run.nopening = 0;
		t.run.budget.iterations = 0;
		assert_int_equal(resume_toy(&t, 1, &err), AG_OK);
		assert_status(&t, "partial"); /* the meter's word comes first */
	}
	toy_close(&t);
}

/* Whoever says it: here a tool that failed. The secret stays known to the process, so this test is the last. */
static void keys_are_in_no_event(void **state)
{
	ag_event *events;
	bool seen = false;
	size_t n;
	toy t;

	(void)state;
	ag_log_redact(AG_S("cannot be done"));
	toy_open(&t);
	run_toy(&t);
	assert_status(&t, "ok");
	events_of(&t, &events, &n);
	for (size_t i = 0; i < n; i++) {
		assert_false(ag_str_contains(events[i].payload, AG_S("cannot be done")));
		seen = seen || ag_str_contains(events[i].payload, AG_S("it [redacted]"));
	}
	assert_true(seen);
	toy_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_run),
		cmocka_unit_test(a_step_waits_for_the_disk_before_its_tool_and_at_its_end),
		cmocka_unit_test(cut_behind_every_event),
		cmocka_unit_test(a_judge_that_is_out_dismisses_nothing),
		cmocka_unit_test(tokens_may_run_out_anywhere),
		cmocka_unit_test(circles_are_seen_across_sittings),
		cmocka_unit_test(the_end_of_a_budget_is_judged_once),
		cmocka_unit_test(money_is_looked_at_before_a_step),
		cmocka_unit_test(a_cancel_is_no_failure_of_a_model),
		cmocka_unit_test(defaults_and_openings),
		cmocka_unit_test(keys_are_in_no_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
