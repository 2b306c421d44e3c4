/* past_steps -- see the header. Two steps are the same when the log has the same action and the same canonical input.
 *
 * What interrupted a sitting (a lost source, a deadline) says nothing about the data: such a step is asked again.
 * Conclusions are as well, for they only come when all else is said. */
#include "audit/past_steps.h"

#include <stdlib.h>
#include <xxhash.h>

#include "query/extjson.h"

static int by_hash(const void *a, const void *b)
{
	const uint64_t x = ((const ag_past_step *)a)->hash, y = ((const ag_past_step *)b)->hash;

	return x < y ? -1 : x > y;
}

static uint64_t step_hash(ag_str action, ag_str input)
{
	return XXH3_64bits_withSeed(input.ptr, input.len, XXH3_64bits(action.ptr, action.len));
}

static bool was_interrupted(const ag_trace_entry *t)
{
	static const ag_status again[] = { AG_CANCELLED, AG_UNAVAILABLE, AG_IO, AG_TIMEOUT };

	for (size_t i = 0; i < AG_NELEM(again) && t->executed && !t->ok; i++)
		if (ag_str_eqc(t->error_status, ag_status_name(again[i])))
			return true;
	return false;
}

void ag_past_steps_init(ag_past_steps *p, const ag_audit_state *s, ag_arena *arena)
{
	p->n = p->ntaken = 0;
	p->items = ag_new_n(arena, ag_past_step, s->trace.n ? s->trace.n : 1);
	for (size_t i = 0; i < s->trace.n; i++) {
		const ag_trace_entry *t = &s->trace.items[i];

		if (!was_interrupted(t) && !ag_str_eqc(t->action, "conclude"))
			p->items[p->n++].hash = step_hash(t->action, t->input);
	}
	qsort(p->items, p->n, sizeof(*p->items), by_hash);
}

/* The first item with that hash, or one behind where it would stand. */
static size_t lower_bound(const ag_past_steps *p, uint64_t hash)
{
	size_t lo = 0, hi = p->n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (p->items[mid].hash < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool ag_past_steps_take(ag_past_steps *p, const ag_proposal *step, ag_arena *arena)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_err ignored;
	uint64_t hash;
	ag_val v;

	if (!p->n || ag_extjson_parse(step->input, &opts, arena, &v, NULL, NULL, &ignored))
		return false;
	hash = step_hash(step->action, ag_extjson_str(arena, &v, AG_EXTJSON_RELAXED));
	for (size_t i = lower_bound(p, hash); i < p->n && p->items[i].hash == hash; i++)
		if (!p->items[i].is_taken) {
			p->ntaken++;
			return p->items[i].is_taken = true;
		}
	return false;
}
