/* artifact_out -- see the header. */
#include "cli/artifact_out.h"

#include "app/file.h"
#include "artifact/page.h"
#include "artifact/table.h"
#include "base/utf8.h"

#define ORIGIN     "cli.artifact"
#define FILE_BYTES (256u << 20)

static bool ends_in(ag_str path, const char *end)
{
	const size_t n = strlen(end);

	return path.len > n && ag_str_ieq(ag_str_make(path.ptr + path.len - n, n), ag_str_c(end));
}

/* The first query that failed ends an export: half of the data would look like all of it. */
static ag_status check_results(const ag_artifact_result *list, size_t n, ag_err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i].error.len)
			return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "source query \"%.*s\": %.*s",
			               AG_FMT(list[i].name),
			               AG_FMT(ag_utf8_prefix(list[i].error, 250)));
	}
	return AG_OK;
}

static ag_status no_query(const ag_artifact_result *list, size_t n, ag_str query, ag_arena *arena,
                          ag_err *err)
{
	ag_buf names = AG_BUF_INIT(2000);

	for (size_t i = 0; i < n; i++)
		ag_buf_addf(&names, "%s%.*s", i ? ", " : "", AG_FMT(list[i].name));
	if (query.len)
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "it has no source query \"%.*s\"",
		        AG_FMT(ag_utf8_prefix(query, 60)));
	else
		ag_fail(err, AG_INVALID, ORIGIN, "it has no data, or several tables of it");
	if (n)
		ag_err_hint(err, "--query takes one of: %.*s",
		            AG_FMT(ag_utf8_prefix(ag_buf_dup(arena, &names), 150)));
	ag_buf_release(&names);
	return err->status;
}

/* The table that is meant: of the query of that name, or the only one that there is. */
static ag_status find_table(const ag_artifact *a, const ag_artifact_result *list, size_t n,
                            ag_str query, ag_arena *arena, ag_artifact_table *ret, ag_err *err)
{
	ag_artifact_table *own = NULL;
	size_t nown = query.len ? 0 : ag_artifact_data_tables(a, arena, &own);

	if (!query.len && !nown && a->kind == AG_ARTIFACT_PLOTLY && !n)
		nown = ag_artifact_plotly_tables(a, arena, &own);
	for (size_t i = 0; i < n; i++) {
		if (query.len ? !ag_str_eq(list[i].name, query) : n > 1 || nown)
			continue;
		*ret = (ag_artifact_table){ list[i].name, list[i].columns, list[i].rows,
			                    list[i].row_count, list[i].is_cut };
		return AG_OK;
	}
	if (nown != 1 || n)
		return no_query(list, n, query, arena, err);
	*ret = own[0];
	return AG_OK;
}

static ag_status write_data(ag_cli *c, const ag_artifact *a, const ag_artifact_result *list,
                            size_t n, ag_str path, ag_str query, ag_buf *out, ag_err *err)
{
	ag_artifact_table t = { 0 };
	ag_status st;

	if (ends_in(path, ".json") && !query.len) {
		ag_buf_add(out, ag_artifact_data(a, list, n, c->app.arena));
		ag_buf_addc(out, '\n');
		return AG_OK;
	}
	st = find_table(a, list, n, query, c->app.arena, &t, err);
	if (st)
		return st;
	if (t.is_cut)
		ag_cli_warn(c, "the result is cut: there are more rows than are exported");
	if (ends_in(path, ".json"))
		ag_artifact_rows_json(&t, c->app.arena, out);
	else
		ag_artifact_csv(&t, out);
	return AG_OK;
}

static ag_status write_page(ag_cli *c, const ag_artifact *a, const ag_artifact_result *list,
                            size_t n, ag_buf *out, ag_err *err)
{
	size_t nleft = 0;
	ag_status st = ag_artifact_page(a, ag_artifact_data(a, list, n, c->app.arena), c->app.arena,
	                                out, &nleft, err);

	if (!st && nleft)
		ag_cli_warn(c,
		            "%zu element%s or attributes were left out: scripts, addresses and "
		            "others that may not be in a page",
		            nleft, nleft == 1 ? "" : "s");
	return st;
}

ag_status ag_artifact_out(ag_cli *c, const ag_know_place *p, const ag_artifact *a, ag_str path,
                          ag_str query, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(FILE_BYTES);
	const bool is_page = ends_in(path, ".html") || ends_in(path, ".htm");
	const bool is_data = ends_in(path, ".csv") || ends_in(path, ".json") || query.len;
	ag_artifact_result *list = NULL;
	size_t n = 0;
	ag_status st = AG_OK;

	if (is_page || is_data)
		st = ag_artifact_query(p, a, NULL, c->app.arena, &list, &n, err);
	if (!st)
		st = check_results(list, n, err);
	if (st)
		return st;
	if (is_page)
		st = write_page(c, a, list, n, &out, err);
	else if (is_data)
		st = write_data(c, a, list, n, path, query, &out, err);
	else
		ag_buf_add(&out, a->version.code);
	if (!st && out.failed)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "the file is larger than %u bytes", FILE_BYTES);
	return st ? st : ag_file_replace(path, ag_buf_view(&out), err);
}
