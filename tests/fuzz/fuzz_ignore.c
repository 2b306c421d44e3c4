/* Any bytes as a .gitignore, and any path: bounded, no read outside, and the same answer from a matcher that is slow and
 * simple where the pattern is. The last line of the input is the path. */
#include <stdlib.h>

#include "ask/glob.h"
#include "ask/ignore.h"
#include "ask/secret.h"
#include "fuzz.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* One name against "*", "?" and plain bytes, by trying everything. */
static bool slowly(ag_str glob, ag_str name)
{
	if (!glob.len)
		return !name.len;
	if (glob.ptr[0] == '*')
		return slowly(ag_str_make(glob.ptr + 1, glob.len - 1), name) ||
		       (name.len && slowly(glob, ag_str_make(name.ptr + 1, name.len - 1)));
	return name.len && (glob.ptr[0] == '?' || glob.ptr[0] == name.ptr[0]) &&
	       slowly(ag_str_make(glob.ptr + 1, glob.len - 1),
	              ag_str_make(name.ptr + 1, name.len - 1));
}

static bool is_simple(ag_str glob)
{
	size_t nstar = 0;

	for (size_t i = 0; i < glob.len; i++) {
		nstar += glob.ptr[i] == '*';
		if (glob.ptr[i] == '[' || glob.ptr[i] == '\\')
			return false;
	}
	return nstar <= 4;
}

static ag_str last_line(ag_str *text)
{
	size_t at = text->len;
	ag_str line;

	while (at > 0 && text->ptr[at - 1] != '\n')
		at--;
	line = ag_str_make(text->ptr + at, text->len - at);
	text->len = at;
	return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_arena *arena = ag_arena_new();
	const ag_ignore *g;
	ag_str text, path;
	unsigned line = 0;
	const char *why = NULL;

	check(copy);
	if (size)
		memcpy(copy, data, size);
	text = ag_str_make(copy, size);
	path = last_line(&text);
	if (path.len > 4096)
		path.len = 4096;
	g = ag_ignore_parse(text, arena);
	if (ag_ignore_match(g, path, true, &line) != AG_IGNORE_UNSAID)
		check(line > 0);
	/* What is ignored as a file is ignored as a folder, unless a line for folders takes it back. */
	if (ag_ignore_match(g, path, false, NULL) == AG_IGNORE_YES)
		check(ag_ignore_match(g, path, true, NULL) != AG_IGNORE_UNSAID);
	check(ag_secret_path(path, &why) == (why != NULL));
	AG_IGNORE(ag_ignore_always(path), "it ends");
	while (text.ptr) {
		ag_str glob = ag_str_split(&text, '\n');

		if (glob.len > 64)
			continue;
		AG_IGNORE(ag_glob_match(glob, path), "it ends");
		if (path.len <= 64 && is_simple(glob))
			check(ag_glob_name(glob, path) == slowly(glob, path));
	}
	ag_arena_free(arena);
	free(copy);
	return 0;
}
