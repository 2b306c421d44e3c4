/* Local files as sources: which files a path means, what they are called, and what is said when not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "documents/source.h"

typedef struct env {
	char folder[64];
	ag_arena *arena;
	ag_source **all;
	size_t n;
	ag_err err;
} env;

static int setup(void **state)
{
	env *e = ag_xcalloc(1, sizeof(*e));

	snprintf(e->folder, sizeof(e->folder), "/tmp/argus-files-XXXXXX");
	if (!mkdtemp(e->folder))
		return -1;
	e->arena = ag_arena_new();
	*state = e;
	return 0;
}

static void close_all(env *e)
{
	for (size_t i = 0; i < e->n; i++)
		ag_source_close(e->all[i]);
	e->n = 0;
}

static int teardown(void **state)
{
	env *e = *state;
	DIR *d = opendir(e->folder);
	struct dirent *entry;

	close_all(e);
	while (d && (entry = readdir(d))) {
		if (unlinkat(dirfd(d), entry->d_name, 0))
			unlinkat(dirfd(d), entry->d_name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
	rmdir(e->folder);
	ag_arena_free(e->arena);
	free(e);
	return 0;
}

static const char *at(env *e, const char *name)
{
	return ag_str_printf(e->arena, "%s/%s", e->folder, name).ptr;
}

static void put(env *e, const char *name, const char *text)
{
	FILE *f = fopen(at(e, name), "wb");

	assert_non_null(f);
	assert_int_equal(fputs(text, f) >= 0, 1);
	assert_int_equal(fclose(f), 0);
}

static ag_status open_uri(env *e, const char *uri)
{
	close_all(e);
	memset(&e->err, 0, sizeof(e->err));
	return ag_source_open(NULL, ag_str_c(uri), NULL, e->arena, &e->all, &e->n, &e->err);
}

static void assert_opens(env *e, const char *uri, size_t n)
{
	if (open_uri(e, uri))
		fail_msg("%s: %s", uri, e->err.msg);
	assert_int_equal(e->n, n);
}

static void assert_fails(env *e, const char *uri, ag_status want, const char *msg, const char *hint)
{
	assert_int_equal(open_uri(e, uri), want);
	assert_int_equal(e->err.status, want);
	if (!strstr(e->err.msg, msg))
		fail_msg("\"%s\" is not in \"%s\"", msg, e->err.msg);
	if (!strstr(e->err.hint, hint))
		fail_msg("\"%s\" is not in the hint \"%s\"", hint, e->err.hint);
}

static void assert_collection(env *e, size_t i, const char *name, uint64_t ndoc)
{
	const ag_source_info *info = ag_source_info_of(e->all[i]);

	assert_string_equal(ag_str_cstr(e->arena, info->collection), name);
	assert_int_equal(info->ndoc, ndoc);
}

static void test_one_file(void **state)
{
	env *e = *state;
	const ag_source_info *info;

	put(e, "orders.ndjson", "{\"a\":1}\n{\"a\":\n{\"a\":2,\"a\":3}\n");
	assert_opens(e, at(e, "orders.ndjson"), 1);
	assert_collection(e, 0, "orders", 2);
	info = ag_source_info_of(e->all[0]);
	assert_string_equal(ag_str_cstr(e->arena, info->uri), at(e, "orders.ndjson"));
	assert_string_equal(ag_str_cstr(e->arena, info->key), at(e, "orders.ndjson"));
	assert_string_equal(ag_str_cstr(e->arena, info->database), e->folder + strlen("/tmp/"));
	assert_true(ag_str_eqc(info->format, "ndjson"));
	assert_int_equal(info->nbyte, 28);
	assert_true(info->mtime_ms > 0);
	assert_int_equal(info->content_hash.len, 32);
	assert_true(info->whole);
	assert_int_equal(info->broken, 1);
	assert_int_equal(info->nissue, 1);
	assert_int_equal(info->issues[0].line, 2);
	assert_int_equal(info->duplicate_keys, 1);
}

static void test_strict(void **state)
{
	const ag_source_opts strict = { .strict = true };
	env *e = *state;

	put(e, "orders.ndjson", "{\"a\":1}\n{\"a\":\n");
	assert_int_equal(ag_source_open(NULL, ag_str_c(at(e, "orders.ndjson")), &strict, e->arena,
	                                &e->all, &e->n, &e->err),
	                 AG_INVALID);
	assert_non_null(strstr(e->err.msg, "orders.ndjson"));
}

static void test_hash_follows_content(void **state)
{
	env *e = *state;
	ag_str first;

	put(e, "a.ndjson", "{\"a\":1}\n");
	assert_opens(e, at(e, "a.ndjson"), 1);
	first = ag_str_dup(e->arena, ag_source_info_of(e->all[0])->content_hash);
	put(e, "b.ndjson", "{\"a\":1}\n");
	assert_opens(e, at(e, "b.ndjson"), 1);
	assert_true(ag_str_eq(first, ag_source_info_of(e->all[0])->content_hash));
	put(e, "a.ndjson", "{\"a\":2}\n");
	assert_opens(e, at(e, "a.ndjson"), 1);
	assert_false(ag_str_eq(first, ag_source_info_of(e->all[0])->content_hash));
}

static void test_folder(void **state)
{
	env *e = *state;

	put(e, "users.csv", "id,name\n1,Ann\n2,Bob\n");
	put(e, "Orders.JSON", "[{\"a\":1},{\"a\":2},{\"a\":3}]");
	put(e, "items.tsv", "id\tn\n1\t2\n");
	put(e, "log.jsonl", "{\"a\":1}\n");
	put(e, "notes.txt", "nothing of interest\n");
	put(e, "README", "neither\n");
	put(e, ".hidden.json", "[{\"a\":1}]");
	assert_int_equal(mkdir(at(e, "below.json"), 0700), 0);
	assert_int_equal(symlink("nowhere", at(e, "dangling.json")), 0);
	assert_opens(e, e->folder, 4);
	assert_collection(e, 0, "Orders", 3);
	assert_collection(e, 1, "items", 1);
	assert_collection(e, 2, "log", 1);
	assert_collection(e, 3, "users", 2);
	assert_string_equal(ag_str_cstr(e->arena, ag_source_info_of(e->all[3])->uri),
	                    at(e, "users.csv"));
	assert_string_equal(ag_str_cstr(e->arena, ag_source_info_of(e->all[3])->database),
	                    e->folder + strlen("/tmp/"));
	/* with a slash at its end as well */
	assert_opens(e, at(e, ""), 4);
	assert_string_equal(ag_str_cstr(e->arena, ag_source_info_of(e->all[3])->uri),
	                    at(e, "users.csv"));
}

static void test_names_stay_different(void **state)
{
	env *e = *state;

	put(e, "a.csv", "x\n1\n");
	put(e, "a.json", "[{\"x\":1},{\"x\":2}]");
	put(e, "a.json.csv", "x\n1\n2\n3\n");
	put(e, "b.v2.json", "[{\"x\":1}]");
	assert_opens(e, e->folder, 4);
	assert_collection(e, 0, "a.csv", 1);
	assert_collection(e, 1, "a.json", 2);
	assert_collection(e, 2, "a.json.csv", 3);
	assert_collection(e, 3, "b.v2", 1);
	/* alone it needs no extension */
	assert_opens(e, at(e, "a.csv"), 1);
	assert_collection(e, 0, "a", 1);
}

static void test_mongodump(void **state)
{
	/* {"a": 1} */
	static const unsigned char bson[] = { 12, 0, 0, 0, 16, 'a', 0, 1, 0, 0, 0, 0 };
	env *e = *state;
	FILE *f = fopen(at(e, "orders.bson"), "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bson, 1, sizeof(bson), f), sizeof(bson));
	assert_int_equal(fclose(f), 0);
	put(e, "orders.metadata.json", "{\"indexes\":[]}");
	put(e, "lonely.metadata.json", "{\"indexes\":[]}");
	assert_opens(e, e->folder, 2);
	assert_collection(e, 0, "lonely.metadata", 1);
	assert_collection(e, 1, "orders", 1);
	assert_true(ag_str_eqc(ag_source_info_of(e->all[1])->format, "bson"));
}

static void test_unknown_extension(void **state)
{
	env *e = *state;

	put(e, "export.txt", "{\"a\":1}\n{\"a\":2}\n");
	assert_opens(e, at(e, "export.txt"), 1);
	assert_collection(e, 0, "export.txt", 2);
	put(e, "picture.png", "\x89PNG\r\n\x1a\n\x01\x02");
	assert_fails(e, at(e, "picture.png"), AG_INVALID, "picture.png", "");
}

static void test_nothing_there(void **state)
{
	env *e = *state;

	assert_fails(e, e->folder, AG_NOT_FOUND, e->folder, ".ndjson");
	assert_int_equal(mkdir(at(e, "shop"), 0700), 0);
	put(e, "notes.txt", "x");
	assert_fails(e, e->folder, AG_NOT_FOUND, "no data files", "folders below");
	assert_fails(e, at(e, "nowhere.json"), AG_NOT_FOUND, "nowhere.json", ".ndjson");
	assert_fails(e, at(e, "notes.txt/x.json"), AG_NOT_FOUND, "x.json", "");
	assert_fails(e, "", AG_INVALID, "empty", "");
	assert_int_equal(mkfifo(at(e, "pipe.json"), 0600), 0);
	assert_fails(e, at(e, "pipe.json"), AG_INVALID, "neither a file nor a folder", "pipe");
}

static void test_no_permission(void **state)
{
	const uid_t nobody = 65534;
	env *e = *state;
	bool is_root = geteuid() == 0;

	/* root may read everything: be somebody else meanwhile */
	if (is_root && (chown(e->folder, nobody, nobody) || seteuid(nobody)))
		skip();
	put(e, "a.json", "[]");
	assert_int_equal(chmod(at(e, "a.json"), 0), 0);
	assert_fails(e, at(e, "a.json"), AG_DENIED, "a.json", "");
	assert_fails(e, e->folder, AG_DENIED, "a.json", "");
	assert_int_equal(chmod(e->folder, 0), 0);
	assert_fails(e, e->folder, AG_DENIED, e->folder, "");
	assert_fails(e, at(e, "a.json"), AG_DENIED, "a.json", "");
	assert_int_equal(chmod(e->folder, 0700), 0);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
}

static void test_one_bad_file_closes_all(void **state)
{
	env *e = *state;

	put(e, "a.json", "[{\"a\":1}]");
	put(e, "b.json",
	    "\x7f"
	    "ELF\x02\x01\x01");
	assert_fails(e, e->folder, AG_INVALID, "b.json", "");
}

static void test_schemes(void **state)
{
	static const char *const secret[] = {
		"mongodb://user:hunter2@127.0.0.1:1/db", "mongodb://user:hun@ter2@127.0.0.1:1/db",
		"postgresql://user:hunter2@host/db",     "user:hunter2@host/db",
		"file://user:hunter2@host/db.json",      "mongodb:user:hunter2@host",
	};
	env *e = *state;

	assert_fails(e, "redis://h/db", AG_INVALID, "unknown scheme \"redis://\"", ".ndjson");
	assert_fails(e, "postgresql://h/db", AG_INVALID, "unknown scheme \"postgresql://\"",
	             "path");
	for (size_t i = 0; i < AG_NELEM(secret); i++) {
		assert_int_not_equal(open_uri(e, secret[i]), AG_OK);
		assert_null(strstr(e->err.msg, "hunter2"));
		assert_null(strstr(e->err.msg, "ter2"));
		assert_null(strstr(e->err.hint, "hunter2"));
	}
	assert_fails(e, "user:hunter2@host/db", AG_NOT_FOUND, "folder: user:***@host/db", "");
	assert_int_equal(ag_source_scheme(AG_S("a/b://c")).len, 0);
	assert_int_equal(ag_source_scheme(AG_S("://c")).len, 0);
	assert_int_equal(ag_source_scheme(AG_S("1x://c")).len, 0);
	assert_true(ag_str_eqc(ag_source_scheme(AG_S("x+1.-://c")), "x+1.-"));
}

static void test_file_uri(void **state)
{
	env *e = *state;
	const char *uri;

	put(e, "two words.json", "[{\"a\":1}]");
	uri = ag_str_printf(e->arena, "file://%s/two%%20words.json", e->folder).ptr;
	assert_opens(e, uri, 1);
	assert_collection(e, 0, "two words", 1);
	assert_string_equal(ag_str_cstr(e->arena, ag_source_info_of(e->all[0])->uri), uri);
	assert_opens(e, ag_str_printf(e->arena, "FILE://LocalHost%s", e->folder).ptr, 1);
	assert_opens(e, ag_str_printf(e->arena, "file:%s", e->folder).ptr, 1);
	/* a plain path is not decoded */
	assert_fails(e, at(e, "two%20words.json"), AG_NOT_FOUND, "two%20words", "");
	assert_fails(e, "file://elsewhere/x.json", AG_INVALID, "host", "file:///");
	assert_fails(e, "file://", AG_INVALID, "host", "file:///");
	assert_fails(e, "file:///a%2", AG_INVALID, "hex", "");
	assert_fails(e, "file:///a%zz", AG_INVALID, "hex", "");
	assert_fails(e, "file:///a%00b", AG_INVALID, "00", "");
}

static void test_hostile_uri(void **state)
{
	env *e = *state;
	char *s = ag_arena_alloc(e->arena, AG_SOURCE_MAX_URI + 2);

	memset(s, 'a', AG_SOURCE_MAX_URI + 1);
	assert_fails(e, s, AG_INVALID, "too long", "");
	s[AG_SOURCE_MAX_URI] = '\0';
	assert_int_not_equal(open_uri(e, s), AG_OK);
	assert_int_equal(ag_source_open(NULL, AG_S("a\0b"), NULL, e->arena, &e->all, &e->n,
	                                &e->err),
	                 AG_INVALID);
	assert_non_null(strstr(e->err.msg, "NUL"));
}

static void test_relative_and_linked(void **state)
{
	env *e = *state;
	char before[4096];

	put(e, "march.json", "[{\"a\":1}]");
	assert_int_equal(symlink("march.json", at(e, "latest.json")), 0);
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(e->folder), 0);
	assert_opens(e, "latest.json", 1);
	assert_collection(e, 0, "latest", 1);
	assert_string_equal(ag_str_cstr(e->arena, ag_source_info_of(e->all[0])->key),
	                    at(e, "march.json"));
	assert_string_equal(ag_str_cstr(e->arena, ag_source_info_of(e->all[0])->database),
	                    e->folder + strlen("/tmp/"));
	assert_opens(e, ".", 2);
	assert_string_equal(ag_str_cstr(e->arena, ag_source_info_of(e->all[0])->database),
	                    e->folder + strlen("/tmp/"));
	assert_int_equal(chdir(before), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

/* The rows of the documents that evidence is about, as "0 2 5". */
static const char *rows_of(env *e, const char *query)
{
	ag_buf b = AG_BUF_INIT(1000);
	ag_bits rows = { 0 };
	ag_str text;

	memset(&e->err, 0, sizeof(e->err));
	if (ag_source_select(e->all[0], NULL, ag_str_c(query), &rows, &e->err))
		return e->err.msg;
	for (uint64_t i = ag_bits_next(&rows, 0); i < rows.n; i = ag_bits_next(&rows, i + 1))
		ag_buf_addf(&b, "%s%llu", b.len ? " " : "", (unsigned long long)i);
	ag_bits_release(&rows);
	text = ag_buf_dup(e->arena, &b);
	ag_buf_release(&b);
	return text.len ? text.ptr : "";
}

static void test_select(void **state)
{
	env *e = *state;

	/* The broken line is no document and has no row. */
	put(e, "a.ndjson",
	    "{\"k\":1,\"v\":[1,2]}\n{\"k\":2}\n{\"k\":\n{\"k\":1,\"v\":[3]}\n{\"k\":3,\"argus:row\":7}\n{\"k\":2}\n");
	assert_opens(e, at(e, "a.ndjson"), 1);
	assert_string_equal(rows_of(e, "{\"k\":{\"$gte\":2}}"), "1 3 4");
	assert_string_equal(rows_of(e, "{\"k\":9}"), "");
	assert_string_equal(rows_of(e, "[{\"$match\":{\"k\":{\"$lt\":3}}},{\"$count\":\"n\"}]"),
	                    "0 1 2 4");
	assert_string_equal(rows_of(e,
	                            "[{\"$group\":{\"_id\":\"$k\",\"n\":{\"$sum\":1}}},"
	                            "{\"$match\":{\"n\":{\"$gt\":1}}},"
	                            "{\"$group\":{\"_id\":null,\"documents\":{\"$sum\":\"$n\"}}}]"),
	                    "0 1 2 4");
	assert_string_equal(rows_of(e, "[{\"$project\":{\"v\":1}},{\"$unwind\":\"$v\"},"
	                               "{\"$match\":{\"v\":{\"$gt\":1}}},{\"$count\":\"n\"}]"),
	                    "0 2");
	assert_string_equal(rows_of(e, "[{\"$project\":{\"v\":0}},{\"$sortByCount\":\"$k\"},"
	                               "{\"$match\":{\"count\":1}}]"),
	                    "3");
	assert_non_null(strstr(rows_of(e, "[{\"$replaceRoot\":{\"newRoot\":\"$v\"}}]"),
	                       "replaces documents"));
	assert_non_null(strstr(rows_of(e, "{\"k\":{\"$where\":\"1\"}}"), "$where"));
	assert_non_null(strstr(rows_of(e, "7"), "want a filter"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(one_file),
		T(strict),
		T(hash_follows_content),
		T(folder),
		T(names_stay_different),
		T(mongodump),
		T(unknown_extension),
		T(nothing_there),
		T(no_permission),
		T(one_bad_file_closes_all),
		T(schemes),
		T(file_uri),
		T(hostile_uri),
		T(relative_and_linked),
		T(select),
	};

	return cmocka_run_group_tests_name("source_files", tests, NULL, NULL);
}
