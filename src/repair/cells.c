/* cells -- see the header. One finding after another: select its documents, count what the others hold, and go through the
 * selected ones once. */
#include "repair/cells.h"

#include <stdlib.h>

#include "audit/culprit.h"
#include "audit/proof.h"
#include "query/extjson.h"
#include "repair/fix.h"
#include "report/read.h"

#define MAX_FIXES (1 + AG_FINDING_MAX_PARTS)

typedef struct walk {
	const ag_ctx *ctx;
	const ag_cells *job;
	ag_flagging of;
	ag_fix fixes[MAX_FIXES]; /* the finding's own, then its parts */
	size_t nfix;
	ag_tally others, flagged;
	ag_arena *arena;   /* of the finding */
	ag_arena *scratch; /* of the document */
	bool is_csv;
} walk;

static bool is_counted(const ag_val *finding)
{
	return !ag_report_is_aside(finding) &&
	       ag_str_eqc(ag_report_str(finding, "status"), "published");
}

static void note(const walk *w, const char *why)
{
	if (w->job->note)
		w->job->note(w->job->arg,
		             ag_str_cstr(w->arena, ag_str_printf(w->arena, "%.*s, %.*s: %s",
		                                                 AG_FMT(w->of.field),
		                                                 AG_FMT(w->of.category), why)));
}

/* --- one document --- */

static bool is_same(const ag_val *a, const ag_val *b)
{
	return a->type == b->type && ag_val_eq(a, b);
}

/* A value that most others are not like is wrong as well, however often it occurs. */
static bool is_odd(const ag_fix *f, const ag_val *v)
{
	const ag_tally *t = f->others;
	const unsigned bad = 1u << AG_TEXT_NULL_WORD | 1u << AG_TEXT_PADDED |
	                     1u << AG_TEXT_MOJIBAKE;
	double x;

	if (v->type != AG_T_STRING)
		return false;
	if (ag_text_classify(ag_val_text(v)) & bad)
		return true;
	if (t->nnumber * 2 > t->n && f->is_csv && !ag_str_to_double(ag_val_text(v), &x))
		return true;
	for (unsigned k = 1; k < AG_DATE_NFORMAT; k++)
		if (t->ndate[k] * 2 > t->n)
			return ag_text_date_format(ag_val_text(v), NULL, NULL) != k;
	return false;
}

/* A text that is cut off is not right without the blank at its end. */
static bool may_fix(const walk *w, const ag_fix *f)
{
	return f == &w->fixes[0] || !ag_str_eqc(w->of.category, "truncation") ||
	       ag_str_eqc(f->category, "fd_violation");
}

/* What all parts that know something agree on. */
static void fix_cell(walk *w, ag_cell *c, const ag_val *row)
{
	for (size_t i = 0; i < w->nfix; i++) {
		ag_fix *f = &w->fixes[i];
		const ag_fix_type *t = NULL;
		ag_val v;

		if (!f->rows.w || !ag_bits_get(&f->rows, c->row) || !may_fix(w, f))
			continue;
		while ((t = ag_fix_next(f->category, t))) {
			v = ag_val_missing();
			if (!t->fn(f, &c->value, row, w->scratch, &v) || v.type == AG_T_MISSING ||
			    is_same(&v, &c->value) || is_odd(f, &v))
				continue;
			if (c->fixed.type != AG_T_MISSING && !is_same(&v, &c->fixed)) {
				c->fixed = ag_val_missing();
				return;
			}
			c->fixed = v;
			c->how = t->how;
			break;
		}
	}
}

static bool can_name(ag_str dotted, const ag_path *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->steps[i].kind == AG_STEP_NAME &&
		    (!p->steps[i].name.len || p->steps[i].name.ptr[0] == '$' ||
		     ag_str_find(p->steps[i].name, '.') >= 0))
			return false;
	return dotted.len > 0;
}

static bool has_items(const ag_path *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->steps[i].kind != AG_STEP_NAME)
			return true;
	return false;
}

static ag_status take_occurrence(walk *w, ag_cell *c, const ag_occurrence *at, ag_err *err)
{
	const ag_path *p = &w->of.path;
	size_t dots = 1;

	c->path = at->path;
	c->value = at->v;
	c->fixed = ag_val_missing();
	for (size_t i = 0; i < at->path.len; i++)
		dots += at->path.ptr[i] == '.';
	/* An index or a key of a map is on the way, named by the path or not. */
	c->is_item = has_items(p) || (dots != p->n && can_name(at->path, p));
	if (!can_name(at->path, p))
		c->path = AG_S("");
	if (w->job->wants_repairs)
		fix_cell(w, c, at->row);
	return w->job->fn(w->job->arg, c, err);
}

static ag_status take_document(void *arg, uint64_t i, const ag_val *doc, const ag_val *view,
                               ag_err *err)
{
	walk *w = (walk *)arg;
	ag_cell c = { .of = &w->of, .row = i, .path = AG_S(""), .doc = doc, .how = "" };
	const ag_occurrence *all = NULL;
	bool overrun = false;
	ag_status st = AG_OK;
	size_t n = 0;

	(void)view;
	ag_arena_reset(w->scratch);
	if (!w->of.is_document)
		n = ag_culprit_all(w->fixes[0].filter, doc, w->of.field, w->scratch, &all,
		                   &overrun);
	for (size_t k = 0; !st && k < n; k++)
		st = take_occurrence(w, &c, &all[k], err);
	return st || n ? st : w->job->fn(w->job->arg, &c, err);
}

/* --- one finding --- */

static ag_status add_fix(walk *w, ag_str category, ag_str evidence, ag_err *err)
{
	ag_fix *f = &w->fixes[w->nfix];
	const ag_val *query = NULL;
	ag_status st;

	*f = (ag_fix){ .arena = w->arena,
		       .category = category,
		       .evidence = evidence,
		       .path = &w->of.path,
		       .name = ag_field_name_of(w->of.field),
		       .is_csv = w->is_csv,
		       .others = &w->others,
		       .flagged = &w->flagged };
	st = ag_source_select(w->job->source, w->ctx, evidence, &f->rows, err);
	if (!st)
		st = ag_docquery_value(evidence, w->arena, &query, err);
	if (!st && query->type == AG_T_OBJECT)
		st = ag_filter_from_val(query, w->arena, &f->filter, err);
	w->nfix++;
	return st;
}

typedef struct counting {
	walk *w;
	ag_tally *to;
	const ag_val *view; /* CSV: the document as views */
} counting;

static void count_value(void *arg, const ag_val *v)
{
	const counting *c = (const counting *)arg;
	const ag_val *view = c->w->is_csv && c->view->n
	                             ? ag_val_get(c->view, c->w->of.path.steps[0].name)
	                             : v;

	ag_tally_add(c->to, v, view ? view : v);
}

static ag_status count_document(void *arg, uint64_t i, const ag_val *doc, const ag_val *view,
                                ag_err *err)
{
	walk *w = (walk *)arg;
	counting c = { w, ag_bits_get(&w->fixes[0].rows, i) ? &w->flagged : &w->others, view };

	(void)err;
	ag_tally_walk(doc, w->of.path.steps, w->of.path.n, count_value, &c);
	return AG_OK;
}

/* The other finding about the same pair of swapped values: with one of the two cells repaired a value would be lost. */
static ag_str partner_of(const walk *w)
{
	const ag_val *list;
	size_t n;

	list = ag_report_items(w->job->report, "findings", &n);
	for (size_t i = 0; i < n && ag_str_eqc(w->of.category, "swapped_values"); i++)
		if (!ag_str_eq(ag_report_str(&list[i], "field"), w->of.field) &&
		    ag_str_eq(ag_report_str(&list[i], "evidence_query"), w->of.evidence) &&
		    ag_str_eqc(ag_report_str(&list[i], "category"), "swapped_values") &&
		    is_counted(&list[i]))
			return ag_report_str(&list[i], "field");
	return AG_S("");
}

/* What repairs need to know; nothing when no repair of these categories is known. */
static ag_status learn(walk *w, ag_err *err)
{
	const ag_str member = w->of.path.n ? w->of.path.steps[0].name : AG_S("");
	bool is_known = false;
	ag_status st = AG_OK;

	for (size_t i = 0; i < w->nfix; i++)
		is_known |= ag_fix_next(w->fixes[i].category, NULL) != NULL;
	if (!is_known || w->of.is_document || w->of.path.steps[0].kind != AG_STEP_NAME)
		return AG_OK;
	w->fixes[0].partner = partner_of(w);
	st = ag_source_each(w->job->source, w->ctx, NULL, &member, 1, count_document, w, err);
	for (size_t i = 0; !st && i < w->nfix; i++)
		if (ag_str_eqc(w->fixes[i].category, "fd_violation"))
			st = ag_usual_make(w->ctx, w->job->source, &w->fixes[i], &w->fixes[i].usual,
			                   err);
	return st;
}

static void release(walk *w)
{
	for (size_t i = 0; i < w->nfix; i++) {
		ag_bits_release(&w->fixes[i].rows);
		ag_text_map_release(&w->fixes[i].asked);
		free(w->fixes[i].answer);
	}
	w->nfix = 0;
	ag_tally_release(&w->others);
	ag_tally_release(&w->flagged);
}

static bool is_stop(ag_status st)
{
	return st == AG_CANCELLED || st == AG_TIMEOUT || st == AG_IO;
}

static void read_flagging(walk *w, const ag_val *f)
{
	ag_err ignored = { 0 };

	w->of = (ag_flagging){ .id = ag_report_str(f, "id"),
		               .field = ag_report_str(f, "field"),
		               .category = ag_report_str(f, "category"),
		               .evidence = ag_report_str(f, "evidence_query"),
		               .confidence = ag_report_number(f, "confidence") };
	w->of.is_document = !w->of.field.len || ag_str_eqc(w->of.field, AG_DOCUMENT_FIELD) ||
	                    ag_path_parse(w->of.field, w->arena, &w->of.path, &ignored) ||
	                    !w->of.path.n;
	if (w->of.is_document)
		w->of.path.n = 0;
}

/* Its own evidence must run; a part that does not run repairs nothing. */
static ag_status open_finding(walk *w, const ag_val *f, ag_err *err)
{
	const ag_val *parts;
	ag_err why = { 0 };
	ag_status st;
	size_t n;

	st = add_fix(w, w->of.category, w->of.evidence, err);
	parts = ag_report_items(f, "parts", &n);
	for (size_t i = 0; !st && w->job->wants_repairs && i < n && w->nfix < MAX_FIXES; i++) {
		const ag_str evidence = ag_report_str(&parts[i], "evidence_query");

		if (evidence.len &&
		    add_fix(w, ag_report_str(&parts[i], "category"), evidence, &why)) {
			if (is_stop(why.status)) {
				*err = why;
				return why.status;
			}
			ag_bits_release(&w->fixes[--w->nfix].rows);
		}
	}
	if (!st && w->job->wants_repairs)
		st = learn(w, err);
	return st;
}

static ag_status walk_finding(walk *w, const ag_val *f, ag_err *err)
{
	ag_err why = { 0 };
	ag_status st;

	ag_arena_reset(w->arena);
	read_flagging(w, f);
	if (!w->of.evidence.len)
		return AG_OK;
	st = open_finding(w, f, &why);
	if (st && is_stop(st)) {
		*err = why;
	} else if (st) {
		note(w, why.msg);
		st = AG_OK;
	} else {
		st = ag_source_each(w->job->source, w->ctx, &w->fixes[0].rows, NULL, 0,
		                    take_document, w, err);
	}
	release(w);
	return st;
}

/* Documents of a server have no place that stays: between two questions one may come or go. */
static ag_status refuse_server(const ag_source_info *info, ag_err *err)
{
	ag_fail(err, AG_INVALID, "repair.cells", "%.*s: cells are listed of files only",
	        AG_FMT(info->uri));
	return ag_err_hint(err,
	                   "write the collection to a file first, with mongoexport; the script of "
	                   "`argus repair FILE` runs on the server");
}

ag_status ag_cells_each(const ag_ctx *ctx, const ag_cells *job, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	const ag_str format = ag_source_info_of(job->source)->format;
	const ag_val *findings;
	ag_status st = AG_OK;
	walk *w;
	size_t n;

	if (!ag_source_has_rows(job->source))
		return refuse_server(ag_source_info_of(job->source), err);
	w = (walk *)ag_xcalloc(1, sizeof(*w));
	w->ctx = ctx;
	w->job = job;
	w->arena = arena;
	w->scratch = scratch;
	w->is_csv = ag_str_eqc(format, "csv") || ag_str_eqc(format, "tsv");
	findings = ag_report_items(job->report, "findings", &n);
	if (!ag_report_get(job->report, "findings"))
		st = ag_fail(err, AG_INVALID, "repair.cells",
		             "this is no audit report: \"findings\" is missing");
	for (size_t i = 0; !st && i < n; i++)
		if (is_counted(&findings[i]))
			st = walk_finding(w, &findings[i], err);
	free(w);
	return st;
}

/* --- lines --- */

static void write_value(ag_jw *w, const char *key, const ag_val *v)
{
	ag_buf text = AG_BUF_INIT(SIZE_MAX);

	ag_extjson_write(&text, v, AG_EXTJSON_RELAXED);
	ag_jw_kraw(w, key, ag_buf_view(&text));
	ag_buf_release(&text);
}

static void write_line(const ag_cell *c, const ag_source_info *info, bool has_repair, ag_buf *out)
{
	const ag_val *id = ag_val_getc(c->doc, "_id");
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "collection", info->collection);
	ag_jw_kstr(&w, "file", info->uri);
	if (id)
		write_value(&w, "_id", id);
	ag_jw_kuint(&w, "row", c->row);
	ag_jw_kstr(&w, "field", c->of->field);
	if (c->is_item)
		ag_jw_kstr(&w, "path", c->path);
	ag_jw_kstr(&w, "category", c->of->category);
	ag_jw_kdouble(&w, "confidence", c->of->confidence);
	ag_jw_kstr(&w, "finding", c->of->id);
	if (has_repair) {
		write_value(&w, "value", &c->value);
		write_value(&w, "repair", &c->fixed);
		ag_jw_kstr(&w, "how", ag_str_c(c->how));
	}
	ag_jw_obj_end(&w);
	ag_buf_addc(out, '\n');
}

void ag_cell_write(const ag_cell *cell, const ag_source_info *info, ag_buf *out)
{
	write_line(cell, info, false, out);
}

void ag_repair_write(const ag_cell *cell, const ag_source_info *info, ag_buf *out)
{
	if (cell->fixed.type != AG_T_MISSING)
		write_line(cell, info, true, out);
}
