/* Runs of a place: what is there, and what is below it. */
#include "store/parts.h"

#define ORIGIN "store"

/* only_newest: of each source */
static ag_status runs_below(ag_store *s, const ag_runs_question *q, bool only_newest, size_t most,
                            ag_arena *arena, ag_run_row **ret, size_t *nret, ag_err *err)
{
	ag_runs_question asked = *q;
	ag_status st = AG_OK;

	for (size_t i = 0; i < AG_NELEM(q->places) && !st; i++)
		st = ag_store_check_text(ORIGIN, "the place", q->places[i].key,
		                         AG_STORE_MAX_TEXT_BYTES, err);
	if (st)
		return st;
	if (q->limit > most)
		return ag_fail(err, AG_INVALID, ORIGIN, "a listing has at most %zu runs, not %zu",
		               most, q->limit);
	asked.offset = q->offset < INT64_MAX ? q->offset : INT64_MAX;
	return ag_runs_below(s->db, &asked, only_newest, arena, ret, nret, err);
}

ag_status ag_store_runs_below(ag_store *s, const ag_runs_question *q, ag_arena *arena,
                              ag_run_row **ret, size_t *nret, ag_err *err)
{
	return runs_below(s, q, false, AG_STORE_MAX_RUNS, arena, ret, nret, err);
}

ag_status ag_store_newest_below(ag_store *s, const ag_runs_question *q, ag_arena *arena,
                                ag_run_row **ret, size_t *nret, ag_err *err)
{
	return runs_below(s, q, true, AG_STORE_MAX_SOURCES, arena, ret, nret, err);
}

bool ag_store_is_below(const ag_run_row *run, const ag_store_place *place)
{
	const ag_str key = place->key, of = place->is_uri ? run->source_uri : run->source_key;
	ag_str rest;

	if (!key.len || !ag_str_starts(of, key))
		return false;
	rest = ag_str_make(of.ptr + key.len, of.len - key.len);
	if (!rest.len)
		return true;
	if (place->is_uri)
		return rest.ptr[0] == '?' ||
		       (!place->is_flat && (rest.ptr[0] == '/' || rest.ptr[0] == '.'));
	return rest.ptr[0] == '/' && !(place->is_flat && memchr(rest.ptr + 1, '/', rest.len - 1));
}
