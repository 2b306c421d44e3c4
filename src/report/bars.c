/* bars -- see the header. Order: reading histograms, words for edges and statistics, words for paths. */
#include "report/bars.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/time.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define FEW_VALUES 10 /* different ones: all are listed, and each has its bar */
#define MOST_WORDS 3  /* values that name a path */

/* --- histograms --- */

static void read_counts(const ag_val *h, const char *name, size_t n, uint64_t *ret)
{
	size_t have;
	const ag_val *items = ag_report_items(h, name, &have);
	int64_t i;

	for (size_t k = 0; k < n && k < have; k++)
		ret[k] = ag_val_to_i64(&items[k], &i) && i > 0 ? (uint64_t)i : 0;
}

static bool read_bars(const ag_val *stats, ag_bars_over over, uint64_t count, ag_bars *ret)
{
	const ag_val *h = ag_report_get(stats, "histogram");
	size_t nedge, nmarked;
	const ag_val *edges = ag_report_items(h, "edges", &nedge);

	*ret = (ag_bars){ .over = over, .stats = stats, .count = count };
	if (nedge < 2 || nedge > AG_BARS_MAX + 1)
		return false;
	ret->n = nedge - 1;
	ret->edges = edges;
	ret->unit = ag_report_str(h, "unit");
	ret->width = ag_report_number(h, "width");
	read_counts(h, "counts", ret->n, ret->counts);
	read_counts(h, "marked", ret->n, ret->marked);
	ag_report_items(h, "marked", &nmarked);
	ret->has_marks = nmarked > 0;
	ret->below = ag_report_count(h, "below");
	ret->above = ag_report_count(h, "above");
	ret->marked_below = ag_report_count(h, "marked_below");
	ret->marked_above = ag_report_count(h, "marked_above");
	ret->most = ret->below > ret->above ? ret->below : ret->above;
	ret->nmarked = ret->marked_below + ret->marked_above;
	for (size_t i = 0; i < ret->n; i++) {
		ret->most = ret->counts[i] > ret->most ? ret->counts[i] : ret->most;
		ret->nmarked += ret->marked[i];
	}
	return ret->most > 0;
}

size_t ag_bars_of(const ag_val *d, ag_bars ret[AG_BARS_KINDS])
{
	const ag_val *numbers = ag_report_get(d, "numbers"), *dates = ag_report_get(d, "dates"),
		     *texts = ag_report_get(d, "texts"), *arrays = ag_report_get(d, "arrays");
	const struct {
		const ag_val *kind, *stats;
		ag_bars_over over;
	} rows[AG_BARS_KINDS] = {
		{ numbers, numbers, AG_OVER_VALUE },
		{ dates, dates, AG_OVER_TIME },
		{ ag_report_get(texts, "dates"), ag_report_get(texts, "dates"), AG_OVER_TIME },
		{ texts, ag_report_get(texts, "length"), AG_OVER_LENGTH },
		{ arrays, ag_report_get(arrays, "size"), AG_OVER_SIZE },
	};
	size_t n = 0;

	for (size_t i = 0; i < AG_BARS_KINDS; i++) {
		const uint64_t count = ag_report_count(rows[i].kind, "count");
		ag_bars b;
		size_t at = n;

		if (!read_bars(rows[i].stats, rows[i].over, count, &b))
			continue;
		b.whole = rows[i].over == AG_OVER_LENGTH || rows[i].over == AG_OVER_SIZE ||
		          (rows[i].over == AG_OVER_VALUE &&
		           ag_report_count(numbers, "whole") == count);
		/* Texts that are times are texts, too: their times come first. */
		for (; at > 0 && ret[at - 1].count < count && ret[at - 1].over != AG_OVER_TIME;
		     at--)
			ret[at] = ret[at - 1];
		ret[at] = b;
		n++;
	}
	return n;
}

/* --- words for edges and statistics --- */

static ag_str number_text(double d, ag_arena *arena)
{
	char text[AG_NUM_MAX];

	return ag_str_dup(arena, ag_str_make(text, ag_num_double(text, d, false)));
}

/* A time as short as its unit allows; "day" also for statistics at midnight. */
static ag_str time_text(ag_str iso, ag_str unit, ag_arena *arena)
{
	int64_t ms;
	ag_civil c;

	if (!ag_time_parse_iso(iso, &ms))
		return iso;
	c = ag_time_to_civil(ms);
	if (ag_str_eqc(unit, "year"))
		return ag_str_printf(arena, "%04lld", (long long)c.year);
	if (ag_str_eqc(unit, "month"))
		return ag_str_printf(arena, "%04lld-%02d", (long long)c.year, c.month);
	if (ag_str_eqc(unit, "day") || ag_str_eqc(unit, "week"))
		return ag_str_printf(arena, "%04lld-%02d-%02d", (long long)c.year, c.month, c.day);
	return ag_str_printf(arena, "%04lld-%02d-%02d %02d:%02d%s", (long long)c.year, c.month,
	                     c.day, c.hour, c.minute,
	                     ag_str_eqc(unit, "hour") || ag_str_eqc(unit, "minute")
	                             ? ""
	                             : ag_str_cstr(arena, ag_str_printf(arena, ":%02d", c.second)));
}

/* A statistic: the whole second, unless it is midnight. */
static ag_str moment(ag_str iso, ag_arena *arena)
{
	int64_t ms;

	if (!ag_time_parse_iso(iso, &ms))
		return iso;
	return time_text(iso, ms % 86400000 ? AG_S("second") : AG_S("day"), arena);
}

static ag_str edge_text(const ag_bars *b, const ag_val *e, ag_arena *arena)
{
	if (ag_type_is_number(e->type))
		return number_text(ag_val_number(e), arena);
	if (e->type != AG_T_STRING)
		return AG_S("?");
	return b->over == AG_OVER_TIME && b->width > 0 ? time_text(ag_val_text(e), b->unit, arena)
	                                               : moment(ag_val_text(e), arena);
}

/* Everything of it is masked: then its edges say nothing. */
static bool is_masked(const ag_bars *b)
{
	for (size_t i = 0; i <= b->n; i++)
		if (ag_type_is_number(b->edges[i].type) ||
		    (b->edges[i].type == AG_T_STRING &&
		     !ag_str_eqc(ag_val_text(&b->edges[i]), "•••")))
			return false;
	return true;
}

ag_str ag_bars_label(const ag_bars *b, size_t i, ag_arena *arena)
{
	const ag_str from = edge_text(b, &b->edges[i], arena);
	ag_str to = edge_text(b, &b->edges[i + 1], arena);
	const bool is_number = ag_type_is_number(b->edges[i].type);

	if (b->over == AG_OVER_TIME && b->width > 0)
		return from;
	if (ag_str_eq(from, to))
		return from;
	/* 10 … 19 are whole numbers; the last bar holds its upper edge, which no number needs. */
	if (b->whole && b->width >= 1 && is_number && ag_type_is_number(b->edges[i + 1].type)) {
		to = number_text(ag_val_number(&b->edges[i + 1]) - 1, arena);
		if (ag_str_eq(from, to))
			return from;
	}
	return ag_str_printf(arena, "%.*s … %.*s", AG_FMT(from), AG_FMT(to));
}

ag_str ag_bars_below(const ag_bars *b, ag_arena *arena)
{
	return ag_str_printf(arena, "%s %.*s", b->over == AG_OVER_TIME ? "before" : "below",
	                     AG_FMT(edge_text(b, &b->edges[0], arena)));
}

ag_str ag_bars_above(const ag_bars *b, ag_arena *arena)
{
	const ag_val *last = &b->edges[b->n];

	if (b->over == AG_OVER_TIME)
		return ag_str_printf(arena, "from %.*s", AG_FMT(edge_text(b, last, arena)));
	if (b->whole && b->width >= 1 && ag_type_is_number(last->type))
		return ag_str_printf(arena, "above %.*s",
		                     AG_FMT(number_text(ag_val_number(last) - 1, arena)));
	return ag_str_printf(arena, "above %.*s", AG_FMT(edge_text(b, last, arena)));
}

ag_str ag_bars_title(const ag_bars *b, ag_arena *arena)
{
	static const char *const over[] = { "over value", "over time", "over length",
		                            "over number of items" };
	const char *unit = "";

	if (!(b->width > 0))
		return ag_str_c(over[b->over]);
	if (b->over == AG_OVER_LENGTH)
		unit = b->width == 1 ? " character" : " characters";
	else if (b->over == AG_OVER_SIZE)
		unit = b->width == 1 ? " item" : " items";
	else if (b->unit.len)
		return ag_str_printf(arena, "%s, each bar %.*s %.*s%s", over[b->over],
		                     AG_FMT(number_text(b->width, arena)), AG_FMT(b->unit),
		                     b->width == 1 || ag_str_eqc(b->unit, "ms") ? "" : "s");
	else
		unit = " wide";
	return ag_str_printf(arena, "%s, each bar %.*s%s", over[b->over],
	                     AG_FMT(number_text(b->width, arena)), unit);
}

ag_str ag_bars_figure(const ag_bars *b, const char *name, ag_arena *arena)
{
	const ag_val *v = ag_report_get(name[0] == 'p' ? ag_report_get(b->stats, "quantiles")
	                                               : b->stats,
	                                name);

	if (!v)
		return AG_S("");
	if (v->type == AG_T_STRING)
		return moment(ag_val_text(v), arena);
	if (!ag_type_is_number(v->type))
		return AG_S("");
	/* A mean has as many digits as anybody needs; all others are values of the data. */
	return strcmp(name, "mean") != 0 || trunc(ag_val_number(v)) == ag_val_number(v)
	               ? number_text(ag_val_number(v), arena)
	               : ag_str_printf(arena, "%.5g", ag_val_number(v));
}

/* --- words for paths --- */

ag_str ag_bars_value(const ag_val *v, bool utf8, ag_arena *arena)
{
	char text[AG_TIME_MAX_TEXT];

	if (v && v->type == AG_T_DATE)
		return moment(ag_str_dup(arena, ag_str_make(text, ag_time_format(text, v->u.i))),
		              arena);
	return ag_human_value(v, utf8, arena);
}

ag_str ag_bars_types(const ag_val *d, const ag_val *schema_field, ag_arena *arena)
{
	const ag_val *types = ag_report_get(schema_field ? schema_field : d, "types");
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_str ret;

	for (uint32_t i = 0; types && types->type == AG_T_OBJECT && i < types->n; i++)
		ag_buf_addf(&out, "%s%.*s", i ? ", " : "", AG_FMT(types->u.members[i].key));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_str ag_bars_filled(const ag_val *d, ag_arena *arena)
{
	const uint64_t present = ag_report_count(d, "present_count"),
		       null = ag_report_count(d, "null_count"),
		       all = present + ag_report_count(d, "missing_count");

	return ag_human_share(present > null ? present - null : 0, all, arena);
}

/* The path has few values that repeat, so that they say more than a histogram of their lengths. */
static bool is_listed(const ag_val *d)
{
	const uint64_t distinct = ag_report_count(d, "distinct");
	const bool is_number = ag_report_count(ag_report_get(d, "numbers"), "count") > 0,
		   is_time = ag_report_count(ag_report_get(d, "dates"), "count") > 0;

	return distinct > 0 && distinct <= FEW_VALUES && ag_report_count(d, "repeated") > 0 &&
	       !is_number && !is_time;
}

/* Different values that look the same say nothing. */
static bool looks_masked(const ag_val *top, size_t n)
{
	const ag_val *a = n > 1 ? ag_report_get(&top[0], "value") : NULL,
		     *b = n > 1 ? ag_report_get(&top[1], "value") : NULL;

	return a && b && a->type == b->type && ag_val_eq(a, b);
}

/* "active 43%, new 20%": so many of them; "" when they are masked. */
static ag_str frequent(const ag_val *d, size_t most, ag_arena *arena)
{
	const uint64_t all = ag_report_count(d, "occurrences");
	size_t n;
	const ag_val *top = ag_report_items(d, "top_values", &n);
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_str ret;

	if (looks_masked(top, n))
		return AG_S("");
	for (size_t i = 0; i < n && i < most; i++) {
		const ag_val *v = ag_report_get(&top[i], "value");
		const bool is_word = v && v->type == AG_T_STRING && ag_val_text(v).len &&
		                     ag_str_eq(ag_str_trim(ag_val_text(v)), ag_val_text(v));
		const ag_str text = is_word ? ag_val_text(v) : ag_bars_value(v, true, arena);

		ag_buf_addf(&out, "%s%.*s %.*s", i ? ", " : "", AG_FMT(text),
		            AG_FMT(ag_human_share(ag_report_count(&top[i], "count"), all, arena)));
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* The longest of the forms that fits, else the last. */
static ag_str fitting(const ag_str *forms, size_t n, size_t columns)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (ag_utf8_width(forms[i]) <= columns)
			return forms[i];
	return forms[n - 1];
}

/* "0.5 … 44 … 12000": least, median, greatest; the median goes first when there is no room, then days. */
static ag_str spread(const ag_bars *b, size_t columns, ag_arena *arena)
{
	const ag_str min = ag_bars_figure(b, "min", arena), mid = ag_bars_figure(b, "p50", arena),
		     max = ag_bars_figure(b, "max", arena);
	ag_str forms[4];
	size_t n = 0;

	if (ag_str_eq(min, max))
		return min;
	forms[n++] = ag_str_printf(arena, "%.*s … %.*s … %.*s", AG_FMT(min), AG_FMT(mid),
	                           AG_FMT(max));
	forms[n++] = ag_str_printf(arena, "%.*s … %.*s", AG_FMT(min), AG_FMT(max));
	if (b->over == AG_OVER_TIME) {
		forms[n++] = ag_str_printf(
			arena, "%.*s … %.*s",
			AG_FMT(time_text(ag_report_str(b->stats, "min"), AG_S("day"), arena)),
			AG_FMT(time_text(ag_report_str(b->stats, "max"), AG_S("day"), arena)));
		forms[n++] = ag_str_printf(
			arena, "%.*s … %.*s",
			AG_FMT(time_text(ag_report_str(b->stats, "min"), AG_S("month"), arena)),
			AG_FMT(time_text(ag_report_str(b->stats, "max"), AG_S("month"), arena)));
	}
	return fitting(forms, n, columns);
}

/* "24 … 36 characters", with the most frequent text where some are. */
static ag_str extent(const ag_val *d, const ag_bars *b, size_t columns, ag_arena *arena)
{
	const ag_str min = ag_bars_figure(b, "min", arena), max = ag_bars_figure(b, "max", arena);
	const bool is_one = ag_str_eq(min, max), is_items = b->over == AG_OVER_SIZE;
	const ag_str range = is_one ? max
	                            : ag_str_printf(arena, "%.*s … %.*s", AG_FMT(min), AG_FMT(max));
	const char *end = is_one && ag_str_eqc(max, "1") ? "" : "s";
	const ag_str plain = ag_str_printf(arena, "%.*s %s%s", AG_FMT(range),
	                                   is_items ? "item" : "character", end);
	const bool has_words = !is_items && ag_report_count(d, "repeated") > 0 &&
	                       frequent(d, 1, arena).len > 0;
	ag_str forms[4];
	size_t n = 0;

	for (size_t most = 2; has_words && most > 0; most--)
		forms[n++] = ag_str_printf(arena, "%.*s; %.*s", AG_FMT(plain),
		                           AG_FMT(frequent(d, most, arena)));
	forms[n++] = plain;
	forms[n++] = ag_str_printf(arena, "%.*s %s", AG_FMT(range), is_items ? "items" : "chars");
	return fitting(forms, n, columns);
}

/* Values that have no histogram: ids, binaries. */
static ag_str example(const ag_val *d, ag_arena *arena)
{
	size_t n;
	const ag_val *top = ag_report_items(d, "top_values", &n);

	if (!n)
		return AG_S("");
	return ag_str_printf(arena, "for example %.*s",
	                     AG_FMT(ag_human_value(ag_report_get(&top[0], "value"), true, arena)));
}

ag_str ag_bars_words(const ag_val *d, size_t columns, ag_arena *arena)
{
	ag_bars b[AG_BARS_KINDS];
	const size_t n = ag_bars_of(d, b);

	if (is_listed(d))
		return frequent(d, MOST_WORDS, arena);
	if (!n)
		return example(d, arena);
	if (is_masked(&b[0]))
		return AG_S("");
	if (b[0].over == AG_OVER_VALUE || b[0].over == AG_OVER_TIME)
		return spread(&b[0], columns, arena);
	return extent(d, &b[0], columns, arena);
}

static size_t join(const uint64_t *counts, size_t n, size_t columns, uint64_t ret[])
{
	const size_t each = (n + columns - 1) / columns, nret = each ? (n + each - 1) / each : 0;

	for (size_t i = 0; i < nret; i++)
		ret[i] = 0;
	for (size_t i = 0; i < n; i++)
		ret[i / each] += counts[i];
	return nret;
}

size_t ag_bars_heights(const ag_val *d, size_t columns, uint64_t ret[])
{
	ag_bars b[AG_BARS_KINDS];
	uint64_t counts[AG_BARS_MAX];
	size_t n;
	const ag_val *items;

	if (!is_listed(d)) {
		if (!ag_bars_of(d, b))
			return 0;
		return join(b[0].counts, b[0].n, columns, ret);
	}
	items = ag_report_items(d, "top_values", &n);
	n = n < AG_BARS_MAX ? n : AG_BARS_MAX;
	for (size_t i = 0; i < n; i++)
		counts[i] = ag_report_count(&items[i], "count");
	return join(counts, n, columns, ret);
}
