/* check_types -- rows 5, 6 and 7: values of the wrong type.
 *
 * int, long, double and decimal are one class, and null is no class. In CSV a type is only what a cell looks like: "10"
 * beside "12A" may be damage or a column of codes. What decides is the kind of the texts and of the numbers, never
 * how many there are, so that more damage cannot look like less: see csv_mixture(). */
#include "audit/checks.h"

#include "columns/textclass.h"

#include "query/extjson.h"

typedef enum type_class {
	NUMBERS,
	TEXTS,
	DATES,
	BOOLS,
	OBJECTS,
	ARRAYS,
	OTHERS,
	NCLASS
} type_class;

static const char *const class_names[] = { "number", "text",  "date", "boolean",
	                                   "object", "array", "other" };

static type_class class_of(unsigned t)
{
	switch (t) {
	case AG_T_INT32:
	case AG_T_INT64:
	case AG_T_DOUBLE:
	case AG_T_DECIMAL: return NUMBERS;
	case AG_T_STRING:
	case AG_T_SYMBOL: return TEXTS;
	case AG_T_DATE:
	case AG_T_TIMESTAMP: return DATES;
	case AG_T_BOOL: return BOOLS;
	case AG_T_OBJECT: return OBJECTS;
	case AG_T_ARRAY: return ARRAYS;
	default: return OTHERS;
	}
}

/* Texts without a word. */
static uint64_t empty_texts(const ag_path_profile *f)
{
	return f->str.nempty + f->str.nblank;
}

#define NAMED_FROM 0.1 /* numbers in a field that is called like one: below it the name lies */
#define NUMERIC_FROM \
	0.95 /* of the texts are numbers: the field holds numbers, some of them in quotes */

/* Numbers, although most values are texts: the name says so, or the texts are numbers themselves. */
static bool holds_numbers(const ag_path_profile *f, const uint64_t n[NCLASS], uint64_t total)
{
	const ag_field_name name = ag_field_name_of(f->owner);
	const uint64_t words = f->str.by_class[AG_TEXT_NULL_WORD] + empty_texts(f);

	if (n[NUMBERS] + n[TEXTS] != total || (double)n[NUMBERS] < NAMED_FROM * (double)total ||
	    ag_name_is_identifier(&name) ||
	    name.traits & (AG_TRAIT_POLY | AG_TRAIT_ZIP | AG_TRAIT_PHONE))
		return false;
	return name.traits & AG_TRAIT_NUMERIC ||
	       (f->str.n > words && !f->str.nleading_zero &&
	        (double)f->str.by_class[AG_TEXT_NUMERIC] >=
	                NUMERIC_FROM * (double)(f->str.n - words));
}

/* Counts by class, and the class that the field is of. An empty text in a field of another type is a missing value of
 * that type, which row 13 reports; "n/a" says nothing on the type either, but it is a text where there should be none.
 * So neither makes a field of numbers one of texts, however many there are. */
static type_class count_classes(const ag_profile *p, const ag_path_profile *f, uint64_t n[NCLASS],
                                uint64_t *ret_total)
{
	type_class most = NUMBERS;
	uint64_t total = 0, words = 0;

	memset(n, 0, NCLASS * sizeof(*n));
	for (unsigned t = 1; t < AG_NTYPE; t++) {
		if (t == AG_T_NULL || t == AG_T_UNDEFINED)
			continue;
		n[class_of(t)] += f->by_type[t];
		total += f->by_type[t];
	}
	if (n[TEXTS] < total) {
		n[TEXTS] -= empty_texts(f);
		total -= empty_texts(f);
		words = f->str.by_class[AG_TEXT_NULL_WORD];
	}
	*ret_total = total;
	if (!p->has_views && holds_numbers(f, n, total))
		return NUMBERS;
	for (type_class c = NUMBERS; c < NCLASS; c++) {
		const uint64_t mine = c == TEXTS && words < n[c] ? n[c] - words
		                      : c == TEXTS && words      ? 0
		                                                 : n[c];

		if (mine > n[most] || (mine == n[most] && n[c] > n[most]))
			most = c;
	}
	return most;
}

/* {"$type": […]} of everything that is not of the majority's class. */
static ag_val minority_types(ag_arena *a, const ag_path_profile *f, type_class most)
{
	ag_val names[AG_NTYPE];
	size_t n = 0;

	for (unsigned t = 1; t < AG_NTYPE; t++) {
		if (t == AG_T_NULL || t == AG_T_UNDEFINED || !f->by_type[t] || class_of(t) == most)
			continue;
		names[n++] = ag_ev_text(ag_type_alias(t));
	}
	if (most == TEXTS || !empty_texts(f))
		return OBJ(a, KV("$type", ag_ev_arr(a, names, n)));
	return OBJ(a, KV("$type", ag_ev_arr(a, names, n)),
	           KV("$not", ag_ev_regex(a, "^[\\t-\\r ]*$", "")));
}

/* $type looks into arrays, $isArray does not. Only where the path runs through no other array. */
static ag_str array_evidence(ag_arena *a, const ag_path_profile *f, type_class most)
{
	ag_ev_place at = ag_ev_place_of(a, f);
	ag_val is_array, filter;
	ag_member m[2];

	if (!at.ok || at.array.len)
		return AG_S("");
	is_array = OBJ(a, KV("$isArray", ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(at.whole)))));
	if (most != ARRAYS) {
		filter = OBJ(a, KV("$expr", is_array));
		return ag_ev_str(a, &filter);
	}
	m[0].key = at.whole;
	m[0].val = OBJ(a, KV("$exists", ag_val_bool(true)), KV("$ne", ag_val_null()));
	m[1].key = AG_S("$expr");
	m[1].val = OBJ(a, KV("$not", ARR(a, is_array)));
	filter = ag_ev_obj(a, m, 2);
	return ag_ev_str(a, &filter);
}

static ag_str split_detail(ag_arena *a, const uint64_t n[NCLASS])
{
	ag_buf b = AG_BUF_INIT(500);
	ag_str ret;

	for (size_t i = 0; i < NCLASS; i++) {
		if (n[i])
			ag_buf_addf(&b, "%s%s %llu", b.len ? ", " : "", class_names[i],
			            (unsigned long long)n[i]);
	}
	ret = ag_buf_dup(a, &b);
	ag_buf_release(&b);
	return ret;
}

/* Pairs such as [1700000000, "up"] hold two types by design: about one of each per array. */
static bool is_tuple(const ag_profile *p, const ag_path_profile *f, double majority)
{
	const ag_path_profile *arr = f->is_elem && f->parent < p->npath ? &p->paths[f->parent]
	                                                                : NULL;

	return f->is_elem &&
	       (majority < 0.8 || (arr && arr->arr.n && arr->arr.size.max <= 4 &&
	                           arr->arr.size.min == arr->arr.size.max && majority < 0.9));
}

/* --- CSV: damage or codes? --- */

#define MAX_CODE_BYTES    24
#define MIN_MARKS         5    /* texts of one letter among numbers */
#define MAX_SIZE_LETTERS  4    /* "XXL" */
#define MAX_SIZE_VALUES   60   /* distinct values of a column of sizes */
#define CODES_FROM        0.8  /* share of the texts that must be codes */
#define MOSTLY_NUMBERS    0.75 /* share of the numbers: from here sizes in letters are odd */
#define MAX_WORDS         30   /* distinct values of a list, each EACH_WORD times on average */
#define EACH_WORD         10ull
#define TYPED_FROM        0.1  /* below it the column is text */
#define MOSTLY_TYPED_FROM 0.33 /* below it a column without any other sign may be text by design */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_one_of(ag_str s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_ieq(s, ag_str_c(words[i])))
			return true;
	return false;
}

/* "", "%", "kg", "EUR", "€": what people write after or before a number. */
static bool is_unit(ag_str s)
{
	static const char *const units[] = {
		"%",   "kg",  "g",   "mg",     "lb",      "lbs",   "oz",    "mm",   "cm",  "dm",
		"km",  "in",  "ft",  "mi",     "l",       "ml",    "cl",    "eur",  "usd", "gbp",
		"chf", "jpy", "min", "mins",   "sec",     "hrs",   "hours", "days", "ms",  "pcs",
		"pc",  "stk", "kb",  "mb",     "gb",      "tb",    "kwh",   "kw",   "hz",  "pt",
		"px",  "pts", "ca.", "approx", "approx.", "about", "~",     "<",    ">",   "+",
		"=",   "$",   "£",   "€",      "¥",       "°",     "°c",    "°f",
	};

	return !s.len || is_one_of(s, units, AG_NELEM(units));
}

/* 1,234.50 and 1.234.567, but not 2.0.1 and not 007. */
static bool is_grouped_number(ag_str s)
{
	size_t group = 0, nsign = 0;
	bool threes = true;

	if (s.len > 1 && s.ptr[0] == '0' && is_digit(s.ptr[1]))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (is_digit(s.ptr[i])) {
			group++;
			continue;
		}
		if (!strchr(".,' ", s.ptr[i]) || !group)
			return false;
		threes = threes && (!nsign || group == 3);
		nsign++;
		group = 0;
	}
	return group && (nsign < 2 || threes);
}

/* A number that something was written to: "12 kg", "$5", "1,234", " 7 ". */
static bool is_decorated_number(ag_str s)
{
	size_t from = 0, to;

	s = ag_str_trim(s);
	while (from < s.len && !is_digit(s.ptr[from]))
		from++;
	for (to = s.len; to > from && !is_digit(s.ptr[to - 1]); to--)
		;
	if (from == to)
		return false;
	return is_unit(ag_str_trim(
		       ag_str_make(s.ptr, from && s.ptr[from - 1] == '-' ? from - 1 : from))) &&
	       is_unit(ag_str_trim(ag_str_make(s.ptr + to, s.len - to))) &&
	       is_grouped_number(ag_str_make(s.ptr + from, to - from));
}

/* "A12", "12a", "007", "SW1A 1AA", "XL" in a column of few values. */
static bool is_code(ag_str s, bool few_values)
{
	size_t run = 0, longest = 0, ndigit = 0, nupper = 0;
	bool has_blank = false;

	s = ag_str_trim(s);
	for (size_t i = 0; i < s.len; i++) {
		run = is_letter(s.ptr[i]) ? run + 1 : 0;
		longest = run > longest ? run : longest;
		ndigit += is_digit(s.ptr[i]);
		nupper += s.ptr[i] >= 'A' && s.ptr[i] <= 'Z';
		has_blank = has_blank || s.ptr[i] == ' ';
	}
	if (!ndigit)
		return few_values && s.len <= MAX_SIZE_LETTERS && nupper == s.len;
	return s.len <= MAX_CODE_BYTES && longest <= (has_blank ? 4 : 8) &&
	       !is_decorated_number(s) && ag_text_date_format(s, NULL, NULL) == AG_DATE_NONE;
}

/* "S" and "XL" beside 38 and 40. */
static bool is_size(ag_str s, bool few_values)
{
	for (size_t i = 0; i < s.len; i++)
		if (is_digit(s.ptr[i]))
			return false;
	return is_code(s, few_values);
}

static bool is_version(ag_str s)
{
	size_t ndot = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (!is_digit(s.ptr[i]) && s.ptr[i] != '.')
			return false;
		ndot += s.ptr[i] == '.';
	}
	return ndot >= 2;
}

typedef struct text_kinds_found {
	uint64_t n, codes, versions,
		sizes; /* of the texts whose shape is known, without placeholders */
} text_kinds_found;

static text_kinds_found kinds_of_texts(const ag_path_profile *f)
{
	text_kinds_found k = { 0 };

	for (size_t i = 0; i < f->str.nshape; i++) {
		const ag_str s = f->str.shapes[i].example;
		const unsigned classes = ag_text_classify(s);

		if (!ag_str_trim(s).len || classes & 1u << AG_TEXT_NULL_WORD)
			continue;
		k.n += f->str.shapes[i].n;
		if (is_code(s, f->ndistinct <= MAX_SIZE_VALUES))
			k.codes += f->str.shapes[i].n;
		if (is_size(s, f->ndistinct <= MAX_SIZE_VALUES))
			k.sizes += f->str.shapes[i].n;
		if (is_version(s))
			k.versions += f->str.shapes[i].n;
	}
	return k;
}

/* "2024-05" among days: only the month was known. */
static bool is_month(ag_str s)
{
	char day[] = "0000-00-01";

	s = ag_str_trim(s);
	if (s.len != 7)
		return false;
	memcpy(day, s.ptr, s.len);
	return ag_text_date_format(ag_str_c(day), NULL, NULL) == AG_DATE_ISO;
}

/* "<0.6" among numbers: the instrument measures no less. */
static bool is_bound(ag_str s)
{
	s = ag_str_trim(s);
	if (s.len < 2 || (s.ptr[0] != '<' && s.ptr[0] != '>'))
		return false;
	for (size_t i = s.ptr[1] == '=' ? 2 : 1; i < s.len; i++)
		if (!is_digit(s.ptr[i]) && s.ptr[i] != '.' && s.ptr[i] != ' ')
			return false;
	return is_digit(s.ptr[s.len - 1]);
}

/* Are all texts, apart from words for nothing, of this kind? */
static bool texts_are_all(const ag_path_profile *f, bool (*is_kind)(ag_str))
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->str.nshape; i++) {
		const ag_str s = f->str.shapes[i].example;

		n += f->str.shapes[i].n;
		if (ag_str_trim(s).len && !is_kind(s))
			return false;
	}
	return n == f->str.n && n > f->str.nempty + f->str.nblank;
}

/* "X" among counts of birds: they were there, and nobody counted them. One letter, again and again. */
static bool is_one_mark(const ag_path_profile *f, const uint64_t n[NCLASS], type_class most,
                        uint64_t total)
{
	const ag_str s = f->str.nshape == 1 ? ag_str_trim(f->str.shapes[0].example) : AG_S("");

	return most == NUMBERS && n[NUMBERS] + n[TEXTS] == total && f->str.n >= MIN_MARKS &&
	       f->str.n == f->str.shapes[0].n && s.len == 1 && s.ptr[0] >= 'A' && s.ptr[0] <= 'Z';
}

/* 0 and 1 beside true and false are one boolean: row 43. */
static bool is_only_flags(const ag_path_profile *f, const uint64_t n[NCLASS])
{
	return n[BOOLS] && n[NUMBERS] && !n[TEXTS] && !n[DATES] && f->num.q.min >= 0 &&
	       f->num.q.max <= 1 && f->num.nint == f->num.n;
}

/* What a CSV column of several types is. AG_LOW: it may be so by design; AG_HIGH: damage. False: no word on it. */
static bool csv_mixture(const ag_path_profile *f, const ag_field_name *name,
                        const uint64_t n[NCLASS], uint64_t total, type_class typed,
                        ag_severity *ret)
{
	const double share = ag_share(n[typed], total);
	const bool says_number = typed == NUMBERS && name->traits & AG_TRAIT_NUMERIC;
	bool measured = typed == NUMBERS && f->num.nint * 2 < f->num.n;
	const text_kinds_found k = kinds_of_texts(f);

	if (!n[typed] || ag_name_is_identifier(name) || is_only_flags(f, n))
		return false;
	measured = measured && k.versions * 2 <= k.n;
	*ret = AG_LOW;
	if ((typed == DATES && texts_are_all(f, is_month)) ||
	    (typed == NUMBERS && texts_are_all(f, is_bound)))
		return share >= TYPED_FROM;
	if (typed == NUMBERS && !says_number && !measured && k.n &&
	    (double)k.codes >= CODES_FROM * (double)k.n)
		return share >= TYPED_FROM && !(k.sizes == k.n && share < MOSTLY_NUMBERS);
	*ret = AG_HIGH;
	if (says_number)
		return true;
	if (measured || typed == DATES)
		return share >= TYPED_FROM;
	if (share < (name->traits & AG_TRAIT_PROSE ? 0.5 : MOSTLY_TYPED_FROM) && k.n) {
		*ret = AG_LOW;
		/* "one size", "M", 42: a list of words, and some of them are numbers. */
		if (f->values_complete && f->ndistinct <= MAX_WORDS &&
		    f->nscalar >= EACH_WORD * f->ndistinct)
			return false;
	}
	return share >= TYPED_FROM;
}

/* The class that the column is of, when it is more than text. */
static type_class typed_class(const uint64_t n[NCLASS])
{
	return n[NUMBERS] >= n[DATES] && n[NUMBERS] >= n[BOOLS] ? NUMBERS
	       : n[DATES] >= n[BOOLS]                           ? DATES
	                                                        : BOOLS;
}

/* Cells that are not of that class: text, and what has a view of another class. */
static ag_val not_of_class(ag_arena *a, const ag_profile *p, const ag_path_profile *f,
                           const uint64_t n[NCLASS], type_class typed)
{
	static const char *const names[] = {
		[NUMBERS] = "number", [DATES] = "date", [BOOLS] = "bool"
	};

	/* Dates, true and false of a CSV are texts once they are imported: their form is asked for, and not their type. */
	if (typed == DATES && f->date.written == AG_DATE_ISO)
		return OBJ(a, KV("$nin", ARR(a, ag_val_null(), ag_ev_text(""))),
		           KV("$not", OBJ(a, KV("$regex", ag_ev_text(AG_EV_ISO_DAY)))));
	if (typed == BOOLS)
		return OBJ(a, KV("$nin", ARR(a, ag_val_null(), ag_ev_text(""), ag_ev_text("true"),
		                             ag_ev_text("false"))));
	if (n[NUMBERS] + n[DATES] + n[BOOLS] == n[typed])
		return ag_ev_is_string(a, p);
	return OBJ(a, KV("$exists", ag_val_bool(true)), KV("$ne", ag_ev_text("")),
	           KV("$not",
	              OBJ(a, KV("$type", ARR(a, ag_ev_text(names[typed]), ag_ev_text("null"))))));
}

ag_str ag_path_odd_types(ag_arena *a, const ag_profile *p, const ag_path_profile *f,
                         double *ret_majority)
{
	uint64_t n[NCLASS], total;
	type_class most = count_classes(p, f, n, &total);

	*ret_majority = ag_share(n[most], total);
	if (!total || n[most] == total)
		return AG_S("");
	if (n[ARRAYS])
		return array_evidence(a, f, most);
	if (p->has_views && most == TEXTS)
		return ag_ev_where(a, f,
		                   OBJ(a,
		                       KV("$type", ARR(a, ag_ev_text("number"), ag_ev_text("date"),
		                                       ag_ev_text("bool")))));
	return ag_ev_where(a, f,
	                   p->has_views ? not_of_class(a, p, f, n, most)
	                                : minority_types(a, f, most));
}

static const char *class_plural(type_class c)
{
	static const char *const plurals[] = { "numbers", "text",   "dates",      "booleans",
		                               "objects", "arrays", "of one type" };

	return plurals[c];
}

void ag_check_mixed_types(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t n[NCLASS], total;
	type_class most = count_classes(p, f, n, &total);
	double majority = ag_share(n[most], total);
	bool by_kind = out->name.traits & AG_TRAIT_POLY && !(out->name.traits & AG_TRAIT_NUMERIC);
	ag_severity severity = AG_HIGH;
	ag_hypothesis *h;

	if (f->n < 5 || n[most] == total || total == 0 || is_tuple(p, f, majority))
		return;
	if (p->has_views) {
		most = typed_class(n);
		majority = ag_share(n[most], total);
		if (!csv_mixture(f, &out->name, n, total, most, &severity))
			return;
	}
	/* Dates in another notation: row 8 says so. */
	if (p->has_views && most == DATES && f->str.by_date[AG_DATE_NONE] * 5 < f->str.n)
		return;
	if (n[ARRAYS])
		h = ag_suspect(out, f, "type_mismatch", AG_HIGH, 0.95, array_evidence(a, f, most));
	else if (p->has_views)
		h = ag_suspect(out, f, "type_mismatch", severity, 0.9,
		               ag_ev_where(a, f, not_of_class(a, p, f, n, most)));
	else
		h = ag_suspect(out, f, "type_mismatch", AG_HIGH, 0.95,
		               ag_ev_where(a, f, minority_types(a, f, most)));
	if (!h)
		return;
	h->is_type = !p->has_views;
	if (by_kind || severity == AG_LOW || is_one_mark(f, n, most, total)) {
		h->severity = AG_LOW;
		ag_suspect_fix(h);
	} else if (majority >= o->type_consistency_threshold) {
		h->severity = AG_MEDIUM;
	}
	h->what = ag_str_printf(a, "values of another type stand where the others are %s",
	                        class_plural(most));
	h->cause = AG_S("two writers, or two versions of one, that disagree on the type");
	h->repair = AG_S(
		"convert the minority to the majority's type and check the type at the writer");
	h->detail = split_detail(a, n);
}

/* A digit after a leading zero: no number is written so. */
static bool has_leading_zeros(const ag_path_profile *f)
{
	for (size_t i = 0; i < f->nvalue; i++) {
		ag_str s = ag_str_trim(ag_value_text(&f->values[i]));

		if (s.len > 1 && s.ptr[0] == '0' && s.ptr[1] >= '0' && s.ptr[1] <= '9')
			return true;
	}
	return false;
}

static uint64_t numeric_of_texts(const ag_path_profile *f, double *ret_share)
{
	uint64_t words = f->str.by_class[AG_TEXT_NULL_WORD] + f->str.nempty + f->str.nblank;
	uint64_t rest = f->str.n > words ? f->str.n - words : 0;

	*ret_share = ag_share(f->str.by_class[AG_TEXT_NUMERIC], rest);
	return f->str.by_class[AG_TEXT_NUMERIC];
}

/* "12,50" and "1.234,50": whole, or with decimals behind a comma. *ret_decimals: -1 where there is no comma. */
static bool is_comma_number(ag_str s, int *ret_decimals)
{
	const char *comma;

	s = ag_str_trim(s);
	if (s.len && s.ptr[0] == '-')
		s = ag_str_make(s.ptr + 1, s.len - 1);
	comma = s.len ? memchr(s.ptr, ',', s.len) : NULL;
	*ret_decimals = comma ? (int)(s.ptr + s.len - comma) - 1 : -1;
	for (int i = 1; comma && i <= *ret_decimals; i++)
		if (!is_digit(comma[i]))
			return false;
	return *ret_decimals && is_grouped_number(s);
}

/* What an import leaves of a column of a country's numbers: texts, of which most have a decimal comma. */
static bool has_decimal_commas(const ag_path_profile *f)
{
	uint64_t all = 0, commas = 0, sure = 0;

	for (size_t i = 0; i < f->str.nshape; i++) {
		const ag_shape_count *s = &f->str.shapes[i];
		int decimals;

		if (!is_comma_number(s->example, &decimals))
			continue;
		all += s->n;
		commas += decimals > 0 ? s->n : 0;
		sure += decimals > 0 && decimals != 3 ? s->n : 0;
	}
	return (double)all >= 0.95 * (double)f->str.n && commas * 2 > all && sure * 2 > commas;
}

#define COMMA_NUMBER "^[\\t-\\r ]*[-+]?([0-9]+|[0-9]{1,3}([. '][0-9]{3})+)(,[0-9]+)?[\\t-\\r ]*$"

void ag_check_numeric_text(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t nnumber = ag_path_numbers(f), ntext;
	double share;
	const char *regex;
	bool says_number = out->name.traits & AG_TRAIT_NUMERIC &&
	                   !ag_name_is_identifier(&out->name),
	     with_comma;
	ag_hypothesis *h;

	(void)o;
	ntext = numeric_of_texts(f, &share);
	with_comma = !nnumber && f->str.n >= 20 && has_decimal_commas(f);
	regex = with_comma ? COMMA_NUMBER : ag_text_class_regex(AG_TEXT_NUMERIC);
	if (p->has_views || ag_name_is_identifier(&out->name) ||
	    (!with_comma && (!ntext || share < 0.95)) ||
	    out->name.traits & (AG_TRAIT_ZIP | AG_TRAIT_PHONE) || !ag_path_is_plain(a, f))
		return;
	if (nnumber == 0 && !with_comma && (!says_number || f->n < 20))
		return;
	/* Codes: zeros in front, or all of one length with nothing to compare them to. */
	if (!with_comma && (has_leading_zeros(f) || (nnumber < ntext / 20 && !says_number)))
		return;
	h = ag_suspect(out, f, "numeric_text",
	               nnumber       ? AG_HIGH
	               : says_number ? AG_MEDIUM
	                             : AG_LOW,
	               0.9,
	               ag_ev_where(a, f,
	                           OBJ(a, KV("$type", ag_ev_text("string")),
	                               KV("$regex", ag_ev_text(regex)))));
	if (!h)
		return;
	if (!nnumber)
		ag_suspect_fix(h);
	ag_suspect_say(h,
	               nnumber ? "numbers are stored as text in some documents"
	                       : "the numbers of this field are all stored as text",
	               "an import that wrote form or CSV input as it came", "");
	h->repair = AG_S("replace the comma with a point, drop the separators of thousands, and "
	                 "convert with $toDouble (or $toDecimal for money)");
	if (with_comma)
		return;
	h->repair = ag_str_printf(
		a,
		"convert with {\"$toDouble\": \"$%.*s\"} (or $toDecimal for money) and "
		"check the type at the writer",
		AG_FMT(ag_ev_place_of(a, f).whole));
}

static ag_str text_kinds(ag_arena *a, const ag_path_profile *f)
{
	uint64_t nothing = f->str.nempty + f->str.nblank;
	uint64_t known = nothing + f->str.by_class[AG_TEXT_NULL_WORD] +
	                 f->str.by_class[AG_TEXT_NUMERIC];

	return ag_str_printf(
		a, "of the texts: numeric %llu, placeholders %llu, empty %llu, other %llu",
		(unsigned long long)f->str.by_class[AG_TEXT_NUMERIC],
		(unsigned long long)f->str.by_class[AG_TEXT_NULL_WORD], (unsigned long long)nothing,
		(unsigned long long)(f->str.n > known ? f->str.n - known : 0));
}

/* Row 5 speaks at every share and from 5 values; this row adds what the texts are. Up to half, because beyond it the
 * field may hold text. */
#define NUMBERS_FROM 0.5

void ag_check_text_in_number(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t n[NCLASS], total;
	const type_class most = count_classes(p, f, n, &total);
	const ag_val text = ag_ev_is_string(a, p);
	ag_severity severity;
	double numeric;
	ag_hypothesis *h;

	(void)o;
	numeric_of_texts(f, &numeric);
	if (total < 20 || !n[TEXTS] || n[TEXTS] + n[NUMBERS] != total ||
	    is_tuple(p, f, ag_share(n[most], total)) ||
	    ag_share(n[NUMBERS], total) < NUMBERS_FROM || (!p->has_views && most != NUMBERS))
		return;
	/* Row 5 separates damage of a CSV from codes. */
	if (p->has_views && (!csv_mixture(f, &out->name, n, total, typed_class(n), &severity) ||
	                     severity < AG_HIGH))
		return;
	/* Row 6 says more about numbers in quotes; codes of a CSV are no numbers to begin with. */
	if (numeric >= NUMERIC_FROM || (p->has_views && ag_name_is_identifier(&out->name)) ||
	    out->name.traits & AG_TRAIT_POLY)
		return;
	h = ag_suspect(out, f, "text_in_number", AG_HIGH, 0.9,
	               ag_ev_where(a, f,
	                           p->has_views || !empty_texts(f)
	                                   ? text
	                                   : OBJ(a, KV("$type", ag_ev_text("string")),
	                                         KV("$not", ag_ev_regex(a, "^[\\t-\\r ]*$", "")))));
	if (!h)
		return;
	if (is_one_mark(f, n, most, total)) {
		h->severity = AG_LOW;
		ag_suspect_fix(h);
	}
	h->is_type = !p->has_views;
	ag_suspect_say(h, "text stands among the numbers",
	               "hand-made input, units or placeholders written into the number",
	               "convert what can be read as a number, and set the rest to null");
	h->detail = text_kinds(a, f);
}
