/* json_repair -- see the header. A recursive reader that copies what it understands.
 *
 * The result is read once more by the exact reader, with keys that occur twice refused: whatever this file lets through
 * by mistake (a number like 1.2.3) ends there. Read from the end upwards. */
#include "llm/json_repair.h"

#include "llm/json_text.h"
#include "llm/wire.h"
#include "query/extjson.h"

#define MAX_DEPTH 100 /* of objects and arrays; the exact reader's own limit is near it */

typedef struct repair {
	ag_str s;
	size_t at;
	bool changed; /* something was written that is not in s */
	ag_buf out;
} repair;

static bool begins(const repair *r, const char *word)
{
	const size_t n = strlen(word);

	return r->s.len - r->at >= n && !memcmp(r->s.ptr + r->at, word, n);
}

static int peek(const repair *r)
{
	return r->at < r->s.len ? (unsigned char)r->s.ptr[r->at] : -1;
}

/* White space and comments. False: a comment does not end. */
static bool skip(repair *r)
{
	while (r->at < r->s.len) {
		if (memchr(" \t\r\n", r->s.ptr[r->at], 4)) {
			r->at++;
		} else if (begins(r, "//")) {
			while (r->at < r->s.len && r->s.ptr[r->at] != '\n')
				r->at++;
			r->changed = true;
		} else if (begins(r, "/*")) {
			const char *end = memmem(r->s.ptr + r->at + 2, r->s.len - r->at - 2, "*/",
			                         2);

			if (!end)
				return false;
			r->at = (size_t)(end - r->s.ptr) + 2;
			r->changed = true;
		} else {
			return true;
		}
	}
	return true;
}

/* --- texts --- */

typedef struct quote {
	const char *open, *close;
} quote;

static const quote quotes[] = {
	{ "\"", "\"" },
	{ "'", "'" },
	{ "\xE2\x80\x9C", "\xE2\x80\x9D" }, /* “ ” */
	{ "\xE2\x80\x98", "\xE2\x80\x99" }, /* ‘ ’ */
};

static const quote *quote_here(const repair *r)
{
	for (size_t i = 0; i < AG_NELEM(quotes); i++) {
		if (begins(r, quotes[i].open))
			return &quotes[i];
	}
	return NULL;
}

/* A backslash and what belongs to it. An escape that JSON does not have is refused: \d may be meant as \\d or as d. */
static bool take_escape(repair *r)
{
	const char c = r->at + 1 < r->s.len ? r->s.ptr[r->at + 1] : '\0';

	if (c == '\'') {
		ag_buf_addc(&r->out, '\'');
		r->changed = true;
	} else if (c && strchr("\"\\/bfnrtu", c)) {
		ag_buf_addc(&r->out, '\\');
		ag_buf_addc(&r->out, c);
	} else {
		return false;
	}
	r->at += 2;
	return true;
}

static bool take_text(repair *r, const quote *q)
{
	r->changed = r->changed || q != &quotes[0];
	r->at += strlen(q->open);
	ag_buf_addc(&r->out, '"');
	while (r->at < r->s.len && !begins(r, q->close)) {
		const char c = r->s.ptr[r->at];

		if (c == '\\') {
			if (!take_escape(r))
				return false;
			continue;
		}
		if (c == '"') {
			ag_buf_adds(&r->out, "\\\"");
		} else if (c == '\n' || c == '\r' || c == '\t') {
			ag_buf_adds(&r->out, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
			r->changed = true;
		} else {
			ag_buf_addc(&r->out, c);
		}
		r->at++;
	}
	if (r->at >= r->s.len)
		return false;
	r->at += strlen(q->close);
	ag_buf_addc(&r->out, '"');
	return true;
}

/* --- words and numbers --- */

static bool is_word_char(int c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' ||
	       c == '$' || c == '.' || c == '-' || c == '+';
}

static ag_str take_word(repair *r)
{
	const size_t from = r->at;

	while (r->at < r->s.len && is_word_char((unsigned char)r->s.ptr[r->at]))
		r->at++;
	return ag_str_make(r->s.ptr + from, r->at - from);
}

static bool take_literal(repair *r)
{
	static const char *const words[][2] = {
		{ "true", "true" }, { "false", "false" }, { "null", "null" },
		{ "True", "true" }, { "False", "false" }, { "None", "null" },
	};
	const ag_str word = take_word(r);

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		if (!ag_str_eqc(word, words[i][0]))
			continue;
		r->changed = r->changed || i >= 3;
		ag_buf_adds(&r->out, words[i][1]);
		return true;
	}
	if (!word.len || !(word.ptr[0] == '-' || (word.ptr[0] >= '0' && word.ptr[0] <= '9')))
		return false;
	ag_buf_add(&r->out, word);
	return true;
}

/* A key in quotes, or a name: letters, digits, _ $ . and -. */
static bool take_key(repair *r)
{
	const quote *q = quote_here(r);
	ag_str word;

	if (q)
		return take_text(r, q);
	word = take_word(r);
	if (!word.len || memchr("+-.0123456789", word.ptr[0], 13) ||
	    ag_str_contains(word, AG_S("+")))
		return false;
	ag_buf_addc(&r->out, '"');
	ag_buf_add(&r->out, word);
	ag_buf_addc(&r->out, '"');
	r->changed = true;
	return true;
}

/* --- values --- */

static bool take_value(repair *r, unsigned depth);

static bool take_item(repair *r, bool is_object, unsigned depth)
{
	if (is_object) {
		if (!take_key(r) || !skip(r) || peek(r) != ':')
			return false;
		ag_buf_addc(&r->out, ':');
		r->at++;
		if (!skip(r))
			return false;
	}
	return take_value(r, depth + 1);
}

/* An object or an array, its bracket included. */
static bool take_items(repair *r, unsigned depth)
{
	const bool is_object = peek(r) == '{';
	const char close = is_object ? '}' : ']';
	bool first = true;

	if (depth >= MAX_DEPTH)
		return false;
	ag_buf_addc(&r->out, is_object ? '{' : '[');
	r->at++;
	for (;;) {
		if (!skip(r))
			return false;
		if (peek(r) == close)
			break;
		if (!first)
			ag_buf_addc(&r->out, ',');
		if (!take_item(r, is_object, depth) || !skip(r))
			return false;
		first = false;
		if (peek(r) == close)
			break;
		if (peek(r) != ',')
			return false;
		r->at++;
		if (!skip(r))
			return false;
		r->changed = r->changed || peek(r) == close;
	}
	ag_buf_addc(&r->out, close);
	r->at++;
	return true;
}

static bool take_value(repair *r, unsigned depth)
{
	const int c = peek(r);
	const quote *q;

	if (c == '{' || c == '[')
		return take_items(r, depth);
	q = quote_here(r);
	return q ? take_text(r, q) : take_literal(r);
}

static bool is_strict(ag_str text, bool reject_duplicates)
{
	const ag_extjson_opts opts = { .reject_duplicates = reject_duplicates,
		                       .max_values = AG_WIRE_MAX_VALUES };
	ag_arena *arena = ag_arena_new();
	ag_val v = ag_val_missing();
	const bool ok = !ag_extjson_parse(text, &opts, arena, &v, NULL, NULL, NULL);

	ag_arena_free(arena);
	return ok;
}

bool ag_json_lenient(ag_str text, ag_arena *arena, ag_str *ret, size_t *ret_end)
{
	repair r = { .s = text };
	size_t from;
	bool ok;

	ag_buf_init(&r.out, 6 * text.len + 64);
	ok = skip(&r);
	from = r.at;
	r.changed = false; /* text before the value does not belong to it */
	ok = ok && take_value(&r, 0) && !r.out.failed;
	if (ok) {
		const ag_str span = ag_str_make(text.ptr + from, r.at - from);

		*ret_end = r.at;
		if (!r.changed && is_strict(span, false))
			*ret = span;
		else if (is_strict(ag_buf_view(&r.out), true))
			*ret = ag_buf_dup(arena, &r.out);
		else
			ok = false;
	}
	ag_buf_release(&r.out);
	return ok;
}

bool ag_json_lenient_object(ag_str text, ag_arena *arena, ag_str *ret, size_t *ret_end)
{
	return ag_json_lenient(text, arena, ret, ret_end) && ret->len && ret->ptr[0] == '{';
}
