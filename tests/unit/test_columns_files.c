/* Files at the edge of a table: which format, what is refused, what happens when one changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "columns/input.h"
#include "columns/load.h"
#include "columns/table.h"

static ag_ctx ctx_with(unsigned nthread)
{
	return (ag_ctx){ .clock = &ag_clock_system, .nthread = nthread };
}

static ag_table *load(ag_format format, const char *text)
{
	ag_ctx ctx = ctx_with(1);
	ag_table_opts opts = { .format = format };
	ag_table *t = NULL;
	ag_err err;

	if (ag_table_load_mem(&ctx, "data", text, strlen(text), &opts, &t, &err))
		fail_msg("%s", err.msg);
	return t;
}

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static void format_detection(void **state)
{
	static const struct {
		const char *text;
		ag_format format;
		uint64_t ndoc;
	} cases[] = {
		{ "", AG_FORMAT_NDJSON, 0 },
		{ "{\"a\":1}\n{\"a\":2}\n", AG_FORMAT_NDJSON, 2 },
		{ "{\"a\":1\n{\"a\":2}\n{\"a\":3}\n", AG_FORMAT_NDJSON, 2 },
		{ "{\n\"a\":1}\n{\"a\":2}\n", AG_FORMAT_JSON, 2 },
		{ "{\"a\":1}{\"a\":2}", AG_FORMAT_JSON, 2 },
		{ "\xef\xbb\xbf\n [{\"a\":1}]", AG_FORMAT_JSON, 1 },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_table *t = load(AG_FORMAT_AUTO, cases[i].text);

		assert_int_equal(ag_table_info_of(t)->format, cases[i].format);
		assert_int_equal(ag_table_info_of(t)->ndoc, cases[i].ndoc);
		ag_table_free(t);
	}
}

static void refused_files(void **state)
{
	static const char *const texts[] = { "\x1f\x8b\x08 gz", "PK\x03\x04zip", "<xml/>",
		                             "a,b\n1,2\n", "\xff\xfe{" };
	ag_ctx ctx = ctx_with(1);
	const char *dir = "/", *none = "/nonexistent/x.json", *fifo = "test_columns_fifo.tmp";
	ag_table *t = NULL;
	ag_err err;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		assert_int_equal(ag_table_load_mem(&ctx, "data", texts[i], strlen(texts[i]), NULL,
		                                   &t, &err),
		                 AG_INVALID);
		assert_non_null(strstr(err.msg, "looks like"));
	}
	assert_int_equal(ag_table_load(&ctx, &dir, 1, NULL, &t, &err), AG_INVALID);
	assert_int_equal(ag_table_load(&ctx, &none, 1, NULL, &t, &err), AG_NOT_FOUND);
	unlink(fifo);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(ag_table_load(&ctx, &fifo, 1, NULL, &t, &err), AG_INVALID);
	assert_non_null(strstr(err.msg, "a pipe"));
	unlink(fifo);
	assert_null(t);
}

static void strict_names_the_place(void **state)
{
	ag_ctx ctx = ctx_with(2);
	ag_table_opts opts = { .format = AG_FORMAT_NDJSON, .strict = true };
	ag_table *t = NULL;
	ag_err err;

	(void)state;
	assert_int_equal(ag_table_load_mem(&ctx, "data", "{}\n{\n{]\n", 8, &opts, &t, &err),
	                 AG_INVALID);
	assert_non_null(strstr(err.msg, "data, line 2, byte 3"));
}

static void cancelled(void **state)
{
	atomic_bool stop = true;
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 2, .cancel = &stop };
	ag_table *t = NULL;
	ag_err err;

	(void)state;
	assert_int_equal(ag_table_load_mem(&ctx, "data", "{}\n", 3, NULL, &t, &err), AG_CANCELLED);
	assert_null(t);
}

/* A file that became shorter is an error with its name, not a crash and not a short table. */
static void shrinking_file(void **state)
{
	const char *path = "test_columns_shrink.tmp";
	char buf[16];
	ag_input in;
	ag_err err;

	(void)state;
	put_file(path, "{\"a\":1}\n{\"a\":2}\n");
	assert_int_equal(ag_input_open(NULL, path, &in, &err), AG_OK);
	assert_int_equal(ag_input_read(&in, 0, buf, 16, &err), AG_OK);
	assert_int_equal(ag_input_unchanged(&in, &err), AG_OK);
	assert_int_equal(truncate(path, 8), 0);
	assert_int_equal(ag_input_read(&in, 0, buf, 16, &err), AG_IO);
	assert_non_null(strstr(err.msg, path));
	assert_non_null(strstr(err.msg, "changed while being read"));
	assert_int_equal(ag_input_unchanged(&in, &err), AG_IO);
	ag_input_close(&in);
	unlink(path);
}

/* Files in the order given, each with its own format; places name the right file. */
static void several_files(void **state)
{
	const char *files[] = { "test_columns_1.json", "test_columns_2.csv",
		                "test_columns_3.jsonl" };
	ag_ctx ctx = ctx_with(2);
	const ag_table_info *info;
	uint64_t line, byte;
	ag_table *t = NULL;
	ag_str file;
	ag_err err;

	(void)state;
	put_file(files[0], "[{\"a\":1},{\"a\":2}]");
	put_file(files[1], "a,b\n3,4\n5,6,7\n");
	put_file(files[2], "{\"a\":5}\n\nx\n{\"a\":6}\n");
	assert_int_equal(ag_table_load(&ctx, files, 3, NULL, &t, &err), AG_OK);
	info = ag_table_info_of(t);
	assert_int_equal(info->ndoc, 5);
	assert_int_equal(info->broken, 2);
	assert_true(info->has_views);
	assert_true(info->mtime_ms > 0);
	assert_string_equal(info->issues[0].file.ptr, files[1]);
	assert_int_equal(info->issues[0].line, 3);
	assert_string_equal(info->issues[1].file.ptr, files[2]);
	assert_int_equal(info->issues[1].line, 3);
	ag_table_doc_where(t, 4, &file, &line, &byte);
	assert_string_equal(file.ptr, files[2]);
	assert_int_equal(line, 4);
	assert_int_equal(byte, 11);
	ag_table_free(t);
	for (size_t i = 0; i < 3; i++)
		unlink(files[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(format_detection),       cmocka_unit_test(refused_files),
		cmocka_unit_test(strict_names_the_place), cmocka_unit_test(cancelled),
		cmocka_unit_test(shrinking_file),         cmocka_unit_test(several_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
