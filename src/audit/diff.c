/* diff -- two lists matched by key; what is only in the previous one is sorted by what the re-check said. */
#include "audit/diff.h"

#include <stdlib.h>

static int by_key(const void *a, const void *b)
{
	return ag_str_cmp((*(const ag_recheck *const *)a)->key,
	                  (*(const ag_recheck *const *)b)->key);
}

static int by_text(const void *a, const void *b)
{
	return ag_str_cmp(*(const ag_str *)a, *(const ag_str *)b);
}

/* The finding of the previous run with that key, or NULL. */
static const ag_recheck *find(const ag_recheck *const *sorted, size_t n, ag_str key)
{
	const ag_recheck wanted = { .key = key }, *at = &wanted;
	const ag_recheck *const *hit = n ? bsearch(&at, sorted, n, sizeof(const ag_recheck *),
	                                           by_key)
	                                 : NULL;

	return hit ? *hit : NULL;
}

static bool is_larger(double was, double now)
{
	return was > 0 && now > was * AG_REGRESSION_FACTOR;
}

static bool is_regressed(const ag_finding *now, const ag_recheck *was)
{
	ag_severity severity;

	return (ag_severity_parse(was->severity, &severity) && now->severity > severity) ||
	       is_larger(was->was_share, now->share);
}

static size_t sort_unique(ag_str *list, size_t n)
{
	size_t kept = 0;

	qsort(list, n, sizeof(*list), by_text);
	for (size_t i = 0; i < n; i++)
		if (!kept || !ag_str_eq(list[kept - 1], list[i]))
			list[kept++] = list[i];
	return kept;
}

static void put(ag_diff *d, const ag_recheck *r)
{
	switch (r->state) {
	case AG_RECHECK_RESOLVED: d->resolved[d->nresolved++] = r; break;
	case AG_RECHECK_NOT_CHECKED: d->not_checked[d->nnot_checked++] = r; break;
	case AG_RECHECK_PRESENT:
		d->still_present[d->nstill_present++] = r;
		if (is_larger(r->was_share, r->now_share))
			d->regressed_fields[d->nregressed++] = r->field;
		break;
	}
}

void ag_diff_make(const ag_finding *current, size_t ncurrent, const ag_recheck *previous,
                  size_t nprevious, ag_arena *arena, ag_diff *ret)
{
	const ag_recheck **sorted = ag_new_n(arena, const ag_recheck *, nprevious + 1);
	bool *matched = ag_new_n(arena, bool, nprevious + 1);

	*ret = (ag_diff){
		.added = ag_new_n(arena, const ag_finding *, ncurrent + 1),
		.resolved = ag_new_n(arena, const ag_recheck *, nprevious + 1),
		.still_present = ag_new_n(arena, const ag_recheck *, nprevious + 1),
		.not_checked = ag_new_n(arena, const ag_recheck *, nprevious + 1),
		.regressed_fields = ag_new_n(arena, ag_str, ncurrent + nprevious + 1),
	};
	for (size_t i = 0; i < nprevious; i++)
		sorted[i] = &previous[i];
	qsort(sorted, nprevious, sizeof(*sorted), by_key);
	for (size_t i = 0; i < ncurrent; i++) {
		const ag_recheck *was = find(sorted, nprevious, current[i].key);

		if (current[i].aside_by.len) {
			if (was)
				matched[was - previous] = true;
			continue; /* found, but a person set it aside: no news */
		}
		if (!was) {
			ret->added[ret->nadded++] = &current[i];
			continue;
		}
		matched[was - previous] = true;
		if (is_regressed(&current[i], was))
			ret->regressed_fields[ret->nregressed++] = current[i].field;
	}
	for (size_t i = 0; i < nprevious; i++)
		if (!matched[i])
			put(ret, &previous[i]);
	ret->nregressed = sort_unique(ret->regressed_fields, ret->nregressed);
}
