/* artifact_proof -- see the header. A row of `data` that is a row of a result is proven at once; what is left is written as a
 * Markdown table and checked like the table of an answer. */
#include "analyst/artifact_proof.h"

#include "artifact/markup.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define MAX_NAMED      50u   /* unproven figures that are kept */
#define MAX_TABLES     60u   /* rows of data that are checked as text */
#define MAX_ROWS       2000u /* rows of data that are looked at */
#define JSON_BYTES     (256u << 10)
#define CRITIQUE_BYTES 3000u
#define WHERE_BYTES    120u

typedef struct proving {
	const ag_analyst_proof *p;
	ag_figures_input in; /* what proves */
	ag_arena *arena;
	ag_jw w; /* the list of unproven figures */
	ag_buf list, critique;
	size_t nproven, nunproven, ntable, nrow;
	ag_str why; /* what could not be checked; "" = all could */
} proving;

/* --- one figure --- */

static void doubt(proving *x, ag_str where, ag_str text, ag_str critique)
{
	if (x->nunproven++ >= MAX_NAMED)
		return;
	ag_jw_obj(&x->w);
	ag_jw_kstr(&x->w, "where", ag_utf8_prefix(where, WHERE_BYTES));
	ag_jw_kstr(&x->w, "text", ag_utf8_prefix(text, 60));
	ag_jw_kstr(&x->w, "critique", ag_utf8_prefix(critique, 300));
	ag_jw_obj_end(&x->w);
	if (x->critique.len < CRITIQUE_BYTES)
		ag_buf_addf(&x->critique, "%.*s: %.*s\n",
		            AG_FMT(ag_utf8_prefix(where, WHERE_BYTES)),
		            AG_FMT(ag_utf8_prefix(critique.len ? critique : text, 300)));
}

static void check_prose(proving *x, ag_str where, ag_str prose)
{
	ag_figures f = { 0 };
	ag_err err = { 0 };

	if (!ag_str_trim(prose).len)
		return;
	if (ag_analyst_figures(x->p, prose, &x->in, &f, &err)) {
		x->why = ag_str_printf(x->arena, "%.*s: %s", AG_FMT(where), err.msg);
		return;
	}
	for (size_t i = 0; i < f.nfigure; i++) {
		const ag_figure *g = &f.figures[i];

		if (g->verdict == AG_FIGURE_UNPROVEN)
			doubt(x, where, ag_str_make(prose.ptr + g->at, g->len), g->critique);
		else
			x->nproven += g->verdict != AG_FIGURE_EXEMPT;
	}
}

/* --- data --- */

static bool number_of(const ag_val *v, double *ret)
{
	if (ag_type_is_number(v->type)) {
		*ret = ag_val_number(v);
		return true;
	}
	return v->type == AG_T_STRING && ag_str_to_double(ag_val_text(v), ret);
}

static bool is_same(const ag_val *a, const ag_val *b)
{
	double x, y;

	return number_of(a, &x) && number_of(b, &y) ? x == y : ag_val_eq(a, b);
}

static bool find_column(const ag_figures_result *r, ag_str name, size_t *ret)
{
	for (size_t i = 0; i < r->ncolumn; i++) {
		if (ag_str_ieq(r->columns[i], name)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static size_t count_numbers(const ag_val *row)
{
	size_t n = 0;

	for (uint32_t i = 0; i < row->n; i++)
		n += ag_type_is_number(row->u.members[i].val.type);
	return n;
}

/* Are all its numbers, and what else it has of this result's columns, in one row of it? */
static bool is_row_of(const ag_figures_result *r, const ag_val *row)
{
	size_t columns[64];

	if (row->n > AG_NELEM(columns))
		return false;
	for (uint32_t i = 0; i < row->n; i++) {
		const ag_member *m = &row->u.members[i];

		if (find_column(r, m->key, &columns[i]))
			continue;
		if (ag_type_is_number(m->val.type))
			return false;
		columns[i] = SIZE_MAX;
	}
	for (size_t k = 0; k < r->nrow; k++) {
		bool fits = true;

		for (uint32_t i = 0; i < row->n && fits; i++)
			fits = columns[i] == SIZE_MAX ||
			       is_same(&row->u.members[i].val, &r->rows[k].u.items[columns[i]]);
		if (fits)
			return true;
	}
	return false;
}

/* "| region | revenue |", the rule, "| North | 40 |" */
static ag_str row_as_table(const ag_val *row, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64u << 10);
	ag_str ret;

	for (uint32_t i = 0; i < row->n; i++)
		ag_buf_addf(&out, "| %.*s ", AG_FMT(ag_utf8_prefix(row->u.members[i].key, 60)));
	ag_buf_adds(&out, "|\n");
	for (uint32_t i = 0; i < row->n; i++)
		ag_buf_adds(&out, "|---");
	ag_buf_adds(&out, "|\n");
	for (uint32_t i = 0; i < row->n; i++) {
		const ag_val *v = &row->u.members[i].val;
		const bool is_plain = v->type != AG_T_OBJECT && v->type != AG_T_ARRAY;
		const ag_str text = v->type == AG_T_STRING ? ag_val_text(v)
		                    : is_plain ? ag_extjson_str(arena, v, AG_EXTJSON_RELAXED)
		                               : AG_S("");

		ag_buf_addf(&out, "| %.*s ", AG_FMT(ag_utf8_prefix(text, 100)));
	}
	ag_buf_adds(&out, "|\n");
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static void check_row(proving *x, ag_str where, const ag_val *row)
{
	const size_t n = count_numbers(row);

	if (!n)
		return;
	for (size_t i = 0; i < x->in.nresult && x->nrow < MAX_ROWS; i++) {
		if (is_row_of(&x->in.results[i], row)) {
			x->nrow++;
			x->nproven += n;
			return;
		}
	}
	if (x->ntable++ < MAX_TABLES)
		check_prose(x, where, row_as_table(row, x->arena));
	else
		for (uint32_t i = 0; i < row->n; i++)
			if (ag_type_is_number(row->u.members[i].val.type))
				doubt(x, where,
				      ag_extjson_str(x->arena, &row->u.members[i].val,
				                     AG_EXTJSON_RELAXED),
				      AG_S("it is in no row of a result"));
}

/* A list of plain values: a column of a result from its first row on? */
static bool is_column(const proving *x, const ag_val *list)
{
	for (size_t i = 0; i < x->in.nresult; i++) {
		const ag_figures_result *r = &x->in.results[i];

		for (size_t c = 0; c < r->ncolumn && list->n <= r->nrow; c++) {
			uint32_t k = 0;

			while (k < list->n && is_same(&list->u.items[k], &r->rows[k].u.items[c]))
				k++;
			if (k == list->n)
				return true;
		}
	}
	return false;
}

static size_t numbers_in(const ag_val *list)
{
	size_t n = 0;

	for (uint32_t i = 0; i < list->n; i++)
		n += ag_type_is_number(list->u.items[i].type);
	return n;
}

/* Numbers that are no column: each with its name, and the label beside it where there is one. */
static void check_list(proving *x, ag_str where, ag_str name, const ag_val *list,
                       const ag_val *labels)
{
	const size_t n = numbers_in(list);

	if (!n)
		return;
	if (list->n > 1 && is_column(x, list)) {
		x->nproven += n;
		return;
	}
	for (uint32_t i = 0; i < list->n; i++) {
		const bool has_label = labels && labels->type == AG_T_ARRAY && i < labels->n;
		const ag_member m[] = { { name, list->u.items[i] },
			                { AG_S("row"),
			                  has_label ? labels->u.items[i] : ag_val_str(AG_S("")) } };
		const ag_val row = ag_val_object(m, has_label ? 2 : 1);

		if (ag_type_is_number(list->u.items[i].type))
			check_row(x, ag_str_printf(x->arena, "%.*s[%u]", AG_FMT(where), i), &row);
	}
}

static void check_value(proving *x, ag_str where, ag_str name, const ag_val *v, unsigned depth)
{
	if (depth > AG_ARTIFACT_DATA_DEPTH)
		return;
	if (v->type == AG_T_OBJECT) {
		check_row(x, where, v);
		for (uint32_t i = 0; i < v->n; i++)
			check_value(x,
			            ag_str_printf(x->arena, "%.*s.%.*s", AG_FMT(where),
			                          AG_FMT(ag_utf8_prefix(v->u.members[i].key, 60))),
			            v->u.members[i].key, &v->u.members[i].val, depth + 1);
	} else if (v->type == AG_T_ARRAY) {
		check_list(x, where, name, v, NULL);
		for (uint32_t i = 0; i < v->n; i++)
			check_value(x, ag_str_printf(x->arena, "%.*s[%u]", AG_FMT(where), i), name,
			            &v->u.items[i], depth + 1);
	}
}

/* --- Plotly --- */

/* A title is a text, or an object with one. */
static ag_str title_of(const ag_val *v)
{
	const ag_val *title = v ? ag_val_getc(v, "title") : NULL;

	if (title && title->type == AG_T_STRING)
		return ag_val_text(title);
	return title ? ag_val_member_str(title, "text") : AG_S("");
}

static void check_trace(proving *x, const ag_val *trace, const ag_val *layout, size_t at)
{
	static const char *const lists[] = { "y",    "values", "z",     "x", "open",
		                             "high", "low",    "close", "r" };
	const ag_val *xaxis = layout ? ag_val_getc(layout, "xaxis") : NULL,
		     *yaxis = layout ? ag_val_getc(layout, "yaxis") : NULL;
	const ag_val *labels = ag_val_getc(trace, "labels"), *xs = ag_val_getc(trace, "x");
	const ag_str name = ag_val_member_str(trace, "name");

	for (size_t i = 0; i < AG_NELEM(lists); i++) {
		const ag_val *list = ag_val_getc(trace, lists[i]);
		const bool is_x = strcmp(lists[i], "x") == 0;
		const ag_str axis = title_of(is_x ? xaxis : yaxis);
		const ag_str where = ag_str_printf(x->arena, "code: trace %zu: %s", at, lists[i]);

		if (!list || list->type != AG_T_ARRAY)
			continue;
		check_list(x, where,
		           name.len && !is_x ? name
		           : axis.len        ? axis
		                             : ag_str_c(lists[i]),
		           list,
		           labels ? labels
		           : is_x ? NULL
		                  : xs);
		for (uint32_t k = 0; k < list->n; k++) {
			if (list->u.items[k].type == AG_T_ARRAY)
				check_list(x, where, name, &list->u.items[k], NULL);
		}
	}
	check_prose(x, AG_S("code: name of a trace"), name);
}

static void check_plotly(proving *x, ag_str code)
{
	const ag_extjson_opts opts = { .max_values = 400000 };
	const ag_val *data, *layout, *notes;
	ag_val v;

	if (ag_extjson_parse(code, &opts, x->arena, &v, NULL, NULL, NULL)) {
		x->why = AG_S("code: it is no JSON, so its figures were not read");
		return;
	}
	data = v.type == AG_T_ARRAY ? &v : ag_val_getc(&v, "data");
	layout = ag_val_getc(&v, "layout");
	for (uint32_t i = 0; data && data->type == AG_T_ARRAY && i < data->n; i++) {
		if (data->u.items[i].type == AG_T_OBJECT)
			check_trace(x, &data->u.items[i], layout, i + 1);
	}
	check_prose(x, AG_S("code: title"), title_of(layout));
	notes = layout ? ag_val_getc(layout, "annotations") : NULL;
	for (uint32_t i = 0; notes && notes->type == AG_T_ARRAY && i < notes->n; i++)
		check_prose(x, AG_S("code: annotation"),
		            ag_val_member_str(&notes->u.items[i], "text"));
}

/* --- all of it --- */

static void check_all(proving *x, const ag_artifact *a)
{
	const ag_val data = ag_artifact_static_data(a, x->arena);

	check_prose(x, AG_S("title"), a->version.title);
	check_prose(x, AG_S("description"), a->version.description);
	switch (a->kind) {
	case AG_ARTIFACT_MARKDOWN: check_prose(x, AG_S("code"), a->version.code); break;
	case AG_ARTIFACT_HTML:
	case AG_ARTIFACT_SVG:
		check_prose(x, AG_S("code"), ag_markup_text(a->version.code, x->arena));
		break;
	case AG_ARTIFACT_PLOTLY: check_plotly(x, a->version.code); break;
	case AG_ARTIFACT_REACT:
	case AG_ARTIFACT_NKIND: break;
	}
	check_value(x, AG_S("data"), AG_S("value"), &data, 0);
}

static ag_str result_of(proving *x)
{
	ag_buf out = AG_BUF_INIT(2 * JSON_BYTES);
	ag_str ret;
	ag_jw w;

	ag_jw_arr_end(&x->w);
	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kbool(&w, "checked", !x->why.len);
	if (x->why.len)
		ag_jw_kstr(&w, "why", x->why);
	ag_jw_kuint(&w, "proven", x->nproven);
	ag_jw_kuint(&w, "unproven_count", x->nunproven);
	ag_jw_kraw(&w, "unproven", ag_buf_view(&x->list));
	ag_jw_obj_end(&w);
	ret = out.failed || x->list.failed ? AG_S("{\"checked\":false}")
	                                   : ag_buf_dup(x->arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_str prove(void *self, const ag_artifact *a, ag_arena *arena, ag_str *ret_critique)
{
	proving x = { .p = self,
		      .arena = arena,
		      .list = AG_BUF_INIT(JSON_BYTES),
		      .critique = AG_BUF_INIT(2 * CRITIQUE_BYTES) };
	ag_figures none = { 0 };
	ag_str ret;

	ag_jw_init(&x.w, &x.list, 0);
	ag_jw_arr(&x.w);
	if (ag_analyst_figures(x.p, AG_S(""), &x.in, &none, NULL))
		x.in = (ag_figures_input){ 0 };
	check_all(&x, a);
	ret = result_of(&x);
	*ret_critique = AG_S("");
	if (x.nunproven)
		*ret_critique = ag_str_printf(
			arena,
			"%zu figure%s of this artifact %s no source in the results:\n%.*sCorrect it with "
			"update_artifact, or leave them out.",
			x.nunproven, x.nunproven == 1 ? "" : "s", x.nunproven == 1 ? "has" : "have",
			AG_FMT(ag_buf_view(&x.critique)));
	ag_buf_release(&x.list);
	ag_buf_release(&x.critique);
	return ret;
}

void ag_analyst_artifact_prover_init(ag_artifact_prover *prover, ag_analyst_proof *p)
{
	*prover = (ag_artifact_prover){ .prove = prove, .self = p };
}
