/* postgres_catalog -- the guard's snapshot of a PostgreSQL database, in one statement.
 *
 * Rows of all kinds come in one answer, told apart by their first cell: one round trip, and one moment of the database.
 * Lists of names inside a cell are written by quote_ident(), so that no name can look like two. Sorted here, bytewise: the
 * server sorts by its locale.
 *
 * What must not be missing: views and parts of other tables, of whatever schema, because the guard takes a relation that it
 * does not find for one that reads nothing. So those of the policy's schemas come first, then views and parts, then plain
 * tables of other schemas, which alone may be cut off at MAX_RELATIONS; a database with more of the others is refused. Columns
 * are given for the first 5,000: a field of a later one is unknown to the guard.
 *
 * pg_depend knows which relations a view reads, but not the oldest catalogs of the system (they are pinned): those are found in
 * the view's own tree. What a function reads, nobody knows. */
#include <stdlib.h>

#include "source/dictionary_parts.h"
#include "source/postgres.h"

#define MAX_RELATIONS 20000u
#define MAX_OTHERS \
	20000u /* functions, operators, types: of each kind; a database with more is refused */

/* $1 the policy's schemas. A type of pg_catalog is told when somebody defined a cast from or to it: "1::int4" may then run
 * a function. Members of extensions are no user's: citext's "=" and max(citext) are as harmless as the built-in ones that
 * they overload; what is new in an extension stays in the list. 12 is the language "internal", in which range types are made; from 16384 on objects are the users'. The
 * limits are one above the constants: so it is seen when there is more. */
static const char catalog_sql[] =
	"WITH user_schema AS MATERIALIZED ("
	" SELECT oid, nspname::text AS name FROM pg_namespace"
	" WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'),"
	" member AS MATERIALIZED ("
	" SELECT classid, objid FROM pg_depend WHERE deptype = 'e'),"
	" rel AS MATERIALIZED ("
	" SELECT x.*, row_number() OVER () AS nr FROM ("
	" SELECT c.oid, s.name AS schema, c.relname::text AS name, c.relkind,"
	" CASE WHEN s.name = ANY ($1::text[]) THEN 1"
	" WHEN c.relkind IN ('v', 'm') OR i.inhrelid IS NOT NULL THEN 2 ELSE 3 END AS rank"
	" FROM pg_class c JOIN user_schema s ON s.oid = c.relnamespace"
	" LEFT JOIN (SELECT DISTINCT inhrelid FROM pg_inherits) i ON i.inhrelid = c.oid"
	" WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')"
	" ORDER BY rank, array_position($1::text[], s.name), c.relispartition, c.oid LIMIT 20001) x),"
	" cast_type AS MATERIALIZED ("
	" SELECT DISTINCT t.oid FROM pg_cast k JOIN pg_proc p ON p.oid = k.castfunc"
	" CROSS JOIN LATERAL (VALUES (k.castsource), (k.casttarget)) AS t (oid)"
	" WHERE k.oid >= 16384 AND p.prolang <> 12 AND NOT EXISTS (SELECT FROM member m"
	"  WHERE m.classid = 'pg_cast'::regclass AND m.objid = k.oid))"
	" SELECT 'd', current_database()::text, current_setting('server_version_num'), NULL, NULL, NULL, NULL"
	" UNION ALL"
	" SELECT 'r', r.schema, r.name, r.relkind::text,"
	" CASE WHEN r.nr <= 5000 THEN"
	" (SELECT string_agg(quote_ident(a.attname), ',' ORDER BY a.attnum) FROM pg_attribute a"
	"  WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped) END,"
	" CASE WHEN r.relkind IN ('v', 'm') THEN"
	" (SELECT string_agg(DISTINCT quote_ident(n.nspname) || '.' || quote_ident(c.relname), ',')"
	"  FROM pg_rewrite w CROSS JOIN LATERAL ("
	"   SELECT d.refobjid FROM pg_depend d WHERE d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid"
	"   AND d.refclassid = 'pg_class'::regclass"
	"   UNION SELECT m[1]::oid FROM regexp_matches(w.ev_action::text, ':relid (\\d+)', 'g') AS m) AS d (refobjid)"
	"  JOIN pg_class c ON c.oid = d.refobjid JOIN pg_namespace n ON n.oid = c.relnamespace"
	"  WHERE w.ev_class = r.oid AND w.ev_type = '1' AND c.oid <> r.oid"
	"  AND c.relkind IN ('r', 'p', 'v', 'm', 'f')) END,"
	" CASE WHEN r.rank = 3 THEN r.rank::text ELSE"
	" (SELECT string_agg(quote_ident(n.nspname) || '.' || quote_ident(c.relname), ',')"
	"  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent JOIN pg_namespace n ON n.oid = c.relnamespace"
	"  WHERE i.inhrelid = r.oid) END"
	" FROM rel r"
	" UNION ALL"
	" (SELECT DISTINCT 'f', s.name, p.proname::text, NULL, NULL, NULL, NULL"
	" FROM pg_proc p JOIN user_schema s ON s.oid = p.pronamespace"
	" WHERE NOT (EXISTS (SELECT FROM member m WHERE m.classid = 'pg_proc'::regclass AND m.objid = p.oid)"
	"  AND EXISTS (SELECT FROM pg_proc b WHERE b.proname = p.proname AND b.pronamespace = 'pg_catalog'::regnamespace))"
	" LIMIT 20001)"
	" UNION ALL"
	" (SELECT DISTINCT 'o', s.name, o.oprname::text, NULL, NULL, NULL, NULL"
	" FROM pg_operator o JOIN user_schema s ON s.oid = o.oprnamespace"
	" WHERE NOT EXISTS (SELECT FROM member m WHERE m.classid = 'pg_operator'::regclass AND m.objid = o.oid)"
	" LIMIT 20001)"
	" UNION ALL"
	" (SELECT 't', n.nspname::text, t.typname::text, t.typtype::text,"
	" CASE WHEN t.typtype = 'c' THEN"
	" (SELECT string_agg(quote_ident(a.attname), ',' ORDER BY a.attnum) FROM pg_attribute a"
	"  WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped) END,"
	" CASE WHEN x.oid IS NOT NULL THEN 't' END, NULL"
	" FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_class c ON c.oid = t.typrelid"
	" LEFT JOIN cast_type x ON x.oid = t.oid"
	" WHERE (n.oid IN (SELECT oid FROM user_schema) OR x.oid IS NOT NULL)"
	" AND NOT (t.typcategory = 'A' AND t.typelem <> 0) AND (t.typtype <> 'c' OR c.relkind = 'c') LIMIT 20001)";

enum { KIND, SCHEMA, NAME, WHAT, COLUMNS, READS, PARENTS, NCELL };

/* --- lists inside a cell --- */

static size_t count_items(ag_str list)
{
	size_t n = list.len > 0;
	bool in_quotes = false;

	for (size_t i = 0; i < list.len; i++) {
		in_quotes ^= list.ptr[i] == '"';
		n += !in_quotes && list.ptr[i] == ',';
	}
	return n;
}

/* One name off the front, with the comma or dot behind it. */
static ag_str take_ident(ag_str *rest, ag_arena *arena)
{
	size_t i = 0, n = 0;
	ag_str name;
	char *out;

	if (rest->len == 0 || rest->ptr[0] != '"') {
		while (i < rest->len && rest->ptr[i] != ',' && rest->ptr[i] != '.')
			i++;
		name = ag_str_make(rest->ptr, i);
	} else {
		out = ag_arena_alloc(arena, rest->len);
		for (i = 1; i < rest->len; i++) {
			if (rest->ptr[i] == '"' && (i + 1 == rest->len || rest->ptr[i + 1] != '"'))
				break;
			i += rest->ptr[i] == '"';
			out[n++] = rest->ptr[i];
		}
		i += i < rest->len; /* the quote */
		name = ag_str_make(out, n);
	}
	i += i < rest->len; /* what separates */
	rest->ptr += i;
	rest->len -= i;
	return name;
}

static const ag_str *idents(ag_str list, ag_arena *arena, size_t *ret_n)
{
	ag_str *s;

	*ret_n = count_items(list);
	s = ag_new_n(arena, ag_str, *ret_n);
	for (size_t i = 0; i < *ret_n; i++)
		s[i] = take_ident(&list, arena);
	return s;
}

static const ag_sql_name *names(ag_str list, ag_arena *arena, size_t *ret_n)
{
	ag_sql_name *s;

	*ret_n = count_items(list);
	s = ag_new_n(arena, ag_sql_name, *ret_n);
	for (size_t i = 0; i < *ret_n; i++) {
		s[i].schema = take_ident(&list, arena);
		s[i].name = take_ident(&list, arena);
	}
	return s;
}

/* --- rows --- */

typedef struct filler {
	ag_arena *arena;
	ag_sql_relation *relations;
	ag_sql_name *functions, *operators;
	ag_sql_type *types;
	bool is_cut; /* there are others than plain tables of other schemas beyond the limits */
} filler;

static ag_sql_relation_kind relation_kind(char c)
{
	switch (c) {
	case 'p': return AG_SQL_PARTITIONED;
	case 'v': return AG_SQL_VIEW;
	case 'm': return AG_SQL_MATVIEW;
	case 'f': return AG_SQL_FOREIGN;
	default: return AG_SQL_TABLE;
	}
}

static void take_relation(filler *f, const ag_str *cell, ag_sql_catalog *ret)
{
	bool is_plain = ag_str_eqc(cell[PARENTS], "3"); /* no name is: it has a dot */
	ag_sql_relation *r = &f->relations[ret->nrelation];

	if (ret->nrelation == MAX_RELATIONS) {
		f->is_cut |= !is_plain;
		return;
	}
	ret->nrelation++;
	r->name = (ag_sql_name){ cell[SCHEMA], cell[NAME] };
	r->kind = relation_kind(cell[WHAT].ptr[0]);
	r->columns = idents(cell[COLUMNS], f->arena, &r->ncolumn);
	r->reads = names(cell[READS], f->arena, &r->nread);
	if (!is_plain)
		r->parents = names(cell[PARENTS], f->arena, &r->nparent);
}

static void take_type(filler *f, const ag_str *cell, ag_sql_catalog *ret)
{
	ag_sql_type *t = &f->types[ret->ntype++];

	t->name = (ag_sql_name){ cell[SCHEMA], cell[NAME] };
	t->kind = cell[WHAT].ptr[0] == 'm'
	                  ? 'r'
	                  : cell[WHAT].ptr[0]; /* a multirange belongs to its range */
	t->attributes = idents(cell[COLUMNS], f->arena, &t->nattribute);
	t->has_cast = cell[READS].len > 0;
}

static void take_row(filler *f, const ag_str *cell, ag_sql_catalog *ret)
{
	int64_t version = 0;

	switch (cell[KIND].ptr[0]) {
	case 'd':
		ret->database = cell[SCHEMA];
		AG_IGNORE(!ag_str_to_i64(cell[NAME], &version), "0 = unknown");
		ret->server = (unsigned)version;
		break;
	case 'r': take_relation(f, cell, ret); break;
	case 'f': f->functions[ret->nfunction++] = (ag_sql_name){ cell[SCHEMA], cell[NAME] }; break;
	case 'o': f->operators[ret->noperator++] = (ag_sql_name){ cell[SCHEMA], cell[NAME] }; break;
	case 't': take_type(f, cell, ret); break;
	default: break;
	}
}

static int by_schema(const void *a, const void *b)
{
	const ag_sql_relation *x = a, *y = b;
	int c = ag_str_cmp(x->name.schema, y->name.schema);

	return c ? c : ag_str_cmp(x->name.name, y->name.name);
}

/* ag_sql_type begins with its name. */
static int by_name(const void *a, const void *b)
{
	const ag_sql_name *x = a, *y = b;
	int c = ag_str_cmp(x->name, y->name);

	return c ? c : ag_str_cmp(x->schema, y->schema);
}

static size_t count_kind(const ag_pg_table *t, char kind)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nrow; i++)
		n += ag_pg_cell(t, i, KIND).ptr[0] == kind;
	return n;
}

static bool fill(const ag_pg_table *t, ag_arena *arena, ag_sql_catalog *ret)
{
	size_t nr = count_kind(t, 'r'), nf = count_kind(t, 'f'), no = count_kind(t, 'o'),
	       nt = count_kind(t, 't');
	filler f = { .arena = arena,
		     .is_cut = nf > MAX_OTHERS || no > MAX_OTHERS || nt > MAX_OTHERS };

	f.relations = ag_new_n(arena, ag_sql_relation, nr);
	f.functions = ag_new_n(arena, ag_sql_name, nf);
	f.operators = ag_new_n(arena, ag_sql_name, no);
	f.types = ag_new_n(arena, ag_sql_type, nt);
	for (size_t i = 0; i < t->nrow; i++)
		take_row(&f, &t->cell[i * t->ncolumn], ret);
	qsort(f.relations, ret->nrelation, sizeof(*f.relations), by_schema);
	qsort(f.functions, ret->nfunction, sizeof(*f.functions), by_name);
	qsort(f.operators, ret->noperator, sizeof(*f.operators), by_name);
	qsort(f.types, ret->ntype, sizeof(*f.types), by_name);
	ret->relations = f.relations;
	ret->functions = f.functions;
	ret->operators = f.operators;
	ret->types = f.types;
	return !f.is_cut;
}

/* --- the statement --- */

/* {"public","my \"schema\""}: an array as PostgreSQL reads it. */
void ag_pg_array_add(ag_buf *b, ag_str s)
{
	ag_buf_adds(b, b->len > 1 ? ",\"" : "\"");
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '"' || s.ptr[i] == '\\')
			ag_buf_addc(b, '\\');
		ag_buf_addc(b, s.ptr[i]);
	}
	ag_buf_addc(b, '"');
}

ag_str ag_pg_schemas(const ag_sql_policy *p, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(256u * 1024);
	ag_str schema, name, ret;

	ag_buf_addc(&b, '{');
	ag_pg_array_add(&b, p->schema.len ? p->schema : AG_S("public"));
	for (size_t i = 0; i < p->nallowed_schema; i++) {
		if (ag_dictionary_parts(p->allowed_schemas[i], true, arena, &schema, &name) &&
		    !schema.ptr)
			ag_pg_array_add(&b, name);
	}
	for (size_t i = 0; i < p->nallowed_table; i++) {
		if (ag_dictionary_parts(p->allowed_tables[i], true, arena, &schema, &name) &&
		    schema.ptr)
			ag_pg_array_add(&b, schema);
	}
	ag_buf_addc(&b, '}');
	ret = b.failed ? AG_S("{}") : ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

ag_status ag_pg_catalog(ag_sql_impl *impl, const ag_ctx *ctx, ag_arena *arena, ag_sql_catalog *ret,
                        ag_sql_failure *ret_failure, ag_err *err)
{
	ag_str schemas = ag_pg_schemas(&ag_pg_opts(impl)->policy, arena);
	ag_sql_catalog c = { 0 };
	ag_pg_table t;
	ag_status st = ag_pg_rows(impl, ctx, catalog_sql, &schemas, 1, arena, &t, ret_failure, err);

	if (st || ret_failure->code)
		return st;
	AG_ASSERT(t.ncolumn == NCELL);
	if (!fill(&t, arena, &c)) {
		*ret_failure = (ag_sql_failure){
			.code = AG_SQLCODE_SCHEMA,
			.class_name = "resource",
			.message = AG_S(
				"the database has more views, partitions, functions or types than the guard looks at"),
			.hint = AG_S(
				"give Argus a database of its own for reading, with fewer of them"),
		};
		return AG_OK;
	}
	*ret = c;
	return AG_OK;
}
