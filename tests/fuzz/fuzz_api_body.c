/* Any bytes as the body of an answer, in pieces: the shape agrees with the exact JSON reader on whether it is JSON and how
 * long its arrays are, pieces make no difference, and the JSON made of it can be read and shows a beginning of it. The
 * first three bytes say how it is cut. */
#include <stdlib.h>

#include "ask/api_parts.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "query/extjson.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void feed(ag_api_body *b, ag_str text, size_t piece)
{
	for (size_t at = 0; at < text.len; at += piece)
		ag_api_body_take(b, ag_str_make(text.ptr + at,
		                                text.len - at < piece ? text.len - at : piece));
}

/* Members of one name: the reader keeps the first, so only objects without such are compared. */
static void arrays_agree(const ag_json_shape *s, const ag_val *v)
{
	size_t i = 0;

	for (size_t m = 0; m < v->n; m++) {
		const ag_member *member = &v->u.members[m];
		ag_str key = member->key;

		if (member->val.type != AG_T_ARRAY || i == s->narray)
			continue;
		if (!ag_str_eq(key, ag_str_make(s->arrays[i].key, s->arrays[i].nkey)))
			continue; /* too long, or written with escapes */
		check(s->arrays[i].n == member->val.n && s->arrays[i].is_whole);
		i++;
	}
}

static void agrees_with_reader(ag_json_shape *s, ag_str text, ag_arena *arena)
{
	const ag_extjson_opts opts = { .repair_utf8 = true, .max_depth = AG_JSON_SHAPE_MAX_DEPTH };
	bool ok = ag_json_shape_end(s);
	ag_extjson_notes notes;
	ag_err err = { 0 };
	ag_val v;

	if (ag_extjson_parse(text, &opts, arena, &v, NULL, &notes, &err)) {
		check(!ok);
		return;
	}
	check(ok);
	check((s->root == '[') == (v.type == AG_T_ARRAY));
	check((s->root == '{') == (v.type == AG_T_OBJECT));
	if (s->root == '[')
		check(s->n == v.n);
	else if (s->root == '{' && !notes.duplicate_keys)
		arrays_agree(s, &v);
}

static void shows_a_beginning(ag_api_answer *x, ag_str text, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	ag_str json = ag_api_answer_json(x, arena), body;
	ag_err err = { 0 };
	ag_val v;

	check(!ag_extjson_parse(json, &opts, arena, &v, NULL, NULL, &err));
	check(ag_val_getc(&v, "body") && ag_val_getc(&v, "status_code"));
	body = ag_val_member_str(&v, "body");
	if (ag_utf8_valid(text)) {
		check(ag_str_starts(text, body) && body.len <= x->body.keep);
		check(ag_val_member_bool(&v, "truncated") == (!x->is_whole || body.len < text.len));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_api_answer x = { .http = { .status = 200 } };
	size_t piece, keep;
	ag_arena *arena;
	ag_json_shape whole;
	ag_str text;
	char *copy;

	if (size < 3)
		return 0;
	piece = data[0] + 1u;
	keep = data[1] * 4u;
	x.is_whole = data[2] % 2 == 0;
	copy = malloc(size - 3 ? size - 3
	                       : 1); /* of exactly its size: a read past its end is seen */
	check(copy);
	memcpy(copy, data + 3, size - 3);
	text = ag_str_make(copy, size - 3);
	arena = ag_arena_new();
	ag_api_body_init(&x.body, keep);
	feed(&x.body, text, piece);
	check(x.body.nbyte == text.len && x.body.head.len <= keep);
	ag_json_shape_init(&whole, keep);
	ag_json_shape_feed(&whole, text);
	check(whole.n == x.body.shape.n && whole.good_end == x.body.shape.good_end);
	check(whole.is_broken == x.body.shape.is_broken && whole.narray == x.body.shape.narray);
	agrees_with_reader(&whole, text, arena);
	shows_a_beginning(&x, text, arena);
	ag_api_body_release(&x.body);
	ag_arena_free(arena);
	free(copy);
	return 0;
}
