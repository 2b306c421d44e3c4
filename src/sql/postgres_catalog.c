/* postgres_catalog -- the guard's snapshot of a PostgreSQL database, in one statement.
 *
 * Rows of all kinds come in one answer; their first cell says the kind: one round trip, and one moment of the database.
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

#include "sql/dictionary_parts.h"
#include "sql/postgres.h"
#include "sql/postgres_fresh.h"

#define MAX_RELATIONS 20000u
#define MAX_OTHERS \
	20000u /* functions, operators, types: of each kind; a database with more is refused */

/* $1 the policy's schemas. A function is trusted when it is a member of an extension and only a superuser can have made it:
 * ALTER EXTENSION makes any function a member. 12 and 13 are the languages "internal" and C; from 16384 on objects are the
 * users'. The limits are one above the constants: so it is seen when there is more.
 *
 * Numbers become texts by concat(): a user may have defined a cast from integer to text, whose function would run here.
 *
 * "own": what users wrote. "code": functions that an object runs, of users, and volatile built-in ones (of those the guard
 * refuses the ones that run SQL given as text, read files and the like). pg_depend knows the first kind, for views and for
 * CHECK constraints of domains; the second kind is found in the trees themselves. */
static const char catalog_sql[] =
	"WITH user_schema AS MATERIALIZED ("
	" SELECT oid, nspname::text AS name FROM pg_namespace"
	" WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'),"
	" member AS MATERIALIZED ("
	" SELECT d.classid, d.objid, e.extname::text AS extension FROM pg_depend d"
	" JOIN pg_extension e ON e.oid = d.refobjid"
	" WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass),"
	" trusted AS MATERIALIZED ("
	" SELECT p.oid, m.extension FROM pg_proc p JOIN member m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid"
	" WHERE p.prolang IN (12, 13) OR p.proowner IN (SELECT oid FROM pg_roles WHERE rolsuper)),"
	" own AS MATERIALIZED ("
	" SELECT p.oid, quote_ident(n.nspname) || '.' || quote_ident(p.proname) AS name"
	" FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
	" WHERE (p.oid >= 16384 AND p.oid NOT IN (SELECT oid FROM trusted)"
	"  AND NOT (p.prolang = 12 AND p.prosrc ~ '^(multi)?range_constructor[0-3]$'))"
	" OR (p.oid < 16384 AND (p.provolatile = 'v' OR p.proname ~ '_to_xml'))"
	" OR (p.oid IN (SELECT oid FROM trusted) AND p.provolatile = 'v')),"
	" rel AS MATERIALIZED ("
	" SELECT x.*, row_number() OVER () AS nr FROM ("
	" SELECT c.oid, s.name AS schema, c.relname::text AS name, c.relkind, c.relispartition, c.reltype,"
	" hashtext(concat(c.oid, ',', c.xmin)) AS mark,"
	" CASE WHEN s.name = ANY ($1::text[]) THEN 1"
	" WHEN c.relkind IN ('v', 'm') OR i.inhrelid IS NOT NULL THEN 2 ELSE 3 END AS rank"
	" FROM pg_class c JOIN user_schema s ON s.oid = c.relnamespace"
	" LEFT JOIN (SELECT DISTINCT inhrelid FROM pg_inherits) i ON i.inhrelid = c.oid"
	" WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') OR (c.relkind = 'S' AND s.name = ANY ($1::text[]))"
	" ORDER BY rank, array_position($1::text[], s.name), c.relispartition, c.oid LIMIT 20001) x),"
	/* what a view's query or a domain's CHECK depends on */
	" tree AS MATERIALIZED ("
	" SELECT 'pg_rewrite'::regclass AS classid, w.oid, w.ev_class AS of, w.ev_action::text AS text"
	" FROM pg_rewrite w WHERE w.ev_type = '1' AND w.ev_class IN (SELECT oid FROM rel WHERE relkind IN ('v', 'm'))"
	" UNION ALL SELECT 'pg_constraint'::regclass, k.oid, k.contypid, k.conbin::text"
	" FROM pg_constraint k WHERE k.contypid >= 16384 AND k.contype = 'c'),"
	" needs AS MATERIALIZED ("
	" SELECT t.classid, t.of, d.refclassid, d.refobjid FROM tree t"
	" JOIN pg_depend d ON d.classid = t.classid AND d.objid = t.oid"
	" UNION SELECT t.classid, t.of, CASE m[1] WHEN 'relid' THEN 'pg_class'::regclass ELSE 'pg_proc'::regclass END,"
	" m[2]::oid FROM tree t CROSS JOIN LATERAL"
	" regexp_matches(t.text, ':(relid|funcid|aggfnoid|winfnoid|opfuncid) (\\d+)', 'g') AS m),"
	" code AS MATERIALIZED ("
	" SELECT n.classid, n.of, string_agg(DISTINCT o.name, ',') AS names FROM needs n"
	" LEFT JOIN pg_operator op ON n.refclassid = 'pg_operator'::regclass AND op.oid = n.refobjid"
	" JOIN own o ON o.oid = COALESCE(op.oprcode::oid, CASE WHEN n.refclassid = 'pg_proc'::regclass THEN n.refobjid END)"
	" GROUP BY 1, 2),"
	" class_code AS MATERIALIZED ("
	" SELECT k.opcintype AS type, string_agg(DISTINCT o.name, ',') AS names"
	" FROM pg_opclass k JOIN pg_amproc a ON a.amprocfamily = k.opcfamily JOIN own o ON o.oid = a.amproc"
	" WHERE k.oid >= 16384 AND k.opcdefault GROUP BY 1),"
	" range_code AS MATERIALIZED ("
	" SELECT r.rngtypid AS type, string_agg(DISTINCT o.name, ',') AS names FROM pg_range r"
	" LEFT JOIN pg_amproc a ON r.rngsubopc >= 16384"
	" AND a.amprocfamily = (SELECT opcfamily FROM pg_opclass WHERE oid = r.rngsubopc)"
	" JOIN own o ON o.oid IN (r.rngcanonical, r.rngsubdiff, a.amproc) GROUP BY 1),"
	/* cells: kind, schema, name, what, columns, reads, parents, oids, types, runs, uses, mark */
	" answer AS ("
	" SELECT 'd', current_database()::text, current_setting('server_version_num'), NULL,"
	" " AG_POSTGRES_MOMENT_SQL ", " AG_POSTGRES_STATE_SQL ", NULL, NULL, NULL, NULL, NULL, NULL"
	" UNION ALL"
	" SELECT 'r', r.schema, r.name, r.relkind::text,"
	" CASE WHEN r.nr <= 5000 THEN"
	" (SELECT string_agg(quote_ident(a.attname), ',' ORDER BY a.attnum) FROM pg_attribute a"
	"  WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped) END,"
	" CASE WHEN r.relkind IN ('v', 'm') THEN"
	" (SELECT string_agg(DISTINCT quote_ident(n.nspname) || '.' || quote_ident(c.relname), ',')"
	"  FROM needs d JOIN pg_class c ON c.oid = d.refobjid JOIN pg_namespace n ON n.oid = c.relnamespace"
	"  WHERE d.classid = 'pg_rewrite'::regclass AND d.of = r.oid AND d.refclassid = 'pg_class'::regclass"
	"  AND c.oid <> r.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')) END,"
	" CASE WHEN r.relkind = 'S' THEN"
	" (SELECT string_agg(quote_ident(n.nspname) || '.' || quote_ident(c.relname), ',')"
	"  FROM pg_depend d JOIN pg_class c ON c.oid = d.refobjid JOIN pg_namespace n ON n.oid = c.relnamespace"
	"  WHERE d.classid = 'pg_class'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass"
	"  AND d.deptype IN ('a', 'i'))"
	" WHEN r.rank = 3 THEN '3' ELSE"
	" (SELECT string_agg(quote_ident(n.nspname) || '.' || quote_ident(c.relname), ',')"
	"  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent JOIN pg_namespace n ON n.oid = c.relnamespace"
	"  WHERE i.inhrelid = r.oid) END,"
	" concat_ws(',', r.oid, r.reltype, COALESCE((SELECT typarray FROM pg_type WHERE oid = r.reltype), 0),"
	" CASE WHEN r.relispartition THEN 1 ELSE 0 END),"
	" CASE WHEN r.nr <= 5000 THEN"
	" (SELECT string_agg(concat(a.atttypid), ',' ORDER BY a.attnum) FROM pg_attribute a"
	"  WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped) END,"
	" (SELECT names FROM code k WHERE k.classid = 'pg_rewrite'::regclass AND k.of = r.oid AND r.relkind = 'v'),"
	" (SELECT string_agg(DISTINCT concat(d.refobjid), ',') FROM needs d WHERE d.classid = 'pg_rewrite'::regclass"
	"  AND d.of = r.oid AND d.refclassid = 'pg_type'::regclass AND r.relkind = 'v'),"
	" concat(r.mark + COALESCE((SELECT sum(hashtext(concat(a.attnum, ',', a.xmin))) FROM pg_attribute a"
	"  WHERE a.attrelid = r.oid AND a.attnum > 0), 0))"
	" FROM rel r"
	" UNION ALL"
	" (SELECT 'f', s.name, p.proname::text, CASE WHEN count(*) = count(t.oid) AND min(t.extension) = max(t.extension)"
	"  THEN min(t.extension) END, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"
	" FROM pg_proc p JOIN user_schema s ON s.oid = p.pronamespace LEFT JOIN trusted t ON t.oid = p.oid"
	" WHERE NOT (t.oid IS NOT NULL"
	"  AND EXISTS (SELECT FROM pg_proc b WHERE b.proname = p.proname AND b.pronamespace = 'pg_catalog'::regnamespace))"
	" GROUP BY 2, 3 LIMIT 20001)"
	" UNION ALL"
	" (SELECT 'o', s.name, o.oprname::text, m.extension, NULL, NULL, NULL, concat_ws(',', o.oprleft, o.oprright), NULL,"
	" (SELECT quote_ident(n.nspname) || '.' || quote_ident(p.proname) FROM pg_proc p"
	"  JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.oid = o.oprcode), NULL, NULL"
	" FROM pg_operator o JOIN user_schema s ON s.oid = o.oprnamespace"
	" LEFT JOIN trusted m ON m.oid = o.oprcode AND EXISTS (SELECT FROM member x"
	"  WHERE x.classid = 'pg_operator'::regclass AND x.objid = o.oid)"
	" LIMIT 20001)"
	" UNION ALL"
	" (SELECT 'c', NULL, NULL, k.castcontext::text, NULL, NULL, NULL, concat_ws(',', k.castsource, k.casttarget), NULL,"
	" o.name, NULL, NULL FROM pg_cast k JOIN own o ON o.oid = k.castfunc WHERE k.oid >= 16384 LIMIT 20001)"
	" UNION ALL"
	" (SELECT 't', n.nspname::text, t.typname::text, t.typtype::text,"
	" CASE WHEN t.typtype = 'c' THEN"
	" (SELECT string_agg(quote_ident(a.attname), ',' ORDER BY a.attnum) FROM pg_attribute a"
	"  WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped) END,"
	" m.extension, NULL, concat_ws(',', t.oid, t.typarray),"
	" CASE t.typtype WHEN 'c' THEN"
	" (SELECT string_agg(concat(a.atttypid), ',' ORDER BY a.attnum) FROM pg_attribute a"
	"  WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped)"
	" WHEN 'd' THEN concat(t.typbasetype)"
	" WHEN 'r' THEN (SELECT concat(r.rngsubtype) FROM pg_range r WHERE r.rngtypid = t.oid)"
	" WHEN 'm' THEN (SELECT concat(r.rngtypid) FROM pg_range r WHERE r.rngmultitypid = t.oid) END,"
	" CASE WHEN t.typtype = 'b' AND t.oid >= 16384 THEN"
	" (SELECT string_agg(o.name, ',') FROM own o"
	"  WHERE o.oid IN (t.typinput, t.typoutput, t.typmodin, t.typmodout, t.typsubscript))"
	" ELSE concat_ws(',', k.names, g.names) END,"
	" y.names, NULL"
	" FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_class c ON c.oid = t.typrelid"
	" LEFT JOIN code k ON k.classid = 'pg_constraint'::regclass AND k.of = t.oid"
	" LEFT JOIN range_code g ON g.type = t.oid LEFT JOIN class_code y ON y.type = t.oid"
	" LEFT JOIN member m ON m.classid = 'pg_type'::regclass AND m.objid = t.oid"
	" WHERE (n.oid IN (SELECT oid FROM user_schema) OR y.type IS NOT NULL)"
	" AND NOT (t.typcategory = 'A' AND t.typelem <> 0) AND (t.typtype <> 'c' OR c.relkind = 'c') LIMIT 20001))"
	" SELECT * FROM answer";

enum { KIND, SCHEMA, NAME, WHAT, COLUMNS, READS, PARENTS, OIDS, TYPES, RUNS, USES, MARK, NCELL };

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

/* Takes one name from the front, with the comma or dot after it. */
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

/* Numbers with commas between them. */
static const uint32_t *numbers(ag_str list, ag_arena *arena, size_t *ret_n)
{
	uint32_t *s;
	uint64_t one;

	*ret_n = count_items(list);
	s = ag_new_n(arena, uint32_t, *ret_n);
	for (size_t i = 0; i < *ret_n; i++)
		s[i] = ag_str_to_u64(ag_str_split(&list, ','), &one) ? (uint32_t)one : 0;
	return s;
}

static uint32_t nth(const uint32_t *list, size_t n, size_t i)
{
	return i < n ? list[i] : 0;
}

/* --- rows --- */

typedef struct filler {
	ag_arena *arena;
	ag_sql_relation *relations;
	ag_sql_function *functions;
	ag_sql_operator *operators;
	ag_sql_type *types;
	ag_sql_cast *casts;
	bool is_cut; /* there are others than plain tables of other schemas beyond the limits */
} filler;

static ag_sql_relation_kind relation_kind(char c)
{
	switch (c) {
	case 'p': return AG_SQL_PARTITIONED;
	case 'v': return AG_SQL_VIEW;
	case 'm': return AG_SQL_MATVIEW;
	case 'f': return AG_SQL_FOREIGN;
	case 'S': return AG_SQL_SEQUENCE;
	default: return AG_SQL_TABLE;
	}
}

static void take_relation(filler *f, const ag_str *cell, ag_sql_catalog *ret)
{
	bool is_plain = ag_str_eqc(cell[PARENTS], "3"); /* no name is: it has a dot */
	ag_sql_relation *r = &f->relations[ret->nrelation];
	const uint32_t *oids;
	size_t n;

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
	oids = numbers(cell[OIDS], f->arena, &n);
	r->oid = nth(oids, n, 0);
	r->row_type = nth(oids, n, 1);
	r->row_array = nth(oids, n, 2);
	r->is_partition = nth(oids, n, 3) != 0;
	r->column_types = numbers(cell[TYPES], f->arena, &n);
	if (n != r->ncolumn)
		r->column_types = NULL;
	r->runs = names(cell[RUNS], f->arena, &r->nrun);
	r->uses = numbers(cell[USES], f->arena, &r->nuse);
	AG_IGNORE(!ag_str_to_i64(cell[MARK], &r->mark), "a number of the server's");
}

static void take_type(filler *f, const ag_str *cell, ag_sql_catalog *ret)
{
	ag_sql_type *t = &f->types[ret->ntype++];
	const uint32_t *oids;
	size_t n;

	t->name = (ag_sql_name){ cell[SCHEMA], cell[NAME] };
	/* A multirange is made of its range. */
	t->kind = cell[WHAT].ptr[0] == 'm' ? 'r' : cell[WHAT].ptr[0];
	t->attributes = idents(cell[COLUMNS], f->arena, &t->nattribute);
	t->extension = cell[READS];
	oids = numbers(cell[OIDS], f->arena, &n);
	t->oid = nth(oids, n, 0);
	t->array = nth(oids, n, 1);
	t->parts = numbers(cell[TYPES], f->arena, &t->npart);
	t->runs = names(cell[RUNS], f->arena, &t->nrun);
	t->compares = names(cell[USES], f->arena, &t->ncompare);
}

static ag_sql_name function_of(filler *f, const ag_str *cell)
{
	size_t n;
	const ag_sql_name *name = names(cell[RUNS], f->arena, &n);

	return n ? name[0] : (ag_sql_name){ AG_S(""), AG_S("") };
}

static void take_operator(filler *f, const ag_str *cell, ag_sql_catalog *ret)
{
	ag_sql_operator *o = &f->operators[ret->noperator++];
	size_t n;
	const uint32_t *oids = numbers(cell[OIDS], f->arena, &n);

	*o = (ag_sql_operator){ .name = { cell[SCHEMA], cell[NAME] },
		                .left = nth(oids, n, 0),
		                .right = nth(oids, n, 1),
		                .function = function_of(f, cell),
		                .extension = cell[WHAT] };
}

static void take_cast(filler *f, const ag_str *cell, ag_sql_catalog *ret)
{
	size_t n;
	const uint32_t *oids = numbers(cell[OIDS], f->arena, &n);

	f->casts[ret->ncast++] = (ag_sql_cast){ .source = nth(oids, n, 0),
		                                .target = nth(oids, n, 1),
		                                .is_implicit = cell[WHAT].ptr[0] == 'i',
		                                .function = function_of(f, cell) };
}

static void take_row(filler *f, const ag_str *cell, ag_sql_catalog *ret)
{
	int64_t version = 0;

	switch (cell[KIND].ptr[0]) {
	case 'd':
		ret->database = cell[SCHEMA];
		AG_IGNORE(!ag_str_to_i64(cell[NAME], &version), "0 = unknown");
		ret->server = (unsigned)version;
		ret->moment = cell[COLUMNS];
		ret->state = cell[READS];
		break;
	case 'r': take_relation(f, cell, ret); break;
	case 'f':
		f->functions[ret->nfunction++] = (ag_sql_function){ { cell[SCHEMA], cell[NAME] },
			                                            cell[WHAT] };
		break;
	case 'o': take_operator(f, cell, ret); break;
	case 'c': take_cast(f, cell, ret); break;
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

/* Functions, operators and types begin with their name. */
static int by_name(const void *a, const void *b)
{
	const ag_sql_name *x = a, *y = b;
	int c = ag_str_cmp(x->name, y->name);

	return c ? c : ag_str_cmp(x->schema, y->schema);
}

static size_t count_kind(const ag_postgres_table *t, char kind)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nrow; i++)
		n += ag_postgres_cell(t, i, KIND).ptr[0] == kind;
	return n;
}

/* After sorting: what each type's number means. */
static void refer(filler *f, ag_sql_catalog *ret)
{
	ag_sql_type_ref *refs = ag_new_n(f->arena, ag_sql_type_ref,
	                                 2 * (ret->nrelation + ret->ntype));
	size_t n = 0;

	for (size_t i = 0; i < ret->nrelation; i++) {
		const ag_sql_relation *r = &f->relations[i];

		if (r->row_type)
			refs[n++] = (ag_sql_type_ref){ r->row_type, false, true, i };
		if (r->row_array)
			refs[n++] = (ag_sql_type_ref){ r->row_array, true, true, i };
	}
	for (size_t i = 0; i < ret->ntype; i++) {
		const ag_sql_type *t = &f->types[i];

		if (t->oid)
			refs[n++] = (ag_sql_type_ref){ t->oid, false, false, i };
		if (t->array)
			refs[n++] = (ag_sql_type_ref){ t->array, true, false, i };
	}
	ag_sql_type_refs_sort(refs, n);
	ret->type_refs = refs;
	ret->ntype_ref = n;
}

static bool fill(const ag_postgres_table *t, ag_arena *arena, ag_sql_catalog *ret)
{
	size_t nr = count_kind(t, 'r'), nf = count_kind(t, 'f'), no = count_kind(t, 'o'),
	       nt = count_kind(t, 't'), nc = count_kind(t, 'c');
	filler f = { .arena = arena,
		     .is_cut = nf > MAX_OTHERS || no > MAX_OTHERS || nt > MAX_OTHERS ||
		               nc > MAX_OTHERS };

	f.relations = ag_new_n(arena, ag_sql_relation, nr);
	f.functions = ag_new_n(arena, ag_sql_function, nf);
	f.operators = ag_new_n(arena, ag_sql_operator, no);
	f.types = ag_new_n(arena, ag_sql_type, nt);
	f.casts = ag_new_n(arena, ag_sql_cast, nc);
	for (size_t i = 0; i < t->nrow; i++)
		take_row(&f, &t->cell[i * t->ncolumn], ret);
	qsort(f.relations, ret->nrelation, sizeof(*f.relations), by_schema);
	qsort(f.functions, ret->nfunction, sizeof(*f.functions), by_name);
	qsort(f.operators, ret->noperator, sizeof(*f.operators), by_name);
	qsort(f.types, ret->ntype, sizeof(*f.types), by_name);
	refer(&f, ret);
	ret->relations = f.relations;
	ret->functions = f.functions;
	ret->operators = f.operators;
	ret->types = f.types;
	ret->casts = f.casts;
	return !f.is_cut;
}

/* --- the statement --- */

/* {"public","my \"schema\""}: an array as PostgreSQL reads it. */
void ag_postgres_array_add(ag_buf *b, ag_str s)
{
	ag_buf_adds(b, b->len > 1 ? ",\"" : "\"");
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '"' || s.ptr[i] == '\\')
			ag_buf_addc(b, '\\');
		ag_buf_addc(b, s.ptr[i]);
	}
	ag_buf_addc(b, '"');
}

ag_str ag_postgres_schemas(const ag_sql_policy *p, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(256u * 1024);
	ag_str schema, name, ret;

	ag_buf_addc(&b, '{');
	ag_postgres_array_add(&b, p->schema.len ? p->schema : AG_S("public"));
	for (size_t i = 0; i < p->nallowed_schema; i++) {
		if (ag_dictionary_parts(p->allowed_schemas[i], true, arena, &schema, &name) &&
		    !schema.ptr)
			ag_postgres_array_add(&b, name);
	}
	for (size_t i = 0; i < p->nallowed_table; i++) {
		if (ag_dictionary_parts(p->allowed_tables[i], true, arena, &schema, &name) &&
		    schema.ptr)
			ag_postgres_array_add(&b, schema);
	}
	ag_buf_addc(&b, '}');
	ret = b.failed ? AG_S("{}") : ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

ag_status ag_postgres_catalog(ag_sql_impl *impl, const ag_ctx *ctx, ag_arena *arena,
                              ag_sql_catalog *ret, ag_sql_failure *ret_failure, ag_err *err)
{
	ag_str schemas = ag_postgres_schemas(&ag_postgres_of(impl)->opts->policy, arena);
	ag_sql_catalog c = { 0 };
	ag_postgres_table t;
	ag_status st = ag_postgres_rows(
		impl, ctx,
		&(ag_postgres_question){ .sql = catalog_sql, .params = &schemas, .nparam = 1 },
		arena, &t, ret_failure, err);

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
