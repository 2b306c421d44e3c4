/* types -- one table about BSON's types: code, alias, order, name in the seeds.
 *
 * Everything that depends only on a value's type is a lookup here. Order groups follow the MongoDB
 * manual, "Comparison/Sort Order": types of one group compare by value with each other. */
#include "query/value.h"

typedef struct type_row {
	const char *alias;
	const char *seed_name;
	int bson;
	int order;
} type_row;

static const type_row types[AG_NTYPE] = {
	[AG_T_MISSING] = { "missing", "missing", 0, 1 },
	[AG_T_DOUBLE] = { "double", "float", 1, 3 },
	[AG_T_STRING] = { "string", "str", 2, 4 },
	[AG_T_OBJECT] = { "object", "object", 3, 5 },
	[AG_T_ARRAY] = { "array", "array", 4, 6 },
	[AG_T_BINARY] = { "binData", "Binary", 5, 7 },
	[AG_T_UNDEFINED] = { "undefined", "undefined", 6, 1 },
	[AG_T_OID] = { "objectId", "ObjectId", 7, 8 },
	[AG_T_BOOL] = { "bool", "bool", 8, 9 },
	[AG_T_DATE] = { "date", "datetime", 9, 10 },
	[AG_T_NULL] = { "null", "null", 10, 2 },
	[AG_T_REGEX] = { "regex", "Regex", 11, 12 },
	[AG_T_DBPOINTER] = { "dbPointer", "DBRef", 12, 13 },
	[AG_T_CODE] = { "javascript", "Code", 13, 14 },
	[AG_T_SYMBOL] = { "symbol", "str", 14, 4 },
	[AG_T_CODE_W_SCOPE] = { "javascriptWithScope", "Code", 15, 15 },
	[AG_T_INT32] = { "int", "int", 16, 3 },
	[AG_T_TIMESTAMP] = { "timestamp", "Timestamp", 17, 11 },
	[AG_T_INT64] = { "long", "int", 18, 3 },
	[AG_T_DECIMAL] = { "decimal", "Decimal128", 19, 3 },
	[AG_T_MINKEY] = { "minKey", "MinKey", -1, 0 },
	[AG_T_MAXKEY] = { "maxKey", "MaxKey", 127, 16 },
};

static const type_row *row_of(unsigned type)
{
	AG_ASSERT(type < AG_NTYPE);
	return &types[type];
}

int ag_type_order(unsigned type)
{
	return row_of(type)->order;
}

const char *ag_type_alias(unsigned type)
{
	return row_of(type)->alias;
}

const char *ag_type_seed_name(unsigned type)
{
	return row_of(type)->seed_name;
}

int ag_type_to_bson(unsigned type)
{
	return row_of(type)->bson;
}

bool ag_type_from_alias(ag_str alias, ag_type *ret)
{
	for (unsigned t = 1; t < AG_NTYPE; t++) {
		if (ag_str_eqc(alias, types[t].alias)) {
			*ret = (ag_type)t;
			return true;
		}
	}
	return false;
}

bool ag_type_from_bson(int64_t code, ag_type *ret)
{
	for (unsigned t = 1; t < AG_NTYPE; t++) {
		if (types[t].bson == code) {
			*ret = (ag_type)t;
			return true;
		}
	}
	return false;
}
