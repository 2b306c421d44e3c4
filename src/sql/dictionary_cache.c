/* dictionary_cache -- the form in which a dictionary is kept, and how it is read back.
 *
 * {"dictionary":1,"schema":"public","generated_ms":…,"is_cut":false,"tables":[{"schema":…,"name":…,"type":"table",
 *   "comment":…,"rows":…,"exact":…,"columns":[{"name","type","nullable","primary","generated","sensitive","default",
 *   "comment","enum","samples":[…]}],"primary_key":[…],"foreign_keys":[{"column","schema","table","references",
 *   "constraint"}],"indexes":[{"name","columns":[…],"unique","primary"}]}],"enums":[{"schema","name","values":[…]}]}
 *
 * Members that are empty or false are left out, and absent ones read as that. The reader takes nothing on trust: limits of
 * dictionary.h hold, types are checked, and a sensitive column with samples is no such document. */
#include "query/extjson.h"
#include "sql/dictionary_parts.h"

#define ORIGIN "sql.dictionary"

#define VERSION     1
#define MAX_BYTES   ((size_t)256 * 1024 * 1024)
#define MAX_VALUES  ((size_t)16 * 1024 * 1024)
#define MAX_ENUMS   20000u
#define MAX_KEYS    20000u /* of a table: keys, indexes, columns of an index */
#define MAX_STRINGS 100000u

/* --- to write --- */

static void member(ag_jw *w, const char *key, ag_str s)
{
	if (s.len)
		ag_jw_kstr(w, key, s);
}

static void flag(ag_jw *w, const char *key, bool b)
{
	if (b)
		ag_jw_kbool(w, key, true);
}

static void strings(ag_jw *w, const char *key, const ag_str *s, size_t n)
{
	if (n == 0)
		return;
	ag_jw_kkey(w, key);
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_jw_str(w, s[i]);
	ag_jw_arr_end(w);
}

static void write_column(ag_jw *w, const ag_dict_column *c)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", c->name);
	ag_jw_kstr(w, "type", c->type);
	flag(w, "nullable", c->is_nullable);
	flag(w, "primary", c->is_primary_key);
	flag(w, "generated", c->is_generated);
	flag(w, "sensitive", c->is_sensitive);
	member(w, "default", c->default_text);
	member(w, "comment", c->comment);
	member(w, "enum", c->enum_name);
	strings(w, "samples", c->samples, c->is_sensitive ? 0 : c->nsample);
	ag_jw_obj_end(w);
}

static void write_keys(ag_jw *w, const ag_dict_table *t)
{
	strings(w, "primary_key", t->primary_key, t->nprimary_key);
	ag_jw_kkey(w, "foreign_keys");
	ag_jw_arr(w);
	for (size_t i = 0; i < t->nforeign_key; i++) {
		const ag_dict_key *k = &t->foreign_keys[i];

		ag_jw_obj(w);
		ag_jw_kstr(w, "column", k->column);
		ag_jw_kstr(w, "schema", k->references_schema);
		ag_jw_kstr(w, "table", k->references_table);
		ag_jw_kstr(w, "references", k->references_column);
		member(w, "constraint", k->constraint);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "indexes");
	ag_jw_arr(w);
	for (size_t i = 0; i < t->nindex; i++) {
		const ag_dict_index *x = &t->indexes[i];

		ag_jw_obj(w);
		ag_jw_kstr(w, "name", x->name);
		strings(w, "columns", x->columns, x->ncolumn);
		flag(w, "unique", x->is_unique);
		flag(w, "primary", x->is_primary);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static void write_table(ag_jw *w, const ag_dict_table *t)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "schema", t->schema);
	ag_jw_kstr(w, "name", t->name);
	ag_jw_kstr(w, "type", ag_str_c(t->type));
	member(w, "comment", t->comment);
	ag_jw_kint(w, "rows", t->row_count);
	flag(w, "exact", t->is_row_count_exact);
	ag_jw_kkey(w, "columns");
	ag_jw_arr(w);
	for (size_t i = 0; i < t->ncolumn; i++)
		write_column(w, &t->columns[i]);
	ag_jw_arr_end(w);
	write_keys(w, t);
	ag_jw_obj_end(w);
}

void ag_dictionary_write(const ag_dictionary *d, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kint(w, "dictionary", VERSION);
	ag_jw_kstr(w, "schema", d->schema);
	ag_jw_kint(w, "generated_ms", d->generated_ms);
	ag_jw_kbool(w, "is_cut", d->is_cut);
	ag_jw_kkey(w, "tables");
	ag_jw_arr(w);
	for (size_t i = 0; i < d->ntable; i++)
		write_table(w, &d->tables[i]);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "enums");
	ag_jw_arr(w);
	for (size_t i = 0; i < d->nenum; i++) {
		const ag_dict_enum *e = &d->enums[i];

		ag_jw_obj(w);
		ag_jw_kstr(w, "schema", e->schema);
		ag_jw_kstr(w, "name", e->name);
		strings(w, "values", e->values, e->nvalue);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
}

/* --- to read --- */

typedef struct reader {
	ag_arena *arena; /* of the dictionary; the values read are in another */
	ag_err *err;
	ag_status st; /* the first failure sticks: what follows reads as nothing */
	const char *in;
	size_t at; /* which of `in`, from 0 */
} reader;

static void fail(reader *r, const char *key, const char *want)
{
	if (r->st)
		return;
	r->st = ag_fail(r->err, AG_INVALID, ORIGIN, "not a kept dictionary: %s %zu: %s: want %s",
	                r->in, r->at, key, want);
	ag_err_hint(r->err, "read the database again");
}

static ag_str get_str(reader *r, const ag_val *v, const char *key, bool is_required)
{
	const ag_val *m = ag_val_getc(v, key);

	if (m && m->type == AG_T_STRING)
		return ag_str_dup(r->arena, ag_val_text(m));
	if (m || is_required)
		fail(r, key, "a string");
	return AG_S("");
}

static bool get_bool(reader *r, const ag_val *v, const char *key)
{
	const ag_val *m = ag_val_getc(v, key);

	if (m && m->type != AG_T_BOOL)
		fail(r, key, "true or false");
	return m && m->type == AG_T_BOOL && m->u.b;
}

static int64_t get_int(reader *r, const ag_val *v, const char *key, int64_t min)
{
	const ag_val *m = ag_val_getc(v, key);
	int64_t i = 0;

	if (!m || (m->type != AG_T_INT32 && m->type != AG_T_INT64) || !ag_val_to_i64(m, &i) ||
	    i < min) {
		fail(r, key, "a whole number");
		return 0;
	}
	return i;
}

/* The items of an array of objects (or of strings); zero items when it is absent. */
static const ag_val *get_items(reader *r, const ag_val *v, const char *key, int type, size_t max,
                               size_t *ret_n)
{
	const ag_val *m = ag_val_getc(v, key);

	*ret_n = 0;
	if (!m || r->st)
		return NULL;
	if (m->type != AG_T_ARRAY) {
		fail(r, key, "an array");
		return NULL;
	}
	if (m->n > max) {
		fail(r, key, "fewer items");
		return NULL;
	}
	for (size_t i = 0; i < m->n; i++) {
		if (m->u.items[i].type != type) {
			fail(r, key, type == AG_T_STRING ? "strings" : "objects");
			return NULL;
		}
	}
	*ret_n = m->n;
	return m->u.items;
}

static const ag_str *get_strings(reader *r, const ag_val *v, const char *key, size_t max,
                                 size_t *ret_n)
{
	const ag_val *items = get_items(r, v, key, AG_T_STRING, max, ret_n);
	ag_str *s = ag_new_n(r->arena, ag_str, *ret_n);

	for (size_t i = 0; i < *ret_n; i++)
		s[i] = ag_str_dup(r->arena, ag_val_text(&items[i]));
	return s;
}

static void read_column(reader *r, const ag_val *v, ag_dict_column *c)
{
	c->name = get_str(r, v, "name", true);
	c->type = get_str(r, v, "type", true);
	c->is_nullable = get_bool(r, v, "nullable");
	c->is_primary_key = get_bool(r, v, "primary");
	c->is_generated = get_bool(r, v, "generated");
	c->is_sensitive = get_bool(r, v, "sensitive");
	c->default_text = get_str(r, v, "default", false);
	c->comment = get_str(r, v, "comment", false);
	c->enum_name = get_str(r, v, "enum", false);
	c->samples = get_strings(r, v, "samples", AG_DICTIONARY_MAX_SAMPLES, &c->nsample);
	if (c->is_sensitive && c->nsample)
		fail(r, "samples", "none of a sensitive column");
}

static void read_keys(reader *r, const ag_val *v, ag_dict_table *t)
{
	const ag_val *items = get_items(r, v, "foreign_keys", AG_T_OBJECT, MAX_KEYS,
	                                &t->nforeign_key);
	ag_dict_key *keys = ag_new_n(r->arena, ag_dict_key, t->nforeign_key);
	ag_dict_index *indexes;

	for (size_t i = 0; i < t->nforeign_key; i++) {
		keys[i].column = get_str(r, &items[i], "column", true);
		keys[i].references_schema = get_str(r, &items[i], "schema", true);
		keys[i].references_table = get_str(r, &items[i], "table", true);
		keys[i].references_column = get_str(r, &items[i], "references", true);
		keys[i].constraint = get_str(r, &items[i], "constraint", false);
	}
	t->foreign_keys = keys;
	items = get_items(r, v, "indexes", AG_T_OBJECT, MAX_KEYS, &t->nindex);
	indexes = ag_new_n(r->arena, ag_dict_index, t->nindex);
	for (size_t i = 0; i < t->nindex; i++) {
		indexes[i].name = get_str(r, &items[i], "name", true);
		indexes[i].columns = get_strings(r, &items[i], "columns", MAX_KEYS,
		                                 &indexes[i].ncolumn);
		indexes[i].is_unique = get_bool(r, &items[i], "unique");
		indexes[i].is_primary = get_bool(r, &items[i], "primary");
	}
	t->indexes = indexes;
	t->primary_key = get_strings(r, v, "primary_key", AG_DICTIONARY_MAX_COLUMNS,
	                             &t->nprimary_key);
}

static void read_table(reader *r, const ag_val *v, ag_dict_table *t)
{
	const ag_val *items;
	ag_dict_column *columns;

	t->schema = get_str(r, v, "schema", true);
	t->name = get_str(r, v, "name", true);
	t->type = ag_dictionary_type(ag_val_member_str(v, "type"));
	if (!t->type) {
		fail(r, "type", "a kind of table");
		t->type = "table";
	}
	t->comment = get_str(r, v, "comment", false);
	t->row_count = get_int(r, v, "rows", -1);
	t->is_row_count_exact = get_bool(r, v, "exact");
	items = get_items(r, v, "columns", AG_T_OBJECT, AG_DICTIONARY_MAX_COLUMNS, &t->ncolumn);
	columns = ag_new_n(r->arena, ag_dict_column, t->ncolumn);
	for (size_t i = 0; i < t->ncolumn; i++)
		read_column(r, &items[i], &columns[i]);
	t->columns = columns;
	read_keys(r, v, t);
}

static void read_all(reader *r, const ag_val *v, ag_dictionary *d)
{
	const ag_val *items;
	ag_dict_table *tables;
	ag_dict_enum *enums;

	if (get_int(r, v, "dictionary", 0) != VERSION)
		fail(r, "dictionary", "1");
	d->schema = get_str(r, v, "schema", true);
	d->generated_ms = get_int(r, v, "generated_ms", 0);
	d->is_cut = get_bool(r, v, "is_cut");
	r->in = "table";
	items = get_items(r, v, "tables", AG_T_OBJECT, AG_DICTIONARY_MAX_TABLES, &d->ntable);
	tables = ag_new_n(r->arena, ag_dict_table, d->ntable);
	for (r->at = 0; r->at < d->ntable && !r->st; r->at++)
		read_table(r, &items[r->at], &tables[r->at]);
	d->tables = tables;
	r->in = "enum";
	r->at = 0;
	items = get_items(r, v, "enums", AG_T_OBJECT, MAX_ENUMS, &d->nenum);
	enums = ag_new_n(r->arena, ag_dict_enum, d->nenum);
	for (r->at = 0; r->at < d->nenum && !r->st; r->at++) {
		ag_dict_enum *e = &enums[r->at];

		e->schema = get_str(r, &items[r->at], "schema", true);
		e->name = get_str(r, &items[r->at], "name", true);
		e->values = get_strings(r, &items[r->at], "values", MAX_STRINGS, &e->nvalue);
	}
	d->enums = enums;
}

ag_status ag_dictionary_read(ag_str json, ag_arena *arena, ag_dictionary *ret, ag_err *err)
{
	static const ag_extjson_opts opts = { .repair_utf8 = true,
		                              .max_depth = 16,
		                              .max_values = MAX_VALUES };
	reader r = { .arena = arena, .err = err, .in = "document" };
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_dictionary d = { 0 };
	ag_val v;

	if (json.len > MAX_BYTES)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "a kept dictionary of %zu bytes is too large", json.len);
	if (ag_extjson_parse(json, &opts, scratch, &v, NULL, NULL, err)) {
		if (err)
			err->status = AG_INVALID; /* of depth and size as well */
		return AG_INVALID;
	}
	if (v.type != AG_T_OBJECT)
		return ag_fail(err, AG_INVALID, ORIGIN, "not a kept dictionary: want an object");
	read_all(&r, &v, &d);
	if (r.st)
		return r.st;
	*ret = d;
	return AG_OK;
}
