/* filter_ops -- the table of filter operators, and how unknown ones are refused.
 *
 * A row names the operator, where it may stand and who parses its value. The nearest known name for a
 * misspelt operator is looked up among the operators that are allowed in that place. */
#include "query/filter_internal.h"

#define NO_CODE "it runs code on the server"

static const ag_filter_op_row ag_filter_ops[] = {
	{ "$eq", AG_FP_FIELD, AG_F_EQ, ag_filter_parse_cmp, NULL },
	{ "$gt", AG_FP_FIELD, AG_F_GT, ag_filter_parse_cmp, NULL },
	{ "$gte", AG_FP_FIELD, AG_F_GTE, ag_filter_parse_cmp, NULL },
	{ "$lt", AG_FP_FIELD, AG_F_LT, ag_filter_parse_cmp, NULL },
	{ "$lte", AG_FP_FIELD, AG_F_LTE, ag_filter_parse_cmp, NULL },
	{ "$ne", AG_FP_FIELD, AG_F_NOT, ag_filter_parse_ne, NULL },
	{ "$in", AG_FP_FIELD, AG_F_IN, ag_filter_parse_in, NULL },
	{ "$nin", AG_FP_FIELD, AG_F_NOT, ag_filter_parse_nin, NULL },
	{ "$exists", AG_FP_FIELD, AG_F_EXISTS, ag_filter_parse_exists, NULL },
	{ "$type", AG_FP_FIELD, AG_F_TYPE, ag_filter_parse_type, NULL },
	{ "$regex", AG_FP_FIELD, AG_F_REGEX, ag_filter_parse_regex, NULL },
	{ "$options", AG_FP_FIELD, AG_F_TRUE, ag_filter_parse_options, NULL },
	{ "$size", AG_FP_FIELD, AG_F_SIZE, ag_filter_parse_size, NULL },
	{ "$all", AG_FP_FIELD, AG_F_ALL, ag_filter_parse_all, NULL },
	{ "$elemMatch", AG_FP_FIELD, AG_F_ELEM_OBJ, ag_filter_parse_elem, NULL },
	{ "$mod", AG_FP_FIELD, AG_F_MOD, ag_filter_parse_mod, NULL },
	{ "$not", AG_FP_FIELD, AG_F_NOT, ag_filter_parse_not, NULL },
	{ "$and", AG_FP_TOP, AG_F_AND, ag_filter_parse_bool, NULL },
	{ "$or", AG_FP_TOP, AG_F_OR, ag_filter_parse_bool, NULL },
	{ "$nor", AG_FP_TOP, AG_F_NOR, ag_filter_parse_bool, NULL },
	{ "$expr", AG_FP_TOP, AG_F_EXPR, ag_filter_parse_expr, NULL },
	{ "$comment", AG_FP_TOP, AG_F_TRUE, ag_filter_parse_comment, NULL },
	{ "$where", AG_FP_DENIED, AG_F_TRUE, NULL, NO_CODE },
	{ "$function", AG_FP_DENIED, AG_F_TRUE, NULL, NO_CODE },
	{ "$accumulator", AG_FP_DENIED, AG_F_TRUE, NULL, NO_CODE },
	{ "$text", AG_FP_DENIED, AG_F_TRUE, NULL,
	  "it depends on an index that only the server has" },
};

const ag_filter_op_row *ag_filter_op_find(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(ag_filter_ops); i++) {
		if (ag_str_eqc(name, ag_filter_ops[i].name))
			return &ag_filter_ops[i];
	}
	return NULL;
}

ag_status ag_filter_op_refuse(ag_filter_parser *p, ag_str name, ag_filter_place place)
{
	const ag_filter_op_row *row = ag_filter_op_find(name);
	const char *names[AG_NELEM(ag_filter_ops)], *near;
	size_t n = 0;
	ag_status st;

	if (row && row->place == AG_FP_DENIED) {
		st = ag_filter_bad(p, "%s is refused: %s", row->name, row->why);
		if (p->err)
			p->err->status = AG_DENIED;
		return st == AG_INVALID ? AG_DENIED : st;
	}
	if (row && place == AG_FP_TOP) {
		AG_IGNORE(ag_filter_bad(p, "%s needs a field in front of it", row->name), "");
		ag_err_hint(p->err, "write {\"field\": {\"%s\": …}}", row->name);
		return AG_INVALID;
	}
	if (row) {
		AG_IGNORE(ag_filter_bad(p, "%s cannot stand behind a field", row->name), "");
		ag_err_hint(p->err, "put %s at the top level of the filter", row->name);
		return AG_INVALID;
	}
	for (size_t i = 0; i < AG_NELEM(ag_filter_ops); i++) {
		if (ag_filter_ops[i].place == place)
			names[n++] = ag_filter_ops[i].name;
	}
	near = ag_str_nearest(name, names, n);
	if (near) {
		AG_IGNORE(ag_filter_bad(p, "unknown operator \"%.*s\", did you mean \"%s\"?",
		                        (int)(name.len > 60 ? 60 : name.len), name.ptr, near),
		          "returned below");
		ag_err_hint(p->err, "use %s", near);
	} else {
		AG_IGNORE(ag_filter_bad(p, "unknown operator \"%.*s\"",
		                        (int)(name.len > 60 ? 60 : name.len), name.ptr),
		          "returned below");
		ag_err_hint(p->err, "known here: $eq $ne $gt $gte $lt $lte $in $nin $exists $type "
		                    "$regex $size $all $elemMatch $mod $not; on top: $and $or $nor "
		                    "$expr");
	}
	return AG_INVALID;
}
