/* aside -- see the header. Everything is decided from the log (labels of the history event, review events, options of
 * run_started), so a rebuilt report marks the same findings. */
#include "audit/aside.h"

#include <xxhash.h>

#include "base/time.h"
#include "columns/textclass.h"
#include "query/extjson.h"

#define DAY_MS INT64_C(86400000)

/* --- what evidence means --- */

static ag_val without_dates(const ag_val *v, ag_arena *arena)
{
	ag_member *members;
	ag_val *items;

	switch (v->type) {
	case AG_T_DATE: return ag_val_date(0);
	case AG_T_STRING:
		/* In a CSV a bound is text: "2026-06-02T00:00:00Z". */
		return ag_text_date_format(ag_val_text(v), NULL, NULL) == AG_DATE_NONE
		               ? *v
		               : ag_val_str(AG_S("date"));
	case AG_T_OBJECT:
		members = ag_new_n(arena, ag_member, v->n ? v->n : 1);
		for (uint32_t i = 0; i < v->n; i++)
			members[i] = (ag_member){ v->u.members[i].key,
				                  without_dates(&v->u.members[i].val, arena) };
		return ag_val_object(members, v->n);
	case AG_T_ARRAY:
		items = ag_new_n(arena, ag_val, v->n ? v->n : 1);
		for (uint32_t i = 0; i < v->n; i++)
			items[i] = without_dates(&v->u.items[i], arena);
		return ag_val_array(items, v->n);
	default: return *v;
	}
}

static bool moves_with_the_clock(ag_str category)
{
	return ag_str_eqc(category, "implausible_date") || ag_str_eqc(category, "stale");
}

ag_str ag_evidence_meaning(ag_str category, ag_str evidence, ag_arena *arena)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	XXH128_hash_t hash;
	bool is_filter;
	ag_member m;
	ag_err ignored;
	ag_val v, input;
	ag_str key;

	if (!evidence.len || ag_extjson_parse(evidence, &opts, arena, &v, NULL, NULL, &ignored))
		return AG_S("");
	if (moves_with_the_clock(category))
		v = without_dates(&v, arena);
	is_filter = v.type == AG_T_OBJECT;
	m = (ag_member){ is_filter ? AG_S("filter") : AG_S("pipeline"), v };
	input = ag_val_object(&m, 1);
	key = ag_audit_call_key(is_filter ? AG_S("run_query") : AG_S("aggregate"), &input, arena);
	if (!key.len)
		return AG_S("");
	hash = XXH3_128bits(key.ptr, key.len);
	return ag_str_printf(arena, "%016llx%016llx", (unsigned long long)hash.high64,
	                     (unsigned long long)hash.low64);
}

/* --- labels --- */

typedef struct tally {
	unsigned tp, fp;
	const ag_said *newest_fp;
} tally;

static void count_label(tally *t, const ag_said *said)
{
	if (ag_str_eqc(said->label, "tp")) {
		t->tp++;
		return;
	}
	t->fp++;
	if (!t->newest_fp || said->at_ms > t->newest_fp->at_ms)
		t->newest_fp = said;
}

static void tally_labels(const ag_audit_state *s, const ag_finding *f, const ag_said *own,
                         ag_arena *arena, tally *same, tally *other)
{
	const ag_str meaning = ag_evidence_meaning(f->category, f->evidence_query, arena);

	*same = *other = (tally){ 0 };
	for (size_t i = 0; s->has_history && i < s->history.nsaid; i++) {
		const ag_said *said = &s->history.said[i];

		if (!ag_str_eq(said->key, f->key))
			continue;
		count_label(said->meaning.len && ag_str_eq(said->meaning, meaning) ? same : other,
		            said);
	}
	if (own->label.len)
		count_label(same, own);
}

static ag_said own_label(const ag_finding *f)
{
	return (ag_said){ .key = f->key,
		          .label = f->user_label,
		          .reason = f->label_reason,
		          .by = f->label_by,
		          .at_ms = f->labelled_ms };
}

bool ag_aside_is_labelled(const ag_audit_state *s, const ag_finding *f, ag_arena *arena,
                          ag_said *ret_said)
{
	const ag_said own = own_label(f);
	tally same, other;

	tally_labels(s, f, &own, arena, &same, &other);
	if (same.fp <= same.tp)
		return false;
	*ret_said = *same.newest_fp;
	return true;
}

static ag_str day_of(int64_t ms, ag_arena *arena)
{
	char text[AG_TIME_MAX_TEXT];
	const size_t n = ms ? ag_time_format(text, ms) : 0;

	return ag_str_dup(arena, ag_str_make(text, n < 10 ? n : 10));
}

static ag_str said_text(const ag_said *said, ag_arena *arena)
{
	const ag_str day = day_of(said->at_ms, arena);

	return ag_str_printf(arena, "marked as a false positive%s%.*s%s%.*s%s%.*s",
	                     said->by.len ? " by " : "", AG_FMT(said->by), day.len ? " on " : "",
	                     AG_FMT(day), said->reason.len ? ": " : "", AG_FMT(said->reason));
}

/* --- ignore rows --- */

static bool is_any(ag_str s)
{
	return !s.len || ag_str_eqc(s, "*");
}

bool ag_ignore_is_of(const ag_ignore *row, const ag_source_info *info)
{
	const ag_str s = row->source;

	return is_any(s) || ag_str_eq(s, info->uri) || ag_str_eq(s, info->key) ||
	       ag_str_eq(s, info->collection) ||
	       (info->key.len > s.len && ag_str_ends(info->key, s) &&
	        info->key.ptr[info->key.len - s.len - 1] == '/');
}

static bool ignores(const ag_ignore *row, const ag_finding *f, ag_arena *arena)
{
	return (is_any(row->path) || ag_str_eq(row->path, f->field) ||
	        ag_str_eq(ag_finding_canonical_field(row->path, arena),
	                  ag_finding_canonical_field(f->field, arena))) &&
	       (is_any(row->category) ||
	        ag_str_eq(ag_category_canonical(row->category, arena), f->category));
}

/* The day itself still counts. */
bool ag_ignore_is_over(const ag_ignore *row, int64_t as_of_ms)
{
	return row->until_ms && as_of_ms >= row->until_ms + DAY_MS;
}

static void apply_ignores(const ag_audit_opts *o, const ag_source_info *info, ag_finding *f,
                          ag_arena *arena)
{
	for (size_t i = 0; i < o->nignore && !f->aside_by.len; i++) {
		const ag_ignore *row = &o->ignores[i];

		if (!ag_ignore_is_of(row, info) || !ignores(row, f, arena))
			continue;
		if (ag_ignore_is_over(row, o->catalogue.as_of_ms)) {
			f->note = ag_str_printf(arena, "the ignore of %.*s (%.*s) expired on %.*s",
			                        AG_FMT(row->where), AG_FMT(row->reason),
			                        AG_FMT(day_of(row->until_ms, arena)));
			continue;
		}
		f->aside_by = AG_S("ignore");
		f->aside_reason = row->reason;
		f->aside_until = row->until_ms ? day_of(row->until_ms, arena) : AG_S("");
		f->note = AG_S("");
	}
}

void ag_ignore_notes(const ag_audit_state *s, const ag_audit_opts *o, const ag_source_info *info,
                     ag_arena *arena, ag_jw *w)
{
	ag_jw_kkey(w, "ignore_notes");
	ag_jw_arr(w);
	for (size_t i = 0; i < o->nignore; i++) {
		const ag_ignore *row = &o->ignores[i];
		bool hit = false;

		for (size_t k = 0; k < s->findings.n && !hit; k++)
			hit = ignores(row, &s->findings.items[k], arena);
		if (!hit && ag_ignore_is_of(row, info))
			ag_jw_str(w,
			          ag_str_printf(
					  arena, "%.*s matches no finding of this run: %.*s, %.*s",
					  AG_FMT(row->where),
					  AG_FMT(row->path.len ? row->path : AG_S("*")),
					  AG_FMT(row->category.len ? row->category : AG_S("*"))));
	}
	ag_jw_arr_end(w);
}

/* --- both --- */

void ag_aside_mark(const ag_audit_state *s, const ag_audit_opts *o, const ag_source_info *info,
                   ag_finding *f, ag_arena *arena)
{
	const ag_said own = own_label(f);
	tally same, other;

	tally_labels(s, f, &own, arena, &same, &other);
	if (same.fp > same.tp) {
		f->aside_by = AG_S("label");
		f->aside_reason = said_text(same.newest_fp, arena);
		return;
	}
	apply_ignores(o, info, f, arena);
	if (!f->aside_by.len && !f->note.len && other.fp > other.tp && !same.tp)
		f->note =
			ag_str_printf(arena,
		                      "%.*s, but the evidence means something else now: the label "
		                      "does not apply",
		                      AG_FMT(said_text(other.newest_fp, arena)));
}

ag_finding *ag_aside_findings(const ag_audit_state *s, const ag_audit_opts *o,
                              const ag_source_info *info, ag_arena *arena)
{
	ag_finding *list = ag_new_n(arena, ag_finding, s->findings.n ? s->findings.n : 1);

	for (size_t i = 0; i < s->findings.n; i++) {
		list[i] = s->findings.items[i];
		ag_aside_mark(s, o, info, &list[i], arena);
	}
	return list;
}
