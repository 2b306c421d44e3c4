/* expr_ops_num -- arithmetic, and the sum that $add, $sum and $avg share.
 *
 * Integers stay exact: in 128 bits inside a sum, as int64 outside, and become double only when int64 is
 * too small. A decimal among the arguments makes the result decimal. Doubles are summed compensated. */
#include <math.h>
#include <stdio.h>

#include "query/decmath.h"
#include "query/expr_internal.h"

static bool is_int(const ag_val *v)
{
	return v->type == AG_T_INT32 || v->type == AG_T_INT64;
}

static ag_val decimal(ag_dec128 d)
{
	return (ag_val){ .type = AG_T_DECIMAL, .u.dec = d };
}

static ag_dec128 to_decimal(const ag_val *v)
{
	if (v->type == AG_T_DECIMAL)
		return v->u.dec;
	return is_int(v) ? ag_dec128_from_i64(v->u.i) : ag_decmath_from_double(v->u.f);
}

static ag_val from_i128(ag_i128 i)
{
	if (i >= INT64_MIN && i <= INT64_MAX)
		return ag_val_int((int64_t)i);
	return ag_val_double((double)i);
}

/* Neumaier: what rounding drops is kept in `low`. */
static void add_double(ag_sum *s, double x)
{
	double t = s->high + x;

	if (fabs(s->high) >= fabs(x))
		s->low += (s->high - t) + x;
	else
		s->low += (x - t) + s->high;
	s->high = t;
}

void ag_sum_add(ag_sum *s, const ag_val *v)
{
	switch (v->type) {
	case AG_T_INT32:
	case AG_T_INT64: s->whole += v->u.i; break;
	case AG_T_DOUBLE:
		add_double(s, v->u.f);
		s->has_double = true;
		break;
	case AG_T_DECIMAL:
		s->dec = s->has_dec ? ag_dec128_add(s->dec, v->u.dec) : v->u.dec;
		s->has_dec = true;
		break;
	default: return;
	}
	s->count++;
}

/* 128-bit integer into a decimal, exact up to 34 digits. */
static ag_dec128 decimal_from_i128(ag_i128 i)
{
	const ag_i128 chunk = 1000000000000000000LL;
	ag_dec128 high = ag_dec128_from_i64((int64_t)(i / chunk));
	ag_dec128 low = ag_dec128_from_i64((int64_t)(i % chunk));

	if (i >= INT64_MIN && i <= INT64_MAX)
		return ag_dec128_from_i64((int64_t)i);
	return ag_dec128_add(ag_decmath_mul(high, ag_dec128_from_i64((int64_t)chunk)), low);
}

static double total_double(const ag_sum *s)
{
	ag_sum t = *s;
	double high = (double)s->whole;

	add_double(&t, high);
	add_double(&t, (double)(s->whole - (ag_i128)high));
	return isfinite(t.high) ? t.high + t.low : t.high;
}

ag_val ag_sum_total(const ag_sum *s)
{
	ag_dec128 d;

	if (s->has_dec) {
		d = ag_dec128_add(s->dec, decimal_from_i128(s->whole));
		if (s->has_double) {
			double x = isfinite(s->high) ? s->high + s->low : s->high;

			d = ag_dec128_add(d, ag_decmath_from_double(x));
		}
		return decimal(d);
	}
	return s->has_double ? ag_val_double(total_double(s)) : from_i128(s->whole);
}

ag_val ag_sum_average(const ag_sum *s)
{
	ag_val total;

	if (s->count == 0)
		return ag_val_null();
	if (!s->has_dec)
		return ag_val_double(total_double(s) / (double)s->count);
	total = ag_sum_total(s);
	return decimal(ag_decmath_div(total.u.dec, ag_dec128_from_i64((int64_t)s->count)));
}

/* All numbers; *ret_null when one is null or missing. The first argument that is no number decides. */
static ag_status check_numbers(ag_expr_env *env, const ag_expr *e, const ag_val *args, size_t n,
                               bool *ret_null)
{
	*ret_null = false;
	for (size_t i = 0; i < n && !*ret_null; i++) {
		if (ag_expr_nullish(&args[i]))
			*ret_null = true;
		else if (!ag_type_is_number(args[i].type))
			return ag_expr_bad(env, e, "wants numbers, got %s",
			                   ag_type_alias(args[i].type));
	}
	return AG_OK;
}

/* The same for operators of two operands, which look at both: null beside anything gives null. */
static ag_status check_pair(ag_expr_env *env, const ag_expr *e, const ag_val *args, bool *ret_null)
{
	*ret_null = ag_expr_nullish(&args[0]) || ag_expr_nullish(&args[1]);
	return *ret_null ? AG_OK : check_numbers(env, e, args, 2, ret_null);
}

static ag_status date_plus(ag_expr_env *env, const ag_expr *e, int64_t ms, const ag_val *add,
                           ag_val *ret)
{
	double d = ag_val_number(add);
	ag_val whole = is_int(add) ? *add : ag_val_double(round(d));
	int64_t i;
	ag_i128 sum;

	if (!ag_val_to_i64(&whole, &i))
		return ag_expr_bad(env, e, "goes beyond the range of dates");
	sum = (ag_i128)ms + i;
	if (sum < INT64_MIN || sum > INT64_MAX)
		return ag_expr_bad(env, e, "goes beyond the range of dates");
	*ret = ag_val_date((int64_t)sum);
	return AG_OK;
}

AG_EXPR_EAGER(add)
{
	const ag_val *date = NULL;
	ag_sum sum = { 0 };
	bool null = false;

	for (size_t i = 0; i < n && !null; i++) {
		if (ag_expr_nullish(&args[i]))
			null = true;
		else if (args[i].type == AG_T_DATE && !date)
			date = &args[i];
		else if (ag_type_is_number(args[i].type))
			ag_sum_add(&sum, &args[i]);
		else
			return ag_expr_bad(env, e, "wants numbers and at most one date, got %s",
			                   ag_type_alias(args[i].type));
	}
	*ret = null ? ag_val_null() : ag_sum_total(&sum);
	return null || !date ? AG_OK : date_plus(env, e, date->u.i, ret, ret);
}

AG_EXPR_EAGER(subtract)
{
	const ag_val *a = &args[0], *b = &args[1];
	ag_val minus;
	bool null;
	ag_status st;

	if (a->type == AG_T_DATE && b->type == AG_T_DATE) {
		*ret = from_i128((ag_i128)a->u.i - b->u.i);
		return AG_OK;
	}
	if (a->type == AG_T_DATE && ag_type_is_number(b->type)) {
		minus = is_int(b) ? from_i128(-(ag_i128)b->u.i) : ag_val_double(-ag_val_number(b));
		return date_plus(env, e, a->u.i, &minus, ret);
	}
	(void)n;
	st = check_pair(env, e, args, &null);
	if (st)
		return st;
	if (null)
		*ret = ag_val_null();
	else if (is_int(a) && is_int(b))
		*ret = from_i128((ag_i128)a->u.i - b->u.i);
	else if (a->type == AG_T_DECIMAL || b->type == AG_T_DECIMAL)
		*ret = decimal(ag_dec128_add(to_decimal(a), ag_decmath_neg(to_decimal(b))));
	else
		*ret = ag_val_double(ag_val_number(a) - ag_val_number(b));
	return AG_OK;
}

static ag_val product(const ag_val *a, const ag_val *b)
{
	if (is_int(a) && is_int(b))
		return from_i128((ag_i128)a->u.i * b->u.i);
	if (a->type == AG_T_DECIMAL || b->type == AG_T_DECIMAL)
		return decimal(ag_decmath_mul(to_decimal(a), to_decimal(b)));
	return ag_val_double(ag_val_number(a) * ag_val_number(b));
}

AG_EXPR_EAGER(multiply)
{
	bool null;
	ag_status st = check_numbers(env, e, args, n, &null);

	if (st)
		return st;
	*ret = null ? ag_val_null() : ag_val_int(1);
	for (size_t i = 0; !null && i < n; i++)
		*ret = product(ret, &args[i]);
	return AG_OK;
}

static bool is_zero(const ag_val *v)
{
	return !ag_val_truthy(v);
}

AG_EXPR_EAGER(divide)
{
	bool null;
	ag_status st = check_pair(env, e, args, &null);

	(void)n;
	if (st)
		return st;
	if (null)
		*ret = ag_val_null();
	else if (is_zero(&args[1]))
		return ag_expr_bad(env, e, "cannot divide by zero");
	else if (args[0].type == AG_T_DECIMAL || args[1].type == AG_T_DECIMAL)
		*ret = decimal(ag_decmath_div(to_decimal(&args[0]), to_decimal(&args[1])));
	else
		*ret = ag_val_double(ag_val_number(&args[0]) / ag_val_number(&args[1]));
	return AG_OK;
}

AG_EXPR_EAGER(mod)
{
	const ag_val *a = &args[0], *b = &args[1];
	bool null;
	ag_status st = check_pair(env, e, args, &null);

	(void)n;
	if (st)
		return st;
	if (null)
		*ret = ag_val_null();
	else if (is_zero(b))
		return ag_expr_bad(env, e, "cannot divide by zero");
	else if (is_int(a) && is_int(b))
		*ret = ag_val_int(b->u.i == -1 ? 0 : a->u.i % b->u.i);
	else if (a->type == AG_T_DECIMAL || b->type == AG_T_DECIMAL)
		*ret = decimal(ag_decmath_mod(to_decimal(a), to_decimal(b)));
	else
		*ret = ag_val_double(fmod(ag_val_number(a), ag_val_number(b)));
	return AG_OK;
}

AG_EXPR_EAGER(abs)
{
	bool null;
	ag_status st = check_numbers(env, e, args, n, &null);

	if (st)
		return st;
	if (null)
		*ret = ag_val_null();
	else if (is_int(args) && args->u.i == INT64_MIN)
		return ag_expr_bad(env, e, "goes beyond the range of a long");
	else if (is_int(args))
		*ret = ag_val_int(args->u.i < 0 ? -args->u.i : args->u.i);
	else if (args->type == AG_T_DOUBLE)
		*ret = ag_val_double(fabs(args->u.f));
	else
		*ret = decimal(ag_dec128_is_neg(args->u.dec) ? ag_decmath_neg(args->u.dec)
		                                             : args->u.dec);
	return AG_OK;
}

static ag_decround mode_of(int tag)
{
	return tag == 't'   ? AG_DEC_TRUNC
	       : tag == 'f' ? AG_DEC_FLOOR
	       : tag == 'c' ? AG_DEC_CEIL
	                    : AG_DEC_HALF_EVEN;
}

static double round_double(double d, int places, ag_decround mode)
{
	char text[64];
	ag_dec128 dec;
	int n;

	if (!isfinite(d))
		return d;
	if (places == 0) {
		switch (mode) {
		case AG_DEC_TRUNC: return trunc(d);
		case AG_DEC_FLOOR: return floor(d);
		case AG_DEC_CEIL: return ceil(d);
		default: return rint(d);
		}
	}
	/* 34 digits of the double's exact value, as the server rounds: 2.675 lies below the half. */
	n = snprintf(text, sizeof(text), "%.33e", d);
	if (n < 0 || !ag_dec128_parse(ag_str_make(text, (size_t)n), &dec))
		return d;
	return ag_dec128_to_double(ag_decmath_round(dec, places, mode));
}

AG_EXPR_EAGER(round)
{
	ag_decround mode = mode_of(e->row->tag);
	int64_t places = 0;
	bool null;
	ag_status st = check_numbers(env, e, args, n, &null);

	if (st)
		return st;
	*ret = ag_val_null();
	if (null)
		return AG_OK;
	if (n > 1 && (!ag_val_to_i64(&args[1], &places) || places < -20 || places > 100))
		return ag_expr_bad(env, e, "wants a number of places from -20 to 100");
	*ret = args[0];
	if (args->type == AG_T_DOUBLE) {
		*ret = ag_val_double(round_double(args->u.f, (int)places, mode));
	} else if (args->type == AG_T_DECIMAL) {
		*ret = decimal(ag_decmath_round(args->u.dec, (int)places, mode));
	} else if (places < 0) {
		ag_val d = decimal(
			ag_decmath_round(ag_dec128_from_i64(args->u.i), (int)places, mode));
		int64_t i;

		if (!ag_val_to_i64(&d, &i))
			return ag_expr_bad(env, e, "goes beyond the range of a long");
		*ret = ag_val_int(i);
	}
	return AG_OK;
}

AG_EXPR_EAGER(math)
{
	bool null;
	ag_status st = check_numbers(env, e, args, n, &null);
	double d = ag_val_number(args);

	if (st)
		return st;
	if (null) {
		*ret = ag_val_null();
		return AG_OK;
	}
	switch (e->row->tag) {
	case 's':
		if (d < 0)
			return ag_expr_bad(env, e, "wants a number of 0 or more");
		d = sqrt(d);
		break;
	case 'e': d = exp(d); break;
	default:
		if (d <= 0)
			return ag_expr_bad(env, e, "wants a number above 0");
		d = e->row->tag == 'l' ? log(d) : log10(d);
		break;
	}
	*ret = ag_val_double(d);
	return AG_OK;
}
