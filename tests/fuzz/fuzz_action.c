/* Any bytes as the answer of a planner's model. What is taken has a reason, an action, a confidence in 0..1 and an input
 * that is one JSON object; the same action wrapped in a fence is taken again. All bytes can be put into a prompt as data: one line, UTF-8, without "<", within its limit. */
#include <stdlib.h>

#include "agent/action.h"
#include "audit/prompt.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "query/extjson.h"

static const ag_param filter_param[] = { { "filter", AG_PARAM_OBJECT, .help = "a filter" } };

static const ag_tool action_tools[] = {
	{ .name = "schema_sample" }, { .name = "run_query", .params = filter_param, .nparam = 1 },
	{ .name = "get_stats" },     { .name = "write_finding" },
	{ .name = "conclude" },
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_action(const ag_proposal *p, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	ag_buf again = AG_BUF_INIT(16u << 20);
	ag_proposal q;
	ag_err err;
	ag_val v;
	ag_jw w;

	check(ag_str_trim(p->reasoning).len && ag_str_trim(p->action).len && !p->text.len);
	check(p->confidence >= 0 && p->confidence <= 1);
	if (p->input.len)
		check(!ag_extjson_parse(p->input, &opts, arena, &v, NULL, NULL, &err) &&
		      v.type == AG_T_OBJECT);
	ag_buf_adds(&again, "As asked:\n```json\n");
	ag_jw_init(&w, &again, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "reasoning", p->reasoning);
	ag_jw_kstr(&w, "action", p->action);
	ag_jw_kraw(&w, "action_input", p->input.len ? p->input : AG_S("{}"));
	ag_jw_kdouble(&w, "confidence", p->confidence);
	ag_jw_obj_end(&w);
	ag_buf_adds(&again, "\n```\n");
	/* The mark behind which an answer begins would cut the copy. */
	if (!ag_str_contains(ag_buf_view(&again), AG_S("</think>"))) {
		check(ag_action_parse(ag_buf_view(&again), action_tools, AG_NELEM(action_tools),
		                      arena, &q, &err) == AG_OK);
		check(ag_str_eq(p->reasoning, q.reasoning) && ag_str_eq(p->action, q.action));
		check(ag_str_eq(p->input.len ? p->input : AG_S("{}"), q.input));
		check(p->confidence == q.confidence);
	}
	ag_buf_release(&again);
}

static void check_data(ag_str s, size_t max)
{
	ag_buf out = AG_BUF_INIT(1 << 20);

	ag_prompt_data(&out, s, max);
	check(out.len <= max && ag_utf8_valid(ag_buf_view(&out)));
	for (size_t i = 0; i < out.len; i++)
		check((unsigned char)out.ptr[i] >= 0x20 && out.ptr[i] != '<' && out.ptr[i] != 0x7f);
	ag_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const ag_str s = ag_str_make((const char *)data, size);
	ag_arena *arena = ag_arena_new();
	ag_proposal p;
	ag_err err = { 0 };

	if (!ag_action_parse(s, action_tools, AG_NELEM(action_tools), arena, &p, &err))
		check_action(&p, arena);
	else
		check(err.status == AG_PROTOCOL && err.msg[0]);
	check_data(s, size % 64);
	check_data(s, 12 * size + 3);
	ag_arena_free(arena);
	return 0;
}
