/* Requests to model servers, byte for byte: tests/cases/llm/requests/. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "llm/wire.h"
#include "llm_cases.h"
#include "query/extjson.h"

typedef struct spec {
	const ag_llm_wire *wire;
	ag_llm_model m;
	ag_llm_request r;
	ag_llm_structured how;
	bool stream;
} spec;

/* --- a request out of JSON --- */

static bool flag(const ag_val *v, const char *key)
{
	const ag_val *b = ag_val_getc(v, key);

	return b && b->type == AG_T_BOOL && b->u.b;
}

static ag_str json_of(const ag_val *v, const char *key, ag_arena *arena)
{
	const ag_val *m = ag_val_getc(v, key);

	return m ? ag_extjson_str(arena, m, AG_EXTJSON_RELAXED) : AG_S("");
}

static ag_llm_part part_of(const ag_val *v)
{
	ag_llm_part p = { .type = AG_LLM_TEXT, .cache_here = flag(v, "cache") };

	if (v->type == AG_T_STRING) {
		p.text = ag_val_text(v);
		return p;
	}
	p.text = ag_val_member_str(v, "text");
	p.signature = ag_val_member_str(v, "signature");
	if (ag_val_getc(v, "thinking")) {
		p.type = AG_LLM_THINKING;
		p.text = ag_val_member_str(v, "thinking");
	} else if (ag_val_getc(v, "redacted")) {
		p.type = AG_LLM_THINKING;
		p.is_redacted = true;
		p.signature = ag_val_member_str(v, "redacted");
	} else if (ag_val_getc(v, "call")) {
		p.type = AG_LLM_TOOL_CALL;
		p.id = ag_val_member_str(v, "call");
		p.name = ag_val_member_str(v, "name");
		p.input = ag_val_member_str(v, "input");
	} else if (ag_val_getc(v, "result")) {
		p.type = AG_LLM_TOOL_RESULT;
		p.id = ag_val_member_str(v, "result");
		p.is_error = flag(v, "error");
	}
	return p;
}

static const ag_llm_part *parts_of(const ag_val *list, size_t *n, ag_arena *arena)
{
	ag_llm_part *parts = ag_new_n(arena, ag_llm_part, list ? list->n + 1 : 1);

	*n = list ? list->n : 0;
	for (size_t i = 0; i < *n; i++)
		parts[i] = part_of(&list->u.items[i]);
	return parts;
}

static void messages_of(spec *s, const ag_val *list, ag_arena *arena)
{
	ag_llm_message *m = ag_new_n(arena, ag_llm_message, list ? list->n + 1 : 1);

	s->r.nmessage = list ? list->n : 0;
	s->r.messages = m;
	for (size_t i = 0; i < s->r.nmessage; i++) {
		const ag_member *member = &list->u.items[i].u.members[0];

		m[i].role = ag_str_eqc(member->key, "user") ? AG_LLM_USER : AG_LLM_ASSISTANT;
		m[i].parts = parts_of(&member->val, &m[i].npart, arena);
	}
}

static void tools_of(spec *s, const ag_val *list, ag_arena *arena)
{
	ag_llm_tool *t = ag_new_n(arena, ag_llm_tool, list ? list->n + 1 : 1);

	s->r.ntool = list ? list->n : 0;
	s->r.tools = t;
	for (size_t i = 0; i < s->r.ntool; i++) {
		t[i].name = ag_val_member_str(&list->u.items[i], "name");
		t[i].help = ag_val_member_str(&list->u.items[i], "help");
		t[i].schema = json_of(&list->u.items[i], "schema", arena);
	}
}

static int choose(ag_str word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(word, words[i]))
			return (int)i;
	}
	return 0;
}

static void model_of(spec *s, const ag_val *m)
{
	ag_str refused = ag_val_member_str(m, "refused");

	ag_llm_model_init(&s->m);
	s->m.model = ag_val_member_str(m, "model");
	s->m.base_url = ag_val_member_str(m, "base_url");
	s->m.max_output_tokens = (unsigned)ag_val_member_u64(m, "max_output");
	s->m.thinking_tokens = (unsigned)ag_val_member_u64(m, "thinking");
	if (ag_val_getc(m, "temperature"))
		s->m.temperature = ag_val_member_num(m, "temperature");
	if (ag_str_contains(refused, AG_S("stream_options")))
		s->m.refused |= AG_LLM_NO_STREAM_OPTIONS;
	if (ag_str_contains(refused, AG_S("max_tokens")))
		s->m.refused |= AG_LLM_NO_MAX_TOKENS;
}

static void spec_of(spec *s, const llm_case *c, ag_arena *arena)
{
	static const char *const hows[] = { "auto", "schema", "tool", "prompt" };
	static const char *const choices[] = { "auto", "none", "any" };
	const ag_extjson_opts plain = { 0 };
	const ag_val *format;
	ag_err err = { 0 };
	ag_val v;

	*s = (spec){ .wire = ag_llm_wire_find(case_setting(c, "provider")) };
	assert_non_null(s->wire);
	if (ag_extjson_parse(c->input, &plain, arena, &v, NULL, NULL, &err))
		fail_msg("%.*s: %s", AG_FMT(c->name), err.msg);
	model_of(s, ag_val_getc(&v, "model"));
	s->how = (ag_llm_structured)choose(ag_val_member_str(&v, "how"), hows, AG_NELEM(hows));
	s->stream = flag(&v, "stream");
	s->r.system = parts_of(ag_val_getc(&v, "system"), &s->r.nsystem, arena);
	messages_of(s, ag_val_getc(&v, "messages"), arena);
	tools_of(s, ag_val_getc(&v, "tools"), arena);
	s->r.choice = (ag_llm_choice)choose(ag_val_member_str(&v, "choice"), choices,
	                                    AG_NELEM(choices));
	format = ag_val_getc(&v, "format");
	if (format) {
		s->r.format_name = ag_val_member_str(format, "name");
		s->r.format_schema = json_of(format, "schema", arena);
	}
	s->r.max_output_tokens = (unsigned)ag_val_member_u64(&v, "max");
}

/* --- byte for byte --- */

static ag_str request_of(const spec *s, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(1 << 20);
	ag_str ret;

	s->wire->request(&s->m, &s->r, s->how, s->stream, &b);
	assert_false(b.failed);
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

/* The lines of the expected request without their indents, as one. */
static ag_str one_line(ag_str text, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(1 << 20);
	ag_str ret;

	while (text.len) {
		ag_str line = ag_str_split(&text, '\n');

		while (line.len && line.ptr[0] == ' ')
			line = ag_str_make(line.ptr + 1, line.len - 1);
		ag_buf_add(&b, line);
	}
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

static size_t common(ag_str a, ag_str b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
		n++;
	return n;
}

static bool golden_case(const llm_case *c, ag_arena *arena)
{
	const ag_extjson_opts strict = { .reject_duplicates = true };
	spec s;
	ag_str got, want = one_line(c->want, arena);
	ag_err err = { 0 };
	ag_val v;

	spec_of(&s, c, arena);
	got = request_of(&s, arena);
	if (!ag_str_eq(got, want)) {
		print_error("--- differs at byte %zu\n", common(got, want));
		case_show("got", got);
		case_show("want", want);
		return false;
	}
	assert_true(ag_str_eq(request_of(&s, arena), got));
	if (ag_extjson_parse(got, &strict, arena, &v, NULL, NULL, &err)) {
		print_error("--- no JSON: %s\n", err.msg);
		return false;
	}
	return true;
}

static void test_golden(void **state)
{
	(void)state;
	assert_true(run_cases("requests/openai.cases", golden_case) >= 12);
	assert_true(run_cases("requests/anthropic.cases", golden_case) >= 15);
}

/* --- what server caches need --- */

/* What a budget shortens stands last: all before it is the same. */
static bool tail_case(const llm_case *c, ag_arena *arena)
{
	spec s;
	ag_str a, b;
	const char *tail;

	spec_of(&s, c, arena);
	s.m.thinking_tokens = 0;
	s.r.max_output_tokens = 3000;
	a = request_of(&s, arena);
	s.r.max_output_tokens = 2999;
	b = request_of(&s, arena);
	assert_int_equal(a.len, b.len);
	tail = memmem(a.ptr, a.len, "tokens\":3000}", 13);
	assert_non_null(tail);
	assert_int_equal(common(a, b), (size_t)(tail - a.ptr) + strlen("tokens\":"));
	return true;
}

/* A conversation that grows only adds behind the last message. */
static bool growing_case(const llm_case *c, ag_arena *arena)
{
	spec s;
	size_t n;
	ag_str all;

	if (!ag_str_eqc(case_setting(c, "grows"), "yes"))
		return true;
	spec_of(&s, c, arena);
	n = s.r.nmessage;
	all = request_of(&s, arena);
	for (s.r.nmessage = 1; s.r.nmessage < n; s.r.nmessage++) {
		ag_str part = request_of(&s, arena);
		const char *end = memmem(part.ptr, part.len, "],\"stream\":", 11);

		assert_non_null(end);
		assert_true(common(part, all) >= (size_t)(end - part.ptr));
	}
	return true;
}

static void test_prefix(void **state)
{
	(void)state;
	run_cases("requests/openai.cases", tail_case);
	run_cases("requests/anthropic.cases", tail_case);
	run_cases("requests/openai.cases", growing_case);
	run_cases("requests/anthropic.cases", growing_case);
}

/* --- headers, output --- */

static ag_str header(const ag_llm_wire *w, const ag_llm_model *m, const char *name, ag_arena *arena)
{
	ag_http_header h[AG_WIRE_MAX_HEADERS];
	size_t n = w->headers(m, arena, h);

	assert_true(n <= AG_WIRE_MAX_HEADERS);
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(h[i].name, name))
			return h[i].value;
	}
	return AG_S("absent");
}

static void test_headers(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_llm_wire *a = &ag_llm_wire_anthropic, *o = &ag_llm_wire_openai;
	ag_llm_model m;

	(void)state;
	ag_llm_model_init(&m);
	assert_true(ag_str_eqc(header(o, &m, "authorization", arena), "absent"));
	assert_true(ag_str_eqc(header(a, &m, "x-api-key", arena), "absent"));
	m.key = AG_S("k-1");
	assert_true(ag_str_eqc(header(o, &m, "authorization", arena), "Bearer k-1"));
	assert_true(ag_str_eqc(header(o, &m, "x-api-key", arena), "absent"));
	assert_true(ag_str_eqc(header(a, &m, "x-api-key", arena), "k-1"));
	assert_true(ag_str_eqc(header(a, &m, "authorization", arena), "absent"));
	assert_true(ag_str_eqc(header(a, &m, "anthropic-version", arena), "2023-06-01"));
	assert_true(ag_str_eqc(header(a, &m, "content-type", arena), "application/json"));
	assert_true(ag_str_eqc(header(o, &m, "content-type", arena), "application/json"));
	ag_arena_free(arena);
}

static void test_max_output(void **state)
{
	ag_llm_request r = { 0 };
	ag_llm_model m;

	(void)state;
	ag_llm_model_init(&m);
	assert_int_equal(ag_wire_max_output(&m, &r), 4096);
	m.thinking_tokens = 2000;
	assert_int_equal(ag_wire_max_output(&m, &r), 6096);
	m.max_output_tokens = UINT32_MAX;
	assert_int_equal(ag_wire_max_output(&m, &r), UINT32_MAX);
	r.max_output_tokens = 64;
	assert_int_equal(ag_wire_max_output(&m, &r), 64);
}

/* Requests go on when the buffer's limit is met: nothing is read behind it. */
static void test_full_buffer(void **state)
{
	ag_llm_part text = { .type = AG_LLM_TEXT, .text = AG_S("0123456789") };
	ag_llm_message msg = { .role = AG_LLM_USER, .parts = &text, .npart = 1 };
	ag_llm_request r = { .messages = &msg, .nmessage = 1 };
	size_t n;
	const ag_llm_wire *const *wires = ag_llm_wires(&n);
	ag_llm_model m;

	(void)state;
	ag_llm_model_init(&m);
	for (size_t i = 0; i < n; i++) {
		ag_buf b = AG_BUF_INIT(40);

		wires[i]->request(&m, &r, AG_LLM_STRUCTURED_PROMPT, true, &b);
		assert_true(b.failed);
		ag_buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),      cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_headers),     cmocka_unit_test(test_max_output),
		cmocka_unit_test(test_full_buffer),
	};

	return cmocka_run_group_tests_name("llm_request", tests, NULL, NULL);
}
