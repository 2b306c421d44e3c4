/* sql_huge -- refuses what may build a huge value (see the header); sql_size.c computes the bounds.
 *
 * A builder (repeat, lpad ...) whose bound is above AG_SQL_HUGE_BYTES, or that has none, is refused. Where a count of rows
 * decides, the largest of a few numbers of rows under which the value is small enough becomes the verdict's max_plan_rows. */
#include "guard/sql_huge.h"

#include <math.h>

#include "guard/sql_size.h"

#define COLUMN_BYTES 1000.0 /* a longer text in a column is possible, and rare */
/* A smaller value passes from one builder to the next as a column's would: lists of concatenated columns are honest. */
#define CARRIED_BYTES (16 * COLUMN_BYTES)
/* Bytes that nested SELECTs may make of one byte of a column: each of them may double what it reads. */
#define MAX_GROWTH 256.0
/* Rows of generate_series() that an aggregate may collect. */
#define MAX_SERIES_ROWS 1e6

#define IS_ONE_OF AG_SQL_IS_ONE_OF

/* --- the checks --- */

static bool refuse_bytes(ag_sql_walk *w, ag_str name, double bytes, bool is_unknown)
{
	if (is_unknown || isinf(bytes))
		ag_sql_refuse(w->v, w->arena, AG_SQLRULE_HUGE,
		              "%.*s is not allowed here: nothing bounds the size of its value",
		              AG_FMT(name));
	else
		ag_sql_refuse(w->v, w->arena, AG_SQLRULE_HUGE,
		              "%.*s is not allowed here: its value may have %.0f bytes",
		              AG_FMT(name), bytes);
	return ag_sql_refuse_hint(
		w->v, w->arena,
		"a statement may build values of up to %u bytes; bound a count by a "
		"constant, as in repeat('x', least(n, 100)::int)",
		AG_SQL_HUGE_BYTES);
}

/* Does this SELECT read the recursive query that it belongs to, or any other that may be recursive? */
static bool is_in_recursion(const ag_sql_walk *w)
{
	const ag_sql_range *r = w->scope ? w->scope->ranges : NULL;

	for (; r; r = r->next) {
		if (r->cte && r->cte->ctequery &&
		    r->cte->ctequery->node_case == PG_QUERY__NODE__NODE_SELECT_STMT &&
		    r->cte->ctequery->select_stmt->op == PG_QUERY__SET_OPERATION__SETOP_UNION)
			return true;
	}
	return false;
}

static ag_sql_sizing sizing_of(const ag_sql_walk *w, double rows, double column)
{
	return (ag_sql_sizing){ .w = w, .scope = w->scope, .rows = rows, .column = column };
}

static void limit_rows(ag_sql_walk *w, double rows)
{
	if (!w->v->max_plan_rows || rows < (double)w->v->max_plan_rows)
		w->v->max_plan_rows = rows < 1 ? 1 : (uint64_t)rows;
}

/* The planner knows the width of columns, not of built values. */
static void note_collected(ag_sql_walk *w, const PgQuery__FuncCall *f)
{
	ag_sql_sizing z = sizing_of(w, 1, 0);
	double bytes = 0;

	w->v->collects = true;
	for (size_t i = 0; i < f->n_args; i++)
		bytes += ag_sql_bytes_of(&z, f->args[i]);
	if (bytes > w->v->collected_bytes)
		w->v->collected_bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
	if (bytes > COLUMN_BYTES)
		limit_rows(w, AG_SQL_COLLECTED_BYTES / bytes);
}

/* Remembered for ag_sql_huge_end(). */
static void note_builder(ag_sql_walk *w, double bytes, double slope, int32_t at)
{
	ag_sql_huge *h = &w->huge;

	if (bytes >= h->largest) {
		h->second = h->largest;
		h->largest = bytes;
	} else if (bytes > h->second) {
		h->second = bytes;
	}
	if (slope > h->slope) {
		h->slope = slope;
		h->slope_at = at;
	}
}

/* How often the value holds one column, whatever that stands for. e or f. */
static void note_growth(ag_sql_walk *w, const PgQuery__FuncCall *f, const PgQuery__AExpr *e,
                        double rows)
{
	const ag_sql_sizing as_is = { .w = w, .rows = rows, .column = COLUMN_BYTES };
	ag_sql_sizing z = as_is;
	const double bytes = f ? ag_sql_bytes_of_call(&z, f) : ag_sql_bytes_of_expr(&z, e);

	for (unsigned i = 0; i < AG_SQL_SIZE_BUCKETS; i++) {
		double growth;

		z = as_is;
		z.has_grown = true;
		z.bucket = i;
		growth = ((f ? ag_sql_bytes_of_call(&z, f) : ag_sql_bytes_of_expr(&z, e)) - bytes) /
		         COLUMN_BYTES;
		if (growth > w->scope->growth)
			w->scope->growth = growth;
	}
}

/* is_large: it can make much of little by itself. */
static bool check_builder(ag_sql_walk *w, const PgQuery__FuncCall *f, ag_str name, bool is_large)
{
	static const double rows[] = { 1e7, 1e6, 1e5, 1e4, 1e3 };
	ag_sql_sizing z = sizing_of(w, 0, COLUMN_BYTES), larger;
	double bytes = 0, slope;

	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		z = sizing_of(w, rows[i], COLUMN_BYTES);
		bytes = ag_sql_bytes_of_call(&z, f);
		if (!z.is_unknown && bytes <= AG_SQL_HUGE_BYTES)
			break;
		if (!z.has_used_rows || i + 1 == AG_NELEM(rows))
			return refuse_bytes(w, name, bytes, z.is_unknown);
	}
	if (z.has_used_rows)
		limit_rows(w, z.rows);
	note_growth(w, f, NULL, z.rows);
	larger = sizing_of(w, z.rows, 2 * COLUMN_BYTES);
	slope = (ag_sql_bytes_of_call(&larger, f) - bytes) / COLUMN_BYTES;
	if (slope > 1 && is_in_recursion(w)) {
		ag_sql_refuse(w->v, w->arena, AG_SQLRULE_HUGE,
		              "%.*s is not allowed here: with each step of the recursion its value "
		              "could grow %.1f times",
		              AG_FMT(name), slope);
		return ag_sql_refuse_hint(w->v, w->arena, "call it outside the recursive query");
	}
	if (is_large)
		note_builder(w, bytes, slope, f->location);
	return true;
}

/* Is the number of rows of a series bounded? Dates by their unit: days over centuries are few. */
static bool is_short_series(ag_sql_walk *w, const PgQuery__FuncCall *f)
{
	ag_sql_sizing z = sizing_of(w, MAX_SERIES_ROWS, COLUMN_BYTES);
	ag_str step = AG_S(""), end;
	ag_sql_number of, by = { 1, 1 };

	if (f->n_args < 2)
		return true;
	if (f->n_args > 2 && ag_sql_constant_text(f->args[2], &step) && step.len) {
		static const char *const fine[] = {
			"sec", "min", "milli", "micro", ":", "-", "s'"
		};

		for (size_t i = 0; i < AG_NELEM(fine); i++) {
			if (ag_str_contains(step, ag_str_c(fine[i])))
				return false;
		}
		for (size_t i = 0; i < 2; i++) {
			double year;

			/* "1900-01-01" to "2199-12-31", or no constant */
			if (ag_sql_constant_text(f->args[i], &end) &&
			    (end.len < 8 || end.ptr[4] != '-' || ag_str_contains(end, AG_S("BC")) ||
			     !ag_str_to_double(ag_str_make(end.ptr, 4), &year) || year < 1900 ||
			     year > 2199))
				return false;
		}
		return true;
	}
	of = ag_sql_series_of(&z, f);
	if (f->n_args > 2)
		by = ag_sql_number_of(&z, f->args[2]);
	if (f->n_args == 3 && isinf(by.high)) /* dates, and a step that is no constant */
		return false;
	return (of.high - of.low) / fmax(1e-9, fmin(fabs(by.low), fabs(by.high))) <=
	       MAX_SERIES_ROWS;
}

bool ag_sql_huge_call(ag_sql_walk *w, const PgQuery__FuncCall *f, ag_str name)
{
	if (IS_ONE_OF(name, "repeat", "lpad", "rpad", "array_fill", "format", "replace",
	              "regexp_replace", "array_replace", "array_to_string", "concat_ws", "to_char",
	              "concat", "overlay"))
		return check_builder(w, f, name, true);
	if (IS_ONE_OF(name, "array_append", "array_cat", "array_prepend", "encode", "jsonb_pretty",
	              "quote_ident", "quote_literal", "quote_nullable", "to_json", "to_jsonb",
	              "ts_headline", "json_build_array", "jsonb_build_array", "json_build_object",
	              "jsonb_build_object"))
		return check_builder(w, f, name, false);
	if (IS_ONE_OF(name, "array_agg", "string_agg", "json_agg", "jsonb_agg", "json_object_agg",
	              "jsonb_object_agg", "xmlagg", "range_agg")) {
		note_collected(w, f);
	} else if (ag_str_eqc(name, "generate_series") && !is_short_series(w, f)) {
		w->huge.has_long_series = true;
		w->huge.series_at = f->location;
	}
	return true;
}

/* char(n) and bit(n) fill up to n. */
bool ag_sql_huge_type(ag_sql_walk *w, const PgQuery__TypeName *t, ag_str name)
{
	ag_sql_sizing z = sizing_of(w, 1, COLUMN_BYTES);

	if (!t->n_typmods || !IS_ONE_OF(name, "bpchar", "bit"))
		return true;
	if (ag_sql_number_of(&z, t->typmods[0]).high <= AG_SQL_HUGE_BYTES)
		return true;
	return refuse_bytes(w, name, ag_sql_number_of(&z, t->typmods[0]).high, false);
}

bool ag_sql_huge_sublink(ag_sql_walk *w, const PgQuery__SubLink *s)
{
	if (s->sub_link_type == PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK)
		w->v->collects = true;
	return true;
}

/* Columns in the chain a || b || c. */
static size_t chain_columns(const PgQuery__Node *n, ag_str *names, size_t cap, unsigned level)
{
	size_t k = 0;

	if (!n || !cap || level > AG_SQL_SIZE_LEVELS)
		return 0;
	if (n->node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
		return chain_columns(n->type_cast->arg, names, cap, level + 1);
	if (n->node_case == PG_QUERY__NODE__NODE_COLUMN_REF && n->column_ref->n_fields) {
		names[0] = ag_sql_node_text(n->column_ref->fields[n->column_ref->n_fields - 1]);
		return names[0].len > 0;
	}
	if (n->node_case == PG_QUERY__NODE__NODE_FUNC_CALL && n->func_call->n_args)
		return chain_columns(n->func_call->args[0], names, cap, level + 1);
	if (n->node_case != PG_QUERY__NODE__NODE_A_EXPR)
		return 0;
	k = chain_columns(n->a_expr->lexpr, names, cap, level + 1);
	return k + chain_columns(n->a_expr->rexpr, names + k, cap - k, level + 1);
}

/* The text of an array or a row escapes what is inside, so each cast inside another doubles it. */
bool ag_sql_huge_cast(ag_sql_walk *w, const PgQuery__TypeCast *c)
{
	ag_sql_sizing z = sizing_of(w, 0, COLUMN_BYTES);
	double bytes;

	if (!c->arg || (c->arg->node_case != PG_QUERY__NODE__NODE_A_ARRAY_EXPR &&
	                c->arg->node_case != PG_QUERY__NODE__NODE_ROW_EXPR))
		return true;
	bytes = ag_sql_bytes_of_cast(&z, c);
	return bytes <= AG_SQL_HUGE_BYTES || refuse_bytes(w, AG_S("A cast"), bytes, z.is_unknown);
}

/* a || b || c is one value: looked at from its top. */
static bool check_chain(ag_sql_walk *w, const PgQuery__AExpr *e)
{
	const bool is_top = e != w->huge.inside;
	ag_sql_sizing z = sizing_of(w, 0, COLUMN_BYTES);
	double bytes;

	w->huge.inside = e->lexpr && e->lexpr->node_case == PG_QUERY__NODE__NODE_A_EXPR
	                         ? e->lexpr->a_expr
	                         : NULL;
	if (!is_top)
		return true;
	bytes = ag_sql_bytes_of_expr(&z, e);
	note_growth(w, NULL, e, 0);
	return bytes <= AG_SQL_HUGE_BYTES || z.has_used_rows ||
	       refuse_bytes(w, AG_S("||"), bytes, z.is_unknown);
}

/* s || s in a recursive query doubles s with each step. */
bool ag_sql_huge_expr(ag_sql_walk *w, const PgQuery__AExpr *e)
{
	ag_str names[16];
	size_t n;

	if (e->kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP || !e->n_name ||
	    !ag_str_eqc(ag_sql_node_text(e->name[e->n_name - 1]), "||"))
		return true;
	if (!check_chain(w, e))
		return false;
	if (!is_in_recursion(w))
		return true;
	n = chain_columns(e->lexpr, names, AG_NELEM(names), 0);
	n += chain_columns(e->rexpr, names + n, AG_NELEM(names) - n, 0);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = i + 1; j < n; j++) {
			if (!ag_str_eq(names[i], names[j]))
				continue;
			ag_sql_refuse(w->v, w->arena, AG_SQLRULE_HUGE,
			              "The recursion doubles the value of \"%.*s\" with each step",
			              AG_FMT(names[i]));
			return ag_sql_refuse_hint(w->v, w->arena, "append only what the step adds");
		}
	}
	return true;
}

/* --- SELECTs inside of SELECTs --- */

static double at_least_one(double d)
{
	return d > 1 ? d : 1;
}

/* The SELECT has been walked: what it makes of a column may be a column of the one around it, or of one that reads its CTE. */
void ag_sql_huge_select(ag_sql_walk *w, const PgQuery__SelectStmt *s)
{
	ag_sql_scope *scope = w->scope;
	const double growth = at_least_one(scope->growth) * at_least_one(scope->growth_below);
	ag_sql_growth *g = ag_new(w->scratch, ag_sql_growth);

	*g = (ag_sql_growth){ .select = s, .growth = growth, .next = w->huge.selects };
	w->huge.selects = g;
	if (growth > w->huge.growth)
		w->huge.growth = growth;
	if (scope->growth > w->huge.growth_of_one)
		w->huge.growth_of_one = scope->growth;
	if (scope->outer && growth > scope->outer->growth_below)
		scope->outer->growth_below = growth;
}

/* The SELECT at hand reads a CTE. */
void ag_sql_huge_cte(ag_sql_walk *w, const PgQuery__CommonTableExpr *cte)
{
	for (const ag_sql_growth *g = w->huge.selects; g; g = g->next) {
		if (!cte->ctequery || g->select != cte->ctequery->select_stmt)
			continue;
		if (g->growth > w->scope->growth_below)
			w->scope->growth_below = g->growth;
	}
}

static bool refuse_growth(ag_sql_walk *w)
{
	ag_sql_refuse(
		w->v, w->arena, AG_SQLRULE_HUGE,
		"SELECTs inside of each other could make %.0f bytes of each byte of a column; at "
		"most %.0f are allowed",
		w->huge.growth, MAX_GROWTH);
	return ag_sql_refuse_hint(w->v, w->arena,
	                          "build a value in one SELECT, and repeat no column in the next");
}

bool ag_sql_huge_end(ag_sql_walk *w)
{
	const ag_sql_huge *h = &w->huge;

	if (h->has_long_series && (w->v->collects || w->v->max_plan_rows)) {
		ag_sql_walk_at(w, h->series_at);
		ag_sql_refuse(
			w->v, w->arena, AG_SQLRULE_HUGE,
			"generate_series() is not allowed beside an aggregate that collects or "
			"counts its rows: nothing bounds their number");
		return ag_sql_refuse_hint(
			w->v, w->arena,
			"give it constant ends or least(n, 1000), at most %.0f rows; "
			"dates in steps of hours or more",
			MAX_SERIES_ROWS);
	}
	if (h->growth > MAX_GROWTH)
		return refuse_growth(w);
	if (h->growth > at_least_one(h->growth_of_one) && h->largest > CARRIED_BYTES &&
	    h->growth * h->largest > AG_SQL_HUGE_BYTES)
		return refuse_bytes(w, AG_S("A value built of built values"),
		                    h->growth * h->largest, false);
	/* One builder's value may be the column that another one takes. */
	if (h->second > 0 && h->largest > CARRIED_BYTES &&
	    h->slope * h->largest > AG_SQL_HUGE_BYTES && h->slope > 1) {
		ag_sql_walk_at(w, h->slope_at);
		return refuse_bytes(w, AG_S("A value built of built values"), h->slope * h->largest,
		                    false);
	}
	return true;
}
