/* kill -9 at every commit of a run, and of the sittings that go on with it: the report is that of a run that never stood
 * still, no tool call ran twice, and the findings of the store are those of the report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_resume_steps.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "query/extjson.h"

typedef struct killer {
	uint64_t left; /* events until the end; 0 = never */
} killer;

static void kill_after(void *arg, const ag_event *ev)
{
	killer *k = arg;

	(void)ev;
	if (k->left && --k->left == 0)
		kill(getpid(), SIGKILL);
}

static void remove_store(const char *path)
{
	static const char *const ends[] = { "", "-wal", "-shm" };

	for (size_t i = 0; i < 3; i++) {
		char file[200];

		snprintf(file, sizeof(file), "%s%s", path, ends[i]);
		unlink(file);
	}
}

/* One sitting in a process of its own. True when it came to its end. */
static bool sitting(audit_fix *f, const char *path, uint64_t nevent, bool is_first,
                    ag_planner_make make, void *arg)
{
	const pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		killer k = { nevent };
		ag_store *store;
		ag_err err = { 0 };
		ag_run_row row;
		ag_status st = ag_store_open(ag_str_c(path), &store, &err);

		if (!st && is_first)
			st = ag_audit_run(&f->ctx,
			                  &(ag_audit_job){ .source = f->source,
			                                   .store = store,
			                                   .opts = &f->opts,
			                                   .make = make,
			                                   .make_arg = arg,
			                                   .on_event = kill_after,
			                                   .on_event_arg = &k },
			                  f->arena, &f->result, &err);
		else if (!st && !ag_store_find_run(store, AG_S("last"), f->arena, &row, &err))
			st = ag_audit_resume(&f->ctx,
			                     &(ag_audit_job){ .source = f->source,
			                                      .store = store,
			                                      .opts = &f->opts,
			                                      .make = make,
			                                      .make_arg = arg,
			                                      .on_event = kill_after,
			                                      .on_event_arg = &k },
			                     &row, f->arena, &f->result, &err);
		/* Killed behind its very last event. */
		if (st == AG_INVALID && strstr(err.msg, "is complete"))
			_exit(0);
		if (st || err.status)
			fprintf(stderr, "sitting: %s\n", err.msg);
		_exit(st || err.status ? 2 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true((WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
	            (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
	return WIFEXITED(status);
}

/* The findings of the store are those of the report. */
static void assert_rows(const audit_fix *f, ag_store *store, const ag_id *run)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_finding_row *rows;
	ag_err err = { 0 };
	size_t n, kept = 0;
	const ag_val *list;
	ag_str text;
	ag_val v;

	if (ag_store_findings(store, run, f->arena, &rows, &n, &err) ||
	    ag_store_report(store, run, f->arena, &text, &err) ||
	    ag_extjson_parse(text, &opts, f->arena, &v, NULL, NULL, &err))
		fail_msg("%s", err.msg);
	list = fix_get(&v, "findings");
	for (size_t i = 0; i < n; i++) {
		bool is_listed = false;

		for (uint32_t k = 0; k < list->n; k++)
			is_listed |= ag_str_eq(fix_text(&list->u.items[k], "id"),
			                       ag_id_str(&rows[i].id));
		assert_int_equal(is_listed, !ag_str_eqc(rows[i].status, "dismissed"));
		kept += is_listed;
	}
	assert_int_equal(kept, list->n);
}

/* Killed behind event k of the first sitting, then behind every few events of the next ones. */
static void killed_everywhere(audit_fix *f, ag_planner_make make, void *arg)
{
	int64_t offset = 0;
	const ag_clock clock = { later_wall, real_mono, &offset };
	bool finished = false;
	ag_event *events;
	ag_run_row row;
	ag_str want;
	size_t n;

	run_whole(f, make, arg, &row, &events, &n);
	want = f->result.report;
	f->ctx.clock = &clock;
	for (uint64_t at = 1; !finished; at++) {
		char path[160];
		ag_str report = AG_S("");
		ag_store *store;
		ag_err err = { 0 };
		unsigned nsitting = 1;

		snprintf(path, sizeof(path), "%s/kill-%d.db", f->dir, (int)at);
		finished = sitting(f, path, at, true, make, arg);
		for (bool done = finished; !done && nsitting < 400; nsitting++) {
			/* The lease of the killed one runs out. Every third sitting is left alone. */
			offset += 61 * 1000;
			done = sitting(f, path, nsitting % 3 ? 2 + (at + nsitting) % 7 : 0, false,
			               make, arg);
		}
		assert_int_equal(ag_store_open(ag_str_c(path), &store, &err), AG_OK);
		if (ag_store_find_run(store, AG_S("last"), f->arena, &row, &err) ||
		    ag_store_report(store, &row.id, f->arena, &report, &err))
			fail_msg("killed at %d: %s", (int)at, err.msg);
		assert_same_steps(f, events, n, store, &row.id, at);
		assert_same(f, want, report, "killed at", at);
		assert_rebuilt(f, store, &row, f->opts.show_values);
		assert_rows(f, store, &row.id);
		ag_store_close(store);
		remove_store(path);
		assert_true(at <= n + 1);
	}
	f->ctx.clock = &ag_clock_system;
}

static void killed_at_every_event_builtin(void **state)
{
	audit_fix f;

	(void)state;
	people(&f);
	killed_everywhere(&f, ag_planner_builtin_make, NULL);
	fix_close(&f);
}

static void killed_at_every_event_script(void **state)
{
	audit_fix f;
	fix_lines lines = { .fix = &f, .lines = steps, .n = AG_NELEM(steps) };

	(void)state;
	people(&f);
	killed_everywhere(&f, fix_make_lines, &lines);
	fix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_at_every_event_builtin),
		cmocka_unit_test(killed_at_every_event_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
