/* check_values -- rows 34 and 43: numbers with less precision than they need, and a flag that is written in many ways. */
#include "audit/checks.h"

void ag_check_big_integers(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_val limit = ag_val_int(INT64_C(9007199254740992));
	ag_hypothesis *h;

	(void)o;
	/* Large measures are rounded by nature: only identifiers must keep every digit. */
	if (!f->num.nbeyond53 || p->has_views || !ag_name_is_identifier(&out->name))
		return;
	h = ag_suspect(out, f, "precision_loss", AG_HIGH, 0.95,
	               ag_ev_where(a, f,
	                           OBJ(a, KV("$type", ag_ev_text("double")), KV("$gt", limit))));
	if (!h)
		return;
	ag_suspect_say(
		h,
		"integers beyond 2^53 are held as doubles, so their last digits are not reliable",
		"identifiers that passed through JavaScript or another reader that knows only doubles",
		"load the identifiers again from their source as 64-bit integers or as text");
}

void ag_check_float_noise(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_ev_place at = ag_ev_place_of(a, f);
	ag_val path, filter;
	ag_member m[2];
	ag_hypothesis *h;

	(void)p;
	(void)o;
	/* Where most values have many digits nobody meant to round. */
	if (!f->num.nmoney4 || ag_share(f->num.nmoney4, f->num.n) > 0.35 || !at.ok ||
	    at.array.len || !(out->name.traits & AG_TRAIT_MONEY) ||
	    out->name.traits & AG_TRAIT_RATE || ag_path_numbers(f) != ag_path_filled(f) ||
	    !f->by_type[AG_T_DOUBLE])
		return;
	path = ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(at.whole)));
	/* The type first: a missing value is not equal to its rounded self, which is null. */
	m[0] = (ag_member){ at.whole, OBJ(a, KV("$type", ag_ev_text("double"))) };
	m[1] = KV("$expr",
	          OBJ(a,
	              KV("$ne", ARR(a, path, OBJ(a, KV("$round", ARR(a, path, ag_val_int(4))))))));
	filter = ag_ev_obj(a, m, 2);
	h = ag_suspect(out, f, "precision_loss", AG_LOW, 0.7, ag_ev_str(a, &filter));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->max_share = 0.4;
	ag_suspect_say(
		h, "some amounts carry digits behind the fourth decimal",
		"sums computed in binary floating point and stored without rounding",
		"round to the currency's decimals, and store money as Decimal128 or in cents");
}

bool ag_value_is_boolean(const ag_val *v, bool *ret_truth)
{
	static const char *const yes[] = { "yes", "y", "true", "on", "1", "t" };
	static const char *const no[] = { "no", "n", "false", "off", "0", "f" };
	ag_str s;

	if (v->type == AG_T_BOOL) {
		*ret_truth = v->u.b;
		return true;
	}
	if (ag_type_is_number(v->type)) {
		*ret_truth = ag_val_number(v) == 1;
		return *ret_truth || ag_val_number(v) == 0;
	}
	if (v->type != AG_T_STRING)
		return false;
	s = ag_str_trim(ag_val_text(v));
	for (size_t i = 0; i < AG_NELEM(yes); i++) {
		*ret_truth = ag_str_ieq(s, ag_str_c(yes[i]));
		if (*ret_truth || ag_str_ieq(s, ag_str_c(no[i])))
			return true;
	}
	return false;
}

#define MAX_SPELLINGS 30

void ag_check_booleans(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_val rest[MAX_SPELLINGS];
	size_t nrest = 0;
	bool has[2] = { false, false };
	uint64_t nbool = 0, nother = 0;
	ag_hypothesis *h;

	(void)o;
	if (!f->values_complete || f->ndistinct < 3 || f->ndistinct > MAX_SPELLINGS ||
	    f->nscalar < 5 || !ag_path_is_plain(a, f))
		return;
	for (size_t i = 0; i < f->nvalue; i++) {
		bool truth;

		if (!ag_value_is_boolean(&f->values[i].v, &truth)) {
			nother += f->values[i].n;
			continue;
		}
		nbool += f->values[i].n;
		/* The most frequent spelling of each is the one to keep. */
		if (has[truth])
			rest[nrest++] = f->values[i].v;
		has[truth] = true;
	}
	if (!nrest || !has[0] || !has[1] || ag_share(nbool, nbool + nother) < 0.9)
		return;
	h = ag_suspect(out, f, "boolean_variants", AG_MEDIUM, 0.9,
	               ag_ev_where(a, f, OBJ(a, KV("$in", ag_ev_arr(a, rest, nrest)))));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(h, "yes and no are written in more than two ways",
	               "several writers or forms, each with its own words for a flag",
	               "convert all of them to true and false");
	(void)p;
}
