/* Any bytes as a path to a small real project: refused with one printable line, or read; and a path that is accepted by its
 * words has no word that leads out. The tree is made once and removed at the end. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/root_parts.h"
#include "base/utf8.h"
#include "fuzz.h"

#define SECRET "SECRET-OUTSIDE"

static char dir[100];
static ag_root *roots[2]; /* with openat2, by hand */

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void put(const char *name, const char *text)
{
	char path[200];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static void make_dir(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	check(mkdir(path, 0755) == 0);
}

static void make_link(const char *target, const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	check(symlink(target, path) == 0);
}

static void clean(void)
{
	static const char *const names[] = { "r/a.md", "r/.env",       "r/l", "r/b/c.md", "r/b/up",
		                             "r/loop", "r/.gitignore", "x",   "r/b",      "r",
		                             "" };
	char path[200];

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		remove(path);
	}
	ag_root_close(roots[0]);
	ag_root_close(roots[1]);
}

static void make_tree(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[200];
	ag_err err;

	snprintf(dir, sizeof(dir), "%.60s/argus-fuzz-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	check(mkdtemp(dir) != NULL);
	atexit(clean);
	make_dir("r");
	make_dir("r/b");
	put("x", SECRET);
	put("r/a.md", "a\n");
	put("r/.env", SECRET);
	put("r/b/c.md", "c\n");
	put("r/.gitignore", "*.o\n");
	make_link("../x", "r/l");
	make_link("../a.md", "r/b/up");
	make_link("loop", "r/loop");
	snprintf(path, sizeof(path), "%s/r", dir);
	for (int i = 0; i < 2; i++) {
		const ag_root_opts o = { .path = ag_str_c(path), .no_openat2 = i == 1 };

		check(!ag_root_open(&o, &roots[i], &err));
	}
}

static void words_are_proper(ag_str path, ag_arena *arena)
{
	bool must_be_folder;
	const char *why;
	ag_str normal, rest, again;

	if (!ag_root_normal_path(path, arena, &normal, &must_be_folder, &why)) {
		check(why != NULL);
		return;
	}
	check(!why && normal.len <= path.len && ag_utf8_valid(normal));
	check(!normal.len || normal.ptr[0] != '/');
	for (rest = normal; normal.len && rest.ptr;) {
		ag_str name = ag_str_split(&rest, '/');

		check(name.len && !ag_str_eqc(name, ".") && !ag_str_eqc(name, ".."));
		check(ag_str_find(name, '\0') < 0 && ag_str_find(name, '\\') < 0);
	}
	check(ag_root_normal_path(normal, arena, &again, &must_be_folder, &why));
	check(ag_str_eq(again, normal));
}

static void message_is_proper(const ag_err *err, ag_str path)
{
	check(err->msg[0]);
	check(!strstr(err->msg, SECRET) || ag_str_contains(path, AG_S(SECRET)));
	for (const char *p = err->msg; *p; p++)
		check((unsigned char)*p >= ' ' && *p != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str path = ag_str_make((const char *)data, size);
	ag_status got[2];

	if (!roots[0])
		make_tree();
	for (int i = 0; i < 2; i++) {
		ag_arena *arena = ag_arena_new();
		ag_err err = { 0 };
		ag_root_text t = { 0 };
		ag_root_list l;

		words_are_proper(path, arena);
		got[i] = ag_root_read(roots[i], NULL, path, 100, arena, &t, &err);
		if (got[i])
			message_is_proper(&err, path);
		else
			check(ag_str_eqc(t.text, "a\n") || ag_str_eqc(t.text, "c\n") ||
			      ag_str_eqc(t.text, "*.o\n"));
		if (ag_root_list_dir(roots[i], NULL, path, arena, &l, &err))
			message_is_proper(&err, path);
		ag_arena_free(arena);
	}
	/* Both ways say the same. */
	check(got[0] == got[1]);
	return 0;
}
