/* filter -- a document filter as one typed tree: parsed once, then matched, hashed, written.
 *
 * Evidence, verify, repeats, push-down and export all use this tree. To add an operator: 1. a row in
 * ag_filter_ops[] (filter_ops.c); 2. its case in the parser; 3. its test in match.c (values) and in
 * columns/filter_eval.c (columns); 4. a line in tests/cases/query/match.cases.
 *
 * Trees are immutable after parsing and live in their arena; any number of threads may read one. */
#ifndef AG_QUERY_FILTER_H
#define AG_QUERY_FILTER_H

#include "query/expr.h"
#include "query/extjson.h"
#include "query/value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ag_filter_op {
	AG_F_TRUE, /* {} */
	AG_F_AND,  /* kids */
	AG_F_OR,   /* kids */
	AG_F_NOR,  /* kids */
	AG_F_NOT,  /* one kid: {p:{$not:…}}, $ne, $nin are stored this way */
	AG_F_EQ,   /* path, operand (never a regex: that is AG_F_REGEX) */
	AG_F_GT,
	AG_F_GTE,
	AG_F_LT,
	AG_F_LTE,
	AG_F_IN,     /* operand: array, sorted by ag_val_cmp, without doubles, regexes apart at its
	                  * end; number: items that are no regex; kids: one REGEX per regex item;
	                  * flag: null is among the items */
	AG_F_EXISTS, /* flag: wanted */
	AG_F_TYPE,   /* type_mask */
	AG_F_REGEX,  /* regex */
	AG_F_SIZE,   /* number */
	AG_F_ALL,    /* kids: one EQ, REGEX or ELEM_MATCH per item, all on the same path; no kids:
	                  * nothing matches */
	AG_F_ELEM_OBJ, /* one kid: a filter on each element that is an object (or array) */
	AG_F_ELEM_VAL, /* one kid: operators on each element itself (paths empty) */
	AG_F_MOD,      /* number, number2 (remainder) */
	AG_F_EXPR      /* expr */
} ag_filter_op;

typedef struct ag_regex ag_regex; /* a compiled PCRE2 pattern; see regex.h */

typedef struct ag_filter ag_filter;
struct ag_filter {
	ag_filter_op op;
	ag_str path;         /* as written, "" inside ELEM_VAL */
	const ag_str *parts; /* the path cut at its dots */
	size_t nparts;
	ag_val operand;
	uint32_t type_mask; /* bit per ag_type */
	bool flag;
	int64_t number, number2;
	const ag_regex *regex;
	const ag_expr *expr;
	const ag_filter *const *kids;
	size_t nkids;
};

#define AG_FILTER_MAX_BYTES (1024 * 1024)
#define AG_FILTER_MAX_DEPTH 100
#define AG_FILTER_MAX_NODES 20000

/* Parse an extended-JSON object (or its text) into a filter.
 * errors  AG_INVALID names the operator that is unknown or misused with the path where it stands, and
 *         hints the nearest known operator; AG_LIMIT for size, depth or nodes. `$where`, `$function`,
 *         `$accumulator` and `$text` are refused as AG_DENIED with the reason. */
AG_CHECK ag_status ag_filter_parse(ag_str text, ag_arena *arena, const ag_filter **ret,
                                   ag_err *err);
AG_CHECK ag_status ag_filter_from_val(const ag_val *doc, ag_arena *arena, const ag_filter **ret,
                                      ag_err *err);

/* The canonical form: the same for filters that mean the same by these rules: {a:1} = {a:{$eq:1}};
 * $and flattened, sorted, without doubles; {a:null} = {a:{$eq:null}}; $in sorted without doubles, one
 * item = $eq; $or of one = its kid; numbers by value. Relaxed extended JSON, a valid filter itself. */
void ag_filter_canonical(const ag_filter *f, ag_buf *out);
/* XXH3 of the canonical form. */
uint64_t ag_filter_hash(const ag_filter *f);

/* Every path the filter looks at, in order of first appearance, without doubles; paths inside
 * $elemMatch carry their prefix ("items.q"). Field paths of $expr are included. */
void ag_filter_paths(const ag_filter *f, ag_arena *arena, const ag_str **ret, size_t *nret);
/* True when the filter looks at the document as a whole ($$ROOT in $expr): paths are not enough. */
bool ag_filter_wants_whole(const ag_filter *f);
/* How many subjects the regexes of the filter gave up on so far; see ag_regex_overruns. */
uint64_t ag_filter_overruns(const ag_filter *f);

/* MongoDB's matching semantics on one document (or, inside $elemMatch, element). Exact reference for
 * the column evaluator; a differential test holds the two together. Where the server would fail a query
 * because an operator of $expr cannot work on a document, that document does not match. */
bool ag_filter_match(const ag_filter *f, const ag_val *doc);

/* For other evaluators: does one value (an array is not looked into) satisfy a leaf (EQ, GT, GTE, LT,
 * LTE, IN, TYPE, REGEX, SIZE, MOD, EXISTS)? `v` may be AG_T_MISSING. */
bool ag_filter_leaf(const ag_filter *f, const ag_val *v);

#ifdef __cplusplus
}
#endif
#endif
