/* A folder with files, a store in memory, and questions about them: for tests of answers without a model. Included after cmocka.h. */
#ifndef TESTS_OFFLINE_WORLD_H
#define TESTS_OFFLINE_WORLD_H

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../contract/assert_ok.h"
#include "ask/offline.h"
#include "contract/folder.h"

typedef struct world {
	char folder[128];
	ag_arena *arena;
	ag_root *root;
	ag_store *store;
	ag_ctx ctx;
	ag_err err;
} world;

AG_UNUSED static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	test_folder_make(w->folder, "offline");
	w->arena = ag_arena_new();
	w->ctx.clock = &ag_clock_system;
	w->ctx.nthread = 1;
	*state = w;
	return (int)ag_store_open(AG_S("memory:"), &w->store, &w->err);
}

AG_UNUSED static int teardown(void **state)
{
	world *w = *state;

	ag_root_close(w->root);
	ag_store_close(w->store);
	ag_arena_free(w->arena);
	test_folder_remove(w->folder);
	free(w);
	return 0;
}

AG_UNUSED static void open_root(world *w, const char *path)
{
	const ag_root_opts o = { .path = ag_str_c(path) };

	assert_ok(w, ag_root_open(&o, &w->root, &w->err));
}

AG_UNUSED static void put_file(world *w, const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", w->folder, name);
	for (char *p = path + strlen(w->folder) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	fclose(f);
}

AG_UNUSED static ag_answer ask(world *w, const char *question)
{
	const ag_offline_opts o = { .root = w->root,
		                    .store = w->store,
		                    .question = ag_str_c(question) };
	ag_answer a = { 0 };

	assert_ok(w, ag_offline_answer(&w->ctx, &o, w->arena, &a, &w->err));
	return a;
}

/* A folder of the repository. */
AG_UNUSED static void open_folder(world *w, const char *name)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	char path[300];

	ag_root_close(w->root);
	w->root = NULL;
	snprintf(path, sizeof(path), "%s/%s", root ? root : ".", name);
	open_root(w, path);
}

AG_UNUSED static void run_cp(char **argv)
{
	int status = -1;
	pid_t pid;

	assert_int_equal(posix_spawnp(&pid, "cp", NULL, NULL, argv, environ), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A copy: the questions themselves are in the tree, too. */
AG_UNUSED static void copy_sources(world *w)
{
	const char *const names[] = { "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs",
		                      "src" };
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	char cp[] = "cp", option[] = "-R";
	char *argv[AG_NELEM(names) + 4] = { cp, option };
	size_t n = 2;

	for (size_t i = 0; i < AG_NELEM(names); i++)
		argv[n++] = ag_str_cstr(w->arena, ag_str_printf(w->arena, "%s/%s",
		                                                root ? root : ".", names[i]));
	argv[n] = w->folder;
	run_cp(argv);
}

/* Manuals of other people: of packages that the web page is built with, each in a file of its name. */
AG_UNUSED static void open_manuals(world *w, const char *const *names)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");

	for (; *names; names++) {
		char cp[] = "cp", from[300], to[300];
		char *argv[] = { cp, from, to, NULL };

		snprintf(from, sizeof(from), "%s/.cache/web/node_modules/%s/%s", root ? root : ".",
		         *names, strcmp(*names, "commander") == 0 ? "Readme.md" : "README.md");
		snprintf(to, sizeof(to), "%s/%s.md", w->folder, *names);
		if (access(from, R_OK) != 0) {
			print_message("# %s is not there: tools/build-web fetches it\n", from);
			skip();
		}
		run_cp(argv);
	}
	open_root(w, w->folder);
}

#endif
