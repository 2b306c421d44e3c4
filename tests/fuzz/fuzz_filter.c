/* "filter \n document": what parses must have a canonical form that parses to the same form, with the
 * same hash, and that answers alike on the document. */
#include <stdlib.h>

#include "fuzz.h"
#include "query/filter.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static const char fixed[] =
	"{\"a\":[1,{\"b\":2,\"a\":\"x\"},null,[3]],\"b\":{\"a\":5.5,\"0\":\"y\"}}";

static void compare(ag_arena *arena, const ag_filter *f, ag_str doc_text)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_buf text = AG_BUF_INIT(1 << 26), second = AG_BUF_INIT(1 << 26);
	const ag_filter *again;
	const ag_str *paths;
	ag_err err;
	size_t n;
	ag_val doc;
	ag_status st;

	ag_filter_canonical(f, &text);
	st = ag_filter_parse(ag_buf_view(&text), arena, &again, &err);
	/* The canonical form may be a little deeper or longer than what was allowed. */
	check(st == AG_OK || st == AG_LIMIT);
	ag_filter_paths(f, arena, &paths, &n);
	if (st == AG_OK) {
		ag_filter_canonical(again, &second);
		check(ag_str_eq(ag_buf_view(&text), ag_buf_view(&second)));
		check(ag_filter_hash(f) == ag_filter_hash(again));
		if (ag_extjson_parse(doc_text, &opts, arena, &doc, NULL, NULL, &err) ||
		    doc.type != AG_T_OBJECT)
			check(!ag_extjson_parse(ag_str_c(fixed), &opts, arena, &doc, NULL, NULL,
			                        &err));
		check(ag_filter_match(f, &doc) == ag_filter_match(again, &doc));
	}
	ag_buf_release(&text);
	ag_buf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str rest = ag_str_make((const char *)data, size), text = ag_str_split(&rest, '\n');
	ag_arena *arena = ag_arena_new();
	const ag_filter *f;
	ag_err err = { 0 };

	if (ag_filter_parse(text, arena, &f, &err))
		check(err.msg[0] != '\0');
	else
		compare(arena, f, rest);
	ag_arena_free(arena);
	return 0;
}
