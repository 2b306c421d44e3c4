/* sql_walk -- every node of one statement's tree is visited, by the tree's own description; inside guard/ only.
 *
 * sql_walk.c goes from node to node and lets through only kinds of its table; a kind may have a check. Checks stand in
 * sql_walk_select.c (statements, tables), sql_walk_names.c (columns and fields), sql_walk_calls.c (functions, operators,
 * types); what names mean where, in sql_scope.c. A check never has to know where in a statement it is.
 *
 * All of it runs on the parser's thread. Functions return false when the statement is refused; v says why. */
#ifndef AG_GUARD_SQL_WALK_H
#define AG_GUARD_SQL_WALK_H

#include "guard/sql_load.h"
#include "guard/sql_policy.h"

/* Something that can stand before the dot: an entry of FROM. */
typedef struct ag_sql_range {
	struct ag_sql_range *next;
	ag_str name; /* the alias, else the table's name; "" = none */
	const PgQuery__Alias *alias;
	/* At most one is set; none: a join, whose columns are not followed. */
	const ag_sql_relation *relation;
	const PgQuery__CommonTableExpr *cte;
	const PgQuery__SelectStmt *select;
	const PgQuery__RangeFunction *function;
} ag_sql_range;

typedef struct ag_sql_cte {
	struct ag_sql_cte *next;
	const PgQuery__CommonTableExpr *node;
} ag_sql_cte;

/* Of one SELECT. */
typedef struct ag_sql_scope {
	struct ag_sql_scope *outer;
	ag_sql_range *ranges; /* the newest first */
	ag_sql_cte *ctes;
	/* sql_huge.c: how often a value holds one column here, and in the SELECTs below; less than 1 = it does not grow */
	double growth, growth_below;
} ag_sql_scope;

/* What a column stands for; one of the first three, or first and step. */
typedef struct ag_sql_meaning {
	const PgQuery__Node *value;        /* an expression of a sub-select or CTE */
	const PgQuery__SelectStmt *values; /* VALUES: the column `index` of its rows */
	const PgQuery__FuncCall *series;   /* generate_series */
	const PgQuery__Node *first, *step; /* of a recursive CTE: it begins so, and goes on so */
	size_t index;
	ag_str name;
} ag_sql_meaning;

typedef struct ag_sql_list {
	ag_str *items;
	size_t n, cap;
} ag_sql_list;

/* What is done with a value where it stands. Only a mark makes it less than anything. */
typedef enum ag_sql_use {
	AG_SQL_USE_ANY,
	AG_SQL_USE_RESULT, /* a column of the result, or grouped and sorted by: never converted */
	AG_SQL_USE_INNER,  /* of a function: a column of a SELECT inside */
	AG_SQL_USE_SORTED, /* a column of a result that is sorted, grouped or made distinct */
	AG_SQL_USE_JSON,   /* the argument of to_json() and its like, of count() */
	AG_SQL_USE_FIELD,  /* x in (x).field, x IS NULL: the value itself is not used */
	AG_SQL_USE_CAST    /* x in x::type */
} ag_sql_use;

typedef struct ag_sql_mark {
	struct ag_sql_mark *next;
	const void *node;
	ag_sql_use use;
} ag_sql_mark;

/* An operator that users overload, wherever it stands in the statement. */
typedef struct ag_sql_symbol {
	struct ag_sql_symbol *next;
	ag_str symbol;
	uint32_t position;
} ag_sql_symbol;

/* sql_uses.c */
typedef struct ag_sql_uses {
	ag_sql_mark *marks;
	ag_sql_symbol *symbols;
	uint32_t *types; /* of users, that values of the statement can have */
	size_t ntype, cap;
	bool is_sorted;  /* the outermost SELECT sorts, groups or makes distinct */
	bool has_arrays; /* makes arrays, or calls what takes several values of any one type */
	bool has_choices; /* gives several expressions one type: CASE, COALESCE, UNION, IN and the like */
	bool has_typeof; /* pg_typeof() as a column of a SELECT inside */
	uint32_t typeof_at;
	bool has_labels; /* calls what lists the labels of an enum */
	uint32_t labels_at;
	ag_str hidden_enum; /* a column whose enum is of a schema that is not allowed; "" = none */
	bool has_server_casts, has_implicit_casts; /* sql_casts.c has something to look for */
	bool has_rows;  /* has rows that the server could take for a composite type */
	bool has_casts; /* of something else than a literal */
	const ag_sql_name *domain, *cast; /* functions that has_arrays, has_casts would let run */
	ag_str domain_column, cast_column;
	uint32_t domain_at, cast_at;
} ag_sql_uses;

typedef struct ag_sql_growth {
	struct ag_sql_growth *next;
	const PgQuery__SelectStmt *select;
	double growth;
} ag_sql_growth;

/* What sql_huge.c remembers until the end of the statement. */
typedef struct ag_sql_huge {
	double largest, second; /* bytes of the largest built values */
	double slope;           /* bytes per byte of a column, of the builder where it is largest */
	double growth, growth_of_one; /* the largest of all SELECTs, with those below and without */
	const PgQuery__AExpr *inside; /* of a chain a || b || c that was looked at: a || b */
	ag_sql_growth *selects;       /* that were walked */
	int32_t slope_at, series_at;
	bool has_long_series;
} ag_sql_huge;

typedef struct ag_sql_walk {
	const ag_pg *pg;
	const ag_sql_policy *policy;
	const ag_sql_catalog *catalog; /* may be NULL */
	ag_arena *arena;               /* of the verdict */
	ag_arena *scratch;             /* of this statement */
	ag_sql_verdict *v;
	ag_str sql; /* positions count in it */
	ag_sql_scope *scope;
	size_t nnode;
	unsigned depth;
	ag_sql_list tables, functions;
	ag_sql_uses uses;
	ag_sql_huge huge;
} ag_sql_walk;

/* --- sql_walk.c --- */

/* The whole statement: a SELECT. Fills tables and functions of v. */
bool ag_sql_walk_statement(ag_sql_walk *w, const PgQuery__SelectStmt *select);
bool ag_sql_walk_node(ag_sql_walk *w, const PgQuery__Node *node);
bool ag_sql_walk_nodes(ag_sql_walk *w, PgQuery__Node *const *nodes, size_t n);
/* A message that is a field of its own, not wrapped in a node. NULL is fine. */
bool ag_sql_walk_message(ag_sql_walk *w, const ProtobufCMessage *m);
/* All fields of m but the two. */
bool ag_sql_walk_fields(ag_sql_walk *w, const ProtobufCMessage *m, const void *but,
                        const void *but_too);
/* Where the refusal that follows points to; byte from 0, as nodes have it. */
void ag_sql_walk_at(ag_sql_walk *w, int32_t byte);
/* The text of a String node; "" for any other. */
ag_str ag_sql_node_text(const PgQuery__Node *node);
void ag_sql_list_add(ag_sql_walk *w, ag_sql_list *list, ag_str text);

/* --- the checks; a kind without children that need a walk has none --- */

typedef bool ag_sql_check(ag_sql_walk *w, const void *node);
/* sql_walk_select.c; those named walk_ visit the children themselves */
ag_sql_check ag_sql_walk_select, ag_sql_walk_with, ag_sql_walk_subselect,
	ag_sql_walk_function_range;
ag_sql_check ag_sql_check_table, ag_sql_walk_join, ag_sql_check_sample;
/* sql_walk_names.c */
ag_sql_check ag_sql_check_column, ag_sql_check_indirection, ag_sql_check_result;
/* sql_walk_calls.c */
ag_sql_check ag_sql_check_call, ag_sql_check_expr, ag_sql_check_sublink, ag_sql_check_sort;
ag_sql_check ag_sql_check_case, ag_sql_check_type, ag_sql_check_xml, ag_sql_check_parameter;
ag_sql_check ag_sql_check_cast, ag_sql_check_array, ag_sql_check_row, ag_sql_check_choice,
	ag_sql_check_null;
bool ag_sql_check_operator(ag_sql_walk *w, PgQuery__Node *const *name, size_t n);
bool ag_sql_check_equals(
	ag_sql_walk *w); /* "=" where it is not written: USING, CASE x WHEN, IN (SELECT) */

/* --- sql_uses.c --- */

/* What the node above does with it: before the node itself is visited. The second form takes the node's own kind. */
void ag_sql_uses_mark(ag_sql_walk *w, const void *node, ag_sql_use use);
void ag_sql_uses_mark_node(ag_sql_walk *w, const PgQuery__Node *node, ag_sql_use use);
ag_sql_use ag_sql_uses_of(const ag_sql_walk *w, const void *node);
const void *ag_sql_node_inside(const PgQuery__Node *node);
bool ag_sql_uses_column(ag_sql_walk *w, const PgQuery__ColumnRef *c);
/* qualifier "" = none; column "" = all. */
bool ag_sql_uses_name(ag_sql_walk *w, ag_str qualifier, ag_str column, ag_sql_use use);
bool ag_sql_uses_field(ag_sql_walk *w, ag_str field, ag_sql_use use);
bool ag_sql_uses_field_of_column(ag_sql_walk *w, const PgQuery__ColumnRef *c, ag_str field,
                                 ag_sql_use use);
/* The statement has values of this type of a user. */
void ag_sql_uses_add_type(ag_sql_walk *w, uint32_t oid);
void ag_sql_uses_operator(ag_sql_walk *w, ag_str symbol);
bool ag_sql_uses_refuse(ag_sql_walk *w, ag_str column, const char *what, const ag_sql_name *f);
bool ag_sql_uses_refuse_typeof(ag_sql_walk *w);
/* Refuses what only the whole statement shows. */
bool ag_sql_uses_settle(ag_sql_walk *w);

/* --- sql_casts.c --- */

void ag_sql_casts_begin(ag_sql_walk *w);
bool ag_sql_casts_check(ag_sql_walk *w, unsigned tag, const void *node);
bool ag_sql_casts_check_condition(ag_sql_walk *w, const PgQuery__Node *condition);
bool ag_sql_casts_check_join(ag_sql_walk *w, const PgQuery__JoinExpr *j);

/* --- sql_scope.c --- */

void ag_sql_scope_push(ag_sql_walk *w, ag_sql_scope *scope);
void ag_sql_scope_pop(ag_sql_walk *w);
void ag_sql_scope_add_cte(ag_sql_walk *w, const PgQuery__CommonTableExpr *cte);
/* The CTE that an unqualified name means here, or NULL. */
const PgQuery__CommonTableExpr *ag_sql_scope_cte(const ag_sql_walk *w, ag_str name);
/* An entry of FROM of the SELECT at hand; the caller fills in what it is. */
ag_sql_range *ag_sql_scope_add_range(ag_sql_walk *w, const PgQuery__Alias *alias, ag_str name);
bool ag_sql_scope_has_range(const ag_sql_walk *w, ag_str name);
/* Is name.column certainly a column: does every entry of FROM with this name, here and further out, have it? */
bool ag_sql_scope_has_column(const ag_sql_walk *w, ag_str name, ag_str column);
/* What does the column stand for in the scope (NULL = nothing)? False: that is not certain. */
bool ag_sql_meaning_of(const ag_sql_walk *w, const ag_sql_scope *scope, const PgQuery__ColumnRef *c,
                       ag_sql_meaning *ret);
/* Is it one of the columns that a function of the built-in list returns? */
bool ag_sql_is_out_column(const PgQuery__Node *call, ag_str column);

#endif
