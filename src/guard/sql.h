/* sql -- the SQL guard: reads one statement as PostgreSQL itself would, and says whether it may run.
 *
 * Everything is refused that is not known to be harmless: statements, tree nodes, functions, operators, cast targets,
 * schemas; in every position, because the whole tree is walked by its own description. It is the only maker of an
 * ag_safe_sql, so a backend cannot be handed plain text. The only user of libpg_query (loaded on first use).
 *
 * SQLite has no parser here: its engine compiles the statement with an authorizer that asks ag_sql_policy_table() and
 * ag_sql_policy_function() (sql/sqlite_sql.c), and the verdict has the same form. */
#ifndef AG_GUARD_SQL_H
#define AG_GUARD_SQL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "guard/sql_catalog.h"

#define AG_SQL_MAX_BYTES     (64u * 1024) /* of a statement; the default of max_bytes */
#define AG_SQL_MAX_TOKENS    16384u       /* by the scanner, before the parser sees it */
#define AG_SQL_MAX_NODES     50000u       /* of the tree */
#define AG_SQL_MAX_DEPTH     1000u        /* of the tree */
#define AG_SQL_DEFAULT_ROWS  500u
#define AG_SQL_MAX_ROWS      100000u
#define AG_SQL_GUARD_VERSION 3u /* raise it when a verdict can change: part of every cache key */
/* Most bytes that the planner may expect of one collected value (array_agg, string_agg, ARRAY(...)). */
#define AG_SQL_COLLECTED_BYTES (16u * 1024 * 1024)

/* Why it was refused. `id` is what users and tests see: it never changes. */
#define AG_SQL_RULE_TABLE(X)                                                                      \
	X(ALLOWED, "allowed")                                                                     \
	X(PARSE_ERROR, "parse_error")   /* not SQL; also an unclosed literal or comment */        \
	X(NEWER_SYNTAX, "newer_syntax") /* SQL of a PostgreSQL after 15 */                        \
	X(EMPTY, "empty_statement")     /* blank, comments, only semicolons */                    \
	X(MULTIPLE, "multiple_statements")                                                        \
	X(STATEMENT,                                                                              \
	  "forbidden_statement") /* not a query; also INTO, row locks, a CTE that writes */       \
	X(FUNCTION, "dangerous_function") /* known, and not to be let in */                       \
	X(UNKNOWN_FUNCTION,                                                                       \
	  "function_not_allowed")     /* not on the list, or a user's function hides it */        \
	X(FIELD, "field_not_allowed") /* x.f that is no column: it may call a function */         \
	X(OPERATOR, "operator_not_allowed")                                                       \
	X(TYPE, "type_not_allowed")             /* cast target */                                 \
	X(SYSTEM, "system_catalog_not_allowed") /* pg_*, information_schema, sqlite_* */          \
	X(TABLE, "table_not_allowed") /* excluded, not on the list, or read through a view */     \
	X(SCHEMA, "schema_not_allowed")                                                           \
	X(SYNTAX_NODE, "construct_not_allowed") /* a kind of node that the guard does not know */ \
	X(PARAMETER, "parameter_not_allowed")   /* $1: there is nothing to bind */                \
	X(TOO_LARGE, "too_large")               /* bytes or tokens */                             \
	X(TOO_COMPLEX, "too_complex")           /* depth or nodes */                              \
	X(BAD_TEXT, "bad_text")                 /* NUL, not UTF-8 */                              \
	X(HUGE, "huge_value") /* builds a value that functions could not be interrupted on */

/* clang-format off */
typedef enum ag_sql_rule {
#define X(name, id) AG_SQLRULE_##name,
	AG_SQL_RULE_TABLE(X)
#undef X
	AG_SQLRULE_COUNT
} ag_sql_rule;
/* clang-format on */

const char *ag_sql_rule_id(ag_sql_rule r);

typedef enum ag_sql_dialect { AG_SQL_POSTGRES, AG_SQL_SQLITE } ag_sql_dialect;

/* What a project lets through. Entries of lists are "name" (in `schema`) or "schema.name", with double quotes around a
 * part as in SQL. Unquoted parts fold to lower case, but a table excluded in any case is excluded in every case; without a
 * schema it is excluded in every schema. A table on the list needs no allowed schema. A built-in function that is refused
 * can be let in only as "pg_catalog.name". */
typedef struct ag_sql_policy {
	ag_sql_dialect dialect;
	ag_str schema; /* "" = "public" (SQLite: "main"); where names without schema live */
	const ag_str *allowed_schemas; /* beside `schema` */
	size_t nallowed_schema;
	const ag_str *allowed_tables; /* none = every table of those schemas */
	size_t nallowed_table;
	const ag_str *excluded_tables; /* wins over everything */
	size_t nexcluded_table;
	const ag_str *allowed_functions; /* beside the built-in list: "name" or "schema.name" */
	size_t nallowed_function;
	const ag_str *
		allowed_views; /* may show tables of schemas that are not allowed, and unlisted ones */
	size_t nallowed_view;
	const ag_str *
		allowed_types; /* beside the built-in list: "name", "schema.name", or an extension's name */
	size_t nallowed_type;
	const ag_str *
		allowed_extensions; /* all their functions, operators and types, but for dangerous ones */
	size_t nallowed_extension;
	uint64_t max_rows;   /* 0 = AG_SQL_DEFAULT_ROWS; at most AG_SQL_MAX_ROWS */
	size_t max_bytes;    /* of a statement; 0 = AG_SQL_MAX_BYTES */
	uint64_t generation; /* differs when anything above does: part of the cache's key */
} ag_sql_policy;

/* errors  AG_INVALID: names the list and the entry that is no name */
AG_CHECK ag_status ag_sql_policy_check(const ag_sql_policy *p, ag_err *err);

typedef enum ag_sql_purpose {
	AG_SQL_RUN, /* sql becomes what is to run, with a limit of max_rows + 1 where it needs one */
	AG_SQL_EXPLAIN /* the statement may also be EXPLAIN (without ANALYZE) of a query: `sql` is the query, as it is */
} ag_sql_purpose;

/* A verdict is data of its arena: nothing to free. */
typedef struct ag_sql_verdict {
	ag_sql_rule rule;  /* AG_SQLRULE_ALLOWED = it may run */
	ag_str message;    /* one sentence, "" when allowed */
	ag_str hint;       /* what to write instead; "" = nothing to say */
	uint32_t position; /* character of the statement, from 1; 0 = the whole */
	const ag_str *
		tables; /* real relations, once each, by first appearance: "users", "other.t"; not CTEs */
	size_t ntable;
	const ag_str *functions; /* once each, lower case */
	size_t nfunction;
	ag_str sql;        /* what is to run, exactly; "" when refused */
	bool is_limited;   /* a limit was added or put around it */
	uint64_t max_rows; /* rows to give back: min(policy, the statement's own literal limit) */
	bool has_unknown; /* a relation that the catalog does not have: look again before it runs */
	bool reads_views; /* tables were resolved through views: not to be kept in a cache for long */
	/* What the planner's estimate must bound before it runs (sql/sql_plan.h). */
	bool collects; /* an aggregate or ARRAY() makes one value of many rows */
	uint32_t
		collected_bytes; /* of such a row, what the statement itself builds, columns not counted */
	uint64_t
		max_plan_rows; /* of any part of the plan, since counts of rows become sizes; 0 = any number */
	uint64_t fingerprint; /* of the statement without its literals; 0 = could not be read */
	/* The relations of the catalog that the verdict relies on, once each, and the sum of their marks. */
	const uint32_t *relations;
	size_t nrelation;
	int64_t mark;
} ag_sql_verdict;

static inline bool ag_sql_allowed(const ag_sql_verdict *v)
{
	return v->rule == AG_SQLRULE_ALLOWED;
}

/* The value that backends take. Only ag_sql_safe() makes it (tools/check-source checks). Borrowed from the verdict. */
typedef struct ag_safe_sql {
	ag_str sql;
	uint64_t max_rows;
} ag_safe_sql;

/* Judge one PostgreSQL statement. catalog NULL = unknown. Thread safe; blocks while the parser's own thread works
 * (microseconds to some milliseconds). Texts in arena.
 *
 * errors  AG_UNAVAILABLE: libpg_query cannot be loaded; AG_INTERNAL. A refusal is a verdict, not an error. */
AG_CHECK ag_status ag_sql_guard(ag_str sql, const ag_sql_policy *policy,
                                const ag_sql_catalog *catalog, ag_sql_purpose purpose,
                                ag_arena *arena, ag_sql_verdict *ret, ag_err *err);
/* Only of an allowed verdict. errors  AG_DENIED: the verdict's message */
AG_CHECK ag_status ag_sql_safe(const ag_sql_verdict *v, ag_safe_sql *ret, ag_err *err);

/* --- sql_policy.c: what both dialects ask --- */

/* May this relation be read? Looks at exclusions, the list, the schema, system catalogs, and in the catalog at what views
 * read and who a partition belongs to. schema "" = the policy's. Fills rule, message, hint of v when not. */
bool ag_sql_policy_table(const ag_sql_policy *p, const ag_sql_catalog *c, ag_str schema,
                         ag_str name, ag_arena *arena, ag_sql_verdict *v);
/* May a function be called, in this dialect? schema "" = not written. */
bool ag_sql_policy_function(const ag_sql_policy *p, const ag_sql_catalog *c, ag_str schema,
                            ag_str name, ag_arena *arena, ag_sql_verdict *v);

/* --- sql_functions.c, sql_types.c, sql_operators.c: the tables, sorted, bytewise --- */

typedef enum ag_sql_known {
	AG_SQL_UNKNOWN, /* no such name in PostgreSQL 15 */
	AG_SQL_HARMLESS,
	AG_SQL_DANGEROUS /* there, and not allowed */
} ag_sql_known;
/* Names in lower case, without schema. `ret_why` (may be NULL) of a dangerous one: a literal like "reads files of the
 * server", else NULL. */
ag_sql_known ag_sql_function_known(ag_sql_dialect d, ag_str name, const char **ret_why);
bool ag_sql_type_allowed(
	ag_str name); /* "int4", "timestamptz", "numeric" …: names as the parser gives them */
bool ag_sql_operator_allowed(ag_str name); /* "+", "->>", "@>" … */

/* --- sql_extensions.c --- */

/* Is it a harmless function of an extension that the guard knows ("pg_trgm", "similarity")? The catalog must say that the
 * function belongs to that extension. */
bool ag_sql_extension_has(ag_str extension, ag_str function);
/* Is it an extension whose operators and functions the guard knows? */
bool ag_sql_extension_known(ag_str extension);
/* Why its functions can never be allowed as a group ("it reaches other servers"), or NULL. */
const char *ag_sql_extension_refused(ag_str extension);

/* --- sql_cache.c: verdicts, by text and everything that bears on them --- */

/* Bounded by bytes; thread safe. Statements above 4 KB and refusals with a parse error are not kept; verdicts that looked
 * through views expire after 60 s. */
typedef struct ag_sql_cache ag_sql_cache;
ag_sql_cache *ag_sql_cache_new(size_t max_bytes);
ag_sql_cache *ag_sql_cache_free(ag_sql_cache *c); /* accepts NULL, returns NULL */
/* What ag_sql_guard() is asked. */
typedef struct ag_sql_asked {
	ag_str sql;
	const ag_sql_policy *policy;
	const ag_sql_catalog *catalog;
	ag_sql_purpose purpose;
} ag_sql_asked;

/* ag_sql_guard() through the cache (NULL = none). now_ms: monotonic. The verdict is copied into arena. */
AG_CHECK ag_status ag_sql_cache_guard(ag_sql_cache *cache, int64_t now_ms, const ag_sql_asked *q,
                                      ag_arena *arena, ag_sql_verdict *ret, ag_err *err);

/* --- sql_verdict.c --- */

/* {"verdict":"allow"|"deny","rule","message","hint","position","tables","functions","sql_executed","fingerprint"} */
void ag_sql_verdict_json(const ag_sql_verdict *v, ag_jw *w);

#endif
