/* sql_policy -- may this relation be read, may this function be called?
 *
 * Tables: what belongs to the server itself is refused, then exclusions win, then the list of allowed tables, then the
 * schema. With a catalog a relation is also what it reads: a view over an excluded table, a partition of one and a parent
 * of one are refused like the table itself, and so is a view that reads a schema that is not allowed or runs a function of
 * users. A view that the project lists by name shows what its owner meant it to show: then schemas and lists are not asked
 * below it. Exclusions and functions are asked everywhere. A partition is stored apart and read as its parent, so its schema is
 * not asked either. */
#include "guard/sql_policy.h"

#include <stdarg.h>

#define MAX_RELATIONS 1000u /* looked at for one name: views over views, partitions */

/* --- refusals --- */

AG_PRINTF(2, 0) static ag_str text_of(ag_arena *arena, const char *fmt, va_list ap)
{
	ag_buf b = AG_BUF_INIT(1000);
	ag_str ret;

	ag_buf_vaddf(&b, fmt, ap);
	ret = b.failed ? AG_S("too long to be shown") : ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

bool ag_sql_refuse(ag_sql_verdict *v, ag_arena *arena, ag_sql_rule rule, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	v->message = text_of(arena, fmt, ap);
	va_end(ap);
	v->rule = rule;
	v->hint = AG_S("");
	return false;
}

bool ag_sql_refuse_hint(ag_sql_verdict *v, ag_arena *arena, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	v->hint = text_of(arena, fmt, ap);
	va_end(ap);
	return false;
}

/* --- relations --- */

ag_str ag_sql_policy_schema(const ag_sql_policy *p)
{
	if (p->schema.len)
		return p->schema;
	return p->dialect == AG_SQL_SQLITE ? AG_S("main") : AG_S("public");
}

bool ag_sql_is_system_schema(ag_str schema)
{
	return ag_str_starts(schema, AG_S("pg_")) || ag_str_eqc(schema, "information_schema");
}

static bool starts_in_any_case(ag_str s, ag_str prefix)
{
	return s.len >= prefix.len && ag_str_ieq(ag_str_make(s.ptr, prefix.len), prefix);
}

static bool is_system(const ag_sql_policy *p, ag_str schema, ag_str name)
{
	if (p->dialect == AG_SQL_SQLITE)
		return starts_in_any_case(name, AG_S("sqlite_")) ||
		       starts_in_any_case(name, AG_S("pragma_"));
	/* An unqualified pg_x is the server's before it is anybody else's; public.pg_stat_statements and the like show
	 * what other people asked. */
	return ag_sql_is_system_schema(schema) || ag_str_starts(name, AG_S("pg_"));
}

/* An exclusion without a schema is meant everywhere: too much is refused rather than too little. */
static bool is_excluded(const ag_sql_policy *p, ag_str schema, ag_str name)
{
	for (size_t i = 0; i < p->nexcluded_table; i++)
		if (ag_sql_entry_matches(p->excluded_tables[i], ag_sql_policy_schema(p), schema,
		                         name, true, true))
			return true;
	return false;
}

static bool is_listed(const ag_sql_policy *p, ag_str schema, ag_str name)
{
	for (size_t i = 0; i < p->nallowed_table; i++)
		if (ag_sql_entry_matches(p->allowed_tables[i], ag_sql_policy_schema(p), schema,
		                         name, p->dialect == AG_SQL_SQLITE, false))
			return true;
	return false;
}

bool ag_sql_is_schema_allowed(const ag_sql_policy *p, ag_str schema)
{
	const bool any_case = p->dialect == AG_SQL_SQLITE;
	const ag_str home = ag_sql_policy_schema(p);

	if (any_case ? ag_str_ieq(schema, home) : ag_str_eq(schema, home))
		return true;
	for (size_t i = 0; i < p->nallowed_schema; i++)
		if (ag_sql_entry_matches(p->allowed_schemas[i], AG_S(""), AG_S(""), schema,
		                         any_case, false))
			return true;
	return false;
}

/* A view that may show what the policy does not. */
static bool is_view_listed(const ag_sql_policy *p, ag_str schema, ag_str name)
{
	for (size_t i = 0; i < p->nallowed_view; i++)
		if (ag_sql_entry_matches(p->allowed_views[i], ag_sql_policy_schema(p), schema, name,
		                         p->dialect == AG_SQL_SQLITE, false))
			return true;
	return false;
}

/* "t" in the policy's schema, else "s.t" */
static ag_str shown(const ag_sql_policy *p, ag_arena *arena, ag_str schema, ag_str name)
{
	if (ag_str_eq(schema, ag_sql_policy_schema(p)))
		return name;
	return ag_str_printf(arena, "%.*s.%.*s", AG_FMT(schema), AG_FMT(name));
}

/* --- what a relation reads --- */

/* A relation, and whether a listed view stands above it. */
typedef struct reached {
	const ag_sql_relation *relation;
	bool is_shown;
} reached;

/* A queue of relations, each once. */
typedef struct reach {
	const ag_sql_policy *policy;
	const ag_sql_catalog *catalog;
	ag_arena *arena;
	ag_sql_verdict *v;
	ag_str asked;
	reached *seen;
	size_t n;
} reach;

static bool add(reach *r, const ag_sql_relation *rel, bool is_shown)
{
	is_shown |= is_view_listed(r->policy, rel->name.schema, rel->name.name);
	for (size_t i = 0; i < r->n; i++) {
		/* One that is reached both ways is asked about both times: what it reads is not shown by every way. */
		if (r->seen[i].relation == rel && (is_shown || !r->seen[i].is_shown))
			return true;
	}
	if (r->n == MAX_RELATIONS)
		return ag_sql_refuse(r->v, r->arena, AG_SQLRULE_TABLE,
		                     "Access to table %.*s is not permitted: it reads more than %u "
		                     "others",
		                     AG_FMT(r->asked), MAX_RELATIONS);
	r->seen[r->n++] = (reached){ rel, is_shown };
	return true;
}

/* Names of what is out of reach are not told: the policy hides them. */
static bool refuse_schema(reach *r)
{
	ag_sql_refuse(r->v, r->arena, AG_SQLRULE_SCHEMA,
	              "Access to table %.*s is not permitted: it reads a table of a schema that is "
	              "not allowed",
	              AG_FMT(r->asked));
	return ag_sql_refuse_hint(r->v, r->arena,
	                          "a project can list a view in allowed_views, or the schema in "
	                          "allowed_schemas");
}

/* Something that is read on the way: refused if it is excluded, the system's, or of a schema that is not allowed. */
static bool add_name(reach *r, ag_sql_name name, bool is_shown)
{
	const ag_sql_relation *rel;

	if (is_excluded(r->policy, name.schema, name.name))
		return ag_sql_refuse(r->v, r->arena, AG_SQLRULE_TABLE,
		                     "Access to table %.*s is not permitted: it reads %.*s",
		                     AG_FMT(r->asked),
		                     AG_FMT(shown(r->policy, r->arena, name.schema, name.name)));
	if (is_system(r->policy, name.schema, name.name))
		return ag_sql_refuse(r->v, r->arena, AG_SQLRULE_SYSTEM,
		                     "Access to table %.*s is not permitted: it reads the system "
		                     "catalog %.*s",
		                     AG_FMT(r->asked), AG_FMT(name.name));
	if (!is_shown && !ag_sql_is_schema_allowed(r->policy, name.schema) &&
	    !is_view_listed(r->policy, name.schema, name.name))
		return refuse_schema(r);
	rel = ag_sql_catalog_relation(r->catalog, name.schema, name.name);
	return !rel || add(r, rel, is_shown);
}

static bool refuse_code(reach *r, const ag_sql_name *function)
{
	const bool is_told = ag_sql_is_schema_allowed(r->policy, function->schema) ||
	                     ag_str_eqc(function->schema, "pg_catalog");

	if (is_told)
		ag_sql_refuse(r->v, r->arena, AG_SQLRULE_UNKNOWN_FUNCTION,
		              "Access to table %.*s is not permitted: its query runs the function "
		              "%.*s.%.*s",
		              AG_FMT(r->asked), AG_FMT(function->schema), AG_FMT(function->name));
	else
		ag_sql_refuse(
			r->v, r->arena, AG_SQLRULE_UNKNOWN_FUNCTION,
			"Access to table %.*s is not permitted: its query runs a function of a "
			"schema that is not allowed",
			AG_FMT(r->asked));
	return ag_sql_refuse_hint(r->v, r->arena,
	                          "a project can allow the function in allowed_functions");
}

/* What the query of a view runs: of a table and a materialized view nothing. */
static bool check_code(reach *r, const ag_sql_relation *rel)
{
	const ag_sql_name *f = ag_sql_first_refused(r->policy, r->catalog, rel->runs, rel->nrun);
	ag_sql_danger d;

	for (size_t i = 0; i < rel->nuse && !f; i++) {
		ag_sql_danger_of(r->policy, r->catalog, rel->uses[i], &d);
		f = d.makes ? d.makes : d.reads ? d.reads : d.compares;
	}
	return !f || refuse_code(r, f);
}

static bool has_parent(const ag_sql_relation *rel, const ag_sql_relation *parent)
{
	for (size_t i = 0; i < rel->nparent; i++)
		if (ag_str_eq(rel->parents[i].name, parent->name.name) &&
		    ag_str_eq(rel->parents[i].schema, parent->name.schema))
			return true;
	return false;
}

/* Downwards: what the relation's rows come from. */
static bool check_reads(reach *r, const ag_sql_relation *rel, bool is_shown, bool only)
{
	if (rel->kind == AG_SQL_VIEW || rel->kind == AG_SQL_MATVIEW || rel->nread)
		r->v->reads_views = true;
	for (size_t i = 0; i < rel->nread; i++)
		if (!add_name(r, rel->reads[i], is_shown))
			return false;
	for (size_t i = 0; i < r->catalog->nrelation && !only; i++) {
		const ag_sql_relation *child = &r->catalog->relations[i];

		if (!child->nparent || !has_parent(child, rel))
			continue;
		r->v->reads_views = true;
		if (child->kind == AG_SQL_SEQUENCE) /* owned, not read */
			continue;
		if (!add_name(r, child->name, is_shown || child->is_partition))
			return false;
	}
	return true;
}

/* Upwards: a part of what is excluded is excluded. Parents of parents, without a list: they are few. */
static bool check_parents(reach *r, const ag_sql_relation *rel, unsigned depth)
{
	for (size_t i = 0; i < rel->nparent && depth < 64; i++) {
		const ag_sql_name up = rel->parents[i];
		const ag_sql_relation *parent = ag_sql_catalog_relation(r->catalog, up.schema,
		                                                        up.name);

		r->v->reads_views = true;
		if (is_excluded(r->policy, up.schema, up.name))
			return ag_sql_refuse(r->v, r->arena, AG_SQLRULE_TABLE,
			                     "Access to table %.*s is not permitted: it is a part "
			                     "of %.*s",
			                     AG_FMT(r->asked),
			                     AG_FMT(shown(r->policy, r->arena, up.schema,
			                                  up.name)));
		/* A sequence is as open as the table whose numbers it gives. */
		if (rel->kind == AG_SQL_SEQUENCE && !ag_sql_is_schema_allowed(r->policy, up.schema))
			return refuse_schema(r);
		if (parent && !check_parents(r, parent, depth + 1))
			return false;
	}
	return true;
}

/* The verdict holds only as long as these are what the catalog says. */
static void rely_on(reach *r)
{
	ag_sql_verdict *v = r->v;
	uint32_t *all = ag_new_n(r->arena, uint32_t, v->nrelation + r->n);
	size_t n = v->nrelation;

	if (n)
		memcpy(all, v->relations, n * sizeof(*all));
	for (size_t i = 0; i < r->n; i++) {
		const ag_sql_relation *rel = r->seen[i].relation;
		size_t k = 0;

		while (k < n && all[k] != rel->oid)
			k++;
		if (k < n || !rel->oid)
			continue;
		all[n++] = rel->oid;
		v->mark += rel->mark;
	}
	v->relations = all;
	v->nrelation = n;
}

static bool check_reach(const ag_sql_policy *p, const ag_sql_catalog *c, ag_str schema, ag_str name,
                        bool only, ag_arena *arena, ag_sql_verdict *v)
{
	const ag_sql_relation *start = ag_sql_catalog_relation(c, schema, name);
	reached seen[MAX_RELATIONS];
	reach r = { p, c, arena, v, shown(p, arena, schema, name), seen, 0 };

	if (!start) {
		/* The server will say that it does not exist; or it is newer than the snapshot. */
		v->has_unknown = c != NULL;
		return true;
	}
	/* A list of tables: what is on it shows what it reads. */
	AG_IGNORE(add(&r, start, p->nallowed_table > 0), "the first fits");
	for (size_t i = 0; i < r.n; i++)
		if (!check_parents(&r, seen[i].relation, 0) || !check_code(&r, seen[i].relation) ||
		    !check_reads(&r, seen[i].relation, seen[i].is_shown, only && i == 0))
			return false;
	rely_on(&r);
	return true;
}

bool ag_sql_policy_relation(const ag_sql_policy *p, const ag_sql_catalog *c, ag_str schema,
                            ag_str name, bool only, ag_arena *arena, ag_sql_verdict *v)
{
	const ag_str home = ag_sql_policy_schema(p);

	if (is_system(p, schema, name))
		return ag_sql_refuse(v, arena, AG_SQLRULE_SYSTEM,
		                     "Access to the system catalog %.*s%s%.*s is not permitted",
		                     AG_FMT(schema), schema.len ? "." : "", AG_FMT(name)) ||
		       ag_sql_refuse_hint(v, arena,
		                          "the structure of tables is given by list_tables and "
		                          "describe_table");
	if (!schema.len)
		schema = home;
	if (is_excluded(p, schema, name) ||
	    (p->nallowed_table && !is_listed(p, schema, name) && !is_view_listed(p, schema, name)))
		return ag_sql_refuse(v, arena, AG_SQLRULE_TABLE,
		                     "Access to table %.*s is not permitted",
		                     AG_FMT(shown(p, arena, schema, name)));
	/* A table on the list was named with its schema, or is of the policy's own. */
	if (!p->nallowed_table && !ag_sql_is_schema_allowed(p, schema) &&
	    !is_view_listed(p, schema, name))
		return ag_sql_refuse(v, arena, AG_SQLRULE_SCHEMA,
		                     "Access to schema %.*s is not permitted (table %.*s)",
		                     AG_FMT(schema), AG_FMT(name)) ||
		       ag_sql_refuse_hint(v, arena, "tables of schema %.*s can be read",
		                          AG_FMT(home));
	return !c || check_reach(p, c, schema, name, only, arena, v);
}

bool ag_sql_policy_table(const ag_sql_policy *p, const ag_sql_catalog *c, ag_str schema,
                         ag_str name, ag_arena *arena, ag_sql_verdict *v)
{
	return ag_sql_policy_relation(p, c, schema, name, false, arena, v);
}

/* --- functions --- */

bool ag_sql_is_function_listed(const ag_sql_policy *p, ag_str schema, ag_str name)
{
	for (size_t i = 0; i < p->nallowed_function; i++)
		if (ag_sql_entry_matches(p->allowed_functions[i], ag_sql_policy_schema(p), schema,
		                         name, p->dialect == AG_SQL_SQLITE, false))
			return true;
	return false;
}

/* Functions of users that hide or overload a built-in one: those in the schemas where names without one are looked up. */
static bool is_overloaded(const ag_sql_policy *p, const ag_sql_catalog *c, ag_str name)
{
	size_t n;
	const ag_sql_function *f = ag_sql_catalog_functions(c, name, &n);

	for (size_t i = 0; i < n; i++)
		if (ag_str_eqc(f[i].name.schema, "public") ||
		    ag_sql_is_schema_allowed(p, f[i].name.schema))
			return true;
	return false;
}

bool ag_sql_is_extension_allowed(const ag_sql_policy *p, ag_str extension)
{
	if (!extension.len)
		return false;
	for (size_t i = 0; i < p->nallowed_extension; i++)
		if (ag_sql_entry_matches(p->allowed_extensions[i], AG_S(""), AG_S(""), extension,
		                         false, false))
			return true;
	for (size_t i = 0; i < p->nallowed_type; i++)
		if (ag_sql_entry_matches(p->allowed_types[i], AG_S(""), AG_S(""), extension, false,
		                         false))
			return true;
	return false;
}

bool ag_sql_is_of_extension(const ag_sql_policy *p, const ag_sql_catalog *c, ag_str schema,
                            ag_str name)
{
	size_t n, found = 0;
	const ag_sql_function *f = ag_sql_catalog_functions(c, name, &n);

	if (ag_sql_function_known(p->dialect, name, NULL) == AG_SQL_DANGEROUS)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!ag_str_eq(f[i].name.schema, schema))
			continue;
		if (!ag_sql_extension_has(f[i].extension, name) &&
		    (!ag_sql_is_extension_allowed(p, f[i].extension) ||
		     ag_sql_extension_refused(f[i].extension)))
			return false;
		found++;
	}
	return found > 0;
}

static bool refuse_function(const ag_sql_policy *p, ag_arena *arena, ag_str schema, ag_str name,
                            ag_sql_verdict *v)
{
	const char *const dot = schema.len ? "." : "";

	ag_sql_refuse(v, arena, AG_SQLRULE_UNKNOWN_FUNCTION, "Function %.*s%s%.*s is not allowed",
	              AG_FMT(schema), dot, AG_FMT(name));
	(void)p;
	return ag_sql_refuse_hint(v, arena,
	                          "use built-in functions; a project can allow one of its own in "
	                          "allowed_functions");
}

bool ag_sql_policy_function(const ag_sql_policy *p, const ag_sql_catalog *c, ag_str schema,
                            ag_str name, ag_arena *arena, ag_sql_verdict *v)
{
	const bool is_system = ag_str_eqc(schema, "pg_catalog");
	const char *why = NULL;
	ag_sql_known known;

	if (schema.len && !is_system)
		return ag_sql_is_function_listed(p, schema, name) ||
		       ag_sql_is_of_extension(p, c, schema, name) ||
		       refuse_function(p, arena, schema, name, v);
	known = ag_sql_function_known(p->dialect, name, &why);
	if (known != AG_SQL_UNKNOWN && ag_sql_is_function_listed(p, AG_S("pg_catalog"), name))
		return true; /* named with its schema: it is meant */
	if (known == AG_SQL_DANGEROUS)
		return ag_sql_refuse(v, arena, AG_SQLRULE_FUNCTION,
		                     "Function %.*s is not allowed%s%s", AG_FMT(name),
		                     !why                                        ? ""
		                     : ag_str_starts(ag_str_c(why), AG_S("an ")) ? ": it is "
		                                                                 : ": it ",
		                     why ? why : "");
	if (is_system)
		return known == AG_SQL_HARMLESS || refuse_function(p, arena, schema, name, v);
	if (ag_sql_is_function_listed(p, ag_sql_policy_schema(p), name) ||
	    ag_sql_is_of_extension(p, c, ag_sql_policy_schema(p), name))
		return true;
	if (known == AG_SQL_UNKNOWN)
		return refuse_function(p, arena, schema, name, v);
	if (!is_overloaded(p, c, name))
		return true;
	ag_sql_refuse(
		v, arena, AG_SQLRULE_UNKNOWN_FUNCTION,
		"Function %.*s is not allowed: this database has one of its own with that name",
		AG_FMT(name));
	return ag_sql_refuse_hint(v, arena, "write pg_catalog.%.*s for the built-in one",
	                          AG_FMT(name));
}
