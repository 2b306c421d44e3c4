/* catalogue -- the table of checks, and the loop that runs them.
 *
 * Path by path, row by row: the order of hypotheses is the order of paths, then of this table, so it never
 * depends on threads. One finding per field and category: the collector keys on both, so a second suspicion
 * of the same kind on one path would overwrite the first and is dropped here. */
#include "audit/checks.h"

#include <stdlib.h>

static const ag_check table[] = {
	{ "null_rate", 1, "values that are null in a field that is otherwise filled",
	  ag_check_nulls },
	{ "missing_field", 2, "a field that nearly all documents have, and some lack",
	  ag_check_missing },
	{ "stray_field", 3, "a field that only a handful of documents have", ag_check_stray },
	{ "empty_kinds", 4, "absent, null, empty text and empty array side by side",
	  ag_check_empty_kinds },
	{ "mixed_types", 5, "more than one kind of type in one field", ag_check_mixed_types },
	{ "numeric_text", 6, "numbers stored as text", ag_check_numeric_text },
	{ "text_in_number", 7, "text among numbers", ag_check_text_in_number },
	{ "date_text", 8, "dates stored as text", ag_check_date_text },
	{ "date_formats", 8, "more than one way of writing a date in one field",
	  ag_check_date_formats },
	{ "time_formats", 8, "more than one way of writing a time", ag_check_time_formats },
	{ "ambiguous_date", 9, "day/month and month/day in one field", ag_check_ambiguous_date },
	{ "sentinel_number", 10, "-1, 999 and the like in place of nothing",
	  ag_check_sentinel_number },
	{ "sentinel_date", 11, "1970-01-01, 1900-01-01 and the like in place of nothing",
	  ag_check_sentinel_date },
	{ "null_word", 12, "\"N/A\", \"null\", \"unknown\" in place of nothing",
	  ag_check_null_word },
	{ "empty_string", 13, "empty or blank text in place of nothing", ag_check_empty_string },
	{ "padding", 14, "white space that nobody sees", ag_check_padding },
	{ "case_variants", 15, "one value in several spellings of case", ag_check_case_variants },
	{ "rare_value", 17, "a value outside the list that all others keep to",
	  ag_check_rare_value },
	{ "outlier", 18, "numbers far from all others", ag_check_outlier },
	{ "range", 19, "numbers that cannot be, by the field's name and unit", ag_check_range },
	{ "date_range", 20, "dates in the future or in another century", ag_check_date_range },
	{ "pattern", 21, "text that breaks the pattern of all others", ag_check_pattern },
	{ "measures", 21, "one measure in several spellings", ag_check_measures },
	{ "lost_zero", 22, "postal codes that lost their leading zero as numbers",
	  ag_check_lost_zero },
	{ "email", 23, "text that is no e-mail address among addresses", ag_check_email },
	{ "marks", 23, "doubled punctuation, or signs at the ends of values", ag_check_marks },
	{ "cut_off", 24, "texts that end where a column ended", ag_check_cut_off },
	{ "duplicate_key", 25, "a key that occurs more than once", ag_check_duplicate_key },
	{ "constant", 27, "a field that says the same everywhere", ag_check_constant },
	{ "map_keys", 31, "an object whose keys are data", ag_check_map_keys },
	{ "mojibake", 33, "text that was decoded with the wrong character set", ag_check_mojibake },
	{ "control", 33, "control characters in text", ag_check_control },
	{ "entities", 33, "HTML entities in plain text", ag_check_entities },
	{ "big_integers", 34, "integers too large for a double", ag_check_big_integers },
	{ "float_noise", 34, "money with the noise of binary arithmetic", ag_check_float_noise },
	{ "field_names", 35, "one field under two names", ag_check_field_names },
	{ "array_size", 37, "arrays that are empty or of another length", ag_check_array_size },
	{ "array_content", 38, "nothing as an item of an array", ag_check_array_content },
	{ "unit", 39, "numbers that are 100 or 1000 times all others", ag_check_unit },
	{ "secrets", 40, "passwords that anybody can read", ag_check_secrets },
	{ "booleans", 43, "yes and no in many spellings", ag_check_booleans },
	{ "co_missing", 46, "fields that have no value in the same documents",
	  ag_check_co_missing },
};

static const ag_across_check across[] = {
	{ "rules", 48, "a field that documents of one kind have, and of another kind do not", true,
	  ag_check_rules },
	{ "date_order", 30, "dates that come before the date that they follow everywhere else",
	  false, ag_check_date_order },
	{ "typo", 16, "a rare value or word that is a frequent one with a slip of the keyboard",
	  false, ag_check_typo },
	{ "serial", 25, "a running number that is in more than one document", false,
	  ag_check_serial },
	{ "copies", 26, "documents that come twice, and keys of two fields that repeat", false,
	  ag_check_copies },
	{ "swap", 47, "two values of one object, each in the field of the other", false,
	  ag_check_swap },
	{ "mirror", 49, "numbers that are the mirror image of all others", false, ag_check_mirror },
	{ "kind_range", 51, "numbers far from those of their kind, learnt for each kind", false,
	  ag_check_kind_range },
	{ "references", 50, "a reference to a document that another collection does not have",
	  false, ag_check_references },
	{ "dependency", 28, "a value that another field of the same document contradicts", false,
	  ag_check_dependency },
	{ "arithmetic", 29, "a number that is not the sum or the product of others", false,
	  ag_check_arithmetic },
	{ "zeros", 22, "codes that lost the zeros in front", false, ag_check_zeros },
	{ "code", 23, "codes whose check digit is wrong", false, ag_check_code },
	{ "cut", 24, "texts that were cut at one length", false, ag_check_cut },
	{ "glued", 21, "a value that holds the value of another field as well", false,
	  ag_check_glued },
	{ "repeats", 38, "an item that is in its array twice", false, ag_check_repeats },
};

const ag_across_check *ag_across_check_table(size_t *ret_n)
{
	*ret_n = AG_NELEM(across);
	return across;
}

const ag_check *ag_check_table(size_t *ret_n)
{
	*ret_n = AG_NELEM(table);
	return table;
}

ag_hypothesis *ag_hypotheses_add(ag_hypotheses *h)
{
	if (h->n == AG_MAX_HYPOTHESES) {
		h->left_out++;
		return ag_new(h->arena, ag_hypothesis);
	}
	if (h->n == h->cap) {
		size_t cap = h->cap ? h->cap * 2 : 64;
		ag_hypothesis *items = ag_new_n(h->arena, ag_hypothesis, cap);

		if (h->n)
			memcpy(items, h->items, h->n * sizeof(*items));
		h->items = items;
		h->cap = cap;
	}
	memset(&h->items[h->n], 0, sizeof(h->items[h->n]));
	return &h->items[h->n++];
}

typedef struct placed {
	ag_hypothesis h;
	const ag_path_profile *at; /* its path */
	size_t order;
} placed;

static int by_path(const void *a, const void *b)
{
	const placed *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Order by path, then as they were made, and keep the first of each category of a path, and the one after a
 * guess. */
static void sort_by_path(const ag_profile *p, ag_hypotheses *h)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	placed *all = ag_new_n(scratch, placed, h->n + 1);
	size_t n = 0, first = 0;

	for (size_t i = 0; i < h->n; i++)
		all[i] = (placed){ h->items[i], ag_profile_find(p, h->items[i].field), i };
	qsort(all, h->n, sizeof(*all), by_path);
	for (size_t i = 0; i < h->n; i++) {
		bool seen = false;

		if (i && all[i].at != all[i - 1].at)
			first = n;
		for (size_t k = first; k < n && !seen; k++)
			seen = !h->items[k].is_guess &&
			       strcmp(h->items[k].category, all[i].h.category) == 0;
		if (!seen)
			h->items[n++] = all[i].h;
	}
	h->n = n;
}

ag_status ag_catalogue_run(const ag_across *x, ag_arena *arena, ag_hypotheses *ret, ag_err *err)
{
	ag_status st = AG_OK;

	memset(ret, 0, sizeof(*ret));
	ret->arena = arena;
	for (size_t k = 0; !st && k < AG_NELEM(across); k++)
		if (across[k].is_first)
			st = across[k].run(x, ret, err);
	for (size_t i = 0; !st && i < x->p->npath; i++) {
		ret->name = ag_field_name_of(x->p->paths[i].owner);
		for (size_t k = 0; k < AG_NELEM(table); k++)
			table[k].path(x->p, &x->p->paths[i], x->o, ret);
	}
	ag_ctx_phase(x->ctx, "checking fields", "checks", AG_NELEM(across));
	for (size_t k = 0; !st && k < AG_NELEM(across); k++) {
		if (!across[k].is_first)
			st = across[k].run(x, ret, err);
		ag_ctx_advance(x->ctx, 1, 0);
	}
	if (!st)
		st = ag_weigh_witnesses(x, ret, err);
	ag_ctx_phase(x->ctx, NULL, NULL, 0);
	sort_by_path(x->p, ret);
	return st;
}

ag_severity ag_hypothesis_severity(const ag_hypothesis *h, uint64_t affected, uint64_t total)
{
	double share = ag_share(affected, total);

	if (h->severity == AG_CRITICAL)
		return share >= 0.01 ? AG_CRITICAL : AG_HIGH;
	if (h->fixed_severity)
		return h->severity;
	if (share >= 0.05)
		return h->severity < AG_HIGH ? h->severity + 1 : AG_HIGH;
	if (share < 0.0001 && affected < 3)
		return h->severity > AG_LOW ? h->severity - 1 : AG_LOW;
	return h->severity;
}

bool ag_hypothesis_holds(const ag_hypothesis *h, uint64_t affected, uint64_t total)
{
	double share = ag_share(affected, total);

	if (affected < (h->min_count ? h->min_count : 1))
		return false;
	return share >= h->min_share && (h->max_share <= 0 || share <= h->max_share);
}
