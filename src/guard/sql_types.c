/* The types that a query may cast to.
 *
 * Not here: types whose input looks something up in the catalog (regclass, regrole, regtype …), object numbers and their
 * kin (oid, xid, cid, pg_lsn …), pseudo-types and the server's own. regconfig stays: full text search takes its
 * configuration by it. Types of users are judged with the catalog (sql_policy.c). */
#include "guard/sql.h"
#include "guard/sql_functions.h"

static const ag_sql_words types[] = {
	AG_SQL_WORDS(
		"numbers, text, bits",
		" bit bool bpchar bytea char float4 float8 int2 int4 int8 money name numeric text uuid varbit "
		"varchar "),
	AG_SQL_WORDS("dates", " date interval time timestamp timestamptz timetz "),
	AG_SQL_WORDS("documents", " json jsonb jsonpath xml "),
	AG_SQL_WORDS("full text", " regconfig regdictionary tsquery tsvector "),
	AG_SQL_WORDS("ranges",
	             " datemultirange daterange int4multirange int4range int8multirange int8range "
	             "nummultirange numrange tsmultirange tsrange tstzmultirange tstzrange "),
	AG_SQL_WORDS("addresses and shapes",
	             " box cidr circle inet line lseg macaddr macaddr8 path point polygon "),
	{ NULL, NULL, 0 },
};

/* "_int4" is the catalog's name of int4[]. */
bool ag_sql_type_allowed(ag_str name)
{
	if (name.len > 1 && name.ptr[0] == '_')
		name = ag_str_make(name.ptr + 1, name.len - 1);
	return ag_sql_words_find(types, name) != NULL;
}
