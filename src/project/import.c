/* import -- see the header. Two passes over the loaded file: the type of each column, then the rows. */
#include "project/import.h"

#include <xxhash.h>

#include "base/utf8.h"
#include "columns/load.h"

#define ORIGIN "project.import"

/* --- names --- */

ag_str ag_import_name(ag_str name, ag_arena *arena)
{
	char *to = ag_arena_alloc(arena, name.len + 8);
	size_t n = 0, count = 0;
	bool gap = false;

	for (size_t pos = 0; pos < name.len && count < AG_IMPORT_MAX_NAME;) {
		const size_t at = pos;
		const uint32_t cp = ag_utf8_next(name, &pos);
		const bool is_digit = cp >= '0' && cp <= '9';

		if (cp < 0x80 && !is_digit && !((cp | 32) >= 'a' && (cp | 32) <= 'z')) {
			gap = n > 0;
			continue;
		}
		/* Letters of other scripts stay: people know their columns by them. Blanks and marks there do not. */
		if (cp >= 0x80 && (cp < 0xC0 || cp == 0xFFFD || (cp >= 0x2000 && cp <= 0x206F) ||
		                   cp == 0x3000 || cp == 0xFEFF)) {
			gap = n > 0;
			continue;
		}
		if (!n && is_digit) {
			memcpy(to, "col_", 4);
			n = count = 4;
		}
		if (gap && count + 1 < AG_IMPORT_MAX_NAME) {
			to[n++] = '_';
			count++;
		}
		gap = false;
		if (cp < 0x80) {
			to[n++] = (char)(cp >= 'A' && cp <= 'Z' ? cp + 32 : cp);
		} else {
			memcpy(to + n, name.ptr + at, pos - at);
			n += pos - at;
		}
		count++;
	}
	return ag_str_make(to, n);
}

ag_str ag_import_table_name(ag_str table, ag_str file, ag_arena *arena)
{
	size_t from = file.len, to;

	if (table.len)
		return ag_import_name(table, arena);
	while (from && file.ptr[from - 1] != '/')
		from--;
	to = file.len;
	for (size_t i = from + 1; i < file.len; i++) {
		if (file.ptr[i] == '.') {
			to = i;
			break;
		}
	}
	return ag_import_name(ag_str_make(file.ptr + from, to - from), arena);
}

/* --- types --- */

typedef struct import_column {
	ag_str key, name;
	bool has_int, has_real, has_bool, has_day, has_time, has_text;
} import_column;

typedef struct import_work {
	const ag_import_what *what;
	import_column *columns;
	size_t n;
	ag_tables_column *declared;
	ag_tables *tables;
	ag_cell *cells, *first;
	size_t nfirst;
} import_work;

static const ag_val *import_member(const ag_val *doc, const import_work *w, size_t i)
{
	/* In the order of the header, but for rows that are short. */
	if (i < doc->n && ag_str_eq(doc->u.members[i].key, w->columns[i].key))
		return &doc->u.members[i].val;
	return ag_val_get(doc, w->columns[i].key);
}

static ag_status import_types(void *arg, uint64_t row, const ag_val *doc, const ag_val *view,
                              ag_err *err)
{
	import_work *w = arg;

	(void)row;
	(void)err;
	for (size_t i = 0; i < w->n; i++) {
		const ag_val *v = import_member(view, w, i), *text = import_member(doc, w, i);
		import_column *c = &w->columns[i];

		if (!v || v->type == AG_T_NULL || v->type == AG_T_MISSING)
			continue;
		c->has_int = c->has_int || v->type == AG_T_INT32 || v->type == AG_T_INT64;
		c->has_real = c->has_real || v->type == AG_T_DOUBLE || v->type == AG_T_DECIMAL;
		c->has_bool = c->has_bool || v->type == AG_T_BOOL;
		if (v->type == AG_T_DATE) {
			c->has_day = c->has_day || (text && text->n <= 10);
			c->has_time = c->has_time || (text && text->n > 10);
		}
		c->has_text = c->has_text || !(ag_type_is_number(v->type) || v->type == AG_T_BOOL ||
		                               v->type == AG_T_DATE);
	}
	return AG_OK;
}

static const char *import_type(const import_column *c)
{
	const bool number = c->has_int || c->has_real, date = c->has_day || c->has_time;

	if (c->has_text || number + c->has_bool + date != 1)
		return "TEXT";
	if (date)
		return c->has_time ? "DATETIME" : "DATE";
	if (c->has_bool)
		return "BOOLEAN";
	return c->has_real ? "REAL" : "INTEGER";
}

static void import_cell(const ag_val *v, const ag_val *text, bool as_text, ag_cell *ret)
{
	*ret = (ag_cell){ .kind = AG_CELL_NULL };
	if (!v || v->type == AG_T_NULL || v->type == AG_T_MISSING)
		return;
	if (!as_text && (v->type == AG_T_INT32 || v->type == AG_T_INT64)) {
		ret->kind = AG_CELL_INT;
		ret->i = v->u.i;
	} else if (!as_text && v->type == AG_T_DOUBLE) {
		ret->kind = AG_CELL_REAL;
		ret->f = v->u.f;
	} else if (!as_text && v->type == AG_T_BOOL) {
		ret->kind = AG_CELL_INT;
		ret->i = v->u.b;
	} else if (text && text->type == AG_T_STRING) {
		ret->kind = AG_CELL_TEXT;
		ret->s = ag_val_text(text);
	}
}

static ag_status import_row(void *arg, uint64_t row, const ag_val *doc, const ag_val *view,
                            ag_err *err)
{
	import_work *w = arg;

	for (size_t i = 0; i < w->n; i++)
		import_cell(import_member(view, w, i), import_member(doc, w, i),
		            strcmp(w->declared[i].type, "TEXT") == 0, &w->cells[i]);
	for (size_t i = 0; i < w->n && row < AG_IMPORT_FIRST; i++) {
		w->first[w->nfirst] = w->cells[i];
		w->first[w->nfirst++].s = ag_str_dup(w->what->arena, w->cells[i].s);
	}
	return ag_tables_add(w->tables, w->cells, err);
}

/* --- columns --- */

/* A name, or what names with a number begin with. Names are in lower case, so equal bytes are equal names. */
typedef struct import_slot {
	ag_str name;
	bool is_taken; /* a column has it */
	size_t number; /* the next that may be free behind it */
} import_slot;

/* Twice as many slots as names: a free one ends each search. */
typedef struct import_names_of {
	import_slot *slots;
	size_t nslot; /* a power of two */
} import_names_of;

static import_slot *import_slot_of(const import_names_of *t, ag_str name)
{
	size_t i = (size_t)XXH3_64bits(name.ptr, name.len) & (t->nslot - 1);

	while (t->slots[i].name.ptr && !ag_str_eq(t->slots[i].name, name))
		i = (i + 1) & (t->nslot - 1);
	if (!t->slots[i].name.ptr)
		t->slots[i] = (import_slot){ .name = name, .number = 2 };
	return &t->slots[i];
}

/* The header, by the longest row: a short one lacks the last cells. */
static ag_status import_header(void *arg, uint64_t row, const ag_val *doc, const ag_val *view,
                               ag_err *err)
{
	import_work *w = arg;

	(void)view;
	if (doc->n <= w->n)
		return AG_OK;
	if (doc->n > AG_TABLES_MAX_COLUMNS)
		return ag_fail(err, AG_LIMIT, ORIGIN,
		               "the file has %u columns; a table has at most %u", doc->n,
		               AG_TABLES_MAX_COLUMNS);
	(void)row;
	w->columns = ag_new_n(w->what->arena, import_column, doc->n);
	for (uint32_t i = 0; i < doc->n; i++)
		w->columns[i].key = ag_str_dup(w->what->arena, doc->u.members[i].key);
	w->n = doc->n;
	return AG_OK;
}

/* "a", "a_2", "a_3" … for equal headings: the first number that is free. A name that is taken stays so, and the numbers behind it
 * are never tried again. */
static ag_str import_free_name(const import_names_of *t, ag_str name, ag_arena *arena)
{
	import_slot *base;
	ag_str numbered;

	if (!import_slot_of(t, name)->is_taken)
		return name;
	base = import_slot_of(t, ag_utf8_prefix(name, AG_IMPORT_MAX_NAME - 5));
	do
		numbered = ag_str_printf(arena, "%.*s_%zu", AG_FMT(base->name), base->number++);
	while (import_slot_of(t, numbered)->is_taken);
	return numbered;
}

static size_t import_names(import_work *w)
{
	import_names_of t = { .nslot = 16 };
	size_t nrenamed = 0;

	/* Each column asks for its name, what that begins with, and a number; names that are tried in vain are columns' own. */
	while (t.nslot < 6 * w->n)
		t.nslot *= 2;
	t.slots = ag_new_n(w->what->arena, import_slot, t.nslot);
	memset(t.slots, 0, t.nslot * sizeof(*t.slots));
	for (size_t i = 0; i < w->n; i++) {
		import_column *c = &w->columns[i];
		ag_str name = ag_import_name(c->key, w->what->arena);

		if (!name.len)
			name = ag_str_printf(w->what->arena, "column_%zu", i + 1);
		c->name = import_free_name(&t, name, w->what->arena);
		import_slot_of(&t, c->name)->is_taken = true;
		nrenamed += !ag_str_eq(c->name, c->key);
	}
	return nrenamed;
}

static ag_status import_write(import_work *w, const ag_table *table, ag_import *ret, ag_err *err)
{
	const ag_import_what *o = w->what;
	ag_status st = ag_tables_open(o->path, &w->tables, err);

	if (!st)
		st = ag_tables_limit(w->tables, o->max_bytes, o->max_tables, err);
	if (!st)
		st = ag_tables_create(w->tables, o->table, w->declared, w->n, &ret->replaced, err);
	if (!st)
		st = ag_table_each(table, o->ctx, NULL, NULL, 0, import_row, w, err);
	if (!st)
		st = ag_tables_commit(w->tables, err);
	w->tables = ag_tables_close(w->tables);
	return st;
}

static ag_status import_types_of(import_work *w, const ag_table *table, ag_import *ret, ag_err *err)
{
	ag_arena *arena = w->what->arena;
	ag_str *headings;
	ag_status st = ag_table_each(table, w->what->ctx, NULL, NULL, 0, import_header, w, err);

	if (!st && !w->n) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "the file has no rows: the types of its columns are not known");
		return ag_err_hint(err, "want a header line, then at least one row");
	}
	if (st)
		return st;
	ret->nrenamed = import_names(w);
	st = ag_table_each(table, w->what->ctx, NULL, NULL, 0, import_types, w, err);
	if (st)
		return st;
	w->declared = ag_new_n(arena, ag_tables_column, w->n);
	headings = ag_new_n(arena, ag_str, w->n);
	for (size_t i = 0; i < w->n; i++) {
		w->declared[i] = (ag_tables_column){ w->columns[i].name,
			                             import_type(&w->columns[i]) };
		headings[i] = w->columns[i].key;
	}
	ret->columns = w->declared;
	ret->headings = headings;
	ret->ncolumn = w->n;
	return AG_OK;
}

ag_status ag_import_loaded(const ag_import_what *what, const ag_table *table, ag_import *ret,
                           ag_err *err)
{
	import_work w = { .what = what };
	ag_status st = import_types_of(&w, table, ret, err);

	if (st)
		return st;
	w.cells = ag_new_n(what->arena, ag_cell, w.n);
	w.first = ag_new_n(what->arena, ag_cell, w.n * AG_IMPORT_FIRST);
	ret->table = what->table;
	ret->nrow = ag_table_info_of(table)->ndoc;
	ret->short_rows = ag_table_info_of(table)->short_rows;
	st = import_write(&w, table, ret, err);
	ret->first = w.first;
	ret->nfirst = w.nfirst / w.n;
	return st;
}

/* --- of bytes --- */

/* SQL functions of SQLite end a text at a NUL, and it cannot be seen on any screen. */
static ag_status import_check_nul(ag_str bytes, ag_err *err)
{
	const char *nul = (const char *)memchr(bytes.ptr, '\0', bytes.len);
	uint64_t line = 1;
	size_t begin = 0, at;

	if (!nul)
		return AG_OK;
	at = (size_t)(nul - bytes.ptr);
	for (size_t i = 0; i < at; i++) {
		if (bytes.ptr[i] == '\n') {
			line++;
			begin = i + 1;
		}
	}
	ag_fail(err, AG_INVALID, ORIGIN, "line %llu, column %zu: a NUL byte, which is no text",
	        (unsigned long long)line,
	        ag_utf8_count(ag_str_make(bytes.ptr + begin, at - begin)) + 1);
	return ag_err_hint(err, "export the file again, as text in UTF-8");
}

static ag_status import_check_records(ag_str bytes, const ag_table *table, ag_err *err)
{
	const ag_table_info *info = ag_table_info_of(table);
	const ag_table_issue *first = info->issues;
	uint64_t line, column;

	if (!info->broken)
		return import_check_nul(bytes, err);
	ag_table_csv_fault(bytes, first, &line, &column);
	ag_fail(err, AG_INVALID, ORIGIN, "line %llu, column %llu: %.*s", (unsigned long long)line,
	        (unsigned long long)column, AG_FMT(first->what));
	if (ag_str_contains(first->what, AG_S("UTF-8")))
		return ag_err_hint(err, "save the file as UTF-8, or convert it: iconv -f "
		                        "WINDOWS-1252 -t UTF-8");
	return ag_err_hint(err, "mend that line: a table is imported whole or not at all");
}

ag_status ag_import_bytes(const ag_import_what *what, ag_str bytes, ag_import *ret, ag_err *err)
{
	const ag_table_opts how = { .format = AG_FORMAT_CSV };
	ag_import out = { 0 };
	ag_table *table = NULL;
	ag_status st;

	if (!bytes.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "the file is empty");
	st = ag_table_load_mem(what->ctx, ag_str_cstr(what->arena, what->file), bytes.ptr,
	                       bytes.len, &how, &table, err);
	if (!st)
		st = import_check_records(bytes, table, err);
	if (!st)
		st = ag_import_loaded(what, table, &out, err);
	ag_table_free(table);
	if (!st)
		*ret = out;
	return st;
}

/* --- where it goes --- */

ag_str ag_import_path(ag_str folder, ag_str project, ag_arena *arena)
{
	return ag_str_printf(arena, "%.*s/tables/%.*s.sqlite", AG_FMT(folder), AG_FMT(project));
}
