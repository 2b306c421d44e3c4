/* history_recheck -- run the evidence of the previous run's findings again, on the source that is open now.
 *
 * The figures are what the data says today, so "resolved" can never mean "not mentioned". The best ranked come
 * first; what is beyond the limit, or cannot be run, is said to be not checked. */
#include <stdlib.h>

#include "audit/history.h"
#include "query/extjson.h"

/* Longer ones are not remembered: 200 findings must fit one event. */
#define EVIDENCE_MAX_BYTES    (16u * 1024)
#define DESCRIPTION_MAX_BYTES 600

typedef struct earlier {
	ag_finding f;
	const ag_finding_row *row;
} earlier;

/* The finding of a row; figures are the row's, and what cannot be read of the body stays empty. */
static void read_row(const ag_finding_row *row, ag_arena *arena, earlier *ret)
{
	const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_finding f = { .id = row->id };
	ag_err ignored;
	ag_val v;

	if (ag_extjson_parse(row->body, &opts, arena, &v, NULL, NULL, &ignored) ||
	    ag_finding_read(&v, arena, &f, &ignored))
		f = (ag_finding){ .id = row->id };
	f.key = row->key;
	f.field = row->field;
	f.category = row->category;
	if (!ag_severity_parse(row->severity, &f.severity))
		f.severity = AG_MEDIUM;
	*ret = (earlier){ f, row };
}

static int by_rank(const void *a, const void *b)
{
	const ag_finding *x = &((const earlier *)a)->f, *y = &((const earlier *)b)->f;
	const int order = ag_finding_rank(&x, &y);

	return order ? order : ag_str_cmp(x->key, y->key);
}

static size_t read_rows(const ag_finding_row *rows, size_t n, ag_arena *arena, earlier *out)
{
	size_t nout = 0;

	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(rows[i].status, "committed") ||
		    ag_str_eqc(rows[i].status, "pending_review"))
			read_row(&rows[i], arena, &out[nout++]);
	}
	qsort(out, nout, sizeof(*out), by_rank);
	return nout;
}

static ag_str head_dup(ag_str s, size_t max, ag_arena *arena)
{
	if (s.len > max) {
		while (max > 0 && ((unsigned char)s.ptr[max] & 0xc0) == 0x80)
			max--;
		s.len = max;
	}
	return ag_str_dup(arena, s);
}

static void fill(const earlier *e, uint64_t total, ag_arena *arena, ag_recheck *r)
{
	*r = (ag_recheck){
		.id = ag_str_dup(arena, ag_id_str(&e->f.id)),
		.key = e->row->key,
		.field = e->row->field,
		.category = e->row->category,
		.severity = e->row->severity,
		.description = head_dup(e->f.description, DESCRIPTION_MAX_BYTES, arena),
		.evidence_query = e->f.evidence_query.len > EVIDENCE_MAX_BYTES
		                          ? AG_S("")
		                          : ag_str_dup(arena, e->f.evidence_query),
		.was = e->row->affected,
		.was_share = e->row->share,
		.total = total,
		.state = AG_RECHECK_NOT_CHECKED,
		.why = AG_S("the run ended before"),
	};
}

/* Errors of one evidence are a word about it; these are about the run. */
static bool ends_all(const ag_ctx *ctx, ag_status st)
{
	return st == AG_CANCELLED || st == AG_IO || st == AG_UNAVAILABLE ||
	       (st == AG_TIMEOUT && ag_ctx_left_ms(ctx) == 0);
}

/* Documents that are not there, or cannot be read, prove no repair: the affected ones may be among them. */
static void doubt(const ag_source_info *info, ag_arena *arena, ag_recheck *r)
{
	if (info->ndoc && info->broken < r->was)
		return;
	r->state = AG_RECHECK_NOT_CHECKED;
	r->why = info->broken ? ag_str_printf(arena, "%llu documents could not be read",
	                                      (unsigned long long)info->broken)
	                      : AG_S("the collection has no documents any more");
}

static ag_status check(const ag_ctx *ctx, ag_source *source, const earlier *e, ag_arena *scratch,
                       ag_arena *arena, ag_recheck *r, ag_err *err)
{
	ag_err why = { 0 };
	ag_evidence ev;
	ag_status st;

	if (!e->f.evidence_query.len) {
		r->why = AG_S("it has no evidence that can be run");
		return AG_OK;
	}
	st = ag_source_evidence(source, ctx, scratch, e->f.evidence_query, &ev, &why);
	if (st) {
		r->why = ag_str_dup(arena, ag_str_c(why.msg));
		if (!ends_all(ctx, st))
			return AG_OK;
		*err = why;
		return st;
	}
	r->why = AG_S("");
	r->now = ev.affected;
	r->now_share = r->total ? (double)ev.affected / (double)r->total : 0;
	if (r->now_share > 1) /* a collection that grew since it was counted */
		r->now_share = 1;
	r->state = ev.affected ? AG_RECHECK_PRESENT : AG_RECHECK_RESOLVED;
	if (r->state == AG_RECHECK_RESOLVED)
		doubt(ag_source_info_of(source), arena, r);
	return AG_OK;
}

static ag_status check_all(const ag_ctx *ctx, ag_source *source, const earlier *list, size_t n,
                           ag_arena *arena, ag_recheck *out, ag_err *err)
{
	const uint64_t total = ag_source_info_of(source)->ndoc;
	ag_arena *scratch = ag_arena_new();
	ag_status st = AG_OK;

	for (size_t i = 0; i < n; i++)
		fill(&list[i], total, arena, &out[i]);
	ag_ctx_phase(ctx, "checking what was found before", "checks",
	             n < AG_HISTORY_RECHECKS ? n : AG_HISTORY_RECHECKS);
	for (size_t i = 0; i < n && !st; i++) {
		if (i >= AG_HISTORY_RECHECKS) {
			out[i].why = AG_S("beyond the limit of re-checks");
			continue;
		}
		st = ag_ctx_check(ctx, err);
		if (!st)
			st = check(ctx, source, &list[i], scratch, arena, &out[i], err);
		ag_ctx_advance(ctx, 1, 0);
		ag_arena_reset(scratch);
	}
	ag_ctx_phase(ctx, NULL, NULL, 0);
	ag_arena_free(scratch);
	return st;
}

ag_status ag_history_recheck(const ag_ctx *ctx, ag_source *source, ag_store *store, ag_arena *arena,
                             ag_history *h, ag_err *err)
{
	ag_finding_row *rows;
	ag_recheck *out;
	earlier *list;
	ag_status st;
	size_t n;
	ag_id id;

	if (!ag_id_parse(h->previous_run_id, &id))
		return AG_OK;
	st = ag_store_findings(store, &id, arena, &rows, &n, err);
	if (st)
		return st;
	list = ag_new_n(arena, earlier, n ? n : 1);
	n = read_rows(rows, n, arena, list);
	if (n > AG_HISTORY_LISTED)
		n = AG_HISTORY_LISTED;
	out = ag_new_n(arena, ag_recheck, n ? n : 1);
	h->rechecks = out;
	h->nrecheck = n;
	return check_all(ctx, source, list, n, arena, out, err);
}
