/* CSV into a table: cells, headers, what a cell means beside its text, and broken records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "columns/csv_copy.h"
#include "columns/load.h"
#include "columns/table.h"
#include "query/extjson.h"

static ag_table *load_n(const char *text, size_t n, unsigned nthread, ag_format format)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = nthread };
	ag_table_opts opts = { .format = format };
	ag_table *t = NULL;
	ag_err err;

	if (ag_table_load_mem(&ctx, "data.csv", text, n, &opts, &t, &err))
		fail_msg("%s", err.msg);
	return t;
}

static ag_table *load(const char *text)
{
	return load_n(text, strlen(text), 1, AG_FORMAT_CSV);
}

static char *dump(const ag_table *t, bool views)
{
	ag_arena *a = ag_arena_new();
	ag_buf out = AG_BUF_INIT(SIZE_MAX / 2);

	for (uint64_t i = 0; i < ag_table_info_of(t)->ndoc; i++) {
		ag_val v = views ? ag_table_doc_view(t, a, i, NULL, 0) : ag_table_doc(t, a, i);

		ag_extjson_write(&out, &v, AG_EXTJSON_CANONICAL);
		ag_buf_addc(&out, '\n');
	}
	ag_arena_free(a);
	return ag_buf_steal(&out);
}

static void check(const char *text, const char *want, uint64_t broken)
{
	ag_table *t = load(text);
	char *got = dump(t, false);

	assert_string_equal(got, want);
	assert_int_equal(ag_table_info_of(t)->broken, broken);
	assert_true(ag_table_info_of(t)->has_views);
	free(got);
	ag_table_free(t);
}

static void cells(void **state)
{
	(void)state;
	check("", "", 0);
	check("a,b", "", 0);
	check("a,b\n", "", 0);
	check("a,b\n1,2", "{\"a\":\"1\",\"b\":\"2\"}\n", 0);
	check("\xef\xbb\xbf"
	      "a,b\r\n1,2\r\n\r\n3\r\n",
	      "{\"a\":\"1\",\"b\":\"2\"}\n{\"a\":\"3\"}\n", 0);
	check("a,b\n\"x, \"\"y\"\"\",\"two\r\nlines\"\n,\"\"\n",
	      "{\"a\":\"x, \\\"y\\\"\",\"b\":\"two\\r\\nlines\"}\n{\"a\":\"\",\"b\":\"\"}\n", 0);
	check("a\n5\" disk\n", "{\"a\":\"5\\\" disk\"}\n", 0);
	check("\"x.y\",\"q\"\"z\"\n1,2\n", "{\"x.y\":\"1\",\"q\\\"z\":\"2\"}\n", 0);
}

static void separators(void **state)
{
	(void)state;
	check("a;b,c;d\n1,5;2;3\n", "{\"a\":\"1,5\",\"b,c\":\"2\",\"d\":\"3\"}\n", 0);
	check("a\tb\n1\t2\n", "{\"a\":\"1\",\"b\":\"2\"}\n", 0);
	check("a|b\n1|2\n", "{\"a\":\"1\",\"b\":\"2\"}\n", 0);
	check("\"a,b,c\";d\n1;2\n", "{\"a,b,c\":\"1\",\"d\":\"2\"}\n", 0);
}

static void broken_records(void **state)
{
	ag_table *t = load("a,b\n1,2\n1,2,3\n\"x\" y,2\n\xff,1\n\"open,1\n5,6\n");
	const ag_table_info *info = ag_table_info_of(t);
	char *got = dump(t, false);

	(void)state;
	assert_string_equal(got, "{\"a\":\"1\",\"b\":\"2\"}\n{\"a\":\"5\",\"b\":\"6\"}\n");
	assert_int_equal(info->broken, 4);
	assert_int_equal(info->issues[0].line, 3);
	assert_int_equal(info->issues[0].byte, 8);
	assert_non_null(strstr(info->issues[0].what.ptr, "more cells"));
	assert_int_equal(info->issues[1].line, 4);
	assert_non_null(strstr(info->issues[1].what.ptr, "after a closing quote"));
	assert_int_equal(info->issues[2].line, 5);
	assert_non_null(strstr(info->issues[2].what.ptr, "UTF-8"));
	assert_int_equal(info->issues[3].line, 6);
	assert_non_null(strstr(info->issues[3].what.ptr, "not closed"));
	free(got);
	ag_table_free(t);
}

static void bad_headers(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "a,b\r1,2\r", "carriage return" },
		{ "\x1f\x8b\x08,x\n", "looks like a gzip file" },
		{ "\xff\xfe,x\n", "looks like UTF-16 text" },
		{ "a,\"b\n", "column 2 of the header has a quote" },
		{ "a,\xff\n", "column 2 is not UTF-8" },
	};
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	ag_table_opts opts = { .format = AG_FORMAT_CSV };
	ag_table *t = NULL;
	ag_err err;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		assert_int_equal(ag_table_load_mem(&ctx, "x.csv", cases[i].text,
		                                   strlen(cases[i].text), &opts, &t, &err),
		                 AG_INVALID);
		if (!strstr(err.msg, cases[i].says))
			fail_msg("%s", err.msg);
	}
}

/* Columns without a name and columns named twice are kept, under names that no other column has. */
static void mended_headers(void **state)
{
	static const struct {
		const char *text, *doc;
		unsigned renamed;
	} cases[] = {
		{ ",a,\n1,2,3\n", "{\"column_1\":\"1\",\"a\":\"2\",\"column_3\":\"3\"}\n", 2 },
		{ "a,a,a\n1,2,3\n", "{\"a\":\"1\",\"a_2\":\"2\",\"a_3\":\"3\"}\n", 2 },
		{ "a,a,a_2\n1,2,3\n", "{\"a\":\"1\",\"a_2\":\"2\",\"a_2_3\":\"3\"}\n", 2 },
		{ "PAR1,<b>\r\n1,2", "{\"PAR1\":\"1\",\"<b>\":\"2\"}\n", 0 },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_table *t = load(cases[i].text);
		char *got = dump(t, false);

		assert_string_equal(got, cases[i].doc);
		assert_int_equal(ag_table_info_of(t)->renamed_columns, cases[i].renamed);
		free(got);
		ag_table_free(t);
	}
}

/* One column, one cell a line: its view. */
static void views(void **state)
{
	static const struct {
		const char *cell, *view;
	} cases[] = {
		{ "7", "{\"$numberInt\":\"7\"}" },
		{ "-12", "{\"$numberInt\":\"-12\"}" },
		{ "0", "{\"$numberInt\":\"0\"}" },
		{ "007", "\"007\"" },
		{ "+1", "\"+1\"" },
		{ "-0", "\"-0\"" },
		{ "1_0", "\"1_0\"" },
		{ "1.", "\"1.\"" },
		{ ".5", "\".5\"" },
		{ "2147483648", "{\"$numberLong\":\"2147483648\"}" },
		{ "9223372036854775808", "{\"$numberDecimal\":\"9223372036854775808\"}" },
		{ "12.5", "{\"$numberDouble\":\"12.5\"}" },
		{ "12.50", "{\"$numberDouble\":\"12.5\"}" },
		{ "1e3", "{\"$numberDouble\":\"1000.0\"}" },
		{ "0.1234567890123456789", "{\"$numberDecimal\":\"0.1234567890123456789\"}" },
		{ "0.30000000000000004", "{\"$numberDouble\":\"0.30000000000000004\"}" },
		{ "1,5", "\"1,5\"" },
		{ "true", "true" },
		{ "false", "false" },
		{ "True", "\"True\"" },
		{ "2026-03-01", "{\"$date\":{\"$numberLong\":\"1772323200000\"}}" },
		{ "2026-03-01T00:00:01Z", "{\"$date\":{\"$numberLong\":\"1772323201000\"}}" },
		{ "2026-02-30", "\"2026-02-30\"" },
		{ "\"7\"", "{\"$numberInt\":\"7\"}" }, /* all cells are quoted */
		{ "\"\"", "null" },
		{ "\"007\"", "\"007\"" },
		{ "\" 7\"", "\" 7\"" },
		{ "\"0.1234567890123456789\"", "{\"$numberDecimal\":\"0.1234567890123456789\"}" },
		{ " 7", "\" 7\"" },
		{ "NaN", "\"NaN\"" },
	};
	ag_arena *a = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_str text = ag_str_printf(a, "v;w\n%s;\n", cases[i].cell);
		ag_str want = ag_str_printf(a, "{\"v\":%s,\"w\":null}\n", cases[i].view);
		ag_table *t = load_n(text.ptr, text.len, 1, AG_FORMAT_CSV);
		char *got = dump(t, true);

		assert_string_equal(got, want.ptr);
		free(got);
		ag_table_free(t);
	}
	ag_arena_free(a);
}

/* A column whose cells are all quoted is read as if it were not. */
static void quoted_columns(void **state)
{
	static const struct {
		const char *text, *views;
	} cases[] = {
		{ "\"a\",\"b\"\n\"1\",\"2024-01-05\"\n\"\",\"x\ny\"\n",
		  "{\"a\":{\"$numberInt\":\"1\"},\"b\":{\"$date\":{\"$numberLong\":\"1704412800000\"}}}\n"
		  "{\"a\":null,\"b\":\"x\\ny\"}\n" },
		/* the header does not count */
		{ "\"a\"\n1\n\"2\"\n", "{\"a\":{\"$numberInt\":\"1\"}}\n{\"a\":\"2\"}\n" },
		{ "a\n\"1\"\nx\n", "{\"a\":\"1\"}\n{\"a\":\"x\"}\n" },
		/* a plain empty cell is NULL, and "" is then text */
		{ "a,b\n\"1\",\n\"\",\"2\"\n,\"3\"\n",
		  "{\"a\":{\"$numberInt\":\"1\"},\"b\":null}\n"
		  "{\"a\":\"\",\"b\":{\"$numberInt\":\"2\"}}\n"
		  "{\"a\":null,\"b\":{\"$numberInt\":\"3\"}}\n" },
		{ "a,b\n\"007\",\" 1\"\n\"008\",\"2 \"\n",
		  "{\"a\":\"007\",\"b\":\" 1\"}\n{\"a\":\"008\",\"b\":\"2 \"}\n" },
		/* a record that is left out does not count */
		{ "a\n\"1\"\n2,3\n", "{\"a\":{\"$numberInt\":\"1\"}}\n" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_table *t = load(cases[i].text);
		char *got = dump(t, true);

		assert_string_equal(got, cases[i].views);
		free(got);
		ag_table_free(t);
	}
}

/* A column in the notation of a country. "want": the types of its views, one letter a row: n a number, d a date, s text. */
static void columns_in_a_notation(void **state)
{
	static const struct {
		const char *cells, *want;
	} cases[] = {
		{ "1,5 12,75 3 0,5 -8,25 7,25", "nnnnnn" },
		{ "1.234,50 2.000,00 1.500 12,00 7,10 9,99", "nnnnnn" },
		{ "1,234 2,500 10,750 3,125 4,000 9,875", "ssssss" }, /* thousands, or decimals */
		{ "1.5 12.75 3.1 0.5 7,25 8.5 9,1", "nnnnsns" },      /* points are the rule */
		{ "1,5 12,75 3,1 0,5 x y z q w e r t", "ssssssssssss" }, /* too few */
		{ "1,5 2,5 3,5 4,5 5,5 n/a 1,2,3 0,05", "nnnnnssn" },
		{ "31.12.2024 01.02.2024 01.03.2023 05.03.2023 06.03.2023", "ddddd" },
		{ "01.02.2024 01.02.2025 01.03.2023 05.03.2023 06.03.2023", "ddddd" },
		{ "01/02/2024 01/02/2025 01/03/2023 05/03/2023 06/03/2023", "sssss" },
		{ "31/12/2024 01/02/2025 01/03/2023 05/03/2023 06/03/2023", "ddddd" },
		{ "12/31/2024 01/02/2025 01/03/2023 05/03/2023 06/03/2023", "ddddd" },
		{ "31/12/2024 12/31/2024 01/03/2023 05/03/2023 06/03/2023", "sssss" },
		{ "31-12-2024 01-02-2025 01-03-2023 05-03-2023 2023-03-06", "ssssd" },
		{ "31.12.2024 1.2.2025 01.03.2023 05.03.2023 06.03.2023 2023-03-06 1/2/2024",
		  "dddddss" },
		{ "2023-03-06 2023-03-07 2023-03-08 2023-03-09 31.12.2024", "dddds" },
		{ "\"1,5\" \"12,75\" \"3\" \"0,5\" \"8,25\" \"9,5\"", "nnnnnn" },
		{ "\"1,5\" \"12,75\" \"3,1\" \"0,5\" \"8,25\" 9,5", "ssssss" },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_buf b = AG_BUF_INIT(4096);
		const char *word = cases[i].cells, *views;
		ag_table *t;
		char *got;

		ag_buf_adds(&b, "v;w\n");
		while (*word) {
			const size_t n = strcspn(word, " ");

			ag_buf_addf(&b, "%.*s;x\n", (int)n, word);
			word += n + (word[n] == ' ');
		}
		t = load_n(b.ptr, b.len, 1, AG_FORMAT_CSV);
		got = dump(t, true);
		views = got;
		for (const char *want = cases[i].want; *want; want++) {
			const char *value = strstr(views, "{\"v\":");

			assert_non_null(value);
			views = value + 5;
			if ((*want == 'n') != (strncmp(views, "{\"$number", 9) == 0) ||
			    (*want == 'd') != (strncmp(views, "{\"$date", 7) == 0))
				fail_msg("%s: row %zu is not '%c'", cases[i].cells,
				         (size_t)(want - cases[i].want) + 1, *want);
		}
		free(got);
		ag_table_free(t);
		ag_buf_release(&b);
	}
}

static uint64_t count(const ag_table *t, const char *filter)
{
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	ag_arena *a = ag_arena_new();
	const ag_filter *f;
	uint64_t n = 0;
	ag_err err;

	if (ag_filter_parse(ag_str_c(filter), a, &f, &err) || ag_table_count(t, &ctx, f, &n, &err))
		fail_msg("%s: %s", filter, err.msg);
	ag_arena_free(a);
	return n;
}

/* The rule in table.h, operator by operator. */
static void filters_see_text_and_view(void **state)
{
	static const struct {
		const char *filter;
		uint64_t n;
	} cases[] = {
		{ "{\"n\":7}", 1 },
		{ "{\"n\":\"7\"}", 2 },
		{ "{\"n\":{\"$ne\":7}}", 4 },
		{ "{\"n\":{\"$gt\":6}}", 2 },
		{ "{\"n\":{\"$gte\":\"7\"}}", 3 },
		{ "{\"n\":{\"$in\":[7,\"x\"]}}", 2 },
		{ "{\"n\":{\"$mod\":[4,3]}}", 1 },
		{ "{\"n\":{\"$regex\":\"^7\"}}", 2 },
		{ "{\"n\":{\"$type\":\"string\"}}", 5 },
		{ "{\"n\":{\"$type\":\"number\"}}", 2 },
		{ "{\"n\":{\"$type\":\"null\"}}", 1 },
		{ "{\"n\":null}", 1 },
		{ "{\"n\":\"\"}", 1 },
		{ "{\"m\":null}", 4 },
		{ "{\"m\":{\"$exists\":false}}", 3 }, /* an empty cell is there */
		{ "{\"$expr\":{\"$gt\":[\"$n\",6]}}", 4 },
		{ "{\"$expr\":{\"$eq\":[\"$n\",12.5]}}", 1 },
	};
	ag_table *t = load("n,m\n7,1\n\"7\"\nx\n,\n12.5\n");

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		uint64_t got = count(t, cases[i].filter);

		if (got != cases[i].n)
			fail_msg("%s gives %d, not %d", cases[i].filter, (int)got, (int)cases[i].n);
	}
	ag_table_free(t);
}

static void blocks_and_threads(void **state)
{
	ag_buf b = AG_BUF_INIT(64 << 20);
	ag_table *one, *many;
	char *x, *y;

	(void)state;
	ag_buf_adds(&b, "id,text,n\n");
	for (int i = 0; i < 60000; i++)
		ag_buf_addf(
			&b,
			"%d,\"line one of %d\nline \"\"two\"\", and a good deal of other text to fill "
			"the blocks with something, %d\",%d.5\n",
			i, i, i * 7, i);
	one = load_n(b.ptr, b.len, 1, AG_FORMAT_CSV);
	many = load_n(b.ptr, b.len, 8, AG_FORMAT_CSV);
	assert_true(ag_table_nchunk(one) > 1);
	assert_int_equal(ag_table_info_of(one)->ndoc, 60000);
	assert_int_equal(ag_table_info_of(one)->broken, 0);
	x = dump(one, true);
	y = dump(many, true);
	assert_string_equal(x, y);
	for (uint64_t i = 0; i < 60000; i += 9999) {
		uint64_t line, byte;
		ag_str file;

		ag_table_doc_where(many, i, &file, &line, &byte);
		assert_int_equal(line, 2 + 2 * i);
	}
	free(x);
	free(y);
	ag_table_free(one);
	ag_table_free(many);
	free(ag_buf_steal(&b));
}

/* One plain cell at the end of the file decides for all blocks before it, with any number of threads. */
static void quoted_over_blocks(void **state)
{
	ag_buf b = AG_BUF_INIT(64 << 20);

	(void)state;
	ag_buf_adds(&b, "\"id\",\"text\",\"n\"\n");
	for (int i = 0; i < 60000; i++)
		ag_buf_addf(
			&b,
			"\"%d\",\"line one\nline \"\"two\"\" and a good deal of other text to fill "
			"the blocks with, %d\",\"0.1234567890123456%05d7\"\n",
			i, i, i);
	for (unsigned nthread = 1; nthread <= 8; nthread += 7) {
		ag_table *t = load_n(b.ptr, b.len, nthread, AG_FORMAT_CSV);

		assert_true(ag_table_nchunk(t) > 1);
		assert_int_equal(count(t, "{\"id\":{\"$gte\":100}}"), 59900);
		assert_int_equal(count(t, "{\"n\":{\"$type\":\"decimal\"}}"), 60000);
		assert_int_equal(count(t, "{\"text\":{\"$regex\":\"^line one.line .two\","
		                          "\"$options\":\"s\"}}"),
		                 60000);
		ag_table_free(t);
	}
	ag_buf_adds(&b, "7,\"\",\"1\"\n");
	for (unsigned nthread = 1; nthread <= 8; nthread += 7) {
		ag_table *t = load_n(b.ptr, b.len, nthread, AG_FORMAT_CSV);

		assert_int_equal(count(t, "{\"id\":{\"$type\":\"number\"}}"), 1);
		assert_int_equal(count(t, "{\"n\":{\"$type\":\"number\"}}"), 60001);
		ag_table_free(t);
	}
	free(ag_buf_steal(&b));
}

/* A copy of the text with these changes, or the message of the failure; the caller frees it. */
static char *copied(const char *text, const ag_csv_change *changes, size_t n, ag_status want)
{
	char path[] = "/tmp/argus_copy_XXXXXX.csv";
	const ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_csv_original file = { .path = path };
	int fd = mkstemps(path, 4);
	ag_err err = { 0 };
	struct stat sb;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fstat(fd, &sb), 0);
	close(fd);
	file.nbyte = (uint64_t)sb.st_size - (want == AG_CONFLICT && !n);
	file.mtime_ms = (int64_t)sb.st_mtim.tv_sec * 1000 + sb.st_mtim.tv_nsec / 1000000;
	assert_int_equal(ag_csv_copy(&ctx, &file, changes, n, &out, &err), want);
	unlink(path);
	if (want)
		ag_buf_clear(&out);
	if (want)
		ag_buf_adds(&out, err.msg);
	return ag_buf_steal(&out);
}

static void check_copy(const char *text, const ag_csv_change *changes, size_t n, ag_status want,
                       const char *result)
{
	char *got = copied(text, changes, n, want);

	if (want)
		assert_non_null(strstr(got, result));
	else
		assert_string_equal(got, result);
	free(got);
}

#define CHANGE(byte, column, old, text)                   \
	{                                                 \
		byte, AG_S(column), AG_S(old), AG_S(text) \
	}

static void copies(void **state)
{
	/* A mark, CRLF, quotes without need, a broken record, an empty line, no line end at the end. */
	static const char text[] = "\xef\xbb\xbf"
				   "a;\"b c\";d\r\n"
				   "1;\"x\";  y\r\n"
				   "\r\n"
				   "2;\"p\"q;z\r\n"
				   "3;\"say \"\"hi\"\"\";\"two\nlines\"\r\n"
				   "4;;last";
	const uint64_t first = 14, third = 37, fourth = 65;
	const ag_csv_change good[] = {
		CHANGE(first, "d", "  y", "y"),           CHANGE(first, "b c", "x", "x\"x"),
		CHANGE(third, "b c", "say \"hi\"", "hi"), CHANGE(third, "d", "two\nlines", "one"),
		CHANGE(fourth, "a", "4", "4;5"),          CHANGE(fourth, "d", "last", "\"l"),
	};
	const ag_csv_change other_value[] = { CHANGE(first, "d", "y", "z") };
	const ag_csv_change no_column[] = { CHANGE(first, "e", "y", "z") };
	const ag_csv_change no_record[] = { CHANGE(1000, "a", "4", "z") };

	(void)state;
	check_copy(text, NULL, 0, AG_OK, text);
	check_copy(text, good, AG_NELEM(good), AG_OK,
	           "\xef\xbb\xbf"
	           "a;\"b c\";d\r\n"
	           "1;\"x\"\"x\";y\r\n"
	           "\r\n"
	           "2;\"p\"q;z\r\n"
	           "3;\"hi\";\"one\"\r\n"
	           "\"4;5\";;\"\"\"l\"");
	check_copy(text, other_value, 1, AG_CONFLICT, "has another value in d");
	check_copy(text, no_column, 1, AG_CONFLICT, "in e");
	check_copy(text, no_record, 1, AG_CONFLICT, "the record at byte 1000");
	check_copy(text, NULL, 0, AG_CONFLICT, "changed while it was read");
}

/* A column that says too little by itself is read as the others of its file are, unless its own cells speak against it. */
static void a_file_has_one_notation(void **state)
{
	static const char few[] = "price;rooms;code;from;to\n"
				  "1,50;2;7;31.12.2023;\n"
				  "2,75;2,5;7;01.02.2024;05.06.2024\n"
				  "3,25;3;8;01.03.2024;\n"
				  "4,10;1;8,5 x;05.03.2024;02.07.2024\n"
				  "5,05;3,5;9;06.03.2024;\n";
	static const char points[] = "price;rooms\n1.50;2\n2.75;2,5\n3.25;3\n4.10;1\n5.05;3,5\n";
	static const char slashes[] = "born;met\n"
				      "31/12/1990;\n"
				      "13/01/1991;03/04/2024\n"
				      "14/02/1992;\n"
				      "15/03/1993;05/04/2024\n"
				      "16/04/1994;\n";
	static const char against[] = "born;met\n"
				      "31/12/1990;\n"
				      "13/01/1991;03/24/2024\n"
				      "14/02/1992;\n"
				      "15/03/1993;05/04/2024\n"
				      "16/04/1994;\n";
	ag_table *t = load_n(few, sizeof(few) - 1, 1, AG_FORMAT_CSV);

	(void)state;
	assert_int_equal(count(t, "{\"rooms\":{\"$type\":\"number\"}}"), 5);
	assert_int_equal(count(t, "{\"rooms\":2.5}"), 1);
	assert_int_equal(count(t, "{\"code\":{\"$type\":\"number\"}}"), 4);
	assert_int_equal(count(t, "{\"to\":{\"$type\":\"date\"}}"), 2);
	ag_table_free(t);
	t = load_n(points, sizeof(points) - 1, 1, AG_FORMAT_CSV);
	assert_int_equal(count(t, "{\"rooms\":{\"$type\":\"number\"}}"), 3);
	ag_table_free(t);
	t = load_n(slashes, sizeof(slashes) - 1, 1, AG_FORMAT_CSV);
	assert_int_equal(count(t, "{\"met\":{\"$type\":\"date\"}}"), 2);
	assert_int_equal(count(t, "{\"met\":{\"$date\":\"2024-04-03T00:00:00Z\"}}"), 1);
	ag_table_free(t);
	t = load_n(against, sizeof(against) - 1, 1, AG_FORMAT_CSV);
	assert_int_equal(count(t, "{\"met\":{\"$type\":\"date\"}}"), 0);
	ag_table_free(t);
}

/* Filters compare the number or the moment that a cell of such a column means, in all blocks, with any number of threads. */
static void notation_over_blocks(void **state)
{
	ag_buf b = AG_BUF_INIT(64 << 20);

	(void)state;
	ag_buf_adds(&b, "id;day;price;text\n");
	for (int i = 0; i < 60000; i++)
		ag_buf_addf(&b,
		            "%d;%02d.%02d.20%02d%s;%d.%03d,%02d;a good deal of other text to fill "
		            "the blocks with, and then some more of it, to be sure of it\n",
		            i, i % 28 + 1, i % 12 + 1, i % 20, i % 2 ? " 10:30" : "", i % 9 + 1,
		            i % 1000, i % 100);
	for (unsigned nthread = 1; nthread <= 8; nthread += 7) {
		ag_table *t = load_n(b.ptr, b.len, nthread, AG_FORMAT_CSV);

		assert_true(ag_table_nchunk(t) > 1);
		assert_int_equal(count(t, "{\"day\":{\"$type\":\"date\"}}"), 60000);
		assert_int_equal(count(t,
		                       "{\"day\":{\"$gte\":{\"$date\":\"2019-01-01T00:00:00Z\"}}}"),
		                 3000);
		assert_int_equal(count(t, "{\"price\":{\"$gte\":9000}}"), 6666);
		assert_int_equal(count(t, "{\"price\":1000}"), 7);
		assert_int_equal(count(t, "{\"price\":\"1.000,00\"}"), 7);
		ag_table_free(t);
	}
	free(ag_buf_steal(&b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells),
		cmocka_unit_test(separators),
		cmocka_unit_test(broken_records),
		cmocka_unit_test(bad_headers),
		cmocka_unit_test(mended_headers),
		cmocka_unit_test(views),
		cmocka_unit_test(filters_see_text_and_view),
		cmocka_unit_test(blocks_and_threads),
		cmocka_unit_test(quoted_columns),
		cmocka_unit_test(quoted_over_blocks),
		cmocka_unit_test(copies),
		cmocka_unit_test(columns_in_a_notation),
		cmocka_unit_test(a_file_has_one_notation),
		cmocka_unit_test(notation_over_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
