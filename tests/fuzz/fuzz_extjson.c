/* Any bytes through the extended-JSON reader. What it accepts is written in both JSON modes, read back,
 * and must be the same value and the same text again. The same bytes go through the reader of the shell's syntax:
 * it must give the value that the strict reader gives to a query, and read what is written in the shell's mode. */
#include <stdlib.h>

#include "fuzz.h"
#include "query/extjson.h"
#include "query/shell_read.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void round_trip(ag_arena *arena, const ag_val *v, ag_extjson_mode mode)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_str text = ag_extjson_str(arena, v, mode), again;
	ag_err err;
	ag_val back;

	check(ag_extjson_parse(text, &opts, arena, &back, NULL, NULL, &err) == AG_OK);
	again = ag_extjson_str(arena, &back, mode);
	check(ag_str_eq(text, again));
	check(ag_val_eq(v, &back));
	check(ag_val_hash(v) == ag_val_hash(&back));
}

static void shell(ag_arena *arena, ag_str text)
{
	const ag_extjson_opts query = { .typed = true,
		                        .query = true,
		                        .reject_duplicates = true,
		                        .max_depth = AG_SHELL_MAX_DEPTH };
	ag_shell_statement found, again;
	ag_val v, strict;
	ag_err err = { 0 };
	ag_str written;
	size_t at;
	const ag_status st = ag_shell_parse(text, arena, &found, &at, &err);

	check(!st || err.msg[0]);
	check(st == AG_INVALID ? at <= text.len : st || at == SIZE_MAX);
	v = st ? ag_val_null() : found.query;
	if (!ag_extjson_parse(text, &query, arena, &strict, NULL, NULL, NULL)) {
		check(!st);
		check(ag_val_eq(&v, &strict));
	}
	if (st)
		return;
	/* The pattern of a regex may gain an escape (/[/]/ becomes /[\\/]/), so the texts are compared. A pattern that
	 * is no regex, such as one back slash, has no shell form. */
	written = ag_extjson_str(arena, &v, AG_EXTJSON_SHELL);
	if (!ag_shell_parse(written, arena, &again, NULL, &err))
		check(ag_str_eq(written, ag_extjson_str(arena, &again.query, AG_EXTJSON_SHELL)));
	if (ag_shell_needs_pipeline(&found))
		v = ag_shell_pipeline(&found, found.limit, arena);
	check(v.type != AG_T_ARRAY || !ag_shell_needs_pipeline(&found) || v.n <= 5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str s = ag_str_make((const char *)data, size);
	ag_extjson_opts opts = { .typed = true };
	ag_arena *arena = ag_arena_new();
	ag_extjson_notes notes;
	size_t at = 0;
	ag_err err;
	ag_val v;

	shell(arena, s);
	for (unsigned mode = 0; mode < 4; mode++) {
		ag_status st;

		opts.repair_utf8 = (mode & 1) != 0;
		opts.typed = (mode & 2) == 0;
		st = ag_extjson_parse(s, &opts, arena, &v, &at, &notes, &err);
		check(st == AG_OK || (at <= size && err.msg[0]));
		if (st)
			continue;
		check(ag_val_cmp(&v, &v) == 0);
		(void)ag_extjson_str(arena, &v, AG_EXTJSON_SHELL);
		if (opts.typed) {
			round_trip(arena, &v, AG_EXTJSON_RELAXED);
			round_trip(arena, &v, AG_EXTJSON_CANONICAL);
		}
	}
	ag_arena_free(arena);
	return 0;
}
