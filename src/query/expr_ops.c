/* expr_ops -- the table of expression operators.
 *
 * To add one: write its function in the expr_ops_*.c of its kind, declare it in expr_internal.h, add a row
 * here and a line in tests/cases/query/match.cases. */
#include "query/expr_internal.h"

#define EAGER(f) .eager = ag_expr_op_##f
#define LAZY(f)  .lazy = ag_expr_op_##f

static const ag_expr_row rows[] = {
	{ "$add", 0, 0, EAGER(add), .null_stops = true },
	{ "$subtract", 2, 2, EAGER(subtract) },
	{ "$multiply", 0, 0, EAGER(multiply), .null_stops = true },
	{ "$divide", 2, 2, EAGER(divide) },
	{ "$mod", 2, 2, EAGER(mod) },
	{ "$abs", 1, 1, EAGER(abs) },
	{ "$round", 1, 2, EAGER(round), .tag = 'r' },
	{ "$trunc", 1, 2, EAGER(round), .tag = 't' },
	{ "$floor", 1, 1, EAGER(round), .tag = 'f' },
	{ "$ceil", 1, 1, EAGER(round), .tag = 'c' },
	{ "$sqrt", 1, 1, EAGER(math), .tag = 's' },
	{ "$ln", 1, 1, EAGER(math), .tag = 'l' },
	{ "$log10", 1, 1, EAGER(math), .tag = '1' },
	{ "$exp", 1, 1, EAGER(math), .tag = 'e' },
	{ "$eq", 2, 2, EAGER(compare), .tag = '=' },
	{ "$ne", 2, 2, EAGER(compare), .tag = '!' },
	{ "$gt", 2, 2, EAGER(compare), .tag = '>' },
	{ "$gte", 2, 2, EAGER(compare), .tag = 'G' },
	{ "$lt", 2, 2, EAGER(compare), .tag = '<' },
	{ "$lte", 2, 2, EAGER(compare), .tag = 'L' },
	{ "$cmp", 2, 2, EAGER(compare), .tag = 'c' },
	{ "$and", 0, 0, LAZY(and), .tag = '&' },
	{ "$or", 0, 0, LAZY(and), .tag = '|' },
	{ "$not", 1, 1, EAGER(not ) },
	{ "$cond", 3, 3, LAZY(cond), .named = { "if", "then", "else" }, .positional = true },
	{ "$switch", 1, 2, LAZY(switch), .named = { "branches", "default" } },
	{ "$ifNull", 2, 0, LAZY(if_null) },
	{ "$type", 1, 1, EAGER(type) },
	{ "$isNumber", 1, 1, EAGER(is_number) },
	{ "$isArray", 1, 1, EAGER(is_array) },
	{ "$toLower", 1, 1, EAGER(case), .tag = 'l' },
	{ "$toUpper", 1, 1, EAGER(case), .tag = 'u' },
	{ "$concat", 0, 0, EAGER(concat), .null_stops = true },
	{ "$trim", 1, 2, EAGER(trim), .named = { "input", "chars" }, .tag = 'b' },
	{ "$ltrim", 1, 2, EAGER(trim), .named = { "input", "chars" }, .tag = 'l' },
	{ "$rtrim", 1, 2, EAGER(trim), .named = { "input", "chars" }, .tag = 'r' },
	{ "$substrCP", 3, 3, EAGER(substr_cp) },
	{ "$strLenCP", 1, 1, EAGER(str_len), .tag = 'c' },
	{ "$strLenBytes", 1, 1, EAGER(str_len), .tag = 'b' },
	{ "$toString", 1, 1, EAGER(to_string) },
	{ "$regexMatch", 2, 3, EAGER(regex_match), .named = { "input", "regex", "options" } },
	{ "$year", 1, 1, EAGER(date_part), .tag = 'y' },
	{ "$month", 1, 1, EAGER(date_part), .tag = 'm' },
	{ "$dayOfMonth", 1, 1, EAGER(date_part), .tag = 'd' },
	{ "$hour", 1, 1, EAGER(date_part), .tag = 'h' },
	{ "$size", 1, 1, EAGER(size) },
	{ "$arrayElemAt", 2, 2, EAGER(elem_at) },
	{ "$first", 1, 1, EAGER(end), .tag = 'f' },
	{ "$last", 1, 1, EAGER(end), .tag = 'l' },
	{ "$in", 2, 2, EAGER(in) },
	{ "$setUnion", 0, 0, EAGER(set), .tag = '|', .null_stops = true },
	{ "$setIntersection", 0, 0, EAGER(set), .tag = '&', .null_stops = true },
	{ "$setDifference", 2, 2, EAGER(set), .tag = '-' },
	{ "$concatArrays", 0, 0, EAGER(concat_arrays), .null_stops = true },
	{ "$sum", 0, 0, EAGER(fold), .tag = '+' },
	{ "$avg", 0, 0, EAGER(fold), .tag = '/' },
	{ "$min", 0, 0, EAGER(fold), .tag = '<' },
	{ "$max", 0, 0, EAGER(fold), .tag = '>' },
	{ "$map", 2, 3, LAZY(map), .named = { "input", "as", "in" }, .binds = true },
	{ "$filter", 2, 3, LAZY(filter), .named = { "input", "as", "cond" }, .binds = true },
	{ "$reduce", 3, 3, LAZY(reduce), .named = { "input", "initialValue", "in" } },
	{ "$objectToArray", 1, 1, EAGER(object_to_array) },
	{ "$arrayToObject", 1, 1, EAGER(array_to_object) },
	{ "$mergeObjects", 0, 0, EAGER(merge_objects) },
};

const ag_expr_row *ag_expr_find(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		if (ag_str_eqc(name, rows[i].name))
			return &rows[i];
	}
	return NULL;
}

const char *ag_expr_nearest(ag_str name)
{
	const char *names[AG_NELEM(rows)];

	for (size_t i = 0; i < AG_NELEM(rows); i++)
		names[i] = rows[i].name;
	return ag_str_nearest(name, names, AG_NELEM(rows));
}
