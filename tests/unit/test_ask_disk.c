/* How often a question waits for the disk: it is asked again and never resumed, so it pays for nothing but the store's own
 * order. Counted from opening the store to closing it, as `argus ask` does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sys/syscall.h>
#include <unistd.h>

#include "../contract/assert_ok.h"
#include "../contract/folder.h"
#include "ask/ask.h"
#include "base/json.h"
#include "scripted_model.h"

#define CALL(id, name, args)                                       \
	"[{\"id\":\"" id "\",\"type\":\"function\",\"function\":{" \
	"\"name\":\"" name "\",\"arguments\":\"" args "\"}}]"

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

typedef struct world {
	char folder[128], uri[160];
	ag_root *root;
	ag_arena *arena;
	ag_ctx ctx;
	ag_err err;
} world;

/* A project with one page, and a store that was made before. */
static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));
	ag_store *store = NULL;
	char page[160];
	FILE *f;

	*state = w;
	w->arena = ag_arena_new();
	w->ctx = (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
	test_folder_make(w->folder, "ask");
	snprintf(w->uri, sizeof(w->uri), "%s/.state/argus.db", w->folder);
	snprintf(page, sizeof(page), "%s/ports.md", w->folder);
	f = fopen(page, "w");
	if (!f || fputs("# Ports\n\nThe API listens on port 8080.\n", f) < 0 || fclose(f))
		return -1;
	if (ag_root_open(&(ag_root_opts){ .path = ag_str_c(w->folder) }, &w->root, &w->err) ||
	    ag_store_open(ag_str_c(w->uri), &store, &w->err))
		return -1;
	ag_store_close(store);
	return 0;
}

static int teardown(void **state)
{
	world *w = *state;

	ag_root_close(w->root);
	ag_arena_free(w->arena);
	test_folder_remove(w->folder);
	free(w);
	return 0;
}

/* Four calls of tools, then the answer. Returns how often it waited for the disk. */
static unsigned ask(world *w)
{
	static const sm_line lines[] = {
		{ .calls = CALL("1", "list_files", "{\\\"path\\\":\\\".\\\"}") },
		{ .calls = CALL("2", "read_file", "{\\\"path\\\":\\\"ports.md\\\"}") },
		{ .calls = CALL("3", "read_file", "{\\\"path\\\":\\\"none.md\\\"}") },
		{ .calls = CALL("4", "outline", "{\\\"path\\\":\\\"ports.md\\\"}") },
		{ .text = AG_S_INIT("Port 8080 (ports.md#ports).") },
	};
	ag_ask_opts o = { .question = AG_S("Which port does the API use?"), .root = w->root };
	ag_ask_run_result r = { 0 };
	ag_store *store = NULL;
	ag_llm_meter meter;
	scripted_model m;

	sm_open(&m, "tested", lines, AG_NELEM(lines));
	ag_llm_meter_init(&meter, w->arena, 0, 0);
	o.llm = m.llm;
	o.meter = &meter;
	nsync = 0;
	assert_ok(w, ag_store_open(ag_str_c(w->uri), &store, &w->err));
	o.store = store;
	assert_ok(w, ag_ask_run(&w->ctx, &o, w->arena, &r, &w->err));
	assert_true(r.has_answer);
	assert_int_equal(r.run_result.calls, 4);
	ag_store_close(store);
	sm_close(&m);
	return nsync;
}

static size_t count_runs(world *w)
{
	ag_store *store = NULL;
	ag_run_row *rows = NULL;
	ag_str report;
	size_t n = 0;

	assert_ok(w, ag_store_open(ag_str_c(w->uri), &store, &w->err));
	assert_ok(w, ag_store_runs(store, AG_S(""), 100, 0, w->arena, &rows, &n, &w->err));
	for (size_t i = 0; i < n; i++)
		assert_ok(w, ag_store_report(store, &rows[i].id, w->arena, &report, &w->err));
	ag_store_close(store);
	return n;
}

static void a_question_waits_for_the_disk_at_most_twice(void **state)
{
	world *w = *state;

	assert_in_range(ask(w), 0, 2);
	assert_in_range(ask(w), 0, 2); /* with the log that the first one left */
	assert_int_equal(count_runs(w), 2);
	assert_in_range(ask(w), 0, 2); /* after a command that removed the log */
	assert_int_equal(count_runs(w), 3);
}

static void an_answer_without_a_model_waits_at_most_twice(void **state)
{
	world *w = *state;
	ag_answer a = { .answer = AG_S("Port 8080."),
		        .status = AG_S("ok"),
		        .mode = AG_S("offline"),
		        .question = AG_S("Which port?"),
		        .root = ag_root_path(w->root) };
	ag_store *store = NULL;
	ag_str json;

	nsync = 0;
	assert_ok(w, ag_store_open(ag_str_c(w->uri), &store, &w->err));
	assert_ok(w, ag_ask_keep(&w->ctx, store, NULL, &a, w->arena, &json, &w->err));
	ag_store_close(store);
	assert_in_range(nsync, 0, 2);
	assert_int_equal(count_runs(w), 1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_question_waits_for_the_disk_at_most_twice),
		T(an_answer_without_a_model_waits_at_most_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
