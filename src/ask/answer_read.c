/* answer_read -- an answer read again: our own, and those of other programs that answer in the seed's form.
 *
 * The seed's form is {"answer","source","tool_calls":[{"tool","args","result"}]} and nothing else, and its implementations
 * differ: a result that is JSON instead of its text, arguments as text, no source at all. All that is taken; what is missing
 * stays empty, so that verify can tell what cannot be checked. A member of the wrong type is an error that names it, for a
 * silent "" would let a forged answer pass. */
#include "ask/answer.h"

#include <math.h>

#include "base/utf8.h"
#include "query/extjson.h"

static const char origin[] = "ask.answer";

#define MAX_CALLS     10000u
#define MAX_CITATIONS 10000u

ag_str ag_answer_utf8(ag_str text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(text.len * 3 + 1);
	size_t from = 0;
	ag_str ret;

	if (ag_utf8_valid(text))
		return text;
	for (size_t i = 0; i < text.len;) {
		size_t at = i;

		/* A real U+FFFD is three bytes long; a bad byte is one. */
		if (ag_utf8_next(text, &i) == 0xFFFD && i - at == 1) {
			ag_buf_add(&out, ag_str_make(text.ptr + from, at - from));
			ag_buf_adds(&out, "\xEF\xBF\xBD");
			from = i;
		}
	}
	ag_buf_add(&out, ag_str_make(text.ptr + from, text.len - from));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* --- members, each with its place --- */

typedef struct reader {
	ag_arena *arena;
	ag_err *err;
	ag_str place; /* "tool_calls[2]." */
	ag_status st; /* the first thing that was wrong */
} reader;

static void complain(reader *r, const char *key, const char *want, const ag_val *got)
{
	if (!r->st)
		r->st = ag_fail(r->err, AG_INVALID, origin, "%.*s%s: want %s, got %s",
		                AG_FMT(r->place), key, want,
		                got ? ag_type_seed_name(got->type) : "nothing");
}

static bool is_absent(const ag_val *v)
{
	return !v || v->type == AG_T_NULL;
}

static ag_str text_of(reader *r, const ag_val *obj, const char *key)
{
	const ag_val *v = ag_val_getc(obj, key);

	if (is_absent(v))
		return AG_S("");
	if (v->type != AG_T_STRING) {
		complain(r, key, "a string", v);
		return AG_S("");
	}
	return ag_val_text(v);
}

static uint64_t count_of(reader *r, const ag_val *obj, const char *key, uint64_t max)
{
	const ag_val *v = ag_val_getc(obj, key);
	int64_t n = 0;

	if (is_absent(v))
		return 0;
	if (!ag_val_to_i64(v, &n) || n < 0 || (uint64_t)n > max) {
		complain(r, key, "a count", v);
		return 0;
	}
	return (uint64_t)n;
}

static bool truth_of(reader *r, const ag_val *obj, const char *key)
{
	const ag_val *v = ag_val_getc(obj, key);

	if (is_absent(v))
		return false;
	if (v->type != AG_T_BOOL)
		complain(r, key, "true or false", v);
	return v->type == AG_T_BOOL && v->u.b;
}

/* An object or a list; NULL when it is absent, and when it is something else, which is told. */
static const ag_val *part_of(reader *r, const ag_val *obj, const char *key, ag_type type)
{
	const ag_val *v = ag_val_getc(obj, key);

	if (is_absent(v))
		return NULL;
	if (v->type != type) {
		complain(r, key, type == AG_T_ARRAY ? "a list" : "an object", v);
		return NULL;
	}
	return v;
}

/* --- calls --- */

static ag_seen_file read_file(reader *r, const ag_val *v)
{
	ag_seen_file f = { .path = AG_S(""), .sha256 = AG_S("") };

	if (!v)
		return f;
	r->place = ag_str_printf(r->arena, "%.*sfile.", AG_FMT(r->place));
	f.path = text_of(r, v, "path");
	f.sha256 = text_of(r, v, "sha256");
	f.first_line = (unsigned)count_of(r, v, "first_line", UINT32_MAX);
	f.last_line = (unsigned)count_of(r, v, "last_line", UINT32_MAX);
	f.nline = (unsigned)count_of(r, v, "lines", UINT32_MAX);
	return f;
}

/* Objects as their text; a string that is no JSON as a JSON string, as ag_answer_call wants it. */
static ag_str json_of(reader *r, const ag_val *v)
{
	if (is_absent(v))
		return AG_S("{}");
	return ag_extjson_str(r->arena, v, AG_EXTJSON_RELAXED);
}

static ag_answer_call read_call(reader *r, const ag_val *v)
{
	const ag_val *result = ag_val_getc(v, "result");
	ag_answer_call c = { .tool = text_of(r, v, "tool") };

	if (v->type != AG_T_OBJECT) {
		complain(r, "", "an object", v);
		return c;
	}
	if (!c.tool.len)
		complain(r, "tool", "the name of a tool", ag_val_getc(v, "tool"));
	c.args = json_of(r, ag_val_getc(v, "args"));
	/* Some give the result of query_api as an object. */
	if (is_absent(result))
		c.result = AG_S("");
	else if (result->type == AG_T_STRING)
		c.result = ag_val_text(result);
	else
		c.result = json_of(r, result);
	c.ok = truth_of(r, v, "ok");
	c.sha256 = text_of(r, v, "sha256");
	c.folder = text_of(r, v, "folder");
	c.request = text_of(r, v, "request");
	c.status = (int)count_of(r, v, "status", 999);
	c.file = read_file(r, part_of(r, v, "file", AG_T_OBJECT));
	return c;
}

static ag_citation read_citation(reader *r, const ag_val *v)
{
	ag_citation c = { .path = text_of(r, v, "path") };

	if (v->type != AG_T_OBJECT) {
		complain(r, "", "an object", v);
		return c;
	}
	if (!c.path.len)
		complain(r, "path", "the path of a file", ag_val_getc(v, "path"));
	c.anchor = text_of(r, v, "anchor");
	c.title = text_of(r, v, "title");
	c.line = (unsigned)count_of(r, v, "line", UINT32_MAX);
	c.last_line = (unsigned)count_of(r, v, "last_line", UINT32_MAX);
	c.quote = text_of(r, v, "quote");
	c.sha256 = text_of(r, v, "sha256");
	c.instead_of = text_of(r, v, "instead_of");
	return c;
}

/* A list that is not longer than it may be; n is 0 when there is none. */
static const ag_val *list_of(reader *r, const ag_val *v, const char *key, size_t max, size_t *ret_n)
{
	const ag_val *list = part_of(r, v, key, AG_T_ARRAY);

	*ret_n = list ? list->n : 0;
	if (*ret_n <= max)
		return list;
	if (!r->st)
		r->st = ag_fail(r->err, AG_LIMIT, origin, "%s: %zu entries, at most %zu are read",
		                key, *ret_n, max);
	*ret_n = 0;
	return NULL;
}

static void read_usage(reader *r, const ag_val *v, ag_answer *a)
{
	const ag_val *usd;

	if (!v)
		return;
	usd = ag_val_getc(v, "usd");
	r->place = AG_S("usage.");
	a->model_calls = count_of(r, v, "model_calls", INT64_MAX);
	a->input_tokens = count_of(r, v, "input_tokens", INT64_MAX);
	a->output_tokens = count_of(r, v, "output_tokens", INT64_MAX);
	if (is_absent(usd))
		return;
	a->usd = ag_val_number(usd);
	if (!isfinite(a->usd) || a->usd < 0)
		complain(r, "usd", "an amount", usd);
	if (!(a->usd > 0)) /* -0 comes back as 0 */
		a->usd = 0;
}

ag_status ag_answer_read(const ag_val *v, ag_arena *arena, ag_answer *ret, ag_err *err)
{
	reader r = { .arena = arena, .err = err, .place = AG_S("") };
	const ag_val *calls, *citations;
	ag_answer a = { 0 };
	ag_citation *cited;
	ag_answer_call *called;

	if (!ag_answer_is(v))
		return ag_fail(err, AG_INVALID, origin,
		               "this is no answer of `argus ask`: no \"answer\" with its "
		               "\"tool_calls\" or \"source\"");
	a.answer = text_of(&r, v, "answer");
	a.source = text_of(&r, v, "source");
	a.status = text_of(&r, v, "status");
	a.why = text_of(&r, v, "why");
	a.mode = text_of(&r, v, "mode");
	a.question = text_of(&r, v, "question");
	a.root = text_of(&r, v, "root");
	a.run = text_of(&r, v, "run");
	calls = list_of(&r, v, "tool_calls", MAX_CALLS, &a.ncall);
	citations = list_of(&r, v, "citations", MAX_CITATIONS, &a.ncitation);
	called = ag_new_n(arena, ag_answer_call, a.ncall + 1);
	for (size_t i = 0; i < a.ncall && !r.st; i++) {
		r.place = ag_str_printf(arena, "tool_calls[%zu].", i);
		called[i] = read_call(&r, &calls->u.items[i]);
	}
	cited = ag_new_n(arena, ag_citation, a.ncitation + 1);
	for (size_t i = 0; i < a.ncitation && !r.st; i++) {
		r.place = ag_str_printf(arena, "citations[%zu].", i);
		cited[i] = read_citation(&r, &citations->u.items[i]);
	}
	a.calls = called;
	a.citations = cited;
	r.place = AG_S("");
	read_usage(&r, part_of(&r, v, "usage", AG_T_OBJECT), &a);
	if (r.st)
		return r.st;
	*ret = a;
	return AG_OK;
}

bool ag_answer_is(const ag_val *v)
{
	return v && v->type == AG_T_OBJECT && ag_val_getc(v, "answer") &&
	       (ag_val_getc(v, "tool_calls") || ag_val_getc(v, "source")) &&
	       !ag_val_getc(v, "findings") && !ag_val_getc(v, "reports");
}
