/* Knowledge as files: Markdown with front matter, archives, schema.yml of dbt; what is refused, and with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../contract/assert_ok.h"
#include "../contract/folder.h"
#include "app/file.h"
#include "app/knowledge_files.h"
#include "knowledge/markdown.h"
#include "knowledge/yaml.h"
#include "knowledge/zip.h"
#include "query/extjson.h"

typedef struct world {
	char folder[128];
	ag_arena *arena;
	ag_err err;
} world;

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	w->arena = ag_arena_new();
	test_folder_make(w->folder, "knowledge");
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	world *w = *state;

	test_folder_remove(w->folder);
	ag_arena_free(w->arena);
	free(w);
	return 0;
}

static ag_know make(world *w, ag_know_kind kind, const char *name, const char *fields)
{
	const ag_extjson_opts opts = { 0 };
	ag_val v;
	ag_know o;

	assert_ok(w, ag_extjson_parse(ag_str_c(fields), &opts, w->arena, &v, NULL, NULL, &w->err));
	assert_ok(w, ag_know_make(kind, ag_str_c(name), &v, w->arena, &o, &w->err));
	o.author = AG_S("ann: \"the\" analyst");
	o.created_ms = 1700000000123;
	o.changed_ms = 1700000001000;
	return o;
}

static void assert_same(world *w, const ag_know *a, const ag_know *b)
{
	const ag_object_row x = ag_know_row(a, AG_S("p"), w->arena),
			    y = ag_know_row(b, AG_S("p"), w->arena);

	assert_true(ag_str_eq(x.kind, y.kind));
	assert_true(ag_str_eq(x.key, y.key));
	assert_true(ag_str_eq(x.name, y.name));
	assert_true(ag_str_eq(x.status, y.status));
	assert_true(ag_str_eq(x.author, y.author));
	assert_true(x.confidence == y.confidence);
	assert_int_equal(x.uses, y.uses);
	assert_int_equal(x.created_ms, y.created_ms);
	assert_int_equal(x.changed_ms, y.changed_ms);
	assert_int_equal(x.used_ms, y.used_ms);
	if (!ag_val_eq(&a->body, &b->body))
		fail_msg("want %.*s\ngot  %.*s", AG_FMT(x.body), AG_FMT(y.body));
}

/* One of each kind, with what is hard in YAML: quotes, "---", "#", blanks, line separators, control-like text, numbers. */
static size_t all_kinds(world *w, ag_know *list)
{
	list[0] = make(w, AG_KNOW_ENTRY, "Active \"user\": #1",
	               "{\"content\":\"# A heading\\n\\n---\\nkind: metric\\n\\n- a\\n\\tb\\n"
	               "  indented\\n\\ncaf\xc3\xa9 \xf0\x9f\x98\x80 \\u2028 \\u0085 \\ufeff.\","
	               "\"tables\":[\"users\",\"null\",\"1.5\",\"true\",\"~\"]}");
	list[1] = make(
		w, AG_KNOW_TABLE, "public.orders",
		"{\"description\":\"One row an order\",\"use_cases\":[\"a: b\",\"- c\"],"
		"\"data_quality_notes\":[\"first\\nsecond\\n\\n  third\"],\"owner\":\"@sales\","
		"\"refresh_frequency\":\"daily\",\"related_tables\":[\"users\",{\"table\":"
		"\"items\",\"join_hint\":\"orders.id = items.order_id\"},{\"table\":\"x\","
		"\"join_hint\":\"a\\nb\"}],\"column_notes\":{\"total\":\"In cents\","
		"\"a: b\":\"two\\nlines\",\"no\":\"false\",\"#\":\"\\\\ and \\\"\"}}");
	list[2] = make(
		w, AG_KNOW_METRIC, "MRR",
		"{\"definition\":\"Money a month\",\"sql\":\"SELECT SUM(amount) -- all\\n"
		"  FROM s\\n\\nWHERE x = 'a: b'\\t\\nAND y\",\"unit\":\"%\",\"caveats\":[\"*\",\"&a\",\"x\\u2028y\\u0085z\\ufeff\\u2029\\n.\"],"
		"\"tables\":[\"s\"],\"source\":\"dbt: x.yml\"}");
	list[3] = make(
		w, AG_KNOW_LEARNING, "The column ts is in\nmilliseconds: divide it by 1000.",
		"{\"category\":\"type_mismatch\",\"tables\":[\"events\"],\"original_sql\":"
		"\"SELECT 1\",\"corrected_sql\":\"SELECT\\r\\n 2\",\"original_error\":\"no\"}");
	list[3].confidence = 0.7;
	list[3].uses = 12;
	list[3].used_ms = 1700000002001;
	list[3].status = AG_KNOW_REVIEW;
	list[4] = make(w, AG_KNOW_GOLDEN, "How many users are there?",
	               "{\"mode\":\"approximate\",\"expected\":\"[[1,2.5]]\",\"tolerance\":0.015,"
	               "\"sql\":\"SELECT 1\",\"tags\":[\"smoke\"]}");
	list[4].status = AG_KNOW_OFF;
	list[5] = make(
		w, AG_KNOW_RECIPE, "Weekly: orders",
		"{\"description\":\"What\\nit does\",\"variables\":[{\"name\":\"n\",\"type\":"
		"\"number\",\"label\":\"# how: many\",\"default\":5},{\"name\":\"s\",\"type\":"
		"\"select\",\"label\":\"S\",\"options\":[\"true\",\"- a: b\",\"null\",\"\\\"\"]},"
		"{\"name\":\"t\",\"type\":\"string\",\"label\":\"T\",\"default\":\"\"}],"
		"\"steps\":[{\"prompt_template\":\"How many\\n\\n  {{s}}: {{n}}?\\n---\\nx\",\"sql\":"
		"\"SELECT {{n}}\\n  -- '{\\nFROM t\",\"expected_tool\":\"execute_sql\",\"description\":"
		"\"one\"},{\"prompt_template\":\"{{t}}\"}],\"is_shared\":false}");
	list[5].author = AG_S("ann");
	return 6;
}

static void every_object_survives_its_file(void **state)
{
	world *w = *state;
	ag_know list[6], again;
	const size_t n = all_kinds(w, list);

	for (size_t i = 0; i < n; i++) {
		ag_buf out = AG_BUF_INIT(1u << 20);

		ag_know_markdown_write(&list[i], &out);
		assert_ok(w, ag_know_markdown_read(ag_buf_view(&out), AG_S("a.md"), 99, w->arena,
		                                   &again, &w->err));
		assert_same(w, &list[i], &again);
		ag_buf_release(&out);
	}
}

static ag_str path(world *w, const char *name)
{
	return ag_str_printf(w->arena, "%s/%s", w->folder, name);
}

static const ag_know *find(const ag_know_source *s, const ag_know *o)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->objects[i].kind == o->kind && ag_str_eq(s->objects[i].key, o->key))
			return &s->objects[i];
	}
	fail_msg("%.*s is missing", AG_FMT(o->name));
	return NULL;
}

static void a_folder_and_an_archive_hold_all(void **state)
{
	static const char *const names[] = { "export", "export.zip" };
	world *w = *state;
	ag_know list[6];
	const size_t n = all_kinds(w, list);

	for (size_t i = 0; i < 2; i++) {
		ag_know_source s;
		bool is_own = false;

		assert_ok(w, ag_app_knowledge_write(path(w, names[i]), list, n, w->arena, &w->err));
		assert_ok(w, ag_app_knowledge_read(path(w, names[i]), 1, NULL, w->arena, &s,
		                                   &is_own, &w->err));
		assert_true(is_own);
		assert_int_equal(s.n, n);
		for (size_t k = 0; k < n; k++)
			assert_same(w, &list[k], find(&s, &list[k]));
	}
	{
		/* What python's zipfile reads as well: see tests/e2e/knowledge.sh. */
		ag_str a, b;

		assert_ok(w, ag_file_read(path(w, "export.zip"), 1u << 20, false, NULL, w->arena,
		                          &a, &w->err));
		assert_ok(w, ag_app_knowledge_write(path(w, "b.zip"), list, n, w->arena, &w->err));
		assert_ok(w, ag_file_read(path(w, "b.zip"), 1u << 20, false, NULL, w->arena, &b,
		                          &w->err));
		assert_true(ag_str_eq(a, b));
	}
}

static void what_a_person_writes_is_enough(void **state)
{
	world *w = *state;
	ag_know o;

	assert_ok(w,
	          ag_know_markdown_read(
			  AG_S("\xef\xbb\xbf---\r\ntitle: Active user\r\ntables: users\r\n---\r\n"
	                       "Logged in.\r\n"),
			  AG_S("a.md"), 99, w->arena, &o, &w->err));
	assert_int_equal(o.kind, AG_KNOW_ENTRY);
	assert_true(ag_str_eqc(ag_know_text(&o, "content"), "Logged in."));
	assert_true(ag_str_eqc(ag_know_item(&o, "tables", 0), "users"));
	assert_int_equal(o.created_ms, 99);
	assert_int_equal(o.status, AG_KNOW_ACTIVE);
	assert_ok(w, ag_know_markdown_read(AG_S("---\nkind: learning\ncategory: other\n"
	                                        "tables: [a, b]\n---\nAlways filter by tenant."),
	                                   AG_S("a.md"), 99, w->arena, &o, &w->err));
	assert_true(ag_str_eqc(o.name, "Always filter by tenant."));
	assert_true(o.confidence == 0.5);
}

static void a_file_that_is_none_says_what_is_wrong(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "no front matter", "x.md: want front matter: a first line \"---\"" },
		{ "---\nkind: entry\n", "x.md: the front matter has no end" },
		{ "---\nname: [1\n---\n", "x.md:3:1: not YAML: " },
		{ "---\nname: a: b\n---\n", "x.md:2:8: not YAML: " },
		{ "---\nname: a\nname: b\n---\nt", "x.md:3:1: the key \"name\" comes twice" },
		{ "---\nname: &a b\n---\nt", "x.md:2:7: anchors (&name) are not allowed here" },
		{ "---\nname: *a\n---\nt", "x.md:2:7: aliases (*name) are not allowed here" },
		{ "---\nname: !!str a\n---\nt", "x.md:2:7: tags (!name) are not allowed here" },
		{ "---\n- a\n---\nt", "x.md: the front matter is no list of \"key: value\"" },
		{ "---\n---\nt", "x.md: the front matter is no list of \"key: value\"" },
		{ "---\nkind: chart\nname: a\n---\nt", "x.md: kind: want entry, table, metric" },
		{ "---\nkind: entry\nname: a\n---\n", "x.md: entry: content: is missing" },
		{ "---\nname: a\ntabels: x\n---\nt", "x.md: entry: there is no field \"tabels\"" },
		{ "---\nname: a\nstatus: on\n---\nt", "x.md: status: want active, review or off" },
		{ "---\nname: a\nconfidence: 2\n---\nt", "x.md: confidence: want a number" },
		{ "---\nname: a\nuses: -1\n---\nt", "x.md: uses: want a whole number" },
		{ "---\nname: a\ncreated_at: soon\n---\nt", "x.md: created_at: want a time" },
		{ "---\nkind: metric\nname: a\nsql: {a: b}\n---\nt",
		  "x.md: metric: sql: want a text" },
		{ "---\nkind: learning\ncategory: other\ntables: a\n---\nNineteen characters",
		  "x.md: learning: description: want 20 characters or more, got 19" },
		{ "---\nname: a\n---\nt\xff", "x.md: is no UTF-8 text" },
	};
	world *w = *state;
	ag_know o;

	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		assert_int_not_equal(ag_know_markdown_read(ag_str_c(bad[i].text), AG_S("x.md"), 1,
		                                           w->arena, &o, &w->err),
		                     AG_OK);
		if (!strstr(w->err.msg, bad[i].says))
			fail_msg("want %s\ngot  %s", bad[i].says, w->err.msg);
	}
}

static void depth_and_number_of_values_are_limited(void **state)
{
	world *w = *state;
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_val v;

	for (int i = 0; i < 40; i++)
		ag_buf_addc(&out, '[');
	for (int i = 0; i < 40; i++)
		ag_buf_addc(&out, ']');
	assert_int_equal(ag_yaml_read(ag_buf_view(&out), AG_S("x"), 1, w->arena, &v, &w->err),
	                 AG_LIMIT);
	ag_buf_clear(&out);
	for (unsigned i = 0; i < AG_YAML_MAX_VALUES; i++)
		ag_buf_adds(&out, "- a\n");
	assert_int_equal(ag_yaml_read(ag_buf_view(&out), AG_S("x"), 1, w->arena, &v, &w->err),
	                 AG_LIMIT);
	ag_buf_release(&out);
}

/* --- archives --- */

static ag_str archive(world *w, const char *name, const char *text)
{
	const ag_zip_file f[] = { { ag_str_c(name), ag_str_c(text) } };
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_str ret;

	assert_ok(w, ag_zip_write(f, 1, &out, &w->err));
	ret = ag_buf_dup(w->arena, &out);
	ag_buf_release(&out);
	return ret;
}

static char *bytes(ag_str s)
{
	return (char *)(uintptr_t)s.ptr;
}

/* Writes `to` wherever the archive has `from`. */
static void rename_in(ag_str zip, const char *from, const char *to)
{
	const size_t n = strlen(from);

	for (size_t i = 0; i + n <= zip.len; i++) {
		if (memcmp(zip.ptr + i, from, n) == 0)
			memcpy(bytes(zip) + i, to, n);
	}
}

static void assert_refused(world *w, ag_str zip, const char *says)
{
	ag_zip_file *files;
	size_t n;

	assert_int_not_equal(ag_zip_read(zip, w->arena, &files, &n, &w->err), AG_OK);
	if (!strstr(w->err.msg, says))
		fail_msg("want %s\ngot  %s", says, w->err.msg);
}

static size_t list_at(ag_str zip)
{
	for (size_t i = 0; i + 4 <= zip.len; i++) {
		if (memcmp(zip.ptr + i, "PK\x01\x02", 4) == 0)
			return i;
	}
	fail_msg("no list");
	return 0;
}

static void an_archive_with_a_trick_is_refused(void **state)
{
	static const char *const names[] = { "../aa.md", "/aaaa.md", "a/../.md", "a\\aaa.md",
		                             "C:aaa.md", "a//aa.md", "./aaa.md", "aa\001a.md" };
	world *w = *state;
	ag_str zip;
	size_t at;

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		zip = archive(w, "aaaaa.md", "text");
		rename_in(zip, "aaaaa.md", names[i]);
		assert_refused(w, zip, "is no safe name");
	}
	/* A symbolic link, as Unix packers mark it. */
	zip = archive(w, "a.md", "/etc/passwd");
	at = list_at(zip);
	bytes(zip)[at + 41] = (char)0xa1;
	assert_refused(w, zip, "\"a.md\" is a symbolic link or a device");
	/* Encrypted, an unknown method, a wrong checksum, two sizes. */
	zip = archive(w, "a.md", "text");
	bytes(zip)[list_at(zip) + 8] |= 1;
	assert_refused(w, zip, "is encrypted");
	zip = archive(w, "a.md", "text");
	bytes(zip)[list_at(zip) + 10] = 14;
	assert_refused(w, zip, "is packed in a way that is not known (14)");
	zip = archive(w, "a.md", "text");
	bytes(zip)[list_at(zip) + 16] ^= 1;
	assert_refused(w, zip, "has a wrong checksum");
	zip = archive(w, "a.md", "text");
	bytes(zip)[list_at(zip) + 24] = 3;
	assert_refused(w, zip, "cannot be unpacked");
	zip = archive(w, "a.md", "text");
	bytes(zip)[list_at(zip) + 42] = 9;
	assert_refused(w, zip, "is not where the list says");
}

static void a_bomb_is_refused(void **state)
{
	world *w = *state;
	ag_buf out = AG_BUF_INIT(8u << 20);
	char *zeros = ag_arena_alloc(w->arena, AG_ZIP_MAX_FILE_BYTES);
	const ag_zip_file f[] = { { AG_S("a.md"), ag_str_make(zeros, AG_ZIP_MAX_FILE_BYTES) } };
	ag_str zip;

	assert_ok(w, ag_zip_write(f, 1, &out, &w->err));
	assert_true(out.len < 10000);
	zip = ag_buf_dup(w->arena, &out);
	/* It says that it is larger than it may be, then that it is small. */
	bytes(zip)[list_at(zip) + 24] = 1;
	assert_refused(w, zip, "is larger than 2097152 bytes");
	memcpy(bytes(zip) + list_at(zip) + 24, "\x04\0\0\0", 4);
	assert_refused(w, zip, "cannot be unpacked");
	ag_buf_release(&out);
}

static void each_broken_archive_is_an_error(void **state)
{
	world *w = *state;
	const ag_str zip = archive(w, "a.md", "some text that is packed, some text that is packed");
	ag_zip_file *files;
	size_t n;

	for (size_t len = 0; len < zip.len; len++)
		assert_int_not_equal(ag_zip_read(ag_str_make(zip.ptr, len), w->arena, &files, &n,
		                                 &w->err),
		                     AG_OK);
	assert_ok(w, ag_zip_read(zip, w->arena, &files, &n, &w->err));
	assert_int_equal(n, 1);
	assert_true(ag_str_eqc(files[0].name, "a.md"));
}

static void put_file(world *w, const char *name, const char *text)
{
	assert_ok(w, ag_file_replace(path(w, name), ag_str_c(text), &w->err));
}

static void a_folder_with_a_link_is_refused(void **state)
{
	world *w = *state;
	ag_know_source s;
	bool is_own;

	put_file(w, "a.md", "---\nname: a\n---\nt");
	put_file(w, "notes.txt", "not read");
	put_file(w, ".hidden.md", "not read");
	assert_ok(w, ag_app_knowledge_read(ag_str_c(w->folder), 1, NULL, w->arena, &s, &is_own,
	                                   &w->err));
	assert_int_equal(s.n, 1);
	put_file(w, "b.md", "---\nname: A\n---\nt");
	assert_int_equal(ag_app_knowledge_read(ag_str_c(w->folder), 1, NULL, w->arena, &s, &is_own,
	                                       &w->err),
	                 AG_INVALID);
	assert_string_equal(w->err.msg, "the entry \"A\" comes twice");
	assert_int_equal(unlink(path(w, "b.md").ptr), 0);
	assert_int_equal(symlink("/etc/passwd", path(w, "c.md").ptr), 0);
	assert_int_equal(ag_app_knowledge_read(ag_str_c(w->folder), 1, NULL, w->arena, &s, &is_own,
	                                       &w->err),
	                 AG_INVALID);
	assert_non_null(strstr(w->err.msg, "c.md is a symbolic link or a device"));
}

/* --- dbt --- */

static void dbt_gives_notes_and_simple_metrics(void **state)
{
	static const char text[] =
		"version: 2\n"
		"models:\n"
		"  - name: orders\n"
		"    description: >\n      One row\n      an order.\n"
		"    columns:\n"
		"      - name: id\n        tests: [unique, not_null]\n"
		"      - name: total\n        description: \"In cents\"\n"
		"  - name: nothing\n"
		"sources:\n"
		"  - name: raw\n    schema: raw\n    tables:\n"
		"      - name: events\n        description: Clicks\n"
		"semantic_models:\n"
		"  - name: orders\n    model: ref('orders')\n    measures:\n"
		"      - name: revenue\n        agg: sum\n        expr: total / 100.0\n"
		"      - name: buyers\n        agg: count_distinct\n        expr: user_id\n"
		"      - name: odd\n        agg: percentile\n"
		"metrics:\n"
		"  - name: revenue\n    label: Revenue\n    type: simple\n    type_params:\n"
		"      measure: revenue\n"
		"    filter: |\n      {{ Dimension('order__status') }} = 'paid'\n"
		"  - name: buyers\n    description: Who bought\n    type: simple\n"
		"    type_params: {measure: {name: buyers}}\n"
		"  - name: per_buyer\n    type: ratio\n    type_params: {numerator: revenue, denominator: buyers}\n"
		"  - name: odd\n    type: simple\n    type_params: {measure: odd}\n"
		"  - name: late\n    type: simple\n    type_params: {measure: revenue}\n"
		"    filter: \"{{ TimeDimension('a', 'day') }} > 1\"\n"
		"  - name: old\n    model: ref('orders')\n    calculation_method: average\n    expression: total\n";
	world *w = *state;
	ag_know_source s;

	assert_ok(w,
	          ag_know_dbt_read(ag_str_c(text), AG_S("schema.yml"), 5, w->arena, &s, &w->err));
	assert_int_equal(s.n, 5);
	assert_true(ag_str_eqc(s.objects[0].name, "orders"));
	assert_true(ag_str_eqc(ag_know_text(&s.objects[0], "description"), "One row an order."));
	assert_true(ag_str_eqc(ag_val_member_str(ag_val_getc(&s.objects[0].body, "column_notes"),
	                                         "total"),
	                       "In cents"));
	assert_true(ag_str_eqc(s.objects[1].name, "raw.events"));
	assert_true(ag_str_eqc(s.objects[2].name, "Revenue"));
	assert_true(ag_str_eqc(
		ag_know_text(&s.objects[2], "sql"),
		"SELECT SUM(total / 100.0) AS revenue\nFROM orders\nWHERE status = 'paid'"));
	assert_true(ag_str_eqc(ag_know_text(&s.objects[3], "sql"),
	                       "SELECT COUNT(DISTINCT user_id) AS buyers\nFROM orders"));
	assert_true(ag_str_eqc(ag_know_text(&s.objects[3], "source"), "dbt: schema.yml"));
	assert_true(ag_str_eqc(ag_know_text(&s.objects[4], "sql"),
	                       "SELECT AVG(total) AS old\nFROM orders"));
	assert_int_equal(s.nleft, 3);
	assert_true(ag_str_eqc(s.left[0], "metric per_buyer: its type is not \"simple\""));
	assert_true(ag_str_eqc(s.left[1], "metric odd: its aggregation is not known"));
	assert_true(ag_str_eqc(s.left[2], "metric late: its filter is not plain"));
	assert_int_equal(ag_know_dbt_read(AG_S("- a"), AG_S("s.yml"), 5, w->arena, &s, &w->err),
	                 AG_INVALID);
}

static void comments_of_the_database_are_notes(void **state)
{
	static const ag_dict_column columns[] = { { .name = AG_S_INIT("id") },
		                                  { .name = AG_S_INIT("total"),
		                                    .comment = AG_S_INIT("In cents") } };
	static const ag_dict_table tables[] = {
		{ .name = AG_S_INIT("orders"),
		  .comment = AG_S_INIT("Orders"),
		  .columns = columns,
		  .ncolumn = 2 },
		{ .name = AG_S_INIT("plain"), .columns = columns, .ncolumn = 1 },
	};
	const ag_dictionary d = { .tables = tables, .ntable = 2 };
	world *w = *state;
	ag_know_source s;

	assert_ok(w, ag_app_knowledge_comments(&d, 5, w->arena, &s, &w->err));
	assert_int_equal(s.n, 1);
	assert_true(ag_str_eqc(ag_know_text(&s.objects[0], "description"), "Orders"));
	assert_int_equal(ag_val_getc(&s.objects[0].body, "column_notes")->n, 1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(every_object_survives_its_file),
		T(a_folder_and_an_archive_hold_all),
		T(what_a_person_writes_is_enough),
		T(a_file_that_is_none_says_what_is_wrong),
		T(depth_and_number_of_values_are_limited),
		T(an_archive_with_a_trick_is_refused),
		T(a_bomb_is_refused),
		T(each_broken_archive_is_an_error),
		T(a_folder_with_a_link_is_refused),
		T(dbt_gives_notes_and_simple_metrics),
		T(comments_of_the_database_are_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
