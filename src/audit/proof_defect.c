/* proof_defect -- for every category: which documents show it in a field.
 *
 * One row of a table per category, with a function that builds the filter of these documents from the profile: the
 * field's own types, values, quantiles, shapes. Evidence of a claim must lie inside of it. A category that Argus cannot
 * measure has a row without a filter, and a limit on the share of documents that can be a defect at all. */
#include <math.h>
#include <stdlib.h>

#include "audit/proof_parts.h"
#include "base/time.h"

#define DAY_MS INT64_C(86400000)

ag_str ag_defect_where(const ag_proof_field *l, ag_val cond)
{
	ag_str ret = ag_ev_where(l->arena, &l->f, cond);
	ag_member m = { l->dotted, cond };
	ag_val filter;

	if (ret.len || !l->dotted.len)
		return ret;
	filter = ag_ev_obj(l->arena, &m, 1);
	return ag_ev_str(l->arena, &filter);
}

/* The condition on the whole path, beside the one on each item of an array. */
static ag_str anywhere(const ag_proof_field *l, ag_val cond)
{
	ag_member m = { l->dotted, cond };
	ag_val filter = ag_ev_obj(l->arena, &m, 1);
	const ag_str texts[] = { ag_defect_where(l, cond),
		                 l->f.in_array ? ag_ev_str(l->arena, &filter) : AG_S("") };

	return ag_defect_any(l->arena, texts, AG_NELEM(texts));
}

ag_str ag_defect_any(ag_arena *a, const ag_str *texts, size_t n)
{
	ag_buf out = AG_BUF_INIT(4 * 1024 * 1024);
	ag_str ret = AG_S("");
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		if (!texts[i].len)
			continue;
		ag_buf_adds(&out, used++ ? "," : "{\"$or\":[");
		ag_buf_add(&out, texts[i]);
		ret = texts[i];
	}
	ag_buf_adds(&out, "]}");
	if (used > 1)
		ret = out.failed ? AG_S("") : ag_buf_dup(a, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_val text_of(ag_arena *a, const char *pattern, const char *options)
{
	if (!options[0])
		return OBJ(a, KV("$type", ag_ev_text("string")), KV("$regex", ag_ev_text(pattern)));
	return OBJ(a, KV("$type", ag_ev_text("string")), KV("$regex", ag_ev_text(pattern)),
	           KV("$options", ag_ev_text(options)));
}

ag_str ag_defect_text(const ag_proof_field *l, const char *pattern, const char *options)
{
	return ag_defect_where(l, text_of(l->arena, pattern, options));
}

ag_str ag_defect_class(const ag_proof_field *l, ag_text_class c)
{
	return ag_defect_text(l, ag_text_class_regex(c), ag_text_class_regex_options(c));
}

ag_val ag_defect_number(double v)
{
	return v == trunc(v) && fabs(v) < 9e15 ? ag_val_int((int64_t)v) : ag_val_double(v);
}

/* "Less than lo", "more than hi": infinite bounds say nothing. */
static ag_str beyond(const ag_proof_field *l, double lo, double hi)
{
	ag_arena *a = l->arena;
	const ag_val type = ag_ev_text("number");

	return ANY(l,
	           isfinite(lo) ? ag_defect_where(l, OBJ(a, KV("$type", type),
	                                                 KV("$lt", ag_defect_number(lo))))
	                        : AG_S(""),
	           isfinite(hi) ? ag_defect_where(l, OBJ(a, KV("$type", type),
	                                                 KV("$gt", ag_defect_number(hi))))
	                        : AG_S(""));
}

static ag_str gone(const ag_proof_field *l)
{
	return anywhere(l, OBJ(l->arena, KV("$exists", ag_val_bool(false))));
}

static ag_str null_or_gone(const ag_proof_field *l)
{
	ag_arena *a = l->arena;

	/* A quoted empty cell of a CSV says the same as an empty one. */
	return ANY(l, anywhere(l, OBJ(a, KV("$eq", ag_val_null()))),
	           l->profile->has_views ? ag_defect_where(l, OBJ(a, KV("$eq", ag_ev_text(""))))
	                                 : AG_S(""));
}

ag_str ag_defect_empty(const ag_proof_field *l)
{
	return ag_defect_text(l, "^\\s*$", "");
}

ag_str ag_defect_nothing(const ag_proof_field *l)
{
	ag_arena *a = l->arena;

	return ANY(l, null_or_gone(l), ag_defect_text(l, AG_DEFECT_NOTHING_WORDS, "i"),
	           ag_defect_empty(l),
	           ag_defect_where(l, OBJ(a, KV("$in", ARR(a, ag_val_array(NULL, 0),
	                                                   ag_val_object(NULL, 0))))));
}

/* ---- presence ---- */

static void null_rate(const ag_proof_field *l, ag_defect *d)
{
	d->own = null_or_gone(l);
	d->all_ok = d->is_exact = true;
}

static void co_missing(const ag_proof_field *l, ag_defect *d)
{
	d->own = null_or_gone(l);
	d->all_ok = d->is_relation = true;
}

static void missing_field(const ag_proof_field *l, ag_defect *d)
{
	d->own = gone(l);
	d->all_ok = d->is_exact = true;
}

static void stray_field(const ag_proof_field *l, ag_defect *d)
{
	d->own = ag_defect_where(l, OBJ(l->arena, KV("$exists", ag_val_bool(true))));
	d->all_ok = d->is_exact = true;
	if (l->is_listed && l->f.n * 20 > l->f.nparent)
		d->none = ag_str_printf(l->arena, "%llu of %llu have the field: that is no stray",
		                        (unsigned long long)l->f.n,
		                        (unsigned long long)l->f.nparent);
}

static void inconsistent_empty(const ag_proof_field *l, ag_defect *d)
{
	const ag_path_profile *f = &l->f;
	const unsigned kinds = (f->by_type[AG_T_NULL] + f->by_type[AG_T_UNDEFINED] > 0) +
	                       (f->nparent > f->n) + (f->str.nempty + f->str.nblank > 0) +
	                       (f->arr.nempty > 0) + (f->str.by_class[AG_TEXT_NULL_WORD] > 0);

	d->own = ag_defect_nothing(l);
	if (l->is_listed && kinds < 2)
		d->none = AG_S("the field says nothing in one way only");
}

static void empty_string(const ag_proof_field *l, ag_defect *d)
{
	d->own = ag_defect_empty(l);
	d->all_ok = d->is_exact = true;
}

static void null_word(const ag_proof_field *l, ag_defect *d)
{
	/* Null, None and Test are names of persons, NA and NS are codes, "default" and "none" are answers. */
	const bool is_person = ag_name_is_person(&l->name);
	const bool may_mean_it = is_person || l->name.traits & (AG_TRAIT_REGION | AG_TRAIT_ENUMISH);

	d->own =
		may_mean_it
			? ag_defect_text(
				  l,
				  "^\\s*(n/a|#n/a|#(ref|value|null|num|div/0)!|#name\\?|\\\\n|unknown|undefined|tbd|not available|"
				  "lorem ipsum.*|x{2,}|[-_.?*#~ ]+)\\s*$",
				  "i")
			: ag_defect_text(l, AG_DEFECT_NOTHING_WORDS, "i");
	if (may_mean_it && !is_person)
		d->own = ANY(l, d->own,
		             ag_defect_text(l, "^\\s*(null|nan|nil|missing|\\(.*\\)|<.*>)\\s*$",
		                            "i"));
	d->all_ok = true;
}

static void constant_field(const ag_proof_field *l, ag_defect *d)
{
	const ag_path_profile *f = &l->f;
	const uint64_t nothing = f->by_type[AG_T_NULL] + f->by_type[AG_T_UNDEFINED] +
	                         f->str.nempty + f->str.nblank;

	d->own = ag_defect_where(l, OBJ(l->arena, KV("$exists", ag_val_bool(true))));
	d->all_ok = true;
	if (l->is_listed && nothing != f->n && (f->ndistinct != 1 || f->nscalar + nothing != f->n))
		d->none = ag_str_printf(l->arena, "the field has %llu different values",
		                        (unsigned long long)f->ndistinct);
}

/* ---- types ---- */

static void type_mismatch(const ag_proof_field *l, ag_defect *d)
{
	double majority = 1;

	d->own = ag_path_odd_types(l->arena, l->profile, &l->f, &majority);
	/* Argus calls it a missing number; that it is a text is true as well. */
	if (l->f.str.nempty + l->f.str.nblank && l->f.str.n < ag_path_filled(&l->f) &&
	    !l->profile->has_views)
		d->own = ANY(l, d->own, ag_defect_empty(l));
	d->is_exact = true;
	if (l->is_listed && !d->own.len)
		d->none = AG_S(
			"all values of the field are of one type: int, long, double and decimal "
			"count as one type, and null counts as no type");
	/* Nearly half and half: either side may be the wrong one. */
	if (d->own.len && majority < 0.6) {
		d->own = ag_defect_where(
			l, OBJ(l->arena, KV("$exists", ag_val_bool(true)),
		               KV("$not", OBJ(l->arena, KV("$type", ag_ev_text("null"))))));
		d->max_share = 0.65;
		d->is_exact = false;
	}
}

/* Text that stays text: codes with zeros in front, telephone numbers, identifiers. */
static bool is_code(const ag_proof_field *l)
{
	return ag_name_is_identifier(&l->name) ||
	       l->name.traits & (AG_TRAIT_ZIP | AG_TRAIT_PHONE | AG_TRAIT_CODE) ||
	       l->f.str.nleading_zero > 0;
}

static void numeric_text(const ag_proof_field *l, ag_defect *d)
{
	d->own = ag_defect_text(
		l, "^\\s*[-+]?[$\\x{20ac}\\x{a3}]?\\s*[0-9][0-9., ]*([eE][-+]?[0-9]+)?\\s*%?\\s*$",
		"");
	d->all_ok = true;
	if (l->profile->has_views)
		d->none = AG_S(
			"every cell of a CSV is a text, and one that reads as a number counts as one");
	else if (l->is_listed && !ag_path_numbers(&l->f) && is_code(l))
		d->none = AG_S("identifiers and codes are text by design");
}

static void text_in_number(const ag_proof_field *l, ag_defect *d)
{
	d->own = ag_defect_where(l, ag_ev_is_string(l->arena, l->profile));
	d->is_exact = true;
	if (l->is_listed && ag_path_numbers(&l->f) * 2 < ag_path_filled(&l->f))
		d->none = AG_S("most values of the field are no numbers");
}

ag_str ag_defect_path(const ag_proof_field *l)
{
	const ag_val path = ag_val_str(ag_str_printf(l->arena, "$%.*s", AG_FMT(l->dotted)));

	return ag_ev_str(l->arena, &path);
}

static void precision_loss(const ag_proof_field *l, ag_defect *d)
{
	ag_arena *a = l->arena;
	const ag_str path = ag_defect_path(l);

	d->max_share = 0.5;
	d->is_rare = true;
	if (!l->f.in_array)
		d->own = ANY(
			l, beyond(l, -9007199254740992.0, 9007199254740992.0),
			ag_str_printf(a,
		                      "{\"$expr\":{\"$and\":[{\"$isNumber\":%.*s},{\"$ne\":[%.*s,"
		                      "{\"$round\":[%.*s,4]}]}]}}",
		                      AG_FMT(path), AG_FMT(path), AG_FMT(path)));
}

static void boolean_variants(const ag_proof_field *l, ag_defect *d)
{
	ag_arena *a = l->arena;
	const ag_path_profile *f = &l->f;
	ag_val *values = ag_new_n(a, ag_val, f->nvalue + 1);
	uint64_t nbool = 0;
	size_t n = 0;
	bool truth;

	if (l->is_listed && !f->values_complete)
		d->none = AG_S("the field has too many values for a boolean");
	if (!l->is_listed || !f->values_complete)
		return;
	/* The two most frequent spellings may stay. */
	for (size_t i = 0; i < f->nvalue; i++) {
		if (!ag_value_is_boolean(&f->values[i].v, &truth))
			continue;
		nbool += f->values[i].n;
		if (i >= 2)
			values[n++] = f->values[i].v;
	}
	d->own = ag_defect_where(l, OBJ(a, KV("$in", ag_ev_arr(a, values, n))));
	if (!n || nbool * 5 < f->nscalar * 4)
		d->none = AG_S("the field has no third way of saying yes or no");
}

/* ---- dates ---- */

static ag_str date_texts(const ag_proof_field *l, ag_date_format but)
{
	ag_buf b = AG_BUF_INIT(4000);
	ag_str ret;

	for (ag_date_format i = AG_DATE_ISO; i < AG_DATE_NFORMAT; i++)
		if (i != but)
			ag_buf_addf(&b, "%s(?:%s)", b.len ? "|" : "", ag_date_format_regex(i));
	ret = ag_defect_text(l, ag_str_cstr(l->arena, ag_buf_view(&b)), "");
	ag_buf_release(&b);
	return ret;
}

static ag_date_format usual_format(const ag_path_profile *f)
{
	ag_date_format most = AG_DATE_ISO;

	for (ag_date_format i = AG_DATE_ISO; i < AG_DATE_NFORMAT; i++)
		if (f->str.by_date[i] > f->str.by_date[most])
			most = i;
	return most;
}

static void date_as_text(const ag_proof_field *l, ag_defect *d)
{
	d->own = date_texts(l, AG_DATE_NONE);
	d->all_ok = true;
	if (l->profile->has_views)
		d->none = AG_S("every cell of a CSV is a text");
}

static void mixed_date_formats(const ag_proof_field *l, ag_defect *d)
{
	const ag_date_format most = usual_format(&l->f);
	const bool dates_rule = l->f.date.n > l->f.str.by_date[most];
	unsigned kinds = l->f.date.n > 0 && !l->profile->has_views;

	for (ag_date_format i = AG_DATE_ISO; i < AG_DATE_NFORMAT; i++)
		kinds += l->f.str.by_date[i] > 0;
	d->own = ANY(l, date_texts(l, dates_rule && !l->profile->has_views ? AG_DATE_NONE : most),
	             dates_rule || l->profile->has_views
	                     ? AG_S("")
	                     : ag_defect_where(l, OBJ(l->arena, KV("$type", ag_ev_text("date")))));
	if (l->is_listed && kinds + (l->profile->has_views && l->f.date.n) < 2)
		d->none = AG_S("all dates of the field are written in one way");
}

static void ambiguous_date(const ag_proof_field *l, ag_defect *d)
{
	d->own = ag_defect_text(l, "^\\s*[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{2}|[0-9]{4})\\b", "");
	d->all_ok = true;
	if (l->is_listed && (!l->f.str.day_first || !l->f.str.month_first))
		d->none = AG_S("day and month stand in one order wherever that can be seen");
}

static ag_str iso_day(const ag_proof_field *l, int64_t ms)
{
	char text[AG_TIME_MAX_TEXT];

	ag_time_format(text, ms);
	return ag_str_dup(l->arena, ag_str_make(text, 10));
}

/* Before or after a day, as a date or as ISO text. */
static ag_str date_beyond(const ag_proof_field *l, const char *op, int64_t ms)
{
	ag_arena *a = l->arena;

	return ANY(l, ag_defect_where(l, OBJ(a, KV(op, ag_val_date(ms)))),
	           ag_defect_where(l,
	                           OBJ(a, KV("$type", ag_ev_text("string")),
	                               KV(op, ag_val_str(iso_day(l, ms))),
	                               KV("$regex", ag_ev_text("^[0-9]{4}-[0-9]{2}-[0-9]{2}")))));
}

#define SENTINEL_DAYS \
	"1970-01-01|1969-12-31|190[01]-01-01|0001-01-01|1899-12-(30|31)|9999-12-31|2099-12-31|1753-01-01|0000-00-00"

static ag_str sentinel_days(const ag_proof_field *l)
{
	static const int64_t days[] = { 0,      -1,     -25567,  -25202, -719162,
		                        -25569, -25568, 2932896, 47481,  -79258 };
	ag_str texts[AG_NELEM(days) + 1];

	for (size_t i = 0; i < AG_NELEM(days); i++)
		texts[i] = ag_defect_where(l,
		                           OBJ(l->arena, KV("$gte", ag_val_date(days[i] * DAY_MS)),
		                               KV("$lt", ag_val_date((days[i] + 1) * DAY_MS))));
	texts[AG_NELEM(days)] = ag_defect_text(l, "^(" SENTINEL_DAYS ")", "");
	return ag_defect_any(l->arena, texts, AG_NELEM(texts));
}

static void sentinel_date(const ag_proof_field *l, ag_defect *d)
{
	d->own = sentinel_days(l);
	d->max_share = 0.9;
}

static void implausible_date(const ag_proof_field *l, ag_defect *d)
{
	const ag_date_profile *p = &l->f.date;
	const int64_t span = p->n ? p->p99_ms - p->p01_ms : 0;
	/* What is planned may lie ahead, but not by a lifetime. */
	const int64_t ahead = l->name.traits & (AG_TRAIT_FUTURE | AG_TRAIT_OPENEND) ? 50 * 365 : 1;

	d->max_share = 0.5;
	if (l->is_listed && !p->n && !l->f.num.n && l->f.str.by_date[AG_DATE_NONE] == l->f.str.n)
		d->none = AG_S("the field holds no dates");
	if (p->n == 0 && l->f.str.by_date[AG_DATE_ISO] == 0 && l->is_listed)
		return; /* other notations: not measured */
	d->own = ANY(l, date_beyond(l, "$gt", l->opts->as_of_ms + ahead * DAY_MS),
	             date_beyond(l, "$lt", -INT64_C(2208988800000)), sentinel_days(l),
	             p->n && span > 0
	                     ? ag_defect_where(l, OBJ(l->arena,
	                                              KV("$gt", ag_val_date(p->p99_ms + 2 * span))))
	                     : AG_S(""),
	             p->n && span > 0
	                     ? ag_defect_where(l, OBJ(l->arena,
	                                              KV("$lt", ag_val_date(p->p01_ms - 2 * span))))
	                     : AG_S(""));
}

ag_str ag_defect_since(const ag_proof_field *l, int64_t ms)
{
	return date_beyond(l, "$gte", ms);
}

static void stale(const ag_proof_field *l, ag_defect *d)
{
	d->all_ok = true;
	if (!l->is_document && (l->f.date.n || l->f.str.by_date[AG_DATE_ISO]))
		d->own = date_beyond(l, "$lt", l->opts->as_of_ms - 30 * DAY_MS);
}

/* ---- numbers ---- */

static ag_str equal_to(const ag_proof_field *l, const double *values, size_t n)
{
	ag_val *items = ag_new_n(l->arena, ag_val, n + 1);

	for (size_t i = 0; i < n; i++)
		items[i] = ag_defect_number(values[i]);
	return n ? ag_defect_where(l, OBJ(l->arena, KV("$in", ag_ev_arr(l->arena, items, n))))
	         : AG_S("");
}

/* Tukey's outer fences; above, on a log scale where the values have a long tail. */
static void fences(const ag_num_profile *m, double *ret_lo, double *ret_hi)
{
	const double iqr = m->q.p75 - m->q.p25;

	*ret_lo = m->q.p25 - 3 * iqr;
	*ret_hi = m->q.p75 + 3 * iqr;
	if (iqr <= 0) {
		*ret_lo = m->q.p01;
		*ret_hi = m->q.p99;
	}
	if (m->q.p25 > 0 && m->q.p99 > 3 * m->q.p50 && iqr > 0) {
		const double high = m->q.p75 * pow(m->q.p75 / m->q.p25, 3);

		*ret_hi = high > *ret_hi ? high : *ret_hi;
	}
}

/* A number that people and programs write for "not known", where it stands apart from all others. */
static ag_str sentinels(const ag_proof_field *l)
{
	static const double known[] = {
		-1,      0,        9,         99,      999,        9999,          99999,
		999999,  -9,       -99,       -999,    -9999,      -99999,        8,
		88,      888,      8888,      -8,      -88,        1e9,           123,
		1234,    12345,    123456,    1234567, 123456789,  111111,        255,
		256,     32767,    -32768,    65535,   2147483647, -2147483648.0, 4294967295.0,
		9999999, 99999999, 999999999, 999.99,  9999.99,    99.99,         -999.25,
		1e5,     1e6
	};
	const ag_num_profile *m = &l->f.num;
	double found[AG_NELEM(known) + AG_MAX_SENTINELS];
	size_t n = ag_path_sentinels(&l->f, &l->name, found);

	for (size_t i = 0; i < AG_NELEM(known) && m->n; i++) {
		const double v = known[i];
		const bool is_low = v == m->q.min &&
		                    (v < m->q.p05 || (v < 0 && m->nlow > 1 && m->low[1] >= 0));
		const bool is_high = v == m->q.max && m->nhigh > 1 &&
		                     (v > m->q.p95 || m->high[1] < v * 0.7) &&
		                     m->high[1] < v * 0.95;

		if (is_low || is_high)
			found[n++] = v;
	}
	return equal_to(l, found, n);
}

static bool has_numbers(const ag_proof_field *l, ag_defect *d)
{
	if (l->is_listed && !l->f.num.n) {
		d->none = AG_S("the field holds no numbers");
		return false;
	}
	return l->is_listed;
}

static void sentinel_value(const ag_proof_field *l, ag_defect *d)
{
	d->max_share = 0.9;
	if (has_numbers(l, d)) {
		d->own = sentinels(l);
		if (!d->own.len)
			d->none = AG_S(
				"no number of the field stands apart and is a usual code for \"not known\"");
	}
}

/* How far out a number must lie is a judgement: Tukey's inner fences are the nearest ones in use. */
static void outlier(const ag_proof_field *l, ag_defect *d)
{
	const ag_num_profile *m = &l->f.num;
	const double iqr = m->q.p75 - m->q.p25;
	double lo, hi, min = -HUGE_VAL, max = HUGE_VAL;

	d->max_share = 0.1;
	if (!has_numbers(l, d))
		return;
	(void)ag_range_of_name(l->profile, &l->f, &l->name, &min, &max);
	lo = iqr > 0 ? m->q.p25 - 1.5 * iqr : m->q.p01;
	hi = iqr > 0 ? m->q.p75 + 1.5 * iqr : m->q.p99;
	d->own = ANY(l, beyond(l, lo, hi), beyond(l, min, max), sentinels(l));
}

/* A scale ends at a round number that the values reach: 5 stars, 24 hours, 100 points. */
static double scale_end(const ag_num_profile *m)
{
	static const double ends[] = { 1, 5, 7, 10, 12, 24, 31, 52, 60, 100, 130, 360, 366, 1000 };

	for (size_t i = 0; i < AG_NELEM(ends); i++)
		if (m->q.p99 <= ends[i] && m->q.p99 >= 0.9 * ends[i] && m->q.max > ends[i])
			return ends[i];
	return HUGE_VAL;
}

static void impossible_range(const ag_proof_field *l, ag_defect *d)
{
	const ag_num_profile *m = &l->f.num;
	double lo, hi, min = -HUGE_VAL, max = HUGE_VAL;
	/* A kind of document explains what is negative: refunds. */
	const bool may_be_negative = ag_profile_has_refunds(l->profile);
	bool is_named;

	d->max_share = 0.3;
	if (!has_numbers(l, d))
		return;
	fences(m, &lo, &hi);
	is_named = ag_range_of_name(l->profile, &l->f, &l->name, &min, &max);
	/* A minus sign where nearly all are positive. */
	if ((m->q.p05 >= 0 || (m->q.p25 > 0 && !(l->name.traits & AG_TRAIT_SIGNED))) && lo < 0 &&
	    !may_be_negative)
		lo = 0;
	if (isfinite(min))
		lo = min;
	if (isfinite(max))
		hi = max;
	else if (!is_named && scale_end(m) < hi)
		hi = scale_end(m);
	d->own = ANY(l, beyond(l, lo, hi),
	             m->q.p05 > 0 && !may_be_negative
	                     ? ag_defect_where(l, OBJ(l->arena, KV("$type", ag_ev_text("number")),
	                                              KV("$lte", ag_val_int(0))))
	                     : AG_S(""),
	             sentinels(l));
}

static void geo(const ag_proof_field *l, ag_defect *d)
{
	static const char *const words[] = { "geo", "location", "loc",   "coordinate", "coord",
		                             "gps", "position", "point", "x",          "y" };
	const ag_field_name path = ag_field_name_of(l->f.path);
	bool is_place = path.traits & (AG_TRAIT_LAT | AG_TRAIT_LON);
	double lo, hi;

	d->max_share = 0.2;
	for (size_t i = 0; i < AG_NELEM(words); i++)
		is_place = is_place || ag_field_has_word(&path, words[i]);
	if (l->is_listed && !is_place)
		d->none = AG_S("the field holds no coordinates");
	if (!l->is_listed || !l->f.num.n)
		return;
	fences(&l->f.num, &lo, &hi);
	d->own = ANY(l, beyond(l, lo, hi), beyond(l, -180, 180),
	             l->name.traits & AG_TRAIT_LAT ? beyond(l, -90, 90) : AG_S(""),
	             equal_to(l, (const double[]){ 0 }, 1));
}

static void unit_mixup(const ag_proof_field *l, ag_defect *d)
{
	const double mid = l->f.num.q.p50;

	/* A long tail is one unit: many values must be apart from all others, see check_gap(). */
	d->max_share = l->f.in_array ? 0.1 : 0.5;
	if (has_numbers(l, d) && mid > 0)
		d->own = beyond(l, mid / 2.2, mid * 2.2);
}

/* ---- between fields ---- */

static void relation(const ag_proof_field *l, ag_defect *d)
{
	(void)l;
	d->is_relation = true;
	d->max_share = 0.5;
}

static void referential(const ag_proof_field *l, ag_defect *d)
{
	(void)l;
	d->max_share = 0.2;
}

static void drift(const ag_proof_field *l, ag_defect *d)
{
	(void)l;
	d->is_relation = true;
}

static void measured_elsewhere(const ag_proof_field *l, ag_defect *d)
{
	(void)l;
	d->all_ok = true;
}

static const struct {
	const char *category;
	void (*look)(const ag_proof_field *l, ag_defect *d);
} table[] = {
	{ "null_rate", null_rate },
	{ "co_missing", co_missing },
	{ "missing_field", missing_field },
	{ "stray_field", stray_field },
	{ "inconsistent_empty", inconsistent_empty },
	{ "type_mismatch", type_mismatch },
	{ "numeric_text", numeric_text },
	{ "text_in_number", text_in_number },
	{ "date_as_text", date_as_text },
	{ "mixed_date_formats", mixed_date_formats },
	{ "ambiguous_date", ambiguous_date },
	{ "sentinel_value", sentinel_value },
	{ "sentinel_date", sentinel_date },
	{ "null_word", null_word },
	{ "empty_string", empty_string },
	{ "padding", ag_defect_padding },
	{ "case_variants", ag_defect_case_variants },
	{ "spelling_variants", ag_defect_spelling_variants },
	{ "enum_violation", ag_defect_enum_violation },
	{ "outlier", outlier },
	{ "impossible_range", impossible_range },
	{ "implausible_date", implausible_date },
	{ "pattern_violation", ag_defect_pattern_violation },
	{ "lost_leading_zero", ag_defect_lost_leading_zero },
	{ "invalid_format", ag_defect_invalid_format },
	{ "truncation", ag_defect_truncation },
	{ "duplicates", measured_elsewhere },
	{ "duplicate_document", measured_elsewhere },
	{ "constant_field", constant_field },
	{ "fd_violation", relation },
	{ "arithmetic", relation },
	{ "date_order", relation },
	{ "swapped_values", relation },
	{ "keys_as_data", ag_defect_keys_as_data },
	{ "referential", referential },
	{ "mojibake", ag_defect_mojibake },
	{ "control_characters", ag_defect_control_characters },
	{ "html_entities", ag_defect_html_entities },
	{ "precision_loss", precision_loss },
	{ "field_name_variants", ag_defect_field_name_variants },
	{ "drift", drift },
	{ "array_size", ag_defect_array_size },
	{ "array_content", ag_defect_array_content },
	{ "unit_mixup", unit_mixup },
	{ "pii", ag_defect_pii },
	{ "stale", stale },
	{ "redundant", relation },
	{ "boolean_variants", boolean_variants },
	{ "geo", geo },
	{ "name_case", ag_defect_name_case },
};

void ag_defect_of(const ag_proof_field *l, ag_str category, ag_defect *ret)
{
	bool found = false;

	*ret = (ag_defect){ .own = AG_S(""), .none = AG_S(""), .pile = AG_S("") };
	for (size_t i = 0; i < AG_NELEM(table) && !found; i++) {
		found = ag_str_eqc(category, table[i].category);
		if (found)
			table[i].look(l, ret);
	}
	/* A category of the taxonomy without a row would be published without a check. */
	AG_ASSERT(found || !ag_category_find(category));
}
