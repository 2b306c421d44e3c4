/* The quality of data on one page, of one project or of all projects of the caller: for each collection that was audited its newest
 * audit, those before it, and what changed. The figures are those of the runs' rows: no report is read. */
#include <stdlib.h>

#include "audit/rows.h"
#include "audit/taxonomy.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "server/audits.h"
#include "server/list.h"
#include "server/problem.h"

#define ORIGIN     "server.audits"
#define SHOWN_RUNS 12u /* of one collection: as many bars fit into a cell */
#define READ_RUNS  40u /* to find those among runs that have not ended */
#define KEY_DIGITS 16u

typedef struct entry {
	const ag_run_row *run; /* the newest that has ended */
	const ag_project *project;
	size_t nth;   /* of the projects */
	ag_str place; /* database of a server; "" = a file */
	bool is_upload;
	double score; /* what the list is sorted by: the highest first */
} entry;

/* --- sorting --- */

static double by_findings(const ag_run_row *r)
{
	const uint32_t counts[] = { r->critical, r->high, r->medium, r->low };
	double score = 0;

	for (size_t i = 0; i < AG_NELEM(counts); i++)
		score = score * 10000 + (counts[i] < 9999 ? counts[i] : 9999);
	return score;
}

static double by_nulls(const ag_run_row *r)
{
	return r->figures.values ? (double)r->figures.nulls / (double)r->figures.values : -1;
}

static double by_documents(const ag_run_row *r)
{
	return (double)r->documents;
}

static double by_changes(const ag_run_row *r)
{
	return (double)r->figures.added + (double)r->figures.regressed;
}

static double by_time(const ag_run_row *r)
{
	return (double)r->started_ms;
}

static const struct {
	const char *name;
	double (*score)(const ag_run_row *r); /* NULL = by name */
} orders[] = { { "findings", by_findings }, { "nulls", by_nulls }, { "documents", by_documents },
	       { "changes", by_changes },   { "last", by_time },   { "name", NULL } };

static int compare(const void *a, const void *b)
{
	const entry *x = a, *y = b;
	int order;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	order = ag_str_cmp(x->run->collection, y->run->collection);
	return order ? order : ag_str_cmp(x->run->source_key, y->run->source_key);
}

static ag_status sort(ag_server_audit *a, entry *list, size_t n, ag_err *err)
{
	const ag_str by = ag_server_query(a->rq, "sort"), way = ag_server_query(a->rq, "order");
	const bool is_reverse = ag_str_eqc(way, "reverse");
	size_t which = 0;

	while (by.len && which < AG_NELEM(orders) && !ag_str_eqc(by, orders[which].name))
		which++;
	if (which == AG_NELEM(orders) || (way.len && !is_reverse)) {
		ag_fail(err, AG_INVALID, ORIGIN, "?sort= or ?order= names no order");
		return ag_err_hint(err, "sort: findings, nulls, documents, changes, last, name; "
		                        "order: reverse");
	}
	for (size_t i = 0; i < n; i++)
		list[i].score = orders[which].score ? orders[which].score(list[i].run) : 0;
	qsort(list, n, sizeof(*list), compare);
	for (size_t i = 0; is_reverse && i < n / 2; i++) {
		const entry other = list[i];

		list[i] = list[n - 1 - i];
		list[n - 1 - i] = other;
	}
	return AG_OK;
}

/* --- filters --- */

static ag_str lower(ag_str s, ag_arena *arena)
{
	char *text = ag_new_n(arena, char, s.len + 1);

	memcpy(text, s.len ? s.ptr : "", s.len);
	ag_utf8_lower(text, s.len);
	return ag_str_make(text, s.len);
}

static bool has_severity(const ag_run_row *r, ag_severity least)
{
	const uint32_t counts[] = { [AG_LOW] = r->low,
		                    [AG_MEDIUM] = r->medium,
		                    [AG_HIGH] = r->high,
		                    [AG_CRITICAL] = r->critical };

	for (size_t i = least; i < AG_NELEM(counts); i++)
		if (counts[i])
			return true;
	return false;
}

/* Keeps what the request asks for. */
static ag_status filter(ag_server_audit *a, entry *list, size_t *n, ag_err *err)
{
	const ag_str words = lower(ag_server_query(a->rq, "q"), a->rq->arena),
		     severity = ag_server_query(a->rq, "severity");
	const bool only_changed = ag_str_eqc(ag_server_query(a->rq, "changed"), "true");
	ag_severity least = AG_LOW;
	size_t kept = 0;

	if (severity.len && !ag_severity_parse(severity, &least)) {
		ag_fail(err, AG_INVALID, ORIGIN, "?severity= names no severity");
		return ag_err_hint(err, "critical, high, medium, low");
	}
	for (size_t i = 0; i < *n; i++) {
		const ag_run_row *r = list[i].run;
		const ag_run_figures *f = &r->figures;
		const ag_str name = ag_str_printf(a->rq->arena, "%.*s %.*s %.*s",
		                                  AG_FMT(a->all ? list[i].project->name : AG_S("")),
		                                  AG_FMT(list[i].place), AG_FMT(r->collection));

		if ((words.len && !ag_str_contains(lower(name, a->rq->arena), words)) ||
		    (severity.len && !has_severity(r, least)) ||
		    (only_changed && !(f->added + f->resolved + f->regressed)))
			continue;
		list[kept++] = list[i];
	}
	*n = kept;
	return AG_OK;
}

/* --- the answer --- */

/* Names a source without its address, which may hold a path of this machine. */
static ag_str key_of(const void *rows, size_t i, ag_arena *arena)
{
	const entry *list = rows;
	const ag_sha256_hex hash = ag_sha256(list[i].run->source_key);

	return ag_str_dup(arena, ag_str_make(hash.text, KEY_DIGITS));
}

/* "host/shop" of "host/shop/orders"; "" of a file. */
static ag_str place_of(const ag_run_row *r)
{
	ag_str key = r->source_key;

	if (ag_str_starts(key, AG_S("/")))
		return AG_S("");
	while (key.len && key.ptr[key.len - 1] != '/')
		key.len--;
	return key.len ? ag_str_make(key.ptr, key.len - 1) : AG_S("");
}

static ag_status write_entry(ag_server_audit *a, const entry *list, size_t i, ag_jw *w, ag_err *err)
{
	const ag_run_row *newest = list[i].run;
	ag_run_row *rows;
	size_t n, shown = 0;
	ag_status st = ag_store_runs(a->store, newest->source_key, READ_RUNS, 0, a->rq->arena,
	                             &rows, &n, err);

	if (st)
		return st;
	ag_jw_obj(w);
	ag_jw_kstr(w, "key", key_of(list, i, a->rq->arena));
	ag_jw_kstr(w, "collection", newest->collection);
	ag_jw_kstr(w, "project", list[i].project->id);
	ag_jw_kstr(w, "place", list[i].place);
	ag_jw_kbool(w, "is_upload", list[i].is_upload);
	ag_jw_kkey(w, "runs");
	ag_jw_arr(w);
	for (size_t k = 0; k < n && shown < SHOWN_RUNS; k++) {
		/* Not one that ended since the list was read. */
		if (!rows[k].finished_ms || !ag_str_eqc(rows[k].agent, "audit") ||
		    ag_str_cmp(ag_id_str(&rows[k].id), ag_id_str(&newest->id)) > 0)
			continue;
		ag_audit_run_json(&rows[k], w);
		shown++;
	}
	if (!shown)
		ag_audit_run_json(newest, w);
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
	return AG_OK;
}

static void write_totals(const entry *list, size_t n, ag_jw *w)
{
	uint64_t severities[4] = { 0 }, added = 0, resolved = 0, regressed = 0;
	static const char *const names[] = { "critical", "high", "medium", "low" };

	for (size_t i = 0; i < n; i++) {
		const ag_run_row *r = list[i].run;

		severities[0] += r->critical;
		severities[1] += r->high;
		severities[2] += r->medium;
		severities[3] += r->low;
		added += r->figures.added;
		resolved += r->figures.resolved;
		regressed += r->figures.regressed;
	}
	ag_jw_kkey(w, "totals");
	ag_jw_obj(w);
	ag_jw_kuint(w, "collections", n);
	for (size_t i = 0; i < AG_NELEM(names); i++)
		ag_jw_kuint(w, names[i], severities[i]);
	ag_jw_kuint(w, "new", added);
	ag_jw_kuint(w, "resolved", resolved);
	ag_jw_kuint(w, "regressed", regressed);
	ag_jw_obj_end(w);
}

/* --- all of them --- */

typedef struct found {
	entry *list;
	size_t n, cap;
	size_t nproject; /* that were added */
} found;

/* By source, and of one source in the order of projects. */
static int by_source(const void *a, const void *b)
{
	const entry *x = a, *y = b;
	const int order = ag_str_cmp(x->run->source_key, y->run->source_key);

	return order ? order : (x->nth > y->nth) - (x->nth < y->nth);
}

/* A source that projects share belongs to the first of them, as an audit does. */
static void keep_first(found *f)
{
	size_t kept = 0;

	if (f->n)
		qsort(f->list, f->n, sizeof(*f->list), by_source);
	for (size_t i = 0; i < f->n; i++)
		if (!kept ||
		    !ag_str_eq(f->list[kept - 1].run->source_key, f->list[i].run->source_key))
			f->list[kept++] = f->list[i];
	f->n = kept;
}

static ag_status add_project(ag_server_audit *a, const ag_project *project, found *f, ag_err *err)
{
	ag_runs_question q = { .agent = AG_S("audit"), .limit = AG_STORE_MAX_SOURCES };
	ag_run_row *rows;
	size_t n;
	ag_status st;

	ag_server_audit_find_places(a, project);
	memcpy(q.places, a->places, sizeof(q.places));
	st = ag_store_newest_below(a->store, &q, a->rq->arena, &rows, &n, err);
	if (st)
		return st;
	if (f->n + n >= f->cap) {
		entry *list = ag_new_n(a->rq->arena, entry, 2 * (f->n + n) + 1);

		if (f->n)
			memcpy(list, f->list, f->n * sizeof(*list));
		f->list = list;
		f->cap = 2 * (f->n + n) + 1;
	}
	for (size_t i = 0; i < n; i++)
		f->list[f->n++] = (entry){ .run = &rows[i],
			                   .project = project,
			                   .nth = f->nproject,
			                   .place = place_of(&rows[i]),
			                   .is_upload = ag_store_is_below(&rows[i],
			                                                  &a->places[1]) };
	f->nproject++;
	return AG_OK;
}

static ag_status quality_work(ag_server_audit *a, ag_err *err)
{
	ag_server_list page;
	found f = { 0 };
	entry *list;
	size_t n;
	ag_status st = AG_OK;
	ag_jw w;

	if (!a->all)
		st = add_project(a, a->at.place.project, &f, err);
	for (size_t i = 0; i < a->nall && !st; i++)
		st = add_project(a, a->all[i], &f, err);
	if (st)
		return st;
	keep_first(&f);
	list = f.list;
	n = f.n;
	st = filter(a, list, &n, err);
	if (!st)
		st = sort(a, list, n, err);
	if (st || !ag_server_list_of(a->rq, a->rp, list, n, key_of, &page))
		return st;
	ag_server_json(a->rp, &w);
	ag_jw_kkey(&w, "collections");
	ag_jw_arr(&w);
	for (size_t i = page.from; i < page.to && !st; i++)
		st = write_entry(a, list, i, &w, err);
	if (st) {
		ag_buf_release(&a->rp->body);
		return st;
	}
	ag_jw_arr_end(&w);
	write_totals(list, n, &w);
	ag_server_list_next(&w, page.next);
	ag_jw_obj_end(&w);
	return AG_OK;
}

void ag_server_audit_quality(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .least = AG_ROLE_VIEWER,
		                                 .flags = AG_SERVER_AUDIT_ANY_PROJECT,
		                                 .work = quality_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}
