/* tool_api -- query_api: arguments in, what api.c gives out. */
#include "ask/tools.h"

ag_status ag_ask_query_api(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena, const ag_val *input,
                           ag_ask_result *ret, ag_err *err)
{
	const ag_api_request r = {
		.method = ag_tool_text(input, "method", arena),
		.path = ag_tool_text(input, "path", arena),
		.body = ag_tool_text(input, "body", arena),
		.no_auth = !ag_tool_bool(input, "auth", true),
	};
	ag_api_result result = { 0 };
	ag_err why = { 0 };

	if (!t->api) {
		ret->text = AG_S(
			"Error: there is no API in this run (--no-api): answer from files");
		return AG_OK;
	}
	if (ag_api_call(t->api, ctx, arena, &r, &result, &why))
		return ag_ask_failed(&why, arena, ret, err);
	ret->text = result.text;
	ret->ok = result.ok;
	ret->request = result.sent;
	ret->status = result.status;
	return AG_OK;
}
