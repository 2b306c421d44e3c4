/* artifact_files -- see the header. */
#include "app/artifact_files.h"

#include <errno.h>
#include <sys/stat.h>

#include "app/file.h"
#include "app/knowledge_files.h"
#include "artifact/files.h"

#define ORIGIN "app.artifacts"

static bool is_wanted(ag_str name)
{
	return name.len && name.ptr[0] != '.' &&
	       (ag_str_ends(name, AG_S(".json")) || ag_str_ends(name, AG_S(".code")));
}

ag_status ag_app_artifacts_read(ag_str path, const atomic_bool *cancel, ag_arena *arena,
                                ag_artifact_set *ret, ag_err *err)
{
	ag_zip_file *files = NULL;
	size_t n = 0;
	ag_status st = ag_app_files_read(path, is_wanted, cancel, arena, &files, &n, err);

	return st ? st : ag_artifact_files_read(files, n, arena, ret, err);
}

static ag_status make_folder(ag_str path, ag_arena *arena, ag_err *err)
{
	if (mkdir(ag_str_cstr(arena, path), 0755) && errno != EEXIST)
		return ag_fail_errno(err, errno, ORIGIN, "cannot make the folder \"%.*s\"",
		                     AG_FMT(path));
	return AG_OK;
}

static ag_status write_folder(ag_str path, const ag_artifact_set *set, const ag_zip_file *files,
                              size_t n, ag_arena *arena, ag_err *err)
{
	ag_status st = make_folder(path, arena, err);

	for (size_t i = 0; i < set->n && !st; i++)
		st = make_folder(ag_str_printf(arena, "%.*s/%.*s", AG_FMT(path),
		                               AG_FMT(set->rows[i].id)),
		                 arena, err);
	for (size_t i = 0; i < n && !st; i++)
		st = ag_file_replace(ag_str_printf(arena, "%.*s/%.*s", AG_FMT(path),
		                                   AG_FMT(files[i].name)),
		                     files[i].text, err);
	return st;
}

ag_status ag_app_artifacts_write(ag_str path, const ag_artifact_set *set, ag_arena *arena,
                                 ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(2 * AG_ZIP_MAX_BYTES);
	ag_zip_file *files;
	size_t n;
	ag_status st;

	ag_artifact_files_write(set, arena, &files, &n);
	if (!ag_str_ends(path, AG_S(".zip")))
		return write_folder(path, set, files, n, arena, err);
	st = ag_zip_write(files, n, &out, err);
	return st ? st : ag_file_replace(path, ag_buf_view(&out), err);
}
