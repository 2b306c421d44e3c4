/* postgres_values -- one value of the text format becomes one JSON value.
 *
 * Numbers keep the server's own digits. What a double would change is written as a string, so that a reader in any
 * language sees the exact value (PostgreSQL manual, 8.1 and 8.15.6). Nothing of the text is trusted: what does not look
 * like its type is quoted. */
#include "sql/postgres_values.h"

#include "base/json.h"

#define MAX_EXACT       INT64_C(9007199254740991) /* 2^53 - 1 */
#define MAX_DIGITS      15  /* a decimal of so many comes back from a double */
#define MAX_TINY_DIGITS 290 /* 0.000…1: beyond it a double loses digits, then all */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

/* The grammar of RFC 8259, section 6. */
static bool is_json_number(ag_str s)
{
	const char *at = s.ptr, *end = s.ptr + s.len, *from;

	if (at < end && *at == '-')
		at++;
	from = at;
	at = skip_digits(at, end);
	if (at == from || (*from == '0' && at - from > 1))
		return false;
	if (at < end && *at == '.') {
		from = ++at;
		at = skip_digits(at, end);
		if (at == from)
			return false;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		at++;
		if (at < end && (*at == '+' || *at == '-'))
			at++;
		from = at;
		at = skip_digits(at, end);
		if (at == from)
			return false;
	}
	return at == end;
}

/* Does a double hold it? numeric is written without exponent. Zeros in front, and those at the end of a fraction, carry
 * nothing. */
static bool is_short_decimal(ag_str s)
{
	size_t ndigit = 0, ntrailing = 0;
	bool has_point = false;

	if (s.len > MAX_TINY_DIGITS)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '.') {
			has_point = true;
			ntrailing = 0;
		} else if (c == '0' && ndigit == 0) {
			continue;
		} else if (is_digit(c)) {
			ndigit++;
			ntrailing = c == '0' ? ntrailing + 1 : 0;
		} else if (c != '-') {
			return false;
		}
	}
	return ndigit - (has_point ? ntrailing : 0) <= MAX_DIGITS;
}

static void number(ag_buf *out, ag_pg_kind kind, ag_str s)
{
	int64_t v;
	bool is_number = is_json_number(s);

	if (is_number && kind == AG_PG_INT8 && s.len >= 16)
		is_number = ag_str_to_i64(s, &v) && v >= -MAX_EXACT && v <= MAX_EXACT;
	else if (is_number && kind == AG_PG_NUMERIC && s.len > MAX_DIGITS)
		is_number = is_short_decimal(s);
	if (is_number)
		ag_buf_add(out, s);
	else
		ag_json_quote(out, s); /* too long, NaN, infinite */
}

/* json keeps its line breaks and its depth: the server has checked all else (jsonb writes neither). */
static void json(ag_buf *out, ag_str s)
{
	size_t depth = 0, deepest = 0, from = 0;
	bool in_string = false;
	bool has_break = memchr(s.ptr, '\n', s.len) || memchr(s.ptr, '\r', s.len);

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (in_string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				in_string = false;
		} else if (c == '"') {
			in_string = true;
		} else if (c == '[' || c == '{') {
			depth++;
			deepest = depth > deepest ? depth : deepest;
		} else if (c == ']' || c == '}') {
			depth--;
		}
	}
	if (s.len == 0 || in_string || depth != 0 || deepest > AG_POSTGRES_MAX_JSON_DEPTH) {
		ag_json_quote(out, s);
		return;
	}
	for (size_t i = 0; has_break && i < s.len; i++) {
		if (s.ptr[i] != '\n' && s.ptr[i] != '\r')
			continue;
		/* A blank replaces it: the break may be all that separates two tokens. */
		ag_buf_add(out, ag_str_make(s.ptr + from, i - from));
		ag_buf_addc(out, ' ');
		from = i + 1;
	}
	ag_buf_add(out, ag_str_make(s.ptr + from, s.len - from));
}

/* "2026-03-01 08:30:00+00" is "2026-03-01T08:30:00+00:00". "infinity" and years before Christ stay words. */
static void timestamp(ag_buf *out, ag_pg_kind kind, ag_str s)
{
	ptrdiff_t blank = ag_str_find(s, ' ');
	ag_str rest = s;
	char sign;

	if (s.len == 0 || !is_digit(s.ptr[s.len - 1]) || !is_digit(s.ptr[0]) ||
	    (kind != AG_PG_TIMETZ && blank < 0)) {
		ag_json_quote(out, s);
		return;
	}
	for (size_t i = 0; i < s.len; i++) {
		if (!is_digit(s.ptr[i]) && !memchr(" -+:.", s.ptr[i], 5)) {
			ag_json_quote(out, s);
			return;
		}
	}
	ag_buf_addc(out, '"');
	if (kind != AG_PG_TIMETZ) {
		ag_buf_add(out, ag_str_make(s.ptr, (size_t)blank));
		ag_buf_addc(out, 'T');
		rest = ag_str_make(s.ptr + blank + 1, s.len - (size_t)blank - 1);
	}
	ag_buf_add(out, rest);
	sign = rest.len >= 3 ? rest.ptr[rest.len - 3] : ' ';
	if (kind != AG_PG_TIMESTAMP && (sign == '+' || sign == '-'))
		ag_buf_adds(out, ":00");
	ag_buf_addc(out, '"');
}

static void scalar(ag_buf *out, ag_pg_kind kind, ag_str s)
{
	switch (kind) {
	case AG_PG_BOOL:
		if (ag_str_eqc(s, "t"))
			ag_buf_adds(out, "true");
		else if (ag_str_eqc(s, "f"))
			ag_buf_adds(out, "false");
		else
			ag_json_quote(out, s);
		break;
	case AG_PG_INT:
	case AG_PG_INT8:
	case AG_PG_FLOAT:
	case AG_PG_NUMERIC: number(out, kind, s); break;
	case AG_PG_JSON: json(out, s); break;
	case AG_PG_TIMESTAMP:
	case AG_PG_TIMESTAMPTZ:
	case AG_PG_TIMETZ: timestamp(out, kind, s); break;
	default: ag_json_quote(out, s); break;
	}
}

/* --- arrays --- */

typedef struct array_reader {
	const char *at, *end;
	char delimiter;
	ag_buf *scratch;
} array_reader;

/* "a\"b" behind its first quote, into scratch. */
static bool quoted(array_reader *r, ag_str *ret)
{
	ag_buf_clear(r->scratch);
	while (r->at < r->end && *r->at != '"') {
		const char *from = r->at;

		while (r->at < r->end && *r->at != '"' && *r->at != '\\')
			r->at++;
		ag_buf_add(r->scratch, ag_str_make(from, (size_t)(r->at - from)));
		if (r->at < r->end && *r->at == '\\') {
			if (++r->at == r->end)
				return false;
			ag_buf_addc(r->scratch, *r->at++);
		}
	}
	if (r->at == r->end)
		return false;
	r->at++;
	*ret = ag_buf_view(r->scratch);
	return !r->scratch->failed;
}

static bool element(array_reader *r, ag_buf *out, ag_pg_kind kind)
{
	ag_str s;

	if (*r->at == '"') {
		r->at++;
		if (!quoted(r, &s))
			return false;
		scalar(out, kind, s);
		return true;
	}
	s.ptr = r->at;
	while (r->at < r->end && *r->at != r->delimiter && *r->at != '}' && *r->at != '{' &&
	       *r->at != '"' && *r->at != '\\')
		r->at++;
	s.len = (size_t)(r->at - s.ptr);
	if (s.len == 0)
		return false;
	if (ag_str_eqc(s, "NULL"))
		ag_buf_adds(out, "null");
	else
		scalar(out, kind, s);
	return true;
}

/* {1,NULL,"a b"}, {{1,2},{3,4}}, [0:1]={1,2}: manual, 8.15.6. At most six dimensions. */
static bool array(array_reader *r, ag_buf *out, ag_pg_kind kind)
{
	size_t depth = 0;
	bool wants_value = true;

	if (r->at < r->end && *r->at == '[') {
		while (r->at < r->end && *r->at != '=')
			r->at++;
		r->at += r->at < r->end;
	}
	while (r->at < r->end) {
		char c = *r->at;

		if (c == '{' && wants_value && depth < 6) {
			r->at++;
			depth++;
			ag_buf_addc(out, '[');
			if (r->at < r->end && *r->at == '}')
				wants_value = false; /* {} */
		} else if (c == '}' && !wants_value && depth > 0) {
			r->at++;
			ag_buf_addc(out, ']');
			if (--depth == 0)
				return r->at == r->end;
		} else if (c == r->delimiter && !wants_value && depth > 0) {
			r->at++;
			ag_buf_addc(out, ',');
			wants_value = true;
		} else if (wants_value && depth > 0 && element(r, out, kind)) {
			wants_value = false;
		} else {
			return false;
		}
	}
	return false;
}

void ag_postgres_value(ag_buf *out, const ag_pg_type *t, ag_str text, ag_buf *scratch)
{
	array_reader r = { text.ptr, text.ptr + text.len, t->delimiter, scratch };
	size_t from = out->len;

	if (!t->is_array) {
		scalar(out, (ag_pg_kind)t->kind, text);
		return;
	}
	if (array(&r, out, (ag_pg_kind)t->kind) || out->failed)
		return;
	out->len = from; /* not an array after all */
	ag_json_quote(out, text);
}
