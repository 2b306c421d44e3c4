/* Replies of model servers: tests/cases/llm/replies_*.cases, whole, in any pieces, and cut anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/json.h"
#include "llm/wire.h"
#include "llm_cases.h"
#include "net/sse.h"

#define MAX_CALLS 300 /* more than a reply keeps */

typedef struct outcome {
	ag_acc *acc;
	ag_status status;
	ag_err err;
	ag_llm_reply reply;
	ag_buf shown[2];                            /* what on_delta was given: text, thinking */
	ag_buf names[MAX_CALLS], inputs[MAX_CALLS]; /* and calls */
} outcome;

typedef struct reader {
	const ag_llm_wire *wire;
	ag_acc *acc;
} reader;

static ag_status one_event(void *arg, const ag_sse_event *ev, ag_err *err)
{
	reader *r = arg;

	return r->wire->event(ev->name, ev->data, r->acc, err);
}

static void one_delta(void *arg, const ag_llm_delta *d)
{
	outcome *o = arg;

	switch (d->type) {
	case AG_LLM_DELTA_TEXT: ag_buf_add(&o->shown[0], d->text); break;
	case AG_LLM_DELTA_THINKING: ag_buf_add(&o->shown[1], d->text); break;
	case AG_LLM_DELTA_CALL:
		assert_true(d->call < MAX_CALLS);
		assert_int_equal(o->inputs[d->call].len, 0);
		ag_buf_add(&o->names[d->call], d->text);
		break;
	case AG_LLM_DELTA_INPUT: ag_buf_add(&o->inputs[d->call % MAX_CALLS], d->text); break;
	case AG_LLM_DELTA_VOID: fail_msg("a reader takes nothing back"); break;
	}
}

/* What was shown of each call is what the reply says of it. */
static void check_shown_calls(const outcome *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->reply.npart; i++) {
		const ag_llm_part *p = &o->reply.parts[i];

		if (p->type != AG_LLM_TOOL_CALL || n == MAX_CALLS)
			continue;
		if (o->inputs[n].len && o->status == AG_OK) {
			assert_true(ag_str_eq(ag_buf_view(&o->names[n]), p->name));
			assert_true(ag_str_eq(ag_str_trim(ag_buf_view(&o->inputs[n])),
			                      ag_str_trim(p->input)));
		}
		n++;
	}
}

static const ag_llm_wire *wire_of(const llm_case *c)
{
	const ag_llm_wire *w = ag_llm_wire_find(case_setting(c, "provider"));

	if (!w)
		fail_msg("%s: %.*s: no provider", c->file, AG_FMT(c->name));
	return w;
}

static void start(outcome *o)
{
	*o = (outcome){ .acc = ag_acc_new() };
	ag_buf_init(&o->shown[0], 1 << 20);
	ag_buf_init(&o->shown[1], 1 << 20);
	for (size_t i = 0; i < MAX_CALLS; i++) {
		ag_buf_init(&o->names[i], 1 << 20);
		ag_buf_init(&o->inputs[i], 1 << 20);
	}
	ag_acc_on_delta(o->acc, one_delta, o);
}

static void finish(outcome *o, const llm_case *c, ag_arena *arena)
{
	ag_err e = { 0 };
	ag_status st = ag_acc_reply(o->acc, case_setting(c, "format"), arena, &o->reply, &e);

	if (st && !o->status) {
		o->status = st;
		o->err = e;
	}
	check_shown_calls(o);
}

static void release(outcome *o)
{
	ag_acc_free(o->acc);
	ag_buf_release(&o->shown[0]);
	ag_buf_release(&o->shown[1]);
	for (size_t i = 0; i < MAX_CALLS; i++) {
		ag_buf_release(&o->names[i]);
		ag_buf_release(&o->inputs[i]);
	}
}

/* Feeds `bytes` in pieces of `piece` bytes, the first of `first`. */
static void feed_stream(outcome *o, const llm_case *c, ag_str bytes, size_t first, size_t piece,
                        ag_arena *arena)
{
	reader r = { .wire = wire_of(c) };
	ag_sse sse;
	size_t n = first;

	start(o);
	r.acc = o->acc;
	ag_sse_init(&sse, one_event, &r);
	for (size_t at = 0; at < bytes.len && !o->status; at += n, n = piece) {
		n = n < bytes.len - at ? n : bytes.len - at;
		o->status = ag_sse_feed(&sse, ag_str_make(bytes.ptr + at, n), &o->err);
	}
	if (!o->status)
		o->status = ag_sse_end(&sse, &o->err);
	ag_sse_release(&sse);
	finish(o, c, arena);
}

static void feed_body(outcome *o, const llm_case *c, ag_arena *arena)
{
	start(o);
	o->status = wire_of(c)->reply(c->input, o->acc, &o->err);
	finish(o, c, arena);
}

/* --- an outcome as text --- */

static void show_text(ag_buf *out, const char *word, ag_str text)
{
	ag_buf_adds(out, word);
	ag_buf_addc(out, ' ');
	ag_json_quote(out, text);
}

static void show_part(ag_buf *out, const ag_llm_part *p)
{
	switch (p->type) {
	case AG_LLM_TEXT: show_text(out, "text", p->text); break;
	case AG_LLM_THINKING:
		show_text(out, p->is_redacted ? "redacted" : "thinking", p->text);
		break;
	case AG_LLM_TOOL_CALL:
		ag_buf_addf(out, "call %.*s %.*s %.*s", AG_FMT(p->id), AG_FMT(p->name),
		            AG_FMT(p->input));
		break;
	case AG_LLM_TOOL_RESULT: ag_buf_adds(out, "a tool's result"); break;
	}
	if (p->signature.len)
		show_text(out, " signature", p->signature);
	ag_buf_addc(out, '\n');
}

static void show_count(ag_buf *out, const char *word, uint64_t n)
{
	if (n)
		ag_buf_addf(out, " %s %llu", word, (unsigned long long)n);
}

static void show_parts(ag_buf *out, const outcome *o)
{
	for (size_t i = 0; i < o->reply.npart; i++)
		show_part(out, &o->reply.parts[i]);
}

static size_t joined_len(const outcome *o, ag_llm_part_type type)
{
	size_t n = 0;

	for (size_t i = 0; i < o->reply.npart; i++)
		n += o->reply.parts[i].type == type ? o->reply.parts[i].text.len : 0;
	return n;
}

static ag_str show(const outcome *o, const llm_case *c, ag_arena *arena)
{
	static const char *const stops[] = { "end", "length", "tools", "refusal", "other" };
	const ag_llm_usage *u = &o->reply.usage;
	ag_buf out = AG_BUF_INIT(1 << 20);
	ag_str ret;

	show_parts(&out, o);
	if (o->reply.text.len != joined_len(o, AG_LLM_TEXT)) {
		show_text(&out, "joined", o->reply.text);
		ag_buf_addc(&out, '\n');
	}
	if (case_setting(c, "format").len)
		ag_buf_addf(&out, "json %.*s\n", AG_FMT(o->reply.json));
	ag_buf_addf(&out, "stop %s%s\n", stops[o->reply.stop],
	            ag_acc_is_done(o->acc) ? "" : ", cut");
	ag_buf_adds(&out, "usage");
	show_count(&out, "in", u->input_tokens);
	show_count(&out, "out", u->output_tokens);
	show_count(&out, "cached", u->cached_tokens);
	show_count(&out, "written", u->cache_write_tokens);
	show_count(&out, "thinking", u->thinking_tokens);
	ag_buf_addf(&out, "%s\n", u->is_estimated ? " estimated" : "");
	if (o->reply.model.len)
		ag_buf_addf(&out, "model %.*s\n", AG_FMT(o->reply.model));
	if (o->status)
		ag_buf_addf(&out, "error %s %s: %s\n", ag_status_name(o->status), o->err.origin,
		            o->err.msg);
	if (o->status && o->err.hint[0])
		ag_buf_addf(&out, "hint %s\n", o->err.hint);
	ret = ag_str_trim(ag_buf_dup(arena, &out));
	ag_buf_release(&out);
	return ret;
}

static bool complain(const char *what, ag_str got, ag_str want)
{
	print_error("--- %s\n", what);
	case_show("got", got);
	case_show("want", want);
	return false;
}

/* --- whole --- */

static ag_str joined(const outcome *o, ag_llm_part_type type, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(1 << 20);
	ag_str ret;

	for (size_t i = 0; i < o->reply.npart; i++) {
		if (o->reply.parts[i].type == type)
			ag_buf_add(&b, o->reply.parts[i].text);
	}
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

/* What was shown on the way is what the reply holds. */
static bool shown_is_said(const outcome *o, ag_arena *arena)
{
	for (int i = 0; i < 2; i++) {
		ag_str said = joined(o, i ? AG_LLM_THINKING : AG_LLM_TEXT, arena);
		ag_str shown = ag_buf_view(&o->shown[i]);

		if (!ag_str_starts(said, shown) ||
		    (ag_acc_is_done(o->acc) && said.len != shown.len))
			return complain("deltas differ from the reply", shown, said);
	}
	return true;
}

static bool whole_case(const llm_case *c, ag_arena *arena)
{
	bool is_stream = ag_str_eqc(c->kind, "stream"), ok;
	outcome o;
	ag_str got;

	assert_true(is_stream || ag_str_eqc(c->kind, "body"));
	if (is_stream)
		feed_stream(&o, c, c->input, c->input.len, 1, arena);
	else
		feed_body(&o, c, arena);
	got = show(&o, c, arena);
	ok = ag_str_eq(got, c->want) || complain("another reply", got, c->want);
	ok = shown_is_said(&o, arena) && ok;
	release(&o);
	return ok;
}

static void test_replies(void **state)
{
	(void)state;
	assert_true(run_cases("replies_openai.cases", whole_case) >= 30);
	assert_true(run_cases("replies_anthropic.cases", whole_case) >= 15);
	assert_true(run_cases("replies_errors.cases", whole_case) >= 20);
}

/* --- in pieces --- */

static ag_str with_line_end(ag_str text, const char *end, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(1 << 20);
	ag_str ret;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\n')
			ag_buf_adds(&b, end);
		else
			ag_buf_addc(&b, text.ptr[i]);
	}
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

static bool one_feed(const llm_case *c, ag_str bytes, size_t first, size_t piece, ag_arena *arena)
{
	outcome o;
	ag_str got;
	bool ok;

	ag_arena_reset(arena);
	feed_stream(&o, c, bytes, first, piece, arena);
	got = show(&o, c, arena);
	ok = ag_str_eq(got, c->want);
	if (!ok) {
		print_error("split at %zu of %zu, pieces of %zu\n", first, bytes.len, piece);
		complain("another reply in pieces", got, c->want);
	}
	release(&o);
	return ok;
}

static bool split_case(const llm_case *c, ag_arena *arena)
{
	ag_arena *step;
	ag_str crlf = with_line_end(c->input, "\r\n", arena),
	       cr = with_line_end(c->input, "\r", arena);
	bool ok = true;

	if (!ag_str_eqc(c->kind, "stream"))
		return true;
	step = ag_arena_new();
	for (size_t at = 0; at <= c->input.len && ok; at++)
		ok = one_feed(c, c->input, at, c->input.len, step);
	ok = ok && one_feed(c, c->input, 1, 1, step) && one_feed(c, c->input, 7, 7, step);
	ok = ok && one_feed(c, crlf, 1, 1, step) && one_feed(c, crlf, crlf.len, 1, step);
	ok = ok && one_feed(c, cr, 1, 1, step) && one_feed(c, cr, cr.len, 1, step);
	ag_arena_free(step);
	return ok;
}

static void test_split_anywhere(void **state)
{
	(void)state;
	run_cases("replies_openai.cases", split_case);
	run_cases("replies_anthropic.cases", split_case);
	run_cases("replies_errors.cases", split_case);
}

/* --- cut --- */

static ag_str parts_of(const outcome *o, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(1 << 20);
	ag_str ret;

	show_parts(&b, o);
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

/* What came is the beginning of what would have come; and whoever says that it is whole has all of it. */
static bool cut_is_a_beginning(const outcome *all, const outcome *o, ag_arena *arena)
{
	for (int i = 0; i < 2; i++) {
		ag_llm_part_type type = i ? AG_LLM_THINKING : AG_LLM_TEXT;
		ag_str before = joined(o, type, arena), whole = joined(all, type, arena);

		/* "<thi" may be all that there is of a tag. */
		if (!ag_str_starts(whole, before) &&
		    !ag_str_starts(AG_S("<thinking>"), ag_str_trim(before)))
			return complain("cut, and no beginning", before, whole);
	}
	if (ag_acc_is_done(o->acc) && !ag_str_eq(parts_of(o, arena), parts_of(all, arena)))
		return complain("done, and not whole", parts_of(o, arena), parts_of(all, arena));
	if (!ag_acc_is_done(o->acc) && o->reply.stop != AG_LLM_STOP_OTHER)
		return complain("a stop reason without an end", AG_S(""), AG_S(""));
	return true;
}

static bool cut_case(const llm_case *c, ag_arena *arena)
{
	ag_arena *step;
	outcome all;
	bool ok = true, done = false;

	if (!ag_str_eqc(c->kind, "stream"))
		return true;
	step = ag_arena_new();
	feed_stream(&all, c, c->input, c->input.len, 1, arena);
	for (size_t at = 0; at < c->input.len && ok; at++) {
		outcome o;

		ag_arena_reset(step);
		feed_stream(&o, c, ag_str_make(c->input.ptr, at), at, 1, step);
		ok = cut_is_a_beginning(&all, &o, step);
		if (o.status && o.status != AG_PROTOCOL && o.status != all.status)
			ok = complain("another error", ag_str_c(o.err.msg), ag_str_c(all.err.msg));
		if (done && !ag_acc_is_done(o.acc))
			ok = complain("done, and with more bytes no longer", AG_S(""), AG_S(""));
		done = ag_acc_is_done(o.acc);
		if (!ok)
			print_error("cut at %zu of %zu\n", at, c->input.len);
		release(&o);
	}
	release(&all);
	ag_arena_free(step);
	return ok;
}

static void test_cut_anywhere(void **state)
{
	(void)state;
	run_cases("replies_openai.cases", cut_case);
	run_cases("replies_anthropic.cases", cut_case);
	run_cases("replies_errors.cases", cut_case);
}

/* A whole answer that is cut is an error that says so, and nothing of it is believed. */
static bool cut_body_case(const llm_case *c, ag_arena *arena)
{
	bool ok = true;

	if (!ag_str_eqc(c->kind, "body") || c->input.ptr[0] != '{')
		return true;
	for (size_t at = 0; at + 2 < c->input.len && ok; at++) {
		llm_case part = *c;
		outcome o;

		part.input = ag_str_make(c->input.ptr, at);
		feed_body(&o, &part, arena);
		ok = o.status == AG_PROTOCOL && !ag_acc_is_done(o.acc);
		if (!ok)
			complain("a body that is cut was taken", part.input, AG_S("protocol"));
		release(&o);
	}
	return ok;
}

static void test_cut_body(void **state)
{
	(void)state;
	run_cases("replies_openai.cases", cut_body_case);
	run_cases("replies_anthropic.cases", cut_body_case);
}

/* --- limits --- */

static void test_too_large(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_acc *a = ag_acc_new();
	char *mb = ag_xmalloc(1 << 20);
	ag_llm_reply r;
	ag_err err = { 0 };

	(void)state;
	memset(mb, 'x', 1 << 20);
	for (unsigned i = 0; i < AG_WIRE_MAX_REPLY_BYTES >> 20; i++)
		ag_acc_text(a, 0, ag_str_make(mb, 1 << 20));
	assert_int_equal(ag_acc_reply(a, AG_S(""), arena, &r, &err), AG_OK);
	ag_acc_text(a, 0, AG_S("y"));
	assert_int_equal(ag_acc_reply(a, AG_S(""), arena, &r, &err), AG_LIMIT);
	assert_string_equal(err.msg, "the answer is larger than 16 MB");
	assert_int_equal(r.text.len, AG_WIRE_MAX_REPLY_BYTES);
	assert_int_equal(r.text.ptr[r.text.len - 1], 'x');
	/* The reader of an event stops the stream. */
	assert_int_equal(ag_llm_wire_openai.event(AG_S(""), AG_S("{\"choices\":[]}"), a, &err),
	                 AG_LIMIT);
	free(mb);
	ag_acc_free(a);
	ag_arena_free(arena);
}

static void test_too_many_calls(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_acc *a = ag_acc_new();
	ag_llm_reply r;
	ag_err err = { 0 };

	(void)state;
	for (unsigned i = 0; i < AG_WIRE_MAX_TOOL_CALLS; i++)
		ag_acc_tool(a, i, AG_S(""), AG_S("t"));
	assert_int_equal(ag_acc_reply(a, AG_S(""), arena, &r, &err), AG_OK);
	assert_int_equal(r.npart, AG_WIRE_MAX_TOOL_CALLS);
	assert_true(ag_str_eqc(r.parts[255].id, "call_256"));
	assert_int_equal(r.ncut, 0);
	/* Further calls are counted and left out, in pieces as well, and the last one that is kept stays as it is. */
	ag_acc_tool(a, AG_WIRE_MAX_TOOL_CALLS, AG_S("x"), AG_S("t"));
	ag_acc_tool_input(a, AG_WIRE_MAX_TOOL_CALLS, AG_S("{\"n\":"));
	ag_acc_tool_input(a, AG_WIRE_MAX_TOOL_CALLS, AG_S("1}"));
	for (int i = 0; i < 2; i++) {
		const ag_str pieces[] = {
			AG_S("{\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"y\",\"function\":"
			     "{\"name\":\"u\",\"arguments\":\"{\"}}]}}]}"),
			AG_S("{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":"
			     "{\"arguments\":\"\\\"n\\\":2}\"}}]}}]}"),
		};

		assert_int_equal(ag_llm_wire_openai.event(AG_S(""), pieces[i], a, &err), AG_OK);
	}
	assert_int_equal(ag_acc_reply(a, AG_S(""), arena, &r, &err), AG_OK);
	assert_int_equal(r.npart, AG_WIRE_MAX_TOOL_CALLS);
	assert_int_equal(r.ncut, 2);
	assert_true(ag_str_eqc(r.parts[255].input, "{}"));
	ag_acc_free(a);
	ag_arena_free(arena);
}

/* A call that is left out is counted once, in whatever way its server sends the pieces. */
static void test_a_cut_call_counts_once(void **state)
{
#define CALL(head, arguments) \
	"{\"choices\":[{\"delta\":{\"tool_calls\":[{" head "\"function\":{" arguments "}}]}}]}"
	static const struct {
		const char *pieces[5];
		size_t ncut;
	} cases[] = {
		/* Name and id in every piece. */
		{ { CALL("\"index\":256,\"id\":\"y\",",
		         "\"name\":\"u\",\"arguments\":\"{\\\"n\\\":\""),
		    CALL("\"index\":256,\"id\":\"y\",", "\"name\":\"u\",\"arguments\":\"2\""),
		    CALL("\"index\":256,\"id\":\"y\",", "\"name\":\"u\",\"arguments\":\"}\""),
		    CALL("\"index\":256,\"id\":\"y\",", "\"name\":\"u\",\"arguments\":\"\"") },
		  1 },
		/* The name in every piece, a new id as well. */
		{ { CALL("\"index\":256,\"id\":\"y1\",",
		         "\"name\":\"u\",\"arguments\":\"{\\\"n\\\":\""),
		    CALL("\"index\":256,\"id\":\"y2\",", "\"name\":\"u\",\"arguments\":\"2}\"") },
		  1 },
		/* Neither index nor id. */
		{ { CALL("", "\"name\":\"u\",\"arguments\":\"{\\\"n\\\":\""),
		    CALL("", "\"name\":\"u\",\"arguments\":\"2}\""),
		    CALL("", "\"name\":\"u\",\"arguments\":\"{}\"") },
		  2 },
		/* Two calls with whole inputs. */
		{ { CALL("\"index\":0,\"id\":\"y1\",", "\"name\":\"u\",\"arguments\":\"{}\""),
		    CALL("\"index\":0,\"id\":\"y2\",", "\"name\":\"u\",\"arguments\":\"{}\"") },
		  2 },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++) {
		ag_arena *arena = ag_arena_new();
		ag_acc *a = ag_acc_new();
		ag_llm_reply r;
		ag_err err = { 0 };

		for (unsigned k = 0; k < AG_WIRE_MAX_TOOL_CALLS; k++) {
			ag_acc_tool(a, k, ag_str_printf(arena, "id%u", k), AG_S("t"));
			ag_acc_tool_input(a, k, AG_S("{}"));
		}
		for (size_t k = 0; cases[i].pieces[k]; k++)
			assert_int_equal(ag_llm_wire_openai.event(
						 AG_S(""), ag_str_c(cases[i].pieces[k]), a, &err),
			                 AG_OK);
		assert_int_equal(ag_acc_reply(a, AG_S(""), arena, &r, &err), AG_OK);
		if (r.ncut != cases[i].ncut)
			fail_msg("case %zu: %zu calls were left out", i, r.ncut);
		assert_int_equal(r.npart, AG_WIRE_MAX_TOOL_CALLS);
		assert_true(ag_str_eqc(r.parts[255].input, "{}"));
		ag_acc_free(a);
		ag_arena_free(arena);
	}
#undef CALL
}

/* The arguments are read as long as nothing is left of the scan: a megabyte in pieces of 4 bytes takes no second. */
static void test_many_pieces(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_acc *a = ag_acc_new();
	ag_llm_reply r;
	ag_err err = { 0 };

	(void)state;
	ag_acc_tool(a, 0, AG_S("a"), AG_S("t"));
	ag_acc_tool_input(a, 0, AG_S("{\"x\":\""));
	for (unsigned i = 0; i < 1 << 18; i++)
		ag_acc_tool_input(a, 0, AG_S("abcd"));
	ag_acc_tool_input(a, 0, AG_S("\"}"));
	ag_acc_done(a);
	assert_int_equal(ag_acc_reply(a, AG_S("t"), arena, &r, &err), AG_OK);
	assert_int_equal(r.json.len, (1 << 20) + 8);
	ag_acc_free(a);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replies),
		cmocka_unit_test(test_split_anywhere),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_cut_body),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_too_many_calls),
		cmocka_unit_test(test_a_cut_call_counts_once),
		cmocka_unit_test(test_many_pieces),
	};

	return cmocka_run_group_tests_name("llm_wire", tests, NULL, NULL);
}
