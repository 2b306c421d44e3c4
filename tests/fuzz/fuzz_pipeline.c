/* "pipeline \n document": what parses must have a stable canonical form, and both forms must come to the
 * same result on a few copies of the document. */
#include <stdlib.h>

#include "fuzz.h"
#include "query/pipeline.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static const char fixed[] =
	"{\"a\":[1,{\"b\":2,\"a\":\"x\"},null,[3]],\"b\":{\"a\":5.5,\"0\":\"y\"}}";

static ag_str run(ag_arena *arena, const ag_pipeline *p, const ag_val *doc)
{
	ag_pipeline_run *r = ag_pipeline_run_begin(p, false);
	const ag_val *results;
	bool done = false;
	ag_err err = { 0 };
	ag_status st = AG_OK;
	ag_str out = AG_S("error");
	size_t n;

	for (int i = 0; !st && !done && i < 3; i++)
		st = ag_pipeline_run_push(r, doc, &done, &err);
	if (!st)
		st = ag_pipeline_run_end(r, arena, 100, &results, &n, &err);
	if (!st) {
		ag_val list = ag_val_array(results, n);

		out = ag_extjson_str(arena, &list, AG_EXTJSON_CANONICAL);
	}
	ag_pipeline_run_free(r);
	return out;
}

static void compare(ag_arena *arena, const ag_pipeline *p, ag_str doc_text)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_buf text = AG_BUF_INIT(1 << 26), second = AG_BUF_INIT(1 << 26);
	const ag_pipeline *again;
	const ag_str *paths;
	ag_err err;
	size_t n;
	bool whole;
	ag_val doc;
	ag_status st;

	ag_pipeline_canonical(p, &text);
	st = ag_pipeline_parse(ag_buf_view(&text), arena, &again, &err);
	check(st == AG_OK || st == AG_LIMIT);
	ag_pipeline_paths(p, arena, &paths, &n, &whole);
	if (st == AG_OK) {
		ag_pipeline_canonical(again, &second);
		check(ag_str_eq(ag_buf_view(&text), ag_buf_view(&second)));
		if (ag_extjson_parse(doc_text, &opts, arena, &doc, NULL, NULL, &err) ||
		    doc.type != AG_T_OBJECT)
			check(!ag_extjson_parse(ag_str_c(fixed), &opts, arena, &doc, NULL, NULL,
			                        &err));
		(void)run(arena, p, &doc);
		(void)run(arena, again, &doc);
	}
	ag_buf_release(&text);
	ag_buf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str rest = ag_str_make((const char *)data, size), text = ag_str_split(&rest, '\n');
	ag_arena *arena = ag_arena_new();
	const ag_pipeline *p;
	ag_err err = { 0 };

	if (ag_pipeline_parse(text, arena, &p, &err))
		check(err.msg[0] != '\0');
	else
		compare(arena, p, rest);
	ag_arena_free(arena);
	return 0;
}
