/* value -- one typed value: BSON's own types, in an arena.
 *
 * Documents under audit, filter operands, results and model input are all ag_val trees. A value is
 * plain data: strings, members and items point into an arena (or other memory) that outlives it.
 * Integers and decimals never pass through double. */
#ifndef AG_QUERY_VALUE_H
#define AG_QUERY_VALUE_H

#include "base/arena.h"
#include "base/dec128.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* BSON type codes; AG_T_MISSING stands for "no value here". */
typedef enum ag_type {
	AG_T_MISSING = 0,
	AG_T_DOUBLE = 1,
	AG_T_STRING = 2,
	AG_T_OBJECT = 3,
	AG_T_ARRAY = 4,
	AG_T_BINARY = 5,
	AG_T_UNDEFINED = 6,
	AG_T_OID = 7,
	AG_T_BOOL = 8,
	AG_T_DATE = 9,
	AG_T_NULL = 10,
	AG_T_REGEX = 11,
	AG_T_DBPOINTER = 12,
	AG_T_CODE = 13,
	AG_T_SYMBOL = 14,
	AG_T_CODE_W_SCOPE = 15,
	AG_T_INT32 = 16,
	AG_T_TIMESTAMP = 17,
	AG_T_INT64 = 18,
	AG_T_DECIMAL = 19,
	AG_T_MINKEY = 20, /* -1 in BSON; renumbered so that a type fits an array index */
	AG_T_MAXKEY = 21, /* 127 in BSON */
	AG_NTYPE = 22
} ag_type;

typedef struct ag_val ag_val;
typedef struct ag_member ag_member;

struct ag_val {
	uint8_t type;    /* ag_type */
	uint8_t subtype; /* binary subtype */
	uint32_t n; /* bytes of a string, binary, code, symbol or regex pattern; members; items */
	union {
		double f;      /* DOUBLE */
		int64_t i;     /* INT32, INT64, DATE (ms since 1970 UTC), TIMESTAMP (t<<32|inc) */
		bool b;        /* BOOL */
		const char *s; /* STRING, CODE, SYMBOL, BINARY: n bytes */
		const ag_val *items;      /* ARRAY: n items */
		const ag_member *members; /* OBJECT: n members in document order */
		uint8_t oid[12];          /* OID */
		ag_dec128 dec;            /* DECIMAL */
		struct {
			const char *s;    /* pattern, n bytes */
			const char *opts; /* NUL-terminated, letters sorted, "" when none */
		} regex;                  /* REGEX */
		struct {
			const char *s;       /* code or namespace, n bytes */
			const ag_val *extra; /* scope (object) or id (OID) */
		} pair;                      /* CODE_W_SCOPE, DBPOINTER */
	} u;
};

struct ag_member {
	ag_str key;
	ag_val val;
};

/* Constructors for plain values. String bytes are borrowed. */
static inline ag_val ag_val_missing(void)
{
	ag_val v = { 0 };
	return v;
}
ag_val ag_val_null(void);
ag_val ag_val_bool(bool b);
ag_val ag_val_int(int64_t i); /* INT32 when it fits, else INT64 */
ag_val ag_val_double(double f);
ag_val ag_val_str(ag_str s);
ag_val ag_val_date(int64_t ms);
ag_val ag_val_array(const ag_val *items, size_t n);
ag_val ag_val_object(const ag_member *members, size_t n);

static inline ag_str ag_val_text(const ag_val *v) /* STRING, CODE, SYMBOL, BINARY only */
{
	return ag_str_make(v->u.s, v->n);
}

static inline bool ag_type_is_number(unsigned t)
{
	return t == AG_T_INT32 || t == AG_T_INT64 || t == AG_T_DOUBLE || t == AG_T_DECIMAL;
}

/* A deep copy that lives as long as the arena. */
ag_val ag_val_dup(ag_arena *arena, const ag_val *v);
/* First member of that name, or NULL (also when obj is not an object). */
const ag_val *ag_val_get(const ag_val *obj, ag_str key);
const ag_val *ag_val_getc(const ag_val *obj, const char *key);
/* For reading records: the member as text, non-negative integer, number, truth or time (ISO 8601 text, as ms); "", 0 or
 * false when it is absent or of another type, also when obj is NULL. */
ag_str ag_val_member_str(const ag_val *obj, const char *key);
uint64_t ag_val_member_u64(const ag_val *obj, const char *key);
double ag_val_member_num(const ag_val *obj, const char *key);
bool ag_val_member_bool(const ag_val *obj, const char *key);
int64_t ag_val_member_time(const ag_val *obj, const char *key);

/* BSON's comparison order across types (MongoDB manual, "Comparison/Sort Order"): MinKey < missing
 * and undefined < null < numbers < string, symbol < object < array < binary < ObjectId < bool < date
 * < timestamp < regex < DBPointer < code < code with scope < MaxKey. Numbers compare exactly across
 * their types; NaN equals NaN and is below every number. Objects compare by members in order.
 * Returns -1, 0 or 1. */
int ag_val_cmp(const ag_val *a, const ag_val *b);
/* The position of a type in that order; equal for types that compare by value with each other. */
int ag_type_order(unsigned type);
bool ag_val_eq(const ag_val *a, const ag_val *b); /* ag_val_cmp() == 0 */
/* Equal values (by ag_val_eq, so 1 and 1.0) have equal hashes. */
uint64_t ag_val_hash(const ag_val *v);
/* Any number as double (nearest); NaN for other types. */
double ag_val_number(const ag_val *v);
/* An integral number of any numeric type that fits int64. */
bool ag_val_to_i64(const ag_val *v, int64_t *ret);
/* JavaScript-like truth of aggregation: false, null, undefined, missing, 0 are false. */
bool ag_val_truthy(const ag_val *v);

/* Names: MongoDB's alias ("double", "string", "object", "array", "binData", "undefined", "objectId",
 * "bool", "date", "null", "regex", "dbPointer", "javascript", "symbol", "javascriptWithScope", "int",
 * "timestamp", "long", "decimal", "minKey", "maxKey"; "missing"). */
const char *ag_type_alias(unsigned type);
/* Alias or BSON number (also -1 and 127) to type; false when unknown. "number" is not a type here. */
bool ag_type_from_alias(ag_str alias, ag_type *ret);
bool ag_type_from_bson(int64_t code, ag_type *ret);
int ag_type_to_bson(unsigned type);
/* The seed's name of a scalar: int, float, str, bool, null, datetime, object, array, else the
 * driver's class name (ObjectId, Decimal128, Binary, Regex, Timestamp, Code, MinKey, MaxKey …). */
const char *ag_type_seed_name(unsigned type);

#ifdef __cplusplus
}
#endif
#endif
