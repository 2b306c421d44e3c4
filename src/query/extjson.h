/* extjson -- MongoDB Extended JSON in and out, on exact values.
 *
 * This is also the exact JSON reader of Argus: what simdjson refuses (integers beyond 64 bits, 1e400,
 * lone surrogates, deep nesting) is read here, and everything a model or user writes as a filter.
 * Reads strict JSON plus all forms of Extended JSON: v2 canonical and relaxed, v1 (strict mode), in any
 * key order; date-only $date is accepted. */
#ifndef AG_QUERY_EXTJSON_H
#define AG_QUERY_EXTJSON_H

#include "base/arena.h"
#include "base/err.h"
#include "query/value.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AG_EXTJSON_MAX_DEPTH 1000 /* deeper input is refused: AG_LIMIT, with the place */

typedef struct ag_extjson_opts {
	/* {"$oid":…} and friends become types; off: objects stay as written. */
	bool typed;
	/* A query, not data: {"$regex":…,"$options":…}, {"$type":…} and other operator objects stay
	 * objects; only unambiguous literals ($oid, $date, $number…, $binary, …) become types. */
	bool query;
	/* Duplicate keys in one object: refuse (true) or keep the first and count (false). */
	bool reject_duplicates;
	/* Replace bytes that are not UTF-8 by U+FFFD and count them; off: they are an error. */
	bool repair_utf8;
	/* Depth limit; 0 = AG_EXTJSON_MAX_DEPTH, which larger values are cut to. */
	unsigned max_depth;
	/* Values of all levels together; 0 = no limit. A value takes up to 25 times the memory of its text, so texts of
	 * strangers have one. */
	size_t max_values;
} ag_extjson_opts;

/* What was lost or bent while reading; all zero for clean input. */
typedef struct ag_extjson_notes {
	uint32_t duplicate_keys;  /* later ones dropped */
	uint32_t lone_surrogates; /* replaced by U+FFFD */
	uint32_t invalid_utf8;    /* bytes replaced by U+FFFD: only when the caller allows it */
	uint32_t
		big_numbers; /* beyond 64 bits: kept as Decimal128 where exact in 34 digits, else double */
	uint32_t overflows; /* like 1e400: kept as infinity */
} ag_extjson_notes;

/* Parse exactly one value; only white space may follow. Strings without escapes are views into
 * `text`, so text must outlive the arena's values (or be in the arena).
 *
 * ret_at   on failure: byte offset of the error in text (may be NULL)
 * notes    may be NULL
 * errors   AG_INVALID with offset and what was expected; AG_LIMIT for depth and number of values */
AG_CHECK ag_status ag_extjson_parse(ag_str text, const ag_extjson_opts *opts, ag_arena *arena,
                                    ag_val *ret, size_t *ret_at, ag_extjson_notes *notes,
                                    ag_err *err);

/* Convert an object that looks like {"$oid":…} … to its typed value. False when `v` is no such object
 * or its content does not fit (then it stays an object). Used by every loader. */
bool ag_extjson_typed(ag_arena *arena, const ag_val *v, bool query, ag_val *ret);

/* The value as ag_extjson_parse() gives it with `typed` set, from one that was parsed without. Shares what needs no change. */
ag_val ag_extjson_typed_all(ag_arena *arena, const ag_val *v, bool query);

typedef enum ag_extjson_mode {
	AG_EXTJSON_RELAXED,   /* v2 relaxed: plain numbers and ISO dates where they are exact */
	AG_EXTJSON_CANONICAL, /* v2 canonical: every number typed */
	AG_EXTJSON_SHELL /* for people and mongosh: ObjectId("…"), ISODate("…"), NumberLong("…") */
} ag_extjson_mode;

/* One line, ", " and ": " as separators in SHELL mode, none else. */
void ag_extjson_write(ag_buf *out, const ag_val *v, ag_extjson_mode mode);
ag_str ag_extjson_str(ag_arena *arena, const ag_val *v, ag_extjson_mode mode);

#ifdef __cplusplus
}
#endif
#endif
