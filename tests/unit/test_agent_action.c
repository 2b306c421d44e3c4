/* AgentActions as models write them: tests/cases/llm/actions.cases, and what no text file should hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agent/action.h"

#include <stdio.h>
#include <stdlib.h>

#include "query/extjson.h"

#define CASES     "tests/cases/llm/actions.cases"
#define MIN_CASES 60

static const ag_param filter_param[] = { { "filter", AG_PARAM_OBJECT, .help = "a filter" } };

static const ag_tool action_tools[] = {
	{ .name = "schema_sample" }, { .name = "run_query", .params = filter_param, .nparam = 1 },
	{ .name = "get_stats" },     { .name = "write_finding" },
	{ .name = "conclude" },
};

typedef struct action_case {
	char name[200];
	ag_buf answer, want;
} action_case;

/* "\n" in a case stands for a line end. */
static bool is_same(ag_str got, ag_str want)
{
	size_t i = 0, k = 0;

	for (; i < want.len && k < got.len; i++, k++) {
		if (want.ptr[i] == '\\' && i + 1 < want.len && want.ptr[i + 1] == 'n' &&
		    got.ptr[k] == '\n')
			i++;
		else if (want.ptr[i] != got.ptr[k])
			return false;
	}
	return i == want.len && k == got.len;
}

static void check_line(const char *name, const ag_proposal *p, ag_status st, const ag_err *err,
                       ag_str line)
{
	const ag_str key = ag_str_split(&line, '=');
	double number;

	if (ag_str_eqc(key, "error")) {
		if (!st)
			fail_msg("%s: was taken", name);
		assert_int_equal(st, AG_PROTOCOL);
		assert_int_equal(err->status, AG_PROTOCOL);
		if (!ag_str_contains(ag_str_c(err->msg), line))
			fail_msg("%s: want \"%.*s\" in \"%s\"", name, AG_FMT(line), err->msg);
		return;
	}
	if (st)
		fail_msg("%s: %s", name, err->msg);
	if (ag_str_eqc(key, "action")  ? !is_same(p->action, line)
	    : ag_str_eqc(key, "input") ? !is_same(p->input, line)
	    : ag_str_eqc(key, "reasoning")
	            ? !is_same(p->reasoning, line)
	            : !ag_str_eqc(key, "confidence") || !ag_str_to_double(line, &number) ||
	                      number != p->confidence)
		fail_msg("%s: %.*s is not \"%.*s\" (input %.*s, confidence %g)", name, AG_FMT(key),
		         AG_FMT(line), AG_FMT(p->input), p->confidence);
}

static void run_case(action_case *c)
{
	ag_arena *arena = ag_arena_new();
	ag_str want = ag_buf_view(&c->want);
	ag_proposal p = { 0 };
	ag_err err = { 0 };
	const ag_status st = ag_action_parse(ag_buf_view(&c->answer), action_tools,
	                                     AG_NELEM(action_tools), arena, &p, &err);

	if (!want.len)
		fail_msg("%s: says nothing of what must come out", c->name);
	while (want.len) {
		const ag_str line = ag_str_split(&want, '\n');

		if (line.len)
			check_line(c->name, &p, st, &err, line);
	}
	ag_arena_free(arena);
	ag_buf_clear(&c->answer);
	ag_buf_clear(&c->want);
}

static void cases(void **state)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	action_case c = { .answer = AG_BUF_INIT(1 << 16), .want = AG_BUF_INIT(1 << 16) };
	char path[4096], line[8192];
	bool in_answer = false;
	size_t n = 0;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/%s", root ? root : ".", CASES);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "=== ", 4)) {
			if (n++)
				run_case(&c);
			snprintf(c.name, sizeof(c.name), "%.*s", (int)strcspn(line + 4, "\n"),
			         line + 4);
			in_answer = true;
		} else if (!strcmp(line, "---\n")) {
			in_answer = false;
		} else if (n) {
			ag_buf_adds(in_answer ? &c.answer : &c.want, line);
		}
	}
	run_case(&c);
	fclose(f);
	assert_true(n >= MIN_CASES);
	ag_buf_release(&c.answer);
	ag_buf_release(&c.want);
}

static void huge_and_deep(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf text = AG_BUF_INIT(8 << 20);
	ag_proposal p;
	size_t before;
	ag_err err;

	(void)state;
	/* An input of a megabyte comes through as it is. */
	ag_buf_adds(&text,
	            "{\"reasoning\":\"r\",\"action\":\"run_query\",\"action_input\":{\"a\":\"");
	for (int i = 0; i < 1000000; i++)
		ag_buf_addc(&text, 'x');
	ag_buf_adds(&text, "\"}}");
	assert_int_equal(ag_action_parse(ag_buf_view(&text), action_tools, AG_NELEM(action_tools),
	                                 arena, &p, &err),
	                 AG_OK);
	assert_int_equal(p.input.len, 1000000 + 8);
	/* What is larger than anybody reads is refused before it is looked at. */
	while (text.len <= 2 << 20)
		ag_buf_adds(&text, "{{{{{{{{{{{{{{{{");
	assert_int_equal(ag_action_parse(ag_buf_view(&text), action_tools, AG_NELEM(action_tools),
	                                 arena, &p, &err),
	                 AG_PROTOCOL);
	/* Depth is refused in words, not by the stack; many open braces cost no more than a look at each of a few. */
	for (int open = 0; open < 2; open++) {
		ag_buf_clear(&text);
		ag_buf_adds(&text,
		            open ? "" : "{\"reasoning\":\"r\",\"action\":\"a\",\"action_input\":");
		for (int i = 0; i < 500000; i++)
			ag_buf_adds(&text, open ? "{" : "{\"a\":");
		assert_int_equal(ag_action_parse(ag_buf_view(&text), action_tools,
		                                 AG_NELEM(action_tools), arena, &p, &err),
		                 AG_PROTOCOL);
	}
	/* Many beginnings that are all broken at the end only are read twice at most, not sixty times. */
	ag_buf_clear(&text);
	for (int i = 0; i < 60; i++)
		ag_buf_adds(&text, "{\"a\":[[1],");
	for (int i = 0; i < 150000; i++)
		ag_buf_adds(&text, "{\"\":[1]},");
	before = ag_arena_bytes(arena);
	assert_int_equal(ag_action_parse(ag_buf_view(&text), action_tools, AG_NELEM(action_tools),
	                                 arena, &p, &err),
	                 AG_PROTOCOL);
	assert_in_range(ag_arena_bytes(arena) - before, 0, 64u << 20);
	/* Bytes that are no UTF-8. */
	assert_int_equal(ag_action_parse(AG_S("{\"reasoning\":\"\xff\",\"action\":\"a\"}"),
	                                 action_tools, AG_NELEM(action_tools), arena, &p, &err),
	                 AG_PROTOCOL);
	ag_buf_release(&text);
	ag_arena_free(arena);
}

/* Every cut of a good answer is an error, never a shorter action. */
static void cut_anywhere(void **state)
{
	static const ag_str whole = AG_S_INIT(
		"{\"reasoning\":\"r\",\"action\":\"run_query\",\"action_input\":{\"filter\":{\"a\":[1,"
		"{\"b\":\"}\"}]}},\"confidence\":0.25}");
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t n = 0; n < whole.len; n++) {
		char *part = malloc(n + 1); /* its end is watched by the sanitizer */
		ag_proposal p;
		ag_err err;

		memcpy(part, whole.ptr, n);
		assert_int_equal(ag_action_parse(ag_str_make(part, n), action_tools,
		                                 AG_NELEM(action_tools), arena, &p, &err),
		                 AG_PROTOCOL);
		free(part);
	}
	ag_arena_free(arena);
}

static void schema(void **state)
{
	static const ag_tool tools[] = { { .name = "one" }, { .name = "two" } };
	const ag_extjson_opts opts = { .reject_duplicates = true };
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(1 << 16);
	const ag_val *properties, *names;
	ag_err err;
	ag_val v;

	(void)state;
	ag_action_schema(tools, 2, AG_ACTION_BRIEF, &out);
	assert_int_equal(ag_extjson_parse(ag_buf_view(&out), &opts, arena, &v, NULL, NULL, &err),
	                 AG_OK);
	properties = ag_val_getc(&v, "properties");
	assert_int_equal(properties->n, 4);
	/* Reasons before the choice, in the order that a constrained server writes them. */
	assert_true(ag_str_eqc(properties->u.members[0].key, "reasoning"));
	assert_true(ag_str_eqc(properties->u.members[1].key, "action"));
	names = ag_val_getc(ag_val_getc(properties, "action"), "enum");
	assert_int_equal(names->n, 2);
	assert_true(ag_str_eqc(ag_val_text(&names->u.items[1]), "two"));
	assert_int_equal(ag_val_getc(&v, "required")->n, 4);
	assert_false(ag_val_truthy(ag_val_getc(&v, "additionalProperties")));
	ag_buf_release(&out);
	ag_arena_free(arena);
}

/* One object per action, with that action's name and its closed parameters. */
static void schema_of_each_action(void **state)
{
	const ag_extjson_opts opts = { .reject_duplicates = true };
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(1 << 16);
	const ag_val *list, *properties, *input;
	ag_err err;
	ag_val v;

	(void)state;
	ag_action_schema(action_tools, 5, AG_ACTION_UNION, &out);
	assert_int_equal(ag_extjson_parse(ag_buf_view(&out), &opts, arena, &v, NULL, NULL, &err),
	                 AG_OK);
	list = ag_val_getc(&v, "oneOf");
	assert_int_equal(list->n, 5);
	for (uint32_t i = 0; i < list->n; i++) {
		const ag_val *one = &list->u.items[i];
		const ag_val *names;

		properties = ag_val_getc(one, "properties");
		names = ag_val_getc(ag_val_getc(properties, "action"), "enum");
		assert_int_equal(names->n, 1);
		assert_true(ag_str_eqc(ag_val_text(&names->u.items[0]), action_tools[i].name));
		input = ag_val_getc(properties, "action_input");
		assert_int_equal(ag_val_getc(input, "properties")->n, action_tools[i].nparam);
		assert_false(ag_val_truthy(ag_val_getc(input, "additionalProperties")));
		assert_int_equal(ag_val_getc(one, "required")->n, 4);
		assert_false(ag_val_truthy(ag_val_getc(one, "additionalProperties")));
	}
	/* For servers that take no union at the top. */
	ag_buf_clear(&out);
	ag_action_schema(action_tools, 5, AG_ACTION_OBJECT, &out);
	assert_int_equal(ag_extjson_parse(ag_buf_view(&out), &opts, arena, &v, NULL, NULL, &err),
	                 AG_OK);
	assert_null(ag_val_getc(&v, "oneOf"));
	input = ag_val_getc(ag_val_getc(&v, "properties"), "action_input");
	assert_int_equal(ag_val_getc(input, "anyOf")->n, 5);
	ag_buf_release(&out);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
		cmocka_unit_test(huge_and_deep),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(schema),
		cmocka_unit_test(schema_of_each_action),
	};

	return cmocka_run_group_tests_name("agent_action", tests, NULL, NULL);
}
