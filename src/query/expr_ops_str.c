/* expr_ops_str -- text, and the parts of dates.
 *
 * Case changes touch ASCII only and null counts as "", as on the server. Positions are code points. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/time.h"
#include "base/utf8.h"
#include "query/expr_internal.h"

static ag_str date_text(ag_arena *arena, int64_t ms)
{
	ag_civil c = ag_time_to_civil(ms);

	return ag_str_printf(arena, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d.%03dZ", c.year, c.month,
	                     c.day, c.hour, c.minute, c.second, c.ms);
}

/* As $toString writes it: the shortest digits, an exponent below 1e-4 and from 1e16 on. */
static ag_str double_text(ag_arena *arena, double d)
{
	char text[AG_NUM_MAX];
	size_t n = ag_num_double(text, d, false);
	double size = fabs(d);

	if (d == 0 || !isfinite(d) || (size >= 1e-4 && size < 1e16))
		return ag_str_dup(arena, ag_str_make(text, n));
	for (int digits = 0; digits < 17; digits++) {
		n = (size_t)snprintf(text, sizeof(text), "%.*e", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	return ag_str_dup(arena, ag_str_make(text, n));
}

/* As the operators on text see a number: doubles have six digits there. */
static ag_str number_text(ag_arena *arena, const ag_val *v)
{
	char text[AG_DEC128_MAX_TEXT + AG_NUM_MAX];
	size_t n;

	if (v->type == AG_T_DOUBLE)
		n = (size_t)snprintf(text, sizeof(text), "%g", v->u.f);
	else if (v->type == AG_T_DECIMAL)
		n = ag_dec128_format(text, v->u.dec);
	else
		n = ag_num_i64(text, v->u.i);
	return ag_str_dup(arena, ag_str_make(text, n));
}

/* Text, numbers and dates as text, nothing as "". */
static ag_status coerce(ag_expr_env *env, const ag_expr *e, const ag_val *v, ag_str *ret)
{
	*ret = AG_S("");
	if (ag_expr_nullish(v))
		return AG_OK;
	if (v->type == AG_T_STRING || v->type == AG_T_SYMBOL || v->type == AG_T_CODE)
		*ret = ag_val_text(v);
	else if (ag_type_is_number(v->type))
		*ret = number_text(env->arena, v);
	else if (v->type == AG_T_DATE)
		*ret = date_text(env->arena, v->u.i);
	else
		return ag_expr_bad(env, e, "cannot convert from %s to string",
		                   ag_type_alias(v->type));
	return AG_OK;
}

static ag_status want_string(ag_expr_env *env, const ag_expr *e, const ag_val *v)
{
	if (v->type == AG_T_STRING)
		return AG_OK;
	return ag_expr_bad(env, e, "wants a string, got %s", ag_type_alias(v->type));
}

AG_EXPR_EAGER(case)
{
	bool lower = e->row->tag == 'l';
	ag_str s;
	ag_status st = coerce(env, e, args, &s);
	char *out;

	(void)n;
	if (st)
		return st;
	out = ag_str_cstr(env->arena, s);
	for (size_t i = 0; i < s.len; i++) {
		if (lower ? out[i] >= 'A' && out[i] <= 'Z' : out[i] >= 'a' && out[i] <= 'z')
			out[i] ^= 32;
	}
	*ret = ag_val_str(ag_str_make(out, s.len));
	return AG_OK;
}

AG_EXPR_EAGER(concat)
{
	size_t len = 0;
	char *out;

	*ret = ag_val_null();
	for (size_t i = 0; i < n; i++) {
		ag_status st;

		if (ag_expr_nullish(&args[i]))
			return AG_OK;
		st = want_string(env, e, &args[i]);
		if (st)
			return st;
		len += args[i].n;
	}
	if (len > UINT32_MAX / 2)
		return ag_expr_bad(env, e, "makes a string that is too long");
	out = ag_arena_alloc(env->arena, len + 1);
	len = 0;
	for (size_t i = 0; i < n; i++) {
		if (args[i].n)
			memcpy(out + len, args[i].u.s, args[i].n);
		len += args[i].n;
	}
	*ret = ag_val_str(ag_str_make(out, len));
	return AG_OK;
}

/* The server's own list of blanks. */
static bool is_blank(uint32_t cp)
{
	return cp == 0 || cp == ' ' || (cp >= '\t' && cp <= '\r') || cp == 0xa0 || cp == 0x1680 ||
	       (cp >= 0x2000 && cp <= 0x200a);
}

static bool in_set(uint32_t cp, const ag_val *chars)
{
	ag_str s;
	size_t at = 0;

	if (chars->type == AG_T_MISSING)
		return is_blank(cp);
	s = ag_val_text(chars);
	while (at < s.len) {
		if (ag_utf8_next(s, &at) == cp)
			return true;
	}
	return false;
}

AG_EXPR_EAGER(trim)
{
	const ag_val missing = { 0 }, *chars = e->kids[1] ? &args[1] : &missing;
	size_t at = 0, from = 0, to = 0;
	bool leading = e->row->tag != 'r', started = false;
	ag_str s;
	ag_status st;

	(void)n;
	*ret = ag_val_null();
	if (ag_expr_nullish(&args[0]) || (e->kids[1] && ag_expr_nullish(chars)))
		return AG_OK;
	st = want_string(env, e, &args[0]);
	if (!st && e->kids[1])
		st = want_string(env, e, chars);
	if (st)
		return st;
	s = ag_val_text(&args[0]);
	while (at < s.len) {
		size_t start = at;

		if (in_set(ag_utf8_next(s, &at), chars))
			continue;
		if (!started)
			from = start;
		started = true;
		to = at;
	}
	if (!leading)
		from = 0;
	if (e->row->tag == 'l')
		to = s.len;
	if (!started && e->row->tag == 'l')
		from = s.len;
	*ret = ag_val_str(ag_str_make(s.ptr + from, to > from ? to - from : 0));
	return AG_OK;
}

AG_EXPR_EAGER(substr_cp)
{
	int64_t from, len;
	ag_str s, head;
	ag_status st = coerce(env, e, &args[0], &s);

	(void)n;
	if (st)
		return st;
	if (!ag_val_to_i64(&args[1], &from) || from < 0 || !ag_val_to_i64(&args[2], &len) ||
	    len < 0)
		return ag_expr_bad(env, e, "wants whole numbers, 0 or more, for start and length");
	head = ag_utf8_prefix(s, (size_t)from);
	s = ag_str_make(s.ptr + head.len, s.len - head.len);
	*ret = ag_val_str(ag_utf8_prefix(s, (size_t)len));
	return AG_OK;
}

AG_EXPR_EAGER(str_len)
{
	ag_status st = want_string(env, e, args);

	(void)n;
	if (st)
		return st;
	*ret = ag_val_int(e->row->tag == 'b' ? (int64_t)args->n
	                                     : (int64_t)ag_utf8_count(ag_val_text(args)));
	return AG_OK;
}

AG_EXPR_EAGER(to_string)
{
	static const char hex[] = "0123456789abcdef";
	char *out;
	ag_str s;
	ag_status st;

	(void)n;
	if (ag_expr_nullish(args)) {
		*ret = ag_val_null();
		return AG_OK;
	}
	if (args->type == AG_T_BOOL) {
		*ret = ag_val_str(args->u.b ? AG_S("true") : AG_S("false"));
		return AG_OK;
	}
	if (args->type == AG_T_DOUBLE) {
		*ret = ag_val_str(double_text(env->arena, args->u.f));
		return AG_OK;
	}
	if (args->type == AG_T_SYMBOL || args->type == AG_T_CODE)
		return want_string(env, e, args);
	if (args->type == AG_T_OID) {
		out = ag_arena_alloc(env->arena, 25);
		for (size_t i = 0; i < 12; i++) {
			out[2 * i] = hex[args->u.oid[i] >> 4];
			out[2 * i + 1] = hex[args->u.oid[i] & 15];
		}
		*ret = ag_val_str(ag_str_make(out, 24));
		return AG_OK;
	}
	st = coerce(env, e, args, &s);
	if (!st)
		*ret = ag_val_str(s);
	return st;
}

AG_EXPR_EAGER(regex_match)
{
	(void)n;
	*ret = ag_val_bool(false);
	if (ag_expr_nullish(args))
		return AG_OK;
	if (args->type != AG_T_STRING)
		return want_string(env, e, args);
	*ret = ag_val_bool(ag_regex_match(e->regex, ag_val_text(args)));
	return AG_OK;
}

/* Dates, and what carries the time of its making in seconds. */
static bool to_ms(const ag_val *v, int64_t *ret)
{
	if (v->type == AG_T_DATE)
		*ret = v->u.i;
	else if (v->type == AG_T_TIMESTAMP)
		*ret = (int64_t)((uint64_t)v->u.i >> 32) * 1000;
	else if (v->type == AG_T_OID)
		*ret = (int64_t)((uint32_t)v->u.oid[0] << 24 | (uint32_t)v->u.oid[1] << 16 |
		                 (uint32_t)v->u.oid[2] << 8 | v->u.oid[3]) *
		       1000;
	else
		return false;
	return true;
}

AG_EXPR_EAGER(date_part)
{
	int64_t ms;
	ag_civil c;

	(void)n;
	if (ag_expr_nullish(args)) {
		*ret = ag_val_null();
		return AG_OK;
	}
	if (!to_ms(args, &ms))
		return ag_expr_bad(env, e, "wants a date, got %s", ag_type_alias(args->type));
	c = ag_time_to_civil(ms);
	switch (e->row->tag) {
	case 'y': *ret = ag_val_int(c.year); break;
	case 'm': *ret = ag_val_int(c.month); break;
	case 'd': *ret = ag_val_int(c.day); break;
	default: *ret = ag_val_int(c.hour); break;
	}
	return AG_OK;
}
