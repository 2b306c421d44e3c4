/* The access log: its lines, a file that is moved away, a reader that does not read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "query/extjson.h"
#include "server/access_log.h"

static char folder[] = "/tmp/argus-access-log-XXXXXX";

static ag_str in_folder(ag_arena *arena, const char *name)
{
	return ag_str_printf(arena, "%s/%s", folder, name);
}

static ag_str content(ag_arena *arena, ag_str path)
{
	FILE *f = fopen(ag_str_cstr(arena, path), "r");
	char *text = (char *)ag_arena_alloc(arena, 4u << 20);
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, 4u << 20, f);
	fclose(f);
	return ag_str_make(text, n);
}

static void add(ag_access_log *l, const char *route, const char *user, int status)
{
	ag_access_log_add(l,
	                  &(ag_access_line){ .id = "9c1f03a27be4d650",
	                                     .method = "GET",
	                                     .route = route,
	                                     .user = ag_str_c(user),
	                                     .from = AG_S("127.0.0.1") },
	                  &(ag_httpd_served){ .status = status, .nbyte = 214, .took_us = 1204 });
}

static void one_line(ag_arena *arena, ag_str text, ag_val *ret)
{
	const ag_extjson_opts opts = { .max_depth = 4, .max_values = 50 };

	assert_int_equal(ag_extjson_parse(text, &opts, arena, ret, NULL, NULL, NULL), AG_OK);
}

static void a_request_is_a_line(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_str path = in_folder(arena, "lines");
	ag_access_log *l;
	struct stat st;
	ag_str text;
	ag_val v;

	(void)state;
	assert_int_equal(ag_access_log_open(path, &l, NULL), AG_OK);
	add(l, "/api/threads/{id}", "ann \"the first\"\n", 200);
	add(l, NULL, "", 404);
	ag_access_log_close(l);
	text = content(arena, path);
	one_line(arena, ag_str_split(&text, '\n'), &v);
	assert_true(ag_str_eqc(ag_val_member_str(&v, "request"), "9c1f03a27be4d650"));
	assert_true(ag_str_eqc(ag_val_member_str(&v, "method"), "GET"));
	assert_true(ag_str_eqc(ag_val_member_str(&v, "route"), "/api/threads/{id}"));
	assert_true(ag_str_eqc(ag_val_member_str(&v, "user"), "ann \"the first\"\n"));
	assert_int_equal(ag_val_member_u64(&v, "status"), 200);
	assert_int_equal(ag_val_member_u64(&v, "bytes"), 214);
	assert_true(ag_val_member_num(&v, "ms") == 1.204);
	one_line(arena, ag_str_split(&text, '\n'), &v);
	assert_int_equal(ag_val_getc(&v, "route")->type, AG_T_NULL);
	assert_int_equal(ag_val_getc(&v, "user")->type, AG_T_NULL);
	assert_int_equal(text.len, 0);
	assert_int_equal(stat(ag_str_cstr(arena, path), &st), 0);
	assert_int_equal(st.st_mode & 07, 0); /* not for everybody on the machine */
	ag_arena_free(arena);
}

static void a_file_is_moved_away(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_str path = in_folder(arena, "log"), old = in_folder(arena, "log.1");
	ag_access_log *l;
	ag_err err = { 0 };

	(void)state;
	assert_int_equal(ag_access_log_open(path, &l, NULL), AG_OK);
	add(l, "/one", "ann", 200);
	/* The writer is another thread: the line is in the old file, or waits for the new one. */
	assert_int_equal(rename(ag_str_cstr(arena, path), ag_str_cstr(arena, old)), 0);
	assert_int_equal(ag_access_log_reopen(l, in_folder(arena, "no/such/folder"), &err), AG_IO);
	assert_true(ag_str_contains(ag_str_c(err.msg), AG_S("no/such/folder")));
	assert_int_equal(ag_access_log_reopen(l, path, NULL), AG_OK);
	assert_int_equal(ag_access_log_reopen(l, path, NULL), AG_OK);
	add(l, "/two", "ann", 200);
	ag_access_log_close(l);
	assert_true(ag_str_contains(content(arena, path), AG_S("\"/two\"")));
	assert_false(ag_str_contains(content(arena, old), AG_S("\"/two\"")));
	assert_true(ag_str_contains(content(arena, old), AG_S("\"/one\"")) ||
	            ag_str_contains(content(arena, path), AG_S("\"/one\"")));
	ag_arena_free(arena);
}

typedef struct reader {
	int fd;
	uint64_t nline, ndropped;
} reader;

static void *read_all(void *arg)
{
	reader *r = (reader *)arg;
	ag_arena *arena = ag_arena_new();
	ag_buf all = AG_BUF_INIT(16u << 20);
	char some[65536];
	ag_str text;
	ssize_t n;

	while ((n = read(r->fd, some, sizeof(some))) > 0)
		ag_buf_add(&all, ag_str_make(some, (size_t)n));
	text = ag_buf_view(&all);
	while (text.len) {
		ag_val v;

		one_line(arena, ag_str_split(&text, '\n'), &v);
		r->ndropped += ag_val_member_u64(&v, "dropped");
		r->nline += ag_val_getc(&v, "route") != NULL;
	}
	ag_buf_release(&all);
	ag_arena_free(arena);
	return NULL;
}

/* A pipe whose reader does not read: nobody waits, and what was dropped is counted. */
static void a_reader_does_not_read(void **state)
{
	enum { N = 20000 };
	ag_arena *arena = ag_arena_new();
	const ag_str path = in_folder(arena, "pipe");
	reader r = { 0 };
	ag_access_log *l;
	pthread_t thread;

	(void)state;
	assert_int_equal(mkfifo(ag_str_cstr(arena, path), 0600), 0);
	assert_int_equal(ag_access_log_open(path, &l, NULL), AG_IO); /* nobody is there */
	r.fd = open(ag_str_cstr(arena, path), O_RDONLY | O_NONBLOCK);
	assert_true(r.fd >= 0);
	assert_int_equal(ag_access_log_open(path, &l, NULL), AG_OK);
	for (int i = 0; i < N; i++)
		add(l, "/api/threads/{id}", "ann", 200);
	/* It reads at last. Closing the log writes what waits, and ends the pipe. */
	assert_int_equal(fcntl(r.fd, F_SETFL, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_all, &r), 0);
	ag_access_log_close(l);
	assert_int_equal(pthread_join(thread, NULL), 0);
	print_message("  %llu lines, %llu dropped\n", (unsigned long long)r.nline,
	              (unsigned long long)r.ndropped);
	assert_int_equal(r.nline + r.ndropped, N);
	assert_true(r.nline > 1000 && r.ndropped > 1000);
	close(r.fd);
	ag_arena_free(arena);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "lines", "log", "log.1", "pipe" };
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(names); i++)
		unlink(ag_str_cstr(arena, in_folder(arena, names[i])));
	ag_arena_free(arena);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_a_line),
		cmocka_unit_test(a_file_is_moved_away),
		cmocka_unit_test(a_reader_does_not_read),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
