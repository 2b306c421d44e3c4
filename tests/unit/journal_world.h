/* journal_world -- a journal on a store in a folder of its own, and a second handle that reads the store. */
#ifndef AG_TESTS_JOURNAL_WORLD_H
#define AG_TESTS_JOURNAL_WORLD_H

#include <stdio.h>
#include <stdlib.h>

#include "../contract/assert_ok.h"
#include "../contract/folder.h"
#include "base/fault.h"
#include "project/journal.h"

typedef struct world {
	char folder[128], path[200];
	ag_arena *arena;
	ag_journal *j;
	ag_store *reader;
	ag_err err;
} world;

static int setup(void **state)
{
	world *w = ag_xcalloc(1, sizeof(*w));

	*state = w;
	w->arena = ag_arena_new();
	test_folder_make(w->folder, "journal");
	snprintf(w->path, sizeof(w->path), "%s/argus.db", w->folder);
	return ag_journal_open(ag_str_c(w->path), AG_JOURNAL_NORMAL, &w->j, &w->err) ||
	       ag_store_open(ag_str_c(w->path), &w->reader, &w->err);
}

static int teardown(void **state)
{
	world *w = *state;

	AG_IGNORE(ag_fault_setup(NULL, NULL), "cannot fail");
	AG_IGNORE(ag_journal_close(w->j, NULL), "the test is over");
	ag_store_close(w->reader);
	ag_arena_free(w->arena);
	test_folder_remove(w->folder);
	free(w);
	return 0;
}

#endif
