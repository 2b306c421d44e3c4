/* check_dates -- rows 8, 9, 11 and 20: dates as text, in several notations, or on impossible days.
 *
 * JSON has no date type, so a file whose dates are all ISO text is clean. Text becomes a suspicion beside real
 * dates, in another notation, or in two notations at once. */
#include "audit/checks.h"

#include "base/time.h"

#define DAY_MS       INT64_C(86400000)
#define YEAR_MS      (DAY_MS * 365)
#define MONTH_MS     (YEAR_MS / 12)
#define MS_1900      INT64_C(-2208988800000)
#define MS_1600      INT64_C(-11676096000000)
#define MS_2099_LAST INT64_C(4102358400000) /* 2099-12-31 */
#define MIN_VALUES   20
#define MIN_MIXED    8 /* two notations show themselves in a few dates */
#define REGEX_BYTES  2000
#define DAY_CHARS    10 /* 2024-12-31 */

static ag_val date_val(int64_t ms)
{
	return ag_val_date(ms);
}

/* Texts by format; "20260301" is a date only in a field that is named like one. */
typedef struct formats {
	uint64_t n[AG_DATE_NFORMAT];
	uint64_t total;
	unsigned kinds;
	ag_date_format most;
	double share; /* of the texts that say something */
} formats;

static formats formats_of(const ag_path_profile *f, const ag_field_name *name, bool views)
{
	uint64_t silent = f->str.nempty + f->str.nblank + f->str.by_class[AG_TEXT_NULL_WORD];
	formats ret = { .most = AG_DATE_ISO };
	uint64_t said = f->str.n > silent ? f->str.n - silent : 0;

	for (ag_date_format i = AG_DATE_ISO; i < AG_DATE_NFORMAT; i++) {
		ret.n[i] = f->str.by_date[i];
		if (i == AG_DATE_COMPACT && !(name->traits & AG_TRAIT_TIME))
			ret.n[i] = 0;
		if (i == (f->date.n ? f->date.written : AG_DATE_ISO) && views) {
			ret.n[i] += f->date.n;
			said += f->date.n;
		}
		ret.total += ret.n[i];
		ret.kinds += ret.n[i] > 0;
		if (ret.n[i] > ret.n[ret.most])
			ret.most = i;
	}
	ret.share = ag_share(ret.total, said);
	return ret;
}

/* One regex of all formats in use, except `but` (NONE = all). */
static ag_val formats_regex(ag_arena *a, const formats *fm, ag_date_format but)
{
	ag_buf b = AG_BUF_INIT(REGEX_BYTES);
	ag_str s;

	for (ag_date_format i = AG_DATE_ISO; i < AG_DATE_NFORMAT; i++) {
		if (fm->n[i] && i != but)
			ag_buf_addf(&b, "%s(?:%s)", b.len ? "|" : "", ag_date_format_regex(i));
	}
	s = ag_buf_dup(a, &b);
	ag_buf_release(&b);
	return ag_val_str(s);
}

static ag_str formats_detail(ag_arena *a, const formats *fm)
{
	ag_buf b = AG_BUF_INIT(REGEX_BYTES);
	ag_str s;

	for (ag_date_format i = AG_DATE_ISO; i < AG_DATE_NFORMAT; i++) {
		if (fm->n[i])
			ag_buf_addf(&b, "%slike %s %llu", b.len ? ", " : "",
			            ag_date_format_example(i), (unsigned long long)fm->n[i]);
	}
	s = ag_buf_dup(a, &b);
	ag_buf_release(&b);
	return s;
}

static bool has_real_dates(const ag_profile *p)
{
	for (size_t i = 0; i < p->npath; i++) {
		if (p->paths[i].by_type[AG_T_DATE])
			return true;
	}
	return false;
}

void ag_check_date_text(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	formats fm = formats_of(f, &out->name, false);
	bool beside = f->date.n > 0, iso = fm.kinds == 1 && fm.n[AG_DATE_ISO];
	ag_hypothesis *h;

	(void)o;
	if (p->has_views || !fm.total || !ag_path_is_plain(a, f) || (!beside && f->n < MIN_VALUES))
		return;
	if (fm.share < 0.8 || (!beside && fm.kinds > 1) || (iso && !beside && !has_real_dates(p)))
		return;
	h = ag_suspect(out, f, "date_as_text", beside ? AG_HIGH : AG_LOW, 0.85,
	               ag_ev_where(a, f,
	                           OBJ(a, KV("$type", ag_ev_text("string")),
	                               KV("$regex", formats_regex(a, &fm, AG_DATE_NONE)))));
	if (!h)
		return;
	if (!beside)
		ag_suspect_fix(h);
	ag_suspect_say(h,
	               beside ? "dates are stored as text beside real dates"
	                      : "the dates of this field are stored as text",
	               "a writer that passes dates on as they came over the wire",
	               "convert them with $dateFromString and write dates as dates");
	h->detail = formats_detail(a, &fm);
}

void ag_check_date_formats(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	formats fm = formats_of(f, &out->name, p->has_views);
	ag_hypothesis *h;

	(void)o;
	if (fm.kinds < 2 || fm.share < 0.8 || fm.total < MIN_MIXED || !ag_path_is_plain(a, f) ||
	    (ag_name_is_identifier(&out->name) && !(out->name.traits & AG_TRAIT_TIME)))
		return;
	h = ag_suspect(out, f, "mixed_date_formats", AG_MEDIUM, 0.85,
	               ag_ev_where(a, f, OBJ(a, KV("$regex", formats_regex(a, &fm, fm.most)))));
	if (!h)
		return;
	ag_suspect_say(
		h, "dates are written in more than one way",
		"several sources, each with the date notation of its country or library",
		"parse each notation on its own and store all of them as dates (or as ISO 8601 text)");
	h->detail = formats_detail(a, &fm);
}

/* ---- times of day ---- */

/* "10:30", "10:30 a.m.", "12/02/2011 10:30": what is before the time, the time, and letters after it. */
typedef struct clock_form {
	bool has_date, has_seconds, has_half; /* half: a.m. or p.m. */
} clock_form;

static bool clock_form_of(ag_str form, clock_form *ret)
{
	const ptrdiff_t colon = ag_str_find(form, ':');
	size_t at, end;

	if (colon < 1 || form.ptr[colon - 1] != '9')
		return false;
	at = (size_t)colon - 1;
	end = (size_t)colon + 2;
	if (end > form.len || form.ptr[end - 1] != '9')
		return false;
	*ret = (clock_form){ .has_date = at > 0 };
	if (end + 1 < form.len && form.ptr[end] == ':' && form.ptr[end + 1] == '9') {
		ret->has_seconds = true;
		end += 2;
	}
	ret->has_half = end < form.len;
	for (; end < form.len; end++)
		if (!strchr(" .aA", form.ptr[end]))
			return false;
	for (size_t i = 0; i < at; i++)
		if (!strchr("9/.- T", form.ptr[i]))
			return false;
	return true;
}

#define MAX_CLOCKS 8

/* The patterns of all times of one kind. */
static const char *clock_regex(clock_form c)
{
	static const char *const patterns[MAX_CLOCKS] = {
		"^[\\t-\\r ]*[0-9]{1,2}:[0-9]{2}[\\t-\\r ]*$",
		"^[\\t-\\r ]*[0-9]{1,2}:[0-9]{2} ?[A-Za-z][A-Za-z.]*[\\t-\\r ]*$",
		"^[\\t-\\r ]*[0-9]{1,2}:[0-9]{2}:[0-9]{2}[\\t-\\r ]*$",
		"^[\\t-\\r ]*[0-9]{1,2}:[0-9]{2}:[0-9]{2} ?[A-Za-z][A-Za-z.]*[\\t-\\r ]*$",
		"^[\\t-\\r ]*[0-9]+[/.-][0-9/.-]+[ T][0-9]{1,2}:[0-9]{2}[\\t-\\r ]*$",
		"^[\\t-\\r ]*[0-9]+[/.-][0-9/.-]+[ T][0-9]{1,2}:[0-9]{2} ?[A-Za-z][A-Za-z.]*[\\t-\\r ]*$",
		"^[\\t-\\r ]*[0-9]+[/.-][0-9/.-]+[ T][0-9]{1,2}:[0-9]{2}:[0-9]{2}[\\t-\\r ]*$",
		"^[\\t-\\r ]*[0-9]+[/.-][0-9/.-]+[ T][0-9]{1,2}:[0-9]{2}:[0-9]{2} ?[A-Za-z][A-Za-z.]*[\\t-\\r ]*$",
	};

	return patterns[4 * c.has_date + 2 * c.has_seconds + c.has_half];
}

/* Times of day in several notations. */
void ag_check_time_formats(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t n[MAX_CLOCKS] = { 0 }, all = 0;
	const uint64_t silent = f->str.nempty + f->str.nblank + f->str.by_class[AG_TEXT_NULL_WORD];
	size_t most = 0, kinds = 0;
	clock_form c;
	ag_hypothesis *h;

	(void)p;
	(void)o;
	if (silent >= f->str.n || f->str.n - silent < MIN_MIXED || !ag_path_is_plain(a, f) ||
	    ag_path_is_prose(f, &out->name))
		return;
	for (size_t i = 0; i < f->str.nform; i++) {
		if (!clock_form_of(ag_str_trim(f->str.forms[i].form), &c))
			continue;
		n[4 * c.has_date + 2 * c.has_seconds + c.has_half] += f->str.forms[i].n;
		all += f->str.forms[i].n;
	}
	for (size_t i = 0; i < MAX_CLOCKS; i++) {
		kinds += n[i] > 0;
		most = n[i] > n[most] ? i : most;
	}
	if (kinds < 2 || ag_share(all, f->str.n - silent) < 0.8)
		return;
	c = (clock_form){ .has_date = most & 4, .has_seconds = most & 2, .has_half = most & 1 };
	/* Seconds that are left out when they are zero are a habit, not an error. */
	h = ag_suspect(out, f, "mixed_date_formats",
	               n[most] + n[most ^ 2] == all ? AG_LOW : AG_MEDIUM, 0.85,
	               ag_ev_where(a, f,
	                           OBJ(a, KV("$regex", ag_ev_text("[0-9]:[0-9]")),
	                               KV("$not", ag_ev_regex(a, clock_regex(c), "")))));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->max_share = 0.6;
	ag_suspect_say(h, "times are written in more than one way",
	               "several sources, each with its own notation of the time",
	               "parse each notation on its own, and write times in one form");
}

void ag_check_ambiguous_date(AG_CHECK_ARGS)
{
	static const char *const regex[2] = {
		"^(1[3-9]|[23][0-9])[/.-][0-9]{1,2}[/.-][0-9]{4}",
		"^[0-9]{1,2}[/.-](1[3-9]|[23][0-9])[/.-][0-9]{4}",
	};
	ag_arena *a = out->arena;
	formats fm = formats_of(f, &out->name, p->has_views);
	uint64_t days = f->str.day_first, months = f->str.month_first;
	ag_hypothesis *h;

	(void)o;
	if (!days || !months || fm.share < 0.8 || !ag_path_is_plain(a, f))
		return;
	/* 31.12.2026 beside 12/31/2026: the separator distinguishes them, and row 8 reports them. */
	if (fm.n[AG_DATE_SLASH] && (fm.n[AG_DATE_DOT] || fm.n[AG_DATE_DASH]) &&
	    days + months <= fm.n[AG_DATE_SLASH] + fm.n[AG_DATE_DOT] + fm.n[AG_DATE_DASH] &&
	    (days == fm.n[AG_DATE_DOT] || days == fm.n[AG_DATE_DASH]))
		return;
	h = ag_suspect(out, f, "ambiguous_date", AG_HIGH, 0.9,
	               ag_ev_where(a, f, ag_ev_regex(a, regex[days > months], "")));
	if (!h)
		return;
	ag_suspect_say(
		h,
		"day/month and month/day stand in one field, so a date such as 03/04 can mean two days",
		"records merged from an American and a European source",
		"find out which source wrote which order, and store ISO 8601 or real dates");
	h->detail = ag_str_printf(a, "certainly day first %llu, certainly month first %llu",
	                          (unsigned long long)days, (unsigned long long)months);
}

/* ---- sentinel days ---- */

typedef struct sentinel_day {
	int64_t ms;
	const char *text;
	bool is_low;
} sentinel_day;

static const sentinel_day sentinel_days[] = {
	{ 0, "1970-01-01", true },
	{ INT64_C(-2208988800000), "1900-01-01", true },
	{ INT64_C(-62135596800000), "0001-01-01", true },
	{ INT64_C(-2209161600000), "1899-12-30", true },
	{ INT64_C(253402214400000), "9999-12-31", false },
	{ INT64_C(4102358400000), "2099-12-31", false },
};

static bool is_day(int64_t ms, int64_t day)
{
	return ms >= day && ms < day + DAY_MS;
}

static bool is_any_sentinel(int64_t ms)
{
	for (size_t i = 0; i < AG_NELEM(sentinel_days); i++) {
		if (is_day(ms, sentinel_days[i].ms))
			return true;
	}
	return false;
}

static bool value_ms(const ag_value_count *v, int64_t *ret)
{
	if (v->v.type == AG_T_DATE) {
		*ret = v->v.u.i;
		return true;
	}
	return v->v.type == AG_T_STRING && ag_time_parse_iso(ag_val_text(&v->v), ret);
}

/* What the listed values say of one day and of all others. */
typedef struct day_facts {
	uint64_t n;       /* occurrences on the day, as far as known */
	uint64_t other;   /* most occurrences of any other value */
	int64_t min, max; /* of the others */
	bool has_other;
} day_facts;

static void widen(day_facts *d, int64_t ms)
{
	if (!d->has_other || ms < d->min)
		d->min = ms;
	if (!d->has_other || ms > d->max)
		d->max = ms;
	d->has_other = true;
}

static day_facts facts_of(const ag_path_profile *f, int64_t day)
{
	day_facts d = { 0 };
	int64_t ms;

	for (size_t i = 0; i < f->nvalue; i++) {
		if (!value_ms(&f->values[i], &ms))
			continue;
		if (is_day(ms, day)) {
			d.n += f->values[i].n;
			continue;
		}
		if (f->values[i].n > d.other)
			d.other = f->values[i].n;
		if (!is_any_sentinel(ms))
			widen(&d, ms);
	}
	if (f->date.n && !f->values_complete) {
		const int64_t seen[] = { f->date.p01_ms, f->date.p50_ms, f->date.p99_ms };

		for (size_t i = 0; i < AG_NELEM(seen); i++) {
			if (!is_any_sentinel(seen[i]))
				widen(&d, seen[i]);
		}
	}
	if (!d.n && f->date.n && (is_day(f->date.min_ms, day) || is_day(f->date.max_ms, day)))
		d.n = 1;
	return d;
}

/* Far from all others, or far more frequent than any other value. */
static bool stands_out(const day_facts *d, const sentinel_day *s)
{
	uint64_t spike = d->other * 5 > 5 ? d->other * 5 : 5;

	if (!d->n || !d->has_other)
		return false;
	if (s->is_low ? d->min - s->ms > 10 * YEAR_MS : s->ms - d->max > 10 * YEAR_MS)
		return true;
	return d->n >= spike &&
	       (s->is_low ? d->max - s->ms > 10 * YEAR_MS : s->ms - d->min > 10 * YEAR_MS);
}

static bool holds_iso_text(const ag_path_profile *f)
{
	return f->str.by_date[AG_DATE_ISO] * 10 >= f->str.n * 8 && f->str.n > f->date.n;
}

static ag_str day_evidence(ag_arena *a, const ag_path_profile *f, bool text,
                           const sentinel_day *const *days, size_t n)
{
	ag_val each[AG_NELEM(sentinel_days)];
	ag_buf b = AG_BUF_INIT(REGEX_BYTES);
	ag_val filter;
	ag_str pattern;

	if (text) {
		for (size_t i = 0; i < n; i++)
			ag_buf_addf(&b, "%s%s", i ? "|" : "^(", days[i]->text);
		ag_buf_adds(&b, ")");
		pattern = ag_buf_dup(a, &b);
		ag_buf_release(&b);
		return ag_ev_where(a, f, OBJ(a, KV("$regex", ag_val_str(pattern))));
	}
	for (size_t i = 0; i < n; i++) {
		ag_ev_place at = ag_ev_place_of(a, f);
		ag_member m = { at.rest, OBJ(a, KV("$gte", date_val(days[i]->ms)),
			                     KV("$lt", date_val(days[i]->ms + DAY_MS))) };

		if (n == 1 || at.array.len)
			return ag_ev_where(a, f, m.val);
		each[i] = ag_ev_obj(a, &m, 1);
	}
	filter = OBJ(a, KV("$or", ag_ev_arr(a, each, n)));
	return ag_ev_str(a, &filter);
}

/* The dates of a CSV have a text that compares like them. */
static bool is_text_once_imported(const ag_profile *p, const ag_path_profile *f)
{
	return p->has_views && f->date.n && f->date.written == AG_DATE_ISO;
}

void ag_check_sentinel_date(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	const sentinel_day *found[AG_NELEM(sentinel_days)];
	bool text = holds_iso_text(f) || is_text_once_imported(p, f);
	size_t n = 0;
	ag_hypothesis *h;

	(void)o;
	if (f->n < MIN_VALUES || (!f->date.n && !text) || !ag_path_is_plain(a, f))
		return;
	for (size_t i = 0; i < AG_NELEM(sentinel_days); i++) {
		day_facts d = facts_of(f, sentinel_days[i].ms);

		if (!sentinel_days[i].is_low && out->name.traits & AG_TRAIT_OPENEND)
			continue;
		if (stands_out(&d, &sentinel_days[i]))
			found[n++] = &sentinel_days[i];
	}
	if (!n)
		return;
	h = ag_suspect(out, f, "sentinel_date", AG_MEDIUM, 0.85,
	               day_evidence(a, f, text, found, n));
	if (!h)
		return;
	ag_suspect_say(h, "",
	               "the zero or the limit of a date type, written where the date was not known",
	               "set these dates to null, and make the writer leave unknown dates out");
	h->what = ag_str_printf(a, "%s stands for \"no date\"", found[0]->text);
}

/* ---- the future and the distant past ---- */

/* A date as it is written in the field: real, or ISO text, which compares as the date it is. */
static ag_val date_of_kind(ag_arena *a, int64_t ms, bool is_text)
{
	char text[AG_TIME_MAX_TEXT];

	if (!is_text)
		return date_val(ms);
	(void)ag_time_format(text, ms);
	return ag_val_str(ag_str_dup(a, ag_str_make(text, DAY_CHARS)));
}

/* Nearly all dates are of the past, and the others are years ahead. */
static bool is_far_ahead(const ag_date_profile *d, const ag_field_name *name, int64_t limit)
{
	return (double)limit >= d->q.p95 && d->max_ms > limit + 2 * YEAR_MS &&
	       !(name->traits & AG_TRAIT_OPENEND) && !is_any_sentinel(d->max_ms);
}

static bool is_future(const ag_date_profile *d, const ag_field_name *name, int64_t limit)
{
	if (d->p50_ms > limit)
		return false;
	/* Another century, whatever the field is called: only "for ever" is written so. */
	if (d->max_ms > limit + 50 * YEAR_MS && !(name->traits & AG_TRAIT_OPENEND) &&
	    !is_any_sentinel(d->max_ms))
		return true;
	if (!(name->traits & AG_TRAIT_PAST) || name->traits & AG_TRAIT_FUTURE)
		return is_far_ahead(d, name, limit);
	/* Where more than one in a hundred lie ahead the data may simply run on past the audit's day: then
	 * only a date years ahead is suspicious. */
	return d->max_ms > (d->p99_ms > limit ? limit + 2 * YEAR_MS : limit);
}

/* From this day on a date is too late. */
static int64_t latest(const ag_date_profile *d, const ag_field_name *name, int64_t limit)
{
	if (name->traits & AG_TRAIT_PAST && !(name->traits & AG_TRAIT_FUTURE))
		return limit;
	return limit + (is_far_ahead(d, name, limit) ? 2 : 50) * YEAR_MS;
}

void ag_check_date_range(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	const bool is_text = !f->date.n || is_text_once_imported(p, f);
	const ag_date_profile *d = !f->date.n ? &f->str.dates : &f->date;
	const ag_val is_iso = ag_ev_text("^[0-9]{4}-[0-9]{2}-[0-9]{2}");
	int64_t limit = o->as_of_ms + DAY_MS, first = MS_1900;
	bool late, early;
	ag_val from, to, cond;
	ag_hypothesis *h;

	if (o->as_of_ms == 0 || f->n < MIN_VALUES || !ag_path_is_plain(a, f) || !d->n ||
	    (!f->date.n && p->has_views))
		return;
	late = is_future(d, &out->name, limit);
	if (late)
		limit = latest(d, &out->name, limit);
	/* More than one in a hundred before 1900 may be history; before 1600 hardly. */
	if (d->p01_ms < MS_1900 && !is_any_sentinel(d->p01_ms))
		first = MS_1600;
	early = d->min_ms < first && d->p50_ms >= MS_1900 &&
	        !(out->name.traits & AG_TRAIT_HISTORIC) && !is_any_sentinel(d->min_ms);
	if (!late && !early)
		return;
	from = date_of_kind(a, first, is_text);
	to = date_of_kind(a, limit + (is_text ? DAY_MS : 0), is_text);
	if (late && early && is_text)
		cond = OBJ(a, KV("$regex", is_iso),
		           KV("$not", OBJ(a, KV("$gte", from), KV("$lt", to))));
	else if (late && early)
		cond = OBJ(a, KV("$type", ag_ev_text("date")),
		           KV("$not", OBJ(a, KV("$gte", from), KV("$lte", to))));
	else if (late && is_any_sentinel(d->max_ms))
		cond = OBJ(a, KV("$gt", to), KV("$lt", date_of_kind(a, MS_2099_LAST, is_text)));
	else
		cond = late ? OBJ(a, KV("$gt", to)) : OBJ(a, KV("$lt", from));
	if (is_text && late != early)
		cond = late ? OBJ(a, KV("$gt", to), KV("$regex", is_iso))
		            : OBJ(a, KV("$lt", from), KV("$regex", is_iso));
	h = ag_suspect(out, f, "implausible_date", AG_MEDIUM, 0.7, ag_ev_where(a, f, cond));
	if (!h)
		return;
	/* One in a hundred lies ahead by months: the field holds what is to come, and a few are far away. */
	if (late && !early && !(out->name.traits & AG_TRAIT_PAST) &&
	    d->p99_ms > o->as_of_ms + MONTH_MS && d->p99_ms < o->as_of_ms + YEAR_MS &&
	    d->max_ms < o->as_of_ms + 50 * YEAR_MS) {
		h->severity = AG_LOW;
		ag_suspect_fix(h);
	}
	/* Dates in another century have no other meaning, however many they are. */
	h->max_share = late && d->max_ms > o->as_of_ms + 50 * YEAR_MS ? 0.5 : 0.06;
	ag_suspect_say(
		h,
		late && early ? "dates lie in the future or in another century"
		: late        ? "dates lie in the future, where the others do not"
			      : "dates lie in another century, far from all others",
		"a wrong clock, a typing error in the year, or test data",
		"correct the dates from another field or source, and check the range at the writer");
}
