/* history -- what earlier runs of the same source found, grouped into patterns.
 *
 * Rows of the window's runs become sightings, sorted by key and newest first, so that one sweep sees a pattern's
 * sightings side by side; labels, which are of all runs ever, are sorted by key as well and merged in. Invariant:
 * the result depends on the store alone, in an order that no sort can change. Then read history_recheck.c (does it
 * still hold?), history_read.c (the event), history_text.c (what a planner and people read). */
#include "audit/history.h"

#include <stdlib.h>

#include "audit/aside.h"
#include "query/extjson.h"

#define REASON_MAX_BYTES 2000 /* of a dismissal, and of its critique; a gate may quote at length */

typedef struct sighting {
	const ag_finding_row *row;
	unsigned run; /* index: 0 is the newest */
	size_t order; /* as the store gave it */
} sighting;

/* Both sorted by key. */
typedef struct material {
	const ag_past_run *runs;
	sighting *seen;
	size_t nseen;
	ag_label_row *labels;
	size_t nlabel;
} material;

static int by_key(const void *a, const void *b)
{
	const sighting *x = a, *y = b;
	const int order = ag_str_cmp(x->row->key, y->row->key);

	if (order)
		return order;
	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Newest first within a key. The ids break ties of labels that have no time (stores of schema 1). */
static int by_label_key(const void *a, const void *b)
{
	const ag_label_row *x = a, *y = b;
	const int order = ag_str_cmp(x->key, y->key);

	if (order)
		return order;
	if (x->labelled_ms != y->labelled_ms)
		return x->labelled_ms > y->labelled_ms ? -1 : 1;
	return ag_str_cmp(ag_id_str(&y->finding), ag_id_str(&x->finding));
}

/* runs_seen descending, then last seen descending, then field, category. */
static int by_rank(const void *a, const void *b)
{
	const ag_pattern *x = a, *y = b;
	int order;

	if (x->runs_seen != y->runs_seen)
		return x->runs_seen > y->runs_seen ? -1 : 1;
	if (x->last_seen_ms != y->last_seen_ms)
		return x->last_seen_ms > y->last_seen_ms ? -1 : 1;
	order = ag_str_cmp(x->field, y->field);
	if (!order)
		order = ag_str_cmp(x->category, y->category);
	return order ? order : ag_str_cmp(x->key, y->key);
}

static bool is_status(const ag_finding_row *row, const char *a, const char *b)
{
	return ag_str_eqc(row->status, a) || ag_str_eqc(row->status, b);
}

static ag_str head(ag_str s, size_t max)
{
	if (s.len <= max)
		return s;
	while (max > 0 && ((unsigned char)s.ptr[max] & 0xc0) == 0x80)
		max--;
	return ag_str_make(s.ptr, max);
}

/* Why the newest word is a dismissal: it stands in the finding's body. A body that cannot be read gives no reason. */
static void read_dismissal(const ag_finding_row *row, ag_arena *arena, ag_pattern *p)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_arena *scratch = ag_arena_new();
	const ag_val *why;
	ag_err ignored;
	ag_val v;

	p->is_dismissed = true;
	if (!ag_extjson_parse(row->body, &opts, scratch, &v, NULL, NULL, &ignored)) {
		why = ag_val_getc(&v, "dismissal");
		p->dismiss_reason = ag_str_dup(arena, head(ag_val_member_str(why, "reason"),
		                                           REASON_MAX_BYTES));
		p->dismiss_critique = ag_str_dup(arena, head(ag_val_member_str(why, "critique"),
		                                             REASON_MAX_BYTES));
	}
	ag_arena_free(scratch);
}

/* Relative, with a floor of half a per cent: 0.30 and 0.32 are the same, 0.001 and 0.003 are, too. */
static bool is_stable(const double *shares, size_t n)
{
	double min = n ? shares[0] : 0, max = min, sum = 0, bound;

	for (size_t i = 0; i < n; i++) {
		min = shares[i] < min ? shares[i] : min;
		max = shares[i] > max ? shares[i] : max;
		sum += shares[i];
	}
	if (n < 2)
		return false;
	bound = 0.15 * sum / (double)n;
	return max - min <= (bound > 0.005 ? bound : 0.005);
}

/* One key's sightings, newest first. */
static ag_pattern make_pattern(const material *m, size_t from, size_t to, ag_arena *arena)
{
	const ag_finding_row *newest = m->seen[from].row;
	double *shares = ag_new_n(arena, double, to - from);
	ag_pattern p = {
		.key = newest->key,
		.field = newest->field,
		.category = newest->category,
		.shares = shares,
		.last_severity = AG_S(""),
		.dismiss_reason = AG_S(""),
		.dismiss_critique = AG_S(""),
		.last_seen_ms = m->runs[m->seen[from].run].run.started_ms,
	};

	for (size_t i = from; i < to; i++) {
		const ag_finding_row *row = m->seen[i].row;

		if (i > from && m->seen[i].run == m->seen[i - 1].run)
			continue; /* a run has one word on a pattern */
		if (is_status(row, "dismissed", "dropped")) {
			p.runs_dismissed++;
			continue;
		}
		p.runs_seen++;
		if (!p.last_severity.len)
			p.last_severity = row->severity;
		if (!ag_str_eqc(row->status, "committed"))
			continue;
		p.runs_committed++;
		shares[p.nshare++] = row->share;
	}
	p.is_persistent = p.runs_committed >= 2;
	p.is_stable = is_stable(shares, p.nshare);
	if (is_status(newest, "dismissed", "dropped"))
		read_dismissal(newest, arena, &p);
	return p;
}

/* The labels of one key, newest first. */
static void add_labels(const ag_label_row *rows, size_t n, ag_pattern *p)
{
	p->net = p->last_label = AG_S("");
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(rows[i].label, "tp"))
			p->tp++;
		else
			p->fp++;
	}
	if (!n)
		return;
	p->last_label = rows[0].label;
	p->labelled_ms = rows[0].labelled_ms;
	p->net = p->tp > p->fp ? AG_S("tp") : p->fp > p->tp ? AG_S("fp") : AG_S("");
}

/* Both lists are walked once, in step. */
static size_t make_patterns(const material *m, ag_arena *arena, ag_pattern *out)
{
	size_t n = 0, i = 0, l = 0;

	while (i < m->nseen || l < m->nlabel) {
		const ag_str key = i == m->nseen    ? m->labels[l].key
		                   : l == m->nlabel ? m->seen[i].row->key
		                   : ag_str_cmp(m->seen[i].row->key, m->labels[l].key) <= 0
		                           ? m->seen[i].row->key
		                           : m->labels[l].key;
		const size_t from = i, from_label = l;
		ag_pattern *p = &out[n++];

		while (i < m->nseen && ag_str_eq(m->seen[i].row->key, key))
			i++;
		while (l < m->nlabel && ag_str_eq(m->labels[l].key, key))
			l++;
		if (i > from)
			*p = make_pattern(m, from, i, arena);
		else
			*p = (ag_pattern){
				.key = key,
				.field = m->labels[from_label].field,
				.category = m->labels[from_label].category,
			};
		add_labels(&m->labels[from_label], l - from_label, p);
	}
	return n;
}

/* Why it was said, by whom, and of which evidence stands in the finding's body. */
static ag_said read_said(const ag_label_row *row, ag_arena *arena)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_arena *scratch = ag_arena_new();
	ag_said said = { .key = row->key,
		         .label = row->label,
		         .meaning = AG_S(""),
		         .reason = AG_S(""),
		         .by = AG_S(""),
		         .at_ms = row->labelled_ms };
	ag_err ignored;
	ag_val v;

	if (!ag_extjson_parse(row->body, &opts, scratch, &v, NULL, NULL, &ignored)) {
		said.meaning = ag_str_dup(
			arena,
			ag_evidence_meaning(row->category, ag_val_member_str(&v, "evidence_query"),
		                            scratch));
		said.reason = ag_str_dup(arena, head(ag_val_member_str(&v, "label_reason"),
		                                     REASON_MAX_BYTES));
		said.by = ag_str_dup(arena, head(ag_val_member_str(&v, "label_by"), 200));
	}
	ag_arena_free(scratch);
	return said;
}

static void keep_said(const material *m, ag_arena *arena, ag_history *h)
{
	ag_said *said;

	h->nsaid = m->nlabel < AG_HISTORY_SAID ? m->nlabel : AG_HISTORY_SAID;
	said = ag_new_n(arena, ag_said, h->nsaid ? h->nsaid : 1);
	for (size_t i = 0; i < h->nsaid; i++)
		said[i] = read_said(&m->labels[i], arena);
	h->said = said;
}

static void collect(const ag_past_run *runs, size_t nrun, ag_arena *arena, material *m)
{
	size_t n = 0;

	for (size_t i = 0; i < nrun; i++)
		n += runs[i].nfinding;
	m->runs = runs;
	m->seen = ag_new_n(arena, sighting, n ? n : 1);
	for (size_t i = 0; i < nrun; i++) {
		for (size_t k = 0; k < runs[i].nfinding; k++) {
			m->seen[m->nseen] = (sighting){ &runs[i].findings[k], (unsigned)i,
				                        m->nseen };
			m->nseen++;
		}
	}
	qsort(m->seen, m->nseen, sizeof(*m->seen), by_key);
}

ag_status ag_history_load(ag_store *store, ag_str source_key, const ag_id *before, ag_arena *arena,
                          ag_history *ret, ag_err *err)
{
	const ag_past_query query = {
		.source_key = source_key,
		.agent = AG_S("audit"),
		.before = before,
		.max_runs = AG_HISTORY_RUNS,
	};
	ag_history h = { .previous_run_id = AG_S("") };
	ag_pattern *patterns;
	ag_past_run *runs;
	material m = { 0 };
	ag_status st;
	size_t nrun;

	*ret = h;
	st = ag_store_past(store, &query, arena, &runs, &nrun, err);
	if (st || !nrun)
		return st;
	st = ag_store_labels(store, source_key, query.agent, arena, &m.labels, &m.nlabel, err);
	if (st)
		return st;
	if (m.nlabel)
		qsort(m.labels, m.nlabel, sizeof(*m.labels), by_label_key);
	collect(runs, nrun, arena, &m);
	patterns = ag_new_n(arena, ag_pattern, m.nseen + m.nlabel + 1);
	h.npattern = make_patterns(&m, arena, patterns);
	qsort(patterns, h.npattern, sizeof(*patterns), by_rank);
	if (h.npattern > AG_HISTORY_LISTED)
		h.npattern = AG_HISTORY_LISTED;
	h.patterns = patterns;
	keep_said(&m, arena, &h);
	h.runs = (unsigned)nrun;
	h.previous_run_id = ag_str_dup(arena, ag_id_str(&runs[0].run.id));
	h.previous_at_ms = runs[0].run.started_ms;
	*ret = h;
	return AG_OK;
}
