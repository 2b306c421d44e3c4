/* csv_view -- what an unquoted cell of a CSV file means beside its text (rule in table.h).
 *
 * Only texts that cannot be anything else get a view: "007" is a code and not 7, "+1" a telephone prefix. A
 * number keeps all its digits: it is a double only if the shortest text of that double is the same number,
 * else a decimal. */
#include "base/num.h"
#include "base/time.h"
#include "columns/csv.h"

/* Decimal digits that every double keeps. */
#define SAFE_DIGITS 15

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits_at(ag_str s, size_t i)
{
	size_t from = i;

	while (i < s.len && is_digit(s.ptr[i]))
		i++;
	return i - from;
}

typedef struct number_form {
	bool is_integer;
	size_t digits; /* before and after the point */
} number_form;

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool number_form_of(ag_str s, number_form *ret)
{
	size_t i = s.len && s.ptr[0] == '-', n = digits_at(s, i);

	if (n == 0 || (n > 1 && s.ptr[i] == '0'))
		return false;
	i += n;
	*ret = (number_form){ .is_integer = true, .digits = n };
	if (i < s.len && s.ptr[i] == '.') {
		n = digits_at(s, i + 1);
		if (n == 0)
			return false;
		ret->digits += n;
		ret->is_integer = false;
		i += 1 + n;
	}
	if (i < s.len && (s.ptr[i] == 'e' || s.ptr[i] == 'E')) {
		i++;
		i += i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-');
		n = digits_at(s, i);
		if (n == 0 || n > 4)
			return false;
		ret->is_integer = false;
		ret->digits += SAFE_DIGITS; /* let the exact comparison decide */
		i += n;
	}
	return i == s.len;
}

static ag_val decimal_view(ag_str s)
{
	ag_val v = { .type = AG_T_DECIMAL };

	return ag_dec128_parse(s, &v.u.dec) ? v : ag_val_missing();
}

static ag_val number_view(ag_str s, const number_form *form)
{
	char text[AG_NUM_MAX];
	ag_dec128 exact, shortest;
	int64_t i;
	double d;

	if (form->is_integer) {
		if (s.len == 2 && s.ptr[0] == '-' && s.ptr[1] == '0')
			return ag_val_missing(); /* an integer has no -0 */
		return ag_str_to_i64(s, &i) ? ag_val_int(i) : decimal_view(s);
	}
	if (!ag_str_to_double(s, &d))
		return decimal_view(s);
	if (form->digits <= SAFE_DIGITS)
		return ag_val_double(d);
	if (!ag_dec128_parse(s, &exact))
		return ag_val_missing();
	if (ag_dec128_parse(ag_str_make(text, ag_num_double(text, d, false)), &shortest) &&
	    ag_dec128_cmp(exact, shortest) == 0)
		return ag_val_double(d);
	return decimal_view(s);
}

static bool looks_like_date(ag_str s)
{
	return s.len >= 10 && s.ptr[4] == '-' && s.ptr[7] == '-' && digits_at(s, 0) == 4;
}

ag_val ag_csv_view(ag_str cell)
{
	number_form form;
	int64_t ms;

	if (cell.len == 0)
		return ag_val_null();
	if (is_digit(cell.ptr[0]) || cell.ptr[0] == '-') {
		if (number_form_of(cell, &form))
			return number_view(cell, &form);
		if (looks_like_date(cell) && ag_time_parse_iso(cell, &ms))
			return ag_val_date(ms);
		return ag_val_missing();
	}
	if (ag_str_eqc(cell, "true"))
		return ag_val_bool(true);
	if (ag_str_eqc(cell, "false"))
		return ag_val_bool(false);
	return ag_val_missing();
}
