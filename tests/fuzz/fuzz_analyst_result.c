/* Any bytes as what a tool of another server gave: a failure has a class with guidance, and what the model reads cannot close
 * the marks around it. The same bytes as a statement: its conditions are parts of it. */
#include <stdlib.h>

#include "analyst/answer.h"
#include "analyst/correct.h"
#include "base/json.h"
#include "fuzz.h"
#include "query/extjson.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* Every "<" is one of our own marks. */
static void check_marks(ag_str text)
{
	size_t nopen = 0, nclose = 0;

	for (size_t i = 0; i < text.len; i++) {
		const ag_str rest = ag_str_make(text.ptr + i, text.len - i);

		if (text.ptr[i] != '<')
			continue;
		nopen += ag_str_starts(rest, AG_S("<data name=\""));
		nclose += ag_str_starts(rest, AG_S("</data>"));
		check(ag_str_starts(rest, AG_S("<data name=\"")) ||
		      ag_str_starts(rest, AG_S("</data>")));
	}
	check(nopen == nclose);
}

static void read_as(const ag_val *v, bool is_error, ag_arena *arena)
{
	ag_analyst_result r;

	ag_analyst_result_read(v, is_error, arena, &r);
	if (!r.ok)
		check(ag_analyst_guidance(ag_analyst_error_class(&r))[0]);
	check_marks(ag_analyst_result_text(&r, AG_S("r1"), 1000, arena));
}

static void read_filters(ag_str sql)
{
	ag_str filters[AG_ANALYST_MAX_FILTERS];
	const size_t n = ag_analyst_filters(sql, filters);

	check(n <= AG_ANALYST_MAX_FILTERS);
	for (size_t i = 0; i < n; i++)
		check(!filters[i].len || (filters[i].ptr >= sql.ptr &&
		                          filters[i].ptr + filters[i].len <= sql.ptr + sql.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const ag_extjson_opts opts = { .max_values = 1u << 16 };
	const ag_str text = ag_str_make((const char *)data, size);
	ag_arena *arena = ag_arena_new();
	ag_member members[] = { { AG_S("server"), ag_val_str(AG_S("s")) },
		                { AG_S("text"), ag_val_str(text) } };
	const ag_val foreign = ag_val_object(members, AG_NELEM(members));
	ag_val v;

	read_filters(text);
	read_as(&foreign, false, arena);
	read_as(&foreign, true, arena);
	if (!ag_extjson_parse(text, &opts, arena, &v, NULL, NULL, NULL)) {
		read_as(&v, false, arena);
		read_as(&v, true, arena);
	}
	ag_arena_free(arena);
	return 0;
}
