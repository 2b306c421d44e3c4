/* expr_internal -- the expression tree, its operator rows, and what operators share.
 * Private to expr*.c and the pipeline stages. */
#ifndef AG_QUERY_EXPR_INTERNAL_H
#define AG_QUERY_EXPR_INTERNAL_H

#include "query/expr.h"
#include "query/path_set.h"
#include "query/regex.h"

#define AG_EXPR_MAX_DEPTH 100
#define AG_EXPR_MAX_NODES 20000
#define AG_EXPR_MAX_NAMED 4

typedef enum ag_expr_kind {
	AG_E_CONST,
	AG_E_PATH,   /* variable and parts */
	AG_E_OBJECT, /* keys and kids */
	AG_E_ARRAY,  /* kids */
	AG_E_OP      /* row and kids (NULL for a named argument that is absent) */
} ag_expr_kind;

typedef struct ag_expr_row ag_expr_row;

struct ag_expr {
	ag_expr_kind kind;
	ag_val value; /* CONST */
	ag_str var;   /* PATH: "ROOT", "this", …; also the name that $map and friends bind */
	ag_str path;  /* PATH: "a.b", "" for the variable itself */
	const ag_str *parts;
	size_t nparts;
	const ag_str *keys; /* OBJECT */
	const ag_expr_row *row;
	const ag_expr *const *kids;
	size_t nkids;
	const ag_regex *regex; /* OP with a constant pattern */
};

/* Variables in force, innermost first. */
typedef struct ag_expr_var ag_expr_var;
struct ag_expr_var {
	ag_str name;
	const ag_val *value;
	const ag_expr_var *outer;
};

typedef struct ag_expr_env {
	const ag_val *root;
	const ag_expr_var *vars;
	ag_arena *arena;
	ag_err *err;
} ag_expr_env;

/* One operator. Either `eager` (all arguments evaluated first) or `lazy`. */
struct ag_expr_row {
	const char *name;
	unsigned min, max; /* arguments; max 0: any number */
	ag_status (*eager)(ag_expr_env *env, const ag_expr *e, const ag_val *args, size_t n,
	                   ag_val *ret);
	ag_status (*lazy)(ag_expr_env *env, const ag_expr *e, ag_val *ret);
	const char *named[AG_EXPR_MAX_NAMED]; /* {"$op": {"input": …}}: argument names in order */
	bool positional;                      /* besides the named form a list is allowed */
	bool binds;      /* named[1] is "as": a variable for the last argument */
	bool null_stops; /* behind an argument that is null none is looked at any more */
	int tag;         /* what one function shared by several rows shall do */
};

const ag_expr_row *ag_expr_find(ag_str name);
const char *ag_expr_nearest(ag_str name);

AG_CHECK ag_status ag_expr_run(ag_expr_env *env, const ag_expr *e, ag_val *ret);
AG_PRINTF(3, 4)
ag_status ag_expr_bad(ag_expr_env *env, const ag_expr *e, const char *fmt, ...);
/* The value at parts below v, with arrays mapped as the server does it. */
ag_val ag_expr_walk(const ag_val *v, const ag_str *parts, size_t n, ag_arena *arena);
/* Collects paths; see ag_expr_paths. */
void ag_expr_collect(const ag_expr *e, ag_path_set *set);

static inline bool ag_expr_nullish(const ag_val *v)
{
	return v->type == AG_T_NULL || v->type == AG_T_UNDEFINED || v->type == AG_T_MISSING;
}

__extension__ typedef __int128 ag_i128;

/* Numbers: the rules of $add and $multiply for mixed types, shared with $sum. */
typedef struct ag_sum {
	ag_i128 whole;    /* exact sum of the integers */
	double high, low; /* compensated sum of the doubles (Neumaier) */
	ag_dec128 dec;
	uint64_t count; /* numbers seen */
	bool has_double, has_dec;
} ag_sum;

void ag_sum_add(ag_sum *s, const ag_val *v); /* what is no number is left out */
ag_val ag_sum_total(const ag_sum *s);
ag_val ag_sum_average(const ag_sum *s); /* null when nothing was added */

#define AG_EXPR_EAGER(name)                                                                 \
	ag_status ag_expr_op_##name(ag_expr_env *env, const ag_expr *e, const ag_val *args, \
	                            size_t n, ag_val *ret)
#define AG_EXPR_LAZY(name) \
	ag_status ag_expr_op_##name(ag_expr_env *env, const ag_expr *e, ag_val *ret)

/* expr_ops_num.c */
AG_EXPR_EAGER(add);
AG_EXPR_EAGER(subtract);
AG_EXPR_EAGER(multiply);
AG_EXPR_EAGER(divide);
AG_EXPR_EAGER(mod);
AG_EXPR_EAGER(abs);
AG_EXPR_EAGER(round);
AG_EXPR_EAGER(math);
/* expr_ops_logic.c */
AG_EXPR_EAGER(compare);
AG_EXPR_EAGER(not );
AG_EXPR_LAZY(and);
AG_EXPR_LAZY(cond);
AG_EXPR_LAZY(switch);
AG_EXPR_LAZY(if_null);
AG_EXPR_EAGER(type);
AG_EXPR_EAGER(is_number);
AG_EXPR_EAGER(is_array);
/* expr_ops_str.c */
AG_EXPR_EAGER(case);
AG_EXPR_EAGER(concat);
AG_EXPR_EAGER(trim);
AG_EXPR_EAGER(substr_cp);
AG_EXPR_EAGER(str_len);
AG_EXPR_EAGER(to_string);
AG_EXPR_EAGER(regex_match);
AG_EXPR_EAGER(date_part);
/* expr_ops_array.c */
AG_EXPR_EAGER(size);
AG_EXPR_EAGER(elem_at);
AG_EXPR_EAGER(end);
AG_EXPR_EAGER(in);
AG_EXPR_EAGER(set);
AG_EXPR_EAGER(concat_arrays);
AG_EXPR_EAGER(fold);
AG_EXPR_LAZY(map);
AG_EXPR_LAZY(filter);
AG_EXPR_LAZY(reduce);
/* expr_ops_object.c */
AG_EXPR_EAGER(object_to_array);
AG_EXPR_EAGER(array_to_object);
AG_EXPR_EAGER(merge_objects);

#endif
