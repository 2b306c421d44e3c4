/* golden -- see the header. */
#include "analyst/golden.h"

#include <math.h>

#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN "analyst.golden"
#define SHOWN  200u

typedef struct checker {
	const ag_analyst_state *s;
	ag_arena *arena;
	ag_str expected;
	double tolerance; /* 0 = exact */
} checker;

/* --- values --- */

static ag_str text_of(const ag_val *v, ag_arena *arena)
{
	return v->type == AG_T_STRING ? ag_val_text(v)
	                              : ag_extjson_str(arena, v, AG_EXTJSON_RELAXED);
}

static bool number_of(const ag_val *v, double *ret)
{
	if (ag_type_is_number(v->type)) {
		*ret = ag_val_number(v);
		return true;
	}
	return v->type == AG_T_STRING && ag_str_to_double(ag_str_trim(ag_val_text(v)), ret);
}

static bool same_number(double a, double b, double tolerance)
{
	const double scale = fabs(a) > fabs(b) ? fabs(a) : fabs(b);

	/* 1e-9: sums of a database and of its copy differ in the last digits. */
	return fabs(a - b) <= (tolerance > 1e-9 ? tolerance : 1e-9) * scale;
}

static bool same(const checker *c, const ag_val *want, const ag_val *got)
{
	double a, b;

	if (number_of(want, &a) && number_of(got, &b))
		return same_number(a, b, c->tolerance);
	return ag_str_eq(ag_str_trim(text_of(want, c->arena)), ag_str_trim(text_of(got, c->arena)));
}

static bool same_row(const checker *c, const ag_val *want, const ag_val *got)
{
	if (want->type != AG_T_ARRAY || got->type != AG_T_ARRAY || want->n != got->n)
		return false;
	for (uint32_t i = 0; i < want->n; i++) {
		if (!same(c, &want->u.items[i], &got->u.items[i]))
			return false;
	}
	return true;
}

/* --- results --- */

/* Each row has its own in the other list. */
static bool same_rows(const checker *c, const ag_val *want, const ag_analyst_result *r)
{
	bool *taken = ag_new_n(c->arena, bool, r->rows->n + 1);

	if (r->is_cut || want->n != r->rows->n)
		return false;
	for (uint32_t i = 0; i < want->n; i++) {
		uint32_t k = 0;

		while (k < r->rows->n &&
		       (taken[k] || !same_row(c, &want->u.items[i], &r->rows->u.items[k])))
			k++;
		if (k == r->rows->n)
			return false;
		taken[k] = true;
	}
	return true;
}

static bool has_value(const checker *c, const ag_val *want, const ag_analyst_result *r)
{
	const ag_val *row = r->rows->n == 1 ? &r->rows->u.items[0] : NULL;

	for (uint32_t i = 0; row && row->type == AG_T_ARRAY && i < row->n; i++) {
		if (same(c, want, &row->u.items[i]))
			return true;
	}
	return false;
}

static bool is_expected(const checker *c, const ag_analyst_result *r)
{
	const ag_extjson_opts opts = { .max_depth = 8 };
	ag_val want;

	if (ag_extjson_parse(c->expected, &opts, c->arena, &want, NULL, NULL, NULL))
		want = ag_val_str(c->expected);
	if (want.type == AG_T_ARRAY)
		return same_rows(c, &want, r);
	return has_value(c, &want, r);
}

static bool has_row_count(const checker *c, const ag_analyst_result *r)
{
	uint64_t want;

	return ag_str_to_u64(ag_str_trim(c->expected), &want) && !r->is_cut && r->row_count == want;
}

/* A JSON array of texts, or names with commas between them. */
static size_t texts_of(const checker *c, ag_str **ret)
{
	const ag_extjson_opts opts = { .max_depth = 4 };
	ag_str rest = c->expected, *list;
	size_t n = 0;
	ag_val v;

	if (!ag_extjson_parse(c->expected, &opts, c->arena, &v, NULL, NULL, NULL) &&
	    v.type == AG_T_ARRAY) {
		list = ag_new_n(c->arena, ag_str, v.n + 1);
		for (uint32_t i = 0; i < v.n; i++)
			list[n++] = text_of(&v.u.items[i], c->arena);
		*ret = list;
		return n;
	}
	list = ag_new_n(c->arena, ag_str, c->expected.len + 1);
	while (rest.len) {
		const ag_str one = ag_str_trim(ag_str_split(&rest, ','));

		if (one.len)
			list[n++] = one;
	}
	*ret = list;
	return n;
}

static bool has_columns(const checker *c, const ag_analyst_result *r)
{
	ag_str *want;
	const size_t n = texts_of(c, &want);

	for (size_t i = 0; i < n; i++) {
		uint32_t k = 0;

		while (k < r->columns->n &&
		       (r->columns->u.items[k].type != AG_T_STRING ||
		        !ag_str_ieq(ag_val_text(&r->columns->u.items[k]), want[i])))
			k++;
		if (k == r->columns->n)
			return false;
	}
	return n > 0;
}

/* --- words --- */

static ag_str lower(ag_str s, ag_arena *arena)
{
	char *p = ag_str_cstr(arena, s);

	ag_utf8_lower(p, s.len);
	return ag_str_make(p, s.len);
}

static bool is_in_cells(const checker *c, ag_str low)
{
	for (size_t i = 0; i < c->s->nquery; i++) {
		const ag_analyst_result *r = &c->s->queries[i].result;

		for (uint32_t k = 0; ag_analyst_is_table(r) && k < r->rows->n; k++) {
			const ag_val *row = &r->rows->u.items[k];

			for (uint32_t j = 0; row->type == AG_T_ARRAY && j < row->n; j++) {
				if (ag_str_contains(lower(text_of(&row->u.items[j], c->arena),
				                          c->arena),
				                    low))
					return true;
			}
		}
	}
	return false;
}

static ag_str missing_text(const checker *c)
{
	const ag_extjson_opts opts = { .max_depth = 4 };
	const ag_str answer = lower(c->s->final, c->arena);
	ag_str one = c->expected, *list = &one;
	size_t n = 1;
	ag_val v;

	if (!ag_extjson_parse(c->expected, &opts, c->arena, &v, NULL, NULL, NULL) &&
	    v.type == AG_T_ARRAY)
		n = texts_of(c, &list);
	for (size_t i = 0; i < n; i++) {
		const ag_str low = lower(list[i], c->arena);

		if (!ag_str_contains(answer, low) && !is_in_cells(c, low))
			return list[i];
	}
	return AG_S("");
}

/* --- the modes --- */

/* "the last result is [[1,2]]", what was given instead. */
static ag_str given(const checker *c)
{
	const ag_analyst_result *last = NULL;
	ag_str rows;

	for (size_t i = 0; i < c->s->nquery; i++) {
		if (ag_analyst_is_table(&c->s->queries[i].result))
			last = &c->s->queries[i].result;
	}
	if (!last)
		return AG_S("no statement gave a result");
	rows = ag_extjson_str(c->arena, last->rows, AG_EXTJSON_RELAXED);
	return ag_str_printf(c->arena, "the last result has %llu row%s: %.*s%s",
	                     (unsigned long long)last->row_count, last->row_count == 1 ? "" : "s",
	                     AG_FMT(ag_utf8_prefix(rows, SHOWN)),
	                     ag_utf8_count(rows) > SHOWN ? "…" : "");
}

static const struct {
	const char *name;
	bool (*is_right)(const checker *c, const ag_analyst_result *r); /* NULL: by words */
} golden_modes[] = {
	{ "exact", is_expected }, { "approximate", is_expected }, { "row_count", has_row_count },
	{ "contains", NULL },     { "structure", has_columns },
};

static size_t mode_of(ag_str name)
{
	size_t i = 0;

	while (i < AG_NELEM(golden_modes) && !ag_str_eqc(name, golden_modes[i].name))
		i++;
	return i;
}

void ag_golden_check(const ag_know *golden, const ag_analyst_state *s, ag_arena *arena,
                     ag_str *ret_why)
{
	const ag_str mode = ag_know_text(golden, "mode");
	const size_t at = mode_of(mode);
	checker c = { .s = s, .arena = arena, .expected = ag_know_text(golden, "expected") };

	if (ag_str_eqc(mode, "approximate"))
		c.tolerance = ag_val_getc(&golden->body, "tolerance")
		                      ? ag_val_member_num(&golden->body, "tolerance")
		                      : AG_GOLDEN_TOLERANCE;
	*ret_why = AG_S("");
	if (!s->has_final || !s->final.len) {
		*ret_why = AG_S("there is no answer");
	} else if (at == AG_NELEM(golden_modes)) {
		*ret_why = AG_S("its mode is not known");
	} else if (!golden_modes[at].is_right) {
		const ag_str text = missing_text(&c);

		if (text.len)
			*ret_why = ag_str_printf(arena,
			                         "neither the answer nor a result has \"%.*s\"",
			                         AG_FMT(ag_utf8_prefix(text, SHOWN)));
	} else {
		for (size_t i = 0; i < s->nquery; i++) {
			const ag_analyst_result *r = &s->queries[i].result;

			if (ag_analyst_is_table(r) && golden_modes[at].is_right(&c, r))
				return;
		}
		*ret_why = given(&c);
	}
}

/* --- of a turn --- */

static const ag_analyst_query *last_table(const ag_analyst_state *s)
{
	for (size_t i = s->nquery; i-- > 0;) {
		if (ag_analyst_is_table(&s->queries[i].result))
			return &s->queries[i];
	}
	return NULL;
}

static ag_str expected_of(const ag_analyst_state *s, const ag_analyst_result *r, ag_str mode,
                          ag_arena *arena)
{
	if (ag_str_eqc(mode, "row_count"))
		return ag_str_printf(arena, "%llu", (unsigned long long)r->row_count);
	if (ag_str_eqc(mode, "structure"))
		return ag_extjson_str(arena, r->columns, AG_EXTJSON_RELAXED);
	if (ag_str_eqc(mode, "contains"))
		return s->final;
	return ag_extjson_str(arena, r->rows, AG_EXTJSON_RELAXED);
}

ag_status ag_golden_of_turn(const ag_analyst_state *s, ag_str mode, ag_arena *arena, ag_know *ret,
                            ag_err *err)
{
	const ag_analyst_query *q = last_table(s);
	ag_member m[3];
	ag_val fields;

	if (!s->has_final || !s->final.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "the turn has no answer");
	if (!q)
		return ag_fail(err, AG_INVALID, ORIGIN, "no statement of the turn gave a result");
	if (!mode.len)
		mode = !q->result.is_cut && q->result.rows->n <= AG_GOLDEN_MAX_ROWS
		               ? AG_S("exact")
		               : AG_S("row_count");
	if (q->result.is_cut && !ag_str_eqc(mode, "structure") && !ag_str_eqc(mode, "contains")) {
		ag_fail(err, AG_INVALID, ORIGIN, "the result was cut: it cannot be expected");
		ag_err_hint(err, "use the mode structure or contains, or ask for less");
		return AG_INVALID;
	}
	m[0] = (ag_member){ AG_S("mode"), ag_val_str(mode) };
	m[1] = (ag_member){ AG_S("expected"), ag_val_str(expected_of(s, &q->result, mode, arena)) };
	m[2] = (ag_member){ AG_S("sql"), q->sql.len ? ag_val_str(q->sql) : ag_val_null() };
	fields = ag_val_object(m, 3);
	return ag_know_make(AG_KNOW_GOLDEN, s->question, &fields, arena, ret, err);
}
