/* Any bytes as the text of a reply. What runs names an offered tool and brings one JSON object; text that is no call comes back
 * as it was; nothing grows. The same bytes as JSON that is nearly JSON: what is read is strict JSON, and reading it again
 * changes nothing. */
#include <stdlib.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "llm/json_repair.h"
#include "llm/text_calls.h"
#include "llm/wire.h"
#include "query/extjson.h"

#define SCHEMA \
	"{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"}}}"

static const ag_llm_tool tools[] = {
	{ AG_S_INIT("read_file"), AG_S_INIT("reads"), AG_S_INIT(SCHEMA), false },
	{ AG_S_INIT("list_files"), AG_S_INIT("lists"), AG_S_INIT(SCHEMA), false },
	{ AG_S_INIT("run_query"), AG_S_INIT("queries"), AG_S_INIT("{\"type\":\"object\"}"), false },
	{ AG_S_INIT("query_api"), AG_S_INIT("asks"), AG_S_INIT(SCHEMA), true },
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

static bool is_json(ag_str s, bool is_object, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	ag_val v;

	return !ag_extjson_parse(s, &opts, arena, &v, NULL, NULL, NULL) &&
	       (!is_object || v.type == AG_T_OBJECT);
}

static void check_calls(ag_str s, ag_llm_choice choice, ag_arena *arena)
{
	const ag_llm_request r = { .tools = tools, .ntool = AG_NELEM(tools), .choice = choice };
	ag_text_calls c;

	ag_text_calls_read(s, &r, arena, &c);
	check(c.ncall <= AG_WIRE_MAX_TOOL_CALLS && (!c.ncut || c.ncall == AG_WIRE_MAX_TOOL_CALLS));
	check(!c.ncall || (!c.complaint.len && choice != AG_LLM_CHOICE_NONE));
	check(c.text.len <= s.len);
	if (!c.ncall && !c.complaint.len && choice != AG_LLM_CHOICE_NONE && !c.text.len)
		check(!ag_str_trim(s).len || memchr(s.ptr, '<', s.len) ||
		      memchr(s.ptr, '[', s.len));
	for (size_t i = 0; i < c.ncall; i++) {
		bool known = false;

		for (size_t k = 0; k < AG_NELEM(tools); k++)
			known = known || ag_str_eq(c.calls[i].name, tools[k].name);
		check(known && c.calls[i].id.len);
		check(!ag_utf8_valid(s) || is_json(c.calls[i].input, true, arena));
	}
}

static void check_repair(ag_str s, ag_arena *arena)
{
	ag_str once, twice;
	size_t end = 0;

	if (!ag_json_lenient(s, arena, &once, &end))
		return;
	check(end <= s.len && is_json(once, false, arena));
	check(ag_json_lenient(once, arena, &twice, &end) && ag_str_eq(once, twice));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const ag_str s = ag_str_make((const char *)data, size);
	ag_arena *arena = ag_arena_new();

	check_calls(s, AG_LLM_CHOICE_AUTO, arena);
	check_calls(s, AG_LLM_CHOICE_NONE, arena);
	check_repair(s, arena);
	check(ag_text_without_thinking(s, arena).len <= s.len);
	ag_arena_free(arena);
	return 0;
}
