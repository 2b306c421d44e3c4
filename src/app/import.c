/* import -- see the header. */
#include "app/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/projects.h"
#include "base/embedded.h"
#include "base/utf8.h"
#include "store/identity.h"

#define ORIGIN "app.import"

/* --- where it goes --- */

ag_status ag_import_folder(ag_app *app, ag_str *ret, ag_err *err)
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
                                ag_app_imported *ret, ag_err *err)
{
	ag_str source = AG_S("");
	bool has = false;
	ag_status st;

	for (size_t tries = 0; tries < 2; tries++) {
		ret->project = tries ? ag_str_printf(app->arena, "%.*s-files", AG_FMT(asked))
		                     : asked;
		ret->path = ag_import_path(folder, ret->project, app->arena);
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

static ag_status import_register(ag_app *app, ag_store *store, const ag_app_imported *r,
                                 ag_err *err)
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

/* --- of a file, for the command line --- */

ag_status ag_app_import(ag_app *app, ag_str file, ag_str project, ag_str table_name,
                        ag_app_imported *ret, ag_err *err)
{
	ag_import_what what = { .ctx = &app->ctx,
		                .arena = app->arena,
		                .file = file,
		                .table = ag_import_table_name(table_name, file, app->arena) };
	ag_app_imported out = { 0 };
	ag_table *table = NULL;
	ag_store *store;
	ag_str folder = AG_S("");
	ag_status st = import_check_id(project, err);

	if (!st && !what.table.len)
		st = ag_fail(err, AG_INVALID, ORIGIN,
		             "the table has no name: give one with --table");
	if (!st)
		st = ag_app_store(app, &store, err);
	if (!st)
		st = ag_import_folder(app, &folder, err);
	if (!st)
		st = import_project(app, store, folder, project, &out, err);
	if (!st)
		st = import_load(app, file, &table, err);
	what.path = out.path;
	if (!st)
		st = ag_import_loaded(&what, table, &out.made, err);
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
	ag_status st = ag_import_folder(app, &folder, err);

	if (st)
		return st;
	if (!sql)
		return ag_fail(err, AG_INTERNAL, ORIGIN,
		               "the example shop is missing in this program");
	/* The size of the script in the name: another shop is another file. */
	path = ag_import_path(folder,
	                      ag_str_printf(app->arena, "%s-%zu", AG_DEMO_PROJECT, sql->len),
	                      app->arena);
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
