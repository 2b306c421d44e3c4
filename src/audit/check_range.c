/* check_range -- row 19: numbers that cannot be, by what the field is called.
 *
 * A rule names the words that arm it and the legal range. Names lie now and then, so most rules hold only where
 * nearly all values obey them (MOST_BREAKS): a "rate" above 100 disarms its rule. Where the name leaves no doubt
 * (is_sure) a quarter of the values in the range is enough, so that more damage is no less of a finding; and a part
 * that breaks an unsure rule on money stays a low finding. */
#include "audit/checks.h"

#include <math.h>

#define MOST_BREAKS 0.05 /* of the numbers */
#define NO_LIMIT    HUGE_VAL

typedef struct range_rule {
	ag_traits any;    /* one of these */
	ag_traits none;   /* and none of these */
	const char *word; /* the name's only word; NULL = any name */
	double min, max;
	ag_severity severity;
	bool is_sure; /* no other meaning of the name breaks it */
	bool refunds; /* a kind of document may explain a minus sign */
	const char *what;
} range_rule;

static const range_rule rules[] = {
	{ .any = AG_TRAIT_AGE,
	  .is_sure = true,
	  .none = AG_TRAIT_UNITTIME | AG_TRAIT_SIGNED,
	  .min = 0,
	  .max = 130,
	  .severity = AG_HIGH,
	  .what = "no one has this age" },
	{ .any = AG_TRAIT_LAT,
	  .is_sure = true,
	  .min = -90,
	  .max = 90,
	  .severity = AG_HIGH,
	  .what = "a latitude lies outside of -90 to 90" },
	{ .any = AG_TRAIT_LON,
	  .is_sure = true,
	  .min = -180,
	  .max = 180,
	  .severity = AG_HIGH,
	  .what = "a longitude lies outside of -180 to 180" },
	{ .any = AG_TRAIT_PERCENT,
	  .none = AG_TRAIT_SIGNED | AG_TRAIT_WORKLOAD,
	  .min = 0,
	  .max = 100,
	  .severity = AG_HIGH,
	  .what = "a percentage lies outside of 0 to 100" },
	{ .any = AG_TRAIT_HUMIDITY,
	  .is_sure = true,
	  .none = AG_TRAIT_SIGNED,
	  .min = 0,
	  .max = 105,
	  .severity = AG_HIGH,
	  .what = "a humidity lies outside of 0 to 100 percent" },
	{ .any = AG_TRAIT_TEMPERATURE,
	  .min = -459.67,
	  .max = NO_LIMIT,
	  .severity = AG_HIGH,
	  .what = "a temperature lies below absolute zero" },
	{ .word = "month",
	  .min = 0,
	  .max = 12,
	  .severity = AG_HIGH,
	  .what = "there is no such month" },
	{ .word = "hour",
	  .min = 0,
	  .max = 24,
	  .severity = AG_HIGH,
	  .what = "there is no such hour" },
	{ .word = "minute",
	  .min = 0,
	  .max = 59,
	  .severity = AG_HIGH,
	  .what = "there is no such minute" },
	{ .word = "battery",
	  .min = 0,
	  .max = 100,
	  .severity = AG_HIGH,
	  .what = "a battery is charged to less than 0 or more than 100 percent" },
	{ .word = "ph",
	  .min = 0,
	  .max = 14,
	  .severity = AG_HIGH,
	  .what = "there is no such pH value" },
	{ .word = "year",
	  .min = 1000,
	  .max = 2200,
	  .severity = AG_HIGH,
	  .what = "a year lies outside of all plausible centuries" },
	{ .any = AG_TRAIT_RATING,
	  .none = AG_TRAIT_COUNT | AG_TRAIT_SIGNED,
	  .min = 0,
	  .max = 5,
	  .severity = AG_HIGH,
	  .what = "a rating lies outside of its scale" },
	{ .any = AG_TRAIT_RATING,
	  .none = AG_TRAIT_COUNT | AG_TRAIT_SIGNED,
	  .min = 0,
	  .max = 10,
	  .severity = AG_HIGH,
	  .what = "a rating lies outside of its scale" },
	{ .any = AG_TRAIT_MONEY,
	  .none = AG_TRAIT_SIGNED,
	  .min = 0,
	  .max = NO_LIMIT,
	  .refunds = true,
	  .severity = AG_MEDIUM,
	  .what = "an amount of money is negative" },
	{ .any = AG_TRAIT_COUNT,
	  .is_sure = true,
	  .none = AG_TRAIT_SIGNED,
	  .min = 0,
	  .max = NO_LIMIT,
	  .refunds = true,
	  .severity = AG_HIGH,
	  .what = "a count is negative" },
	{ .any = AG_TRAIT_MEASURE,
	  .is_sure = true,
	  .none = AG_TRAIT_SIGNED | AG_TRAIT_AGE,
	  .min = 0,
	  .max = NO_LIMIT,
	  .severity = AG_HIGH,
	  .what = "a physical size is negative" },
};

static bool names_match(const range_rule *r, const ag_field_name *n)
{
	/* The minute of the hour ends at 59; "minutes" are a duration. */
	if (r->word)
		return n->nword == 1 && !n->is_plural && strcmp(n->word[0], r->word) == 0;
	return n->traits & r->any && !(n->traits & r->none);
}

/* 5% may break it at either end, no more. */
static bool nearly_all_obey(const range_rule *r, const ag_quantiles *q)
{
	return q->p95 <= r->max && q->p05 >= r->min;
}

static bool is_armed(const range_rule *r, const ag_path_profile *f, const ag_field_name *n)
{
	const ag_quantiles *q = &f->num.q;

	if (!names_match(r, n) ||
	    ag_name_is_identifier(n) != (r->word && strcmp(r->word, "year") == 0))
		return false;
	if (f->num.n < 20)
		return false;
	if (nearly_all_obey(r, q))
		return true;
	return (r->is_sure && q->p25 <= r->max && q->p75 >= r->min) ||
	       (r->any == AG_TRAIT_MONEY && q->p50 >= r->min);
}

/* A scale of 5 or of 10: the one that nearly all keep to, and that the others break far enough. */
static bool fits_scale(const range_rule *r, const ag_path_profile *f)
{
	return f->num.q.p95 > r->max / 2 && f->num.q.p99 <= r->max;
}

static ag_val outside(ag_arena *a, const range_rule *r, bool below, bool above)
{
	ag_val min = r->min == trunc(r->min) ? ag_val_int((int64_t)r->min) : ag_val_double(r->min);
	ag_val max = above ? ag_val_int((int64_t)r->max) : ag_val_null();

	if (below && above)
		return OBJ(a, KV("$type", ag_ev_text("number")),
		           KV("$not", OBJ(a, KV("$gte", min), KV("$lte", max))));
	return below ? OBJ(a, KV("$lt", min)) : OBJ(a, KV("$gt", max));
}

/* True when the rule spoke. */
static bool apply(const range_rule *r, const ag_profile *p, const ag_path_profile *f,
                  ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	double sentinels[AG_MAX_SENTINELS];
	size_t ns = ag_path_sentinels(f, &out->name, sentinels);
	bool below = ag_path_low(f, sentinels, ns) < r->min;
	bool above = ag_path_high(f, sentinels, ns) > r->max;
	ag_hypothesis *h;

	if ((!below && !above) || (r->any == AG_TRAIT_RATING && !fits_scale(r, f)))
		return false;
	if (r->refunds && below && ag_profile_has_refunds(p))
		return false;
	h = ag_suspect(out, f, "impossible_range", r->severity, 0.85,
	               ag_ev_where(a, f, outside(a, r, below, above)));
	if (!h)
		return false;
	h->is_minus = r->refunds && below && !above;
	if (!r->is_sure && nearly_all_obey(r, &f->num.q))
		h->max_share = MOST_BREAKS * 2;
	if (!r->is_sure && !nearly_all_obey(r, &f->num.q)) {
		h->severity = AG_LOW;
		ag_suspect_fix(h);
	}
	ag_suspect_say(
		h, r->what,
		"a typing error, a lost sign or decimal point, a value in another unit, or test data",
		"correct the value from its source, and check the range at the writer");
	return true;
}

bool ag_range_of_name(const ag_profile *p, const ag_path_profile *f, const ag_field_name *n,
                      double *ret_min, double *ret_max)
{
	for (size_t i = 0; i < AG_NELEM(rules); i++) {
		const range_rule *r = &rules[i];

		if (!is_armed(r, f, n) ||
		    ag_name_is_identifier(n) != (r->word && strcmp(r->word, "year") == 0) ||
		    (r->any == AG_TRAIT_RATING && !fits_scale(r, f)))
			continue;
		*ret_min = r->refunds && ag_profile_has_refunds(p) ? -HUGE_VAL : r->min;
		*ret_max = r->max;
		return true;
	}
	return false;
}

void ag_check_range(AG_CHECK_ARGS)
{
	(void)o;
	if (!f->num.n || !ag_path_is_plain(out->arena, f))
		return;
	for (size_t i = 0; i < AG_NELEM(rules); i++) {
		if (is_armed(&rules[i], f, &out->name) && apply(&rules[i], p, f, out))
			return;
	}
}
