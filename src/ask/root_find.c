/* root_find -- one path: is it there, and may it be seen?
 *
 * What is decided is decided on the opened descriptor: its inode against those of the secrets, its real name beside the
 * one it was called by. A path that is secret by its name is refused whether or not there is such a file, and a path that
 * leads out gets the same words whatever is there.
 *
 * Order: is it a secret, ag_root_find(), the words for what was found. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "ask/root_parts.h"
#include "ask/secret.h"

#define MAX_LEARN_FOLDERS 20000 /* that are looked through for the other names of a file */

/* --- secrets ------------------------------------------------------------------------------------- */

bool ag_root_is_secret_name(ag_str called, ag_str real, bool is_folder, const char **ret_why)
{
	const ag_str paths[] = { called, real };
	char buf[AG_ROOT_MAX_PATH + 300];

	for (size_t i = 0; i < AG_NELEM(paths); i++) {
		ag_str p = paths[i];

		if (i && ag_str_eq(called, real))
			break;

		if (is_folder && p.len && p.len < sizeof(buf)) {
			memcpy(buf, p.ptr, p.len);
			buf[p.len] = '/';
			p = ag_str_make(buf, p.len + 1);
		}
		if (ag_secret_path(p, ret_why))
			return true;
	}
	return false;
}

static bool has_inode(const ag_root *r, const struct stat *st)
{
	for (size_t i = 0; i < r->nsecret; i++) {
		if (r->secrets[i].dev == (uint64_t)st->st_dev &&
		    r->secrets[i].ino == (uint64_t)st->st_ino)
			return true;
	}
	return false;
}

/* Breadth first: files of secrets stand near the root. With the lock. */
static void learn_secrets(ag_root *r)
{
	ag_arena *arena = ag_arena_new();
	ag_str *todo = ag_new_n(arena, ag_str, MAX_LEARN_FOLDERS);
	size_t ntodo = 1;

	r->has_learnt = true;
	for (size_t i = 0; i < ntodo; i++) {
		ag_root_fd dir;
		ag_str *names = NULL;
		size_t n = 0;
		bool is_cut;

		if (ag_root_open_beneath(r, todo[i], false, arena, &dir))
			continue;
		if (S_ISDIR(dir.st.st_mode) &&
		    ag_root_names(r, &dir, AG_ROOT_MAX_NAMES_READ, arena, &names, &n, &is_cut))
			n = 0;
		for (size_t k = 0; k < n; k++) {
			ag_str path = ag_root_join(arena, todo[i], names[k]);
			struct stat st;

			if (fstatat(dir.fd, ag_str_cstr(arena, names[k]), &st, AT_SYMLINK_NOFOLLOW))
				continue;
			if (S_ISREG(st.st_mode) && ag_secret_path(path, NULL))
				ag_root_add_secret_inode(r, st.st_dev, st.st_ino);
			else if (S_ISDIR(st.st_mode) && ntodo < MAX_LEARN_FOLDERS)
				todo[ntodo++] = path;
		}
		close(dir.fd);
	}
	ag_arena_free(arena);
}

bool ag_root_is_secret_inode(ag_root *r, const struct stat *st)
{
	bool ret;

	pthread_mutex_lock(&r->lock);
	ret = has_inode(r, st);
	if (!ret && S_ISREG(st->st_mode) && st->st_nlink > 1 && !r->has_learnt) {
		learn_secrets(r);
		ret = has_inode(r, st);
	}
	pthread_mutex_unlock(&r->lock);
	return ret;
}

/* Files that the kernel writes while they are read: with the root at "/" they would be beneath it. */
static bool is_of_kernel(const ag_root *r, const ag_root_fd *f)
{
	struct statfs fs;

	if ((uint64_t)f->st.st_dev == r->dev)
		return false;
	return fstatfs(f->fd, &fs) != 0 || fs.f_type == PROC_SUPER_MAGIC ||
	       fs.f_type == SYSFS_MAGIC || fs.f_type == DEBUGFS_MAGIC ||
	       fs.f_type == TRACEFS_MAGIC || fs.f_type == SECURITYFS_MAGIC ||
	       fs.f_type == CGROUP_SUPER_MAGIC || fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* --- finding ------------------------------------------------------------------------------------- */

ag_root_stat ag_root_stat_of(const struct stat *st, ag_str path)
{
	return (ag_root_stat){
		.kind = S_ISREG(st->st_mode)   ? AG_ROOT_FILE
		        : S_ISDIR(st->st_mode) ? AG_ROOT_FOLDER
		                               : AG_ROOT_OTHER,
		.size = (uint64_t)st->st_size,
		.mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
		.path = path,
	};
}

static ag_root_verdict verdict_of_errno(int e)
{
	switch (e) {
	case ENOENT:
	case ENOTDIR:
	case ENAMETOOLONG: return AG_ROOT_MISSING;
	case EXDEV: return AG_ROOT_OUTSIDE;
	case ELOOP: return AG_ROOT_LOOP;
	default: return AG_ROOT_FAILED;
	}
}

static ag_root_verdict judge(ag_root *r, ag_str path, ag_arena *arena, ag_root_found *f)
{
	bool is_folder = S_ISDIR(f->at.st.st_mode);

	if (ag_root_is_secret_name(path, f->at.real, is_folder, &f->why))
		return AG_ROOT_SECRET;
	if (ag_root_is_secret_inode(r, &f->at.st)) {
		f->why = "a file of keys";
		return AG_ROOT_SECRET;
	}
	if (is_of_kernel(r, &f->at)) {
		f->native = EPERM;
		return AG_ROOT_FAILED;
	}
	if (r->allow_ignored)
		return AG_ROOT_FOUND;
	if (ag_root_is_ignored(r, path, is_folder, arena, &f->where))
		return AG_ROOT_IGNORED;
	if (!ag_str_eq(path, f->at.real) &&
	    ag_root_is_ignored(r, f->at.real, is_folder, arena, &f->where))
		return AG_ROOT_IGNORED;
	return AG_ROOT_FOUND;
}

void ag_root_find(ag_root *r, ag_str path, ag_arena *arena, ag_root_found *ret)
{
	ag_root_found f = { .at = { .fd = -1 } };

	f.native = ag_root_open_beneath(r, path, true, arena, &f.at);
	if (f.native) {
		f.at.fd = -1;
		f.verdict = ag_secret_path(path, &f.why) ? AG_ROOT_SECRET
		                                         : verdict_of_errno(f.native);
	} else {
		f.stat = ag_root_stat_of(&f.at.st, path);
		f.verdict = judge(r, path, arena, &f);
	}
	if (f.verdict != AG_ROOT_FOUND)
		ag_root_release(&f);
	*ret = f;
}

void ag_root_release(ag_root_found *f)
{
	if (f->at.fd >= 0)
		close(f->at.fd);
	f->at.fd = -1;
}

/* --- words --------------------------------------------------------------------------------------- */

static ag_status not_found(ag_root *r, const ag_ctx *ctx, ag_str path, ag_arena *arena, ag_err *err)
{
	ag_root_shown shown = ag_root_show(path);
	ag_str near = ag_root_near(r, ctx, path, arena);

	if (near.len)
		return ag_fail(err, AG_NOT_FOUND, AG_ROOT_ORIGIN, "no such file: %s; near: %s",
		               shown.text, ag_root_show(near).text);
	ag_fail(err, AG_NOT_FOUND, AG_ROOT_ORIGIN, "no such file: %s", shown.text);
	ag_err_hint(err, "list its folder to see what is there");
	return AG_NOT_FOUND;
}

static ag_status refuse(ag_root *r, const ag_ctx *ctx, ag_str path, const ag_root_found *f,
                        ag_arena *arena, ag_err *err)
{
	ag_root_shown shown = ag_root_show(path);

	switch (f->verdict) {
	case AG_ROOT_FOUND: return AG_OK;
	case AG_ROOT_MISSING: return not_found(r, ctx, path, arena, err);
	case AG_ROOT_OUTSIDE:
		ag_fail(err, AG_DENIED, AG_ROOT_ORIGIN, "refused: %s leads out of the project",
		        shown.text);
		break;
	case AG_ROOT_LOOP:
		return ag_fail(err, AG_INVALID, AG_ROOT_ORIGIN, "too many links: %s", shown.text);
	case AG_ROOT_SECRET:
		ag_fail(err, AG_DENIED, AG_ROOT_ORIGIN, "refused: %s is %s; secrets are not read",
		        shown.text, f->why);
		break;
	case AG_ROOT_IGNORED:
		ag_fail(err, AG_DENIED, AG_ROOT_ORIGIN,
		        "refused: %s is not part of the project: %s", shown.text,
		        ag_root_show(f->where).text);
		break;
	case AG_ROOT_FAILED:
		if (f->native == EACCES)
			ag_fail(err, AG_DENIED, AG_ROOT_ORIGIN, "no permission to read %s",
			        shown.text);
		else if (f->native == EPERM)
			ag_fail(err, AG_DENIED, AG_ROOT_ORIGIN,
			        "refused: %s is not a file of the project", shown.text);
		else
			return ag_fail_errno(err, f->native, AG_ROOT_ORIGIN, "cannot open %s",
			                     shown.text);
		break;
	}
	ag_err_hint(err, "go on without it");
	return AG_DENIED;
}

ag_status ag_root_get(ag_root *r, const ag_ctx *ctx, ag_str path, ag_arena *arena,
                      ag_root_found *ret, ag_err *err)
{
	ag_root_shown shown = ag_root_show(path);
	bool must_be_folder = false;
	const char *why = NULL;
	ag_root_found f;
	ag_status st;
	ag_str normal;

	st = ag_ctx_check(ctx, err);
	if (st)
		return st;
	if (!ag_root_normal_path(path, arena, &normal, &must_be_folder, &why)) {
		ag_fail(err, AG_DENIED, AG_ROOT_ORIGIN, "refused: %s %s", shown.text, why);
		ag_err_hint(err, "name a path below the project's root, like docs/guide.md");
		return AG_DENIED;
	}
	ag_root_find(r, normal, arena, &f);
	st = refuse(r, ctx, normal, &f, arena, err);
	if (st)
		return st;
	if (f.stat.kind == AG_ROOT_FILE && must_be_folder) {
		ag_root_release(&f);
		return ag_fail(err, AG_INVALID, AG_ROOT_ORIGIN,
		               "%s is a file: leave out the slash at the end", shown.text);
	}
	*ret = f;
	return AG_OK;
}
