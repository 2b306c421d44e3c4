/* sql_plan -- walks the tree of a plan once. Numbers are the planner's estimates: a first line, not a proof. */
#include "sql/sql_plan.h"

#include <math.h>

#include "query/extjson.h"

#define MAX_LEVELS 500u

typedef struct reading {
	const ag_sql_verdict *v;
	double most_rows, most_bytes;
} reading;

static double number_of(const ag_val *object, const char *key)
{
	const ag_val *n = ag_val_getc(object, key);

	double d;

	if (!n)
		return 0;
	/* A product of tables can have more rows than 64 bits count: a Decimal128. */
	d = ag_val_number(n);
	return isnan(d) ? INFINITY : d;
}

/* Of the rows that are collected. Constants have no width in the plan. */
static double bytes_of_rows(const reading *r, const ag_val *node)
{
	const double width = number_of(node, "Plan Width");

	return number_of(node, "Plan Rows") * (width > 0 ? width : fmax(1, r->v->collected_bytes));
}

static bool is_type(const ag_val *node, const char *type)
{
	return ag_str_eqc(ag_val_member_str(node, "Node Type"), type);
}

static void read_node(reading *r, const ag_val *node, unsigned level)
{
	const ag_val *plans = ag_val_getc(node, "Plans");
	const double rows = number_of(node, "Plan Rows");
	double bytes = 0;

	if (rows > r->most_rows)
		r->most_rows = rows;
	if (ag_val_member_str(node, "Subplan Name").len) /* ARRAY(SELECT ...) collects it */
		bytes = bytes_of_rows(r, node);
	if (plans && plans->type == AG_T_ARRAY && plans->n > 0 &&
	    (is_type(node, "Aggregate") || is_type(node, "WindowAgg"))) {
		const double all = bytes_of_rows(r, &plans->u.items[0]);

		/* One value for each group; a window's value may be made of all rows. */
		bytes = is_type(node, "Aggregate") && rows > 1 ? all / rows : all;
	}
	if (bytes > r->most_bytes)
		r->most_bytes = bytes;
	for (size_t i = 0; plans && plans->type == AG_T_ARRAY && i < plans->n && level < MAX_LEVELS;
	     i++)
		read_node(r, &plans->u.items[i], level + 1);
}

static bool refuse(ag_sql_failure *ret, ag_sql_code code, ag_str message, const char *hint)
{
	*ret = (ag_sql_failure){ .code = code,
		                 .class_name = "resource",
		                 .message = message,
		                 .detail = AG_S(""),
		                 .hint = ag_str_c(hint) };
	return false;
}

static bool check_values(const reading *r, ag_arena *arena, ag_sql_failure *ret)
{
	if (r->v->max_plan_rows && r->most_rows > (double)r->v->max_plan_rows)
		return refuse(
			ret, AG_SQLCODE_TOO_COSTLY,
			ag_str_printf(
				arena,
				"huge_value: a count of rows decides how large a value becomes, "
				"and the database estimates %.0f rows; at most %llu are allowed",
				r->most_rows, (unsigned long long)r->v->max_plan_rows),
			"bound the count, as in repeat('x', least(n, 100)::int)");
	if (r->v->collects && r->most_bytes > (double)AG_SQL_COLLECTED_BYTES)
		return refuse(
			ret, AG_SQLCODE_TOO_COSTLY,
			ag_str_printf(
				arena,
				"huge_value: the database estimates that one value collects %.0f "
				"bytes of rows; at most %u are allowed",
				r->most_bytes, AG_SQL_COLLECTED_BYTES),
			"filter or group more before array_agg, string_agg and their like, or collect "
			"a sub-select with LIMIT");
	return true;
}

bool ag_sql_plan_check(ag_str rows, double max_cost, const ag_sql_verdict *v, ag_arena *arena,
                       ag_sql_failure *ret)
{
	const ag_extjson_opts opts = { 0 };
	const ag_val *plan = NULL;
	reading r = { .v = v };
	double cost;
	ag_val all;

	if (!ag_extjson_parse(ag_str_dup(arena, rows), &opts, arena, &all, NULL, NULL, NULL)) {
		plan = &all;
		for (unsigned i = 0; i < 3 && plan; i++) /* rows, cells, plans */
			plan = plan->type == AG_T_ARRAY && plan->n > 0 ? &plan->u.items[0] : NULL;
		plan = plan && plan->type == AG_T_OBJECT ? ag_val_getc(plan, "Plan") : NULL;
	}
	if (!plan)
		return !ag_sql_plan_is_needed(v) ||
		       refuse(ret, AG_SQLCODE_TOO_COSTLY,
		              AG_S("the plan cannot be read, so nothing bounds the size of a value"),
		              "bound the count, as in repeat('x', least(n, 100)::int)");
	cost = number_of(plan, "Total Cost");
	if (max_cost > 0 && cost > max_cost)
		return refuse(
			ret, AG_SQLCODE_TOO_COSTLY,
			ag_str_printf(
				arena,
				"the database estimates the cost of this statement at %.0f; at most %.0f is "
				"allowed",
				cost, max_cost),
			"filter more, on columns with an index, or ask for less at once; "
			"explain_query shows the plan");
	read_node(&r, plan, 0);
	return check_values(&r, arena, ret);
}
