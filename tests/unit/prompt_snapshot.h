/* prompt_snapshot -- what a model is shown, compared with a file of tests/cases/prompts/. */
#ifndef AG_TESTS_PROMPT_SNAPSHOT_H
#define AG_TESTS_PROMPT_SNAPSHOT_H

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

/* Is the text what tests/cases/prompts/NAME.txt has? With UPDATE_PROMPT_SNAPSHOTS=1 it is written there. */
static void prompt_snapshot(const char *name, ag_str got)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	char path[4096];
	char *want;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s.txt", root ? root : ".", "tests/cases/prompts",
	         name);
	if (getenv("UPDATE_PROMPT_SNAPSHOTS")) {
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(got.ptr, 1, got.len, f), got.len);
		assert_int_equal(fclose(f), 0);
		return;
	}
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s is missing: UPDATE_PROMPT_SNAPSHOTS=1 writes it", path);
	want = malloc(1 << 20);
	n = fread(want, 1, 1 << 20, f);
	fclose(f);
	for (size_t i = 0; i < n || i < got.len; i++)
		if (i >= n || i >= got.len || want[i] != got.ptr[i]) {
			size_t from = i < 60 ? 0 : i - 60;

			fail_msg("%s.txt differs at byte %zu: want \"…%.*s\", got \"…%.*s\"", name,
			         i, (int)(n - from < 120 ? n - from : 120), want + from,
			         (int)(got.len - from < 120 ? got.len - from : 120),
			         got.ptr + from);
		}
	free(want);
}

#endif
