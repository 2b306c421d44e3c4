/* The body of an answer: what is counted, in pieces of any size, and where it is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ask/api_parts.h"
#include "query/extjson.h"

/* --- the shape */

typedef struct shape_case {
	const char *text;
	int n;              /* elements of the array; -1 = it is none */
	const char *arrays; /* "items=2 rows=0"; NULL = no JSON */
} shape_case;

static const shape_case shapes[] = {
	{ "[]", 0, "" },
	{ " [ ] \n", 0, "" },
	{ "[1]", 1, "" },
	{ "[1,2.5e-3,\"a,b]\",[1,2],{\"x\":[1]},null,true,false]", 8, "" },
	{ "[[[]],[]]", 2, "" },
	{ "{}", -1, "" },
	{ "{\"items\":[1,2],\"total\":2,\"rows\":[]}", -1, "items=2 rows=0" },
	{ "{\"data\":{\"items\":[1,2]},\"x\":[[1,2,3],[4]]}", -1, "x=2" },
	{ "{\"a\\\"b\":[1],\"\":[2,3]}", -1, "a\\\"b=1 =2" },
	{ "{\"0123456789012345678901234567890123456789012345678901234567890123\":[1],"
	  "\"01234567890123456789012345678901234567890123456789012345678901234\":[1]}",
	  -1, "0123456789012345678901234567890123456789012345678901234567890123=1" },
	{ "{\"a\":[],\"b\":[],\"c\":[],\"d\":[],\"e\":[],\"f\":[],\"g\":[],\"h\":[],\"i\":[1]}", -1,
	  "a=0 b=0 c=0 d=0 e=0 f=0 g=0 h=0" },
	{ "{\"a\":{\"b\":[1]},\"c\":\"[\"}", -1, "" },
	{ "12", -1, "" },
	{ "-0.5", -1, "" },
	{ "\"\\u00e4\\n\"", -1, "" },
	{ "null", -1, "" },
	{ "", -1, NULL },
	{ " ", -1, NULL },
	{ "[", -1, NULL },
	{ "[1", -1, NULL },
	{ "[1,", -1, NULL },
	{ "[1,]", -1, NULL },
	{ "[,1]", -1, NULL },
	{ "[1 2]", -1, NULL },
	{ "[1}", -1, NULL },
	{ "{\"a\"}", -1, NULL },
	{ "{\"a\":}", -1, NULL },
	{ "{\"a\":1,}", -1, NULL },
	{ "{a:1}", -1, NULL },
	{ "{1:1}", -1, NULL },
	{ "[1]]", -1, NULL },
	{ "[1] x", -1, NULL },
	{ "1 2", -1, NULL },
	{ "01", -1, NULL },
	{ "1.", -1, NULL },
	{ "-", -1, NULL },
	{ "1e", -1, NULL },
	{ "1e+", -1, NULL },
	{ "1.5.5", -1, NULL },
	{ "1e5e5", -1, NULL },
	{ ".5", -1, NULL },
	{ "+1", -1, NULL },
	{ "nul", -1, NULL },
	{ "nulll", -1, NULL },
	{ "True", -1, NULL },
	{ "\"a", -1, NULL },
	{ "\"\\x\"", -1, NULL },
	{ "\"\\u12g4\"", -1, NULL },
	{ "\"\n\"", -1, NULL },
	{ "<html>", -1, NULL },
};

static void check_shape(const shape_case *want, ag_json_shape *s, size_t piece)
{
	ag_buf arrays = AG_BUF_INIT(10000);
	bool ok = ag_json_shape_end(s);

	for (size_t i = 0; i < s->narray; i++)
		ag_buf_addf(&arrays, "%s%.*s=%d", i ? " " : "", (int)s->arrays[i].nkey,
		            s->arrays[i].key, (int)s->arrays[i].n);
	if (ok != (want->arrays != NULL))
		fail_msg("%s in pieces of %zu: %d", want->text, piece, ok);
	if (ok && ((s->root == '[') != (want->n >= 0) || (want->n >= 0 && (int)s->n != want->n) ||
	           !ag_str_eqc(ag_buf_view(&arrays), want->arrays)))
		fail_msg("%s in pieces of %zu: %d, %s", want->text, piece, (int)s->n,
		         arrays.ptr ? arrays.ptr : "");
	ag_buf_release(&arrays);
}

static void shapes_in_pieces(void **state)
{
	const ag_extjson_opts opts = { 0 };
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(shapes); i++) {
		ag_str text = ag_str_c(shapes[i].text);
		ag_val v;

		/* The exact reader says the same. */
		assert_int_equal(!ag_extjson_parse(text, &opts, arena, &v, NULL, NULL, NULL),
		                 shapes[i].arrays != NULL);
		for (size_t piece = 1; piece <= text.len + 1; piece++) {
			ag_json_shape s;

			ag_json_shape_init(&s, 1000);
			for (size_t at = 0; at < text.len; at += piece)
				ag_json_shape_feed(&s, ag_str_make(text.ptr + at,
				                                   at + piece < text.len
				                                           ? piece
				                                           : text.len - at));
			check_shape(&shapes[i], &s, piece);
		}
	}
	ag_arena_free(arena);
}

static void depth_has_an_end(void **state)
{
	ag_json_shape s;

	(void)state;
	for (int more = 0; more < 2; more++) {
		ag_json_shape_init(&s, 1000);
		for (int i = 0; i < AG_JSON_SHAPE_MAX_DEPTH + more; i++)
			ag_json_shape_feed(&s, AG_S("["));
		for (int i = 0; i < AG_JSON_SHAPE_MAX_DEPTH + more; i++)
			ag_json_shape_feed(&s, AG_S("]"));
		assert_int_equal(ag_json_shape_end(&s), !more);
	}
}

/* --- the cut */

/* The body of the JSON that is made of `text` when only `keep` bytes of it may be shown. */
static ag_str shown(ag_arena *arena, ag_str text, size_t keep, bool is_whole, ag_val *ret)
{
	const ag_extjson_opts opts = { 0 };
	ag_api_answer x = { .http = { .status = 200 }, .is_whole = is_whole };
	ag_err err = { 0 };
	ag_str json;

	ag_api_body_init(&x.body, keep);
	for (size_t i = 0; i < text.len; i += 7)
		ag_api_body_take(&x.body,
		                 ag_str_make(text.ptr + i, text.len - i < 7 ? text.len - i : 7));
	json = ag_api_answer_json(&x, arena);
	ag_api_body_release(&x.body);
	if (ag_extjson_parse(json, &opts, arena, ret, NULL, NULL, &err))
		fail_msg("%s: %.*s", err.msg, AG_FMT(json));
	return ag_val_member_str(ret, "body");
}

static void cuts(void **state)
{
	static const struct {
		const char *text;
		size_t keep;
		const char *shown;
	} cases[] = {
		{ "[11,22,33]", 10, "[11,22,33]" },
		{ "[11,22,33]", 9, "[11,22,33" },
		{ "[11,22,33]", 8, "[11,22" },
		{ "[11,22,33]", 6, "[11,22" },
		{ "[11,22,33]", 5, "[11" },
		{ "[11,22,33]", 2, "[1" },
		{ "[{\"a\":[1,2]},{\"b\":3}]", 14, "[{\"a\":[1,2]}" },
		{ "[\"a]\",\"b\"]", 7, "[\"a]\"" },
		/* An object: behind an element of its array, or a member. */
		{ "{\"items\":[11,22,33,44]}", 19, "{\"items\":[11,22,33" },
		{ "{\"n\":1,\"t\":\"aaaaaaaaaaaaaaaaaaaaaaaa\"}", 20, "{\"n\":1,\"t\":\"aaaaaaaa" },
		{ "{\"aaaaaaaaaaaa\":1,\"b\":2}", 20, "{\"aaaaaaaaaaaa\":1" },
		/* No JSON: behind a character. */
		{ "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z", 10,
		  "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z", 9, "a\xc3\xa4\xe2\x82\xac" },
		{ "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z", 7, "a\xc3\xa4\xe2\x82\xac" },
		{ "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z", 6, "a\xc3\xa4\xe2\x82\xac" },
		{ "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z", 5, "a\xc3\xa4" },
		{ "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z", 2, "a" },
		{ "[1,2,<html>]", 6, "[1,2,<" },
		{ "plain", 1, "p" },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_str text = ag_str_c(cases[i].text), got;
		ag_val v;

		got = shown(arena, text, cases[i].keep, true, &v);
		if (!ag_str_eqc(got, cases[i].shown))
			fail_msg("%s, %zu: %.*s", cases[i].text, cases[i].keep, AG_FMT(got));
		assert_int_equal(ag_val_member_bool(&v, "truncated"), got.len < text.len);
		assert_int_equal(ag_val_member_u64(&v, "bytes"), got.len < text.len ? text.len : 0);
	}
	ag_arena_free(arena);
}

/* Read in part, a count is a lower bound, and an element that may go on is none. */
static void unfinished(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_str got;
	ag_val v;

	(void)state;
	got = shown(arena, AG_S("[11,22,3"), 100, false, &v);
	assert_true(ag_str_eqc(got, "[11,22"));
	assert_int_equal(ag_val_member_u64(&v, "array_length_at_least"), 2);
	assert_null(ag_val_getc(&v, "array_length"));
	assert_null(ag_val_getc(&v, "bytes"));
	assert_int_equal(ag_val_member_u64(&v, "bytes_at_least"), 8);
	got = shown(arena, AG_S("{\"items\":[11,22,3"), 100, false, &v);
	assert_int_equal(ag_val_member_u64(ag_val_getc(&v, "array_lengths_at_least"), "items"), 2);
	assert_true(ag_str_eqc(got, "{\"items\":[11,22"));
	/* Read to its end, and no JSON: no number at all. */
	shown(arena, AG_S("[11,22,3"), 100, true, &v);
	assert_null(ag_val_getc(&v, "array_length_at_least"));
	assert_null(ag_val_getc(&v, "array_length"));
	/* The last of a name counts; a name is text again. */
	shown(arena, AG_S("{\"a\":[1],\"\\u00e4\":[],\"a\":[1,2]}"), 100, true, &v);
	assert_int_equal(ag_val_getc(&v, "array_lengths")->n, 2);
	assert_int_equal(ag_val_member_u64(ag_val_getc(&v, "array_lengths"), "a"), 2);
	assert_non_null(ag_val_getc(ag_val_getc(&v, "array_lengths"), "\xc3\xa4"));
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_in_pieces),
		cmocka_unit_test(depth_has_an_end),
		cmocka_unit_test(cuts),
		cmocka_unit_test(unfinished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
