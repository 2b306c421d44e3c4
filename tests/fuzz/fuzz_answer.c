/* Any bytes as an answer that is to be verified: refused with a message, or read; and what was read comes back the same when
 * it is written and read again, in one line of valid JSON. The text for people is made of it as well. */
#include <stdlib.h>

#include "ask/answer.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "query/extjson.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static bool parse(ag_str text, ag_arena *arena, ag_val *ret)
{
	const ag_extjson_opts read = { .typed = true, .max_values = 20000 };

	return !ag_extjson_parse(text, &read, arena, ret, NULL, NULL, NULL);
}

static ag_str written(const ag_answer *a, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64u << 20);
	ag_str ret;

	ag_answer_json(a, &out);
	check(!out.failed);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	check(ag_utf8_valid(ret) && ag_str_find(ret, '\n') < 0);
	return ret;
}

static void comes_back(const ag_answer *a, ag_arena *arena)
{
	ag_str json = written(a, arena);
	ag_err err = { 0 };
	ag_answer again;
	ag_val v;

	check(parse(json, arena, &v));
	check(!ag_answer_read(&v, arena, &again, &err));
	check(again.ncall == a->ncall && again.ncitation == a->ncitation);
	check(ag_str_eq(again.answer, a->answer) && ag_str_eq(again.source, a->source));
	for (size_t i = 0; i < a->ncall; i++) {
		check(ag_str_eq(again.calls[i].result, a->calls[i].result));
		check(ag_str_eq(again.calls[i].tool, a->calls[i].tool));
	}
	check(ag_str_eq(written(&again, arena), json));
}

static void shown(const ag_answer *a)
{
	ag_buf out = AG_BUF_INIT(64u << 20);

	ag_answer_markdown(a, &out);
	check(out.len > 0 && !out.failed);
	ag_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };
	ag_answer a;
	ag_val v;

	check(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	/* The same bytes as text, as a result may hold them. */
	check(ag_utf8_valid(ag_answer_utf8(ag_str_make(copy, size), arena)));
	if (parse(ag_str_make(copy, size), arena, &v)) {
		if (ag_answer_read(&v, arena, &a, &err)) {
			check(err.msg[0] && (err.status == AG_INVALID || err.status == AG_LIMIT));
		} else {
			comes_back(&a, arena);
			shown(&a);
		}
	}
	ag_arena_free(arena);
	free(copy);
	return 0;
}
