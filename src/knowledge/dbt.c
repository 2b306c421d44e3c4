/* dbt -- see the header. */
#include "knowledge/dbt.h"

#include <stdio.h>

#include "base/utf8.h"
#include "knowledge/yaml.h"

#define ORIGIN      "knowledge.dbt"
#define MAX_OBJECTS 20000u
#define MAX_FILTER  2000u

typedef struct reader {
	ag_arena *arena;
	ag_err *err;
	ag_str file;
	int64_t now_ms;
	const ag_val *root;
	ag_know_source *ret;
	size_t cap, cap_left;
	ag_str *left;
} reader;

/* --- what is found --- */

static ag_status add(reader *r, ag_know_kind kind, ag_str name, const ag_member *m, size_t n)
{
	const ag_val fields = ag_val_object(m, n);
	ag_know *o;
	ag_status st;

	if (r->ret->n == MAX_OBJECTS)
		return ag_fail(r->err, AG_LIMIT, ORIGIN, "%.*s: more than %u models and metrics",
		               AG_FMT(r->file), MAX_OBJECTS);
	if (r->ret->n == r->cap) {
		ag_know *grown;

		r->cap = r->cap ? 2 * r->cap : 64;
		grown = ag_new_n(r->arena, ag_know, r->cap);
		if (r->ret->n)
			memcpy(grown, r->ret->objects, r->ret->n * sizeof(*grown));
		r->ret->objects = grown;
	}
	o = &r->ret->objects[r->ret->n];
	st = ag_know_make(kind, name, &fields, r->arena, o, r->err);
	if (st)
		return st;
	o->created_ms = o->changed_ms = r->now_ms;
	r->ret->n++;
	return AG_OK;
}

static void leave(reader *r, ag_str name, const char *why)
{
	if (r->ret->nleft == r->cap_left) {
		ag_str *grown;

		r->cap_left = r->cap_left ? 2 * r->cap_left : 16;
		grown = ag_new_n(r->arena, ag_str, r->cap_left);
		if (r->ret->nleft)
			memcpy(grown, r->left, r->ret->nleft * sizeof(*grown));
		r->left = grown;
		r->ret->left = grown;
	}
	AG_ASSERT(r->left);
	r->left[r->ret->nleft++] = ag_str_printf(r->arena, "metric %.*s: %s",
	                                         AG_FMT(ag_utf8_prefix(name, 60)), why);
}

static const ag_val *list_of(const ag_val *v, const char *key, size_t *n)
{
	const ag_val *list = v->type == AG_T_OBJECT ? ag_val_getc(v, key) : NULL;

	*n = list && list->type == AG_T_ARRAY ? list->n : 0;
	return *n ? list->u.items : NULL;
}

/* --- tables --- */

static ag_val notes_of(const reader *r, const ag_val *model)
{
	size_t n, nnote = 0;
	const ag_val *columns = list_of(model, "columns", &n);
	ag_member *m;

	n = n < AG_KNOW_MAX_ITEMS ? n : AG_KNOW_MAX_ITEMS;
	m = ag_new_n(r->arena, ag_member, n + 1);
	for (size_t i = 0; i < n; i++) {
		const ag_str name = ag_val_member_str(&columns[i], "name"),
			     text = ag_str_trim(ag_val_member_str(&columns[i], "description"));

		if (name.len && text.len)
			m[nnote++] = (ag_member){ name, ag_val_str(ag_utf8_prefix(text, 2000)) };
	}
	return ag_val_object(m, nnote);
}

static ag_status read_table(reader *r, const ag_val *model, ag_str schema)
{
	const ag_str alias = ag_val_member_str(model, "alias"),
		     id = ag_val_member_str(model, "identifier"),
		     given = ag_val_member_str(model, "name"),
		     own = alias.len ? alias
	                   : id.len  ? id
	                             : given,
		     text = ag_str_trim(ag_val_member_str(model, "description"));
	const ag_str name = schema.len ? ag_str_printf(r->arena, "%.*s.%.*s", AG_FMT(schema),
	                                               AG_FMT(own))
	                               : own;
	ag_member m[2] = { { AG_S("description"),
		             ag_val_str(text.len ? text : AG_S("A model of dbt.")) },
		           { AG_S("column_notes"), notes_of(r, model) } };

	if (!own.len || (!text.len && !m[1].val.n))
		return AG_OK;
	return add(r, AG_KNOW_TABLE, name, m, 2);
}

static ag_status read_tables(reader *r, const ag_val *of, const char *key, ag_str schema)
{
	size_t n;
	const ag_val *list = list_of(of, key, &n);
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++)
		st = read_table(r, &list[i], schema);
	return st;
}

static ag_status read_sources(reader *r)
{
	size_t n;
	const ag_val *list = list_of(r->root, "sources", &n);
	ag_status st = AG_OK;

	for (size_t i = 0; i < n && !st; i++)
		st = read_tables(r, &list[i], "tables", ag_val_member_str(&list[i], "schema"));
	return st;
}

/* --- metrics --- */

static const struct {
	const char *name, *before, *after;
} aggregates[] = {
	{ "sum", "SUM(", ")" },
	{ "min", "MIN(", ")" },
	{ "max", "MAX(", ")" },
	{ "average", "AVG(", ")" },
	{ "count", "COUNT(", ")" },
	{ "count_distinct", "COUNT(DISTINCT ", ")" },
	{ "sum_boolean", "SUM(CASE WHEN ", " THEN 1 ELSE 0 END)" },
};

/* The name in ref('orders') or source('shop', 'orders'); a plain name as it is. */
static ag_str name_in_ref(ag_str s)
{
	const char *end = NULL, *begin = NULL;

	for (size_t i = s.len; i-- > 0;) {
		if (s.ptr[i] != '\'' && s.ptr[i] != '"')
			continue;
		if (!end) {
			end = s.ptr + i;
		} else {
			begin = s.ptr + i + 1;
			break;
		}
	}
	return begin ? ag_str_make(begin, (size_t)(end - begin)) : s;
}

static bool is_name(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '_' && c != '.')
			return false;
	}
	return s.len && !(s.ptr[0] >= '0' && s.ptr[0] <= '9');
}

/* {{ Dimension('order__status') }} = 'paid' without its braces; false when something else is in braces. */
static bool plain_filter(ag_str filter, ag_buf *out)
{
	while (filter.len) {
		ag_str inside;
		size_t i = 0;

		while (i + 1 < filter.len && !(filter.ptr[i] == '{' && filter.ptr[i + 1] == '{'))
			i++;
		if (i + 1 >= filter.len) {
			ag_buf_add(out, filter);
			return true;
		}
		ag_buf_add(out, ag_str_make(filter.ptr, i));
		filter = ag_str_make(filter.ptr + i + 2, filter.len - i - 2);
		for (i = 0;
		     i + 1 < filter.len && !(filter.ptr[i] == '}' && filter.ptr[i + 1] == '}');)
			i++;
		if (i + 1 >= filter.len)
			return false;
		inside = ag_str_trim(ag_str_make(filter.ptr, i));
		filter = ag_str_make(filter.ptr + i + 2, filter.len - i - 2);
		if (!ag_str_starts(inside, AG_S("Dimension(")) || ag_str_find(inside, ',') >= 0)
			return false;
		inside = name_in_ref(inside);
		for (i = 0; i + 1 < inside.len; i++) {
			if (inside.ptr[i] == '_' && inside.ptr[i + 1] == '_')
				break;
		}
		if (i + 1 < inside.len)
			inside = ag_str_make(inside.ptr + i + 2, inside.len - i - 2);
		if (!is_name(inside))
			return false;
		ag_buf_add(out, inside);
	}
	return true;
}

typedef struct measure {
	ag_str table, agg, expr;
} measure;

static bool find_measure(const reader *r, ag_str name, measure *ret)
{
	size_t n, nmeasure;
	const ag_val *models = list_of(r->root, "semantic_models", &n);

	for (size_t i = 0; i < n; i++) {
		const ag_val *list = list_of(&models[i], "measures", &nmeasure);

		for (size_t k = 0; k < nmeasure; k++) {
			const ag_str expr = ag_val_member_str(&list[k], "expr");

			if (!ag_str_eq(ag_val_member_str(&list[k], "name"), name))
				continue;
			*ret = (measure){ name_in_ref(ag_val_member_str(&models[i], "model")),
				          ag_val_member_str(&list[k], "agg"),
				          expr.len ? expr : name };
			return true;
		}
	}
	return false;
}

/* The measure of a metric; NULL, or why there is none. */
static const char *measure_of(const reader *r, const ag_val *metric, measure *ret)
{
	const ag_val *params = ag_val_getc(metric, "type_params");
	const ag_val *m = params ? ag_val_getc(params, "measure") : NULL;
	const ag_str old = ag_val_member_str(metric, "calculation_method");

	if (old.len) { /* dbt before 1.6 */
		*ret = (measure){ name_in_ref(ag_val_member_str(metric, "model")), old,
			          ag_val_member_str(metric, "expression") };
		return ret->expr.len ? NULL : "it has no expression";
	}
	if (!ag_str_eqc(ag_val_member_str(metric, "type"), "simple"))
		return "its type is not \"simple\"";
	if (m && m->type == AG_T_OBJECT) {
		if (ag_val_getc(m, "filter"))
			return "its measure has a filter";
		m = ag_val_getc(m, "name");
	}
	if (!m || m->type != AG_T_STRING || !find_measure(r, ag_val_text(m), ret))
		return "its measure is not in this file";
	return NULL;
}

static const char *sql_of(const reader *r, const ag_val *metric, ag_buf *out)
{
	const ag_val *filter = ag_val_getc(metric, "filter");
	measure m = { 0 };
	const char *why = measure_of(r, metric, &m);
	size_t agg = 0;

	if (why)
		return why;
	while (agg < AG_NELEM(aggregates) && !ag_str_eqc(m.agg, aggregates[agg].name))
		agg++;
	if (agg == AG_NELEM(aggregates))
		return "its aggregation is not known";
	if (!is_name(m.table) || !is_name(ag_val_member_str(metric, "name")))
		return "its model or name is no plain name";
	ag_buf_addf(out, "SELECT %s%.*s%s AS %.*s\nFROM %.*s", aggregates[agg].before,
	            AG_FMT(m.expr), aggregates[agg].after,
	            AG_FMT(ag_val_member_str(metric, "name")), AG_FMT(m.table));
	if (!filter || filter->type == AG_T_NULL)
		return NULL;
	if (filter->type != AG_T_STRING || filter->n > MAX_FILTER)
		return "its filter is not a text";
	ag_buf_adds(out, "\nWHERE ");
	return plain_filter(ag_str_trim(ag_val_text(filter)), out) ? NULL
	                                                           : "its filter is not plain";
}

static ag_status read_metric(reader *r, const ag_val *metric)
{
	const ag_str name = ag_val_member_str(metric, "name"),
		     label = ag_val_member_str(metric, "label"),
		     text = ag_str_trim(ag_val_member_str(metric, "description"));
	AG_AUTO(ag_buf_release) ag_buf sql = AG_BUF_INIT(16384);
	ag_member m[3];
	const char *why;

	if (!name.len)
		return ag_fail(r->err, AG_INVALID, ORIGIN, "%.*s: a metric has no name",
		               AG_FMT(r->file));
	why = sql_of(r, metric, &sql);
	if (why || sql.failed) {
		leave(r, name, why ? why : "its SQL is too long");
		return AG_OK;
	}
	m[0] = (ag_member){ AG_S("definition"), ag_val_str(text.len    ? text
		                                           : label.len ? label
		                                                       : name) };
	m[1] = (ag_member){ AG_S("sql"), ag_val_str(ag_buf_view(&sql)) };
	m[2] = (ag_member){ AG_S("source"),
		            ag_val_str(ag_str_printf(r->arena, "dbt: %.*s",
		                                     AG_FMT(ag_utf8_prefix(r->file, 150)))) };
	return add(r, AG_KNOW_METRIC, label.len ? label : name, m, 3);
}

ag_status ag_know_dbt_read(ag_str text, ag_str file, int64_t now_ms, ag_arena *arena,
                           ag_know_source *ret, ag_err *err)
{
	static const char *const tables[] = { "models", "seeds", "snapshots" };
	reader r = { .arena = arena, .err = err, .file = file, .now_ms = now_ms, .ret = ret };
	const ag_val *metrics;
	ag_val root;
	size_t n;
	ag_status st = ag_yaml_read(text, file, 1, arena, &root, err);

	*ret = (ag_know_source){ 0 };
	if (!st && root.type != AG_T_OBJECT)
		st = ag_fail(err, AG_INVALID, ORIGIN, "%.*s: want models, sources or metrics",
		             AG_FMT(file));
	r.root = &root;
	for (size_t i = 0; i < AG_NELEM(tables) && !st; i++)
		st = read_tables(&r, &root, tables[i], AG_S(""));
	if (!st)
		st = read_sources(&r);
	metrics = st ? NULL : list_of(&root, "metrics", &n);
	for (size_t i = 0; metrics && i < n && !st; i++)
		st = read_metric(&r, &metrics[i]);
	return st;
}
