/* source_fixtures -- the same documents as NDJSON, JSON array, BSON and CSV; and what all tests share. */
#include "contract/source_fixtures.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake/mongo_server.h"
#include "query/extjson.h"

const char *const source_people[7] = {
	"{\"_id\":1,\"name\":\"Alice\",\"age\":30,\"profile\":{\"city\":\"NYC\",\"score\":10},"
	"\"tags\":[\"a\",\"b\"]}",
	"{\"_id\":2,\"name\":\"Bob\",\"age\":25,\"profile\":{\"city\":\"LA\",\"score\":20},\"tags\":[]}",
	"{\"_id\":3,\"name\":\"Carol\",\"age\":null,\"profile\":{\"city\":\"Boston\",\"score\":90},"
	"\"tags\":[\"a\",1]}",
	"{\"_id\":4,\"name\":\"Dave\",\"age\":\"forty\",\"profile\":{\"city\":\"Chicago\",\"score\":null},"
	"\"tags\":[\"c\"]}",
	"{\"_id\":5,\"name\":\"Eve\",\"profile\":{\"city\":\"NYC\",\"score\":40},\"tags\":[\"a\"],"
	"\"items\":[{\"price\":3},{\"price\":null},{\"price\":8}]}",
	"{\"_id\":6,\"name\":\"Frank\",\"age\":-5,\"profile\":{\"city\":\"LA\"}}",
	"{\"_id\":7,\"name\":\"Grace\",\"age\":41}",
};

const char *const source_flat[NFLAT] = {
	"{\"id\":1,\"name\":\"Alice\",\"age\":30,\"score\":1.5,\"active\":true,"
	"\"joined\":{\"$date\":\"2026-01-01T00:00:00Z\"},\"note\":\"x\"}",
	"{\"id\":2,\"name\":\"Bob \\\"B\\\"\",\"age\":25,\"score\":2.25,\"active\":false,"
	"\"joined\":{\"$date\":\"2025-06-30T12:00:00Z\"},\"note\":\"y, z\"}",
	"{\"id\":3,\"name\":\"\",\"age\":null,\"score\":-0.5,\"active\":true,"
	"\"joined\":{\"$date\":\"2024-02-29T00:00:00Z\"}}",
	"{\"id\":4,\"name\":\"Dörte\",\"age\":-3,\"score\":100.75,\"active\":true,"
	"\"joined\":{\"$date\":\"2026-01-01T00:00:00Z\"},\"note\":null}",
	"{\"id\":5,\"name\":\"alice\",\"age\":25,\"score\":null,\"active\":false,"
	"\"joined\":{\"$date\":\"2026-02-03T04:05:06Z\"}}",
	"{\"id\":6,\"name\":\"Zoe\",\"age\":9007199254740993,\"score\":0.25,\"active\":true,"
	"\"joined\":{\"$date\":\"2020-01-01T00:00:00Z\"},\"note\":\"x\"}",
};

/* --- fixtures --- */

static void write_file(const char *path, const ag_buf *b)
{
	FILE *f = fopen(path, "wb");

	AG_ASSERT(f && !b->failed);
	AG_ASSERT(fwrite(ag_buf_view(b).ptr, 1, b->len, f) == b->len);
	AG_ASSERT(fclose(f) == 0);
}

static void finish(const char *folder, const char *name, ag_buf *b, ag_arena *arena,
                   ag_str *ret_uri)
{
	*ret_uri = ag_str_printf(arena, "%s/%s", folder, name);
	write_file(ret_uri->ptr, b);
	ag_buf_release(b);
}

static void fill_ndjson(const char *folder, ag_arena *arena, const ag_val *docs, size_t n,
                        ag_str *ret_uri)
{
	ag_buf b = AG_BUF_INIT(1 << 24);

	for (size_t i = 0; i < n; i++) {
		ag_extjson_write(&b, &docs[i], AG_EXTJSON_RELAXED);
		ag_buf_addc(&b, '\n');
	}
	finish(folder, "people.ndjson", &b, arena, ret_uri);
}

static void fill_json(const char *folder, ag_arena *arena, const ag_val *docs, size_t n,
                      ag_str *ret_uri)
{
	ag_buf b = AG_BUF_INIT(1 << 24);

	ag_buf_adds(&b, "[\n");
	for (size_t i = 0; i < n; i++) {
		ag_extjson_write(&b, &docs[i], AG_EXTJSON_CANONICAL);
		ag_buf_adds(&b, i + 1 < n ? ",\n" : "\n");
	}
	ag_buf_adds(&b, "]\n");
	finish(folder, "people.json", &b, arena, ret_uri);
}

static void put_le(ag_buf *b, uint64_t v, int nbyte)
{
	for (int i = 0; i < nbyte; i++)
		ag_buf_addc(b, (char)(v >> (8 * i)));
}

static void bson_doc(ag_buf *b, const ag_val *v);

/* BSON, bsonspec.org version 1.1; the types that the suite's documents have. */
static void bson_element(ag_buf *b, ag_str key, const ag_val *v)
{
	uint64_t bits;

	ag_buf_addc(b, (char)ag_type_to_bson(v->type));
	ag_buf_add(b, key);
	ag_buf_addc(b, '\0');
	switch (v->type) {
	case AG_T_DOUBLE:
		memcpy(&bits, &v->u.f, sizeof(bits));
		put_le(b, bits, 8);
		break;
	case AG_T_STRING:
		put_le(b, (uint64_t)v->n + 1, 4);
		ag_buf_add(b, ag_val_text(v));
		ag_buf_addc(b, '\0');
		break;
	case AG_T_OBJECT:
	case AG_T_ARRAY: bson_doc(b, v); break;
	case AG_T_OID: ag_buf_add(b, ag_str_make((const char *)v->u.oid, 12)); break;
	case AG_T_BOOL: ag_buf_addc(b, v->u.b); break;
	case AG_T_NULL: break;
	case AG_T_INT32: put_le(b, (uint64_t)v->u.i, 4); break;
	case AG_T_DATE:
	case AG_T_INT64: put_le(b, (uint64_t)v->u.i, 8); break;
	default: AG_ASSERT(!"a type that this fixture cannot write");
	}
}

static void bson_doc(ag_buf *b, const ag_val *v)
{
	size_t at = b->len;
	ag_buf size = AG_BUF_INIT(4);
	char index[24];

	put_le(b, 0, 4);
	for (uint32_t i = 0; i < v->n; i++) {
		snprintf(index, sizeof(index), "%u", i);
		if (v->type == AG_T_OBJECT)
			bson_element(b, v->u.members[i].key, &v->u.members[i].val);
		else
			bson_element(b, ag_str_c(index), &v->u.items[i]);
	}
	ag_buf_addc(b, '\0');
	put_le(&size, b->len - at, 4);
	memcpy(b->ptr + at, size.ptr, 4);
	ag_buf_release(&size);
}

static void fill_bson(const char *folder, ag_arena *arena, const ag_val *docs, size_t n,
                      ag_str *ret_uri)
{
	ag_buf b = AG_BUF_INIT(1 << 24);

	for (size_t i = 0; i < n; i++)
		bson_doc(&b, &docs[i]);
	finish(folder, "people.bson", &b, arena, ret_uri);
}

/* Text is always quoted, so that it stays text; null is an empty cell. */
static void csv_cell(ag_buf *b, const ag_val *v, ag_arena *arena)
{
	ag_str s;

	switch (v->type) {
	case AG_T_NULL: return;
	case AG_T_STRING:
		s = ag_val_text(v);
		ag_buf_addc(b, '"');
		for (size_t i = 0; i < s.len; i++) {
			if (s.ptr[i] == '"')
				ag_buf_addc(b, '"');
			ag_buf_addc(b, s.ptr[i]);
		}
		ag_buf_addc(b, '"');
		return;
	case AG_T_DATE:
		/* {"$date":"2026-01-01T00:00:00Z"} */
		s = ag_extjson_str(arena, v, AG_EXTJSON_RELAXED);
		ag_buf_add(b, ag_str_make(s.ptr + 10, s.len - 12));
		return;
	default: ag_extjson_write(b, v, AG_EXTJSON_RELAXED);
	}
}

static void fill_csv(const char *folder, ag_arena *arena, const ag_val *docs, size_t n,
                     ag_str *ret_uri)
{
	ag_buf b = AG_BUF_INIT(1 << 24);
	const ag_val *longest = &docs[0];

	for (size_t i = 0; i < n; i++)
		longest = docs[i].n > longest->n ? &docs[i] : longest;
	for (uint32_t k = 0; k < longest->n; k++)
		ag_buf_addf(&b, "%s%.*s", k ? "," : "", AG_FMT(longest->u.members[k].key));
	ag_buf_addc(&b, '\n');
	for (size_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < docs[i].n; k++) {
			AG_ASSERT(ag_str_eq(docs[i].u.members[k].key, longest->u.members[k].key));
			if (k)
				ag_buf_addc(&b, ',');
			csv_cell(&b, &docs[i].u.members[k].val, arena);
		}
		ag_buf_addc(&b, '\n');
	}
	finish(folder, "people.csv", &b, arena, ret_uri);
}

/* One server for all tests of the program: each fills the collection again. */
static void fill_mongo(const char *folder, ag_arena *arena, const ag_val *docs, size_t n,
                       ag_str *ret_uri)
{
	static fake_mongo *server;

	(void)folder;
	if (!server)
		server = fake_mongo_start(NULL, 0);
	assert_null(fake_mongo_refused(server));
	fake_mongo_put(server, "test.people", docs, n);
	*ret_uri = ag_str_printf(arena, "mongodb://127.0.0.1:%u/test.people",
	                         fake_mongo_port(server));
}

const source_fixture source_fixtures[] = {
	{ .name = "ndjson", .fourth = "people.ndjson:4", .fill = fill_ndjson },
	{ .name = "json", .fourth = "people.json:5", .fill = fill_json },
	{ .name = "bson", .fourth = "people.bson#4", .fill = fill_bson },
	{ .name = "mongo", .fill = fill_mongo },
	{ .name = "csv", .is_flat = true, .fourth = "people.csv:5", .fill = fill_csv },
};
const size_t source_nfixture = AG_NELEM(source_fixtures);

/* --- what tests share --- */

static ag_val value_of(ag_arena *arena, const char *text, bool is_query)
{
	const ag_extjson_opts opts = { .typed = true, .query = is_query };
	ag_val v;

	assert_int_equal(ag_extjson_parse(ag_str_c(text), &opts, arena, &v, NULL, NULL, NULL),
	                 AG_OK);
	return v;
}

ag_val source_query_of(env *e, const char *text)
{
	return value_of(e->arena, text, true);
}

static int setup(void **state)
{
	env *e = ag_xcalloc(1, sizeof(*e));

	e->fixture = *state;
	snprintf(e->folder, sizeof(e->folder), "/tmp/argus-source-XXXXXX");
	if (!mkdtemp(e->folder))
		return -1;
	e->arena = ag_arena_new();
	*state = e;
	return 0;
}

static int teardown(void **state)
{
	env *e = *state;
	DIR *d = opendir(e->folder);
	struct dirent *entry;

	ag_source_close(e->source);
	ag_arena_free(e->arena);
	while (d && (entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	rmdir(e->folder);
	free(e);
	return 0;
}

void source_open_vals(env *e, const ag_val *docs, size_t n)
{
	ag_source **all;
	ag_str uri;
	size_t nall;

	e->fixture->fill(e->folder, e->arena, docs, n, &uri);
	assert_int_equal(ag_source_open(NULL, uri, NULL, e->arena, &all, &nall, &e->err), AG_OK);
	assert_int_equal(nall, 1);
	e->source = all[0];
}

static void open_docs(env *e, const char *const *docs, size_t n)
{
	ag_val *v = ag_new_n(e->arena, ag_val, n);

	for (size_t i = 0; i < n; i++)
		v[i] = value_of(e->arena, docs[i], false);
	source_open_vals(e, v, n);
}

void source_open_flat(env *e)
{
	open_docs(e, source_flat, NFLAT);
}

void source_open_people(env *e)
{
	open_docs(e, source_people, AG_NELEM(source_people));
}

void source_assert_text(env *e, const ag_val *v, const char *want)
{
	ag_str got = ag_extjson_str(e->arena, v, AG_EXTJSON_RELAXED);

	assert_string_equal(ag_str_cstr(e->arena, got), want);
}

void source_assert_err(env *e, ag_status got, ag_status want, const char *part)
{
	assert_int_equal(got, want);
	assert_int_equal(e->err.status, want);
	if (!strstr(e->err.msg, part))
		fail_msg("\"%s\" is not in \"%s\"", part, e->err.msg);
}

int source_run_suite(const source_test *tests, size_t ntest)
{
	struct CMUnitTest *all = ag_xcalloc(ntest * source_nfixture, sizeof(*all));
	ag_arena *names = ag_arena_new();
	size_t n = 0;
	int failed;

	for (size_t i = 0; i < ntest * source_nfixture; i++) {
		const source_fixture *f = &source_fixtures[i / ntest];
		const source_test *t = &tests[i % ntest];

		if (f->is_flat && t->is_nested)
			continue;
		all[n++] = (struct CMUnitTest){
			.name = ag_str_printf(names, "%s_%s", f->name, t->name).ptr,
			.test_func = t->run,
			.setup_func = setup,
			.teardown_func = teardown,
			.initial_state = (void *)(uintptr_t)f,
		};
	}
	failed = _cmocka_run_group_tests("source", all, n, NULL, NULL);
	ag_arena_free(names);
	free(all);
	return failed;
}
