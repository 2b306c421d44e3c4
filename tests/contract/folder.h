/* folder -- a folder of one test's own, removed with all that is in it. */
#ifndef AG_TESTS_FOLDER_H
#define AG_TESTS_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compiler.h"

static inline void test_folder_make(char path[128], const char *name)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(path, 128, "%.80s/argus-%.20s-XXXXXX", tmp ? tmp : "/tmp", name);
	AG_ASSERT(mkdtemp(path));
}

static inline int test_folder_remove_one(const char *path, const struct stat *st, int flag,
                                         struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void test_folder_remove(const char *path)
{
	nftw(path, test_folder_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
