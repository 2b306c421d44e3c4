/* import -- see the header. Two passes over the loaded file: the type of each column, then the rows. */
#include "app/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/projects.h"
#include "base/embedded.h"
#include "base/utf8.h"
#include "columns/table.h"
#include "store/identity.h"

#define ORIGIN "app.import"

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

static ag_str import_table_name(ag_str file, ag_arena *arena)
{
	size_t from = file.len, to;

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
	ag_app *app;
	import_column *columns;
	size_t n;
	ag_tables_column *declared;
	ag_tables *tables;
	ag_cell *cells;
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

	(void)row;
	for (size_t i = 0; i < w->n; i++)
		import_cell(import_member(view, w, i), import_member(doc, w, i),
		            strcmp(w->declared[i].type, "TEXT") == 0, &w->cells[i]);
	return ag_tables_add(w->tables, w->cells, err);
}

/* --- columns --- */

static bool import_is_taken(const import_work *w, size_t n, ag_str name)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_ieq(w->columns[i].name, name))
			return true;
	}
	return false;
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
	w->columns = ag_new_n(w->app->arena, import_column, doc->n);
	for (uint32_t i = 0; i < doc->n; i++)
		w->columns[i].key = ag_str_dup(w->app->arena, doc->u.members[i].key);
	w->n = doc->n;
	return AG_OK;
}

static size_t import_names(import_work *w)
{
	size_t nrenamed = 0;

	for (size_t i = 0; i < w->n; i++) {
		import_column *c = &w->columns[i];
		ag_str name = ag_import_name(c->key, w->app->arena), base;

		if (!name.len)
			name = ag_str_printf(w->app->arena, "column_%zu", i + 1);
		base = ag_utf8_prefix(name, AG_IMPORT_MAX_NAME - 5);
		for (size_t k = 2; import_is_taken(w, i, name); k++)
			name = ag_str_printf(w->app->arena, "%.*s_%zu", AG_FMT(base), k);
		c->name = name;
		nrenamed += !ag_str_eq(name, c->key);
	}
	return nrenamed;
}

/* --- where it goes --- */

static ag_status import_folder(ag_app *app, ag_str *ret, ag_err *err)
{
	ag_str uri, rest;
	ag_status st = ag_app_store_uri(app, &uri, err);
	size_t n;

	if (!st && (ag_str_starts(uri, AG_S("postgres")) || ag_str_starts(uri, AG_S("memory"))))
		st = ag_store_state_folder(app->arena, ret, err);
	if (st)
		return st;
	if (ag_str_starts(uri, AG_S("postgres")) || ag_str_starts(uri, AG_S("memory")))
		return AG_OK;
	rest = ag_str_starts(uri, AG_S("sqlite:")) ? ag_str_make(uri.ptr + 7, uri.len - 7) : uri;
	n = rest.len;
	while (n && rest.ptr[n - 1] != '/')
		n--;
	*ret = n ? ag_str_make(rest.ptr, n - 1) : AG_S(".");
	/* A project keeps the path: it must hold from any folder. */
	if (!ag_str_starts(*ret, AG_S("/"))) {
		char *here = getcwd(NULL, 0);

		if (!here)
			return ag_fail_errno(err, errno, ORIGIN, "the current folder has no path");
		*ret = ag_str_printf(app->arena, "%s/%.*s", here, AG_FMT(*ret));
		free(here);
	}
	return AG_OK;
}

static ag_str import_path(ag_app *app, ag_str folder, ag_str name)
{
	return ag_str_printf(app->arena, "%.*s/tables/%.*s.sqlite", AG_FMT(folder), AG_FMT(name));
}

/* The project's source: of argus.yaml or of the store. False: there is no such project. */
static ag_status import_source_of(ag_app *app, ag_store *store, ag_str id, bool *ret_has,
                                  ag_str *ret, ag_err *err)
{
	ag_project *all = NULL;
	ag_project_row row;
	size_t n = 0;
	ag_status st = ag_app_projects(app, AG_S(""), &all, &n, err);

	if (st)
		return st;
	*ret_has = true;
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eq(all[i].id, id)) {
			*ret = all[i].source;
			return AG_OK;
		}
	}
	st = ag_store_project(store, id, app->arena, &row, err);
	*ret_has = !st;
	*ret = st ? AG_S("") : row.source;
	return st == AG_NOT_FOUND ? AG_OK : st;
}

static ag_status import_project(ag_app *app, ag_store *store, ag_str folder, ag_str asked,
                                ag_import *ret, ag_err *err)
{
	ag_str source = AG_S("");
	bool has = false;
	ag_status st;

	for (size_t tries = 0; tries < 2; tries++) {
		ret->project = tries ? ag_str_printf(app->arena, "%.*s-files", AG_FMT(asked))
		                     : asked;
		ret->path = import_path(app, folder, ret->project);
		st = import_source_of(app, store, ret->project, &has, &source, err);
		if (st)
			return st;
		ret->made_project = !has;
		if (!has ||
		    ag_str_eq(source, ag_str_printf(app->arena, "sqlite:%.*s", AG_FMT(ret->path))))
			return AG_OK;
	}
	ag_fail(err, AG_CONFLICT, ORIGIN, "the projects %.*s and %.*s have databases of their own",
	        AG_FMT(asked), AG_FMT(ret->project));
	return ag_err_hint(err, "import into another project: --project NAME");
}

/* Is the id one that the store takes? Asked before the work. */
static ag_status import_check_id(ag_str id, ag_err *err)
{
	bool ok = id.len > 0 && id.len <= AG_IDENTITY_MAX_NAME - 6;

	for (size_t i = 0; i < id.len && ok; i++) {
		const char c = id.ptr[i];
		const bool alnum = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');

		ok = alnum || (i && (c == '.' || c == '_' || c == '-'));
	}
	if (ok)
		return AG_OK;
	return ag_fail(
		err, AG_INVALID, ORIGIN,
		"\"%.*s\" is no name of a project: letters, digits, \".\", \"_\" and \"-\", a letter or digit first",
		AG_FMT(ag_utf8_prefix(id, 60)));
}

static ag_status import_register(ag_app *app, ag_store *store, const ag_import *r, ag_err *err)
{
	const int64_t now_ms = ag_clock_wall(app->ctx.clock);
	const ag_project_row row = { .id = r->project,
		                     .name = r->project,
		                     .source = ag_str_printf(app->arena, "sqlite:%.*s",
		                                             AG_FMT(r->path)),
		                     .settings = AG_S("{}"),
		                     .is_active = true,
		                     .created_ms = now_ms,
		                     .changed_ms = now_ms };

	return ag_store_put_project(store, &row, err);
}

/* --- all of it --- */

static ag_status import_load(ag_app *app, ag_str file, ag_table **ret, ag_err *err)
{
	const char *path = ag_str_cstr(app->arena, file);
	const ag_table_opts how = { .strict = true };
	struct stat sb;
	ag_status st;

	if (!stat(path, &sb) && sb.st_size > AG_IMPORT_MAX_BYTES)
		return ag_fail(err, AG_LIMIT, ORIGIN,
		               "\"%.*s\" has %lld bytes; at most %u are imported",
		               AG_FMT(ag_utf8_prefix(file, 200)), (long long)sb.st_size,
		               AG_IMPORT_MAX_BYTES);
	st = ag_table_load(&app->ctx, &path, 1, &how, ret, err);
	if (st == AG_INVALID && err && ag_str_contains(ag_str_c(err->msg), AG_S(", line ")))
		return ag_err_hint(err, "mend that line: a table is imported whole or not at all");
	if (st)
		return st;
	if (ag_table_info_of(*ret)->format != AG_FORMAT_CSV &&
	    ag_table_info_of(*ret)->format != AG_FORMAT_TSV) {
		*ret = ag_table_free(*ret);
		ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" is no CSV file",
		        AG_FMT(ag_utf8_prefix(file, 200)));
		return ag_err_hint(err, "export it as CSV with a header line first");
	}
	return AG_OK;
}

static ag_status import_write(import_work *w, const ag_table *table, ag_import *ret, ag_err *err)
{
	ag_status st = ag_tables_open(ret->path, &w->tables, err);

	if (!st)
		st = ag_tables_create(w->tables, ret->table, w->declared, w->n, &ret->replaced,
		                      err);
	if (!st)
		st = ag_table_each(table, &w->app->ctx, NULL, NULL, 0, import_row, w, err);
	if (!st)
		st = ag_tables_commit(w->tables, err);
	w->tables = ag_tables_close(w->tables);
	return st;
}

static ag_status import_table(import_work *w, const ag_table *table, ag_import *ret, ag_err *err)
{
	ag_status st = ag_table_each(table, &w->app->ctx, NULL, NULL, 0, import_header, w, err);

	if (!st && !w->n) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "the file has a header and no rows: the types of its columns are not known");
		return err ? err->status : AG_INVALID;
	}
	if (st)
		return st;
	ret->nrenamed = import_names(w);
	st = ag_table_each(table, &w->app->ctx, NULL, NULL, 0, import_types, w, err);
	if (st)
		return st;
	w->cells = ag_new_n(w->app->arena, ag_cell, w->n);
	w->declared = ag_new_n(w->app->arena, ag_tables_column, w->n);
	for (size_t i = 0; i < w->n; i++)
		w->declared[i] = (ag_tables_column){ w->columns[i].name,
			                             import_type(&w->columns[i]) };
	ret->columns = w->declared;
	ret->ncolumn = w->n;
	ret->nrow = ag_table_info_of(table)->ndoc;
	ret->short_rows = ag_table_info_of(table)->short_rows;
	return import_write(w, table, ret, err);
}

ag_status ag_app_import(ag_app *app, ag_str file, ag_str project, ag_str table_name, ag_import *ret,
                        ag_err *err)
{
	import_work w = { .app = app };
	ag_import out = { .table = table_name.len ? ag_import_name(table_name, app->arena)
		                                  : import_table_name(file, app->arena) };
	ag_table *table = NULL;
	ag_store *store;
	ag_str folder = AG_S("");
	ag_status st = import_check_id(project, err);

	if (!st && !out.table.len)
		st = ag_fail(err, AG_INVALID, ORIGIN,
		             "the table has no name: give one with --table");
	if (!st)
		st = ag_app_store(app, &store, err);
	if (!st)
		st = import_folder(app, &folder, err);
	if (!st)
		st = import_project(app, store, folder, project, &out, err);
	if (!st)
		st = import_load(app, file, &table, err);
	if (!st)
		st = import_table(&w, table, &out, err);
	ag_table_free(table);
	if (!st && out.made_project)
		st = import_register(app, store, &out, err);
	if (!st)
		st = ag_project_dictionary_forget(store, out.project, app->arena, err);
	if (!st)
		*ret = out;
	return st;
}

/* --- the example shop --- */

ag_status ag_app_demo_database(ag_app *app, ag_str *ret_path, ag_err *err)
{
	const ag_embedded *sql = ag_embedded_find("shop/shop.sql");
	ag_tables *t = NULL;
	ag_str folder = AG_S(""), path;
	struct stat sb;
	ag_status st = import_folder(app, &folder, err);

	if (st)
		return st;
	if (!sql)
		return ag_fail(err, AG_INTERNAL, ORIGIN,
		               "the example shop is missing in this program");
	/* The size of the script in the name: another shop is another file. */
	path = import_path(app, folder,
	                   ag_str_printf(app->arena, "%s-%zu", AG_DEMO_PROJECT, sql->len));
	if (stat(ag_str_cstr(app->arena, path), &sb) || sb.st_size == 0) {
		st = ag_tables_open(path, &t, err);
		if (!st)
			st = ag_tables_script(t, (const char *)sql->ptr, err);
		if (!st)
			st = ag_tables_commit(t, err);
		ag_tables_close(t);
	}
	if (!st)
		*ret_path = path;
	return st;
}
