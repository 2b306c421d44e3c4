/* files -- see the header. */
#include "artifact/files.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN     "artifact.files"
#define FILE_BYTES (4u << 20)

/* --- writing --- */

static ag_str row_json(const ag_artifact_row *r, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(FILE_BYTES);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "id", r->id);
	ag_jw_kstr(&w, "title", r->title);
	ag_jw_kstr(&w, "type", r->kind);
	ag_jw_kstr(&w, "thread", r->thread);
	ag_jw_kstr(&w, "author", r->author);
	ag_jw_kuint(&w, "versions", r->nversion);
	ag_jw_kint(&w, "created_at_ms", r->created_ms);
	ag_jw_kint(&w, "changed_at_ms", r->changed_ms);
	ag_jw_obj_end(&w);
	ag_buf_addc(&out, '\n');
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static void write_raw(ag_jw *w, const char *key, ag_str json)
{
	if (json.len)
		ag_jw_kraw(w, key, json);
	else
		ag_jw_knull(w, key);
}

static ag_str version_json(const ag_artifact_version *v, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(FILE_BYTES);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "id", v->id);
	ag_jw_kuint(&w, "version", v->version);
	ag_jw_kstr(&w, "parent", v->parent);
	ag_jw_kstr(&w, "title", v->title);
	ag_jw_kstr(&w, "description", v->description);
	ag_jw_kstr(&w, "sha256", v->hash);
	write_raw(&w, "data", v->data);
	write_raw(&w, "source_queries", v->queries);
	write_raw(&w, "figures", v->figures);
	ag_jw_kstr(&w, "author", v->author);
	ag_jw_kint(&w, "created_at_ms", v->created_ms);
	ag_jw_obj_end(&w);
	ag_buf_addc(&out, '\n');
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

void ag_artifact_files_write(const ag_artifact_set *set, ag_arena *arena, ag_zip_file **ret,
                             size_t *nret)
{
	ag_zip_file *files = ag_new_n(arena, ag_zip_file, set->n + 2 * set->nversion + 1);
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		files[n++] = (ag_zip_file){ ag_str_printf(arena, "%.*s/artifact.json",
			                                  AG_FMT(set->rows[i].id)),
			                    row_json(&set->rows[i], arena) };
	for (size_t i = 0; i < set->nversion; i++) {
		const ag_artifact_version *v = &set->versions[i];
		const ag_str stem = ag_str_printf(arena, "%.*s/v%llu", AG_FMT(v->artifact),
		                                  (unsigned long long)v->version);

		files[n++] = (ag_zip_file){ ag_str_printf(arena, "%.*s.json", AG_FMT(stem)),
			                    version_json(v, arena) };
		files[n++] = (ag_zip_file){ ag_str_printf(arena, "%.*s.code", AG_FMT(stem)),
			                    v->code };
	}
	*ret = files;
	*nret = n;
}

/* --- reading --- */

static int by_name(const void *a, const void *b)
{
	return ag_str_cmp(((const ag_zip_file *)a)->name, ((const ag_zip_file *)b)->name);
}

static ag_status wrong(ag_str file, const char *what, ag_err *err)
{
	return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: %s", AG_FMT(ag_utf8_prefix(file, 120)),
	               what);
}

static ag_status read_object(const ag_zip_file *f, ag_arena *arena, ag_val *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .reject_duplicates = true, .max_values = 500000 };
	ag_err why = { 0 };

	if (ag_extjson_parse(f->text, &opts, arena, ret, NULL, NULL, &why))
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: not JSON: %.200s",
		               AG_FMT(ag_utf8_prefix(f->name, 120)), why.msg);
	return ret->type == AG_T_OBJECT ? AG_OK : wrong(f->name, "want one JSON object", err);
}

/* A whole number that is not negative; its name is told when it is none. */
static ag_status read_number(const ag_zip_file *f, const ag_val *o, const char *key, int64_t *ret,
                             ag_err *err)
{
	const ag_val *v = ag_val_getc(o, key);

	if (v && ag_val_to_i64(v, ret) && *ret >= 0)
		return AG_OK;
	return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: %s: want a whole number",
	               AG_FMT(ag_utf8_prefix(f->name, 120)), key);
}

static ag_str json_of(const ag_val *o, const char *key, ag_arena *arena)
{
	const ag_val *v = ag_val_getc(o, key);

	return v && v->type != AG_T_NULL ? ag_extjson_str(arena, v, AG_EXTJSON_RELAXED) : AG_S("");
}

static ag_status read_row(const ag_zip_file *f, ag_arena *arena, ag_artifact_row *ret, ag_err *err)
{
	int64_t n = 0, created = 0, changed = 0;
	ag_val o;
	ag_status st = read_object(f, arena, &o, err);

	if (!st)
		st = read_number(f, &o, "versions", &n, err);
	if (!st)
		st = read_number(f, &o, "created_at_ms", &created, err);
	if (!st)
		st = read_number(f, &o, "changed_at_ms", &changed, err);
	if (!st && n > AG_ARTIFACT_MAX_VERSIONS)
		st = wrong(f->name, "versions: too many", err);
	if (st)
		return st;
	*ret = (ag_artifact_row){ .id = ag_val_member_str(&o, "id"),
		                  .title = ag_val_member_str(&o, "title"),
		                  .kind = ag_val_member_str(&o, "type"),
		                  .thread = ag_val_member_str(&o, "thread"),
		                  .author = ag_val_member_str(&o, "author"),
		                  .nversion = (uint64_t)n,
		                  .created_ms = created,
		                  .changed_ms = changed };
	if (!ag_str_eq(f->name, ag_str_printf(arena, "%.*s/artifact.json", AG_FMT(ret->id))))
		return wrong(f->name, "id: is not the name of its folder", err);
	return AG_OK;
}

static const ag_zip_file *find_file(const ag_zip_file *files, size_t n, ag_str name)
{
	const ag_zip_file key = { .name = name };

	return bsearch(&key, files, n, sizeof(*files), by_name);
}

static ag_status read_version(const ag_zip_file *json, const ag_zip_file *code, ag_str artifact,
                              ag_arena *arena, ag_artifact_version *ret, ag_err *err)
{
	int64_t number = 0, created = 0;
	ag_val o;
	ag_status st = read_object(json, arena, &o, err);

	if (!st)
		st = read_number(json, &o, "version", &number, err);
	if (!st)
		st = read_number(json, &o, "created_at_ms", &created, err);
	if (st)
		return st;
	*ret = (ag_artifact_version){ .id = ag_val_member_str(&o, "id"),
		                      .artifact = artifact,
		                      .version = (uint64_t)number,
		                      .parent = ag_val_member_str(&o, "parent"),
		                      .title = ag_val_member_str(&o, "title"),
		                      .description = ag_val_member_str(&o, "description"),
		                      .code = code->text,
		                      .hash = ag_val_member_str(&o, "sha256"),
		                      .data = json_of(&o, "data", arena),
		                      .queries = json_of(&o, "source_queries", arena),
		                      .figures = json_of(&o, "figures", arena),
		                      .author = ag_val_member_str(&o, "author"),
		                      .created_ms = created };
	return AG_OK;
}

static ag_status read_versions(const ag_zip_file *files, size_t n, const ag_artifact_row *row,
                               ag_arena *arena, ag_artifact_set *ret, ag_err *err)
{
	ag_status st = AG_OK;

	for (uint64_t v = 1; v <= row->nversion && !st; v++) {
		const ag_str stem = ag_str_printf(arena, "%.*s/v%llu", AG_FMT(row->id),
		                                  (unsigned long long)v);
		const ag_str name = ag_str_printf(arena, "%.*s.json", AG_FMT(stem));
		const ag_zip_file *json = find_file(files, n, name);
		const ag_zip_file *code =
			find_file(files, n, ag_str_printf(arena, "%.*s.code", AG_FMT(stem)));

		if (!json || !code)
			return wrong(stem,
			             json ? "its .code file is missing"
			                  : "its .json file is missing",
			             err);
		st = read_version(json, code, row->id, arena, &ret->versions[ret->nversion], err);
		ret->nversion += !st;
	}
	return st;
}

ag_status ag_artifact_files_read(const ag_zip_file *files, size_t n, ag_arena *arena,
                                 ag_artifact_set *ret, ag_err *err)
{
	ag_zip_file *sorted = ag_new_n(arena, ag_zip_file, n + 1);
	ag_status st = AG_OK;

	*ret = (ag_artifact_set){ .rows = ag_new_n(arena, ag_artifact_row, n + 1),
		                  .versions = ag_new_n(arena, ag_artifact_version, n + 1) };
	if (n) {
		memcpy(sorted, files, n * sizeof(*files));
		qsort(sorted, n, sizeof(*sorted), by_name);
	}
	for (size_t i = 1; i < n; i++) {
		if (ag_str_eq(sorted[i].name, sorted[i - 1].name))
			return wrong(sorted[i].name, "comes twice", err);
	}
	for (size_t i = 0; i < n && !st; i++) {
		if (!ag_str_ends(sorted[i].name, AG_S("/artifact.json")))
			continue;
		st = read_row(&sorted[i], arena, &ret->rows[ret->n], err);
		if (!st)
			st = read_versions(sorted, n, &ret->rows[ret->n], arena, ret, err);
		ret->n += !st;
	}
	if (!st && !ret->n)
		st = ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no artifact in it");
	if (!st && ret->n + 2 * ret->nversion != n)
		st = ag_fail(err, AG_INVALID, ORIGIN, "there are files that belong to no artifact");
	return st;
}
