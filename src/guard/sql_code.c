/* sql_code -- code of users that a statement could run without naming it: by types and casts, and inside of views.
 *
 * A function that the statement names is judged where it is named (sql_policy.c). The server calls others by itself: the
 * CHECK of a domain when a value becomes one, the function of a cast, of a range, of a base type, of an operator class. For
 * all of them the same holds: built-in ones and those of extensions may run, but for a few kinds; those of users only when the
 * project lists them in allowed_functions. */
#include "guard/sql_policy.h"

#define MAX_DEPTH 32u /* of types inside of types */

enum { OID_JSON = 114, OID_JSONB = 3802 };

/* Built-in functions and those of extensions that would undo the policy wherever they run. */
static bool is_powerful(const ag_sql_policy *p, ag_str name)
{
	static const char *const reasons[] = {
		"runs SQL that is given as text",
		"reads or writes files of the server",
		"reaches other servers",
		"reads or writes large objects",
	};
	const char *why = NULL;

	if (ag_sql_function_known(p->dialect, name, &why) != AG_SQL_DANGEROUS)
		return false;
	for (size_t i = 0; i < AG_NELEM(reasons); i++)
		if (why && strcmp(why, reasons[i]) == 0)
			return true;
	return false;
}

bool ag_sql_may_run(const ag_sql_policy *p, const ag_sql_catalog *c, ag_sql_name function)
{
	size_t n;
	const ag_sql_function *f;

	if (ag_sql_is_function_listed(p, function.schema, function.name))
		return true;
	if (is_powerful(p, function.name))
		return false;
	if (ag_str_eqc(function.schema, "pg_catalog"))
		return true;
	f = ag_sql_catalog_functions(c, function.name, &n);
	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(f[i].name.schema, function.schema))
			return f[i].extension.len > 0;
	/* Not in the list: a member of an extension that overloads a built-in name. */
	return true;
}

const ag_sql_name *ag_sql_first_refused(const ag_sql_policy *p, const ag_sql_catalog *c,
                                        const ag_sql_name *functions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!ag_sql_may_run(p, c, functions[i]))
			return &functions[i];
	return NULL;
}

bool ag_sql_is_type_listed(const ag_sql_policy *p, const ag_sql_type *t)
{
	for (size_t i = 0; i < p->nallowed_type; i++)
		if (ag_sql_entry_matches(p->allowed_types[i], ag_sql_policy_schema(p),
		                         t->name.schema, t->name.name, false, false))
			return true;
	return ag_sql_is_extension_allowed(p, t->extension);
}

/* regproc, regprocedure, regoper, regoperator, regclass, regtype, regnamespace, regrole, regcollation, and their arrays. The
 * two of full text search name nothing that a policy hides. */
static bool names_objects(uint32_t oid)
{
	static const uint16_t oids[] = { 24,   1008, 2202, 2203, 2204, 2205, 2206, 2207, 2208,
		                         2209, 2210, 2211, 4089, 4090, 4096, 4097, 4191, 4192 };

	for (size_t i = 0; i < AG_NELEM(oids); i++)
		if (oids[i] == oid)
			return true;
	return false;
}

typedef struct looking {
	const ag_sql_policy *policy;
	const ag_sql_catalog *catalog;
	ag_sql_danger *found;
} looking;

static void look(looking *l, uint32_t oid, bool is_inside, bool is_converted, unsigned depth);

static void look_at_casts(looking *l, uint32_t oid, bool is_converted)
{
	const ag_sql_catalog *c = l->catalog;

	for (size_t i = 0; i < c->ncast; i++) {
		const ag_sql_cast *k = &c->casts[i];

		if ((k->source != oid && k->target != oid) ||
		    ag_sql_may_run(l->policy, c, k->function))
			continue;
		if (k->source == oid && (k->target == OID_JSON || k->target == OID_JSONB))
			l->found->to_json = &k->function;
		if (is_converted && k->is_implicit)
			l->found->converts = &k->function;
		else if (is_converted)
			l->found->casts = &k->function;
	}
}

static void look_at_type(looking *l, const ag_sql_type *t, bool is_inside, bool is_converted,
                         unsigned depth)
{
	const ag_sql_name *runs, *compares;

	if (ag_sql_is_type_listed(l->policy, t))
		return;
	runs = ag_sql_first_refused(l->policy, l->catalog, t->runs, t->nrun);
	compares = ag_sql_first_refused(l->policy, l->catalog, t->compares, t->ncompare);
	if (compares)
		l->found->compares = compares;
	if (runs && t->kind == 'b')
		l->found->reads = runs;
	if (runs && t->kind != 'b') {
		l->found->makes = runs;
		l->found->is_inside |= is_inside || t->kind == 'r';
	}
	if (t->kind != 'd' && t->oid) /* the server passes over casts of domains */
		look_at_casts(l, t->oid, is_converted);
	for (size_t i = 0; i < t->npart; i++)
		look(l, t->parts[i], is_inside || t->kind != 'd', is_converted && t->kind == 'd',
		     depth + 1);
}

/* is_inside: of an array or a row. is_converted: a cast of this type would be used for the whole value. */
static void look(looking *l, uint32_t oid, bool is_inside, bool is_converted, unsigned depth)
{
	static const ag_sql_name too_deep = { AG_S_INIT("pg_catalog"), AG_S_INIT("?") };
	const ag_sql_type_ref *ref = ag_sql_catalog_type(l->catalog, oid);
	const ag_sql_relation *r;

	l->found->names_objects |= names_objects(oid);
	if (!ref)
		return;
	if (depth == MAX_DEPTH) {
		l->found->reads = &too_deep;
		return;
	}
	is_inside |= ref->is_array;
	if (!ref->is_row) {
		look_at_type(l, &l->catalog->types[ref->index], is_inside, is_converted, depth);
		return;
	}
	r = &l->catalog->relations[ref->index];
	look_at_casts(l, r->row_type, is_converted);
	for (size_t i = 0; r->column_types && i < r->ncolumn; i++)
		look(l, r->column_types[i], true, false, depth + 1);
}

void ag_sql_danger_of(const ag_sql_policy *p, const ag_sql_catalog *c, uint32_t type,
                      ag_sql_danger *ret)
{
	looking l = { .policy = p, .catalog = c };

	*ret = (ag_sql_danger){ 0 };
	l.found = ret;
	if (c)
		look(&l, type, false, true, 0);
}

void ag_sql_danger_of_type(const ag_sql_policy *p, const ag_sql_catalog *c, const ag_sql_type *type,
                           ag_sql_danger *ret)
{
	looking l = { .policy = p, .catalog = c };

	*ret = (ag_sql_danger){ 0 };
	l.found = ret;
	look_at_type(&l, type, false, true, 0);
}
