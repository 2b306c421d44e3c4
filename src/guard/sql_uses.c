/* sql_uses -- what a statement does with the values of columns, and which code of users that could run.
 *
 * A column's type decides what the server runs unasked: the CHECK of a domain when a literal is read as one, an implicit cast, a
 * comparison function, an operator of a user's type under the name "=". Types of expressions are not followed. Instead each
 * column is asked for its type where it is named, and what is done with it right there is distinguished (ag_sql_use): a column that
 * is only given back runs nothing. Any other use counts for the whole statement, so that a subquery or an alias hides nothing.
 *
 * Columns are looked up in every entry of FROM that the name could mean, here and further out: too many types are asked for
 * rather than too few. */
#include "guard/sql_walk.h"

/* --- marks: what the node above does with this one --- */

void ag_sql_uses_mark(ag_sql_walk *w, const void *node, ag_sql_use use)
{
	ag_sql_mark *m = ag_new(w->scratch, ag_sql_mark);

	*m = (ag_sql_mark){ .node = node, .use = use, .next = w->uses.marks };
	w->uses.marks = m;
}

ag_sql_use ag_sql_uses_of(const ag_sql_walk *w, const void *node)
{
	for (const ag_sql_mark *m = w->uses.marks; m; m = m->next)
		if (m->node == node)
			return m->use;
	return AG_SQL_USE_ANY;
}

const void *ag_sql_node_inside(const PgQuery__Node *node)
{
	/* The members of the union are pointers. */
	return node && node->node_case != PG_QUERY__NODE__NODE__NOT_SET ? node->select_stmt : NULL;
}

void ag_sql_uses_mark_node(ag_sql_walk *w, const PgQuery__Node *node, ag_sql_use use)
{
	if (!node)
		return;
	switch (node->node_case) {
	case PG_QUERY__NODE__NODE_COLUMN_REF:
	case PG_QUERY__NODE__NODE_A_INDIRECTION:
	case PG_QUERY__NODE__NODE_FUNC_CALL:
		ag_sql_uses_mark(w, ag_sql_node_inside(node), use);
		break;
	default: break;
	}
}

/* --- the types that values of the statement can have --- */

static bool has_type(const ag_sql_walk *w, uint32_t oid)
{
	for (size_t i = 0; i < w->uses.ntype; i++)
		if (w->uses.types[i] == oid)
			return true;
	return false;
}

static void add_type(ag_sql_walk *w, uint32_t oid)
{
	ag_sql_uses *u = &w->uses;

	if (u->ntype == u->cap) {
		const size_t cap = u->cap ? 2 * u->cap : 16;
		uint32_t *types = ag_new_n(w->scratch, uint32_t, cap);

		if (u->ntype)
			memcpy(types, u->types, u->ntype * sizeof(*types));
		u->types = types;
		u->cap = cap;
	}
	u->types[u->ntype++] = oid;
}

/* With what it is made of, and arrays of it: fields and functions give such values. */
void ag_sql_uses_add_type(ag_sql_walk *w, uint32_t oid)
{
	const ag_sql_type_ref *ref = ag_sql_catalog_type(w->catalog, oid);
	const ag_sql_relation *r;
	const ag_sql_type *t;

	if (!ref || has_type(w, oid))
		return;
	add_type(w, oid);
	if (ref->is_row) {
		r = &w->catalog->relations[ref->index];
		ag_sql_uses_add_type(w, r->row_type);
		ag_sql_uses_add_type(w, r->row_array);
		for (size_t i = 0; r->column_types && i < r->ncolumn; i++)
			ag_sql_uses_add_type(w, r->column_types[i]);
	} else {
		t = &w->catalog->types[ref->index];
		ag_sql_uses_add_type(w, t->oid);
		ag_sql_uses_add_type(w, t->array);
		for (size_t i = 0; i < t->npart; i++)
			ag_sql_uses_add_type(w, t->parts[i]);
	}
}

/* --- one column --- */

bool ag_sql_uses_refuse(ag_sql_walk *w, ag_str column, const char *what, const ag_sql_name *f)
{
	const bool is_told = ag_sql_is_schema_allowed(w->policy, f->schema);

	if (is_told)
		ag_sql_refuse(w->v, w->arena, AG_SQLRULE_TYPE,
		              "The use of %.*s is not allowed: %s the function %.*s.%.*s",
		              AG_FMT(column), what, AG_FMT(f->schema), AG_FMT(f->name));
	else
		ag_sql_refuse(
			w->v, w->arena, AG_SQLRULE_TYPE,
			"The use of %.*s is not allowed: %s a function of a schema that is not "
			"allowed",
			AG_FMT(column), what);
	return ag_sql_refuse_hint(
		w->v, w->arena,
		"select the column by itself; a project can allow the function in "
		"allowed_functions, or the type in allowed_types");
}

/* A column of a hidden enum shows its values; enum_range() of it would show all labels of the type. */
static void note_enum(ag_sql_walk *w, ag_str column, uint32_t oid)
{
	const ag_sql_type_ref *ref = ag_sql_catalog_type(w->catalog, oid);
	const ag_sql_type *t = ref && !ref->is_row ? &w->catalog->types[ref->index] : NULL;

	if (t && t->kind == 'e' && !ag_sql_is_schema_allowed(w->policy, t->name.schema) &&
	    !ag_sql_is_type_listed(w->policy, t))
		w->uses.hidden_enum = column;
	for (size_t i = 0; t && t->kind == 'd' && i < t->npart; i++)
		note_enum(w, column, t->parts[i]);
}

static bool use_type(ag_sql_walk *w, ag_str column, uint32_t oid, ag_sql_use use)
{
	ag_sql_uses *u = &w->uses;
	ag_sql_danger d;

	note_enum(w, column, oid);
	if (use == AG_SQL_USE_FIELD)
		return true;
	if (use == AG_SQL_USE_RESULT && u->is_sorted)
		use = AG_SQL_USE_SORTED;
	ag_sql_danger_of(w->policy, w->catalog, oid, &d);
	if (d.reads)
		return ag_sql_uses_refuse(w, column, "reading it runs", d.reads);
	if (use == AG_SQL_USE_RESULT)
		return true;
	if (d.compares && (use == AG_SQL_USE_ANY || use == AG_SQL_USE_SORTED))
		return ag_sql_uses_refuse(w, column, "comparing its values runs", d.compares);
	if (d.converts && use != AG_SQL_USE_SORTED && use != AG_SQL_USE_JSON)
		return ag_sql_uses_refuse(w, column, "a cast of its type runs", d.converts);
	if (d.to_json && (use == AG_SQL_USE_JSON || use == AG_SQL_USE_ANY))
		return ag_sql_uses_refuse(w, column, "a cast of its type to JSON runs", d.to_json);
	if (d.casts && use == AG_SQL_USE_CAST)
		return ag_sql_uses_refuse(w, column, "a cast of its type runs", d.casts);
	if (use != AG_SQL_USE_ANY && use != AG_SQL_USE_SORTED)
		return true;
	ag_sql_uses_add_type(w, oid);
	if (use == AG_SQL_USE_SORTED)
		return true;
	if (d.makes && d.is_inside)
		return ag_sql_uses_refuse(w, column, "a text that is read as its type runs",
		                          d.makes);
	if (d.names_objects) {
		ag_sql_refuse(
			w->v, w->arena, AG_SQLRULE_TYPE,
			"The use of %.*s is not allowed: texts that are compared with it would be "
			"looked up in the catalog",
			AG_FMT(column));
		return ag_sql_refuse_hint(w->v, w->arena, "write %.*s::text", AG_FMT(column));
	}
	if (d.makes && !u->domain) {
		u->domain = d.makes;
		u->domain_column = column;
		u->domain_at = w->v->position;
	}
	if (d.casts && !u->cast) {
		u->cast = d.casts;
		u->cast_column = column;
		u->cast_at = w->v->position;
	}
	return true;
}

/* --- which columns a name means --- */

static ag_str column_name(const ag_sql_range *r, size_t i)
{
	const PgQuery__Alias *a = r->alias;

	return a && i < a->n_colnames ? ag_sql_node_text(a->colnames[i]) : r->relation->columns[i];
}

/* column "" = all of them. */
static bool use_columns(ag_sql_walk *w, const ag_sql_range *r, ag_str column, ag_sql_use use)
{
	const ag_sql_relation *rel = r->relation;

	for (size_t i = 0; rel && rel->column_types && i < rel->ncolumn; i++) {
		const ag_str name = column_name(r, i);

		if ((!column.len || ag_str_eq(name, column)) &&
		    !use_type(w, name, rel->column_types[i], use))
			return false;
	}
	return true;
}

/* A join has no columns of its own: its name could mean any of what it joins. */
static bool is_join(const ag_sql_range *r)
{
	return !r->relation && !r->cte && !r->select && !r->function;
}

static bool is_meant(const ag_sql_range *r, ag_str qualifier, bool has_join)
{
	if (!qualifier.len)
		return true;
	return ag_str_eq(r->name, qualifier) || has_join;
}

bool ag_sql_uses_name(ag_sql_walk *w, ag_str qualifier, ag_str column, ag_sql_use use)
{
	bool has_join = false;

	if (!w->catalog || !w->catalog->ntype_ref)
		return true;
	for (const ag_sql_scope *s = w->scope; s && qualifier.len; s = s->outer)
		for (const ag_sql_range *r = s->ranges; r; r = r->next)
			has_join |= is_join(r) && ag_str_eq(r->name, qualifier);
	for (const ag_sql_scope *s = w->scope; s; s = s->outer) {
		for (const ag_sql_range *r = s->ranges; r; r = r->next) {
			if (is_meant(r, qualifier, has_join) && !use_columns(w, r, column, use))
				return false;
			/* A name alone that is a table's: the whole row. */
			if (qualifier.len || !column.len || !ag_str_eq(r->name, column))
				continue;
			w->uses.has_rows = true;
			if (r->relation && !use_type(w, column, r->relation->row_type, use))
				return false;
		}
		if (!qualifier.len && !column.len) /* "*" is of this SELECT alone */
			break;
	}
	return true;
}

bool ag_sql_uses_column(ag_sql_walk *w, const PgQuery__ColumnRef *c)
{
	const size_t n = c->n_fields;
	const ag_str last = n ? ag_sql_node_text(c->fields[n - 1]) : AG_S("");
	const ag_str qualifier = n > 1 ? ag_sql_node_text(c->fields[n - 2]) : AG_S("");

	return ag_sql_uses_name(w, qualifier, last, ag_sql_uses_of(w, c));
}

/* --- (x).field --- */

static bool use_field_of(ag_sql_walk *w, uint32_t oid, ag_str field, ag_sql_use use,
                         bool *ret_found)
{
	const ag_sql_type_ref *ref = ag_sql_catalog_type(w->catalog, oid);
	const ag_sql_relation *r;
	const ag_sql_type *t;

	if (!ref)
		return true;
	if (ref->is_row) {
		r = &w->catalog->relations[ref->index];
		for (size_t i = 0; r->column_types && i < r->ncolumn; i++) {
			if (field.len && !ag_str_eq(r->columns[i], field))
				continue;
			*ret_found = true;
			if (!use_type(w, r->columns[i], r->column_types[i], use))
				return false;
		}
		return true;
	}
	t = &w->catalog->types[ref->index];
	for (size_t i = 0; i < t->npart; i++) {
		if (t->kind == 'd' && !use_field_of(w, t->parts[i], field, use, ret_found))
			return false;
		if (t->kind != 'c' || i >= t->nattribute ||
		    (field.len && !ag_str_eq(t->attributes[i], field)))
			continue;
		*ret_found = true;
		if (!use_type(w, t->attributes[i], t->parts[i], use))
			return false;
	}
	return true;
}

/* Of whatever type has such a field: what is in the brackets is not followed. */
bool ag_sql_uses_field(ag_sql_walk *w, ag_str field, ag_sql_use use)
{
	const ag_sql_catalog *c = w->catalog;
	bool found;

	if (!c || !c->ntype_ref)
		return true;
	for (size_t i = 0; i < c->ntype_ref; i++)
		if (!c->type_refs[i].is_array &&
		    !use_field_of(w, c->type_refs[i].oid, field, use, &found))
			return false;
	return true;
}

/* Of the types of a column: (address).city, (t).name, (t).*. */
bool ag_sql_uses_field_of_column(ag_sql_walk *w, const PgQuery__ColumnRef *c, ag_str field,
                                 ag_sql_use use)
{
	const size_t n = c->n_fields;
	const ag_str last = n ? ag_sql_node_text(c->fields[n - 1]) : AG_S("");
	const ag_str qualifier = n > 1 ? ag_sql_node_text(c->fields[n - 2]) : AG_S("");
	bool found = false;

	if (!w->catalog || !w->catalog->ntype_ref)
		return true;
	for (const ag_sql_scope *s = w->scope; s; s = s->outer) {
		for (const ag_sql_range *r = s->ranges; r; r = r->next) {
			const ag_sql_relation *rel = r->relation;

			if (!rel || !is_meant(r, qualifier, false))
				continue;
			if (!qualifier.len && ag_str_eq(r->name, last) &&
			    !use_field_of(w, rel->row_type, field, use, &found))
				return false;
			for (size_t i = 0; rel->column_types && i < rel->ncolumn; i++)
				if (ag_str_eq(column_name(r, i), last) &&
				    !use_field_of(w, rel->column_types[i], field, use, &found))
					return false;
		}
	}
	return found || ag_sql_uses_field(w, field, use);
}

/* --- operators --- */

void ag_sql_uses_operator(ag_sql_walk *w, ag_str symbol)
{
	ag_sql_symbol *one;

	for (one = w->uses.symbols; one; one = one->next)
		if (ag_str_eq(one->symbol, symbol))
			return;
	one = ag_new(w->scratch, ag_sql_symbol);
	*one = (ag_sql_symbol){ .symbol = symbol,
		                .position = w->v->position,
		                .next = w->uses.symbols };
	w->uses.symbols = one;
}

/* Could an operand of the statement be taken for this type? Operands of the server's types, of pseudo-types and base types
 * always could: by overloads, implicit casts and literals; and a domain wherever its base type could. An enum or a range only
 * when the statement has such values, a composite type also when it has rows: the server takes no literal for one of them by
 * itself. */
static bool is_reached(const ag_sql_walk *w, uint32_t oid)
{
	const ag_sql_catalog *c = w->catalog;
	const ag_sql_type_ref *ref = oid ? ag_sql_catalog_type(c, oid) : NULL;
	char kind;

	if (!ref || has_type(w, oid))
		return true;
	kind = ref->is_row ? 'c' : c->types[ref->index].kind;
	if (!ref->is_array && kind == 'd' && c->types[ref->index].npart)
		return is_reached(w, c->types[ref->index].parts[0]);
	if (kind == 'b' || (kind == 'c' && w->uses.has_rows))
		return true;
	for (size_t i = 0; i < c->ncast; i++)
		if (c->casts[i].is_implicit && c->casts[i].target == oid)
			return true;
	return false;
}

static bool settle_operator(ag_sql_walk *w, const ag_sql_symbol *s)
{
	size_t n;
	const ag_sql_operator *o = ag_sql_catalog_operators(w->catalog, s->symbol, &n);

	for (size_t i = 0; i < n; i++) {
		if (o[i].extension.len ||
		    !ag_str_eq(o[i].name.schema, ag_sql_policy_schema(w->policy)) ||
		    ag_sql_is_function_listed(w->policy, o[i].function.schema, o[i].function.name))
			continue;
		if (!is_reached(w, o[i].left) || !is_reached(w, o[i].right))
			continue;
		w->v->position = s->position;
		ag_sql_refuse(w->v, w->arena, AG_SQLRULE_OPERATOR,
		              "Operator %.*s is not allowed: this database has one of its own with "
		              "that name",
		              AG_FMT(s->symbol));
		return ag_sql_refuse_hint(w->v, w->arena,
		                          "write OPERATOR(pg_catalog.%.*s) for the built-in one",
		                          AG_FMT(s->symbol));
	}
	return true;
}

/* --- at the end --- */

bool ag_sql_uses_refuse_typeof(ag_sql_walk *w)
{
	ag_sql_refuse(
		w->v, w->arena, AG_SQLRULE_UNKNOWN_FUNCTION,
		"Function pg_typeof is not allowed here: a text beside it would be looked up as "
		"the name of a type");
	return ag_sql_refuse_hint(w->v, w->arena, "write pg_typeof(...)::text");
}

bool ag_sql_uses_settle(ag_sql_walk *w)
{
	const ag_sql_uses *u = &w->uses;

	for (const ag_sql_symbol *s = u->symbols; s; s = s->next)
		if (!settle_operator(w, s))
			return false;
	if (u->has_labels && u->hidden_enum.len) {
		w->v->position = u->labels_at;
		return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_TYPE,
		                     "The use of %.*s is not allowed here: all labels of its type "
		                     "would be shown, which is of a schema that is not allowed",
		                     AG_FMT(u->hidden_enum));
	}
	if (u->has_typeof && (u->has_choices || u->has_arrays)) {
		w->v->position = u->typeof_at;
		return ag_sql_uses_refuse_typeof(w);
	}
	if (u->domain && u->has_arrays) {
		w->v->position = u->domain_at;
		ag_sql_uses_refuse(
			w, u->domain_column,
			"beside arrays, lag or lead a text may be read as its type, which "
			"runs",
			u->domain);
		return ag_sql_refuse_hint(w->v, w->arena, "cast the column: %.*s::text",
		                          AG_FMT(u->domain_column));
	}
	if (u->cast && u->has_casts) {
		w->v->position = u->cast_at;
		return ag_sql_uses_refuse(w, u->cast_column, "a cast of its type runs", u->cast);
	}
	return true;
}
