/* audit_case_docs -- documents from templates, for the case files of the auditor.
 *
 * A template is text in which @words are replaced, once per document, from a seeded generator:
 *   @i @i(5)            number of the document in its case, from 0; padded with zeros
 *   @int(18,90)         a whole number          @num(1,9)      two decimals
 *   @norm(20,5)         normal, two decimals    @logn(30,0.8)  lognormal: median, sigma
 *   @exp(100)           exponential, whole      @pick(a|b|c)   one of them
 *   @maybe(30|text)     text in 30 of 100       @hex(8) @dig(5) @up(3) @low(6)
 *   @date(2020,2025)    2023-04-05              @iso(2020,2025) 2023-04-05T06:07:08Z
 *   @dmy(…) @mdy(…)     05/04/2023, 04/05/2023  @word @words(5) @first @last @email @uuid
 *   @right(IBAN,DE??@dig(18))  a code with the right check digit where "?" is; @wrong(…): with a wrong one
 *   @let(a|@int(1,9))   keeps a number under one letter and writes it
 *   @calc(2*a*b-c+5)    computes with kept numbers, two decimals
 *   @day(a+3)           a number of days after 2024-01-01 as a date
 * Arguments are expanded first; @@ is one @. */
#ifndef AG_TESTS_AUDIT_CASE_DOCS_H
#define AG_TESTS_AUDIT_CASE_DOCS_H

#include <math.h>
#include <stdlib.h>

#include "audit/code_scheme.h"
#include "base/arena.h"
#include "base/str.h"
#include "base/time.h"

typedef struct case_gen {
	uint64_t state; /* splitmix64 */
	size_t i;
	double kept[26]; /* by @let */
} case_gen;

static uint64_t gen_next(case_gen *g)
{
	uint64_t z = (g->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double gen_unit(case_gen *g)
{
	return ((double)(gen_next(g) >> 11) + 0.5) / 9007199254740992.0;
}

static int64_t gen_int(case_gen *g, int64_t lo, int64_t hi)
{
	return lo + (int64_t)(gen_next(g) % (uint64_t)(hi - lo + 1));
}

static double gen_normal(case_gen *g)
{
	return sqrt(-2 * log(gen_unit(g))) * cos(6.283185307179586 * gen_unit(g));
}

static const char *gen_of(case_gen *g, const char *const *list, size_t n)
{
	return list[gen_next(g) % n];
}

static const char *const gen_words[] = {
	"river",  "stone",  "green",  "market", "window", "paper",   "silver", "garden",
	"cloud",  "bridge", "lamp",   "winter", "apple",  "mirror",  "forest", "quiet",
	"engine", "letter", "ocean",  "button", "candle", "planet",  "north",  "velvet",
	"copper", "basket", "meadow", "signal", "harbor", "thunder",
};
static const char *const gen_first[] = { "Anna",  "Boris", "Clara", "David",  "Elena",
	                                 "Farid", "Greta", "Hugo",  "Ines",   "Jonas",
	                                 "Kim",   "Lena",  "Marco", "Nora",   "Omar",
	                                 "Paula", "Quinn", "Rosa",  "Stefan", "Tara" };
static const char *const gen_last[] = { "Adams",   "Becker", "Costa",  "Diaz",  "Evans",
	                                "Fischer", "Garcia", "Haas",   "Ito",   "Jensen",
	                                "Klein",   "Lopez",  "Moreau", "Novak", "Olsen",
	                                "Peters",  "Quist",  "Rossi",  "Sato",  "Tran" };

static ag_civil gen_day(case_gen *g, const double arg[2])
{
	ag_civil c = { .year = gen_int(g, (int64_t)arg[0], (int64_t)arg[1]) };

	c.month = (int)gen_int(g, 1, 12);
	c.day = (int)gen_int(g, 1, 28);
	c.hour = (int)gen_int(g, 0, 23);
	c.minute = (int)gen_int(g, 0, 59);
	c.second = (int)gen_int(g, 0, 59);
	return c;
}

static void gen_chars(case_gen *g, ag_buf *out, const char *alphabet, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ag_buf_addc(out, alphabet[gen_next(g) % strlen(alphabet)]);
}

static void gen_choice(case_gen *g, ag_buf *out, ag_str args)
{
	ag_str rest = args, one = { 0 };
	size_t n = 1, pick;

	for (size_t i = 0; i < args.len; i++)
		n += args.ptr[i] == '|';
	pick = gen_next(g) % n;
	for (size_t i = 0; i <= pick; i++)
		one = ag_str_split(&rest, '|');
	ag_buf_add(out, one);
}

static bool gen_number(case_gen *g, ag_buf *out, ag_str name, const double arg[2])
{
	if (ag_str_eqc(name, "int"))
		ag_buf_addf(out, "%lld", (long long)gen_int(g, (int64_t)arg[0], (int64_t)arg[1]));
	else if (ag_str_eqc(name, "num"))
		ag_buf_addf(out, "%.2f", arg[0] + (arg[1] - arg[0]) * gen_unit(g));
	else if (ag_str_eqc(name, "norm"))
		ag_buf_addf(out, "%.2f", arg[0] + arg[1] * gen_normal(g));
	else if (ag_str_eqc(name, "logn"))
		ag_buf_addf(out, "%.2f", arg[0] * exp(arg[1] * gen_normal(g)));
	else if (ag_str_eqc(name, "exp"))
		ag_buf_addf(out, "%.0f", -arg[0] * log(gen_unit(g)));
	else if (ag_str_eqc(name, "i"))
		ag_buf_addf(out, "%0*zu", (int)arg[0], g->i);
	else
		return false;
	return true;
}

static bool gen_date(case_gen *g, ag_buf *out, ag_str name, const double arg[2])
{
	ag_civil c = gen_day(g, arg);

	if (ag_str_eqc(name, "date"))
		ag_buf_addf(out, "%04d-%02d-%02d", (int)c.year, c.month, c.day);
	else if (ag_str_eqc(name, "iso"))
		ag_buf_addf(out, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)c.year, c.month, c.day,
		            c.hour, c.minute, c.second);
	else if (ag_str_eqc(name, "dmy"))
		ag_buf_addf(out, "%02d/%02d/%04d", c.day, c.month, (int)c.year);
	else if (ag_str_eqc(name, "mdy"))
		ag_buf_addf(out, "%02d/%02d/%04d", c.month, c.day, (int)c.year);
	else
		return false;
	return true;
}

static bool gen_text(case_gen *g, ag_buf *out, ag_str name, ag_str args, size_t n)
{
	if (ag_str_eqc(name, "pick"))
		gen_choice(g, out, args);
	else if (ag_str_eqc(name, "hex"))
		gen_chars(g, out, "0123456789abcdef", n);
	else if (ag_str_eqc(name, "dig"))
		gen_chars(g, out, "0123456789", n);
	else if (ag_str_eqc(name, "up"))
		gen_chars(g, out, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", n);
	else if (ag_str_eqc(name, "low"))
		gen_chars(g, out, "abcdefghijklmnopqrstuvwxyz", n);
	else if (ag_str_eqc(name, "first"))
		ag_buf_adds(out, gen_of(g, gen_first, AG_NELEM(gen_first)));
	else if (ag_str_eqc(name, "last"))
		ag_buf_adds(out, gen_of(g, gen_last, AG_NELEM(gen_last)));
	else if (ag_str_eqc(name, "email"))
		ag_buf_addf(out, "user%zu.%s@example.org", g->i,
		            gen_of(g, gen_words, AG_NELEM(gen_words)));
	else if (ag_str_eqc(name, "word") || ag_str_eqc(name, "words"))
		for (size_t i = 0; i < (n ? n : 1); i++)
			ag_buf_addf(out, "%s%s", i ? " " : "",
			            gen_of(g, gen_words, AG_NELEM(gen_words)));
	else
		return false;
	return true;
}

/* A number or a kept one. */
static double calc_factor(const case_gen *g, const char **at)
{
	char *end;
	double v;

	if (**at >= 'a' && **at <= 'z')
		return g->kept[*(*at)++ - 'a'];
	v = strtod(*at, &end);
	*at = end;
	return v;
}

/* Sums of products, without brackets. */
static bool calc(const case_gen *g, ag_str text, double *ret)
{
	char copy[80];
	const char *at = copy;
	double sum = 0, sign = 1;

	if (text.len >= sizeof(copy))
		return false;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = 0;
	for (;;) {
		double term = sign * calc_factor(g, &at);

		while (*at == '*') {
			at++;
			term *= calc_factor(g, &at);
		}
		sum += term;
		if (*at != '+' && *at != '-')
			break;
		sign = *at++ == '-' ? -1 : 1;
	}
	*ret = sum;
	return !*at;
}

static bool gen_calc(case_gen *g, ag_buf *out, ag_str name, ag_str args)
{
	double v;

	if (ag_str_eqc(name, "let")) {
		if (args.len < 3 || args.ptr[0] < 'a' || args.ptr[0] > 'z' ||
		    !ag_str_to_double(ag_str_make(args.ptr + 2, args.len - 2), &v))
			return false;
		g->kept[args.ptr[0] - 'a'] = v;
		ag_buf_add(out, ag_str_make(args.ptr + 2, args.len - 2));
	} else if (ag_str_eqc(name, "calc") && calc(g, args, &v)) {
		ag_buf_addf(out, "%.2f", v);
	} else if (ag_str_eqc(name, "day") && calc(g, args, &v)) {
		const ag_civil c = ag_time_to_civil((int64_t)(19723 + v) * 86400000);

		ag_buf_addf(out, "%04d-%02d-%02d", (int)c.year, c.month, c.day);
	} else {
		return false;
	}
	return true;
}

static void gen_uuid(case_gen *g, ag_buf *out)
{
	const size_t parts[] = { 8, 4, 4, 4, 12 };

	for (size_t i = 0; i < AG_NELEM(parts); i++) {
		if (i)
			ag_buf_addc(out, '-');
		gen_chars(g, out, "0123456789abcdef", parts[i]);
	}
}

/* "GTIN,400@dig(9)?", expanded: each "?" becomes the sign that makes the code right, or wrong. */
static bool gen_code(case_gen *g, ag_buf *out, ag_str args, ag_code_fit wanted)
{
	static const char signs[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const ag_str name = ag_str_split(&args, ',');
	size_t nscheme;
	const ag_code_scheme *schemes = ag_code_schemes(&nscheme);
	const size_t from = wanted == AG_CODE_WRONG ? gen_next(g) % 10 : 0;

	for (size_t k = 0; k < nscheme; k++) {
		for (size_t try = 0; ag_str_eqc(name, schemes[k].name) && try < 36 * 36; try++) {
			char text[40];
			size_t at = (try + from) % (36 * 36);
			ag_code code;

			for (size_t i = 0; i < args.len && i < sizeof(text); i++) {
				text[i] = args.ptr[i] == '?' ? signs[at % 36] : args.ptr[i];
				at = args.ptr[i] == '?' ? at / 36 : at;
			}
			if (args.len >= sizeof(text) ||
			    !ag_code_read(ag_str_make(text, args.len), &code))
				return false;
			if (ag_code_fits(&schemes[k], &code) == wanted) {
				ag_buf_add(out, ag_str_make(text, args.len));
				return true;
			}
		}
	}
	return false;
}

static bool case_expand(case_gen *g, ag_buf *out, ag_str text);

/* One @word; *at stands behind it (and its arguments) afterwards. */
static bool gen_one(case_gen *g, ag_buf *out, ag_str text, size_t *at)
{
	ag_buf expanded = AG_BUF_INIT(1 << 20);
	ag_str name, args = { 0 }, rest;
	double arg[2] = { 0, 0 };
	size_t from = *at, i = from, depth = 0;
	bool ok = true;

	while (i < text.len && text.ptr[i] >= 'a' && text.ptr[i] <= 'z')
		i++;
	name = ag_str_make(text.ptr + from, i - from);
	if (i < text.len && text.ptr[i] == '(') {
		size_t open = ++i;

		for (; i < text.len && (depth || text.ptr[i] != ')'); i++)
			depth += (text.ptr[i] == '(') - (text.ptr[i] == ')');
		args = ag_str_make(text.ptr + open, i - open);
		i++;
	}
	*at = i;
	if (ag_str_eqc(name, "maybe")) {
		double percent = 0;

		if (!ag_str_to_double(ag_str_split(&args, '|'), &percent))
			return false;
		return gen_unit(g) * 100 >= percent || case_expand(g, out, args);
	}
	ok = case_expand(g, &expanded, args);
	rest = args = ag_buf_view(&expanded);
	for (size_t k = 0; k < 2 && rest.ptr; k++)
		AG_IGNORE(!ag_str_to_double(ag_str_split(&rest, ','), &arg[k]),
		          "words have no numbers");
	if (ag_str_eqc(name, "uuid"))
		gen_uuid(g, out);
	else if (ag_str_eqc(name, "right") || ag_str_eqc(name, "wrong"))
		ok = ok && gen_code(g, out, args,
		                    ag_str_eqc(name, "right") ? AG_CODE_RIGHT : AG_CODE_WRONG);
	else
		ok = ok && (gen_number(g, out, name, arg) ||
		            gen_text(g, out, name, args, (size_t)arg[0]) ||
		            gen_calc(g, out, name, args) || gen_date(g, out, name, arg));
	ag_buf_release(&expanded);
	return ok;
}

/* False when an @word is not known. */
static bool case_expand(case_gen *g, ag_buf *out, ag_str text)
{
	for (size_t i = 0; i < text.len;) {
		if (text.ptr[i] == '@' && i + 1 < text.len && text.ptr[i + 1] >= 'a' &&
		    text.ptr[i + 1] <= 'z') {
			i++;
			if (!gen_one(g, out, text, &i))
				return false;
			continue;
		}
		if (text.ptr[i] == '@' && i + 1 < text.len && text.ptr[i + 1] == '@')
			i++;
		ag_buf_addc(out, text.ptr[i++]);
	}
	return true;
}

#endif
