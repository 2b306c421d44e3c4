/* types -- the types that every server has, by number, so naming a column costs no query.
 *
 * The numbers never change between versions (PostgreSQL, src/include/catalog/pg_type.dat); the rows were read from
 * pg_type of version 15. Types of the database's users come from user_types.c. */
#include "pg/types.h"

typedef enum ag_pg_mod {
	MOD_NONE,
	MOD_LENGTH,  /* length + 4 */
	MOD_BITS,    /* length */
	MOD_NUMERIC, /* precision and scale */
	MOD_TIME,    /* digits of seconds, before "without time zone" */
	MOD_INTERVAL /* digits of seconds in the lower half */
} ag_pg_mod;

/* Sorted by oid. clang-format would give each row four lines. */
/* clang-format off */
static const ag_pg_type types[] = {
	{ 16, AG_PG_BOOL, MOD_NONE, false, ',', "boolean" },
	{ 17, AG_PG_TEXT, MOD_NONE, false, ',', "bytea" },
	{ 18, AG_PG_TEXT, MOD_NONE, false, ',', "\"char\"" },
	{ 19, AG_PG_TEXT, MOD_NONE, false, ',', "name" },
	{ 20, AG_PG_INT8, MOD_NONE, false, ',', "bigint" },
	{ 21, AG_PG_INT, MOD_NONE, false, ',', "smallint" },
	{ 22, AG_PG_TEXT, MOD_NONE, false, ',', "int2vector" },
	{ 23, AG_PG_INT, MOD_NONE, false, ',', "integer" },
	{ 24, AG_PG_TEXT, MOD_NONE, false, ',', "regproc" },
	{ 25, AG_PG_TEXT, MOD_NONE, false, ',', "text" },
	{ 26, AG_PG_INT, MOD_NONE, false, ',', "oid" },
	{ 27, AG_PG_TEXT, MOD_NONE, false, ',', "tid" },
	{ 28, AG_PG_INT, MOD_NONE, false, ',', "xid" },
	{ 29, AG_PG_INT, MOD_NONE, false, ',', "cid" },
	{ 30, AG_PG_TEXT, MOD_NONE, false, ',', "oidvector" },
	{ 114, AG_PG_JSON, MOD_NONE, false, ',', "json" },
	{ 142, AG_PG_TEXT, MOD_NONE, false, ',', "xml" },
	{ 143, AG_PG_TEXT, MOD_NONE, true, ',', "xml" },
	{ 199, AG_PG_JSON, MOD_NONE, true, ',', "json" },
	{ 271, AG_PG_INT8, MOD_NONE, true, ',', "xid8" },
	{ 600, AG_PG_TEXT, MOD_NONE, false, ',', "point" },
	{ 601, AG_PG_TEXT, MOD_NONE, false, ',', "lseg" },
	{ 602, AG_PG_TEXT, MOD_NONE, false, ',', "path" },
	{ 603, AG_PG_TEXT, MOD_NONE, false, ';', "box" },
	{ 604, AG_PG_TEXT, MOD_NONE, false, ',', "polygon" },
	{ 628, AG_PG_TEXT, MOD_NONE, false, ',', "line" },
	{ 629, AG_PG_TEXT, MOD_NONE, true, ',', "line" },
	{ 650, AG_PG_TEXT, MOD_NONE, false, ',', "cidr" },
	{ 651, AG_PG_TEXT, MOD_NONE, true, ',', "cidr" },
	{ 700, AG_PG_FLOAT, MOD_NONE, false, ',', "real" },
	{ 701, AG_PG_FLOAT, MOD_NONE, false, ',', "double precision" },
	{ 705, AG_PG_TEXT, MOD_NONE, false, ',', "unknown" },
	{ 718, AG_PG_TEXT, MOD_NONE, false, ',', "circle" },
	{ 719, AG_PG_TEXT, MOD_NONE, true, ',', "circle" },
	{ 774, AG_PG_TEXT, MOD_NONE, false, ',', "macaddr8" },
	{ 775, AG_PG_TEXT, MOD_NONE, true, ',', "macaddr8" },
	{ 790, AG_PG_TEXT, MOD_NONE, false, ',', "money" },
	{ 791, AG_PG_TEXT, MOD_NONE, true, ',', "money" },
	{ 829, AG_PG_TEXT, MOD_NONE, false, ',', "macaddr" },
	{ 869, AG_PG_TEXT, MOD_NONE, false, ',', "inet" },
	{ 1000, AG_PG_BOOL, MOD_NONE, true, ',', "boolean" },
	{ 1001, AG_PG_TEXT, MOD_NONE, true, ',', "bytea" },
	{ 1002, AG_PG_TEXT, MOD_NONE, true, ',', "\"char\"" },
	{ 1003, AG_PG_TEXT, MOD_NONE, true, ',', "name" },
	{ 1005, AG_PG_INT, MOD_NONE, true, ',', "smallint" },
	{ 1006, AG_PG_TEXT, MOD_NONE, true, ',', "int2vector" },
	{ 1007, AG_PG_INT, MOD_NONE, true, ',', "integer" },
	{ 1008, AG_PG_TEXT, MOD_NONE, true, ',', "regproc" },
	{ 1009, AG_PG_TEXT, MOD_NONE, true, ',', "text" },
	{ 1010, AG_PG_TEXT, MOD_NONE, true, ',', "tid" },
	{ 1011, AG_PG_INT, MOD_NONE, true, ',', "xid" },
	{ 1012, AG_PG_INT, MOD_NONE, true, ',', "cid" },
	{ 1013, AG_PG_TEXT, MOD_NONE, true, ',', "oidvector" },
	{ 1014, AG_PG_TEXT, MOD_LENGTH, true, ',', "character" },
	{ 1015, AG_PG_TEXT, MOD_LENGTH, true, ',', "character varying" },
	{ 1016, AG_PG_INT8, MOD_NONE, true, ',', "bigint" },
	{ 1017, AG_PG_TEXT, MOD_NONE, true, ',', "point" },
	{ 1018, AG_PG_TEXT, MOD_NONE, true, ',', "lseg" },
	{ 1019, AG_PG_TEXT, MOD_NONE, true, ',', "path" },
	{ 1020, AG_PG_TEXT, MOD_NONE, true, ';', "box" },
	{ 1021, AG_PG_FLOAT, MOD_NONE, true, ',', "real" },
	{ 1022, AG_PG_FLOAT, MOD_NONE, true, ',', "double precision" },
	{ 1027, AG_PG_TEXT, MOD_NONE, true, ',', "polygon" },
	{ 1028, AG_PG_INT, MOD_NONE, true, ',', "oid" },
	{ 1033, AG_PG_TEXT, MOD_NONE, false, ',', "aclitem" },
	{ 1034, AG_PG_TEXT, MOD_NONE, true, ',', "aclitem" },
	{ 1040, AG_PG_TEXT, MOD_NONE, true, ',', "macaddr" },
	{ 1041, AG_PG_TEXT, MOD_NONE, true, ',', "inet" },
	{ 1042, AG_PG_TEXT, MOD_LENGTH, false, ',', "character" },
	{ 1043, AG_PG_TEXT, MOD_LENGTH, false, ',', "character varying" },
	{ 1082, AG_PG_TEXT, MOD_NONE, false, ',', "date" },
	{ 1083, AG_PG_TEXT, MOD_TIME, false, ',', "time without time zone" },
	{ 1114, AG_PG_TIMESTAMP, MOD_TIME, false, ',', "timestamp without time zone" },
	{ 1115, AG_PG_TIMESTAMP, MOD_TIME, true, ',', "timestamp without time zone" },
	{ 1182, AG_PG_TEXT, MOD_NONE, true, ',', "date" },
	{ 1183, AG_PG_TEXT, MOD_TIME, true, ',', "time without time zone" },
	{ 1184, AG_PG_TIMESTAMPTZ, MOD_TIME, false, ',', "timestamp with time zone" },
	{ 1185, AG_PG_TIMESTAMPTZ, MOD_TIME, true, ',', "timestamp with time zone" },
	{ 1186, AG_PG_TEXT, MOD_INTERVAL, false, ',', "interval" },
	{ 1187, AG_PG_TEXT, MOD_INTERVAL, true, ',', "interval" },
	{ 1231, AG_PG_NUMERIC, MOD_NUMERIC, true, ',', "numeric" },
	{ 1266, AG_PG_TIMETZ, MOD_TIME, false, ',', "time with time zone" },
	{ 1270, AG_PG_TIMETZ, MOD_TIME, true, ',', "time with time zone" },
	{ 1560, AG_PG_TEXT, MOD_BITS, false, ',', "bit" },
	{ 1561, AG_PG_TEXT, MOD_BITS, true, ',', "bit" },
	{ 1562, AG_PG_TEXT, MOD_BITS, false, ',', "bit varying" },
	{ 1563, AG_PG_TEXT, MOD_BITS, true, ',', "bit varying" },
	{ 1700, AG_PG_NUMERIC, MOD_NUMERIC, false, ',', "numeric" },
	{ 1790, AG_PG_TEXT, MOD_NONE, false, ',', "refcursor" },
	{ 2201, AG_PG_TEXT, MOD_NONE, true, ',', "refcursor" },
	{ 2202, AG_PG_TEXT, MOD_NONE, false, ',', "regprocedure" },
	{ 2203, AG_PG_TEXT, MOD_NONE, false, ',', "regoper" },
	{ 2204, AG_PG_TEXT, MOD_NONE, false, ',', "regoperator" },
	{ 2205, AG_PG_TEXT, MOD_NONE, false, ',', "regclass" },
	{ 2206, AG_PG_TEXT, MOD_NONE, false, ',', "regtype" },
	{ 2207, AG_PG_TEXT, MOD_NONE, true, ',', "regprocedure" },
	{ 2208, AG_PG_TEXT, MOD_NONE, true, ',', "regoper" },
	{ 2209, AG_PG_TEXT, MOD_NONE, true, ',', "regoperator" },
	{ 2210, AG_PG_TEXT, MOD_NONE, true, ',', "regclass" },
	{ 2211, AG_PG_TEXT, MOD_NONE, true, ',', "regtype" },
	{ 2249, AG_PG_TEXT, MOD_NONE, false, ',', "record" },
	{ 2278, AG_PG_TEXT, MOD_NONE, false, ',', "void" },
	{ 2287, AG_PG_TEXT, MOD_NONE, true, ',', "record" },
	{ 2949, AG_PG_TEXT, MOD_NONE, true, ',', "txid_snapshot" },
	{ 2950, AG_PG_TEXT, MOD_NONE, false, ',', "uuid" },
	{ 2951, AG_PG_TEXT, MOD_NONE, true, ',', "uuid" },
	{ 2970, AG_PG_TEXT, MOD_NONE, false, ',', "txid_snapshot" },
	{ 3220, AG_PG_TEXT, MOD_NONE, false, ',', "pg_lsn" },
	{ 3221, AG_PG_TEXT, MOD_NONE, true, ',', "pg_lsn" },
	{ 3614, AG_PG_TEXT, MOD_NONE, false, ',', "tsvector" },
	{ 3615, AG_PG_TEXT, MOD_NONE, false, ',', "tsquery" },
	{ 3642, AG_PG_TEXT, MOD_NONE, false, ',', "gtsvector" },
	{ 3643, AG_PG_TEXT, MOD_NONE, true, ',', "tsvector" },
	{ 3644, AG_PG_TEXT, MOD_NONE, true, ',', "gtsvector" },
	{ 3645, AG_PG_TEXT, MOD_NONE, true, ',', "tsquery" },
	{ 3734, AG_PG_TEXT, MOD_NONE, false, ',', "regconfig" },
	{ 3735, AG_PG_TEXT, MOD_NONE, true, ',', "regconfig" },
	{ 3769, AG_PG_TEXT, MOD_NONE, false, ',', "regdictionary" },
	{ 3770, AG_PG_TEXT, MOD_NONE, true, ',', "regdictionary" },
	{ 3802, AG_PG_JSON, MOD_NONE, false, ',', "jsonb" },
	{ 3807, AG_PG_JSON, MOD_NONE, true, ',', "jsonb" },
	{ 3904, AG_PG_TEXT, MOD_NONE, false, ',', "int4range" },
	{ 3905, AG_PG_TEXT, MOD_NONE, true, ',', "int4range" },
	{ 3906, AG_PG_TEXT, MOD_NONE, false, ',', "numrange" },
	{ 3907, AG_PG_TEXT, MOD_NONE, true, ',', "numrange" },
	{ 3908, AG_PG_TEXT, MOD_NONE, false, ',', "tsrange" },
	{ 3909, AG_PG_TEXT, MOD_NONE, true, ',', "tsrange" },
	{ 3910, AG_PG_TEXT, MOD_NONE, false, ',', "tstzrange" },
	{ 3911, AG_PG_TEXT, MOD_NONE, true, ',', "tstzrange" },
	{ 3912, AG_PG_TEXT, MOD_NONE, false, ',', "daterange" },
	{ 3913, AG_PG_TEXT, MOD_NONE, true, ',', "daterange" },
	{ 3926, AG_PG_TEXT, MOD_NONE, false, ',', "int8range" },
	{ 3927, AG_PG_TEXT, MOD_NONE, true, ',', "int8range" },
	{ 4072, AG_PG_TEXT, MOD_NONE, false, ',', "jsonpath" },
	{ 4073, AG_PG_TEXT, MOD_NONE, true, ',', "jsonpath" },
	{ 4089, AG_PG_TEXT, MOD_NONE, false, ',', "regnamespace" },
	{ 4090, AG_PG_TEXT, MOD_NONE, true, ',', "regnamespace" },
	{ 4096, AG_PG_TEXT, MOD_NONE, false, ',', "regrole" },
	{ 4097, AG_PG_TEXT, MOD_NONE, true, ',', "regrole" },
	{ 4191, AG_PG_TEXT, MOD_NONE, false, ',', "regcollation" },
	{ 4192, AG_PG_TEXT, MOD_NONE, true, ',', "regcollation" },
	{ 4451, AG_PG_TEXT, MOD_NONE, false, ',', "int4multirange" },
	{ 4532, AG_PG_TEXT, MOD_NONE, false, ',', "nummultirange" },
	{ 4533, AG_PG_TEXT, MOD_NONE, false, ',', "tsmultirange" },
	{ 4534, AG_PG_TEXT, MOD_NONE, false, ',', "tstzmultirange" },
	{ 4535, AG_PG_TEXT, MOD_NONE, false, ',', "datemultirange" },
	{ 4536, AG_PG_TEXT, MOD_NONE, false, ',', "int8multirange" },
	{ 5038, AG_PG_TEXT, MOD_NONE, false, ',', "pg_snapshot" },
	{ 5039, AG_PG_TEXT, MOD_NONE, true, ',', "pg_snapshot" },
	{ 5069, AG_PG_INT8, MOD_NONE, false, ',', "xid8" },
	{ 6150, AG_PG_TEXT, MOD_NONE, true, ',', "int4multirange" },
	{ 6151, AG_PG_TEXT, MOD_NONE, true, ',', "nummultirange" },
	{ 6152, AG_PG_TEXT, MOD_NONE, true, ',', "tsmultirange" },
	{ 6153, AG_PG_TEXT, MOD_NONE, true, ',', "tstzmultirange" },
	{ 6155, AG_PG_TEXT, MOD_NONE, true, ',', "datemultirange" },
	{ 6157, AG_PG_TEXT, MOD_NONE, true, ',', "int8multirange" },
};
/* clang-format on */

bool ag_pg_type_builtin(uint32_t oid, ag_pg_type *ret)
{
	size_t low = 0, high = AG_NELEM(types);

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (types[mid].oid < oid)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == AG_NELEM(types) || types[low].oid != oid)
		return false;
	*ret = types[low];
	return true;
}

/* "timestamp without time zone" with 3 is "timestamp(3) without time zone". */
static ag_str with_digits(const char *name, int digits, const char *end, ag_arena *arena)
{
	const char *blank = strchr(name, ' ');
	int nfirst = blank ? (int)(blank - name) : (int)strlen(name);

	return ag_str_printf(arena, "%.*s(%d)%s%s", nfirst, name, digits, blank ? blank : "", end);
}

ag_str ag_pg_type_text(const ag_pg_type *t, int modifier, ag_arena *arena)
{
	const char *end = t->is_array ? "[]" : "";
	unsigned bits = (unsigned)modifier - 4;

	if (modifier >= 0) {
		switch (t->mod) {
		case MOD_LENGTH:
			return ag_str_printf(arena, "%s(%d)%s", t->name, modifier - 4, end);
		case MOD_BITS: return ag_str_printf(arena, "%s(%d)%s", t->name, modifier, end);
		case MOD_NUMERIC: /* the scale has eleven bits and a sign since version 15 */
			return ag_str_printf(arena, "%s(%u,%d)%s", t->name, bits >> 16 & 0xFFFF,
			                     (int)((bits & 0x7FF) ^ 0x400) - 0x400, end);
		case MOD_TIME: return with_digits(t->name, modifier, end, arena);
		case MOD_INTERVAL:
			if ((modifier & 0xFFFF) != 0xFFFF)
				return with_digits(t->name, modifier & 0xFFFF, end, arena);
			break;
		default: break;
		}
	}
	return t->is_array ? ag_str_printf(arena, "%s[]", t->name) : ag_str_c(t->name);
}
