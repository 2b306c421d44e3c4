/* A script is lines; what is indented belongs to the line above it. Level 0 are the words of script_top[], level 1 the
 * words of an answer (script_words.c), deeper lines continue the text of the word above. Nothing is guessed: an unknown
 * word, a value too many or a line indented for no reason is an error that names file and line.
 *
 * Read fm_script_read() first, then fm_script_pick(). */
#include "script.h"

#include <stdio.h>
#include <stdlib.h>

#include "query/extjson.h"

#define MAX_SCRIPT_BYTES (64u << 20)

ag_status fm_script_fail(const fm_line *l, ag_err *err, const char *fmt, ...)
{
	char msg[360];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return ag_fail(err, AG_INVALID, "fake.script", "%s:%u: %s", l->file, l->no, msg);
}

bool fm_next_word(ag_arena *arena, ag_str *rest, ag_str *ret, bool *was_quoted)
{
	size_t n = 0;
	ag_str s = ag_str_trim(*rest);
	const ag_extjson_opts opts = { 0 };
	ag_val v;

	*was_quoted = s.len && s.ptr[0] == '"';
	*ret = ag_str_make(NULL, 0);
	*rest = s;
	if (!s.len)
		return true;
	if (!*was_quoted) {
		while (n < s.len && !memchr(" \t\r\n", s.ptr[n], 4))
			n++;
		*ret = ag_str_make(s.ptr, n);
		*rest = ag_str_make(s.ptr + n, s.len - n);
		return true;
	}
	for (n = 1; n < s.len && s.ptr[n] != '"'; n++)
		if (s.ptr[n] == '\\')
			n++;
	if (n >= s.len ||
	    ag_extjson_parse(ag_str_make(s.ptr, n + 1), &opts, arena, &v, NULL, NULL, NULL))
		return false;
	*ret = ag_val_text(&v);
	*rest = ag_str_make(s.ptr + n + 1, s.len - n - 1);
	return true;
}

/* ---------------------------------------------------------------- the head of an answer */

typedef struct head_reader {
	fm_answer *answer;
	fm_line *line;
	ag_str rest;
	ag_err *err;
} head_reader;

/* The value behind a word. */
static bool head_value(head_reader *h, const char *what, ag_str *ret)
{
	bool quoted;

	if (fm_next_word(h->line->arena, &h->rest, ret, &quoted) && ret->ptr)
		return true;
	AG_IGNORE(fm_script_fail(h->line, h->err, "want %s", what), "told by the caller");
	return false;
}

static bool head_when(head_reader *h)
{
	fm_answer *a = h->answer;
	fm_cond *c = &a->conds[a->ncond];
	ag_str w;
	bool quoted;

	if (a->ncond == FM_MAX_CONDS) {
		AG_IGNORE(fm_script_fail(h->line, h->err, "more than %d conditions", FM_MAX_CONDS),
		          "told by the caller");
		return false;
	}
	for (;;) {
		if (!fm_next_word(h->line->arena, &h->rest, &w, &quoted) || !w.ptr)
			break;
		if (quoted && w.len) {
			c->text = w;
			a->ncond++;
			return true;
		}
		if (ag_str_eqc(w, "not"))
			c->is_not = true;
		else if (ag_str_eqc(w, "last"))
			c->where = FM_LAST;
		else if (ag_str_eqc(w, "system"))
			c->where = FM_SYSTEM;
		else
			break;
	}
	AG_IGNORE(fm_script_fail(h->line, h->err, "want: when [not] [last|system] \"TEXT\""),
	          "told by the caller");
	return false;
}

static bool head_on(head_reader *h)
{
	static const struct {
		const char *name;
		fm_call call;
	} calls[] = { { "chat", FM_CALL_CHAT },
		      { "messages", FM_CALL_MESSAGES },
		      { "models", FM_CALL_MODELS } };
	ag_str w;
	size_t i;

	if (!head_value(h, "on chat, messages or models", &w))
		return false;
	for (i = 0; i < AG_NELEM(calls); i++)
		if (ag_str_eqc(w, calls[i].name)) {
			h->answer->on |= 1u << calls[i].call;
			return true;
		}
	AG_IGNORE(fm_script_fail(h->line, h->err, "on \"%.*s\": want chat, messages or models",
	                         AG_FMT(w)),
	          "told by the caller");
	return false;
}

/* answer [once | repeat | times N] [on CALL] [model NAME] [streamed | whole] [when …]... */
static bool read_head(head_reader *h)
{
	fm_answer *a = h->answer;
	ag_str w;
	bool quoted;

	for (;;) {
		bool fine = fm_next_word(h->line->arena, &h->rest, &w, &quoted) && !quoted;

		if (fine && !w.ptr)
			return true;
		if (fine && ag_str_eqc(w, "once"))
			a->times = 1;
		else if (fine && ag_str_eqc(w, "repeat"))
			a->times = 0;
		else if (fine && ag_str_eqc(w, "streamed"))
			a->stream = 1;
		else if (fine && ag_str_eqc(w, "whole"))
			a->stream = 0;
		else if (fine && ag_str_eqc(w, "times")) {
			if (!head_value(h, "times N", &w))
				return false;
			fine = ag_str_to_u64(w, &a->times) && a->times;
		} else if (fine && ag_str_eqc(w, "model")) {
			if (!head_value(h, "model NAME", &a->for_model))
				return false;
		} else if (fine && ag_str_eqc(w, "when")) {
			if (!head_when(h))
				return false;
		} else if (fine && ag_str_eqc(w, "on")) {
			if (!head_on(h))
				return false;
		} else {
			fine = false;
		}
		if (fine)
			continue;
		AG_IGNORE(fm_script_fail(h->line, h->err,
		                         "unknown \"%.*s\"; want once, repeat, times N, on CALL, "
		                         "model NAME, streamed, whole or when \"TEXT\"",
		                         AG_FMT(w)),
		          "told by the caller");
		return false;
	}
}

static ag_status new_answer(fm_script *s, fm_line *l, size_t *cap, bool otherwise, ag_err *err)
{
	fm_answer *a = ag_new(s->arena, fm_answer);
	head_reader h = { .answer = a, .line = l, .rest = l->rest, .err = err };

	a->line = l->no;
	a->times = otherwise ? 0 : 1;
	a->is_otherwise = otherwise;
	a->stream = -1;
	a->delta_bytes = 16;
	a->tool_parts = 16;
	if (!read_head(&h))
		return AG_INVALID;
	if (s->nanswer == *cap) {
		fm_answer **more = ag_new_n(s->arena, fm_answer *, *cap ? *cap * 2 : 64);

		if (s->nanswer)
			memcpy(more, s->answers, s->nanswer * sizeof(*more));
		s->answers = more;
		*cap = *cap ? *cap * 2 : 64;
	}
	s->answers[s->nanswer++] = a;
	return AG_OK;
}

/* ---------------------------------------------------------------- chaos and models */

/* "0.1 status 529" */
static bool chaos_item(fm_script *s, ag_arena *arena, ag_str item, double *sum)
{
	static const struct {
		const char *name;
		fm_fault fault;
		bool has_value;
	} faults[] = {
		{ "cut", FM_FAULT_CUT, false },      { "reset", FM_FAULT_RESET, false },
		{ "drop", FM_FAULT_DROP, false },    { "garbage", FM_FAULT_GARBAGE, false },
		{ "status", FM_FAULT_STATUS, true }, { "delay", FM_FAULT_DELAY, true },
	};
	fm_chaos c = { .fault = FM_FAULT_NONE };
	ag_str w[4];
	bool quoted;
	size_t i, n = 0;

	while (n < 4 && fm_next_word(arena, &item, &w[n], &quoted) && w[n].ptr)
		n++;
	if (n < 2 || n > 3 || !ag_str_to_double(w[0], &c.share) || c.share <= 0)
		return false;
	for (i = 0; i < AG_NELEM(faults); i++)
		if (ag_str_eqc(w[1], faults[i].name) && faults[i].has_value == (n == 3))
			c.fault = faults[i].fault;
	if (n == 3 && (!ag_str_to_i64(w[2], &c.n) || c.n < 0))
		return false;
	if (c.fault == FM_FAULT_STATUS && (c.n < 400 || c.n > 599))
		return false;
	*sum += c.share;
	if (c.fault == FM_FAULT_NONE || *sum > 1 + 1e-9 || s->nchaos == FM_MAX_CHAOS)
		return false;
	s->chaos[s->nchaos++] = c;
	return true;
}

static ag_status chaos_line(fm_script *s, const fm_line *l, ag_err *err)
{
	ag_str rest = l->rest;
	double sum = 0;

	while (rest.ptr) {
		ag_str item = ag_str_split(&rest, ',');

		if (!chaos_item(s, l->arena, item, &sum))
			return fm_script_fail(
				l, err,
				"chaos \"%.*s\": want SHARE cut|reset|drop|garbage, SHARE status "
				"400..599 or SHARE delay MS, shares of 1 in all",
				AG_FMT(ag_str_trim(item)));
	}
	return AG_OK;
}

static ag_status models_line(fm_script *s, const fm_line *l, ag_err *err)
{
	ag_str rest = l->rest, w;
	bool quoted;

	for (;;) {
		if (!fm_next_word(l->arena, &rest, &w, &quoted))
			return fm_script_fail(l, err, "models: a string that does not end");
		if (!w.ptr)
			return s->nmodel ? AG_OK : fm_script_fail(l, err, "want: models NAME...");
		if (s->nmodel == AG_NELEM(s->models))
			return fm_script_fail(l, err, "more than %zu models", AG_NELEM(s->models));
		s->models[s->nmodel++] = w;
	}
}

/* ---------------------------------------------------------------- lines */

typedef struct line_reader {
	ag_str rest; /* of the file */
	unsigned no; /* of the last line taken */
} line_reader;

static bool take_line(line_reader *r, ag_str *ret)
{
	if (!r->rest.len)
		return false;
	*ret = ag_str_split(&r->rest, '\n');
	if (ret->len && ret->ptr[ret->len - 1] == '\r')
		ret->len--;
	r->no++;
	return true;
}

static size_t indent_of(ag_str line)
{
	size_t n = 0;

	while (n < line.len && (line.ptr[n] == ' ' || line.ptr[n] == '\t'))
		n++;
	return n;
}

static bool is_blank(ag_str line)
{
	return ag_str_trim(line).len == 0;
}

/* Adds the lines that are indented deeper than `indent`, without the indentation of the first of them. Empty lines
 * between them belong to the text, those behind it do not. */
static void more_lines(line_reader *r, size_t indent, fm_line *l)
{
	AG_AUTO(ag_buf_release) ag_buf text = AG_BUF_INIT(MAX_SCRIPT_BYTES);
	size_t base = 0, nempty = 0;
	line_reader ahead = *r;
	ag_str line;

	ag_buf_add(&text, ag_str_trim(l->rest));
	while (take_line(&ahead, &line)) {
		size_t n = indent_of(line);

		if (is_blank(line)) {
			nempty++;
			continue;
		}
		if (n <= indent)
			break;
		if (!l->has_more_lines)
			base = n;
		while (nempty-- > 0)
			ag_buf_addc(&text, '\n');
		nempty = 0;
		if (text.len)
			ag_buf_addc(&text, '\n');
		n = n < base ? n : base;
		ag_buf_add(&text, ag_str_make(line.ptr + n, line.len - n));
		l->has_more_lines = true;
		*r = ahead;
	}
	l->rest = ag_buf_dup(l->arena, &text);
}

static ag_status read_top(fm_script *s, fm_line *l, size_t *cap, bool *in_answer, ag_err *err)
{
	*in_answer = ag_str_eqc(l->word, "answer") || ag_str_eqc(l->word, "otherwise");
	if (*in_answer)
		return new_answer(s, l, cap, ag_str_eqc(l->word, "otherwise"), err);
	if (ag_str_eqc(l->word, "chaos"))
		return chaos_line(s, l, err);
	if (ag_str_eqc(l->word, "models"))
		return models_line(s, l, err);
	return fm_script_fail(l, err,
	                      "unknown word \"%.*s\"; want answer, otherwise, chaos or models "
	                      "(the words of an answer are indented)",
	                      AG_FMT(l->word));
}

static ag_status read_lines(fm_script *s, const char *file, ag_str text, ag_err *err)
{
	line_reader r = { .rest = text };
	bool in_answer = false;
	size_t cap = 0;
	ag_str line;

	while (take_line(&r, &line)) {
		fm_line l = { .file = file, .no = r.no, .arena = s->arena };
		size_t n = indent_of(line);
		ag_str body = ag_str_trim(line);
		bool quoted;
		ag_status st;

		if (!body.len || body.ptr[0] == '#')
			continue;
		l.rest = body;
		if (!fm_next_word(s->arena, &l.rest, &l.word, &quoted) || quoted)
			return fm_script_fail(&l, err, "want a word, got a string");
		if (n && !in_answer)
			return fm_script_fail(&l, err, "indented, but not below an answer");
		if (n)
			more_lines(&r, n, &l);
		else
			l.rest = ag_str_trim(l.rest);
		st = n ? fm_script_word(s->answers[s->nanswer - 1], &l, err)
		       : read_top(s, &l, &cap, &in_answer, err);
		if (st)
			return st;
	}
	return AG_OK;
}

/* `otherwise` answers last, whatever their place in the file. */
static void otherwise_last(fm_script *s)
{
	fm_answer **sorted = ag_new_n(s->arena, fm_answer *, s->nanswer + 1);
	size_t i, n = 0;
	int pass;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < s->nanswer; i++)
			if (s->answers[i]->is_otherwise == (pass == 1))
				sorted[n++] = s->answers[i];
	s->answers = sorted;
}

fm_script *fm_script_read(const char *file, ag_str text, ag_err *err)
{
	ag_arena *arena = ag_arena_new();
	fm_script *s = ag_new(arena, fm_script);

	s->arena = arena;
	if (text.len > MAX_SCRIPT_BYTES) {
		AG_IGNORE(ag_fail(err, AG_LIMIT, "fake.script", "%s: larger than %u MB", file,
		                  MAX_SCRIPT_BYTES >> 20),
		          "NULL says it");
		return fm_script_free(s);
	}
	if (read_lines(s, file, ag_str_dup(arena, text), err))
		return fm_script_free(s);
	otherwise_last(s);
	return s;
}

fm_script *fm_script_free(fm_script *s)
{
	if (s)
		ag_arena_free(s->arena);
	return NULL;
}

/* ---------------------------------------------------------------- choosing */

static bool cond_holds(const fm_cond *c, const fm_request *r)
{
	const ag_val *root = &r->json, *messages = fm_get(root, "messages");

	if (c->where == FM_ANYWHERE)
		return fm_request_contains(r, root, c->text) != c->is_not;
	if (c->where == FM_LAST)
		root = messages && messages->type == AG_T_ARRAY && messages->n
		               ? &messages->u.items[messages->n - 1]
		               : NULL;
	else if (r->call == FM_CALL_MESSAGES)
		root = fm_get(root, "system");
	else
		root = messages && messages->type == AG_T_ARRAY && messages->n
		               ? &messages->u.items[0]
		               : NULL;
	return fm_request_contains(r, root, c->text) != c->is_not;
}

static bool fits(const fm_answer *a, const fm_request *r)
{
	unsigned on = a->on ? a->on : 1u << FM_CALL_CHAT | 1u << FM_CALL_MESSAGES;
	size_t i;

	if ((a->times && a->used >= a->times) || !(on >> r->call & 1))
		return false;
	if (a->stream >= 0 && a->stream != (int)r->stream)
		return false;
	if (a->for_model.len && !ag_str_eq(a->for_model, r->model))
		return false;
	for (i = 0; i < a->ncond; i++)
		if (!cond_holds(&a->conds[i], r))
			return false;
	return true;
}

fm_answer *fm_script_pick(const fm_script *s, const fm_request *r)
{
	size_t i;

	for (i = 0; i < s->nanswer; i++)
		if (fits(s->answers[i], r))
			return s->answers[i];
	return NULL;
}

/* splitmix64: good bits from a counter. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

fm_chaos fm_script_chaos(const fm_script *s, uint64_t seed, uint64_t n, uint64_t *at)
{
	uint64_t bits = mix(mix(seed) ^ n);
	double x = (double)(bits >> 11) * 0x1p-53;
	size_t i;

	*at = mix(bits);
	for (i = 0; i < s->nchaos; i++) {
		if (x < s->chaos[i].share)
			return s->chaos[i];
		x -= s->chaos[i].share;
	}
	return (fm_chaos){ .fault = FM_FAULT_NONE };
}
