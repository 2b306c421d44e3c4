/* Audits beside each other on one store, in threads and in processes; the report does not depend on the number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_fixtures.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "query/extjson.h"

#define NPARALLEL 4

/* 3,000 documents with some damage of several kinds, enough for a few dozen steps. */
static void damaged(ag_buf *docs)
{
	for (int i = 0; i < 3000; i++)
		ag_buf_addf(
			docs,
			"{\"_id\":%d,\"email\":%s,\"amount\":%s,\"status\":\"%s\",\"city\":\"%s\",\"items\":[{\"q\":%d}]}\n",
			i, i % 40 == 0 ? "null" : "\"user@example.org\"",
			i % 100 == 0 ? "\"12.50\"" : "12.5", i % 3 ? "open" : "closed",
			i % 90 == 0 ? "Berlin " : "Berlin", i % 5);
}

typedef struct job {
	const char *store;
	ag_source *source;
	ag_str run, status;
	size_t findings;
	bool ok;
	ag_arena *arena;
} job;

/* No cmocka calls in here: it is not made for threads. */
static void *audit_once(void *arg)
{
	static const ag_extjson_opts opts = { .typed = true, .query = true };
	const ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 2 };
	ag_audit_result result;
	ag_audit_opts o;
	job *j = arg;
	ag_store *store;
	ag_val report;
	const ag_val *findings;
	ag_err err = { 0 };

	ag_audit_opts_init(&o);
	if (ag_store_open(ag_str_c(j->store), &store, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return NULL;
	}
	if (!ag_audit_run(&ctx,
	                  &(ag_audit_job){ .source = j->source,
	                                   .store = store,
	                                   .opts = &o,
	                                   .make = ag_planner_builtin_make },
	                  j->arena, &result, &err) &&
	    !ag_extjson_parse(result.report, &opts, j->arena, &report, NULL, NULL, &err)) {
		findings = ag_val_getc(&report, "findings");
		j->findings = findings ? findings->n : 0;
		j->status = result.run_result.status;
		j->run = ag_str_dup(j->arena, ag_id_str(&result.run));
		j->ok = true;
	} else {
		fprintf(stderr, "%s\n", err.msg);
	}
	ag_store_close(store);
	return NULL;
}

static void check_store(const char *path, size_t runs)
{
	ag_arena *arena = ag_arena_new();
	ag_store *store;
	ag_run_row *rows;
	ag_event *events;
	ag_err err = { 0 };
	size_t n, nevent;

	assert_int_equal(ag_store_open(ag_str_c(path), &store, &err), AG_OK);
	assert_int_equal(ag_store_runs(store, AG_S(""), 100, 0, arena, &rows, &n, &err), AG_OK);
	assert_int_equal(n, runs);
	for (size_t i = 0; i < n; i++) {
		assert_true(ag_str_eqc(rows[i].status, "ok"));
		assert_true(rows[i].high + rows[i].medium + rows[i].low > 0);
		assert_int_equal(ag_store_events(store, &rows[i].id, 0, arena, &events, &nevent,
		                                 &err),
		                 AG_OK);
		assert_true(nevent > 10);
		assert_int_equal(events[0].type, AG_EV_RUN_STARTED);
		assert_int_equal(events[nevent - 1].type, AG_EV_RUN_FINISHED);
		for (size_t k = 0; k < nevent; k++)
			assert_int_equal(events[k].seq, k + 1);
	}
	ag_store_close(store);
	ag_arena_free(arena);
}

static void in_threads(void **state)
{
	ag_buf docs = AG_BUF_INIT(4 << 20);
	pthread_t threads[NPARALLEL];
	job jobs[NPARALLEL];
	char store[128];
	audit_fix f;

	(void)state;
	damaged(&docs);
	fix_open(&f, ag_buf_view(&docs));
	snprintf(store, sizeof(store), "%s/argus.db", f.dir);
	for (size_t i = 0; i < NPARALLEL; i++) {
		jobs[i] = (job){ .store = store, .source = f.source, .arena = ag_arena_new() };
		assert_int_equal(pthread_create(&threads[i], NULL, audit_once, &jobs[i]), 0);
	}
	for (size_t i = 0; i < NPARALLEL; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (size_t i = 0; i < NPARALLEL; i++) {
		assert_true(jobs[i].ok);
		assert_true(ag_str_eqc(jobs[i].status, "ok"));
		assert_true(jobs[i].findings >= 2);
		assert_int_equal(jobs[i].findings, jobs[0].findings);
		for (size_t k = 0; k < i; k++)
			assert_false(ag_str_eq(jobs[i].run, jobs[k].run));
	}
	check_store(store, NPARALLEL);
	for (size_t i = 0; i < NPARALLEL; i++)
		ag_arena_free(jobs[i].arena);
	unlink(store);
	fix_close(&f);
	ag_buf_release(&docs);
}

static void in_processes(void **state)
{
	ag_buf docs = AG_BUF_INIT(4 << 20);
	pid_t children[NPARALLEL];
	char store[128];
	audit_fix f;

	(void)state;
	damaged(&docs);
	fix_open(&f, ag_buf_view(&docs));
	snprintf(store, sizeof(store), "%s/argus.db", f.dir);
	for (size_t i = 0; i < NPARALLEL; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (!children[i]) {
			job j = { .store = store, .source = f.source, .arena = ag_arena_new() };

			audit_once(&j);
			_exit(j.ok && ag_str_eqc(j.status, "ok") ? 0 : 1);
		}
	}
	for (size_t i = 0; i < NPARALLEL; i++) {
		int status = 0;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	check_store(store, NPARALLEL);
	unlink(store);
	fix_close(&f);
	ag_buf_release(&docs);
}

/* The findings of a run as text, without ids. */
static ag_str findings_of(unsigned nthread, const ag_str docs, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1 << 20);
	const ag_val *list;
	audit_fix f;
	ag_str ret;

	fix_open(&f, docs);
	f.ctx.nthread = nthread;
	fix_builtin(&f);
	list = fix_get(&f.report, "findings");
	for (uint32_t i = 0; i < list->n; i++) {
		static const char *const names[] = { "key",      "field",       "category",
			                             "severity", "description", "evidence_query",
			                             "detail" };

		for (size_t k = 1; k < AG_NELEM(names); k++) {
			ag_buf_add(&out, fix_text(&list->u.items[i], names[k]));
			ag_buf_addc(&out, '|');
		}
		ag_buf_addf(&out, "%lld|%.17g\n",
		            (long long)fix_int(&list->u.items[i], "affected_count"),
		            fix_num(&list->u.items[i], "score"));
	}
	assert_true(list->n >= 2);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	fix_close(&f);
	return ret;
}

static void the_same_with_any_number_of_threads(void **state)
{
	ag_buf docs = AG_BUF_INIT(64 << 20);
	ag_arena *arena = ag_arena_new();
	ag_str one;

	(void)state;
	/* More than two chunks. */
	for (int i = 0; i < 40; i++)
		damaged(&docs);
	one = findings_of(1, ag_buf_view(&docs), arena);
	assert_true(ag_str_eq(one, findings_of(2, ag_buf_view(&docs), arena)));
	assert_true(ag_str_eq(one, findings_of(8, ag_buf_view(&docs), arena)));
	ag_arena_free(arena);
	ag_buf_release(&docs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_threads),
		cmocka_unit_test(in_processes),
		cmocka_unit_test(the_same_with_any_number_of_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
