/* root_project -- which project does a folder belong to?
 *
 * Looking upwards stops below the home folder and "/": a .git there is somebody's settings, and reading all of it was
 * never meant. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/root_parts.h"

#define MAX_UP 64 /* folders */

static bool has(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool has_readme(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;
	bool found = false;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (size_t n = 0; !found && n < AG_ROOT_MAX_NAMES_READ && (e = readdir(d)) != NULL; n++) {
		ag_str name = ag_str_c(e->d_name);

		found = name.len >= 6 && ag_str_ieq(ag_str_make(name.ptr, 6), AG_S("README"));
	}
	closedir(d);
	return found;
}

static bool is_named_as_project(int dir)
{
	return has(dir, ".git") || has(dir, "argus.yaml") || has(dir, ".env.agent.secret");
}

static bool looks_like_project(int dir)
{
	return is_named_as_project(dir) || has(dir, ".env.docker.secret") || has(dir, "wiki") ||
	       has(dir, "docs") || has_readme(dir);
}

bool ag_root_is_home_or_top(int dir)
{
	const char *home = getenv("HOME");
	struct stat st, other;

	if (fstat(dir, &st) != 0)
		return true;
	if (stat("/", &other) == 0 && st.st_dev == other.st_dev && st.st_ino == other.st_ino)
		return true;
	return home && home[0] && stat(home, &other) == 0 && st.st_dev == other.st_dev &&
	       st.st_ino == other.st_ino;
}

/* /tmp and its kind: what stands there may be anybody's, and would choose the model that everything is shown to. */
static bool is_shared(int dir)
{
	struct stat st;

	return fstat(dir, &st) != 0 || ((st.st_mode & S_ISVTX) && (st.st_mode & S_IWOTH));
}

/* The nearest folder above that is a project; "" = none. path: absolute, without links. */
static ag_str above(ag_str path, ag_arena *arena)
{
	for (int i = 0; i < MAX_UP; i++) {
		bool is_project, is_end;
		int dir;

		path = ag_root_parent(path);
		if (!path.len)
			break;
		dir = open(ag_str_cstr(arena, path), O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0)
			break;
		is_end = ag_root_is_home_or_top(dir);
		is_project = !is_end && !is_shared(dir) && is_named_as_project(dir);
		close(dir);
		if (is_end)
			break;
		if (is_project)
			return path;
	}
	return AG_S("");
}

ag_status ag_root_find_project(ag_str folder, ag_arena *arena, ag_str *ret, ag_err *err)
{
	const char *path = folder.len ? ag_str_cstr(arena, folder) : ".";
	char *real = ag_str_find(folder, '\0') < 0 ? realpath(path, NULL) : NULL;
	ag_str here, found;
	bool is_project;
	int dir;

	if (!real)
		return ag_fail_errno(err, ag_str_find(folder, '\0') < 0 ? errno : EINVAL,
		                     AG_ROOT_ORIGIN, "cannot find the folder %s",
		                     ag_root_show(folder).text);
	here = ag_str_dup(arena, ag_str_c(real));
	free(real);
	dir = open(here.ptr, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return ag_fail_errno(err, errno, AG_ROOT_ORIGIN, "cannot open the folder %s",
		                     ag_root_show(here).text);
	is_project = looks_like_project(dir);
	close(dir);
	found = is_project ? AG_S("") : above(here, arena);
	*ret = found.len ? ag_str_dup(arena, found) : here;
	return AG_OK;
}
