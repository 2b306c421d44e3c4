/* check_format -- rows 22, 23 and 24: postal codes as numbers, texts that are no e-mail addresses, texts that were cut. */
#include "audit/checks.h"

#include "base/utf8.h"

/* Fewer codes do not show their usual length. */
#define MIN_CODES      20
#define FEW_ADDRESSES  8    /* where the name says what they are */
#define MOST_ADDRESSES 0.55 /* of the texts, where it does not */

/* ---- lost zeros ---- */

/* A number has no zero in front: postal codes of five digits, and of four where one was. Text is check_zeros' business. */
void ag_check_lost_zero(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_hypothesis *h;

	(void)o;
	if (p->has_views || !(out->name.traits & AG_TRAIT_ZIP) || ag_path_numbers(f) < MIN_CODES ||
	    f->num.nint != f->num.n || f->num.q.p25 < 10000 || f->num.q.max > 99999 ||
	    f->num.q.min < 100 || f->num.q.min >= 10000 || !ag_path_is_plain(a, f) ||
	    ag_profile_has_countries(p, f))
		return;
	h = ag_suspect(out, f, "lost_leading_zero", AG_MEDIUM, 0.8,
	               ag_ev_where(a, f,
	                           OBJ(a, KV("$gte", ag_val_int(100)),
	                               KV("$lte", ag_val_int(9999)))));
	if (!h)
		return;
	h->max_share = 0.3;
	ag_suspect_say(h, "codes are one digit shorter than all others",
	               "a spreadsheet or a numeric column that dropped the leading zero",
	               "store the code as text and put the zero back in front");
}

/* ---- e-mail ---- */

void ag_check_email(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t silent = f->str.nempty + f->str.nblank + f->str.by_class[AG_TEXT_NULL_WORD];
	uint64_t said = f->str.n > silent ? f->str.n - silent : 0,
		 good = f->str.by_class[AG_TEXT_EMAIL];
	const bool is_named = out->name.traits & AG_TRAIT_EMAIL;
	ag_hypothesis *h;

	(void)p;
	(void)o;
	/* Where the name says e-mail, a fifth of addresses is enough: more damage is no less of a finding. */
	if (said < (is_named ? FEW_ADDRESSES : MIN_CODES) || good < 3 || good >= said ||
	    !ag_path_is_plain(a, f) || ag_share(good, said) < (is_named ? 0.2 : MOST_ADDRESSES) ||
	    ag_path_is_prose(f, &out->name))
		return;
	/* A login may be an address or a name. */
	if (!(out->name.traits & AG_TRAIT_EMAIL) &&
	    out->name.traits & (AG_TRAIT_NAME | AG_TRAIT_PERSON))
		return;
	h = ag_suspect(
		out, f, "invalid_format", AG_MEDIUM, 0.85,
		ag_ev_where(
			a, f,
			OBJ(a, KV("$type", ag_ev_text("string")),
	                    KV("$not",
	                       ag_ev_regex(
				       a,
				       "^[\\t-\\r ]*[^@\\t-\\r ]+@[^@\\t-\\r ]+\\.[^@\\t-\\r ]+[\\t-\\r ]*$",
				       "")),
	                    KV("$ne", ag_ev_text("")))));
	if (!h)
		return;
	if (!is_named)
		h->max_share = 1 - MOST_ADDRESSES;
	/* A contact may be an address or a number. */
	if (!is_named && ag_share(good, said) < 0.9) {
		h->severity = AG_LOW;
		ag_suspect_fix(h);
	}
	ag_suspect_say(
		h, "some texts are no e-mail addresses, unlike the others",
		"input that was not checked, or a value that slipped in from another field",
		"ask the owner for the address or set it to null, and check addresses at the writer");
}

/* ---- cut off ---- */

static bool is_column_width(double len)
{
	static const double widths[] = { 50,   64,   100,  120,  128,  140,  150,  160,  200,
		                         250,  254,  255,  256,  300,  400,  500,  512,  1000,
		                         1024, 2000, 2048, 4000, 4096, 8000, 8192, 65535 };

	for (size_t i = 0; i < AG_NELEM(widths); i++) {
		if (widths[i] == len)
			return true;
	}
	return false;
}

/* A length that piles up: where two quantiles meet at the width of a column. 0 = none. */
static double pile_length(const ag_quantiles *q, double *ret_share)
{
	const double at[] = { q->p25, q->p50, q->p75, q->p95, q->p99, q->max };
	const double share[] = { 0.25, 0.25, 0.2, 0.04, 0.01 };
	double pile = 0;

	*ret_share = 0;
	for (size_t i = 0; i + 1 < AG_NELEM(at); i++) {
		if (at[i] != at[i + 1] || !is_column_width(at[i]) || (pile > 0 && pile != at[i]))
			continue;
		pile = at[i];
		*ret_share += share[i];
	}
	return pile;
}

/* One long text over and over again is a template, no pile of texts. */
static bool is_one_text(const ag_path_profile *f, double length, double share)
{
	uint64_t repeated = 0;

	for (size_t i = 0; i < f->nvalue; i++) {
		if (f->values[i].n > 1 &&
		    (double)ag_utf8_count(ag_value_text(&f->values[i])) == length)
			repeated += f->values[i].n;
	}
	return (double)repeated > 0.5 * share * (double)f->str.n;
}

void ag_check_cut_off(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	const ag_quantiles *q = &f->str.length;
	double share, pile = pile_length(q, &share);
	ag_hypothesis *h;

	(void)p;
	(void)o;
	/* Words, so no code; a pile that hardly anything passes. */
	if (f->str.n < 200 || pile <= 0 || q->min == q->max || q->p99 > pile || q->p50 < 5 ||
	    f->ndistinct * 2 < f->nscalar || f->str.words < 3 || is_one_text(f, pile, share) ||
	    !ag_path_is_plain(a, f))
		return;
	h = ag_suspect(out, f, "truncation", AG_MEDIUM, 0.7,
	               ag_ev_where(a, f,
	                           OBJ(a, KV("$regex", ag_val_str(ag_str_printf(
							       a, "^[\\s\\S]{%.0f}$", pile))))));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(h,
	               "many texts end at exactly the same length, as if a column had cut them off",
	               "a column, a form or an export with a maximum length",
	               "load the full texts again from their source, and widen the column");
}
