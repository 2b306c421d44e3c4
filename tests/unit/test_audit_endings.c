/* How a run ends, and what is left of it: budgets, deadline, cancel, a source or store that fails, kill -9. Faults come
 * from a wrapper around the real source, and from fault points of the store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_fixtures.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault.h"
#include "query/extjson.h"

static const char *const steps[] = {
	"{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":100}}",
	"{\"action\":\"run_query\",\"action_input\":{\"filter\":{\"email\":null}}}",
	("{\"action\":\"write_finding\",\"action_input\":{\"field\":\"email\",\"category\":\"null_rate\",\"severity\":\"high\","
	 "\"description\":\"the address is null\",\"hypothesis\":\"an import\",\"evidence_query\":{\"email\":null},"
	 "\"affected_count\":25}}"),
	"{\"action\":\"get_stats\",\"action_input\":{\"field\":\"age\",\"operation\":\"min\"}}",
	"{\"action\":\"get_stats\",\"action_input\":{\"field\":\"age\",\"operation\":\"max\"}}",
	"{\"action\":\"conclude\"}",
};

static void people(audit_fix *f)
{
	ag_buf docs = AG_BUF_INIT(1 << 20);

	for (int i = 0; i < 100; i++)
		ag_buf_addf(&docs, "{\"email\":%s,\"age\":%d}\n",
		            i % 4 ? "\"u@example.org\"" : "null", i);
	fix_open(f, ag_buf_view(&docs));
	ag_buf_release(&docs);
}

static void assert_ending(const audit_fix *f, const char *status, size_t findings)
{
	if (!ag_str_eqc(fix_text(&f->report, "status"), status))
		fail_msg("want %s, got %.*s: %.*s", status, AG_FMT(fix_text(&f->report, "status")),
		         AG_FMT(fix_text(&f->report, "status_reason")));
	assert_true(fix_text(&f->report, "status_reason").len > 0);
	assert_int_equal(fix_len(f, "findings"), findings);
}

static int64_t far_wall(void *self)
{
	(void)self;
	return 1700000000000;
}

/* Monotonic time that jumps by a second at each look. */
static int64_t jumping(void *self)
{
	int64_t *now = self;

	return *now += 1000;
}

static void budgets_end_a_run_as_partial(void **state)
{
	int64_t now = 0;
	const ag_clock clock = { far_wall, jumping, &now };
	audit_fix f;

	(void)state;
	people(&f);
	f.opts.budget.calls = 3;
	fix_script(&f, steps, AG_NELEM(steps));
	assert_ending(&f, "partial", 1);
	assert_int_equal(fix_len(&f, "run_trace"), 3);
	assert_int_equal(fix_get(&f.report, "run_evaluation")->type, AG_T_OBJECT);
	/* Seconds are a budget too: the clock jumps by one at each look. */
	f.ctx.clock = &clock;
	f.opts.budget = (ag_budget){ .iterations = 20, .seconds = 8 };
	fix_script(&f, steps, AG_NELEM(steps));
	assert_true(ag_str_eqc(fix_text(&f.report, "status"), "partial"));
	assert_true(ag_str_contains(fix_text(&f.report, "status_reason"), AG_S("8 seconds")));
	assert_true(fix_len(&f, "run_trace") < AG_NELEM(steps));
	/* abort is about the verdict, also when the budget ended the run. */
	f.opts.fail_policy = AG_RUN_FAIL_ABORT;
	f.opts.rules.early_termination_min = 20;
	fix_script(&f, steps, AG_NELEM(steps));
	assert_true(ag_str_eqc(fix_text(&f.report, "status"), "failed"));
	fix_close(&f);
}

static void a_deadline_fails_a_run_and_keeps_its_report(void **state)
{
	int64_t now = 0;
	const ag_clock clock = { far_wall, jumping, &now };
	audit_fix f;

	(void)state;
	people(&f);
	f.ctx.clock = &clock;
	f.ctx.deadline_ms = 40 * 1000;
	fix_script(&f, steps, AG_NELEM(steps));
	assert_true(ag_str_eqc(fix_text(&f.report, "status"), "failed"));
	assert_int_equal(f.result.run_result.err.status, AG_TIMEOUT);
	assert_true(fix_len(&f, "run_trace") < AG_NELEM(steps));
	fix_close(&f);
}

static atomic_bool cancel_flag;

static void cancel_at_finding(void *arg, const ag_event *ev)
{
	(void)arg;
	if (ev->type == AG_EV_FINDING)
		atomic_store(&cancel_flag, true);
}

static void cancelled_keeps_what_was_found(void **state)
{
	ag_err err = { 0 };
	ag_audit_opts o;
	ag_val report;
	audit_fix f;
	const ag_extjson_opts opts = { .typed = true, .query = true };

	(void)state;
	people(&f);
	ag_audit_opts_init(&o);
	atomic_store(&cancel_flag, false);
	f.ctx.cancel = &cancel_flag;
	assert_int_equal(ag_audit_run(&f.ctx,
	                              &(ag_audit_job){ .source = f.source,
	                                               .store = f.store,
	                                               .opts = &o,
	                                               .make = ag_planner_builtin_make,
	                                               .on_event = cancel_at_finding },
	                              f.arena, &f.result, &err),
	                 AG_OK);
	assert_int_equal(ag_extjson_parse(f.result.report, &opts, f.arena, &report, NULL, NULL,
	                                  &err),
	                 AG_OK);
	f.report = report;
	assert_ending(&f, "cancelled", 1);
	fix_close(&f);
}

/* ---- a source that fails ---- */

typedef struct bad_source {
	ag_source base;
	ag_source *inner;
	int calls_left;
	ag_status status;
} bad_source;

static ag_status bad_find(ag_source *s, const ag_ctx *ctx, ag_arena *arena, const ag_safe_query *q,
                          size_t limit, ag_found *ret, ag_err *err)
{
	bad_source *b = (bad_source *)s;

	if (b->calls_left-- <= 0)
		return ag_fail(err, b->status, "test.source", "the source went away");
	return b->inner->type->find(b->inner, ctx, arena, q, limit, ret, err);
}

static ag_status pass_aggregate(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                                const ag_safe_query *q, size_t max, const ag_val **ret,
                                size_t *nret, ag_err *err)
{
	bad_source *b = (bad_source *)s;

	return b->inner->type->aggregate(b->inner, ctx, arena, q, max, ret, nret, err);
}

static ag_status pass_survey(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                             uint64_t seed, ag_survey *ret, ag_err *err)
{
	bad_source *b = (bad_source *)s;

	return b->inner->type->survey(b->inner, ctx, arena, n, seed, ret, err);
}

static ag_status pass_profile(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                              uint64_t seed, ag_profile *ret, ag_err *err)
{
	bad_source *b = (bad_source *)s;

	return b->inner->type->profile(b->inner, ctx, arena, n, seed, ret, err);
}

static void a_lost_source_ends_the_run(void **state)
{
	const ag_source_type type = { .name = "bad",
		                      .find = bad_find,
		                      .aggregate = pass_aggregate,
		                      .survey = pass_survey,
		                      .profile = pass_profile };
	ag_source *real;
	bad_source bad;
	audit_fix f;

	(void)state;
	people(&f);
	f.opts.history = false; /* the second run would look at the first one's evidence */
	real = f.source;
	/* Gone after the finding's evidence ran: the finding is kept, and the run can go on when the source is back. */
	bad = (bad_source){
		.base = *real, .inner = real, .calls_left = 2, .status = AG_UNAVAILABLE
	};
	bad.base.type = &type;
	f.source = &bad.base;
	static const char *const more[] = {
		"{\"action\":\"schema_sample\"}",
		"{\"action\":\"run_query\",\"action_input\":{\"filter\":{\"email\":null}}}",
		("{\"action\":\"write_finding\",\"action_input\":{\"field\":\"email\",\"category\":\"null_rate\",\"severity\":\"high\","
		 "\"description\":\"the address is null\",\"hypothesis\":\"an import\",\"evidence_query\":{\"email\":null},"
		 "\"affected_count\":25}}"),
		"{\"action\":\"run_query\",\"action_input\":{\"filter\":{\"age\":1}}}",
		"{\"action\":\"run_query\",\"action_input\":{\"filter\":{\"age\":2}}}",
	};
	fix_script(&f, more, AG_NELEM(more));
	assert_ending(&f, "partial", 1);
	assert_int_equal(f.result.run_result.err.status, AG_UNAVAILABLE);
	assert_int_equal(fix_len(&f, "run_trace"), 4);
	/* An error that a planner can mend only becomes a critique. */
	bad.calls_left = 2;
	bad.status = AG_INVALID;
	fix_script(&f, more, AG_NELEM(more));
	assert_ending(&f, "ok", 1);
	assert_true(ag_str_contains(f.critiques[4], AG_S("the source went away")));
	f.source = real;
	fix_close(&f);
}

/* ---- a store that fails ---- */

static void a_store_that_cannot_commit_ends_the_run(void **state)
{
	unsigned long ncall, nfailed = 1;
	int nrun = 0;
	audit_fix f;

	(void)state;
	people(&f);
	f.opts.history = false;
	for (int n = 2; n < 120; n++) { /* the first commit is that of run_started */
		char point[40];

		snprintf(point, sizeof(point), "store.commit:%d+", n);
		assert_int_equal(ag_fault_setup(point, NULL), AG_OK);
		fix_script(&f, steps, AG_NELEM(steps));
		assert_non_null(ag_fault_counts(&ncall, &nfailed));
		assert_int_equal(ag_fault_setup(NULL, NULL), AG_OK);
		if (!nfailed)
			break; /* this run had as many commits as it needed */
		if (ncall == (unsigned long)n && ag_str_eqc(f.result.run_result.status, "ok"))
			continue; /* the last one gives the lease back */
		nrun++;
		/* The report has what was found so far, and says that the run failed. */
		if (f.result.run_result.err.status != AG_IO)
			fail_msg("commit %d: status %.*s", n, AG_FMT(f.result.run_result.status));
		assert_true(ag_str_eqc(f.result.run_result.status, "failed"));
		assert_true(fix_len(&f, "run_trace") <= AG_NELEM(steps));
	}
	assert_int_equal(nfailed, 0);
	assert_true(nrun > 8);
	fix_close(&f);
}

/* ---- the log is the run ---- */

static void rebuild(const audit_fix *f, ag_store *store, const ag_id *run, ag_audit_state *s,
                    size_t *ret_n)
{
	ag_event *events;
	ag_err err = { 0 };

	ag_audit_state_init(s, f->arena, &ag_rule_opts_default, ag_source_info_of(f->source)->key,
	                    100, 20);
	assert_int_equal(ag_store_events(store, run, 0, f->arena, &events, ret_n, &err), AG_OK);
	for (size_t i = 0; i < *ret_n; i++)
		assert_int_equal(ag_audit_apply(s, &events[i], &err), AG_OK);
}

static void the_state_is_rebuilt_from_the_log(void **state)
{
	size_t n, covered, paths;
	ag_audit_state s;
	audit_fix f;

	(void)state;
	people(&f);
	fix_script(&f, steps, AG_NELEM(steps));
	rebuild(&f, f.store, &f.result.run, &s, &n);
	assert_int_equal(s.findings.n, 1);
	assert_true(ag_str_eq(ag_id_str(&s.findings.items[0].id),
	                      fix_text(fix_find(&f, "findings", "email", "null_rate"), "id")));
	assert_int_equal(s.findings.items[0].affected, 25);
	assert_int_equal(s.trace.n, fix_len(&f, "run_trace"));
	assert_int_equal(s.evaluations.n, fix_len(&f, "evaluation_records"));
	ag_audit_coverage(&s, &covered, &paths);
	assert_int_equal(covered, 2);
	assert_int_equal(paths, 2);
	assert_true(ag_str_eqc(s.status, "ok"));
	/* The finding and the report are in the store as well. */
	{
		ag_finding_row *rows;
		ag_str report;
		ag_err err = { 0 };
		size_t nrow;

		assert_int_equal(ag_store_findings(f.store, &f.result.run, f.arena, &rows, &nrow,
		                                   &err),
		                 AG_OK);
		assert_int_equal(nrow, 1);
		assert_true(ag_str_eqc(rows[0].category, "null_rate"));
		assert_int_equal(ag_store_report(f.store, &f.result.run, f.arena, &report, &err),
		                 AG_OK);
		assert_true(ag_str_eq(report, f.result.report));
	}
	fix_close(&f);
}

typedef struct killer {
	uint64_t at;
} killer;

static void kill_at(void *arg, const ag_event *ev)
{
	const killer *k = arg;

	if (ev->seq == k->at)
		kill(getpid(), SIGKILL);
}

/* What is left of a killed run is a report like any other. */
static void rebuilt_report(audit_fix *f, ag_store *store, const ag_run_row *row,
                           const ag_audit_state *s, bool finished)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_err err = { 0 };
	ag_str text;

	assert_int_equal(ag_audit_rebuild(store, row, true, f->arena, &text, &err), AG_OK);
	assert_int_equal(ag_extjson_parse(text, &opts, f->arena, &f->report, NULL, NULL, &err),
	                 AG_OK);
	assert_true(ag_str_eqc(fix_text(&f->report, "status"), finished ? "ok" : "interrupted") ||
	            ag_str_eq(fix_text(&f->report, "status"), s->status));
	assert_int_equal(fix_len(f, "findings"), s->findings.n);
	assert_int_equal(fix_len(f, "run_trace"), s->trace.n);
	assert_int_equal(fix_int(fix_get(&f->report, "source"), "documents"), 100);
	if (finished) {
		ag_str stored;

		/* The log holds all that the report says: byte for byte. */
		assert_int_equal(ag_store_report(store, &row->id, f->arena, &stored, &err), AG_OK);
		assert_int_equal(ag_audit_rebuild(store, row, false, f->arena, &text, &err), AG_OK);
		assert_true(ag_str_eq(stored, text));
	}
}

/* kill -9 behind every event of a whole run: the log holds exactly what was committed, and the state is rebuilt. */
static void killed_at_every_event(void **state)
{
	bool finished = false;
	audit_fix f;

	(void)state;
	people(&f);
	for (uint64_t at = 1; !finished; at++) {
		char path[128];
		ag_audit_state s;
		ag_run_row row;
		ag_store *store;
		ag_err err = { 0 };
		int status;
		size_t n;
		pid_t child;

		snprintf(path, sizeof(path), "%s/kill-%d.db", f.dir, (int)at);
		child = fork();
		assert_true(child >= 0);
		if (!child) {
			killer k = { at };
			ag_audit_opts o;

			ag_audit_opts_init(&o);
			if (ag_store_open(ag_str_c(path), &store, &err) ||
			    ag_audit_run(&f.ctx,
			                 &(ag_audit_job){ .source = f.source,
			                                  .store = store,
			                                  .opts = &o,
			                                  .make = ag_planner_builtin_make,
			                                  .on_event = kill_at,
			                                  .on_event_arg = &k },
			                 f.arena, &f.result, &err))
				_exit(2);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
		assert_true(finished || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
		assert_int_equal(ag_store_open(ag_str_c(path), &store, &err), AG_OK);
		assert_int_equal(ag_store_find_run(store, AG_S("last"), f.arena, &row, &err),
		                 AG_OK);
		rebuild(&f, store, &row.id, &s, &n);
		if (!finished) {
			/* What was shown is there; so may be the rest of its batch, nothing more. */
			assert_true(n >= at && n < at + 8);
		} else {
			assert_true(ag_str_eqc(s.status, "ok"));
			assert_int_equal(s.findings.n, 1);
		}
		rebuilt_report(&f, store, &row, &s, finished);
		ag_store_close(store);
		for (size_t i = 0; i < 3; i++) {
			static const char *const ends[] = { "", "-wal", "-shm" };
			char file[160];

			snprintf(file, sizeof(file), "%s%s", path, ends[i]);
			unlink(file);
		}
		assert_true(at < 200);
	}
	fix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(budgets_end_a_run_as_partial),
		cmocka_unit_test(a_deadline_fails_a_run_and_keeps_its_report),
		cmocka_unit_test(cancelled_keeps_what_was_found),
		cmocka_unit_test(a_lost_source_ends_the_run),
		cmocka_unit_test(a_store_that_cannot_commit_ends_the_run),
		cmocka_unit_test(the_state_is_rebuilt_from_the_log),
		cmocka_unit_test(killed_at_every_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
