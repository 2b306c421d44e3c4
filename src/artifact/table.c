/* table -- see the header. */
#include "artifact/table.h"

#include "query/extjson.h"

#define MAX_COLUMNS 200u
#define MAX_TABLES  40u

/* --- lists of objects --- */

static size_t add_column(ag_val *columns, size_t n, ag_str name)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eq(ag_val_text(&columns[i]), name))
			return n;
	}
	if (n < MAX_COLUMNS)
		columns[n++] = ag_val_str(name);
	return n;
}

bool ag_artifact_table_of(const ag_val *list, ag_arena *arena, ag_artifact_table *ret)
{
	ag_val *columns = ag_new_n(arena, ag_val, MAX_COLUMNS), *rows;
	size_t n = 0;

	if (list->type != AG_T_ARRAY || !list->n)
		return false;
	for (uint32_t i = 0; i < list->n; i++) {
		const ag_val *o = &list->u.items[i];

		if (o->type != AG_T_OBJECT)
			return false;
		for (uint32_t k = 0; k < o->n; k++)
			n = add_column(columns, n, o->u.members[k].key);
	}
	rows = ag_new_n(arena, ag_val, list->n);
	for (uint32_t i = 0; i < list->n; i++) {
		ag_val *cells = ag_new_n(arena, ag_val, n + 1);

		for (size_t k = 0; k < n; k++) {
			const ag_val *v = ag_val_get(&list->u.items[i], ag_val_text(&columns[k]));

			cells[k] = v ? *v : ag_val_null();
		}
		rows[i] = ag_val_array(cells, n);
	}
	*ret = (ag_artifact_table){ .columns = ag_val_array(columns, n),
		                    .rows = ag_val_array(rows, list->n),
		                    .row_count = list->n };
	return n > 0;
}

size_t ag_artifact_data_tables(const ag_artifact *a, ag_arena *arena, ag_artifact_table **ret)
{
	const ag_val data = ag_artifact_static_data(a, arena);
	ag_artifact_table *list = ag_new_n(arena, ag_artifact_table, MAX_TABLES);
	size_t n = 0;

	*ret = list;
	if (data.type == AG_T_ARRAY)
		return ag_artifact_table_of(&data, arena, list);
	for (uint32_t i = 0; data.type == AG_T_OBJECT && i < data.n && n < MAX_TABLES; i++) {
		if (!ag_artifact_table_of(&data.u.members[i].val, arena, &list[n]))
			continue;
		list[n++].name = data.u.members[i].key;
	}
	return n;
}

/* --- Plotly --- */

/* What a trace shows over what: x and y of most, labels and values of a pie; a horizontal bar has them exchanged. */
typedef struct trace {
	const ag_val *x, *y;
	ag_str name;
} trace;

static const ag_val *list_of(const ag_val *v, const char *key)
{
	const ag_val *list = ag_val_getc(v, key);

	return list && list->type == AG_T_ARRAY && list->n ? list : NULL;
}

static bool read_trace(const ag_val *v, trace *ret)
{
	const bool is_lying = ag_str_eqc(ag_val_member_str(v, "orientation"), "h");

	ret->x = list_of(v, is_lying ? "y" : "x");
	ret->y = list_of(v, is_lying ? "x" : "y");
	if (!ret->y && ret->x && !is_lying) { /* a histogram */
		ret->y = ret->x;
		ret->x = NULL;
	}
	if (!ret->y) {
		ret->x = list_of(v, "labels");
		ret->y = list_of(v, "values");
	}
	ret->name = ag_val_member_str(v, "name");
	return ret->y != NULL;
}

static ag_str axis_title(const ag_val *layout, const char *axis, const char *otherwise)
{
	const ag_val *a = layout ? ag_val_getc(layout, axis) : NULL;
	const ag_val *title = a ? ag_val_getc(a, "title") : NULL;
	const ag_str text = title && title->type == AG_T_STRING ? ag_val_text(title)
	                    : title                             ? ag_val_member_str(title, "text")
	                                                        : AG_S("");

	return text.len ? text : ag_str_c(otherwise);
}

/* Traces from..to, which are over the same x. */
static void join_traces(const trace *t, size_t n, const ag_val *layout, ag_arena *arena,
                        ag_artifact_table *ret)
{
	const size_t nx = t->x != NULL;
	ag_val *columns = ag_new_n(arena, ag_val, n + 1), *rows;
	uint32_t nrow = 0;

	if (nx)
		columns[0] = ag_val_str(axis_title(layout, "xaxis", "x"));
	for (size_t i = 0; i < n; i++) {
		columns[nx + i] = ag_val_str(t[i].name.len ? t[i].name
		                                           : axis_title(layout, "yaxis", "value"));
		nrow = t[i].y->n > nrow ? t[i].y->n : nrow;
	}
	rows = ag_new_n(arena, ag_val, nrow + 1);
	for (uint32_t k = 0; k < nrow; k++) {
		ag_val *cells = ag_new_n(arena, ag_val, n + 1);

		if (nx)
			cells[0] = k < t->x->n ? t->x->u.items[k] : ag_val_null();
		for (size_t i = 0; i < n; i++)
			cells[nx + i] = k < t[i].y->n ? t[i].y->u.items[k] : ag_val_null();
		rows[k] = ag_val_array(cells, n + nx);
	}
	*ret = (ag_artifact_table){ .columns = ag_val_array(columns, n + nx),
		                    .rows = ag_val_array(rows, nrow),
		                    .row_count = nrow };
}

size_t ag_artifact_plotly_tables(const ag_artifact *a, ag_arena *arena, ag_artifact_table **ret)
{
	const ag_extjson_opts opts = { .max_values = 400000 };
	ag_artifact_table *list = ag_new_n(arena, ag_artifact_table, MAX_TABLES);
	trace traces[MAX_TABLES];
	const ag_val *data, *layout;
	size_t ntrace = 0, n = 0;
	ag_val v;

	*ret = list;
	if (ag_extjson_parse(a->version.code, &opts, arena, &v, NULL, NULL, NULL))
		return 0;
	data = v.type == AG_T_ARRAY ? &v : ag_val_getc(&v, "data");
	layout = ag_val_getc(&v, "layout");
	for (uint32_t i = 0; data && data->type == AG_T_ARRAY && i < data->n && ntrace < MAX_TABLES;
	     i++)
		ntrace += read_trace(&data->u.items[i], &traces[ntrace]);
	for (size_t from = 0; from < ntrace;) {
		size_t to = from + 1;

		while (to < ntrace && traces[from].x && traces[to].x &&
		       ag_val_eq(traces[from].x, traces[to].x))
			to++;
		join_traces(&traces[from], to - from, layout, arena, &list[n++]);
		from = to;
	}
	return n;
}

/* --- as text --- */

static void csv_text(ag_buf *out, ag_str s)
{
	bool is_plain = true;

	for (size_t i = 0; i < s.len; i++)
		is_plain &= s.ptr[i] != '"' && s.ptr[i] != ',' && s.ptr[i] != '\n' &&
		            s.ptr[i] != '\r';
	if (is_plain && s.len && s.ptr[0] != ' ' && s.ptr[s.len - 1] != ' ') {
		ag_buf_add(out, s);
		return;
	}
	ag_buf_addc(out, '"');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '"')
			ag_buf_addc(out, '"');
		ag_buf_addc(out, s.ptr[i]);
	}
	ag_buf_addc(out, '"');
}

static void csv_value(ag_buf *out, const ag_val *v)
{
	ag_buf json = AG_BUF_INIT(8u << 20);

	if (v->type == AG_T_NULL || v->type == AG_T_MISSING)
		return;
	if (v->type == AG_T_STRING) {
		csv_text(out, ag_val_text(v));
		return;
	}
	ag_extjson_write(&json, v, AG_EXTJSON_RELAXED);
	csv_text(out, ag_buf_view(&json));
	ag_buf_release(&json);
}

void ag_artifact_csv(const ag_artifact_table *t, ag_buf *out)
{
	for (uint32_t i = 0; i < t->columns.n; i++) {
		if (i)
			ag_buf_addc(out, ',');
		csv_value(out, &t->columns.u.items[i]);
	}
	ag_buf_adds(out, "\r\n");
	for (uint32_t k = 0; k < t->rows.n; k++) {
		const ag_val *row = &t->rows.u.items[k];

		for (uint32_t i = 0; row->type == AG_T_ARRAY && i < row->n; i++) {
			if (i)
				ag_buf_addc(out, ',');
			csv_value(out, &row->u.items[i]);
		}
		ag_buf_adds(out, "\r\n");
	}
}

void ag_artifact_rows_json(const ag_artifact_table *t, ag_arena *arena, ag_buf *out)
{
	ag_jw w;

	ag_jw_init(&w, out, 2);
	ag_jw_arr(&w);
	for (uint32_t k = 0; k < t->rows.n; k++) {
		const ag_val *row = &t->rows.u.items[k];

		ag_jw_obj(&w);
		for (uint32_t i = 0; i < t->columns.n && row->type == AG_T_ARRAY && i < row->n;
		     i++) {
			ag_jw_key(&w, ag_val_text(&t->columns.u.items[i]));
			ag_jw_raw(&w, ag_extjson_str(arena, &row->u.items[i], AG_EXTJSON_RELAXED));
		}
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_buf_addc(out, '\n');
}
