/* distribution -- see the header. Written with all values, for the log; a report masks what it shows.
 *
 * Order: histograms, one function for each kind of value, types and listed values, the marks of findings, masks. */
#include "audit/distribution.h"

#include "audit/brief.h"
#include "audit/mask.h"
#include "query/extjson.h"

/* Of all paths of a run: below what a store takes as one payload (16 MB), with room for the rest of its event. */
#define MAX_BYTES (12UL * 1024 * 1024)

typedef struct writer {
	const ag_path_profile *f;
	uint64_t ndoc;
	const ag_marks *marks;
	ag_arena *arena;
	ag_jw *w;
} writer;

/* Times are texts, so that no reader has to know which numbers are times. */
static void figure(const writer *x, double d, bool is_time)
{
	const double end = 0x1p63; /* the largest time becomes it when it is a double */
	char text[AG_TIME_MAX_TEXT];

	if (is_time)
		ag_jw_str(x->w, ag_str_make(text, ag_time_format(text, d >= end   ? INT64_MAX
		                                                       : d > -end ? (int64_t)d
		                                                                  : INT64_MIN)));
	else
		ag_jw_double(x->w, d);
}

static void kfigure(const writer *x, const char *key, double d, bool is_time)
{
	ag_jw_kkey(x->w, key);
	figure(x, d, is_time);
}

static void quantiles(const writer *x, const ag_quantiles *q, bool is_time)
{
	const struct {
		const char *key;
		double v;
	} rows[] = {
		{ "p0_1", q->p001 }, { "p1", q->p01 },  { "p5", q->p05 },
		{ "p25", q->p25 },   { "p50", q->p50 }, { "p75", q->p75 },
		{ "p95", q->p95 },   { "p99", q->p99 }, { "p99_9", q->p999 },
	};

	kfigure(x, "min", q->min, is_time);
	kfigure(x, "max", q->max, is_time);
	ag_jw_kkey(x->w, "quantiles");
	ag_jw_obj(x->w);
	for (size_t i = 0; i < AG_NELEM(rows); i++)
		kfigure(x, rows[i].key, rows[i].v, is_time);
	ag_jw_obj_end(x->w);
}

static void histogram(const writer *x, const ag_histogram *h, const ag_bar_marks *m, bool is_time)
{
	ag_jw *w = x->w;

	if (!h)
		return;
	ag_jw_kkey(w, "histogram");
	ag_jw_obj(w);
	ag_jw_kstr(w, "unit", ag_str_c(ag_histogram_unit_name(h->unit)));
	ag_jw_kdouble(w, "width", h->width);
	ag_jw_kkey(w, "edges");
	ag_jw_arr(w);
	for (unsigned i = 0; i <= h->nbar; i++)
		figure(x, h->edges[i], is_time);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "counts");
	ag_jw_arr(w);
	for (unsigned i = 0; i < h->nbar; i++)
		ag_jw_uint(w, h->counts[i]);
	ag_jw_arr_end(w);
	ag_jw_kuint(w, "below", h->below);
	ag_jw_kuint(w, "above", h->above);
	if (x->marks) {
		ag_jw_kkey(w, "marked");
		ag_jw_arr(w);
		for (unsigned i = 0; i < h->nbar; i++)
			ag_jw_uint(w, m->counts[i]);
		ag_jw_arr_end(w);
		ag_jw_kuint(w, "marked_below", m->below);
		ag_jw_kuint(w, "marked_above", m->above);
	}
	ag_jw_obj_end(w);
}

/* --- one object for each kind of value --- */

static void numbers(const writer *x)
{
	const ag_num_profile *n = &x->f->num;

	if (n->n + n->nnan + n->ninf == 0)
		return;
	ag_jw_kkey(x->w, "numbers");
	ag_jw_obj(x->w);
	ag_jw_kuint(x->w, "count", n->n);
	ag_jw_kuint(x->w, "nan", n->nnan);
	ag_jw_kuint(x->w, "infinite", n->ninf);
	ag_jw_kuint(x->w, "negative", n->nneg);
	ag_jw_kuint(x->w, "zero", n->nzero);
	ag_jw_kuint(x->w, "whole", n->nint);
	if (n->n) {
		kfigure(x, "mean", n->mean, false);
		quantiles(x, &n->q, false);
		histogram(x, n->histogram, x->marks ? &x->marks->num : NULL, false);
	}
	ag_jw_obj_end(x->w);
}

static void dates(const writer *x, const ag_date_profile *d, const ag_bar_marks *m)
{
	if (!d->n)
		return;
	ag_jw_kkey(x->w, "dates");
	ag_jw_obj(x->w);
	ag_jw_kuint(x->w, "count", d->n);
	ag_jw_kuint(x->w, "midnight", d->nmidnight);
	quantiles(x, &d->q, true);
	histogram(x, d->histogram, m, true);
	ag_jw_obj_end(x->w);
}

static void texts(const writer *x)
{
	const ag_str_profile *s = &x->f->str;

	if (!s->n)
		return;
	ag_jw_kkey(x->w, "texts");
	ag_jw_obj(x->w);
	ag_jw_kuint(x->w, "count", s->n);
	ag_jw_kuint(x->w, "empty", s->nempty);
	ag_jw_kuint(x->w, "blank", s->nblank);
	ag_jw_kkey(x->w, "length");
	ag_jw_obj(x->w);
	kfigure(x, "mean", s->mean_length, false);
	quantiles(x, &s->length, false);
	histogram(x, s->histogram, x->marks ? &x->marks->length : NULL, false);
	ag_jw_obj_end(x->w);
	dates(x, &s->dates, x->marks ? &x->marks->text_date : NULL);
	ag_jw_obj_end(x->w);
}

static void arrays(const writer *x)
{
	const ag_array_profile *a = &x->f->arr;

	if (!a->n)
		return;
	ag_jw_kkey(x->w, "arrays");
	ag_jw_obj(x->w);
	ag_jw_kuint(x->w, "count", a->n);
	ag_jw_kuint(x->w, "empty", a->nempty);
	ag_jw_kuint(x->w, "items", a->nitem);
	ag_jw_kkey(x->w, "size");
	ag_jw_obj(x->w);
	kfigure(x, "mean", (double)a->nitem / (double)a->n, false);
	quantiles(x, &a->size, false);
	histogram(x, a->histogram, x->marks ? &x->marks->size : NULL, false);
	ag_jw_obj_end(x->w);
	ag_jw_obj_end(x->w);
}

/* --- types and listed values --- */

static void types(const writer *x)
{
	uint64_t n[AG_NTYPE];

	/* int and long, symbol and string share a name. */
	memcpy(n, x->f->by_type, sizeof(n));
	ag_jw_kkey(x->w, "types");
	ag_jw_obj(x->w);
	for (unsigned t = 0; t < AG_NTYPE; t++) {
		for (unsigned other = t + 1; n[t] && other < AG_NTYPE; other++)
			if (!strcmp(ag_type_seed_name(t), ag_type_seed_name(other))) {
				n[t] += n[other];
				n[other] = 0;
			}
		if (!n[t])
			continue;
		ag_jw_key(x->w, ag_str_c(ag_type_seed_name(t)));
		ag_jw_uint(x->w, n[t]);
	}
	ag_jw_obj_end(x->w);
}

static void listed(const writer *x, const char *key, size_t from, size_t to, const uint64_t *marked)
{
	ag_jw_kkey(x->w, key);
	ag_jw_arr(x->w);
	for (size_t i = from; i < to; i++) {
		const ag_val brief = ag_brief_sample(&x->f->values[i].v, x->arena);

		ag_jw_obj(x->w);
		ag_jw_kraw(x->w, "value", ag_extjson_str(x->arena, &brief, AG_EXTJSON_RELAXED));
		ag_jw_kuint(x->w, "count", x->f->values[i].n);
		if (marked)
			ag_jw_kuint(x->w, "marked", marked[i - from]);
		ag_jw_obj_end(x->w);
	}
	ag_jw_arr_end(x->w);
}

static void path_json(const writer *x)
{
	const ag_path_profile *f = x->f;
	const ag_marks *m = x->marks;
	const uint64_t missing = x->ndoc - f->ndoc;
	size_t top, rare;

	ag_shown_values(f, &top, &rare);
	ag_jw_obj(x->w);
	ag_jw_kstr(x->w, "path", f->path);
	types(x);
	ag_jw_kuint(x->w, "occurrences", f->n);
	ag_jw_kuint(x->w, "present_count", f->ndoc);
	ag_jw_kuint(x->w, "missing_count", missing);
	ag_jw_kuint(x->w, "null_count", f->ndoc_null);
	ag_jw_kdouble(x->w, "null_rate",
	              x->ndoc ? (double)(missing + f->ndoc_null) / (double)x->ndoc : 0);
	ag_jw_kuint(x->w, "distinct", f->ndistinct);
	ag_jw_kuint(x->w, "repeated", f->nrepeated);
	ag_jw_kbool(x->w, "is_map", f->is_map);
	if (m)
		ag_jw_kuint(x->w, "marked_null", m->nnull);
	numbers(x);
	dates(x, &f->date, m ? &m->date : NULL);
	texts(x);
	arrays(x);
	listed(x, "top_values", 0, top, m ? m->values : NULL);
	listed(x, "rare_values", rare, f->nvalue, m ? m->values + AG_SHOWN_TOP : NULL);
	ag_jw_obj_end(x->w);
}

void ag_distribution_json(const ag_path_profile *f, uint64_t ndoc, const ag_marks *marks,
                          ag_arena *arena, ag_jw *w)
{
	path_json(&(writer){ f, ndoc, marks, arena, w });
}

/* --- marks --- */

/* A filter into the list; a pipeline names no documents. */
static void add_filter(ag_str query, ag_arena *arena, const ag_val **list, size_t *n)
{
	const ag_val *v;
	ag_err ignored;

	if (query.len && !ag_docquery_value(query, arena, &v, &ignored) && v->type == AG_T_OBJECT)
		list[(*n)++] = v;
}

/* The evidence of all findings about a path that count, and of what was folded into them. */
static void filters_of(const ag_path_profile *f, const ag_path_profile *const *paths,
                       const ag_finding *findings, size_t nfinding, ag_arena *arena,
                       ag_source_mark *ret)
{
	const ag_val **list;
	size_t most = 0, n = 0;

	for (size_t i = 0; i < nfinding; i++)
		most += paths[i] == f ? 1 + findings[i].npart : 0;
	list = ag_new_n(arena, const ag_val *, most ? most : 1);
	for (size_t i = 0; i < nfinding; i++) {
		if (paths[i] != f || findings[i].aside_by.len)
			continue;
		add_filter(findings[i].evidence_query, arena, list, &n);
		for (size_t k = 0; k < findings[i].npart; k++)
			add_filter(findings[i].parts[k].evidence_query, arena, list, &n);
	}
	*ret = (ag_source_mark){ .f = f, .filters = list, .nfilter = n };
}

/* One for each path that has evidence, in the order of the paths. */
static size_t questions(const ag_profile *p, size_t npath, const ag_finding *findings,
                        size_t nfinding, ag_arena *arena, ag_source_mark *ret)
{
	const ag_path_profile **paths = ag_new_n(arena, const ag_path_profile *,
	                                         nfinding ? nfinding : 1);
	size_t n = 0;

	for (size_t i = 0; i < nfinding; i++)
		paths[i] = ag_profile_find_named(p, findings[i].field);
	for (size_t i = 0; i < npath; i++) {
		filters_of(&p->paths[i], paths, findings, nfinding, arena, &ret[n]);
		n += ret[n].nfilter > 0;
	}
	return n;
}

ag_str ag_distributions_of(ag_source *source, const ag_ctx *ctx, const ag_profile *p,
                           const ag_finding *findings, size_t nfinding, ag_arena *arena)
{
	const size_t n = p->npath < AG_DISTRIBUTIONS_MAX ? p->npath : AG_DISTRIBUTIONS_MAX;
	ag_source_mark *marks = ag_new_n(arena, ag_source_mark, n + 1);
	static const ag_marks nothing;
	ag_buf out = AG_BUF_INIT(MAX_BYTES);
	ag_err ignored = { 0 };
	size_t nmark, at = 0;
	bool has_marks;
	ag_str ret;
	ag_jw w;

	nmark = questions(p, n, findings, nfinding, arena, marks);
	has_marks = !ag_source_marks(source, ctx, arena, marks, nmark, &ignored);
	ag_jw_init(&w, &out, 0);
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		const bool is_marked = at < nmark && marks[at].f == &p->paths[i];

		ag_distribution_json(&p->paths[i], p->ndoc,
		                     !has_marks  ? NULL
		                     : is_marked ? &marks[at].ret
		                                 : &nothing,
		                     arena, &w);
		at += is_marked;
	}
	ag_jw_arr_end(&w);
	ret = out.failed ? AG_S("[]") : ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* --- masks --- */

/* Members that hold counts and no value of the field. All others are masked: a new one is never left open. */
static bool is_open(ag_str key)
{
	static const char *const open[] = {
		"path",       "types",       "occurrences",  "present_count", "missing_count",
		"null_count", "nan",         "null_rate",    "distinct",      "repeated",
		"is_map",     "marked_null", "count",        "infinite",      "negative",
		"zero",       "whole",       "midnight",     "empty",         "blank",
		"arrays",     "unit",        "width",        "counts",        "below",
		"above",      "marked",      "marked_below", "marked_above",
	};

	for (size_t i = 0; i < AG_NELEM(open); i++)
		if (ag_str_eqc(key, open[i]))
			return true;
	return false;
}

static ag_val masked(ag_str path, const ag_val *v, bool is_time, ag_arena *arena);

/* Edges are evenly spaced: two that are open would give all of them away. */
static ag_val masked_edges(ag_str path, const ag_val *v, bool is_time, ag_arena *arena)
{
	ag_val list = masked(path, v, is_time, arena);
	ag_val *items;
	uint32_t i = 0;

	if (list.type != AG_T_ARRAY)
		return list;
	while (i < list.n && ag_val_eq(&list.u.items[i], &v->u.items[i]))
		i++;
	if (i == list.n)
		return list;
	items = ag_new_n(arena, ag_val, list.n);
	for (i = 0; i < list.n; i++)
		items[i] = ag_val_str(AG_S("•••"));
	return ag_val_array(items, list.n);
}

static ag_val masked_members(ag_str path, const ag_val *v, bool is_time, ag_arena *arena)
{
	const bool is_secret = ag_mask_is_secret(path);
	ag_member *m = ag_new_n(arena, ag_member, v->n ? v->n : 1);
	uint32_t n = 0;

	for (uint32_t i = 0; i < v->n; i++) {
		const ag_member *was = &v->u.members[i];
		const bool is_length = ag_str_eqc(was->key, "length");

		if (is_length && is_secret) /* of a secret not even the length is shown */
			continue;
		m[n] = *was;
		if (ag_str_eqc(was->key, "value"))
			m[n].val = ag_mask_val(path, &was->val, arena);
		else if (ag_str_eqc(was->key, "edges"))
			m[n].val = masked_edges(path, &was->val, is_time, arena);
		else if (!is_open(was->key) && !is_length)
			m[n].val = masked(path, &was->val, is_time || ag_str_eqc(was->key, "dates"),
			                  arena);
		n++;
	}
	return ag_val_object(m, n);
}

static ag_val masked(ag_str path, const ag_val *v, bool is_time, ag_arena *arena)
{
	ag_val *items, date;
	int64_t ms;

	if (v->type == AG_T_OBJECT)
		return masked_members(path, v, is_time, arena);
	if (v->type == AG_T_ARRAY) {
		items = ag_new_n(arena, ag_val, v->n ? v->n : 1);
		for (uint32_t i = 0; i < v->n; i++)
			items[i] = masked(path, &v->u.items[i], is_time, arena);
		return ag_val_array(items, v->n);
	}
	if (!is_time || v->type != AG_T_STRING || !ag_time_parse_iso(ag_val_text(v), &ms))
		return ag_mask_val(path, v, arena);
	date = ag_val_date(ms);
	date = ag_mask_val(path, &date, arena);
	return date.type == AG_T_DATE ? *v : date;
}

ag_val ag_distributions_masked(const ag_val *list, ag_arena *arena)
{
	ag_val *items = ag_new_n(arena, ag_val, list->n ? list->n : 1);

	if (list->type != AG_T_ARRAY)
		return *list;
	for (uint32_t i = 0; i < list->n; i++) {
		const ag_val *path = ag_val_getc(&list->u.items[i], "path");

		items[i] = masked(path && path->type == AG_T_STRING ? ag_val_text(path) : AG_S(""),
		                  &list->u.items[i], false, arena);
	}
	return ag_val_array(items, list->n);
}

void ag_distributions_write(const ag_val *list, ag_arena *arena, ag_jw *w)
{
	ag_jw_arr(w);
	for (uint32_t i = 0; list->type == AG_T_ARRAY && i < list->n; i++)
		ag_jw_raw(w, ag_extjson_str(arena, &list->u.items[i], AG_EXTJSON_RELAXED));
	ag_jw_arr_end(w);
}
