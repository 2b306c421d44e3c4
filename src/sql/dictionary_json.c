/* dictionary_json -- what tools return about a database: a list, one table, all of it.
 *
 * The forms are those of the analyst's tools (list_tables, describe_table, get_metadata), the same for every engine; a member
 * that does not apply to a table is left out. */
#include "sql/dictionary_parts.h"

static void count_json(ag_jw *w, const ag_dict_table *t)
{
	if (t->row_count < 0)
		ag_jw_knull(w, "row_count");
	else
		ag_jw_kint(w, "row_count", t->row_count);
}

static void shown_json(ag_jw *w, const char *key, const ag_dictionary *d, ag_str schema,
                       ag_str name)
{
	ag_arena *scratch;

	if (ag_str_eq(schema, d->schema) && ag_str_find(name, '.') < 0 &&
	    ag_str_find(name, '"') < 0) {
		ag_jw_kstr(w, key, name);
		return;
	}
	scratch = ag_arena_new();
	ag_jw_kstr(w, key, ag_dictionary_shown(d->schema, schema, name, scratch));
	ag_arena_free(scratch);
}

static void strings_json(ag_jw *w, const char *key, const ag_str *s, size_t n)
{
	ag_jw_kkey(w, key);
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_jw_str(w, s[i]);
	ag_jw_arr_end(w);
}

/* [{"name":"users","type":"table","row_count":120,"column_count":7,"description":"Who may log in"}] */
void ag_dictionary_list_json(const ag_dictionary *d, ag_jw *w)
{
	ag_jw_arr(w);
	for (size_t i = 0; i < d->ntable; i++) {
		const ag_dict_table *t = &d->tables[i];

		ag_jw_obj(w);
		shown_json(w, "name", d, t->schema, t->name);
		ag_jw_kstr(w, "type", ag_str_c(t->type));
		count_json(w, t);
		ag_jw_kuint(w, "column_count", t->ncolumn);
		ag_jw_kstr(w, "description", t->comment);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static const ag_dict_enum *enum_of(const ag_dictionary *d, ag_str name)
{
	for (size_t i = 0; i < d->nenum; i++) {
		if (ag_str_eq(d->enums[i].name, name))
			return &d->enums[i];
	}
	return NULL;
}

/* {"name":"status","type":"order_status","nullable":false,"default":"'new'","comment":"","is_primary_key":false,
 *  "sample_values":["new","paid"],"enum":"order_status"} */
static void column_json(ag_jw *w, const ag_dictionary *d, const ag_dict_column *c)
{
	const ag_dict_enum *e;

	ag_jw_obj(w);
	ag_jw_kstr(w, "name", c->name);
	ag_jw_kstr(w, "type", c->type);
	ag_jw_kbool(w, "nullable", c->is_nullable);
	if (c->default_text.len)
		ag_jw_kstr(w, "default", c->default_text);
	else
		ag_jw_knull(w, "default");
	ag_jw_kstr(w, "comment", c->comment);
	ag_jw_kbool(w, "is_primary_key", c->is_primary_key);
	strings_json(w, "sample_values", c->samples, c->nsample);
	if (c->is_generated)
		ag_jw_kbool(w, "is_generated", true);
	if (c->is_sensitive)
		ag_jw_kbool(w, "is_sensitive", true);
	if (c->enum_name.len) {
		e = enum_of(d, c->enum_name);
		if (e)
			shown_json(w, "enum", d, e->schema, e->name);
		else
			ag_jw_kstr(w, "enum", c->enum_name);
	}
	ag_jw_obj_end(w);
}

/* Of a key over several columns, each says which constraint it is a part of. */
static bool is_one_of_many(const ag_dict_table *t, size_t k)
{
	for (size_t i = 0; i < t->nforeign_key; i++) {
		if (i != k &&
		    ag_str_eq(t->foreign_keys[i].constraint, t->foreign_keys[k].constraint))
			return t->foreign_keys[k].constraint.len > 0;
	}
	return false;
}

static void keys_json(ag_jw *w, const ag_dictionary *d, const ag_dict_table *t)
{
	strings_json(w, "primary_key", t->primary_key, t->nprimary_key);
	ag_jw_kkey(w, "foreign_keys");
	ag_jw_arr(w);
	for (size_t i = 0; i < t->nforeign_key; i++) {
		const ag_dict_key *k = &t->foreign_keys[i];

		ag_jw_obj(w);
		ag_jw_kstr(w, "column", k->column);
		shown_json(w, "references_table", d, k->references_schema, k->references_table);
		ag_jw_kstr(w, "references_column", k->references_column);
		if (is_one_of_many(t, i))
			ag_jw_kstr(w, "constraint", k->constraint);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "indexes");
	ag_jw_arr(w);
	for (size_t i = 0; i < t->nindex; i++) {
		const ag_dict_index *x = &t->indexes[i];

		if (x->is_primary) /* said already */
			continue;
		ag_jw_obj(w);
		ag_jw_kstr(w, "name", x->name);
		strings_json(w, "columns", x->columns, x->ncolumn);
		ag_jw_kbool(w, "unique", x->is_unique);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

/* {"name":"orders","type":"table","row_count":1200,"comment":"","columns":[…],"primary_key":["id"],
 *  "foreign_keys":[{"column":"user_id","references_table":"users","references_column":"id"}],
 *  "indexes":[{"name":"orders_day","columns":["day"],"unique":false}]} */
void ag_dictionary_table_json(const ag_dictionary *d, const ag_dict_table *t, ag_jw *w)
{
	ag_jw_obj(w);
	shown_json(w, "name", d, t->schema, t->name);
	ag_jw_kstr(w, "type", ag_str_c(t->type));
	count_json(w, t);
	if (t->row_count >= 0)
		ag_jw_kbool(w, "row_count_is_exact", t->is_row_count_exact);
	ag_jw_kstr(w, "comment", t->comment);
	ag_jw_kkey(w, "columns");
	ag_jw_arr(w);
	for (size_t i = 0; i < t->ncolumn; i++)
		column_json(w, d, &t->columns[i]);
	ag_jw_arr_end(w);
	keys_json(w, d, t);
	ag_jw_obj_end(w);
}

/* "schema":"public","generated_at":"2026-03-01T08:30:00Z","table_count":2,"tables":{"users":{…}},"enums":{"mood":["sad"]} */
void ag_dictionary_all_json(const ag_dictionary *d, ag_jw *w)
{
	ag_arena *scratch = ag_arena_new();

	ag_jw_kstr(w, "schema", d->schema);
	ag_jw_ktime(w, "generated_at", d->generated_ms);
	ag_jw_kuint(w, "table_count", d->ntable);
	if (d->is_cut)
		ag_jw_kbool(w, "is_cut", true);
	ag_jw_kkey(w, "tables");
	ag_jw_obj(w);
	for (size_t i = 0; i < d->ntable; i++) {
		const ag_dict_table *t = &d->tables[i];

		ag_jw_key(w, ag_dictionary_shown(d->schema, t->schema, t->name, scratch));
		ag_dictionary_table_json(d, t, w);
	}
	ag_jw_obj_end(w);
	ag_jw_kkey(w, "enums");
	ag_jw_obj(w);
	for (size_t i = 0; i < d->nenum; i++) {
		const ag_dict_enum *e = &d->enums[i];

		ag_jw_key(w, ag_dictionary_shown(d->schema, e->schema, e->name, scratch));
		ag_jw_arr(w);
		for (size_t k = 0; k < e->nvalue; k++)
			ag_jw_str(w, e->values[k]);
		ag_jw_arr_end(w);
	}
	ag_jw_obj_end(w);
	ag_arena_free(scratch);
}
