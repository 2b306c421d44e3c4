/* Calls of one reply that only read: they run at the same time, and everything else is as if they had run one after another.
 * The model is scripted; the tools meet each other, so that a loop which runs them in turn does not end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <time.h>

#include "agent/planner_chat.h"
#include "base/json.h"
#include "query/extjson.h"
#include "scripted_model.h"

#define MAX_EVENTS 100
#define CALL(id, name, n)                                                         \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name \
	"\",\"arguments\":\"{\\\"n\\\":" n "}\"}}"

typedef struct toy {
	ag_arena *arena;
	ag_ctx ctx;
	ag_store *store;
	ag_live *live;
	scripted_model model;
	ag_transcript transcript;
	ag_id id;
	ag_run_result result;
	/* of the tools, with lock */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned inside, most, runs, ended;
	unsigned meet; /* calls that must be inside before any of them goes on */
	pthread_t threads[16];
	ag_arena *arenas[16];
	atomic_bool go;
} toy;

/* --- the tools --- */

static void wait_on(toy *t)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += 20;
	if (pthread_cond_timedwait(&t->changed, &t->lock, &at))
		abort(); /* they never meet */
}

/* Meets the others, then they end in the reverse order of their numbers. */
static ag_status look(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const unsigned n = (unsigned)ag_tool_int(input, "n", 0);
	toy *t = c->env;

	(void)err;
	pthread_mutex_lock(&t->lock);
	t->threads[t->runs % 16] = pthread_self();
	t->arenas[t->runs % 16] = c->arena;
	t->runs++;
	if (++t->inside > t->most)
		t->most = t->inside;
	pthread_cond_broadcast(&t->changed);
	while (t->most < t->meet)
		wait_on(t);
	while (t->meet && t->ended + n < t->meet)
		wait_on(t);
	t->inside--;
	t->ended++;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	for (int i = 0; i < 50; i++)
		memset(ag_arena_alloc(c->arena, 1000), (int)n, 1000);
	ag_buf_addf(&out->json, "{\"text\":\"saw %u\",\"ok\":true}", n);
	out->summary = ag_str_printf(c->arena, "saw %u", n);
	return AG_OK;
}

static ag_status write_it(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	toy *t = c->env;

	(void)input, (void)err;
	pthread_mutex_lock(&t->lock);
	assert_int_equal(t->inside, 0);
	t->runs++;
	pthread_mutex_unlock(&t->lock);
	ag_buf_adds(&out->json, "{\"text\":\"written\",\"ok\":true}");
	return AG_OK;
}

static ag_status broken(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	(void)c, (void)input, (void)out;
	return ag_fail(err, AG_INVALID, "test", "it is broken");
}

/* Ends when it is cancelled. */
static ag_status hang(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err)
{
	const struct timespec slice = { .tv_nsec = 1000000 };
	toy *t = c->env;
	ag_status st = AG_OK;

	(void)input, (void)out;
	pthread_mutex_lock(&t->lock);
	t->inside++;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	while (!st) {
		nanosleep(&slice, NULL);
		st = ag_ctx_check(&c->ctx, err);
	}
	return st;
}

static const ag_param params[] = { { "n", AG_PARAM_INT, .required = true, .help = "a number" } };

#define WITH_N .params = params, .nparam = 1
static const ag_tool rows[] = {
	{ .name = "look", .help = "h", WITH_N, .flags = AG_TOOL_READS, .run = look },
	{ .name = "write", .help = "h", WITH_N, .run = write_it },
	{ .name = "broken", .help = "h", WITH_N, .flags = AG_TOOL_READS, .run = broken },
	{ .name = "hang", .help = "h", WITH_N, .flags = AG_TOOL_READS, .run = hang },
};

static const ag_tool_set tools = { .tools = rows, .ntool = AG_NELEM(rows) };

static ag_status apply(void *state, const ag_event *ev, ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	toy *t = state;
	ag_val p;

	if (ag_extjson_parse(ev->payload, &opts, t->arena, &p, NULL, NULL, err))
		return err->status;
	ag_transcript_apply(&t->transcript, ev, &p);
	return AG_OK;
}

static const ag_agent beside = { .name = "toy",
	                         .tools = &tools,
	                         .at_limit = AG_AT_LIMIT_ANSWER,
	                         .parallel = 4,
	                         .apply = apply };
static const ag_agent in_turn = { .name = "toy", .tools = &tools, .apply = apply };

/* --- a run --- */

static void toy_open(toy *t, const sm_line *lines, size_t nline, unsigned meet)
{
	ag_err err = { 0 };

	*t = (toy){ .arena = ag_arena_new(), .live = ag_live_new(), .meet = meet };
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	t->ctx = (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
	t->transcript.arena = t->arena;
	t->id = ag_id_new(t->ctx.clock);
	sm_open(&t->model, "m", lines, nline);
	assert_int_equal(ag_store_open(AG_S("memory:"), &t->store, &err), AG_OK);
}

static void toy_close(toy *t)
{
	sm_close(&t->model);
	ag_store_close(t->store);
	ag_live_free(t->live);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->changed);
	ag_arena_free(t->arena);
}

static ag_run_opts opts_of(toy *t, const ag_agent *agent, unsigned steps)
{
	static const ag_llm_tool offered[] = { { AG_S_INIT("look"), AG_S_INIT("looks"),
		                                 AG_S_INIT("{\"type\":\"object\"}") } };
	const ag_chat_opts chat = { .purpose = "toy",
		                    .system = AG_S("You look."),
		                    .first = AG_S("What is there?"),
		                    .tools = offered,
		                    .ntool = 1,
		                    .last_words = AG_S("Answer now."),
		                    .unanswered = AG_S("not run"),
		                    .llm = t->model.llm,
		                    .transcript = &t->transcript };

	return (ag_run_opts){ .agent = agent,
		              .env = t,
		              .state = t,
		              .planner = ag_planner_chat_new(&chat, t->arena),
		              .budget = { .iterations = steps },
		              .store = t->store,
		              .live = t->live,
		              .started = AG_S("{}"),
		              .row = { .id = t->id,
		                       .agent = AG_S("toy"),
		                       .source_uri = AG_S("x"),
		                       .source_key = AG_S("x"),
		                       .collection = AG_S("x"),
		                       .summary = AG_S("") } };
}

static void run(toy *t, const ag_agent *agent, unsigned steps)
{
	ag_run_opts o = opts_of(t, agent, steps);
	ag_err err = { 0 };

	if (ag_loop_run(&t->ctx, &o, t->arena, &t->result, &err))
		fail_msg("%s", err.msg);
}

static size_t events_of(toy *t, ag_event **ret)
{
	ag_err err = { 0 };
	size_t n;

	assert_int_equal(ag_store_events(t->store, &t->id, 0, t->arena, ret, &n, &err), AG_OK);
	assert_true(n < MAX_EVENTS);
	return n;
}

/* "P1 I1 P2 I2 O1 O2": proposals, intents, outputs and critiques with the number of their call; F = finished. */
static const char *story(toy *t)
{
	static const char letters[] = { [AG_EV_PROPOSAL] = 'P',
		                        [AG_EV_TOOL_INPUT] = 'I',
		                        [AG_EV_TOOL_OUTPUT] = 'O',
		                        [AG_EV_CRITIQUE] = 'C',
		                        [AG_EV_RUN_FINISHED] = 'F' };
	uint64_t proposals[MAX_EVENTS];
	size_t nproposal = 0;
	ag_str all = AG_S("");
	ag_event *events;
	const size_t n = events_of(t, &events);

	for (size_t i = 0; i < n; i++) {
		const ag_event *ev = &events[i];
		size_t k = 0;

		if ((size_t)ev->type >= sizeof(letters) || !letters[ev->type])
			continue;
		if (ev->type == AG_EV_PROPOSAL)
			proposals[nproposal++] = ev->seq;
		while (k < nproposal &&
		       proposals[k] != (ev->type == AG_EV_PROPOSAL ? ev->seq : ev->cause))
			k++;
		all = ag_str_printf(t->arena, "%.*s%s%c", AG_FMT(all), all.len ? " " : "",
		                    letters[ev->type]);
		if (ev->type != AG_EV_RUN_FINISHED)
			all = ag_str_printf(t->arena, "%.*s%zu", AG_FMT(all), k + 1);
	}
	return ag_str_cstr(t->arena, all);
}

static void assert_in_order(toy *t, size_t request, size_t n, const char *const *texts)
{
	const ag_str body = t->model.requests[request];
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const char *found = memmem(body.ptr + at, body.len - at, texts[i],
		                           strlen(texts[i]));

		if (!found)
			fail_msg("%s is not there, or too early: %.*s", texts[i], AG_FMT(body));
		at = (size_t)(found - body.ptr) + 1;
	}
}

static const char three[] = "[" CALL("a", "look", "1") "," CALL("b", "look",
                                                                "2") "," CALL("c", "look", "3") "]";
static const char *const saw[] = { "saw 1", "saw 2", "saw 3" };

/* --- tests --- */

static void calls_of_one_reply_run_at_the_same_time(void **state)
{
	const sm_line lines[] = { { .calls = three }, { .text = AG_S_INIT("Three things.") } };
	toy t;

	(void)state;
	toy_open(&t, lines, 2, 3);
	run(&t, &beside, 10);
	assert_true(ag_str_eqc(t.result.status, "ok"));
	assert_int_equal(t.most, 3);
	assert_int_equal(t.result.calls, 3);
	assert_int_equal(t.result.iterations, 4);
	assert_string_equal(story(&t), "P1 I1 P2 I2 P3 I3 O1 O2 O3 P4 F");
	assert_in_order(&t, 1, 3, saw);
	for (int i = 0; i < 3; i++) {
		assert_ptr_not_equal(t.arenas[i], t.arenas[(i + 1) % 3]);
		assert_false(pthread_equal(t.threads[i], t.threads[(i + 1) % 3]));
	}
	toy_close(&t);
}

static void an_agent_that_does_not_ask_for_it_runs_one_after_another(void **state)
{
	const sm_line lines[] = { { .calls = three }, { .text = AG_S_INIT("Three things.") } };
	toy t;

	(void)state;
	toy_open(&t, lines, 2, 0);
	run(&t, &in_turn, 10);
	assert_int_equal(t.most, 1);
	assert_string_equal(story(&t), "P1 I1 O1 P2 I2 O2 P3 I3 O3 P4 F");
	assert_in_order(&t, 1, 3, saw);
	toy_close(&t);
}

static void a_call_that_writes_runs_alone(void **state)
{
	const sm_line lines[] = {
		{ .calls = "[" CALL("a", "look", "1") "," CALL("b", "look", "2") "," CALL(
			  "c", "write", "3") "," CALL("d", "look", "1") "," CALL("e", "look",
		                                                                 "2") "]" },
		{ .text = AG_S_INIT("Done.") },
	};
	toy t;

	(void)state;
	toy_open(&t, lines, 2, 0);
	run(&t, &beside, 10);
	assert_true(ag_str_eqc(t.result.status, "ok"));
	assert_int_equal(t.runs, 5);
	assert_string_equal(story(&t), "P1 I1 P2 I2 O1 O2 P3 I3 O3 P4 I4 P5 I5 O4 O5 P6 F");
	toy_close(&t);
}

static void what_fails_or_cannot_be_made_leaves_the_others(void **state)
{
	static const char *const said[] = { "saw 1", "look.n: want an integer", "it is broken",
		                            "saw 2" };
	const sm_line lines[] = {
		{ .calls = "[" CALL("a", "look", "1") "," CALL("b", "look", "\\\"x\\\"") "," CALL(
			  "c", "broken", "3") "," CALL("d", "look", "2") "]" },
		{ .text = AG_S_INIT("Done.") },
	};
	toy t;

	(void)state;
	toy_open(&t, lines, 2, 2);
	run(&t, &beside, 10);
	assert_true(ag_str_eqc(t.result.status, "ok"));
	assert_string_equal(story(&t), "P1 I1 P2 C2 P3 I3 P4 I4 O1 O3 C3 O4 P5 F");
	assert_in_order(&t, 1, 4, said);
	toy_close(&t);
}

static void a_budget_ends_a_batch(void **state)
{
	const sm_line lines[] = { { .calls = three }, { .text = AG_S_INIT("Two things.") } };
	toy t;

	(void)state;
	toy_open(&t, lines, 2, 2);
	run(&t, &beside, 2);
	assert_true(ag_str_eqc(t.result.status, "partial"));
	assert_int_equal(t.runs, 2);
	assert_string_equal(story(&t), "P1 I1 P2 I2 O1 O2 P3 F");
	assert_true(ag_str_contains(t.model.requests[1], AG_S("not run")));
	toy_close(&t);
}

/* A new process goes on with the first k events of a log. */
static void go_on_from(toy *t, const ag_event *events, size_t k)
{
	ag_run_opts o = opts_of(t, &beside, 10);
	const ag_store_batch b = { .events = events, .nevent = k, .run = &o.row };
	ag_err err = { 0 };

	o.row.id = t->id = events[0].run;
	o.row.status = AG_S("running");
	assert_int_equal(ag_store_commit(t->store, &t->id, &b, &err), AG_OK);
	for (size_t i = 0; i < k; i++)
		assert_int_equal(apply(t, &events[i], &err), AG_OK);
	if (ag_loop_resume(&t->ctx, &o, events, k, AG_S("{}"), t->arena, &t->result, &err))
		fail_msg("cut at %zu: %s", k, err.msg);
}

static void cut_behind_every_event(void **state)
{
	const sm_line lines[] = { { .calls = three }, { .text = AG_S_INIT("Three things.") } };
	ag_event *events;
	toy whole, t;
	size_t n;

	(void)state;
	toy_open(&whole, lines, 2, 3);
	run(&whole, &beside, 10);
	n = events_of(&whole, &events);
	for (size_t k = 1; k < n; k++) {
		const bool has_reply = k > 1;
		unsigned outputs = 0;

		for (size_t i = 0; i < k; i++)
			outputs += events[i].type == AG_EV_TOOL_OUTPUT;
		toy_open(&t, lines + has_reply, 2 - has_reply, 0);
		go_on_from(&t, events, k);
		if (!ag_str_eqc(t.result.status, "ok"))
			fail_msg("cut at %zu: %.*s", k, AG_FMT(t.result.why));
		assert_int_equal(t.runs, 3 - outputs);
		assert_int_equal(t.result.calls, 3);
		assert_int_equal(t.result.iterations, 4);
		if (t.model.nasked)
			assert_in_order(&t, t.model.nasked - 1, 3, saw);
		toy_close(&t);
	}
	toy_close(&whole);
}

/* --- cancel --- */

typedef struct canceller {
	toy *t;
	bool stranger, found;
} canceller;

static void *cancel_when_both_run(void *arg)
{
	canceller *c = arg;

	pthread_mutex_lock(&c->t->lock);
	while (c->t->inside < 2)
		wait_on(c->t);
	pthread_mutex_unlock(&c->t->lock);
	c->stranger = ag_live_cancel(c->t->live, AG_S("0190c3e2-aaaa-7000-8000-000000000001"));
	c->found = ag_live_cancel(c->t->live, ag_id_str(&c->t->id));
	return NULL;
}

static void one_run_is_cancelled_by_its_id(void **state)
{
	const sm_line lines[] = {
		{ .calls = "[" CALL("a", "hang", "1") "," CALL("b", "hang", "2") "]" },
	};
	canceller c = { 0 };
	pthread_t thread;
	toy t;

	(void)state;
	toy_open(&t, lines, 1, 0);
	c.t = &t;
	assert_int_equal(pthread_create(&thread, NULL, cancel_when_both_run, &c), 0);
	run(&t, &beside, 10);
	pthread_join(thread, NULL);
	assert_true(c.found);
	assert_false(c.stranger);
	assert_true(ag_str_eqc(t.result.status, "cancelled"));
	assert_string_equal(story(&t), "P1 I1 P2 I2 O1 O2 F");
	/* It is not under way any more. */
	assert_false(ag_live_cancel(t.live, ag_id_str(&t.id)));
	assert_int_equal(ag_live_cancel_all(t.live), 0);
	toy_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_one_reply_run_at_the_same_time),
		cmocka_unit_test(an_agent_that_does_not_ask_for_it_runs_one_after_another),
		cmocka_unit_test(a_call_that_writes_runs_alone),
		cmocka_unit_test(what_fails_or_cannot_be_made_leaves_the_others),
		cmocka_unit_test(a_budget_ends_a_batch),
		cmocka_unit_test(cut_behind_every_event),
		cmocka_unit_test(one_run_is_cancelled_by_its_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
