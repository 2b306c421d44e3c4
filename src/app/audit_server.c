/* audit_server -- see the header. */
#include "app/audit_server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/file.h"
#include "app/jobs.h"
#include "base/embedded.h"
#include "base/sha256.h"

#define ORIGIN "app.audit_server"

static ag_str folder_of(void *arg, ag_str project, ag_arena *arena)
{
	const ag_app_audit_server *s = (const ag_app_audit_server *)arg;

	return ag_str_printf(arena, "%.*s/%.*s", AG_FMT(s->folder), AG_FMT(project));
}

/* Is there room for a file of that name and size? One that is replaced does not count. */
static ag_status check_room(ag_str folder, ag_str name, size_t nbyte, ag_arena *arena, ag_err *err)
{
	DIR *dir = opendir(ag_str_cstr(arena, folder));
	uint64_t nfile = 1, total = nbyte;
	struct dirent *entry;
	struct stat sb;

	if (!dir)
		return ag_fail_errno(err, errno, ORIGIN, "cannot read the folder of the uploads");
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || ag_str_eqc(name, entry->d_name) ||
		    fstatat(dirfd(dir), entry->d_name, &sb, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(sb.st_mode))
			continue;
		nfile++;
		total += (uint64_t)sb.st_size;
	}
	closedir(dir);
	if (nfile <= AG_UPLOADS_MAX_FILES && total <= AG_UPLOADS_MAX_BYTES)
		return AG_OK;
	ag_fail(err, AG_LIMIT, ORIGIN, "a project may have %u uploaded files of %llu MiB together",
	        AG_UPLOADS_MAX_FILES, AG_UPLOADS_MAX_BYTES >> 20);
	return ag_err_hint(err, "remove one that is not needed any more");
}

static ag_status keep(void *arg, ag_str project, ag_str name, ag_str bytes, ag_arena *arena,
                      ag_err *err)
{
	const ag_str folder = folder_of(arg, project, arena);
	ag_status st = ag_file_make_folder(folder, arena, err);

	if (!st)
		st = check_room(folder, name, bytes.len, arena, err);
	return st ? st
	          : ag_file_replace(ag_str_printf(arena, "%.*s/%.*s", AG_FMT(folder), AG_FMT(name)),
	                            bytes, err);
}

static ag_status jobs(void *arg, const ag_ctx *ctx, const ag_server_audit_what *what,
                      ag_arena *arena, ag_job **ret, size_t *nret, ag_err *err)
{
	const ag_app_audit_server *s = (const ag_app_audit_server *)arg;
	const ag_job_audit_what job = { .uri = what->uri,
		                        .project = what->project->id,
		                        .is_other = what->is_upload,
		                        .queue = what->is_upload ? s->uploads_queue
		                                                 : AG_S(AG_JOB_QUEUE),
		                        .eval_profile = what->eval_profile,
		                        .max_iterations = what->max_iterations,
		                        .max_seconds = what->max_seconds };

	return ag_job_audit_places(ctx, &job, arena, ret, nret, err);
}

ag_status ag_app_audit_server_init(ag_app *app, bool has_workers, ag_app_audit_server *ret,
                                   ag_err *err)
{
	char host[256] = "";
	ag_err ignored = { 0 };
	ag_sha256_hex hash;
	ag_str state;
	ag_status st = ag_store_state_folder(app->arena, &state, err);

	if (st)
		return st;
	*ret = (ag_app_audit_server){ .opts = { .jobs = jobs,
		                                .folder = folder_of,
		                                .keep = keep,
		                                .arg = ret,
		                                .show_values = app->settings.audit.show_values } };
	ret->folder = ag_str_printf(app->arena, "%.*s/uploads", AG_FMT(state));
	ret->spool_folder = ag_str_printf(app->arena, "%.*s/spool", AG_FMT(state));
	AG_IGNORE(ag_file_make_folder(ret->spool_folder, app->arena, &ignored),
	          "a large body is refused then, and the log says why");
	AG_IGNORE(gethostname(host, sizeof(host) - 1),
	          "then the folder alone tells machines apart");
	hash = ag_sha256(ag_str_printf(app->arena, "%s:%.*s", host, AG_FMT(ret->folder)));
	ret->uploads_queue = has_workers ? ag_str_printf(app->arena, "uploads-%.16s", hash.text)
	                                 : AG_S(AG_JOB_QUEUE);
	return AG_OK;
}

ag_status ag_app_audit_server_demo(ag_app_audit_server *s, ag_str project, ag_arena *arena,
                                   ag_err *err)
{
	const ag_embedded *f = ag_embedded_find("documents/products.csv");

	if (!f)
		return ag_fail(err, AG_INTERNAL, ORIGIN, "the program has no products.csv");
	return keep(s, project, AG_S("products.csv"), ag_str_make((const char *)f->ptr, f->len),
	            arena, err);
}
