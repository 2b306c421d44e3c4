/* argus verify of an answer: what is confirmed, what changed, what is gone, what was never true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ask/cite.h"
#include "base/sha256.h"
#include "query/extjson.h"
#include "unit/text_checks.h"

static const char page[] = "# Page\n"
			   "\n"
			   "## The port\n"
			   "\n"
			   "The service listens on port 42.\n"
			   "\n"
			   "## The name\n"
			   "\n"
			   "It is called Example.\n";

typedef struct place {
	ag_arena *arena;
	ag_str folder;
	ag_root *root;
	ag_answer_call calls[4];
	ag_citation citations[4];
	ag_answer a;
	ag_ask_verification v;
} place;

static const char *path_in(const place *p, const char *name)
{
	return ag_str_printf(p->arena, "%.*s/%s", AG_FMT(p->folder), name).ptr;
}

static void put(const place *p, const char *name, const char *text)
{
	FILE *f = fopen(path_in(p, name), "wb");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static ag_str hash_of(const place *p, ag_str text)
{
	ag_sha256_hex hash = ag_sha256(text);

	return ag_str_dup(p->arena, ag_str_c(hash.text));
}

/* An answer as Argus makes it: one file read whole, one section cited, one API call. */
static int setup(void **state)
{
	ag_arena *arena = ag_arena_new();
	place *p = ag_new(arena, place);
	char name[] = "/tmp/argus-verify-XXXXXX";
	ag_root_opts o = { 0 };
	ag_err err = { 0 };

	p->arena = arena;
	assert_non_null(mkdtemp(name));
	o.path = p->folder = ag_str_dup(arena, ag_str_c(name));
	put(p, "page.md", page);
	assert_int_equal(ag_root_open(&o, &p->root, &err), AG_OK);
	p->calls[0] = (ag_answer_call){ .tool = AG_S("read_file"),
		                        .args = AG_S("{\"path\":\"page.md\"}"),
		                        .result = ag_str_c(page),
		                        .ok = true,
		                        .sha256 = hash_of(p, ag_str_c(page)),
		                        .file = { AG_S("page.md"), hash_of(p, ag_str_c(page)), 1, 9,
		                                  9 } };
	p->calls[1] = (ag_answer_call){ .tool = AG_S("query_api"),
		                        .args = AG_S("{\"method\":\"GET\",\"path\":\"/items/\"}"),
		                        .result = AG_S("{\"status_code\":200,\"body\":\"[]\"}"),
		                        .ok = true,
		                        .request = AG_S("GET /items/"),
		                        .status = 200 };
	p->calls[1].sha256 = hash_of(p, p->calls[1].result);
	p->citations[0] = (ag_citation){ .path = AG_S("page.md"),
		                         .anchor = AG_S("the-port"),
		                         .title = AG_S("The port"),
		                         .line = 3,
		                         .last_line = 5,
		                         .quote = AG_S("The service listens on port 42."),
		                         .sha256 = p->calls[0].file.sha256 };
	p->a = (ag_answer){ .answer = AG_S("42"),
		            .source = AG_S("page.md#the-port"),
		            .calls = p->calls,
		            .ncall = 2,
		            .citations = p->citations,
		            .ncitation = 1,
		            .mode = AG_S("model") };
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	place *p = (place *)*state;

	unlink(path_in(p, "page.md"));
	unlink(path_in(p, ".gitignore"));
	unlink(path_in(p, "large.md"));
	assert_int_equal(rmdir(p->folder.ptr), 0);
	ag_root_close(p->root);
	ag_arena_free(p->arena);
	return 0;
}

/* Checks, and wants these results: calls, citations, source. */
static void want(place *p, const ag_ask_check *results, size_t n)
{
	ag_err err = { 0 };

	assert_int_equal(ag_ask_verify(p->root, NULL, &p->a, p->arena, &p->v, &err), AG_OK);
	assert_int_equal(p->v.n, n);
	assert_int_equal(
		p->v.nconfirmed + p->v.nchanged + p->v.ngone + p->v.nfalse + p->v.nunchecked, n);
	for (size_t i = 0; i < n; i++) {
		if (p->v.items[i].result != results[i])
			fail_msg("%.*s is %s (%.*s), want %s", AG_FMT(p->v.items[i].what),
			         ag_ask_check_name(p->v.items[i].result), AG_FMT(p->v.items[i].why),
			         ag_ask_check_name(results[i]));
	}
}

#define WANT(p, ...)                                     \
	want((p), (const ag_ask_check[]){ __VA_ARGS__ }, \
	     sizeof((const ag_ask_check[]){ __VA_ARGS__ }) / sizeof(ag_ask_check))
#define YES   AG_ASK_CONFIRMED
#define CHG   AG_ASK_CHANGED
#define GONE  AG_ASK_GONE
#define FALSE AG_ASK_FALSE
#define API   AG_ASK_UNCHECKED

static void confirms(void **state)
{
	place *p = (place *)*state;

	WANT(p, YES, API, YES, YES);
	assert_str(p->v.items[0].what, "call 1: read_file page.md");
	assert_str(p->v.items[1].what, "call 2: query_api GET /items/");
	assert_str(p->v.items[2].what, "citation 1: page.md#the-port");
	assert_str(p->v.items[3].what, "source: page.md#the-port");
}

static void sees_changes(void **state)
{
	place *p = (place *)*state;

	put(p, "page.md", "# Page\n\n## The port\n\nThe service listens on port 42.\n\nMore.\n");
	WANT(p, CHG, API, CHG, CHG);
	assert_str(p->v.items[2].why, "the file changed, what is cited of it did not");
	put(p, "page.md", "# Page\n\n## The port\n\nThe service listens on port 43.\n");
	WANT(p, CHG, API, GONE, GONE);
	assert_has(p->v.items[2].why, "the quote is not there any more");
	put(p, "page.md", "# Page\n\nThe service listens on port 42.\n");
	WANT(p, CHG, API, GONE, GONE);
	assert_has(p->v.items[2].why, "the anchor is not there any more");
	/* Another heading holds the quote now. */
	put(p, "page.md",
	    "# Page\n\n## The port\n\nx\n\n## Other\n\nThe service listens on port 42.\n");
	WANT(p, CHG, API, GONE, GONE);
	unlink(path_in(p, "page.md"));
	WANT(p, GONE, API, GONE, GONE);
	assert_has(p->v.items[0].why, "cannot be read");
	put(p, "page.md", page);
	put(p, ".gitignore", "page.md\n");
	ag_root_close(p->root);
	{
		ag_root_opts o = { .path = p->folder };
		ag_err err = { 0 };

		assert_int_equal(ag_root_open(&o, &p->root, &err), AG_OK);
	}
	WANT(p, GONE, API, GONE, GONE);
}

static void a_slice_that_did_not_change(void **state)
{
	place *p = (place *)*state;

	p->calls[0].file.first_line = 3;
	p->calls[0].file.last_line = 5;
	p->calls[0].result = AG_S("## The port\n\nThe service listens on port 42.\n"
	                          "[lines 3-5 of 9; the file has 99 bytes.]\n");
	p->calls[0].sha256 = hash_of(p, p->calls[0].result);
	WANT(p, YES, API, YES, YES);
	put(p, "page.md", "# Other\n\n## The port\n\nThe service listens on port 42.\n");
	WANT(p, CHG, API, CHG, CHG);
	assert_has(p->v.items[0].why, "the lines that were read did not");
	p->calls[0].file.sha256 = AG_S(""); /* a file too large for a hash */
	p->citations[0].sha256 = AG_S("");
	WANT(p, YES, API, YES, YES);
}

/* The hash of a forged result can be made by anybody: it is also compared with the file. */
static void sees_forged_calls(void **state)
{
	place *p = (place *)*state;
	const ag_answer_call good = p->calls[0];

	p->calls[0].result = AG_S("The service listens on port 43.");
	WANT(p, FALSE, API, YES, YES);
	assert_has(p->v.items[0].why, "its hash is not that of its result");
	p->calls[0].sha256 = hash_of(p, p->calls[0].result);
	WANT(p, FALSE, API, YES, YES);
	assert_has(p->v.items[0].why, "the result is not what it says");
	p->calls[0] = good;
	p->calls[0].args = AG_S("{\"path\":\"other.md\"}");
	WANT(p, FALSE, API, YES, YES);
	p->calls[0] = good;
	p->calls[1].result = AG_S("{\"status_code\":500}");
	WANT(p, YES, FALSE, YES, YES);
}

static void a_key_that_was_taken_out(void **state)
{
	place *p = (place *)*state;

	p->calls[0].result = AG_S("# Page\n\n## The port\n\nThe service listens on [redacted].\n");
	p->calls[0].sha256 = hash_of(p, p->calls[0].result);
	WANT(p, YES, API, YES, YES);
	assert_has(p->v.items[0].why, "a key was taken out");
}

static void sees_forged_citations(void **state)
{
	place *p = (place *)*state;
	const ag_citation good = p->citations[0];

	p->citations[0].quote = AG_S("The service listens on port 43.");
	WANT(p, YES, API, FALSE, FALSE);
	p->citations[0] = good;
	p->citations[0].anchor = AG_S("no-such-section");
	p->a.source = AG_S("page.md#no-such-section");
	WANT(p, YES, API, FALSE, FALSE);
	assert_has(p->v.items[2].why, "the anchor is not there");
	p->citations[0] = good;
	p->a.source = AG_S("page.md#the-port");
	p->citations[0].line = 4;
	WANT(p, YES, API, FALSE, FALSE);
	p->citations[0] = good;
	p->citations[0].sha256 = hash_of(p, AG_S("another text"));
	WANT(p, YES, API, FALSE, FALSE);
	/* A file that no call read. */
	p->citations[0] = good;
	p->citations[0].path = AG_S("large.md");
	put(p, "large.md", page);
	WANT(p, YES, API, FALSE, FALSE);
	assert_has(p->v.items[2].why, "no call of the trace read this file");
	/* A call that failed is none. */
	p->citations[0] = good;
	p->calls[0].ok = false;
	p->calls[0].file = (ag_seen_file){ 0 };
	WANT(p, API, API, FALSE, FALSE);
}

static void sees_forged_sources(void **state)
{
	place *p = (place *)*state;

	p->a.source = AG_S("page.md");
	WANT(p, YES, API, YES, YES);
	p->a.source = AG_S("page.md#the-name");
	WANT(p, YES, API, YES, FALSE);
	assert_str(p->v.items[3].why, "it is none of the citations");
	p->a.source = AG_S("other.md");
	WANT(p, YES, API, YES, FALSE);
	p->a.source = AG_S("from experience");
	WANT(p, YES, API, YES, FALSE);
	p->a.source = AG_S("API endpoint GET /items/");
	WANT(p, YES, API, YES, API);
	assert_has(p->v.items[3].why, "call 2 asked it");
	p->a.source = AG_S("API endpoint GET /learners/");
	WANT(p, YES, API, YES, FALSE);
	p->a.source = AG_S("API endpoint POST /items/");
	WANT(p, YES, API, YES, FALSE);
	p->a.source = AG_S("API endpoint GET /items/");
	p->calls[1].ok = false;
	WANT(p, YES, API, YES, FALSE);
	p->a.source = AG_S("");
	WANT(p, YES, API, YES);
}

static void without_a_model_there_are_no_calls(void **state)
{
	place *p = (place *)*state;

	p->a.mode = AG_S("offline");
	p->a.ncall = 0;
	WANT(p, YES, YES);
	p->citations[0].quote = AG_S("port 43");
	WANT(p, FALSE, FALSE);
}

/* --- answers of other programs --- */

static void foreign(place *p, const char *json)
{
	ag_err err = { 0 };
	ag_val v;

	assert_int_equal(ag_extjson_parse(ag_str_c(json), &(ag_extjson_opts){ 0 }, p->arena, &v,
	                                  NULL, NULL, &err),
	                 AG_OK);
	if (ag_answer_read(&v, p->arena, &p->a, &err))
		fail_msg("%s", err.msg);
}

#define FOREIGN(source, result)                                                                 \
	"{\"answer\":\"42\",\"source\":\"" source "\",\"tool_calls\":[{\"tool\":\"read_file\"," \
	"\"args\":{\"path\":\"page.md\"},\"result\":\"" result "\"}]}"

static void looks_at_foreign_answers(void **state)
{
	static const struct {
		const char *json;
		ag_ask_check call, source;
	} cases[] = {
		{ FOREIGN("page.md#the-port",
		          "# Page\\n\\n## The port\\n\\nThe service listens on port 42.\\n\\n"
		          "## The name\\n\\nIt is called Example.\\n"),
		  YES, YES },
		/* Without the last line break, and with those of Windows. */
		{ FOREIGN("page.md",
		          "# Page\\r\\n\\r\\n## The port\\r\\n\\r\\nThe service listens on port "
		          "42.\\r\\n\\r\\n## The name\\r\\n\\r\\nIt is called Example."),
		  YES, YES },
		{ FOREIGN("page.md#the-port", "# Page\\n\\n## The port"), YES, YES },
		{ FOREIGN("page.md#no-such", "# Page\\n\\n## The port"), YES, FALSE },
		{ FOREIGN("page.md#the-port", "# Page\\n\\nAnother text."), CHG, CHG },
		{ FOREIGN("page.md#no-such", "# Page\\n\\nAnother text."), CHG, GONE },
		{ FOREIGN("page.md", "Error: permission denied"), API, FALSE },
		{ FOREIGN("other.md", "# Page\\n"), YES, FALSE },
		{ FOREIGN("nothing that is a file", "# Page\\n"), YES, FALSE },
		{ FOREIGN("GET /items/", "# Page\\n"), YES, FALSE },
	};
	place *p = (place *)*state;

	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		foreign(p, cases[i].json);
		WANT(p, cases[i].call, cases[i].source);
	}
	foreign(p, "{\"answer\":\"x\",\"source\":\"API endpoint GET /items/\",\"tool_calls\":["
	           "{\"tool\":\"query_api\",\"args\":{\"method\":\"GET\",\"path\":\"/items/\"},"
	           "\"result\":\"{}\"},{\"tool\":\"list_files\",\"args\":{},\"result\":\"\"},"
	           "{\"tool\":\"read_file\",\"args\":{\"path\":\"../x\"},\"result\":\"Error: no\"},"
	           "{\"tool\":\"read_file\",\"args\":{\"path\":\"../x\"},\"result\":\"root:x\"},"
	           "{\"tool\":\"read_file\",\"args\":[],\"result\":\"x\"}]}");
	WANT(p, API, API, API, GONE, API, API);
}

/* Many files are not all looked at, and that is no confirmation. */
static void has_limits(void **state)
{
	place *p = (place *)*state;
	ag_buf json = AG_BUF_INIT(1u << 20);
	ag_err err = { 0 };

	ag_buf_adds(&json, "{\"answer\":\"x\",\"source\":\"\",\"tool_calls\":[");
	for (int i = 0; i < 500; i++)
		ag_buf_addf(&json,
		            "%s{\"tool\":\"read_file\",\"args\":{\"path\":\"f%d.md\"},"
		            "\"result\":\"x\"}",
		            i ? "," : "", i);
	ag_buf_adds(&json, "]}");
	foreign(p, json.ptr);
	assert_int_equal(ag_ask_verify(p->root, NULL, &p->a, p->arena, &p->v, &err), AG_OK);
	assert_int_equal(p->v.nconfirmed, 0);
	assert_int_equal(p->v.ngone + p->v.nunchecked, 500);
	assert_true(p->v.nunchecked > 0);
	ag_buf_release(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(confirms, setup, teardown),
		cmocka_unit_test_setup_teardown(sees_changes, setup, teardown),
		cmocka_unit_test_setup_teardown(a_slice_that_did_not_change, setup, teardown),
		cmocka_unit_test_setup_teardown(sees_forged_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(a_key_that_was_taken_out, setup, teardown),
		cmocka_unit_test_setup_teardown(sees_forged_citations, setup, teardown),
		cmocka_unit_test_setup_teardown(sees_forged_sources, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_model_there_are_no_calls, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(looks_at_foreign_answers, setup, teardown),
		cmocka_unit_test_setup_teardown(has_limits, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
