/* shell_read -- recursive descent over the part of JavaScript that writes values.
 *
 * Order: places and blanks, strings, numbers, regexes, names and calls, containers, the whole text. Statements are in
 * shell_statement.c. Numbers go
 * through ag_extjson_parse() and typed objects through ag_extjson_typed(), so a text that is Extended JSON has
 * the same value here. */
#include "query/shell_read.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "query/extjson.h"
#include "query/filter.h"
#include "query/shell_internal.h"

/* A growing list of values or members in the arena; doubled, so the waste is at most the list itself. */
typedef struct list {
	void *ptr;
	size_t n, cap;
} list;

ag_status ag_shell_fail_at(ag_shell *s, size_t at, ag_str what)
{
	size_t line = 1, from = 0;

	for (size_t i = 0; i < at; i++) {
		if (s->text.ptr[i] == '\n') {
			line++;
			from = i + 1;
		}
	}
	s->at = s->wrong_at = at;
	return ag_fail(s->err, AG_INVALID, "query.shell", "line %zu, column %zu: %.*s", line,
	               ag_utf8_count(ag_str_make(s->text.ptr + from, at - from)) + 1, AG_FMT(what));
}

ag_status ag_shell_expected(ag_shell *s, const char *what)
{
	unsigned char c;

	if (s->at >= s->text.len)
		return ag_shell_fail_at(s, s->text.len,
		                        ag_str_printf(s->arena, "the text ends, want %s", what));
	c = (unsigned char)s->text.ptr[s->at];
	return ag_shell_fail_at(s, s->at,
	                        c > 0x20 && c < 0x7f
	                                ? ag_str_printf(s->arena, "want %s, got '%c'", what, c)
	                                : ag_str_printf(s->arena, "want %s, got byte 0x%02x", what,
	                                                c));
}

bool ag_shell_peek(const ag_shell *s, char c)
{
	return s->at < s->text.len && s->text.ptr[s->at] == c;
}

bool ag_shell_accept(ag_shell *s, char c)
{
	if (!ag_shell_peek(s, c))
		return false;
	s->at++;
	return true;
}

bool ag_shell_sees(const ag_shell *s, const char *word)
{
	return ag_str_starts(ag_str_make(s->text.ptr + s->at, s->text.len - s->at), ag_str_c(word));
}

/* Blanks and comments; also the no-break space that web pages put into code. */
ag_status ag_shell_skip_space(ag_shell *s)
{
	while (s->at < s->text.len) {
		const size_t from = s->at;

		if (strchr(" \t\r\n\v\f", s->text.ptr[s->at]) && s->text.ptr[s->at]) {
			s->at++;
		} else if (ag_shell_sees(s, "\xc2\xa0")) {
			s->at += 2;
		} else if (ag_shell_sees(s, "//")) {
			while (s->at < s->text.len && !ag_shell_peek(s, '\n'))
				s->at++;
		} else if (ag_shell_sees(s, "/*")) {
			s->at += 2;
			while (s->at < s->text.len && !ag_shell_sees(s, "*/"))
				s->at++;
			if (s->at >= s->text.len)
				return ag_shell_fail_at(s, from,
				                        AG_S("the comment has no end; write */"));
			s->at += 2;
		} else {
			break;
		}
	}
	return AG_OK;
}

/* ---- strings ---- */

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool hex_digits(const ag_shell *s, size_t at, size_t n, uint32_t *ret)
{
	*ret = 0;
	if (n > s->text.len || at > s->text.len - n)
		return false;
	for (size_t i = at; i < at + n; i++) {
		const int d = hex_of(s->text.ptr[i]);

		if (d < 0)
			return false;
		*ret = *ret << 4 | (uint32_t)d;
	}
	return true;
}

/* After "\u": XXXX or {X…}. */
static bool unicode(ag_shell *s, uint32_t *ret)
{
	uint32_t low;

	if (ag_shell_accept(s, '{')) {
		const size_t from = s->at;

		while (s->at < s->text.len && hex_of(s->text.ptr[s->at]) >= 0)
			s->at++;
		return s->at > from && s->at - from <= 6 &&
		       hex_digits(s, from, s->at - from, ret) && *ret <= 0x10ffff &&
		       (*ret < 0xd800 || *ret > 0xdfff) && ag_shell_accept(s, '}');
	}
	if (!hex_digits(s, s->at, 4, ret))
		return false;
	s->at += 4;
	if (*ret < 0xd800 || *ret > 0xdfff)
		return true;
	if (*ret < 0xdc00 && ag_shell_sees(s, "\\u") && hex_digits(s, s->at + 2, 4, &low) &&
	    low >= 0xdc00 && low <= 0xdfff) {
		s->at += 6;
		*ret = 0x10000 + ((*ret - 0xd800) << 10) + (low - 0xdc00);
	} else {
		*ret = 0xfffd;
	}
	return true;
}

/* On the back slash. Appends what the escape means. */
static ag_status escape(ag_shell *s, char *out, size_t *len)
{
	static const char from[] = "\"'`\\/bfnrtv0$", to[] = "\"'`\\/\b\f\n\r\t\v\0$";
	const size_t start = s->at++;
	const char c = s->at < s->text.len ? s->text.ptr[s->at] : '\0';
	const char *hit = c ? strchr(from, c) : NULL;
	uint32_t cp;

	s->at++;
	if (s->at > s->text.len)
		return ag_shell_fail_at(s, start, AG_S("the text ends inside an escape"));
	if (c == '\n') /* a line that goes on */
		return AG_OK;
	if (hit && !(c == '0' && s->at < s->text.len && s->text.ptr[s->at] >= '0' &&
	             s->text.ptr[s->at] <= '9')) {
		out[(*len)++] = to[hit - from];
		return AG_OK;
	}
	if (c == 'x' && hex_digits(s, s->at, 2, &cp)) {
		s->at += 2;
	} else if (c != 'u' || !unicode(s, &cp)) {
		return ag_shell_fail_at(
			s, start, AG_S("unknown escape in a string; write \\\\ for a back slash"));
	}
	*len += ag_utf8_put(out + *len, cp);
	return AG_OK;
}

/* An escape is never shorter than what it means, so the raw length is enough. */
static ag_status parse_string(ag_shell *s, ag_str *ret)
{
	const char quote = s->text.ptr[s->at];
	const size_t start = s->at;
	size_t len = 0, end = start + 1;
	char *out;

	while (end < s->text.len && s->text.ptr[end] != quote)
		end += s->text.ptr[end] == '\\' ? 2 : 1;
	if (end >= s->text.len)
		return ag_shell_fail_at(s, start, AG_S("the string has no end; close its quote"));
	out = ag_arena_alloc(s->arena, end - start + 4);
	for (s->at = start + 1; s->at < s->text.len && s->text.ptr[s->at] != quote;) {
		const unsigned char c = (unsigned char)s->text.ptr[s->at];
		ag_status st;

		if (c == '\\') {
			st = escape(s, out, &len);
			if (st)
				return st;
			continue;
		}
		if (c < 0x20 && c != '\t' && (c != '\n' || quote != '`'))
			return ag_shell_fail_at(
				s, s->at,
				AG_S("control character in a string; write it as an escape"));
		if (quote == '`' && ag_shell_sees(s, "${"))
			return ag_shell_fail_at(s, s->at,
			                        AG_S("no code runs here; write the text itself"));
		out[len++] = (char)c;
		s->at++;
	}
	s->at++;
	if (!ag_utf8_valid(ag_str_make(out, len)))
		return ag_shell_fail_at(s, start, AG_S("the string is not valid UTF-8"));
	*ret = ag_str_make(out, len);
	return AG_OK;
}

/* ---- numbers ---- */

static bool is_digit_at(const ag_shell *s, size_t at)
{
	return at < s->text.len && s->text.ptr[at] >= '0' && s->text.ptr[at] <= '9';
}

static bool is_name_byte(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80 || (!first && c >= '0' && c <= '9');
}

static ag_status parse_hex(ag_shell *s, bool minus, ag_val *ret)
{
	const size_t start = s->at;
	size_t from;
	uint64_t u = 0;

	s->at += 2;
	from = s->at;
	for (; s->at < s->text.len && hex_of(s->text.ptr[s->at]) >= 0; s->at++)
		u = u << 4 | (uint64_t)hex_of(s->text.ptr[s->at]);
	if (s->at == from || s->at - from > 15)
		return ag_shell_fail_at(s, start, AG_S("want 1 to 15 hex digits after 0x"));
	*ret = ag_val_int(minus ? -(int64_t)u : (int64_t)u);
	return AG_OK;
}

/* At a sign, digit or point. What JSON lacks (+1, .5, 5.) is mended, the rest is for the strict reader. */
static ag_status parse_number(ag_shell *s, ag_val *ret)
{
	const ag_extjson_opts plain = { 0 };
	const size_t start = s->at;
	const bool minus = ag_shell_peek(s, '-');
	ag_buf text = AG_BUF_INIT(AG_FILTER_MAX_BYTES + 8);
	ag_status st = AG_OK;
	size_t from;

	if (minus || ag_shell_peek(s, '+'))
		s->at++;
	if (ag_shell_sees(s, "Infinity")) {
		s->at += 8;
		*ret = ag_val_double(minus ? -INFINITY : INFINITY);
		return AG_OK;
	}
	if (ag_shell_sees(s, "0x") || ag_shell_sees(s, "0X"))
		return parse_hex(s, minus, ret);
	if (minus)
		ag_buf_addc(&text, '-');
	if (ag_shell_peek(s, '.'))
		ag_buf_addc(&text, '0');
	from = s->at;
	while (s->at < s->text.len && (is_digit_at(s, s->at) || ag_shell_peek(s, '.') ||
	                               ag_shell_peek(s, 'e') || ag_shell_peek(s, 'E') ||
	                               ((ag_shell_peek(s, '+') || ag_shell_peek(s, '-')) &&
	                                s->at > from && (s->text.ptr[s->at - 1] | 32) == 'e')))
		s->at++;
	ag_buf_add(&text, ag_str_make(s->text.ptr + from, s->at - from));
	if (s->at - from > 1 && s->text.ptr[s->at - 1] == '.')
		ag_buf_addc(&text, '0');
	if (ag_extjson_parse(ag_buf_dup(s->arena, &text), &plain, s->arena, ret, NULL, NULL,
	                     NULL) ||
	    (s->at < s->text.len && is_name_byte(s->text.ptr[s->at], false)))
		st = ag_shell_fail_at(s, start, AG_S("want a number such as -1.5 or 2e3"));
	ag_buf_release(&text);
	return st;
}

/* ---- regexes, names, calls ---- */

static ag_status parse_regex(ag_shell *s, ag_val *ret)
{
	const size_t start = s->at++;
	size_t end;
	bool in_class = false;
	ag_val args[2];
	ag_buf why;
	ag_status st = AG_OK;

	for (; s->at < s->text.len && (in_class || !ag_shell_peek(s, '/')); s->at++) {
		if (ag_shell_peek(s, '\n'))
			break;
		if (ag_shell_peek(s, '\\') && s->at + 1 < s->text.len)
			s->at++;
		else if (ag_shell_peek(s, '['))
			in_class = true;
		else if (ag_shell_peek(s, ']'))
			in_class = false;
	}
	end = s->at;
	if (!ag_shell_accept(s, '/'))
		return ag_shell_fail_at(s, start,
		                        AG_S("the regex has no end; write /pattern/flags"));
	args[0] = ag_val_str(ag_str_make(s->text.ptr + start + 1, end - start - 1));
	while (s->at < s->text.len && is_name_byte(s->text.ptr[s->at], false))
		s->at++;
	args[1] = ag_val_str(ag_str_make(s->text.ptr + end + 1, s->at - end - 1));
	if (!ag_utf8_valid(ag_val_text(&args[0])))
		return ag_shell_fail_at(s, start, AG_S("the regex is not valid UTF-8"));
	for (uint32_t i = 0; i < args[1].n; i++) {
		if (!strchr("imsxu", args[1].u.s[i]))
			return ag_shell_fail_at(s, end + 1 + i,
			                        AG_S("a filter knows the flags i, m, s, x and u; "
			                             "leave the others out"));
	}
	ag_buf_init(&why, 1024);
	if (!ag_shell_call(AG_S("RegExp"), false, args, 2, s->arena, ret, &why))
		st = ag_shell_fail_at(s, start, ag_buf_dup(s->arena, &why));
	ag_buf_release(&why);
	return st;
}

ag_str ag_shell_read_name(ag_shell *s)
{
	const size_t from = s->at;

	while (s->at < s->text.len && is_name_byte(s->text.ptr[s->at], s->at == from))
		s->at++;
	return ag_str_make(s->text.ptr + from, s->at - from);
}

static ag_status enter(ag_shell *s)
{
	if (++s->depth <= AG_SHELL_MAX_DEPTH)
		return AG_OK;
	ag_shell_fail_at(s, s->at, AG_S("nested too deep"));
	return ag_fail(s->err, AG_LIMIT, "query.shell", "byte %zu: nested deeper than %d levels",
	               s->at, AG_SHELL_MAX_DEPTH);
}

/* After "(". */
ag_status ag_shell_parse_args(ag_shell *s, ag_val *args, size_t *n)
{
	ag_status st = enter(s);

	for (*n = 0; !st; (*n)++) {
		st = ag_shell_skip_space(s);
		if (st || ag_shell_accept(s, ')'))
			break;
		if (*n == AG_SHELL_MAX_ARGS)
			return ag_shell_expected(s, "')': too many arguments");
		st = ag_shell_parse_value(s, &args[*n]);
		if (!st)
			st = ag_shell_skip_space(s);
		if (!st && !ag_shell_accept(s, ',') && !ag_shell_peek(s, ')'))
			st = ag_shell_expected(s, "',' or ')'");
	}
	s->depth--;
	return st;
}

static ag_status unknown_name(ag_shell *s, size_t start, ag_str name)
{
	const char *near = ag_shell_nearest(name);

	if (near)
		return ag_shell_fail_at(s, start,
		                        ag_str_printf(s->arena,
		                                      "%.*s is unknown here: did you mean %s(…)?",
		                                      AG_FMT(ag_utf8_prefix(name, 80)), near));
	return ag_shell_fail_at(
		s, start,
		ag_str_printf(
			s->arena,
			"want a value, got the name %.*s; write a text in quotes (no code runs here)",
			AG_FMT(ag_utf8_prefix(name, 80))));
}

static ag_status parse_call(ag_shell *s, size_t start, ag_str name, bool is_new, ag_val *ret)
{
	const bool is_key = ag_str_eqc(name, "MinKey") || ag_str_eqc(name, "MaxKey");
	ag_val *args = ag_new_n(s->arena, ag_val, AG_SHELL_MAX_ARGS);
	ag_status st = ag_shell_skip_space(s);
	ag_buf why;
	size_t n = 0;

	if (st)
		return st;
	if (ag_shell_accept(s, '('))
		st = ag_shell_parse_args(s, args, &n);
	else if (!is_key)
		st = ag_shell_expected(s, "'(' after the name of a type");
	if (st)
		return st;
	ag_buf_init(&why, 1024);
	if (!ag_shell_call(name, is_new, args, n, s->arena, ret, &why))
		st = ag_shell_fail_at(s, start, ag_buf_dup(s->arena, &why));
	ag_buf_release(&why);
	return st;
}

static ag_status parse_name(ag_shell *s, ag_val *ret)
{
	const size_t start = s->at;
	ag_str name = ag_shell_read_name(s);
	bool is_new = false;
	ag_status st;

	if (ag_str_eqc(name, "true") || ag_str_eqc(name, "false")) {
		*ret = ag_val_bool(name.len == 4);
	} else if (ag_str_eqc(name, "null")) {
		*ret = ag_val_null();
	} else if (ag_str_eqc(name, "undefined")) {
		*ret = (ag_val){ .type = AG_T_UNDEFINED };
	} else if (ag_str_eqc(name, "NaN") || ag_str_eqc(name, "Infinity")) {
		*ret = ag_val_double(name.len == 3 ? NAN : INFINITY);
	} else {
		if (ag_str_eqc(name, "new")) {
			st = ag_shell_skip_space(s);
			if (st)
				return st;
			name = ag_shell_read_name(s);
			is_new = true;
		}
		if (ag_str_eqc(name, "Binary") && ag_shell_sees(s, ".createFromBase64")) {
			s->at += 17;
			name = AG_S("Binary.createFromBase64");
		}
		return ag_shell_is_call(name) ? parse_call(s, start, name, is_new, ret)
		                              : unknown_name(s, start, name);
	}
	return AG_OK;
}

/* ---- containers ---- */

static void *push(list *l, ag_arena *arena, size_t size)
{
	if (l->n == l->cap) {
		char *grown;

		l->cap = l->cap ? l->cap * 2 : 8;
		grown = ag_arena_alloc(arena, l->cap * size);
		if (l->n)
			memcpy(grown, l->ptr, l->n * size);
		l->ptr = grown;
	}
	return (char *)l->ptr + l->n++ * size;
}

static ag_status parse_array(ag_shell *s, ag_val *ret)
{
	list l = { 0 };
	ag_status st = enter(s);

	s->at++;
	while (!st) {
		ag_val v;

		st = ag_shell_skip_space(s);
		if (st || ag_shell_accept(s, ']'))
			break;
		st = ag_shell_parse_value(s, &v);
		if (!st)
			st = ag_shell_skip_space(s);
		if (st)
			break;
		*(ag_val *)push(&l, s->arena, sizeof(ag_val)) = v;
		if (!ag_shell_accept(s, ',') && !ag_shell_peek(s, ']'))
			st = ag_shell_expected(s, "',' or ']'");
	}
	s->depth--;
	*ret = ag_val_array(l.ptr, l.n);
	return st;
}

static ag_status parse_key(ag_shell *s, ag_str *ret)
{
	const size_t start = s->at;

	if (ag_shell_peek(s, '"') || ag_shell_peek(s, '\''))
		return parse_string(s, ret);
	*ret = ag_shell_read_name(s);
	while (!ret->len && is_digit_at(s, s->at))
		s->at++;
	if (s->at == start)
		return ag_shell_expected(s, "a key such as name, \"a.b\" or $gt");
	*ret = ag_str_make(s->text.ptr + start, s->at - start);
	if (ag_shell_peek(s, '.') || ag_shell_peek(s, '-') ||
	    (s->at < s->text.len && is_name_byte(s->text.ptr[s->at], false))) {
		while (s->at < s->text.len && (is_name_byte(s->text.ptr[s->at], false) ||
		                               ag_shell_peek(s, '.') || ag_shell_peek(s, '-')))
			s->at++;
		return ag_shell_fail_at(
			s, start,
			ag_str_printf(
				s->arena,
				"a key of more than letters, digits, _ and $ needs quotes; write \"%.*s\"",
				AG_FMT(ag_utf8_prefix(
					ag_str_make(s->text.ptr + start, s->at - start), 80))));
	}
	if (!ag_utf8_valid(*ret))
		return ag_shell_fail_at(s, start, AG_S("the key is not valid UTF-8"));
	return AG_OK;
}

static int by_key(const void *a, const void *b)
{
	return ag_str_cmp(*(const ag_str *)a, *(const ag_str *)b);
}

static ag_status refuse_doubles(ag_shell *s, size_t start, const ag_member *m, size_t n)
{
	ag_str *keys = ag_new_n(s->arena, ag_str, n + 1);

	for (size_t i = 0; i < n; i++)
		keys[i] = m[i].key;
	qsort(keys, n, sizeof(*keys), by_key);
	for (size_t i = 1; i < n; i++) {
		if (ag_str_eq(keys[i - 1], keys[i]))
			return ag_shell_fail_at(
				s, start,
				ag_str_printf(
					s->arena,
					"the key \"%.*s\" appears twice in this object; use $and",
					AG_FMT(ag_utf8_prefix(keys[i], 80))));
	}
	return AG_OK;
}

static ag_status parse_member(ag_shell *s, ag_member *m)
{
	ag_status st = parse_key(s, &m->key);

	if (!st)
		st = ag_shell_skip_space(s);
	if (!st && !ag_shell_accept(s, ':'))
		st = ag_shell_expected(s, "':' after a key");
	if (!st)
		st = ag_shell_parse_value(s, &m->val);
	return st ? st : ag_shell_skip_space(s);
}

static ag_status parse_object(ag_shell *s, ag_val *ret)
{
	const size_t start = s->at;
	list l = { 0 };
	ag_status st = enter(s);
	ag_val typed;

	s->at++;
	while (!st) {
		ag_member m;

		st = ag_shell_skip_space(s);
		if (st || ag_shell_accept(s, '}'))
			break;
		st = parse_member(s, &m);
		if (st)
			break;
		*(ag_member *)push(&l, s->arena, sizeof(m)) = m;
		if (!ag_shell_accept(s, ',') && !ag_shell_peek(s, '}'))
			st = ag_shell_expected(s, "',' or '}'");
	}
	s->depth--;
	if (!st && l.n > 1)
		st = refuse_doubles(s, start, l.ptr, l.n);
	*ret = ag_val_object(l.ptr, l.n);
	if (!st && ag_extjson_typed(s->arena, ret, true, &typed))
		*ret = typed;
	return st;
}

ag_status ag_shell_parse_value(ag_shell *s, ag_val *ret)
{
	ag_status st = ag_shell_skip_space(s);
	ag_str text = AG_S("");
	char c;

	*ret = ag_val_null();
	if (st)
		return st;
	if (s->at >= s->text.len)
		return ag_shell_expected(s, "a value");
	c = s->text.ptr[s->at];
	switch (c) {
	case '{': return parse_object(s, ret);
	case '[': return parse_array(s, ret);
	case '/': return parse_regex(s, ret);
	case '"':
	case '\'':
	case '`':
		st = parse_string(s, &text);
		if (!st)
			*ret = ag_val_str(text);
		return st;
	default:
		if (c == '-' || c == '+' || c == '.' || is_digit_at(s, s->at))
			return parse_number(s, ret);
		return is_name_byte(c, true) ? parse_name(s, ret) : ag_shell_expected(s, "a value");
	}
}

ag_status ag_shell_parse(ag_str text, ag_arena *arena, ag_shell_statement *ret, size_t *ret_at,
                         ag_err *err)
{
	ag_shell s = { .arena = arena, .err = err, .wrong_at = SIZE_MAX };
	ag_shell_statement found = { 0 };
	ag_status st;

	if (ret_at)
		*ret_at = SIZE_MAX;
	if (text.len > AG_FILTER_MAX_BYTES)
		return ag_fail(err, AG_LIMIT, "query.shell",
		               "the query has %zu bytes, at most %d are read", text.len,
		               AG_FILTER_MAX_BYTES);
	s.text = ag_str_dup(arena, text);
	st = ag_shell_skip_space(&s);
	if (!st)
		st = ag_shell_sees(&s, "db.") || ag_shell_sees(&s, "db[")
		             ? ag_shell_parse_statement(&s, &found)
		             : ag_shell_parse_value(&s, &found.query);
	if (!st)
		st = ag_shell_skip_space(&s);
	if (!st && ag_shell_accept(&s, ';'))
		st = ag_shell_skip_space(&s);
	if (!st && s.at < s.text.len)
		st = ag_shell_expected(&s, "the end of the text");
	if (!st)
		*ret = found;
	else if (ret_at)
		*ret_at = s.wrong_at;
	return st;
}
