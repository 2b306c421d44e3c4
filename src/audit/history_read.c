/* history_read -- the payload of the history event, written and read by the same names (docs/events.md). */
#include "audit/history.h"

static const char *const states[] = {
	[AG_RECHECK_PRESENT] = "present",
	[AG_RECHECK_RESOLVED] = "resolved",
	[AG_RECHECK_NOT_CHECKED] = "not_checked",
};

/* {"key":…,"field":…,"category":…,"runs_seen":2,…,"shares":[0.32,0.3],…} */
static void write_pattern(const ag_pattern *p, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "key", p->key);
	ag_jw_kstr(w, "field", p->field);
	ag_jw_kstr(w, "category", p->category);
	ag_jw_kuint(w, "runs_seen", p->runs_seen);
	ag_jw_kuint(w, "runs_committed", p->runs_committed);
	ag_jw_kuint(w, "runs_dismissed", p->runs_dismissed);
	ag_jw_kbool(w, "persistent", p->is_persistent);
	ag_jw_kbool(w, "stable", p->is_stable);
	ag_jw_kkey(w, "shares");
	ag_jw_arr(w);
	for (size_t i = 0; i < p->nshare; i++)
		ag_jw_double(w, p->shares[i]);
	ag_jw_arr_end(w);
	ag_jw_kstr(w, "last_severity", p->last_severity);
	ag_jw_ktime_or_null(w, "last_seen_at", p->last_seen_ms);
	ag_jw_kbool(w, "dismissed", p->is_dismissed);
	ag_jw_kstr(w, "dismiss_reason", p->dismiss_reason);
	ag_jw_kstr(w, "dismiss_critique", p->dismiss_critique);
	ag_jw_kuint(w, "tp", p->tp);
	ag_jw_kuint(w, "fp", p->fp);
	ag_jw_kstr(w, "net", p->net);
	ag_jw_kstr(w, "last_label", p->last_label);
	ag_jw_ktime_or_null(w, "labelled_at", p->labelled_ms);
	ag_jw_obj_end(w);
}

static void write_recheck(const ag_recheck *r, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", r->id);
	ag_jw_kstr(w, "key", r->key);
	ag_jw_kstr(w, "field", r->field);
	ag_jw_kstr(w, "category", r->category);
	ag_jw_kstr(w, "severity", r->severity);
	ag_jw_kstr(w, "description", r->description);
	ag_jw_kstr(w, "evidence_query", r->evidence_query);
	ag_jw_kuint(w, "was", r->was);
	ag_jw_kdouble(w, "was_pct", r->was_share);
	ag_jw_kuint(w, "now", r->now);
	ag_jw_kdouble(w, "now_pct", r->now_share);
	ag_jw_kuint(w, "total_count", r->total);
	ag_jw_kstr(w, "state", ag_str_c(states[r->state]));
	ag_jw_kstr(w, "why", r->why);
	ag_jw_obj_end(w);
}

static void write_said(const ag_said *said, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "key", said->key);
	ag_jw_kstr(w, "meaning", said->meaning);
	ag_jw_kstr(w, "label", said->label);
	ag_jw_kstr(w, "reason", said->reason);
	ag_jw_kstr(w, "by", said->by);
	ag_jw_ktime_or_null(w, "at", said->at_ms);
	ag_jw_obj_end(w);
}

void ag_history_write(const ag_history *h, ag_jw *w)
{
	ag_jw_obj(w);
	if (h->previous_run_id.len)
		ag_jw_kstr(w, "previous_run_id", h->previous_run_id);
	else
		ag_jw_knull(w, "previous_run_id");
	ag_jw_ktime_or_null(w, "previous_at", h->previous_at_ms);
	ag_jw_kuint(w, "runs", h->runs);
	ag_jw_kkey(w, "patterns");
	ag_jw_arr(w);
	for (size_t i = 0; i < h->npattern; i++)
		write_pattern(&h->patterns[i], w);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "rechecks");
	ag_jw_arr(w);
	for (size_t i = 0; i < h->nrecheck; i++)
		write_recheck(&h->rechecks[i], w);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "labels");
	ag_jw_arr(w);
	for (size_t i = 0; i < h->nsaid; i++)
		write_said(&h->said[i], w);
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
}

/* --- and back --- */

/* Items of an array member, at most so many; 0 when there is none. */
static size_t items_of(const ag_val *v, const char *name, size_t max, const ag_val **ret)
{
	const ag_val *list = ag_val_getc(v, name);

	*ret = NULL;
	if (!list || list->type != AG_T_ARRAY)
		return 0;
	*ret = list->u.items;
	return list->n < max ? list->n : max;
}

static ag_pattern read_pattern(const ag_val *v, ag_arena *arena)
{
	const ag_val *items;
	const size_t n = items_of(v, "shares", AG_HISTORY_RUNS, &items);
	double *shares = ag_new_n(arena, double, n ? n : 1);

	for (size_t i = 0; i < n; i++)
		shares[i] = ag_type_is_number(items[i].type) ? ag_val_number(&items[i]) : 0;
	return (ag_pattern){
		.key = ag_val_member_str(v, "key"),
		.field = ag_val_member_str(v, "field"),
		.category = ag_val_member_str(v, "category"),
		.runs_seen = (unsigned)ag_val_member_u64(v, "runs_seen"),
		.runs_committed = (unsigned)ag_val_member_u64(v, "runs_committed"),
		.runs_dismissed = (unsigned)ag_val_member_u64(v, "runs_dismissed"),
		.is_persistent = ag_val_member_bool(v, "persistent"),
		.is_stable = ag_val_member_bool(v, "stable"),
		.shares = shares,
		.nshare = n,
		.last_severity = ag_val_member_str(v, "last_severity"),
		.last_seen_ms = ag_val_member_time(v, "last_seen_at"),
		.is_dismissed = ag_val_member_bool(v, "dismissed"),
		.dismiss_reason = ag_val_member_str(v, "dismiss_reason"),
		.dismiss_critique = ag_val_member_str(v, "dismiss_critique"),
		.tp = (unsigned)ag_val_member_u64(v, "tp"),
		.fp = (unsigned)ag_val_member_u64(v, "fp"),
		.net = ag_val_member_str(v, "net"),
		.last_label = ag_val_member_str(v, "last_label"),
		.labelled_ms = ag_val_member_time(v, "labelled_at"),
	};
}

/* An unknown state is of a newer Argus: nothing is claimed of it. */
static ag_recheck_state read_state(const ag_val *v)
{
	const ag_str text = ag_val_member_str(v, "state");

	for (size_t i = 0; i < AG_NELEM(states); i++)
		if (ag_str_eqc(text, states[i]))
			return (ag_recheck_state)i;
	return AG_RECHECK_NOT_CHECKED;
}

static ag_recheck read_recheck(const ag_val *v)
{
	return (ag_recheck){
		.id = ag_val_member_str(v, "id"),
		.key = ag_val_member_str(v, "key"),
		.field = ag_val_member_str(v, "field"),
		.category = ag_val_member_str(v, "category"),
		.severity = ag_val_member_str(v, "severity"),
		.description = ag_val_member_str(v, "description"),
		.evidence_query = ag_val_member_str(v, "evidence_query"),
		.was = ag_val_member_u64(v, "was"),
		.was_share = ag_val_member_num(v, "was_pct"),
		.now = ag_val_member_u64(v, "now"),
		.now_share = ag_val_member_num(v, "now_pct"),
		.total = ag_val_member_u64(v, "total_count"),
		.state = read_state(v),
		.why = ag_val_member_str(v, "why"),
	};
}

static ag_said read_said(const ag_val *v)
{
	return (ag_said){
		.key = ag_val_member_str(v, "key"),
		.meaning = ag_val_member_str(v, "meaning"),
		.label = ag_val_member_str(v, "label"),
		.reason = ag_val_member_str(v, "reason"),
		.by = ag_val_member_str(v, "by"),
		.at_ms = ag_val_member_time(v, "at"),
	};
}

ag_status ag_history_read(const ag_val *v, ag_arena *arena, ag_history *ret, ag_err *err)
{
	const ag_val *patterns, *rechecks, *labels;
	const size_t npattern = items_of(v, "patterns", AG_HISTORY_LISTED, &patterns),
		     nrecheck = items_of(v, "rechecks", AG_HISTORY_LISTED, &rechecks),
		     nsaid = items_of(v, "labels", AG_HISTORY_SAID, &labels);
	ag_pattern *p = ag_new_n(arena, ag_pattern, npattern ? npattern : 1);
	ag_recheck *r = ag_new_n(arena, ag_recheck, nrecheck ? nrecheck : 1);
	ag_said *said = ag_new_n(arena, ag_said, nsaid ? nsaid : 1);

	if (v->type != AG_T_OBJECT)
		return ag_fail(err, AG_INVALID, "audit.history", "history: want an object, got %s",
		               ag_type_alias(v->type));
	for (size_t i = 0; i < npattern; i++)
		p[i] = read_pattern(&patterns[i], arena);
	for (size_t i = 0; i < nrecheck; i++)
		r[i] = read_recheck(&rechecks[i]);
	for (size_t i = 0; i < nsaid; i++)
		said[i] = read_said(&labels[i]);
	*ret = (ag_history){
		.previous_run_id = ag_val_member_str(v, "previous_run_id"),
		.previous_at_ms = ag_val_member_time(v, "previous_at"),
		.runs = (unsigned)ag_val_member_u64(v, "runs"),
		.patterns = p,
		.npattern = npattern,
		.rechecks = r,
		.nrecheck = nrecheck,
		.said = said,
		.nsaid = nsaid,
	};
	return AG_OK;
}
